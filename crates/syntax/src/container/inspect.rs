//! Evaluation logs of Inspect in JSON, and single samples from them.
//!
//! | member | content |
//! |---|---|
//! | `version`, `status`, `eval: {task, model}`, `results`, `stats` | of the evaluation |
//! | `samples` | `id`, `epoch`, `started_at`, `input`, `target`, `messages`, `scores`, `error` |
//!
//! A message is one of chat completions, except that a call's `function` is its name, `arguments` is an object, and a
//! failed answer has an `error`. Each sample is a conversation. In the archive format (`.eval`) each is a file. Of the
//! `events` of a sample, only the sandbox's add to the messages; others have tokens and times.

mod facts;

use super::items::made_call;
use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, unknown};
use super::unread_text;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FormatReader, JsonRecord, Message, MessageRole, RecordReader,
    ToolResult,
};
use facts::{SampleRequests, all_of, calls_and_compactions};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "inspect",
    title: "a log of Inspect",
    calls: CallSource::Either,
    definition: Definition::Code {
        claims: |head| {
            let value = head.value()?;
            let has = |key: &str| value.get(key).is_some();
            if has("eval") && has("status") && has("version") {
                return Some(Claim::Sure("it is an object with a version, a status and an eval"));
            }
            let is_sample = has("epoch") && has("target") && has("messages");
            is_sample.then_some(Claim::Sure("it is a sample with an epoch, a target and messages"))
        },
        open: FormatReader::records::<Log>,
    },
};

#[derive(Default)]
struct Log {
    model: Option<Box<str>>,
    /// Start of the evaluation.
    created: Option<Box<str>>,
    /// Id of the sample if the object is a sample itself, whose members arrive one by one.
    sample: Option<Box<str>>,
    /// Start of that sample, until a message has stated it.
    began: Option<Box<str>>,
}

/// Time of the first event of a sample.
fn first_event(sample: JsonValue<'_>) -> Option<Box<str>> {
    sample.get("events")?.items().next()?.words_of("timestamp")
}

/// Writes the commands and files of a sample's sandbox, which its messages do not have.
fn sandbox(events: Option<JsonValue<'_>>, out: &mut TextWriter) {
    for event in all_of(events, "sandbox") {
        let time = event.words_of("timestamp");
        out.message(Message { time, ..Message::from_role(MessageRole::Tool) }.with_label("sandbox"));
        out.envelope("sandbox", event);
    }
}

impl Log {
    fn sample(&self, value: JsonValue<'_>, out: &mut TextWriter) {
        let number = |key: &str| value.words_of(key).unwrap_or_else(|| "?".into());
        out.conversation(Some(format!("{}, epoch {}", number("id"), number("epoch")).into()));
        let mut began = value.words_of("started_at").or_else(|| first_event(value)).or_else(|| self.created.clone());
        let events = value.get("events");
        let mut requests = SampleRequests::new(events);
        match value.get("messages").filter(|list| list.kind() == JsonKind::Array && !list.is_void()) {
            Some(list) => {
                for (number, said) in list.items().enumerate() {
                    self.message(said, began.take_if(|_| number == 0), out);
                    requests.say_of(said.words_of("id").as_deref(), out);
                }
            }
            None => {
                if let Some(input) = value.get("input") {
                    out.message(Message { time: began, ..Message::from_role(MessageRole::User) });
                    parts_of(input, Some(MessageRole::User), out);
                }
            }
        }
        requests.write_remaining(out);
        calls_and_compactions(events, out);
        sandbox(events, out);
        for key in ["error", "scores"] {
            if let Some(told) = value.get(key).filter(|told| !told.is_void()) {
                out.envelope(key, told);
            }
        }
    }

    fn message(&self, value: JsonValue<'_>, time: Option<Box<str>>, out: &mut TextWriter) {
        let role = value.text_of("role").and_then(|role| MessageRole::named(&role));
        let model = value.words_of("model").or_else(|| self.model.clone());
        out.message(Message {
            role,
            time,
            model: model.filter(|_| role == Some(MessageRole::Assistant)),
            id: value.words_of("id"),
            ..Message::default()
        });
        let before = out.yielded();
        let content = value.get("content");
        if role == Some(MessageRole::Tool) {
            let error = value.get("error").filter(|error| !error.is_void());
            let words = content.filter(|content| !content.is_void());
            let words = words.or_else(|| error.and_then(|error| error.get("message")));
            return result(ToolResult::new(value.words_of("tool_call_id"), Some(error.is_some())), words, out);
        }
        if let Some(content) = content {
            parts_of(content, role, out);
        }
        for call in value.get("tool_calls").into_iter().flat_map(|calls| calls.items()) {
            let made = made_call(call, call.get("id"), call.string_of("function"), "tool", call.get("arguments"));
            out.piece(made.part(None), &made.text);
        }
        unread_text::unless_shown(value, before, out);
    }
}

impl RecordReader for Log {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &["samples", "messages"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match record.member {
            Some("samples") => self.sample(value, out),
            // The object is a sample itself.
            Some("messages") => {
                if let Some(id) = self.sample.take() {
                    out.conversation(Some(id));
                }
                let began = self.began.take();
                self.message(value, began, out);
            }
            Some("id") => self.sample = value.scalar_text(),
            Some("started_at") => self.began = value.scalar_text(),
            Some("eval") => {
                self.model = value.words_of("model");
                self.created = value.words_of("created");
            }
            Some(key @ ("error" | "scores")) if !value.is_void() => out.envelope(key, value),
            Some("events") => {
                SampleRequests::new(Some(value)).write_remaining(out);
                calls_and_compactions(Some(value), out);
                sandbox(Some(value), out);
            }
            // Settings and counts.
            Some(_) => {}
            None if value.get("messages").is_some() => self.sample(value, out),
            None => unknown(value, out),
        }
    }

    fn close(&mut self, _out: &mut TextWriter) {
        *self = Self::default();
    }
}
