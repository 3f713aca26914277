//! Finds the end of an object with delimited strings that may still be arriving, and the beginnings of its members.
//!
//! Brackets count only outside strings.

use std::sync::Arc;

use memchr::{memchr3, memmem};

use crate::value::bracket::{BracketKind, Brackets};

/// A finding; offsets are in the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelimitedEvent {
    /// A member of the outermost object begins at this offset.
    Member(usize),
    /// The object ends before this offset. This is the last event.
    End(usize),
    /// No object begins here, or the closing marker interrupts it here. This is the last event.
    Broken(usize),
    /// The text ends within the object. This is the last event.
    Truncated,
}

/// State of the scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScanState {
    /// Before the opening brace.
    Start,
    Between,
    /// In a delimited string.
    Delimited,
    /// In a double-quoted string that begins at this offset.
    Quoted(usize),
    Over,
}

/// Position in the syntax, outside strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Key,
    /// A key that began at this offset.
    InKey(usize),
    Value,
    /// In or after a value.
    InValue,
}

/// Finds the end of the object. No byte is examined twice, except for a few at the end, and for a line with an unclosed
/// quote.
#[derive(Clone, Debug)]
pub struct DelimitedBoundary {
    /// Offset of the object in the transcript.
    base: usize,
    at: usize,
    delimiter: Arc<[u8]>,
    /// Text that ends the object anywhere outside strings; may be empty.
    closer: Arc<[u8]>,
    state: ScanState,
    position: Position,
    brackets: Brackets,
}

impl DelimitedBoundary {
    /// A scan for the object at `base`, which whitespace may precede. The delimiter must not be empty.
    pub fn new(base: usize, delimiter: &str) -> Self {
        Self {
            base,
            at: 0,
            delimiter: Arc::from(delimiter.as_bytes()),
            closer: Arc::from([]),
            state: ScanState::Start,
            position: Position::Key,
            brackets: Brackets::default(),
        }
    }

    /// Sets the closing marker, which ends the object anywhere outside strings.
    #[must_use]
    pub fn with_closer(self, closer: impl Into<Arc<[u8]>>) -> Self {
        Self { closer: closer.into(), ..self }
    }

    /// Offset after the bytes read so far.
    pub fn offset(&self) -> usize {
        self.base + self.at
    }

    /// The next event in `bytes`, which begin at the base; `None` if more must arrive, or at the end. `finished` says
    /// that nothing more arrives.
    pub fn next(&mut self, bytes: &[u8], finished: bool) -> Option<DelimitedEvent> {
        while self.state != ScanState::Over {
            match self.state {
                ScanState::Delimited => {
                    let Some(found) = memmem::find(&bytes[self.at..], &self.delimiter) else {
                        // A delimiter may have arrived in part.
                        self.at = self.at.max((bytes.len() + 1).saturating_sub(self.delimiter.len()));
                        return self.text_ends(finished);
                    };
                    self.at += found + self.delimiter.len();
                    self.state = ScanState::Between;
                }
                ScanState::Quoted(start) => {
                    if !self.quoted(start, bytes, finished) {
                        return None;
                    }
                }
                _ => {
                    let Some(&byte) = bytes.get(self.at) else { return self.text_ends(finished) };
                    let rest = &bytes[self.at..];
                    if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                        self.at += 1;
                    } else if self.is_cut(rest) && !finished {
                        return None;
                    } else if !self.closer.is_empty() && rest.starts_with(&self.closer) {
                        return Some(self.over(DelimitedEvent::Broken(self.offset())));
                    } else if let Some(event) = self.byte(byte, rest) {
                        return Some(event);
                    }
                }
            }
        }
        None
    }

    /// True if `rest` may be the beginning of the delimiter or the closer.
    fn is_cut(&self, rest: &[u8]) -> bool {
        let is_beginning = |marker: &[u8]| rest.len() < marker.len() && marker.starts_with(rest);
        is_beginning(&self.delimiter) || is_beginning(&self.closer)
    }

    /// Continues in a double-quoted string; returns true on progress.
    fn quoted(&mut self, start: usize, bytes: &[u8], finished: bool) -> bool {
        loop {
            let found = memchr3(b'"', b'\\', b'\n', &bytes[self.at.min(bytes.len())..]);
            self.at = found.map_or(bytes.len(), |found| self.at + found);
            match bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    self.state = ScanState::Between;
                    return true;
                }
                Some(b'\\') if self.at + 1 < bytes.len() => self.at += 2,
                None | Some(b'\\') if !finished => return false,
                // It is not a string: its quote is an ordinary character.
                _ => {
                    self.at = start + 1;
                    self.state = ScanState::Between;
                    return true;
                }
            }
        }
    }

    fn byte(&mut self, byte: u8, rest: &[u8]) -> Option<DelimitedEvent> {
        let start = self.at;
        if self.state == ScanState::Start {
            if byte != b'{' {
                return Some(self.over(DelimitedEvent::Broken(self.offset())));
            }
            self.state = ScanState::Between;
        }
        if rest.starts_with(&self.delimiter) {
            self.at += self.delimiter.len();
            self.state = ScanState::Delimited;
            self.begin_word(start);
            return None;
        }
        self.at += 1;
        match (byte, self.position) {
            (b'{' | b'[', _) => {
                self.brackets.open(if byte == b'{' { BracketKind::Curly } else { BracketKind::Square });
                self.position = self.first();
            }
            (b'}' | b']', _) => {
                self.brackets.close(if byte == b'}' { BracketKind::Curly } else { BracketKind::Square });
                self.position = Position::InValue;
                if self.brackets.depth() == 0 {
                    return Some(self.over(DelimitedEvent::End(self.base + self.at)));
                }
            }
            (b',', _) => self.position = self.first(),
            (b':', Position::InKey(key)) => {
                self.position = Position::Value;
                return (self.brackets.depth() == 1).then_some(DelimitedEvent::Member(self.base + key));
            }
            (b'"', Position::Key | Position::Value) => {
                self.state = ScanState::Quoted(start);
                self.begin_word(start);
            }
            _ => self.begin_word(start),
        }
        None
    }

    /// The position after the innermost opening bracket.
    fn first(&self) -> Position {
        if self.brackets.innermost() == Some(BracketKind::Square) { Position::Value } else { Position::Key }
    }

    /// Handles a byte at `start` other than a bracket or comma.
    fn begin_word(&mut self, start: usize) {
        self.position = match self.position {
            Position::Key => Position::InKey(start),
            Position::InKey(key) => Position::InKey(key),
            Position::Value | Position::InValue => Position::InValue,
        };
    }

    fn text_ends(&mut self, finished: bool) -> Option<DelimitedEvent> {
        finished.then(|| self.over(DelimitedEvent::Truncated))
    }

    fn over(&mut self, event: DelimitedEvent) -> DelimitedEvent {
        self.state = ScanState::Over;
        event
    }
}
