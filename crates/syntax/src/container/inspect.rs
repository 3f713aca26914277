//! Evaluation logs of Inspect in JSON, and single samples from them.
//!
//! | member | content |
//! |---|---|
//! | `version`, `status`, `eval: {task, model}`, `results`, `stats` | of the evaluation; while it runs, there is no status yet |
//! | `samples` | `id`, `epoch`, `started_at`, `input`, `target`, `messages`, `scores`, `error`, `attachments` |
//!
//! A message is one of chat completions, except that a call's `function` is its name, `arguments` is an object, and a
//! failed answer has an `error`. Each sample is a conversation. In the archive format (`.eval`) each is a file: the
//! source joins them, the evaluation first, each on separate lines, and states one that cannot be read as an object with
//! `unreadable_sample` and `reason`. Of the `events` of a sample, only the sandbox's add to the messages; others have
//! tokens and times. If a sample has no messages, the input and the output of its last request are its conversation;
//! newer logs store such inputs once, in `events_data`.
//!
//! A sample is read as a whole, since texts of its messages may be in its last members. One that is too large for that
//! is read message by message, and its attachments are shown after them.

mod attachments;
mod facts;

use super::facts::{Fact, SessionFact, TitleKind};
use super::items::made_call;
use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, unknown};
use super::unread_text;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FormatReader, JsonRecord, Message, MessageRole, RecordReader,
    ToolResult,
};
use crate::diagnostic::Code;
use attachments::Attachments;
use facts::{SampleRequests, all_of, calls_and_compactions, last_request};

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
            if has("eval") && has("plan") && has("version") {
                return Some(Claim::Sure("it is an object with a version, an eval and a plan"));
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
    /// The sample whose members arrive one by one.
    sample: OpenSample,
}

/// State of a sample that is read in parts.
#[derive(Default)]
struct OpenSample {
    id: Option<Box<str>>,
    epoch: Option<Box<str>>,
    /// True if its conversation has begun.
    is_begun: bool,
    /// Start of the sample, until a message has stated it.
    began: Option<Box<str>>,
}

impl OpenSample {
    /// Begins the conversation of the sample, unless that is done.
    fn begin(&mut self, out: &mut TextWriter) {
        if !std::mem::replace(&mut self.is_begun, true) {
            out.conversation(Some(title(self.id.take(), self.epoch.take())));
        }
    }
}

/// The title of a sample's conversation: `7, epoch 1`.
fn title(id: Option<Box<str>>, epoch: Option<Box<str>>) -> Box<str> {
    let word = |number: Option<Box<str>>| number.unwrap_or_else(|| "?".into());
    format!("{}, epoch {}", word(id), word(epoch)).into()
}

/// Time of the first event of a sample.
fn first_event(sample: JsonValue<'_>) -> Option<Box<str>> {
    sample.get("events")?.items().next()?.words_of("timestamp")
}

/// Writes the commands and files of a sample's sandbox, which its messages do not have.
fn sandbox(events: Option<JsonValue<'_>>, texts: &mut Attachments<'_>, out: &mut TextWriter) {
    for event in all_of(events, "sandbox") {
        let time = event.words_of("timestamp");
        out.message(Message { time, ..Message::from_role(MessageRole::Tool) }.with_label("sandbox"));
        texts.resolve(event, |event| out.envelope("sandbox", event));
    }
}

/// Reports a sample that the archive holds but that cannot be decompressed.
fn unreadable(name: JsonValue<'_>, record: JsonValue<'_>, out: &mut TextWriter) {
    let path = name.text().unwrap_or_default();
    out.conversation(Some(path.as_ref().into()));
    let reason = record.text_of("reason").unwrap_or_default();
    out.problem(Code::BrokenRecord, record.source(), format!("could not read the sample {path}: {reason}"));
    out.envelope("sample", record);
}

fn is_list(value: &JsonValue<'_>) -> bool {
    value.kind() == JsonKind::Array && !value.is_void()
}

impl Log {
    /// Reads the description of the evaluation.
    fn evaluation(&mut self, eval: JsonValue<'_>, out: &mut TextWriter) {
        self.model = eval.words_of("model");
        self.created = eval.words_of("created");
        out.session_id(|| eval.words_of("eval_id"));
        if let Some(task) = eval.words_of("task") {
            out.fact(Fact::Session(SessionFact::Title(task, TitleKind::Given)));
        }
    }

    fn sample(&self, value: JsonValue<'_>, out: &mut TextWriter) {
        out.conversation(Some(title(value.words_of("id"), value.words_of("epoch"))));
        let mut began = value.words_of("started_at").or_else(|| first_event(value)).or_else(|| self.created.clone());
        let mut texts = Attachments::new(value);
        let events = value.get("events");
        let mut requests = SampleRequests::new(events);
        let messages = match value.get("messages").filter(is_list) {
            Some(list) => list.items().collect(),
            None => last_request(value),
        };
        if messages.is_empty()
            && let Some(input) = value.get("input")
        {
            texts.resolve(input, |input| self.input(input, began.take(), out));
        }
        for said in messages {
            texts.resolve(said, |said| self.message(said, began.take(), out));
            requests.say_of(said.words_of("id").as_deref(), out);
        }
        requests.write_remaining(out);
        calls_and_compactions(events, out);
        sandbox(events, &mut texts, out);
        for key in ["error", "scores"] {
            if let Some(told) = value.get(key).filter(|told| !told.is_void()) {
                texts.resolve(told, |told| out.envelope(key, told));
            }
        }
    }

    /// Writes the input of a sample without messages: a prompt, or messages.
    fn input(&self, input: JsonValue<'_>, mut time: Option<Box<str>>, out: &mut TextWriter) {
        if is_list(&input) {
            return input.items().for_each(|said| self.message(said, time.take(), out));
        }
        out.message(Message { time, ..Message::from_role(MessageRole::User) });
        parts_of(input, Some(MessageRole::User), out);
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

    fn single_record_keys(&self) -> &'static [&'static str] {
        &["epoch"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match record.member {
            Some("samples") => self.sample(value, out),
            // The object is a sample itself.
            Some("messages") => {
                self.sample.begin(out);
                let began = self.sample.began.take();
                self.message(value, began, out);
            }
            Some("id") => self.sample.id = value.scalar_text(),
            Some("epoch") => self.sample.epoch = value.scalar_text(),
            Some("started_at") => self.sample.began = value.scalar_text(),
            Some("eval") => self.evaluation(value, out),
            Some(key @ ("error" | "scores")) if !value.is_void() => out.envelope(key, value),
            Some("attachments") if self.sample.is_begun => {
                value.items().for_each(|text| out.envelope("attachment", text));
            }
            Some("events") => {
                SampleRequests::new(Some(value)).write_remaining(out);
                calls_and_compactions(Some(value), out);
                sandbox(Some(value), &mut Attachments::new(value), out);
            }
            // Settings and counts.
            Some(_) => {}
            None => {
                let is_sample = value.get("messages").is_some() || value.get("epoch").is_some();
                if let Some(name) = value.get("unreadable_sample") {
                    unreadable(name, value, out);
                } else if let Some(eval) = value.get("eval").filter(|_| !is_sample) {
                    self.evaluation(eval, out);
                    if let Some(error) = value.get("error").filter(|error| !error.is_void()) {
                        out.envelope("error", error);
                    }
                } else if is_sample {
                    self.sample(value, out);
                } else {
                    unknown(value, out);
                }
            }
        }
    }

    fn close(&mut self, _out: &mut TextWriter) {
        self.sample = OpenSample::default();
    }
}
