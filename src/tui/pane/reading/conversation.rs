//! Rows of a recorded conversation in the reading pane: who speaks, what came of a call, what the model thought.

use std::time::Duration;

use crate::document::{Aside, CallResult, MatchedBy};

use crate::tui::pane::reading::PREVIEW;
use crate::tui::pane::reading::language::Painted;
use crate::tui::pane::reading::text::Stretch;
use crate::tui::row::{FAILED, Piece, Row, Target, count, duration, fold_sign, size, speaker_role, verdict_role};
use crate::tui::style::Role;
use crate::tui::view::View;

/// A longer time between two messages is said.
const PAUSE: Duration = Duration::from_mins(1);

/// The heading of the message that begins with an item; nothing where none does, and where the file knows no messages.
pub(super) fn heading(view: &View, item: usize) -> Vec<Row> {
    let begun = view.message_begun_by(item).zip(view.target_of_item(item));
    let Some(((number, message), target)) = begun.filter(|_| view.session.is_decoded()) else { return Vec::new() };
    let mut lead = vec![Piece::new("── ", Role::Border), Piece::new(message.speaker(), speaker_role(&message))];
    lead.extend(message.details().into_iter().map(|detail| Piece::new(format!(" · {detail}"), Role::Dim)));
    if view.session.document().is_abandoned(number) {
        lead.push(Piece::new(" · abandoned", Role::Warning));
    }
    let before = number.checked_sub(1).and_then(|before| view.session.document().time_between(before, number));
    if let Some(gap) = before.filter(|&gap| gap > PAUSE) {
        lead.push(Piece::new(format!(" · {} later", duration(gap)), Role::Dim));
    }
    let note = message.when().map(|time| Piece::new(time, Role::Dim));
    vec![Row { is_heading: true, ..Row::noted(lead, note) }.to(target), Row::default()]
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
    vec![Row::plain(words, Role::Dim), Row::default()]
}

/// The rows of a part of a result.
pub(super) fn answer(view: &View, item: usize, stretch: &Stretch<'_>, open: bool, found: &CallResult<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    if stretch.is_first() {
        let text = view.session.text();
        let call = found.call.and_then(|(item, _)| view.session.document().call(item));
        let mut lead = vec![Piece::new("⇒ ", verdict_role(found.verdict))];
        if let Some(call) = &call {
            lead.push(Piece::new(call.name(text), Role::Name));
            lead.push(Piece::new("  ", Role::Text));
        }
        let id = found.id.map(|id| id.text(text)).or_else(|| Some(call?.id(text))).unwrap_or_default();
        lead.push(Piece::new(id, Role::Id));
        let taken =
            call.as_ref().and_then(|call| view.session.document().time_taken(call.span.start, found.span.start));
        lead.extend(taken.map(|taken| Piece::new(format!("  {}", duration(taken)), Role::Dim)));
        let ground = match found.call {
            None if found.again.is_some() => Some(("answered before", Role::Warning)),
            None => Some(("no such call", Role::Warning)),
            Some((_, MatchedBy::Order)) => Some(("by order", Role::Dim)),
            Some((_, MatchedBy::Id)) => None,
        };
        let note = match found.verdict.words() {
            "" => ground,
            words => Some((words, Role::Error)),
        };
        let marked =
            |words: &str, role| if role == Role::Error { format!("{FAILED} {words}") } else { words.to_owned() };
        let note = note.map(|(words, role)| Piece::new(marked(words, role), role));
        rows.push(Row::noted(lead, note).to(Target::new(item, found.span.start)));
    }
    let call = found.call.map(|(call, _)| call);
    let painted = |origin, shown: &[u8]| Painted::from_result(view, item, call, origin, shown);
    stretch.quoted(Role::Text, PREVIEW, open, painted, &mut rows);
    rows
}

/// The rows of a part of what the model thought, or of a record.
pub(super) fn aside(item: usize, stretch: &Stretch<'_>, open: bool, found: &Aside<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    if stretch.is_first() {
        let sign = if found.name.is_some() { fold_sign(open) } else { Piece::new("∴ ", Role::Gutter) };
        let lead = vec![sign, Piece::new(found.name.unwrap_or("reasoning"), Role::Dim)];
        let note = Piece::new(size(found.span.len()), Role::Dim);
        rows.push(Row::noted(lead, Some(note)).to(Target::new(item, found.span.start)));
    }
    let shown = if found.name.is_some() { 0 } else { PREVIEW };
    stretch.quoted(Role::Quote, shown, open, |_, _| Painted::default(), &mut rows);
    rows
}
