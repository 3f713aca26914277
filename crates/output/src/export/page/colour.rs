//! Syntax highlighting in reports.
//!
//! Limited to a number of words, so that exporting and loading a long session takes seconds instead of minutes.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::lines::PieceRole;
use crate::highlight::{CodeRole, Language, MAX_TEXT_BYTES, Painter};

/// Maximum number of coloured words in a report. Each is an element, of which a browser creates some 200,000 per
/// second.
const MAX_WORDS: usize = 60_000;

/// Maximum number of bytes of code examined, at most of a second per megabyte.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Coloured words given up for each call of a session, since calls need elements as well.
const WORDS_OF_CALL: usize = 4;

/// Lower limit of the number of coloured words.
const LEAST_WORDS: usize = 20_000;

/// Highlights code until a limit is reached.
pub(super) struct CodeColours {
    /// Loaded at the first code.
    painter: RefCell<Option<Painter>>,
    /// Number of words that may still be coloured.
    words: Cell<usize>,
    bytes: Cell<usize>,
}

impl CodeColours {
    /// Highlighting for a report on a session with `calls` calls.
    pub(super) fn new(calls: usize) -> Self {
        let words = MAX_WORDS.saturating_sub(WORDS_OF_CALL * calls).max(LEAST_WORDS);
        Self { painter: RefCell::default(), words: Cell::new(words), bytes: Cell::new(0) }
    }

    /// No highlighting, for formats without colours.
    pub(super) fn none() -> Self {
        Self { painter: RefCell::default(), words: Cell::new(0), bytes: Cell::new(0) }
    }

    /// Highlighting of some code at offset `start`; empty if there is none or the limit is reached.
    pub(super) fn roles(&self, language: Language, code: &[u8], start: usize) -> Vec<(Range<usize>, PieceRole)> {
        let mut roles = Vec::new();
        // Diffs are coloured by line.
        if language.is_diff() || !self.has_more() || self.bytes.get() > MAX_BYTES {
            return roles;
        }
        self.bytes.set(self.bytes.get() + code.len().min(MAX_TEXT_BYTES));
        let Ok(mut painter) = self.painter.try_borrow_mut() else { return roles };
        let paint = || painter.get_or_insert_with(Painter::load).paint(language, code, || false);
        // A grammar may panic on hostile text, which stays plain.
        let painted = catch_unwind(AssertUnwindSafe(paint)).unwrap_or_default();
        let mut at = start;
        for (line, runs) in code.split(|&byte| byte == b'\n').zip(painted.lines) {
            let mut from = at;
            for (len, role) in runs {
                if !matches!(role, CodeRole::Plain | CodeRole::Punctuation) {
                    roles.push((from..from + len, PieceRole::Code(role)));
                }
                from += len;
            }
            at += line.len() + 1;
        }
        self.spend(roles.len());
        roles
    }

    /// True if the limit is not reached.
    pub(super) fn has_more(&self) -> bool {
        self.words.get() > 0
    }

    /// Counts coloured words.
    pub(super) fn spend(&self, words: usize) {
        self.words.set(self.words.get().saturating_sub(words));
    }
}
