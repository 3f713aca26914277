//! Matches tool results to calls, by id or by order.
//!
//! A result that names an id answers the first unanswered call with that id; one without an id answers the first
//! unanswered call. A result may precede its call where records are out of order. Ids are compared by their hashes in
//! [`Ids`](super::ids::Ids).

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use crate::container::{CallOutcome, ToolResult};
use crate::text::hash_index::{HashIndex, WordHash};

/// How a result was matched to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchedBy {
    /// By the id of the call, which the result names.
    Id,
    /// By order: the result names no id, and this was the first unanswered call.
    Order,
}

/// The call that a result is for, according to the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum ResultTarget {
    /// The call with this id.
    Id(WordHash),
    /// The first unanswered call.
    Next,
    /// The call with this number, or no call.
    Call(Option<u32>),
    /// No call, which is not a problem.
    Nothing,
}

/// A result.
#[derive(Clone, Debug)]
pub(super) struct MatchedResult {
    pub(super) item: u32,
    pub(super) verdict: CallOutcome,
    /// The id that the result names, unless it is the id of `call`.
    pub(super) named: Option<Box<str>>,
    /// True if another result replaces this one.
    replaced: bool,
    /// The call that this result answers.
    pub(super) call: Option<(u32, MatchedBy)>,
    /// The call that the result names, if it already has an answer.
    pub(super) already_answered: Option<u32>,
    /// True if results of the file name no calls, and none was open: its call may not have been recorded.
    pub(super) is_alone: bool,
}

/// Marks the absence of a result. It is not a valid number, as there are fewer results than items.
const NOTHING: u32 = u32::MAX;

/// All results, and the calls still without one.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    given: Vec<MatchedResult>,
    /// For each call, by its number, the number of the result that answers it; [`NOTHING`] if there is none.
    of_call: Vec<u32>,
    /// Unanswered calls by id. May include calls that were answered by order.
    open: HashIndex<VecDeque<u32>>,
    /// Calls in text order, beginning with an unanswered one. Answered ones after it are skipped when popped.
    unanswered_in_order: VecDeque<u32>,
    /// Calls that should get an answer: the file's own records.
    expected: Vec<u32>,
    /// The last answered call with each id.
    answered: HashIndex<u32>,
    /// Calls that the file has withdrawn; a later call with the same id gets the answer instead.
    withdrawn: BTreeSet<u32>,
    /// Results whose call has not arrived yet, by id.
    early: HashIndex<VecDeque<u32>>,
    /// The call that the next result is for, if known.
    aimed: Option<ResultTarget>,
}

impl Answers {
    /// The result at item number `item`.
    pub(super) fn at(&self, item: usize) -> Option<&MatchedResult> {
        let found = self.given.binary_search_by_key(&item, |given| given.item as usize).ok()?;
        self.given.get(found)
    }

    /// The result that answers a call.
    pub(super) fn of_call(&self, call: u32) -> Option<&MatchedResult> {
        self.of_call.get(call as usize).and_then(|&number| self.given.get(number as usize))
    }

    pub(super) fn is_answered(&self, call: u32) -> bool {
        self.of_call.get(call as usize).is_some_and(|&number| number != NOTHING)
    }

    /// Records that result number `number` answers `call`.
    fn pair(&mut self, call: u32, number: u32) {
        let index = call as usize;
        if self.of_call.len() <= index {
            self.of_call.resize(index + 1, NOTHING);
        }
        self.of_call[index] = number;
        while self.unanswered_in_order.front().is_some_and(|&call| self.is_answered(call)) {
            self.unanswered_in_order.pop_front();
        }
    }

    /// All results, in text order.
    pub(super) fn given(&self) -> &[MatchedResult] {
        &self.given
    }

    /// Calls that should have an answer but have none.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = u32> + '_ {
        self.expected.iter().copied().filter(|&call| !self.is_answered(call))
    }

    pub(super) fn is_expected(&self, call: u32) -> bool {
        self.expected.binary_search(&call).is_ok()
    }

    /// Adds a call, for which an answer may be `expected`. Returns the outcome of a result that arrived before it.
    pub(super) fn call(&mut self, call: u32, id: WordHash, expected: bool) -> Option<CallOutcome> {
        if expected {
            self.expected.push(call);
        }
        if let Some(number) = self.early.get_mut(&id).and_then(VecDeque::pop_front) {
            self.answered.insert(id, call);
            self.pair(call, number);
            let given = &mut self.given[number as usize];
            given.call = Some((call, MatchedBy::Id));
            given.named = None;
            return Some(given.verdict);
        }
        self.open.entry(id).or_default().push_back(call);
        self.unanswered_in_order.push_back(call);
        None
    }

    /// Makes the next result answer this call, or no call, whatever id it names.
    pub(super) fn set_next_target(&mut self, call: Option<u32>) {
        self.aimed = Some(ResultTarget::Call(call));
    }

    /// Makes the next result answer no call, which is not a problem.
    pub(super) fn leave_next_alone(&mut self) {
        self.aimed = Some(ResultTarget::Nothing);
    }

    /// Adds a result at item number `item`. Returns the call that it answers.
    pub(super) fn result(&mut self, item: u32, outcome: ToolResult, target: ResultTarget) -> Option<u32> {
        let number = self.given.len() as u32;
        let mut given = MatchedResult {
            item,
            verdict: outcome.outcome,
            named: outcome.call,
            replaced: false,
            call: None,
            already_answered: None,
            is_alone: false,
        };
        match self.aimed.take().unwrap_or(target) {
            ResultTarget::Id(id) => match self.open_with(id) {
                Some(call) => {
                    self.answered.insert(id, call);
                    given.call = Some((call, MatchedBy::Id));
                    given.named = None;
                }
                None => match self.answered.get(&id) {
                    Some(&call) if self.of_call(call).is_some_and(|before| before.replaced) => {
                        given.call = Some((call, MatchedBy::Id));
                        given.named = None;
                    }
                    Some(&call) => given.already_answered = Some(call),
                    None => self.early.entry(id).or_default().push_back(number),
                },
            },
            ResultTarget::Next => given.call = self.next_open().map(|call| (call, MatchedBy::Order)),
            ResultTarget::Call(Some(call)) if self.is_answered(call) => given.already_answered = Some(call),
            ResultTarget::Call(call) => given.call = call.map(|call| (call, MatchedBy::Order)),
            ResultTarget::Nothing => given.is_alone = true,
        }
        let call = given.call.map(|(call, _)| call);
        self.given.push(given);
        if let Some(call) = call {
            self.pair(call, number);
        }
        call
    }

    /// Withdraws the calls with these numbers.
    pub(super) fn withdraw(&mut self, calls: Range<u32>) {
        self.withdrawn.extend(calls);
    }

    /// Prevents later results from answering earlier calls by order.
    pub(super) fn begin_conversation(&mut self) {
        self.unanswered_in_order.clear();
    }

    /// Marks the result at item number `item`, if it is one, as replaced. Returns the call that it answers.
    pub(super) fn replace(&mut self, item: usize) -> Option<u32> {
        let found = self.given.binary_search_by_key(&item, |given| given.item as usize).ok()?;
        let given = self.given.get_mut(found)?;
        given.replaced = true;
        given.call.map(|(call, _)| call)
    }

    /// Removes and returns the first unanswered call.
    fn next_open(&mut self) -> Option<u32> {
        while let Some(call) = self.unanswered_in_order.pop_front() {
            if !self.is_answered(call) {
                return Some(call);
            }
        }
        None
    }

    /// Removes and returns the first unanswered call with this id.
    fn open_with(&mut self, id: WordHash) -> Option<u32> {
        let mut calls = self.open.remove(&id)?;
        while let Some(call) = calls.pop_front() {
            let gives_way = self.withdrawn.contains(&call) && !calls.is_empty();
            if !self.is_answered(call) && !gives_way {
                if !calls.is_empty() {
                    self.open.insert(id, calls);
                }
                return Some(call);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::ids::Ids;
    use super::*;

    /// `events` are calls as `+id`, withdrawals as `-` and the call's number, and results as `=id`, `=` or `@` and a
    /// call's number. `pairs` has the call that each result answers, with `!` if it already had an answer; `unanswered`
    /// the remaining calls.
    #[track_caller]
    fn check(events: &str, pairs: &str, unanswered: &[u32]) {
        let ids = Ids::default();
        let mut answers = Answers::default();
        let mut calls = 0;
        for (item, event) in events.split(' ').enumerate() {
            if let Some(id) = event.strip_prefix('+') {
                answers.call(calls, ids.hash(id), true);
                calls += 1;
                continue;
            }
            if let Some(call) = event.strip_prefix('-').and_then(|call| call.parse().ok()) {
                answers.withdraw(call..call + 1);
                continue;
            }
            let id = event.strip_prefix('=').filter(|id| !id.is_empty());
            if let Some(call) = event.strip_prefix('@') {
                answers.set_next_target(call.parse().ok());
            }
            let target = id.map_or(ResultTarget::Next, |id| ResultTarget::Id(ids.hash(id)));
            let outcome = ToolResult { call: id.map(Box::from), outcome: CallOutcome::Unknown };
            answers.result(item as u32, outcome, target);
        }
        let told: Vec<String> = answers
            .given()
            .iter()
            .map(|given| match (given.call, given.already_answered) {
                (Some((call, MatchedBy::Id)), _) => call.to_string(),
                (Some((call, MatchedBy::Order)), _) => format!("{call}?"),
                (None, Some(call)) => format!("{call}!"),
                (None, None) => "-".into(),
            })
            .collect();
        assert_eq!(told.join(" "), pairs, "{events}");
        assert_eq!(answers.unanswered().collect::<Vec<_>>(), unanswered, "{events}");
        for given in answers.given() {
            assert!(
                given.call.is_none_or(|(call, _)| answers.of_call(call).map(|other| other.item) == Some(given.item))
            );
        }
    }

    #[test]
    fn calls_meet_their_results_by_id_and_else_by_order() {
        check("+a +b =b =a", "1 0", &[]);
        check("+a +b = =", "0? 1?", &[]);
        check("+a +b =b =", "1 0?", &[]);
        check("+a +b =", "0?", &[1]);
        check("+a =a =a", "0 0!", &[]);
        check("+a =x", "-", &[0]);
        check("=a +a", "0", &[]);
        check("+a +a =a =a =a", "0 1 1!", &[]);
        check("=", "-", &[]);
    }

    #[test]
    fn a_withdrawn_call_leaves_the_result_to_the_next_one_with_its_id() {
        check("+a -0 +a =a", "1", &[0]);
        check("+a -0 =a", "0", &[]);
    }

    #[test]
    fn a_result_for_which_the_container_knows_the_call_answers_no_other_one() {
        check("+a +b @1 =", "1? 0?", &[]);
        check("+a +b @1 @1", "1? 1!", &[0]);
        check("+a @", "-", &[0]);
    }
}
