//! Chooses the anchor byte of each text: a rare one, or one that is searched for anyway.
//!
//! A search for first bytes alone would stop at every word if a text begins with a space or a letter.

/// Maximum offset of an anchor byte in its text.
pub(crate) const MOST_BEFORE: usize = 15;

/// Maximum frequency, per ten thousand bytes, at which the first byte of a text is its anchor.
const RARE: u16 = 10;

/// Maximum number of bytes added between two that are searched for.
const MOST_ADDED: u8 = 3;

/// Approximate frequency of a byte per ten thousand bytes of prose and code, in any language.
fn frequency(byte: u8) -> u16 {
    match byte {
        b' ' => 1500,
        b'e' | b't' | b'a' | b'o' | b'n' | b'i' | b's' | b'r' => 500,
        b'j' | b'q' | b'x' | b'z' => 20,
        b'a'..=b'z' => 200,
        b'.' | b',' | b'\n' => 100,
        b'0'..=b'9' | b'-' | b'"' | b'\'' | b'*' => 50,
        b'A'..=b'Z' | b'(' | b')' | b'/' | b':' | b'\t' => 30,
        b'!'..=b'~' => 5,
        // Lead and continuation bytes of letters beyond ASCII.
        0x80..=0xef => 300,
        _ => 1,
    }
}

/// The bytes to search for, and the anchor of each text.
#[derive(Clone, Debug)]
pub(crate) struct Anchors {
    /// True for the anchors of all texts, and for the line feed.
    pub(crate) bytes: [bool; 256],
    /// Offset of the anchor in each text, in the order of the texts.
    pub(crate) offsets: Vec<usize>,
}

impl Anchors {
    /// Anchors of these texts, none of which is empty. No line feed precedes a text's anchor.
    pub(crate) fn new(texts: &[&[u8]]) -> Self {
        let mut bytes = [false; 256];
        bytes[usize::from(b'\n')] = true;
        for text in texts.iter().filter(|text| frequency(text[0]) <= RARE) {
            bytes[usize::from(text[0])] = true;
        }
        let mut offset_of = |text: &[u8]| {
            let feed = memchr::memchr(b'\n', text).unwrap_or(usize::MAX);
            let last = (text.len() - 1).min(feed).min(MOST_BEFORE);
            let cost = |at: &usize| {
                let is_known = bytes[usize::from(text[*at])];
                (if is_known { 0 } else { frequency(text[*at]) }, *at)
            };
            let offset = (0..=last).min_by_key(cost).unwrap_or_default();
            bytes[usize::from(text[offset])] = true;
            offset
        };
        let offsets = texts.iter().map(|text| if frequency(text[0]) <= RARE { 0 } else { offset_of(text) }).collect();
        Self { bytes, offsets }
    }

    /// The bytes to search for. Where three or more have close values, the rare bytes between them are added, since a
    /// contiguous range is found faster than single bytes.
    pub(crate) fn searched(&self) -> Vec<u8> {
        let wanted: Vec<u8> = (0..=u8::MAX).filter(|byte| self.bytes[usize::from(*byte)]).collect();
        let rows = wanted.chunk_by(|&left, &right| {
            right - left <= MOST_ADDED + 1 && (left + 1..right).all(|between| frequency(between) <= RARE)
        });
        rows.flat_map(|row| match row {
            [first, _, .., last] if row.len() >= 3 => (*first..=*last).collect(),
            _ => row.to_vec(),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_by_a_rare_byte_that_others_share() {
        let cases: [(&[&str], &[usize], &[u8]); 6] = [
            (&["<a>", "!!!"], &[0, 0], b"\n!<"),
            (&[" to="], &[3], b"\n="),
            (&["functools[", "[A]", " functools["], &[9, 0, 10], b"\n["),
            (&["Action:\n```"], &[7], b"\n"),
            (&["long words to the end of it ["], &[0], b"\nl"),
            (&["<a", ">b", "=c", "<d"], &[0, 0, 0, 0], b"\n<=>"),
        ];
        for (texts, offsets, bytes) in cases {
            let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
            let anchors = Anchors::new(&texts);
            let found: Vec<u8> = (0..=u8::MAX).filter(|byte| anchors.bytes[usize::from(*byte)]).collect();
            assert_eq!((anchors.offsets.as_slice(), found.as_slice()), (offsets, bytes), "{texts:?}");
        }
    }

    #[test]
    fn gaps_between_neighbours_are_filled_where_a_row_is_faster() {
        let cases = [("<>", "\n<>"), ("<=>", "\n<=>"), ("[^`", "\n[\\]^_`"), ("!<[", "\n!<["), ("{}~", "\n{|}~")];
        for (firsts, expected) in cases {
            let texts: Vec<&[u8]> = firsts.as_bytes().chunks(1).collect();
            assert_eq!(Anchors::new(&texts).searched(), expected.as_bytes(), "{firsts}");
        }
    }
}
