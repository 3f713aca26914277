//! Requests, answers and conversations of the Anthropic messages API, in JSON or JSON lines.
//!
//! | record | members |
//! |---|---|
//! | a request | `model`, `system`, `messages` |
//! | an answer | `type: "message"`, `id`, `role`, `model`, `content`, `stop_reason` |
//! | a conversation | an array of messages with content blocks |
//!
//! These conversations are read by the reader of chats.

use super::chat::{Chat, is_message};
use super::json::{JsonKind, JsonValue};
use super::{CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "anthropic",
    title: "Anthropic messages",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Chat> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    if value.is_string("type", "message") && value.get("role").is_some() && value.get("content").is_some() {
        // Other providers have messages of this type, too.
        let is_answer = value.first_of(&["model", "usage", "stop_reason"]).is_some() || has_block(value);
        return is_answer.then_some(Claim::Sure("it is an object of type message with a role, content and a model"));
    }
    if let Some(messages) = value.get("messages") {
        let told = value.get("system").is_some() || value.get("anthropic_version").is_some();
        let is_told = told || messages.items().any(has_block);
        let is_own = is_told && is_message(messages.items().next()?) && !messages.items().any(is_of_chat);
        return is_own.then_some(Claim::Sure(
            "it is an object with messages that have content blocks, or with a system text next to them",
        ));
    }
    let messages = Some(value).filter(|value| value.kind() == JsonKind::Array)?;
    (is_message(messages.items().next()?) && messages.items().any(has_block) && !messages.items().any(is_of_chat))
        .then_some(Claim::Sure("it is an array of messages with content blocks"))
}

/// True if only chat completions have such a message: other providers of that API have thinking blocks, too.
fn is_of_chat(message: JsonValue<'_>) -> bool {
    let is_spoken = ["system", "developer", "tool", "function"].iter().any(|role| message.is_string("role", role));
    is_spoken || message.get("tool_calls").is_some_and(|calls| !calls.is_void())
}

/// True if a message has a block that only this API has.
fn has_block(message: JsonValue<'_>) -> bool {
    let blocks = message.get("content").filter(|content| content.kind() == JsonKind::Array);
    blocks.into_iter().flat_map(|content| content.items()).any(|block| {
        let kind = block.text_of("type").unwrap_or_default();
        // Other providers write a thought as a list of texts.
        let is_thought = kind == "thinking" && block.string_of("thinking").is_some();
        is_thought || matches!(kind.as_ref(), "tool_use" | "redacted_thinking") || kind.ends_with("tool_result")
    })
}
