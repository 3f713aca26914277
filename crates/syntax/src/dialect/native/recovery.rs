//! The end of a call whose JSON is broken: where its brackets are even again, or where it is plainly over.
//!
//! Behind a fault nothing is certain, so this counts brackets outside of strings, takes no string for longer than its
//! line, and stops at a blank line, at a code fence, at the tag that ends a call, and at a line that begins as the broken
//! call does.

use std::sync::Arc;

use crate::dialect::markdown_context::LINE_HEAD;
use crate::text::Text;

/// Bytes in which the first key of a call must end to be recognised.
pub(super) const LONGEST_KEY: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Recovered {
    Wait,
    /// The brackets are even behind this offset.
    Even(usize),
    /// Something else begins at this offset.
    Stopped(usize),
    End,
}

#[derive(Clone, Debug)]
pub(in crate::dialect) struct Recovery {
    at: usize,
    depth: usize,
    in_string: bool,
    /// Where the current line begins, while nothing but white space has been seen on it.
    blank_from: Option<usize>,
    /// What ends everything; nothing if it is empty.
    tag: Arc<[u8]>,
    /// A line that begins with this is another call; none if it is empty.
    again: Arc<[u8]>,
}

impl Recovery {
    /// From the fault at `at`, with `depth` containers open; `tag` ends everything, unless it is empty.
    pub(in crate::dialect) fn new(at: usize, depth: usize, tag: Arc<[u8]>) -> Self {
        Self { at, depth, in_string: false, blank_from: None, tag, again: [].into() }
    }

    /// The same for a call whose text is `call`, whose first key the next one repeats.
    pub(in crate::dialect) fn of_call(self, call: &[u8]) -> Self {
        let mut quotes = memchr::memchr_iter(b'"', &call[..call.len().min(LONGEST_KEY)]);
        let key = call.starts_with(b"{").then(|| quotes.nth(1)).flatten();
        Self { again: key.map_or(&[][..], |end| &call[..=end]).into(), ..self }
    }

    /// Offset up to which everything belongs to the call.
    pub(in crate::dialect) fn decided(&self) -> usize {
        self.blank_from.unwrap_or(self.at)
    }

    /// Looks on in what has arrived.
    pub(in crate::dialect) fn advance(&mut self, text: &Text, finished: bool) -> Recovered {
        let base = self.at;
        let bytes = text.since(base);
        while let Some(&byte) = bytes.get(self.at - base) {
            let rest = &bytes[self.at - base..];
            if self.tag.first() == Some(&byte) {
                if rest.starts_with(&self.tag) {
                    return Recovered::Stopped(self.at);
                }
                if !finished && self.tag.starts_with(&rest[..rest.len().min(LINE_HEAD)]) {
                    return Recovered::Wait;
                }
            }
            if self.blank_from == Some(self.at) && self.again.first() == Some(&byte) {
                if rest.starts_with(&self.again) {
                    return Recovered::Stopped(self.at);
                }
                if !finished && self.again.starts_with(rest) {
                    return Recovered::Wait;
                }
            }
            match byte {
                b'\n' => {
                    if let Some(line) = self.blank_from {
                        return Recovered::Stopped(line);
                    }
                    self.in_string = false;
                    self.blank_from = Some(self.at + 1);
                }
                b' ' | b'\t' | b'\r' => {}
                b'`' if self.blank_from.is_some() => return Recovered::Stopped(self.blank_from.unwrap_or(self.at)),
                _ => {
                    self.blank_from = None;
                    if self.in_string && byte == b'\\' {
                        if rest.len() < 2 && !finished {
                            return Recovered::Wait;
                        }
                        self.at += usize::from(rest.get(1).is_some_and(|&next| next != b'\n'));
                    } else if byte == b'"' {
                        self.in_string = !self.in_string;
                    } else if !self.in_string && matches!(byte, b'{' | b'[') {
                        self.depth += 1;
                    } else if !self.in_string && matches!(byte, b'}' | b']') {
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 {
                            return Recovered::Even(self.at + 1);
                        }
                    }
                }
            }
            self.at += 1;
        }
        if finished { Recovered::End } else { Recovered::Wait }
    }
}
