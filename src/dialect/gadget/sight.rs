//! Calls of which all that can be said is seen without taking them apart: mostly nothing.
//!
//! Looks at the pointers, and at the beginning and the end of each value, so that no length of a value matters. What
//! it is not sure of is taken apart. This module does not know what may be said of the others.

use memchr::memchr;

use super::{Markers, split};
use crate::diagnostic::Diagnostic;
use crate::dialect::{CallParts, Status};
use crate::params::pointer::plain::{Pointers, VALUE_HEAD, Value};
use crate::text::window::Window;
use crate::text::{Span, Text, trim, trim_end};

/// Bytes of a pointer line that are looked at.
const LINE: usize = 1024;

/// Bytes at either end of a body in which its content must begin and end.
const EDGE: usize = 256;

/// The problems in a call that the runtime surely takes and whose tree is sound; `None` where it is not sure of that.
pub(super) fn judge(
    text: &Text,
    parts: CallParts<'_>,
    markers: &Markers,
    pointers: &mut Pointers,
) -> Option<Vec<Diagnostic>> {
    if parts.status == Status::Open {
        return None;
    }
    let Sound { last } = sound(text, parts, markers, pointers)?;
    if parts.status == Status::Complete {
        return Some(Vec::new());
    }
    // What would not be searched need not be read.
    let last = last.filter(|last| last.value.len() <= split::MAX_SEARCHED);
    let read = last.map(|last| (text.read(last.pointer), text.read(last.value), last.value.start));
    let last = read.as_ref().map(|(pointer, value, start)| split::Last { pointer, value, start: *start });
    Some(split::judge_end(parts, last, markers))
}

/// The arguments of a call about which there is nothing to say.
struct Sound {
    /// The last one, if there is one.
    last: Option<Place>,
}

/// Where an argument lies.
struct Place {
    pointer: Span,
    value: Span,
}

/// What there is to know of a call whose arguments are sound; `None` where it is not sure of that.
fn sound(text: &Text, parts: CallParts<'_>, markers: &Markers, pointers: &mut Pointers) -> Option<Sound> {
    let mut window = Window::new(text);
    if split::may_be_trimmed(&markers.argument) {
        return None;
    }
    let length = markers.argument.len();
    let first = parts.arguments.first().map_or(parts.body.end, |&offset| parts.start + offset as usize);
    if first - parts.body.start > EDGE || !window.read(Span::new(parts.body.start, first)).trim_ascii().is_empty() {
        return None;
    }
    let Some(&last) = parts.arguments.last() else { return Some(Sound { last: None }) };
    let last = parts.start + last as usize;
    // A marker in which the body ends is none.
    if last + length > parts.body.end {
        return None;
    }
    let end = content_end(&mut window, Span::new(last + length, parts.body.end))?;
    pointers.begin();
    let mut last_place = None;
    for (index, &offset) in parts.arguments.iter().enumerate() {
        let start = parts.start + offset as usize + length;
        let next = parts.arguments.get(index + 1).map(|&offset| parts.start + offset as usize);
        let piece = Span::new(start, next.unwrap_or(end));
        let head = window.read(Span::new(start, piece.end.min(start + LINE)));
        let feed = memchr(b'\n', head)?;
        if !pointers.add(without_blanks(&head[..feed])) {
            return None;
        }
        let pointer = if next.is_none() { trim(&head[..feed], start) } else { Span::default() };
        let value = is_plain(&mut window, Span::new(start + feed + 1, piece.end), next.is_none())?;
        last_place = Some(Place { pointer, value });
    }
    Some(Sound { last: last_place })
}

/// Where the content of a body ends whose last argument reaches over `span`; `None` where a fence may be cut off.
fn content_end(window: &mut Window<'_>, span: Span) -> Option<usize> {
    let from = span.start.max(span.end.saturating_sub(EDGE));
    let tail = window.read(Span::new(from, span.end));
    let kept = trim_end(tail);
    (kept > 0 && !tail[..kept].ends_with(b"`")).then_some(from + kept)
}

fn without_blanks(line: &[u8]) -> &[u8] {
    let start = line.iter().take_while(|&&byte| byte == b' ').count();
    let end = line.iter().rev().take_while(|&&byte| byte == b' ').count();
    line.get(start..line.len() - end).unwrap_or_default()
}

/// What is left of the value in `span`, which loses a line feed at its end, if there is nothing to be said about it.
fn is_plain(window: &mut Window<'_>, span: Span, is_last: bool) -> Option<Span> {
    let tail = window.read(Span::new(span.start.max(span.end.saturating_sub(2)), span.end));
    let (feed, rest) = tail.strip_suffix(b"\n").map_or((0, tail), |rest| (1, rest));
    let last = rest.last().copied();
    let length = span.len() - feed;
    let head = window.read(Span::new(span.start, span.start + length.min(VALUE_HEAD)));
    let value = Value { head, last, is_whole: length <= VALUE_HEAD, is_last };
    value.is_plain().then(|| Span::new(span.start, span.start + length))
}
