//! Finds the end of a call with broken JSON: where its brackets balance, or where it has obviously ended.
//!
//! After a fault, this counts brackets outside of strings, ends every string at its line, and stops at a blank line, a
//! code fence, the closing tag of a call, or a line that begins like the broken call.

use std::sync::Arc;

use crate::dialect::markdown_context::LINE_HEAD;
use crate::text::Text;

/// Maximum offset, in bytes, of the end of a call's first key for the key to be recognised.
pub(super) const LONGEST_KEY: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Recovered {
    Wait,
    /// The brackets balance at this offset.
    Even(usize),
    /// Other text begins at this offset.
    Stopped(usize),
    End,
}

#[derive(Clone, Debug)]
pub(in crate::dialect) struct Recovery {
    at: usize,
    depth: usize,
    in_string: bool,
    /// Beginning of the current line while it contains only whitespace.
    blank_from: Option<usize>,
    /// Closing tag that stops the recovery; ignored if empty.
    tag: Arc<[u8]>,
    /// Beginning of a line that starts another call; ignored if empty.
    again: Arc<[u8]>,
}

impl Recovery {
    /// A recovery from the fault at `at`, with `depth` containers open, that stops at `tag` unless that is empty.
    pub(in crate::dialect) fn new(at: usize, depth: usize, tag: Arc<[u8]>) -> Self {
        Self { at, depth, in_string: false, blank_from: None, tag, again: [].into() }
    }

    /// Also stops at a line that begins with the same first key as the broken call, whose text is `call`.
    pub(in crate::dialect) fn of_call(self, call: &[u8]) -> Self {
        let mut quotes = memchr::memchr_iter(b'"', &call[..call.len().min(LONGEST_KEY)]);
        let key = call.starts_with(b"{").then(|| quotes.nth(1)).flatten();
        Self { again: key.map_or(&[][..], |end| &call[..=end]).into(), ..self }
    }

    /// Offset up to which everything belongs to the call.
    pub(in crate::dialect) fn decided(&self) -> usize {
        self.blank_from.unwrap_or(self.at)
    }

    /// Continues with the text that has arrived.
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
