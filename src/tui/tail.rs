//! The end of a file, read before reading has come there.
//!
//! The last part of the file is read by itself, from the beginning of a line. A call that begins before it is not known
//! to be one. This module does not know when anybody looks, or what is shown.

use std::io;

use crate::text::store::Backing;

/// Bytes that are looked at first.
pub const WINDOW: usize = 128 * 1024;

/// The most bytes that are looked at: what can be parsed between two frames.
pub const MOST: usize = 4 * 1024 * 1024;

/// Bytes that must be missing for a look ahead to be worth it: less has been read before anybody sees it.
pub const AHEAD: usize = 2 * 1024 * 1024;

/// Bytes from the beginning of a line to the end that a file has now.
pub struct Tail {
    /// Offset of the first of them.
    pub base: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Tail {
    /// The bytes from the first line that begins at `from` or behind it up to `end`.
    ///
    /// # Errors
    /// Those of the system.
    pub fn read(backing: &Backing, from: usize, end: usize) -> io::Result<Self> {
        let mut bytes = vec![0; end.saturating_sub(from)];
        let read = backing.read_at(from as u64, &mut bytes)?;
        bytes.truncate(read);
        let cut = if from == 0 { 0 } else { first_line(&bytes) };
        bytes.drain(..cut);
        Ok(Self { base: from + cut, bytes })
    }
}

/// Where the first line begins that begins in `bytes`; in a line without an end, the first character.
fn first_line(bytes: &[u8]) -> usize {
    match memchr::memchr(b'\n', bytes) {
        Some(feed) => feed + 1,
        None => bytes.iter().take(3).take_while(|byte| (0x80..0xc0).contains(*byte)).count(),
    }
}

/// Bytes that there are to read now, at least `known`.
///
/// # Errors
/// Those of the system.
pub fn length(backing: &Backing, known: usize) -> io::Result<usize> {
    let is_there = |offset: usize| Ok::<_, io::Error>(backing.read_at(offset as u64, &mut [0])? > 0);
    if !is_there(known)? {
        return Ok(known);
    }
    let (mut there, mut step) = (known, 4096);
    while is_there(there + step)? {
        there += step;
        step *= 2;
    }
    // The byte at `there` is there, and the one at `beyond` is not.
    let mut beyond = there + step;
    while beyond - there > 1 {
        let middle = there + (beyond - there) / 2;
        if is_there(middle)? { there = middle } else { beyond = middle }
    }
    Ok(beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::store::ReadAt;

    struct Bytes(Vec<u8>);

    impl ReadAt for Bytes {
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            let rest = self.0.get(offset as usize..).unwrap_or_default();
            let read = rest.len().min(buffer.len());
            buffer[..read].copy_from_slice(&rest[..read]);
            Ok(read)
        }
    }

    #[test]
    fn the_length_is_found_without_reading_everything() {
        for len in [0, 1, 2, 4095, 4096, 4097, 100_000] {
            let backing = Backing::new(Bytes(vec![b'x'; len]));
            for known in [0, 1, len / 2, len.saturating_sub(1), len] {
                assert_eq!(length(&backing, known.min(len)).expect("readable"), len, "{known} of {len}");
            }
        }
    }

    #[test]
    fn a_tail_begins_with_a_line_and_else_with_a_character() {
        for (text, from, base, expected) in [
            ("one\ntwo\nthree", 0, 0, "one\ntwo\nthree"),
            ("one\ntwo\nthree", 1, 4, "two\nthree"),
            ("one\ntwo\nthree", 4, 8, "three"),
            ("one\ntwo\nthree", 9, 9, "hree"),
            ("€€€", 1, 3, "€€"),
            ("one\n", 9, 9, ""),
        ] {
            let backing = Backing::new(Bytes(text.as_bytes().to_vec()));
            let tail = Tail::read(&backing, from, text.len()).expect("readable");
            assert_eq!((tail.base, tail.bytes.as_slice()), (base, expected.as_bytes()), "from {from}");
        }
    }
}
