//! Matches a marker element by element.
//!
//! A slot ends where the rest of the marker matches.

use super::attribute::attribute;
use super::{Element, LONGEST, Marker, MarkerMatch};
use crate::text::Span;

/// Result of matching an element.
pub(super) enum WalkOutcome {
    On,
    Partial,
    None,
}

/// A match in progress.
pub(super) struct Walk<'a> {
    pub(super) marker: &'a Marker,
    pub(super) bytes: &'a [u8],
    pub(super) base: usize,
    pub(super) at: usize,
    pub(super) finished: bool,
    pub(super) found: MarkerMatch,
}

impl Walk<'_> {
    /// A partial match is only possible while more text may arrive.
    fn partial(&self) -> WalkOutcome {
        if self.finished { WalkOutcome::None } else { WalkOutcome::Partial }
    }

    pub(super) fn take(&mut self, index: usize) -> WalkOutcome {
        let rest = &self.bytes[self.at..];
        match &self.marker.elements[index] {
            Element::Literal(text) => {
                if rest.starts_with(text) {
                    self.at += text.len();
                    return WalkOutcome::On;
                }
                if text.starts_with(rest) { self.partial() } else { WalkOutcome::None }
            }
            Element::Space(_) => self.skip_while(|byte| byte.is_ascii_whitespace()),
            Element::Blanks => self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')),
            Element::Hole(slot) => {
                let from = self.at;
                let step = self.find_end(index, false);
                if matches!(step, WalkOutcome::On) {
                    let span = Span::new(self.base + from, self.base + self.at);
                    self.found.note(*slot, span);
                    self.found.raw = Some(span);
                }
                step
            }
            Element::Attributes(wanted) => {
                let from = self.at;
                let step = self.find_end(index, true);
                if !matches!(step, WalkOutcome::On) {
                    return step;
                }
                let bytes = &self.bytes[from..self.at];
                if !bytes.first().is_some_and(u8::is_ascii_whitespace) {
                    return WalkOutcome::None;
                }
                self.found.raw = Some(Span::new(self.base + from, self.base + self.at));
                for (word, slot) in wanted {
                    let value = attribute(bytes, word.as_bytes(), self.base + from);
                    if let Some(value) = value {
                        self.found.note(*slot, value);
                    }
                }
                let is_there = wanted.first().is_none_or(|(_, slot)| self.found.slot(*slot).is_some());
                if is_there { WalkOutcome::On } else { WalkOutcome::None }
            }
        }
    }

    fn skip_while(&mut self, is_passed: impl Fn(u8) -> bool) -> WalkOutcome {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take(LONGEST).take_while(|&&byte| is_passed(byte)).count();
        self.at += length;
        if length == rest.len() && length < LONGEST && !self.finished { WalkOutcome::Partial } else { WalkOutcome::On }
    }

    /// Advances to the end of the slot with this index, where the rest of the marker begins.
    fn find_end(&mut self, index: usize, quotes: bool) -> WalkOutcome {
        let first = self.marker.lead().first().copied().unwrap_or_default();
        let mut quote = None;
        let rest = &self.bytes[self.at..];
        let ends_at_space = matches!(self.marker.elements.get(index + 1), Some(Element::Space(_)));
        if ends_at_space && rest.first().is_some_and(u8::is_ascii_whitespace) {
            return WalkOutcome::None;
        }
        let goes_on_with = self.next_byte(index + 1);
        for (length, &byte) in rest.iter().enumerate().take(LONGEST) {
            if quote.is_none() && goes_on_with.is_none_or(|next| next == byte) {
                match self.goes_on(index + 1, &rest[length..]) {
                    WalkOutcome::On => {
                        self.at += length;
                        return WalkOutcome::On;
                    }
                    WalkOutcome::Partial => return self.partial(),
                    WalkOutcome::None => {}
                }
            }
            match (byte, quote) {
                (b'"' | b'\'', None) if quotes => quote = Some(byte),
                (_, Some(open)) if byte == open => quote = None,
                (b'\n', _) => return WalkOutcome::None,
                (_, None) if byte == first && !byte.is_ascii_alphanumeric() => return WalkOutcome::None,
                _ => {}
            }
        }
        if rest.len() >= LONGEST { WalkOutcome::None } else { self.partial_end(index) }
    }

    /// The first byte of the rest of the marker, if it is fixed.
    fn next_byte(&self, index: usize) -> Option<u8> {
        match self.marker.elements.get(index)? {
            Element::Literal(text) => text.first().copied(),
            Element::Blanks => self.next_byte(index + 1),
            Element::Space(_) | Element::Hole(_) | Element::Attributes(_) => None,
        }
    }

    /// Handles the end of the text in a slot, which may be the last element of the marker.
    fn partial_end(&mut self, index: usize) -> WalkOutcome {
        let is_last = self.marker.elements[index + 1..].iter().all(|element| matches!(element, Element::Space(_)));
        if self.finished && is_last && self.marker.followed_by.is_empty() {
            self.at = self.bytes.len();
            return WalkOutcome::On;
        }
        self.partial()
    }

    /// Determines whether the rest of the marker matches `rest`, judging by its first literal text.
    fn goes_on(&self, index: usize, rest: &[u8]) -> WalkOutcome {
        let literal = |text: &[u8]| {
            if rest.starts_with(text) {
                WalkOutcome::On
            } else if !rest.is_empty() && text.starts_with(rest) {
                WalkOutcome::Partial
            } else {
                WalkOutcome::None
            }
        };
        let mut step = WalkOutcome::None;
        match self.marker.elements.get(index) {
            Some(Element::Literal(text)) => return literal(text),
            // Whitespace before the `>` of a tag is part of the tag's content.
            Some(Element::Blanks) => return self.goes_on(index + 1, rest),
            Some(Element::Space(_)) => {
                if rest.first().is_some_and(u8::is_ascii_whitespace) {
                    return WalkOutcome::On;
                }
                step = self.goes_on(index + 1, rest);
            }
            None if self.marker.followed_by.is_empty() && rest.first().is_some_and(u8::is_ascii_whitespace) => {
                return WalkOutcome::On;
            }
            None => {
                for text in &self.marker.followed_by {
                    match literal(text) {
                        WalkOutcome::On => return WalkOutcome::On,
                        WalkOutcome::Partial => step = WalkOutcome::Partial,
                        WalkOutcome::None => {}
                    }
                }
            }
            Some(Element::Hole(_) | Element::Attributes(_)) => {}
        }
        step
    }
}
