//! The part of a text that is read to try repairs of a problem, so that the cost of a trial depends on the size of the
//! call.

use crate::diagnostic::{Code, Diagnostic};
use crate::session::Session;
use crate::text::Span;

/// Bytes of prose around a problem that are read with it.
const AROUND: usize = 1 << 10;

/// Bytes of prose after a call that are read with it, since they may contain parts of the call.
const FURTHER: usize = 64 << 10;

/// Bytes in which the ends of a line are searched for first.
const STEP: usize = 128;

/// A part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// The part that is read: whole lines, unless they are long.
    pub(super) span: Span,
    /// Problems before this offset appear as in the whole text; later ones lack the text after them.
    pub(super) core: usize,
}

/// The text around a problem: its call with the prose after it, or some prose, and a call directly after that.
pub(super) fn around(session: &Session, problem: &Diagnostic) -> Window {
    let (document, length) = (session.document(), session.text().len());
    let Some(item) = problem.item.or_else(|| document.item_at(problem.span.start)) else {
        return Window { span: Span::new(0, length), core: length };
    };
    let span = |item| document.items().span(item);
    let own = span(item).unwrap_or_default();
    let (mut start, mut end) = (own.start.min(problem.span.start), own.end.max(problem.span.end));
    if document.call(item).is_none() {
        start = start.max(problem.span.start.saturating_sub(AROUND));
        end = end.min(problem.span.end + AROUND);
    }
    let mut core = end;
    match span(item + 1).filter(|next| next.start == end) {
        // It may be the reason why this one ends.
        Some(next) if document.call(item + 1).is_some() => end = next.end,
        Some(prose) => {
            end = prose.end.min(end + FURTHER);
            core = end;
        }
        None => {}
    }
    // Only lines of this call, or with prose before it. If the window would end inside an item, it is extended to the
    // line end.
    let lead = match item.checked_sub(1) {
        Some(before) if document.call(before).is_some() => span(before).map_or(0, |before| before.end),
        _ => start.saturating_sub(AROUND),
    };
    let is_cut = document.item_at(end).and_then(span).is_some_and(|item| item.start < end && end < item.end);
    let tail = if is_cut { line_of(session, end).end.min(end + AROUND) } else { end };
    // The other half of a wrapper may be in the line before the call, cut.
    let first = start.saturating_sub(usize::from(problem.code == Code::HalfWrapped));
    let span = Span::new(line_of(session, first).start.max(lead.min(start)), tail.min(length));
    Window { span, core: if core == end { span.end } else { core } }
}

/// The line at an offset, with its line feed. The cost depends on the length of the line.
pub(super) fn line_of(session: &Session, offset: usize) -> Span {
    let text = session.text();
    let offset = offset.min(text.len());
    let (mut start, mut end, mut step) = (offset, offset, STEP);
    loop {
        let from = start.saturating_sub(step);
        let feed = memchr::memrchr(b'\n', &text.read(Span::new(from, start)));
        start = feed.map_or(from, |feed| from + feed + 1);
        if feed.is_some() || from == 0 {
            break;
        }
        step *= 2;
    }
    step = STEP;
    loop {
        let to = (end + step).min(text.len());
        let feed = memchr::memchr(b'\n', &text.read(Span::new(end, to)));
        end = feed.map_or(to, |feed| end + feed + 1);
        if feed.is_some() || to == text.len() {
            return Span::new(start, end);
        }
        step *= 2;
    }
}

/// Finds `problem` of the whole text among the problems of a part, which are sorted. The remedy has to be the same,
/// since it may depend on other calls.
pub(super) fn find_shown<'a>(shown: &'a [Diagnostic], start: usize, problem: &Diagnostic) -> Option<&'a Diagnostic> {
    let from = shown.partition_point(|shown| start + shown.span.start < problem.span.start);
    let mut there = shown[from..].iter().take_while(|shown| start + shown.span.start == problem.span.start);
    there.find(|shown| is_same(shown, start, problem))
}

fn is_same(shown: &Diagnostic, start: usize, problem: &Diagnostic) -> bool {
    let moved = |span: Span| Span::new(start + span.start, start + span.end);
    let remedy = shown.remedy.as_ref().map(|edit| (moved(edit.span), &edit.with));
    let known = problem.remedy.as_ref().map(|edit| (edit.span, &edit.with));
    shown.kind() == problem.kind() && moved(shown.span) == problem.span && remedy == known
}
