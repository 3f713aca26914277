//! A checksum of the whole file, between the last column and the footer, where Parquet readers ignore it. Detects a
//! damaged file before the library reads it, which might panic on one.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crc32fast::Hasher;

use crate::corpus::format::damaged;

/// Marker before the checksum, which is 4 bytes in little-endian order.
const MARK: &[u8; 12] = b"transcope\0\x01\0";

/// Length in bytes of marker and checksum.
const BLOCK: u64 = 16;

/// Length in bytes of what follows the footer: its length and the magic number.
const TAIL: u64 = 8;

/// Passes the bytes of a file on, holds back the footer, and inserts the checksum before it.
pub(super) struct ChecksumWriter<W: Write> {
    out: W,
    hasher: Hasher,
    /// The footer, once begun.
    footer: Option<Vec<u8>>,
}

impl<W: Write> ChecksumWriter<W> {
    /// Creates a writer of a file that begins at the current position of `out`.
    pub(crate) fn new(out: W) -> Self {
        Self { out, hasher: Hasher::new(), footer: None }
    }

    /// Marks all following bytes as the footer.
    pub(crate) fn begin_footer(&mut self) {
        self.footer = Some(Vec::new());
    }

    /// Writes checksum and footer, and returns the underlying writer.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let footer = self.footer.unwrap_or_default();
        self.hasher.update(&footer);
        self.out.write_all(MARK)?;
        self.out.write_all(&self.hasher.finalize().to_le_bytes())?;
        self.out.write_all(&footer)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for ChecksumWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(footer) = &mut self.footer {
            footer.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Verifies the checksum of a file. Leaves the file position unspecified.
pub(super) fn check(file: &mut File) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let tail = length.checked_sub(TAIL).ok_or_else(|| damaged("unexpected end of file"))?;
    file.seek(SeekFrom::Start(tail))?;
    let mut footer_length = [0; 4];
    file.read_exact(&mut footer_length)?;
    let footer = u64::from(u32::from_le_bytes(footer_length)) + TAIL;
    let start = length.checked_sub(footer + BLOCK).ok_or_else(|| damaged("unexpected end of file"))?;
    file.rewind()?;
    let mut hasher = Hasher::new();
    hash(file, start, &mut hasher)?;
    let mut found = [0; BLOCK as usize];
    file.read_exact(&mut found)?;
    hash(file, footer, &mut hasher)?;
    match found.strip_prefix(MARK) {
        None => Err(damaged("it was not written by transcope, or ends too early")),
        Some(checksum) if checksum != hasher.finalize().to_le_bytes() => Err(damaged("checksum mismatch")),
        Some(_) => Ok(()),
    }
}

/// Hashes the next `length` bytes of a file.
fn hash(file: &mut File, length: u64, hasher: &mut Hasher) -> io::Result<()> {
    let mut left = length;
    let mut piece = vec![0; 256 << 10];
    while left > 0 {
        let wanted = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        match file.read(&mut piece[..wanted])? {
            0 => return Err(damaged("unexpected end of file")),
            read => {
                hasher.update(&piece[..read]);
                left -= read as u64;
            }
        }
    }
    Ok(())
}
