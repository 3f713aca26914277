//! Bounded cache of derived data that is expensive to make.

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

/// Maximum number of cached units with rows, and of cached trees of calls.
const KEPT: usize = 1024;

/// Maximum number of values with cached colours.
const KEPT_COLOURS: usize = 256;

/// A value to highlight.
#[derive(Clone, Debug)]
pub struct HighlightRequest {
    /// Cache key of the result.
    pub key: u64,
    /// Language of the value.
    pub language: Language,
    /// Bytes to highlight.
    pub text: Arc<[u8]>,
    /// The item to lay out again when the colours are available.
    pub item: usize,
}

/// The first item and line that have changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changed {
    /// Number of the first changed item.
    pub item: usize,
    /// The first changed line, from 0.
    pub line: usize,
}

/// Parameters that rows depend on, in addition to their unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowLayout {
    /// Available columns.
    pub width: usize,
    /// The first visible column, if rows are scrolled horizontally instead of wrapped.
    pub column: Option<usize>,
    /// True if rows show the file instead of the text decoded from it.
    pub file: bool,
    /// True if rows show chunk boundaries.
    pub borders: bool,
}

/// The dissected form of a call.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Arguments and tree.
    pub assembly: Rc<Assembly>,
    /// Traversal order of the tree.
    pub index: Rc<TreeIndex>,
    /// End of the dissected prefix, if it is not the whole call.
    pub end: Option<usize>,
}

/// Rows, and the parameters they were laid out with.
type LaidOut = (RowLayout, Rc<Vec<Row>>);

/// Key of the figures of a turn: its index, and the numbers of messages, items and requests.
type TurnKey = (usize, usize, usize, usize);

/// Bounded cache of data derived from a session.
#[derive(Default)]
pub struct Cache {
    /// Rows by pane and unit (a line in the raw pane, otherwise an item).
    rows: HashMap<(PaneId, (usize, usize)), LaidOut>,
    /// Trees of calls by item.
    pub(super) seen: HashMap<usize, Seen>,
    /// Visible nodes of a call by pane and item.
    pub(super) unfolded: HashMap<(PaneId, usize), Rc<Vec<NodeId>>>,
    /// The last dissection of an arriving call: its item, its length at that time, and the result.
    pub(super) growing: Option<(usize, usize, Seen)>,
    /// Spending in the session, with the numbers of requests and items it was summed over.
    pub(super) spending: Option<((usize, usize), Spending)>,
    /// Figures of turns by turn index.
    pub(super) turns: HashMap<usize, (TurnKey, Rc<TurnSummary>)>,
    /// The longest durations of calls.
    pub(super) longest: LongestCalls,
    /// The skipped calls, with the key they were computed for.
    pub(super) skipped: Option<((usize, usize), Rc<SkippedCalls>)>,
    /// The graph, with the key it was built for.
    pub(super) graph: Option<((usize, usize), Rc<Graph>)>,
    /// Outcomes of the calls, with the numbers of items, results and errors they were counted for.
    pub(super) outcomes: Option<((usize, usize, usize), Outcomes)>,
    /// The graph's drawing, with the key of the graph and the width in columns.
    pub(super) drawing: Option<((usize, usize, usize), Rc<Drawing>)>,
    colours: HashMap<u64, Arc<Highlighted>>,
    wanted: Vec<HighlightRequest>,
    waiting: HashMap<u64, usize>,
}

impl Cache {
    /// The rows of a unit, if they are cached for the same layout.
    pub fn rows(&self, pane: PaneId, unit: (usize, usize), layout: RowLayout) -> Option<Rc<Vec<Row>>> {
        self.rows.get(&(pane, unit)).filter(|(kept, _)| *kept == layout).map(|(_, rows)| Rc::clone(rows))
    }

    /// Caches the rows of a unit.
    pub(super) fn keep_rows(&mut self, pane: PaneId, unit: (usize, usize), layout: RowLayout, rows: Rc<Vec<Row>>) {
        if self.rows.len() >= KEPT {
            self.rows.clear();
        }
        self.rows.insert((pane, unit), (layout, rows));
    }

    /// Caches the tree of a call.
    pub(super) fn keep_seen(&mut self, item: usize, seen: Seen) {
        if self.seen.len() >= KEPT {
            self.seen.clear();
            self.unfolded.clear();
        }
        self.seen.insert(item, seen);
    }

    /// The colours of a value. If they are not cached, queues the value for highlighting.
    pub fn colours(&mut self, wanted: HighlightRequest) -> Option<Arc<Highlighted>> {
        if let Some(known) = self.colours.get(&wanted.key) {
            return Some(Arc::clone(known));
        }
        self.waiting.insert(wanted.key, wanted.item);
        self.wanted.push(wanted);
        None
    }

    /// Takes the queued values.
    pub fn take_wanted(&mut self) -> Vec<HighlightRequest> {
        std::mem::take(&mut self.wanted)
    }

    /// Caches the colours of a value and discards the rows laid out without them.
    pub fn keep_colours(&mut self, key: u64, colours: Highlighted) {
        if self.colours.len() >= KEPT_COLOURS {
            self.colours.clear();
        }
        self.colours.insert(key, Arc::new(colours));
        if let Some(item) = self.waiting.remove(&key) {
            self.rows.retain(|(pane, (kept, _)), _| *pane == PaneId::Raw || *kept != item);
        }
    }

    /// Discards everything derived from the items and lines starting at these.
    pub fn forget_from(&mut self, Changed { item: first, line }: Changed) {
        self.rows.retain(|(pane, (unit, _)), _| *unit < if *pane == PaneId::Raw { line } else { first });
        if first == 0 {
            self.turns.clear();
            self.longest = LongestCalls::default();
        }
        self.seen.retain(|item, _| *item < first);
        self.unfolded.retain(|(_, item), _| *item < first);
    }

    /// Discards everything derived from items or lines.
    pub fn forget_all(&mut self) {
        self.forget_from(Changed::default());
        self.growing = None;
    }

    /// Discards all laid-out rows, after a change that may show in any of them.
    pub fn forget_rows(&mut self) {
        self.rows.clear();
    }

    /// Discards the visible nodes of calls, and all rows with them.
    pub fn forget_folds(&mut self) {
        self.unfolded.clear();
        self.forget_rows();
    }

    /// Discards the graph and its drawing.
    pub fn forget_graph(&mut self) {
        self.graph = None;
        self.skipped = None;
        self.drawing = None;
    }
}
