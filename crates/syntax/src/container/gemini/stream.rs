//! Answers of the Gemini API: complete ones, or the chunks of a stream, which are server-sent events, the elements of
//! an array, or lines.
//!
//! ```text
//! chunk     = {candidates: [{content: {role, parts}, finishReason, index}], usageMetadata, modelVersion, responseId}
//! call      = {functionCall: {name, args}}
//!           | {functionCall: {name, willContinue}} {functionCall: {partialArgs, willContinue}}* {functionCall: {}}?
//! ```
//!
//! Each chunk looks like an answer. A text continues in the next part of the same kind. Chunks with the same
//! `responseId` are one message; without an id, a message ends with its `finishReason`. Candidates with an index are
//! alternatives, each a separate message. The last `usageMetadata` of a message counts all of its tokens.

use super::super::answer;
use super::super::call::CallText;
use super::super::facts::{Fact, RequestFacts};
use super::super::fragment::Fragment;
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::{standing, unknown};
use super::super::usage;
use super::super::writer::TextWriter;
use super::super::{
    CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord,
    Message, MessagePart, MessageRole, RecordReader, ToolResult,
};
use super::arguments::GeminiArguments;
use super::parts::{GeminiPart, code_result, member, parts};
use crate::diagnostic::{Code, Severity};
use crate::text::Span;

pub(in crate::container) static ABOUT: ContainerInfo = ContainerInfo {
    name: "gemini-stream",
    title: "a stream of a Gemini answer",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Dump> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let record = head.record()?;
    let chunk = if record.kind() == JsonKind::Array { record.items().next()? } else { record };
    let Some(candidate) = first_candidate(chunk) else {
        let counts = member(chunk, "usageMetadata").is_some() && member(chunk, "modelVersion").is_some();
        return counts.then_some(Claim::Sure("its first event has usageMetadata and a modelVersion"));
    };
    if member(candidate, "finishReason").is_some() && matches!(head, FileHead::Value(_)) {
        return Some(Claim::Likely("its records have candidates"));
    }
    Some(Claim::Sure("it begins with a chunk that has candidates"))
}

/// The first candidate of an answer, if it is from this API.
pub(in crate::container) fn first_candidate(value: JsonValue<'_>) -> Option<JsonValue<'_>> {
    let first = value.get("candidates")?.items().next()?;
    let is_own = member(first, "finishReason").is_some() || member(first, "content")?.get("parts").is_some();
    is_own.then_some(first)
}

/// Finish reasons that leave the answer as the model gave it.
const FINE: [&str; 3] = ["STOP", "MAX_TOKENS", "FINISH_REASON_UNSPECIFIED"];

/// Finish reasons that mean that a call of the model is lost.
const CALL_LOST: [&str; 5] = [
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MALFORMED_RESPONSE",
    "MISSING_THOUGHT_SIGNATURE",
];

/// The open part of the message.
#[derive(Debug, Default)]
enum Open {
    #[default]
    Nothing,
    Text,
    Thought,
    /// A call whose arguments arrive in pieces.
    Call(GeminiArguments),
}

/// Reads the answers of a file, chunk by chunk.
#[derive(Debug, Default)]
pub(in crate::container) struct GeminiAnswers {
    /// The id of the open message, if it has one, and the index of its candidate.
    message: Option<(Option<Box<str>>, u64)>,
    finished: bool,
    /// The request that the open message answers.
    request: Option<RequestFacts>,
    open: Open,
    /// Parts to write when the open call ends.
    waiting: Vec<(MessagePart, Fragment)>,
    /// Offset of the last code that the provider ran.
    code: Option<usize>,
    /// The sources, which are written at the end of the message.
    sources: Option<Fragment>,
}

impl GeminiAnswers {
    pub(in crate::container) fn chunk(&mut self, chunk: JsonValue<'_>, out: &mut TextWriter) {
        if let Some(error) = member(chunk, "error") {
            self.begin(chunk, 0, out);
            let words = error.text_of("message").unwrap_or_default();
            out.problem(Code::AnswerStopped, error.source(), format!("the provider reports an error: {words}"));
            self.whole(MessagePart::Envelope("error".into()), standing(error), error.source().start, out);
            self.finished = true;
        }
        for candidate in chunk.get("candidates").into_iter().flat_map(|list| list.items()) {
            self.candidate(chunk, candidate, out);
        }
        if let Some(feedback) = member(chunk, "promptFeedback")
            && let Some(reason) = member(feedback, "blockReason")
        {
            self.begin(chunk, 0, out);
            let words = reason.text().unwrap_or_default();
            out.problem(Code::AnswerStopped, reason.source(), format!("the provider blocked the prompt: {words}"));
            let start = feedback.source().start;
            self.whole(MessagePart::Envelope("promptFeedback".into()), standing(feedback), start, out);
            self.finished = true;
        }
        if self.message.is_some() {
            let known = self.request.take().unwrap_or_default();
            self.request = Some(answer::merged(known, request(chunk)));
        }
        let known = ["candidates", "error", "promptFeedback", "usageMetadata", "modelVersion", "responseId"];
        if !known.iter().any(|key| member(chunk, key).is_some()) {
            self.close(chunk.source().start, out);
            unknown(chunk, out);
        }
    }

    fn candidate(&mut self, chunk: JsonValue<'_>, candidate: JsonValue<'_>, out: &mut TextWriter) {
        let content = member(candidate, "content");
        let reason = member(candidate, "finishReason");
        let notes = member(candidate, "finishMessage").filter(|words| !words.is_void());
        if content.is_none() && reason.is_none() && notes.is_none() {
            return;
        }
        let begins = content.is_some_and(|content| parts(content).next().is_some());
        if begins || self.message.is_none() {
            self.begin(chunk, candidate.number_of("index").unwrap_or_default(), out);
        }
        for part in content.into_iter().flat_map(|content| parts(content)) {
            self.part(part, out);
        }
        if let Some(sources) = member(candidate, "groundingMetadata").filter(|sources| !sources.is_void()) {
            self.sources = Some(standing(sources));
        }
        if let Some(citations) = member(candidate, "citationMetadata").filter(|citations| !citations.is_void()) {
            let start = citations.source().start;
            self.whole(MessagePart::Envelope("citationMetadata".into()), standing(citations), start, out);
        }
        if let Some(reason) = reason {
            self.finish(reason, candidate.source().end, out);
        }
        if let Some(words) = notes {
            let start = words.source().start;
            self.whole(MessagePart::Envelope("finishMessage".into()), Fragment::from_value(words), start, out);
        }
    }

    /// Opens the message of a chunk: continues it, or begins another one.
    fn begin(&mut self, chunk: JsonValue<'_>, index: u64, out: &mut TextWriter) {
        let id = member(chunk, "responseId").and_then(JsonValue::scalar_text);
        if let Some((known, candidate)) = &self.message {
            let is_same = if id.is_some() { id == *known } else { !self.finished };
            if is_same && *candidate == index {
                return;
            }
        }
        self.close(chunk.source().start, out);
        out.message(Message {
            role: Some(MessageRole::Assistant),
            time: member(chunk, "createTime").and_then(JsonValue::scalar_text),
            model: member(chunk, "modelVersion").and_then(JsonValue::scalar_text),
            id: id.clone(),
            label: (index > 0).then(|| format!("alternative {}", index + 1).into()),
            ..Message::default()
        });
        self.message = Some((id, index));
        self.finished = false;
    }

    fn part(&mut self, part: JsonValue<'_>, out: &mut TextWriter) {
        let at = part.source().start;
        let parsed = GeminiPart::new(part);
        match parsed {
            GeminiPart::Text(text) => {
                if !matches!(self.open, Open::Text) {
                    self.end_part(at, out);
                    out.begin(MessagePart::Text(Interpretation::Parsed));
                    self.open = Open::Text;
                }
                out.value(text);
            }
            GeminiPart::Thought(text) => {
                if !matches!(self.open, Open::Thought) {
                    self.end_part(at, out);
                    out.begin(MessagePart::Reasoning);
                    self.open = Open::Thought;
                }
                out.value(text);
            }
            GeminiPart::Call(call) if is_piece(call) => self.call_piece(call, out),
            GeminiPart::CodeResult(result) => {
                self.end_part(at, out);
                let (verdict, text) = code_result(result);
                out.event(ContainerEvent::Answers(self.code.take()));
                out.piece(MessagePart::Result(ToolResult { call: None, outcome: verdict }), &text);
            }
            GeminiPart::Blank => {}
            GeminiPart::Unknown | GeminiPart::Response(_) => {
                self.end_part(at, out);
                unknown(part, out);
            }
            _ => {
                self.end_part(at, out);
                if let Some((piece, text)) = parsed.piece(Interpretation::Parsed) {
                    let start = out.begin(piece);
                    out.write(&text);
                    out.end();
                    if let GeminiPart::Code(_) = parsed {
                        self.code = Some(start);
                    }
                }
            }
        }
    }

    /// Begins, continues or ends a call that arrives in pieces.
    fn call_piece(&mut self, call: JsonValue<'_>, out: &mut TextWriter) {
        let at = call.source().start;
        if let Some(name) = call.get("name").filter(|name| !name.is_void() && name.kind() == JsonKind::Text) {
            self.end_part(at, out);
            let mut head = CallText::bare(at, member(call, "id"), Some(name), "");
            head.text.push_synthetic("{", name.source().end);
            out.begin(head.part(None));
            out.write(&head.text);
            self.open = Open::Call(GeminiArguments::new());
        }
        let pieces = member(call, "partialArgs");
        for piece in pieces.into_iter().flat_map(|pieces| pieces.items()) {
            let Open::Call(arguments) = &mut self.open else {
                return self.stray(call, "piece of a call that is not open; shown raw", out);
            };
            if let Some(text) = arguments.add(piece) {
                out.write(&text);
            } else {
                let message = "piece of an argument that does not fit the previous pieces; shown raw";
                self.stray(piece, message, out);
            }
        }
        if member(call, "willContinue").and_then(|flag| flag.truth()) != Some(true) {
            self.end_part(call.source().end, out);
        }
    }

    fn stray(&mut self, value: JsonValue<'_>, message: &str, out: &mut TextWriter) {
        out.problem(Code::StrayDelta, value.source(), message);
        self.whole(MessagePart::Envelope("partialArgs".into()), standing(value), value.source().start, out);
    }

    /// Writes a complete part; if a call is open, after it.
    fn whole(&mut self, piece: MessagePart, text: Fragment, at: usize, out: &mut TextWriter) {
        if let Open::Call(_) = self.open {
            self.waiting.push((piece, text));
        } else {
            self.end_part(at, out);
            out.piece(piece, &text);
        }
    }

    /// Ends the open part before offset `at` of the file.
    fn end_part(&mut self, at: usize, out: &mut TextWriter) {
        if let Open::Call(arguments) = std::mem::take(&mut self.open) {
            let mut tail = arguments.close(at);
            tail.push_synthetic("}", at);
            out.write(&tail);
        }
        self.pause(out);
    }

    /// Ends the open part, even if it is incomplete.
    fn pause(&mut self, out: &mut TextWriter) {
        self.open = Open::Nothing;
        out.end();
        for (piece, text) in std::mem::take(&mut self.waiting) {
            out.piece(piece, &text);
        }
    }

    /// Ends the answer with a finish reason.
    fn finish(&mut self, reason: JsonValue<'_>, at: usize, out: &mut TextWriter) {
        self.finished = true;
        let name = reason.text().unwrap_or_default();
        if name.is_empty() || FINE.contains(&name.as_ref()) {
            return;
        }
        self.end_part(at, out);
        let (severity, what) = if CALL_LOST.contains(&name.as_ref()) {
            (Severity::Error, "the provider discarded a call of the model")
        } else {
            (Severity::Warning, "the provider stopped the answer")
        };
        out.problem_with_severity(Code::AnswerStopped, severity, reason.source(), format!("{what}: {name}"));
    }

    /// Ends the open message; an open call stays incomplete unless the model has finished.
    pub(in crate::container) fn close(&mut self, at: usize, out: &mut TextWriter) {
        if self.finished {
            self.end_part(at, out);
        } else {
            self.pause(out);
        }
        if let Some(sources) = self.sources.take() {
            out.piece(MessagePart::Envelope("groundingMetadata".into()), &sources);
        }
        if let Some(request) = self.request.take() {
            out.fact(Fact::Request(request));
        }
        self.message = None;
        self.code = None;
        self.finished = false;
    }

    /// Ends the stream at an offset in the file.
    pub(in crate::container) fn end(&mut self, at: usize, out: &mut TextWriter) {
        if self.message.is_some() && !self.finished {
            out.problem(Code::StreamCutOff, Span::at(at), "the stream ends before its answer does");
        }
        self.close(at, out);
    }

    /// Writes something between two chunks.
    pub(in crate::container) fn aside(&mut self, piece: MessagePart, text: &Fragment, out: &mut TextWriter) {
        self.whole(piece, text.clone(), 0, out);
    }
}

/// The request that a chunk answers.
fn request(chunk: JsonValue<'_>) -> RequestFacts {
    let word = |key: &str| member(chunk, key)?.scalar_text();
    let reason = chunk.get("candidates").and_then(|list| member(list.items().next()?, "finishReason")?.scalar_text());
    RequestFacts {
        key: word("responseId"),
        model: word("modelVersion"),
        usage: member(chunk, "usageMetadata").and_then(usage::gemini),
        start: answer::time_of(chunk, &["createTime", "create_time"]),
        stop: reason.or_else(|| member(member(chunk, "promptFeedback")?, "blockReason")?.scalar_text()),
        error: member(chunk, "error").and_then(|error| error.words_of("message")),
        ..RequestFacts::default()
    }
}

/// True for a piece of a call that arrives in pieces.
fn is_piece(call: JsonValue<'_>) -> bool {
    let goes_on = member(call, "willContinue").and_then(|flag| flag.truth()) == Some(true);
    goes_on
        || member(call, "partialArgs").is_some()
        || member(call, "name").is_none() && member(call, "toolType").is_none()
}

#[derive(Default)]
struct Dump {
    answers: GeminiAnswers,
}

impl RecordReader for Dump {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        self.answers.chunk(record.value, out);
    }

    fn between_records(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.answers.aside(piece, fragment, out);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.answers.end(at, out);
    }
}
