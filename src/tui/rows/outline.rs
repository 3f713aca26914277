//! The outline: messages, and in each its texts and calls, and in those the keys of their parameters.
//!
//! This module does not know how rows are drawn.

use std::rc::Rc;

use crate::dialect::Status;
use crate::document::{Aside, Call, CallResult, Item, ItemKind};
use crate::params::{Assembly, NodeId, Value};
use crate::text::{Span, trim};

use super::super::cache::Seen;
use super::super::layout::Pane;
use super::super::state::State;
use super::super::theme::Role;
use super::super::viewport::{Anchor, Units};
use super::conversation::{role_of, verdict_role};
use super::{Piece, Row, Target, count, mark};

/// Rows of a call in one unit.
const PART: usize = 64;

/// The units of the outline: for each item the heading of the message that begins with it (0), and itself, in parts
/// from 1.
pub struct Outline<'a>(pub &'a State);

impl Units for Outline<'_> {
    type Unit = (usize, usize);

    fn first(&self) -> Option<Self::Unit> {
        (!self.0.session.document().items().is_empty()).then_some((0, 0))
    }

    fn last(&self) -> Option<Self::Unit> {
        let last = self.0.session.document().items().len().checked_sub(1)?;
        Some((last, self.parts(last)))
    }

    fn next(&self, (item, part): Self::Unit) -> Option<Self::Unit> {
        if part < self.parts(item) {
            return Some((item, part + 1));
        }
        (item + 1 < self.0.session.document().items().len()).then_some((item + 1, 0))
    }

    fn previous(&self, (item, part): Self::Unit) -> Option<Self::Unit> {
        match part.checked_sub(1) {
            Some(part) => Some((item, part)),
            None => item.checked_sub(1).map(|item| (item, self.parts(item))),
        }
    }

    fn height(&self, unit: Self::Unit) -> usize {
        self.rows(unit).len()
    }
}

impl Outline<'_> {
    /// The rows of a unit.
    pub fn rows(&self, (item, part): (usize, usize)) -> Rc<Vec<Row>> {
        let state = self.0;
        if part == 0 {
            // It counts what is added to its message, and is made quickly.
            return Rc::new(heading(state, item));
        }
        state.rows(Pane::Outline, (item, part), || {
            let document = state.session.document();
            let Some(found) = document.items().get(item) else { return Vec::new() };
            let message = document.message_at(found.span().start);
            if state.is_hidden(item) || state.folds.messages_closed.contains(&message) {
                return Vec::new();
            }
            match found {
                Item::Text(span) => text_row(state, item, span),
                Item::Call(call) => call_rows(state, item, &call, part - 1),
                Item::Result(answer) => answer_row(state, item, &answer),
                Item::Aside(aside) => aside_row(item, &aside),
            }
        })
    }

    /// Number of parts of an item. A call that is folded has one.
    fn parts(&self, item: usize) -> usize {
        let state = self.0;
        let is_unfolded = state.session.document().items().kind(item) == Some(ItemKind::Call)
            && state.is_open(Pane::Outline, item, None)
            && !state.is_hidden(item);
        let seen = is_unfolded.then(|| state.seen(item)).flatten();
        seen.map_or(1, |seen| (1 + state.unfolded(Pane::Outline, item, &seen.index).len()).div_ceil(PART))
    }

    /// Where the row of a node is among those of its call, or of the folded node that hides it.
    pub fn place_of(&self, item: usize, node: Option<NodeId>) -> Anchor<(usize, usize)> {
        let state = self.0;
        let found = node.filter(|_| state.is_open(Pane::Outline, item, None)).zip(state.seen(item));
        let at = found
            .and_then(|(node, Seen { index, .. })| index.position(&state.unfolded(Pane::Outline, item, &index), node));
        let at = at.map_or(0, |at| at + 1);
        Anchor { unit: (item, 1 + at / PART), row: at % PART }
    }

    /// The row that shows what is selected.
    pub fn cursor(&self) -> Option<Anchor<(usize, usize)>> {
        let selection = self.0.selection;
        let at = self.place_of(selection.item, selection.node);
        if self.rows(at.unit).is_empty() {
            // A text that is blank or in a folded message: the nearest row above stands for it.
            let above = super::super::viewport::settle(self, Anchor { unit: (selection.item, 0), row: 0 })?;
            return Some(if above.unit.0 > selection.item {
                super::super::viewport::up(self, above, 1)
            } else {
                above
            });
        }
        Some(at)
    }
}

/// The heading of a message, if the item is its first.
fn heading(state: &State, item: usize) -> Vec<Row> {
    let document = state.session.document();
    let Some(begins) = document.items().span(item).map(|span| span.start) else { return Vec::new() };
    let message = document.message_at(begins);
    let is_first = document.messages().start(message) == Some(begins) && document.items_before(begins) == item;
    if !is_first || state.is_hidden(item) {
        return Vec::new();
    }
    let Some(record) = document.messages().get(message) else { return Vec::new() };
    let span = document.message_span(message, state.session.text().len());
    let word = if state.session.is_decoded() { record.speaker() } else { "transcript" };
    let session_has_messages = state.session.is_decoded();
    let calls = document.calls_that_count_in(item..document.items_before(span.end));
    let sign = if state.folds.messages_closed.contains(&message) { "▸ " } else { "▾ " };
    let mut lead = vec![Piece::new(sign, Role::Gutter), Piece::new(word, role_of(&record))];
    if record.aside || document.is_abandoned(message) {
        lead.push(Piece::new(if record.aside { " beside" } else { " abandoned" }, Role::Dim));
    }
    // Where there are many messages, those without calls say nothing.
    let silent = calls == 0 && session_has_messages;
    let note = if silent { Vec::new() } else { vec![Piece::new(count(calls, "call"), Role::Dim)] };
    let target = Target { item, node: None, offset: span.start, problem: None };
    vec![Row { lead, note, is_heading: true, target: Some(target), ..Row::default() }]
}

/// The row of a result: whose it is, and how it went.
fn answer_row(state: &State, item: usize, answer: &CallResult<'_>) -> Vec<Row> {
    let text = state.session.text();
    let call = answer.call.and_then(|(item, _)| state.session.document().call(item));
    let words = call.map(|call| call.name(text)).or_else(|| Some(answer.id?.text(text))).unwrap_or_default();
    let role = verdict_role(answer.verdict);
    let lead = vec![Piece::new("⇒ ", role), Piece::new(words, Role::Dim)];
    let note = match (answer.verdict.words(), answer.call) {
        ("", None) => vec![Piece::new("?", Role::Warning)],
        ("", _) => Vec::new(),
        (words, _) => vec![Piece::new(words, role)],
    };
    let target = Target { item, node: None, offset: answer.span.start, problem: None };
    vec![Row { lead, note, ..Row::default() }.to(target)]
}

/// The row of what is no part of the conversation.
fn aside_row(item: usize, aside: &Aside<'_>) -> Vec<Row> {
    let lead = vec![Piece::new("  ", Role::Gutter), Piece::new(aside.name.unwrap_or("reasoning"), Role::Dim)];
    let target = Target { item, node: None, offset: aside.span.start, problem: None };
    vec![Row::words(lead).to(target)]
}

/// The row of a text: how it begins. A blank text has none.
fn text_row(state: &State, item: usize, span: Span) -> Vec<Row> {
    const HEAD: usize = 400;
    let bytes = state.session.text().read(Span::new(span.start, span.end.min(span.start + HEAD)));
    let words = trim(&bytes, 0);
    if words.is_empty() {
        return Vec::new();
    }
    // The text begins for a reader where its words begin, not with the line feed behind a call.
    let begins = span.start + words.start;
    let words = &bytes[words.start..words.end];
    let first = words.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut lead = vec![Piece::new("  ", Role::Gutter)];
    let worst = state
        .problems()
        .beginning_in(span)
        .into_iter()
        .filter_map(|number| state.problems().brief(number))
        .filter(|p| p.item.is_none());
    if let Some(worst) = worst.map(|problem| problem.severity).max() {
        let (sign, role) = mark(worst);
        lead.push(Piece::new(format!("{sign} "), role));
    }
    lead.push(Piece::new(String::from_utf8_lossy(first).trim_start_matches(['#', ' ']), Role::Dim));
    let target = Target { item, node: None, offset: begins, problem: None };
    vec![Row::words(lead).to(target)]
}

/// The rows of a part of a call: its name and id, and its keys if it is unfolded.
fn call_rows(state: &State, item: usize, call: &Call<'_>, part: usize) -> Vec<Row> {
    let open = state.is_open(Pane::Outline, item, None);
    let mut rows = if part == 0 { vec![call_row(state, item, call, open)] } else { Vec::new() };
    let Some(Seen { assembly, index, .. }) = state.seen(item).filter(|_| open) else { return rows };
    let nodes = state.unfolded(Pane::Outline, item, &index);
    let first = (part * PART).saturating_sub(1);
    let end = ((part + 1) * PART - 1).min(nodes.len());
    let shown = nodes.get(first..end).unwrap_or_default();
    rows.extend(shown.iter().map(|&id| node_row(state, item, call, &assembly, id, index.depth(id))));
    rows
}

/// The row of a call: its name and id.
fn call_row(state: &State, item: usize, call: &Call<'_>, open: bool) -> Row {
    let text = state.session.text();
    let name = call.name(text);
    let mut lead = vec![
        Piece::new(if open { "▾ " } else { "▸ " }, Role::Gutter),
        Piece::new(if name.is_empty() { "(no name)" } else { &name }, Role::Name),
        Piece::new(" ", Role::Text),
        Piece::new(call.id(text), if call.id.is_some() { Role::Id } else { Role::Dim }),
    ];
    if call.status == Status::Open {
        lead.push(Piece::new(" …", Role::Pending));
    }
    let note = match call.worst {
        Some(severity) => {
            let (sign, role) = mark(severity);
            vec![Piece::new(sign, role)]
        }
        None => Vec::new(),
    };
    let target = Target { item, node: None, offset: call.span.start, problem: None };
    Row { lead, note, ..Row::default() }.to(target)
}

/// The row of a node: its key, and how its value begins.
fn node_row(state: &State, item: usize, call: &Call<'_>, assembly: &Assembly, id: NodeId, depth: usize) -> Row {
    let node = assembly.tree.node(id);
    let sign = match node.value {
        Value::Scalar(..) => "  ",
        _ if state.is_open(Pane::Outline, item, Some(id)) => "▾ ",
        _ => "▸ ",
    };
    let argument = assembly.tree.first_argument(id);
    let offset = argument.map_or(call.body.start, |argument| assembly.arguments[argument].pointer.start);
    let mut lead = vec![
        Piece::new("  ".repeat(depth), Role::Gutter),
        Piece::new(sign, Role::Gutter),
        Piece::new(if node.key.is_empty() { "\"\"" } else { &node.key }, Role::Pointer),
    ];
    if let Value::Scalar(_, span) = node.value {
        let value = state.session.text().read_str(Span::new(span.start, span.end.min(span.start + 80)));
        let first = value.lines().next().unwrap_or_default();
        lead.push(Piece::new(format!("  {first}"), Role::Dim));
    }
    Row::words(lead).to(Target { item, node: Some(id), offset, problem: None })
}
