//! A checksum of a whole file, between its last column and its footer, where readers of Parquet do not look. With it a
//! damaged file is known before the library reads it, which may panic on one.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crc32fast::Hasher;

use crate::corpus::format::damaged;

/// What stands in front of the checksum, 4 bytes in little-endian order.
const MARK: &[u8; 12] = b"transcope\0\x01\0";

/// Bytes of mark and checksum.
const BLOCK: u64 = 16;

/// Bytes behind the footer: its length and the mark of the format.
const TAIL: u64 = 8;

/// Takes the bytes of a file, the footer apart, and puts the checksum in front of the footer.
pub(super) struct ChecksumWriter<W: Write> {
    out: W,
    hasher: Hasher,
    /// The footer, when it has begun.
    footer: Option<Vec<u8>>,
}

impl<W: Write> ChecksumWriter<W> {
    /// A writer of a file that begins where `out` stands.
    pub fn new(out: W) -> Self {
        Self { out, hasher: Hasher::new(), footer: None }
    }

    /// Says that everything that follows is the footer.
    pub fn begin_footer(&mut self) {
        self.footer = Some(Vec::new());
    }

    /// Writes checksum and footer, and gives back what was written to.
    pub fn finish(mut self) -> io::Result<W> {
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

/// Reads a file and says whether it is as it was written. It stands anywhere after that.
pub(super) fn check(file: &mut File) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let tail = length.checked_sub(TAIL).ok_or_else(|| damaged("it ends too early"))?;
    file.seek(SeekFrom::Start(tail))?;
    let mut footer_length = [0; 4];
    file.read_exact(&mut footer_length)?;
    let footer = u64::from(u32::from_le_bytes(footer_length)) + TAIL;
    let start = length.checked_sub(footer + BLOCK).ok_or_else(|| damaged("it ends too early"))?;
    file.rewind()?;
    let mut hasher = Hasher::new();
    hash(file, start, &mut hasher)?;
    let mut found = [0; BLOCK as usize];
    file.read_exact(&mut found)?;
    hash(file, footer, &mut hasher)?;
    match found.strip_prefix(MARK) {
        None => Err(damaged("it was not written by transcope, or ends too early")),
        Some(checksum) if checksum != hasher.finalize().to_le_bytes() => Err(damaged("its checksum is another one")),
        Some(_) => Ok(()),
    }
}

/// Adds the next bytes of a file, that many.
fn hash(file: &mut File, length: u64, hasher: &mut Hasher) -> io::Result<()> {
    let mut left = length;
    let mut piece = vec![0; 256 << 10];
    while left > 0 {
        let wanted = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        match file.read(&mut piece[..wanted])? {
            0 => return Err(damaged("it ends too early")),
            read => {
                hasher.update(&piece[..read]);
                left -= read as u64;
            }
        }
    }
    Ok(())
}
