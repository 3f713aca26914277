//! JSON as the decoders of the runtimes take it, and the values that they make of it.

pub mod compact;

use super::literal;
use super::value::Members;
pub use super::value::{RuntimeValue, float};

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
pub fn read(text: &str, flavour: Flavour) -> Result<(RuntimeValue, usize), JsonFault> {
    if flavour == Flavour::Literal {
        return literal::read(text).ok_or(JsonFault { at: 0, at_end: false });
    }
    let mut reader = Reader { bytes: text.as_bytes(), text, at: 0, flavour };
    // A grammar says itself where white space may stand.
    if flavour != Flavour::Grammar {
        reader.blanks();
    }
    match reader.value(0) {
        Ok(value) => Ok((value, reader.at)),
        Err(fault) if flavour == Flavour::Broken => {
            let sound = text.get(..fault.at).unwrap_or_default();
            read(sound, Flavour::Cut).map(|(value, _)| (value, text.len())).map_err(|_| fault)
        }
        Err(fault) if flavour == Flavour::OrLiteral => literal::read(text).ok_or(fault),
        Err(fault) => Err(fault),
    }
}

/// Reads a text that is one value and white space.
///
/// # Errors
/// Says where the text stops being JSON.
pub fn read_all(text: &str, flavour: Flavour) -> Result<RuntimeValue, JsonFault> {
    let text = if flavour == Flavour::Cut { text.trim_end() } else { text };
    let (value, end) = read(text, flavour)?;
    match text[end..].find(|c| !matches!(c, ' ' | '\t' | '\n' | '\r')) {
        Some(more) => Err(JsonFault { at: end + more, at_end: false }),
        None => Ok(value),
    }
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

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
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

    fn value(&mut self, depth: usize) -> Result<RuntimeValue, JsonFault> {
        if depth > MAX_DEPTH {
            return self.fault();
        }
        match self.bytes.get(self.at) {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(RuntimeValue::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
            None => self.fault(),
        }
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
            let key = reader.string()?;
            reader.blanks();
            if reader.bytes.get(reader.at) != Some(&b':') {
                return reader.fault();
            }
            reader.at += 1;
            reader.blanks();
            let value = reader.value(depth + 1)?;
            members.insert(key, value);
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

    fn string(&mut self) -> Result<String, JsonFault> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while self.bytes.get(self.at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)) {
                self.at += 1;
            }
            out.push_str(&self.text[start..self.at]);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => match self.escape(&mut out) {
                    Err(fault) if fault.at_end && self.is_cut() => {
                        self.at = self.bytes.len();
                        return Ok(out);
                    }
                    escaped => escaped?,
                },
                None if self.is_cut() => return Ok(out),
                Some(&control) if self.flavour.controls() => {
                    out.push(char::from(control));
                    self.at += 1;
                }
                _ => return self.fault(),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), JsonFault> {
        let Some(&sign) = self.bytes.get(self.at + 1) else {
            self.at += 1;
            return self.fault();
        };
        out.push(match sign {
            b'"' | b'\\' | b'/' => char::from(sign),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.unit(self.at + 2)?;
                self.at += 6;
                if (0xD800..0xDC00).contains(&high)
                    && self.bytes[self.at..].starts_with(b"\\u")
                    && let Ok(low @ 0xDC00..0xE000) = self.unit(self.at + 2)
                {
                    self.at += 6;
                    let joined = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    out.push(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
                } else {
                    // Python keeps half of a pair; a text of ours cannot.
                    out.push(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                return Ok(());
            }
            _ => return self.fault(),
        });
        self.at += 2;
        Ok(())
    }

    fn unit(&self, at: usize) -> Result<u32, JsonFault> {
        let fault = JsonFault { at, at_end: at + 4 > self.bytes.len() };
        let digits = self.text.get(at..at + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or(fault)
    }
}
