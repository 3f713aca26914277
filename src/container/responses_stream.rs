//! Streams of the responses interface: events, or their data alone on a line each.
//!
//! ```text
//! stream = response.created response.in_progress item* (response.completed | .failed | .incomplete)
//! item   = response.output_item.added delta* response.output_item.done
//! delta  = response.output_text.delta | .reasoning_summary_text.delta | .function_call_arguments.delta | …
//! ```
//!
//! What has come in deltas is said again in `….done`, in the item and in the response; it is taken once. An item that
//! had no deltas is taken when it is done. Events are numbered, which shows those that come twice or out of order.

use std::collections::BTreeSet;

use super::call::CallText;
use super::fragment::Fragment;
use super::items::ResponseItems;
use super::json::{JsonKind, JsonValue};
use super::parts::OpenParts;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, FileHead, FormatReader, Interpretation, JsonRecord, Message, MessagePart,
    MessageRole, RecordReader,
};
use crate::diagnostic::Code;
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "openai-responses-stream",
    title: "a stream of a response",
    claims,
    calls: CallSource::Either,
    open: FormatReader::records::<Stream>,
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
    open: bool,
    calls: Vec<String>,
    /// Numbers of the items that have come in deltas.
    told: Vec<u64>,
    any: bool,
    /// The highest number of an event, and those below it that have not come.
    last: Option<u64>,
    missing: BTreeSet<u64>,
}

/// Most events of which it is remembered that they are missing.
const MOST_MISSING: usize = 1000;

/// How deltas are put together, by the type of their event.
enum Delta {
    Words(MessagePart),
    /// A stretch of the string that holds the arguments.
    Arguments,
}

fn delta(kind: &str) -> Option<Delta> {
    match kind {
        "response.output_text.delta" | "response.refusal.delta" => {
            Some(Delta::Words(MessagePart::Text(Interpretation::Parsed)))
        }
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            Some(Delta::Words(MessagePart::Reasoning))
        }
        "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => Some(Delta::Arguments),
        _ => None,
    }
}

impl Stream {
    fn begin(&mut self, out: &mut TextWriter) {
        if !std::mem::replace(&mut self.open, true) {
            out.message(Message { role: Some(MessageRole::Assistant), ..self.about.clone() });
        }
    }

    fn response(&mut self, event: JsonValue<'_>) {
        if let Some(response) = event.get("response") {
            self.about = Message {
                time: response.words_of("created_at"),
                model: response.words_of("model"),
                id: response.words_of("id"),
                ..Message::default()
            };
        }
    }

    /// Whether the event is one to be taken: each number counts once.
    fn in_turn(&mut self, event: JsonValue<'_>, out: &mut TextWriter) -> bool {
        let Some(number) = event.number_of("sequence_number") else { return true };
        if event.says("type", "response.created") {
            // Another response counts anew.
            self.last = Some(number);
            self.missing.clear();
            return true;
        }
        match self.last {
            Some(last) if number > last => self.missing.extend((last + 1..number).take(MOST_MISSING)),
            Some(last) if !self.missing.remove(&number) => {
                let message = format!("event {number} comes twice, now behind event {last}; it is taken once");
                out.problem(Code::DuplicateRecord, event.source(), message);
                return false;
            }
            Some(last) => {
                let message = format!("event {number} comes behind event {last}; it is shown there");
                out.problem(Code::RecordOutOfOrder, event.source(), message);
                return true;
            }
            None => {}
        }
        self.last = Some(number);
        true
    }

    fn delta(&mut self, kind: Delta, event: JsonValue<'_>, out: &mut TextWriter) {
        let Some(words) = event.string_of("delta") else { return };
        self.begin(out);
        let item = event.number_of("output_index").unwrap_or_default();
        self.told.push(item);
        let mut fragment = Fragment::default();
        let key = match kind {
            Delta::Words(piece) => {
                let part = ["content_index", "summary_index"].iter().find_map(|key| event.number_of(key));
                let key = format!("{item}/{}", part.unwrap_or_default());
                if !self.parts.has(&key) {
                    self.parts.open(&key, piece, out);
                }
                fragment.say(words);
                key
            }
            Delta::Arguments => {
                fragment.content(words);
                item.to_string()
            }
        };
        self.parts.delta(&key, &fragment, event, out);
    }

    /// An item begins: of a call all but its arguments is known.
    fn added(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let Some(item) = event.get("item") else { return };
        let number = event.number_of("output_index").unwrap_or_default();
        let Some(kind) = item.get("type") else { return };
        let input = match kind.text().as_deref() {
            Some("function_call") => ",\"arguments\":\"",
            Some("custom_tool_call") => ",\"input\":\"",
            _ => return,
        };
        self.begin(out);
        let key = number.to_string();
        let at = item.source().start;
        let mut head = CallText::default();
        head.text.add("{\"type\":", at);
        head.text.stand(kind);
        if let Some(id) = item.get("call_id") {
            head.text.add(",\"call_id\":", id.source().start);
            head.id(Some(id), at);
        }
        if let Some(name) = item.get("name") {
            head.text.add(",\"name\":", name.source().start);
            head.name(Some(name), "", at);
        }
        head.text.add(input, item.source().end);
        self.parts.open_call(&key, &head, out);
        self.calls.push(key);
    }

    fn done(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let Some(item) = event.get("item") else { return };
        let number = event.number_of("output_index").unwrap_or_default();
        let key = number.to_string();
        self.any = true;
        let told = self.told.contains(&number);
        self.told.retain(|known| *known != number);
        if let Some(index) = self.calls.iter().position(|known| *known == key) {
            self.calls.remove(index);
            let mut tail = Fragment::default();
            let input = item.first_of(&["arguments", "input"]);
            if let Some(input) = input.filter(|input| !told && input.kind() == JsonKind::Text) {
                tail.content(input);
            }
            tail.add("\"}", item.source().end);
            self.parts.write(&key, &tail, out);
        } else if !told {
            self.begin(out);
            self.parts.close_all(out);
            self.items.go_on(MessageRole::Assistant);
            self.items.take(item, &self.about, out);
        }
        self.parts.close(&key, out);
        for part in 0..8 {
            self.parts.close(&format!("{number}/{part}"), out);
        }
    }

    fn end(&mut self, at: usize, out: &mut TextWriter) {
        if std::mem::take(&mut self.open) {
            out.problem(Code::StreamCutOff, Span::at(at), "the stream ends before its response does");
        }
        self.calls.clear();
        self.parts.close_all(out);
    }
}

impl RecordReader for Stream {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let event = record.value;
        if !self.in_turn(event, out) {
            return;
        }
        let kind = event.text_of("type").unwrap_or_default();
        if let Some(delta) = delta(&kind) {
            self.delta(delta, event, out);
            return;
        }
        match kind.as_ref() {
            "response.created" => {
                self.end(event.source().start, out);
                self.any = false;
                self.response(event);
            }
            "response.output_item.added" => self.added(event, out),
            "response.output_item.done" => self.done(event, out),
            "response.completed" | "response.failed" | "response.incomplete" => {
                self.response(event);
                self.calls.clear();
                self.parts.close_all(out);
                if !self.any {
                    self.begin(out);
                    self.items.go_on(MessageRole::Assistant);
                    for item in event.path(&["response", "output"]).into_iter().flat_map(|items| items.items()) {
                        self.items.take(item, &self.about, out);
                    }
                }
                if kind != "response.completed" {
                    self.begin(out);
                    out.envelope(&kind, event);
                }
                self.open = false;
                self.any = false;
            }
            "error" | "response.error" => self.parts.stand("error", event, out),
            // The same once more, or how a call of the provider's own tools goes.
            kind if kind.starts_with("response.") => {}
            kind => self.parts.unknown("event", kind, event, event, out),
        }
    }

    fn aside(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.parts.whole(piece, fragment.clone(), out);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.end(at, out);
    }
}
