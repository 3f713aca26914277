//! The declaration pane, next to a text being edited: the YAML of a dialect with its faults underlined, and a status
//! row with the first fault or the origin of the declaration.
//!
//! Offsets in rows refer to the YAML.

use std::ops::Range;
use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::diagnostic::Diagnostic;
use crate::text::Span;
use crate::text::colour_codes::ColourCodes;
use crate::text::wrap::{WrappedRow, display_width, fit, skip_columns, wrap};

use crate::tui::action::{Action, PaneId};
use crate::tui::geometry::Area;
use crate::tui::pane::list::{self, List};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Excerpt, ExcerptOf, Piece, Row, hanging, mark};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::View;
use crate::tui::view::declaration::{DeclarationDraft, DeclarationView, DraftOrigin};
use crate::tui::viewport::{self, Anchor, Units};
use crate::tui::widget::rows::{self, Line};
use crate::tui::widget::words_of;

/// Minimum columns of the line numbers.
const GUTTER: usize = 3;

/// Columns after the line number: a mark for faults, a space.
const MARKS: usize = 2;

/// The declaration pane: its scroll position.
#[derive(Clone, Default)]
pub struct DeclarationEditor {
    /// Line at the top, and its row.
    top: Anchor,
}

impl DeclarationEditor {
    /// Scrolls to the first line: another declaration is shown.
    pub fn rewind(&mut self) {
        self.top = Anchor::default();
    }
}

impl Pane for DeclarationEditor {
    fn title(&self, view: &View) -> Option<String> {
        let draft = view.declaration.draft()?;
        let sign = if !draft.faults.is_empty() {
            " ✗"
        } else if draft.editor.is_changed() {
            " [+]"
        } else {
            ""
        };
        Some(format!("Declaration{sign}"))
    }

    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        let draft = view.declaration.draft()?;
        Some((Box::new(DeclarationUnits { view, draft }), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn draw(&self, buffer: &mut Buffer, area: Area, view: &View, focused: bool, theme: &Theme) {
        let DeclarationView::Draft(draft) = &view.declaration else {
            let lines: Vec<Line> = without_draft(view).into_iter().map(|row| Line::alone(row, false)).collect();
            return rows::draw(buffer, area, &lines, &self.marking(view), view, focused, theme);
        };
        let height = area.height.saturating_sub(1);
        let lines = list::lines(&DeclarationUnits { view, draft }, self.top, usize::from(height));
        rows::draw(buffer, Area { height, ..area }, &lines, &self.marking(view), view, focused, theme);
        if area.height > 0 {
            let last = Area { y: area.y + height, height: 1, ..area };
            words_of(buffer, last, &last_row(draft, usize::from(area.width)), Style::new(), theme);
        }
    }

    fn cursor(&self, view: &View, area: Area) -> Option<(u16, u16)> {
        let draft = view.declaration.draft()?;
        let units = DeclarationUnits { view, draft };
        let (at, column) = units.cell_of(draft.editor.offset())?;
        let shown = viewport::window(&units, self.top, units.room());
        let row = shown.iter().position(|row| *row == at)? as u16;
        Some((area.x + (column as u16).min(area.width.saturating_sub(1)), area.y + row))
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        if action == Action::Toggle && view.declaration.draft().is_none() {
            return Response::ask(Request::NewDialect);
        }
        Response::Ignored
    }

    fn click(&mut self, view: &View, column: usize, row: usize) -> Response {
        let Some(draft) = view.declaration.draft() else { return Response::done() };
        let units = DeclarationUnits { view, draft };
        let rows = viewport::window(&units, self.top, units.room());
        let place = rows.get(row).and_then(|at| units.offset_in(*at, column));
        Response::Done(place.map(Request::PlaceCursor).into_iter().collect())
    }
}

/// The contents of the pane without an editable declaration.
fn without_draft(view: &View) -> Vec<Row> {
    let words = match &view.declaration {
        DeclarationView::Code(info) => format!("{} is code or imported: it has no declaration to be edited", info.name),
        _ => "a call format is declared in a playground; i opens one".to_owned(),
    };
    let width = view.width(PaneId::DeclarationEditor).saturating_sub(2);
    let mut rows = hanging((" ", " "), Role::Dim, &words, width, Role::Text);
    rows.extend(hanging((" ", " "), Role::Dim, "Enter begins a declaration for this text", width, Role::Dim));
    rows
}

/// The row below the YAML: the fault at or after the cursor, or else the origin of the declaration.
fn last_row(draft: &DeclarationDraft, width: usize) -> Row {
    let count = draft.faults.len();
    if let Some((number, fault)) = draft.fault_near() {
        let (sign, role) = mark(fault.severity);
        let place = draft.position(fault.span.start);
        let remedy = fault.remedy.as_ref().map(|remedy| format!("; ctrl-r: {}", remedy.with)).unwrap_or_default();
        let lead = format!("{sign} {}:{} {}{remedy}", place.line, place.column, fault.message);
        let note = if count > 1 { format!("{}/{count} ctrl-n", number + 1) } else { String::new() };
        let room = width.saturating_sub(note.len() + 1);
        return Row::noted(vec![Piece::new(fit(&lead, room), role)], Some(Piece::new(note, Role::Dim)));
    }
    let origin = match (draft.origin, draft.editor.path()) {
        (_, Some(path)) => path.to_string_lossy().into_owned(),
        (DraftOrigin::Embedded, None) => "built in".to_owned(),
        (DraftOrigin::Given | DraftOrigin::New, None) => "no file yet".to_owned(),
    };
    let reads = match (draft.is_applied(), draft.origin) {
        (true, _) => "the text is read with it",
        (false, DraftOrigin::New) => "a template that reads nothing yet",
        (false, _) => "unchanged; the text is read again at each key",
    };
    let words = format!(" · {origin} · {reads}");
    let name = Piece::new(draft.name(), Role::Name);
    let room = width.saturating_sub(name.width());
    Row::words(vec![name, Piece::new(fit(&words, room), Role::Dim)])
}

/// The units of the declaration: its lines.
struct DeclarationUnits<'a> {
    view: &'a View,
    draft: &'a DeclarationDraft,
}

impl Units for DeclarationUnits<'_> {
    /// The empty line after a final line feed counts as a line.
    fn numbers(&self) -> Range<usize> {
        let is_open = self.draft.text.is_empty() || self.draft.editor.text().ends_with('\n');
        0..self.draft.lines.count() + usize::from(is_open)
    }

    fn height(&self, line: usize, _: usize) -> usize {
        self.wrapped(line).len()
    }
}

impl List for DeclarationUnits<'_> {
    fn pane(&self) -> PaneId {
        PaneId::DeclarationEditor
    }

    fn view(&self) -> &View {
        self.view
    }

    fn rows(&self, line: usize, _: usize) -> Rc<Vec<Row>> {
        let draft = self.draft;
        let whole = self.span(line);
        let gutter = self.gutter();
        let is_here = |fault: &&Diagnostic| (whole.start..=whole.end).contains(&fault.span.start);
        let worst = draft.faults.iter().filter(is_here).map(|fault| fault.severity).max();
        let selected = draft.editor.selection();
        let row = |(index, span): (usize, Span)| {
            let number = if index == 0 { (line + 1).to_string() } else { String::new() };
            let (sign, role) = worst.filter(|_| index == 0).map_or((" ", Role::Gutter), mark);
            let lead = vec![
                Piece::new(format!("{number:>gutter$}"), Role::LineNumber),
                Piece::new(sign, role),
                Piece::new(" ", Role::Gutter),
            ];
            let first = draft.colours.partition_point(|(colour, _)| colour.end <= span.start);
            let styles = draft.colours[first..].iter().take_while(|(colour, _)| colour.start < span.end).copied();
            let styles = styles.chain(selected.map(|selected| (selected, Role::Selection))).collect();
            let source = Excerpt {
                span,
                role: Role::Text,
                styles,
                of: ExcerptOf::Declaration,
                colour_codes: ColourCodes::Pictured,
            };
            Row { lead, source: Some(source), ..Row::default() }
        };
        Rc::new(self.wrapped(line).into_iter().enumerate().map(row).collect())
    }

    fn cursor(&self) -> Option<Anchor> {
        self.cell_of(self.draft.editor.offset()).map(|(at, _)| at)
    }

    /// The last row is the status row.
    fn room(&self) -> usize {
        self.view.height(PaneId::DeclarationEditor).saturating_sub(1)
    }
}

impl DeclarationUnits<'_> {
    fn span(&self, line: usize) -> Span {
        self.draft.lines.span_of(&self.draft.text, line)
    }

    fn gutter(&self) -> usize {
        self.numbers().end.to_string().len().max(GUTTER)
    }

    /// The bytes of the wrapped rows of a line.
    fn wrapped(&self, line: usize) -> Vec<Span> {
        let span = self.span(line);
        let room = self.view.width(PaneId::DeclarationEditor).saturating_sub(self.gutter() + MARKS).max(8);
        let rows = wrap(&self.draft.text.read(span), room);
        rows.into_iter().map(|WrappedRow { start, end }| Span::new(span.start + start, span.start + end)).collect()
    }

    /// The cell of the character at an offset: its row, and the columns before it.
    fn cell_of(&self, offset: usize) -> Option<(Anchor, usize)> {
        let last = self.numbers().end.checked_sub(1)?;
        let unit = self.draft.lines.around(&self.draft.text, offset).0.min(last);
        let rows = self.wrapped(unit);
        let row = rows.iter().rposition(|row| row.start <= offset).unwrap_or(0);
        let start = rows.get(row).map_or(offset, |row| row.start);
        let ahead = self.draft.text.read(Span::new(start, offset.max(start)));
        Some((Anchor { unit, row, ..Anchor::default() }, self.gutter() + MARKS + display_width(&ahead)))
    }

    /// Offset of the character at a column of a row; the end of the row for a column after its last character.
    fn offset_in(&self, at: Anchor, column: usize) -> Option<usize> {
        let row = *self.wrapped(at.unit).get(at.row)?;
        let column = column.saturating_sub(self.gutter() + MARKS);
        Some(row.start + skip_columns(&self.draft.text.read(row), column))
    }
}
