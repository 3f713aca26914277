//! Streams of the chat completions interface: events, or their data alone on a line each.
//!
//! ```text
//! chunk = {id, model, created, choices: [{index, delta, finish_reason}], usage}
//! delta = {role, content, reasoning_content, refusal, tool_calls: [{index, id, function: {name, arguments}}]}
//! ```
//!
//! Id and name of a call are in its first delta; some providers send all of a call in one. The arguments are a string,
//! and the deltas are stretches of it, so they are joined as they are written. A chunk with another id begins another
//! message.

use super::call::CallText;
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages::unknown;
use super::parts::OpenParts;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, FileHead, FormatReader, Interpretation, JsonRecord, Message, MessagePart,
    MessageRole, RecordReader,
};
use crate::diagnostic::Code;
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "openai-chat-stream",
    title: "a stream of chat completions",
    claims,
    calls: CallSource::Either,
    open: FormatReader::records::<Stream>,
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let chunk = head.record()?;
    let is_named = chunk.says("object", "chat.completion.chunk");
    let has_delta = chunk.get("choices").and_then(|choices| choices.items().next()?.get("delta")).is_some();
    (is_named || has_delta).then_some(Claim::Sure("it has chunks of choices with a delta"))
}

/// How the arguments of an open call are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arguments {
    Waiting,
    Text,
    Whole,
}

#[derive(Default)]
struct Stream {
    parts: OpenParts,
    /// Keys of the open calls, and how far each has come.
    calls: Vec<(String, Arguments)>,
    /// Key of the open text.
    text: Option<&'static str>,
    id: Option<Box<str>>,
    open: bool,
    /// Whether the model said why it stopped.
    finished: bool,
}

impl Stream {
    fn begin(&mut self, chunk: JsonValue<'_>, out: &mut TextWriter) {
        let id = chunk.words_of("id");
        if self.open && (id == self.id || id.is_none()) {
            return;
        }
        self.end(chunk.source().start, out);
        self.open = true;
        self.id = id;
        self.finished = false;
        out.message(Message {
            role: Some(MessageRole::Assistant),
            time: chunk.get("created").filter(|time| time.raw() != b"0").and_then(JsonValue::words),
            model: chunk.words_of("model"),
            id: self.id.clone(),
            ..Message::default()
        });
    }

    /// Words go on, or others begin.
    fn say(&mut self, key: &'static str, piece: MessagePart, words: JsonValue<'_>, out: &mut TextWriter) {
        if words.kind() != JsonKind::Text || words.is_void() {
            return;
        }
        if self.text != Some(key) {
            self.hush(out);
            self.parts.open(key, piece, out);
            self.text = Some(key);
        }
        self.parts.write(key, &Fragment::from_value(words), out);
    }

    fn hush(&mut self, out: &mut TextWriter) {
        if let Some(key) = self.text.take() {
            self.parts.close(key, out);
        }
    }

    fn call(&mut self, choice: &str, call: JsonValue<'_>, out: &mut TextWriter) {
        let number = call.number_of("index").unwrap_or_default();
        let key = format!("{choice}/{number}");
        let function = call.get("function").unwrap_or(call);
        let start = call.source().start;
        if !self.parts.has(&key) {
            self.hush(out);
            let mut head = CallText::default();
            head.text.add("{", start);
            if let Some(id) = call.string_of("id") {
                head.text.add("\"id\":", id.source().start);
                let end = head.id(Some(id), start);
                head.text.add(",", end);
            }
            head.text.add("\"type\":\"function\",\"function\":{\"name\":", start);
            head.name(function.get("name"), "", start);
            self.parts.open_call(&key, &head, out);
            self.calls.push((key.clone(), Arguments::Waiting));
        }
        let Some(arguments) = function.get("arguments").filter(|arguments| arguments.kind() != JsonKind::Word) else {
            return;
        };
        let Some((_, state)) = self.calls.iter_mut().find(|(known, _)| *known == key) else { return };
        let mut fragment = Fragment::default();
        let at = arguments.source().start;
        match (*state, arguments.kind()) {
            (Arguments::Whole, _) => return,
            (Arguments::Waiting, JsonKind::Text) => {
                fragment.add(",\"arguments\":\"", at);
                fragment.content(arguments);
                *state = Arguments::Text;
            }
            (Arguments::Waiting, _) => {
                fragment.add(",\"arguments\":", at);
                fragment.stand(arguments);
                *state = Arguments::Whole;
            }
            (Arguments::Text, _) => fragment.content(arguments),
        }
        self.parts.write(&key, &fragment, out);
    }

    /// The parts of the message end; `whole` says that the model has ended them.
    fn close(&mut self, at: usize, whole: bool, out: &mut TextWriter) {
        self.text = None;
        for (key, state) in std::mem::take(&mut self.calls) {
            if whole {
                let mut tail = Fragment::default();
                let words = match state {
                    Arguments::Waiting => ",\"arguments\":\"\"}}",
                    Arguments::Text => "\"}}",
                    Arguments::Whole => "}}",
                };
                tail.add(words, at);
                self.parts.write(&key, &tail, out);
            }
        }
        self.parts.close_all(out);
    }

    fn end(&mut self, at: usize, out: &mut TextWriter) {
        if std::mem::take(&mut self.open) && !self.finished {
            out.problem(Code::StreamCutOff, Span::at(at), "the stream ends before its message does");
        }
        self.close(at, false, out);
    }
}

impl RecordReader for Stream {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let chunk = record.value;
        let Some(choices) = chunk.get("choices") else {
            if chunk.get("error").is_some() {
                self.parts.stand("error", chunk, out);
            } else if !["usage", "x_groq", "prompt_filter_results"].iter().any(|key| chunk.get(key).is_some()) {
                self.hush(out);
                if self.parts.any_open() {
                    let message = "this chunk is not known here; it is shown as it stands";
                    out.problem(Code::UnknownRecord, chunk.source(), message);
                    self.parts.stand("chunk", chunk, out);
                } else {
                    unknown(chunk, out);
                }
            }
            return;
        };
        for choice in choices.items() {
            self.begin(chunk, out);
            let number = choice.get("index").map(|index| String::from_utf8_lossy(index.raw()).into_owned());
            let number = number.unwrap_or_default();
            if let Some(delta) = choice.get("delta") {
                for key in ["reasoning_content", "reasoning"] {
                    if let Some(words) = delta.get(key) {
                        self.say("reasoning", MessagePart::Reasoning, words, out);
                    }
                }
                for key in ["content", "refusal"] {
                    if let Some(words) = delta.get(key) {
                        self.say("text", MessagePart::Text(Interpretation::Parsed), words, out);
                    }
                }
                for call in delta.get("tool_calls").into_iter().flat_map(|calls| calls.items()) {
                    self.call(&number, call, out);
                }
                if let Some(call) = delta.get("function_call").filter(|call| call.kind() == JsonKind::Object) {
                    self.call("function", call, out);
                }
            }
            if choice.get("finish_reason").is_some_and(|reason| reason.kind() == JsonKind::Text) {
                self.finished = true;
                self.close(choice.source().end, true, out);
            }
        }
    }

    fn aside(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.hush(out);
        self.parts.whole(piece, fragment.clone(), out);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.end(at, out);
    }
}
