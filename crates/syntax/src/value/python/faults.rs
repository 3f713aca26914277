//! Messages for malformed Python calls: the expected and the actual text, and what to do.

use super::string::StringFault;
use super::tokens::BracketFault;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::Span;
use crate::value::coerce::number_text;
use crate::value::json::shorten;

/// A broken rule, if the intended meaning is clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    MissingComma,
    ExtraComma,
    /// A keyword or a key without a value.
    MissingValue,
    /// A member of a dictionary without a colon.
    MissingColon,
    /// A colon where `=` belongs.
    ColonForEquals,
    /// A keyword in quotes, or one that is not a name.
    Keyword,
    /// A quote that ends a string before more text.
    UnescapedQuote,
}

fn broken(place: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::BrokenArguments, place, message)
}

/// The problem for a broken rule at this place, whose text is `found`.
pub(super) fn describe(fault: Fault, place: Span, found: &str) -> Diagnostic {
    let found = shorten(found);
    match fault {
        Fault::MissingComma => broken(place, "no comma between two arguments or elements")
            .contrast(",", found)
            .help("write a comma before this"),
        Fault::ExtraComma => broken(place, "extra comma").contrast("a value", ",").help("remove the comma"),
        Fault::MissingValue => broken(place, format!("{found} has no value"))
            .contrast("a value", "nothing")
            .help("write None if there is none"),
        Fault::MissingColon => broken(place, "a key without a colon")
            .contrast(":", found)
            .help("each member of a dictionary is a key, a colon and a value"),
        Fault::ColonForEquals => {
            broken(place, "a colon between an argument's name and its value").contrast("=", found).help("write = here")
        }
        Fault::Keyword => broken(place, format!("{found} cannot be the name of an argument"))
            .contrast("a bare name", found)
            .help("write the name without quotes: letters, digits and underscores"),
        Fault::UnescapedQuote => broken(place, format!("an unescaped quote ends the string before {found:?}"))
            .contrast("\\'", "'")
            .help("put a backslash before a quote inside a string; what follows is not read"),
    }
}

/// The problem for a misplaced closing bracket at `place`.
pub(super) fn bracket(fault: BracketFault, place: Span, found: &str) -> Diagnostic {
    match fault {
        BracketFault::Wrong(open, _) => {
            broken(place, format!("{} is missing before {found}", open.closer())).contrast(open.closer(), found)
        }
        BracketFault::Extra(_) => {
            broken(place, "unmatched closing bracket").contrast("a bracket that it closes", found).help("remove it")
        }
    }
}

/// The text ends within a string, or within brackets that `missing` would close.
pub(super) fn truncated(place: Span, in_string: bool, missing: &str) -> Diagnostic {
    let (message, expected) = match missing.len() {
        _ if in_string => ("a string that is not closed".to_owned(), "the closing quote".to_owned()),
        1 => ("the arguments end inside of a bracket that is not closed".to_owned(), missing.to_owned()),
        open => (format!("the arguments end inside of {open} brackets that are not closed"), shorten(missing)),
    };
    broken(place, message)
        .contrast(expected, "the end")
        .help("the text was cut off here, or something is not closed; what arrived is shown")
}

/// A fault in a string.
pub(super) fn in_string(fault: StringFault, place: Span, written: &str) -> Diagnostic {
    match fault {
        StringFault::LineFeed => broken(place, "unescaped line feed in a string")
            .contrast("\\n", "a line feed")
            .help("write \\n, or put the string in three quotes"),
        StringFault::Escape => {
            let double = written.replace('\\', "\\\\");
            broken(place, format!("{written} is not an escape in Python"))
                .contrast(double.clone(), written)
                .help(format!("write {double} for a backslash"))
        }
        StringFault::Surrogate => broken(place, format!("unpaired surrogate {written}"))
            .contrast("a pair of surrogates", written)
            .with_severity(Severity::Warning),
    }
}

/// A value that is not a literal; `what` describes it in a few words.
pub(super) fn not_a_literal(place: Span, what: &str, found: &str) -> Diagnostic {
    let found = shorten(found);
    let message = format!("{found} is {what}: some runtimes pass on its text, others drop the call");
    Diagnostic::new(Code::NotALiteral, place, message).contrast("a literal", found)
}

/// A value without a keyword; `number` is the key under which it is shown.
pub(super) fn positional(place: Span, number: usize, found: &str) -> Diagnostic {
    let found = shorten(found);
    let message = format!("{found} has no name; it is shown as {number}");
    Diagnostic::new(Code::PositionalArgument, place, message).contrast(format!("name={found}"), found)
}

/// A number that a 64-bit floating-point number cannot represent.
pub(super) fn lossy_number(place: Span, written: &str, number: f64) -> Diagnostic {
    let (written, becomes) = (shorten(written), number_text(number));
    let message = format!("{written} becomes {becomes} in JSON");
    Diagnostic::new(Code::LossyNumber, place, message)
        .contrast(written, becomes)
        .help("if every digit matters, write it as a string and have the tool's schema allow it")
}
