//! Answers of Ollama: complete ones, or the lines of a stream.
//!
//! | member | content |
//! |---|---|
//! | `message` | `role`, `content`, `thinking`, `tool_calls: [{function: {name, arguments}}]`: of a chat |
//! | `response`, `thinking` | bare text, where the model continues a prompt |
//! | `done` | `true` in the last line of the answer |
//! | `error` | the error message |
//! | `created_at` | when the line was written: in the last one, the end of the answer |
//! | `total_duration`, `load_duration`, `prompt_eval_duration` | nanoseconds, in the last line as are the counts of tokens |
//!
//! Each line of a stream holds the next part of the text, or complete calls. Requests have the form of chat
//! completions. The shapes are from the program's `docs/api.md`.

use super::answer;
use super::call;
use super::facts::{Fact, RequestFacts};
use super::fragment::Fragment;
use super::json::JsonValue;
use super::messages::unknown;
use super::usage;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader,
};
use crate::diagnostic::Code;
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "ollama",
    title: "answers of Ollama",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Ollama> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let record = head.value()?;
    let says = record.get("message").is_some() || record.string_of("response").is_some();
    let is_own = says && record.truth_of("done").is_some() && record.get("model").is_some();
    is_own.then_some(Claim::Sure("its records have a model, a message or response, and done"))
}

/// Kind of the open part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum OpenWords {
    #[default]
    Nothing,
    Thought,
    Text,
}

#[derive(Default)]
struct Ollama {
    /// True if a message is open and its `done` line has not arrived.
    is_open: bool,
    words: OpenWords,
}

impl Ollama {
    fn write_text(&mut self, kind: OpenWords, words: Option<JsonValue<'_>>, out: &mut TextWriter) {
        let Some(words) = words.filter(|words| !words.is_void()) else { return };
        if self.words != kind {
            out.begin(match kind {
                OpenWords::Thought => MessagePart::Reasoning,
                _ => MessagePart::Text(Interpretation::Parsed),
            });
            self.words = kind;
        }
        out.value(words);
    }

    fn pause(&mut self, out: &mut TextWriter) {
        self.words = OpenWords::Nothing;
        out.end();
    }
}

/// The request that ends with the last line of an answer.
fn request(last: JsonValue<'_>) -> RequestFacts {
    let seconds = |key: &str| last.get(key)?.fraction().map(|nanoseconds| nanoseconds / 1e9);
    let end = answer::time_of(last, &["created_at"]);
    let start = end.zip(seconds("total_duration")).and_then(|(end, took)| answer::after(end, -took));
    let before_first = seconds("prompt_eval_duration").map(|took| took + seconds("load_duration").unwrap_or_default());
    RequestFacts {
        model: last.words_of("model"),
        usage: usage::ollama(last),
        start,
        first_token: start.zip(before_first).and_then(|(start, took)| answer::after(start, took)),
        end,
        stop: last.words_of("done_reason"),
        ..RequestFacts::default()
    }
}

impl RecordReader for Ollama {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        let said = value.get("message").unwrap_or(value);
        if let Some(error) = value.get("error") {
            self.pause(out);
            let words = error.text().unwrap_or_default();
            out.problem(Code::AnswerStopped, error.source(), format!("the program reports an error: {words}"));
            out.envelope("error", error);
            self.is_open = false;
            return;
        }
        if value.truth_of("done").is_none() {
            self.pause(out);
            return unknown(value, out);
        }
        if !std::mem::replace(&mut self.is_open, true) {
            let role = said.text_of("role").and_then(|role| MessageRole::named(&role));
            out.message(Message {
                time: value.words_of("created_at"),
                model: value.words_of("model"),
                ..Message::from_role(role.unwrap_or(MessageRole::Assistant))
            });
            self.words = OpenWords::Nothing;
        }
        self.write_text(OpenWords::Thought, said.get("thinking"), out);
        self.write_text(OpenWords::Text, said.first_of(&["content", "response"]), out);
        for call in said.get("tool_calls").into_iter().flat_map(|calls| calls.items()) {
            self.pause(out);
            let function = call.get("function").unwrap_or(call);
            // In some versions the call has an id.
            let shown = if call.get("id").is_some() { call } else { function };
            out.stand(call::part(shown, None), shown);
        }
        if value.truth_of("done") == Some(true) {
            self.pause(out);
            self.is_open = false;
            out.fact(Fact::Request(request(value)));
        }
    }

    fn between_records(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.pause(out);
        out.piece(piece, fragment);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        if self.is_open {
            out.problem(Code::StreamCutOff, Span::at(at), "the stream ends before the answer is complete");
        }
    }
}
