//! Redacts a file of any size window by window, so that it keeps its format: a log, a stream of records.
//!
//! A recorded file is redacted in two steps: the bytes from which a secret in its text was decoded are replaced,
//! however many records they are in; then the bytes of the file itself are searched. A replacement inside a JSON string
//! keeps that string valid. Independent of the rules.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::ops::Range;

use super::{Finding, MARGIN, Redactor, SLICE, probabilities};
use crate::session::Session;
use crate::text::{Span, Text};

/// Bytes read at a time.
const WINDOW: usize = 1 << 20;

/// A span of the file and its replacement, which is empty for a further part of the same secret.
struct Edit {
    source: Span,
    word: String,
}

impl Redactor {
    /// Learns the secrets in the file of a session, including parts outside the conversation.
    pub fn learn_file(&mut self, session: &Session) {
        let edits = self.edits(session);
        let mut window = Vec::new();
        for chunk in edited(session.file(), &edits) {
            window.extend_from_slice(&chunk);
            self.learn(&readable(&window));
            window.drain(..window.len().saturating_sub(MARGIN));
        }
        self.build_finders();
    }

    /// Writes the file of a session with every known secret and private detail replaced.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_file(&self, session: &Session, out: &mut impl Write) -> io::Result<()> {
        let edits = self.edits(session);
        let mut chunks = edited(session.file(), &edits).peekable();
        // Number of bytes at the start of the window that have been written.
        let (mut window, mut written) = (Vec::new(), 0);
        while let Some(chunk) = chunks.next() {
            window.extend_from_slice(&chunk);
            let spans = self.spans(&readable(&window));
            // Text near the end is searched again together with what follows.
            let margin = if chunks.peek().is_none() { 0 } else { MARGIN };
            let end = window.len().saturating_sub(margin).max(written);
            let divided = spans.iter().find(|(range, _)| range.start < end && end < range.end);
            let end = divided.map_or(end, |(range, _)| range.end);
            for (range, word) in spans {
                if range.end <= written || range.start >= end {
                    continue;
                }
                out.write_all(&window[written..range.start.max(written)])?;
                out.write_all(quoted(&window, &range, word).as_bytes())?;
                written = range.end;
            }
            out.write_all(&window[written..end])?;
            let kept = end.saturating_sub(MARGIN);
            window.drain(..kept);
            written = end - kept;
        }
        Ok(())
    }

    /// Checks that no secret found so far is still in the file of a session, or in the text decoded from it. Returns
    /// the replacement of the first one that is.
    pub fn left_in_session(&self, session: &Session) -> Option<String> {
        let is_known = |finding: Finding| self.known_word(&finding);
        let mut left = None;
        self.in_windows(session.file(), |finding, _| left = left.take().or_else(|| is_known(finding)));
        if session.is_decoded() && left.is_none() {
            self.in_windows(session.text(), |finding, _| left = left.take().or_else(|| is_known(finding)));
        }
        left
    }

    /// Writes the output of `fill` to `out`, after checking that no secret found so far is in it.
    ///
    /// # Errors
    /// A secret is still in it, and nothing was written; or `fill`, `out` or a temporary file failed.
    pub fn write_checked(
        &self,
        out: &mut (impl Write + ?Sized),
        fill: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = tempfile::tempfile()?;
        let mut made = BufWriter::new(&mut file);
        fill(&mut made)?;
        made.flush()?;
        drop(made);
        file.rewind()?;
        if let Some(word) = self.left_in_file(&file)? {
            return Err(io::Error::other(leak_message(&word)));
        }
        file.rewind()?;
        io::copy(&mut file, out)?;
        Ok(())
    }

    /// [`Self::left_in`] for a file that is not a transcript, such as an HTML page. Text inside tags is searched too.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn left_in_file(&self, mut file: impl Read) -> io::Result<Option<String>> {
        let mut window = Vec::new();
        loop {
            let read = file.by_ref().take(WINDOW as u64).read_to_end(&mut window)?;
            let text = readable(&window);
            let left = self.left_in(&text).or_else(|| without_tags(&text).and_then(|text| self.left_in(&text)));
            if read == 0 || left.is_some() {
                return Ok(left);
            }
            window.drain(..window.len().saturating_sub(MARGIN));
        }
    }

    /// Replacements in the file for everything to replace in the text decoded from it, and for the token probabilities,
    /// in file order.
    fn edits(&self, session: &Session) -> Vec<Edit> {
        if !session.is_decoded() {
            return Vec::new();
        }
        let mut edits: Vec<Edit> = Vec::new();
        self.in_windows(session.text(), |finding, span| {
            let mut word = self.word(finding.kind, finding.secret.trim());
            for source in session.sources(span) {
                edits.push(Edit { source, word: std::mem::take(&mut word) });
            }
        });
        let probabilities = probabilities::places(session.file()).into_iter();
        edits.extend(probabilities.map(|source| Edit { source, word: "null".to_owned() }));
        edits.sort_by_key(|edit| (edit.source.start, std::cmp::Reverse(edit.source.end)));
        // Several findings may come from the same bytes.
        edits.dedup_by(|next, last| {
            let is_shared = next.source.start < last.source.end;
            if is_shared {
                last.source = last.source.cover(next.source);
            }
            is_shared
        });
        edits
    }

    /// Calls `give` for each finding in a text of any size, with its span.
    fn in_windows(&self, text: &Text, mut give: impl FnMut(Finding, Span)) {
        for at in (0..text.len()).step_by(SLICE) {
            let start = at.saturating_sub(MARGIN);
            let bytes = text.read(Span::new(start, at + SLICE + MARGIN));
            for finding in self.findings(&readable(&bytes)) {
                let span = Span::new(start + finding.range.start, start + finding.range.end);
                // A finding that starts in another window is reported there.
                if (at..at + SLICE).contains(&span.start) {
                    give(finding, span);
                }
            }
        }
    }
}

/// The bytes of a file with edits applied, in chunks.
fn edited<'f>(file: &'f Text, edits: &'f [Edit]) -> impl Iterator<Item = Vec<u8>> + 'f {
    let (mut at, mut edits) = (0, edits.iter().peekable());
    std::iter::from_fn(move || {
        if at >= file.len() {
            return None;
        }
        let (mut out, mut end) = (Vec::new(), (at + WINDOW).min(file.len()));
        while let Some(edit) = edits.next_if(|edit| edit.source.start < end) {
            let bytes = file.read(Span::new(at, edit.source.end));
            let range = edit.source.start - at..bytes.len();
            out.extend_from_slice(&bytes[..range.start]);
            out.extend_from_slice(quoted(&bytes, &range, edit.word.clone()).as_bytes());
            at = edit.source.end;
            end = end.max(at);
        }
        out.extend_from_slice(&file.read(Span::new(at, end)));
        at = end;
        Some(out)
    })
}

/// The error message when a secret remains in an output.
pub fn leak_message(word: &str) -> String {
    format!("{word} is still in the output; nothing was written: remove it from the file")
}

/// The text of a page without its tags; `None` if it has none.
fn without_tags(text: &str) -> Option<String> {
    let mut parts = text.split('<');
    let mut plain = parts.next()?.to_owned();
    plain.extend(parts.map(|part| part.split_once('>').map_or(part, |(_, rest)| rest)));
    (plain.len() < text.len()).then_some(plain)
}

/// Decodes bytes to text of the same length: each invalid byte becomes a control character.
pub(super) fn readable(bytes: &[u8]) -> Cow<'_, str> {
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

/// The replacement; if it replaces a number that is the value of a JSON member, as a string.
fn quoted(bytes: &[u8], range: &Range<usize>, word: String) -> String {
    if word.is_empty() {
        return word;
    }
    let before = bytes[..range.start].trim_ascii_end();
    let is_number = bytes[range.clone()].iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let Some(name) =
        before.strip_suffix(b":").map(<[u8]>::trim_ascii_end).filter(|name| is_number && name.ends_with(b"\""))
    else {
        return word;
    };
    // Inside a string the quotation marks are escaped, like those around the key.
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
        redactor.learn_file(&session);
        let mut out = Vec::new();
        redactor.write_file(&session, &mut out).expect("into memory");
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
