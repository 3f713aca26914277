//! Applies the changes in the log of a chat session of VS Code.
//!
//! A path leads to an element by its number, which is compared with the number of elements and never used as a size.

use std::borrow::Cow;

use super::super::facts::Fact;
use super::super::json::{JsonKind, JsonValue};
use super::super::writer::TextWriter;
use super::request::is_set;
use super::{VscodeChat, facts, state};
use crate::diagnostic::Code;

/// The `kind` of a change, as `objectMutationLog.ts` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Set,
    Push,
    Delete,
}

/// A step of a path.
enum Step<'a> {
    Key(Cow<'a, str>),
    Number(usize),
}

/// Most steps of a path that is known.
const MOST_STEPS: usize = 4;

fn path(value: JsonValue<'_>) -> Option<Vec<Step<'_>>> {
    value.items().take(MOST_STEPS + 1).map(step).collect()
}

fn step(step: JsonValue<'_>) -> Option<Step<'_>> {
    // A number beyond the size of memory is beyond all elements, too.
    let number = step.number().map(|number| Step::Number(usize::try_from(number).unwrap_or(usize::MAX)));
    number.or_else(|| step.text().map(Step::Key))
}

impl VscodeChat {
    /// Applies a change, and writes what it adds; one whose path does not exist is reported.
    pub(super) fn change(&mut self, record: JsonValue<'_>, out: &mut TextWriter) {
        let change = match record.number_of("kind") {
            Some(1) => Change::Set,
            Some(2) => Change::Push,
            Some(3) => Change::Delete,
            _ => return self.stray(record, "unknown kind of change", out),
        };
        let value = record.get("v").filter(|value| !value.is_void());
        let Some(path) = record.get("k").and_then(path) else {
            return self.stray(record, "the path of the change is not known", out);
        };
        match (path.as_slice(), change) {
            ([Step::Key(key)], _) if key == "requests" => {
                let cut = if change == Change::Push { cut(record) } else { Some(0) };
                if let Some(cut) = cut {
                    self.cut(cut, out);
                }
                for request in value.filter(|_| change != Change::Delete).into_iter().flat_map(|list| list.items()) {
                    self.add(request, out);
                }
            }
            ([Step::Key(key), Step::Number(number)], Change::Set) if key == "requests" => match value {
                Some(request) if *number <= self.requests.len() => self.put(*number, request, out),
                _ => self.stray(record, "the change is about a request that the file does not have", out),
            },
            ([Step::Key(key), Step::Number(number), Step::Key(member), rest @ ..], _) if key == "requests" => {
                if *number >= self.requests.len() {
                    return self.stray(record, "the change is about a request that the file does not have", out);
                }
                if !self.change_request(*number, (member, rest), change, record, out) {
                    self.stray(record, "unknown change of a request", out);
                }
            }
            ([Step::Key(key), ..], _) if key == "requests" => self.stray(record, "unknown change of requests", out),
            ([Step::Key(key)], Change::Set) => {
                if let Some(value) = value {
                    self.member(key, value, out);
                }
            }
            ([Step::Key(key), Step::Key(member)], Change::Set) if key == "inputState" && member == "selectedModel" => {
                state(facts::window(value).map(Fact::Session), out);
            }
            // Other properties of the session.
            ([Step::Key(_), ..], _) => {}
            _ => self.stray(record, "the path of the change is not known", out),
        }
    }

    /// Applies a change of a member of a request; returns false if it is not known.
    fn change_request(
        &mut self,
        number: usize,
        (member, rest): (&str, &[Step<'_>]),
        change: Change,
        record: JsonValue<'_>,
        out: &mut TextWriter,
    ) -> bool {
        let is_last = self.last == Some(number);
        let value = record.get("v").filter(|value| !value.is_void() && change != Change::Delete);
        let request = &mut self.requests[number];
        match (member, rest) {
            ("response", []) => {
                let values: Vec<JsonValue<'_>> = value.into_iter().flat_map(|list| list.items()).collect();
                let cut = if change == Change::Push { cut(record) } else { Some(0) };
                request.change_response(cut, &values, is_last, out);
                self.last = Some(number);
            }
            ("result", []) => {
                if let Some(result) = value {
                    self.session.directory(facts::directory(Some(result)), out);
                    request.change_result(result, out);
                    self.last = None;
                }
            }
            ("response" | "result", _) => return false,
            ("message", [] | [Step::Key(_)]) => {
                let is_text = matches!(rest, [Step::Key(key)] if key == "text");
                let text = if is_text { value } else { value.and_then(|value| value.string_of("text")) };
                if let Some(text) = text.filter(|text| text.kind() == JsonKind::Text) {
                    request.change_prompt(text, out);
                    self.last = None;
                }
            }
            ("isCanceled", []) if is_set(value) => request.interrupt(out),
            ("modelState", []) if value.and_then(|value| value.number_of("value")) == Some(2) => request.interrupt(out),
            ("shouldBeRemovedOnSend" | "isHidden", []) if is_set(value) => {
                request.withdraw_all(out);
                self.last = None;
            }
            ("usage" | "promptTokens" | "completionTokens", []) => {
                if let Some(value) = value {
                    request.change_tokens(member, value, out);
                }
            }
            ("modelId", []) => request.set_model(value.and_then(JsonValue::scalar_text)),
            ("timestamp", []) => request.set_time(value.and_then(JsonValue::scalar_text)),
            // Followups, votes and other members that are not shown.
            _ => {}
        }
        true
    }

    /// Reports a change that cannot be applied, and shows it raw.
    fn stray(&mut self, record: JsonValue<'_>, message: &str, out: &mut TextWriter) {
        self.last = None;
        out.end();
        out.problem(Code::UnknownRecord, record.get("k").unwrap_or(record).source(), format!("{message}; shown raw"));
        out.envelope("change", record);
    }
}

/// The length that an array is cut to before elements are appended.
fn cut(record: JsonValue<'_>) -> Option<usize> {
    record.number_of("i").map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}
