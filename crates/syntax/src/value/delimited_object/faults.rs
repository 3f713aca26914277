//! Messages for malformed objects with delimited strings.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::Span;
use crate::value::json::shorten;

/// A broken rule, or something that runtimes read differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    MissingBrace,
    MissingComma,
    ExtraComma,
    MissingKey,
    MissingColon,
    MissingValue,
    /// This bracket is missing before another one.
    WrongCloser(char),
    ExtraCloser,
    /// Extra text after the object.
    Behind,
    /// A key or value in double quotes.
    Quoted,
    /// A bare word as a value.
    BareWord,
}

impl Fault {
    /// True if a strict reader accepts it anyway.
    pub(super) fn is_accepted(self) -> bool {
        matches!(self, Fault::Quoted | Fault::BareWord)
    }
}

/// The problem for a fault at this place, whose text is `found`.
pub(super) fn describe(fault: Fault, place: Span, found: &str, delimiter: &str) -> Diagnostic {
    let found = shorten(found);
    let broken = |message: String| Diagnostic::new(Code::BrokenArguments, place, message);
    match fault {
        Fault::MissingBrace => broken("the arguments do not begin with a brace".into()).contrast("{", found),
        Fault::MissingComma => broken("no comma between two members or elements".into())
            .contrast(",", found)
            .help("write a comma before this"),
        Fault::ExtraComma => broken("extra comma".into()).contrast("a value", ",").help("remove the comma"),
        Fault::MissingKey => broken(format!("no key before {found}")).contrast("a key and a colon", found),
        Fault::MissingColon => broken(format!("no colon after the key {found}"))
            .contrast(":", found)
            .help("each member is a key, a colon and a value"),
        Fault::MissingValue => {
            broken(format!("{found} has no value")).contrast("a value", "nothing").help("write null if there is none")
        }
        Fault::WrongCloser(open) => broken(format!("{open} is missing before {found}"))
            .contrast(open, found)
            .help("close the open bracket first"),
        Fault::ExtraCloser => {
            broken("unmatched closing bracket".into()).contrast("a bracket that it closes", found).help("remove it")
        }
        Fault::Behind => broken("text after the end of the object".into())
            .contrast("the end", found)
            .help("remove everything after the last closing brace"),
        Fault::Quoted => broken("quotes instead of delimiters: to some runtimes they are a part of the text".into())
            .contrast(format!("{delimiter}…{delimiter}"), found)
            .help(format!("write {delimiter} before and after a string, and keys without quotes"))
            .with_severity(Severity::Warning),
        Fault::BareWord => {
            let message = format!("{found} is a bare word, which becomes text");
            Diagnostic::new(Code::NotALiteral, place, message)
                .contrast(format!("{delimiter}{found}{delimiter}"), found)
                .help(format!("write {delimiter} before and after a string"))
                .with_severity(Severity::Hint)
        }
    }
}

/// The text ends within a string, or within brackets that `missing` would close.
pub(super) fn truncated(place: Span, in_string: bool, missing: &str, delimiter: &str) -> Diagnostic {
    let (message, expected) = if in_string {
        ("a string that is not closed", delimiter.to_owned())
    } else {
        ("the object is not closed", shorten(missing))
    };
    Diagnostic::new(Code::BrokenArguments, place, message)
        .contrast(expected, "the end")
        .help("the text was cut off here, or something is not closed; what arrived is shown")
}

/// A number that a 64-bit floating-point number cannot represent.
pub(super) fn lossy_number(place: Span, written: &str, becomes: String) -> Diagnostic {
    let written = shorten(written);
    let message = format!("{written} becomes {becomes}");
    Diagnostic::new(Code::LossyNumber, place, message)
        .contrast(written, becomes)
        .help("if every digit matters, write it as a string and have the tool's schema allow it")
}
