//! Zstandard (RFC 8878): consecutive frames, each with a header and blocks; some are skippable.
//!
//! `ruzstd` either reads from a blocking source or decodes all available blocks together, and a file of a few kilobytes
//! can hold gigabytes of them. So each block is cut out here when it is complete, and decoded separately. The decoder
//! holds back the last bytes of a frame, up to the size of its window, until the frame ends.

use std::io::Read;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Out, ReadStop, ZSTD, cut_off, damaged};

/// The largest supported window in bytes, which is also the limit of the `zstd` command. It bounds the memory that a
/// file can make this program use.
const LARGEST_WINDOW: u64 = 128 << 20;

/// Length of the longest frame header, including the magic number.
const LONGEST_HEADER: usize = 18;

/// The largest block (RFC 8878, section 3.1.1.2.4).
const LARGEST_BLOCK: usize = 128 << 10;

/// Bytes that are output at a time.
const PIECE: usize = 64 * 1024;

pub(in crate::source) struct Zstd {
    decoder: FrameDecoder,
    /// `Some` inside a frame; tells whether a checksum follows its last block.
    frame: Option<Checksum>,
    /// Bytes left of a skippable frame.
    skipped: u64,
    /// Input that is not decoded yet: less than a header or a block.
    held: Vec<u8>,
    piece: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Checksum {
    Follows,
    None,
}

impl Default for Zstd {
    fn default() -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(LARGEST_WINDOW);
        Self { decoder, frame: None, skipped: 0, held: Vec::new(), piece: vec![0; PIECE] }
    }
}

impl Zstd {
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), ReadStop> {
        self.held.extend_from_slice(bytes);
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_slice();
        while let Some(behind) = self.step(rest, out)? {
            rest = behind;
        }
        self.held = rest.to_vec();
        Ok(())
    }

    pub(super) fn finish(&mut self, out: &mut Out<'_>) -> Result<(), ReadStop> {
        if self.frame.is_none() {
            return if self.held.is_empty() && self.skipped == 0 { Ok(()) } else { Err(cut_off("zstd")) };
        }
        // An empty last block in place of the missing ones, and a checksum, make the decoder output the bytes it holds.
        let mut end: &[u8] = &[1, 0, 0, 0, 0, 0, 0];
        if self.decoder.decode_blocks(&mut end, BlockDecodingStrategy::All).is_ok() {
            self.drain(out)?;
        }
        Err(cut_off("zstd"))
    }

    /// Decodes one step of `bytes` and returns the rest; `None` if the next header or block is incomplete.
    fn step<'a>(&mut self, bytes: &'a [u8], out: &mut Out<'_>) -> Result<Option<&'a [u8]>, ReadStop> {
        if self.skipped > 0 && !bytes.is_empty() {
            let skipped = usize::try_from(self.skipped).unwrap_or(usize::MAX).min(bytes.len());
            self.skipped -= skipped as u64;
            return Ok(Some(&bytes[skipped..]));
        }
        match self.frame {
            None => self.header(bytes),
            Some(checksum) => self.block(bytes, checksum, out),
        }
    }

    fn header<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<&'a [u8]>, ReadStop> {
        let (Some(magic), Some(&descriptor)) = (bytes.first_chunk::<4>(), bytes.get(4)) else { return Ok(None) };
        // A skippable frame states its length (section 3.1.2).
        if (0x184d_2a50..=0x184d_2a5f).contains(&u32::from_le_bytes(*magic)) {
            let Some((head, behind)) = bytes.split_first_chunk::<8>() else { return Ok(None) };
            self.skipped = u64::from(u32::from_le_bytes([head[4], head[5], head[6], head[7]]));
            return Ok(Some(behind));
        }
        if *magic != ZSTD {
            return Err(damaged("there is trailing data after the zstd data"));
        }
        let mut behind = bytes;
        match self.decoder.reset(&mut behind) {
            Ok(()) => {
                let follows = descriptor & 0b100 != 0;
                self.frame = Some(if follows { Checksum::Follows } else { Checksum::None });
                Ok(Some(behind))
            }
            Err(_) if bytes.len() < LONGEST_HEADER => Ok(None),
            Err(error) => Err(ReadStop::Failed(format!("could not decode the zstd data: {error}"))),
        }
    }

    fn block<'a>(
        &mut self,
        bytes: &'a [u8],
        checksum: Checksum,
        out: &mut Out<'_>,
    ) -> Result<Option<&'a [u8]>, ReadStop> {
        let Some((header, content)) = bytes.split_first_chunk::<3>() else { return Ok(None) };
        let [low, middle, high] = *header;
        let header = u32::from_le_bytes([low, middle, high, 0]);
        let (is_last, kind, size) = (header & 1 == 1, (header >> 1) & 0b11, (header >> 3) as usize);
        // An RLE block contains a single byte.
        let length = if kind == 1 { 1 } else { size };
        if length > LARGEST_BLOCK {
            return Err(damaged("the zstd data is corrupt"));
        }
        let trailer = if is_last && checksum == Checksum::Follows { 4 } else { 0 };
        if content.len() < length + trailer {
            return Ok(None);
        }
        let mut behind = bytes;
        let decoded = self.decoder.decode_blocks(&mut behind, BlockDecodingStrategy::UptoBlocks(1));
        self.drain(out)?;
        let Ok(is_finished) = decoded else {
            // Nothing more is decoded: the bytes held back in the window are output.
            self.finish(out).or_else(|halt| if let ReadStop::Failed(_) = halt { Ok(()) } else { Err(halt) })?;
            return Err(damaged("the zstd data is corrupt"));
        };
        if is_finished {
            self.frame = None;
            if self
                .decoder
                .get_checksum_from_data()
                .is_some_and(|sum| Some(sum) != self.decoder.get_calculated_checksum())
            {
                return Err(damaged("the zstd data is corrupt: checksum mismatch"));
            }
        }
        Ok(Some(behind))
    }

    /// Outputs the bytes that the decoder releases.
    fn drain(&mut self, out: &mut Out<'_>) -> Result<(), ReadStop> {
        loop {
            match self.decoder.read(&mut self.piece) {
                Ok(0) => return Ok(()),
                Ok(read) => out(&self.piece[..read])?,
                Err(error) => return Err(ReadStop::Failed(format!("could not decode the zstd data: {error}"))),
            }
        }
    }
}
