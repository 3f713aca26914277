//! JSON in a region, with deviations that a template may permit: unquoted keys, and other string delimiters.
//!
//! The text is rewritten like the reference does, with the source offset of each byte, and then parsed as JSON.

use memchr::memmem;

use super::field::JsonForm;
use super::reading::Reading;
use super::refusal::Refusal;
use crate::value::ParamTree;
use crate::value::json::decoder;
use crate::value::json::string::Decoded;
use crate::value::json::{Arrival, Parsed, parse_all};
use crate::value::place::SpanMap;

/// Sentinels around the number of an extracted string.
const OPEN: u8 = 1;
const CLOSE: u8 = 2;

/// Reads a region's text, which begins at `start`.
pub(super) fn read(form: &JsonForm, bytes: &[u8], start: usize, arrival: Arrival) -> Reading {
    if form.delimiters.is_empty() && !form.bare_keys {
        let parsed = parse_all(bytes, SpanMap::At(start), arrival);
        return reading(parsed, bytes, bytes);
    }
    if !form.delimiters.is_empty() && bytes.iter().any(|byte| matches!(*byte, OPEN | CLOSE)) {
        let words = "json: input contains reserved sentinel characters (\\x01/\\x02); cannot parse safely.";
        let parsed = parse_all(bytes, SpanMap::At(start), arrival);
        return Reading { refusal: Some(Refusal::new(words)), ..reading(parsed, bytes, bytes) };
    }
    let rewritten = rewrite(form, bytes);
    let decoded = Decoded::mapped(rewritten.bytes, &rewritten.sources, bytes.len());
    let parsed = parse_all(&decoded.bytes, SpanMap::InString(start, &decoded), arrival);
    reading(parsed, bytes, &decoded.bytes)
}

fn reading(parsed: Parsed<'_, ParamTree>, bytes: &[u8], read: &[u8]) -> Reading {
    let Parsed { sink: tree, mut problems, mut hidden, error, root, .. } = parsed;
    problems.append(&mut hidden);
    let text = String::from_utf8_lossy(read);
    // Both parsers must reject it: Python also accepts NaN.
    let fault = if error.is_none() && root.is_some() { None } else { decoder::first_fault(&text, decoder::PYTHON) };
    let refusal = fault.map(|fault| {
        let words = if bytes == read {
            "json parser could not parse region as JSON."
        } else {
            "json: could not parse after dialect transforms."
        };
        let fault = fault.python_message(&text);
        Refusal { words: format!("{words}\nError: {fault}"), is_json: true }
    });
    Reading { tree, refusal, problems }
}

/// A text, with the source offset of each byte.
#[derive(Default)]
struct Rewritten {
    bytes: Vec<u8>,
    sources: Vec<usize>,
}

impl Rewritten {
    fn push(&mut self, bytes: &[u8], source: usize) {
        self.bytes.extend_from_slice(bytes);
        self.sources.extend(std::iter::repeat_n(source, bytes.len()));
    }

    fn copy(&mut self, from: &Rewritten, start: usize, end: usize) {
        self.bytes.extend_from_slice(&from.bytes[start..end]);
        self.sources.extend_from_slice(&from.sources[start..end]);
    }

    fn part(&self, start: usize, end: usize) -> Self {
        let mut part = Self::default();
        part.copy(self, start, end);
        part
    }
}

fn rewrite(form: &JsonForm, bytes: &[u8]) -> Rewritten {
    let mut text = Rewritten { bytes: bytes.to_vec(), sources: (0..bytes.len()).collect() };
    let mut strings = Vec::new();
    for (open, close) in &form.delimiters {
        text = take_strings(&text, open.as_bytes(), close.as_bytes(), &mut strings);
    }
    if form.bare_keys {
        text = quote_keys(&text);
    }
    put_strings(&text, &strings)
}

/// Replaces the strings between delimiters by their numbers.
fn take_strings(text: &Rewritten, open: &[u8], close: &[u8], strings: &mut Vec<Rewritten>) -> Rewritten {
    let (opener, closer) = (memmem::Finder::new(open), memmem::Finder::new(close));
    let mut out = Rewritten::default();
    let mut at = 0;
    while let Some(start) = opener.find(&text.bytes[at..]).map(|found| at + found) {
        let inside = start + open.len();
        let Some(end) = closer.find(&text.bytes[inside..]).map(|found| inside + found) else { break };
        out.copy(text, at, start);
        let source = text.sources[start];
        out.push(&[OPEN], source);
        out.push(strings.len().to_string().as_bytes(), source);
        out.push(&[CLOSE], text.sources[end]);
        strings.push(text.part(inside, end));
        at = end + close.len();
    }
    out.copy(text, at, text.bytes.len());
    out
}

/// Adds quotes around words between a brace or a comma and a colon.
fn quote_keys(text: &Rewritten) -> Rewritten {
    let mut out = Rewritten::default();
    let mut at = 0;
    for (index, byte) in text.bytes.iter().enumerate() {
        if !matches!(byte, b'{' | b',') || index + 1 < at {
            continue;
        }
        let rest = &text.bytes[index + 1..];
        let length = word_length(rest);
        if length > 0 && rest.get(length) == Some(&b':') {
            let end = index + 1 + length;
            out.copy(text, at, index + 1);
            out.push(b"\"", text.sources[index + 1]);
            out.copy(text, index + 1, end);
            out.push(b"\"", text.sources[end]);
            at = end;
        }
    }
    out.copy(text, at, text.bytes.len());
    out
}

/// Length in bytes of the word that `bytes` begin with.
fn word_length(bytes: &[u8]) -> usize {
    let is_of_word = |c: char| regex_syntax::try_is_word_character(c).unwrap_or_default();
    let mut length = 0;
    while let Some(&byte) = bytes.get(length) {
        let width = match byte {
            0..0x80 => 1,
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        let c = bytes.get(length..length + width).and_then(|bytes| std::str::from_utf8(bytes).ok());
        if !c.and_then(|c| c.chars().next()).is_some_and(is_of_word) {
            break;
        }
        length += width;
    }
    length
}

/// Inserts the extracted strings again, as JSON.
fn put_strings(text: &Rewritten, strings: &[Rewritten]) -> Rewritten {
    let mut out = Rewritten::default();
    let mut at = 0;
    while let Some(start) = memchr::memchr(OPEN, &text.bytes[at..]).map(|found| at + found) {
        let Some(end) = memchr::memchr(CLOSE, &text.bytes[start..]).map(|found| start + found) else { break };
        out.copy(text, at, start);
        let number = std::str::from_utf8(&text.bytes[start + 1..end]).ok().and_then(|digits| digits.parse().ok());
        if let Some(string) = number.and_then(|number: usize| strings.get(number)) {
            out.push(b"\"", text.sources[start]);
            for (byte, source) in string.bytes.iter().zip(&string.sources) {
                match byte {
                    b'"' | b'\\' => out.push(&[b'\\', *byte], *source),
                    0..0x20 => out.push(format!("\\u{byte:04x}").as_bytes(), *source),
                    byte => out.push(&[*byte], *source),
                }
            }
            out.push(b"\"", text.sources[end]);
        }
        at = end + 1;
    }
    out.copy(text, at, text.bytes.len());
    out
}
