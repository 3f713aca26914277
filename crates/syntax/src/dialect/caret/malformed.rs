//! Problems with malformed blocks.

use std::ops::Range;

use super::line::{fence, lines, trim};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::Span;

/// Whitespace after a fence; `effect` describes the consequence.
pub(super) fn spaces_after(span: Span, blanks: &[u8], effect: &str) -> Diagnostic {
    let what = if blanks == b"\r" { "a carriage return" } else { "white space" };
    let message = format!("{what} after the fence: the runtime does not see the fence; {effect}");
    Diagnostic::new(Code::CaretFenceBlank, span, message).contrast("a line feed", what)
}

pub(super) fn open_inside(line: Span) -> Diagnostic {
    Diagnostic::new(
        Code::CaretOpenInside,
        line,
        "fence inside an open block: the line is dropped, and the block continues",
    )
}

pub(super) fn fence_in_value(line: Span, key: &str, start: Span) -> Diagnostic {
    let message = format!("for the runtime this fence ends the block, in the middle of {key}");
    Diagnostic::new(Code::CaretFenceInValue, line, message).related(start, "the value begins here")
}

pub(super) fn content_ignored(span: Span, header: Span) -> Diagnostic {
    Diagnostic::new(Code::CaretContentIgnored, span, "ignored: the header already has content")
        .related(header, "this is the content")
}

pub(super) fn leading_blanks(key: &str, span: Span, count: usize) -> Diagnostic {
    let lines = if count == 1 { "a blank line".to_owned() } else { format!("{count} blank lines") };
    let message = format!("{key} begins with {lines}, which the runtime drops");
    Diagnostic::new(Code::CaretLeadingBlank, span, message)
}

/// A multi-line value without its end; mentions a line that is a near miss of the end.
pub(super) fn unclosed_value(key: &str, start: Span, value: &[u8], place: Span) -> Diagnostic {
    let end = format!("--- {key}");
    let message = format!("no {end} before the end of the block: all of it is the value");
    let problem = Diagnostic::new(Code::CaretUnclosedValue, start, message);
    let near = lines(value, 0).find_map(|(at, line)| {
        let text = trim(line);
        let word = line[text.clone()].strip_prefix(b"--")?;
        let word: Vec<u8> = word.iter().copied().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').collect();
        word.eq_ignore_ascii_case(key.as_bytes())
            .then(|| Span::new(place.start + at + text.start, place.start + at + text.end))
    });
    let Some(span) = near else {
        let problem = problem.contrast(end, "the end of the block");
        let opened = lines(value, 0).find(|(_, line)| fence(line).is_some_and(|fence| fence.name > 0));
        return match opened {
            Some((at, line)) => {
                let line = Span::new(place.start + at, place.start + at + line.len());
                problem.related(line, "a block inside the value: its closing ^^^ ends the outer block")
            }
            None => problem,
        };
    };
    let at = span.start - place.start;
    let found = String::from_utf8_lossy(&value[at..span.end - place.start]);
    let indented = if at == 0 || value[at - 1] == b'\n' { "" } else { "indented " };
    let swallows = !value[span.end - place.start..].trim_ascii().is_empty();
    let problem = problem.contrast(end, format!("{indented}{found}")).related(span, "this is not quite its end");
    if swallows { problem.with_severity(Severity::Error) } else { problem }
}

/// An array without its closing bracket; `parameter` is an item that was obviously meant as a parameter.
pub(super) fn unclosed_array(key: &str, start: Span, parameter: Option<Span>) -> Diagnostic {
    let message = format!("no ] before the end of the block: all of it is in {key}");
    let problem = Diagnostic::new(Code::CaretUnclosedArray, start, message)
        .contrast("] on a separate line", "the end of the block");
    match parameter {
        Some(span) => problem.related(span, "this became an item").with_severity(Severity::Error),
        None => problem,
    }
}

/// A key that is obviously a mistake.
pub(super) fn key(key: &str, span: Span) -> Option<Diagnostic> {
    let odd = key.starts_with(['-', '*', '#', '^', '>'])
        || key.contains(|c: char| c.is_whitespace() || "\"'`{}[]()<>=;".contains(c));
    odd.then(|| {
        let message = format!("everything before the first colon is the key: {key:?}");
        Diagnostic::new(Code::OddKey, span, message).help("write key: value, the key in letters, digits and _")
    })
}

/// A single-line value that includes markup which was obviously not meant to be part of it.
pub(super) fn value(key: &str, body: &[u8], value: &Range<usize>, base: usize) -> Option<Diagnostic> {
    let words = &body[value.clone()];
    let (what, severity) = match words {
        [b'"', .., b'"'] | [b'\'', .., b'\''] => ("the quotation marks are part of the value", Severity::Hint),
        [b'[', inner @ ..] if key.ends_with('s') && (inner.ends_with(b"]") || !inner.contains(&b']')) => {
            ("brackets on one line are not an array; they are part of the value", Severity::Warning)
        }
        _ => return None,
    };
    let span = Span::new(base + value.start, base + value.end);
    Some(Diagnostic::new(Code::CaretMarksKept, span, what).with_severity(severity))
}

/// Array items that include the markup of another notation.
pub(super) fn items(body: &[u8], base: usize, items: &[Span]) -> Option<Diagnostic> {
    let kept = |item: &&Span| {
        matches!(
            &body[item.start - base..item.end - base],
            [.., b','] | [b'-', b' ', ..] | [b'"', .., b'"'] | [b'\'', .., b'\'']
        )
    };
    let first = items.iter().find(kept)?;
    let count = items.iter().filter(kept).count();
    let which = if count == 1 { "this item".to_owned() } else { format!("{count} items") };
    let message = format!("commas, quotation marks and dashes are part of the items: {which}");
    Some(Diagnostic::new(Code::CaretMarksKept, *first, message).with_severity(Severity::Warning))
}

/// Consecutive lines that the runtime drops, as one problem with their number.
#[derive(Debug, Default)]
pub(super) struct Strays(Option<(Diagnostic, usize)>);

impl Strays {
    /// Adds a line. `unindented` is the first line of a block scalar whose second line this may be.
    pub(super) fn line(&mut self, span: Span, line: &[u8], unindented: Option<String>) {
        if let Some((problem, lines)) = &mut self.0 {
            problem.span = problem.span.cover(span);
            *lines += 1;
            return;
        }
        let problem = match unindented {
            Some(first) => {
                let message = format!("a line below {first} is not indented, so it is not part of it");
                let problem = Diagnostic::new(Code::CaretStrayLine, span, message);
                problem.help("indent the lines of the value").with_severity(Severity::Error)
            }
            None => reason(span, &String::from_utf8_lossy(&line[trim(line)])),
        };
        self.0 = Some((problem, 1));
    }

    /// Ends the run of dropped lines; returns its problem.
    pub(super) fn end(&mut self) -> Option<Diagnostic> {
        let (problem, lines) = self.0.take()?;
        let dropped = if lines == 1 { "the line is dropped".to_owned() } else { format!("{lines} lines are dropped") };
        Some(Diagnostic { message: format!("{}: {dropped}", problem.message), ..problem })
    }
}

/// The problem of a dropped line, with its probable intention.
fn reason(span: Span, text: &str) -> Diagnostic {
    let is_key = |key: &str| !key.is_empty() && !key.contains(char::is_whitespace);
    let problem = |message: &str| Diagnostic::new(Code::CaretStrayLine, span, message);
    let lost = |message: String, help: String| problem(&message).help(help).with_severity(Severity::Error);
    let odd = |message: &str, help: &str| problem(message).help(help);
    if let Some(key) = text.strip_suffix("---") {
        let key = key.trim_end();
        if let Some(key) = key.strip_suffix(':').map(str::trim_end).filter(|key| is_key(key)) {
            return lost(
                format!("{key}: --- does not begin a value"),
                format!("write it without the colon: {key} ---"),
            );
        }
        if is_key(key) && !text.contains(' ') {
            return lost(
                format!("{text} does not begin a value"),
                format!("write a space before the dashes: {key} ---"),
            );
        }
        if is_key(key) {
            let message = format!("{text} does not begin a value: {key} may have only letters, digits and _");
            return lost(message, "write such a key as key: value".into());
        }
    }
    if text.strip_prefix("--- ").is_some_and(|key| is_key(key.trim())) {
        return odd(&format!("{text} ends nothing"), "remove it, or look above for the line that begins the value");
    }
    match text {
        "[" => odd("a bracket without a key", "write the bracket after the key: key: ["),
        "]" | "]," => odd("unmatched closing bracket", "begin an array with key: [ and nothing after the bracket"),
        _ if text.starts_with(':') => odd("a parameter without a key", "write key: value"),
        _ if text.contains('：') => odd("a full-width colon is not a colon", "write key: value"),
        _ if text.starts_with("- ") => odd("a list without a key", "write key: [ above the items and ] below them"),
        _ => problem("no parameter"),
    }
}
