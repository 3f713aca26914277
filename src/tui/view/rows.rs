//! Draws the rows of a pane: made words, transcript bytes with their styles, problems and matches over them.
//!
//! This module does not know what the rows are about.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use crate::diagnostic::Severity;
use crate::text::sanitize::is_plain_ascii;
use crate::text::{Span, wrap};

use crate::tui::action::Tab;
use crate::tui::geometry::Area;
use crate::tui::layout::Pane;
use crate::tui::origin::Phase;
use crate::tui::rows::{
    Piece, Row, Source, dialects, events::EventList, outline::Outline, problems::Problems, raw, raw::Raw,
    reading::Reading, settings,
};
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::{detail_rows, put, rect, selection_style};
use crate::tui::viewport::{self, Anchor, Units};

/// Columns between a row and the note at its right edge.
const GAP: u16 = 2;

/// Columns of a note that is a mark and no words.
const MARK: usize = 2;

/// A row to draw, among those that were laid out with it.
struct Shown {
    rows: Rc<Vec<Row>>,
    at: usize,
    /// Whether it shows what is selected.
    selected: bool,
}

impl Shown {
    fn alone(row: Row, selected: bool) -> Self {
        Self { rows: Rc::new(vec![row]), at: 0, selected }
    }
}

/// Draws the rows of a pane that fit into its inside.
pub fn draw(buffer: &mut Buffer, area: Area, pane: Pane, state: &State, theme: &Theme) {
    let focused = state.focus == pane;
    let height = usize::from(area.height);
    let mut painter = Painter { buffer, state, theme, pane, struck: false };
    let rows = visible(state, pane, height);
    if rows.is_empty() {
        painter.placeholder(area);
    }
    let chosen = if pane == Pane::Raw { state.selected_span() } else { Span::default() };
    for (index, shown) in rows.into_iter().enumerate().take(height) {
        let line = Area { y: area.y + index as u16, height: 1, ..area };
        let Some(row) = shown.rows.get(shown.at) else { continue };
        let over = selection_style(shown.selected, focused, theme);
        painter.struck = matches!(pane, Pane::Outline | Pane::Reading)
            && !row.is_heading
            && row.target.is_some_and(|target| state.session.document().is_withdrawn(target.item));
        painter.row(line, row, over);
        if row.target.is_some_and(|target| chosen.contains(target.offset)) {
            painter.bar(line, row, over);
        }
    }
}

/// The rows of a pane from its top on.
fn visible(state: &State, pane: Pane, height: usize) -> Vec<Shown> {
    match (pane, state.tab) {
        (Pane::Outline, _) => {
            let units = Outline(state);
            laid_out(&units, state.tops.outline, units.cursor(), height, |unit| units.rows(unit))
        }
        (Pane::Reading, _) => {
            let units = Reading(state);
            laid_out(&units, state.tops.reading, units.cursor(), height, |unit| units.rows(unit))
        }
        (Pane::Raw, _) => {
            let units = Raw(state);
            laid_out(&units, state.tops.raw, units.cursor(), height, |unit| units.rows(unit))
        }
        (Pane::Bottom, Tab::Events) => {
            let units = EventList(state);
            laid_out(&units, state.tops.events, units.cursor(), height, |unit| Rc::new(units.rows(unit)))
        }
        (Pane::Bottom, Tab::Settings) => {
            let (switches, changed) = (settings::switches(state), settings::changed(state));
            // The chosen switch is kept in sight, and what the last one has changed; going on from the last switch
            // scrolls that.
            let (at, count) = (state.settings.at, switches.len());
            let below = changed.len().min(height / 2);
            let above = height - below;
            let first = (at + 1).min(count).saturating_sub(above);
            let row = |(number, row)| Shown::alone(row, number == at);
            let switches = switches.into_iter().enumerate().skip(first).take(above).map(row);
            let further = (at + 1).saturating_sub(count).min(changed.len() - below);
            let changed = changed.into_iter().skip(further).map(|row| Shown::alone(row, false));
            switches.chain(changed).take(height).collect()
        }
        (Pane::Bottom, Tab::Dialects) => {
            let rows = dialects::rows(state, height);
            rows.into_iter().take(height).map(|(row, chosen)| Shown::alone(row, chosen)).collect()
        }
        (Pane::Bottom, Tab::Details) => detail_rows(state).into_iter().map(|row| Shown::alone(row, false)).collect(),
        (Pane::Bottom, _) => {
            let units = Problems(state);
            let window = viewport::window(&units, state.tops.problems, height);
            let chosen = state.selection.problem;
            let shown = |row: Row| {
                let selected = chosen.is_some() && row.target.is_some_and(|target| target.problem == chosen);
                Shown::alone(row, selected)
            };
            window.into_iter().map(|at| shown(units.row(at.unit))).collect()
        }
    }
}

/// The rows of units from `top` on; those of a unit are asked for once.
fn laid_out<L: Units>(
    units: &L,
    top: Anchor<L::Unit>,
    cursor: Option<Anchor<L::Unit>>,
    height: usize,
    rows_of: impl Fn(L::Unit) -> Rc<Vec<Row>>,
) -> Vec<Shown> {
    let mut unit: Option<(L::Unit, Rc<Vec<Row>>)> = None;
    let mut shown = Vec::with_capacity(height);
    for at in viewport::window(units, top, height) {
        let rows = match &unit {
            Some((known, rows)) if *known == at.unit => Rc::clone(rows),
            _ => rows_of(at.unit),
        };
        shown.push(Shown { rows: Rc::clone(&rows), at: at.row, selected: Some(at) == cursor });
        unit = Some((at.unit, rows));
    }
    shown
}

/// Where the cursor of the raw pane stands, at the byte that is selected or written, if it can be seen.
pub(super) fn cursor(area: Area, state: &State) -> Option<(u16, u16)> {
    if state.focus != Pane::Raw || state.help.is_some() || !(state.wrap_raw || state.types()) {
        return None;
    }
    let units = Raw(state);
    let offset = state.editor.as_ref().map_or(state.selection.offset, |editor| editor.offset());
    let (at, column) = units.cell_of(offset)?;
    let shown = viewport::window(&units, state.tops.raw, usize::from(area.height));
    let row = shown.iter().position(|row| *row == at)? as u16;
    let column = column.saturating_sub(state.tops.raw_column) as u16;
    Some((area.x + column.min(area.width.saturating_sub(1)), area.y + row))
}

struct Painter<'a, 'b> {
    buffer: &'a mut Buffer,
    state: &'b State,
    theme: &'b Theme,
    pane: Pane,
    /// Whether the row is about something that was taken back.
    struck: bool,
}

impl Painter<'_, '_> {
    /// What an empty pane says.
    fn placeholder(&mut self, area: Area) {
        let words = match (self.pane, &self.state.origin.phase, self.state.tab) {
            (Pane::Bottom, Phase::Loading, Tab::Problems) | (Pane::Reading, Phase::Loading, _) => "reading …",
            (Pane::Bottom, Phase::Following, Tab::Problems) => "no problems so far",
            (Pane::Bottom, _, Tab::Problems) => "no problems",
            (Pane::Bottom, _, Tab::Events) => "nothing has happened to it yet",
            (Pane::Reading, _, _) if !self.state.session.file().is_empty() => {
                "waiting for the rest of the first record"
            }
            (Pane::Reading, Phase::Following, _) => "nothing yet; waiting for more",
            (Pane::Reading, _, _) => "the text is empty",
            _ => "",
        };
        if area.height > 0 && area.width > 1 {
            let style = self.theme.style(Role::Dim);
            self.buffer.set_stringn(area.x + 1, area.y, words, usize::from(area.width) - 1, style);
        }
    }

    fn row(&mut self, area: Area, row: &Row, over: Style) {
        let end = area.x + area.width;
        if over != Style::new() {
            self.buffer.set_style(rect(area, self.buffer), over);
        }
        let mut x = self.pieces(area.x, area.y, end, &row.lead, over);
        if let Some(source) = &row.source {
            x = self.source(x, area.y, end, source, over);
        }
        x = self.pieces(x, area.y, end, &row.trail, over);
        let note: usize = row.note.iter().map(|piece| wrap::display_width(piece.text.as_bytes())).sum();
        let start = end.saturating_sub(note as u16);
        if note > 0 && note <= MARK && start > area.x {
            // A mark is never left out: it takes the place of the last words.
            self.pieces(start - 1, area.y, start, &[Piece::new(" ", Role::Text)], over);
            self.pieces(start, area.y, end, &row.note, over);
        } else if note > 0 && usize::from(end - area.x) > note && start >= x + GAP {
            self.pieces(start, area.y, end, &row.note, over);
        }
    }

    fn strike(&self, style: Style) -> Style {
        if self.struck { style.add_modifier(Modifier::CROSSED_OUT) } else { style }
    }

    /// The bar in front of what is selected.
    fn bar(&mut self, area: Area, row: &Row, over: Style) {
        let Some(column) = raw::bar_of(row).filter(|&column| column < usize::from(area.width)) else { return };
        let style = over.patch(self.theme.style(Role::Name));
        let x = area.x + column as u16;
        if let Some(cell) = self.buffer.cell_mut((x, area.y)) {
            cell.reset();
        }
        put(self.buffer, x, area.y, raw::SELECTED_BAR, 1, style);
    }

    fn pieces(&mut self, mut x: u16, y: u16, end: u16, pieces: &[Piece], over: Style) -> u16 {
        for piece in pieces {
            let room = usize::from(end.saturating_sub(x));
            let style = over.patch(self.theme.style(piece.role));
            let style = if piece.role == Role::Gutter { style } else { self.strike(style) };
            x = put(self.buffer, x, y, &piece.text, room, style);
        }
        x
    }

    /// Transcript bytes: sanitised here, in the style of each byte, problems underlined, matches marked.
    fn source(&mut self, x: u16, y: u16, end: u16, source: &Source, over: Style) -> u16 {
        let session = &self.state.session;
        let text = if source.in_file { session.file() } else { session.text() };
        let mut bytes = text.read(source.span);
        if bytes.contains(&b'\n') {
            // The rows of a joined paragraph: a line break is drawn as a space.
            bytes.to_mut().iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        }
        let overlays = self.overlays(source);
        let base = self.strike(over.patch(self.theme.style(source.role)));
        let style_at = |offset: usize| {
            let over = overlays.iter().filter(|(span, _)| span.contains(offset));
            over.fold(base, |style, (_, role)| style.patch(self.theme.style(*role)))
        };
        if overlays.is_empty()
            && let Ok(words) = std::str::from_utf8(&bytes)
            && is_plain_ascii(&bytes)
        {
            return put(self.buffer, x, y, words, usize::from(end.saturating_sub(x)), base);
        }
        let mut x = x;
        for glyph in wrap::cells(&bytes, 0) {
            let room = usize::from(end.saturating_sub(x));
            if room < glyph.width {
                break;
            }
            let mut style = style_at(source.span.start + glyph.offset);
            if glyph.pictured {
                style = style.patch(self.theme.style(Role::Picture));
            }
            x = put(self.buffer, x, y, &glyph.text, room, style);
        }
        x
    }

    /// What is drawn over the bytes, inner styles last.
    fn overlays(&self, source: &Source) -> Vec<(Span, Role)> {
        let mut overlays: Vec<(Span, Role)> =
            source.styles.iter().copied().filter(|(span, _)| span.touches(source.span)).collect();
        let session = &self.state.session;
        // What is over bytes of the file is what is over those of the text that they say.
        let told = if source.in_file {
            Span::new(session.decoded_at(source.span.start), session.decoded_at(source.span.end))
        } else {
            source.span
        };
        let placed = |span: Span| if source.in_file { session.source_of(span) } else { span };
        if matches!(self.pane, Pane::Raw | Pane::Reading) {
            for number in self.state.problems().over(told) {
                let Some(problem) = self.state.problems().brief(number) else { continue };
                let role = match problem.severity {
                    Severity::Error => Role::ErrorSpan,
                    Severity::Warning => Role::WarningSpan,
                    Severity::Hint => Role::HintSpan,
                };
                let span = match self.state.problem(number) {
                    // It is about bytes that are not in the text.
                    Some(problem) if source.in_file && problem.source.is_some() => session.source_of_problem(&problem),
                    _ => placed(problem.span),
                };
                overlays.push((span, role));
            }
        }
        if let Some(search) = &self.state.search {
            let base = self.state.base();
            let current = search.at(base + self.state.selection.offset).map(|(_, span)| span);
            for found in search.matches_in(Span::new(base + told.start, base + told.end)) {
                let role = if Some(found) == current { Role::MatchCurrent } else { Role::Match };
                let span = Span::new(found.start.saturating_sub(base), found.end - base);
                overlays.push((placed(span), role));
            }
        }
        overlays
    }
}
