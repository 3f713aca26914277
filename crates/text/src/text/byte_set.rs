//! Finds certain bytes in a text, 64 bytes at a time.
//!
//! A reader of lines must at least find the line feeds; a few other bytes cost little more if all are searched for
//! together.

use wide::u8x16;

/// Bytes that are compared at the same time, as the bits of one number.
const BLOCK: usize = 64;

/// Longest input of [`ByteSet::places`], which for short texts is several times as fast as [`ByteSet::matching_blocks`].
pub const FEW: usize = BLOCK;

/// Bytes of a SIMD lane.
const LANE: usize = 16;

/// Length from which a run of consecutive byte values is matched as one range, instead of one value at a time.
const ROW: usize = 3;

/// A set of bytes to search for.
#[derive(Clone, Debug)]
pub struct ByteSet {
    needles: Vec<u8x16>,
    rows: Vec<Row>,
}

/// A range of consecutive byte values.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: u8x16,
    /// Distance between the first and the last value.
    width: u8x16,
}

impl ByteSet {
    /// A set of these bytes; the fewer, the faster. Three or more consecutive values cost as much as two bytes.
    pub fn new(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut bytes: Vec<u8> = bytes.into_iter().collect();
        bytes.sort_unstable();
        bytes.dedup();
        let mut set = Self { needles: Vec::new(), rows: Vec::new() };
        for row in bytes.chunk_by(|&left, &right| right - left == 1) {
            match row {
                [first, .., last] if row.len() >= ROW => {
                    set.rows.push(Row { first: u8x16::splat(*first), width: u8x16::splat(last - first) });
                }
                few => set.needles.extend(few.iter().map(|&byte| u8x16::splat(byte))),
            }
        }
        set
    }

    /// The needles and rows, if there are exactly this many.
    #[inline]
    fn known<const NEEDLES: usize, const ROWS: usize>(&self) -> Option<(&[u8x16; NEEDLES], &[Row; ROWS])> {
        Some(((&*self.needles).try_into().ok()?, (&*self.rows).try_into().ok()?))
    }

    /// True if there is a specialised search for these numbers of needles and rows.
    pub fn is_known(&self) -> bool {
        self.known::<2, 0>().is_some() || self.known::<4, 1>().is_some() || self.known::<5, 1>().is_some()
    }

    /// The positions of the set's bytes in a short text of at most [`FEW`] bytes.
    #[inline]
    pub fn places(&self, bytes: &[u8]) -> Positions {
        Positions { bits: bits(self, bytes) }
    }

    /// The blocks of `bytes` that contain bytes of the set, each with its offset and the positions in it, in order.
    #[inline]
    pub fn matching_blocks<'a>(&'a self, bytes: &'a [u8]) -> Stretches<'a> {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        Stretches { set: self, blocks: blocks.iter(), rest, next: 0 }
    }
}

/// The line feeds in a short text of at most [`FEW`] bytes.
#[inline]
pub fn line_feeds(bytes: &[u8]) -> Positions {
    Positions { bits: bits_of(&[u8x16::splat(b'\n')], &[], bytes) }
}

/// Iterates over the blocks of a text that contain bytes of a set.
#[derive(Clone, Debug)]
pub struct Stretches<'a> {
    set: &'a ByteSet,
    blocks: std::slice::Iter<'a, [u8; BLOCK]>,
    rest: &'a [u8],
    /// Offset of the next block.
    next: usize,
}

impl Iterator for Stretches<'_> {
    type Item = (usize, Positions);

    #[inline]
    fn next(&mut self) -> Option<(usize, Positions)> {
        for block in self.blocks.by_ref() {
            let at = self.next;
            self.next += BLOCK;
            let bits = bits(self.set, block);
            if bits != 0 {
                return Some((at, Positions { bits }));
            }
        }
        let rest = std::mem::take(&mut self.rest);
        let bits = bits(self.set, rest);
        (bits != 0).then_some((self.next, Positions { bits }))
    }
}

/// Positions within a block of 64 bytes, in order.
#[derive(Clone, Debug)]
pub struct Positions {
    bits: u64,
}

impl Positions {
    /// Number of positions that remain.
    pub(crate) fn total(&self) -> usize {
        self.bits.count_ones() as usize
    }

    /// The last position, if there is any.
    #[inline]
    pub fn last_place(&self) -> Option<usize> {
        self.bits.checked_ilog2().map(|last| last as usize)
    }
}

impl Iterator for Positions {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.bits == 0 {
            return None;
        }
        let place = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(place)
    }
}

/// One bit for each of at most 64 bytes that is in the set.
#[inline]
fn bits<B: AsRef<[u8]> + ?Sized>(set: &ByteSet, bytes: &B) -> u64 {
    // With numbers of needles and rows that are known at compile time there is no loop over them, which makes prose a
    // tenth faster.
    if let Some((needles, rows)) = set.known::<2, 0>() {
        bits_of(needles, rows, bytes)
    } else if let Some((needles, rows)) = set.known::<4, 1>() {
        bits_of(needles, rows, bytes)
    } else if let Some((needles, rows)) = set.known::<5, 1>() {
        bits_of(needles, rows, bytes)
    } else {
        bits_of(&*set.needles, &*set.rows, bytes)
    }
}

#[inline]
fn bits_of<N, R, B>(needles: &N, rows: &R, bytes: &B) -> u64
where
    N: AsRef<[u8x16]> + ?Sized,
    R: AsRef<[Row]> + ?Sized,
    B: AsRef<[u8]> + ?Sized,
{
    let (needles, rows) = (needles.as_ref(), rows.as_ref());
    let (lanes, rest) = bytes.as_ref().as_chunks::<LANE>();
    let mut bits = 0;
    for (number, lane) in lanes.iter().enumerate() {
        bits |= u64::from(lane_bits(needles, rows, *lane)) << (number * LANE);
    }
    if !rest.is_empty() {
        // A loop, since a call of memcpy does not pay off for so few bytes.
        let mut lane = [0; LANE];
        for (to, from) in lane.iter_mut().zip(rest) {
            *to = *from;
        }
        let hits = u64::from(lane_bits(needles, rows, lane)) & ((1 << rest.len()) - 1);
        bits |= hits << (lanes.len() * LANE);
    }
    bits
}

#[inline]
fn lane_bits(needles: &[u8x16], rows: &[Row], lane: [u8; LANE]) -> u16 {
    let lane = u8x16::new(lane);
    let mut hits = u8x16::ZERO;
    for needle in needles {
        hits |= lane.simd_eq(*needle);
    }
    for row in rows {
        let above = lane - row.first;
        hits |= above.min(row.width).simd_eq(above);
    }
    hits.to_bitmask() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_are_those_of_a_plain_search() {
        let text: Vec<u8> = (0..1000_usize).map(|at| (at * at % 251) as u8).collect();
        for wanted in
            [&b"\n"[..], b"\0", b"\0!<^\n\n", b"", &[0xff, 250, 7], b"\n!<=>[\\]^_`", b"\0\x01\x02\xfd\xfe\xff"]
        {
            let marks = ByteSet::new(wanted.iter().copied());
            for (start, end) in [(0, 1000), (0, 64), (1, 64), (3, 131), (7, 7), (990, 1000), (0, 65), (500, 516)] {
                let text = &text[start..end];
                let expected: Vec<usize> =
                    text.iter().enumerate().filter(|(_, byte)| wanted.contains(byte)).map(|(at, _)| at).collect();
                let found = marks.matching_blocks(text).flat_map(|(at, places)| places.map(move |place| at + place));
                assert_eq!(found.collect::<Vec<usize>>(), expected, "{wanted:?} in {start}..{end}");
                if text.len() <= FEW {
                    let places = marks.places(text);
                    assert_eq!((places.total(), places.last_place()), (expected.len(), expected.last().copied()));
                    assert_eq!(places.collect::<Vec<usize>>(), expected, "{wanted:?} in {start}..{end}");
                }
            }
        }
    }
}
