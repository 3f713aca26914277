//! Calls and what came of them: which result answers which call, and on what ground.
//!
//! A result that names a call answers the first call with that id that has no answer; one that names none answers the
//! first call that waits for an answer. A result may stand in front of its call where records are out of order. Ids
//! are compared by their hashes in [`Ids`](super::ids::Ids).

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use crate::container::{CallOutcome, ToolResult};
use crate::text::hash_index::{HashIndex, WordHash};

/// By what a result was found to answer a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchedBy {
    /// It names the id of the call.
    Id,
    /// It names none, and this was the first call without an answer.
    Order,
}

/// The call that a result is for, as far as the file says.
#[derive(Clone, Copy, Debug)]
pub(super) enum ResultTarget {
    /// The one with this id.
    Id(WordHash),
    /// The first one without an answer.
    Next,
    /// The call of this number; without one, no call at all.
    Call(Option<u32>),
}

/// A result, as it is kept.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// Number of its item.
    pub(super) item: u32,
    pub(super) verdict: CallOutcome,
    /// The id that it names, unless that is the one of its call.
    pub(super) named: Option<Box<str>>,
    /// Whether another result stands for it.
    replaced: bool,
    /// The call that it answers.
    pub(super) call: Option<(u32, MatchedBy)>,
    /// The call that has this id, but has an answer already.
    pub(super) again: Option<u32>,
}

/// Stands for a result where there is none. No result has this number, as there are fewer of them than items.
const NOTHING: u32 = u32::MAX;

/// All results, and the calls that wait for one.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    given: Vec<Given>,
    /// Numbers of the results that answer the calls, by the numbers of those; [`NOTHING`] where none does.
    of_call: Vec<u32>,
    /// Calls without an answer, by their ids; among them some that were answered by order.
    open: HashIndex<VecDeque<u32>>,
    /// The same in the order of the text, the first of them without an answer; others that have one are passed over.
    order: VecDeque<u32>,
    /// Calls for which an answer is expected: those of a file's own records.
    expected: Vec<u32>,
    /// Calls that an answer named, by their ids: the last one.
    answered: HashIndex<u32>,
    /// Calls that the file has withdrawn: one with the same id that comes later has the answer.
    withdrawn: BTreeSet<u32>,
    /// Results that name a call which has not come yet.
    early: HashIndex<VecDeque<u32>>,
    /// The call that the next result is for, where that is known.
    aimed: Option<ResultTarget>,
}

impl Answers {
    /// The result that is item number `item`.
    pub(super) fn at(&self, item: usize) -> Option<&Given> {
        let found = self.given.binary_search_by_key(&item, |given| given.item as usize).ok()?;
        self.given.get(found)
    }

    /// The result that answers a call.
    pub(super) fn of_call(&self, call: u32) -> Option<&Given> {
        self.of_call.get(call as usize).and_then(|&number| self.given.get(number as usize))
    }

    pub(super) fn is_answered(&self, call: u32) -> bool {
        self.of_call.get(call as usize).is_some_and(|&number| number != NOTHING)
    }

    /// Result number `number` answers a call.
    fn pair(&mut self, call: u32, number: u32) {
        let index = call as usize;
        if self.of_call.len() <= index {
            self.of_call.resize(index + 1, NOTHING);
        }
        self.of_call[index] = number;
        while self.order.front().is_some_and(|&call| self.is_answered(call)) {
            self.order.pop_front();
        }
    }

    /// All results, in the order of the text.
    pub(super) fn given(&self) -> &[Given] {
        &self.given
    }

    /// Calls that should have an answer and have none.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = u32> + '_ {
        self.expected.iter().copied().filter(|&call| !self.is_answered(call))
    }

    /// Whether an answer is expected for a call.
    pub(super) fn is_expected(&self, call: u32) -> bool {
        self.expected.binary_search(&call).is_ok()
    }

    /// A call has come; whether an answer is `expected`, and the verdict of one that came before it.
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
        self.order.push_back(call);
        None
    }

    /// The next result is for this call, whatever it names, or for none.
    pub(super) fn aim(&mut self, call: Option<u32>) {
        self.aimed = Some(ResultTarget::Call(call));
    }

    /// A result has come, which is item number `item`; the call that it answers.
    pub(super) fn result(&mut self, item: u32, outcome: ToolResult, target: ResultTarget) -> Option<u32> {
        let number = self.given.len() as u32;
        let mut given =
            Given { item, verdict: outcome.verdict, named: outcome.call, replaced: false, call: None, again: None };
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
                    Some(&call) => given.again = Some(call),
                    None => self.early.entry(id).or_default().push_back(number),
                },
            },
            ResultTarget::Next => given.call = self.next_open().map(|call| (call, MatchedBy::Order)),
            ResultTarget::Call(Some(call)) if self.is_answered(call) => given.again = Some(call),
            ResultTarget::Call(call) => given.call = call.map(|call| (call, MatchedBy::Order)),
        }
        let call = given.call.map(|(call, _)| call);
        self.given.push(given);
        if let Some(call) = call {
            self.pair(call, number);
        }
        call
    }

    /// The file withdraws the calls of these numbers.
    pub(super) fn withdraw(&mut self, calls: Range<u32>) {
        self.withdrawn.extend(calls);
    }

    /// What follows answers no call of what came before, unless it names one.
    pub(super) fn begin_conversation(&mut self) {
        self.order.clear();
    }

    /// Another result stands for the one that is item number `item`, if that is one; the call that it answers.
    pub(super) fn replace(&mut self, item: usize) -> Option<u32> {
        let found = self.given.binary_search_by_key(&item, |given| given.item as usize).ok()?;
        let given = self.given.get_mut(found)?;
        given.replaced = true;
        given.call.map(|(call, _)| call)
    }

    /// The first call without an answer; it is not given again.
    fn next_open(&mut self) -> Option<u32> {
        while let Some(call) = self.order.pop_front() {
            if !self.is_answered(call) {
                return Some(call);
            }
        }
        None
    }

    /// The first call with this id without an answer; it is not given again.
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

    /// Calls as `+id`, `-` and the number of one that is withdrawn, results as `=id`, `=` or `@` with the number of a call; which call each result answers, `!` where it
    /// answers one again, and the calls without an answer.
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
                answers.aim(call.parse().ok());
            }
            let target = id.map_or(ResultTarget::Next, |id| ResultTarget::Id(ids.hash(id)));
            let outcome = ToolResult { call: id.map(Box::from), verdict: CallOutcome::Unsaid };
            answers.result(item as u32, outcome, target);
        }
        let told: Vec<String> = answers
            .given()
            .iter()
            .map(|given| match (given.call, given.again) {
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
