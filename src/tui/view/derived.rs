//! Data derived from the session on demand: trees of calls, laid-out rows, the graph and its drawing.
//!
//! All of it is cached while it is valid.

use std::rc::Rc;
use std::time::Duration;

use crate::container::facts::Figure;
use crate::dialect::Status;
use crate::document::graph::{CallLabels, Fate, Graph, Labels, SkippedCalls};
use crate::document::{Item, Outcomes};
use crate::graph_layout::Drawing;
use crate::session::MAX_DISSECTED;
use crate::text::steps;
use crate::value::index::TreeIndex;
use crate::value::{Assembly, NodeId, ROOT, Value};

use crate::tui::action::PaneId;
use crate::tui::row::{Row, Target};
use crate::tui::view::cache::{RowLayout, Seen};
use crate::tui::view::origin::Phase;
use crate::tui::view::presentation::ScreenElement;
use crate::tui::view::{View, start_of};

/// Bytes of a growing call that are dissected during a fast read: key presses must not be delayed.
const LOOKED_INTO_WHILE_READ: usize = 512 * 1024;

/// Size in bytes above which an arriving call is not dissected for each frame.
const LARGE: usize = 1024 * 1024;

impl View {
    /// The arguments and the tree of a call or of a prefix of it.
    pub fn assembly(&self, item: usize) -> Option<Rc<Assembly>> {
        self.seen(item).map(|seen| seen.assembly)
    }

    /// The arguments and the tree of a call or of a prefix of it. For a large call that arrives at full speed they are
    /// rebuilt each time it has grown by a quarter, and no longer once it exceeds the limit.
    pub fn seen(&self, item: usize) -> Option<Seen> {
        if let Some(known) = self.cache.borrow().seen.get(&item) {
            return Some(known.clone());
        }
        let call = self.session.document().call(item)?;
        let length = call.span.len();
        let is_growing = call.status == Status::Open && length > LARGE && self.rush;
        let is_near = |known: usize| known <= length && length - known < known / 4;
        let holds = |(of, known, seen): &(usize, usize, Seen)| {
            is_growing && *of == item && (is_near(*known) || seen.end.is_some())
        };
        let before = self.cache.borrow().growing.clone().filter(holds);
        let seen = if let Some((.., before)) = before {
            before
        } else {
            let most = if is_growing { LOOKED_INTO_WHILE_READ } else { MAX_DISSECTED };
            let (assembly, end) = self.session.dissect_prefix(item, most)?;
            let index = TreeIndex::new(&assembly);
            let seen = Seen { assembly: Rc::new(assembly), index: Rc::new(index), end };
            if is_growing {
                self.cache.borrow_mut().growing = Some((item, length, seen.clone()));
            }
            seen
        };
        self.cache.borrow_mut().keep_seen(item, seen.clone());
        Some(seen)
    }

    /// The visible nodes of a call in a pane, given which nodes are unfolded; `is_open(None)` refers to the call
    /// itself.
    pub fn unfolded(
        &self,
        pane: PaneId,
        item: usize,
        index: &TreeIndex,
        is_open: impl Fn(Option<NodeId>) -> bool,
    ) -> Rc<Vec<NodeId>> {
        let nodes = || if is_open(None) { index.unfolded(|id| is_open(Some(id))) } else { Vec::new() };
        Rc::clone(self.cache.borrow_mut().unfolded.entry((pane, item)).or_insert_with(|| Rc::new(nodes())))
    }

    /// True if a call or node can be folded.
    pub fn can_fold(&self, item: usize, node: Option<NodeId>) -> bool {
        match node.zip(self.assembly(item)) {
            None => true,
            Some((id, assembly)) => !matches!(assembly.tree.node(id).value, Value::Scalar(..)),
        }
    }

    /// The parent of a target: the containing node, or else the call.
    pub fn around(&self, target: Target) -> Target {
        let call = self.session.document().call(target.item);
        let start = call.map_or(target.offset, |call| call.span.start);
        let whole = Target { node: None, offset: start, problem: None, ..target };
        let Some((node, assembly)) = target.node.zip(self.assembly(target.item)) else { return whole };
        let parent = assembly.tree.node(node).parent;
        if parent == ROOT {
            return whole;
        }
        let offset = start_of(&assembly, parent).unwrap_or(start);
        Target { node: Some(parent), offset, problem: None, ..target }
    }

    /// The container of an item. For a result it is the call; for any other item the first one of its section; for that
    /// the first one of its run outside the conversation, then of its turn. Sections without a heading contain nothing.
    /// `None` for the first item of a turn, and if the filter or the branch hides the container.
    pub fn outside(&self, item: usize) -> Option<Target> {
        let document = self.session.document();
        if let Some(Item::Result(answer)) = document.items().get(item)
            && let Some((call, _)) = answer.call
        {
            return self.target_of_item(call).filter(|_| self.is_visible(call));
        }
        let section = document.section(document.message_at(document.items().span(item)?.start));
        let first = |message: usize| Some(document.items_before(document.messages().start(message)?));
        let is_headed = self.shows(ScreenElement::MessageHeadings) || self.is_headed(section, section.first);
        let own = Some(section.first).filter(|_| is_headed);
        let around = [own, section.aside, section.turn.map(|turn| turn.first)].into_iter().flatten().filter_map(first);
        let found = around.into_iter().find(|&first| first < item && self.is_visible(first))?;
        self.target_of_item(found)
    }

    fn is_visible(&self, item: usize) -> bool {
        !self.is_filtered_out(item) && !self.is_hidden(item)
    }

    /// The cached rows of a unit of the outline or the reading pane.
    pub fn rows(&self, pane: PaneId, unit: (usize, usize), build: impl FnOnce() -> Vec<Row>) -> Rc<Vec<Row>> {
        self.rows_laid_out(pane, unit, RowLayout { width: self.width(pane), ..RowLayout::default() }, build)
    }

    /// The cached rows of a unit of any pane.
    pub fn rows_laid_out(
        &self,
        pane: PaneId,
        unit: (usize, usize),
        layout: RowLayout,
        build: impl FnOnce() -> Vec<Row>,
    ) -> Rc<Vec<Row>> {
        if let Some(known) = self.cache.borrow().rows(pane, unit, layout) {
            return known;
        }
        let rows = Rc::new(build());
        steps::add(rows.len());
        self.cache.borrow_mut().keep_rows(pane, unit, layout, Rc::clone(&rows));
        rows
    }

    /// The dependency graph of the calls of the session that is shown.
    pub fn graph(&self) -> Rc<Graph> {
        let key = self.graph_key();
        kept(&mut self.cache.borrow_mut().graph, key, || self.session.graph())
    }

    /// The laid-out drawing of the dependency graph.
    pub fn drawing(&self) -> Rc<Drawing> {
        let (graph, width) = (self.graph(), self.width(PaneId::Graph));
        let (calls, errors) = self.graph_key();
        let draw = || Drawing::new(&graph, &self.graph_labels(&graph), width);
        kept(&mut self.cache.borrow_mut().drawing, (calls, errors, width), draw)
    }

    /// Labels of the calls in a graph. Generated ids are left out if no call depends on another.
    pub fn graph_labels(&self, graph: &Graph) -> GraphLabels<'_> {
        let document = self.session.document();
        let are_made =
            graph.edges.is_empty() && graph.nodes.first().is_some_and(|node| document.is_recorded(node.item()));
        GraphLabels { calls: self.session.labels(), without_ids: are_made }
    }

    /// The graph node for an item: the call itself, the call that a result answers, or the nearest call, preferably
    /// before it.
    pub fn graph_node(&self, item: usize) -> Option<usize> {
        let (graph, document) = (self.graph(), self.session.document());
        let call = match document.items().get(item)? {
            Item::Result(answer) => answer.call.map_or(item, |(call, _)| call),
            _ => item,
        };
        graph.node_of(call).or_else(|| {
            let near = document.neighbour_call(call, false).or_else(|| document.neighbour_call(call, true))?;
            graph.node_of(near)
        })
    }

    /// Outcomes of all calls. While a file is loading, only the totals and the failures are counted.
    pub fn outcomes(&self) -> Outcomes {
        let document = self.whole().document();
        if self.origin.phase == Phase::Loading || self.ahead.is_some() {
            let (calls, failed) = (document.calls_that_count(), document.failures());
            return Outcomes { calls, failed, ..Outcomes::default() };
        }
        let key = (document.items().len(), document.answers(), document.errors());
        if let Some((_, outcomes)) = self.cache.borrow().outcomes.filter(|(known, _)| *known == key) {
            return outcomes;
        }
        let outcomes = Outcomes::new(document, self.skipped_calls().count());
        self.cache.borrow_mut().outcomes = Some((key, outcomes));
        outcomes
    }

    /// Key of the cached graph: it changes when a call is added or turns out to fail. While a file is loading, the
    /// graph is kept until the calls grow by a quarter, so that rebuilding costs amortised linear time.
    fn graph_key(&self) -> (usize, usize) {
        let document = self.session.document();
        let calls = document.calls().len();
        let kept = self.cache.borrow().graph.as_ref().map(|(key, _)| *key);
        let kept = kept.filter(|_| self.origin.phase == Phase::Loading);
        kept.filter(|&(known, _)| known <= calls && calls - known < known / 4)
            .unwrap_or_else(|| (calls, document.errors() + document.answers()))
    }

    /// The calls that are skipped; cached separately, since a graph may be large.
    fn skipped_calls(&self) -> Rc<SkippedCalls> {
        let document = self.session.document();
        let key = (document.calls().len(), document.errors() + document.answers());
        kept(&mut self.cache.borrow_mut().skipped, key, || SkippedCalls::new(document))
    }

    /// The predicted outcome of a call, once everything that has arrived has been read.
    pub fn fate(&self, item: usize) -> Option<PredictedOutcome> {
        if self.origin.phase == Phase::Loading {
            return None;
        }
        let document = self.session.document();
        let call = document.call(item)?;
        Some(match call.failed {
            _ if document.is_withdrawn(item) => PredictedOutcome::Withdrawn,
            true => PredictedOutcome::Fails,
            false if call.waits_for().len() > 0 && self.skipped_calls().contains(document, item) => {
                PredictedOutcome::Skipped
            }
            false => PredictedOutcome::Runs,
        })
    }

    /// The wave (from 0) in which a call runs, and the number of waves.
    pub fn wave(&self, item: usize) -> (u32, usize) {
        let graph = self.graph();
        let waits = self.session.document().call(item).is_some_and(|call| call.waits_for().len() > 0);
        let fate = graph.node_of(item).filter(|_| waits).map(|node| graph.nodes[node].fate);
        (if let Some(Fate::Runs(wave)) = fate { wave } else { 0 }, graph.waves.len())
    }

    /// Updates the longest durations with what has arrived; invalidates rows if the threshold rose.
    pub fn examine_durations(&self) {
        let mut cache = self.cache.borrow_mut();
        if cache.longest.advance(self.session.document(), self.session.text()) {
            cache.forget_rows();
        }
    }

    /// Duration of a call, if it is at least 10 s, or at least 2 s and among the five longest of its session.
    pub fn notable_duration(&self, item: usize) -> Option<Figure<Duration>> {
        let took = self.session.document().call_duration(item, self.session.text())?;
        Some(took).filter(|took| took.value >= self.cache.borrow().longest.threshold())
    }

    /// Text that explains why a call is skipped.
    pub fn skip_reason(&self, item: usize) -> String {
        self.skipped_calls().reason_words(&self.session.labels(), item).unwrap_or_default()
    }
}

/// Labels of the calls in a graph.
pub struct GraphLabels<'a> {
    calls: CallLabels<'a>,
    without_ids: bool,
}

impl Labels for GraphLabels<'_> {
    fn id(&self, node: usize) -> String {
        if self.without_ids { String::new() } else { self.calls.id(node) }
    }

    fn name(&self, node: usize) -> String {
        self.calls.name(node)
    }
}

/// The predicted outcome of a call, to the extent that it follows without a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictedOutcome {
    /// The file withdraws it.
    Withdrawn,
    /// The runtime rejects it.
    Fails,
    /// The runtime skips it because of its dependencies.
    Skipped,
    /// The runtime runs it.
    Runs,
}

/// Returns the cached value if its key matches; otherwise makes and caches a new one.
fn kept<K: PartialEq, V>(slot: &mut Option<(K, Rc<V>)>, key: K, make: impl FnOnce() -> V) -> Rc<V> {
    if slot.as_ref().is_none_or(|(known, _)| *known != key) {
        *slot = None;
    }
    Rc::clone(&slot.get_or_insert_with(|| (key, Rc::new(make()))).1)
}
