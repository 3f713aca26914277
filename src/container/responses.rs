//! Requests, answers and items of the responses interface, in JSON or JSON lines.
//!
//! | record | members |
//! |---|---|
//! | a request | `input`: a string or items, `instructions` |
//! | an answer | `object: "response"`, `id`, `model`, `created_at`, `output`: items |
//! | an item without anything around it | `type`, and what it holds |
//!
//! This module does not know what an item holds.

use super::items::ResponseItems;
use super::json::{JsonKind, JsonValue};
use super::messages::said_by;
use super::quiet_members::QuietMembers;
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
    if value.kind() == JsonKind::Array {
        // A person's message is the same in many containers; an item behind it tells.
        return value.items().any(is_item).then_some(Claim::Sure("it is an array of items of a response"));
    }
    if is_item(value) {
        return Some(Claim::Sure("it is an item of a response, such as a function_call"));
    }
    if value.says("object", "response") && value.get("output").is_some() {
        return Some(Claim::Sure("it is an object of the kind response with output"));
    }
    if value.says("type", "message") && value.get("role").is_some() {
        let is_answer = value.first_of(&["model", "usage", "stop_reason"]).is_some();
        return (!is_answer).then_some(Claim::Likely("it is an object of type message with a role"));
    }
    let input = value.get("input")?;
    let is_spoken = |item: JsonValue<'_>| item.first_of(&["type", "role"]).is_some();
    let is_list = input.kind() == JsonKind::Array && input.items().next().is_some_and(is_spoken);
    let is_request = value.get("model").is_some() && (is_list || value.get("instructions").is_some());
    is_request.then_some(Claim::Sure("it is an object with a model and input"))
}

/// Whether a value is an item that nobody else writes.
fn is_item(value: JsonValue<'_>) -> bool {
    let has = |key: &str| value.get(key).is_some();
    match value.text_of("type").unwrap_or_default().as_ref() {
        "reasoning" => has("summary") || has("encrypted_content"),
        "message" => {
            let content = value.get("content").filter(|content| content.kind() == JsonKind::Array);
            let is_part = |part: JsonValue<'_>| part.says("type", "input_text") || part.says("type", "output_text");
            has("role") && content.is_some_and(|content| content.items().any(is_part))
        }
        kind if kind.ends_with("_call_output") || kind == "tool_search_output" => has("call_id") || has("output"),
        kind if kind.ends_with("_call") => has("call_id") || (has("id") && has("status")),
        _ => false,
    }
}

#[derive(Default)]
struct Responses {
    items: ResponseItems,
    about: Message,
    quiet: QuietMembers,
}

impl Responses {
    /// A member of a request or of an answer, or an element of one.
    fn member(&mut self, key: &str, value: JsonValue<'_>, out: &mut TextWriter) {
        match key {
            "instructions" if !value.is_void() => {
                said_by(MessageRole::System, value, out);
                self.items.pause();
            }
            "input" | "output" if value.kind() == JsonKind::Text => {
                said_by(MessageRole::User, value, out);
                self.items.pause();
            }
            "input" | "output" => self.items.take(value, &self.about, out),
            "error" if !value.is_void() => out.envelope("error", value),
            _ => {
                match key {
                    "model" => self.about.model = value.words(),
                    "created_at" => self.about.time = value.words(),
                    "id" => self.about.id = value.words(),
                    // An answer without output says no more than that.
                    "object" if value.text().is_some_and(|text| text == "response") => self.quiet.speak(),
                    // Settings, tools, counts.
                    _ => {}
                }
                return self.quiet.hold(key, value, out);
            }
        }
        self.quiet.speak();
    }

    /// A request or an answer that is taken as a whole: there is no list of items in it.
    fn document(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        for member in value.items() {
            let is_list = member.kind() == JsonKind::Array && matches!(member.key().as_ref(), "input" | "output");
            let elements = member.items().filter(|_| is_list);
            let whole = (!is_list).then_some(member);
            elements.chain(whole).for_each(|value| self.member(&member.key(), value, out));
        }
        self.end(out);
    }

    fn end(&mut self, out: &mut TextWriter) {
        self.quiet.close(out);
        *self = Self::default();
    }
}

impl RecordReader for Responses {
    fn drill(&self) -> &'static [&'static str] {
        &["input", "output"]
    }

    fn whole(&self) -> &'static [&'static str] {
        &["type", "call_id"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match record.member {
            Some(key) => self.member(key, value, out),
            None if value.kind() != JsonKind::Object => self.items.take(value, &self.about, out),
            None => {
                let kind = value.text_of("type").unwrap_or_default();
                let is_spoken = kind.is_empty() && value.get("role").is_some();
                if is_spoken || ResponseItems::knows(&kind) {
                    self.items.take(value, &self.about, out);
                } else {
                    self.document(value, out);
                }
            }
        }
    }

    fn close(&mut self, out: &mut TextWriter) {
        self.end(out);
    }
}
