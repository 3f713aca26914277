//! Data sets in the `ShareGPT` format: one conversation a record.
//!
//! | member | content |
//! |---|---|
//! | `conversations` | `[{from, value}]`: `human`, `gpt`, `system`, `function_call`, `observation`, `tool`, … |
//! | `system` | instructions |
//! | `id` | title of the conversation |
//!
//! Calls are text that a dialect reads. A result names no call, so it answers the first open one. The names of the
//! speakers are from the training programs that read such files.

use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, said_by, unknown};
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, FileHead, FormatReader, JsonRecord, Message, MessageRole, RecordReader,
    ToolResult,
};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "sharegpt",
    title: "a data set in the form of ShareGPT",
    claims,
    calls: CallSource::Either,
    open: FormatReader::records::<ShareGpt>,
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let record = if value.kind() == JsonKind::Array { value.items().next()? } else { value };
    let first = turns(record).and_then(|turns| turns.items().next());
    if first.is_some_and(is_turn) {
        return Some(Claim::Sure("it has conversations whose turns say from and value"));
    }
    is_turn(record).then_some(Claim::Likely("its records say from and value"))
}

fn turns(record: JsonValue<'_>) -> Option<JsonValue<'_>> {
    record.first_of(&["conversations", "conversation"]).filter(|turns| turns.kind() == JsonKind::Array)
}

fn is_turn(turn: JsonValue<'_>) -> bool {
    turn.string_of("from").is_some() && turn.get("value").is_some()
}

/// The role for a speaker's name in such files.
fn speaker(from: &str) -> Option<MessageRole> {
    match from {
        "chatgpt" | "bing" | "bard" | "bot" | "function_call" | "function-call" => Some(MessageRole::Assistant),
        "observation" | "function_response" | "function-response" | "ipython" => Some(MessageRole::Tool),
        word => MessageRole::named(word),
    }
}

#[derive(Default)]
struct ShareGpt;

impl ShareGpt {
    fn turn(turn: JsonValue<'_>, out: &mut TextWriter) {
        let from = turn.text_of("from").unwrap_or_default();
        let Some(value) = turn.get("value").filter(|_| is_turn(turn)) else { return unknown(turn, out) };
        let role = speaker(&from);
        let label = MessageRole::named(&from).is_none().then(|| from.as_ref().into());
        out.message(Message { role, label, ..Message::default() });
        match role {
            Some(MessageRole::Tool) => result(ToolResult::default(), Some(value), out),
            _ => parts_of(value, role, out),
        }
    }
}

impl RecordReader for ShareGpt {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        if let Some(turns) = turns(value) {
            out.conversation(value.first_of(&["id", "conversation_id"]).and_then(JsonValue::scalar_text));
            if let Some(system) = value.string_of("system").filter(|system| !system.is_void()) {
                said_by(MessageRole::System, system, out);
            }
            turns.items().for_each(|turn| Self::turn(turn, out));
        } else if value.kind() == JsonKind::Array {
            out.conversation(None);
            value.items().for_each(|turn| Self::turn(turn, out));
        } else {
            Self::turn(value, out);
        }
    }
}
