//! What is derived from the session and costs something to make, kept while it is of use, and bounded.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::document::Outcomes;
use crate::document::facts::requests::Spending;
use crate::document::facts::turn_summary::TurnSummary;
use crate::document::graph::{Graph, SkippedCalls};
use crate::graph_layout::Drawing;
use crate::highlight::{Highlighted, Language};
use crate::value::index::TreeIndex;
use crate::value::{Assembly, NodeId};

use crate::tui::action::PaneId;
use crate::tui::row::Row;
use crate::tui::view::call_durations::LongestCalls;

/// Units whose rows are kept, and calls whose trees are.
const KEPT: usize = 1024;

/// Values whose colours are kept.
const KEPT_COLOURS: usize = 256;

/// A value whose code is to be coloured.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What the result is filed under.
    pub key: u64,
    /// The language it is in.
    pub language: Language,
    /// The bytes of the value that is to be coloured.
    pub text: Arc<[u8]>,
    /// The item whose rows are laid out again when the colours are there.
    pub item: usize,
}

/// From where on something has changed: an item, and a line (from 0).
#[derive(Clone, Copy, Debug, Default)]
pub struct Changed {
    /// Number of the first item that has changed.
    pub item: usize,
    /// The first line that has changed, counted from 0.
    pub line: usize,
}

/// What rows are laid out for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowLayout {
    /// Columns that there are for a row.
    pub width: usize,
    /// The column that they are cut at on the left, where they are not wrapped.
    pub column: Option<usize>,
    /// Whether they show the file, and not the text that was decoded from it.
    pub file: bool,
    /// Whether they show where chunks begin.
    pub borders: bool,
}

/// What is seen of a call.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its arguments and its tree.
    pub assembly: Rc<Assembly>,
    /// The order of the tree.
    pub index: Rc<TreeIndex>,
    /// Where that ends, if it is not all of the call.
    pub end: Option<usize>,
}

/// Rows, and what they were laid out for.
type LaidOut = (RowLayout, Rc<Vec<Row>>);

/// Key of the figures of a turn: its index, and the numbers of messages, items and requests.
type TurnKey = (usize, usize, usize, usize);

/// What was derived from a session, bounded in its size.
#[derive(Default)]
pub struct Cache {
    /// By pane and unit (a line of the raw pane, else an item), with what they were laid out for.
    rows: HashMap<(PaneId, (usize, usize)), LaidOut>,
    /// The trees of calls, by their items.
    pub(super) seen: HashMap<usize, Seen>,
    /// The nodes of a call that are not hidden by a fold, by pane and item.
    pub(super) unfolded: HashMap<(PaneId, usize), Rc<Vec<NodeId>>>,
    /// A call that is arriving, how long it was, and its tree then.
    pub(super) growing: Option<(usize, usize, Seen)>,
    /// Spending in the session, with the numbers of requests and items that it was summed for.
    pub(super) spending: Option<((usize, usize), Spending)>,
    /// Figures of turns by their indexes, with what they depend on: messages, items, requests.
    pub(super) turns: HashMap<usize, (TurnKey, Rc<TurnSummary>)>,
    /// The longest durations of calls.
    pub(super) longest: LongestCalls,
    /// The calls that are skipped, and what that depends on.
    pub(super) skipped: Option<((usize, usize), Rc<SkippedCalls>)>,
    /// The graph, and what it depends on.
    pub(super) graph: Option<((usize, usize), Rc<Graph>)>,
    /// How the calls went, and what that depends on: items, results and errors.
    pub(super) outcomes: Option<((usize, usize, usize), Outcomes)>,
    /// Its drawing, and what that depends on beside the graph: a width.
    pub(super) drawing: Option<((usize, usize, usize), Rc<Drawing>)>,
    colours: HashMap<u64, Arc<Highlighted>>,
    wanted: Vec<Wanted>,
    waiting: HashMap<u64, usize>,
}

impl Cache {
    /// The rows of a unit, if they were laid out for the same.
    pub fn rows(&self, pane: PaneId, unit: (usize, usize), layout: RowLayout) -> Option<Rc<Vec<Row>>> {
        self.rows.get(&(pane, unit)).filter(|(kept, _)| *kept == layout).map(|(_, rows)| Rc::clone(rows))
    }

    /// Keeps the rows of a unit.
    pub(super) fn keep_rows(&mut self, pane: PaneId, unit: (usize, usize), layout: RowLayout, rows: Rc<Vec<Row>>) {
        if self.rows.len() >= KEPT {
            self.rows.clear();
        }
        self.rows.insert((pane, unit), (layout, rows));
    }

    /// Keeps the tree of a call.
    pub(super) fn keep_seen(&mut self, item: usize, seen: Seen) {
        if self.seen.len() >= KEPT {
            self.seen.clear();
            self.unfolded.clear();
        }
        self.seen.insert(item, seen);
    }

    /// The colours of a value; where there are none yet, they are asked for.
    pub fn colours(&mut self, wanted: Wanted) -> Option<Arc<Highlighted>> {
        if let Some(known) = self.colours.get(&wanted.key) {
            return Some(Arc::clone(known));
        }
        self.waiting.insert(wanted.key, wanted.item);
        self.wanted.push(wanted);
        None
    }

    /// The values whose colours were asked for since the last time.
    pub fn take_wanted(&mut self) -> Vec<Wanted> {
        std::mem::take(&mut self.wanted)
    }

    /// Keeps the colours of a value and forgets the rows that were laid out without them.
    pub fn keep_colours(&mut self, key: u64, colours: Highlighted) {
        if self.colours.len() >= KEPT_COLOURS {
            self.colours.clear();
        }
        self.colours.insert(key, Arc::new(colours));
        if let Some(item) = self.waiting.remove(&key) {
            self.rows.retain(|(pane, (kept, _)), _| *pane == PaneId::Raw || *kept != item);
        }
    }

    /// Forgets what was made of the items and lines from these on.
    pub fn forget_from(&mut self, Changed { item: first, line }: Changed) {
        self.rows.retain(|(pane, (unit, _)), _| *unit < if *pane == PaneId::Raw { line } else { first });
        if first == 0 {
            self.turns.clear();
            self.longest = LongestCalls::default();
        }
        self.seen.retain(|item, _| *item < first);
        self.unfolded.retain(|(_, item), _| *item < first);
    }

    /// Forgets what was made of any item and line.
    pub fn forget_all(&mut self) {
        self.forget_from(Changed::default());
        self.growing = None;
    }

    /// Forgets all laid-out rows: something that shows in any of them has changed.
    pub fn forget_rows(&mut self) {
        self.rows.clear();
    }

    /// Forgets what is hidden by folds, and the rows with it.
    pub fn forget_folds(&mut self) {
        self.unfolded.clear();
        self.forget_rows();
    }

    /// Forgets the graph and its drawing.
    pub fn forget_graph(&mut self) {
        self.graph = None;
        self.skipped = None;
        self.drawing = None;
    }
}
