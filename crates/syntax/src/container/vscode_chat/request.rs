//! A request in a chat session of VS Code: a prompt with its answer.

use super::super::facts::{Fact, Origin, RequestFacts, SessionState};
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::standing_in;
use super::super::unread_text;
use super::super::writer::TextWriter;
use super::super::{ContainerEvent, Interpretation, Message, MessagePart, MessageRole};
use super::answers::{self, CallResults};
use super::facts::{self, AnswerTimes, TokenCounts};
use super::overlap::{HeldParts, by_round};
use super::response::units;
use super::state;
use super::written_parts::AnswerMessages;
use crate::diagnostic::Code;
use crate::text::Span;

/// Members of a request.
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

/// A request while it is written.
#[derive(Debug, Default)]
pub(super) struct ChatRequest {
    /// Identifies its first request to the model.
    key: Box<str>,
    /// Identifies its last request to the model.
    last_key: Box<str>,
    sent: Option<Box<str>>,
    answer: AnswerMessages,
    tokens: TokenCounts,
}

impl ChatRequest {
    /// Writes a request; `number` is its number in the session.
    pub(super) fn write(number: usize, value: JsonValue<'_>, out: &mut TextWriter) {
        let key = value.words_of("requestId").unwrap_or_else(|| format!("request {number}").into());
        let mut request = Self { last_key: key.clone(), key, sent: value.words_of("timestamp"), ..Self::default() };
        request.answer.model = facts::model(value);
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
            let parts = units(response);
            if !parts.is_empty() || result.is_some() {
                request.answer.begin(out);
                request.state_request(result, out);
                request.answer.add(&parts, out);
            }
        } else if let Some(result) = result {
            request.write_rounds(result, &rounds, &response, out);
        }
        request.end(value, result, out);
        if ["shouldBeRemovedOnSend", "isHidden"].iter().any(|key| is_set(value.get(key))) {
            out.end();
            out.event(ContainerEvent::Withdrawn(Span::new(start, out.len())));
        }
    }

    /// Writes the prompt, with the files and other values that are attached to it.
    fn write_prompt(&self, value: JsonValue<'_>, out: &mut TextWriter) {
        let is_program = value.truth_of("isSystemInitiated") == Some(true);
        let origin = match value.string_of("confirmation").filter(|label| !label.is_void()) {
            _ if is_program => Origin::Client,
            Some(_) => Origin::Command,
            None => Origin::Prompt,
        };
        let id = value.words_of("requestId");
        out.message(Message { time: self.sent.clone(), id, origin, ..Message::from_role(MessageRole::User) });
        let message = value.get("message");
        let text = message.and_then(|message| message.string_of("text")).or(message);
        if let Some(text) = text.filter(|text| text.kind() == JsonKind::Text && !text.is_void()) {
            out.write_part(MessagePart::Text(Interpretation::Shown), text);
        }
        let variables = value.path(&["variableData", "variables"]);
        for variable in variables.into_iter().flat_map(|variables| variables.items()) {
            let kind = variable.text_of("kind").unwrap_or_else(|| "attachment".into());
            match kind.as_ref() {
                "image" => out.piece(MessagePart::Envelope("image".into()), &standing_in(variable, "image")),
                kind => out.envelope(kind, variable),
            }
        }
    }

    /// States the request to the model, if there are no rounds.
    fn state_request(&self, result: Option<JsonValue<'_>>, out: &mut TextWriter) {
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

    /// States how the request ended: an error, or an interruption.
    fn end(&self, value: JsonValue<'_>, result: Option<JsonValue<'_>>, out: &mut TextWriter) {
        let is_cancelled = facts::is_cancelled(value);
        if let Some(error) = facts::error(value, result) {
            let words = error.text_of("message").unwrap_or_default();
            out.end();
            if !is_cancelled {
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
            out.fact(Fact::State(SessionState::Interrupted));
        }
    }

    fn model(&self) -> Option<&str> {
        self.answer.model.as_deref()
    }

    /// Writes the rounds of a result, with the elements of the response that no round has.
    fn write_rounds(
        &mut self,
        result: JsonValue<'_>,
        rounds: &[JsonValue<'_>],
        response: &[JsonValue<'_>],
        out: &mut TextWriter,
    ) {
        answers::write_prompt(result, out);
        let mut lists = by_round(response, rounds, &mut HeldParts::new(rounds));
        let mut results = CallResults::new(result);
        let times = AnswerTimes::new(self.sent.as_deref(), Some(result));
        for (number, round) in rounds.iter().enumerate() {
            let is_last = number + 1 == rounds.len();
            let key = if number == 0 { self.key.clone() } else { self.round_key(*round, number) };
            if is_last {
                self.last_key.clone_from(&key);
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
            answers::write(*round, std::mem::take(&mut lists[number]), &mut results, facts, out);
        }
        self.answer.has_begun = true;
        answers::write_other_results(result, rounds, out);
        let rest = units(lists.pop().unwrap_or_default());
        if !rest.is_empty() {
            self.answer.begin(out);
            self.answer.add(&rest, out);
        }
    }

    fn round_key(&self, round: JsonValue<'_>, number: usize) -> Box<str> {
        round.words_of("id").unwrap_or_else(|| format!("{}/{number}", self.key).into())
    }
}

/// Shows members with text that are not known, of a request that has no answer in the known ones.
fn show_unread(request: JsonValue<'_>, out: &mut TextWriter) {
    for member in request.items().filter(|member| !MEMBERS.contains(&member.key().as_ref())) {
        unread_text::unless_shown(member, out.yielded(), out);
    }
}

/// True for a value that is neither missing nor false.
fn is_set(value: Option<JsonValue<'_>>) -> bool {
    value.is_some_and(|value| !value.is_void() && value.truth() != Some(false))
}
