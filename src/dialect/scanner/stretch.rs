//! Places at which one scanner may go on for another: the beginning of a line of prose, with nothing open.
//!
//! What dialects remember there is compared by its hash. This module does not know who goes on.

use std::hash::{DefaultHasher, Hasher as _};

use super::super::MarkdownContext;
use super::Scanner;
use super::unclosed::Rereads;
use crate::text::Text;

/// All that a scanner remembers where nothing is open, as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScannerMemory(u64);

impl Scanner {
    /// What it remembers at `at`, the end of `text`; nothing unless it stands there, at the beginning of a line, and all that
    /// is in front of it is decided.
    pub fn memory_at(&self, text: &Text, at: usize) -> Option<ScannerMemory> {
        let is_line_start = self.markdown.line_start() == at && !self.markdown.in_fence();
        let is_behind = self.last_call.is_none_or(|(end, _)| end <= at);
        let rests = self.open.is_none() && self.gave_way.is_none() && self.looked == 0 && self.runtime.is_none();
        let knows_nothing = self.endless.iter().all(Option::is_none);
        let stands = self.at == at && self.given == at && text.len() == at;
        if !(stands && is_line_start && is_behind && rests && knows_nothing) {
            return None;
        }
        let mut memory = DefaultHasher::new();
        self.dialects.iter().for_each(|dialect| dialect.remember(text, at, &mut memory));
        Some(ScannerMemory(memory.finish()))
    }

    /// A scanner that remembers the same and stands at `at`, at the beginning of a line.
    pub fn moved_to(&self, at: usize) -> Self {
        let mut scanner = self.clone();
        let mut markdown = MarkdownContext::default();
        markdown.pass_to(at);
        scanner.begin_at(at, markdown);
        scanner.rereads = Rereads::default();
        scanner
    }

    /// Whether one that went on for this one would have done the same had it known how much has been read again.
    pub fn may_hand_over_to(&self, next: &Self) -> bool {
        let mut together = self.rereads;
        together.append(next.rereads);
        next.rereads == Rereads::default() || together.allows_more()
    }

    /// Goes on as one that went on for it; see [`Scanner::may_hand_over_to`].
    pub fn hand_over_to(&mut self, next: Self) {
        let mut together = self.rereads;
        together.append(next.rereads);
        *self = Self { rereads: together, ..next };
    }
}
