//! UI message streams of the AI SDK: server-sent events, or their data as one JSON value a line.
//!
//! ```text
//! stream = start part* finish | abort | error
//! text   = text-start text-delta* text-end                the same for reasoning
//! call   = (tool-input-start tool-input-delta*)? (tool-input-available | tool-input-error)
//! result = tool-output-available | tool-output-error | tool-output-denied
//! step   = start-step … finish-step | reset-step          which discards the contents of the step
//! ```
//!
//! Tokens are in `usage` of `finish-step`, `totalUsage` of `finish` or, if the application puts them there, in the
//! metadata of the message, which counts all of its steps and is used where no step states any.
//!
//! If a call is given twice in a step, the last one counts; the same holds for an output that was preliminary or that
//! was sent for an input error. The SDK's own reader stops at an error, and at an event that it does not know, that
//! lacks a required member, or that names an unknown id. Here this is a problem, and the rest is shown in a message
//! with a label.

use std::collections::HashMap;

use super::call::CallText;
use super::facts::{Fact, RequestFacts, RequestScope, Usage};
use super::fragment::{Fragment, HalfCharacter};
use super::json::{Index, JsonValue, RecordPositions};
use super::messages::parts_of;
use super::parts::OpenParts;
use super::usage;
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, Interpretation,
    JsonRecord, Message, MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::diagnostic::{Code, Severity};
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "ai-sdk-stream",
    title: "a message stream of the AI SDK",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Stream> },
};

/// Event types and their required members.
const EVENTS: [(&str, &[&str]); 30] = [
    ("start", &[]),
    ("text-start", &["id"]),
    ("text-delta", &["id", "delta"]),
    ("text-end", &["id"]),
    ("reasoning-start", &["id"]),
    ("reasoning-delta", &["id", "delta"]),
    ("reasoning-end", &["id"]),
    ("tool-input-start", &["toolCallId", "toolName"]),
    ("tool-input-delta", &["toolCallId", "inputTextDelta"]),
    ("tool-input-available", &["toolCallId", "toolName", "input"]),
    ("tool-input-error", &["toolCallId", "toolName", "input", "errorText"]),
    ("tool-approval-request", &["approvalId", "toolCallId"]),
    ("tool-approval-response", &["approvalId", "approved"]),
    ("tool-output-available", &["toolCallId", "output"]),
    ("tool-output-error", &["toolCallId", "errorText"]),
    ("tool-output-denied", &["toolCallId"]),
    ("source-url", &["sourceId", "url"]),
    ("source-document", &["sourceId", "mediaType", "title"]),
    ("file", &["url", "mediaType"]),
    ("reasoning-file", &["url", "mediaType"]),
    ("custom", &["kind"]),
    ("steering-message", &["id", "parts"]),
    ("start-step", &[]),
    ("finish-step", &[]),
    ("reset-step", &[]),
    ("message-metadata", &["messageMetadata"]),
    ("error", &["errorText"]),
    ("abort", &[]),
    ("finish", &[]),
    ("data-", &["data"]),
];

fn known(kind: &str) -> Option<&'static [&'static str]> {
    let is_known = |name: &str| name == kind || (name.ends_with('-') && kind.starts_with(name));
    EVENTS.iter().find(|(name, _)| is_known(name)).map(|(_, members)| *members)
}

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let event = head.record()?;
    let kind = event.text_of("type")?;
    // Some types are so common that a file of JSON lines must show more evidence.
    let rare = !matches!(kind.as_ref(), "start" | "error" | "abort" | "finish" | "file" | "custom" | "data-");
    let own = ["type", "messageId", "messageMetadata"];
    let alone = kind == "start" && event.items().all(|item| own.contains(&item.key().as_ref()));
    let complete = known(&kind)?.iter().all(|key| event.get(key).is_some());
    let is_stream = matches!(head, FileHead::Event(_)) && kind != "error";
    (complete && (rare || alone || is_stream)).then_some(Claim::Sure("it has events of this stream, such as start"))
}

/// A call of the open step.
#[derive(Debug)]
struct Call {
    name: String,
    /// Its deltas joined; `half` is the surrogate at the end of the last one.
    input: Vec<u8>,
    half: HalfCharacter,
    /// True if its input is plain text, not JSON.
    text: bool,
    over: bool,
}

/// A call of the message, kept for events that refer to it.
#[derive(Debug)]
struct Known {
    step: usize,
    approval: Option<Box<str>>,
    /// True if the next result replaces its result.
    gives_way: bool,
}

/// Token counts of a whole message.
#[derive(Debug, Default)]
struct MessageCounts {
    /// The model named in the metadata.
    model: Option<Box<str>>,
    /// Sum over all steps.
    total: Option<Usage>,
    /// True if a step has stated token counts.
    has_steps: bool,
}

impl MessageCounts {
    /// Takes the token counts of an event.
    fn learn(&mut self, kind: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        let told = event.get("messageMetadata");
        self.model = told.and_then(|told| told.words_of("model")).or_else(|| self.model.take());
        if kind == "finish-step" {
            let Some(usage) = event.get("usage").and_then(usage::ai_sdk) else { return };
            self.has_steps = true;
            let (model, stop) = (self.model.clone(), event.words_of("finishReason"));
            return out.fact(Fact::Request(RequestFacts {
                model,
                usage: Some(usage),
                stop,
                ..RequestFacts::default()
            }));
        }
        let total = told.unwrap_or(event).first_filled(&["totalUsage", "usage"]);
        self.total = total.and_then(usage::ai_sdk).or(self.total);
    }

    /// States the token counts of the message, unless its steps stated theirs.
    fn state_total(&mut self, out: &mut TextWriter) {
        let Self { model, total: usage, has_steps } = std::mem::take(self);
        if usage.is_some() && !has_steps {
            let scope = RequestScope::Turn;
            out.fact(Fact::Request(RequestFacts { scope, model, usage, ..RequestFacts::default() }));
        }
    }
}

#[derive(Default)]
struct Stream {
    parts: OpenParts,
    /// Calls of the step by id.
    calls: HashMap<String, Call>,
    /// Calls of the message by id, in order of arrival.
    known: HashMap<Box<str>, Vec<Known>>,
    /// Number of calls that have requested each approval.
    approvals: HashMap<Box<str>, usize>,
    counts: MessageCounts,
    step: usize,
    /// Ids of the calls of the step.
    in_step: Vec<Box<str>>,
    open: bool,
    finished: bool,
    stopped: bool,
}

/// Label of the message that holds what the SDK's reader ignores.
const UNREAD: &str = "not read by the runtime";

impl Stream {
    fn begin(&mut self, event: Option<JsonValue<'_>>, out: &mut TextWriter) {
        if !std::mem::replace(&mut self.open, true) {
            let told = |path: &[&str]| event?.path(path)?.scalar_text();
            let (id, time) = (told(&["messageId"]), told(&["messageMetadata", "createdAt"]));
            let model = told(&["messageMetadata", "model"]);
            out.message(Message { time, model: model.clone(), id, ..Message::from_role(MessageRole::Assistant) });
            self.counts.model = model;
            self.finished = false;
        }
    }

    /// Reports an event at which the SDK's reader stops. Later events belong to no part, call or step.
    fn stop(&mut self, code: Code, name: &str, event: JsonValue<'_>, message: impl Into<String>, out: &mut TextWriter) {
        self.parts.close_all(out);
        out.problem_with_severity(code, Severity::Error, event.source(), message);
        self.parts.show_raw(name, event, out);
        self.calls.clear();
        self.stopped = true;
        out.message(Message::from_role(MessageRole::Assistant).with_label(UNREAD));
    }

    /// An event after the SDK's reader has stopped: text is shown as text, any other event raw.
    fn unread(&mut self, kind: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        match kind {
            "finish" | "abort" => self.finished = true,
            "start" => {}
            _ if self.words(kind, event, Interpretation::Shown, out) => {}
            _ => self.parts.show_raw(kind, event, out),
        }
    }

    /// Takes text, to read or only to show. Returns true if the event belongs to an open part or was shown as text.
    fn words(&mut self, kind: &str, event: JsonValue<'_>, reading: Interpretation, out: &mut TextWriter) -> bool {
        let (name, step) = kind.split_once('-').unwrap_or((kind, ""));
        let key = format!("{name}/{}", event.text_of("id").unwrap_or_default());
        let piece = if name == "text" { MessagePart::Text(reading) } else { MessagePart::Reasoning };
        let has_part = self.parts.has(&key) || reading == Interpretation::Shown;
        match (name, step, event.get("delta")) {
            ("text" | "reasoning", "start", _) => self.parts.open(&key, piece, out),
            ("text" | "reasoning", "delta", Some(delta)) if has_part => {
                if !self.parts.has(&key) {
                    self.parts.open(&key, piece, out);
                }
                self.parts.write(&key, &Fragment::from_value(delta), out);
            }
            ("text" | "reasoning", "end", _) if has_part => self.parts.close(&key, out),
            _ => return false,
        }
        true
    }

    fn open_call(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let id = event.text_of("toolCallId").unwrap_or_default().into_owned();
        let key = key(&id);
        if self.calls.contains_key(&id) {
            // The last one counts.
            self.parts.replace(&key, out);
        } else {
            let known = Known { step: self.step, approval: None, gives_way: false };
            self.known.entry(id.as_str().into()).or_default().push(known);
            self.in_step.push(id.as_str().into());
        }
        let text = event.is_string("inputEncoding", "text");
        let name = event.text_of("toolName").unwrap_or_default().into_owned();
        let at = event.source().start;
        let mut head = CallText::default();
        head.text.push_synthetic("{\"type\":\"dynamic-tool\",\"toolName\":", at);
        head.name(event.get("toolName"), "", at);
        let call_id = event.get("toolCallId");
        head.text.push_synthetic(",\"toolCallId\":", call_id.map_or(at, |id| id.source().start));
        head.id(call_id, at);
        head.text.push_synthetic(if text { ",\"input\":\"" } else { ",\"input\":" }, at);
        self.parts.open_call(&key, &head, out);
        self.calls.insert(id, Call { name, input: Vec::new(), half: HalfCharacter::default(), text, over: false });
    }

    fn more_input(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let id = event.text_of("toolCallId").unwrap_or_default();
        let Some(words) = event.get("inputTextDelta") else { return };
        let Some(call) = self.calls.get_mut(id.as_ref()).filter(|call| !call.over) else {
            let message = "tool-input-delta for a call that is not open; the AI SDK stops reading here";
            return self.stop(Code::StrayDelta, "tool-input-delta", event, message, out);
        };
        let said = Fragment::from_value(words);
        call.input.extend_from_slice(&call.half.join(&said).bytes);
        if call.text {
            let mut content = Fragment::default();
            content.content(words);
            self.parts.write(&key(&id), &content, out);
        } else {
            self.parts.write(&key(&id), &said, out);
        }
    }

    /// Completes the input of a call. The input of this event counts: if the deltas differ from it, the call is written
    /// again.
    fn input(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let id = event.text_of("toolCallId").unwrap_or_default().into_owned();
        if self.calls.get(&id).is_none_or(|call| call.over) {
            self.open_call(event, out);
        }
        let Some(call) = self.calls.get_mut(&id) else { return };
        call.input.extend_from_slice(&call.half.end().bytes);
        let is_text = call.text;
        let given = event.get("input");
        let is_same = |said: &[u8], input: JsonValue<'_>| {
            if is_text { Fragment::from_value(input).bytes == said } else { same(said, input.raw()) }
        };
        let other_input = given.filter(|input| !call.input.is_empty() && !is_same(&call.input, *input));
        let other_name = event.get("toolName").filter(|_| event.text_of("toolName").unwrap_or_default() != call.name);
        let message = match (other_name, other_input) {
            (Some(_), _) => "the call began with another name than its input has, which counts",
            _ => "the deltas of the input differ from the complete input, which counts",
        };
        if let Some(other) = other_name.or(other_input) {
            out.problem(Code::StreamMismatch, other.source(), message);
            self.open_call(event, out);
        }
        let Some(call) = self.calls.get_mut(&id) else { return };
        call.over = true;
        let mut tail = Fragment::default();
        if let Some(input) = given.filter(|_| call.input.is_empty()) {
            if call.text { tail.content(input) } else { tail.push_verbatim(input) }
        }
        tail.push_synthetic(if call.text { "\"}" } else { "}" }, event.source().end);
        self.parts.write(&key(&id), &tail, out);
        self.parts.close(&key(&id), out);
    }

    fn output(&mut self, kind: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        let id = event.text_of("toolCallId").unwrap_or_default();
        let (verdict, content) = match kind {
            "tool-output-available" => (CallOutcome::Succeeded, event.get("output")),
            "tool-output-denied" => (CallOutcome::Denied, None),
            _ => (CallOutcome::Failed, event.get("errorText")),
        };
        let key = format!("result/{id}");
        let preliminary = event.truth_of("preliminary") == Some(true);
        let Some(known) = self.named(&id) else { return self.unknown_id(kind, event, &format!("the id {id}"), out) };
        if std::mem::replace(&mut known.gives_way, preliminary || kind == "tool-input-error") {
            self.parts.replace(&key, out);
        }
        let outcome = ToolResult { call: Some(id.into()), outcome: verdict };
        self.parts.whole_as(
            &key,
            MessagePart::Result(outcome),
            content.map(Fragment::from_value).unwrap_or_default(),
            out,
        );
    }

    /// The call with this id: the one of the step, or else the last one of the message.
    fn named(&mut self, id: &str) -> Option<&mut Known> {
        self.known.get_mut(id)?.last_mut()
    }

    /// Reports an event that names an unknown id.
    fn unknown_id(&mut self, kind: &str, event: JsonValue<'_>, what: &str, out: &mut TextWriter) {
        let message = format!("{kind}: no call has {what}; the AI SDK stops reading here");
        self.stop(Code::ResultWithoutCall, kind, event, message, out);
    }

    /// Approval of a call is requested or answered.
    fn approval(&mut self, kind: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        let approval: Box<str> = event.text_of("approvalId").unwrap_or_default().into();
        if kind == "tool-approval-response" {
            if !self.approvals.contains_key(&approval) {
                return self.unknown_id(kind, event, &format!("the approval {approval}"), out);
            }
        } else {
            let id = event.text_of("toolCallId").unwrap_or_default();
            let Some(known) = self.named(&id) else {
                return self.unknown_id(kind, event, &format!("the id {id}"), out);
            };
            let before = known.approval.replace(approval.clone());
            self.forget_approval(before);
            *self.approvals.entry(approval).or_default() += 1;
        }
        self.parts.show_raw(kind, event, out);
    }

    fn forget_approval(&mut self, approval: Option<Box<str>>) {
        if let Some(approval) = approval
            && let Some(count) = self.approvals.get_mut(&approval)
        {
            *count -= 1;
            if *count == 0 {
                self.approvals.remove(&approval);
            }
        }
    }

    fn begin_step(&mut self) {
        self.calls.clear();
        self.in_step.clear();
        self.step += 1;
        self.parts.begin_step();
    }

    /// Discards the contents of the step.
    fn reset_step(&mut self, out: &mut TextWriter) {
        self.parts.close_all(out);
        self.calls.clear();
        for id in std::mem::take(&mut self.in_step) {
            let Some(calls) = self.known.get_mut(&id) else { continue };
            let gone = calls.pop_if(|known| known.step == self.step);
            if calls.is_empty() {
                self.known.remove(&id);
            }
            self.forget_approval(gone.and_then(|known| known.approval));
        }
        if let Some(start) = self.parts.step() {
            out.event(ContainerEvent::Withdrawn(Span::new(start, out.len())));
        }
        self.parts.begin_step();
    }

    fn end(&mut self, at: usize, out: &mut TextWriter) {
        self.counts.state_total(out);
        let open = self.parts.any_open();
        self.parts.close_all(out);
        self.begin_step();
        self.known.clear();
        self.approvals.clear();
        let stopped = std::mem::take(&mut self.stopped);
        if std::mem::take(&mut self.open) && !self.finished && open && !stopped {
            out.problem(Code::StreamCutOff, Span::at(at), "the stream ends before its parts do");
        }
    }
}

fn key(id: &str) -> String {
    format!("call/{id}")
}

/// True if two JSON texts have the same value.
fn same(one: &[u8], other: &[u8]) -> bool {
    let (Ok(first), Ok(second)) = (Index::read(one), Index::read(other)) else { return one == other };
    let values = first.root(one, RecordPositions::At(0)).zip(second.root(other, RecordPositions::At(0)));
    values.is_some_and(|(one, other)| one.equals(other))
}

impl RecordReader for Stream {
    fn drops_unterminated_event(&self) -> bool {
        true
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let event = record.value;
        let kind = event.text_of("type").unwrap_or_default();
        if kind == "start" && self.finished {
            self.end(event.source().start, out);
        }
        if self.stopped {
            return self.unread(&kind, event, out);
        }
        let Some(members) = known(&kind) else {
            self.begin(None, out);
            let message = format!("unknown event {kind:?}; the AI SDK stops reading here");
            return self.stop(Code::UnknownRecord, "event", event, message, out);
        };
        if let Some(missing) = members.iter().find(|key| event.get(key).is_none()) {
            self.begin(None, out);
            let message = format!("{kind} without {missing}; the AI SDK stops reading here");
            return self.stop(Code::UnknownRecord, "event", event, message, out);
        }
        self.begin(Some(event), out);
        match kind.as_ref() {
            "start-step" => self.begin_step(),
            "reset-step" => self.reset_step(out),
            "error" => {
                let words = event.text_of("errorText").unwrap_or_default();
                let message = format!("the stream reports an error: {words}; the AI SDK stops reading here");
                self.stop(Code::StreamCutOff, "error", event, message, out);
            }
            "tool-approval-request" | "tool-approval-response" => self.approval(&kind, event, out),
            "tool-input-start" => {
                self.open_call(event, out);
            }
            "tool-input-delta" => self.more_input(event, out),
            "tool-input-available" => self.input(event, out),
            "tool-input-error" => {
                self.input(event, out);
                self.output(&kind, event, out);
            }
            "steering-message" if !self.parts.any_open() => {
                out.message(Message::from_role(MessageRole::User).with_label("steering-message"));
                if let Some(parts) = event.get("parts") {
                    parts_of(parts, Some(MessageRole::User), out);
                }
                self.open = false;
                self.begin(None, out);
            }
            "finish" | "abort" => {
                self.finished = true;
                self.counts.learn(&kind, event, out);
                self.counts.state_total(out);
            }
            "start" | "finish-step" | "message-metadata" => self.counts.learn(&kind, event, out),
            kind if kind.starts_with("text-") || kind.starts_with("reasoning-") && kind != "reasoning-file" => {
                if !self.words(kind, event, Interpretation::Parsed, out) {
                    let message = format!("{kind} for a part that is not open; the AI SDK stops reading here");
                    self.stop(Code::StrayDelta, kind, event, message, out);
                }
            }
            kind if kind.starts_with("tool-output-") => self.output(kind, event, out),
            kind => self.parts.show_raw(kind, event, out),
        }
    }

    fn done(&mut self, _out: &mut TextWriter) {
        self.finished = true;
    }

    fn between_records(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.parts.whole(piece, fragment.clone(), out);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.end(at, out);
    }
}
