//! Outcomes of a session's calls, which are independent of errors in the text: failed, skipped and unanswered calls.

use super::Document;
use crate::container::CallOutcome;

/// Number of calls that count, and of unsuccessful ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Outcomes {
    /// All calls except withdrawn ones.
    pub calls: usize,
    /// Calls whose results report a failure or denial.
    pub failed: usize,
    /// Calls that the runtime skips because of their dependencies.
    pub skipped: usize,
    /// Calls without a result in a file that records results.
    pub unanswered: usize,
}

impl Outcomes {
    /// The counts of a document in which `skipped` calls are skipped.
    pub fn new(document: &Document, skipped: usize) -> Self {
        Self {
            calls: document.calls_that_count(),
            failed: document.failures(),
            skipped,
            unanswered: document.unanswered().count(),
        }
    }

    /// Sign, number and word of each kind of unsuccessful call that occurs.
    pub fn nonzero_counts(self) -> impl Iterator<Item = (char, usize, &'static str)> {
        let all = [('✗', self.failed, "failed"), ('⊘', self.skipped, "skipped"), ('?', self.unanswered, "unanswered")];
        all.into_iter().filter(|(_, number, _)| *number > 0)
    }
}

impl Document {
    /// True if any call has dependencies.
    pub fn has_dependencies(&self) -> bool {
        self.lists.has_dependencies()
    }

    /// The items of calls that count and whose results report a failure.
    pub(super) fn failed_calls(&self) -> impl Iterator<Item = usize> {
        let failed = self.calls.iter().filter(|call| call.answer.is_some_and(CallOutcome::is_failure));
        failed.map(|call| call.item as usize).filter(|&item| !self.is_withdrawn(item))
    }

    /// The items of calls that count and have no result, if the file has results or the conversation continued.
    pub fn unanswered(&self) -> impl Iterator<Item = usize> {
        self.answers.unanswered().map(|call| self.item_of(call)).filter(|&item| self.needs_answer(item))
    }

    /// True if the call at this item is among the unanswered calls.
    pub fn is_unanswered(&self, item: usize) -> bool {
        let is_open = |call| self.answers.is_expected(call) && !self.answers.is_answered(call);
        self.call_number(item).is_some_and(|call| is_open(call as u32)) && self.needs_answer(item)
    }

    fn needs_answer(&self, item: usize) -> bool {
        let start = self.items().span(item).unwrap_or_default().start;
        let message = self.message_at(start);
        let is_gone = self.messages().is_aside(message) || self.is_abandoned(message) || self.is_withdrawn(item);
        // An interrupted session explains an unanswered call at its end.
        let is_left = || self.answers() > 0 && !self.is_interrupted_after(start);
        !is_gone && (self.goes_on_behind(message) || is_left())
    }

    /// The first call of the last section that has no result.
    pub fn running_call(&self) -> Option<usize> {
        /// Maximum number of calls examined, from the end.
        const MOST: usize = 32;
        let start = |item: usize| self.items().span(item).map_or(0, |span| span.start);
        let last = self.section(self.messages().len().checked_sub(1)?).first;
        let before = |item: &usize| self.neighbour_call(*item, false);
        let calls = std::iter::successors(self.neighbour_call(self.items().len(), false), before).take(MOST);
        let calls = calls.take_while(|&item| self.section(self.message_at(start(item))).first == last);
        calls.filter(|&item| self.answer_of(item).is_none() && !self.is_withdrawn(item)).last()
    }
}
