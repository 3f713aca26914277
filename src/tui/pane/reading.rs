//! The reading pane: prose, and each call as a tree of its parameters with its problems in place.
//!
//! A long call or text is split into several units, so that only the visible ones are laid out.

mod call;
mod conversation;
mod edit;
mod entries;
mod language;
mod prose;
mod text;
mod value;

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use crate::document::{Item, ItemKind};
use crate::filter::MissingFacts;
use crate::text::Span;
use crate::text::wrap::display_width;
use crate::value::{NodeId, ROOT, Value};

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::pane::folds::Folds;
use crate::tui::pane::list::{self, List};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Piece, Row, Target, hanging, mark};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::notes::{SIGN, words};
use crate::tui::view::origin::Phase;
use crate::tui::viewport::{self, Anchor, Units};
use crate::tui::widget::rows::Marking;
use edit::edit_pair;
use entries::Entries;
use text::{ItemPart, PART};

/// Lines of a long value that are shown until it is opened.
const PREVIEW: usize = 8;

/// The reading pane: its folds and scroll position.
#[derive(Clone)]
pub struct Reading {
    /// Number of the item at the top, and its part, from 0.
    top: Anchor,
    folds: Folds,
    /// Long values that are shown in full. `ROOT` represents the whole item, for items other than calls.
    values_open: HashSet<(usize, NodeId)>,
}

impl Default for Reading {
    fn default() -> Self {
        Self { top: Anchor::default(), folds: Folds::new(true), values_open: HashSet::new() }
    }
}

impl Reading {
    /// Offset of the first byte of the item at the top.
    pub fn top_of(&self, view: &View) -> usize {
        view.session.document().items().span(self.top.unit).map_or(0, |span| span.start)
    }

    /// Scrolls to the heading before an item, if the item is at the top.
    pub fn show_heading(&mut self, item: usize) {
        if self.top.unit == item && self.top.part == 0 {
            self.top.row = 0;
        }
    }

    /// Resets all folds to the default that was chosen for calls.
    pub fn forget_folds(&mut self) {
        self.folds.forget();
        self.values_open.clear();
    }

    /// Adds the folds of another instance.
    pub fn merge(&mut self, before: Self) {
        self.folds.merge(before.folds);
        self.values_open.extend(before.values_open);
    }

    /// True if a value is shown in full.
    fn is_whole(&self, item: usize, node: NodeId) -> bool {
        self.values_open.contains(&(item, node))
    }

    fn set_whole(&mut self, item: usize, node: NodeId, whole: bool) {
        if whole {
            self.values_open.insert((item, node));
        } else {
            self.values_open.remove(&(item, node));
        }
    }

    /// Handles a key for the selected result or other item that is neither text nor call.
    fn act_on_piece(&mut self, view: &View, action: Action) -> Response {
        let item = view.selection.item;
        let is_whole = self.is_whole(item, ROOT);
        match action {
            Action::Open if is_whole => return Response::done(),
            Action::Close if !is_whole => return Response::select(view.outside(item)),
            _ => {}
        }
        self.set_whole(item, ROOT, !is_whole);
        let start = view.target_of_item(item).filter(|_| is_whole).map(Request::Select);
        Response::Done(start.into_iter().chain([Request::Refold]).collect())
    }

    /// Handles a key for the selected scalar value, here or in the outline.
    fn act_on_value(&mut self, view: &View, action: Action) -> Response {
        let Target { item, node, .. } = view.selection;
        let Some(node) = node else { return Response::done() };
        let is_whole = self.is_whole(item, node);
        if action == Action::Close && !is_whole {
            return Response::select(Some(view.around(view.selection)));
        }
        for node in shown_as_one(view, item, node) {
            self.set_whole(item, node, action == Action::Open || !is_whole);
        }
        Response::ask(Request::Refold)
    }
}

impl Pane for Reading {
    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        Some((Box::new(ReadingUnits { pane: self, view }), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn marking(&self, view: &View) -> Marking {
        let columns = Some(view.width(PaneId::Reading) as u16);
        Marking { withdrawn: true, problems: true, filtered: true, columns, ..Marking::default() }
    }

    fn subtitle(&self, view: &View) -> Option<String> {
        conversation::turn_line(view, self.top_of(view))
    }

    fn placeholder(&self, view: &View) -> &'static str {
        if let Some(filter) = &view.filter {
            let is_read = view.origin.phase != Phase::Loading;
            return match filter.filter().missing_facts(&view.session).filter(|_| is_read) {
                Some(MissingFacts::Turns) => "no match: the file has no turns; & changes the filter, Esc ends it",
                Some(MissingFacts::Times) => "no match: the file states no times; & changes the filter, Esc ends it",
                None => "no match: & changes it, Esc ends it",
            };
        }
        match view.origin.phase {
            Phase::Loading => "loading …",
            _ if !view.session.file().is_empty() => "waiting for the rest of the first line",
            Phase::Following => "nothing yet; waiting for more",
            _ if view.editor.is_some() => "type, or alt-e for an example",
            _ => "the text is empty; i edits it in a playground",
        }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        let Target { item, node, problem, .. } = view.selection;
        let is_open = self.folds.is_open(item, node);
        match (action, view.session.document().items().kind(item)) {
            (Action::Move(motion), _) => self.move_selection(view, motion),
            (Action::Open | Action::Close | Action::Toggle, Some(ItemKind::Result | ItemKind::Aside)) => {
                self.act_on_piece(view, action)
            }
            (Action::Open | Action::Close | Action::Toggle, Some(ItemKind::Text))
                if view.automatic_text(item).is_some() =>
            {
                self.act_on_piece(view, action)
            }
            (Action::Open | Action::Close | Action::Toggle, Some(ItemKind::Call)) => match action {
                _ if !view.can_fold(item, node) => self.act_on_value(view, action),
                Action::Open if is_open => self.move_selection(view, Motion::Line(1)),
                Action::Close if problem.is_some() || !is_open => Response::select(out_of_folded(view)),
                _ => {
                    self.folds.flip(item, node);
                    Response::ask(Request::Refold)
                }
            },
            (Action::Close, _) => Response::select(view.outside(item)),
            (Action::Open | Action::Toggle, _) => Response::done(),
            _ => self.act_unfocused(view, action),
        }
    }

    fn act_unfocused(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::FoldAll | Action::UnfoldAll => {
                self.folds = Folds::new(action == Action::UnfoldAll);
                Response::ask(Request::Refold)
            }
            Action::Open | Action::Close | Action::Toggle if view.layout.focused() == PaneId::Outline => {
                self.act_on_value(view, action)
            }
            _ => Response::Ignored,
        }
    }

    fn raise(&mut self, view: &View) {
        self.scroll(view, &list::raised);
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
        path.retain(|&node| !self.folds.is_open(item, node) && view.can_fold(item, node));
        let mut changed = !path.is_empty();
        for node in path {
            self.folds.flip(item, node);
        }
        if let Some(id) = node
            && let Value::Scalar(_, span) = assembly.tree.node(id).value
        {
            let before = view.session.text().read(Span::new(span.start, offset));
            // Lines of a decoded JSON string differ from those in the transcript.
            let decoded = assembly.tree.node(id).decoded.as_deref().unwrap_or_default();
            let is_long = memchr::memchr_iter(b'\n', decoded.as_bytes()).nth(PREVIEW).is_some();
            let pair = edit_pair(&assembly.tree, id).is_some();
            let far = (pair || is_long) && !before.is_empty() || memchr::memchr_iter(b'\n', &before).count() >= PREVIEW;
            for id in shown_as_one(view, item, id).into_iter().filter(|_| far) {
                changed |= self.values_open.insert((item, id));
            }
        }
        changed
    }

    fn renumber(&mut self, number: &dyn Fn(usize) -> Option<usize>) {
        self.folds.renumber(number);
        self.values_open = self.values_open.iter().filter_map(|&(item, node)| Some((number(item)?, node))).collect();
    }
}

/// The units of the reading pane: items.
struct ReadingUnits<'a> {
    pane: &'a Reading,
    view: &'a View,
}

impl Units for ReadingUnits<'_> {
    fn numbers(&self) -> Range<usize> {
        0..self.view.session.document().items().len()
    }

    /// Boundaries between parts stay when the item grows.
    fn parts(&self, item: usize) -> usize {
        let own = self.own_parts(item);
        match self.view.session.document().items().kind(item) {
            Some(ItemKind::Call) => own + self.result_of(item).map_or(0, |result| self.own_parts(result)),
            Some(ItemKind::Result) if self.view.call_around(item).is_some() => 1,
            _ => own,
        }
    }

    fn height(&self, unit: usize, part: usize) -> usize {
        self.rows(unit, part).len()
    }

    fn after(&self, item: usize) -> usize {
        self.view.item_after(item)
    }

    fn before(&self, item: usize) -> Option<usize> {
        self.view.item_before(item)
    }
}

impl List for ReadingUnits<'_> {
    fn pane(&self) -> PaneId {
        PaneId::Reading
    }

    fn view(&self) -> &View {
        self.view
    }

    fn rows(&self, item: usize, part: usize) -> Rc<Vec<Row>> {
        let view = self.view;
        match view.session.document().items().kind(item) {
            Some(ItemKind::Call) if part >= self.own_parts(item) => {
                let Some(result) = self.result_of(item) else { return Rc::default() };
                return self.own_rows(result, part - self.own_parts(item));
            }
            Some(ItemKind::Result) if view.call_around(item).is_some() => return Rc::default(),
            _ => {}
        }
        self.own_rows(item, part)
    }

    fn row_for(&self, target: Target) -> Option<Anchor> {
        self.view.session.document().items().span(target.item)?;
        if self.view.is_filtered_out(target.item) {
            return viewport::clamp(self, Anchor { unit: target.item, ..Anchor::default() });
        }
        let (unit, part) = self.unit_of(target, false);
        let row = list::row_of(&self.rows(unit, part), target);
        // The result of a folded call is found at the call.
        let row = row.or_else(|| (unit != target.item).then_some(0))?;
        Some(Anchor { unit, part, row })
    }

    fn unit_of(&self, target: Target, _: bool) -> (usize, usize) {
        let part = self.own_part(target);
        match self.view.call_around(target.item) {
            Some(call) if self.result_of(call) == Some(target.item) => (call, self.own_parts(call) + part),
            Some(call) => (call, 0),
            None => (target.item, part),
        }
    }
}

impl ReadingUnits<'_> {
    /// The result that is shown inside a call, unless the call is folded.
    fn result_of(&self, call: usize) -> Option<usize> {
        self.view.result_inside(call).filter(|_| self.pane.folds.is_open(call, None))
    }

    /// Number of parts of an item, without a result shown inside it.
    fn own_parts(&self, item: usize) -> usize {
        let items = self.view.session.document().items();
        match items.kind(item) {
            Some(ItemKind::Call) => self.entries(item).map_or(1, |entries| entries.parts()),
            Some(ItemKind::Result | ItemKind::Aside) if !self.pane.is_whole(item, ROOT) => 1,
            Some(ItemKind::Text) if !self.pane.is_whole(item, ROOT) && self.view.automatic_text(item).is_some() => 1,
            _ => items.span(item).map_or(1, |span| span.len().div_ceil(PART).max(1)),
        }
    }

    /// The rows of a part of an item, without a result shown inside it.
    fn own_rows(&self, item: usize, part: usize) -> Rc<Vec<Row>> {
        let view = self.view;
        view.rows(PaneId::Reading, (item, part), || {
            let Some(found) = view.session.document().items().get(item) else { return Vec::new() };
            if view.is_filtered_out(item) {
                return Vec::new();
            }
            if view.is_hidden(item) {
                return if part == 0 { conversation::hidden(view, item) } else { Vec::new() };
            }
            let mut rows = if part == 0 { conversation::heading(view, item) } else { Vec::new() };
            let heading = rows.len();
            let stretch = ItemPart::new(view, item, found.span(), part);
            let is_whole = self.pane.is_whole(item, ROOT);
            rows.extend(match found {
                Item::Text(_) => match view.automatic_text(item) {
                    Some(name) => conversation::automatic(view, item, &stretch, is_whole, &name),
                    None => stretch.prose(),
                },
                Item::Call(_) => call::rows(self.pane, view, item, part),
                Item::Result(answer) => conversation::answer(view, item, &stretch, is_whole, &answer),
                Item::Aside(aside) => conversation::non_message(view, item, &stretch, is_whole, &aside),
            });
            let is_told = part == 0 && rows.len() > heading && !matches!(found, Item::Call(_));
            if is_told && view.session.document().is_withdrawn(item) {
                rows.insert(heading, Row::plain("┄┄ withdrawn", Role::Warning));
            }
            self.add_notes(item, part, &mut rows);
            self.add_unread_line(item, part, &mut rows);
            if item + 1 == self.numbers().end && part + 1 == self.parts(item) {
                waiting_rows(view, &mut rows);
            }
            rows
        })
    }

    /// The part of an item that shows a target, without a result shown inside it.
    fn own_part(&self, target: Target) -> usize {
        let items = self.view.session.document().items();
        let part = match items.kind(target.item) {
            Some(ItemKind::Call) => self.entries(target.item).map_or(0, |entries| entries.part_of(target)),
            // A line belongs to the part in which it begins, however long it is.
            _ => items.span(target.item).map_or(0, |span| {
                let (session, offset) = (&self.view.session, target.offset);
                let line = session.lines().around(session.text(), offset).1.start.min(offset);
                line.saturating_sub(span.start) / PART
            }),
        };
        part.min(self.own_parts(target.item) - 1)
    }

    /// Adds the notes in a part of an item, each below the row that it refers to.
    fn add_notes(&self, item: usize, part: usize, rows: &mut Vec<Row>) {
        let view = self.view;
        let notes = view.session.notes();
        for &number in notes.of_item(item) {
            let (Some(note), Some(target)) = (notes.notes().get(number), view.target_of_note(number)) else { continue };
            if self.own_part(target) != part {
                continue;
            }
            let Some(at) = list::row_of(rows, target) else { continue };
            let is_call = view.session.document().call(item).is_some();
            let line = view.session.lines().around(view.session.text(), target.offset).1;
            // After all rows of the same line of prose, or of the same value.
            let is_same = |row: &&Row| {
                row.target.is_some_and(|other| match target.node {
                    _ if !is_call => other.offset < line.end,
                    Some(_) => other.node == target.node && other.problem.is_none(),
                    None => Some(other) == rows[at].target,
                })
            };
            let same = rows[at..].iter().take_while(is_same).count();
            let indent = if is_call { "│ " } else { "" };
            let room = view.width(PaneId::Reading).saturating_sub(indent.chars().count() + 2);
            let mut made = hanging((SIGN, "  "), Role::User, &words(note), room, Role::User);
            for row in &mut made {
                row.lead.insert(0, Piece::new(indent, Role::Gutter));
            }
            rows.splice(at + same..at + same, made);
        }
    }

    /// Adds the line that marks where reading stopped.
    fn add_unread_line(&self, item: usize, part: usize, rows: &mut Vec<Row>) {
        let Some((_, offset)) = self.view.unread_place().filter(|(at, _)| *at == item) else { return };
        let is_first = self.view.session.document().items().span(item).is_some_and(|span| span.start == offset);
        if self.own_part(Target::new(item, offset)) != part || rows.is_empty() {
            return;
        }
        let is_new = |row: &Row| row.target.is_some_and(|target| target.offset >= offset);
        let at = if is_first { 0 } else { rows.iter().position(is_new).unwrap_or(rows.len()) };
        rows.insert(at, Row::plain("── new since you looked ──", Role::Pending));
    }

    /// The entries of a call, if it is shown.
    fn entries(&self, item: usize) -> Option<Entries<'_>> {
        if self.view.is_hidden(item) { None } else { Entries::new(self.pane, self.view, item) }
    }
}

/// Adds rows for the expected continuation of the text, after everything that has arrived.
fn waiting_rows(view: &View, rows: &mut Vec<Row>) {
    let Some(waiting) = view.waiting().filter(|waiting| waiting.is_open) else { return };
    let blank = rows.pop_if(|row| *row == Row::default());
    let width = view.width(PaneId::Reading).saturating_sub(2);
    rows.extend(hanging(("… ", "  "), Role::Pending, &waiting.words, width, Role::Pending));
    rows.extend(blank);
}

/// The container of the selected folded call or node, or of the selected problem.
pub(super) fn out_of_folded(view: &View) -> Option<Target> {
    let around = view.around(view.selection);
    if around == view.selection { view.outside(around.item) } else { Some(around) }
}

/// The values that are expanded together with a value: itself, or both of an edit.
fn shown_as_one(view: &View, item: usize, node: NodeId) -> Vec<NodeId> {
    let pair = view.assembly(item).and_then(|assembly| edit_pair(&assembly.tree, node));
    pair.map_or_else(|| vec![node], |pair| vec![pair.old, pair.new])
}

/// A row that states that colours are not shown, after `indent`.
fn without_colours(indent: &str) -> Row {
    Row::words(vec![Piece::new(indent, Role::Gutter), Piece::new("colours dropped; alt-3 shows them", Role::Dim)])
}

/// The rows of a problem, after `indent`.
fn problem_rows(view: &View, item: usize, number: usize, indent: &str) -> Vec<Row> {
    let Some(problem) = view.problem(number) else { return Vec::new() };
    let offset = problem.span.start;
    let target = Target { node: view.node_at(item, offset), problem: Some(number), ..Target::new(item, offset) };
    let (sign, role) = mark(problem.severity);
    let room = view.width(PaneId::Reading).saturating_sub(display_width(indent.as_bytes()) + 2);
    let mut rows = hanging((&format!("{sign} "), "  "), role, &problem.message, room, role);
    rows.extend(hanging(("  ", "  "), Role::Dim, &problem.help_text(), room, Role::Dim));
    for row in &mut rows {
        row.lead.insert(0, Piece::new(indent, Role::Gutter));
        row.target = Some(target);
    }
    rows
}
