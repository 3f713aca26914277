//! Rows of a recorded conversation in the reading pane: speakers, results of calls, reasoning.

use std::time::Duration;

use crate::container::MessageRole;
use crate::container::facts::Origin;
use crate::document::{CallResult, MatchedBy, Message, SideRecord};
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, fit};
use crate::wording::figures::{self, total_tokens};

use crate::tui::action::PaneId;

use crate::tui::pane::reading::PREVIEW;
use crate::tui::pane::reading::language::HighlightedLines;
use crate::tui::pane::reading::text::{ItemPart, READABLE};
use crate::tui::row::{FAILED, Piece, Row, Target, count, duration, fold_sign, size, speaker_role, verdict_role};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::presentation::ScreenElement;

/// Maximum bytes of a record that are shown on its row while it is folded.
const SHORT: usize = 60;

/// Minimum time between two messages that is shown.
const PAUSE: Duration = Duration::from_mins(1);

/// The heading of the message that begins with an item. Empty if none does, or if the file has no messages.
pub(super) fn heading(view: &View, item: usize) -> Vec<Row> {
    let begun = view.message_begun_by(item).zip(view.target_of_item(item));
    let Some(((number, message), target)) = begun.filter(|_| view.session.is_decoded()) else { return Vec::new() };
    if !view.shows(ScreenElement::MessageHeadings) {
        return turn_heading(view, number, &message, target);
    }
    let mut lead = vec![Piece::new("── ", Role::Border), Piece::new(message.speaker(), speaker_role(&message))];
    lead.extend(message.details().into_iter().map(|detail| Piece::new(format!(" · {detail}"), Role::Dim)));
    if view.session.document().is_abandoned(number) {
        lead.push(Piece::new(" · abandoned", Role::Warning));
    }
    lead.extend(pause_before(view, number));
    let note = message.when().map(|time| Piece::new(time, Role::Dim));
    vec![Row { is_heading: true, ..Row::noted(lead, note) }.to(target), Row::default()]
}

/// The heading of a turn, or of another headed part of a recorded session, that begins with a message.
fn turn_heading(view: &View, number: usize, message: &Message, target: Target) -> Vec<Row> {
    let document = view.session.document();
    let section = document.section(number);
    let is_first = section.first == number || document.compaction_of(number).is_some();
    // After a sub-agent's messages a heading says that the model itself continues.
    let follows_aside = message.role == Some(MessageRole::Assistant)
        && number.checked_sub(1).is_some_and(|before| document.messages().is_aside(before));
    if !is_first || !(follows_aside || view.is_headed(section, number)) {
        return Vec::new();
    }
    let turn = section.turn.filter(|turn| turn.first == number);
    let mut lead = vec![Piece::new("── ", Role::Border)];
    match (turn, document.compaction_of(number)) {
        (_, Some(compaction)) => lead.push(Piece::new(figures::compaction(&compaction), Role::Warning)),
        (Some(turn), _) => {
            let number = document.turn_number(turn);
            lead.push(Piece::new(number.map_or("turn".into(), |number| format!("turn {number}")), Role::User));
            if message.origin == Origin::Command {
                lead.extend(message.label.as_deref().map(|command| Piece::new(format!(" · {command}"), Role::Text)));
            }
        }
        (None, None) => {
            lead.push(Piece::new(message.speaker(), speaker_role(message)));
            lead.extend(message.details().into_iter().map(|detail| Piece::new(format!(" · {detail}"), Role::Dim)));
        }
    }
    if document.is_abandoned(number) {
        lead.push(Piece::new(" · abandoned", Role::Warning));
    }
    lead.extend(pause_before(view, number));
    let note = message.when().map(|time| Piece::new(time, Role::Dim));
    vec![Row { is_heading: true, ..Row::noted(lead, note) }.to(target), Row::default()]
}

/// The time since the previous message, if it was long.
fn pause_before(view: &View, number: usize) -> Option<Piece> {
    let before = number.checked_sub(1)?;
    let gap = view.session.document().time_between(before, number).filter(|&gap| gap > PAUSE)?;
    Some(Piece::new(format!(" · {} later", duration(gap)), Role::Dim))
}

/// Title for the turn at the top of the pane: `turn 3 · "fix the redirect" · 4m 12s · 61k tokens`.
pub(super) fn turn_line(view: &View, offset: usize) -> Option<String> {
    if view.shows(ScreenElement::MessageHeadings) {
        return None;
    }
    let turn = view.turn_at(offset)?;
    let summary = view.turn_summary(turn);
    let mut figures = vec![];
    figures.extend(summary.duration().map(figures::duration));
    figures.extend(total_tokens(&summary.spending).map(|total| format!("{total} tokens")));
    if summary.failures > 0 {
        figures.push(format!("{FAILED} {}", summary.failures));
    }
    figures.insert(0, String::new());
    let figures = if figures.len() > 1 { figures.join(" · ") } else { String::new() };
    let lead = view.turn_label(turn);
    let taken = TITLE + display_width(lead.as_bytes()) + display_width(figures.as_bytes()) + 5;
    let room = view.width(PaneId::Reading).saturating_sub(taken);
    let prompt = view.prompt(turn);
    let prompt = visible_str(&prompt);
    if room < MIN_PROMPT {
        return Some(format!("{lead}{figures}"));
    }
    Some(format!("{lead} · “{}”{figures}", fit(&prompt, room)))
}

/// Columns of the pane's name before the title of the turn.
const TITLE: usize = 11;

/// Minimum columns for a prompt to be worth showing.
const MIN_PROMPT: usize = 12;

/// The placeholder for a run of hidden messages, at its first item.
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
pub(super) fn answer(view: &View, item: usize, stretch: &ItemPart<'_>, open: bool, found: &CallResult<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    if stretch.is_first() {
        let text = view.session.text();
        let call = found.call.and_then(|(item, _)| view.session.document().call(item));
        let is_inside = view.call_around(item).is_some();
        let mut lead = vec![Piece::new("⇒ ", verdict_role(found.verdict))];
        if let Some(call) = call.as_ref().filter(|_| !is_inside) {
            lead.push(Piece::new(call.name(text), Role::Name));
            lead.push(Piece::new("  ", Role::Text));
        }
        if view.shows(ScreenElement::CallIds) {
            let id = found.id.map(|id| id.text(text)).or_else(|| Some(call?.id(text))).unwrap_or_default();
            lead.push(Piece::new(id, Role::Id));
            lead.push(Piece::new("  ", Role::Text));
        }
        if is_inside {
            lead.push(Piece::new("result  ", Role::Dim));
        }
        let took = found.call.and_then(|(call, _)| view.session.document().call_duration(call, text));
        // A notable duration is already on the row of the call.
        let is_said = is_inside && found.call.is_some_and(|(call, _)| view.notable_duration(call).is_some());
        let took = took.filter(|_| !is_said);
        lead.extend(took.map(|took| Piece::new(figures::duration_figure(took), Role::Dim)));
        if is_inside && found.span.is_empty() {
            lead.push(Piece::new("  no output", Role::Dim));
        }
        let ground = match found.call {
            None if found.again.is_some() => Some(("answered before", Role::Warning)),
            None => Some(("no such call", Role::Warning)),
            Some((_, MatchedBy::Order)) => Some(("by order", Role::Dim)),
            Some((_, MatchedBy::Id)) => None,
        };
        let note = match found.verdict.label() {
            "" => ground,
            words => Some((words, Role::Error)),
        };
        let marked =
            |words: &str, role| if role == Role::Error { format!("{FAILED} {words}") } else { words.to_owned() };
        let note = note.map(|(words, role)| Piece::new(marked(words, role), role));
        rows.push(Row::noted(lead, note).to(Target::new(item, found.span.start)));
    }
    let call = found.call.map(|(call, _)| call);
    let painted = |origin, shown: &[u8]| HighlightedLines::from_result(view, item, call, origin, shown);
    stretch.quoted((Role::Text, usize::MAX), PREVIEW, open, painted, &mut rows);
    rows
}

/// The rows of a part of a text that a program wrote for the model: its label, and, if unfolded, its contents.
pub(super) fn automatic(view: &View, item: usize, stretch: &ItemPart<'_>, open: bool, name: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    if stretch.is_first() {
        let lead = vec![fold_sign(open), Piece::new(format!("‹{name}›"), Role::Dim)];
        let note = Piece::new(size(stretch.whole().len()), Role::Dim);
        rows.push(Row::noted(lead, Some(note)).to(Target::new(item, stretch.whole().start)));
    }
    stretch.quoted((Role::Quote, READABLE), 0, open, |_, _| HighlightedLines::default(), &mut rows);
    if !open && view.automatic_text(item + 1).is_some() {
        rows.pop_if(|row| *row == Row::default());
    }
    rows
}

/// The rows of a part of the model's reasoning, or of a record.
pub(super) fn non_message(
    view: &View,
    item: usize,
    stretch: &ItemPart<'_>,
    open: bool,
    found: &SideRecord<'_>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    if stretch.is_first() {
        let sign = if found.name.is_some() { fold_sign(open) } else { Piece::new("∴ ", Role::Gutter) };
        let mut lead = vec![sign, Piece::new(found.name.unwrap_or("reasoning"), Role::Dim)];
        let words = (found.name.is_some() && !open && found.span.len() <= SHORT)
            .then(|| view.session.text().read_str(found.span));
        if let Some(words) = words.filter(|words| !words.trim().contains('\n') && !words.starts_with(['{', '[', '<'])) {
            lead.push(Piece::new(format!("  {}", words.trim()), Role::Text));
        }
        let note = Piece::new(size(found.span.len()), Role::Dim);
        rows.push(Row::noted(lead, Some(note)).to(Target::new(item, found.span.start)));
    }
    // Fields of a record are data: not limited to the width of prose.
    let (shown, widest) = if found.name.is_some() { (0, usize::MAX) } else { (PREVIEW, READABLE) };
    stretch.quoted((Role::Quote, widest), shown, open, |_, _| HighlightedLines::default(), &mut rows);
    rows
}
