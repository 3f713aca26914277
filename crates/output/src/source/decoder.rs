//! Incremental decoding of gzip, zstd and UTF-16, each recognised by its first bytes and not by the file name.
//!
//! The output is the same however the input is cut, and arrives in pieces of bounded size: a small input that expands
//! to a large output does not fill the memory.

mod gzip;
mod utf16;
mod zstd;

use super::ReadStop;

use gzip::Gzip;
use utf16::Utf16;
use zstd::Zstd;

/// The first bytes of gzip data (RFC 1952, section 2.3.1) with the only defined method.
const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// The first bytes of a zstd frame (RFC 8878, section 3.1.1).
const ZSTD: [u8; MAGIC] = [0x28, 0xb5, 0x2f, 0xfd];

/// The byte order marks of UTF-16. Followed by two zeros, the second is the mark of UTF-32, which is not in use.
const BIG_ENDIAN: [u8; 2] = [0xfe, 0xff];
const LITTLE_ENDIAN: [u8; 2] = [0xff, 0xfe];

/// Number of first bytes that are always enough to recognise a format.
pub(super) const MAGIC: usize = 4;

/// True if input that begins with these bytes, [`MAGIC`] of them or all, needs decoding.
pub(super) fn is(first: &[u8]) -> bool {
    [&GZIP[..], &ZSTD, &BIG_ENDIAN, &LITTLE_ENDIAN].iter().any(|mark| first.starts_with(mark))
}

/// True if more bytes are needed to decide whether input that begins with these needs decoding.
pub(super) fn is_unclear(first: &[u8]) -> bool {
    !is(first) && [&GZIP[..], &ZSTD, &BIG_ENDIAN, &LITTLE_ENDIAN].iter().any(|mark| mark.starts_with(first))
}

pub(super) enum Decoder {
    Gzip(Gzip),
    Zstd(Box<Zstd>),
    Utf16(Box<Utf16>),
}

type Out<'a> = dyn FnMut(&[u8]) -> Result<(), ReadStop> + 'a;

impl Decoder {
    /// A decoder for input that begins with these bytes, if it needs one.
    pub(super) fn new(first: &[u8]) -> Option<Self> {
        match first {
            first if first.starts_with(&GZIP) => Some(Self::Gzip(Gzip::default())),
            first if first.starts_with(&ZSTD) => Some(Self::Zstd(Box::default())),
            first if first.starts_with(&BIG_ENDIAN) => Some(Self::Utf16(Box::new(Utf16::new(true)))),
            first if first.starts_with(&LITTLE_ENDIAN) => Some(Self::Utf16(Box::new(Utf16::new(false)))),
            _ => None,
        }
    }

    /// A notice for the user that offsets are not offsets in the file.
    pub(super) fn notice(&self) -> Option<&'static str> {
        match self {
            Self::Gzip(_) | Self::Zstd(_) => None,
            Self::Utf16(_) => Some("the file is UTF-16; positions refer to the text converted to UTF-8"),
        }
    }

    /// Takes in the next bytes. Everything before damage is output before the damage is reported.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), ReadStop> {
        match self {
            Self::Gzip(gzip) => gzip.push(bytes, out),
            Self::Zstd(zstd) => zstd.push(bytes, out),
            Self::Utf16(utf16) => utf16.push(bytes, out),
        }
    }

    /// Ends the input and outputs the bytes that were held back.
    pub(super) fn finish(&mut self, out: &mut Out<'_>) -> Result<(), ReadStop> {
        match self {
            Self::Gzip(gzip) => gzip.finish(),
            Self::Zstd(zstd) => zstd.finish(out),
            Self::Utf16(utf16) => utf16.finish(out),
        }
    }
}

fn damaged(words: &str) -> ReadStop {
    ReadStop::Failed(words.to_owned())
}

fn cut_off(kind: &str) -> ReadStop {
    ReadStop::Failed(format!("the {kind} data is truncated"))
}

#[cfg(test)]
mod tests;
