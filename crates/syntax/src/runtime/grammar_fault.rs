//! Locations where a text does not match a grammar, and the texts that would match there.

use super::grammar::{Expr, Grammar, SHORTEST_MARKER, ToTarget};

/// Maximum number of alternatives that are listed at a location.
const MOST_EXPECTED: usize = 4;

/// Maximum number of locations that are kept for a reading.
const MOST_STOPS: usize = 64;

/// A location where a text does not match a grammar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrammarFault {
    /// Offset in the text.
    pub at: usize,
    /// The marker or word before it; empty after white space.
    pub before: String,
    /// The first characters at it; empty at the end of the text.
    pub found: String,
    /// Texts that would match; patterns are left out.
    pub expected: Vec<Expectation>,
}

/// A text that a grammar would accept at a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// These characters.
    Bytes(String),
    /// These characters, here or later.
    Later(String),
    /// The end of the text or of the call.
    End,
    /// JSON.
    Json,
    /// The name of a tool of the request.
    Tool,
    /// The name of a parameter that the call does not have yet.
    Parameter,
}

/// Records the furthest mismatch of each part of a reading.
#[derive(Debug, Default)]
pub struct StopTracker {
    /// Minimum offset of a recorded mismatch: a marker counts only once its first bytes are matched.
    pub(crate) floor: usize,
    furthest: GrammarFault,
    kept: Vec<GrammarFault>,
}

impl StopTracker {
    /// Offset of the furthest mismatch of this part; 0 if there is none.
    pub(crate) fn furthest(&self) -> usize {
        self.furthest.at
    }

    /// Begins the next part, in which mismatches count starting at offset `floor`.
    pub(crate) fn begin(&mut self, floor: usize) {
        self.floor = floor;
        let stop = std::mem::take(&mut self.furthest);
        if !stop.expected.is_empty() && self.kept.len() < MOST_STOPS {
            self.kept.push(stop);
        }
    }

    /// Discards the mismatches of this part, which was matched.
    pub(crate) fn forget(&mut self) {
        self.furthest = GrammarFault::default();
    }

    /// The mismatches of all parts, with the surrounding characters of the text.
    pub(crate) fn finish(mut self, text: &str) -> Vec<GrammarFault> {
        self.begin(0);
        self.kept.into_iter().map(|stop| stop.with_surroundings(text)).collect()
    }

    /// Records that an expression does not match at an offset.
    pub(crate) fn miss(&mut self, expr: &Expr, text: &str, at: usize) {
        match expr {
            Expr::Literal(literal) if at + literal.len() >= self.floor.max(self.furthest.at) => {
                let same = literal.chars().zip(text[at..].chars()).take_while(|(one, other)| one == other);
                let len: usize = same.map(|(c, _)| c.len_utf8()).sum();
                // A marker that lacks only its white space counts as found.
                let is_marker = len >= SHORTEST_MARKER && literal[len..].starts_with(char::is_whitespace);
                let begun = if is_marker { len } else { 0 };
                self.note(at + begun, || Expectation::Bytes(literal[begun..].to_owned()));
            }
            Expr::Pattern(_, Some(hint)) => self.note(at, || Expectation::Bytes(hint.to_string())),
            Expr::End => self.note(at, || Expectation::End),
            Expr::Tool => self.note(at, || Expectation::Tool),
            Expr::Parameter(_) => self.note(at, || Expectation::Parameter),
            _ => {}
        }
    }

    /// Records that the text at an offset is not JSON.
    pub(crate) fn miss_json(&mut self, at: usize) {
        self.note(at, || Expectation::Json);
    }

    /// Records that the text has no end for a match that begins at an offset.
    pub(crate) fn miss_end(&mut self, grammar: &Grammar, target: &ToTarget, at: usize) {
        if at >= self.floor.max(self.furthest.at) {
            let markers = grammar.markers(&target.expr);
            let markers = markers.into_iter().filter(|marker| marker.len() >= SHORTEST_MARKER);
            markers.for_each(|marker| self.note(at, || Expectation::Later(marker.to_owned())));
        }
    }

    fn note(&mut self, at: usize, expected: impl FnOnce() -> Expectation) {
        if at < self.floor.max(self.furthest.at) {
            return;
        }
        if at > self.furthest.at {
            self.furthest = GrammarFault { at, ..GrammarFault::default() };
        }
        let (known, expected) = (&mut self.furthest.expected, expected());
        if known.len() < MOST_EXPECTED && !known.contains(&expected) {
            known.push(expected);
        }
    }
}

impl GrammarFault {
    fn with_surroundings(self, text: &str) -> Self {
        /// Maximum number of characters before and after the location.
        const MOST: usize = 24;
        let (before, after) = text.split_at_checked(self.at).unwrap_or((text, ""));
        let start = match before.chars().next_back() {
            Some('>') => before.rfind('<'),
            Some(']') => before.rfind('['),
            _ => before.rfind(char::is_whitespace).map(|at| at + 1),
        };
        let word = before.get(start.unwrap_or(0)..).unwrap_or_default().trim();
        let before = if word.chars().count() <= MOST { word.to_owned() } else { String::new() };
        let end = after.len() - after.trim_start().len();
        let end = after[end..].find(char::is_whitespace).map_or(after.len(), |word| end + word);
        let found = if after.starts_with("\r\n") { "\r\n" } else { &after[..end] };
        Self { before, found: found.chars().take(MOST).collect(), ..self }
    }
}
