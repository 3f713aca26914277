//! The entries of a call that its rows show, in order, grouped into units.
//!
//! Nothing is laid out here, so that the cost of a large call depends only on what is visible.

use std::ops::Range;
use std::rc::Rc;

use crate::document::Call;
use crate::value::NodeId;

use crate::tui::action::PaneId;
use crate::tui::pane::reading::Reading;
use crate::tui::row::Target;
use crate::tui::view::View;
use crate::tui::view::cache::Seen;

/// Entries of a call per unit.
const PART: usize = 64;

/// The entries of a call, in order.
pub struct Entries<'a> {
    view: &'a View,
    pub(super) call: Call<'a>,
    pub(super) seen: Seen,
    pub(super) open: bool,
    /// The nodes that are not hidden by a fold.
    nodes: Rc<Vec<NodeId>>,
    /// Places of its problems in the display order.
    problems: Range<usize>,
}

/// An entry of a call, shown as one or more rows.
pub(super) enum CallEntry {
    Header,
    Node(NodeId),
    /// An argument that is not part of the tree.
    Outside(usize),
    /// The recorded outcome of the call.
    Outcome,
    /// A problem, by its place in the display order.
    Problem(usize),
}

impl<'a> Entries<'a> {
    /// The entries of a call; `None` for any other item.
    pub fn new(pane: &'a Reading, view: &'a View, item: usize) -> Option<Self> {
        let call = view.session.document().call(item)?;
        let seen = view.seen(item)?;
        let open = pane.folds.is_open(item, None);
        let nodes = view.unfolded(PaneId::Reading, item, &seen.index, |node| pane.folds.is_open(item, node));
        let place = |offset: usize| view.problems().first_from(offset);
        let problems = if open { place(call.span.start)..place(call.span.end) } else { 0..0 };
        Some(Self { view, call, seen, open, nodes, problems })
    }

    /// Arguments that are not part of the tree because the runtime rejects or skips them.
    fn outside(&self) -> &[usize] {
        if self.open { self.seen.index.outside() } else { &[] }
    }

    pub(super) fn len(&self) -> usize {
        1 + self.nodes.len() + self.outside().len() + usize::from(self.open) + self.problems.len()
    }

    pub(super) fn entry(&self, at: usize) -> CallEntry {
        let Some(at) = at.checked_sub(1) else { return CallEntry::Header };
        if let Some(&id) = self.nodes.get(at) {
            return CallEntry::Node(id);
        }
        let at = at - self.nodes.len();
        if let Some(&argument) = self.outside().get(at) {
            return CallEntry::Outside(argument);
        }
        match (at - self.outside().len()).checked_sub(1) {
            None => CallEntry::Outcome,
            Some(at) => CallEntry::Problem(self.problems.start + at),
        }
    }

    /// True if the entry of a node is in a range of entries.
    pub(super) fn holds(&self, places: &Range<usize>, id: NodeId) -> bool {
        self.seen.index.position(&self.nodes, id).is_some_and(|at| places.contains(&(at + 1)))
    }

    /// The range of entries of a unit.
    pub(super) fn of_part(&self, part: usize) -> Range<usize> {
        part * PART..self.len().min((part + 1) * PART)
    }

    /// Number of units.
    pub fn parts(&self) -> usize {
        self.len().div_ceil(PART)
    }

    /// The unit that shows a target.
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
