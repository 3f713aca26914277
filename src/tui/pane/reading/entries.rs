//! What the rows of a call are about, one after the other, and in which unit each of them is.
//!
//! Nothing is laid out here, so that a call of any size costs nothing but what is visible.

use std::ops::Range;
use std::rc::Rc;

use crate::document::Call;
use crate::value::NodeId;

use crate::tui::action::PaneId;
use crate::tui::pane::reading::Reading;
use crate::tui::row::Target;
use crate::tui::view::View;
use crate::tui::view::cache::Seen;

/// Entries of a call in one unit.
const PART: usize = 64;

/// What the rows of a call are about, one after the other.
pub struct Entries<'a> {
    view: &'a View,
    pub(super) call: Call<'a>,
    pub(super) seen: Seen,
    pub(super) open: bool,
    /// The nodes that no fold hides.
    nodes: Rc<Vec<NodeId>>,
    /// Places of its problems in the order of the text.
    problems: Range<usize>,
}

/// What one or more rows of a call are about.
pub(super) enum Entry {
    Header,
    Node(NodeId),
    /// An argument that is in no place of the tree.
    Outside(usize),
    /// What came of it.
    Outcome,
    /// A problem, by its place in the order of the text.
    Problem(usize),
}

impl<'a> Entries<'a> {
    /// The entries of a call; nothing for any other item.
    pub fn new(pane: &'a Reading, view: &'a View, item: usize) -> Option<Self> {
        let call = view.session.document().call(item)?;
        let seen = view.seen(item)?;
        let open = pane.folds.is_open(item, None);
        let nodes = view.unfolded(PaneId::Reading, item, &seen.index, |node| pane.folds.is_open(item, node));
        let place = |offset: usize| view.problems().first_from(offset);
        let problems = if open { place(call.span.start)..place(call.span.end) } else { 0..0 };
        Some(Self { view, call, seen, open, nodes, problems })
    }

    /// Arguments that are in no place of the tree, because the runtime refuses or skips them.
    fn outside(&self) -> &[usize] {
        if self.open { self.seen.index.outside() } else { &[] }
    }

    pub(super) fn len(&self) -> usize {
        1 + self.nodes.len() + self.outside().len() + usize::from(self.open) + self.problems.len()
    }

    pub(super) fn entry(&self, at: usize) -> Entry {
        let Some(at) = at.checked_sub(1) else { return Entry::Header };
        if let Some(&id) = self.nodes.get(at) {
            return Entry::Node(id);
        }
        let at = at - self.nodes.len();
        if let Some(&argument) = self.outside().get(at) {
            return Entry::Outside(argument);
        }
        match (at - self.outside().len()).checked_sub(1) {
            None => Entry::Outcome,
            Some(at) => Entry::Problem(self.problems.start + at),
        }
    }

    /// Whether an entry for a node is among some places.
    pub(super) fn holds(&self, places: &Range<usize>, id: NodeId) -> bool {
        self.seen.index.position(&self.nodes, id).is_some_and(|at| places.contains(&(at + 1)))
    }

    /// The places of a unit.
    pub(super) fn of_part(&self, part: usize) -> Range<usize> {
        part * PART..self.len().min((part + 1) * PART)
    }

    /// Number of units that its entries fill.
    pub fn parts(&self) -> usize {
        self.len().div_ceil(PART)
    }

    /// The unit that shows what a row may lead to.
    pub fn part_of(&self, target: Target) -> usize {
        let problem = target.problem.and_then(|number| self.view.problems().place_of(number));
        let problem = problem.filter(|place| self.problems.contains(place));
        let arguments = &self.seen.assembly.arguments;
        let at = match (problem, target.node) {
            (Some(place), _) => self.len() - (self.problems.end - place),
            (_, Some(id)) => self.seen.index.position(&self.nodes, id).map_or(0, |at| at + 1),
            (_, None) => {
                let is_before = |&argument: &usize| arguments[argument].pointer.start <= target.offset;
                match self.outside().partition_point(is_before) {
                    0 => 0,
                    before => self.nodes.len() + before,
                }
            }
        };
        at / PART
    }
}
