//! Decompression of gzip and zstd as the bytes come, and UTF-16 as UTF-8, recognised by the first bytes and not by a name.
//!
//! However the bytes are cut, what comes out is the same, and it comes out in pieces of bounded size: what is small
//! and becomes large does not fill the memory.

mod gzip;
mod utf16;
mod zstd;

use super::Halt;

use gzip::Gzip;
use utf16::Utf16;
use zstd::Zstd;

/// The first bytes of what is gzip (RFC 1952, section 2.3.1) with the one method that there is.
const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// The first bytes of a zstd frame (RFC 8878, section 3.1.1).
const ZSTD: [u8; MAGIC] = [0x28, 0xb5, 0x2f, 0xfd];

/// The marks of UTF-16, the high byte first and last. With two zeros behind it, the second is that of UTF-32, which
/// nobody writes.
const BIG_ENDIAN: [u8; 2] = [0xfe, 0xff];
const LITTLE_ENDIAN: [u8; 2] = [0xff, 0xfe];

/// Bytes that tell in any case.
pub(super) const MAGIC: usize = 4;

/// Whether something is to be decoded that begins with these bytes, [`MAGIC`] of them or all.
pub(super) fn is(first: &[u8]) -> bool {
    [&GZIP[..], &ZSTD, &BIG_ENDIAN, &LITTLE_ENDIAN].iter().any(|mark| first.starts_with(mark))
}

/// Whether more bytes are needed to tell whether something is to be decoded that begins with these.
pub(super) fn is_unclear(first: &[u8]) -> bool {
    !is(first) && [&GZIP[..], &ZSTD, &BIG_ENDIAN, &LITTLE_ENDIAN].iter().any(|mark| mark.starts_with(first))
}

pub(super) enum Decoder {
    Gzip(Gzip),
    Zstd(Box<Zstd>),
    Utf16(Box<Utf16>),
}

type Out<'a> = dyn FnMut(&[u8]) -> Result<(), Halt> + 'a;

impl Decoder {
    /// For what begins with these bytes, if it is to be decoded.
    pub(super) fn new(first: &[u8]) -> Option<Self> {
        match first {
            first if first.starts_with(&GZIP) => Some(Self::Gzip(Gzip::default())),
            first if first.starts_with(&ZSTD) => Some(Self::Zstd(Box::default())),
            first if first.starts_with(&BIG_ENDIAN) => Some(Self::Utf16(Box::new(Utf16::new(true)))),
            first if first.starts_with(&LITTLE_ENDIAN) => Some(Self::Utf16(Box::new(Utf16::new(false)))),
            _ => None,
        }
    }

    /// What a person should know: that offsets are not those of the file as it stands.
    pub(super) fn notice(&self) -> Option<&'static str> {
        match self {
            Self::Gzip(_) | Self::Zstd(_) => None,
            Self::Utf16(_) => Some("the file is UTF-16; its places are positions in the same text in UTF-8"),
        }
    }

    /// Takes in the bytes that follow. What could be decoded goes out before damage is told.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        match self {
            Self::Gzip(gzip) => gzip.push(bytes, out),
            Self::Zstd(zstd) => zstd.push(bytes, out),
            Self::Utf16(utf16) => utf16.push(bytes, out),
        }
    }

    /// Nothing more comes: gives out what was held back.
    pub(super) fn finish(&mut self, out: &mut Out<'_>) -> Result<(), Halt> {
        match self {
            Self::Gzip(gzip) => gzip.finish(),
            Self::Zstd(zstd) => zstd.finish(out),
            Self::Utf16(utf16) => utf16.finish(out),
        }
    }
}

fn damaged(words: &str) -> Halt {
    Halt::Failed(words.to_owned())
}

fn cut_off(kind: &str) -> Halt {
    Halt::Failed(format!("the {kind} data is truncated"))
}

#[cfg(test)]
mod tests;
