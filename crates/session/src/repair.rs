//! What a text should have been: the smallest edits that remove a problem, tried before they are offered.
//!
//! A problem brings its remedy along, or its kind has candidates (`repair/candidates`). Each is made on a copy of the lines around
//! it (`repair/window`), which is read again; `repair/verify` says whether it helps and does no harm. A file is never written to.

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

/// Bytes of the largest text that is repaired.
pub const LARGEST: usize = 4 << 20;

/// How many bytes of copies may be read before the search for repairs stops.
pub struct Budget {
    given: usize,
    left: Cell<usize>,
    /// Tells that no one waits any more.
    is_cancelled: Option<Rc<dyn Fn() -> bool>>,
}

impl Budget {
    fn of(bytes: usize) -> Self {
        Self { given: bytes, left: Cell::new(bytes), is_cancelled: None }
    }

    /// For a user who waits for a key to be answered, and may do something else: 16 MiB.
    pub fn for_key(is_cancelled: Rc<dyn Fn() -> bool>) -> Self {
        Self { is_cancelled: Some(is_cancelled), ..Self::of(16 << 20) }
    }

    /// For a command, which may take its time: 2 GiB.
    pub fn for_command() -> Self {
        Self::of(2 << 30)
    }

    /// Whether nothing is left of it.
    pub fn is_spent(&self) -> bool {
        self.left() == 0
    }

    fn left(&self) -> usize {
        self.left.get()
    }

    /// A part of it for something with a limit of its own, to be charged to this one when it is done.
    fn part(&self, most: usize) -> Self {
        Self { is_cancelled: self.is_cancelled.clone(), ..Self::of(most.min(self.left())) }
    }

    /// Takes off what was used of a part.
    fn charge(&self, part: &Self) {
        self.left.set(self.left().saturating_sub(part.given - part.left()));
    }

    /// Takes so many bytes. Whether something was left of it.
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
    /// For a text that was read with these options; nothing for a recorded session, and for what is too large.
    pub fn new(session: &'a Session, options: &'a Options, budget: &'a Budget) -> Option<Self> {
        let is_small = !session.is_decoded() && session.text().len() <= LARGEST;
        is_small.then(|| Self { session, options, budget, search: Search::new(session, options, budget) })
    }

    /// Whether the lines around each of some problems show that it can be repaired. Of problems that follow one another in the
    /// text, those in the same lines are tried together.
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
                // Whatever is left in these lines takes too long.
                let rest = problems[found.len()..].iter().take_while(|problem| window(problem) == span).count();
                found.resize(found.len() + rest, Repairability::Unknown);
            }
            self.budget.charge(&budget);
        }
        found
    }

    /// The edits that remove a problem, if some are known that do no harm.
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
        // What the whole text does not agree with is tried there as well.
        let agrees = self.search.before().agrees(&repair, &after, &[span]);
        if agrees { Some(repair) } else { self.search.find(problem) }
    }
}

/// True if a problem can be repaired, by the lines around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repairability {
    /// A repair does good there; the whole text may still say otherwise.
    Likely,
    /// No repair of it is known.
    None,
    /// Only the whole text shows the problem, or it would take too long.
    Unknown,
}

/// A text with all its repairs.
pub struct Repaired {
    /// All the edits, of the text as it was.
    pub repair: Repair,
    /// What was repaired, in the order of the text.
    pub done: Vec<Done>,
    /// What is left, with places in the repaired text.
    pub left: Session,
    /// Nothing was left out because it would have taken too long.
    pub is_complete: bool,
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

/// What a repair of a problem may change.
pub fn reach(session: &Session, problem: &Diagnostic) -> Span {
    let items = session.document().items();
    let line = |offset| window::line_of(session, offset);
    let mut reach = line(problem.span.start).cover(line(problem.span.end));
    if let Some(item) = problem.item.or_else(|| session.document().item_at(problem.span.start)) {
        let span = items.span(item).unwrap_or_default();
        let after = items.span(item + 1).filter(|_| session.document().call(item + 1).is_none());
        reach = reach.cover(span).cover(after.unwrap_or(span));
    }
    Span::new(line(reach.start).start, line(reach.end).end)
}

/// A plain text, read as a whole.
pub fn read(text: &[u8], options: &Options) -> Session {
    let mut session = Session::new(Container::plain(), options);
    session.push(text);
    session.finish();
    session
}
