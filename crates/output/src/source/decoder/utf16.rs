//! UTF-16 with a byte order mark, as some systems write text files, decoded incrementally by `encoding_rs`.
//!
//! Invalid units become replacement characters.

use encoding_rs::{CoderResult, Decoder, UTF_16BE, UTF_16LE};

use super::{Out, ReadStop};

/// Bytes of UTF-8 that are output at a time.
const PIECE: usize = 64 * 1024;

pub(in crate::source) struct Utf16 {
    decoder: Decoder,
}

impl Utf16 {
    /// A decoder for text in this byte order, which begins with a byte order mark.
    pub(super) fn new(is_big_endian: bool) -> Self {
        let encoding = if is_big_endian { UTF_16BE } else { UTF_16LE };
        Self { decoder: encoding.new_decoder_with_bom_removal() }
    }

    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), ReadStop> {
        self.decode(bytes, false, out)
    }

    pub(super) fn finish(&mut self, out: &mut Out<'_>) -> Result<(), ReadStop> {
        self.decode(&[], true, out)
    }

    fn decode(&mut self, mut bytes: &[u8], last: bool, out: &mut Out<'_>) -> Result<(), ReadStop> {
        let mut text = vec![0; PIECE.min(4 * bytes.len() + 16)];
        loop {
            let (result, read, written, _) = self.decoder.decode_to_utf8(bytes, &mut text, last);
            bytes = &bytes[read..];
            if written > 0 {
                out(&text[..written])?;
            }
            if result == CoderResult::InputEmpty {
                return Ok(());
            }
        }
    }
}
