//! Messages for malformed JSON: the expected and the actual text, and what to do.

use super::SpanMap;
use super::machine::{Fault, FaultKind};
use super::string::StringFault;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;
use crate::value::ContainerKind;

/// Most characters of source text in a quotation.
const QUOTED: usize = 24;

/// The problem for a broken rule of the grammar in `bytes`; `closers` are the brackets that would close the open ones.
pub fn describe(fault: Fault, bytes: &[u8], places: SpanMap<'_>, closers: &str) -> Diagnostic {
    let place = places.of(Span::new(fault.start, fault.end));
    let found = shorten(&String::from_utf8_lossy(&bytes[fault.start..fault.end]));
    let broken = |message: &str| Diagnostic::new(Code::BrokenJson, place, message);
    match fault.kind {
        FaultKind::TrailingComma => {
            broken("trailing comma").contrast("the closing bracket", ",").help("remove the comma")
        }
        FaultKind::ExtraComma => {
            broken("extra comma").contrast("a value", ",").help("remove the comma, or write null before it")
        }
        FaultKind::MissingComma => broken("no comma between two members")
            .contrast(",", found)
            .help("write a comma before this; or is it a quote inside of a string, which must be \\\"?"),
        FaultKind::MissingColon => broken("no colon between a key and its value")
            .contrast(":", found)
            .help("write a colon between the key and its value"),
        FaultKind::MissingValue => {
            broken("a key without a value").contrast("a value", found).help("write null if there is none")
        }
        FaultKind::Comment => broken("JSON has no comments").contrast("nothing", found).help("remove the comment"),
        FaultKind::SingleQuotes => broken("a string in single quotes")
            .contrast(found.replace('\'', "\""), found)
            .help("write double quotes; this looks like a literal of Python or JavaScript"),
        FaultKind::UnquotedKey => {
            broken("a key without quotes").contrast(format!("\"{found}\""), found).help("put the key in double quotes")
        }
        FaultKind::WrongCloser(open) => {
            let what = match open {
                ContainerKind::Object => "an object is closed as if it were an array",
                ContainerKind::Array => "an array is closed as if it were an object",
            };
            broken(what).contrast(open.closer(), found).help("a closing bracket is missing before this one")
        }
        FaultKind::ExtraCloser => broken("unmatched closing bracket").contrast("the end", found).help("remove it"),
        FaultKind::Unexpected("a comma or ]" | "a comma or }")
            if bytes[..fault.start].trim_ascii_end().ends_with(b"\"") =>
        {
            let end = bytes[..fault.start].trim_ascii_end().len();
            let quote = places.of(Span::new(end - 1, end));
            Diagnostic::new(Code::BrokenJson, quote, format!("an unescaped quote ends the string before {found:?}"))
                .contrast("\\\"", "\"")
                .help("write \\\" for a quote inside of a string; what follows is not read")
        }
        FaultKind::Unexpected(expected) => unexpected(expected, place, found),
        FaultKind::Truncated => {
            let message = match closers.len() {
                0 => "unexpected end of JSON".to_owned(),
                1 => "unexpected end of JSON: an object or array is not closed".to_owned(),
                open => format!("unexpected end of JSON: {open} objects or arrays are not closed"),
            };
            let expected = if closers.is_empty() { "a value".to_owned() } else { shorten(closers) };
            broken(&message)
                .contrast(expected, "the end")
                .help("the text was cut off here, or closing brackets are missing; what arrived is shown")
        }
    }
}

fn unexpected(expected: &'static str, place: Span, found: String) -> Diagnostic {
    let message = match found.as_str() {
        "" => "a string that is not closed".to_owned(),
        found => format!("expected {expected}, found {found}"),
    };
    let help = match expected {
        "a comma or ]" | "a comma or }" => {
            "a quote inside of a string must be written as \\\"; otherwise a comma or a bracket is missing"
        }
        "a key in double quotes" => "each member of an object begins with a key in double quotes",
        _ => "what follows is not read",
    };
    let found = if found.is_empty() { "the end of the line".into() } else { found };
    Diagnostic::new(Code::BrokenJson, place, message).contrast(expected, found).help(help)
}

/// Extra text after the value.
pub(super) fn behind_the_value(bytes: &[u8], rest: Span, places: SpanMap<'_>) -> Diagnostic {
    let second = matches!(bytes[rest.start], b'{' | b'[');
    let (message, help) = if second {
        ("a second JSON value after the first one", "make two calls, or one array; only the first value is shown")
    } else if matches!(bytes[rest.start], b'}' | b']' | b',' | b';') {
        ("extra text after the JSON value", "remove it; there is probably one closing bracket too many")
    } else {
        ("text after the end of the JSON value", "remove everything after the last closing bracket")
    };
    let found = shorten(&String::from_utf8_lossy(&bytes[rest.start..rest.end]));
    let place = places.of(Span::new(rest.start, rest.start + 1));
    Diagnostic::new(Code::BrokenJson, place, message).contrast("the end", found).help(help)
}

/// `True`, `False` or `None`.
pub(super) fn python_literal(word: &str, place: Span) -> Diagnostic {
    let json = if word == "None" { "null".to_owned() } else { word.to_lowercase() };
    let message = format!("Python literal {word}");
    Diagnostic::new(Code::BrokenJson, place, message)
        .contrast(json.clone(), word)
        .help(format!("write {json}; str(…) of a Python value is not JSON, json.dumps(…) is"))
}

/// A word that is not a value of JSON.
pub(super) fn bare_word(word: &str, place: Span) -> Diagnostic {
    let found = shorten(word);
    let number = word.bytes().any(|byte| byte.is_ascii_digit());
    let numeric = number && word.bytes().all(|byte| byte.is_ascii_hexdigit() || b"+-._xXoO".contains(&byte));
    let (message, expected, help) = if matches!(word, "NaN" | "Infinity" | "-Infinity" | "undefined") {
        (format!("JSON has no {word}"), "null".into(), "write null, or a string that says what is meant")
    } else if numeric {
        (
            format!("{found} is not a number in JSON"),
            "a decimal number".into(),
            "write it as -?digits.digits, without a leading zero or plus; or as a string",
        )
    } else {
        (format!("{found} is not a value in JSON"), format!("\"{found}\""), "put text in double quotes")
    };
    Diagnostic::new(Code::BrokenJson, place, message).contrast(expected, found).help(help)
}

/// A number that a 64-bit floating-point number cannot represent.
pub(super) fn lossy_number(written: &str, becomes: String, place: Span) -> Diagnostic {
    let written = shorten(written);
    let message = format!("{written} becomes {becomes}");
    Diagnostic::new(Code::LossyNumber, place, message)
        .contrast(written, becomes)
        .help("if every digit matters, write it as a string and have the tool's schema allow it")
}

/// Something in a string that JSON does not allow.
pub(super) fn in_string(fault: StringFault, written: &str, place: Span) -> Diagnostic {
    match fault {
        StringFault::Control(byte) => {
            let (name, escape) = match byte {
                b'\n' => ("line feed", "\\n".to_owned()),
                b'\t' => ("tab", "\\t".to_owned()),
                b'\r' => ("carriage return", "\\r".to_owned()),
                _ => ("control character", format!("\\u{byte:04x}")),
            };
            Diagnostic::new(Code::BrokenJson, place, format!("unescaped {name} in a string"))
                .contrast(escape.clone(), format!("a {name}"))
                .help(format!("write {escape}; a string is on one line"))
        }
        StringFault::Escape | StringFault::Cut => {
            let double = written.replace('\\', "\\\\");
            Diagnostic::new(Code::BrokenJson, place, format!("{written} is not an escape in JSON"))
                .contrast(double.clone(), written)
                .help(format!("write {double} for a backslash"))
        }
        StringFault::Surrogate => {
            let mut problem = Diagnostic::new(Code::BrokenJson, place, format!("unpaired surrogate {written}"))
                .contrast("a pair of surrogates", written)
                .help("characters beyond U+FFFF take two escapes: \\ud83d\\ude00");
            problem.severity = crate::diagnostic::Severity::Warning;
            problem
        }
    }
}

/// A quotation of source text: trimmed, and shortened if it is long.
pub(in crate::value) fn shorten(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= QUOTED { text.into() } else { text.chars().take(QUOTED - 1).collect::<String>() + "…" }
}
