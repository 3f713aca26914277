//! Decodes the escapes of JSON strings, and maps each decoded byte to its source.
//!
//! Invalid escapes are kept verbatim and reported.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::text::Span;
use crate::value::coerce::shortest_digits;

/// A decoded string.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// The decoded bytes; not always valid UTF-8, because the transcript is not.
    pub bytes: Vec<u8>,
    /// True if they differ from the source.
    pub(crate) escaped: bool,
    /// Faults, with their offsets in the source.
    pub(crate) faults: Vec<(StringFault, usize, usize)>,
    runs: Vec<Run>,
}

/// Violations of JSON in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringFault {
    /// A line feed or another control character that is not escaped.
    Control(u8),
    /// A backslash that does not begin a valid escape.
    Escape,
    /// An unpaired surrogate.
    Surrogate,
    /// An escape that is cut off by the end of the content; it may be completed when more arrives.
    Cut,
}

/// Decoded bytes that come from source bytes in the same order, or all from one escape.
#[derive(Clone, Copy, Debug)]
struct Run {
    decoded: usize,
    source: usize,
    literal: bool,
}

impl Decoded {
    /// A rewritten text: for each of its bytes the offset in its source, which has `end` bytes.
    pub(crate) fn mapped(bytes: Vec<u8>, sources: &[usize], end: usize) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (decoded, &source) in sources.iter().chain([&end]).enumerate() {
            let follows = runs.last().is_some_and(|run| run.source + (decoded - run.decoded) == source);
            if !follows {
                runs.push(Run { decoded, source, literal: true });
            }
        }
        Self { bytes, escaped: true, faults: Vec::new(), runs }
    }

    /// Offset in the source of the decoded byte at `offset`; the source's end for the number of decoded bytes.
    pub fn source_of(&self, offset: usize) -> usize {
        let index = self.runs.partition_point(|run| run.decoded <= offset);
        match index.checked_sub(1).map(|index| self.runs[index]) {
            Some(run) if run.literal => run.source + (offset - run.decoded),
            Some(run) => run.source,
            None => offset,
        }
    }

    /// The parts of the text in order: the spans of the decoded bytes and of their source, and true if the bytes are
    /// the same. A part may have no decoded bytes.
    pub(crate) fn parts(&self, source_len: usize) -> impl Iterator<Item = (Span, Span, bool)> + '_ {
        self.runs.iter().enumerate().map(move |(index, run)| {
            let next = self.runs.get(index + 1);
            let decoded = next.map_or(self.bytes.len(), |next| next.decoded);
            let source = next.map_or(source_len, |next| next.source);
            (Span::new(run.decoded, decoded), Span::new(run.source, source), run.literal)
        })
    }
}

/// A receiver of the parts of a string, in order. Offsets are in its content.
pub(super) trait StringSink {
    /// A fault. Of control characters only the first is reported, before all other faults.
    fn fault(&mut self, fault: StringFault, start: usize, end: usize);

    /// Bytes without escapes, which begin at `start`.
    fn copy(&mut self, _bytes: &[u8], _start: usize) {}

    /// The text of an escape; it has none if it is cut off.
    fn escape(&mut self, _bytes: &[u8], _start: usize, _end: usize) {}
}

impl StringSink for Decoded {
    fn fault(&mut self, fault: StringFault, start: usize, end: usize) {
        if fault != StringFault::Cut {
            self.faults.push((fault, start, end));
        }
    }

    fn copy(&mut self, bytes: &[u8], _start: usize) {
        self.bytes.extend_from_slice(bytes);
    }

    fn escape(&mut self, bytes: &[u8], start: usize, end: usize) {
        self.escaped = true;
        self.runs.push(Run { decoded: self.bytes.len(), source: start, literal: false });
        self.bytes.extend_from_slice(bytes);
        self.runs.push(Run { decoded: self.bytes.len(), source: end, literal: true });
    }
}

impl StringSink for Vec<(StringFault, usize, usize)> {
    fn fault(&mut self, fault: StringFault, start: usize, end: usize) {
        if fault != StringFault::Cut {
            self.push((fault, start, end));
        }
    }
}

/// Decodes the content of a string without its quotes. Offsets are in `content`.
pub fn decode(content: &[u8]) -> Decoded {
    let runs = vec![Run { decoded: 0, source: 0, literal: true }];
    let mut out = Decoded { bytes: Vec::with_capacity(content.len()), runs, ..Decoded::default() };
    read(content, &mut out);
    out
}

/// The decoded content of a string, and true if it differs from `content`; copied only if it has escapes.
pub(crate) fn read_string(content: &[u8]) -> (Cow<'_, [u8]>, bool) {
    if memchr(b'\\', content).is_none() {
        return (Cow::Borrowed(content), false);
    }
    let Decoded { bytes, escaped, .. } = decode(content);
    (Cow::Owned(bytes), escaped)
}

/// The faults in the content of a string, with their offsets.
pub(crate) fn faults(content: &[u8]) -> Vec<(StringFault, usize, usize)> {
    let mut out = Vec::new();
    read(content, &mut out);
    out
}

/// Reads the content of a string.
pub(super) fn read(content: &[u8], out: &mut impl StringSink) {
    let mut at = 0;
    if let Some(control) = first_control(content) {
        out.fault(StringFault::Control(content[control]), control, control + 1);
    }
    while let Some(found) = memchr(b'\\', &content[at..]) {
        let start = at + found;
        out.copy(&content[at..start], at);
        at = escape(content, start, out);
    }
    out.copy(&content[at..], at);
}

/// Offset of the first control character.
fn first_control(content: &[u8]) -> Option<usize> {
    // The processor compares the bytes of a chunk in parallel.
    const CHUNK: usize = 64;
    let is_control = |byte: u8| byte < 0x20;
    let holds = |chunk: &[u8]| chunk.iter().fold(false, |any, &byte| any | is_control(byte));
    let from = content.chunks(CHUNK).position(holds)? * CHUNK;
    content[from..].iter().position(|&byte| is_control(byte)).map(|at| from + at)
}

/// Decodes the escape at `start`; returns the offset after it.
fn escape(content: &[u8], start: usize, out: &mut impl StringSink) -> usize {
    let Some(&kind) = content.get(start + 1) else {
        out.fault(StringFault::Cut, start, content.len());
        out.escape(&[], start, content.len());
        return content.len();
    };
    let byte = match kind {
        b'"' | b'\\' | b'/' => kind,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => return unicode(content, start, out),
        b'\'' => {
            out.fault(StringFault::Escape, start, start + 2);
            b'\''
        }
        _ => {
            let end = start + 1 + character(&content[start + 1..]);
            out.fault(StringFault::Escape, start, end);
            out.escape(&content[start..end], start, end);
            return end;
        }
    };
    out.escape(&[byte], start, start + 2);
    start + 2
}

/// Length of the character at the beginning of `bytes`.
fn character(bytes: &[u8]) -> usize {
    1 + bytes[1..].iter().take(3).take_while(|&&byte| byte & 0xc0 == 0x80).count()
}

fn unicode(content: &[u8], start: usize, out: &mut impl StringSink) -> usize {
    let end = start + 6;
    let Some(unit) = code_unit(content, start) else {
        let digits = content[start + 2..].iter().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let end = start + 2 + digits;
        let is_cut = end == content.len();
        out.fault(if is_cut { StringFault::Cut } else { StringFault::Escape }, start, end);
        out.escape(if is_cut { &[] } else { &content[start..end] }, start, end);
        return end;
    };
    let (c, end) = match (unit, code_unit(content, end)) {
        (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) => {
            (char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)), end + 6)
        }
        _ => (char::from_u32(unit), end),
    };
    if c.is_none() {
        out.fault(StringFault::Surrogate, start, end);
    }
    let mut buffer = [0; 4];
    out.escape(c.unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut buffer).as_bytes(), start, end);
    end
}

/// The code unit of the escape `\uXXXX` at `start`.
fn code_unit(content: &[u8], start: usize) -> Option<u32> {
    let escape = content.get(start..start + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |number, &digit| Some(number * 16 + char::from(digit).to_digit(16)?))
}

/// True if the text of a JSON number has the same digits as the 64-bit floating-point number that it becomes.
pub(crate) fn keeps_its_text(source: &str, number: f64) -> bool {
    // Every 64-bit floating-point number preserves this many digits.
    const SURE_DIGITS: usize = 15;
    if source.len() <= SURE_DIGITS && memchr2(b'e', b'E', source.as_bytes()).is_none() {
        return true;
    }
    number.is_finite() && digits_of(source) == digits_of(&shortest_digits(number))
}

/// The significant digits of a number, and the power of ten of the first one.
fn digits_of(text: &str) -> (Vec<u8>, i64) {
    let text = text.trim_start_matches(['-', '+']);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    let end = digits.iter().rposition(|&digit| digit != b'0').map_or(zeros, |last| last + 1);
    if zeros >= end {
        return (Vec::new(), 0);
    }
    let signed = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    let power = exponent.saturating_add(signed(whole.len())).saturating_sub(signed(zeros));
    (digits[zeros..end].to_vec(), power)
}

/// True if a word is a JSON number.
pub fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && number_end(word, 0).1 == word.len()
}

/// The end of the integer part of the number at `start`, and of the whole number; both are `start` if there is none.
pub(super) fn number_end(bytes: &[u8], start: usize) -> (usize, usize) {
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unsigned = start + usize::from(bytes.get(start) == Some(&b'-'));
    let whole = match bytes.get(unsigned) {
        Some(b'0') => unsigned + 1,
        Some(b'1'..=b'9') => digits(unsigned),
        _ => return (start, start),
    };
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(exponent).is_some_and(u8::is_ascii_digit) {
            end = digits(exponent);
        }
    }
    (whole, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_say_what_their_escapes_say() {
        let cases: &[(&str, &str, usize)] = &[
            ("plain", "plain", 0),
            (r#"a\"b\\c\/d"#, "a\"b\\c/d", 0),
            (r"\b\f\n\r\t", "\u{8}\u{c}\n\r\t", 0),
            (r"\u00e9\u20AC", "é€", 0),
            (r"\ud83d\ude00", "😀", 0),
            (r"\ud83d!", "\u{fffd}!", 1),
            (r"\ude00", "\u{fffd}", 1),
            (r"\d+\.ts", r"\d+\.ts", 2),
            (r"it\'s", "it's", 1),
            (r"\u12", "", 0),
            (r"\u12x", r"\u12x", 1),
            ("cut\\", "cut", 0),
            ("a\nb", "a\nb", 1),
            (r"\€", r"\€", 1),
        ];
        for (source, expected, faults) in cases {
            let decoded = decode(source.as_bytes());
            assert_eq!(String::from_utf8_lossy(&decoded.bytes), *expected, "{source:?}");
            assert_eq!(decoded.faults.len(), *faults, "{source:?}");
            assert_eq!(super::faults(source.as_bytes()), decoded.faults, "{source:?}");
        }
    }

    #[test]
    fn decoded_bytes_lead_back_to_their_source() {
        let source = br#"a\"b\u00e9c\n"#;
        let decoded = decode(source);
        let back: Vec<usize> = (0..=decoded.bytes.len()).map(|offset| decoded.source_of(offset)).collect();
        assert_eq!(back, [0, 1, 3, 4, 4, 10, 11, 13]);
    }

    #[test]
    fn numbers_keep_their_text_or_not() {
        let cases = [
            ("0", true),
            ("-0", true),
            ("1.10", true),
            ("5.0", true),
            ("1e5", true),
            ("100000000000000000000", true),
            ("0.1", true),
            ("9007199254740993", false),
            ("3.14159265358979323846", false),
            ("1e999", false),
            ("1e-999", false),
        ];
        for (source, keeps) in cases {
            assert_eq!(keeps_its_text(source, source.parse().expect("a number")), keeps, "{source}");
        }
    }

    #[test]
    fn numbers_are_told_from_what_only_looks_like_one() {
        for word in ["0", "-0", "10", "1.5", "1e5", "1E+5", "-1.25e-7"] {
            assert!(is_number(word.as_bytes()), "{word}");
        }
        for word in ["", "-", "01", "1.", ".5", "+1", "0x1", "1e", "1_000", "1.5.2", "NaN"] {
            assert!(!is_number(word.as_bytes()), "{word}");
        }
    }
}
