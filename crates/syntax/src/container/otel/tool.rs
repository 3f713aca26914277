//! Spans of tool executions: a call and its result.
//!
//! | convention | name, id, arguments, result |
//! |---|---|
//! | `OpenTelemetry` | `gen_ai.tool.name`, `gen_ai.tool.call.id`, `gen_ai.tool.call.arguments`, `gen_ai.tool.call.result` |
//! | the same, in events | the `content` of `gen_ai.tool.message`, the `message` of `gen_ai.choice` |
//! | `OpenInference` | `tool.name`, `tool.id`, `input.value`, `output.value` |
//! | the AI SDK | `ai.toolCall.name`, `ai.toolCall.id`, `ai.toolCall.args`, `ai.toolCall.result` |
//!
//! A span whose status is an error is a call that failed.

use super::super::items::made_call;
use super::super::json::JsonValue;
use super::super::messages::result;
use super::super::writer::TextWriter;
use super::super::{CallOutcome, ContainerEvent, Message, MessageRole, ToolResult};
use super::facts::STARTS;
use super::history::{History, ShownCall};
use super::messages::SpanEvent;
use super::status::{SpanFailure, moment};
use super::tree::AttributeTree;

/// A span of a tool execution.
#[derive(Debug)]
pub(in crate::container) struct ToolSpan<'a> {
    pub(in crate::container) name: Option<JsonValue<'a>>,
    pub(in crate::container) id: Option<JsonValue<'a>>,
    pub(in crate::container) input: Option<JsonValue<'a>>,
    pub(in crate::container) output: Option<JsonValue<'a>>,
}

impl<'a> ToolSpan<'a> {
    /// The call of a span, if it is the span of a tool.
    pub(in crate::container) fn new(
        span: JsonValue<'a>,
        tree: &'a AttributeTree,
        events: &'a [SpanEvent],
    ) -> Option<Self> {
        // Without a call id, the id of the span identifies the call.
        let own_id = || {
            let holder = span.first_of(&["context", "spanContext"]).unwrap_or(span);
            holder.first_filled(&["spanId", "span_id", "id"])
        };
        let told = |name: &str, key: &str| SpanEvent::value(events, name, key);
        let says =
            |key: &str, word: &str| tree.get(key).and_then(JsonValue::scalar_text).is_some_and(|said| &*said == word);
        let is_called =
            tree.get("gen_ai.tool.call.arguments").or_else(|| tree.get("gen_ai.tool.call.result")).is_some();
        if says("gen_ai.operation.name", "execute_tool") || is_called {
            return Some(Self {
                name: tree.get("gen_ai.tool.name").or_else(|| span.get("name")),
                id: tree.get("gen_ai.tool.call.id").or_else(own_id),
                input: tree.get("gen_ai.tool.call.arguments").or_else(|| told("gen_ai.tool.message", "content")),
                output: tree.get("gen_ai.tool.call.result").or_else(|| told("gen_ai.choice", "message")),
            });
        }
        if tree.get("ai.toolCall").is_some() {
            return Some(Self {
                name: tree.get("ai.toolCall.name").or_else(|| span.get("name")),
                id: tree.get("ai.toolCall.id").or_else(own_id),
                input: tree.get("ai.toolCall.args").or_else(|| tree.get("ai.toolCall.input")),
                output: tree.get("ai.toolCall.result").or_else(|| tree.get("ai.toolCall.output")),
            });
        }
        says("openinference.span.kind", "TOOL").then(|| Self {
            name: tree.get("tool.name").or_else(|| span.get("name")),
            id: tree.get("tool.id").or_else(|| tree.get("tool.call_id")).or_else(own_id),
            input: tree.get("input.value").or_else(|| tree.get("tool.parameters")),
            output: tree.get("output.value"),
        })
    }

    /// The same call, if an earlier span has shown it.
    pub(in crate::container) fn shown(&self, session: Option<&str>, history: &mut History) -> Option<ShownCall> {
        history.call(session, self.id().as_deref(), self.name, self.input)
    }

    /// The id of the call.
    pub(in crate::container) fn id(&self) -> Option<Box<str>> {
        self.id.and_then(JsonValue::scalar_text)
    }

    /// True if the span has the result of the call.
    pub(in crate::container) fn has_output(&self) -> bool {
        self.output.is_some()
    }

    /// Writes only the result of a call that begins at `start` in the transcript.
    pub(in crate::container) fn answer(
        &self,
        start: usize,
        failure: Option<&SpanFailure<'_>>,
        ended: Option<Box<str>>,
        out: &mut TextWriter,
    ) {
        let output = self.output.or_else(|| failure.and_then(|failure| failure.words));
        out.message(Message { time: ended, ..Message::from_role(MessageRole::Tool) });
        out.event(ContainerEvent::Answers(Some(start)));
        result(ToolResult::new(self.id(), Some(failure.is_some())), output, out);
    }

    /// Writes the call and its result, which is the error of the span if it has no output.
    pub(in crate::container) fn write(
        &self,
        span: JsonValue<'_>,
        failure: Option<&SpanFailure<'_>>,
        ended: Option<Box<str>>,
        out: &mut TextWriter,
    ) {
        let began = moment(span, &STARTS);
        out.message(Message { time: began, ..Message::from_role(MessageRole::Assistant) });
        let call = made_call(span, self.id, self.name, "tool", self.input);
        let output = self.output.or_else(|| failure.and_then(|failure| failure.words));
        // Without a result the outcome of the call is final.
        let failed = failure.is_some();
        let known = output.is_none().then(|| CallOutcome::from_error_flag(Some(failed)));
        let start = out.begin(call.part(known));
        out.write(&call.text);
        out.end();
        if output.is_some() {
            self.answer(start, failure, ended, out);
        }
    }
}
