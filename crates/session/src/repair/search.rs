//! Searches for the repair of one problem: its candidates are tried one after another, each on a copy of the text.

use super::candidates::Candidates;
use super::verify::{Before, TrialOutcome};
use super::{Budget, Repair, allowed_span, read};
use crate::diagnostic::Diagnostic;
use crate::dialect::Options;
use crate::session::Session;
use crate::text::Span;

/// Most candidates tried for one problem.
const MOST: usize = 24;

/// Longest chain of problems that a repair may remove, where removing each reveals the next.
const CHAIN: usize = 4;

/// A text whose problems may be repaired one by one.
pub(super) struct Search<'a> {
    session: &'a Session,
    options: &'a Options,
    budget: &'a Budget,
    text: Vec<u8>,
    before: Before<'a>,
    candidates: Candidates<'a>,
}

impl<'a> Search<'a> {
    pub(super) fn new(session: &'a Session, options: &'a Options, budget: &'a Budget) -> Self {
        let text = session.text().read(Span::new(0, session.text().len())).into_owned();
        let (before, candidates) = (Before::new(session), Candidates::new(session));
        Self { session, options, budget, text, before, candidates }
    }

    /// The text before the repair, for comparison.
    pub(super) fn before(&self) -> &Before<'a> {
        &self.before
    }

    /// Edits that remove a problem and do no harm, if any are known.
    pub(super) fn find(&self, problem: &Diagnostic) -> Option<Repair> {
        let mut best: Option<(usize, Repair)> = None;
        let mut follow = Vec::new();
        for repair in self.candidates(problem) {
            let Some(tried) = self.read(&repair) else { break };
            match self.before.judge(&repair, &tried, problem) {
                TrialOutcome::Good(left) if best.as_ref().is_none_or(|(least, _)| left < *least) => {
                    best = Some((left, repair));
                }
                TrialOutcome::Follow(next) => follow.push((repair, tried, next)),
                TrialOutcome::Good(_) | TrialOutcome::Bad => {}
            }
        }
        let chained =
            || follow.into_iter().find_map(|(repair, tried, next)| self.chain(problem, &repair, &tried, &next, CHAIN));
        best.map(|(_, repair)| repair).or_else(chained)
    }

    /// The candidates that change only the call at fault, the line of the problem, the prose after the call, and
    /// the line before it where a wrapper may begin.
    pub(super) fn candidates(&self, problem: &Diagnostic) -> Vec<Repair> {
        near(&self.candidates, self.session, problem)
    }

    /// Text that a repair turned into a call may lack something else, usually its end: both are repaired as one.
    fn chain(
        &self,
        problem: &Diagnostic,
        first: &Repair,
        halfway: &Session,
        next: &Diagnostic,
        depth: usize,
    ) -> Option<Repair> {
        near(&Candidates::new(halfway), halfway, next).into_iter().find_map(|second| {
            let both = first.then(&second);
            let tried = self.read(&both)?;
            match self.before.judge(&both, &tried, problem) {
                TrialOutcome::Good(_) => Some(both),
                TrialOutcome::Follow(next) if depth > 1 => self.chain(problem, &both, &tried, &next, depth - 1),
                TrialOutcome::Follow(_) | TrialOutcome::Bad => None,
            }
        })
    }

    /// Reads the text with a repair applied, if the budget allows it.
    pub(super) fn read(&self, repair: &Repair) -> Option<Session> {
        let text = repair.applied(&self.text);
        self.budget.take(text.len()).then(|| read(&text, self.options))
    }
}

fn near(candidates: &Candidates<'_>, session: &Session, problem: &Diagnostic) -> Vec<Repair> {
    let allowed = allowed_span(session, problem);
    let is_near = |repair: &Repair| {
        !repair.edits.is_empty()
            && repair.edits.iter().all(|edit| allowed.start <= edit.span.start && edit.span.end <= allowed.end)
    };
    candidates.for_problem(problem).into_iter().filter(is_near).take(MOST).collect()
}
