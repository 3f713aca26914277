//! The parts of a response in a chat session of VS Code that were written, compared with its later states.

use super::super::fragment::Fragment;
use super::super::json::JsonValue;
use super::super::writer::TextWriter;
use super::super::{Message, MessageRole};
use super::overlap::HeldParts;
use super::response::{ElementKind, TextMark, Unit, UnitContent, begin_agents, kind_of, units};
use super::withdraw;
use crate::text::Span;

/// Most texts of a response that are written again because an element in them was replaced; later ones are continued
/// after the replaced element, so that small changes cannot repeat a long text.
const MOST_REWRITES: usize = 16;

/// A part of the response that was written.
#[derive(Debug)]
struct ShownUnit {
    first: usize,
    hash: u64,
    span: Span,
    kind: ShownKind,
}

#[derive(Debug)]
enum ShownKind {
    /// A text, as long as it may be continued; afterwards it is empty.
    Text(Fragment, Vec<TextMark>),
    Reasoning,
    Call(Option<Box<str>>),
    Other,
}

impl ShownUnit {
    fn write(unit: Unit, out: &mut TextWriter) -> Self {
        let (hash, span) = (unit.hash(), unit.write(out));
        let kind = match unit.content {
            UnitContent::Text(text, marks) => ShownKind::Text(text, marks),
            UnitContent::Reasoning(_) => ShownKind::Reasoning,
            UnitContent::Call(call) if !call.is_agents => ShownKind::Call(call.id),
            UnitContent::Call(_) | UnitContent::Aside { .. } => ShownKind::Other,
        };
        Self { first: unit.first, hash, span, kind }
    }

    /// True if a unit says the same. The hash of a text that was continued is the one of its beginning.
    fn is(&self, unit: &Unit) -> bool {
        match (&unit.content, &self.kind) {
            (UnitContent::Text(text, _), ShownKind::Text(known, marks)) if !marks.is_empty() => {
                text.bytes == known.bytes
            }
            _ => unit.hash() == self.hash,
        }
    }
}

/// The messages of an answer.
#[derive(Debug, Default)]
pub(super) struct AnswerMessages {
    pub(super) model: Option<Box<str>>,
    /// True if there is one.
    pub(super) has_begun: bool,
    /// True if the last one has calls of a sub-agent.
    is_outside: bool,
}

impl AnswerMessages {
    /// Begins a message of the model.
    pub(super) fn begin(&mut self, out: &mut TextWriter) {
        let is_continuation = std::mem::replace(&mut self.has_begun, true);
        self.is_outside = false;
        let model = self.model.clone();
        out.message(Message { model, is_continuation, ..Message::from_role(MessageRole::Assistant) });
    }
}

/// The written parts of a response.
#[derive(Debug, Default)]
pub(super) struct ShownResponse {
    pub(super) answer: AnswerMessages,
    /// Number of elements of the response in it.
    elements: usize,
    /// The elements that are calls, without sub-agents'.
    invocations: Vec<usize>,
    units: Vec<ShownUnit>,
    /// Number of texts that were written again from their beginning.
    rewrites: usize,
}

impl ShownResponse {
    /// Forgets all parts: no later state follows.
    pub(super) fn forget(&mut self) {
        self.units = Vec::new();
        self.invocations = Vec::new();
    }

    /// Forgets texts that are kept to be continued.
    pub(super) fn seal(&mut self) {
        for unit in &mut self.units {
            if let ShownKind::Text(text, marks) = &mut unit.kind {
                *text = Fragment::default();
                *marks = Vec::new();
            }
        }
    }

    /// Counts elements that are written by other means, with their calls.
    pub(super) fn skip(&mut self, elements: usize, invocations: Vec<usize>) {
        (self.elements, self.invocations) = (elements, invocations);
    }

    /// Writes parts after the others, in the open message.
    pub(super) fn add(&mut self, units: Vec<Unit>, out: &mut TextWriter) {
        for unit in units {
            if unit.is_agents() && !std::mem::replace(&mut self.answer.is_outside, true) {
                begin_agents(out);
            } else if self.answer.is_outside && !unit.is_agents() {
                self.answer.begin(out);
            }
            self.units.push(ShownUnit::write(unit, out));
        }
    }

    /// Withdraws the parts that rounds have, too.
    pub(super) fn supersede(&mut self, held: &mut HeldParts, out: &mut TextWriter) {
        let (mut gone, mut number) = (Vec::new(), 0);
        self.units.retain(|unit| {
            let is_held = match &unit.kind {
                ShownKind::Text(text, marks) => is_text_held(text, marks, held),
                ShownKind::Reasoning => held.has_thinking(),
                ShownKind::Call(id) => {
                    number += 1;
                    held.has_call(id.as_deref(), number - 1)
                }
                ShownKind::Other => false,
            };
            if is_held {
                gone.push(unit.span);
            }
            !is_held
        });
        withdraw(&gone, out);
    }

    /// Cuts it to a number of elements, or appends to it if that is `None`, and adds elements. Returns the parts that
    /// must be written; `can_continue` is true if its last text may be continued.
    pub(super) fn change(
        &mut self,
        cut: Option<usize>,
        values: &[JsonValue<'_>],
        held: Option<&mut HeldParts>,
        can_continue: bool,
        out: &mut TextWriter,
    ) -> Vec<Unit> {
        let from = cut.unwrap_or(self.elements).min(self.elements);
        let mut new = units(self.take(from, values, held));
        let mut keep = self.units.partition_point(|unit| unit.first < from);
        let is_open = |unit: &ShownUnit| can_continue && out.is_in_part() && out.len() == unit.span.end;
        if keep + 1 >= self.units.len() && self.units.last().is_some_and(is_open) && self.continue_text(from, &new, out)
        {
            new.remove(0);
            return new;
        }
        if let Some(cut) = keep.checked_sub(1).map(|last| &self.units[last])
            && let ShownKind::Text(text, marks) = &cut.kind
            && let kept = marks.partition_point(|mark| mark.element < from)
            && kept < marks.len()
            && self.rewrites < MOST_REWRITES
        {
            self.rewrites += 1;
            let front = (text.slice(Span::new(0, marks[kept].offset)), marks[..kept].to_vec());
            new = joined(cut.first, front, new);
            keep -= 1;
        }
        let same = new.iter().zip(&self.units[keep..]).take_while(|(unit, known)| known.is(unit)).count();
        let rest = new.split_off(same);
        let gone: Vec<Span> = self.units.drain(keep + same..).map(|unit| unit.span).collect();
        if !gone.is_empty() {
            withdraw(&gone, out);
        }
        rest
    }

    /// Continues the last text, which is open, if the first of the new parts is a text that only adds to its elements
    /// starting at number `from`.
    fn continue_text(&mut self, from: usize, new: &[Unit], out: &mut TextWriter) -> bool {
        let Some(Unit { content: UnitContent::Text(grown, grown_marks), .. }) = new.first() else { return false };
        let Some(last) = self.units.last_mut() else { return false };
        let ShownUnit { kind: ShownKind::Text(text, marks), span, first, .. } = last else { return false };
        let kept = marks.partition_point(|mark| mark.element < from);
        let offset = marks.get(kept).map_or(text.bytes.len(), |mark| mark.offset);
        let known = text.bytes.len() - offset;
        if marks.is_empty() || !grown.bytes.starts_with(&text.bytes[offset..]) {
            return false;
        }
        let more = grown.slice(Span::new(known, grown.bytes.len()));
        out.write(&more);
        text.append(&more);
        marks.truncate(kept);
        marks.extend(grown_marks.iter().map(|mark| TextMark { offset: offset + mark.offset, ..*mark }));
        *first = marks.first().map_or(*first, |mark| mark.element);
        span.end = out.len();
        true
    }

    /// Replaces the elements starting at a number; returns the new ones that no round has, with their numbers.
    fn take<'a>(
        &mut self,
        from: usize,
        values: &[JsonValue<'a>],
        mut held: Option<&mut HeldParts>,
    ) -> Vec<(usize, JsonValue<'a>)> {
        self.invocations.truncate(self.invocations.partition_point(|element| *element < from));
        self.elements = from + values.len();
        let mut new = Vec::new();
        for (at, value) in (from..).zip(values) {
            let number = self.invocations.len();
            if held.as_mut().is_none_or(|held| !held.has(*value, number)) {
                new.push((at, *value));
            }
            if kind_of(*value) == ElementKind::Invocation {
                self.invocations.push(at);
            }
        }
        new
    }
}

/// True if the rounds have all the Markdown of a text.
fn is_text_held(text: &Fragment, marks: &[TextMark], held: &mut HeldParts) -> bool {
    let ends = marks.iter().skip(1).map(|mark| mark.offset).chain([text.bytes.len()]);
    let mut markdown = marks.iter().zip(ends).filter(|(mark, _)| !mark.is_reference);
    markdown.all(|(mark, end)| held.has_text(&text.bytes[mark.offset..end]))
}

/// Units that begin with a text of which `front` stays.
fn joined(first: usize, front: (Fragment, Vec<TextMark>), mut units: Vec<Unit>) -> Vec<Unit> {
    let (mut text, mut marks) = front;
    if let Some(Unit { content: UnitContent::Text(more, more_marks), .. }) = units.first() {
        let before = text.bytes.len();
        marks.extend(more_marks.iter().map(|mark| TextMark { offset: before + mark.offset, ..*mark }));
        text.append(more);
        units.remove(0);
    }
    if !text.is_empty() {
        units.insert(0, Unit { first, content: UnitContent::Text(text, marks) });
    }
    units
}
