//! placeholder
#![allow(missing_docs)]
use crate::document::graph::Graph;
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}
pub struct Drawing {
    pub width: usize,
    pub height: usize,
}
pub enum PieceKind {
    Edge,
    Box(usize),
    Label(usize),
    Mark(usize),
    Ghost,
    Heading,
}
pub struct Piece {
    pub text: String,
    pub kind: PieceKind,
}
impl Drawing {
    pub fn new(_: &Graph, _: usize) -> Self {
        Self { width: 0, height: 0 }
    }
    pub fn rows(&self, _x: usize, _y: usize, _w: usize, _h: usize) -> Vec<Vec<Piece>> {
        vec![]
    }
    pub fn bounds_of(&self, _n: usize) -> Option<(usize, usize, usize, usize)> {
        None
    }
    pub fn node_at(&self, _x: usize, _y: usize) -> Option<usize> {
        None
    }
    pub fn step(&self, _n: usize, _d: Direction) -> Option<usize> {
        None
    }
}
