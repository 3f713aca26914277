//! Draws the rows of a pane: generated text, transcript bytes with their styles, and problems and matches over them.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use crate::diagnostic::Severity;
use crate::text::sanitize::{glyphs, is_plain_ascii};
use crate::text::{Span, wrap};

use crate::tui::geometry::Area;
use crate::tui::row::{Excerpt, ExcerptOf, Piece, Row, SELECTED_BAR, width};
use crate::tui::style::Role;
use crate::tui::theme::{Theme, in_row};
use crate::tui::view::View;
use crate::tui::widget::{self, RowWriter, is_cut, put, rect, selection_style, sign_of_cut};

/// Columns between a row and the note at its right edge.
const GAP: u16 = 2;

/// Columns of a note that is a mark without text.
const MARK: usize = 2;

/// A row to draw, by its index in a laid-out unit.
pub struct Line {
    /// The rows of the unit.
    pub rows: Rc<Vec<Row>>,
    /// Index of the row in `rows`.
    pub at: usize,
    /// True if it shows the selection.
    pub selected: bool,
}

impl Line {
    /// A row that was laid out by itself.
    pub fn alone(row: Row, selected: bool) -> Self {
        Self { rows: Rc::new(vec![row]), at: 0, selected }
    }
}

/// Settings for drawing the rows of a pane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marking {
    /// True if rows about withdrawn items are struck through.
    pub withdrawn: bool,
    /// True if the bytes of problems are underlined.
    pub problems: bool,
    /// The bytes whose rows have a bar on the left; they are highlighted if they are an argument.
    pub chosen: Span,
    /// True if rows that the filter does not select are dimmed.
    pub filtered: bool,
    /// Maximum columns of a row, if less than the pane's: long lines of prose are hard to read.
    pub columns: Option<u16>,
}

/// Draws the placeholder text of an empty pane, wrapped to its width.
pub fn placeholder(buffer: &mut Buffer, area: Area, words: &str, theme: &Theme) {
    RowWriter::new(buffer, area, theme).put_wrapped(&Piece::new(words, Role::Dim));
}

/// Draws the rows that fit into an area.
pub fn draw(
    buffer: &mut Buffer,
    area: Area,
    lines: &[Line],
    marking: &Marking,
    view: &View,
    focused: bool,
    theme: &Theme,
) {
    let mut painter = Painter { buffer, view, theme, marking, struck: false, dimmed: false, cut: false };
    for (line, y) in lines.iter().zip(area.y..area.y + area.height) {
        let Some(row) = line.rows.get(line.at) else { continue };
        let area = Area { y, height: 1, ..area };
        let over = selection_style(line.selected, focused, theme);
        painter.struck = marking.withdrawn
            && !row.is_heading
            && row.target.is_some_and(|target| view.session.document().is_withdrawn(target.item));
        painter.dimmed = marking.filtered
            && row
                .target
                .is_some_and(|target| view.filter.as_ref().is_some_and(|filter| !filter.contains(target.item)));
        if over != Style::new() {
            painter.buffer.set_style(rect(area, painter.buffer), over);
        }
        let columns = marking.columns.map_or(area.width, |columns| columns.min(area.width));
        painter.row(Area { width: columns, ..area }, row, over);
        let bytes = row.source.as_ref().filter(|source| source.of == ExcerptOf::Text).map(|source| source.span);
        let begins = row.target.is_some_and(|target| marking.chosen.contains(target.offset));
        if begins || bytes.is_some_and(|bytes| bytes.start < marking.chosen.end && marking.chosen.start < bytes.end) {
            painter.bar(area, row, over);
        }
    }
}

struct Painter<'a, 'b> {
    buffer: &'a mut Buffer,
    view: &'b View,
    theme: &'b Theme,
    marking: &'b Marking,
    /// True if the row is about something withdrawn.
    struck: bool,
    /// True if the filter does not select the row's item.
    dimmed: bool,
    /// True if something other than spaces in the row is cut off at the right edge.
    cut: bool,
}

impl Painter<'_, '_> {
    fn row(&mut self, area: Area, row: &Row, over: Style) {
        let end = area.x + area.width;
        self.cut = false;
        let mut x = self.pieces(area.x, area.y, end, &row.lead, over);
        if let Some(source) = &row.source {
            x = self.source(x, area.y, end, source, over);
        }
        x = self.pieces(x, area.y, end, &row.trail, over);
        let note = width(&row.note);
        let start = end.saturating_sub(note as u16);
        if note > 0 && note <= MARK && start > area.x {
            // A mark is never left out: it replaces the last columns of the text.
            if self.cut || x > start {
                sign_of_cut(self.buffer, (start - 1, area.y), over, self.theme);
            } else {
                self.pieces(start - 1, area.y, start, &[Piece::new(" ", Role::Text)], over);
            }
            self.pieces(start, area.y, end, &row.note, over);
        } else if self.cut && end > area.x {
            sign_of_cut(self.buffer, (end - 1, area.y), over, self.theme);
        } else if note > 0 && usize::from(end - area.x) > note && start >= x + GAP {
            self.pieces(start, area.y, end, &row.note, over);
        }
    }

    /// Draws the bar on the left of selected rows.
    fn bar(&mut self, area: Area, row: &Row, over: Style) {
        let Some(column) = row.bar_column().filter(|&column| column < usize::from(area.width)) else { return };
        let style = in_row(over, self.theme.style(Role::Name));
        let x = area.x + column as u16;
        if let Some(cell) = self.buffer.cell_mut((x, area.y)) {
            cell.reset();
        }
        put(self.buffer, x, area.y, SELECTED_BAR, 1, style);
    }

    fn pieces(&mut self, x: u16, y: u16, end: u16, pieces: &[Piece], over: Style) -> u16 {
        let (theme, struck, dimmed) = (self.theme, self.struck, self.dimmed);
        let left = usize::from(end.saturating_sub(x));
        self.cut |= is_cut(pieces, left);
        widget::pieces(self.buffer, (x, y), end, pieces, |role| {
            let role = if dimmed { Role::Dim } else { role };
            let style = in_row(over, theme.style(role));
            if role == Role::Gutter { style } else { strike(style, struck) }
        })
    }

    /// Draws transcript bytes: sanitised here, each byte in its style, problems underlined, matches highlighted.
    fn source(&mut self, x: u16, y: u16, end: u16, source: &Excerpt, over: Style) -> u16 {
        let session = &self.view.session;
        let text = match source.of {
            ExcerptOf::Text => Some(session.text()),
            ExcerptOf::File => Some(session.file()),
            ExcerptOf::Declaration => self.view.declaration.draft().map(|draft| &draft.text),
        };
        let Some(text) = text else { return x };
        let mut bytes = text.read(source.span);
        if bytes.contains(&b'\n') {
            // Line breaks in a joined paragraph are drawn as spaces.
            bytes.to_mut().iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        }
        let overlays = if self.dimmed { Vec::new() } else { self.overlays(source) };
        let role = if self.dimmed { Role::Dim } else { source.role };
        let base = strike(in_row(over, self.theme.style(role)), self.struck);
        let style_at = |offset: usize| {
            let over = overlays.iter().filter(|(span, _)| span.contains(offset));
            over.fold(base, |style, (_, role)| {
                // The line that explains why a call failed is never faint.
                let faint = if *role == Role::Error { Modifier::DIM | Modifier::ITALIC } else { Modifier::empty() };
                let laid = self.theme.style(*role);
                // The current match has its own background.
                let style = style.remove_modifier(faint);
                if *role == Role::MatchCurrent { style.patch(laid) } else { in_row(style, laid) }
            })
        };
        if overlays.is_empty()
            && let Ok(words) = std::str::from_utf8(&bytes)
            && is_plain_ascii(&bytes)
        {
            let room = usize::from(end.saturating_sub(x));
            self.cut |= words.len() > room && words.trim_end().len() > room;
            return put(self.buffer, x, y, words, room, base);
        }
        let mut x = x;
        for glyph in wrap::expanded(glyphs(&bytes).with(source.colour_codes), 0) {
            let room = usize::from(end.saturating_sub(x));
            if room < glyph.width {
                self.cut |= !bytes[glyph.offset..].trim_ascii().is_empty();
                break;
            }
            let mut style = style_at(source.span.start + glyph.offset);
            if glyph.pictured {
                style = in_row(style, self.theme.style(Role::Picture));
            }
            x = put(self.buffer, x, y, &glyph.text, room, style);
        }
        x
    }

    /// Styles drawn over the bytes; later ones are on top.
    fn overlays(&self, source: &Excerpt) -> Vec<(Span, Role)> {
        let mut overlays: Vec<(Span, Role)> =
            source.styles.iter().copied().filter(|(span, _)| span.touches(source.span)).collect();
        if source.of == ExcerptOf::Declaration {
            let faults = self.view.declaration.faults().iter().filter(|fault| fault.span.touches(source.span));
            overlays.extend(faults.map(|fault| (fault.span, span_role(fault.severity))));
            return overlays;
        }
        let session = &self.view.session;
        let in_file = source.of == ExcerptOf::File;
        // Bytes of the file get the overlays of the text that they decode to.
        let told = if in_file {
            Span::new(session.text_offset_of(source.span.start), session.text_offset_of(source.span.end))
        } else {
            source.span
        };
        let placed = |span: Span| if in_file { session.source_of(span) } else { span };
        if self.view.selection.node.is_some() && self.marking.chosen.touches(told) {
            overlays.push((placed(self.marking.chosen), Role::SelectionUnfocused));
        }
        if self.marking.problems {
            for number in self.view.problems().over(told) {
                let Some(problem) = self.view.problems().brief(number) else { continue };
                let role = span_role(problem.severity);
                let span = match self.view.problem(number) {
                    // It is about bytes that are not part of the text.
                    Some(problem) if in_file && problem.source.is_some() => session.source_of_problem(&problem),
                    _ => placed(problem.span),
                };
                overlays.push((span, role));
            }
        }
        if let Some(search) = &self.view.search {
            let base = self.view.base();
            let current = search.at(base + self.view.selection.offset).map(|(_, span)| span);
            for found in search.matches_in(Span::new(base + told.start, base + told.end)) {
                let role = if Some(found) == current { Role::MatchCurrent } else { Role::Match };
                let span = Span::new(found.start.saturating_sub(base), found.end - base);
                overlays.push((placed(span), role));
            }
        }
        overlays
    }
}

/// Style role of the bytes of a problem.
fn span_role(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::ErrorSpan,
        Severity::Warning => Role::WarningSpan,
        Severity::Hint => Role::HintSpan,
        // The line explains why a call failed: drawn as an error, although the text itself is not at fault.
        Severity::Note => Role::Error,
    }
}

/// The style, struck through if the row is about something withdrawn.
fn strike(style: Style, struck: bool) -> Style {
    if struck { style.add_modifier(Modifier::CROSSED_OUT) } else { style }
}
