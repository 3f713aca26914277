//! What the state makes of the session when somebody asks: trees of calls, laid-out rows, the graph and its drawing.
//!
//! All of it is kept in the cache for as long as it holds. This module does not know how any of it is made, or who looks
//! at it.

use std::rc::Rc;

use crate::dialect::Status;
use crate::document::graph::{Fate, Graph};
use crate::params::index::TreeIndex;
use crate::params::{Assembly, NodeId};
use crate::session::MAX_DISSECTED;
use crate::text::counted;

use super::super::cache::{Layout, Seen};
use super::super::graph_layout::Drawing;
use super::super::layout::Pane;
use super::super::rows::Row;
use super::{Phase, State};

/// Bytes of a call that are looked into while it is read as fast as it can be: no key is to wait for more.
const LOOKED_INTO_WHILE_READ: usize = 512 * 1024;

/// Bytes of a call that is not taken apart for each frame while it arrives.
const LARGE: usize = 1024 * 1024;

impl State {
    /// The arguments and the tree of a call, or of the beginning of one.
    pub fn assembly(&self, item: usize) -> Option<Rc<Assembly>> {
        self.seen(item).map(|seen| seen.assembly)
    }

    /// The arguments and the tree of a call, as far as it is looked into. Those of a large one that arrives as fast as it
    /// can be read are made anew when a quarter has been added to it, and never again once it goes beyond that.
    pub fn seen(&self, item: usize) -> Option<Seen> {
        if let Some(known) = self.cache.borrow().assembly(item) {
            return Some(known);
        }
        let call = self.session.document().call(item)?;
        let length = call.span.len();
        let is_growing = call.status == Status::Open && length > LARGE && self.rush;
        let is_near = |known: usize| known <= length && length - known < known / 4;
        let holds = |(known, seen): &(usize, Seen)| is_growing && (is_near(*known) || seen.end.is_some());
        let before = self.cache.borrow().growing(item).filter(holds);
        let seen = if let Some((_, before)) = before {
            before
        } else {
            let most = if is_growing { LOOKED_INTO_WHILE_READ } else { MAX_DISSECTED };
            let (assembly, end) = self.session.dissect_prefix(item, most)?;
            let index = TreeIndex::new(&assembly);
            Seen { assembly: Rc::new(assembly), index: Rc::new(index), end }
        };
        let mut cache = self.cache.borrow_mut();
        if is_growing {
            cache.keep_growing(item, length, &seen);
        }
        cache.keep_assembly(item, seen.clone());
        Some(seen)
    }

    /// The nodes of a call that are shown in a pane: those below a folded one are not.
    pub fn unfolded(&self, pane: Pane, item: usize, index: &TreeIndex) -> Rc<Vec<NodeId>> {
        if let Some(known) = self.cache.borrow().unfolded(pane, item) {
            return known;
        }
        let nodes = if self.is_open(pane, item, None) {
            index.unfolded(|id| self.is_open(pane, item, Some(id)))
        } else {
            Vec::new()
        };
        let nodes = Rc::new(nodes);
        self.cache.borrow_mut().keep_unfolded(pane, item, Rc::clone(&nodes));
        nodes
    }

    /// The rows of a unit of the outline or the reading pane, laid out once.
    pub fn rows(&self, pane: Pane, unit: (usize, usize), build: impl FnOnce() -> Vec<Row>) -> Rc<Vec<Row>> {
        self.rows_laid_out(pane, unit, Layout { width: self.width(pane), ..Layout::default() }, build)
    }

    /// The rows of a unit of any pane, laid out once.
    pub fn rows_laid_out(
        &self,
        pane: Pane,
        unit: (usize, usize),
        layout: Layout,
        build: impl FnOnce() -> Vec<Row>,
    ) -> Rc<Vec<Row>> {
        if let Some(known) = self.cache.borrow().rows(pane, unit, layout) {
            return known;
        }
        let rows = Rc::new(build());
        counted::add(rows.len());
        self.cache.borrow_mut().keep_rows(pane, unit, layout, Rc::clone(&rows));
        rows
    }

    /// The dependency graph.
    pub fn graph(&self) -> Rc<Graph> {
        let key = self.graph_key();
        if let Some(known) = self.cache.borrow().graph(key) {
            return known;
        }
        let graph = Rc::new(self.session.graph());
        self.cache.borrow_mut().keep_graph(key, Rc::clone(&graph));
        graph
    }

    /// The dependency graph as it is drawn.
    pub fn drawing(&self) -> Rc<Drawing> {
        let width = self.width(Pane::Bottom);
        let (calls, errors) = self.graph_key();
        let key = (calls, errors, width);
        if let Some(known) = self.cache.borrow().drawing(key) {
            return known;
        }
        let drawing = Rc::new(Drawing::new(&self.graph(), &self.session.labels(), width));
        self.cache.borrow_mut().keep_drawing(key, Rc::clone(&drawing));
        drawing
    }

    /// What the graph depends on: a call that is added, and one that turns out to fail. While a file is read, a graph is
    /// kept until a quarter is added to it, so that all of them together cost no more than a few of the last.
    fn graph_key(&self) -> (usize, usize) {
        let document = self.session.document();
        let calls = document.calls().len();
        let kept = self.cache.borrow().graph_key().filter(|_| self.origin.phase == Phase::Loading);
        kept.filter(|&(known, _)| known <= calls && calls - known < known / 4)
            .unwrap_or_else(|| (calls, document.errors() + document.answers()))
    }

    /// What becomes of a call, once all that is there has been read.
    pub fn fate(&self, item: usize) -> Option<Fate> {
        if self.origin.phase == Phase::Loading {
            return None;
        }
        let call = self.session.document().call(item)?;
        if self.session.document().is_withdrawn(item) {
            return Some(Fate::Withdrawn);
        }
        if call.waits_for().is_empty() {
            // It needs no graph, which may be large and is made anew for every call that arrives.
            return Some(if call.failed { Fate::Fails } else { Fate::Runs(0) });
        }
        let graph = self.graph();
        graph.node_of(item).map(|node| graph.nodes[node].fate)
    }

    /// Why a call is skipped, in words.
    pub fn skip_reason(&self, item: usize) -> String {
        let graph = self.graph();
        let reason = graph.node_of(item).and_then(|node| graph.skip_reason(node, &self.session.labels()));
        reason.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::rows::reading::Reading;
    use super::super::Origin;
    use super::*;
    use crate::dialect::Options;
    use crate::session::Session;
    use crate::source::{CHUNK, SourceEvent};
    use crate::tui::update::{Happened, update};

    fn state() -> State {
        let session = Session::new(crate::container::Container::default(), &Options::default());
        let session = session.expect("the default options name no dialect");
        State::new(session, Options::default(), Origin::default(), (80, 24))
    }

    fn arrives(state: &mut State, event: SourceEvent) {
        update(state, Happened::Source(event));
    }

    #[test]
    fn a_large_call_is_taken_apart_seldom_while_it_arrives_and_then_to_its_end() {
        let mut state = state();
        let argument = format!("!!!ARG:x\n{}\n", "y".repeat(990));
        let text = format!("!!!GADGET_START:Do:a\n{}", argument.repeat(6000));
        let mut chunks = text.as_bytes().chunks(CHUNK).filter(|chunk| chunk.len() == CHUNK);
        let mut trees: Vec<Rc<Assembly>> = Vec::new();
        let count = chunks.clone().count();
        for chunk in chunks.by_ref() {
            arrives(&mut state, SourceEvent::Chunk(chunk.to_vec()));
            let tree = state.assembly(0).expect("a call");
            if trees.last().is_none_or(|last| !Rc::ptr_eq(last, &tree)) {
                trees.push(tree);
            }
        }
        assert!(trees.len() > 4 && trees.len() < count * 3 / 4, "{} times of {count}", trees.len());
        arrives(&mut state, SourceEvent::CaughtUp);
        let arguments = state.assembly(0).expect("a call").arguments.len();
        assert_eq!(arguments, count * CHUNK / argument.len() + 1);
    }

    #[test]
    fn of_a_call_that_is_very_long_the_beginning_is_looked_into_and_that_is_said() {
        let mut state = state();
        let line = format!("{}\n", "y".repeat(99));
        let text = format!("!!!GADGET_START:Do:a\n!!!ARG:x\n{}", line.repeat(MAX_DISSECTED / 90));
        for end in ["", "!!!GADGET_END\n"] {
            arrives(
                &mut state,
                SourceEvent::Chunk(if end.is_empty() { text.clone() } else { end.into() }.into_bytes()),
            );
            let Seen { assembly, end, .. } = state.seen(0).expect("a call");
            let end = end.expect("it is not all of the call");
            assert!(end <= "!!!GADGET_START:Do:a\n".len() + MAX_DISSECTED && text[..end].ends_with("y\n"), "{end}");
            assert_eq!(assembly.arguments[0].value.end, end - 1);
            let rows = Reading(&state).rows((0, 0));
            let words: String = rows.iter().flat_map(|row| &row.lead).map(|piece| piece.text.as_str()).collect();
            assert!(words.contains("more than 83,885 lines, 8.4 MB"), "{words}");
            assert!(words.contains("this is the first 8.4 MB of 9.3 MB: the raw pane shows all of it"), "{words}");
        }
    }

    #[test]
    fn while_a_file_is_read_a_graph_is_kept_until_a_quarter_is_added() {
        let mut state = state();
        let calls = |from: usize, count: usize| {
            let call = |number: usize| format!("!!!GADGET_START:Do:c{}\n!!!GADGET_END\n", from + number);
            SourceEvent::Chunk((0..count).map(call).collect::<String>().into_bytes())
        };
        for (added, shown) in [(8, 8), (1, 8), (1, 10), (1, 10), (1, 12)] {
            let before = state.session.document().calls().len();
            arrives(&mut state, calls(before, added));
            assert_eq!(state.graph().nodes.len(), shown, "{added} to {before}");
        }
        arrives(&mut state, calls(12, 1));
        arrives(&mut state, SourceEvent::CaughtUp);
        assert_eq!(state.graph().nodes.len(), 13);
    }
}
