//! JSON as strict decoders read it: they reject a text at its first fault.
//!
//! Uses `JsonParser` up to the first fault, with the rules of a decoder for plain values.

use super::lexer::{Lexed, Lexer, Token, TokenKind};
use super::machine::{ExpectedToken, FaultKind, JsonEvent, JsonParser};
use super::string::{self, StringFault};
use crate::text::Span;
use crate::value::place::{DerivedText, SourceText};
use crate::value::plain::{PlainValue, ValueSink};

/// Deepest nesting for which a value is built.
pub(crate) const MAX_PLAIN_DEPTH: usize = 400;

/// Extensions of RFC 8259 that a decoder accepts.
#[expect(clippy::struct_excessive_bools, reason = "each is a rule that decoders have or not")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonRules {
    /// `NaN`, `Infinity` and `-Infinity` are numbers.
    pub(crate) non_finite: bool,
    /// Control characters in strings are accepted.
    pub(crate) controls: bool,
    /// A number too large for 64 bits becomes infinite; otherwise it is a fault.
    pub(crate) overflow: bool,
    /// No character of a number may follow a number, and no whitespace may precede the value.
    pub(crate) grammar: bool,
    /// A text that ends within its value gives the value up to there.
    pub(crate) cut: bool,
}

/// The defaults of Python's `json`.
pub(crate) const PYTHON: JsonRules =
    JsonRules { non_finite: true, controls: false, overflow: true, grammar: false, cut: false };

/// The first fault that a decoder rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFault {
    /// Offset of the unexpected byte.
    pub at: usize,
    /// True if the text ends in a value that might continue.
    pub(crate) at_end: bool,
    /// Offset of the token that contains it.
    token: usize,
    kind: Refused,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    Expected(ExpectedToken),
    Unterminated,
    Control,
    Escape,
    UnicodeEscape,
}

impl JsonFault {
    /// A fault for extra text after a complete value.
    pub(crate) fn extra(at: usize) -> Self {
        Self { at, at_end: false, token: at, kind: Refused::Expected(ExpectedToken::Nothing) }
    }

    /// A fault for text that is not a value in another notation.
    pub(crate) fn no_value() -> Self {
        Self { at: 0, at_end: false, token: 0, kind: Refused::Expected(ExpectedToken::Value) }
    }

    /// The message of Python's `json.JSONDecodeError` (3.11) for this fault of `text`; columns count characters.
    pub(crate) fn python_message(&self, text: &str) -> String {
        let (words, at) = match self.kind {
            Refused::Expected(ExpectedToken::Value) => ("Expecting value", self.token),
            Refused::Expected(ExpectedToken::Key) => ("Expecting property name enclosed in double quotes", self.at),
            Refused::Expected(ExpectedToken::Colon) => ("Expecting ':' delimiter", self.at),
            Refused::Expected(ExpectedToken::Comma) => ("Expecting ',' delimiter", self.at),
            Refused::Expected(ExpectedToken::Nothing) => ("Extra data", self.at),
            Refused::Unterminated => ("Unterminated string starting at", self.token),
            Refused::Control => ("Invalid control character at", self.at),
            Refused::Escape => ("Invalid \\escape", self.at),
            Refused::UnicodeEscape => ("Invalid \\uXXXX escape", self.at - 1),
        };
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let last = before.rfind('\n').map_or(0, |feed| feed + 1);
        let column = before[last..].chars().count() + 1;
        format!("{words}: line {line} column {column} (char {})", before.chars().count())
    }
}

/// Reads the value at the beginning of a text, after whitespace; returns the offset after it.
///
/// # Errors
/// The first fault.
pub(crate) fn read(text: SourceText<'_>, rules: JsonRules, sink: &mut impl ValueSink) -> Result<usize, JsonFault> {
    let mut reader = JsonReader { text, rules, machine: JsonParser::at(0), sink, depth: 0 };
    match reader.run() {
        Err(fault) if fault.at_end && rules.cut && reader.depth > 0 => {
            let end = text.span().end;
            (0..reader.depth).for_each(|_| reader.sink.close(end));
            Ok(text.len())
        }
        result => result,
    }
}

/// The first fault of a text that should be one value and whitespace.
pub(crate) fn first_fault(text: &str, rules: JsonRules) -> Option<JsonFault> {
    match read(SourceText::whole(text), rules, &mut ()) {
        Ok(end) => extra(text, end),
        Err(fault) => Some(fault),
    }
}

/// The fault of a text with more than a value and whitespace.
pub(crate) fn extra(text: &str, end: usize) -> Option<JsonFault> {
    text[end..].find(|c| !matches!(c, ' ' | '\t' | '\n' | '\r')).map(|more| JsonFault::extra(end + more))
}

struct JsonReader<'a, 's, S> {
    text: SourceText<'a>,
    rules: JsonRules,
    machine: JsonParser,
    sink: &'s mut S,
    /// Number of open containers.
    depth: usize,
}

impl<S: ValueSink> JsonReader<'_, '_, S> {
    fn run(&mut self) -> Result<usize, JsonFault> {
        let bytes = self.text.text().as_bytes();
        if self.rules.grammar && bytes.first().is_some_and(u8::is_ascii_whitespace) {
            return Err(JsonFault::no_value());
        }
        while let Some(event) = self.machine.next(bytes, true) {
            match event {
                JsonEvent::Begin(holder, start) => {
                    self.enter(start)?;
                    self.depth += 1;
                    self.sink.open(holder, self.text.span_of(start, start).start);
                }
                JsonEvent::End(end) => {
                    self.depth -= 1;
                    self.sink.close(self.text.span_of(end, end).end);
                }
                JsonEvent::Key(token) => {
                    let (key, fault) = self.string(token);
                    fault.map_or(Ok(()), Err)?;
                    self.sink.key(key, self.span(token));
                }
                JsonEvent::Scalar(token) => {
                    self.enter(token.start)?;
                    let end = if token.kind == TokenKind::Text { self.text(token)? } else { self.word(token)? };
                    if self.depth == 0 {
                        return Ok(end);
                    }
                    if end < token.end {
                        return Err(self.fault(Refused::Expected(ExpectedToken::Comma), end));
                    }
                }
                JsonEvent::Fault(fault) => {
                    let at = match fault.kind {
                        FaultKind::Truncated => bytes.len(),
                        // Decoders report the bracket after it.
                        FaultKind::TrailingComma => self.machine.offset() - 1,
                        _ => fault.start,
                    };
                    return Err(self.fault(Refused::Expected(self.machine.expected()), at));
                }
            }
        }
        Ok(self.machine.offset())
    }

    fn enter(&self, at: usize) -> Result<(), JsonFault> {
        let is_too_deep = S::KEEPS_VALUES && self.depth > MAX_PLAIN_DEPTH;
        if is_too_deep { Err(self.fault(Refused::Expected(ExpectedToken::Value), at)) } else { Ok(()) }
    }

    fn fault(&self, kind: Refused, at: usize) -> JsonFault {
        JsonFault { at, at_end: at >= self.text.len(), token: at, kind }
    }

    fn span(&self, token: Token) -> Span {
        self.text.span_of(token.start, token.end)
    }

    /// Reads a string as a value; returns the offset after it.
    fn text(&mut self, token: Token) -> Result<usize, JsonFault> {
        let (text, fault) = self.string(token);
        match fault {
            None => self.sink.scalar(PlainValue::Text(text), self.span(token)),
            Some(fault) if fault.at_end && self.rules.cut => {
                let end = self.text.len();
                self.sink.scalar(PlainValue::Text(text), self.text.span_of(token.start, end));
                if self.depth > 0 {
                    return Err(fault);
                }
                return Ok(end);
            }
            Some(fault) => return Err(fault),
        }
        Ok(token.end)
    }

    /// The text of a string up to its first fault, and the fault.
    fn string(&self, token: Token) -> (String, Option<JsonFault>) {
        let (from, to) = (token.start + 1, token.end - usize::from(token.closed));
        let mut sink = StrictString { text: String::new(), controls: self.rules.controls, first: None };
        string::read(self.text[from..to].as_bytes(), &mut sink);
        let fault = match sink.first {
            Some((StringFault::Control(_), at)) => Some(self.fault(Refused::Control, from + at)),
            Some((StringFault::Cut, at)) if self.text[from + at..].len() == 1 => None,
            Some((_, at)) if self.text[from + at..].starts_with("\\u") => {
                let digits = from + at + 2;
                let at_end = digits + 4 > self.text.len();
                Some(JsonFault { at_end, ..self.fault(Refused::UnicodeEscape, digits) })
            }
            Some((_, at)) => Some(self.fault(Refused::Escape, from + at)),
            None => None,
        };
        let unterminated = || JsonFault { token: token.start, ..self.fault(Refused::Unterminated, self.text.len()) };
        (sink.text, fault.or_else(|| (!token.closed).then(unterminated)))
    }

    /// Reads a bare word as a value; returns the offset after it.
    fn word(&mut self, token: Token) -> Result<usize, JsonFault> {
        let (value, end) = match self.text.as_bytes()[token.start] {
            b'-' | b'0'..=b'9' => self.number(token.start)?,
            _ => self.literal(token.start)?,
        };
        self.sink.scalar(value, self.text.span_of(token.start, end));
        Ok(end)
    }

    fn literal(&self, start: usize) -> Result<(PlainValue, usize), JsonFault> {
        let rest = &self.text[start..];
        let words = [
            ("null", PlainValue::Null),
            ("true", PlainValue::Bool(true)),
            ("false", PlainValue::Bool(false)),
            ("NaN", PlainValue::Float(f64::NAN)),
            ("Infinity", PlainValue::Float(f64::INFINITY)),
        ];
        let known =
            words.into_iter().filter(|(_, value)| self.rules.non_finite || !matches!(value, PlainValue::Float(_)));
        let fault = self.fault(Refused::Expected(ExpectedToken::Value), start);
        for (word, value) in known {
            if rest.starts_with(word) {
                return Ok((value, start + word.len()));
            }
            if word.starts_with(rest) {
                return if self.rules.cut {
                    Ok((value, self.text.len()))
                } else {
                    Err(JsonFault { at_end: true, ..fault })
                };
            }
        }
        Err(fault)
    }

    fn number(&self, start: usize) -> Result<(PlainValue, usize), JsonFault> {
        let bytes = self.text.text().as_bytes();
        if self.rules.non_finite && bytes[start..].starts_with(b"-Infinity") {
            return Ok((PlainValue::Float(f64::NEG_INFINITY), start + 9));
        }
        let (whole, mut end) = string::number_end(bytes, start);
        if whole == start {
            let after_sign = start + usize::from(bytes[start] == b'-');
            let fault = self.fault(Refused::Expected(ExpectedToken::Value), after_sign);
            return Err(JsonFault { token: start, ..fault });
        }
        let words = &self.text[start..end];
        // The grammar rejects a number that might continue.
        if self.rules.grammar && matches!(bytes.get(end), Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
            let at_end = matches!(bytes[end], b'.' | b'e' | b'E') && end + 1 >= bytes.len();
            return Err(JsonFault { at_end, ..self.fault(Refused::Expected(ExpectedToken::Comma), end) });
        }
        if self.rules.cut && matches!(&bytes[end..], [b'.' | b'e' | b'E'] | [b'e' | b'E', b'+' | b'-']) {
            end = bytes.len();
        }
        if words.len() == whole - start {
            return Ok((PlainValue::Int(words.to_owned()), end));
        }
        let number: f64 = words.parse().unwrap_or(f64::NAN);
        if !self.rules.overflow && !number.is_finite() {
            return Err(self.fault(Refused::Expected(ExpectedToken::Value), end));
        }
        Ok((PlainValue::Float(number), end))
    }
}

/// The text of a string up to the first fault.
struct StrictString {
    text: String,
    controls: bool,
    first: Option<(StringFault, usize)>,
}

impl string::StringSink for StrictString {
    fn fault(&mut self, fault: StringFault, start: usize, _end: usize) {
        let is_taken = match fault {
            StringFault::Control(_) => self.controls,
            StringFault::Surrogate => true,
            StringFault::Escape | StringFault::Cut => false,
        };
        if !is_taken && self.first.is_none_or(|(_, first)| start < first) {
            self.first = Some((fault, start));
        }
    }

    fn copy(&mut self, bytes: &[u8], start: usize) {
        self.escape(bytes, start, start);
    }

    fn escape(&mut self, bytes: &[u8], start: usize, _end: usize) {
        if self.first.is_some_and(|(_, fault)| fault <= start) {
            return;
        }
        self.text.push_str(&String::from_utf8_lossy(bytes));
    }
}

/// The text of a string token in a message; the source of each of its bytes is known.
pub(crate) fn content(token: SourceText<'_>) -> DerivedText {
    let bytes = token.text().as_bytes();
    let Lexed::Token(string) = Lexer::at(0).next(bytes, true) else { return DerivedText::default() };
    let inner = token.part(string.start + 1, string.end - usize::from(string.closed));
    let mut out = DerivedString { text: DerivedText::default(), source: inner };
    string::read(inner.text().as_bytes(), &mut out);
    out.text
}

struct DerivedString<'a> {
    text: DerivedText,
    source: SourceText<'a>,
}

impl string::StringSink for DerivedString<'_> {
    fn fault(&mut self, _fault: StringFault, _start: usize, _end: usize) {}

    fn copy(&mut self, bytes: &[u8], start: usize) {
        self.text.copy(self.source.part(start, start + bytes.len()));
    }

    fn escape(&mut self, bytes: &[u8], start: usize, end: usize) {
        self.text.write(&String::from_utf8_lossy(bytes), self.source.span_of(start, end));
    }
}
#[cfg(test)]
mod tests {
    use super::{PYTHON, first_fault};

    /// Texts with Python 3.11's messages.
    #[test]
    fn faults_are_named_as_python_names_them() {
        let cases: &[(&str, Option<&str>)] = &[
            (r#" {"a": [1, 2.5e3, -0, true, null, NaN, "\u00e9"]} "#, None),
            ("", Some("Expecting value: line 1 column 1 (char 0)")),
            ("{a : 1}", Some("Expecting property name enclosed in double quotes: line 1 column 2 (char 1)")),
            (r#"{"name": "f", "argum"#, Some("Unterminated string starting at: line 1 column 15 (char 14)")),
            (r#"{"a": 1,}"#, Some("Expecting property name enclosed in double quotes: line 1 column 9 (char 8)")),
            ("[1,]", Some("Expecting value: line 1 column 4 (char 3)")),
            ("[1 2]", Some("Expecting ',' delimiter: line 1 column 4 (char 3)")),
            (r#"{"a" 1}"#, Some("Expecting ':' delimiter: line 1 column 6 (char 5)")),
            ("{} x", Some("Extra data: line 1 column 4 (char 3)")),
            ("{\"é\":\n \"\t\"}", Some("Invalid control character at: line 2 column 3 (char 8)")),
            (r#"["\x"]"#, Some("Invalid \\escape: line 1 column 3 (char 2)")),
            (r#"["\u12"]"#, Some("Invalid \\uXXXX escape: line 1 column 4 (char 3)")),
            ("[", Some("Expecting value: line 1 column 2 (char 1)")),
            ("01", Some("Extra data: line 1 column 2 (char 1)")),
        ];
        for (text, expected) in cases {
            assert_eq!(
                first_fault(text, PYTHON).map(|fault| fault.python_message(text)).as_deref(),
                *expected,
                "{text}"
            );
        }
        assert!(first_fault(&"[".repeat(1_000_000), PYTHON).is_some());
    }
}
