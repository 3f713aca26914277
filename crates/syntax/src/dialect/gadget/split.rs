//! Splits the body of a call into arguments, and reports problems with its beginning and end.
//!
//! The body is trimmed, freed of a code fence, and split at the argument markers; each part is a pointer line and a
//! value that loses one final line feed (reference runtime). Trees are built elsewhere.

use memchr::{memchr, memmem};

use super::{Marker, Markers};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{CallParts, Status};
use crate::text::window::Window;
use crate::text::{Span, Text, trim, trim_end, trim_start};
use crate::value::{Argument, coerce};

/// Bytes at either end of a body that usually suffice to find its content.
const EDGE: usize = 256;

/// Bytes of a line that usually suffice for a pointer.
const LINE: usize = 1024;

/// Bounds of a body's content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    start: usize,
    /// End of the content, after trimming and cutting the fence.
    end: usize,
    /// The closing fence that is cut off, if any.
    fence: Option<Span>,
}

/// Finds the arguments of a body, reading no more of it than needed.
pub(super) fn split(
    text: &Text,
    window: &mut Window<'_>,
    parts: CallParts<'_>,
    markers: &Markers,
    arguments: &mut Vec<Argument>,
) -> Content {
    let content = content(window, parts, EDGE).or_else(|| content(window, parts, usize::MAX));
    let content = content.unwrap_or(Content { start: parts.body.start, end: parts.body.end, fence: None });
    let length = markers.argument.len();
    arguments.clear();
    let offsets = parts.arguments.iter().map(|&offset| parts.start + offset as usize);
    if parts.arguments.first().is_some_and(|&first| parts.start + (first as usize) < content.start) {
        // Trimming has removed a part of the first marker; another marker may begin in the rest of it.
        let bytes = text.read(Span::new(content.start, content.end));
        let starts = memmem::find_iter(&bytes, &markers.argument).map(|at| content.start + at);
        arguments.extend(starts.map(|start| Argument::marked(Span::new(start, start + length))));
    } else {
        let markers = offsets.map(|start| Span::new(start, start + length));
        arguments.extend(markers.take_while(|marker| marker.end <= content.end).map(Argument::marked));
    }
    for number in 0..arguments.len() {
        let end = arguments.get(number + 1).map_or(content.end, |next| next.marker.start);
        let piece = Span::new(arguments[number].marker.end, end);
        let head = window.read(Span::new(piece.start, piece.end.min(piece.start + LINE)));
        let (line, value) = if let Some(feed) = memchr(b'\n', head) {
            (trim(&head[..feed], piece.start), piece.start + feed + 1)
        } else {
            let feed = text.find(b'\n', Span::new(piece.start + head.len(), piece.end));
            let line = Span::new(piece.start, feed.unwrap_or(piece.end));
            (trim(&text.read(line), line.start), feed.map_or(piece.end, |feed| feed + 1))
        };
        let has_feed = value < piece.end && window.read(Span::new(piece.end - 1, piece.end)) == b"\n";
        arguments[number].pointer = line;
        arguments[number].value = Span::new(value, piece.end - usize::from(has_feed));
    }
    content
}

/// The bounds of a body's content, if `edge` bytes at either end suffice to determine them.
fn content(window: &mut Window<'_>, parts: CallParts<'_>, edge: usize) -> Option<Content> {
    let body = parts.body;
    let is_whole = body.len() <= edge;
    let head = window.read(Span::new(body.start, body.start + body.len().min(edge)));
    let (start, looked) = match head.first() {
        Some(first) if first.is_ascii_graphic() && *first != b'`' => (0, 0),
        _ if is_whole && parts.status != Status::Open => content_start(&head[..trim_end(head)]),
        _ => content_start(head),
    };
    let tail = Span::new(body.end - body.len().min(edge), body.end);
    let (end, fence) = match parts.status {
        Status::Open => (tail.len(), None),
        _ => content_end(window.read(tail)),
    };
    let fence = fence.map(|(from, to)| Span::new(tail.start + from, tail.start + to));
    let is_sure = is_whole || (looked + LONGEST_BLANK < edge && end > LONGEST_BLANK);
    is_sure.then_some(Content { start: body.start + start, end: tail.start + end, fence })
}

/// Length of the longest whitespace character in bytes.
const LONGEST_BLANK: usize = 3;

/// End of a body's content, and the closing fence that is cut off.
fn content_end(body: &[u8]) -> (usize, Option<(usize, usize)>) {
    let trimmed = trim_end(body);
    let Some(rest) = body[..trimmed].strip_suffix(b"```") else { return (trimmed, None) };
    let cut = rest.strip_suffix(b"\n").unwrap_or(rest);
    (trim_end(cut), Some((rest.len(), trimmed)))
}

/// Beginning of a body's content, after whitespace and the line of an opening code fence; and the number of bytes
/// needed to determine it.
fn content_start(body: &[u8]) -> (usize, usize) {
    let start = trim_start(body);
    let Some(rest) = body[start..].strip_prefix(b"```") else { return (start, start + 2) };
    let word = rest.get(..4).unwrap_or_default();
    let is_language = [b"toml", b"yaml", b"json"].iter().any(|name| word.eq_ignore_ascii_case(*name));
    let language = if is_language { word.len() } else { 0 };
    let blank = trim_start(&rest[language..]);
    let looked = body.len() - rest.len() + language + blank;
    match memchr(b'\n', &rest[language..language + blank]) {
        Some(_) => (looked, looked),
        None => (start, looked + 4),
    }
}

/// Problems with the beginning and the end of a body.
pub(super) fn judge(
    text: &Text,
    parts: CallParts<'_>,
    content: Content,
    arguments: &[Argument],
    markers: &Markers,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    problems.extend(overlaps(text, parts, arguments, markers));
    problems.extend(prelude(text, parts, arguments, markers));
    problems.extend(fence_cut(text, parts, content, arguments));
    judge_end(text, parts, arguments.last(), markers, &mut problems);
    problems
}

/// Other markers that match where the start marker or an argument marker was matched.
fn overlaps<'a>(
    text: &'a Text,
    parts: CallParts<'_>,
    arguments: &'a [Argument],
    markers: &'a Markers,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let start = Span::new(parts.start, parts.body.start);
    let lines = arguments.iter().map(|argument| (Marker::Argument, argument.marker.cover(argument.pointer)));
    let taken = std::iter::once((Marker::Start, start)).chain(lines).take_while(|_| markers.overlaps);
    taken.filter_map(|(marker, line)| markers.overlap_problem(marker, line.start, &text.read(line)))
}

/// Maximum length, in bytes, of a last value that is searched for trailing prose; in a longer value a final paragraph
/// proves nothing.
const MAX_SEARCHED: usize = 1024 * 1024;

/// Reports problems with the end of a call.
fn judge_end(
    text: &Text,
    parts: CallParts<'_>,
    last: Option<&Argument>,
    markers: &Markers,
    problems: &mut Vec<Diagnostic>,
) {
    let (code, what) = match parts.status {
        Status::Open | Status::Complete => return,
        Status::Implicit => (Code::ImplicitEnd, ("before the next call", "the next start marker")),
        Status::Unterminated => (Code::UnterminatedCall, ("before the end of the text", "the end of the text")),
    };
    let header = Span::new(parts.start, parts.body.start.saturating_sub(1));
    let message = format!("no {} {}", markers.end, what.0);
    problems.push(Diagnostic::new(code, header, message).contrast(&*markers.end, what.1));
    let Some(last) = last.filter(|last| last.value.len() <= MAX_SEARCHED) else { return };
    let value = text.read(last.value);
    if let Some(start) = swallowed(&value) {
        let span = trim(&value[start..], last.value.start + start);
        let message = format!("this prose is part of the value of {}", text.read_str(last.pointer));
        let problem = Diagnostic::new(Code::SwallowedText, span, message);
        problems.push(problem.related(header, format!("this call has no {}", markers.end)));
    }
}

/// Reports text before the first argument, which the runtime ignores.
fn prelude(text: &Text, parts: CallParts<'_>, arguments: &[Argument], markers: &Markers) -> Option<Diagnostic> {
    let end = arguments.first().map_or(parts.body.end, |argument| argument.marker.start);
    if end == parts.body.start {
        return None;
    }
    let front = text.read(Span::new(parts.body.start, end));
    let marks = if arguments.is_empty() { 0 } else { markers.marks_before(Marker::Argument, &front) };
    let place = trim(&front[..front.len() - marks], parts.body.start);
    let bytes = &front[place.start - parts.body.start..place.end - parts.body.start];
    let first_line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if bytes.is_empty() || (bytes.starts_with(b"```") && bytes.len() == first_line.len()) {
        return None;
    }
    let line = Span::new(place.start, place.start + trim_end(first_line));
    let blank = trim_start(markers.argument.as_bytes());
    if blank > 0 && bytes.starts_with(&markers.argument.as_bytes()[blank..]) {
        let message = "the first argument is ignored: trimming the body removes the white space of its marker";
        let problem = Diagnostic::new(Code::NoArguments, line, message)
            .contrast(format!("{:?}", markers.argument), format!("{:?}", &markers.argument[blank..]));
        return Some(problem.help("choose an argument marker that does not begin with white space"));
    }
    if !arguments.is_empty() {
        let mut problem = Diagnostic::new(Code::NoArguments, line, "the text before the first argument is ignored");
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

/// Reports a closing fence that was cut from the last value instead of from around the body.
fn fence_cut(text: &Text, parts: CallParts<'_>, content: Content, arguments: &[Argument]) -> Option<Diagnostic> {
    let (fence, first, last) = (content.fence?, arguments.first()?, arguments.last()?);
    let front = text.read(Span::new(parts.body.start, first.marker.start));
    if front.trim_ascii_start().starts_with(b"```") {
        return None;
    }
    let message = format!("the closing fence of {} is cut off", text.read_str(last.pointer));
    Some(Diagnostic::new(Code::FenceCut, fence, message))
}

/// Offset in a last value at which unrelated prose seems to begin.
///
/// Heuristic by paragraphs: prose after text that is not prose. A value that starts with prose, or is a Markdown
/// document, is not reported.
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

/// True if a paragraph looks like a sentence.
fn is_prose(paragraph: &str) -> bool {
    let paragraph = paragraph.trim_end();
    let capital = paragraph.starts_with(|c: char| c.is_uppercase());
    let ended = paragraph.ends_with(['.', ':', '!', '?', '…', '`', ')', '"']);
    capital && ended && paragraph.split_whitespace().count() >= 3 && !paragraph.contains(['{', '}', ';'])
}
