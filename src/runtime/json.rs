//! JSON as the decoders of the runtimes take it, and the values that they make of it.

pub mod compact;

use super::literal;
use super::place::{DerivedText, SourcePlace, SourceText};
use super::value::{Member, Members};
pub use super::value::{Placed, RuntimeValue, float};
use crate::text::Span;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 400;

/// Whose JSON it is, with what they take beside the standard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, strum::EnumString)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "snake_case")]
pub enum Flavour {
    /// Python's `json`: `NaN` and infinities are numbers, control characters in strings are refused.
    #[default]
    Python,
    /// Python's `json` told to refuse the words `NaN` and `Infinity`; a number that is too large is infinite all the same.
    NoConstants,
    /// Python's `json` with `strict=False`: control characters in strings are taken.
    Lax,
    /// RFC 8259, with nothing beside it.
    Strict,
    /// llama.cpp's grammar: control characters in strings are taken, `NaN` is not.
    Grammar,
    /// Python's `json`, or where it is none the literals of Python.
    OrLiteral,
    /// The literals of Python alone.
    Literal,
    /// Python's `json`; where the text ends in it, all that there is of it but white space at its end.
    Cut,
    /// Python's `json`, or where it is none all that stands in front of the fault.
    Broken,
}

impl Flavour {
    fn controls(self) -> bool {
        matches!(self, Self::Lax | Self::Grammar)
    }

    fn non_finite(self) -> bool {
        matches!(self, Self::Python | Self::Lax | Self::OrLiteral | Self::Cut | Self::Broken)
    }
}

/// What is wrong with a text that is no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFault {
    /// Offset of the byte that does not fit.
    pub at: usize,
    /// Whether the text ends in a value that might go on.
    pub at_end: bool,
}

/// Reads one value at the beginning of a text, behind white space; it, and the bytes that it took.
/// In front of llama.cpp's there may be no white space.
///
/// # Errors
/// Says where the text stops being JSON.
pub fn read(text: SourceText<'_>, flavour: Flavour) -> Result<(Placed, usize), JsonFault> {
    if flavour == Flavour::Literal {
        return literal::read(text).ok_or(JsonFault { at: 0, at_end: false });
    }
    let mut reader = Reader { bytes: text.text().as_bytes(), text, at: 0, flavour };
    // A grammar says itself where white space may stand.
    if flavour != Flavour::Grammar {
        reader.blanks();
    }
    match reader.value(0) {
        Ok(value) => Ok((value, reader.at)),
        Err(fault) if flavour == Flavour::Broken => {
            read(text.part(0, fault.at), Flavour::Cut).map(|(value, _)| (value, text.len())).map_err(|_| fault)
        }
        Err(fault) if flavour == Flavour::OrLiteral => literal::read(text).ok_or(fault),
        Err(fault) => Err(fault),
    }
}

/// Reads a text that is one value and white space.
///
/// # Errors
/// Says where the text stops being JSON.
pub fn read_all(text: SourceText<'_>, flavour: Flavour) -> Result<Placed, JsonFault> {
    let text = if flavour == Flavour::Cut { text.part(0, text.trim_end().len()) } else { text };
    let (value, end) = read(text, flavour)?;
    match text[end..].find(|c| !matches!(c, ' ' | '\t' | '\n' | '\r')) {
        Some(more) => Err(JsonFault { at: end + more, at_end: false }),
        None => Ok(value),
    }
}

/// The text of a string, by its token: what its bytes were decoded from is known.
pub fn content(token: SourceText<'_>) -> DerivedText {
    let mut out = DerivedText::default();
    let bytes = token.text().as_bytes();
    // Its faults were accepted when it was read.
    let _ = Reader { bytes, text: token, at: 0, flavour: Flavour::Lax }.string(&mut out);
    out
}

/// Writes a text as a string in JSON without its last quote.
pub fn write_open(out: &mut DerivedText, text: SourceText<'_>) {
    out.add("\"");
    write_escaped(out, text);
}

/// Writes the characters of a string in JSON.
pub fn write_escaped(out: &mut DerivedText, text: SourceText<'_>) {
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if matches!(c, '"' | '\\' | '\0'..='\x1f') {
            let string = serde_json::to_string(&text[at..end]).unwrap_or_default();
            out.write(string.trim_start_matches('"').strip_suffix('"').unwrap_or_default(), text.span_of(at, end));
        } else {
            out.copy(text.part(at, end));
        }
    }
}

/// Reads the text of a value again with `read`; nothing where it is none. The places of what is read lead to
/// bytes of `message`: directly if its token holds the text, through its escapes if the token is a string in JSON, else to
/// all of its token.
pub fn reread(
    value: &Placed,
    message: &str,
    read: impl FnOnce(SourceText<'_>) -> Option<RuntimeValue>,
) -> Option<RuntimeValue> {
    let RuntimeValue::Text(text) = &value.value else { return None };
    let span = value.place.span().unwrap_or_default();
    if matches!(value.place, SourcePlace::At(_)) && message.get(span.start..span.end).is_some() {
        let token = SourceText::new(message, span);
        if let Some(at) = token.find(text.as_str()).filter(|_| !text.is_empty()) {
            return read(token.part(at, at + text.len()));
        }
        let inner = if token.starts_with('"') { content(token) } else { DerivedText::default() };
        if inner.text == *text {
            let mut found = read(SourceText::whole(&inner.text))?;
            found.relocate(&|span| inner.source_of(span));
            return Some(found);
        }
    }
    let mut found = read(SourceText::whole(text))?;
    found.relocate(&|_| span);
    Some(found)
}

/// The bytes of a text that ends in JSON, without an escape that is cut at its end.
pub fn whole_characters(text: &str) -> usize {
    let tail = text.len().saturating_sub(6);
    let Some(last) = text.as_bytes()[tail..].iter().rposition(|byte| *byte == b'\\').map(|at| tail + at) else {
        return text.len();
    };
    let slashes = text.as_bytes()[..=last].iter().rev().take_while(|byte| **byte == b'\\').count();
    let is_whole = match text.as_bytes().get(last + 1) {
        Some(b'u') => text.len() - last >= 6,
        next => next.is_some(),
    };
    if slashes % 2 == 0 || is_whole { text.len() } else { last }
}

/// A receiver of the characters of a string.
trait StringSink {
    /// Characters without escapes.
    fn copy(&mut self, part: SourceText<'_>);
    /// A character that is written as the escape at `source`.
    fn escape(&mut self, character: char, source: Span);
}

impl StringSink for String {
    fn copy(&mut self, part: SourceText<'_>) {
        self.push_str(&part);
    }

    fn escape(&mut self, character: char, _source: Span) {
        self.push(character);
    }
}

impl StringSink for DerivedText {
    fn copy(&mut self, part: SourceText<'_>) {
        DerivedText::copy(self, part);
    }

    fn escape(&mut self, character: char, source: Span) {
        self.write(character.encode_utf8(&mut [0; 4]), source);
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: SourceText<'a>,
    at: usize,
    flavour: Flavour,
}

impl Reader<'_> {
    fn fault<T>(&self) -> Result<T, JsonFault> {
        Err(JsonFault { at: self.at, at_end: self.at >= self.bytes.len() })
    }

    fn is_cut(&self) -> bool {
        self.flavour == Flavour::Cut
    }

    fn blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Placed, JsonFault> {
        if depth > MAX_DEPTH {
            return self.fault();
        }
        let start = self.at;
        let value = match self.bytes.get(start) {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => RuntimeValue::Text(self.text()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return self.fault(),
        };
        Ok(Placed::at(value, self.text.span_of(start, self.at)))
    }

    fn text(&mut self) -> Result<String, JsonFault> {
        let mut out = String::new();
        self.string(&mut out)?;
        Ok(out)
    }

    fn word(&mut self) -> Result<RuntimeValue, JsonFault> {
        let rest = &self.bytes[self.at..];
        let words = [
            ("null", RuntimeValue::Null),
            ("true", RuntimeValue::Bool(true)),
            ("false", RuntimeValue::Bool(false)),
            ("NaN", RuntimeValue::Float(f64::NAN)),
            ("Infinity", RuntimeValue::Float(f64::INFINITY)),
        ];
        for (word, value) in words {
            if matches!(value, RuntimeValue::Float(_)) && !self.flavour.non_finite() {
                continue;
            }
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
            if word.as_bytes().starts_with(rest) {
                if self.is_cut() && !rest.is_empty() {
                    self.at = self.bytes.len();
                    return Ok(value);
                }
                return Err(JsonFault { at: self.at, at_end: true });
            }
        }
        self.fault()
    }

    fn number(&mut self) -> Result<RuntimeValue, JsonFault> {
        let start = self.at;
        let rest = &self.bytes[start..];
        if self.flavour.non_finite() && rest.starts_with(b"-Infinity") {
            self.at += 9;
            return Ok(RuntimeValue::Float(f64::NEG_INFINITY));
        }
        let mut at = start + usize::from(rest[0] == b'-');
        match self.bytes.get(at) {
            Some(b'0') => at += 1,
            Some(b'1'..=b'9') => at = self.digits(at),
            _ => {
                self.at = at;
                return self.fault();
            }
        }
        let whole = at;
        if self.bytes.get(at) == Some(&b'.') && self.bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            at = self.digits(at + 1);
        }
        if matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.bytes.get(at + 1), Some(b'+' | b'-')));
            if self.bytes.get(at + 1 + sign).is_some_and(u8::is_ascii_digit) {
                at = self.digits(at + 1 + sign);
            }
        }
        self.at = at;
        // The grammar takes no number that might go on.
        if self.flavour == Flavour::Grammar
            && matches!(self.bytes.get(at), Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
        {
            let digitless = matches!(self.bytes[at], b'.' | b'e' | b'E') && at + 1 >= self.bytes.len();
            return Err(JsonFault { at, at_end: digitless });
        }
        if self.is_cut() && matches!(&self.bytes[at..], [b'.' | b'e' | b'E'] | [b'e' | b'E', b'+' | b'-']) {
            self.at = self.bytes.len();
        }
        let words = &self.text[start..at];
        if at == whole {
            return Ok(RuntimeValue::Int(words.to_owned()));
        }
        let number: f64 = words.parse().unwrap_or(f64::NAN);
        // Those that follow the standard closely refuse what is too large for a number.
        if self.flavour == Flavour::Strict && !number.is_finite() {
            return self.fault();
        }
        Ok(RuntimeValue::Float(number))
    }

    fn digits(&self, from: usize) -> usize {
        from + self.bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    fn object(&mut self, depth: usize) -> Result<RuntimeValue, JsonFault> {
        let mut members = Members::default();
        self.items(b'}', |reader| {
            if reader.bytes.get(reader.at) != Some(&b'"') {
                return reader.fault();
            }
            let start = reader.at;
            let key = reader.text()?;
            let key_span = reader.text.span_of(start, reader.at);
            reader.blanks();
            if reader.bytes.get(reader.at) != Some(&b':') {
                return reader.fault();
            }
            reader.at += 1;
            reader.blanks();
            let value = reader.value(depth + 1)?;
            members.insert(Member::at(key, key_span, value));
            Ok(())
        })?;
        Ok(members.into_object())
    }

    fn list(&mut self, depth: usize) -> Result<RuntimeValue, JsonFault> {
        let mut items = Vec::new();
        self.items(b']', |reader| {
            items.push(reader.value(depth + 1)?);
            Ok(())
        })?;
        Ok(RuntimeValue::List(items))
    }

    /// What stands between brackets, with commas between.
    fn items(&mut self, closer: u8, mut item: impl FnMut(&mut Self) -> Result<(), JsonFault>) -> Result<(), JsonFault> {
        self.at += 1;
        self.blanks();
        if self.bytes.get(self.at) == Some(&closer) {
            self.at += 1;
            return Ok(());
        }
        loop {
            match item(self) {
                Err(fault) if fault.at_end && self.is_cut() => return Ok(()),
                item => item?,
            }
            self.blanks();
            match self.bytes.get(self.at) {
                Some(b',') => self.at += 1,
                Some(byte) if *byte == closer => {
                    self.at += 1;
                    return Ok(());
                }
                None if self.is_cut() => return Ok(()),
                _ => return self.fault(),
            }
            self.blanks();
        }
    }

    fn string(&mut self, out: &mut impl StringSink) -> Result<(), JsonFault> {
        self.at += 1;
        loop {
            let start = self.at;
            while self.bytes.get(self.at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)) {
                self.at += 1;
            }
            out.copy(self.text.part(start, self.at));
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => match self.escape(out) {
                    Err(fault) if fault.at_end && self.is_cut() => {
                        self.at = self.bytes.len();
                        return Ok(());
                    }
                    escaped => escaped?,
                },
                None if self.is_cut() => return Ok(()),
                Some(_) if self.flavour.controls() => {
                    out.copy(self.text.part(self.at, self.at + 1));
                    self.at += 1;
                }
                _ => return self.fault(),
            }
        }
    }

    fn escape(&mut self, out: &mut impl StringSink) -> Result<(), JsonFault> {
        let start = self.at;
        let Some(&sign) = self.bytes.get(start + 1) else {
            self.at += 1;
            return self.fault();
        };
        let (character, length) = match sign {
            b'"' | b'\\' | b'/' => (char::from(sign), 2),
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'n' => ('\n', 2),
            b'r' => ('\r', 2),
            b't' => ('\t', 2),
            b'u' => {
                let high = self.unit(start + 2)?;
                if (0xD800..0xDC00).contains(&high)
                    && self.bytes[start + 6..].starts_with(b"\\u")
                    && let Ok(low @ 0xDC00..0xE000) = self.unit(start + 8)
                {
                    let joined = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
                } else {
                    // Python keeps half of a pair; a text of ours cannot.
                    (char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
                }
            }
            _ => return self.fault(),
        };
        self.at += length;
        out.escape(character, self.text.span_of(start, self.at));
        Ok(())
    }

    fn unit(&self, at: usize) -> Result<u32, JsonFault> {
        let fault = JsonFault { at, at_end: at + 4 > self.bytes.len() };
        let digits = self.text.get(at..at + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or(fault)
    }
}
