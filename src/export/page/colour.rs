//! The colours of words in a report.
//!
//! They are looked for up to a number of words, so that a long session is exported and loaded in seconds and not minutes. This module does not
//! know which text is code.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::lines::PieceRole;
use crate::highlight::{CodeRole, Language, MAX_TEXT_BYTES, Painter};

/// Words that get a colour in one report. Each is an element of a page, of which a browser makes some 200,000 a second.
const MAX_WORDS: usize = 60_000;

/// Bytes of code that are looked at, most of a second for a megabyte.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Fewer words of a session get one for each of its calls, which are elements as well.
const WORDS_OF_CALL: usize = 4;

/// Words that get a colour in the longest session.
const LEAST_WORDS: usize = 20_000;

/// Colours code, as long as there is not too much of it.
pub(super) struct CodeColours {
    /// Made when the first code is met.
    painter: RefCell<Option<Painter>>,
    /// Words that may still get a colour.
    words: Cell<usize>,
    bytes: Cell<usize>,
}

impl CodeColours {
    /// The colours of a report on a session with so many calls.
    pub(super) fn new(calls: usize) -> Self {
        let words = MAX_WORDS.saturating_sub(WORDS_OF_CALL * calls).max(LEAST_WORDS);
        Self { painter: RefCell::default(), words: Cell::new(words), bytes: Cell::new(0) }
    }

    /// No colours at all, for a form that has none.
    pub(super) fn none() -> Self {
        Self { painter: RefCell::default(), words: Cell::new(0), bytes: Cell::new(0) }
    }

    /// The roles of the words of some code, from `start` on; none where there are none, or too many.
    pub(super) fn roles(&self, language: Language, code: &[u8], start: usize) -> Vec<(Range<usize>, PieceRole)> {
        let mut roles = Vec::new();
        // What changes in a text is said of its lines.
        if language.is_diff() || !self.has_more() || self.bytes.get() > MAX_BYTES {
            return roles;
        }
        self.bytes.set(self.bytes.get() + code.len().min(MAX_TEXT_BYTES));
        let Ok(mut painter) = self.painter.try_borrow_mut() else { return roles };
        let paint = || painter.get_or_insert_with(Painter::load).paint(language, code, || false);
        // A grammar may fail on hostile text, which is plain then.
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

    /// Whether there may be more words with a colour.
    pub(super) fn has_more(&self) -> bool {
        self.words.get() > 0
    }

    /// So many words have got a colour.
    pub(super) fn spend(&self, words: usize) {
        self.words.set(self.words.get().saturating_sub(words));
    }
}
