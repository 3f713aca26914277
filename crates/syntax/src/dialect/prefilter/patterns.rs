//! The texts that concern dialects, and the lookup of the ones at a place.
//!
//! Each text is found by its anchor, its first byte or a rarer later one. A text that has arrived only in part counts
//! as a match.

use super::dialect_set::DialectSet;

/// Dialects concerned by the texts at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PatternHit {
    /// Dialects that must be probed there.
    pub(crate) ask: DialectSet,
    /// Dialects that need to see the line.
    pub(crate) note: DialectSet,
}

impl PatternHit {
    /// True if no dialect is concerned.
    pub(crate) fn is_nothing(self) -> bool {
        self == Self::default()
    }
}

/// A text that concerns a dialect.
#[derive(Clone, Debug)]
struct Opening {
    text: Box<[u8]>,
    /// Its first eight bytes as a number, and a mask of the bytes present.
    prefix: (u64, u64),
    seen: PatternHit,
}

impl Opening {
    fn new(text: &[u8], seen: PatternHit) -> Self {
        let mut mask = [0; 8];
        mask[..text.len().min(8)].fill(0xff);
        Self { text: text.into(), prefix: (word(text), u64::from_le_bytes(mask)), seen }
    }

    /// True if `ahead`, whose first bytes are `first`, begins with the text or with the part of it that has arrived.
    fn is_at(&self, ahead: &[u8], first: u64) -> bool {
        let (prefix, mask) = self.prefix;
        if ahead.len() >= 8 && ((prefix ^ first) & mask != 0 || self.text.len() <= 8) {
            return (prefix ^ first) & mask == 0;
        }
        let length = self.text.len().min(ahead.len());
        ahead[..length] == self.text[..length]
    }
}

/// A text whose anchor is not its first byte.
#[derive(Clone, Debug)]
struct LateAnchor {
    text: Box<[u8]>,
    /// Offset of the anchor, at least 1.
    offset: usize,
}

/// Texts that begin with the same byte, and texts whose anchor is that byte.
#[derive(Clone, Debug, Default)]
pub(crate) struct Openings {
    /// Sorted by second byte; a text of one byte comes first.
    all: Vec<Opening>,
    /// Bit set of their second bytes.
    seconds: [u64; 4],
    /// Texts that have this byte as their anchor and begin with another one.
    late: Vec<LateAnchor>,
}

impl Openings {
    /// Adds a text that begins with this byte.
    pub(crate) fn add(&mut self, text: &[u8], seen: PatternHit) {
        match text.get(1) {
            Some(&second) => self.seconds[usize::from(second / 64)] |= 1 << (second % 64),
            None => self.seconds = [u64::MAX; 4],
        }
        // Several dialects may share a text.
        if let Some(known) = self.all.iter_mut().find(|known| *known.text == *text) {
            known.seen.ask |= seen.ask;
            known.seen.note |= seen.note;
            return;
        }
        let behind = self.all.partition_point(|other| other.text.get(1) <= text.get(1));
        self.all.insert(behind, Opening::new(text, seen));
    }

    /// Adds a text whose anchor is this byte, at `offset` in the text.
    pub(crate) fn add_late(&mut self, text: &[u8], offset: usize) {
        if self.late.iter().all(|known| *known.text != *text) {
            self.late.push(LateAnchor { text: text.into(), offset });
        }
    }

    /// True if this byte is the anchor of a text that begins with another byte.
    pub(crate) fn is_late(&self) -> bool {
        !self.late.is_empty()
    }

    /// The dialects concerned by the texts that `ahead`, which begins with this byte, begins with.
    #[inline]
    pub(crate) fn seen(&self, ahead: &[u8]) -> PatternHit {
        match ahead.get(1) {
            Some(second) if self.seconds[usize::from(second / 64)] & 1 << (second % 64) == 0 => PatternHit::default(),
            second => self.seen_with(ahead, second.copied()),
        }
    }

    fn seen_with(&self, ahead: &[u8], second: Option<u8>) -> PatternHit {
        let mut all = PatternHit::default();
        let first = word(ahead);
        let from = second.map_or(0, |second| self.all.partition_point(|one| one.text.get(1) < Some(&second)));
        let single = self.all.iter().take_while(|one| one.text.len() == 1);
        let same = self.all[from..].iter().take_while(|one| second.is_none() || one.text.get(1) == second.as_ref());
        for opening in single.chain(same).filter(|opening| opening.is_at(ahead, first)) {
            all.ask |= opening.seen.ask;
            all.note |= opening.seen.note;
        }
        all
    }

    /// True if a text whose anchor is this byte, which is at `at`, surrounds it.
    #[inline]
    pub(crate) fn is_late_at(&self, bytes: &[u8], at: usize) -> bool {
        self.late.iter().any(|late| {
            let (before, behind) = late.text.split_at(late.offset);
            let ahead = &bytes[at..];
            let length = behind.len().min(ahead.len());
            bytes[..at].ends_with(before) && ahead[..length] == behind[..length]
        })
    }
}

/// The first eight bytes as a little-endian number.
fn word(bytes: &[u8]) -> u64 {
    if let Some(word) = bytes.first_chunk() {
        return u64::from_le_bytes(*word);
    }
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}
