//! What has been seen so far: messages, texts, calls and problems, as compact records.
//!
//! A record holds spans; names, values and trees are read from the text when somebody looks. This layer does not know
//! files, screens or output formats.

mod call;
mod closing;
pub mod graph;
mod ids;
mod items;
mod numbers;
mod packed;
mod problems;
pub mod query;
mod record;

pub use call::{Call, Label};
pub use closing::CLOSING_CODES;
pub use items::{Item, Items, Kind};
pub use problems::{Brief, Diagnostics, place};

use std::sync::OnceLock;

pub use crate::container::Role;
use crate::diagnostic::Diagnostic;
use crate::dialect::{About, Closing, Event, Numbering, Opening, Status, Word};
use crate::text::{Span, Text};

use call::Lists;
use ids::{Ids, Names};
use items::Start;
use packed::Packed;
use problems::Problems;
use record::{Record, Tail, Verdict};

/// A turn of the conversation.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Who speaks; `None` where the file does not say.
    pub role: Option<Role>,
    /// Offset of its first byte; it reaches to the next message.
    pub start: usize,
}

/// The most items that are told apart: a number of 32 bits is kept of each. What follows them is one text.
#[derive(Clone, Copy, Debug)]
struct Limit(usize);

impl Default for Limit {
    fn default() -> Self {
        Self(u32::MAX as usize)
    }
}

/// The most bytes of packed calls: as many as can be told apart by the numbers of five bytes that are kept.
const MOST_PACKED: usize = 1 << 40;

/// What an event changed, so that a reader need not look at everything again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// Number of the first item that is new or has changed; the number of items if none.
    pub first_item: usize,
}

/// Everything that has been seen.
#[derive(Clone, Debug, Default)]
pub struct Document {
    messages: Vec<Message>,
    /// Where each item begins; it ends where the next one begins.
    starts: Vec<Start>,
    /// Where the last item ends.
    end: usize,
    calls: Vec<Record>,
    packed: Packed,
    tail: Option<Tail>,
    ids: Ids,
    /// Calls that wait for one another in a circle, once somebody has asked.
    cycles: OnceLock<Vec<Vec<u32>>>,
    problems: Problems,
    /// The dialects seen, each with the number of ids that its runtime would have made.
    dialects: Vec<(&'static About, u32)>,
    limit: Limit,
}

impl Document {
    /// Turns of the conversation, in the order of the text.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Texts and calls, in the order of the text, without a gap.
    pub fn items(&self) -> Items<'_> {
        Items(self)
    }

    /// The problems, in the order in which they were found.
    pub fn diagnostics(&self) -> Diagnostics<'_> {
        Diagnostics(&self.problems)
    }

    /// Numbers of the items that are calls.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = usize> + DoubleEndedIterator {
        self.calls.iter().map(|record| record.item as usize)
    }

    /// The call that is item number `item`.
    pub fn call(&self, item: usize) -> Option<Call<'_>> {
        self.call_number(item).map(|number| self.nth(number as u32))
    }

    /// How many calls there are in front of item number `item`.
    pub fn calls_before(&self, item: usize) -> usize {
        self.calls.partition_point(|record| (record.item as usize) < item)
    }

    /// Which of the calls item number `item` is.
    pub fn call_number(&self, item: usize) -> Option<usize> {
        let number = match self.calls.last() {
            Some(last) if last.item as usize <= item => self.calls.len() - 1,
            _ => self.calls_before(item),
        };
        self.calls.get(number).filter(|record| record.item as usize == item).map(|_| number)
    }

    /// Number of the last item, if it is a call.
    pub fn last_call(&self) -> Option<usize> {
        let last = self.starts.len().checked_sub(1)?;
        (self.starts[last].kind() == Kind::Call).then_some(last)
    }

    /// Number of the item that is call number `call`.
    fn item_of(&self, call: u32) -> usize {
        self.calls[call as usize].item as usize
    }

    /// Call number `number`.
    fn nth(&self, number: u32) -> Call<'_> {
        let number = number as usize;
        let Record { item, at, dialect, status, verdict } = self.calls[number];
        let span = self.items().span(item as usize).unwrap_or_default();
        let about = self.dialects[usize::from(dialect)].0;
        let made_id = |number: Option<u32>| (about.id_prefix, number.unwrap_or_default());
        let call = Call {
            span,
            dialect: about.name,
            marker: Span::at(span.start),
            name: Label { span: Span::at(span.start), decoded: None },
            id: None,
            made_id: made_id(None),
            body: Span::at(span.start),
            status,
            failed: verdict.failed(),
            worst: verdict.worst(),
            lists: Lists::Plain { dependencies: &[], arguments: &[] },
        };
        match &self.tail {
            Some(tail) if number + 1 == self.calls.len() => Call {
                marker: tail.marker,
                name: Label::from(&tail.header.name),
                id: tail.header.id.as_ref().map(Label::from),
                made_id: made_id(Some(tail.made).filter(|_| tail.header.id.is_none())),
                body: tail.body,
                lists: Lists::Plain { dependencies: &tail.header.dependencies, arguments: &tail.arguments },
                ..call
            },
            _ => {
                let mut bytes = [0; 8];
                bytes[..5].copy_from_slice(&at);
                let head = self.packed.head(u64::from_le_bytes(bytes) as usize, span.start);
                Call {
                    marker: Span::new(span.start, span.start + head.marker),
                    name: head.name,
                    id: head.id.ok(),
                    made_id: made_id(head.id.err()),
                    body: Span::new(head.body, span.end.saturating_sub(head.behind)),
                    lists: Lists::Packed { packed: &self.packed, at: head.lists },
                    ..call
                }
            }
        }
    }

    /// Names of the dialects in which there are calls, in the order of their first ones.
    pub fn dialects_seen(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.dialects.iter().map(|(about, _)| about.name)
    }

    /// Number of errors.
    pub fn errors(&self) -> usize {
        self.problems.errors()
    }

    /// Number of warnings.
    pub fn warnings(&self) -> usize {
        self.problems.warnings()
    }

    /// Begins a message at `start`.
    pub fn begin_message(&mut self, role: Option<Role>, start: usize) {
        self.messages.push(Message { role, start });
    }

    /// Takes in what a dialect saw in `text`.
    pub fn apply(&mut self, event: Event, text: &Text) {
        match event {
            Event::Text(span) => self.add_text(span),
            Event::Open(opening) => self.open(opening, text),
            Event::Argument(offset) => self.add_argument(offset),
            Event::Named { name, id } => self.name(name, id, text),
            Event::Close(closing) => self.close(closing),
            Event::Problem { diagnostic, of_call } => {
                let item = if of_call { self.calls().next_back() } else { None };
                self.report(&diagnostic.item(item));
            }
        }
    }

    /// Lets the open call, if there is one, reach to `end`: what has arrived of it.
    pub fn stretch(&mut self, end: usize) {
        if let Some((tail, _)) = self.tail_mut().filter(|(_, record)| record.status == Status::Open) {
            tail.body.end = end.max(tail.body.start);
            self.end = tail.body.end;
        }
    }

    /// The runtime refuses the call that is item number `item`.
    pub fn refuse(&mut self, item: usize) {
        if let Some(number) = self.call_number(item) {
            self.calls[number].verdict.fail();
        }
    }

    /// Adds a problem.
    pub fn report(&mut self, diagnostic: &Diagnostic) {
        if let Some(number) = diagnostic.item.and_then(|item| self.call_number(item)) {
            self.calls[number].verdict.add(diagnostic.severity);
        }
        self.problems.push(diagnostic);
    }

    /// Gives the problems that came since the last time their places in the order of the text.
    pub fn arrange(&mut self) {
        self.problems.arrange();
    }

    /// Nothing more arrives: reports what can only be said now.
    pub fn finish(&mut self, text: &Text) {
        for diagnostic in self.closing_problems(text) {
            self.report(&diagnostic);
        }
        self.arrange();
    }

    /// Calls that wait for one another in a circle.
    fn cycles(&self) -> &[Vec<u32>] {
        self.cycles.get_or_init(|| graph::cycles::find(&self.ids))
    }

    /// The problems in the order of the text, as far as they have been arranged.
    pub fn sorted_diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        self.order().iter().filter_map(|&number| self.diagnostics().get(number as usize))
    }

    /// Numbers of the problems in the order of the text, as far as they have been arranged.
    pub fn order(&self) -> &[u32] {
        self.problems.order()
    }

    /// The last item, if it is a call: what may still change of it.
    fn tail_mut(&mut self) -> Option<(&mut Tail, &mut Record)> {
        self.last_call()?;
        self.tail.as_mut().zip(self.calls.last_mut())
    }

    /// Whether no call can be added: there must be room for the text behind it.
    fn is_full(&self) -> bool {
        self.starts.len() + 2 > self.limit.0 || self.packed.len() >= MOST_PACKED
    }

    fn add_text(&mut self, span: Span) {
        debug_assert_eq!(span.start, self.end, "a text follows what was before");
        let continues = self.starts.last().is_some_and(|last| last.kind() == Kind::Text);
        let begins_message = self.messages.last().is_some_and(|message| message.start == span.start);
        if !continues || (begins_message && self.starts.len() < self.limit.0) {
            self.starts.push(Start::new(Kind::Text, span.start));
        }
        self.end = span.end;
    }

    /// The number of a dialect, and that of the id that its runtime makes for a call, unless it has one.
    fn make_id(&mut self, about: &'static About, given: bool) -> (u8, u32) {
        let known = self.dialects.iter().position(|(known, _)| known.name == about.name);
        let number = known.unwrap_or_else(|| {
            self.dialects.push((about, 0));
            self.dialects.len() - 1
        });
        let count = &mut self.dialects[number].1;
        if !given || about.numbering == Numbering::Every {
            *count = count.wrapping_add(1);
        }
        (u8::try_from(number).expect("there are no 256 dialects"), *count)
    }

    fn open(&mut self, mut opening: Opening, text: &Text) {
        if self.is_full() {
            return self.add_text(Span::new(opening.marker.start, opening.body));
        }
        // A name that is not there has its place where the body begins.
        if opening.header.name == Word::default() {
            opening.header.name = Word::plain(Span::at(opening.body));
        }
        debug_assert_eq!(opening.marker.start, self.end, "a call follows what was before");
        let mut arguments = self.pack();
        arguments.clear();
        let (dialect, made) = self.make_id(opening.dialect, opening.header.id.is_some());
        self.calls.push(Record {
            item: self.starts.len() as u32,
            at: [0; 5],
            dialect,
            status: Status::Open,
            verdict: Verdict::default(),
        });
        self.starts.push(Start::new(Kind::Call, opening.marker.start));
        self.end = opening.body;
        let body = Span::at(opening.body);
        self.tail = Some(Tail { marker: opening.marker, header: opening.header, made, body, arguments });
        self.enter(text);
    }

    /// The body of the last call gives its name or its id.
    fn name(&mut self, name: Option<Word>, id: Option<Word>, text: &Text) {
        if self.tail_mut().is_none() {
            return;
        }
        if let Some((call, names)) = self.names(text).filter(|_| id.is_some()) {
            self.ids.take_back(call, &names);
            self.cycles.take();
        }
        let given = id.is_some();
        if let Some((tail, _)) = self.tail_mut() {
            let header = &mut tail.header;
            header.name = name.unwrap_or_else(|| std::mem::take(&mut header.name));
            header.id = id.or_else(|| header.id.take());
        }
        if given {
            self.enter(text);
        }
    }

    /// Takes in who the last call is and what it waits for.
    fn enter(&mut self, text: &Text) {
        if let Some((call, names)) = self.names(text)
            && self.ids.add(call, &names)
        {
            // A circle is closed only by a call that an earlier one waits for.
            self.cycles.take();
        }
    }

    /// Number, id and dependencies of the last call.
    fn names(&self, text: &Text) -> Option<(u32, Names)> {
        let number = u32::try_from(self.calls.len().checked_sub(1)?).ok()?;
        let call = self.nth(number);
        let id = call.id(text);
        let dependencies = call.waits_for().iter().map(|label| self.ids.of(&label.text(text))).collect();
        Some((number, Names { id: self.ids.of(&id), folded: self.ids.folded(&id), dependencies }))
    }

    /// Packs the last call, as another one begins, and gives the room for its arguments to that.
    fn pack(&mut self) -> Vec<u32> {
        let (Some(tail), Some(record)) = (self.tail.take(), self.calls.last_mut()) else { return Vec::new() };
        let start = self.starts[record.item as usize].offset();
        let end = self.starts.get(record.item as usize + 1).map_or(self.end, |next| next.offset());
        record.at.copy_from_slice(&self.packed.len().to_le_bytes()[..5]);
        self.packed.push(&tail, start, end);
        tail.arguments
    }

    fn add_argument(&mut self, offset: usize) {
        if let Some((tail, _)) = self.tail_mut() {
            tail.arguments.extend(u32::try_from(offset - tail.marker.start));
            tail.body.end = offset;
            self.end = offset;
        }
    }

    fn close(&mut self, closing: Closing) {
        self.end = closing.end;
        if let Some((tail, record)) = self.tail_mut() {
            tail.body.end = closing.body_end;
            record.status = closing.status;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::gadget::{Gadget, Markers};
    use crate::dialect::{Dialect, Header};

    fn opening(start: usize) -> Event {
        let dialect = Gadget::new(Markers::default()).about();
        let header = Header { name: Word::plain(Span::at(start + 5)), id: None, dependencies: Vec::new() };
        Event::Open(Opening { dialect, marker: Span::new(start, start + 5), header, body: start + 6 })
    }

    fn closing(end: usize) -> Event {
        Event::Close(Closing { body_end: end - 3, end, status: Status::Complete })
    }

    #[test]
    fn what_follows_the_most_items_is_one_text() {
        let mut document = Document { limit: Limit(3), ..Document::default() };
        document.begin_message(None, 0);
        for event in [Event::Text(Span::new(0, 10)), opening(10), closing(20), Event::Text(Span::new(20, 30))] {
            document.apply(event, &Text::default());
        }
        for start in [30, 50] {
            document.begin_message(None, start);
            document.apply(opening(start), &Text::default());
            document.apply(Event::Argument(start + 8), &Text::default());
            document.stretch(start + 9);
            document.apply(closing(start + 12), &Text::default());
            document.apply(Event::Text(Span::new(start + 12, start + 20)), &Text::default());
        }
        let items: Vec<(Kind, Span)> =
            (0..3).filter_map(|item| document.items().kind(item).zip(document.items().span(item))).collect();
        let expected =
            [(Kind::Text, Span::new(0, 10)), (Kind::Call, Span::new(10, 20)), (Kind::Text, Span::new(20, 70))];
        assert_eq!((document.items().len(), items.as_slice()), (3, expected.as_slice()));
        assert_eq!(document.call(1).map(|call| (call.span, call.arguments().len())), Some((Span::new(10, 20), 0)));
        assert_eq!(document.last_call(), None);
    }

    #[test]
    fn an_argument_beyond_four_gib_belongs_to_the_one_before() {
        let mut document = Document::default();
        let far = u32::MAX as usize;
        for event in [opening(0), Event::Argument(7), Event::Argument(far), Event::Argument(far + 1), closing(far + 9)]
        {
            document.apply(event, &Text::default());
        }
        document.apply(opening(far + 9), &Text::default());
        let call = document.call(0).expect("it is the first item");
        assert_eq!(call.arguments().as_ref(), [7, u32::MAX]);
        assert_eq!((call.body.end, call.span.end), (far + 6, far + 9));
    }
}
