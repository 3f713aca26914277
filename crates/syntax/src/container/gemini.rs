//! Requests, answers and conversations of the Gemini API, in JSON, JSON lines or arrays.
//!
//! | record | members |
//! |---|---|
//! | a request | `contents` or `history`: contents; `systemInstruction`, `model` |
//! | an answer | `candidates: [{content, finishReason}]`, `modelVersion`, `responseId` |
//! | a content | `role` (`user`, `model`, `function`; `user` if missing), `parts` |
//! | a line of a batch | `request`, `response` |
//!
//! Ids are rare: a response answers the first call of the turn before that has its name and no response yet, and never
//! a call of an earlier turn.

pub(super) mod arguments;
pub(super) mod parts;
pub(super) mod stream;

use std::collections::{HashMap, HashSet, VecDeque};

use super::facts::Origin;
use super::json::{JsonKind, JsonValue};
use super::messages::unknown;
use super::prompt_history::PromptHistory;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord,
    Message, MessagePart, MessageRole, RecordReader, ToolResult,
};
use parts::{GeminiPart, code_result, member, parts, response};
use stream::{GeminiAnswers, first_candidate};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "gemini",
    title: "Gemini requests and answers",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Gemini> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let record = if value.kind() == JsonKind::Array { value.items().next()? } else { value };
    for inner in ["request", "response"].iter().filter_map(|key| record.get(key)) {
        if contents(inner).is_some() || first_candidate(inner).is_some() {
            return Some(Claim::Sure("it is an object with a request or a response of this interface"));
        }
    }
    if contents(record).is_some() {
        return Some(Claim::Sure("it is an object with contents that have parts"));
    }
    if is_content(record) {
        return Some(Claim::Sure("it is a list of contents with parts"));
    }
    if member(record, "promptFeedback").is_some_and(|feedback| member(feedback, "blockReason").is_some()) {
        return Some(Claim::Sure("it is an answer with promptFeedback"));
    }
    let candidate = first_candidate(record)?;
    let is_whole = member(candidate, "finishReason").is_some();
    is_whole.then_some(Claim::Sure("it is an object with candidates that are finished"))
}

/// The contents of a request.
fn contents(value: JsonValue<'_>) -> Option<JsonValue<'_>> {
    let contents = ["contents", "history"].iter().find_map(|key| value.get(key))?;
    let first = if contents.kind() == JsonKind::Array { contents.items().next()? } else { contents };
    is_content(first).then_some(contents)
}

/// True if a value is a content: its parts have no `type`.
fn is_content(value: JsonValue<'_>) -> bool {
    let role = value.text_of("role");
    let is_known = role.as_deref().is_none_or(|role| matches!(role, "user" | "model" | "function" | "system"));
    let Some(list) = value.get("parts").filter(|_| is_known) else { return false };
    list.kind() != JsonKind::Word && parts(list).all(|part| part.get("type").is_none()) && parts(list).next().is_some()
}

/// Calls of the model's last turn that have no response yet.
#[derive(Debug, Default)]
struct WaitingCalls {
    /// Id and offset of each call by name; some of them may have their response.
    by_name: HashMap<Box<str>, VecDeque<WaitingCall>>,
    /// Ids of the calls without a response.
    ids: HashSet<Box<str>>,
}

type WaitingCall = (Option<Box<str>>, usize);

impl WaitingCalls {
    fn add(&mut self, call: JsonValue<'_>, start: usize) {
        let id = call.words_of("id");
        self.ids.extend(id.clone());
        if let Some(name) = tool_of(call) {
            self.by_name.entry(name).or_default().push_back((id, start));
        }
    }

    /// Offset of the call that a response without a known id answers.
    fn take(&mut self, response: JsonValue<'_>) -> Option<usize> {
        let waiting = self.by_name.get_mut(&tool_of(response)?)?;
        let has_id = response.words_of("id").is_some();
        while let Some((id, start)) = waiting.pop_front() {
            match id {
                Some(id) if !self.ids.contains(&id) => {}
                Some(id) if has_id => {
                    waiting.push_front((Some(id), start));
                    return None;
                }
                Some(id) => {
                    self.ids.remove(&id);
                    return Some(start);
                }
                None => return Some(start),
            }
        }
        None
    }
}

/// The name of a function, or of a tool of the provider.
fn tool_of(value: JsonValue<'_>) -> Option<Box<str>> {
    value.get("name").or_else(|| member(value, "toolType")).and_then(JsonValue::scalar_text)
}

#[derive(Default)]
struct Gemini {
    answers: GeminiAnswers,
    calls: WaitingCalls,
    /// True if the last content was the model's.
    is_model: bool,
    code: Option<usize>,
    repeated: PromptHistory,
}

impl Gemini {
    fn value(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        if value.kind() == JsonKind::Array {
            self.begin_conversation(value, None, out);
            return value.items().for_each(|item| self.value(item, out));
        }
        let inner: Vec<JsonValue<'_>> =
            ["request", "response"].iter().filter_map(|key| value.get(key)).filter(|inner| !inner.is_void()).collect();
        if !inner.is_empty() {
            self.begin_conversation(value, value.first_of(&["key", "custom_id"]), out);
            for inner in inner {
                match contents(inner) {
                    Some(contents) => self.request(inner, contents, out),
                    None => self.value(inner, out),
                }
            }
            return;
        }
        if let Some(contents) = contents(value) {
            self.begin_conversation(value, None, out);
            return self.request(value, contents, out);
        }
        self.answers.close(value.source().start, out);
        if is_content(value) {
            self.content(value, None, Origin::Unsaid, out);
        } else {
            self.forget();
            self.answers.chunk(value, out);
        }
    }

    fn begin_conversation(&mut self, record: JsonValue<'_>, title: Option<JsonValue<'_>>, out: &mut TextWriter) {
        self.answers.close(record.source().start, out);
        self.forget();
        out.conversation(title.and_then(JsonValue::scalar_text));
    }

    fn forget(&mut self) {
        self.calls = WaitingCalls::default();
        self.is_model = false;
        self.code = None;
    }

    fn request(&mut self, request: JsonValue<'_>, contents: JsonValue<'_>, out: &mut TextWriter) {
        if let Some(system) = member(request, "systemInstruction") {
            out.message(Message::from_role(MessageRole::System));
            match system.kind() {
                JsonKind::Text => out.write_part(MessagePart::Text(Interpretation::Shown), system),
                _ => parts(system).for_each(|part| self.part(part, MessageRole::System, out)),
            }
        }
        let model = request.words_of("model");
        self.repeated.begin();
        let mut content = |content, out: &mut TextWriter| {
            let origin = self.repeated.origin(content);
            self.content(content, model.as_deref(), origin, out);
        };
        match contents.kind() {
            JsonKind::Array => contents.items().for_each(|one| content(one, out)),
            _ => content(contents, out),
        }
    }

    fn content(&mut self, content: JsonValue<'_>, model: Option<&str>, origin: Origin, out: &mut TextWriter) {
        let role = content.text_of("role").and_then(|role| MessageRole::named(&role)).unwrap_or(MessageRole::User);
        let is_model = role == MessageRole::Assistant;
        if is_model && !self.is_model {
            self.calls = WaitingCalls::default();
        }
        self.is_model = is_model;
        let is_result = |part| matches!(GeminiPart::new(part), GeminiPart::Response(_));
        let results = parts(content).next().is_some() && parts(content).all(is_result);
        let role = if results { MessageRole::Tool } else { role };
        let model = model.filter(|_| is_model).map(Box::from);
        out.message(Message { model, origin, ..Message::from_role(role) });
        parts(content).for_each(|part| self.part(part, role, out));
    }

    fn part(&mut self, part: JsonValue<'_>, role: MessageRole, out: &mut TextWriter) {
        let parsed = GeminiPart::new(part);
        match parsed {
            GeminiPart::Response(value) => self.response(value, out),
            GeminiPart::CodeResult(value) => {
                let (verdict, text) = code_result(value);
                out.event(ContainerEvent::Answers(self.code.take()));
                out.piece(MessagePart::Result(ToolResult { call: None, outcome: verdict }), &text);
            }
            GeminiPart::Unknown => unknown(part, out),
            _ => {
                let Some((piece, text)) = parsed.piece(Interpretation::from_role(Some(role))) else { return };
                let start = out.begin(piece);
                out.write(&text);
                out.end();
                match parsed {
                    GeminiPart::Code(_) => self.code = Some(start),
                    GeminiPart::Call(call) => self.calls.add(call, start),
                    _ => {}
                }
            }
        }
    }

    fn response(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let id = value.words_of("id");
        let is_known = id.as_ref().is_some_and(|id| self.calls.ids.remove(id));
        let found = if is_known { None } else { self.calls.take(value) };
        let (verdict, text) = response(value);
        if found.is_some() || id.is_none() {
            out.event(ContainerEvent::Answers(found));
        }
        out.piece(MessagePart::Result(ToolResult { call: id.filter(|_| found.is_none()), outcome: verdict }), &text);
    }
}

impl RecordReader for Gemini {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        self.value(record.value, out);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.answers.close(at, out);
    }
}
