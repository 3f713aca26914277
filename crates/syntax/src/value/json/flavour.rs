//! JSON as the decoders of the runtimes read it, and the resulting values.

pub use crate::value::json::decoder::JsonFault;
use crate::value::json::decoder::{self, JsonRules};
use crate::value::place::{DerivedText, SourcePlace, SourceText};
use crate::value::plain::PlainBuilder;
pub use crate::value::plain::{Placed, PlainValue, float};
use crate::value::python::literal_eval;

/// JSON decoders by their extensions of the standard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, strum::EnumString)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "snake_case")]
pub enum Flavour {
    /// Python's `json`: `NaN` and infinities are numbers, control characters in strings are rejected.
    #[default]
    Python,
    /// Python's `json` configured to reject the words `NaN` and `Infinity`; a number too large is still infinite.
    NoConstants,
    /// Python's `json` with `strict=False`: control characters in strings are accepted.
    Lax,
    /// Only RFC 8259.
    Strict,
    /// Go's `json`: RFC 8259, and a number without a fraction is an integer, however it is written.
    Go,
    /// llama.cpp's grammar: control characters in strings are accepted, `NaN` is not.
    Grammar,
    /// Python's `json`, or a Python literal if it is not JSON.
    OrLiteral,
    /// Only Python literals.
    Literal,
    /// Python's `json`; of a text that is cut off, everything except whitespace at its end.
    Cut,
    /// Python's `json`; if it is not JSON, everything before the fault.
    Broken,
    /// Rust's `RawValue`: RFC 8259 with numbers of any size, whose text is kept.
    Raw,
    /// The same; of a text that is cut off, everything except whitespace at its end.
    RawCut,
}

impl Flavour {
    /// The rules of its JSON.
    fn rules(self) -> JsonRules {
        match self {
            Self::Python | Self::OrLiteral | Self::Broken | Self::Literal => decoder::PYTHON,
            Self::NoConstants => JsonRules { non_finite: false, ..decoder::PYTHON },
            Self::Lax => JsonRules { controls: true, ..decoder::PYTHON },
            Self::Strict | Self::Go => JsonRules::default(),
            Self::Grammar => JsonRules { controls: true, overflow: true, grammar: true, ..JsonRules::default() },
            Self::Cut => JsonRules { cut: true, ..decoder::PYTHON },
            Self::Raw => JsonRules { overflow: true, ..JsonRules::default() },
            Self::RawCut => JsonRules { overflow: true, cut: true, ..JsonRules::default() },
        }
    }
}

/// Reads the value at the beginning of a text, after whitespace; returns it and its length in bytes.
/// With [`Flavour::Grammar`] no whitespace may precede it.
///
/// # Errors
/// Says where the text stops being JSON.
pub(crate) fn read(text: SourceText<'_>, flavour: Flavour) -> Result<(Placed, usize), JsonFault> {
    if flavour == Flavour::Literal {
        return literal_eval::read(text).ok_or_else(JsonFault::no_value);
    }
    let mut builder = PlainBuilder::default();
    match decoder::read(text, flavour.rules(), &mut builder) {
        Ok(end) => {
            let mut value = builder.finish().ok_or_else(JsonFault::no_value)?;
            if flavour == Flavour::Go {
                value.value.make_numbers_float();
            }
            Ok((value, end))
        }
        Err(fault) if flavour == Flavour::Broken => {
            read(text.part(0, fault.at), Flavour::Cut).map(|(value, _)| (value, text.len())).map_err(|_| fault)
        }
        Err(fault) if flavour == Flavour::OrLiteral => literal_eval::read(text).ok_or(fault),
        Err(fault) => Err(fault),
    }
}

/// Reads a text that is one value and whitespace.
///
/// # Errors
/// Says where the text stops being JSON.
pub fn read_all(text: SourceText<'_>, flavour: Flavour) -> Result<Placed, JsonFault> {
    let text =
        if matches!(flavour, Flavour::Cut | Flavour::RawCut) { text.part(0, text.trim_end().len()) } else { text };
    let (value, end) = read(text, flavour)?;
    decoder::extra(&text, end).map_or(Ok(value), Err)
}

/// Writes a text as a JSON string without its closing quote.
pub(crate) fn write_open(out: &mut DerivedText, text: SourceText<'_>) {
    out.add("\"");
    write_escaped(out, text);
}

/// Writes the characters of a JSON string, escaped.
pub(crate) fn write_escaped(out: &mut DerivedText, text: SourceText<'_>) {
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

/// Reads the text of a string value with `read`; `None` if it is not a string. The spans of the result are in
/// `message`: in the token if it contains the text verbatim, through its escapes if it is a JSON string, else the
/// whole token.
pub(crate) fn reread(
    value: &Placed,
    message: &str,
    read: impl FnOnce(SourceText<'_>) -> Option<PlainValue>,
) -> Option<PlainValue> {
    let PlainValue::Text(text) = &value.value else { return None };
    let span = value.place.span().unwrap_or_default();
    if matches!(value.place, SourcePlace::At(_)) && message.get(span.start..span.end).is_some() {
        let token = SourceText::new(message, span);
        if let Some(at) = token.find(text.as_str()).filter(|_| !text.is_empty()) {
            return read(token.part(at, at + text.len()));
        }
        let inner = if token.starts_with('"') { decoder::content(token) } else { DerivedText::default() };
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

/// Length of a text that ends within JSON, without an escape that is cut off at its end.
pub(crate) fn whole_characters(text: &str) -> usize {
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
