//! The reading pane: prose, then each call as a tree of its parameters, with the problems where they are.
//!
//! A long call or text is several units, so that only what is visible is laid out. This module does not know
//! how rows are drawn.

mod call;
mod conversation;
mod entries;
mod prose;

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use crate::document::{Item, ItemKind};
use crate::params::{NodeId, ROOT, Value};
use crate::text::wrap::{Wrap, display_width, wrap};
use crate::text::{Span, Text, trim_end, trim_start};

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::pane::list::{self, List, MARGIN, RowAnchor};
use crate::tui::pane::{Pane, Request, Response, ScrollAnchor};
use crate::tui::row::{Excerpt, LINE, Piece, Row, Target, mark, size, wrapped};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::origin::Phase;
use crate::tui::viewport::{Anchor, Units};
use crate::tui::widget::rows::{Line, Marking};
use entries::Entries;

/// Bytes of a text in one unit; a line belongs to the unit in which it begins.
const PART: usize = 16 * 1024;

/// Lines of a long value that are shown until it is opened.
const PREVIEW: usize = 8;

/// The reading pane: what is folded in it, and where it is scrolled to.
#[derive(Clone, Default)]
pub struct Reading {
    /// Number of the item at the top, and its part from 0.
    top: Anchor<(usize, usize)>,
    /// Calls and subtrees that are folded; calls that are not, if all are folded.
    changed: HashSet<(usize, Option<NodeId>)>,
    /// Long values that are shown whole.
    values_open: HashSet<(usize, NodeId)>,
    /// Whether calls are folded unless they are listed.
    all_closed: bool,
}

impl Reading {
    /// Offset of the first byte of the item at the top.
    pub fn top_of(&self, view: &View) -> usize {
        view.session.document().items().span(self.top.unit.0).map_or(0, |span| span.start)
    }

    /// Forgets what is folded, but for whether all calls are.
    pub fn forget_folds(&mut self) {
        self.changed.clear();
        self.values_open.clear();
    }

    /// A pane for another text, in which calls are folded if they are in this one.
    pub fn like(&self) -> Self {
        Self { all_closed: self.all_closed, ..Self::default() }
    }

    /// Adds what was folded in another one.
    pub fn merge(&mut self, before: Self) {
        if self.all_closed == before.all_closed {
            self.changed.extend(before.changed);
        }
        self.values_open.extend(before.values_open);
    }

    /// Whether a call, or a subtree of it, is unfolded.
    fn is_open(&self, item: usize, node: Option<NodeId>) -> bool {
        self.changed.contains(&(item, node)) == (node.is_none() && self.all_closed)
    }

    /// Whether a value is shown whole.
    fn is_whole(&self, item: usize, node: NodeId) -> bool {
        self.values_open.contains(&(item, node))
    }

    /// Whether a result, or what belongs to neither text nor call, is shown whole.
    fn is_piece_open(&self, item: usize) -> bool {
        self.is_whole(item, ROOT)
    }

    fn flip_fold(&mut self, item: usize, node: Option<NodeId>) {
        if !self.changed.remove(&(item, node)) {
            self.changed.insert((item, node));
        }
    }

    fn flip(&mut self, item: usize, node: Option<NodeId>) -> Response {
        self.flip_fold(item, node);
        Response::ask(Request::Refold)
    }

    fn units<'a>(&'a self, view: &'a View) -> ReadingUnits<'a> {
        ReadingUnits { pane: self, view }
    }

    /// Shows a piece whole, or only how it begins.
    fn set_piece(&mut self, view: &View, open: bool) -> Response {
        let item = view.selection.item;
        if self.is_piece_open(item) == open {
            return Response::done();
        }
        if open {
            self.values_open.insert((item, ROOT));
            return Response::ask(Request::Refold);
        }
        self.values_open.remove(&(item, ROOT));
        let start = view.session.document().items().span(item).map_or(view.selection.offset, |span| span.start);
        Response::Done(vec![Request::Select(Target { offset: start, ..view.selection }), Request::Refold])
    }

    /// Shows a plain value whole, or only how it begins.
    fn set_value(&mut self, item: usize, node: NodeId, open: bool) -> Response {
        if open {
            self.values_open.insert((item, node));
        } else {
            self.values_open.remove(&(item, node));
        }
        Response::ask(Request::Refold)
    }

    /// What a key does with the plain value that is selected, here or in the outline.
    fn act_on_value(&mut self, view: &View, action: Action) -> Response {
        let Target { item, node, .. } = view.selection;
        let Some(node) = node else { return Response::done() };
        match action {
            Action::Open => self.set_value(item, node, true),
            Action::Close if self.is_whole(item, node) => self.set_value(item, node, false),
            Action::Close => Response::select(Some(view.around(view.selection))),
            _ => self.set_value(item, node, !self.is_whole(item, node)),
        }
    }

    /// Folds or unfolds all calls.
    fn fold_all(&mut self, closed: bool) -> Response {
        self.changed.clear();
        self.all_closed = closed;
        Response::ask(Request::Refold)
    }
}

impl Pane for Reading {
    fn title(&self, _: &View) -> String {
        "Reading".into()
    }

    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        list::lines(&self.units(view), self.top, height)
    }

    fn selected(&self, view: &View) -> Option<Row> {
        list::selected(&self.units(view))
    }

    fn marking(&self, _: &View) -> Marking {
        Marking { withdrawn: true, problems: true, ..Marking::default() }
    }

    fn placeholder(&self, view: &View) -> &'static str {
        match view.origin.phase {
            Phase::Loading => "loading …",
            _ if !view.session.file().is_empty() => "waiting for the rest of the first record",
            Phase::Following => "nothing yet; waiting for more",
            _ => "the text is empty",
        }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        let Target { item, node, problem, .. } = view.selection;
        let is_piece = matches!(view.session.document().items().kind(item), Some(ItemKind::Result | ItemKind::Aside));
        let is_call = view.session.document().call(item).is_some();
        match action {
            Action::Move(Motion::Bottom) => Response::ask(Request::End),
            Action::Move(motion) => Response::select(list::moved(&self.units(view), motion)),
            Action::Open | Action::Close if is_piece => self.set_piece(view, action == Action::Open),
            Action::Toggle if is_piece => self.set_piece(view, !self.is_piece_open(item)),
            Action::Open | Action::Close | Action::Toggle if !is_call => Response::done(),
            Action::Open | Action::Close | Action::Toggle if !view.can_fold(item, node) => {
                self.act_on_value(view, action)
            }
            Action::Open if self.is_open(item, node) => {
                Response::select(list::moved(&self.units(view), Motion::Line(1)))
            }
            Action::Close if problem.is_some() || !self.is_open(item, node) => {
                Response::select(Some(view.around(view.selection)))
            }
            Action::Open | Action::Close | Action::Toggle => self.flip(item, node),
            _ => self.act_unfocused(view, action),
        }
    }

    fn act_unfocused(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::FoldAll | Action::UnfoldAll => self.fold_all(action == Action::FoldAll),
            Action::Open | Action::Close | Action::Toggle if view.layout.focused() == PaneId::Outline => {
                self.act_on_value(view, action)
            }
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

    fn unfold(&mut self, view: &View) -> bool {
        let Target { item, node, offset, .. } = view.selection;
        let Some(assembly) = view.assembly(item) else { return false };
        let mut path = vec![None];
        let mut at = node;
        while let Some(id) = at.filter(|&id| id != ROOT) {
            path.push(Some(id));
            at = Some(assembly.tree.node(id).parent);
        }
        let mut changed = false;
        for node in path {
            if !self.is_open(item, node) && view.can_fold(item, node) {
                self.flip_fold(item, node);
                changed = true;
            }
        }
        if let Some(id) = node
            && let Value::Scalar(_, span) = assembly.tree.node(id).value
        {
            let before = view.session.text().read(Span::new(span.start, offset));
            let far = memchr::memchr_iter(b'\n', &before).count() >= PREVIEW;
            changed |= far && self.values_open.insert((item, id));
        }
        changed
    }

    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        RowAnchor::at_top(&self.units(view), self.top).map(|(_, anchor)| ScrollAnchor::Row(anchor))
    }

    fn restore(&mut self, view: &View, anchor: ScrollAnchor, shift: usize) {
        let ScrollAnchor::Row(anchor) = anchor else { return };
        let units = self.units(view);
        let Some(target) = anchor.moved(view, shift) else { return };
        let unit = units.unit_of(target);
        // A row behind the edge of a part may belong to a line that begins in the part before.
        let is_there = |unit: &(usize, usize)| units.rows(*unit).iter().any(|row| row.target == Some(target));
        let before = (unit.0, unit.1.saturating_sub(1));
        let unit = [unit, before].into_iter().find(is_there).unwrap_or(unit);
        self.top = anchor.top(&units, unit, target).unwrap_or(self.top);
    }

    fn renumber(&mut self, number: &dyn Fn(usize) -> Option<usize>) {
        self.changed = self.changed.iter().filter_map(|&(item, node)| Some((number(item)?, node))).collect();
        self.values_open = self.values_open.iter().filter_map(|&(item, node)| Some((number(item)?, node))).collect();
    }
}

/// The units of the reading pane.
struct ReadingUnits<'a> {
    pane: &'a Reading,
    view: &'a View,
}

impl Units for ReadingUnits<'_> {
    type Unit = (usize, usize);

    fn first(&self) -> Option<Self::Unit> {
        (!self.view.session.document().items().is_empty()).then_some((0, 0))
    }

    fn last(&self) -> Option<Self::Unit> {
        let last = self.view.session.document().items().len().checked_sub(1)?;
        Some((last, self.parts(last) - 1))
    }

    fn next(&self, (item, part): Self::Unit) -> Option<Self::Unit> {
        if part + 1 < self.parts(item) {
            return Some((item, part + 1));
        }
        (item + 1 < self.view.session.document().items().len()).then_some((item + 1, 0))
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

impl List for ReadingUnits<'_> {
    const PANE: PaneId = PaneId::Reading;

    fn view(&self) -> &View {
        self.view
    }

    fn rows(&self, unit: (usize, usize)) -> Rc<Vec<Row>> {
        let view = self.view;
        view.rows(PaneId::Reading, unit, || {
            let (item, part) = unit;
            let Some(found) = view.session.document().items().get(item) else { return Vec::new() };
            if view.is_hidden(item) {
                return if part == 0 { conversation::hidden(view, item) } else { Vec::new() };
            }
            let mut rows = if part == 0 { conversation::heading(view, item) } else { Vec::new() };
            let heading = rows.len();
            let span = Self::part_span(found.span(), part);
            rows.extend(match found {
                Item::Text(whole) => text_rows(view, item, span, whole),
                Item::Call(_) => call::rows(self.pane, view, item, part),
                Item::Result(answer) => conversation::answer(self.pane, view, item, span, &answer),
                Item::Aside(aside) => conversation::aside(self.pane, view, item, span, &aside),
            });
            let is_told = part == 0 && rows.len() > heading && !matches!(found, Item::Call(_));
            if is_told && view.session.document().is_withdrawn(item) {
                let lead = vec![Piece::new("┄┄ withdrawn", Role::Warning)];
                rows.insert(heading, Row::words(lead));
            }
            if self.last() == Some(unit) {
                waiting_rows(view, &mut rows);
            }
            rows
        })
    }

    fn cursor(&self) -> Option<Anchor<(usize, usize)>> {
        let selection = self.view.selection;
        self.view.session.document().items().span(selection.item)?;
        let unit = self.unit_of(selection);
        let rows = self.rows(unit);
        Some(Anchor { unit, row: list::row_of(&rows, selection)? })
    }
}

impl ReadingUnits<'_> {
    /// The unit that shows what a row may lead to.
    fn unit_of(&self, target: Target) -> (usize, usize) {
        let items = self.view.session.document().items();
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
        let items = self.view.session.document().items();
        match items.kind(item).zip(items.span(item)) {
            Some((ItemKind::Text, span)) => span.len().div_ceil(PART).max(1),
            Some((ItemKind::Result | ItemKind::Aside, span)) if self.pane.is_piece_open(item) => {
                span.len().div_ceil(PART).max(1)
            }
            Some((ItemKind::Call, _)) => self.entries(item).map_or(1, |entries| entries.parts()),
            _ => 1,
        }
    }

    /// What the rows of a call are about that is shown.
    fn entries(&self, item: usize) -> Option<Entries<'_>> {
        if self.view.is_hidden(item) { None } else { Entries::new(self.pane, self.view, item) }
    }

    fn part_span(span: Span, part: usize) -> Span {
        let start = span.start + part * PART;
        Span::new(start, span.end.min(start + PART))
    }
}

/// What the text waits for, below all that has arrived.
fn waiting_rows(view: &View, rows: &mut Vec<Row>) {
    let Some(waiting) = view.waiting().filter(|waiting| waiting.is_open) else { return };
    let blank = rows.pop_if(|row| *row == Row::default());
    for (index, line) in wrapped(&waiting.words, view.width(PaneId::Reading).saturating_sub(2)).into_iter().enumerate()
    {
        let lead = if index == 0 { "… " } else { "  " };
        rows.push(Row::words(vec![Piece::new(lead, Role::Pending), Piece::new(line, Role::Pending)]));
    }
    rows.extend(blank);
}

/// The lines that begin in a part of a piece, to the end of the last one, as far as that is shown.
fn whole_lines(text: &Text, part: Span, whole: Span) -> Option<Span> {
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
fn text_rows(view: &View, item: usize, part: Span, whole: Span) -> Vec<Row> {
    let text = view.session.text();
    let Some(Span { start, end }) = whole_lines(text, part, whole) else { return Vec::new() };
    let bytes = text.read(Span::new(start, end));
    let words = String::from_utf8_lossy(&bytes);
    let looks = if words.len() == bytes.len() { prose::looks(&words) } else { prose::Looks::default() };
    let moved = |range: Range<usize>| Span::new(start + range.start, start + range.end);
    let styles: Vec<(Span, Role)> = looks.styles.into_iter().map(|(range, role)| (moved(range), role)).collect();
    let width = view.width(PaneId::Reading);
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
        line_rows(view, item, Span::new(start + at, start + feed), &styles, width, &mut rows);
        problem_rows(view, item, Span::new(start + at, start + feed + 1), "  ", width, &mut rows);
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
fn line_rows(view: &View, item: usize, line: Span, styles: &[(Span, Role)], width: usize, rows: &mut Vec<Row>) {
    let shown = Span::new(line.start, line.end.min(line.start + LINE));
    let mut bytes = view.session.text().read(shown).into_owned();
    // A line break within a paragraph is a space to a reader.
    bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    let styles: Vec<(Span, Role)> = styles.iter().copied().filter(|(span, _)| span.touches(line)).collect();
    for row in wrap(&bytes, width, Wrap::Words) {
        let span = Span::new(line.start + row.start, line.start + row.end);
        let source = Excerpt { span, role: Role::Text, styles: styles.clone(), in_file: false };
        let target = Target { item, node: None, offset: span.start, problem: None };
        rows.push(Row { source: Some(source), ..Row::default() }.to(target));
    }
    if shown.end < line.end {
        let words = format!("… this line goes on for {}; the raw pane shows it", size(line.end - shown.end));
        rows.push(Row::words(vec![Piece::new(words, Role::Dim)]));
    }
}

/// The rows of the problems that begin in `span`, each led by `indent`.
fn problem_rows(view: &View, item: usize, span: Span, indent: &str, width: usize, rows: &mut Vec<Row>) {
    for number in view.problems().beginning_in(span) {
        problem_row(view, item, number, indent, width, rows);
    }
}

/// The rows of a problem, led by `indent`.
fn problem_row(view: &View, item: usize, number: usize, indent: &str, width: usize, rows: &mut Vec<Row>) {
    let Some(problem) = view.problem(number) else { return };
    let (offset, node) = (problem.span.start, view.node_at(item, problem.span.start));
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
