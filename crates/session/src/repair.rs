//! Repairs: the smallest edits that remove a problem, tried before they are offered.
//!
//! A problem comes with a remedy, or its kind has candidates (`repair/candidates`). Each is applied to a copy of the
//! lines around it (`repair/window`), which is read again; `repair/verify` checks that it helps and does no harm. Files
//! are never written.

mod batch;
mod candidates;
mod content;
mod json;
mod patch;
mod search;
mod verify;
mod window;
pub mod worker;

use std::cell::Cell;
use std::rc::Rc;

use crate::container::Container;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Options;
use crate::session::Session;
use crate::text::Span;

pub use batch::repair_all;
pub use patch::{EditMap, Hunk, LineChange, Repair};
use search::Search;
use window::Window;

/// Most bytes of a text that is repaired.
pub const LARGEST: usize = 4 << 20;

/// Limits the bytes of copies that may be read in a search for repairs.
pub struct Budget {
    given: usize,
    left: Cell<usize>,
    /// Returns true once the result is no longer wanted.
    is_cancelled: Option<Rc<dyn Fn() -> bool>>,
}

impl Budget {
    fn of(bytes: usize) -> Self {
        Self { given: bytes, left: Cell::new(bytes), is_cancelled: None }
    }

    /// 16 MiB, for the response to a key press; `is_cancelled` stops the search early.
    pub(crate) fn for_key(is_cancelled: Rc<dyn Fn() -> bool>) -> Self {
        Self { is_cancelled: Some(is_cancelled), ..Self::of(16 << 20) }
    }

    /// 2 GiB, for a command, which may take longer.
    pub fn for_command() -> Self {
        Self::of(2 << 30)
    }

    /// True if it is used up.
    pub fn is_spent(&self) -> bool {
        self.left() == 0
    }

    fn left(&self) -> usize {
        self.left.get()
    }

    /// A part of the budget with a separate limit; see [`Self::charge`].
    fn part(&self, most: usize) -> Self {
        Self { is_cancelled: self.is_cancelled.clone(), ..Self::of(most.min(self.left())) }
    }

    /// Deducts what was used of a part.
    fn charge(&self, part: &Self) {
        self.left.set(self.left().saturating_sub(part.given - part.left()));
    }

    /// Deducts bytes. Returns false if the budget was used up before.
    fn take(&self, bytes: usize) -> bool {
        if self.is_cancelled.as_ref().is_some_and(|is_cancelled| is_cancelled()) {
            self.left.set(0);
        }
        let left = self.left();
        self.left.set(left.saturating_sub(bytes.max(1)));
        left > 0
    }
}

/// A plain text whose problems may be repaired.
pub struct Repairs<'a> {
    session: &'a Session,
    options: &'a Options,
    budget: &'a Budget,
    search: Search<'a>,
}

impl<'a> Repairs<'a> {
    /// `options` are the ones that the text was read with. `None` for a recorded session, and for a text that is too
    /// large.
    pub fn new(session: &'a Session, options: &'a Options, budget: &'a Budget) -> Option<Self> {
        let is_small = !session.is_decoded() && session.text().len() <= LARGEST;
        is_small.then(|| Self { session, options, budget, search: Search::new(session, options, budget) })
    }

    /// Tests for each problem whether it can be repaired, from the lines around it. Consecutive problems in the same
    /// lines are tried together.
    pub fn repairable(&self, problems: &[&Diagnostic]) -> Vec<Repairability> {
        let window = |problem: &Diagnostic| window::around(self.session, problem).span;
        let mut found = Vec::with_capacity(problems.len());
        while let Some(first) = problems.get(found.len()) {
            let span = window(first);
            let budget = self.budget.part(batch::EACH * span.len() + batch::FREE);
            let part = read(&self.session.text().read(span), self.options);
            let shown: Vec<Diagnostic> = part.document().sorted_diagnostics().collect();
            let search = Search::new(&part, self.options, &budget);
            for problem in &problems[found.len()..] {
                if budget.is_spent() || window(problem) != span {
                    break;
                }
                found.push(match window::find_shown(&shown, span.start, problem) {
                    None => Repairability::Unknown,
                    Some(shown) if search.find(shown).is_some() => Repairability::Likely,
                    Some(_) => Repairability::None,
                });
            }
            if budget.is_spent() {
                // Any further problems in these lines would take too long.
                let rest = problems[found.len()..].iter().take_while(|problem| window(problem) == span).count();
                found.resize(found.len() + rest, Repairability::Unknown);
            }
            self.budget.charge(&budget);
        }
        found
    }

    /// Edits that remove a problem and do no harm, if any are known.
    pub fn find(&self, problem: &Diagnostic) -> Option<Repair> {
        if problem.source.is_some() {
            return None;
        }
        let Window { span, .. } = window::around(self.session, problem);
        if span.len() >= self.session.text().len() || !self.budget.take(span.len()) {
            return self.search.find(problem);
        }
        let part = read(&self.session.text().read(span), self.options);
        let shown: Vec<Diagnostic> = part.document().sorted_diagnostics().collect();
        let Some(shown) = window::find_shown(&shown, span.start, problem) else { return self.search.find(problem) };
        let repair = Search::new(&part, self.options, self.budget).find(shown)?.shifted(span.start);
        let after = self.search.read(&repair)?;
        // A repair that fails in the whole text is searched for there too.
        let agrees = self.search.before().agrees(&repair, &after, &[span]);
        if agrees { Some(repair) } else { self.search.find(problem) }
    }
}

/// The prospect of repairing a problem, judged by the lines around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repairability {
    /// A repair helps there; it may still fail in the whole text.
    Likely,
    /// No repair is known.
    None,
    /// The problem shows only in the whole text, or the test would take too long.
    Unknown,
}

/// The result of repairing a text.
pub struct Repaired {
    /// All edits, in offsets of the original text.
    pub repair: Repair,
    /// The repaired problems, in text order.
    pub done: Vec<AppliedRepair>,
    /// The repaired text, with the remaining problems.
    pub left: Session,
    /// False if something was skipped because it would have taken too long.
    pub is_complete: bool,
}

/// A repaired problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedRepair {
    /// The kind of problem that was removed.
    pub code: Code,
    /// Its offset in the original text.
    pub offset: usize,
    /// The edits as text: ``delete `,` ``.
    pub words: String,
}

/// The span that a repair of a problem may change.
pub fn allowed_span(session: &Session, problem: &Diagnostic) -> Span {
    let items = session.document().items();
    let line = |offset| window::line_of(session, offset);
    let mut allowed = line(problem.span.start).cover(line(problem.span.end));
    if let Some(item) = problem.item.or_else(|| session.document().item_at(problem.span.start)) {
        let span = items.span(item).unwrap_or_default();
        let after = items.span(item + 1).filter(|_| session.document().call(item + 1).is_none());
        allowed = allowed.cover(span).cover(after.unwrap_or(span));
        if problem.code == Code::HalfWrapped {
            // The other half of the wrapper may be cut, in that line.
            allowed = allowed.cover(line(span.start.saturating_sub(1)));
        }
    }
    Span::new(line(allowed.start).start, line(allowed.end).end)
}

/// Reads a complete plain text.
pub fn read(text: &[u8], options: &Options) -> Session {
    let mut session = Session::new(Container::plain(), options);
    session.push(text);
    session.finish();
    session
}
