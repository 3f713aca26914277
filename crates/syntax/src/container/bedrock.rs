//! Requests and answers of the Converse API of Amazon Bedrock, in JSON, JSON lines or arrays.
//!
//! | record | members |
//! |---|---|
//! | a request | `messages: [{role, content}]`, `system: [{text}]`, `modelId`, `toolConfig`, `inferenceConfig` |
//! | an answer | `output: {message}`, `stopReason`, `usage`, `metrics: {latencyMs}` |
//! | a line of its log | `input: {inputBodyJson}`, `output: {outputBodyJson}`, `modelId`, `timestamp` |
//!
//! A content block has one member, which is its type: `text`, `toolUse: {toolUseId, name, input}`, `toolResult:
//! {toolUseId, content, status}`, `reasoningContent`, `image`, `document`, … The shapes are from the service's
//! reference of `Converse`.

use super::answer;
use super::call::CallText;
use super::facts::{Fact, Origin, RequestFacts};
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages::{standing_in, unknown};
use super::prompt_history::PromptHistory;
use super::unread_text;
use super::usage;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::diagnostic::{Code, Severity};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "bedrock",
    title: "Converse requests and answers of Amazon Bedrock",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Bedrock> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let record = if value.kind() == JsonKind::Array && !is_list(value) { value.items().next()? } else { value };
    if is_answer(record) {
        return Some(Claim::Sure("it is an object with output that has a message"));
    }
    let bodies = [record.path(&["input", "inputBodyJson"]), record.path(&["output", "outputBodyJson"])];
    if bodies.into_iter().flatten().any(|body| is_answer(body) || is_request(body)) {
        return Some(Claim::Sure("its records are lines of the service's log"));
    }
    if is_request(record) || is_list(record) {
        return Some(Claim::Sure("it has messages with blocks such as toolUse and toolResult"));
    }
    if has_block(record) {
        return Some(Claim::Sure("its records are messages with blocks such as toolUse and toolResult"));
    }
    is_untyped(record).then_some(Claim::Likely("its records are messages with blocks that have no type"))
}

/// True if all blocks of a message are texts without a `type`.
fn is_untyped(message: JsonValue<'_>) -> bool {
    let content = message.get("content").filter(|content| content.kind() == JsonKind::Array && !content.is_void());
    let is_text = |block: JsonValue<'_>| block.get("type").is_none() && block.string_of("text").is_some();
    message.get("role").is_some() && content.is_some_and(|content| content.items().all(is_text))
}

fn is_answer(value: JsonValue<'_>) -> bool {
    let content = value.path(&["output", "message", "content"]);
    content.is_some_and(|content| content.kind() == JsonKind::Array)
}

fn is_request(value: JsonValue<'_>) -> bool {
    let Some(messages) = value.get("messages") else { return false };
    let is_told = ["inferenceConfig", "toolConfig", "modelId"].iter().any(|key| value.get(key).is_some());
    let is_plain = |message: JsonValue<'_>| {
        let content = message.get("content").filter(|content| content.kind() == JsonKind::Array);
        content.and_then(|content| content.items().next()).is_some_and(|block| block.get("type").is_none())
    };
    is_list(messages) || (is_told && messages.items().next().is_some_and(is_plain))
}

/// True if a list holds messages that only this API has.
fn is_list(messages: JsonValue<'_>) -> bool {
    messages.kind() == JsonKind::Array && messages.items().any(has_block)
}

/// True if a message has a block that only this API has.
fn has_block(message: JsonValue<'_>) -> bool {
    message.get("role").is_some() && message.get("content").is_some_and(has_own)
}

/// True if a list has a block that only this API has.
pub(super) fn has_own(content: JsonValue<'_>) -> bool {
    let own = ["toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent"];
    let is_own = |block: JsonValue<'_>| block.get("type").is_none() && own.iter().any(|key| block.get(key).is_some());
    content.kind() == JsonKind::Array && content.items().any(is_own)
}

/// Stop reasons that mean the answer is not the model's own text, and the severity: an error if a call is lost.
const STOPPED: [(&str, Severity); 4] = [
    ("guardrail_intervened", Severity::Warning),
    ("content_filtered", Severity::Warning),
    ("malformed_tool_use", Severity::Error),
    ("malformed_model_output", Severity::Error),
];

#[derive(Default)]
struct Bedrock {
    model: Option<Box<str>>,
    /// Time of the model's invocation, from a line of the service's log.
    time: Option<Box<str>>,
    repeated: PromptHistory,
}

impl Bedrock {
    fn value(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        if value.kind() == JsonKind::Array {
            for item in value.items() {
                self.value(item, out);
            }
            return;
        }
        self.model = value.words_of("modelId").or_else(|| self.model.take());
        let input = value.path(&["input", "inputBodyJson"]);
        let output = value.path(&["output", "outputBodyJson"]);
        if input.is_some() || output.is_some() {
            self.time = value.words_of("timestamp");
            for body in [input, output].into_iter().flatten() {
                self.value(body, out);
            }
            if output.is_some() {
                self.request(value, output.unwrap_or(value), out);
            }
            self.time = None;
        } else if let Some(messages) = value.get("messages") {
            out.conversation(None);
            if let Some(system) = value.get("system").filter(|system| !system.is_void()) {
                out.message(Message::from_role(MessageRole::System));
                blocks(system, MessageRole::System, out);
            }
            self.repeated.begin();
            for message in messages.items() {
                let origin = self.repeated.origin(message);
                self.message(message, None, origin, out);
            }
        } else if let Some(message) = value.path(&["output", "message"]) {
            let time = self.time.clone();
            self.message(message, time, Origin::Unsaid, out);
            stopped(value, out);
            // A line of the log has token counts itself.
            if self.time.is_none() {
                self.request(value, value, out);
            }
        } else if value.get("role").is_some() && value.get("content").is_some() {
            self.message(value, None, Origin::Unsaid, out);
        } else {
            unknown(value, out);
        }
    }

    /// States the request of an answer; the record around it may have token counts and times.
    fn request(&self, record: JsonValue<'_>, answer: JsonValue<'_>, out: &mut TextWriter) {
        let start = answer::time_of(record, &["timestamp"]);
        let took = answer.path(&["metrics", "latencyMs"]).and_then(|took| took.fraction());
        out.fact(Fact::Request(RequestFacts {
            key: record.words_of("requestId"),
            model: self.model.clone(),
            usage: answer.get("usage").and_then(usage::bedrock).or_else(|| usage::bedrock(record)),
            start,
            end: start.zip(took).and_then(|(start, took)| answer::after(start, took / 1000.0)),
            stop: answer.words_of("stopReason"),
            ..RequestFacts::default()
        }));
    }

    fn message(&self, message: JsonValue<'_>, time: Option<Box<str>>, origin: Origin, out: &mut TextWriter) {
        let role = message.text_of("role").and_then(|role| MessageRole::named(&role)).unwrap_or(MessageRole::User);
        let content = message.get("content");
        let results = content.is_some_and(|content| {
            content.kind() == JsonKind::Array
                && !content.is_void()
                && content.items().all(|block| block.get("toolResult").is_some())
        });
        let role = if results { MessageRole::Tool } else { role };
        let model = self.model.clone().filter(|_| role == MessageRole::Assistant);
        out.message(Message { time, model, origin, ..Message::from_role(role) });
        let before = out.yielded();
        if let Some(content) = content {
            blocks(content, role, out);
        }
        unread_text::unless_shown(message, before, out);
    }
}

/// Writes all blocks in the content of a message.
pub(super) fn blocks(content: JsonValue<'_>, role: MessageRole, out: &mut TextWriter) {
    let reading = Interpretation::from_role(Some(role));
    match content.kind() {
        JsonKind::Array => content.items().for_each(|item| block(item, reading, out)),
        JsonKind::Object => block(content, reading, out),
        JsonKind::Text => out.write_part(MessagePart::Text(reading), content),
        JsonKind::Word => {}
    }
}

fn block(block: JsonValue<'_>, reading: Interpretation, out: &mut TextWriter) {
    let Some(inner) = block.items().find(|member| !member.is_void()) else { return };
    match inner.key().as_ref() {
        "text" => out.write_part(MessagePart::Text(reading), inner),
        "toolUse" => {
            let call = CallText::bare(inner.source().start, inner.get("toolUseId"), inner.get("name"), "");
            let call = call.with_arguments(inner.get("input"), inner.source().end);
            out.piece(call.part(None), &call.text);
        }
        "toolResult" => {
            // Without a status it is a success.
            let outcome = ToolResult::new(inner.words_of("toolUseId"), Some(inner.is_string("status", "error")));
            out.piece(MessagePart::Result(outcome), &result_text(inner));
        }
        "reasoningContent" => match inner.path(&["reasoningText", "text"]).or_else(|| inner.string_of("text")) {
            Some(text) => out.write_part(MessagePart::Reasoning, text),
            None => stand_in("redacted thinking", inner, out),
        },
        "citationsContent" => {
            for text in inner.get("content").into_iter().flat_map(|content| content.items()) {
                if let Some(text) = text.get("text") {
                    out.write_part(MessagePart::Text(reading), text);
                }
            }
            if let Some(citations) = inner.get("citations").filter(|citations| !citations.is_void()) {
                out.envelope("citations", citations);
            }
        }
        "guardContent" => match inner.path(&["text", "text"]) {
            Some(text) => out.write_part(MessagePart::Text(reading), text),
            None => stand_in("guardContent", inner, out),
        },
        kind @ ("image" | "document" | "video" | "audio") => stand_in(kind, inner, out),
        "cachePoint" => {}
        kind => {
            let message = format!("unknown block {kind:?}; shown raw");
            out.problem(Code::UnknownRecord, inner.source(), message);
            out.envelope(kind, block);
        }
    }
}

fn stand_in(kind: &str, value: JsonValue<'_>, out: &mut TextWriter) {
    let format = value.text_of("format").map(|format| format!(" {format}")).unwrap_or_default();
    out.piece(MessagePart::Envelope(kind.into()), &standing_in(value, &format!("{kind}{format}")));
}

/// The text of a result, each block on separate lines.
fn result_text(result: JsonValue<'_>) -> Fragment {
    let mut text = Fragment::default();
    for block in result.get("content").into_iter().flat_map(|content| content.items()) {
        if text.bytes.last().is_some_and(|last| *last != b'\n') {
            text.push_synthetic("\n", block.source().start);
        }
        match block.items().find(|member| !member.is_void()) {
            Some(inner) if matches!(inner.key().as_ref(), "text" | "json") => text.push_content(inner),
            Some(inner) => text.append(&standing_in(inner, &inner.key())),
            None => {}
        }
    }
    text
}

fn stopped(answer: JsonValue<'_>, out: &mut TextWriter) {
    let Some(reason) = answer.get("stopReason") else { return };
    let known = STOPPED.iter().find(|(name, _)| reason.text().as_deref() == Some(*name));
    if let Some((name, severity)) = known {
        out.problem_with_severity(
            Code::AnswerStopped,
            *severity,
            reason.source(),
            format!("the answer was stopped: {name}"),
        );
        out.write_part(MessagePart::Envelope("stopReason".into()), reason);
    }
}

impl RecordReader for Bedrock {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        self.value(record.value, out);
    }
}
