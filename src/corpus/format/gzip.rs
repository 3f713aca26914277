//! Gzip around the formats whose rows are lines: writing without a time in the header, and reading with a limit for what
//! one row may unfold to.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::rc::Rc;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::damaged;

/// Bytes of a row at the most, when it is read.
const LONGEST_ROW: usize = 128 << 20;

/// Bytes that are handed to the compressor at once.
const PIECE: usize = 64 << 10;

/// A writer whose bytes are compressed.
pub(super) type GzipWriter<W> = BufWriter<GzEncoder<W>>;

/// Compresses into `out` in the fastest way.
pub(super) fn writer<W: Write>(out: W) -> GzipWriter<W> {
    BufWriter::with_capacity(PIECE, GzEncoder::new(out, Compression::fast()))
}

/// Writes the end, and gives back what was written to.
pub(super) fn finish<W: Write>(writer: GzipWriter<W>) -> io::Result<W> {
    writer.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
}

/// How much may still be read before a row must be over, shared with who knows where rows end.
#[derive(Clone)]
pub(super) struct RowAllowance(Rc<Cell<usize>>);

impl RowAllowance {
    /// Says that a row is over.
    pub fn renew(&self) {
        self.0.set(LONGEST_ROW);
    }
}

/// What a file in gzip unfolds to.
pub(super) struct GzipReader {
    decoder: MultiGzDecoder<File>,
    allowance: RowAllowance,
}

impl GzipReader {
    /// A reader of that file, and what its rows have to renew.
    pub fn new(file: File) -> (Self, RowAllowance) {
        let allowance = RowAllowance(Rc::new(Cell::new(LONGEST_ROW)));
        (Self { decoder: MultiGzDecoder::new(file), allowance: allowance.clone() }, allowance)
    }
}

impl Read for GzipReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.allowance.0.get();
        if left == 0 {
            return Err(damaged("a row is too long"));
        }
        let length = into.len().min(left);
        let read = self.decoder.read(&mut into[..length]).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged("it ends too early"),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => damaged(error),
            _ => error,
        })?;
        self.allowance.0.set(left - read);
        Ok(read)
    }
}
