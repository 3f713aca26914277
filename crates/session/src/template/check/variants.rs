//! Conversations that differ from a given one in one thing, so that a difference of the prompt has one cause.

use serde_json::{Value, json};

use super::super::conversation::Conversation;

/// A copy with a change of each message.
fn mapped(conversation: &Conversation, mut change: impl FnMut(&mut Value)) -> Conversation {
    let mut changed = conversation.clone();
    changed.messages.iter_mut().for_each(&mut change);
    changed
}

fn calls_of(message: &mut Value) -> impl Iterator<Item = &mut Value> {
    message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten()
}

/// A copy whose arguments are objects, where their texts are JSON.
pub(super) fn with_object_arguments(conversation: &Conversation) -> Conversation {
    mapped(conversation, |message| {
        for call in calls_of(message) {
            let Some(arguments) = call.pointer_mut("/function/arguments") else { continue };
            if let Some(parsed) = arguments.as_str().and_then(|text| serde_json::from_str(text).ok()) {
                *arguments = parsed;
            }
        }
    })
}

pub(super) fn with_text_arguments(conversation: &Conversation) -> Conversation {
    mapped(conversation, |message| {
        for call in calls_of(message) {
            let Some(arguments) = call.pointer_mut("/function/arguments") else { continue };
            if arguments.is_object() {
                *arguments = Value::String(arguments.to_string());
            }
        }
    })
}

/// A copy with an empty text instead of null as content.
pub(super) fn with_content(conversation: &Conversation) -> Conversation {
    mapped(conversation, |message| {
        if message.get("content").is_some_and(Value::is_null) {
            message["content"] = json!("");
        }
    })
}

/// A copy whose contents are lists of parts, as clients send them with images.
pub(super) fn with_parts(conversation: &Conversation) -> Conversation {
    mapped(conversation, |message| {
        if let Some(content) = message.get_mut("content").filter(|content| content.is_string()) {
            *content = json!([{"type": "text", "text": content.take()}]);
        }
    })
}

/// A copy in which the content of messages with calls is null.
pub(super) fn with_null_content(conversation: &Conversation) -> Conversation {
    mapped(conversation, |message| {
        if message.get("tool_calls").is_some() && message.get("content").and_then(Value::as_str) == Some("") {
            message["content"] = Value::Null;
        }
    })
}

/// Ids of nine letters and digits, as Mistral's templates want them.
pub(super) fn with_short_ids(conversation: &Conversation) -> Conversation {
    let mut ids: Vec<String> = Vec::new();
    let mut short = |id: &mut Value| {
        let Some(text) = id.as_str().map(str::to_owned) else { return };
        let known = ids.iter().position(|known| *known == text).unwrap_or_else(|| {
            ids.push(text);
            ids.len() - 1
        });
        *id = json!(format!("call{known:05}"));
    };
    mapped(conversation, |message| {
        calls_of(message).filter_map(|call| call.get_mut("id")).for_each(&mut short);
        message.get_mut("tool_call_id").into_iter().for_each(&mut short);
    })
}

/// A copy with the first call of each message, and its result.
pub(super) fn with_single_calls(conversation: &Conversation) -> Conversation {
    let mut removed: Vec<Value> = Vec::new();
    let mut changed = mapped(conversation, |message| {
        let Some(calls) = message.get_mut("tool_calls").and_then(Value::as_array_mut) else { return };
        let others = calls.split_off(calls.len().min(1));
        removed.extend(others.iter().filter_map(|call| call.get("id").cloned()));
    });
    changed.messages.retain(|message| message.get("tool_call_id").is_none_or(|id| !removed.contains(id)));
    changed
}

pub(super) fn with_tools(conversation: &Conversation) -> Conversation {
    let tool = json!({"type": "function", "function": {
        "name": "get_weather", "description": "Weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }});
    let tools = conversation.tools.clone().or(Some(vec![tool]));
    Conversation { tools, ..conversation.clone() }
}

pub(super) fn without_system(conversation: &Conversation) -> Conversation {
    let mut changed = conversation.clone();
    changed.messages.retain(|message| message.get("role").and_then(Value::as_str) != Some("system"));
    changed
}

/// The conversation before the first result.
pub(super) fn without_results(conversation: &Conversation) -> Conversation {
    let is_result = |message: &Value| message.get("role").and_then(Value::as_str) == Some("tool");
    let end = conversation.messages.iter().position(is_result).unwrap_or(conversation.messages.len());
    Conversation { messages: conversation.messages[..end].to_vec(), tools: conversation.tools.clone() }
}

/// The conversation before the first call, with an answer in its place.
pub(super) fn without_calls(conversation: &Conversation) -> Conversation {
    let Some(end) = conversation.messages.iter().position(|message| message.get("tool_calls").is_some()) else {
        return conversation.clone();
    };
    let mut messages = conversation.messages[..end].to_vec();
    messages.push(json!({"role": "assistant", "content": "text"}));
    Conversation { messages, tools: conversation.tools.clone() }
}
