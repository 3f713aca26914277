//! The end of a file, shown before everything up to it has been read.
//!
//! The last part of the file is parsed separately, starting at the beginning of a line. A call that begins earlier is
//! not recognised.

use std::io;

use crate::text::store::Backing;

/// Number of bytes read first.
pub const WINDOW: usize = 128 * 1024;

/// Maximum number of bytes read: what can be parsed between two frames.
pub const MOST: usize = 4 * 1024 * 1024;

/// Minimum number of unread bytes for which the tail is read: fewer are read before a user notices.
pub const AHEAD: usize = 2 * 1024 * 1024;

/// The part of a file to read, in bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailPart {
    /// Its end, if at least [`AHEAD`] bytes after the `read` ones are missing.
    End {
        /// Number of bytes read so far.
        read: usize,
    },
    /// Bytes written after the shown tail; the end again if the tail has become too large.
    After {
        /// Start of the shown tail.
        base: usize,
        /// End of the shown tail.
        end: usize,
    },
    /// The bytes of a range.
    Range {
        /// The first byte.
        from: usize,
        /// The end of the range, exclusive.
        end: usize,
    },
}

/// Bytes of the end of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Offset of the first byte: the beginning of a line, unless the bytes follow an earlier tail.
    pub base: usize,
    /// The bytes from there.
    pub bytes: Vec<u8>,
}

impl Tail {
    /// Reads a part of a file; `None` if there is nothing to read.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(backing: &Backing, part: TailPart) -> io::Result<Option<Self>> {
        let size = usize::try_from(backing.size()?).unwrap_or(usize::MAX);
        Ok(match part {
            TailPart::End { read } if size < read.saturating_add(AHEAD) => None,
            TailPart::After { end, .. } if size <= end => None,
            TailPart::After { base, end } if size - base <= MOST => {
                Some(Self { base: end, bytes: bytes(backing, end, size)? })
            }
            TailPart::End { .. } | TailPart::After { .. } => {
                Some(Self::from_line(backing, size.saturating_sub(WINDOW), size)?)
            }
            TailPart::Range { from, end } => Some(Self::from_line(backing, from, end)?),
        }
        .filter(|tail| !tail.bytes.is_empty()))
    }

    /// The bytes from the first line that begins at or after `from` up to `end`.
    fn from_line(backing: &Backing, from: usize, end: usize) -> io::Result<Self> {
        let mut bytes = bytes(backing, from, end)?;
        let cut = if from == 0 { 0 } else { first_line(&bytes) };
        bytes.drain(..cut);
        Ok(Self { base: from + cut, bytes })
    }
}

fn bytes(backing: &Backing, from: usize, end: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; end.saturating_sub(from)];
    let read = backing.read_at(from as u64, &mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Offset of the first line that begins in `bytes`; without a line feed, of the first whole character.
fn first_line(bytes: &[u8]) -> usize {
    match memchr::memchr(b'\n', bytes) {
        Some(feed) => feed + 1,
        None => bytes.iter().take(3).take_while(|byte| (0x80..0xc0).contains(*byte)).count(),
    }
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

        fn size(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }
    }

    #[test]
    fn what_is_read_depends_on_what_is_there() {
        let backing = Backing::new(Bytes(vec![b'x'; AHEAD + 100]));
        let length = |part| Tail::read(&backing, part).expect("readable").map(|tail| (tail.base, tail.bytes.len()));
        let all = AHEAD + 100;
        assert_eq!(length(TailPart::End { read: 100 }), Some((all - WINDOW, WINDOW)));
        assert_eq!(length(TailPart::End { read: 101 }), None, "it will soon be read anyway");
        assert_eq!(length(TailPart::After { base: 50, end: all }), None);
        assert_eq!(length(TailPart::After { base: 50, end: all - 7 }), Some((all - 7, 7)));
        assert_eq!(length(TailPart::Range { from: 10, end: 20 }), Some((10, 10)));
        let large = Backing::new(Bytes(vec![b'x'; MOST + 100]));
        let anew = Tail::read(&large, TailPart::After { base: 50, end: 60 }).expect("readable").expect("there is more");
        assert_eq!((anew.base, anew.bytes.len()), (MOST + 100 - WINDOW, WINDOW));
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
            let tail = Tail::from_line(&backing, from, text.len()).expect("readable");
            assert_eq!((tail.base, tail.bytes.as_slice()), (base, expected.as_bytes()), "from {from}");
        }
    }
}
