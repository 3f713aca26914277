//! The messages of a span: input and output of the model, in each of the conventions.
//!
//! | convention | input, output |
//! |---|---|
//! | attributes | `gen_ai.system_instructions`, `gen_ai.input.messages`, `gen_ai.output.messages` |
//! | events | the same as attributes of `gen_ai.client.inference.operation.details` |
//! | older events | `gen_ai.{system,user,assistant,tool}.message`, `gen_ai.choice` |
//! | `OpenLLMetry` | `gen_ai.prompt.N.…`, `gen_ai.completion.N.…` |
//! | `OpenInference` | `llm.input_messages.N.message.…`, `llm.output_messages.N.message.…` |
//! | the AI SDK | `ai.prompt.messages` or `ai.prompt`, `ai.response.{text,reasoning,object,toolCalls}` |
//!
//! A message is `{role, parts, finish_reason}`; in the older conventions it is one of chat completions. If a span has
//! its messages in several conventions, the first one counts.

use super::super::bedrock;
use super::super::fragment::Fragment;
use super::super::items::made_call;
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::{self, described, parts_of, result, standing_in, unknown};
use super::super::writer::TextWriter;
use super::super::{Message, MessagePart, MessageRole, ToolResult};
use super::history::{Copies, History};
use super::tree::{AI_SDK_ANSWER, AttributeTree};
use crate::diagnostic::{Code, Severity};

/// The event whose attributes are the messages of a model call.
const DETAILS: &str = "gen_ai.client.inference.operation.details";

/// Events that are one message each, with its role.
const SPOKEN: [(&str, MessageRole); 6] = [
    ("gen_ai.system.message", MessageRole::System),
    ("gen_ai.system.instruction", MessageRole::System),
    ("gen_ai.user.message", MessageRole::User),
    ("gen_ai.assistant.message", MessageRole::Assistant),
    ("gen_ai.tool.message", MessageRole::Tool),
    (CHOICE, MessageRole::Assistant),
];

const CHOICE: &str = "gen_ai.choice";

/// Events that hold all input messages, or all output messages.
const CONTENTS: [&str; 2] = ["gen_ai.content.prompt", "gen_ai.content.completion"];

/// Members of the arguments of a call in versions of the AI SDK.
const AI_SDK_INPUT: [&str; 2] = ["input", "args"];

/// Members of a message that are not content.
const ASIDES: [&str; 9] = ["role", "id", "name", "index", "finish_reason", "gen_ai", "event", "tool_call_id", "type"];

/// Finish reasons that mean that the answer is not the model's own text.
const STOPPED: [&str; 2] = ["content_filter", "error"];

/// An event of a span.
#[derive(Debug)]
pub(in crate::container) struct SpanEvent {
    pub(in crate::container) name: Box<str>,
    pub(in crate::container) time: Option<Box<str>>,
    pub(in crate::container) attributes: AttributeTree,
}

impl SpanEvent {
    /// True if the content of an event with this name is known.
    pub(in crate::container) fn is_known(name: &str) -> bool {
        name == DETAILS || CONTENTS.contains(&name) || SPOKEN.iter().any(|(known, _)| *known == name)
    }

    /// The value under a key of the first event with this name that has it.
    pub(in crate::container) fn value<'a>(events: &'a [SpanEvent], name: &str, key: &str) -> Option<JsonValue<'a>> {
        events.iter().filter(|event| &*event.name == name).find_map(|event| event.attributes.get(key))
    }

    /// The message of an event: JSON text in one attribute, or the attributes themselves.
    fn body(&self) -> Option<JsonValue<'_>> {
        let wrapped = self.attributes.get("gen_ai.event.content").filter(|body| body.kind() == JsonKind::Object);
        wrapped.or_else(|| self.attributes.root())
    }
}

/// Properties of a span that apply to its messages.
#[derive(Clone, Debug, Default)]
pub(in crate::container) struct SpanAbout {
    pub(in crate::container) ended: Option<Box<str>>,
    pub(in crate::container) model: Option<Box<str>>,
}

/// The messages of a span, each as a value of the record.
#[derive(Debug, Default)]
pub(in crate::container) struct SpanMessages<'a> {
    instructions: Option<JsonValue<'a>>,
    given: Vec<Spoken<'a>>,
    answered: Vec<Spoken<'a>>,
}

/// A message, or a list of them, and properties known from elsewhere.
#[derive(Debug)]
struct Spoken<'a> {
    value: JsonValue<'a>,
    about: Message,
    /// Offsets in the record of calls that were shown before.
    shown: Vec<usize>,
}

impl<'a> Spoken<'a> {
    fn new(value: JsonValue<'a>, about: Message) -> Self {
        Self { value, about, shown: Vec::new() }
    }
}

impl<'a> SpanMessages<'a> {
    /// The messages in these attributes and events.
    pub(in crate::container) fn new(attributes: &'a AttributeTree, events: &'a [SpanEvent], span: &SpanAbout) -> Self {
        let either = |key: &str| attributes.get(key).or_else(|| SpanEvent::value(events, DETAILS, key));
        let spoken = |is_answer: bool| -> Vec<Spoken<'a>> {
            let named = events.iter().filter(|event| (&*event.name == CHOICE) == is_answer);
            named.filter_map(|event| event_message(event, span)).collect()
        };
        let listed = |value: Option<JsonValue<'a>>, role: MessageRole| -> Vec<Spoken<'a>> {
            let is_answer = role == MessageRole::Assistant;
            let time = span.ended.clone().filter(|_| is_answer);
            let model = span.model.clone().filter(|_| is_answer);
            let about = Message { time, model, ..Message::from_role(role) };
            value.into_iter().map(|value| Spoken::new(value, about.clone())).collect()
        };
        let (user, model) = (MessageRole::User, MessageRole::Assistant);
        let first = |ways: [Vec<Spoken<'a>>; 6]| ways.into_iter().find(|way| !way.is_empty()).unwrap_or_default();
        Self {
            instructions: either("gen_ai.system_instructions").or_else(|| attributes.get("ai.prompt.system")),
            given: first([
                listed(either("gen_ai.input.messages"), user),
                spoken(false),
                listed(attributes.get("gen_ai.prompt"), user),
                listed(SpanEvent::value(events, CONTENTS[0], "gen_ai.prompt"), user),
                listed(attributes.get("llm.input_messages"), user),
                listed(["ai.prompt.messages", "ai.prompt.prompt"].iter().find_map(|key| attributes.get(key)), user),
            ]),
            answered: first([
                listed(either("gen_ai.output.messages"), model),
                spoken(true),
                listed(attributes.get("gen_ai.completion"), model),
                listed(SpanEvent::value(events, CONTENTS[1], "gen_ai.completion"), model),
                listed(attributes.get("llm.output_messages"), model),
                listed(attributes.get(AI_SDK_ANSWER), model),
            ]),
        }
    }

    /// The given lists of messages, input and output of the model, each with what is known about its messages.
    pub(in crate::container) fn listed(
        given: Option<(JsonValue<'a>, Message)>,
        answered: Option<(JsonValue<'a>, Message)>,
    ) -> Self {
        let list = |list: Option<(JsonValue<'a>, Message)>| -> Vec<Spoken<'a>> {
            list.into_iter().map(|(value, about)| Spoken::new(value, about)).collect()
        };
        Self { instructions: None, given: list(given), answered: list(answered) }
    }

    /// True if the input has instructions.
    pub(in crate::container) fn has_instructions(&self) -> bool {
        let system = MessageRole::System.word();
        self.instructions.is_some() || self.given.iter().any(|one| one.role() == system)
    }

    /// True if the span has no messages.
    pub(in crate::container) fn is_empty(&self) -> bool {
        self.instructions.is_none() && self.given.is_empty() && self.answered.is_empty()
    }

    /// Removes the messages that earlier spans of the session had; returns true if there were any. An answer is
    /// removed only if all inputs of the model were known: it may repeat an earlier answer. A log has its answer
    /// once; it is one of several logs of a span, which had the messages `of_logs` so far.
    pub(in crate::container) fn leave_out(
        &mut self,
        session: Option<&str>,
        of_logs: Option<&mut Copies>,
        history: &mut History,
    ) -> bool {
        let Some(session) = session else { return false };
        let is_log = of_logs.is_some();
        let mut of_span = Copies::new();
        let copies = of_logs.unwrap_or(&mut of_span);
        let system = MessageRole::System.word();
        let is_known = |value: JsonValue<'_>, role: &str, copies: &mut Copies| {
            let is_new = history.is_new(history.digest(session, role, value), copies);
            !is_new || result_ids(value).is_some_and(|ids| ids.iter().all(|id| history.is_answered(session, id)))
        };
        let is_told_before = self.instructions.is_some_and(|words| is_known(words, system, copies));
        if is_told_before {
            self.instructions = None;
        }
        let mut sort = |spoken: &mut Vec<Spoken<'a>>, is_given: bool| -> Vec<(Spoken<'a>, bool)> {
            let each = spoken.drain(..).flat_map(Spoken::each);
            each.map(|one| (one.inner(), one.role(), one))
                .map(|(value, role, one)| {
                    let is_known = is_known(value, role, copies);
                    (one, is_known || (is_given && history.has_shown_calls(session, value)))
                })
                .collect()
        };
        let (given, answered) = (sort(&mut self.given, true), sort(&mut self.answered, false));
        let goes_on = given.iter().any(|(_, is_known)| *is_known);
        self.given = given.into_iter().filter(|(_, is_known)| !is_known).map(|(one, _)| one).collect();
        let is_repeated = self.given.is_empty() && self.instructions.is_none() && !is_log;
        let left = answered.into_iter().filter(|(_, is_known)| !is_repeated || !is_known);
        let mut answered: Vec<Spoken<'a>> = left.map(|(one, _)| one).collect();
        answered.retain_mut(|one| {
            let (shown, is_given) = history.take_shown(session, one.inner());
            one.shown = shown;
            !is_given && one.without_shown(has_words).unwrap_or(true)
        });
        self.answered = answered;
        history.keep(copies);
        goes_on
    }

    /// Writes the messages in order. Returns the offset of the answers in the transcript.
    pub(in crate::container) fn write(self, out: &mut TextWriter) -> usize {
        if let Some(instructions) = self.instructions {
            out.message(Message::from_role(MessageRole::System));
            parts_of(instructions, Some(MessageRole::System), out);
        }
        let say = |spoken: Vec<Spoken<'a>>, out: &mut TextWriter| {
            for spoken in spoken.into_iter().flat_map(Spoken::each) {
                let left = spoken.without_shown(|value| message(value, spoken.about.clone(), out));
                if left.is_none() {
                    message(spoken.value, spoken.about, out);
                }
            }
        };
        say(self.given, out);
        let answers = out.len();
        say(self.answered, out);
        answers
    }
}

impl<'a> Spoken<'a> {
    /// The messages one by one.
    fn each(self) -> Vec<Spoken<'a>> {
        match self.value.kind() {
            JsonKind::Array => self.value.items().map(|value| Spoken::new(value, self.about.clone())).collect(),
            _ => vec![self],
        }
    }

    /// The result of `take` for the message without the calls already shown; `None` if none was.
    fn without_shown<T>(&self, take: impl FnOnce(JsonValue<'_>) -> T) -> Option<T> {
        if self.shown.is_empty() {
            return None;
        }
        let mut text = Fragment::default();
        without(self.value, &self.shown, &mut text);
        let index = text.index()?;
        text.root(&index).map(take)
    }

    /// The message itself; in a choice it is a member next to the index.
    fn inner(&self) -> JsonValue<'a> {
        self.value.get("message").filter(|inner| inner.kind() == JsonKind::Object).unwrap_or(self.value)
    }

    fn role(&self) -> &'static str {
        messages::role(self.inner()).or(self.about.role).map_or("", MessageRole::word)
    }
}

/// Writes a value without the list elements at these offsets of its record.
fn without(value: JsonValue<'_>, left_out: &[usize], text: &mut Fragment) {
    let place = value.place();
    if value.items().next().is_none() || !left_out.iter().any(|start| (place.start..place.end).contains(start)) {
        return text.push_verbatim(value);
    }
    let is_list = value.kind() == JsonKind::Array;
    let source = value.source();
    text.push_synthetic(if is_list { "[" } else { "{" }, source.start);
    let items = value.items().filter(|item| !left_out.contains(&item.place().start));
    for (number, item) in items.enumerate() {
        let at = item.source().start;
        if number > 0 {
            text.push_synthetic(",", at);
        }
        if !is_list {
            let mut key = Fragment::default();
            key.push_synthetic(&item.key(), at);
            text.quote(&key);
            text.push_synthetic(":", at);
        }
        without(item, left_out, text);
    }
    text.push_synthetic(if is_list { "]" } else { "}" }, source.end);
}

/// Ids of the calls that a message answers, if it has no other content.
fn result_ids(message: JsonValue<'_>) -> Option<Vec<Box<str>>> {
    if let Some(id) = message.words_of("tool_call_id") {
        return Some(vec![id]);
    }
    let parts = message.first_of(&["parts", "content"]).filter(|parts| parts.kind() == JsonKind::Array)?;
    let id_of = |part: JsonValue<'_>| match part.text_of("type").as_deref() {
        Some("tool_call_response") => part.words_of("id"),
        Some("tool_result") => part.words_of("tool_use_id"),
        Some("tool-result") => part.words_of("toolCallId"),
        None => part.path(&["toolResult", "toolUseId"])?.scalar_text(),
        _ => None,
    };
    let ids: Option<Vec<Box<str>>> = parts.items().map(id_of).collect();
    ids.filter(|ids| !ids.is_empty())
}

/// The message of an event.
fn event_message<'a>(event: &'a SpanEvent, span: &SpanAbout) -> Option<Spoken<'a>> {
    let (_, role) = SPOKEN.iter().find(|(name, _)| *name == &*event.name)?;
    let model = span.model.clone().filter(|_| &*event.name == CHOICE);
    let about = Message { time: event.time.clone(), model, ..Message::from_role(*role) };
    // If contents are not recorded, the event only states that there was a message.
    let body = event.body().filter(|body| has_words(*body));
    body.map(|value| Spoken::new(value, about))
}

/// True if a message, or the one in a choice, has content.
fn has_words(message: JsonValue<'_>) -> bool {
    let mut members = message.items().filter(|member| !ASIDES.contains(&member.key().as_ref()) && !member.is_void());
    members.any(|member| member.key() != "message" || member.kind() != JsonKind::Object || has_words(member))
}

fn message(value: JsonValue<'_>, about: Message, out: &mut TextWriter) {
    match value.kind() {
        JsonKind::Object => {}
        JsonKind::Text => return text(value, about, out),
        JsonKind::Array | JsonKind::Word => {
            out.message(about);
            return unknown(value, out);
        }
    }
    // In a choice the message is a member next to the index.
    let inner = value.get("message").filter(|inner| inner.kind() == JsonKind::Object).unwrap_or(value);
    let role = messages::role(inner).or(about.role);
    let model = about.model.clone().filter(|_| role == Some(MessageRole::Assistant));
    let list = |key: &str| inner.get(key).filter(|list| list.kind() == JsonKind::Array);
    let content = inner.first_of(&["content", "message"]);
    let told =
        ["content", "message", "parts", "tool_calls", "function_call", "reasoning_content", "reasoning", "refusal"];
    if let Some(parts) = list("parts") {
        out.message(described(inner, Message { role, model, ..about }));
        parts.items().for_each(|item| part(item, role, out));
    } else if let (Some(blocks), Some(role)) = (content.filter(|content| bedrock::has_own(*content)), role) {
        out.message(Message { role: Some(role), model, ..about });
        bedrock::blocks(blocks, role, out);
    } else if role == Some(MessageRole::Tool)
        && inner.get("tool_call_id").is_none()
        && content.is_some_and(|content| !messages::has_results(content))
    {
        out.message(Message { role, model, ..about });
        result(ToolResult::new(inner.words_of("id"), None), content, out);
    } else if let Some(words) = content.filter(|content| content.key() == "message") {
        out.message(Message { role, model, ..about });
        parts_of(words, role, out);
    } else if let Some(calls) =
        list("tool_calls").filter(|calls| calls.items().any(|call| call.get("toolName").is_some()))
    {
        out.message(described(inner, Message { role, model, ..about }));
        inner.get("reasoning").into_iter().for_each(|thought| out.write_part(MessagePart::Reasoning, thought));
        if let Some(words) = content {
            parts_of(words, role, out);
        }
        calls.items().for_each(|call| part(call, role, out));
    } else if inner.first_of(&told).is_none() && has_words(inner) {
        out.message(Message { role, model, ..about });
        unknown(inner, out);
    } else {
        messages::message(inner, about, out);
    }
    stopped(value, out);
}

/// Writes a message that is a string: JSON text or prose.
fn text(value: JsonValue<'_>, about: Message, out: &mut TextWriter) {
    let words = Fragment::from_value(value);
    if !matches!(words.bytes.trim_ascii_start().first(), Some(b'{' | b'[')) {
        let role = about.role;
        out.message(about);
        return parts_of(value, role, out);
    }
    let index = words.index();
    match index.as_ref().and_then(|index| words.root(index)) {
        Some(inner) if inner.kind() == JsonKind::Object => message(inner, about, out),
        _ => {
            out.message(Message { role: None, ..about });
            let problem = "the messages are incomplete JSON, perhaps cut off at a limit; shown raw";
            out.problem(Code::BrokenRecord, value.source(), problem);
            out.write_part(MessagePart::Envelope("messages".into()), value);
        }
    }
}

/// Writes a part of a message; a part of any other type is one of chat completions.
fn part(part: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    let kind = part.text_of("type").unwrap_or_default();
    let id = || part.words_of("id");
    match kind.as_ref() {
        "reasoning" | "thinking" if part.string_of("content").is_some() => {
            if let Some(thought) = part.first_filled(&["content"]) {
                out.write_part(MessagePart::Reasoning, thought);
            }
        }
        // Without text it is encrypted.
        kind if kind.ends_with(".TextReasoningContent") => {
            if let Some(thought) = part.path(&["content", "text"]).filter(|thought| !thought.is_void()) {
                out.write_part(MessagePart::Reasoning, thought);
            }
        }
        // Some programs write the arguments as JSON text.
        "tool_call" if part.string_of("arguments").is_some() => {
            let call = made_call(part, part.get("id"), part.string_of("name"), "tool", part.get("arguments"));
            out.piece(call.part(None), &call.text);
        }
        // Since version 4 of the AI SDK, the calls of an answer have no type.
        "tool-call" | "" if is_ai_sdk_call(part, &kind) => {
            let input = part.first_of(&AI_SDK_INPUT);
            let call = made_call(part, part.get("toolCallId"), part.string_of("toolName"), "tool", input);
            out.piece(call.part(None), &call.text);
        }
        "tool_call_response" => {
            result(ToolResult::new(id(), None), part.first_filled(&["response", "result"]), out);
        }
        "server_tool_call" => {
            let input = part.get("server_tool_call");
            let call = made_call(part, part.get("id"), part.string_of("name"), "server_tool", input);
            out.piece(call.part(None), &call.text);
        }
        "server_tool_call_response" => {
            result(ToolResult::new(id(), None), part.get("server_tool_call_response"), out);
        }
        "blob" => {
            let name = part.text_of("modality").unwrap_or(kind);
            out.piece(MessagePart::Envelope(name.as_ref().into()), &standing_in(part, &name));
        }
        "uri" => out.envelope("uri", part),
        _ => messages::part(part, role, out),
    }
}

/// True if a part is a call of the AI SDK without a type, or one whose input is JSON text.
fn is_ai_sdk_call(part: JsonValue<'_>, kind: &str) -> bool {
    let is_text = part.first_of(&AI_SDK_INPUT).is_some_and(|input| input.kind() == JsonKind::Text);
    part.string_of("toolName").is_some() && (is_text || kind.is_empty())
}

/// Reports an answer that ended early.
fn stopped(message: JsonValue<'_>, out: &mut TextWriter) {
    let Some(reason) = message.string_of("finish_reason") else { return };
    let name = reason.text().unwrap_or_default();
    if STOPPED.contains(&name.as_ref()) {
        let words = format!("the answer was stopped: {name}");
        out.problem_with_severity(Code::AnswerStopped, Severity::Warning, reason.source(), words);
        out.write_part(MessagePart::Envelope("finish_reason".into()), reason);
    }
}
