//! Streams of the chat completions API: server-sent events, or their data as one JSON value a line.
//!
//! ```text
//! chunk = {id, model, created, choices: [{index, delta, finish_reason}], usage}
//! delta = {role, content, reasoning_content, refusal, tool_calls: [{index, id, function: {name, arguments}}]}
//! ```
//!
//! Id and name of a call are in its first delta; some providers send a complete call in one delta. The arguments are
//! a string, and each delta is the next part of its escaped form, so they are joined as written. Choices are
//! alternatives, each a separate message.
//!
//! A chunk with another id begins another response, unless the provider gives each chunk an id: then a response
//! begins after the end of the one before, with another model, or with a delta that repeats its role. The last token
//! counts are used; a chunk without choices may have them.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::answer;
use super::call::{self, CallText};
use super::choices::Choices;
use super::facts::{Fact, RequestFacts};
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages::time_words;
use super::parts::OpenParts;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::diagnostic::Code;
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "openai-chat-stream",
    title: "a stream of chat completions",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Stream> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let chunk = head.record()?;
    let is_named = chunk.is_string("object", "chat.completion.chunk");
    let choices = chunk.get("choices").filter(|choices| choices.kind() == JsonKind::Array);
    let has_delta = choices.is_some_and(|choices| match choices.items().next() {
        Some(first) => first.get("delta").is_some(),
        // One provider begins with the results of its content filters.
        None => chunk.get("prompt_filter_results").is_some(),
    });
    (is_named || has_delta).then_some(Claim::Sure("it has chunks of choices with a delta"))
}

/// Known members of a delta, some of which are ignored.
const KNOWN: [&str; 17] = [
    "role",
    "content",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "tool_calls",
    "function_call",
    "executed_tools",
    "audio",
    "annotations",
    "citations",
    "name",
    "provider_specific_fields",
    "thinking_blocks",
    "token_ids",
    "phase",
];

/// Members that a chunk without choices may have: counts and other metadata.
const COUNTS: [&str; 4] = ["usage", "x_groq", "prompt_filter_results", "obfuscation"];

/// State of the arguments of an open call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arguments {
    Waiting,
    Text,
    Whole,
}

#[derive(Debug)]
struct OpenCall {
    id: Option<Box<str>>,
    arguments: Arguments,
    /// The member that holds its arguments.
    member: &'static str,
    /// Closing text after the arguments.
    end: &'static str,
}

/// A choice of a response.
#[derive(Debug, Default)]
struct Answer {
    parts: OpenParts,
    /// Open calls by the keys of their parts, with their state.
    calls: BTreeMap<String, OpenCall>,
    /// Key of the open text.
    text: Option<&'static str>,
    /// Indices of the tools that the provider ran itself, and whether each has a result.
    executed: HashMap<u64, bool>,
    /// Unknown members that were already reported.
    unknown: HashSet<String>,
}

impl Answer {
    /// Continues the open text, or begins another one.
    fn write_text(&mut self, key: &'static str, piece: MessagePart, words: JsonValue<'_>, out: &mut TextWriter) {
        if words.kind() != JsonKind::Text || words.is_void() {
            return;
        }
        if self.text != Some(key) {
            self.close_text(out);
            self.parts.open(key, piece, out);
            self.text = Some(key);
        }
        self.parts.write(key, &Fragment::from_value(words), out);
    }

    fn set_role(&mut self, words: JsonValue<'_>, out: &mut TextWriter) {
        self.write_text("text", MessagePart::Text(Interpretation::Parsed), words, out);
    }

    fn think(&mut self, words: JsonValue<'_>, out: &mut TextWriter) {
        self.write_text("reasoning", MessagePart::Reasoning, words, out);
    }

    fn close_text(&mut self, out: &mut TextWriter) {
        if let Some(key) = self.text.take() {
            self.parts.close(key, out);
        }
    }

    fn delta(&mut self, delta: JsonValue<'_>, out: &mut TextWriter) {
        // Some providers repeat the same text under both names.
        if let Some(words) = delta.first_filled(&["reasoning_content", "reasoning"]) {
            self.think(words, out);
        } else {
            for detail in delta.get("reasoning_details").into_iter().flat_map(|details| details.items()) {
                detail.first_of(&["text", "summary"]).into_iter().for_each(|words| self.think(words, out));
            }
        }
        if let Some(content) = delta.get("content") {
            self.content(content, out);
        }
        for words in [delta.get("refusal"), delta.path(&["audio", "transcript"])].into_iter().flatten() {
            self.set_role(words, out);
        }
        for call in delta.get("tool_calls").into_iter().flat_map(|calls| calls.items()) {
            self.call(&call.number_of("index").unwrap_or_default().to_string(), call, out);
        }
        if let Some(call) = delta.get("function_call").filter(|call| call.kind() == JsonKind::Object) {
            self.call("function", call, out);
        }
        for tool in delta.get("executed_tools").into_iter().flat_map(|tools| tools.items()) {
            self.executed(tool, out);
        }
        for key in ["annotations", "citations"] {
            if let Some(sources) = delta.get(key).filter(|sources| !sources.is_void()) {
                self.parts.show_raw(key, sources, out);
            }
        }
        for member in delta.items().filter(|member| !member.is_void()) {
            let key = member.key();
            if !KNOWN.contains(&key.as_ref()) && self.unknown.insert(key.clone().into_owned()) {
                self.close_text(out);
                self.parts.unknown("member of a delta", &key, member, member, out);
            }
        }
    }

    /// A text, or a list of parts with texts.
    fn content(&mut self, content: JsonValue<'_>, out: &mut TextWriter) {
        if content.kind() == JsonKind::Text {
            return self.set_role(content, out);
        }
        for part in content.items() {
            let kind = part.text_of("type").unwrap_or_default();
            match (kind.as_ref(), part.get("text"), part.get("thinking")) {
                ("text", Some(words), _) => self.set_role(words, out),
                ("thinking", _, Some(thought)) if thought.kind() == JsonKind::Array => {
                    thought.items().filter_map(|part| part.get("text")).for_each(|words| self.think(words, out));
                }
                ("thinking", _, Some(thought)) => self.think(thought, out),
                ("reference", ..) => {
                    self.close_text(out);
                    self.parts.show_raw("reference", part, out);
                }
                _ => {
                    self.close_text(out);
                    self.parts.unknown("part", &kind, part, part, out);
                }
            }
        }
    }

    fn call(&mut self, key: &str, call: JsonValue<'_>, out: &mut TextWriter) {
        let function = call.first_filled(&["function", "custom"]).unwrap_or(call);
        let name = function.get("name").filter(|name| !name.is_void());
        let id = call.words_of("id");
        // A provider that sends each call complete may give all of them the same index.
        let is_another = |known: &OpenCall| name.is_some() && id.is_some() && known.id != id;
        if self.calls.get(key).is_some_and(is_another)
            && let Some(call) = self.calls.remove(key)
        {
            self.end_call(key, &call, function.source().start, out);
        }
        let is_known = self.calls.contains_key(key);
        let arguments = function.first_of(&["arguments", "input"]);
        let arguments = arguments.filter(|arguments| arguments.kind() != JsonKind::Word);
        if !is_known && name.is_none() && id.is_none() && arguments.is_none_or(|arguments| arguments.is_void()) {
            // An empty slot of the list.
            return;
        }
        if !is_known {
            self.open_call(key, call, function, out);
        }
        let Some((arguments, open)) = arguments.zip(self.calls.get_mut(key)) else { return };
        let mut fragment = Fragment::default();
        let at = arguments.source().start;
        match (open.arguments, arguments.kind()) {
            (Arguments::Whole, _) => return,
            (Arguments::Waiting, JsonKind::Text) => {
                fragment.push_synthetic(&format!(",\"{}\":\"", open.member), at);
                fragment.content(arguments);
                open.arguments = Arguments::Text;
            }
            (Arguments::Waiting, _) => {
                fragment.push_synthetic(&format!(",\"{}\":", open.member), at);
                fragment.push_verbatim(arguments);
                open.arguments = Arguments::Whole;
            }
            (Arguments::Text, _) => fragment.content(arguments),
        }
        self.parts.write(key, &fragment, out);
    }

    fn open_call(&mut self, key: &str, call: JsonValue<'_>, function: JsonValue<'_>, out: &mut TextWriter) {
        let start = call.source().start;
        self.close_text(out);
        let mut head = CallText::default();
        head.text.push_synthetic("{", start);
        if let Some(id) = call.string_of("id") {
            head.text.push_synthetic("\"id\":", id.source().start);
            let end = head.id(Some(id), start);
            head.text.push_synthetic(",", end);
        }
        let is_custom = call.is_string("type", "custom");
        let (words, member, end) = if is_custom {
            ("\"type\":\"custom_tool_call\",\"name\":", "input", "}")
        } else {
            ("\"type\":\"function\",\"function\":{\"name\":", "arguments", "}}")
        };
        head.text.push_synthetic(words, start);
        head.name(function.get("name"), "", start);
        self.parts.open_call(key, &head, out);
        let id = call.words_of("id");
        self.calls.insert(key.into(), OpenCall { id, arguments: Arguments::Waiting, member, end });
    }

    /// Ends a call; `at` is an offset in the file.
    fn end_call(&mut self, key: &str, call: &OpenCall, at: usize, out: &mut TextWriter) {
        let mut tail = Fragment::default();
        match call.arguments {
            Arguments::Waiting => tail.push_synthetic(&format!(",\"{}\":\"\"", call.member), at),
            Arguments::Text => tail.push_synthetic("\"", at),
            Arguments::Whole => {}
        }
        tail.push_synthetic(call.end, at);
        self.parts.write(key, &tail, out);
        self.parts.close(key, out);
    }

    /// A tool that the provider ran itself: first its call, later the same again with its result.
    fn executed(&mut self, tool: JsonValue<'_>, out: &mut TextWriter) {
        let number = tool.number_of("index").unwrap_or_default();
        if !self.executed.contains_key(&number) {
            self.close_text(out);
            let call = call::executed(tool);
            self.parts.whole(call.part(None), call.text, out);
        }
        let has_answered = self.executed.entry(number).or_default();
        if let Some(output) = tool.get("output").filter(|output| !output.is_void() && !*has_answered) {
            *has_answered = true;
            self.close_text(out);
            let result = MessagePart::Result(ToolResult::new(None, None));
            self.parts.whole(result, Fragment::from_value(output), out);
        }
    }

    /// Ends the answer of the model.
    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.text = None;
        for (key, call) in std::mem::take(&mut self.calls) {
            self.end_call(&key, &call, at, out);
        }
        self.parts.close_all(out);
    }
}

#[derive(Default)]
struct Stream {
    choices: Choices<Answer>,
    about: Message,
    /// The request that the open response answers, until it is stated.
    request: Option<RequestFacts>,
    state: ResponseState,
    /// True if a chunk of the response had the id of the one before it.
    has_own_id: bool,
    /// True if the response has any content.
    has_spoken: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ResponseState {
    /// No response has begun yet.
    #[default]
    Awaited,
    /// A response has begun and not ended.
    Open,
    /// The stream has sent its end marker.
    Done,
}

impl Stream {
    fn begin(&mut self, chunk: JsonValue<'_>, choices: JsonValue<'_>, out: &mut TextWriter) {
        let id = chunk.words_of("id");
        let deltas = || choices.items().filter_map(|choice| choice.get("delta"));
        let speaks = deltas().any(|delta| delta.items().any(|item| item.key() != "role" && !item.is_void()));
        if self.state != ResponseState::Open || self.begins_another(id.as_deref(), speaks, chunk, choices) {
            self.end(chunk.source().start, out);
            self.state = ResponseState::Open;
            self.has_own_id = false;
            self.about = Message {
                role: Some(MessageRole::Assistant),
                time: chunk.get("created").filter(|time| time.raw() != b"0").and_then(time_words),
                model: chunk.words_of("model"),
                id,
                ..Message::default()
            };
        } else if id.is_some() && id == self.about.id {
            self.has_own_id = true;
        }
        self.has_spoken |= speaks;
    }

    /// True if a chunk is the first of another response.
    fn begins_another(&self, id: Option<&str>, speaks: bool, chunk: JsonValue<'_>, choices: JsonValue<'_>) -> bool {
        let has_role =
            choices.items().any(|choice| choice.path(&["delta", "role"]).is_some_and(|role| !role.is_void()));
        let is_new = |choice: JsonValue<'_>| !self.choices.has(choice.number_of("index").unwrap_or_default());
        let is_same_id = id.is_none() || self.about.id.is_none() || id == self.about.id.as_deref();
        if is_same_id {
            return self.choices.are_over() && has_role && speaks && !choices.items().any(is_new);
        }
        let model = chunk.words_of("model");
        let is_same_model = model.is_none() || self.about.model.is_none() || model == self.about.model;
        if self.choices.are_over() {
            return speaks || has_role;
        }
        self.has_own_id || !is_same_model || (has_role && self.has_spoken)
    }

    fn end(&mut self, at: usize, out: &mut TextWriter) {
        if std::mem::take(&mut self.state) != ResponseState::Awaited && !self.choices.are_over() {
            out.problem(Code::StreamCutOff, Span::at(at), "the stream ends before the message is complete");
        }
        self.choices.end(out, |answer, out| answer.parts.close_all(out));
        if let Some(request) = self.request.take() {
            out.fact(Fact::Request(request));
        }
        self.has_spoken = false;
    }

    /// Takes the choices of a chunk.
    fn take(&mut self, chunk: JsonValue<'_>, out: &mut TextWriter) {
        let Some(choices) = chunk.get("choices").filter(|choices| choices.kind() == JsonKind::Array) else {
            if chunk.get("error").is_none() && !COUNTS.iter().any(|key| chunk.get(key).is_some()) {
                self.stray("chunk", chunk, "unknown chunk; shown raw", out);
            }
            return;
        };
        if choices.items().next().is_some() {
            self.begin(chunk, choices, out);
        }
        for choice in choices.items() {
            let number = choice.number_of("index").unwrap_or_default();
            let delta = choice.get("delta").filter(|delta| delta.kind() == JsonKind::Object);
            // A complete answer instead of a delta, or one of another API.
            if delta.is_none()
                && (choice.kind() != JsonKind::Object || choice.first_filled(&["message", "text"]).is_some())
            {
                self.stray("choice", choice, "choice without a delta; shown raw", out);
                continue;
            }
            let has_ended = choice.get("finish_reason").is_some_and(|reason| reason.kind() == JsonKind::Text);
            match (self.choices.writing(number, &self.about, out), delta) {
                (Some((answer, out)), delta) => {
                    if let Some(delta) = delta {
                        answer.delta(delta, out);
                    }
                    if has_ended {
                        answer.finish(choice.source().end, out);
                    }
                }
                (None, Some(delta)) if !delta.items().all(|member| member.key() == "role" || member.is_void()) => {
                    self.stray("choice", choice, "chunk for a choice that has ended; shown raw", out);
                }
                (None, _) => {}
            }
            if has_ended {
                self.choices.finish(number, out);
            }
        }
    }

    /// Shows a part of a chunk raw, and reports it.
    fn stray(&mut self, name: &str, value: JsonValue<'_>, message: &str, out: &mut TextWriter) {
        self.beside(out, |parts, out| {
            out.problem(Code::UnknownRecord, value.source(), message);
            parts.show_raw(name, value, out);
        });
    }

    /// Writes something that belongs to no choice, or to a finished one.
    fn beside(&mut self, out: &mut TextWriter, say: impl FnOnce(&mut OpenParts, &mut TextWriter)) {
        match self.choices.live() {
            Some(answer) => {
                answer.close_text(out);
                say(&mut answer.parts, out);
            }
            None => say(&mut OpenParts::default(), out),
        }
    }
}

impl RecordReader for Stream {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let chunk = record.value;
        if chunk.first_filled(&["error"]).is_some() {
            self.beside(out, |parts, out| parts.show_raw("error", chunk, out));
        }
        self.take(chunk, out);
        // Chunks without choices belong to the response before them.
        if self.state != ResponseState::Awaited {
            let known = self.request.take().unwrap_or_default();
            self.request = Some(answer::merged(known, answer::openai(chunk)));
        }
    }

    fn done(&mut self, out: &mut TextWriter) {
        if self.state == ResponseState::Open {
            self.state = ResponseState::Done;
        }
        if let Some(request) = self.request.take().filter(|_| self.choices.are_over()) {
            out.fact(Fact::Request(request));
        }
    }

    fn between_records(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.beside(out, |parts, out| parts.whole(piece, fragment.clone(), out));
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.end(at, out);
    }
}
