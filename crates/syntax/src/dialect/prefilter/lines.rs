//! Maps the first bytes of a line to the dialects that need to see it or must be probed at it.

use super::super::Triggers;
use super::super::markdown_context::LINE_HEAD;
use super::dialect_set::DialectSet;

/// Lookup of lines by their first bytes.
#[derive(Clone, Debug)]
pub struct LineStarts {
    /// For each first byte, a set of bits: [`CONCERN`], [`DECORATION`].
    kinds: Box<[u8; 256]>,
    table: Box<[Head; 256]>,
    /// True if spaces are decoration only, and concern no dialect.
    plain_blank: bool,
}

/// The dialects concerned by lines with a certain first byte.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// Dialects that need to see the line.
    lines: DialectSet,
    /// Dialects that must be probed at its beginning.
    starts: DialectSet,
}

/// Bit of bytes that concern a dialect or the code fences.
const CONCERN: u8 = 1;

/// Bit of whitespace and of marks of quotation, emphasis and lists, which may precede the deciding byte.
const DECORATION: u8 = 2;

impl LineStarts {
    /// A lookup for dialects with these triggers, in order.
    pub(crate) fn new<'a>(triggers: impl IntoIterator<Item = &'a Triggers>) -> Self {
        let (mut kinds, mut table) = (Box::new([0; 256]), Box::new([Head::default(); 256]));
        for byte in b"`~" {
            table[usize::from(*byte)].lines = DialectSet::FENCE;
        }
        for (number, triggers) in triggers.into_iter().enumerate() {
            for &byte in &triggers.lines {
                table[usize::from(byte)].lines |= DialectSet::one(number);
            }
            for &byte in &triggers.line_start {
                table[usize::from(byte)].starts |= DialectSet::one(number);
            }
        }
        for (kind, head) in kinds.iter_mut().zip(table.iter()) {
            *kind = if (head.lines | head.starts).is_empty() { 0 } else { CONCERN };
        }
        for byte in b" \t>*`-" {
            kinds[usize::from(*byte)] |= DECORATION;
        }
        Self { plain_blank: kinds[usize::from(b' ')] == DECORATION, kinds, table }
    }

    /// The dialects that need to see the line `ahead`.
    #[inline]
    pub(crate) fn lines(&self, ahead: &[u8]) -> DialectSet {
        if let Some(first) = ahead.first_chunk() {
            // Most lines begin with a few spaces and a letter.
            let word = u64::from_le_bytes(*first);
            let blanks = (word ^ BLANKS).trailing_zeros() / 8;
            let byte = word.checked_shr(blanks * 8).unwrap_or(u64::from(b' ')) as u8;
            let kind = self.kinds[usize::from(byte)];
            if kind & DECORATION == 0 && self.plain_blank {
                return if kind == 0 { DialectSet::EMPTY } else { self.table[usize::from(byte)].lines };
            }
        }
        self.lines_of(ahead)
    }

    fn lines_of(&self, ahead: &[u8]) -> DialectSet {
        let mut all = DialectSet::EMPTY;
        for &byte in &ahead[..ahead.len().min(LINE_HEAD)] {
            all |= self.table[usize::from(byte)].lines;
            if self.kinds[usize::from(byte)] & DECORATION == 0 {
                return all;
            }
        }
        if ahead.len() < LINE_HEAD { DialectSet::ALL } else { all }
    }

    /// The dialects that must be probed at the beginning of the line `ahead`.
    pub(crate) fn starts(&self, ahead: &[u8]) -> DialectSet {
        let first = ahead.iter().take(LINE_HEAD).find(|byte| !matches!(byte, b' ' | b'\t'));
        first.map_or(DialectSet::ALL, |&byte| self.table[usize::from(byte)].starts)
    }

    /// True if this byte may precede the deciding byte of a line.
    pub(crate) fn is_decoration(&self, byte: u8) -> bool {
        self.kinds[usize::from(byte)] & DECORATION != 0
    }

    /// True if a line with this first byte may concern a dialect.
    #[inline]
    pub(crate) fn may_concern(&self, first: u8) -> bool {
        self.kinds[usize::from(first)] != 0
    }
}

const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
