//! The reading pane: prose, then each call as a tree of its parameters, with the problems where they are.
//!
//! A long call or text is several units, so that only what is visible is laid out. This module does not know
//! how rows are drawn.

use std::ops::Range;
use std::rc::Rc;

use crate::document::{Item, ItemKind};
use crate::text::wrap::{Wrap, display_width, wrap};
use crate::text::{Span, Text, trim_end, trim_start};

use super::super::layout::Pane;
use super::super::state::State;
use super::super::theme::Role;
use super::super::viewport::{Anchor, Units};
use super::{Piece, Row, Source, Target, call, conversation, mark, prose, size, wrapped};

/// Bytes of a text in one unit; a line belongs to the unit in which it begins.
const PART: usize = 16 * 1024;

/// Bytes of a line of prose that are shown; the raw pane has the rest.
pub(super) const LINE: usize = 16 * 1024;

/// Lines of a long value that are shown until it is opened.
pub const PREVIEW: usize = 8;

/// The units of the reading pane.
pub struct Reading<'a>(pub &'a State);

impl Units for Reading<'_> {
    type Unit = (usize, usize);

    fn first(&self) -> Option<Self::Unit> {
        (!self.0.session.document().items().is_empty()).then_some((0, 0))
    }

    fn last(&self) -> Option<Self::Unit> {
        let last = self.0.session.document().items().len().checked_sub(1)?;
        Some((last, self.parts(last) - 1))
    }

    fn next(&self, (item, part): Self::Unit) -> Option<Self::Unit> {
        if part + 1 < self.parts(item) {
            return Some((item, part + 1));
        }
        (item + 1 < self.0.session.document().items().len()).then_some((item + 1, 0))
    }

    fn previous(&self, (item, part): Self::Unit) -> Option<Self::Unit> {
        match part.checked_sub(1) {
            Some(part) => Some((item, part)),
            None => item.checked_sub(1).map(|item| (item, self.parts(item) - 1)),
        }
    }

    fn height(&self, unit: Self::Unit) -> usize {
        self.rows(unit).len()
    }
}

impl Reading<'_> {
    /// The rows of a unit.
    pub fn rows(&self, unit: (usize, usize)) -> Rc<Vec<Row>> {
        let state = self.0;
        state.rows(Pane::Reading, unit, || {
            let (item, part) = unit;
            let Some(found) = state.session.document().items().get(item) else { return Vec::new() };
            if state.is_hidden(item) {
                return if part == 0 { conversation::hidden(state, item) } else { Vec::new() };
            }
            let mut rows = if part == 0 { conversation::heading(state, item) } else { Vec::new() };
            let heading = rows.len();
            let span = Self::part_span(found.span(), part);
            rows.extend(match found {
                Item::Text(whole) => text_rows(state, item, span, whole),
                Item::Call(_) => call::rows(state, item, part),
                Item::Result(answer) => conversation::answer(state, item, span, &answer),
                Item::Aside(aside) => conversation::aside(state, item, span, &aside),
            });
            let is_told = part == 0 && rows.len() > heading && !matches!(found, Item::Call(_));
            if is_told && state.session.document().is_withdrawn(item) {
                let lead = vec![Piece::new("┄┄ withdrawn", Role::Warning)];
                rows.insert(heading, Row::words(lead));
            }
            if self.last() == Some(unit) {
                waiting_rows(state, &mut rows);
            }
            rows
        })
    }

    /// The row that shows what is selected.
    pub fn cursor(&self) -> Option<Anchor<(usize, usize)>> {
        let selection = self.0.selection;
        self.0.session.document().items().span(selection.item)?;
        let unit = self.unit_of(selection);
        let rows = self.rows(unit);
        Some(Anchor { unit, row: row_of(&rows, selection)? })
    }

    /// The unit that shows what a row may lead to.
    pub fn unit_of(&self, target: Target) -> (usize, usize) {
        let items = self.0.session.document().items();
        let part = match items.kind(target.item).zip(items.span(target.item)) {
            Some((ItemKind::Text | ItemKind::Result | ItemKind::Aside, span)) => {
                target.offset.saturating_sub(span.start) / PART
            }
            _ => self.entries(target.item).map_or(0, |entries| entries.part_of(target)),
        };
        (target.item, part.min(self.parts(target.item) - 1))
    }

    /// Number of parts of an item. The edge between two stays where it is when the item grows.
    fn parts(&self, item: usize) -> usize {
        let items = self.0.session.document().items();
        match items.kind(item).zip(items.span(item)) {
            Some((ItemKind::Text, span)) => span.len().div_ceil(PART).max(1),
            Some((ItemKind::Result | ItemKind::Aside, span)) if self.0.is_piece_open(item) => {
                span.len().div_ceil(PART).max(1)
            }
            Some((ItemKind::Call, _)) => self.entries(item).map_or(1, |entries| entries.parts()),
            _ => 1,
        }
    }

    /// What the rows of a call are about that is shown.
    fn entries(&self, item: usize) -> Option<call::Entries<'_>> {
        if self.0.is_hidden(item) { None } else { call::Entries::of(self.0, item) }
    }

    fn part_span(span: Span, part: usize) -> Span {
        let start = span.start + part * PART;
        Span::new(start, span.end.min(start + PART))
    }
}

/// What the text waits for, below all that has arrived.
fn waiting_rows(state: &State, rows: &mut Vec<Row>) {
    let Some(waiting) = state.waiting().filter(|waiting| waiting.is_open) else { return };
    let blank = rows.pop_if(|row| *row == Row::default());
    for (index, line) in wrapped(&waiting.words, state.width(Pane::Reading).saturating_sub(2)).into_iter().enumerate() {
        let lead = if index == 0 { "… " } else { "  " };
        rows.push(Row::words(vec![Piece::new(lead, Role::Pending), Piece::new(line, Role::Pending)]));
    }
    rows.extend(blank);
}

/// The row among `rows` that shows the selection best: the problem itself, else the same node, nearest above.
pub fn row_of(rows: &[Row], selection: Target) -> Option<usize> {
    let targets = || rows.iter().enumerate().filter_map(|(index, row)| row.target.map(|target| (index, target)));
    if selection.problem.is_some()
        && let Some((index, _)) = targets().find(|(_, target)| target.problem == selection.problem)
    {
        return Some(index);
    }
    let plain = || targets().filter(|(_, target)| target.problem.is_none());
    let same = || plain().filter(|(_, target)| target.node == selection.node);
    let near = |candidates: &mut dyn Iterator<Item = (usize, Target)>| {
        candidates.filter(|(_, target)| target.offset <= selection.offset).last().map(|(index, _)| index)
    };
    near(&mut same())
        .or_else(|| same().next().map(|(index, _)| index))
        .or_else(|| near(&mut plain()))
        .or_else(|| targets().next().map(|(index, _)| index))
}

/// The lines that begin in a part of a piece, to the end of the last one, as far as that is shown.
pub(super) fn whole_lines(text: &Text, part: Span, whole: Span) -> Option<Span> {
    let mut start = part.start;
    if start > whole.start {
        let before = text.read(Span::new(start - 1, part.end));
        start += memchr::memchr(b'\n', &before)?;
    }
    let mut end = part.end;
    if end < whole.end {
        let after = text.read(Span::new(end - 1, (end + LINE).min(whole.end)));
        end = memchr::memchr(b'\n', &after).map_or(end + LINE, |feed| end + feed).min(whole.end);
    }
    Some(Span::new(start, end))
}

/// The rows of a part of a text.
fn text_rows(state: &State, item: usize, part: Span, whole: Span) -> Vec<Row> {
    let text = state.session.text();
    let Some(Span { start, end }) = whole_lines(text, part, whole) else { return Vec::new() };
    let bytes = text.read(Span::new(start, end));
    let words = String::from_utf8_lossy(&bytes);
    let looks = if words.len() == bytes.len() { prose::looks(&words) } else { prose::Looks::default() };
    let moved = |range: Range<usize>| Span::new(start + range.start, start + range.end);
    let styles: Vec<(Span, Role)> = looks.styles.into_iter().map(|(range, role)| (moved(range), role)).collect();
    let width = state.width(Pane::Reading);
    // Blank lines around a text say nothing.
    let skipped = if start == whole.start { leading_blank(&bytes) } else { 0 };
    let kept = if end == whole.end { trim_end(&bytes) } else { bytes.len() };
    let mut rows = Vec::new();
    let mut at = skipped.min(kept);
    while at < kept {
        let paragraph = looks.paragraphs.iter().find(|paragraph| paragraph.start == at);
        let feed = match paragraph {
            Some(paragraph) => at + bytes[at..paragraph.end].trim_ascii_end().len(),
            None => memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |feed| at + feed),
        };
        line_rows(state, item, Span::new(start + at, start + feed), &styles, width, &mut rows);
        problem_rows(state, item, Span::new(start + at, start + feed + 1), "  ", width, &mut rows);
        at = memchr::memchr(b'\n', &bytes[feed..]).map_or(bytes.len(), |ahead| feed + ahead) + 1;
    }
    if !rows.is_empty() && end == whole.end {
        rows.push(Row::default());
    }
    rows
}

/// Bytes of the blank lines that a text begins with.
fn leading_blank(bytes: &[u8]) -> usize {
    let blank = trim_start(bytes);
    memchr::memrchr(b'\n', &bytes[..blank]).map_or(0, |feed| feed + 1)
}

/// The rows of a line of prose, or of the joined lines of a paragraph.
fn line_rows(state: &State, item: usize, line: Span, styles: &[(Span, Role)], width: usize, rows: &mut Vec<Row>) {
    let shown = Span::new(line.start, line.end.min(line.start + LINE));
    let mut bytes = state.session.text().read(shown).into_owned();
    // A line break within a paragraph is a space to a reader.
    bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    let styles: Vec<(Span, Role)> = styles.iter().copied().filter(|(span, _)| span.touches(line)).collect();
    for row in wrap(&bytes, width, Wrap::Words) {
        let span = Span::new(line.start + row.start, line.start + row.end);
        let source = Source { span, role: Role::Text, styles: styles.clone(), in_file: false };
        let target = Target { item, node: None, offset: span.start, problem: None };
        rows.push(Row { source: Some(source), ..Row::default() }.to(target));
    }
    if shown.end < line.end {
        let words = format!("… this line goes on for {}; the raw pane shows it", size(line.end - shown.end));
        rows.push(Row::words(vec![Piece::new(words, Role::Dim)]));
    }
}

/// The rows of the problems that begin in `span`, each led by `indent`.
pub(super) fn problem_rows(state: &State, item: usize, span: Span, indent: &str, width: usize, rows: &mut Vec<Row>) {
    for number in state.problems().beginning_in(span) {
        problem_row(state, item, number, indent, width, rows);
    }
}

/// The rows of a problem, led by `indent`.
pub(super) fn problem_row(state: &State, item: usize, number: usize, indent: &str, width: usize, rows: &mut Vec<Row>) {
    let Some(problem) = state.problem(number) else { return };
    let (offset, node) = (problem.span.start, state.node_at(item, problem.span.start));
    let target = Target { item, node, offset, problem: Some(number) };
    let (sign, role) = mark(problem.severity);
    let room = width.saturating_sub(display_width(indent.as_bytes()) + 2).max(10);
    for (index, line) in wrapped(&problem.message, room).into_iter().enumerate() {
        let sign = if index == 0 { format!("{sign} ") } else { "  ".into() };
        let lead = vec![Piece::new(indent, Role::Gutter), Piece::new(sign, role), Piece::new(line, role)];
        rows.push(Row::words(lead).to(target));
    }
    for line in wrapped(&problem.help_text(), room) {
        let lead = vec![Piece::new(indent, Role::Gutter), Piece::new("  ", Role::Dim), Piece::new(line, Role::Dim)];
        rows.push(Row::words(lead).to(target));
    }
}
