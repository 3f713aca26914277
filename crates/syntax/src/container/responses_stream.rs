//! Streams of OpenAI's responses API: server-sent events, or their data as one JSON value a line.
//!
//! ```text
//! stream = response.created response.in_progress item* (response.completed | .failed | .incomplete)
//! item   = response.output_item.added delta* response.output_item.done
//! delta  = response.output_text.delta | .reasoning_summary_text.delta | .function_call_arguments.delta | …
//! ```
//!
//! The content of deltas is repeated in `….done`, in the item and in the response; it is taken once, and compared. An
//! item without deltas is taken when it is done, after the open ones. Events are numbered, which reveals duplicates
//! and missing events.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::answer;
use super::call::CallText;
use super::facts::{Compaction, Fact, RequestFacts};
use super::fragment::Fragment;
use super::items::ResponseItems;
use super::json::{JsonKind, JsonValue};
use super::messages::{part, standing, time_words};
use super::parts::OpenParts;
use super::responses::conversation_id;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader,
};
use crate::diagnostic::Code;
use crate::text::Span;
use crate::value::json::string::decode;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "openai-responses-stream",
    title: "a stream of a response",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Stream> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let kind = head.record()?.text_of("type")?;
    kind.starts_with("response.").then_some(Claim::Sure("its first event is of type \"response.…\""))
}

#[derive(Default)]
struct Stream {
    parts: OpenParts,
    items: ResponseItems,
    about: Message,
    /// The request that the response answers, until it is stated.
    request: Option<RequestFacts>,
    open: bool,
    /// Unfinished items of the response by number.
    under_way: BTreeMap<u64, Item>,
    /// Numbers and ids of the finished items.
    done: HashSet<u64>,
    /// Numbers given to items whose events have none, by id.
    numbers: HashMap<Box<str>, u64>,
    done_ids: HashSet<Box<str>>,
    /// The highest number of an event, and the lower numbers that are missing.
    last: Option<u64>,
    missing: BTreeSet<u64>,
}

/// An item of the response that has begun.
#[derive(Default)]
struct Item {
    /// The item as it was added.
    added: Fragment,
    is_call: bool,
    /// Its parts so far, by key.
    parts: BTreeMap<String, Said>,
}

/// A part of an item.
struct Said {
    kind: Delta,
    /// The concatenated deltas, until they have been compared.
    words: Option<Vec<u8>>,
}

/// Number of the first item whose events have none.
const UNNUMBERED: u64 = 1 << 32;

/// Most missing events that are remembered.
const MOST_MISSING: usize = 1000;

/// Kinds of deltas, by the type of their event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
enum Delta {
    Text,
    #[strum(serialize = "reasoning")]
    Thought,
    /// A part of the string that holds the arguments.
    Arguments,
}

impl Delta {
    /// The kind of an event's delta, and the member that holds it: `delta`, or another one with the whole text.
    fn of(kind: &str) -> Option<(Delta, &'static str)> {
        Some(match kind {
            "response.output_text.delta" | "response.refusal.delta" => (Delta::Text, "delta"),
            "response.output_text.done" => (Delta::Text, "text"),
            "response.refusal.done" => (Delta::Text, "refusal"),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => (Delta::Thought, "delta"),
            "response.reasoning_summary_text.done" | "response.reasoning_text.done" => (Delta::Thought, "text"),
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                (Delta::Arguments, "delta")
            }
            "response.function_call_arguments.done" => (Delta::Arguments, "arguments"),
            "response.custom_tool_call_input.done" => (Delta::Arguments, "input"),
            _ => return None,
        })
    }

    fn piece(self) -> MessagePart {
        if self == Delta::Thought { MessagePart::Reasoning } else { MessagePart::Text(Interpretation::Parsed) }
    }

    /// The text of a delta in the form in which it is added to the part.
    fn fragment(self, words: JsonValue<'_>) -> Fragment {
        let mut fragment = Fragment::default();
        if self == Delta::Arguments {
            fragment.content(words);
        } else {
            fragment.push_content(words);
        }
        fragment
    }
}

/// True for an event about the progress of an item, which is complete when it is done, or one without content.
fn is_progress(kind: &str) -> bool {
    let Some((subject, _)) = kind.strip_prefix("response.").unwrap_or(kind).split_once('.') else {
        return matches!(kind, "response.queued" | "response.in_progress" | "response.metadata" | "keepalive" | "ping");
    };
    let subjects = ["content_part", "reasoning_summary_part", "output_text", "mcp_list_tools", "rate_limits"];
    subjects.contains(&subject) || subject.contains("_call") || kind == "codex.rate_limits"
}

impl Stream {
    fn begin(&mut self, out: &mut TextWriter) {
        self.open = true;
        self.items.begin_message(MessageRole::Assistant, &self.about, out);
    }

    fn response(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        if let Some(response) = event.get("response") {
            out.session_id(|| conversation_id(response));
            let known = self.request.take().unwrap_or_default();
            self.request = Some(answer::merged(known, answer::openai(response)));
            self.about = Message {
                time: response.get("created_at").and_then(time_words),
                model: response.words_of("model"),
                id: response.words_of("id"),
                ..Message::default()
            };
        }
    }

    /// True if the event must be processed: each number counts once.
    fn in_turn(&mut self, event: JsonValue<'_>, out: &mut TextWriter) -> bool {
        let Some(number) = event.number_of("sequence_number") else { return true };
        if event.is_string("type", "response.created") {
            // Another response starts its own numbering.
            self.last = Some(number);
            self.missing.clear();
            return true;
        }
        match self.last {
            Some(last) if number > last => self.missing.extend((last + 1..number).take(MOST_MISSING)),
            Some(last) if !self.missing.remove(&number) => {
                let message = format!("duplicate event {number} after event {last}; ignored");
                out.problem(Code::DuplicateRecord, event.source(), message);
                return false;
            }
            Some(last) => {
                let message = format!("event {number} is out of order: it follows event {last}");
                out.problem(Code::RecordOutOfOrder, event.source(), message);
                return true;
            }
            None => {}
        }
        self.last = Some(number);
        true
    }

    /// Number of the item that an event is about.
    fn number(&mut self, event: JsonValue<'_>) -> u64 {
        let id = || event.words_of("item_id").or_else(|| event.path(&["item", "id"])?.scalar_text());
        event.number_of("output_index").unwrap_or_else(|| {
            let next = UNNUMBERED + self.numbers.len() as u64;
            id().map_or(0, |id| *self.numbers.entry(id).or_insert(next))
        })
    }

    /// Text of a part: a delta, or the whole text once more.
    fn words(&mut self, kind: Delta, words: JsonValue<'_>, event: JsonValue<'_>, out: &mut TextWriter) {
        self.begin(out);
        let number = self.number(event);
        let (list, index) = match event.number_of("summary_index") {
            Some(index) => ("summary", index),
            None => ("content", event.number_of("content_index").unwrap_or_default()),
        };
        let key = if kind == Delta::Arguments { number.to_string() } else { key_of(number, list, index) };
        let item = self.under_way.entry(number).or_default();
        let is_delta = words.key() == "delta";
        if let Some(known) = item.parts.get_mut(&key).filter(|_| !is_delta) {
            return compare(&key, known, words, &mut self.parts, out);
        }
        if kind != Delta::Arguments && !self.parts.has(&key) {
            self.parts.open(&key, kind.piece(), out);
        }
        let said = kind.fragment(words);
        if !self.parts.has(&key) {
            // For the whole text, the item itself identifies its part.
            if is_delta {
                self.parts.delta(&key, &said, event, out);
            }
            return;
        }
        self.parts.write(&key, &said, out);
        let known = item.parts.entry(key).or_insert_with(|| Said { kind, words: is_delta.then(Vec::new) });
        if let Some(before) = &mut known.words {
            before.extend_from_slice(&said.bytes);
        }
    }

    /// Begins an item: of a call, everything except its arguments is known.
    fn added(&mut self, item: JsonValue<'_>, number: u64, out: &mut TextWriter) {
        let kind = item.get("type");
        let input = match kind.and_then(|kind| kind.text()).as_deref() {
            Some("function_call") => ",\"arguments\":\"",
            Some("custom_tool_call") => ",\"input\":\"",
            _ => {
                self.under_way.insert(number, Item { added: standing(item), ..Item::default() });
                return;
            }
        };
        self.begin(out);
        let key = number.to_string();
        let at = item.source().start;
        let mut head = CallText::default();
        head.text.push_synthetic("{\"type\":", at);
        if let Some(kind) = kind {
            head.text.push_verbatim(kind);
        }
        if let Some(id) = item.get("call_id") {
            head.text.push_synthetic(",\"call_id\":", id.source().start);
            head.id(Some(id), at);
        }
        if let Some(name) = item.get("name") {
            head.text.push_synthetic(",\"name\":", name.source().start);
            head.name(Some(name), "", at);
        }
        head.text.push_synthetic(input, item.source().end);
        self.parts.open_call(&key, &head, out);
        self.under_way.insert(number, Item { is_call: true, ..Item::default() });
    }

    /// Ends an item, whose event repeats all of it.
    fn finish_item(&mut self, item: JsonValue<'_>, number: u64, out: &mut TextWriter) {
        let known = self.under_way.remove(&number).unwrap_or_default();
        self.done.insert(number);
        self.done_ids.extend(item.words_of("id"));
        if item.is_string("type", "compaction") {
            out.fact(Fact::Compaction(Compaction::default()));
        }
        self.open = true;
        if known.is_call {
            self.finish_call(known, item, number, out);
        } else if known.parts.is_empty() {
            self.take(item, out);
        } else {
            self.finish_parts(known, item, number, out);
        }
    }

    fn finish_call(&mut self, mut known: Item, item: JsonValue<'_>, number: u64, out: &mut TextWriter) {
        let key = number.to_string();
        let input = item.first_of(&["arguments", "input"]);
        let mut tail = Fragment::default();
        match (known.parts.get_mut(&key), input.filter(|input| input.kind() == JsonKind::Text)) {
            (Some(said), Some(input)) => compare(&key, said, input, &mut self.parts, out),
            (None, Some(input)) => tail.content(input),
            (_, None) => {}
        }
        tail.push_synthetic("\"}", item.source().end);
        self.parts.write(&key, &tail, out);
        self.parts.close(&key, out);
    }

    /// Ends the parts of an item, and writes the parts that had no deltas.
    fn finish_parts(&mut self, mut known: Item, item: JsonValue<'_>, number: u64, out: &mut TextWriter) {
        for list in ["summary", "content"] {
            let parts = item.get(list).filter(|parts| parts.kind() == JsonKind::Array);
            for (index, value) in (0..).zip(parts.into_iter().flat_map(|parts| parts.items())) {
                let key = key_of(number, list, index);
                match (known.parts.get_mut(&key), value.first_of(&["text", "refusal"])) {
                    (Some(said), Some(words)) => compare(&key, said, words, &mut self.parts, out),
                    (Some(_), None) => {}
                    (None, _) => self.behind_open(out, |out| part(value, Some(MessageRole::Assistant), out)),
                }
            }
        }
        for key in known.parts.keys() {
            self.parts.close(key, out);
        }
    }

    /// Writes an item that had no deltas.
    fn take(&mut self, item: JsonValue<'_>, out: &mut TextWriter) {
        if self.parts.any_open() {
            let about = self.about.clone();
            self.behind_open(out, |out| ResponseItems::in_one_message().take(item, &about, out));
        } else {
            self.items.take(item, &self.about, out);
        }
    }

    /// Writes something that had no deltas, after the open parts.
    fn behind_open(&mut self, out: &mut TextWriter, say: impl FnOnce(&mut TextWriter)) {
        if self.parts.any_open() {
            let mut apart = TextWriter::default();
            say(&mut apart);
            self.parts.append(apart, out);
        } else {
            say(out);
        }
    }

    /// Ends the response, complete or not.
    fn finish_response(&mut self, kind: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        self.response(event, out);
        let output = event.path(&["response", "output"]);
        for (number, item) in (0..).zip(output.into_iter().flat_map(|items| items.items())) {
            let is_done = item.words_of("id").is_some_and(|id| self.done_ids.contains(&id));
            if !is_done && !self.done.contains(&number) {
                self.finish_item(item, number, out);
            }
        }
        let is_whole = kind == "response.completed";
        for (number, item) in std::mem::take(&mut self.under_way) {
            if is_whole && item.is_call {
                let mut tail = Fragment::default();
                tail.push_synthetic("\"}", event.source().start);
                self.parts.write(&number.to_string(), &tail, out);
            }
        }
        self.parts.close_all(out);
        if !is_whole || !self.items.has_begun() {
            self.begin(out);
        }
        if !is_whole {
            out.envelope(kind, event);
        }
        self.state_request(out);
        self.open = false;
    }

    fn state_request(&mut self, out: &mut TextWriter) {
        if let Some(request) = self.request.take() {
            out.fact(Fact::Request(request));
        }
    }

    fn end(&mut self, at: usize, out: &mut TextWriter) {
        if std::mem::take(&mut self.open) {
            out.problem(Code::StreamCutOff, Span::at(at), "the stream ends before its response does");
        }
        for item in std::mem::take(&mut self.under_way).into_values() {
            // Items that have begun and not ended: a search, a call of the provider's own tools.
            let index = if item.parts.is_empty() { item.added.index() } else { None };
            if let Some(added) = index.as_ref().and_then(|index| item.added.root(index)) {
                self.take(added, out);
            }
        }
        self.parts.close_all(out);
        self.state_request(out);
        self.items.pause();
        self.done.clear();
        self.numbers.clear();
        self.done_ids.clear();
    }
}

fn key_of(number: u64, list: &str, index: u64) -> String {
    format!("{number}/{list}/{index}")
}

/// Compares the deltas with the whole text; a missing end is added while the part is open.
fn compare(key: &str, said: &mut Said, words: JsonValue<'_>, parts: &mut OpenParts, out: &mut TextWriter) {
    let Some(before) = said.words.take() else { return };
    let whole = said.kind.fragment(words);
    if whole.bytes == before || (said.kind == Delta::Arguments && decode(&whole.bytes).bytes == decode(&before).bytes) {
        return;
    }
    let (what, source) = (said.kind.into_str(), words.source());
    if !whole.bytes.starts_with(&before) {
        let message = format!("the deltas of the {what} differ from the complete {what}");
        return out.problem(Code::StreamMismatch, source, message);
    }
    let missing = Span::new(before.len(), whole.bytes.len());
    let message =
        format!("the deltas lack the last {} bytes of the {what}, taken from the complete {what}", missing.len());
    out.problem(Code::StreamMismatch, source, message);
    parts.write(key, &whole.slice(missing), out);
}

impl RecordReader for Stream {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let event = record.value;
        if !self.in_turn(event, out) {
            return;
        }
        let kind = event.text_of("type").unwrap_or_default();
        if let Some((delta, member)) = Delta::of(&kind) {
            match event.string_of(member) {
                Some(words) => self.words(delta, words, event, out),
                None => self.parts.unknown("event", &kind, event, event, out),
            }
            return;
        }
        let number = self.number(event);
        match (kind.as_ref(), event.get("item")) {
            ("response.created", _) => {
                self.end(event.source().start, out);
                self.response(event, out);
            }
            ("response.output_item.added", Some(item)) => self.added(item, number, out),
            ("response.output_item.done", Some(item)) => self.finish_item(item, number, out),
            ("response.completed" | "response.failed" | "response.incomplete" | "response.cancelled", _) => {
                self.finish_response(&kind, event, out);
            }
            ("error" | "response.error", _) => self.parts.show_raw("error", event, out),
            ("response.output_text.annotation.added", _) => {
                self.parts.show_raw("annotation", event.get("annotation").unwrap_or(event), out);
            }
            (kind, _) if is_progress(kind) => {}
            (kind, _) => self.parts.unknown("event", kind, event, event, out),
        }
    }

    fn between_records(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.parts.whole(piece, fragment.clone(), out);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.end(at, out);
    }
}
