//! Ids of records, to detect duplicates and records that follow their children.

use super::writer::TextWriter;
use crate::diagnostic::Code;
use crate::text::Span;
use crate::text::hash_index::{HashedWords, WordHasher};

/// Hashes of the ids so far.
#[derive(Debug, Default)]
pub(super) struct RecordIds {
    key: WordHasher,
    seen: HashedWords,
    awaited: HashedWords,
}

impl RecordIds {
    /// Takes the id of a record and of its parent; returns true if the record is new.
    pub(super) fn take(&mut self, id: &str, parent: Option<&str>, source: Span, out: &mut TextWriter) -> bool {
        let hashed = self.key.hash_word(id);
        if !self.seen.insert(hashed) {
            let message = format!("the record {id} repeats an earlier one; it is skipped");
            out.problem(Code::DuplicateRecord, source, message);
            return false;
        }
        if self.awaited.remove(&hashed) {
            let message = format!("the record {id} is out of order: one that follows it came first");
            out.problem(Code::RecordOutOfOrder, source, message);
        }
        if let Some(parent) = parent.map(|parent| self.key.hash_word(parent))
            && !self.seen.contains(&parent)
        {
            self.awaited.insert(parent);
        }
        true
    }
}
