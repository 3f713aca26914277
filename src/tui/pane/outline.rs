//! The outline: messages, and in each its texts and calls, and in those the keys of their parameters.
//!
//! This module does not know how rows are drawn.

use std::collections::HashSet;
use std::rc::Rc;

use crate::dialect::Status;
use crate::document::{Aside, Call, CallResult, Item, ItemKind};
use crate::params::index::TreeIndex;
use crate::params::{Assembly, NodeId, Value};
use crate::text::{Span, trim};

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::pane::list::{self, List, MARGIN, RowAnchor};
use crate::tui::pane::{Pane, Request, Response, ScrollAnchor};
use crate::tui::row::{Piece, Row, Target, count, mark, speaker_role, verdict_role};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::cache::Seen;
use crate::tui::viewport::{self, Anchor, Units};
use crate::tui::widget::rows::{Line, Marking};

/// Rows of a call in one unit.
const PART: usize = 64;

/// The outline: what is folded in it, and where it is scrolled to.
#[derive(Clone, Default)]
pub struct Outline {
    /// Item, and 0 for the heading in front of it or else its part, from 1.
    top: Anchor<(usize, usize)>,
    /// Calls that are unfolded, and subtrees that are folded.
    changed: HashSet<(usize, Option<NodeId>)>,
    /// Numbers of the messages that are folded.
    messages_closed: HashSet<usize>,
}

impl Outline {
    /// Forgets which calls and messages are folded.
    pub fn forget_folds(&mut self) {
        self.changed.clear();
        self.messages_closed.clear();
    }

    /// Adds what was folded in another one.
    pub fn merge(&mut self, before: Self) {
        self.changed.extend(before.changed);
        self.messages_closed.extend(before.messages_closed);
    }

    /// Whether a call, or a subtree of it, is unfolded.
    fn is_open(&self, item: usize, node: Option<NodeId>) -> bool {
        self.changed.contains(&(item, node)) != node.is_some()
    }

    fn flip(&mut self, item: usize, node: Option<NodeId>) -> Response {
        if !self.changed.remove(&(item, node)) {
            self.changed.insert((item, node));
        }
        Response::ask(Request::Refold)
    }

    fn units<'a>(&'a self, view: &'a View) -> OutlineUnits<'a> {
        OutlineUnits { pane: self, view }
    }

    /// Folds or unfolds what is selected: a node, a call, or the message that begins with the selected text.
    fn toggle(&mut self, view: &View) -> Response {
        let Target { item, node, offset, .. } = view.selection;
        if view.session.document().call(item).is_some() {
            return self.flip(item, node);
        }
        let document = view.session.document();
        let message = document.message_at(offset);
        if document.messages().start(message) == Some(offset) && !self.messages_closed.remove(&message) {
            self.messages_closed.insert(message);
        }
        Response::ask(Request::Refold)
    }
}

impl Pane for Outline {
    fn title(&self, _: &View) -> String {
        "Outline".into()
    }

    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        list::lines(&self.units(view), self.top, height)
    }

    fn selected(&self, view: &View) -> Option<Row> {
        list::selected(&self.units(view))
    }

    fn marking(&self, _: &View) -> Marking {
        Marking { withdrawn: true, ..Marking::default() }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        let Target { item, node, problem, .. } = view.selection;
        let is_call = view.session.document().call(item).is_some();
        let can_fold = is_call && view.can_fold(item, node);
        match action {
            // A plain value has nothing to fold here; the reading pane shows it whole.
            Action::Open | Action::Close | Action::Toggle if is_call && !can_fold => Response::Ignored,
            Action::Move(Motion::Bottom) => Response::ask(Request::End),
            Action::Move(motion) => Response::select(list::moved(&self.units(view), motion)),
            Action::Open if can_fold => {
                if self.is_open(item, node) {
                    Response::select(list::moved(&self.units(view), Motion::Line(1)))
                } else {
                    self.flip(item, node)
                }
            }
            Action::Close if can_fold => {
                if problem.is_none() && self.is_open(item, node) {
                    return self.flip(item, node);
                }
                Response::select(Some(view.around(view.selection)))
            }
            Action::Open | Action::Close => Response::done(),
            Action::Toggle => self.toggle(view),
            Action::FoldAll | Action::UnfoldAll => {
                self.changed.clear();
                if action == Action::UnfoldAll {
                    self.changed.extend(view.session.document().calls().map(|item| (item, None)));
                }
                Response::ask(Request::Refold)
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

    fn show_end(&mut self, view: &View) {
        self.top = list::end(&self.units(view), self.top);
    }

    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        let (unit, anchor) = RowAnchor::at_top(&self.units(view), self.top)?;
        Some(if unit.1 == 0 { ScrollAnchor::Heading(anchor) } else { ScrollAnchor::Row(anchor) })
    }

    fn restore(&mut self, view: &View, anchor: ScrollAnchor, shift: usize) {
        let (anchor, is_heading) = match anchor {
            ScrollAnchor::Heading(anchor) => (anchor, true),
            ScrollAnchor::Row(anchor) => (anchor, false),
            _ => return,
        };
        let units = self.units(view);
        let Some(target) = anchor.moved(view, shift) else { return };
        let unit = if is_heading { (target.item, 0) } else { units.place_of(target.item, target.node).unit };
        self.top = anchor.top(&units, unit, target).unwrap_or(self.top);
    }

    fn renumber(&mut self, number: &dyn Fn(usize) -> Option<usize>) {
        self.changed = self.changed.iter().filter_map(|&(item, node)| Some((number(item)?, node))).collect();
        self.messages_closed.clear();
    }
}

/// The units of the outline: for each item the heading of the message that begins with it (0), and itself, in parts
/// from 1.
struct OutlineUnits<'a> {
    pane: &'a Outline,
    view: &'a View,
}

impl Units for OutlineUnits<'_> {
    type Unit = (usize, usize);

    fn first(&self) -> Option<Self::Unit> {
        (!self.view.session.document().items().is_empty()).then_some((0, 0))
    }

    fn last(&self) -> Option<Self::Unit> {
        let last = self.view.session.document().items().len().checked_sub(1)?;
        Some((last, self.parts(last)))
    }

    fn next(&self, (item, part): Self::Unit) -> Option<Self::Unit> {
        if part < self.parts(item) {
            return Some((item, part + 1));
        }
        (item + 1 < self.view.session.document().items().len()).then_some((item + 1, 0))
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

impl List for OutlineUnits<'_> {
    const PANE: PaneId = PaneId::Outline;

    fn view(&self) -> &View {
        self.view
    }

    fn rows(&self, (item, part): (usize, usize)) -> Rc<Vec<Row>> {
        let view = self.view;
        if part == 0 {
            // It counts what is added to its message, and is made quickly.
            return Rc::new(heading(self.pane, view, item));
        }
        view.rows(PaneId::Outline, (item, part), || {
            let document = view.session.document();
            let Some(found) = document.items().get(item) else { return Vec::new() };
            let message = document.message_at(found.span().start);
            if view.is_hidden(item) || self.pane.messages_closed.contains(&message) {
                return Vec::new();
            }
            match found {
                Item::Text(span) => text_row(view, item, span),
                Item::Call(call) => self.call_rows(item, &call, part - 1),
                Item::Result(answer) => answer_row(view, item, &answer),
                Item::Aside(aside) => aside_row(item, &aside),
            }
        })
    }

    fn cursor(&self) -> Option<Anchor<(usize, usize)>> {
        let selection = self.view.selection;
        let at = self.place_of(selection.item, selection.node);
        if self.rows(at.unit).is_empty() {
            // A text that is blank or in a folded message: the nearest row above stands for it.
            let above = viewport::settle(self, Anchor { unit: (selection.item, 0), row: 0 })?;
            return Some(if above.unit.0 > selection.item { viewport::up(self, above, 1) } else { above });
        }
        Some(at)
    }
}

impl OutlineUnits<'_> {
    /// The nodes of a call that no fold hides.
    fn unfolded(&self, item: usize, index: &TreeIndex) -> Rc<Vec<NodeId>> {
        self.view.unfolded(PaneId::Outline, item, index, |node| self.pane.is_open(item, node))
    }

    /// The rows of a part of a call: its name and id, and its keys if it is unfolded.
    fn call_rows(&self, item: usize, call: &Call<'_>, part: usize) -> Vec<Row> {
        let view = self.view;
        let open = self.pane.is_open(item, None);
        let mut rows = if part == 0 { vec![call_row(view, item, call, open)] } else { Vec::new() };
        let Some(Seen { assembly, index, .. }) = view.seen(item).filter(|_| open) else { return rows };
        let nodes = self.unfolded(item, &index);
        let first = (part * PART).saturating_sub(1);
        let end = ((part + 1) * PART - 1).min(nodes.len());
        let shown = nodes.get(first..end).unwrap_or_default();
        rows.extend(shown.iter().map(|&id| self.node_row(item, call, &assembly, id, index.depth(id))));
        rows
    }

    /// The row of a node: its key, and how its value begins.
    fn node_row(&self, item: usize, call: &Call<'_>, assembly: &Assembly, id: NodeId, depth: usize) -> Row {
        let view = self.view;
        let node = assembly.tree.node(id);
        let sign = match node.value {
            Value::Scalar(..) => "  ",
            _ if self.pane.is_open(item, Some(id)) => "▾ ",
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
            let value = view.session.text().read_str(Span::new(span.start, span.end.min(span.start + 80)));
            let first = value.lines().next().unwrap_or_default();
            lead.push(Piece::new(format!("  {first}"), Role::Dim));
        }
        Row::words(lead).to(Target { item, node: Some(id), offset, problem: None })
    }

    /// Number of parts of an item. A call that is folded has one.
    fn parts(&self, item: usize) -> usize {
        let view = self.view;
        let is_unfolded = view.session.document().items().kind(item) == Some(ItemKind::Call)
            && self.pane.is_open(item, None)
            && !view.is_hidden(item);
        let seen = is_unfolded.then(|| view.seen(item)).flatten();
        seen.map_or(1, |seen| (1 + self.unfolded(item, &seen.index).len()).div_ceil(PART))
    }

    /// Where the row of a node is among those of its call, or of the folded node that hides it.
    fn place_of(&self, item: usize, node: Option<NodeId>) -> Anchor<(usize, usize)> {
        let view = self.view;
        let found = node.filter(|_| self.pane.is_open(item, None)).zip(view.seen(item));
        let at = found.and_then(|(node, Seen { index, .. })| index.position(&self.unfolded(item, &index), node));
        let at = at.map_or(0, |at| at + 1);
        Anchor { unit: (item, 1 + at / PART), row: at % PART }
    }
}

/// The heading of a message, if the item is its first.
fn heading(pane: &Outline, view: &View, item: usize) -> Vec<Row> {
    let document = view.session.document();
    let Some(begins) = document.items().span(item).map(|span| span.start) else { return Vec::new() };
    let message = document.message_at(begins);
    let is_first = document.messages().start(message) == Some(begins) && document.items_before(begins) == item;
    if !is_first || view.is_hidden(item) {
        return Vec::new();
    }
    let Some(record) = document.messages().get(message) else { return Vec::new() };
    let span = document.message_span(message, view.session.text().len());
    let word = if view.session.is_decoded() { record.speaker() } else { "transcript" };
    let session_has_messages = view.session.is_decoded();
    let calls = document.calls_that_count_in(item..document.items_before(span.end));
    let sign = if pane.messages_closed.contains(&message) { "▸ " } else { "▾ " };
    let mut lead = vec![Piece::new(sign, Role::Gutter), Piece::new(word, speaker_role(&record))];
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
fn answer_row(view: &View, item: usize, answer: &CallResult<'_>) -> Vec<Row> {
    let text = view.session.text();
    let call = answer.call.and_then(|(item, _)| view.session.document().call(item));
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
fn text_row(view: &View, item: usize, span: Span) -> Vec<Row> {
    const HEAD: usize = 400;
    let bytes = view.session.text().read(Span::new(span.start, span.end.min(span.start + HEAD)));
    let words = trim(&bytes, 0);
    if words.is_empty() {
        return Vec::new();
    }
    // The text begins for a reader where its words begin, not with the line feed behind a call.
    let begins = span.start + words.start;
    let words = &bytes[words.start..words.end];
    let first = words.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut lead = vec![Piece::new("  ", Role::Gutter)];
    let worst = view
        .problems()
        .beginning_in(span)
        .into_iter()
        .filter_map(|number| view.problems().brief(number))
        .filter(|p| p.item.is_none());
    if let Some(worst) = worst.map(|problem| problem.severity).max() {
        let (sign, role) = mark(worst);
        lead.push(Piece::new(format!("{sign} "), role));
    }
    lead.push(Piece::new(String::from_utf8_lossy(first).trim_start_matches(['#', ' ']), Role::Dim));
    let target = Target { item, node: None, offset: begins, problem: None };
    vec![Row::words(lead).to(target)]
}

/// The row of a call: its name and id.
fn call_row(view: &View, item: usize, call: &Call<'_>, open: bool) -> Row {
    let text = view.session.text();
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
