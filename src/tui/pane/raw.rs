//! The raw pane: the text as it is, or the file that it was decoded from, with line numbers, markers in colour and
//! problems underlined.
//!
//! The places of rows are offsets in what is shown; what they lead to are offsets in the text. This module does not know
//! how rows are drawn.

use std::rc::Rc;

use crate::document::Call;
use crate::text::store::LOST;
use crate::text::wrap::{Wrap, display_width, wrap};
use crate::text::{Lines, Span, Text};

use crate::diagnostic::Severity;
use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::geometry::Area;
use crate::tui::layout::Slot;
use crate::tui::pane::list::{self, List, MARGIN};
use crate::tui::pane::{Pane, Request, Response, ScrollAnchor};
use crate::tui::row::{BAR, Piece, Row, Source, Target, grouped, mark};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::cache::RowLayout;
use crate::tui::view::origin::Phase;
use crate::tui::viewport::{self, Anchor, Units};
use crate::tui::widget::rows::{Line, Marking};

/// Bytes of a line in one unit: only what is visible is laid out.
const PART: usize = 16 * 1024;

/// Columns after the line number: a mark for problems, a bar for calls, a space.
const MARKS: usize = 3;

/// The least columns of the line numbers.
const GUTTER: usize = 3;

/// The least columns of the line numbers of a text of which nobody knows how long it will be.
const GUTTER_OF_GROWING: usize = 5;

/// Columns that a key moves a cut line sideways.
const SIDEWAYS: usize = 8;

/// The raw pane: its switches, and where it is scrolled to.
#[derive(Clone)]
pub struct Raw {
    /// Line, and its part.
    top: Anchor<(usize, usize)>,
    /// Column that lines are cut at on the left when they are not wrapped.
    column: usize,
    /// Columns of the line numbers: never less than before, so that nothing beside them moves.
    gutter: usize,
    /// Whether long lines are wrapped.
    pub wrap: bool,
    /// Whether it marks where the text goes on elsewhere in the file: the chunks of a stream.
    borders: bool,
}

impl Default for Raw {
    fn default() -> Self {
        Self { top: Anchor::default(), column: 0, gutter: GUTTER, wrap: true, borders: false }
    }
}

impl Raw {
    /// A pane for another text, with the same switches.
    pub fn like(&self) -> Self {
        Self { top: Anchor::default(), ..self.clone() }
    }

    /// Goes back to where a pane was scrolled to.
    pub fn return_to(&mut self, before: &Self) {
        (self.top, self.column) = (before.top, before.column);
    }

    /// The line numbers need not be as wide as they were.
    pub fn forget_gutter(&mut self) {
        self.gutter = 0;
    }

    /// Offset of the first byte of the line at the top, in the text.
    pub fn top_of(&self, view: &View) -> usize {
        view.session.lines().span_of(view.session.text(), self.top.unit.0).start
    }

    fn units<'a>(&'a self, view: &'a View) -> RawUnits<'a> {
        RawUnits { pane: self, view }
    }

    /// Gives the line numbers as many columns as those will need that are still to come, as far as that can be told.
    pub fn widen_gutter(&mut self, view: &View) {
        let whole = view.whole();
        let lines = whole.lines().count().max(if view.in_file { whole.file_lines().count() } else { 0 });
        let read = whole.file().len();
        let size = view.origin.size.map_or(read, |size| read.max(size as usize));
        let expected = (lines as u128 * size as u128).checked_div(read as u128).unwrap_or(0);
        let grows = view.origin.phase == Phase::Following || (view.is_live() && view.origin.size.is_none());
        let least = if grows { GUTTER_OF_GROWING } else { GUTTER };
        self.gutter = self.gutter.max(expected.to_string().len()).max(least);
    }

    fn flip_wrap(&mut self) -> Response {
        self.wrap = !self.wrap;
        self.column = 0;
        let words = if self.wrap { "long lines are wrapped" } else { "long lines are cut; h and l move sideways" };
        Response::Done(vec![Request::Reveal, Request::Tell(words.into(), Role::Dim)])
    }

    /// Shows the file as it stands, or the text that was decoded from it.
    fn flip_file(&mut self, view: &View) -> Response {
        if !view.session.is_decoded() {
            return Response::tell("plain text: the file is the text", Role::Dim);
        }
        self.column = 0;
        self.gutter = 0;
        let words = if view.in_file { "raw: showing the decoded text" } else { "raw: showing the file itself" };
        Response::Done(vec![Request::InFile(!view.in_file), Request::Tell(words.into(), Role::Dim)])
    }

    /// Marks where the text goes on elsewhere in the file, or does not.
    fn flip_borders(&mut self, view: &View) -> Response {
        if !view.session.is_decoded() {
            return Response::tell("plain text: there are no chunks", Role::Dim);
        }
        self.borders = !self.borders;
        let words = if self.borders {
            "raw: chunk boundaries are marked"
        } else {
            "raw: chunk boundaries are not marked"
        };
        Response::tell(words, Role::Dim)
    }
}

impl Pane for Raw {
    fn title(&self, view: &View) -> String {
        match () {
            () if view.editor.is_some() => "Text",
            () if view.in_file && view.session.is_decoded() => "Raw: file",
            () => "Raw",
        }
        .into()
    }

    fn subtitle(&self, view: &View) -> Option<String> {
        let (line, lines) = self.units(view).position();
        Some(match view.line_number(line) {
            Some(number) => format!("{}/{}", grouped(number), grouped(lines)),
            None => "line not known yet".into(),
        })
    }

    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        list::lines(&self.units(view), self.top, height)
    }

    fn selected(&self, view: &View) -> Option<Row> {
        list::selected(&self.units(view))
    }

    fn marking(&self, view: &View) -> Marking {
        Marking { problems: true, chosen: view.selected_span(), ..Marking::default() }
    }

    fn cursor(&self, view: &View, area: Area) -> Option<(u16, u16)> {
        if view.layout.focus != Slot::Raw || !(self.wrap || view.is_typed_in()) {
            return None;
        }
        let units = self.units(view);
        let offset = view.editor.as_ref().map_or(view.selection.offset, |editor| editor.offset());
        let (at, column) = units.cell_of(offset)?;
        let shown = viewport::window(&units, self.top, usize::from(area.height));
        let row = shown.iter().position(|row| *row == at)? as u16;
        let column = column.saturating_sub(self.column) as u16;
        Some((area.x + column.min(area.width.saturating_sub(1)), area.y + row))
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(Motion::Bottom) => Response::ask(Request::End),
            Action::Move(motion) => Response::select(list::moved(&self.units(view), motion)),
            Action::Open | Action::Close if self.wrap => Response::select(neighbour(view, action == Action::Open)),
            Action::Open => {
                self.column += SIDEWAYS;
                Response::done()
            }
            Action::Close => {
                self.column = self.column.saturating_sub(SIDEWAYS);
                Response::done()
            }
            _ => self.act_unfocused(view, action),
        }
    }

    fn act_unfocused(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Wrap => self.flip_wrap(),
            Action::RawFile => self.flip_file(view),
            Action::Borders => self.flip_borders(view),
            _ => Response::Ignored,
        }
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        Response::select(list::target_in_row(&self.units(view), self.top, row))
    }

    fn wheel(&mut self, view: &View, direction: i8, rows: usize) {
        self.top = list::scrolled(&self.units(view), self.top, direction, rows);
    }

    fn reveal(&mut self, view: &View) {
        self.top = list::reveal(&self.units(view), self.top, MARGIN);
    }

    fn raise(&mut self, view: &View) {
        self.top = list::raise(&self.units(view), self.top);
    }

    fn show_end(&mut self, view: &View) {
        self.top = list::end(&self.units(view), self.top);
    }

    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        self.units(view).offset_of(self.top).map(ScrollAnchor::Byte)
    }

    fn restore(&mut self, view: &View, anchor: ScrollAnchor, shift: usize) {
        if let ScrollAnchor::Byte(offset) = anchor {
            self.top = self.units(view).at(offset + shift).unwrap_or(self.top);
        }
    }

    fn prepare(&mut self, view: &View) {
        self.widen_gutter(view);
    }
}

/// The next or the previous character of the text.
fn neighbour(view: &View, forward: bool) -> Option<Target> {
    let text = view.session.text();
    let here = view.selection.offset;
    let offset = if forward {
        let ahead = text.read(Span::new(here + 1, here + 5));
        here + 1 + ahead.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()
    } else {
        let before = text.read(Span::new(here.saturating_sub(4), here));
        here - (1 + before.iter().rev().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()).min(here)
    };
    (offset < text.len()).then(|| view.target_at(offset))
}

/// The units of the raw pane: lines, from 0, and parts of them.
struct RawUnits<'a> {
    pane: &'a Raw,
    view: &'a View,
}

impl Units for RawUnits<'_> {
    type Unit = (usize, usize);

    fn first(&self) -> Option<Self::Unit> {
        (self.count() > 0).then_some((0, 0))
    }

    fn last(&self) -> Option<Self::Unit> {
        let line = self.count().checked_sub(1)?;
        Some((line, self.parts(line) - 1))
    }

    fn next(&self, (line, part): Self::Unit) -> Option<Self::Unit> {
        if part + 1 < self.parts(line) {
            return Some((line, part + 1));
        }
        (line + 1 < self.count()).then_some((line + 1, 0))
    }

    fn previous(&self, (line, part): Self::Unit) -> Option<Self::Unit> {
        match part.checked_sub(1) {
            Some(part) => Some((line, part)),
            None => line.checked_sub(1).map(|line| (line, self.parts(line) - 1)),
        }
    }

    fn height(&self, unit: Self::Unit) -> usize {
        if !self.pane.wrap {
            return 1;
        }
        if let Some(rows) = self.view.cache.borrow().rows(PaneId::Raw, unit, self.layout()) {
            return rows.len();
        }
        let span = self.span(unit);
        let bytes = self.text().read(span);
        if self.is_lost(span, &bytes) { 1 } else { wrap(&bytes, self.room(), Wrap::Words).len() }
    }
}

impl List for RawUnits<'_> {
    const PANE: PaneId = PaneId::Raw;

    fn view(&self) -> &View {
        self.view
    }

    fn rows(&self, unit: (usize, usize)) -> Rc<Vec<Row>> {
        self.view.rows_laid_out(PaneId::Raw, unit, self.layout(), || self.lay_out(unit))
    }

    fn cursor(&self) -> Option<Anchor<(usize, usize)>> {
        self.at(self.shown(self.view.selection.offset))
    }
}

impl<'a> RawUnits<'a> {
    /// Whether the file is shown, and not the text that was decoded from it; so it is while there is no text yet.
    fn shows_file(&self) -> bool {
        self.view.session.is_decoded() && (self.view.in_file || self.view.session.text().is_empty())
    }

    /// What is shown.
    fn text(&self) -> &'a Text {
        if self.shows_file() { self.view.session.file() } else { self.view.session.text() }
    }

    fn lines(&self) -> &'a Lines {
        if self.shows_file() { self.view.session.file_lines() } else { self.view.session.lines() }
    }

    /// Number of lines. Where a text is written, the line that follows the last line feed is one, though nothing is in it.
    fn count(&self) -> usize {
        let (text, count) = (self.text(), self.lines().count());
        let end = text.len();
        let is_open = end == 0 || text.read(Span::new(end - 1, end)).as_ref() == b"\n";
        count + usize::from(self.view.editor.is_some() && is_open)
    }

    /// Where the byte of the text at `offset` is in what is shown.
    fn shown(&self, offset: usize) -> usize {
        if self.shows_file() { self.view.session.source_of(Span::at(offset)).start } else { offset }
    }

    /// What a byte of what is shown is in the text.
    fn told(&self, shown: usize) -> usize {
        if self.shows_file() { self.view.session.decoded_at(shown) } else { shown }
    }

    /// Number of parts of a line. One that is cut at the edge of the pane has one.
    fn parts(&self, line: usize) -> usize {
        if !self.pane.wrap {
            return 1;
        }
        self.lines().span_of(self.text(), line).len().div_ceil(PART).max(1)
    }

    /// The bytes of a part, whole characters only.
    fn span(&self, (line, part): (usize, usize)) -> Span {
        let whole = self.lines().span_of(self.text(), line);
        let start = self.edge(whole, whole.start + part * PART);
        Span::new(start, self.edge(whole, whole.start + (part + 1) * PART).max(start))
    }

    /// The first character that begins at `offset` or behind it.
    fn edge(&self, line: Span, offset: usize) -> usize {
        if offset <= line.start || offset >= line.end {
            return offset.clamp(line.start, line.end);
        }
        let ahead = self.text().read(Span::new(offset, line.end.min(offset + 3)));
        offset + ahead.iter().take_while(|&&byte| byte & 0xc0 == 0x80).count()
    }

    /// Columns that are left for the text.
    fn room(&self) -> usize {
        self.view.width(PaneId::Raw).saturating_sub(self.pane.gutter + MARKS).max(8)
    }

    /// Where what is selected is among the lines that are shown: its line from 0, and their number.
    fn position(&self) -> (usize, usize) {
        // A value that is about to come may begin behind the last line.
        let line = self.lines().line_at(self.text(), self.shown(self.view.selection.offset));
        (line.min(self.count().saturating_sub(1)), self.count())
    }

    /// Where the character at `offset` of the text stands: its row, and the columns in front of it.
    fn cell_of(&self, offset: usize) -> Option<(Anchor<(usize, usize)>, usize)> {
        let offset = self.shown(offset);
        let at = self.at(offset)?;
        let start = self.offset_of(at)?;
        let before = self.text().read(Span::new(start, offset.max(start)));
        Some((at, self.pane.gutter + MARKS + display_width(&before)))
    }

    /// Where the first byte of a row is in what is shown.
    fn offset_of(&self, at: Anchor<(usize, usize)>) -> Option<usize> {
        let at = viewport::settle(self, at)?;
        let span = self.span(at.unit);
        if !self.pane.wrap {
            return Some(span.start);
        }
        let bytes = self.text().read(span);
        wrap(&bytes, self.room(), Wrap::Words).get(at.row).map(|row| span.start + row.start)
    }

    /// The row that shows the byte at `offset` of what is shown.
    fn at(&self, offset: usize) -> Option<Anchor<(usize, usize)>> {
        let last = self.last()?;
        let line = self.lines().line_at(self.text(), offset).min(last.0);
        let start = self.lines().span_of(self.text(), line).start;
        let mut unit = (line, (offset.saturating_sub(start) / PART).min(self.parts(line) - 1));
        let mut span = self.span(unit);
        if offset < span.start && unit.1 > 0 {
            unit.1 -= 1;
            span = self.span(unit);
        }
        let row = if self.pane.wrap {
            let bytes = self.text().read(span);
            let rows = wrap(&bytes, self.room(), Wrap::Words);
            rows.iter().rposition(|row| span.start + row.start <= offset).unwrap_or(0)
        } else {
            0
        };
        Some(Anchor { unit, row })
    }

    /// Whether nothing of a line could be read again.
    fn is_lost(&self, span: Span, bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| byte == LOST) && self.text().is_lost(span)
    }

    /// The row of a line of which nothing could be read again.
    fn lost_row(&self, line: usize, span: Span) -> Row {
        let number = number_of(self.view, line);
        let number = Piece::new(format!("{number:>width$}   ", width = self.pane.gutter), Role::LineNumber);
        let offset = self.told(span.start);
        let item = self.view.session.document().item_at(offset).unwrap_or(0);
        Row::words(vec![number, Piece::new("lost: the file is not what it was", Role::Dim)]).to(Target {
            item,
            node: None,
            offset,
            problem: None,
        })
    }

    /// What the rows are laid out for.
    fn layout(&self) -> RowLayout {
        let column = (!self.pane.wrap).then_some(self.pane.column);
        RowLayout { width: self.room(), column, file: self.shows_file(), borders: self.pane.borders }
    }

    fn lay_out(&self, unit: (usize, usize)) -> Vec<Row> {
        let view = self.view;
        let (line, part) = unit;
        let span = self.span(unit);
        let whole = self.lines().span_of(self.text(), line);
        let bytes = self.text().read(span);
        if self.is_lost(span, &bytes) {
            return vec![self.lost_row(line, span)];
        }
        let rows = if self.pane.wrap {
            wrap(&bytes, self.room(), Wrap::Words)
        } else {
            let cut = crate::text::wrap::skip_columns(&bytes, self.pane.column);
            vec![crate::text::wrap::Row { start: cut, end: bytes.len() }]
        };
        let told_by = |shown: Span| Span::new(self.told(shown.start), self.told(shown.end));
        let told = told_by(span);
        let worst = self.worst(if self.shows_file() { told } else { whole }).filter(|_| part == 0);
        let in_call = view.session.document().item_at(told.start).and_then(|item| view.session.document().call(item));
        let number = number_of(view, line);
        rows.into_iter()
            .enumerate()
            .map(|(index, row)| {
                let first = index == 0 && part == 0;
                let number = if first { number.clone() } else { String::new() };
                let (sign, role) = worst.filter(|_| first).map_or((" ", Role::Gutter), mark);
                let part = Span::new(span.start + row.start, span.start + row.end);
                let leads_to = self.told(part.start);
                let bar = if in_call.is_some() { BAR } else { " " };
                let lead = vec![
                    Piece::new(format!("{number:>width$}", width = self.pane.gutter), Role::LineNumber),
                    Piece::new(sign, role),
                    Piece::new(bar, Role::Gutter),
                    Piece::new(" ", Role::Gutter),
                ];
                let trail = if !self.pane.wrap && span.end < whole.end {
                    vec![Piece::new(format!("… {} more", crate::tui::row::size(whole.end - span.end)), Role::Dim)]
                } else {
                    Vec::new()
                };
                let role = if self.shows_file() { Role::Dim } else { Role::Text };
                let styles = self.styles(told_by(part), part);
                let source = Source { span: part, role, styles, in_file: self.shows_file() };
                Row { target: Some(view.target_at(leads_to)), lead, source: Some(source), trail, ..Row::default() }
            })
            .collect()
    }

    /// The most severe problem that begins on a line.
    fn worst(&self, line: Span) -> Option<Severity> {
        let behind = Span::new(line.start, line.end + 1);
        let numbers = self.view.problems().beginning_in(behind);
        numbers.into_iter().filter_map(|number| self.view.problems().brief(number)).map(|problem| problem.severity).max()
    }

    /// The styles of a stretch of the text that is shown as `shown`: markers, header, pointers, the tail that is not
    /// decided; in a file, which of its bytes are text.
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
            // A call may reach far beyond what is shown, and lie in many places.
            (source(Span::new(span.start.max(line.start), span.end.min(line.end).max(line.start))), role)
        });
        let waiting = view.session.waiting();
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

/// The number of a line as it stands in front of it; a dot while it is not known.
fn number_of(view: &View, line: usize) -> String {
    view.line_number(line).map_or_else(|| "·".to_owned(), |number| number.to_string())
}
