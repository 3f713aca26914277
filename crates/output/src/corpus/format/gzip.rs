//! Gzip for line-based formats: writes without a timestamp in the header, and reads with a limit on the decompressed
//! size of a row.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::rc::Rc;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::damaged;

/// Maximum decompressed size of a row in bytes when reading.
const LONGEST_ROW: usize = 128 << 20;

/// Size of the buffer before the compressor, in bytes.
const PIECE: usize = 64 << 10;

pub(super) type GzipWriter<W> = BufWriter<GzEncoder<W>>;

/// Compresses into `out` at the fastest level.
pub(super) fn writer<W: Write>(out: W) -> GzipWriter<W> {
    BufWriter::with_capacity(PIECE, GzEncoder::new(out, Compression::fast()))
}

/// Writes the end of the stream, and returns the underlying writer.
pub(super) fn finish<W: Write>(writer: GzipWriter<W>) -> io::Result<W> {
    writer.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
}

/// Number of bytes that may be read until the end of the row, shared with the row parser.
#[derive(Clone)]
pub(super) struct RowAllowance(Rc<Cell<usize>>);

impl RowAllowance {
    /// Resets the limit at the end of a row.
    pub(crate) fn renew(&self) {
        self.0.set(LONGEST_ROW);
    }
}

/// Decompresses a file.
pub(super) struct GzipReader {
    decoder: MultiGzDecoder<File>,
    allowance: RowAllowance,
}

impl GzipReader {
    /// Creates a reader of the file, and the allowance that its user must renew after each row.
    pub(crate) fn new(file: File) -> (Self, RowAllowance) {
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
            io::ErrorKind::UnexpectedEof => damaged("unexpected end of file"),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => damaged(error),
            _ => error,
        })?;
        self.allowance.0.set(left - read);
        Ok(read)
    }
}
