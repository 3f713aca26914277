//! The body of a call: where its arguments lie, and what is odd about its ends.
//!
//! The body is trimmed and freed of a code fence, then split at the argument markers; each piece is a pointer line and
//! a value that loses one line feed at its end (reference runtime). This module does not build trees.

use memchr::{memchr, memmem};

use super::Markers;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{CallParts, Status, hidden_characters};
use crate::params::{Argument, coerce};
use crate::text::{Span, trim, trim_end, trim_start};

/// The arguments of a body, whose bytes are given.
pub(super) fn split(body: &[u8], parts: CallParts<'_>, markers: &Markers) -> Vec<Argument> {
    let base = parts.body.start;
    let content = match parts.status {
        Status::Open => content_start(body)..body.len(),
        _ => content_start(&body[..trim_end(body)])..ends(body).content,
    };
    let length = markers.argument.len();
    let mut starts: Vec<usize> = parts.arguments.iter().map(|&offset| parts.start + offset as usize - base).collect();
    if starts.first().is_some_and(|&first| first < content.start) {
        // Of the marker that stood there a part is trimmed away, and another one may begin in the rest of it.
        let bytes = body.get(content.clone()).unwrap_or_default();
        starts = memmem::find_iter(bytes, &markers.argument).map(|at| content.start + at).collect();
    }
    starts.retain(|start| start + length <= content.end);
    let pieces = starts.iter().enumerate().map(|(index, &start)| {
        let piece = start + length..starts.get(index + 1).copied().unwrap_or(content.end);
        let bytes = &body[piece.clone()];
        let (pointer, value) = match memchr(b'\n', bytes) {
            Some(feed) => (piece.start..piece.start + feed, piece.start + feed + 1..piece.end),
            None => (piece.clone(), piece.end..piece.end),
        };
        let value_end = value.end - usize::from(body[value.clone()].ends_with(b"\n"));
        Argument {
            marker: Span::new(base + start, base + start + length),
            pointer: trim(&body[pointer.clone()], base + pointer.start),
            value: Span::new(base + value.start, base + value_end),
        }
    });
    pieces.collect()
}

/// Where the content of a body ends.
struct Ends {
    /// Behind the content, after trimming and cutting the fence.
    content: usize,
    /// The closing fence that is cut, if there is one.
    fence: Option<(usize, usize)>,
}

fn ends(body: &[u8]) -> Ends {
    let trimmed = trim_end(body);
    let Some(rest) = body[..trimmed].strip_suffix(b"```") else {
        return Ends { content: trimmed, fence: None };
    };
    let cut = rest.strip_suffix(b"\n").unwrap_or(rest);
    Ends { content: trim_end(cut), fence: Some((rest.len(), trimmed)) }
}

/// Where the content of a body begins, behind white space and the line of an opening code fence.
fn content_start(body: &[u8]) -> usize {
    let start = trim_start(body);
    let Some(rest) = body[start..].strip_prefix(b"```") else { return start };
    let word = rest.get(..4).unwrap_or_default();
    let is_language = [b"toml", b"yaml", b"json"].iter().any(|name| word.eq_ignore_ascii_case(*name));
    let language = if is_language { word.len() } else { 0 };
    let blank = trim_start(&rest[language..]);
    match memchr(b'\n', &rest[language..language + blank]) {
        Some(_) => body.len() - rest.len() + language + blank,
        None => start,
    }
}

/// Whether an argument marker may be trimmed away with a body, or cut off with its code fence.
pub(super) fn may_be_trimmed(marker: &str) -> bool {
    trim(marker.as_bytes(), 0).len() < marker.len() || marker.starts_with('`')
}

/// What is odd about the beginning and the end of a body.
pub(super) fn judge(body: &[u8], parts: CallParts<'_>, arguments: &[Argument], markers: &Markers) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    problems.extend(prelude(body, parts, arguments, markers));
    problems.extend(fence_cut(body, parts, arguments));
    for argument in arguments {
        let pointer = &body[argument.pointer.start - parts.body.start..argument.pointer.end - parts.body.start];
        problems.extend(hidden_characters(&String::from_utf8_lossy(pointer), argument.pointer, "the pointer"));
    }
    let last = arguments.last().map(|last| Last {
        pointer: &body[last.pointer.start - parts.body.start..last.pointer.end - parts.body.start],
        value: &body[last.value.start - parts.body.start..last.value.end - parts.body.start],
        start: last.value.start,
    });
    problems.extend(judge_end(parts, last, markers));
    problems
}

/// Longest last value that is searched for prose that was not meant for it, in bytes: where a value is longer, there is
/// no telling by a paragraph at its end.
pub(super) const MAX_SEARCHED: usize = 1024 * 1024;

/// The last argument of a call.
pub(super) struct Last<'a> {
    pub(super) pointer: &'a [u8],
    pub(super) value: &'a [u8],
    /// Offset of the value.
    pub(super) start: usize,
}

/// What is odd about the end of a call.
pub(super) fn judge_end(parts: CallParts<'_>, last: Option<Last<'_>>, markers: &Markers) -> Vec<Diagnostic> {
    let (code, what) = match parts.status {
        Status::Open | Status::Complete => return Vec::new(),
        Status::Implicit => (Code::ImplicitEnd, ("before the next call", "the next start marker")),
        Status::Unterminated => (Code::UnterminatedCall, ("before the end of the text", "the end of the text")),
    };
    let header = Span::new(parts.start, parts.body.start.saturating_sub(1));
    let message = format!("no {} {}", markers.end, what.0);
    let mut problems = vec![Diagnostic::new(code, header, message).contrast(&*markers.end, what.1)];
    if let Some(last) = last.filter(|last| last.value.len() <= MAX_SEARCHED)
        && let Some(start) = swallowed(last.value)
    {
        let span = trim(&last.value[start..], last.start + start);
        let message = format!("this prose is part of the value of {}", String::from_utf8_lossy(last.pointer));
        let problem = Diagnostic::new(Code::SwallowedText, span, message);
        problems.push(problem.related(header, format!("this call has no {}", markers.end)));
    }
    problems
}

/// Text in front of the first argument, which the runtime ignores.
fn prelude(body: &[u8], parts: CallParts<'_>, arguments: &[Argument], markers: &Markers) -> Option<Diagnostic> {
    let base = parts.body.start;
    let end = arguments.first().map_or(body.len(), |argument| argument.marker.start - base);
    let text = trim(&body[..end], base);
    let bytes = &body[text.start - base..text.end - base];
    let first_line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if bytes.is_empty() || (bytes.starts_with(b"```") && bytes.len() == first_line.len()) {
        return None;
    }
    let line = Span::new(text.start, text.start + trim_end(first_line));
    let blank = trim_start(markers.argument.as_bytes());
    if blank > 0 && bytes.starts_with(&markers.argument.as_bytes()[blank..]) {
        let message = "the first argument is ignored: a body is trimmed, and with it the white space of its marker";
        let problem = Diagnostic::new(Code::NoArguments, line, message)
            .contrast(format!("{:?}", markers.argument), format!("{:?}", &markers.argument[blank..]));
        return Some(problem.help("choose an argument marker that does not begin with white space"));
    }
    if !arguments.is_empty() {
        let mut problem =
            Diagnostic::new(Code::NoArguments, line, "the text in front of the first argument is ignored");
        problem.severity = Severity::Warning;
        return Some(problem);
    }
    let kind = match bytes[trim_start(bytes)] {
        b'{' | b'[' => "JSON",
        _ if memchr(b':', first_line).is_some() => "key: value lines",
        _ => "text",
    };
    let message = format!("the body holds {kind} but no argument: the call has no parameters");
    Some(Diagnostic::new(Code::NoArguments, line, message).contrast("an argument marker", kind))
}

/// A closing fence that was cut from the last value rather than from around the body.
fn fence_cut(body: &[u8], parts: CallParts<'_>, arguments: &[Argument]) -> Option<Diagnostic> {
    let fence = ends(body).fence.filter(|_| parts.status != Status::Open)?;
    let last = arguments.last()?;
    let base = parts.body.start;
    let opened_before = body[..arguments[0].marker.start - base].trim_ascii_start().starts_with(b"```");
    if opened_before {
        return None;
    }
    let span = Span::new(base + fence.0, base + fence.1);
    let pointer = &body[last.pointer.start - base..last.pointer.end - base];
    let message = format!("the closing fence of {} is cut off", String::from_utf8_lossy(pointer));
    Some(Diagnostic::new(Code::FenceCut, span, message))
}

/// Offset in a last value at which prose seems to begin that was not meant for it.
///
/// Judged by paragraphs: prose that follows something that is not prose. A value that is prose from its beginning, or
/// a Markdown document, is left alone.
fn swallowed(value: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(value).ok()?;
    let first = text.lines().next()?;
    if is_prose(first) || first.starts_with(['#', '-', '*', '>', '|']) {
        return None;
    }
    let mut start = None;
    let mut at = text.len();
    for paragraph in text.rsplit("\n\n") {
        at -= paragraph.len();
        if at == 0 {
            break;
        }
        if !paragraph.trim().is_empty() {
            if !is_prose(paragraph) {
                break;
            }
            start = Some(at);
        }
        at -= 2;
    }
    let short = !matches!(coerce::coerce(first.as_bytes()), coerce::Scalar::String) || !first.contains([' ', '{', ';']);
    let rest = text.get(first.len() + 1..).filter(|rest| !rest.trim().is_empty());
    start.or_else(|| rest.filter(|rest| short && is_prose(rest)).map(|_| first.len() + 1))
}

/// Whether a paragraph reads like a sentence to a person.
fn is_prose(paragraph: &str) -> bool {
    let paragraph = paragraph.trim_end();
    let capital = paragraph.starts_with(|c: char| c.is_uppercase());
    let ended = paragraph.ends_with(['.', ':', '!', '?', '…', '`', ')', '"']);
    capital && ended && paragraph.split_whitespace().count() >= 3 && !paragraph.contains(['{', '}', ';'])
}
