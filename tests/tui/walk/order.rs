//! Properties of a screen after any sequence of events. Each function panics if its property does not hold.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use transcope::document::Item;
use transcope::text::sanitize::{GLYPH_SCALARS, is_hidden};
use transcope::tui::layout::Slot;
use transcope::tui::message::Task;
use transcope::tui::pane::Pane as _;
use transcope::tui::screen::Screen;
use transcope::tui::screen::transcript::Transcript;
use transcope::tui::style::Role;
use transcope::tui::theme::Theme;

use super::super::shown::text_of;

/// No cell has a character that a terminal would act on, that is invisible, or that piles up. `place` is for the
/// message.
pub fn is_sound(buffer: &Buffer, place: &str) {
    for (index, cell) in buffer.content().iter().enumerate() {
        let symbol = cell.symbol();
        if let [b' '..=b'~'] = symbol.as_bytes() {
            continue;
        }
        let is_bad = |c: char| c.is_control() || (is_hidden(c) && !joins_emoji(c, symbol));
        let is_flood = symbol.chars().count() > GLYPH_SCALARS + 1;
        assert!(!symbol.chars().any(is_bad) && !is_flood, "{place}: cell {index} holds {symbol:?}");
    }
}

/// True if an invisible character joins the parts of an emoji.
fn joins_emoji(c: char, symbol: &str) -> bool {
    matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
        && symbol.chars().next().is_some_and(|first| !first.is_alphabetic())
}

/// The line at the bottom is not empty, or the screen states that it is too small.
pub(super) fn says_something(frame: &Buffer, (width, height): (u16, u16)) {
    if width == 0 || height == 0 {
        return;
    }
    let screen = text_of(frame);
    let line = if width < 20 || height < 5 { screen.lines().next() } else { screen.lines().last() };
    assert!(line.is_some_and(|line| !line.trim().is_empty()), "nothing is said on\n{screen}");
}

/// Beginnings of the messages in lists without selectable rows.
const EMPTY: [&str; 3] = ["┃ no", "│ no calls on either side", "\n comparing "];

/// The selection is visible, if there can be one and nothing covers it.
pub(super) fn shows_selection(frame: &Buffer, screen: &dyn Screen, theme: &Theme) {
    let chrome = screen.chrome();
    let (width, height) = chrome.size;
    if width < 40 || height < 12 || chrome.help.is_some() || chrome.prompt.is_some() || !chrome.typed.is_empty() {
        return;
    }
    let words = text_of(frame);
    if EMPTY.iter().any(|empty| words.contains(empty)) {
        return;
    }
    let looks = [Role::Selection, Role::SelectionUnfocused].map(|role| theme.style(role));
    let is_shown = frame.content().iter().any(|cell| {
        let is_so = |look: &Style| {
            let has_modifier = !look.add_modifier.is_empty() && cell.modifier.contains(look.add_modifier);
            look.bg.map_or(has_modifier, |beneath| cell.bg == beneath)
        };
        looks.iter().any(is_so)
    });
    assert!(is_shown, "nothing is selected on\n{words}");
}

/// True if the focused pane of a text shows rows, one of which is selected.
pub(super) fn selects(state: &Transcript) -> bool {
    let (view, panes) = (&state.view, &state.panes);
    match view.layout.focus {
        Slot::Outline => panes.outline.selected(view).is_some(),
        Slot::Reading => panes.reading.selected(view).is_some(),
        Slot::Raw => panes.raw.selected(view).is_some(),
        Slot::Bottom => false,
    }
}

/// Copied text acts on nothing.
pub(super) fn copies_are_safe(asked: Option<&Task>) {
    let Some(Task::Copy(copied)) = asked else { return };
    let mut before = ' ';
    for c in copied.text.chars() {
        let is_end = c == '\n' || c == '\t' || c == '\r';
        let is_safe = is_end || !c.is_control() && (!is_hidden(c) || matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}'));
        assert!(is_safe && (before != '\r' || c == '\n'), "{c:?} is copied in {:?}", copied.text);
        before = c;
    }
}

/// The selection is the same in the outline, reading and raw panes.
pub fn panes_agree(state: &Transcript, place: &str) {
    let selection = state.view.selection;
    let Some(item) = state.view.session.document().items().get(selection.item) else {
        assert!(state.view.session.document().items().is_empty(), "{place}: {selection:?} is no item");
        return;
    };
    let span = item.span();
    let end = if state.view.session.pending().start == span.end { state.view.session.text().len() } else { span.end };
    assert!((span.start..=end).contains(&selection.offset), "{place}: {selection:?} is not in {span:?}");
    let (view, panes) = (&state.view, &state.panes);
    if view.is_filtered_out(selection.item) {
        // A search, a problem or a click in the raw pane may select something that a filter hides.
        return;
    }
    let blank = view.session.text().read(span).iter().all(u8::is_ascii_whitespace);
    let outline = panes.outline.selected(view).unwrap_or_else(|| panic!("{place}: no row of the outline is selected"));
    let target = outline.target.expect("a row that is selected leads somewhere");
    // An item without a row is represented by the nearest row above.
    if !blank && !outline.is_heading && !view.is_hidden(selection.item) {
        // The row of a call includes its result.
        let call = match item {
            Item::Result(answer) => answer.call.map(|(call, _)| call),
            _ => None,
        };
        // A heading, and a record after a result, may have no row.
        let is_record = matches!(&item, Item::Aside(aside) if aside.name.is_some());
        let is_above = is_record && target.item < selection.item;
        let is_shown = target.item == selection.item || call == Some(target.item) || is_above;
        assert!(is_shown, "{place}: in the outline {} and not {}", target.item, selection.item);
    }
    if let Some(reading) = panes.reading.selected(view) {
        let target = reading.target.expect("a row that is selected leads somewhere");
        assert_eq!(target.item, selection.item, "{place}: in the reading pane");
    } else {
        // Only the raw pane shows abandoned text.
        let is_shown = !blank && !view.is_hidden(selection.item);
        assert!(!is_shown, "{place}: no row of the reading pane is selected");
    }
    let Some(raw) = panes.raw.selected(view) else {
        // A piece of a recorded session has begun that has no byte yet.
        assert!(view.session.text().is_empty(), "{place}: no raw line is selected");
        return;
    };
    let target = raw.target.expect("a raw row leads to its first byte");
    // Text that is about to arrive begins after the last line.
    let last = view.session.lines().count().saturating_sub(1);
    let line = |offset: usize| view.session.lines().around(view.session.text(), offset).0.min(last);
    // A line of the file may contain many lines of the text.
    assert!(view.in_file || line(target.offset) == line(selection.offset), "{place}: the raw line");
}
