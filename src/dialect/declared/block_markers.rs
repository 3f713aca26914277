//! The markers around a block that holds whole calls, names included.
//!
//! This module does not know what is between them.

use super::marker::{Marker, Read};
use crate::text::Span;

/// What opens a block of calls, and what closes it.
#[derive(Debug)]
pub(super) struct BlockMarkers {
    pub(super) open: Vec<Marker>,
    /// Any of these closes a block; the first one is written. A block without any ends with its value.
    pub(super) close: Vec<Marker>,
    pub(super) is_close_optional: bool,
    /// Whether the opening marker is the beginning of the value.
    pub(super) is_open_value: bool,
    /// Whether a block begins at the beginning of a line only.
    pub(super) at_line: bool,
    /// How the first closing marker is written; empty if there is none.
    pub(super) end: String,
}

/// Whether a block is closed at a place.
pub(super) enum Closed {
    By(Span),
    /// More must arrive to tell.
    Waits,
    Not,
}

impl BlockMarkers {
    pub(super) fn is_close_required(&self) -> bool {
        !self.close.is_empty() && !self.is_close_optional
    }

    /// The opening marker at a place.
    pub(super) fn opening(&self, ahead: &[u8], at: usize, finished: bool) -> Read {
        let mut partial = false;
        for marker in &self.open {
            match marker.read(ahead, at, finished) {
                Read::Partial => partial = true,
                Read::None => {}
                found @ Read::Match(_) => return found,
            }
        }
        if partial { Read::Partial } else { Read::None }
    }

    pub(super) fn closed(&self, ahead: &[u8], at: usize, finished: bool) -> Closed {
        let mut waits = false;
        for marker in &self.close {
            match marker.read(ahead, at, finished) {
                Read::Match(found) => return Closed::By(Span::new(at, found.end)),
                Read::Partial => waits = true,
                Read::None => {}
            }
        }
        if waits { Closed::Waits } else { Closed::Not }
    }

    /// Whether the next block begins with these bytes.
    pub(super) fn opens(&self, rest: &[u8]) -> bool {
        self.open.iter().any(|open| rest.starts_with(open.lead()))
    }

    /// Whether these bytes may become the beginning of the next block.
    pub(super) fn may_open(&self, rest: &[u8]) -> bool {
        self.open.iter().any(|open| open.lead().starts_with(rest))
    }

    /// The texts with which a block may begin.
    pub(super) fn leads(&self) -> Vec<Vec<u8>> {
        self.open.iter().map(|open| open.lead().to_vec()).collect()
    }
}
