//! The outline: speakers and turns, with their texts and calls, the outcome of each call, and the keys of its
//! parameters.
//!
//! `outline/rows` makes the contents of rows; this module determines which rows exist.

mod rows;

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use crate::document::{Call, Item, ItemKind, Message, Section, Turn};
use crate::text::{Span, colour_codes};
use crate::value::index::TreeIndex;
use crate::value::{Assembly, NodeId, Value};

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::pane::folds::Folds;
use crate::tui::pane::list::List;
use crate::tui::pane::reading::out_of_folded;
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Piece, Row, Target, fold_sign, key_words};
use crate::tui::style::Role;
use crate::tui::view::cache::Seen;
use crate::tui::view::notes::SIGN;
use crate::tui::view::presentation::ScreenElement;
use crate::tui::view::{View, start_of};
use crate::tui::viewport::{self, Anchor, Units};
use crate::tui::widget::rows::Marking;

/// Rows of a call per unit.
const PART: usize = 64;

/// The outline: its folds and scroll position.
#[derive(Clone)]
pub struct Outline {
    /// Item, and part: 0 for the heading before it, 1 or more for the item itself.
    top: Anchor,
    folds: Folds,
    /// First messages of sections and turns whose fold state differs from the default: folded ones, and unfolded
    /// conversations of sub-agents.
    sections_flipped: HashSet<usize>,
}

impl Default for Outline {
    fn default() -> Self {
        Self { top: Anchor::default(), folds: Folds::new(false), sections_flipped: HashSet::new() }
    }
}

impl Outline {
    /// Resets the folds of calls and sections.
    pub fn forget_folds(&mut self) {
        self.folds.forget();
        self.sections_flipped.clear();
    }

    /// Adds the folds of another instance.
    pub fn merge(&mut self, before: Self) {
        self.folds.merge(before.folds);
        self.sections_flipped.extend(before.sections_flipped);
    }

    /// True if a message is hidden in a folded section or turn. One whose heading is filtered out could not be
    /// unfolded, so it counts as open.
    fn is_in_folded(&self, view: &View, section: Section) -> bool {
        let turn = section.turn.map(|turn| turn.first);
        let mut closed = [Some(section.first), section.aside, turn]
            .into_iter()
            .flatten()
            .filter(|&first| self.is_folded(view, first));
        closed.any(|first| first == section.first || section.aside.is_some() || has_heading(view, first))
    }

    /// True if a section or turn itself is folded. Conversations of sub-agents are folded by default.
    fn is_folded(&self, view: &View, first: usize) -> bool {
        let is_agent =
            view.session.document().messages().is_aside(first) && !view.shows(ScreenElement::MessageHeadings);
        self.sections_flipped.contains(&first) != is_agent
    }

    /// Folds or unfolds the section that begins with the selected text; if it is folded already, moves to its
    /// container.
    fn fold_section(&mut self, view: &View, action: Action) -> Response {
        let item = view.selection.item;
        let closed = fold_begun_by(view, item).map(|first| self.is_folded(view, first));
        match (action, closed) {
            (Action::Open, Some(true)) | (Action::Close, Some(false)) => self.toggle(view),
            (Action::Close, _) => Response::select(view.outside(item)),
            _ => Response::done(),
        }
    }

    /// Folds or unfolds the selection: a node, a call, or the section or turn that begins with the selected text.
    fn toggle(&mut self, view: &View) -> Response {
        let Target { item, node, offset, .. } = view.selection;
        let document = view.session.document();
        let is_start = document.items().span(item).is_some_and(|span| span.start == offset);
        if document.call(item).is_some() {
            self.folds.flip(item, node);
        } else if is_start
            && let Some(first) = fold_begun_by(view, item)
            && !self.sections_flipped.remove(&first)
        {
            self.sections_flipped.insert(first);
        }
        Response::ask(Request::Refold)
    }
}

impl Pane for Outline {
    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        Some((Box::new(OutlineUnits { pane: self, view }), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn marking(&self, _: &View) -> Marking {
        Marking { withdrawn: true, filtered: true, ..Marking::default() }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        let Target { item, node, problem, .. } = view.selection;
        let is_call = view.session.document().call(item).is_some();
        let can_fold = is_call && view.can_fold(item, node);
        let is_open = self.folds.is_open(item, node);
        match action {
            Action::Move(motion) => self.move_selection(view, motion),
            // A scalar cannot be folded here; the reading pane expands it.
            Action::Open | Action::Close | Action::Toggle if is_call && !can_fold => Response::Ignored,
            Action::Open if can_fold && is_open => self.move_selection(view, Motion::Line(1)),
            Action::Close if can_fold && (problem.is_some() || !is_open) => Response::select(out_of_folded(view)),
            Action::Open | Action::Close if !can_fold => self.fold_section(view, action),
            Action::Open | Action::Close | Action::Toggle => self.toggle(view),
            Action::FoldAll | Action::UnfoldAll => {
                self.folds = Folds::new(action == Action::UnfoldAll);
                self.sections_flipped.clear();
                if action == Action::FoldAll && !view.shows(ScreenElement::MessageHeadings) {
                    let document = view.session.document();
                    self.sections_flipped.extend(document.turns().map(|turn| turn.first));
                }
                Response::ask(Request::Refold)
            }
            _ => Response::Ignored,
        }
    }

    fn renumber(&mut self, number: &dyn Fn(usize) -> Option<usize>) {
        self.folds.renumber(number);
        self.sections_flipped.clear();
    }
}

/// First message of the turn or section whose heading precedes an item.
fn fold_begun_by(view: &View, item: usize) -> Option<usize> {
    let turn = view.turn_begun_by(item).filter(|_| !view.shows(ScreenElement::MessageHeadings));
    turn.map(|turn| turn.first).or_else(|| section_begun_by(view, item).map(|(section, ..)| section.first))
}

/// True if the filter selects any item of the section that begins with this message, so that its heading has a row.
fn has_heading(view: &View, first: usize) -> bool {
    let document = view.session.document();
    let start = document.message_span(first, view.session.text().len()).start;
    let Some(item) = document.item_at(start) else { return false };
    let left = if view.is_filtered_out(item) { view.item_after(item) } else { item };
    document.items().span(left).is_some_and(|span| document.message_at(span.start) < document.section(first).end)
}

/// The section that begins with an item or whose first unfiltered item this is, and the message. Abandoned messages of
/// a section form separate parts.
fn section_begun_by(view: &View, item: usize) -> Option<(Section, usize, Message)> {
    let document = view.session.document();
    let (message, record) = view.message_begun_by(item).filter(|_| !view.is_hidden(item))?;
    let section = document.section(message);
    let before = view.item_before(item).and_then(|before| document.items().span(before));
    let before = before.map(|span| document.message_at(span.start));
    let parts = before
        .is_none_or(|before| before < section.first || document.is_abandoned(before) != document.is_abandoned(message));
    parts.then_some((section, message, record))
}

/// Maximum distance in messages to the previous answer when looking for a change of model.
const MODEL_DISTANCE: usize = 64;

/// False for the placeholder in messages that a client made, `<synthetic>`.
fn is_model(name: &str) -> bool {
    !name.starts_with('<')
}

/// The units of the outline: items. Part 0 of an item is the heading of the message that begins with it; the parts from
/// 1 on are the item itself.
struct OutlineUnits<'a> {
    pane: &'a Outline,
    view: &'a View,
}

impl Units for OutlineUnits<'_> {
    fn numbers(&self) -> Range<usize> {
        0..self.view.session.document().items().len()
    }

    fn parts(&self, item: usize) -> usize {
        let view = self.view;
        let is_unfolded = view.session.document().items().kind(item) == Some(ItemKind::Call)
            && self.pane.folds.is_open(item, None)
            && !view.is_hidden(item);
        let seen = is_unfolded.then(|| view.seen(item)).flatten();
        1 + seen.map_or(1, |seen| (1 + self.unfolded(item, &seen.index).len()).div_ceil(PART))
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

impl List for OutlineUnits<'_> {
    fn pane(&self) -> PaneId {
        PaneId::Outline
    }

    fn view(&self) -> &View {
        self.view
    }

    fn rows(&self, item: usize, part: usize) -> Rc<Vec<Row>> {
        let view = self.view;
        if part == 0 {
            // Not cached: a heading counts what is added to its section, and is cheap to make.
            return Rc::new(self.heading(item).into_iter().chain(self.model_change(item)).collect());
        }
        view.rows(PaneId::Outline, (item, part), || {
            let document = view.session.document();
            let Some(found) = document.items().get(item) else { return Vec::new() };
            let message = document.message_at(found.span().start);
            let is_out = view.is_hidden(item) || view.is_filtered_out(item);
            if is_out || self.pane.is_in_folded(view, document.section(message)) {
                return Vec::new();
            }
            let row = match found {
                Item::Call(call) => return self.call_rows(item, &call, part - 1),
                Item::Text(_) if self.is_prompt(item) || self.tells_compaction(item, message) => None,
                Item::Text(span) => rows::text(view, item, span),
                Item::Result(_) if self.call_of(item).is_some() => None,
                Item::Result(answer) => Some(rows::answer(view, item, &answer)),
                Item::Aside(aside) if aside.name.is_some_and(|name| self.is_redundant(item, message, name)) => None,
                Item::Aside(aside) => Some(rows::non_message(view, item, &aside)),
            };
            row.into_iter().collect()
        })
    }

    fn row_for(&self, Target { item, node, .. }: Target) -> Option<Anchor> {
        let item = self.call_of(item).unwrap_or(item);
        let at = self.place_of(item, node);
        if !self.rows(at.unit, at.part).is_empty() {
            return Some(at);
        }
        // An item without rows, such as a whitespace-only text or one in a folded message, is represented by the
        // nearest row above.
        let above = viewport::clamp(self, Anchor { unit: item, ..Anchor::default() })?;
        Some(if above.unit > item { viewport::up(self, above, 1) } else { above })
    }

    fn unit_of(&self, target: Target, is_heading: bool) -> (usize, usize) {
        let item = self.call_of(target.item).unwrap_or(target.item);
        (item, if is_heading { 0 } else { self.place_of(item, target.node).part })
    }
}

impl OutlineUnits<'_> {
    /// The nodes of a call that are not hidden by a fold.
    fn unfolded(&self, item: usize, index: &TreeIndex) -> Rc<Vec<NodeId>> {
        self.view.unfolded(PaneId::Outline, item, index, |node| self.pane.folds.is_open(item, node))
    }

    /// The rows of a part of a call: its name and id, and its keys if it is unfolded.
    fn call_rows(&self, item: usize, call: &Call<'_>, part: usize) -> Vec<Row> {
        let view = self.view;
        let open = self.pane.folds.is_open(item, None);
        let mut rows = if part == 0 { vec![rows::call(view, item, call, open)] } else { Vec::new() };
        let Some(Seen { assembly, index, .. }) = view.seen(item).filter(|_| open) else { return rows };
        let nodes = self.unfolded(item, &index);
        let first = (part * PART).saturating_sub(1);
        let end = ((part + 1) * PART - 1).min(nodes.len());
        let shown = nodes.get(first..end).unwrap_or_default();
        rows.extend(shown.iter().map(|&id| self.node_row(item, call, &assembly, id, index.depth(id))));
        rows
    }

    /// The row of a node: its key and the beginning of its value.
    fn node_row(&self, item: usize, call: &Call<'_>, assembly: &Assembly, id: NodeId, depth: usize) -> Row {
        let view = self.view;
        let node = assembly.tree.node(id);
        let sign = match node.value {
            Value::Scalar(..) => Piece::new("  ", Role::Gutter),
            _ => fold_sign(self.pane.folds.is_open(item, Some(id))),
        };
        let offset = start_of(assembly, id).unwrap_or(call.body.start);
        let indent = Piece::new("  ".repeat(depth), Role::Gutter);
        let mut lead = vec![indent, sign];
        let is_noted = view.notes_on_node(item, assembly, id);
        lead.extend(is_noted.then(|| Piece::new(SIGN, Role::User)));
        lead.push(Piece::new(key_words(&node.key), Role::Pointer));
        if let Value::Scalar(_, span) = node.value {
            let value = view.session.text().read_str(Span::new(span.start, span.end.min(span.start + 80)));
            let first = value.lines().next().unwrap_or_default();
            lead.push(Piece::new(format!("  {}", colour_codes::without(first)), Role::Dim));
        }
        Row::words(lead).to(Target { item, node: Some(id), offset, problem: None })
    }

    /// The call whose row shows the outcome, if the item is its result.
    fn call_of(&self, item: usize) -> Option<usize> {
        let document = self.view.session.document();
        let Some(Item::Result(answer)) = document.items().get(item) else { return None };
        answer
            .call
            .map(|(call, _)| call)
            .filter(|&call| call < item && !self.view.is_hidden(call) && !self.view.is_filtered_out(call))
    }

    /// True if the row of a record would be redundant: it is a heading, or follows a result in its message, which the
    /// row of a call already shows.
    fn is_redundant(&self, item: usize, message: usize, name: &str) -> bool {
        let document = self.view.session.document();
        let behind_result = || {
            let before = item.checked_sub(1).filter(|&before| self.call_of(before).is_some());
            let span = before.and_then(|before| document.items().span(before));
            span.is_some_and(|span| document.message_at(span.start) == message)
        };
        // Figures of requests are summed up in their turn.
        matches!(name, "heading" | "api_req_started") || behind_result()
    }

    /// The heading of the section that begins with the item, if one does: the speaker, and the number of calls that it
    /// folds.
    fn heading(&self, item: usize) -> Option<Row> {
        let view = self.view;
        let document = view.session.document();
        if !view.shows(ScreenElement::MessageHeadings) {
            return self.session_heading(item);
        }
        // A section that contains only results is covered by the rows of their calls.
        let (section, message, record) = section_begun_by(view, item).filter(|_| self.call_of(item).is_none())?;
        let turn = section.turn.filter(|turn| turn.first == section.first);
        if turn.is_none()
            && section.turn.is_some_and(|turn| self.pane.is_folded(view, turn.first) && has_heading(view, turn.first))
        {
            return None;
        }
        let is_open = !self.pane.is_folded(view, section.first);
        let end = turn.filter(|_| !is_open).map_or(section.end, |turn| document.end_of(turn));
        let end = document.messages().start(end).map_or(document.items().len(), |start| document.items_before(start));
        Some(rows::heading(view, item, (&record, message), turn, is_open, item..end))
    }

    /// The heading of a turn, or of another headed part of a recorded session.
    fn session_heading(&self, item: usize) -> Option<Row> {
        let view = self.view;
        let document = view.session.document();
        if view.is_hidden(item) || view.is_filtered_out(item) {
            return None;
        }
        let message = document.message_at(document.items().span(item)?.start);
        let section = document.section(message);
        let is_open = !self.pane.is_in_folded(view, section);
        if let Some(turn) = view.turn_begun_by(item) {
            return Some(rows::turn(view, item, turn, is_open));
        }
        let (section, message, record) = section_begun_by(view, item).filter(|_| self.call_of(item).is_none())?;
        let is_within_agent = section.aside.is_some_and(|first| first != section.first);
        if !view.is_headed(section, message)
            || is_within_agent
            || section.turn.is_some_and(|turn| self.pane.is_folded(view, turn.first))
        {
            return None;
        }
        if let Some(compaction) = document.compaction_of(message) {
            return Some(rows::compaction(view, item, &compaction));
        }
        if section.aside.is_some() {
            return Some(rows::agent(view, item, &record, !self.pane.is_folded(view, section.first)));
        }
        let end = document.messages().start(section.end);
        let end = end.map_or(document.items().len(), |start| document.items_before(start));
        Some(rows::heading(view, item, (&record, message), None, is_open, item..end))
    }

    /// A row for a change of model, at the first message of a model that differs from the previous one.
    fn model_change(&self, item: usize) -> Option<Row> {
        let view = self.view;
        let (number, message) = view.message_begun_by(item).filter(|_| view.is_recorded_session())?;
        let is_out = view.is_hidden(item) || view.is_filtered_out(item) || message.is_outside;
        let document = view.session.document();
        if is_out || self.pane.is_in_folded(view, document.section(number)) {
            return None;
        }
        let messages = document.messages();
        let before = (number.saturating_sub(MODEL_DISTANCE)..number).rev().filter(|&other| !messages.is_aside(other));
        let before = before.filter_map(|other| messages.get(other)?.model).find(|model| is_model(model))?;
        let now = message.model.filter(|now| is_model(now) && *now != before)?;
        Some(rows::model_change(item, document.items().span(item)?.start, &before, &now))
    }

    /// True if the row of a compaction already shows this text.
    fn tells_compaction(&self, item: usize, message: usize) -> bool {
        let view = self.view;
        let is_headed = !view.shows(ScreenElement::MessageHeadings) && section_begun_by(view, item).is_some();
        is_headed && view.session.document().compaction_of(message).is_some()
    }

    /// True if the heading of a turn already shows this text.
    fn is_prompt(&self, item: usize) -> bool {
        let view = self.view;
        let is_its_own = |turn: Turn| view.prompt_item(turn) == Some(item);
        !view.shows(ScreenElement::MessageHeadings) && view.turn_begun_by(item).is_some_and(is_its_own)
    }

    /// Position of a node's row, or of the folded node that hides it, among the rows of its call.
    fn place_of(&self, item: usize, node: Option<NodeId>) -> Anchor {
        let view = self.view;
        let found = node.filter(|_| self.pane.folds.is_open(item, None)).zip(view.seen(item));
        let at = found.and_then(|(node, Seen { index, .. })| index.position(&self.unfolded(item, &index), node));
        let at = at.map_or(0, |at| at + 1);
        Anchor { unit: item, part: 1 + at / PART, row: at % PART }
    }
}
