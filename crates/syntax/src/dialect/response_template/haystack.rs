//! A text that patterns are searched for in while it arrives: its bytes, and the assertions that hold at an offset.

use regex_automata::util::look::Look;

use super::pattern::Context;
use crate::text::{Span, Text};

/// A text to search, or the part of it that has arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Haystack<'a> {
    /// The bytes starting at offset `base`.
    bytes: &'a [u8],
    base: usize,
    /// Offset at which the text begins; it may be less than `base`.
    origin: usize,
    finished: bool,
    /// The bytes before `base`, right-aligned; 0 where unknown.
    before: [u8; 4],
}

impl<'a> Haystack<'a> {
    pub(super) fn whole(bytes: &'a [u8]) -> Self {
        Self { bytes, base: 0, origin: 0, finished: true, before: [0; 4] }
    }

    /// The arrived part, starting at `base`, of a text that begins at `origin`.
    pub(super) fn arrived(text: &'a Text, base: usize, origin: usize, finished: bool) -> Self {
        let mut before = [0; 4];
        let known = text.read(Span::new(base.saturating_sub(4).max(origin.min(base)), base));
        before[4 - known.len()..].copy_from_slice(&known);
        Self { bytes: text.since(base), base, origin, finished, before }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Offset of the end of the arrived part.
    pub(super) fn end(&self) -> usize {
        self.base + self.bytes.len()
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at.checked_sub(self.base)?).copied()
    }

    pub(super) fn since(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at.saturating_sub(self.base)..).unwrap_or_default()
    }

    /// True if `at` is not in the middle of a UTF-8 sequence.
    pub(super) fn is_boundary(&self, at: usize) -> bool {
        self.byte(at).is_none_or(|byte| byte & 0xc0 != 0x80)
    }

    fn is_word_before(&self, at: usize) -> bool {
        let mut bytes = [0; 4];
        for (slot, back) in bytes.iter_mut().zip((1..=4).rev()) {
            let Some(place) = at.checked_sub(back).filter(|place| *place >= self.origin) else { continue };
            *slot = match place.checked_sub(self.base) {
                Some(index) => self.bytes.get(index).copied().unwrap_or_default(),
                None => self.before.get((place + 4).wrapping_sub(self.base)).copied().unwrap_or_default(),
            };
        }
        let last = (0..4).rev().find(|&index| bytes[index] & 0xc0 != 0x80).unwrap_or(3);
        at > self.origin && is_word(&bytes[last..])
    }

    fn is_word_behind(&self, at: usize) -> bool {
        let rest = self.since(at);
        is_word(&rest[..rest.len().min(4)])
    }

    /// True if enough text has arrived to evaluate the assertions at this offset.
    pub(super) fn is_known(&self, context: Context, at: usize) -> bool {
        let ahead = self.since(at);
        let Some(&first) = ahead.first() else { return self.finished || !(context.ends || context.words) };
        let width = 1 + usize::from(first & 0xc0 == 0xc0) * first.leading_ones().saturating_sub(1).min(3) as usize;
        let is_cut = context.words && ahead.len() < width;
        let is_last_feed = context.last_feed && first == b'\n' && ahead.len() == 1;
        self.finished || !(is_cut || is_last_feed)
    }

    /// True if an assertion holds at an offset whose context has arrived.
    pub(super) fn holds(&self, look: Look, at: usize) -> bool {
        match look {
            Look::Start => at == self.origin,
            Look::End => self.finished && at == self.end(),
            // `$` as in Python: at the end, or before a final line feed.
            Look::EndLF => {
                let is_last = at + 1 == self.end() && self.byte(at) == Some(b'\n');
                self.finished && (at == self.end() || is_last)
            }
            Look::WordUnicode | Look::WordAscii => self.is_word_before(at) != self.is_word_behind(at),
            Look::WordUnicodeNegate | Look::WordAsciiNegate => self.is_word_before(at) == self.is_word_behind(at),
            _ => false,
        }
    }
}

/// True if the first character of some bytes is a word character.
fn is_word(bytes: &[u8]) -> bool {
    let first = match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().next(),
        Err(error) => {
            let valid = &bytes[..error.valid_up_to()];
            std::str::from_utf8(valid).ok().and_then(|text| text.chars().next())
        }
    };
    first.is_some_and(|c| regex_syntax::try_is_word_character(c).unwrap_or_default())
}
