//! Problems between calls that are known only at the end: duplicate ids, unmet dependencies, calls without results and
//! results without calls.
//!
//! The cost depends on the number of problems, not on the number of calls.

use super::answers::MatchedResult;
use super::call::Call;
use super::{Document, failure_line, graph};
use crate::container::CallOutcome;
use crate::diagnostic::{BoundedProblems, Code, Diagnostic, Severity};
use crate::text::escape_sequences::without_escapes;
use crate::text::typo::nearest;
use crate::text::{Span, Text};

/// Codes of problems between calls, which are reported at the end.
pub const FINAL_CODES: [Code; 8] = [
    Code::DuplicateId,
    Code::UnknownDependency,
    Code::SelfDependency,
    Code::DependencyCycle,
    Code::UnansweredCall,
    Code::ResultWithoutCall,
    Code::AnsweredTwice,
    Code::ToolFailed,
];

/// Number of unknown dependencies for which similarly spelled ids are searched.
const MAX_COMPARED: usize = 64;

/// Number of calls before and after the depending one whose ids are compared.
const NEAR: usize = 128;

impl Document {
    /// Problems between calls that are known only at the end.
    pub fn final_problems(&self, text: &Text) -> BoundedProblems {
        let mut problems = self.duplicate_ids(text);
        problems.extend(
            self.ids
                .missing()
                .into_iter()
                .enumerate()
                .map(|(number, wait)| self.unknown_dependency(wait, number < MAX_COMPARED, text)),
        );
        problems.extend(self.ids.own().iter().map(|&wait| self.self_dependency(wait, text)));
        problems.extend(self.cycles().iter().map(|cycle| self.cycle_problem(cycle, text)));
        problems.extend(self.left_without_result(text));
        problems.extend(self.answers.given().iter().filter_map(|given| self.unpaired(given, text)));
        problems.extend(self.failed_calls().filter_map(|item| self.tool_failure(item, text)));
        problems
    }

    /// True if a user message follows `message` in the same conversation. Saved streams hold only model output, so
    /// further output does not mean that the conversation continued.
    pub(super) fn goes_on_behind(&self, message: usize) -> bool {
        let end = self.conversations.end_of(self.conversations.of_message(message)).unwrap_or(self.messages().len());
        self.conversation.turns().last_before(end).is_some_and(|last| last > message)
    }

    /// Recorded calls without a result although the conversation continued.
    fn left_without_result(&self, text: &Text) -> impl Iterator<Item = Diagnostic> {
        let is_left = |item: &usize| {
            let start = self.items().span(*item).map_or(0, |span| span.start);
            self.goes_on_behind(self.message_at(start))
        };
        self.unanswered().filter(is_left).filter_map(|item| {
            let call = self.call(item)?;
            let words = format!("no result for {}, but the conversation continued", call.id(text));
            Some(Diagnostic::new(Code::UnansweredCall, call.name.span, words).item(Some(item)))
        })
    }

    /// Recorded calls without a result with which the session ends: not an error in the text.
    pub fn left_at_the_end(&self, text: &Text) -> BoundedProblems {
        let is_last = |item: &usize| {
            let start = self.items().span(*item).map_or(0, |span| span.start);
            !self.goes_on_behind(self.message_at(start))
        };
        let left = self.unanswered().filter(is_last).filter_map(|item| {
            let call = self.call(item)?;
            let words = format!("{} has no result: the session ends there", call.name(text));
            Some(Diagnostic::new(Code::UnansweredCall, call.name.span, words).item(Some(item)))
        });
        left.collect()
    }

    /// The problem of a result that answers no call, or a call that already has an answer.
    fn unpaired(&self, given: &MatchedResult, text: &Text) -> Option<Diagnostic> {
        let span = self.items().span(given.item as usize)?;
        if given.call.is_some() || given.is_alone {
            return None;
        }
        let id = given.named.as_deref();
        if let Some(call) = given.already_answered.map(|call| self.nth(call)) {
            let first = self.answer_of(self.item_at(call.span.start)?).and_then(|item| self.items().span(item))?;
            let words = format!("{} already has a result", call.id(text));
            let problem = Diagnostic::new(Code::AnsweredTwice, span, words);
            return Some(problem.related(first, "the first result").item(None));
        }
        let words = match id {
            Some(id) => format!("no call has the id {id}"),
            None => "no unanswered call is left for this result".to_owned(),
        };
        Some(Diagnostic::new(Code::ResultWithoutCall, span, words))
    }

    /// The line of a failed call's result that states the reason; `None` if it has no text.
    pub fn failure_line(&self, call: usize, text: &Text) -> Option<Span> {
        let result = self.answer_of(call)?;
        let span = self.items().span(result)?;
        let complete = result + 1 < self.items().len();
        Some(self.failure_lines.line(result, span, complete, text)).filter(|line| !line.is_empty())
    }

    /// The problem of a call whose tool failed, quoting the line of the result that states the reason, if there is one.
    fn tool_failure(&self, item: usize, text: &Text) -> Option<Diagnostic> {
        let call = self.call(item)?;
        let result = self.answer_of(item);
        let said = self.failure_line(item, text);
        let mut message = match (call.name(text), call.answer) {
            (name, Some(CallOutcome::Denied)) => format!("{name} was denied"),
            (name, _) => format!("{name} failed"),
        };
        if let Some(said) = said {
            message.push_str(": ");
            message.push_str(without_escapes(&text.read_str(said)).trim());
            message.push_str(if failure_line::is_cut(said, text) { "…" } else { "" });
        }
        let span = said.unwrap_or(call.name.span);
        Some(Diagnostic::new(Code::ToolFailed, span, message).item(result.or(Some(item))))
    }

    fn duplicate_ids(&self, text: &Text) -> BoundedProblems {
        let mut problems = BoundedProblems::default();
        for shared in self.ids.shared() {
            let (call, earlier) = (self.nth(shared.call), self.nth(shared.first));
            // The author of the calls has no influence on ids that runtimes generated.
            if call.id.is_none() && earlier.id.is_none() {
                continue;
            }
            // A withdrawn call has passed its id on to another one.
            if [shared.call, shared.first].into_iter().any(|call| self.is_withdrawn(self.item_of(call))) {
                continue;
            }
            let id = call.id(text);
            if id != earlier.id(text) {
                continue;
            }
            let message = match id.as_str() {
                "" => "another call also has an empty id".to_owned(),
                id => format!("the id {id} is already used by an earlier call"),
            };
            let problem = Diagnostic::new(Code::DuplicateId, place_of_id(&call), message)
                .related(place_of_id(&earlier), "first used here");
            problems.push(problem.item(Some(self.item_of(shared.call))));
        }
        problems
    }

    /// If `compared` is true, searches for similarly spelled ids as well; otherwise only for a different case.
    fn unknown_dependency(&self, wait: u32, compared: bool, text: &Text) -> Diagnostic {
        let (from, id, span) = self.dependency(wait, text);
        let problem =
            Diagnostic::new(Code::UnknownDependency, span, format!("unknown dependency \"{id}\"")).item(Some(from));
        let conversation = self.conversations.of_call(self.ids.waits()[wait as usize].from);
        let near = self
            .ids
            .like(conversation, &id)
            .map(|call| self.nth(call).id(text))
            .filter(|near| near.eq_ignore_ascii_case(&id));
        let near = near.or_else(|| compared.then(|| self.similar_id(wait, &id, text))?);
        match near {
            Some(near) => problem.did_you_mean(&near, id, span),
            None => problem,
        }
    }

    /// The id of a nearby call that `id` was probably meant to be.
    fn similar_id(&self, wait: u32, id: &str, text: &Text) -> Option<String> {
        let from = self.ids.waits()[wait as usize].from as usize;
        let around = from.saturating_sub(NEAR)..self.calls().len().min(from + NEAR);
        let own = self.conversations.of_call(from as u32);
        let others = around.filter(|&call| call != from && self.conversations.of_call(call as u32) == own);
        let ids: Vec<String> = others.map(|call| self.nth(call as u32).id(text)).collect();
        nearest(id, ids.iter().map(String::as_str)).map(str::to_owned)
    }

    fn self_dependency(&self, wait: u32, text: &Text) -> Diagnostic {
        let (item, id, span) = self.dependency(wait, text);
        let alone = self.ids.waits_of(self.ids.waits()[wait as usize].from).len() == 1;
        let message = if alone {
            format!("{id} waits for itself and is skipped")
        } else {
            format!("{id} waits for itself; the runtime ignores that")
        };
        let mut problem = Diagnostic::new(Code::SelfDependency, span, message).item(Some(item));
        if !alone {
            problem.severity = Severity::Warning;
        }
        problem
    }

    fn cycle_problem(&self, cycle: &[u32], text: &Text) -> Diagnostic {
        let circle = graph::cycle_text(cycle, &|call| self.nth(call).id(text));
        let span_to_next = |position: usize| {
            let call = self.nth(cycle[position]);
            let next = self.nth(cycle[(position + 1) % cycle.len()]).id(text);
            let mut labels = call.waits_for();
            labels.find(|label| label.text(text) == next).map_or(call.name.span, |label| label.span)
        };
        let message = format!("dependency cycle: {circle}; these calls are skipped");
        let first = Diagnostic::new(Code::DependencyCycle, span_to_next(0), message);
        let first = first.item(Some(self.item_of(cycle[0])));
        (1..cycle.len()).fold(first, |problem, position| {
            problem.related(span_to_next(position), format!("{} waits here", self.nth(cycle[position]).id(text)))
        })
    }

    /// For a dependency, the item number of the depending call, the id, and the id's span.
    pub(super) fn dependency(&self, wait: u32, text: &Text) -> (usize, String, Span) {
        let from = self.ids.waits()[wait as usize].from;
        let number = wait as usize - self.ids.waits_of(from).start;
        let label = self.nth(from).dependency(number).expect("a call has as many dependencies as were noted");
        (self.item_of(from), label.text(text).into_owned(), label.span)
    }
}

/// Span of a call's id; of its name if no id is written.
fn place_of_id(call: &Call<'_>) -> Span {
    call.id.map(|id| id.span).filter(|id| !id.is_empty()).unwrap_or(call.name.span)
}
