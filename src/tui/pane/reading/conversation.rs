//! Rows of a recorded conversation in the reading pane: who speaks, what came of a call, what the model thought.
//!
//! This module does not know how rows are drawn, or where they stand among others.

use crate::document::{Aside, CallResult, MatchedBy};
use crate::text::wrap::{Wrap, wrap};
use crate::text::{Span, trim_end, trim_start};

use crate::tui::action::PaneId;
use crate::tui::pane::reading::{PREVIEW, Reading, whole_lines};
use crate::tui::row::{Excerpt, LINE, Piece, Row, Target, count, size, speaker_role, verdict_role};
use crate::tui::style::Role;
use crate::tui::view::View;

/// Bytes in which the lines of a folded piece are counted.
const COUNTED: usize = 1 << 20;

/// The heading of the message that begins with an item; nothing where none does, and where the file knows no messages.
pub(super) fn heading(view: &View, item: usize) -> Vec<Row> {
    let document = view.session.document();
    if !view.session.is_decoded() {
        return Vec::new();
    }
    let Some(start) = document.items().span(item).map(|span| span.start) else { return Vec::new() };
    let number = document.message_at(start);
    if document.messages().start(number) != Some(start) || document.items_before(start) != item {
        return Vec::new();
    }
    let Some(message) = document.messages().get(number) else { return Vec::new() };
    let mut lead = vec![Piece::new("── ", Role::Border), Piece::new(message.speaker(), speaker_role(&message))];
    for detail in message.details() {
        lead.push(Piece::new(format!(" · {detail}"), Role::Dim));
    }
    if document.is_abandoned(number) {
        lead.push(Piece::new(" · abandoned", Role::Warning));
    }
    let note = message.when().map(|time| Piece::new(time, Role::Dim)).into_iter().collect();
    let target = Target { item, node: None, offset: start, problem: None };
    vec![Row { lead, note, is_heading: true, ..Row::default() }.to(target), Row::default()]
}

/// What stands for the messages that are not shown, where the first of them begins.
pub(super) fn hidden(view: &View, item: usize) -> Vec<Row> {
    let document = view.session.document();
    let Some(start) = document.items().span(item).map(|span| span.start) else { return Vec::new() };
    let number = document.message_at(start);
    let follows = number.checked_sub(1).is_some_and(|before| document.is_abandoned(before));
    if follows || document.items_before(start) != item {
        return Vec::new();
    }
    let many = (number..document.messages().len()).take_while(|&number| document.is_abandoned(number)).count();
    let verb = if many == 1 { "was" } else { "were" };
    let words = format!("┄┄ {} {verb} abandoned here; B shows what was said", count(many, "message"));
    vec![Row::words(vec![Piece::new(words, Role::Dim)]), Row::default()]
}

/// The rows of a part of a result.
pub(super) fn answer(pane: &Reading, view: &View, item: usize, part: Span, found: &CallResult<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    if part.start == found.span.start {
        let text = view.session.text();
        let call = found.call.and_then(|(item, _)| view.session.document().call(item));
        let mut lead = vec![Piece::new("⇒ ", verdict_role(found.verdict))];
        if let Some(call) = &call {
            lead.push(Piece::new(call.name(text), Role::Name));
            lead.push(Piece::new("  ", Role::Text));
        }
        let id = found.id.map(|id| id.text(text)).or_else(|| Some(call?.id(text))).unwrap_or_default();
        lead.push(Piece::new(id, Role::Id));
        let ground = match found.call {
            None if found.again.is_some() => Some(("answered before", Role::Warning)),
            None => Some(("no such call", Role::Warning)),
            Some((_, MatchedBy::Order)) => Some(("by order", Role::Dim)),
            Some((_, MatchedBy::Id)) => None,
        };
        let note = match (found.verdict.words(), ground) {
            ("", ground) => ground.map(|(words, role)| Piece::new(words, role)),
            (words, _) => Some(Piece::new(words, Role::Error)),
        };
        let target = Target { item, node: None, offset: found.span.start, problem: None };
        rows.push(Row { lead, note: note.into_iter().collect(), ..Row::default() }.to(target));
    }
    let open = pane.is_piece_open(item);
    body(view, item, [part, found.span], Role::Text, if open { usize::MAX } else { PREVIEW }, &mut rows);
    rows
}

/// The rows of a part of what the model thought, or of a record.
pub(super) fn aside(pane: &Reading, view: &View, item: usize, part: Span, found: &Aside<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let open = pane.is_piece_open(item);
    if part.start == found.span.start {
        let sign = if open { "▾ " } else { "▸ " };
        let (words, sign) = match found.name {
            None => ("reasoning", "∴ "),
            Some(name) => (name, sign),
        };
        let lead = vec![Piece::new(sign, Role::Gutter), Piece::new(words, Role::Dim)];
        let note = vec![Piece::new(size(found.span.len()), Role::Dim)];
        let target = Target { item, node: None, offset: found.span.start, problem: None };
        rows.push(Row { lead, note, ..Row::default() }.to(target));
    }
    let shown = if found.name.is_some() { 0 } else { PREVIEW };
    body(view, item, [part, found.span], Role::Quote, if open { usize::MAX } else { shown }, &mut rows);
    rows
}

/// The first `shown` lines of a part of a whole piece behind a bar; all of them where it is unfolded.
fn body(view: &View, item: usize, [part, whole]: [Span; 2], role: Role, shown: usize, rows: &mut Vec<Row>) {
    let text = view.session.text();
    let open = shown == usize::MAX;
    let Some(lines) = whole_lines(text, part, whole) else { return };
    let bytes = text.read(lines);
    let kept = if lines.end == whole.end { trim_end(&bytes) } else { bytes.len() };
    let mut at = if lines.start == whole.start {
        let blank = trim_start(&bytes[..kept]);
        memchr::memrchr(b'\n', &bytes[..blank]).map_or(0, |feed| feed + 1)
    } else {
        0
    };
    let width = view.width(PaneId::Reading).saturating_sub(2).max(10);
    let mut count_of_lines = 0;
    while at < kept && (open || count_of_lines < shown) {
        let feed = memchr::memchr(b'\n', &bytes[at..kept]).map_or(kept, |feed| at + feed);
        let line = &bytes[at..feed.min(at + LINE)];
        for row in wrap(line, width, Wrap::Words) {
            let span = Span::new(lines.start + at + row.start, lines.start + at + row.end);
            let source = Excerpt { span, role, styles: Vec::new(), in_file: false };
            let target = Target { item, node: None, offset: span.start, problem: None };
            let lead = vec![Piece::new("│ ", Role::Gutter)];
            rows.push(Row { lead, source: Some(source), ..Row::default() }.to(target));
        }
        at = feed + 1;
        count_of_lines += 1;
    }
    if at < kept && !open && shown > 0 {
        rows.push(more(view, Span::new(lines.start + at, whole.end)));
    }
    if lines.end == whole.end || !open {
        rows.push(Row::default());
    }
}

/// A row that says how much is not shown.
fn more(view: &View, rest: Span) -> Row {
    let counted = view.session.text().read(Span::new(rest.start, rest.end.min(rest.start + COUNTED)));
    let counted = &counted[..trim_end(&counted)];
    let lines = memchr::memchr_iter(b'\n', counted).count() + 1;
    let many = if rest.len() > COUNTED { size(rest.len()) } else { count(lines, "more line") };
    Row::words(vec![Piece::new("┆ ", Role::Gutter), Piece::new(format!("… {many}: Enter shows all"), Role::Dim)])
}
