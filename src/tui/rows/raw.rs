//! The raw pane: the text as it is, with line numbers, markers in colour and problems underlined.
//!
//! This module does not know how rows are drawn.

use crate::document::Call;
use crate::text::store::LOST;
use crate::text::wrap::{Wrap, wrap};
use crate::text::{Span, lines::Lines};

use super::super::layout::Pane;
use super::super::state::State;
use super::super::theme::Role;
use super::super::viewport::{self, Anchor, Units};
use super::{Piece, Row, Source, Target, mark};
use crate::diagnostic::Severity;

/// Bytes of a line that are shown.
const LINE: usize = 64 * 1024;

/// Columns behind the line number: a mark for problems, a bar for calls, a space.
const MARKS: usize = 3;

/// The units of the raw pane: lines, from 0.
pub struct Raw<'a>(pub &'a State);

impl Units for Raw<'_> {
    type Unit = usize;

    fn first(&self) -> Option<usize> {
        (self.lines().count() > 0).then_some(0)
    }

    fn last(&self) -> Option<usize> {
        self.lines().count().checked_sub(1)
    }

    fn next(&self, unit: usize) -> Option<usize> {
        (unit + 1 < self.lines().count()).then_some(unit + 1)
    }

    fn previous(&self, unit: usize) -> Option<usize> {
        unit.checked_sub(1)
    }

    fn height(&self, unit: usize) -> usize {
        if !self.0.wrap_raw {
            return 1;
        }
        let span = self.span(unit);
        let bytes = self.0.session.text().read(span);
        if self.is_lost(span, &bytes) { 1 } else { wrap(&bytes, self.room(), Wrap::Words).len() }
    }
}

impl<'a> Raw<'a> {
    fn lines(&self) -> &'a Lines {
        self.0.session.lines()
    }

    fn span(&self, line: usize) -> Span {
        let span = self.lines().span_of(self.0.session.text(), line);
        Span::new(span.start, span.end.min(span.start + LINE))
    }

    /// Columns that are left for the text.
    fn room(&self) -> usize {
        self.0.width(Pane::Raw).saturating_sub(self.0.gutter + MARKS).max(8)
    }

    /// The row that shows what is selected.
    pub fn cursor(&self) -> Option<Anchor<usize>> {
        self.at(self.0.selection.offset)
    }

    /// The offset of the first byte of a row.
    pub fn offset_of(&self, at: Anchor<usize>) -> Option<usize> {
        let at = viewport::settle(self, at)?;
        let span = self.span(at.unit);
        if !self.0.wrap_raw {
            return Some(span.start);
        }
        let bytes = self.0.session.text().read(span);
        wrap(&bytes, self.room(), Wrap::Words).get(at.row).map(|row| span.start + row.start)
    }

    /// The row that shows the byte at `offset`.
    pub fn at(&self, offset: usize) -> Option<Anchor<usize>> {
        let line = self.lines().line_at(self.0.session.text(), offset).min(self.last()?);
        let span = self.span(line);
        let row = if self.0.wrap_raw {
            let bytes = self.0.session.text().read(span);
            let rows = wrap(&bytes, self.room(), Wrap::Words);
            rows.iter().rposition(|row| span.start + row.start <= offset).unwrap_or(0)
        } else {
            0
        };
        Some(Anchor { unit: line, row })
    }

    /// Whether nothing of a line could be read again.
    fn is_lost(&self, span: Span, bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| byte == LOST) && self.0.session.text().is_lost(span)
    }

    /// The row of a line of which nothing could be read again.
    fn lost_row(&self, line: usize, span: Span) -> Row {
        let number = number_of(self.0, line);
        let number = Piece::new(format!("{number:>width$}   ", width = self.0.gutter), Role::LineNumber);
        let target = Target { item: 0, node: None, offset: span.start, problem: None };
        let item = self.0.session.document().item_at(span.start).unwrap_or(0);
        Row::words(vec![number, Piece::new("lost: the file is not what it was", Role::Dim)])
            .to(Target { item, ..target })
    }

    /// The rows of a line.
    pub fn rows(&self, line: usize) -> Vec<Row> {
        let state = self.0;
        let span = self.span(line);
        let whole = self.lines().span_of(state.session.text(), line);
        let bytes = state.session.text().read(span);
        if self.is_lost(span, &bytes) {
            return vec![self.lost_row(line, span)];
        }
        let rows = if state.wrap_raw {
            wrap(&bytes, self.room(), Wrap::Words)
        } else {
            let cut = crate::text::wrap::skip_columns(&bytes, state.tops.raw_column);
            vec![crate::text::wrap::Row { start: cut, end: bytes.len() }]
        };
        let styles = self.styles(span);
        let worst = self.worst(whole);
        let in_call = state.session.document().item_at(span.start).and_then(|item| state.session.document().call(item));
        let selected = state.selected_span();
        let number = number_of(state, line);
        rows.into_iter()
            .enumerate()
            .map(|(index, row)| {
                let number = if index == 0 { number.clone() } else { String::new() };
                let (sign, role) = worst.filter(|_| index == 0).map_or((" ", Role::Gutter), mark);
                let part = Span::new(span.start + row.start, span.start + row.end);
                let bar = match in_call {
                    Some(_) if selected.contains(part.start) => Piece::new("▌", Role::Name),
                    Some(_) => Piece::new("▏", Role::Gutter),
                    None => Piece::new(" ", Role::Gutter),
                };
                let lead = vec![
                    Piece::new(format!("{number:>width$}", width = state.gutter), Role::LineNumber),
                    Piece::new(sign, role),
                    bar,
                    Piece::new(" ", Role::Gutter),
                ];
                let trail = if span.end < whole.end && row.end == bytes.len() {
                    vec![Piece::new(format!("… {} more", super::size(whole.end - span.end)), Role::Dim)]
                } else {
                    Vec::new()
                };
                let source = Source { span: part, role: Role::Text, styles: styles.clone() };
                Row { target: Some(state.target_at(part.start)), lead, source: Some(source), trail, note: Vec::new() }
            })
            .collect()
    }

    /// The most severe problem that begins on a line.
    fn worst(&self, line: Span) -> Option<Severity> {
        let behind = Span::new(line.start, line.end + 1);
        let numbers = self.0.problems().beginning_in(behind);
        numbers.into_iter().filter_map(|number| self.0.problems().brief(number)).map(|problem| problem.severity).max()
    }

    /// The styles of what is on a line: markers, header, pointers, the tail that is not decided, problems.
    fn styles(&self, line: Span) -> Vec<(Span, Role)> {
        let state = self.0;
        let document = state.session.document();
        let mut styles = Vec::new();
        let first = document.item_at(line.start).unwrap_or(0);
        let items = document.items();
        for number in (first..).take_while(|&number| items.span(number).is_some_and(|span| span.start <= line.end)) {
            if let Some(call) = document.call(number) {
                self.call_styles(number, &call, line, &mut styles);
            }
        }
        let pending = state.session.pending();
        if !pending.is_empty() && pending.touches(line) {
            styles.push((pending, Role::Pending));
        }
        styles
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
        if let Some(assembly) = self.0.assembly(number) {
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

/// The number of a line as it stands in front of it; a dot while it is not known.
fn number_of(state: &State, line: usize) -> String {
    state.line_number(line).map_or_else(|| "·".to_owned(), |number| number.to_string())
}
