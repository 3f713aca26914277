//! Calls about which there is nothing to say, recognised without taking them apart.
//!
//! Looks at the pointers, and at the beginning and the end of each value, so that no length of a value matters. What
//! it is not sure of is taken apart. This module does not know what may be said of the others.

use memchr::memchr;

use super::Markers;
use crate::dialect::{Parts, Status};
use crate::params::pointer::plain::{Pointers, VALUE_HEAD, Value};
use crate::text::window::Window;
use crate::text::{Span, Text, trim_end};

/// Bytes of a pointer line that are looked at.
const LINE: usize = 1024;

/// Bytes at either end of a body in which its content must begin and end.
const EDGE: usize = 256;

/// Whether the runtime surely takes the call, and nothing in it is a problem.
pub(super) fn is_flawless(text: &Text, parts: Parts<'_>, markers: &Markers, pointers: &mut Pointers) -> bool {
    if parts.status != Status::Complete {
        return false;
    }
    let mut window = Window::new(text);
    let length = markers.argument.len();
    let first = parts.arguments.first().map_or(parts.body.end, |&offset| parts.start + offset as usize);
    if first - parts.body.start > EDGE || !window.read(Span::new(parts.body.start, first)).trim_ascii().is_empty() {
        return false;
    }
    let Some((&last, _)) = parts.arguments.split_last() else { return true };
    let last = parts.start + last as usize;
    let Some(end) = content_end(&mut window, Span::new(last + length, parts.body.end)) else { return false };
    pointers.begin();
    for (index, &offset) in parts.arguments.iter().enumerate() {
        let start = parts.start + offset as usize + length;
        let next = parts.arguments.get(index + 1).map(|&offset| parts.start + offset as usize);
        let piece = Span::new(start, next.unwrap_or(end));
        let head = window.read(Span::new(start, piece.end.min(start + LINE)));
        let Some(feed) = memchr(b'\n', head) else { return false };
        if !pointers.add(without_blanks(&head[..feed])) {
            return false;
        }
        let value = start + feed + 1;
        if !is_plain(&mut window, Span::new(value, piece.end), next.is_none()) {
            return false;
        }
    }
    true
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

/// Whether there is nothing to be said about the value in `span`, which loses a line feed at its end.
fn is_plain(window: &mut Window<'_>, span: Span, is_last: bool) -> bool {
    let tail = window.read(Span::new(span.start.max(span.end.saturating_sub(2)), span.end));
    let (feed, rest) = tail.strip_suffix(b"\n").map_or((0, tail), |rest| (1, rest));
    let last = rest.last().copied();
    let length = span.len() - feed;
    let head = window.read(Span::new(span.start, span.start + length.min(VALUE_HEAD)));
    Value { head, last, is_whole: length <= VALUE_HEAD, is_last }.is_plain()
}
