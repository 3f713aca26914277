//! Items of a response: what a model's answer and the answers to it consist of in one provider's records.
//!
//! | `type` | members |
//! |---|---|
//! | `message` | `role`, `content` |
//! | `reasoning` | `summary`, `content` |
//! | `function_call`, `custom_tool_call` | `call_id`, `name`, `arguments` or `input` |
//! | `…_call` | a call of a tool that the provider runs, often with its result |
//! | `function_call_output`, `…_output` | `call_id`, `output` |
//!
//! What one speaker says without a word of another is one message. This module does not know where items come from.

use super::call::{self, CallText};
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, result_text, unknown};
use super::writer::TextWriter;
use super::{Message, MessagePart, MessageRole, ToolResult};

/// Who has spoken last, so that his message can go on.
#[derive(Debug, Default)]
pub(super) struct ResponseItems {
    speaker: Option<MessageRole>,
}

impl ResponseItems {
    /// Somebody else speaks next.
    pub(super) fn pause(&mut self) {
        self.speaker = None;
    }

    /// This one's message is open already.
    pub(super) fn go_on(&mut self, speaker: MessageRole) {
        self.speaker = Some(speaker);
    }

    fn speak(&mut self, role: MessageRole, about: &Message, out: &mut TextWriter) {
        if self.speaker != Some(role) || role == MessageRole::User {
            let told =
                if role == MessageRole::Assistant { about.clone() } else { Message { model: None, ..about.clone() } };
            out.message(Message { role: Some(role), ..told });
            self.speaker = Some(role);
        }
    }

    pub(super) fn knows(kind: &str) -> bool {
        matches!(kind, "message" | "reasoning" | "item_reference" | "compaction")
            || kind.ends_with("_call")
            || kind.ends_with("_call_output")
    }

    /// Takes an item; `about` is what is known of its message.
    pub(super) fn take(&mut self, item: JsonValue<'_>, about: &Message, out: &mut TextWriter) {
        let kind = item.text_of("type").unwrap_or_default();
        match kind.as_ref() {
            "message" | "" if item.get("role").is_some() => {
                let role = item.text_of("role").and_then(|role| MessageRole::named(&role));
                self.speak(role.unwrap_or(MessageRole::User), about, out);
                if let Some(content) = item.get("content") {
                    parts_of(content, role, out);
                }
            }
            "reasoning" => {
                self.speak(MessageRole::Assistant, about, out);
                for list in ["summary", "content"].iter().filter_map(|key| item.get(key)) {
                    parts_of(list, Some(MessageRole::Assistant), out);
                }
            }
            "function_call" | "custom_tool_call" => {
                self.speak(MessageRole::Assistant, about, out);
                out.stand(call::part(item, None), item);
            }
            kind if kind.ends_with("_call_output") => {
                self.speak(MessageRole::Tool, about, out);
                output(item, out);
            }
            kind if kind.ends_with("_call") => {
                self.speak(MessageRole::Assistant, about, out);
                own_call(item, kind, out);
            }
            "compaction" | "item_reference" | "mcp_list_tools" | "mcp_approval_request" | "mcp_approval_response" => {
                out.envelope(&kind, item);
            }
            _ => unknown(item, out),
        }
    }
}

/// The result of a call: words, or words and an exit code in a JSON text of their own.
fn output(item: JsonValue<'_>, out: &mut TextWriter) {
    let call = item.first_of(&["call_id", "id"]).and_then(JsonValue::words);
    let Some(output) = item.get("output") else {
        result(ToolResult::new(call, None), None, out);
        return;
    };
    if output.kind() == JsonKind::Object {
        let failed = output.truth_of("success").map(|fine| !fine);
        result(ToolResult::new(call, failed), output.get("content").or(Some(output)), out);
        return;
    }
    let text = result_text(output);
    let index = if text.bytes.first() == Some(&b'{') { text.index() } else { None };
    let inner = index.as_ref().and_then(|index| text.root(index));
    let wrapped = inner.and_then(|inner| Some((inner.get("output")?, inner.get("metadata")?)));
    match wrapped {
        Some((words, metadata)) => {
            let code = metadata.get("exit_code").map(|code| code.raw() != b"0");
            result(ToolResult::new(call, code), Some(words), out);
        }
        None => {
            out.piece(MessagePart::Result(ToolResult::new(call, None)), &text);
        }
    }
}

/// A call of a tool that the provider runs, in the shape of other calls.
fn own_call(item: JsonValue<'_>, kind: &str, out: &mut TextWriter) {
    let id = item.first_of(&["call_id", "id"]);
    let name = item.string_of("name");
    let inputs = ["arguments", "action", "input", "queries", "code", "command", "operation", "query"];
    let input = item.first_filled(&inputs);
    let call = made_call(item, id, name, kind.trim_end_matches("_call"), input);
    let answer = item.first_filled(&["output", "results", "outputs", "result", "error"]);
    let wrong = item.says("status", "failed") || item.get("error").is_some_and(|error| !error.is_void());
    let over = wrong || item.says("status", "completed");
    // Without an answer of its own, one may still come.
    out.piece(call.part(over.then_some(wrong).filter(|_| answer.is_none())), &call.text);
    if answer.is_some() {
        result(ToolResult::new(id.and_then(JsonValue::words), Some(wrong)), answer, out);
    }
}

/// A call put together: its id, its name, which may be ours, and its input.
pub(super) fn made_call(
    item: JsonValue<'_>,
    id: Option<JsonValue<'_>>,
    name: Option<JsonValue<'_>>,
    otherwise: &str,
    input: Option<JsonValue<'_>>,
) -> CallText {
    let start = item.source().start;
    let mut call = CallText::tool_use(start, id, name, otherwise);
    match input {
        Some(input) if input.kind() == JsonKind::Object => call.text.stand(input),
        // What is a JSON text of its own is read as one, and anything else is the one parameter.
        Some(input) => {
            let text = Fragment::from_value(input);
            if text.bytes.first() == Some(&b'{') && text.index().is_some() {
                call.text.append(&text);
            } else {
                call.text.add("{\"", input.source().start);
                call.text.add(&input.key(), input.source().start);
                call.text.add("\":", input.source().start);
                call.text.stand(input);
                call.text.add("}", input.source().end);
            }
        }
        None => call.text.add("{}", start),
    }
    call.text.add("}", item.source().end);
    call
}
