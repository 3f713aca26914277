//! A request in a chat session of VS Code: a prompt, and the written part of the answer.
//!
//! Hashes and spans of the written parts are kept, so that a later state of the request is compared with them: an
//! equal beginning stays, a text that has grown is continued, and the rest is withdrawn and written again.

use super::super::facts::{Fact, Origin, RequestFacts, SessionState};
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::standing_in;
use super::super::unread_text;
use super::super::writer::TextWriter;
use super::super::{Interpretation, Message, MessagePart, MessageRole};
use super::answers::{self, CallResults};
use super::facts::{self, AnswerTimes, TokenCounts};
use super::overlap::{HeldParts, by_round};
use super::response::units;
use super::written_parts::ShownResponse;
use super::{state, withdraw};
use crate::diagnostic::Code;
use crate::text::Span;

/// Members of a request that are read, and those without text.
const MEMBERS: [&str; 30] = [
    "agent",
    "attempt",
    "codeCitations",
    "completionTokens",
    "confirmation",
    "contentReferences",
    "editedFileEvents",
    "elapsedMs",
    "followups",
    "isCanceled",
    "isHidden",
    "isSystemInitiated",
    "message",
    "modeInfo",
    "modelId",
    "modelState",
    "promptTokens",
    "requestId",
    "response",
    "responseId",
    "responseMarkdownInfo",
    "result",
    "shouldBeRemovedOnSend",
    "slashCommand",
    "timeSpentWaiting",
    "timestamp",
    "usage",
    "usedContext",
    "variableData",
    "workingSet",
];

/// A round that was written.
#[derive(Debug)]
struct ShownRound {
    hash: u64,
    span: Span,
}

/// A request and its written parts.
#[derive(Debug, Default)]
pub(super) struct ChatRequest {
    /// Identifies its first request to the model.
    key: Box<str>,
    /// Identifies its last request to the model.
    last_key: Box<str>,
    sent: Option<Box<str>>,
    response: ShownResponse,
    rounds: Vec<ShownRound>,
    /// The contents of the rounds, once there are any.
    held: Option<HeldParts>,
    prompt: Span,
    /// Ranges of the text that belong to it.
    spans: Vec<Span>,
    tokens: TokenCounts,
    has_result: bool,
    is_interrupted: bool,
    has_error: bool,
}

impl ChatRequest {
    /// Writes a request; `number` is its number in the session.
    pub(super) fn write(number: usize, value: JsonValue<'_>, out: &mut TextWriter) -> Self {
        let key = value.words_of("requestId").unwrap_or_else(|| format!("request {number}").into());
        let mut request = Self { last_key: key.clone(), key, sent: value.words_of("timestamp"), ..Self::default() };
        request.response.answer.model = facts::model(value);
        request.tokens.take(value);
        value.get("usage").into_iter().for_each(|usage| request.tokens.take(usage));
        let start = out.len();
        request.write_prompt(value, out);
        let response: Vec<JsonValue<'_>> = value.get("response").into_iter().flat_map(|list| list.items()).collect();
        let result = value.get("result").filter(|result| !result.is_void());
        let rounds = answers::list(result);
        if rounds.is_empty() && value.get("response").is_none() {
            show_unread(value, out);
        }
        if rounds.is_empty() {
            let parts = request.response.change(None, &response, None, false, out);
            if !parts.is_empty() || result.is_some() {
                request.response.answer.begin(out);
                request.state_request(result, out);
                request.response.add(parts, out);
            }
        } else if let Some(result) = result {
            request.write_rounds(result, &rounds, &response, out);
        }
        request.end(value, result, out);
        request.extend(start, out);
        if ["shouldBeRemovedOnSend", "isHidden"].iter().any(|key| is_set(value.get(key))) {
            request.withdraw_all(out);
        }
        request
    }

    /// Forgets everything but its identity: no later state follows.
    pub(super) fn forget(&mut self) {
        self.response.forget();
        self.held = None;
        self.rounds = Vec::new();
        self.spans = Vec::new();
    }

    /// Forgets texts that are kept to be continued.
    pub(super) fn seal(&mut self) {
        self.response.seal();
        self.held.iter_mut().for_each(HeldParts::seal);
    }

    /// Withdraws everything that was written for the request.
    pub(super) fn withdraw_all(&mut self, out: &mut TextWriter) {
        withdraw(&std::mem::take(&mut self.spans), out);
    }

    /// Adds the range from `start` to its ranges.
    fn extend(&mut self, start: usize, out: &TextWriter) {
        match self.spans.last_mut() {
            Some(last) if last.end == start => last.end = out.len(),
            _ => self.spans.push(Span::new(start, out.len())),
        }
    }

    /// Writes the prompt, with the files and other values that are attached to it.
    pub(super) fn write_prompt(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let is_program = value.truth_of("isSystemInitiated") == Some(true);
        let origin = match value.string_of("confirmation").filter(|label| !label.is_void()) {
            _ if is_program => Origin::Client,
            Some(_) => Origin::Command,
            None => Origin::Prompt,
        };
        let id = value.words_of("requestId");
        out.message(Message { time: self.sent.clone(), id, origin, ..Message::from_role(MessageRole::User) });
        let start = out.len();
        let message = value.get("message");
        let text = message.and_then(|message| message.string_of("text")).or(message);
        if let Some(text) = text.filter(|text| text.kind() == JsonKind::Text && !text.is_void()) {
            out.write_part(MessagePart::Text(Interpretation::Shown), text);
        }
        self.prompt = Span::new(start, out.len());
        let variables = value.path(&["variableData", "variables"]);
        for variable in variables.into_iter().flat_map(|variables| variables.items()) {
            let kind = variable.text_of("kind").unwrap_or_else(|| "attachment".into());
            match kind.as_ref() {
                "image" => out.piece(MessagePart::Envelope("image".into()), &standing_in(variable, "image")),
                kind => out.envelope(kind, variable),
            }
        }
    }

    /// Replaces the text of the prompt.
    pub(super) fn change_prompt(&mut self, text: JsonValue<'_>, out: &mut TextWriter) {
        withdraw(&[self.prompt], out);
        out.message(Message {
            time: self.sent.clone(),
            origin: Origin::Prompt,
            ..Message::from_role(MessageRole::User)
        });
        let start = out.len();
        out.write_part(MessagePart::Text(Interpretation::Shown), text);
        self.prompt = Span::new(start, out.len());
        self.extend(start, out);
    }

    pub(super) fn set_model(&mut self, model: Option<Box<str>>) {
        self.response.answer.model = model;
    }

    pub(super) fn set_time(&mut self, sent: Option<Box<str>>) {
        self.sent = sent;
    }

    /// States the request to the model, if there are no rounds.
    fn state_request(&mut self, result: Option<JsonValue<'_>>, out: &mut TextWriter) {
        self.has_result |= result.is_some();
        let times = AnswerTimes::new(self.sent.as_deref(), result);
        state(
            [Fact::Request(RequestFacts {
                start: times.start,
                first_token: times.first,
                end: times.end,
                usage: self.tokens.of_last_round(result, 0, None).filter(|_| result.is_some()),
                ..facts::request(&self.key, self.model())
            })],
            out,
        );
    }

    /// Takes the counts of tokens in a member of the request. They are final once there is a result.
    pub(super) fn change_tokens(&mut self, key: &str, value: JsonValue<'_>, out: &mut TextWriter) {
        self.tokens.take_member(key, value);
        let usage = self.tokens.of_last_round(None, self.rounds.len(), None).filter(|_| self.has_result);
        if usage.is_some() {
            let request = facts::request(&self.last_key, self.model());
            out.fact(Fact::Request(RequestFacts { usage, ..request }));
        }
    }

    /// States how the request ended: an error, or an interruption.
    fn end(&mut self, value: JsonValue<'_>, result: Option<JsonValue<'_>>, out: &mut TextWriter) {
        let is_cancelled = facts::is_cancelled(value);
        if let Some(error) = facts::error(value, result).filter(|_| !self.has_error) {
            self.has_error = true;
            let words = error.text_of("message").unwrap_or_default();
            out.end();
            if !is_cancelled && !self.is_interrupted {
                let first = words.lines().next().unwrap_or_default();
                let message = format!("the program reports an error: {first}");
                out.problem(Code::AnswerStopped, error.source(), message);
                let request = facts::request(&self.last_key, self.model());
                let error = Some(first).filter(|error| !error.is_empty()).map(Box::from);
                out.fact(Fact::Request(RequestFacts { error, ..request }));
            }
            out.envelope("error", error);
        }
        if is_cancelled {
            self.interrupt(out);
        }
    }

    /// States that the user cancelled the request.
    pub(super) fn interrupt(&mut self, out: &mut TextWriter) {
        if !std::mem::replace(&mut self.is_interrupted, true) {
            out.fact(Fact::State(SessionState::Interrupted));
        }
    }

    fn model(&self) -> Option<&str> {
        self.response.answer.model.as_deref()
    }

    /// Writes the rounds of a result. `response` has elements that were not written.
    fn write_rounds(
        &mut self,
        result: JsonValue<'_>,
        rounds: &[JsonValue<'_>],
        response: &[JsonValue<'_>],
        out: &mut TextWriter,
    ) {
        if self.held.is_none() {
            answers::write_prompt(result, out);
        }
        let mut held = HeldParts::new(rounds);
        let (mut lists, invocations) = by_round(response, rounds, &mut held);
        if !response.is_empty() {
            self.response.skip(response.len(), invocations);
        }
        self.has_result = true;
        let mut results = CallResults::new(result);
        let hashes: Vec<u64> = rounds.iter().map(|round| results.hash(*round)).collect();
        let same = hashes.iter().zip(&self.rounds).take_while(|(hash, known)| **hash == known.hash).count();
        let gone: Vec<Span> = self.rounds.drain(same..).map(|round| round.span).collect();
        withdraw(&gone, out);
        let times = AnswerTimes::new(self.sent.as_deref(), Some(result));
        for (number, round) in rounds.iter().enumerate() {
            let is_last = number + 1 == rounds.len();
            let key = if number == 0 { self.key.clone() } else { self.round_key(*round, number) };
            if is_last {
                self.last_key.clone_from(&key);
            }
            if number < same {
                results.skip(*round);
                continue;
            }
            let thinking = round.path(&["thinking", "tokens"]).and_then(|tokens| tokens.number());
            let usage = || self.tokens.of_last_round(Some(result), rounds.len(), thinking);
            let began = round.words_of("timestamp").and_then(|time| super::super::moment_of(&time));
            let facts = RequestFacts {
                start: if number == 0 { times.start } else { began },
                first_token: times.first.filter(|_| number == 0),
                end: times.end.filter(|_| is_last),
                usage: if is_last { usage() } else { None },
                ..facts::request(&key, self.model())
            };
            let start = out.len();
            answers::write(*round, std::mem::take(&mut lists[number]), &mut results, facts, out);
            self.rounds.push(ShownRound { hash: hashes[number], span: Span::new(start, out.len()) });
        }
        self.response.answer.has_begun = true;
        if self.held.is_none() {
            answers::write_other_results(result, rounds, out);
        }
        let rest = units(lists.pop().unwrap_or_default());
        if !rest.is_empty() {
            self.response.answer.begin(out);
            self.response.add(rest, out);
        }
        self.held = Some(held);
    }

    fn round_key(&self, round: JsonValue<'_>, number: usize) -> Box<str> {
        round.words_of("id").unwrap_or_else(|| format!("{}/{number}", self.key).into())
    }

    /// Takes a new state of the result.
    pub(super) fn change_result(&mut self, result: JsonValue<'_>, out: &mut TextWriter) {
        let start = out.len();
        let rounds = answers::list(Some(result));
        if rounds.is_empty() {
            self.state_request(Some(result), out);
        } else {
            if rounds.len() > self.rounds.len() {
                self.response.supersede(&mut HeldParts::new(&rounds), out);
            }
            self.write_rounds(result, &rounds, &[], out);
        }
        self.end(result, Some(result), out);
        self.extend(start, out);
    }

    /// Cuts the response to a number of elements, or appends to it if that is `None`, and adds elements.
    /// `is_last_written` is true if nothing else was written after it.
    pub(super) fn change_response(
        &mut self,
        cut: Option<usize>,
        values: &[JsonValue<'_>],
        is_last_written: bool,
        out: &mut TextWriter,
    ) {
        let start = out.len();
        let rest = self.response.change(cut, values, self.held.as_mut(), is_last_written, out);
        if !rest.is_empty() {
            let is_first = !self.response.answer.has_begun;
            if is_first || !is_last_written {
                self.response.answer.begin(out);
            }
            if is_first {
                self.state_request(None, out);
            }
            self.response.add(rest, out);
        }
        self.extend(start, out);
    }
}

/// Shows members with text that are not known, of a request that has no answer in the known ones.
fn show_unread(request: JsonValue<'_>, out: &mut TextWriter) {
    for member in request.items().filter(|member| !MEMBERS.contains(&member.key().as_ref())) {
        unread_text::unless_shown(member, out.yielded(), out);
    }
}

/// True for a value that is neither missing nor false.
pub(super) fn is_set(value: Option<JsonValue<'_>>) -> bool {
    value.is_some_and(|value| !value.is_void() && value.truth() != Some(false))
}
