//! Gzip (RFC 1952): members one after another, each a header, deflated data, a checksum and a length.
//!
//! Behind the last member there may be zeros, as on a tape. Does not know deflate (RFC 1951) itself.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::{GZIP, Halt, Out, cut_off, damaged};

/// Bytes that come out at a time.
const PIECE: usize = 64 * 1024;

/// The longest header that is taken for one: it may hold a name and a comment.
const LONGEST_HEADER: usize = 1 << 20;

pub(in crate::source) struct Gzip {
    at: At,
    /// What came of a header or trailer that is not whole yet.
    held: Vec<u8>,
    inflate: Decompress,
    crc: Crc,
    piece: Vec<u8>,
}

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// A header, the first one or one of a further member.
    Header,
    Data,
    /// Checksum and length.
    Trailer,
    /// Zeros, or a further header.
    Behind,
}

impl Default for Gzip {
    fn default() -> Self {
        Self {
            at: At::Header,
            held: Vec::new(),
            inflate: Decompress::new(false),
            crc: Crc::new(),
            piece: vec![0; PIECE],
        }
    }
}

impl Gzip {
    pub(super) fn push(&mut self, mut bytes: &[u8], out: &mut Out<'_>) -> Result<(), Halt> {
        while !bytes.is_empty() {
            match self.at {
                At::Header => bytes = self.header(bytes)?,
                At::Data => bytes = self.data(bytes, out)?,
                At::Trailer => bytes = self.trailer(bytes)?,
                At::Behind => {
                    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
                    bytes = &bytes[zeros..];
                    if !bytes.is_empty() {
                        self.at = At::Header;
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(&self) -> Result<(), Halt> {
        if self.at == At::Behind { Ok(()) } else { Err(cut_off("gzip")) }
    }

    fn header<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], Halt> {
        let before = self.held.len();
        self.held.extend_from_slice(&bytes[..bytes.len().min(LONGEST_HEADER)]);
        match header_length(&self.held) {
            Length::Known(length) => {
                self.held.clear();
                self.inflate.reset(false);
                self.crc.reset();
                self.at = At::Data;
                Ok(&bytes[length - before..])
            }
            Length::Open if self.held.len() < LONGEST_HEADER => Ok(&[]),
            Length::Open | Length::None => Err(damaged("there is something that is no gzip behind the gzip data")),
        }
    }

    fn data<'a>(&mut self, mut bytes: &'a [u8], out: &mut Out<'_>) -> Result<&'a [u8], Halt> {
        loop {
            let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(bytes, &mut self.piece, FlushDecompress::None);
            let read = (self.inflate.total_in() - read) as usize;
            let written = (self.inflate.total_out() - written) as usize;
            bytes = &bytes[read..];
            if written > 0 {
                self.crc.update(&self.piece[..written]);
                out(&self.piece[..written])?;
            }
            match status {
                Ok(Status::StreamEnd) => {
                    self.at = At::Trailer;
                    return Ok(bytes);
                }
                // More may come out of what went in, until a piece is not full.
                Ok(_) if written == self.piece.len() || (!bytes.is_empty() && read + written > 0) => {}
                Ok(_) if bytes.is_empty() => return Ok(bytes),
                _ => return Err(damaged("the gzip data are damaged")),
            }
        }
    }

    fn trailer<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], Halt> {
        let taken = bytes.len().min(8 - self.held.len());
        self.held.extend_from_slice(&bytes[..taken]);
        if let &[a, b, c, d, e, f, g, h] = self.held.as_slice() {
            self.held.clear();
            self.at = At::Behind;
            let is_whole = u32::from_le_bytes([a, b, c, d]) == self.crc.sum()
                && u32::from_le_bytes([e, f, g, h]) == self.crc.amount();
            if !is_whole {
                return Err(damaged("the gzip data are damaged: their checksum is another"));
            }
        }
        Ok(&bytes[taken..])
    }
}

enum Length {
    Known(usize),
    /// More bytes are needed.
    Open,
    /// It is no header.
    None,
}

/// The length of the header that `bytes` begin with (RFC 1952, section 2.3).
fn header_length(bytes: &[u8]) -> Length {
    const CHECKSUM: u8 = 1 << 1;
    const EXTRA: u8 = 1 << 2;
    const NAME: u8 = 1 << 3;
    const COMMENT: u8 = 1 << 4;
    let known = bytes.len().min(GZIP.len());
    if bytes[..known] != GZIP[..known] {
        return Length::None;
    }
    let Some(&flags) = bytes.get(3) else { return Length::Open };
    let mut length = 10;
    if flags & EXTRA != 0 {
        let Some(&[low, high]) = bytes.get(length..length + 2) else { return Length::Open };
        length += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for part in [NAME, COMMENT] {
        if flags & part != 0 {
            let Some(end) = bytes.get(length..).and_then(|rest| rest.iter().position(|byte| *byte == 0)) else {
                return Length::Open;
            };
            length += end + 1;
        }
    }
    if flags & CHECKSUM != 0 {
        length += 2;
    }
    if bytes.len() < length { Length::Open } else { Length::Known(length) }
}
