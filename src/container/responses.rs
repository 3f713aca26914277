//! Requests and answers of the responses interface, in JSON or JSON lines.
//!
//! | record | members |
//! |---|---|
//! | a request | `input`: a string or items, `instructions` |
//! | an answer | `object: "response"`, `id`, `model`, `created_at`, `output`: items |
//!
//! This module does not know what an item holds.

use super::items::ResponseItems;
use super::json::{JsonKind, JsonValue};
use super::messages::said_by;
use super::writer::TextWriter;
use super::{CallSource, Claim, ContainerInfo, FileHead, FormatReader, JsonRecord, Message, MessageRole, RecordReader};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "openai-responses",
    title: "responses",
    claims,
    calls: CallSource::Either,
    open: FormatReader::records::<Responses>,
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    if value.says("object", "response") && value.get("output").is_some() {
        return Some(Claim::Sure("it is an object of the kind response with output"));
    }
    let input = value.get("input")?;
    let is_item = |item: JsonValue<'_>| item.first_of(&["type", "role"]).is_some();
    let is_list = input.kind() == JsonKind::Array && input.items().next().is_some_and(is_item);
    let is_request = value.get("model").is_some() && (is_list || value.get("instructions").is_some());
    is_request.then_some(Claim::Sure("it is an object with a model and input"))
}

#[derive(Default)]
struct Responses {
    items: ResponseItems,
    about: Message,
}

impl RecordReader for Responses {
    fn drill(&self) -> &'static [&'static str] {
        &["input", "output"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match record.member {
            Some("instructions") if !value.is_void() => {
                said_by(MessageRole::System, value, out);
                self.items.pause();
            }
            Some("input" | "output") if value.kind() == JsonKind::Text => {
                said_by(MessageRole::User, value, out);
                self.items.pause();
            }
            None | Some("input" | "output") => self.items.take(value, &self.about, out),
            Some("model") => self.about.model = value.words(),
            Some("created_at") => self.about.time = value.words(),
            Some("id") => self.about.id = value.words(),
            Some("error") if value.kind() != JsonKind::Word => out.envelope("error", value),
            // Settings, tools, counts.
            Some(_) => {}
        }
    }

    fn close(&mut self, _out: &mut TextWriter) {
        *self = Self::default();
    }
}
