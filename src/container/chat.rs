//! Requests, answers and conversations of the chat completions interface, in JSON or JSON lines.
//!
//! | record | members |
//! |---|---|
//! | a request, a data set's line | `messages` |
//! | an answer | `choices: [{message}]`, `model`, `created`, `usage` |
//! | a conversation | an array of messages |
//! | a run of a benchmark | `traj` or `trajectory`, an array of messages |
//!
//! This module does not know what a message holds.

use super::json::{JsonKind, JsonValue};
use super::messages::{message, parts_of, said_by, unknown};
use super::writer::TextWriter;
use super::{CallSource, Claim, ContainerInfo, FileHead, FormatReader, JsonRecord, Message, MessageRole, RecordReader};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "openai-chat",
    title: "chat completions",
    claims,
    calls: CallSource::Either,
    open: FormatReader::records::<Chat>,
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    if let Some(choices) = value.get("choices") {
        let first = choices.items().next()?;
        return first.get("message").map(|_| Claim::Sure("it is an object with choices that have a message"));
    }
    for key in ["messages", "traj"] {
        if let Some(messages) = value.get(key) {
            return is_message(messages.items().next()?)
                .then_some(Claim::Sure("it is an object with a list of messages"));
        }
    }
    let first = (value.kind() == JsonKind::Array).then(|| value.items().next()).flatten()?;
    if is_message(first) {
        return Some(Claim::Sure("it is an array of messages"));
    }
    let inner = ["messages", "traj"].iter().find_map(|key| first.get(key)?.items().next())?;
    is_message(inner).then_some(Claim::Sure("it is an array of objects with messages"))
}

/// Whether a value is a message: it says who speaks, and what.
pub(super) fn is_message(value: JsonValue<'_>) -> bool {
    let speaks = value.text_of("role").is_some_and(|role| MessageRole::named(&role).is_some());
    speaks && ["content", "tool_calls", "function_call", "parts"].iter().any(|key| value.get(key).is_some())
}

/// A reader of messages and of what is around them.
#[derive(Default)]
pub(super) struct Chat {
    /// What is known of the messages from what is around them.
    about: Message,
}

impl Chat {
    /// An object in which messages may be.
    fn around(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        if is_message(value) {
            message(value, self.about.clone(), out);
            return;
        }
        let keys =
            ["request", "body", "messages", "input", "traj", "trajectory", "history", "response", "choices", "output"];
        let mut found = false;
        for inner in keys.iter().filter_map(|key| value.get(key)).filter(|inner| inner.kind() != JsonKind::Word) {
            found = true;
            self.list(inner, out);
        }
        if let Some(inner) = value.get("message").filter(|inner| inner.kind() == JsonKind::Object) {
            found = true;
            self.around(inner, out);
        }
        if !found {
            unknown(value, out);
        }
    }

    fn list(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        match value.kind() {
            JsonKind::Array => value.items().for_each(|item| self.list(item, out)),
            JsonKind::Object => self.around(value, out),
            JsonKind::Text => {
                said_by(MessageRole::User, value, out);
            }
            JsonKind::Word => {}
        }
    }
}

impl RecordReader for Chat {
    fn drill(&self) -> &'static [&'static str] {
        &["messages", "traj", "trajectory"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match record.member {
            // An element of an array, or a member that holds messages.
            None | Some("messages" | "traj" | "trajectory" | "choices" | "request" | "response" | "body") => {
                self.list(value, out);
            }
            Some("model") => self.about.model = value.words(),
            Some("created" | "created_at") => self.about.time = value.words(),
            Some("id") => self.about.id = value.words(),
            Some("system") => said_by(MessageRole::System, value, out),
            // An answer that is itself a message.
            Some("content") => {
                out.message(Message { role: Some(MessageRole::Assistant), ..self.about.clone() });
                parts_of(value, Some(MessageRole::Assistant), out);
            }
            Some("error") if value.kind() != JsonKind::Word => out.envelope("error", value),
            // Settings, tools, counts.
            Some(_) => {}
        }
    }

    fn close(&mut self, _out: &mut TextWriter) {
        *self = Self::default();
    }
}
