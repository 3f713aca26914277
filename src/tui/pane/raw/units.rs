//! The lines of the raw pane: how they are split into units, the cell of a byte, and the contents of rows.
//!
//! A line of several megabytes consists of many units, so that only what is visible is laid out.

use std::ops::Range;
use std::rc::Rc;

use crate::document::Call;
use crate::text::colour_codes::ColourCodes;
use crate::text::store::LOST;
use crate::text::wrap::{WrappedRow, display_width, skip_columns, wrap};
use crate::text::{Lines, Span, Text};
use crate::tui::action::PaneId;
use crate::tui::pane::list::List;
use crate::tui::pane::raw::Raw;
use crate::tui::row::{BAR, Excerpt, ExcerptOf, Piece, Row, Target, mark, size};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::cache::RowLayout;
use crate::tui::viewport::{self, Anchor, Units};

/// Bytes of a line per part.
const PART: usize = 16 * 1024;

/// Columns after the line number: a mark for problems, a bar for calls, a space.
const MARKS: usize = 3;

/// The units of the raw pane: lines (from 0) and parts of them.
pub(super) struct RawUnits<'a> {
    pub(super) pane: &'a Raw,
    pub(super) view: &'a View,
}

impl Units for RawUnits<'_> {
    /// In an editable text, the empty line after a final line feed counts as a line.
    fn numbers(&self) -> Range<usize> {
        let (text, count) = (self.text(), self.lines().count());
        let end = text.len();
        let is_open = end == 0 || text.read(Span::new(end - 1, end)).as_ref() == b"\n";
        0..count + usize::from(self.view.editor.is_some() && is_open)
    }

    /// A line that is not wrapped has one part.
    fn parts(&self, line: usize) -> usize {
        if !self.pane.wrap {
            return 1;
        }
        self.lines().span_of(self.text(), line).len().div_ceil(PART).max(1)
    }

    fn height(&self, line: usize, part: usize) -> usize {
        if !self.pane.wrap {
            return 1;
        }
        // The rows are about to be shown and are cached.
        self.rows(line, part).len()
    }
}

impl List for RawUnits<'_> {
    fn pane(&self) -> PaneId {
        PaneId::Raw
    }

    fn view(&self) -> &View {
        self.view
    }

    fn rows(&self, line: usize, part: usize) -> Rc<Vec<Row>> {
        self.view.rows_laid_out(PaneId::Raw, (line, part), self.layout(), || self.lay_out(line, part))
    }

    fn row_for(&self, target: Target) -> Option<Anchor> {
        self.at(self.to_displayed_offset(target.offset))
    }
}

impl<'a> RawUnits<'a> {
    /// True if the file is shown instead of the text decoded from it; also if no text has been decoded yet.
    fn shows_file(&self) -> bool {
        self.view.session.is_decoded() && (self.view.in_file || self.view.session.text().is_empty())
    }

    /// The displayed bytes: the file, or the text decoded from it.
    fn text(&self) -> &'a Text {
        if self.shows_file() { self.view.session.file() } else { self.view.session.text() }
    }

    fn lines(&self) -> &'a Lines {
        if self.shows_file() { self.view.session.file_lines() } else { self.view.session.lines() }
    }

    /// Maps an offset in the text to one in the displayed bytes.
    fn to_displayed_offset(&self, offset: usize) -> usize {
        if self.shows_file() { self.view.session.source_of(Span::at(offset)).start } else { offset }
    }

    /// Maps an offset in the displayed bytes to one in the text.
    fn to_text_offset(&self, shown: usize) -> usize {
        if self.shows_file() { self.view.session.text_offset_of(shown) } else { shown }
    }

    /// The bytes of a part, extended to whole characters.
    fn span(&self, line: usize, part: usize) -> Span {
        let whole = self.lines().span_of(self.text(), line);
        let start = self.edge(whole, whole.start + part * PART);
        Span::new(start, self.edge(whole, whole.start + (part + 1) * PART).max(start))
    }

    /// Offset of the first character that begins at or after `offset`.
    fn edge(&self, line: Span, offset: usize) -> usize {
        if offset <= line.start || offset >= line.end {
            return offset.clamp(line.start, line.end);
        }
        let ahead = self.text().read(Span::new(offset, line.end.min(offset + 3)));
        offset + ahead.iter().take_while(|&&byte| byte & 0xc0 == 0x80).count()
    }

    /// Columns available for the text.
    fn room(&self) -> usize {
        self.view.width(PaneId::Raw).saturating_sub(self.pane.gutter + MARKS).max(8)
    }

    /// The rows of a part's bytes: wrapped, or a single row without the columns scrolled off on the left.
    fn wrapped(&self, bytes: &[u8]) -> Vec<WrappedRow> {
        if self.pane.wrap {
            return wrap(bytes, self.room());
        }
        vec![WrappedRow { start: skip_columns(bytes, self.pane.column), end: bytes.len() }]
    }

    /// The cell of the character at `offset` of the text: its row, and the columns before it.
    pub(super) fn cell_of(&self, offset: usize) -> Option<(Anchor, usize)> {
        let offset = self.to_displayed_offset(offset);
        let at = self.at(offset)?;
        let start = self.offset_of(at)?;
        let before = self.text().read(Span::new(start, offset.max(start)));
        Some((at, self.pane.gutter + MARKS + display_width(&before)))
    }

    /// Offset in the displayed bytes of the first byte of a row. If lines are not wrapped, columns scrolled off on the
    /// left count as part of the row.
    pub(super) fn offset_of(&self, at: Anchor) -> Option<usize> {
        let at = viewport::clamp(self, at)?;
        let span = self.span(at.unit, at.part);
        if !self.pane.wrap {
            return Some(span.start);
        }
        self.wrapped(&self.text().read(span)).get(at.row).map(|row| span.start + row.start)
    }

    /// The row that shows the byte at `offset` of the displayed bytes.
    pub(super) fn at(&self, offset: usize) -> Option<Anchor> {
        let last = self.numbers().end.checked_sub(1)?;
        let line = self.lines().around(self.text(), offset).0.min(last);
        let start = self.lines().span_of(self.text(), line).start;
        let mut part = (offset.saturating_sub(start) / PART).min(self.parts(line) - 1);
        if part > 0 && offset < self.span(line, part).start {
            part -= 1;
        }
        let span = self.span(line, part);
        let rows = self.wrapped(&self.text().read(span));
        let row = rows.iter().rposition(|row| span.start + row.start <= offset).unwrap_or(0);
        Some(Anchor { unit: line, part, row })
    }

    /// True if no byte of a line could be read again.
    fn is_lost(&self, span: Span, bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| byte == LOST) && self.text().is_lost(span)
    }

    /// The line number in the gutter, as in the file. A record with several lines shows it at the first one.
    fn number(&self, line: usize, start: usize) -> String {
        let view = self.view;
        if self.shows_file() || !view.session.is_decoded() {
            // Unknown while only the end of the text is shown.
            return view.line_number(line).map_or_else(|| "·".to_owned(), |number| number.to_string());
        }
        let number = view.file_line(start);
        let before = line.checked_sub(1).map(|before| self.lines().span_of(self.text(), before).start);
        let is_first = before.and_then(|before| view.file_line(before)) != number;
        number.filter(|_| is_first).map_or_else(String::new, |number| number.to_string())
    }

    /// Layout parameters of the rows.
    fn layout(&self) -> RowLayout {
        let column = (!self.pane.wrap).then_some(self.pane.column);
        RowLayout { width: self.room(), column, file: self.shows_file(), borders: self.pane.borders }
    }

    fn lay_out(&self, line: usize, part: usize) -> Vec<Row> {
        let view = self.view;
        let span = self.span(line, part);
        let whole = self.lines().span_of(self.text(), line);
        let bytes = self.text().read(span);
        let gutter = self.pane.gutter;
        let number = self.number(line, whole.start);
        if self.is_lost(span, &bytes) {
            let number = Piece::new(format!("{number:>gutter$}   "), Role::LineNumber);
            let lead = vec![number, Piece::new("lost: the file has changed", Role::Dim)];
            let offset = self.to_text_offset(span.start);
            let item = view.session.document().item_at(offset).unwrap_or(0);
            return vec![Row::words(lead).to(Target::new(item, offset))];
        }
        let told_by = |shown: Span| Span::new(self.to_text_offset(shown.start), self.to_text_offset(shown.end));
        let told = told_by(span);
        let problems_of = if self.shows_file() { told } else { whole };
        let worst = view.problems().worst_in(Span::new(problems_of.start, problems_of.end + 1), |_| true);
        let in_call = view.session.document().item_at(told.start).and_then(|item| view.session.document().call(item));
        let bar = if in_call.is_some() { BAR } else { " " };
        let rest = (!self.pane.wrap && span.end < whole.end).then(|| whole.end - span.end);
        let trail = rest.map(|rest| Piece::new(format!("… {} more", size(rest)), Role::Dim));
        let row = |(index, row): (usize, WrappedRow)| {
            let first = index == 0 && part == 0;
            let number = if first { number.as_str() } else { "" };
            let (sign, role) = worst.filter(|_| first).map_or((" ", Role::Gutter), mark);
            let part = Span::new(span.start + row.start, span.start + row.end);
            let lead = vec![
                Piece::new(format!("{number:>gutter$}"), Role::LineNumber),
                Piece::new(sign, role),
                Piece::new(bar, Role::Gutter),
                Piece::new(if !self.pane.wrap && row.start > 0 { "…" } else { " " }, Role::Dim),
            ];
            let role = if self.shows_file() { Role::Dim } else { Role::Text };
            let styles = self.styles(told_by(part), part);
            let colour_codes = ColourCodes::Pictured;
            let of = if self.shows_file() { ExcerptOf::File } else { ExcerptOf::Text };
            let source = Some(Excerpt { span: part, role, styles, of, colour_codes });
            let trail = trail.clone().into_iter().collect();
            Row { lead, source, trail, ..Row::default() }.to(view.target_at(self.to_text_offset(part.start)))
        };
        self.wrapped(&bytes).into_iter().enumerate().map(row).collect()
    }

    /// The styles of the text in `line`, which is displayed as `shown`: markers, headers, pointers, the undecided tail.
    /// If the file is shown, also which of its bytes are text.
    fn styles(&self, line: Span, shown: Span) -> Vec<(Span, Role)> {
        let view = self.view;
        let document = view.session.document();
        let mut styles = Vec::new();
        let first = document.item_at(line.start).unwrap_or(0);
        let items = document.items();
        for number in (first..).take_while(|&number| items.span(number).is_some_and(|span| span.start <= line.end)) {
            if let Some(call) = document.call(number) {
                self.call_styles(number, &call, line, &mut styles);
            }
        }
        let pending = view.session.pending();
        if !pending.is_empty() && pending.touches(line) {
            styles.push((pending, Role::Pending));
        }
        if self.pane.borders && view.session.is_decoded() {
            styles.extend(view.session.borders(line).into_iter().map(|at| (Span::new(at, at + 1), Role::Chunk)));
        }
        if !self.shows_file() {
            return styles;
        }
        let source = |span: Span| view.session.source_of(span);
        let told = view.session.sources(line).into_iter().map(|span| (span, Role::Text));
        let styled = styles.into_iter().map(|(span, role)| {
            // A call may extend far beyond the displayed bytes, and be spread over the file.
            (source(Span::new(span.start.max(line.start), span.end.min(line.end).max(line.start))), role)
        });
        let waiting = view.session.incomplete_record();
        let waiting = (!waiting.is_empty()).then_some((waiting, Role::Pending));
        told.chain(styled).chain(waiting).filter(|(span, _)| span.touches(shown)).collect()
    }

    fn call_styles(&self, number: usize, call: &Call<'_>, line: Span, styles: &mut Vec<(Span, Role)>) {
        let mut add = |span: Span, role: Role| {
            if span.touches(line) && !span.is_empty() {
                styles.push((span, role));
            }
        };
        add(call.marker, Role::Marker);
        add(call.name.span, Role::Name);
        if let Some(id) = call.id {
            add(id.span, Role::Id);
        }
        for dependency in call.waits_for() {
            add(dependency.span, Role::Dependency);
        }
        add(Span::new(call.body.end, call.span.end), Role::Marker);
        if let Some(assembly) = self.view.assembly(number) {
            let first = assembly
                .arguments
                .partition_point(|argument| argument.value.end.max(argument.pointer.end) < line.start);
            for argument in assembly.arguments[first..].iter().take_while(|argument| argument.marker.start <= line.end)
            {
                add(argument.marker, Role::Marker);
                add(argument.pointer, Role::Pointer);
            }
        }
    }
}
