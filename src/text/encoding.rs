//! Whether the bytes are text at all: invalid UTF-8, NUL bytes.
//!
//! Looks at the bytes as they arrive, in pieces of any size. This module does not know what the text means.

use super::Span;
use crate::diagnostic::{Code, Diagnostic};

/// Stretches of invalid bytes that are reported; a file in another encoding has thousands of them.
pub const MAX_REPORTED: usize = 20;

/// How far into the text NUL bytes tell that it is binary, in bytes.
const BINARY_HEAD: usize = 8 * 1024;

/// Watches the bytes of a text.
#[derive(Clone, Debug, Default)]
pub struct EncodingWatch {
    offset: usize,
    /// The beginning of a character that may go on in the next piece.
    tail: Vec<u8>,
    reported: usize,
    binary: bool,
}

impl EncodingWatch {
    /// Looks at the bytes that follow those seen before; returns the problems that are certain now.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        self.watch_for_nul(bytes, &mut problems);
        let joined;
        let mut rest = if self.tail.is_empty() {
            bytes
        } else {
            joined = [&self.tail, bytes].concat();
            &joined
        };
        let mut at = self.offset - self.tail.len();
        self.offset += bytes.len();
        let mut tail = Vec::new();
        while let Err(error) = std::str::from_utf8(rest) {
            let start = at + error.valid_up_to();
            let Some(length) = error.error_len() else {
                tail = rest[error.valid_up_to()..].to_vec();
                break;
            };
            let found = &rest[error.valid_up_to()..error.valid_up_to() + length];
            self.report(found, start, &mut problems);
            at = start + length;
            rest = &rest[error.valid_up_to() + length..];
        }
        self.tail = tail;
        problems
    }

    /// Nothing more arrives: a character that was cut off is invalid.
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
            problems.push(Diagnostic::new(Code::BinaryData, span, "a NUL byte: this is hardly a transcript"));
        }
    }
}
