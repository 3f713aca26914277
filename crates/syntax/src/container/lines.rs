//! The lines of a text file, in chunks as they arrive.

use super::TextReader;
use super::writer::TextWriter;

/// Most bytes at the beginning of a line that decide what the line is.
pub(super) const HEAD: usize = 256;

/// Receives lines in chunks as they arrive.
pub(super) trait TakeLines: Default + Send + Sync {
    /// Takes a chunk of a line at `at`; `is_start` is true for the beginning of a line.
    fn take(&mut self, line: &[u8], at: usize, is_start: bool, out: &mut TextWriter);

    /// Ends the text: closes what is open.
    fn finish(&mut self, _out: &mut TextWriter) {}

    /// Number of bytes that are held until a later line decides what they are.
    fn held(&self) -> usize {
        0
    }
}

/// Splits text into lines as it arrives; the beginning of each is held until it is complete or exceeds [`HEAD`].
#[derive(Default)]
pub(super) struct Lines<T> {
    held: Vec<u8>,
    mid_line: bool,
    /// Number of bytes received.
    length: usize,
    taker: T,
}

impl<T: TakeLines> TextReader for Lines<T> {
    fn push(&mut self, mut bytes: &[u8], mut at: usize, out: &mut TextWriter) {
        self.length = at + bytes.len();
        while !bytes.is_empty() {
            let end = memchr::memchr(b'\n', bytes).map(|feed| feed + 1);
            let room = if self.mid_line { bytes.len() } else { HEAD - self.held.len() };
            let (head, rest) = bytes.split_at(end.unwrap_or(bytes.len()).min(room));
            if self.mid_line {
                self.taker.take(head, at, false, out);
                self.mid_line = end.is_none();
            } else {
                self.held.extend_from_slice(head);
                let is_whole = self.held.last() == Some(&b'\n');
                if is_whole || self.held.len() == HEAD {
                    self.taker.take(&self.held, at + head.len() - self.held.len(), true, out);
                    self.held.clear();
                    self.mid_line = !is_whole;
                }
            }
            (bytes, at) = (rest, at + head.len());
        }
    }

    fn finish(&mut self, out: &mut TextWriter) {
        if !self.held.is_empty() {
            self.taker.take(&self.held, self.length - self.held.len(), true, out);
            self.held.clear();
        }
        self.taker.finish(out);
        out.end();
    }

    fn held(&self) -> usize {
        self.held.len() + self.taker.held()
    }
}

/// A line without its line ending.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
