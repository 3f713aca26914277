//! What is derived from the session and costs something to make, kept while it is of use, and bounded.
//!
//! This module does not know how anything in it is made.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::document::graph::Graph;
use crate::params::Assembly;

use super::graph_layout::Drawing;
use super::highlight::{Highlighted, Language};
use super::layout::Pane;
use super::rows::Row;

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
    /// Its text.
    pub text: Arc<[u8]>,
    /// The item whose rows are laid out again when the colours are there.
    pub item: usize,
}

/// Rows, and the width they were laid out for.
type LaidOut = (usize, Rc<Vec<Row>>);

/// The cache.
#[derive(Default)]
pub struct Cache {
    /// By pane and unit, with the width they were laid out for.
    rows: HashMap<(Pane, (usize, usize)), LaidOut>,
    assemblies: HashMap<usize, Rc<Assembly>>,
    graph: Option<((usize, usize), Rc<Graph>)>,
    drawing: Option<((usize, usize, usize), Rc<Drawing>)>,
    colours: HashMap<u64, Arc<Highlighted>>,
    wanted: Vec<Wanted>,
    waiting: HashMap<u64, usize>,
}

impl Cache {
    /// The rows of a unit, if they were laid out for this width.
    pub fn rows(&self, pane: Pane, unit: (usize, usize), width: usize) -> Option<Rc<Vec<Row>>> {
        self.rows.get(&(pane, unit)).filter(|(kept, _)| *kept == width).map(|(_, rows)| Rc::clone(rows))
    }

    /// Keeps the rows of a unit.
    pub fn keep_rows(&mut self, pane: Pane, unit: (usize, usize), width: usize, rows: Rc<Vec<Row>>) {
        if self.rows.len() >= KEPT {
            self.rows.clear();
        }
        self.rows.insert((pane, unit), (width, rows));
    }

    /// The tree of a call.
    pub fn assembly(&self, item: usize) -> Option<Rc<Assembly>> {
        self.assemblies.get(&item).map(Rc::clone)
    }

    /// Keeps the tree of a call.
    pub fn keep_assembly(&mut self, item: usize, assembly: Rc<Assembly>) {
        if self.assemblies.len() >= KEPT {
            self.assemblies.clear();
        }
        self.assemblies.insert(item, assembly);
    }

    /// The graph, if it was made from the same calls.
    pub fn graph(&self, key: (usize, usize)) -> Option<Rc<Graph>> {
        self.graph.as_ref().filter(|(kept, _)| *kept == key).map(|(_, graph)| Rc::clone(graph))
    }

    /// Keeps the graph.
    pub fn keep_graph(&mut self, key: (usize, usize), graph: Rc<Graph>) {
        self.graph = Some((key, graph));
    }

    /// The graph's drawing, if it was made from the same calls for the same width.
    pub fn drawing(&self, key: (usize, usize, usize)) -> Option<Rc<Drawing>> {
        self.drawing.as_ref().filter(|(kept, _)| *kept == key).map(|(_, drawing)| Rc::clone(drawing))
    }

    /// Keeps the graph's drawing.
    pub fn keep_drawing(&mut self, key: (usize, usize, usize), drawing: Rc<Drawing>) {
        self.drawing = Some((key, drawing));
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
            self.rows.retain(|(_, (kept, _)), _| *kept != item);
        }
    }

    /// Forgets what was made of the items from `first` on.
    pub fn forget_from(&mut self, first: usize) {
        self.rows.retain(|(_, (item, _)), _| *item < first);
        self.assemblies.retain(|item, _| *item < first);
    }

    /// Forgets all laid-out rows: something that shows in any of them has changed.
    pub fn forget_rows(&mut self) {
        self.rows.clear();
    }

    /// Forgets the graph.
    pub fn forget_graph(&mut self) {
        self.graph = None;
        self.drawing = None;
    }
}
