//! Ids of records, to tell which comes twice and which comes behind the records that follow it.
//!
//! This module does not know what a record says.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::writer::Writer;
use crate::diagnostic::Code;
use crate::text::Span;

/// The ids so far, as numbers.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    state: RandomState,
    seen: HashSet<u64>,
    awaited: HashSet<u64>,
}

impl Lineage {
    /// Takes the id of a record and that of the one it follows; whether the record is new.
    pub(super) fn take(&mut self, id: &str, parent: Option<&str>, source: Span, out: &mut Writer) -> bool {
        let number = self.state.hash_one(id);
        if !self.seen.insert(number) {
            let message = format!("the record {id} has come before; it is passed over");
            out.problem(Code::DuplicateRecord, source, message);
            return false;
        }
        if self.awaited.remove(&number) {
            let message = format!("the record {id} comes behind one that follows it");
            out.problem(Code::RecordOutOfOrder, source, message);
        }
        if let Some(parent) = parent.map(|parent| self.state.hash_one(parent))
            && !self.seen.contains(&parent)
        {
            self.awaited.insert(parent);
        }
        true
    }
}
