//! Searches for the end of a malformed call: where its brackets are balanced, or where it is clearly over.
//!
//! After a fault nothing is certain, so this counts brackets outside strings, ends each string with its line, and stops
//! at a blank line, at a code fence and at the closing marker.

use crate::value::bracket::{BracketKind, Brackets, Closed};

/// The result of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovered {
    Wait,
    /// The call's parenthesis is closed before this offset.
    Even(usize),
    /// The list around the call is closed at this offset.
    ListEnds(usize),
    /// Other text begins at this offset.
    Stopped(usize),
    End,
}

/// A search that continues as the text arrives.
#[derive(Clone, Debug)]
pub(super) struct Recovery {
    at: usize,
    brackets: Brackets,
    is_list: bool,
    /// The quotation mark of the open string.
    quote: Option<u8>,
    /// Start of the current line, while it has only whitespace.
    blank_from: Option<usize>,
}

impl Recovery {
    /// A search starting at the fault at `at`, with these brackets open; `is_list` says that the call is in a list.
    pub(super) fn new(at: usize, brackets: Brackets, is_list: bool) -> Self {
        Self { at, brackets, is_list, quote: None, blank_from: None }
    }

    /// Offset up to which the text certainly belongs to the call.
    pub(super) fn decided(&self) -> usize {
        self.blank_from.unwrap_or(self.at)
    }

    /// Continues in `bytes`, the text so far; a nonempty `closer` ends everything.
    pub(super) fn advance(&mut self, bytes: &[u8], closer: &[u8], finished: bool) -> Recovered {
        while let Some(&byte) = bytes.get(self.at) {
            let rest = &bytes[self.at..];
            if closer.first() == Some(&byte) {
                if rest.starts_with(closer) {
                    return Recovered::Stopped(self.at);
                } else if !finished && closer.starts_with(rest) {
                    return Recovered::Wait;
                }
            }
            match byte {
                b'\n' => {
                    if let Some(line) = self.blank_from {
                        return Recovered::Stopped(line);
                    }
                    (self.quote, self.blank_from) = (None, Some(self.at + 1));
                }
                b' ' | b'\t' | b'\r' => {}
                b'`' if self.blank_from.is_some() => return Recovered::Stopped(self.decided()),
                _ => {
                    self.blank_from = None;
                    if let Some(recovered) = self.character(byte, rest, finished) {
                        return recovered;
                    }
                }
            }
            self.at += 1;
        }
        if finished { Recovered::End } else { Recovered::Wait }
    }

    /// Handles a character other than whitespace; `rest` begins with it.
    fn character(&mut self, byte: u8, rest: &[u8], finished: bool) -> Option<Recovered> {
        if let Some(quote) = self.quote {
            if byte == b'\\' {
                if rest.len() < 2 && !finished {
                    return Some(Recovered::Wait);
                }
                self.at += usize::from(rest.get(1).is_some_and(|&next| next != b'\n'));
            } else if byte == quote {
                self.quote = None;
            }
            return None;
        }
        if matches!(byte, b'"' | b'\'') {
            self.quote = Some(byte);
        } else if let Some(kind) = BracketKind::opened_by(byte) {
            self.brackets.open(kind);
        } else if let Some(kind) = BracketKind::closed_by(byte) {
            let closed = self.brackets.close(kind);
            if self.brackets.depth() == 0 {
                return Some(Recovered::Even(self.at + 1));
            } else if closed == Closed::Nothing && kind == BracketKind::Square && self.is_list {
                return Some(Recovered::ListEnds(self.at));
            }
        }
        None
    }
}
