//! Checks that the bytes are text: reports invalid UTF-8 and NUL bytes.
//!
//! The bytes are checked as they arrive, in pieces of any size.

use super::Span;
use crate::diagnostic::{Code, Diagnostic};

/// Number of invalid byte sequences that are reported; a file in another encoding has thousands.
pub(crate) const MAX_REPORTED: usize = 20;

/// Bytes at the beginning of a text in which a NUL shows that it is binary.
const BINARY_HEAD: usize = 8 * 1024;

/// Longest piece, in bytes, that is first checked for complete characters, as most tokens are.
const FEW: usize = 64;

/// Checks the bytes of a text as they arrive.
#[derive(Clone, Debug, Default)]
pub struct EncodingWatch {
    offset: usize,
    /// The beginning of a character that the next piece may complete.
    tail: Vec<u8>,
    reported: usize,
    binary: bool,
}

impl EncodingWatch {
    /// A watch for a part of a text that begins at `start` and is read independently of the text before it.
    pub fn of_stretch(start: usize) -> Self {
        Self { offset: start, ..Self::default() }
    }

    /// True if watching `stretch` as a continuation of this one would have given the same result: it has no problems,
    /// and no character crosses the border.
    pub fn may_append(&self, stretch: &Self) -> bool {
        self.tail.is_empty() && stretch.tail.is_empty() && stretch.reported == 0 && !stretch.binary
    }

    /// Continues after a range that was watched separately, for which [`Self::may_append`] is true.
    pub fn append(&mut self, stretch: &Self) {
        self.offset = stretch.offset;
    }

    /// Skips bytes that follow those seen before if there are few and they cannot be wrong, like most tokens. Returns
    /// false if they must be pushed instead.
    #[inline]
    pub fn skip_plain(&mut self, bytes: &[u8]) -> bool {
        let is_passed = bytes.len() <= FEW
            && self.tail.is_empty()
            && self.offset >= BINARY_HEAD
            && (bytes.is_ascii() || str::from_utf8(bytes).is_ok());
        self.offset += if is_passed { bytes.len() } else { 0 };
        is_passed
    }

    /// Checks the bytes that follow those seen before; returns the problems that are certain now.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        self.watch_for_nul(bytes, &mut problems);
        let (mut rest, mut start) = (bytes, self.offset);
        self.offset += bytes.len();
        let mut tail = std::mem::take(&mut self.tail);
        while !tail.is_empty() && !rest.is_empty() {
            // The character that was begun is completed here, or found to be invalid.
            let (next, behind) = rest.split_at(1);
            tail.extend_from_slice(next);
            (rest, start) = (behind, start + 1);
            let left = self.look(&tail, start - tail.len(), &mut problems).len();
            tail.drain(..tail.len() - left);
        }
        if tail.is_empty() {
            tail.extend_from_slice(self.look(rest, start, &mut problems));
        }
        self.tail = tail;
        problems
    }

    /// Checks bytes at offset `start`, which is between two characters; returns an incomplete character at their end.
    fn look<'a>(&mut self, mut bytes: &'a [u8], mut start: usize, problems: &mut Vec<Diagnostic>) -> &'a [u8] {
        while let Err(error) = simdutf8::compat::from_utf8(bytes) {
            let (_, rest) = bytes.split_at(error.valid_up_to());
            let Some(length) = error.error_len() else { return rest };
            start += error.valid_up_to();
            self.report(&rest[..length], start, problems);
            start += length;
            bytes = &rest[length..];
        }
        &[]
    }

    /// Ends the text: an incomplete character is invalid now.
    pub fn finish(&mut self) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        let tail = std::mem::take(&mut self.tail);
        if !tail.is_empty() {
            self.report(&tail, self.offset - tail.len(), &mut problems);
        }
        problems
    }

    fn report(&mut self, found: &[u8], start: usize, problems: &mut Vec<Diagnostic>) {
        self.reported += 1;
        if self.reported > MAX_REPORTED {
            return;
        }
        let shown: Vec<String> = found.iter().map(|byte| format!("{byte:02X}")).collect();
        let more = if self.reported == MAX_REPORTED { "; further ones are not listed" } else { "" };
        let message = format!("invalid UTF-8: {}{more}", shown.join(" "));
        let mut problem = Diagnostic::new(Code::InvalidUtf8, Span::new(start, start + found.len()), message);
        if start == 0 && matches!(found.first(), Some(0xff | 0xfe)) {
            problem = problem.help("this looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8");
        }
        problems.push(problem);
    }

    fn watch_for_nul(&mut self, bytes: &[u8], problems: &mut Vec<Diagnostic>) {
        let head = &bytes[..bytes.len().min(BINARY_HEAD.saturating_sub(self.offset))];
        if self.binary {
            return;
        }
        if let Some(at) = memchr::memchr(0, head) {
            self.binary = true;
            let span = Span::new(self.offset + at, self.offset + at + 1);
            problems.push(Diagnostic::new(Code::BinaryData, span, "a NUL byte: this is probably not a transcript"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Diagnostic> {
        let mut watch = EncodingWatch::default();
        let mut problems: Vec<Diagnostic> = pieces.flat_map(|piece| watch.push(piece)).collect();
        problems.extend(watch.finish());
        problems
    }

    #[test]
    fn however_bytes_are_cut_the_same_ones_are_invalid() {
        let whole: [&[u8]; 12] = [
            "aéb日c😀d".as_bytes(),
            b"\x80\x80\x80\x80\x80",
            b"\xe2\x82",
            b"\xe2\x82a",
            b"\xe2\x82\xe2\x82\xac\x80",
            b"\xf0\x9f\x98",
            b"\xf0\x9f\x98\x80\x80\x80",
            b"\xf0\x80\x80\x80",
            b"\xed\xa0\x80x",
            b"\xc0\xaf\xff\xfe",
            b"\xf4\x90\x80\x80",
            b"",
        ];
        for bytes in whole.iter().flat_map(|first| whole.map(|second| [first, second].concat())) {
            let expected = watch(std::iter::once(bytes.as_slice()));
            let invalid: usize = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
            assert_eq!(expected.len(), invalid, "{bytes:x?}");
            for length in 1..=bytes.len() {
                assert_eq!(watch(bytes.chunks(length)), expected, "{bytes:x?} in pieces of {length}");
            }
            for cut in 0..bytes.len() {
                let (front, behind) = bytes.split_at(cut);
                assert_eq!(watch([front, behind].into_iter()), expected, "{bytes:x?} cut at {cut}");
            }
        }
    }
}
