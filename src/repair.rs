//! What a text should have been: the smallest edits that remove a problem, tried before they are offered.
//!
//! A problem brings its remedy along, or its kind has candidates (`repair/candidates`). Each is made on a copy of the text,
//! which is read again; `repair/verify` says whether it helps and does no harm. A file is never written to. This module
//! does not know who asks.

mod candidates;
mod json;
mod patch;
mod verify;

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::container::Container;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Options;
use crate::session::Session;
use crate::text::Span;

pub use patch::{Hunk, LineChange, Repair};
use verify::{Before, TrialOutcome};

/// Bytes of the largest text of which copies are read.
pub const LARGEST: usize = 4 << 20;

/// Candidates that are tried for one problem.
const MOST: usize = 24;

/// Problems one after another that a repair may remove, each brought by the removal of the one before.
const CHAIN: usize = 4;

/// How many bytes of copies may be read before the search for repairs stops.
#[derive(Debug)]
pub struct Budget(Cell<u64>);

impl Budget {
    /// For somebody who waits for a key to be answered: 16 MiB.
    pub fn for_key() -> Self {
        Self(Cell::new(16 << 20))
    }

    /// For a command, which may take its time: 4 GiB.
    pub fn for_command() -> Self {
        Self(Cell::new(4 << 30))
    }

    /// Whether nothing is left of it.
    pub fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    fn take(&self, bytes: usize) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(bytes.max(1) as u64));
        left > 0
    }
}

/// A plain text whose problems may be repaired.
pub struct Repairs<'a> {
    session: &'a Session,
    options: &'a Options,
    budget: &'a Budget,
    text: Vec<u8>,
    before: Before<'a>,
}

impl<'a> Repairs<'a> {
    /// For a text that was read with these options; nothing for a recorded session, and for what is too large.
    pub fn new(session: &'a Session, options: &'a Options, budget: &'a Budget) -> Option<Self> {
        if session.is_decoded() || session.text().len() > LARGEST {
            return None;
        }
        let text = session.text().read(Span::new(0, session.text().len())).into_owned();
        Some(Self { session, options, budget, text, before: Before::new(session) })
    }

    /// The edits that remove a problem, if some are known that do no harm.
    pub fn find(&self, problem: &Diagnostic) -> Option<Repair> {
        if problem.source.is_some() {
            return None;
        }
        let mut best: Option<(usize, Repair)> = None;
        let mut follow = Vec::new();
        for repair in candidates(self.session, problem) {
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

    /// What becomes a call by a repair may lack something else, its end as a rule: both are repaired as one.
    fn chain(
        &self,
        problem: &Diagnostic,
        first: &Repair,
        halfway: &Session,
        next: &Diagnostic,
        depth: usize,
    ) -> Option<Repair> {
        candidates(halfway, next).find_map(|second| {
            let both = first.then(&second);
            let tried = self.read(&both)?;
            match self.before.judge(&both, &tried, problem) {
                TrialOutcome::Good(_) => Some(both),
                TrialOutcome::Follow(next) if depth > 1 => self.chain(problem, &both, &tried, &next, depth - 1),
                TrialOutcome::Follow(_) | TrialOutcome::Bad => None,
            }
        })
    }

    fn read(&self, repair: &Repair) -> Option<Session> {
        let text = repair.applied(&self.text);
        self.budget.take(text.len()).then(|| read(&text, self.options))
    }
}

/// A text of which all was repaired that can be.
pub struct Repaired {
    /// All the edits, of the text as it was.
    pub repair: Repair,
    /// What was repaired, in the order of the text.
    pub done: Vec<Done>,
    /// What is left, with places in the repaired text.
    pub left: Session,
}

/// A problem that was repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The kind of problem that is gone.
    pub code: Code,
    /// Where it was in the text as it was.
    pub offset: usize,
    /// What was done: ``delete `,` ``.
    pub words: String,
}

/// Repairs one problem after another until none is left that can be; nothing for a recorded session, and for what is
/// too large.
pub fn repair_all(session: &Session, options: &Options, budget: &Budget) -> Option<Repaired> {
    let mut text = session.text().read(Span::new(0, session.text().len())).into_owned();
    let mut left = Repairs::new(session, options, budget).map(|_| read(&text, options))?;
    let mut repair = Repair::default();
    let mut done = Vec::new();
    let mut tried = BTreeSet::new();
    let mut has_helped = false;
    loop {
        let repairs = Repairs::new(&left, options, budget)?;
        // What a problem itself knows goes before what is guessed.
        let (known, guessed): (Vec<_>, Vec<_>) =
            left.document().sorted_diagnostics().partition(|problem| problem.remedy.is_some());
        let found = known.into_iter().chain(guessed).find_map(|problem| {
            let offset = repair.before(problem.span.start);
            let is_new = !budget.is_spent() && tried.insert((offset, problem.code));
            let found = is_new.then(|| repairs.find(&problem))??;
            Some((problem.code, offset, found))
        });
        let Some((code, offset, found)) = found else {
            // What could not be repaired before may be possible now.
            if !std::mem::take(&mut has_helped) {
                break;
            }
            tried.clear();
            continue;
        };
        done.push(Done { code, offset, words: found.words(&text) });
        text = found.applied(&text);
        repair = repair.then(&found);
        // A place may have another problem of the same kind, which has come to light.
        tried.remove(&(offset, code));
        has_helped = true;
        left = read(&text, options);
    }
    done.sort_by_key(|done| done.offset);
    Some(Repaired { repair, done, left })
}

/// The candidates that change nothing but the call at fault, the line of the problem, and the prose behind the call.
fn candidates<'a>(session: &'a Session, problem: &Diagnostic) -> impl Iterator<Item = Repair> + 'a {
    let reach = reach(session, problem);
    let is_near = move |repair: &Repair| {
        !repair.edits.is_empty()
            && repair.edits.iter().all(|edit| reach.start <= edit.span.start && edit.span.end <= reach.end)
    };
    candidates::for_problem(session, problem).into_iter().filter(is_near).take(MOST)
}

/// What a repair of a problem may change.
pub fn reach(session: &Session, problem: &Diagnostic) -> Span {
    let (text, lines, items) = (session.text(), session.lines(), session.document().items());
    let line = |offset| lines.around(text, offset).1;
    let mut reach = line(problem.span.start).cover(line(problem.span.end));
    if let Some(item) = problem.item.or_else(|| session.document().item_at(problem.span.start)) {
        let span = items.span(item).unwrap_or_default();
        let behind = items.span(item + 1).filter(|_| session.document().call(item + 1).is_none());
        reach = reach.cover(span).cover(behind.unwrap_or(span));
    }
    Span::new(line(reach.start).start, (line(reach.end).end + 1).min(text.len()))
}

fn read(text: &[u8], options: &Options) -> Session {
    let mut session = Session::new(Container::plain(), options);
    session.push(text);
    session.finish();
    session
}
