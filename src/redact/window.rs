//! A file of any size as it stands, redacted window by window, so that it is still what it was: a log, a stream of records.
//!
//! What is replaced in a string of JSON leaves that string whole. This module does not know what is looked for.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use super::{MARGIN, Redactor};
use crate::text::{Span, Text};

/// Bytes that are read at a time.
const WINDOW: usize = 1 << 20;

impl Redactor {
    /// Looks through a file: also what is no part of the conversation may hold a secret.
    pub fn learn_file(&mut self, file: &Text) {
        let mut at = 0;
        while at < file.len() {
            let span = Span::new(at.saturating_sub(MARGIN), (at + WINDOW).min(file.len()));
            self.learn(&readable(&file.read(span)));
            at = span.end;
        }
        self.ready();
    }

    /// Writes a file with every known secret and private detail replaced.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_file(&self, file: &Text, out: &mut impl Write) -> io::Result<()> {
        let mut at = 0;
        while at < file.len() {
            let span = Span::new(at.saturating_sub(MARGIN), (at + WINDOW).min(file.len()));
            let bytes = file.read(span);
            let spans = self.spans(&readable(&bytes));
            // What is near the end is looked at again with what follows.
            let end = if span.end == file.len() { bytes.len() } else { bytes.len() - MARGIN };
            let divided = spans.iter().find(|(range, _)| range.start < end && end < range.end);
            let end = divided.map_or(end, |(range, _)| range.end);
            let mut from = at - span.start;
            for (range, word) in spans {
                if range.end <= from || range.start >= end {
                    continue;
                }
                out.write_all(&bytes[from..range.start.max(from)])?;
                out.write_all(quoted(&bytes, &range, word).as_bytes())?;
                from = range.end;
            }
            out.write_all(&bytes[from..end])?;
            at = span.start + end;
        }
        Ok(())
    }
}

/// Bytes as text of the same length: what is no character is a control character.
fn readable(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\x1a'));
    }
    Cow::Owned(text)
}

/// The word for something; a number that is the value of a member becomes a string.
fn quoted(bytes: &[u8], range: &Range<usize>, word: String) -> String {
    let before = bytes[..range.start].trim_ascii_end();
    let is_number = bytes[range.clone()].iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let Some(name) =
        before.strip_suffix(b":").map(<[u8]>::trim_ascii_end).filter(|name| is_number && name.ends_with(b"\""))
    else {
        return word;
    };
    // Within another string the quotation marks are escaped as those of the name are.
    let escapes = name[..name.len() - 1].iter().rev().take_while(|&&byte| byte == b'\\').count();
    let quote = format!("{}\"", "\\".repeat(escapes));
    format!("{quote}{word}{quote}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::OwnPatterns;
    use crate::session::Session;

    fn written(bytes: &[u8]) -> Vec<u8> {
        let session = Session::from_bytes(bytes);
        let mut redactor = Redactor::new(&session, OwnPatterns::default());
        redactor.learn_file(session.file());
        let mut out = Vec::new();
        redactor.write_file(session.file(), &mut out).expect("into memory");
        out
    }

    #[test]
    fn a_string_of_json_stays_whole() {
        for (text, expected) in [
            (r#"{"password": 12345678}"#, r#"{"password": "[secret:password#1]"}"#),
            (r#"{"a":"{\"password\": 12345678}"}"#, r#"{"a":"{\"password\": \"[secret:password#1]\"}"}"#),
            (r#"{"a":"curl -u ada:tr0ub4dor\"x"}"#, r#"{"a":"curl -u ada:[secret:password#1]\"x"}"#),
            (r#"{"password":"a\"b\\c12"}"#, r#"{"password":"[secret:password#1]"}"#),
            (r#"{"cwd":"C:\\Users\\ada\\x"}"#, r#"{"cwd":"C:\\Users\\[user#1]\\x"}"#),
        ] {
            assert_eq!(String::from_utf8(written(text.as_bytes())).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_long_file_is_redacted_across_its_windows() {
        let line = |number: usize| format!("line {number} of ada@acme.io has password=tr0ub4dor-{number:06}\n");
        let text: String = (0..60_000).map(line).collect();
        assert!(text.len() > 3 * WINDOW);
        let out = String::from_utf8(written(text.as_bytes())).expect("it is text");
        for (number, line) in out.lines().enumerate() {
            assert_eq!(line, format!("line {number} of [email#1] has password=[secret:password#{}]", number + 1));
        }
        assert_eq!(out.lines().count(), 60_000);
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        assert_eq!(written(b"\xff\xfe! ada@acme.io \xc3"), b"\xff\xfe! [email#1] \xc3");
    }
}
