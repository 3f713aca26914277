//! Explains syntax errors: the smallest span that shows the error, what was expected there, and what to do.
//!
//! A parser detects an error where it cannot continue, which is often after the actual mistake.

use granit_parser::{ErrorKind, ScanError};

use super::{MAX_DEPTH, YamlSource};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;

/// Most characters of a line in a quotation.
const QUOTED: usize = 40;

/// Nesting beyond the limit.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("more than {MAX_DEPTH} levels of nesting; the rest is not read");
    Diagnostic::new(Code::YamlTooDeep, span, message)
}

/// A tab where only spaces may indent a line.
pub(super) fn tab(span: Span) -> Diagnostic {
    let help = "indent with spaces";
    Diagnostic::new(Code::YamlSyntax, span, "a tab cannot indent a line").contrast("spaces", "a tab").help(help)
}

/// The problem for an error, and the end of the valid part of the text; everything before `seen_to` was parsed.
pub(super) fn describe(error: &ScanError, source: &YamlSource, seen_to: usize) -> (Diagnostic, Option<usize>) {
    let text = source.text();
    let at = text.floor_char_boundary(error.marker().byte_offset().unwrap_or(seen_to));
    let place = FaultPosition { text, at, seen_to: text.floor_char_boundary(seen_to.min(at)) };
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return (too_deep(source.span(at, at + 1)), None);
    }
    let fault = place.fault(error.kind());
    let fine_to = match error.kind() {
        ErrorKind::UnclosedQuotedScalar | ErrorKind::UnclosedFlowCollection { .. } => text.len(),
        _ => fault.place.0,
    };
    // A span of one byte may be in the middle of a character.
    let (start, end) = (text.floor_char_boundary(fault.place.0), text.ceil_char_boundary(fault.place.1));
    let found = fault.found.unwrap_or_else(|| quote(&text[start..end]));
    let span = if start < end { source.span(start, end) } else { source.span(start, start) };
    let problem = Diagnostic::new(Code::YamlSyntax, span, fault.message).contrast(fault.expected, found);
    let problem = match fault.help {
        Some(help) => problem.help(help),
        None => problem,
    };
    (problem, Some(fine_to))
}

/// Message and span of a fault; the span is in the text.
struct Fault {
    place: (usize, usize),
    message: String,
    expected: String,
    found: Option<String>,
    help: Option<&'static str>,
}

const QUOTE_IT: &str = "put the whole value in quotes";
const ALIGN: &str = "begin the keys of one object in the same column, and indent what is inside by two spaces";

/// The position where the parser stopped.
struct FaultPosition<'a> {
    text: &'a str,
    at: usize,
    seen_to: usize,
}

impl FaultPosition<'_> {
    fn fault(&self, kind: &ErrorKind) -> Fault {
        use ErrorKind as K;
        match kind {
            K::MappingValueNotAllowed => self.second_colon(),
            K::MappingKeyNotAllowed => self.simple(self.word(), "? is not allowed here", "a value", Some(QUOTE_IT)),
            K::SimpleKeyExpected | K::InvalidSimpleKey => {
                let message = "this line has no key: a colon and a space are missing";
                let help = "write key: value, or indent the line so that it belongs to the value above";
                self.simple(self.rest_of_line(), message, "key: value", Some(help))
            }
            K::ExpectedBlockMappingKey | K::ExpectedBlockSequenceEntry | K::InvalidIndentation => self.behind_value(),
            K::ExpectedDocumentStart | K::InvalidDocumentEnd => {
                let message = "text after the end of the value";
                self.simple(self.rest_of_line(), message, "the end of the body", Some(QUOTE_IT))
            }
            K::UnexpectedCharacter { character } => {
                let message = format!("a value cannot begin with {character}");
                self.simple((self.at, self.at + character.len_utf8()), &message, "a value in quotes", Some(QUOTE_IT))
            }
            K::TabNotAllowed | K::TabInBlockIndentation | K::TabInIndentation | K::TabAtBlockScalarStart => {
                let message = "a tab cannot indent a line";
                let mut fault = self.simple(self.tab(), message, "spaces", Some("indent with spaces"));
                fault.found = Some("a tab".into());
                fault
            }
            K::UnknownQuotedScalarEscape
            | K::InvalidQuotedScalarHexEscape
            | K::InvalidUnicodeEscape
            | K::InvalidLowSurrogate
            | K::InvalidLowSurrogateHexEscape
            | K::MissingLowSurrogate
            | K::UnpairedLowSurrogate => {
                let help = "double the backslash, or use single quotes, in which it means nothing";
                self.simple(self.escape(), "this escape does not exist", "\\n, \\t, \\\", \\\\ or \\uXXXX", Some(help))
            }
            K::InvalidQuotedScalarIndent | K::UnclosedQuotedScalar | K::DocumentIndicatorInQuotedScalar => {
                let start = self.opening_quote();
                let quote = &self.text[start..(start + 1).min(self.text.len())];
                let message = format!("the quotation mark {quote} is never closed");
                let place = (start, (start + 1).min(self.text.len()));
                let mut fault = self.simple(place, &message, quote, Some("close the quotation"));
                let ended = matches!(kind, K::UnclosedQuotedScalar);
                fault.found = Some(if ended { "the end of the body" } else { "the next line" }.into());
                fault
            }
            K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar => {
                let message = "text after the closing quotation mark";
                let help = "put the quotation marks around the whole value, or escape those inside of it";
                self.simple(self.rest_of_line(), message, "the end of the line", Some(help))
            }
            K::UnclosedFlowCollection { open } => self.unclosed(*open, "the end of the body"),
            K::MismatchedFlowCollectionEnd { open, close } => self.unclosed(*open, &close.to_string()),
            K::ExpectedFlowMappingSeparator => self.separator("{", "a comma or }"),
            K::ExpectedFlowSequenceSeparator => self.separator("[", "a comma or ]"),
            K::UnexpectedEofFlowMapping | K::UnexpectedEofImplicitFlowMapping => {
                self.unclosed('{', "the end of the body")
            }
            K::UnexpectedEofFlowSequence => self.unclosed('[', "the end of the body"),
            K::BlockSequenceEntryNotAllowed | K::BlockEntryInFlowCollection => {
                let help = "begin the list on a separate line below the key, or write [a, b]";
                self.simple(
                    (self.at, self.at + 1),
                    "a list cannot begin on the line of its key",
                    "a new line",
                    Some(help),
                )
            }
            K::CommentNotSeparated | K::CommentInterceptedScalar => {
                let help = "put a space before #, or the value in quotes";
                self.simple((self.at, self.at + 1), "# begins a comment only after a space", "a space", Some(help))
            }
            K::InvalidBlockScalarHeader => {
                let message = "the text after > or | must begin on the next line";
                let help = "put a value that begins with > or | in quotes";
                self.simple(self.rest_of_line(), message, "a new line", Some(help))
            }
            other => {
                let message = other.to_string();
                self.simple(self.word(), &message, "YAML", None)
            }
        }
    }

    fn simple(&self, place: (usize, usize), message: &str, expected: &str, help: Option<&'static str>) -> Fault {
        let end = place.1.min(self.text.len());
        let start = place.0.min(end);
        let found =
            (start == end).then(|| if end == self.text.len() { "the end of the body" } else { "nothing" }.into());
        Fault { place: (start, end), message: message.into(), expected: expected.into(), found, help }
    }

    /// A misplaced colon: the second one on its line, or on a line that is indented like a continuation of the one
    /// above.
    fn second_colon(&self) -> Fault {
        let line_start = self.line_start(self.at);
        let line = &self.text[line_start..self.at];
        let indent = line.len() - line.trim_start_matches(' ').len();
        if line.contains(": ") || line.trim_start().starts_with("- ") && line.contains(':') {
            let place = (self.at, self.at + 1);
            return self.simple(place, "a second colon on one line", "a value in quotes", Some(QUOTE_IT));
        }
        let place = (line_start + indent, self.at + 1);
        if self.text[..line_start].trim().is_empty() {
            return self.simple(place, "a colon is not allowed here", "key: value", Some(QUOTE_IT));
        }
        let above = self.text[..line_start].lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if above.contains(':') {
            let message = "the line is indented as if it continued the value above";
            return self.simple(place, message, "the column of the key above", Some(ALIGN));
        }
        let message = "the line above has no key, so this one continues it";
        self.simple(place, message, "key: value above", Some("write key: value on each line"))
    }

    /// Text where a key was expected: directly after a value, or in a column where no object begins.
    fn behind_value(&self) -> Fault {
        let line_start = self.line_start(self.at);
        if self.text[line_start..self.at].trim().is_empty() {
            let message = "the line begins in a column in which no object begins";
            return self.simple(self.rest_of_line(), message, "the column of a key above", Some(ALIGN));
        }
        self.simple(self.rest_of_line(), "text after the end of a value", "the end of the line", Some(QUOTE_IT))
    }

    fn unclosed(&self, open: char, found: &str) -> Fault {
        let close = if open == '[' { "]" } else { "}" };
        let start = match self.text[self.at..].chars().next() {
            Some(c) if c == open => self.at,
            _ => self.text[..self.at].rfind(open).unwrap_or(self.at),
        };
        let message = format!("{open} is never closed");
        let mut fault =
            self.simple((start, start + 1), &message, close, Some("close each bracket with its counterpart"));
        fault.found = Some(found.into());
        fault
    }

    fn separator(&self, open: &str, expected: &str) -> Fault {
        let place = self.word();
        let message = format!("neither a comma nor the end of the {open} above");
        let help = "separate entries by commas, close the bracket, and put text with : , [ ] { } in quotes";
        self.simple(place, &message, expected, Some(help))
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |feed| feed + 1)
    }

    /// The rest of the line without surrounding spaces.
    fn rest_of_line(&self) -> (usize, usize) {
        let rest = self.text[self.at..].lines().next().unwrap_or_default();
        let start = self.at + rest.len() - rest.trim_start().len();
        (start, start + rest.trim().len())
    }

    /// The word at the position.
    fn word(&self) -> (usize, usize) {
        let (start, end) = self.rest_of_line();
        let length = self.text[start..end].find(char::is_whitespace).unwrap_or(end - start);
        (start, start + length)
    }

    /// The tab in the indentation of the line.
    fn tab(&self) -> (usize, usize) {
        let line_start = self.line_start(self.at);
        let line = self.text[line_start..].lines().next().unwrap_or_default();
        let tab = line_start + line.find('\t').unwrap_or(self.at.saturating_sub(line_start));
        (tab, tab + 1)
    }

    /// The first invalid escape after the opening quotation mark.
    fn escape(&self) -> (usize, usize) {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
            at += found;
            let next = bytes.get(at + 1).copied().unwrap_or_default();
            let digits = match next {
                b'x' => 2,
                b'u' => 4,
                b'U' => 8,
                _ => 0,
            };
            let hex = bytes[at..].get(2..2 + digits).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
            let surrogate = next == b'u' && hex && matches!(bytes[at + 2] | 0x20, b'd') && bytes[at + 3] >= b'8';
            if !(b"0abt\tnvfre \"/\\N_LP\r\n".contains(&next) || digits > 0 && hex && !surrogate) {
                let length = self.text[at + 1..].chars().next().map_or(0, char::len_utf8);
                return (at, at + 1 + length);
            }
            at += 2;
        }
        (self.at, self.at + 1)
    }

    /// The unclosed quotation mark: the first one after the part that was parsed.
    fn opening_quote(&self) -> usize {
        if self.text[self.at..].starts_with(['"', '\'']) {
            return self.at;
        }
        let ahead = &self.text[self.seen_to..];
        ahead.find(['"', '\'']).map_or(self.at, |found| self.seen_to + found)
    }
}

/// A quotation of the text, shortened if it is long.
fn quote(text: &str) -> String {
    let mut shown: String = text.chars().take(QUOTED).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
