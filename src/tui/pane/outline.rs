//! The outline: messages, and in each its texts and calls, and in those the keys of their parameters.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use crate::diagnostic::Severity;
use crate::dialect::Status;
use crate::document::{Aside, Call, CallResult, Item, ItemKind};
use crate::params::index::TreeIndex;
use crate::params::{Assembly, NodeId, Value};
use crate::text::{Span, colour_codes, trim};

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::pane::folds::Folds;
use crate::tui::pane::list::List;
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Piece, Row, Target, call_lead, count, fold_sign, key_words, mark, speaker_role, verdict_role};
use crate::tui::style::Role;
use crate::tui::view::cache::Seen;
use crate::tui::view::{View, start_of};
use crate::tui::viewport::{self, Anchor};
use crate::tui::widget::rows::Marking;

/// Rows of a call in one unit.
const PART: usize = 64;

/// The outline: what is folded in it, and where it is scrolled to.
#[derive(Clone)]
pub struct Outline {
    /// Item, and part 0 for the heading in front of it or else its part, from 1.
    top: Anchor,
    folds: Folds,
    /// Numbers of the messages that are folded.
    messages_closed: HashSet<usize>,
}

impl Default for Outline {
    fn default() -> Self {
        Self { top: Anchor::default(), folds: Folds::new(false), messages_closed: HashSet::new() }
    }
}

impl Outline {
    /// Forgets which calls and messages are folded.
    pub fn forget_folds(&mut self) {
        self.folds.forget();
        self.messages_closed.clear();
    }

    /// Adds what was folded in another one.
    pub fn merge(&mut self, before: Self) {
        self.folds.merge(before.folds);
        self.messages_closed.extend(before.messages_closed);
    }

    /// Folds or unfolds what is selected: a node, a call, or the message that begins with the selected text.
    fn toggle(&mut self, view: &View) -> Response {
        let Target { item, node, offset, .. } = view.selection;
        let document = view.session.document();
        let message = document.message_at(offset);
        if document.call(item).is_some() {
            self.folds.flip(item, node);
        } else if document.messages().start(message) == Some(offset) && !self.messages_closed.remove(&message) {
            self.messages_closed.insert(message);
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
        Marking { withdrawn: true, ..Marking::default() }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        let Target { item, node, problem, .. } = view.selection;
        let is_call = view.session.document().call(item).is_some();
        let can_fold = is_call && view.can_fold(item, node);
        let is_open = self.folds.is_open(item, node);
        match action {
            Action::Move(motion) => self.move_selection(view, motion),
            // A plain value has nothing to fold here; the reading pane shows it whole.
            Action::Open | Action::Close | Action::Toggle if is_call && !can_fold => Response::Ignored,
            Action::Open if can_fold && is_open => self.move_selection(view, Motion::Line(1)),
            Action::Close if can_fold && (problem.is_some() || !is_open) => {
                Response::select(Some(view.around(view.selection)))
            }
            Action::Open | Action::Close if !can_fold => Response::done(),
            Action::Open | Action::Close | Action::Toggle => self.toggle(view),
            Action::FoldAll | Action::UnfoldAll => {
                self.folds = Folds::new(action == Action::UnfoldAll);
                Response::ask(Request::Refold)
            }
            _ => Response::Ignored,
        }
    }

    fn renumber(&mut self, number: &dyn Fn(usize) -> Option<usize>) {
        self.folds.renumber(number);
        self.messages_closed.clear();
    }
}

/// The units of the outline: items, each with the heading of the message that begins with it (part 0), and itself, in
/// parts from 1.
struct OutlineUnits<'a> {
    pane: &'a Outline,
    view: &'a View,
}

impl List for OutlineUnits<'_> {
    fn pane(&self) -> PaneId {
        PaneId::Outline
    }

    fn view(&self) -> &View {
        self.view
    }

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

    fn rows(&self, item: usize, part: usize) -> Rc<Vec<Row>> {
        let view = self.view;
        if part == 0 {
            // It counts what is added to its message, and is made quickly.
            return Rc::new(self.heading(item).into_iter().collect());
        }
        view.rows(PaneId::Outline, (item, part), || {
            let document = view.session.document();
            let Some(found) = document.items().get(item) else { return Vec::new() };
            let message = document.message_at(found.span().start);
            if view.is_hidden(item) || self.pane.messages_closed.contains(&message) {
                return Vec::new();
            }
            let row = match found {
                Item::Call(call) => return self.call_rows(item, &call, part - 1),
                Item::Text(span) => text_row(view, item, span),
                Item::Result(answer) => Some(answer_row(view, item, &answer)),
                Item::Aside(aside) => Some(aside_row(item, &aside)),
            };
            row.into_iter().collect()
        })
    }

    fn cursor(&self) -> Option<Anchor> {
        let Target { item, node, .. } = self.view.selection;
        let at = self.place_of(item, node);
        if !self.rows(at.unit, at.part).is_empty() {
            return Some(at);
        }
        // A text that is blank or in a folded message: the nearest row above stands for it.
        let above = viewport::settle(self, Anchor { unit: item, ..Anchor::default() })?;
        Some(if above.unit > item { viewport::up(self, above, 1) } else { above })
    }

    fn unit_of(&self, target: Target, is_heading: bool) -> (usize, usize) {
        (target.item, if is_heading { 0 } else { self.place_of(target.item, target.node).part })
    }
}

impl OutlineUnits<'_> {
    /// The nodes of a call that no fold hides.
    fn unfolded(&self, item: usize, index: &TreeIndex) -> Rc<Vec<NodeId>> {
        self.view.unfolded(PaneId::Outline, item, index, |node| self.pane.folds.is_open(item, node))
    }

    /// The rows of a part of a call: its name and id, and its keys if it is unfolded.
    fn call_rows(&self, item: usize, call: &Call<'_>, part: usize) -> Vec<Row> {
        let view = self.view;
        let open = self.pane.folds.is_open(item, None);
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
            Value::Scalar(..) => Piece::new("  ", Role::Gutter),
            _ => fold_sign(self.pane.folds.is_open(item, Some(id))),
        };
        let offset = start_of(assembly, id).unwrap_or(call.body.start);
        let indent = Piece::new("  ".repeat(depth), Role::Gutter);
        let mut lead = vec![indent, sign, Piece::new(key_words(&node.key), Role::Pointer)];
        if let Value::Scalar(_, span) = node.value {
            let value = view.session.text().read_str(Span::new(span.start, span.end.min(span.start + 80)));
            let first = value.lines().next().unwrap_or_default();
            lead.push(Piece::new(format!("  {}", colour_codes::without(first)), Role::Dim));
        }
        Row::words(lead).to(Target { item, node: Some(id), offset, problem: None })
    }

    /// The heading of a message, if the item is its first.
    fn heading(&self, item: usize) -> Option<Row> {
        let view = self.view;
        let document = view.session.document();
        let (message, record) = view.message_begun_by(item).filter(|_| !view.is_hidden(item))?;
        let span = document.message_span(message, view.session.text().len());
        let has_messages = view.session.is_decoded();
        let calls = document.calls_that_count_in(item..document.items_before(span.end));
        let word = if has_messages { record.speaker() } else { "transcript" };
        let is_open = !self.pane.messages_closed.contains(&message);
        let mut lead = vec![fold_sign(is_open), Piece::new(word, speaker_role(&record))];
        if record.aside || document.is_abandoned(message) {
            lead.push(Piece::new(if record.aside { " beside" } else { " abandoned" }, Role::Dim));
        }
        // Where there are many messages, those without calls say nothing.
        let says_calls = calls > 0 || !has_messages;
        let note = says_calls.then(|| Piece::new(count(calls, "call"), Role::Dim));
        Some(Row { is_heading: true, ..Row::noted(lead, note) }.to(Target::new(item, span.start)))
    }

    /// Where the row of a node is among those of its call, or of the folded node that hides it.
    fn place_of(&self, item: usize, node: Option<NodeId>) -> Anchor {
        let view = self.view;
        let found = node.filter(|_| self.pane.folds.is_open(item, None)).zip(view.seen(item));
        let at = found.and_then(|(node, Seen { index, .. })| index.position(&self.unfolded(item, &index), node));
        let at = at.map_or(0, |at| at + 1);
        Anchor { unit: item, part: 1 + at / PART, row: at % PART }
    }
}

/// The row of a result: whose it is, and how it went.
fn answer_row(view: &View, item: usize, answer: &CallResult<'_>) -> Row {
    let text = view.session.text();
    let call = answer.call.and_then(|(item, _)| view.session.document().call(item));
    let words = call.map(|call| call.name(text)).or_else(|| Some(answer.id?.text(text))).unwrap_or_default();
    let role = verdict_role(answer.verdict);
    let lead = vec![Piece::new("⇒ ", role), Piece::new(words, Role::Dim)];
    let note = match (answer.verdict.words(), answer.call) {
        ("", None) => Some(Piece::new("?", Role::Warning)),
        ("", _) => None,
        (words, _) => Some(Piece::new(words, role)),
    };
    Row::noted(lead, note).to(Target::new(item, answer.span.start))
}

/// The row of what is no part of the conversation.
fn aside_row(item: usize, aside: &Aside<'_>) -> Row {
    let lead = vec![Piece::new("  ", Role::Gutter), Piece::new(aside.name.unwrap_or("reasoning"), Role::Dim)];
    Row::words(lead).to(Target::new(item, aside.span.start))
}

/// The row of a text: how it begins. A blank text has none.
fn text_row(view: &View, item: usize, span: Span) -> Option<Row> {
    const HEAD: usize = 400;
    let bytes = view.session.text().read(Span::new(span.start, span.end.min(span.start + HEAD)));
    let words = trim(&bytes, 0);
    // The text begins for a reader where its words begin, not with the line feed behind a call.
    let begins = span.start + words.start;
    let first = bytes[words.start..words.end].split(|&byte| byte == b'\n').next().filter(|line| !line.is_empty())?;
    let mut lead = vec![Piece::new("  ", Role::Gutter)];
    if let Some((sign, role)) = view.problems().worst_in(span, |problem| problem.item.is_none()).map(mark) {
        lead.push(Piece::new(format!("{sign} "), role));
    }
    let first = String::from_utf8_lossy(first);
    lead.push(Piece::new(colour_codes::without(&first).trim_start_matches(['#', ' ']), Role::Dim));
    Some(Row::words(lead).to(Target::new(item, begins)))
}

/// The row of a call: its name and id, and whether it failed or something is wrong with it.
fn call_row(view: &View, item: usize, call: &Call<'_>, open: bool) -> Row {
    let mut lead = call_lead(call, view.session.text(), open, " ");
    if call.status == Status::Open {
        lead.push(Piece::new(" …", Role::Pending));
    }
    // A mark is shown however narrow the pane is; how the call went is said in words by its result.
    let failed = call.answer.filter(|outcome| outcome.is_failure()).map(|_| Severity::Error);
    let note = failed.or(call.worst).map(mark).map(|(sign, role)| Piece::new(sign, role));
    Row::noted(lead, note).to(Target::new(item, call.span.start))
}
