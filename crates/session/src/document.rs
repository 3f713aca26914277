//! The parsed state of a session: messages, text, calls and problems, as compact records.
//!
//! Records hold spans. Names, values and trees are read from the text on demand.

mod answers;
mod builder;
mod call;
mod conversation;
mod conversations;
pub mod facts;
mod failure_line;
mod final_checks;
pub mod graph;
mod ids;
mod items;
mod merge;
mod messages;
mod outcomes;
mod problems;
pub mod query;
pub mod questions;
mod turns;
mod words;

pub use answers::MatchedBy;
pub use call::{Call, Label};
pub use conversation::Message;
pub use final_checks::FINAL_CODES;
pub use items::{CallResult, Item, ItemKind, ItemType, Items, ResultId, SideRecord};
pub use messages::Messages;
pub use outcomes::Outcomes;
pub use problems::{Brief, Diagnostics, place};
pub use turns::{Section, Turn};

use std::ops::Range;
use std::sync::OnceLock;

use crate::container::CallOutcome;
pub use crate::container::MessageRole;
use crate::diagnostic::{BoundedProblems, Diagnostic, ProblemKind, Severity};
use crate::dialect::{DialectInfo, Status};
use crate::text::{Span, Text};

use answers::Answers;
use call::{CallLists, CallRecord, WordField};
use conversation::Conversation;
use conversations::Conversations;
use facts::Facts;
use failure_line::FailureLines;
use ids::{Ids, Names};
use items::Start;
use problems::ProblemStore;

/// Maximum number of items, since item numbers are stored in 32 bits. Everything after the last one is a single text
/// item.
#[derive(Clone, Copy, Debug)]
struct Limit(usize);

impl Default for Limit {
    fn default() -> Self {
        Self(u32::MAX as usize)
    }
}

/// The part of a document that an event changed, so that views can update incrementally.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// Number of the first item that is new or has changed; the number of items if none.
    pub first_item: usize,
}

/// Everything parsed so far.
#[derive(Clone, Debug, Default)]
pub struct Document {
    conversation: Conversation,
    conversations: Conversations,
    /// Start of each item; an item ends where the next one begins.
    starts: Vec<Start>,
    /// End of the last item.
    end: usize,
    /// Starts of texts that are parsed separately but do not begin a message.
    texts: Vec<usize>,
    calls: Vec<CallRecord>,
    lists: CallLists,
    ids: Ids,
    /// Calls whose ids are not in `ids` yet.
    pending_ids: Vec<(u32, Names)>,
    /// Dependency cycles, computed on first use.
    cycles: OnceLock<Vec<Vec<u32>>>,
    problems: ProblemStore,
    answers: Answers,
    /// The line of each failed call's result that states the reason, once found.
    failure_lines: FailureLines,
    /// True if a step of the message has begun and has no text yet.
    begins_step: bool,
    /// Number of calls that the file withdraws.
    withdrawn: usize,
    /// Number of calls that count and whose results report a failure.
    failures: usize,
    /// Items that are asides, in item order, each with the name that the file gives it; `None` for the model's
    /// reasoning.
    asides: Vec<(u32, Option<Box<str>>)>,
    /// The dialects seen, each with the number of ids that its runtime would have generated.
    dialects: Vec<(&'static DialectInfo, u32)>,
    /// Id prefixes of the runtime that wrote the file, which replace the dialect's prefix; each applies to calls
    /// starting at this number.
    id_prefixes: Vec<(u32, Box<str>)>,
    session_id: Option<Box<str>>,
    facts: Facts,
    limit: Limit,
    /// True for a part of a file that is parsed independently, to be merged later.
    is_stretch: bool,
}

impl Document {
    /// All messages, in text order.
    pub fn messages(&self) -> Messages<'_> {
        self.conversation.messages()
    }

    /// Id of the session, verbatim from the file; several files may share one.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// Start of the independently parsed text that contains `offset`: a message, or one of the parts of a message.
    pub fn text_start(&self, offset: usize) -> usize {
        let messages = self.messages();
        let message = messages.up_to(offset).checked_sub(1).and_then(|message| messages.start(message));
        let text = self.texts.partition_point(|&start| start <= offset).checked_sub(1).map(|text| self.texts[text]);
        message.max(text).unwrap_or_default()
    }

    /// All items in text order; they tile the text without gaps.
    pub fn items(&self) -> Items<'_> {
        Items(self)
    }

    /// The problems, in the order found.
    pub fn diagnostics(&self) -> Diagnostics<'_> {
        Diagnostics(&self.problems)
    }

    /// Item numbers of the calls.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = usize> + DoubleEndedIterator {
        self.calls.iter().map(|record| record.item as usize)
    }

    /// The call at item number `item`.
    pub fn call(&self, item: usize) -> Option<Call<'_>> {
        self.call_number(item).map(|number| self.nth(number as u32))
    }

    /// Number of calls before item number `item`.
    pub(crate) fn calls_before(&self, item: usize) -> usize {
        self.calls.partition_point(|record| (record.item as usize) < item)
    }

    /// Number of the call at item number `item`, counted from 0 among the calls.
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
        (self.starts[last].kind() == ItemKind::Call).then_some(last)
    }

    /// Number of items that can no longer change: all, except a last one that is text or an open call.
    pub fn stable_items(&self) -> usize {
        let ended = self.last_call().is_some() && self.calls.last().is_some_and(|call| call.status != Status::Open);
        self.starts.len().saturating_sub(usize::from(!ended))
    }

    /// Item number of call number `call`.
    fn item_of(&self, call: u32) -> usize {
        self.calls[call as usize].item as usize
    }

    /// Builds the view of call number `number`.
    fn nth(&self, number: u32) -> Call<'_> {
        let number = number as usize;
        let record = &self.calls[number];
        let next = self.calls.get(number + 1).map(|next| next.lists);
        let span = self.items().span(record.item as usize).unwrap_or_default();
        let about = self.dialects[usize::from(record.dialect)].0;
        Call {
            span,
            dialect: about.name,
            marker: Span::new(span.start, span.start + record.marker as usize),
            name: self.lists.placed(record.name, span.start, number as u32, WordField::Name),
            id: record.id.map(|id| self.lists.placed(id, span.start, number as u32, WordField::Id)),
            made_id: (self.id_prefix(number).unwrap_or(about.id_prefix), record.made),
            body: Span::new(span.start + record.body as usize, span.end.saturating_sub(record.tail as usize)),
            status: record.status,
            failed: record.failed,
            worst: record.worst,
            answer: record.answer,
            dependencies: self.lists.dependencies(record.lists, next),
            arguments: self.lists.arguments(record.lists, next),
            lists: &self.lists,
        }
    }

    /// Id prefix of the file's runtime for call number `number`, if the file states one.
    fn id_prefix(&self, number: usize) -> Option<&str> {
        let behind = self.id_prefixes.partition_point(|(from, _)| *from as usize <= number);
        behind.checked_sub(1).map(|last| self.id_prefixes[last].1.as_ref())
    }

    /// Names of the dialects that have calls, in order of first appearance.
    pub fn dialects_seen(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.dialects.iter().map(|(about, _)| about.name)
    }

    /// Number of problems of a severity, listed or only counted.
    pub fn total(&self, severity: Severity) -> usize {
        self.problems.total(severity)
    }

    /// Number of problems of each kind that are counted but not listed.
    pub fn unlisted(&self) -> impl Iterator<Item = (ProblemKind, usize)> + '_ {
        self.problems.unlisted()
    }

    /// Number of problems that are errors.
    pub fn errors(&self) -> usize {
        self.total(Severity::Error)
    }

    /// Number of problems that are warnings.
    pub fn warnings(&self) -> usize {
        self.total(Severity::Warning)
    }

    /// The result at item number `item`, whose bytes are `span`.
    fn answer(&self, item: usize, span: Span) -> Option<CallResult<'_>> {
        let given = self.answers.at(item)?;
        let call = given.call.map(|(call, ground)| (self.item_of(call), ground));
        let again = given.already_answered.map(|call| self.item_of(call));
        let id = match (&given.named, given.call) {
            (Some(named), _) => Some(ResultId::Named(named)),
            (None, Some((call, MatchedBy::Id))) => Some(ResultId::OfCall(self.nth(call))),
            _ => None,
        };
        Some(CallResult { span, id, verdict: given.verdict, call, again })
    }

    /// True if a call is one of the file's own records: it expects a result, or its record states the outcome.
    pub fn is_recorded(&self, item: usize) -> bool {
        self.call_number(item).is_some_and(|call| {
            let says = self.calls[call].answer.is_some() && self.answers.of_call(call as u32).is_none();
            says || self.answers.is_expected(call as u32)
        })
    }

    /// Number of results, matched to a call or not.
    pub fn answers(&self) -> usize {
        self.answers.given().len()
    }

    /// Item number of the result that answers the call at item number `item`.
    pub fn answer_of(&self, item: usize) -> Option<usize> {
        let call = u32::try_from(self.call_number(item)?).ok()?;
        self.answers.of_call(call).map(|given| given.item as usize)
    }

    /// Name that the file gives the aside at item number `item`.
    fn aside_name(&self, item: usize) -> Option<&str> {
        let found = self.asides.binary_search_by_key(&item, |(known, _)| *known as usize).ok()?;
        self.asides[found].1.as_deref()
    }

    /// True if a message was abandoned: the conversation was resumed from an earlier message.
    pub fn is_abandoned(&self, message: usize) -> bool {
        self.conversation.is_abandoned(self.conversations.of_message(message), message)
    }

    /// Number of the conversation that contains a message, from 0; most files have only that one.
    pub fn conversation_of(&self, message: usize) -> usize {
        self.conversations.of_message(message)
    }

    /// Number, from 1, of the conversation that begins with a message; `None` if none does, or if it is the first one.
    pub fn conversation_begun_by(&self, message: usize) -> Option<usize> {
        self.conversations.begun_by(message)
    }

    /// The section that contains a message: consecutive messages of one speaker.
    pub fn section(&self, message: usize) -> Section {
        self.conversation.turns().section(message)
    }

    /// Number of the message after the last one of a turn.
    pub fn end_of(&self, turn: Turn) -> usize {
        self.conversation.turns().end_of(turn)
    }

    /// True if any message was abandoned.
    pub fn has_branches(&self) -> bool {
        self.conversation.has_branches()
    }

    /// True if the file withdraws an item or replaces it with another one. A result shares the state of its call.
    pub fn is_withdrawn(&self, item: usize) -> bool {
        if !self.conversation.has_withdrawals() {
            return false;
        }
        let Some(start) = self.items().span(item).map(|span| span.start) else { return false };
        let call = self.answers.at(item).and_then(|given| given.call);
        let taken_back = call.map_or(start, |(call, _)| self.nth(call).span.start);
        self.conversation.is_replaced(item) || self.conversation.is_withdrawn(taken_back)
    }

    /// Number of calls that count, which excludes withdrawn ones.
    pub fn calls_that_count(&self) -> usize {
        self.calls.len() - self.withdrawn
    }

    /// Number of calls that count and whose results report a failure.
    pub fn failures(&self) -> usize {
        self.failures
    }

    /// Number of calls within a range of items that count.
    pub fn calls_that_count_in(&self, items: Range<usize>) -> usize {
        let calls = self.calls_before(items.start)..self.calls_before(items.end);
        if self.withdrawn == 0 {
            return calls.len();
        }
        calls.filter(|&number| !self.is_withdrawn(self.calls[number].item as usize)).count()
    }

    /// Number of calls within a range of items that count and whose results report a failure.
    pub fn failures_in(&self, items: Range<usize>) -> usize {
        let calls = self.calls_before(items.start)..self.calls_before(items.end);
        let has_failed = |number: &usize| self.calls[*number].answer.is_some_and(CallOutcome::is_failure);
        let counts = |number: &usize| !self.is_withdrawn(self.calls[*number].item as usize);
        calls.filter(has_failed).filter(counts).count()
    }

    /// Records that the runtime rejects the call at item number `item`.
    pub(crate) fn refuse(&mut self, item: usize) {
        if let Some(number) = self.call_number(item) {
            self.calls[number].failed = true;
        }
    }

    /// Adds a problem and raises the severity of the call that it is about.
    pub fn report(&mut self, diagnostic: &Diagnostic) {
        if let Some(number) = diagnostic.item.and_then(|item| self.call_number(item)) {
            let worst = &mut self.calls[number].worst;
            *worst = (*worst).max(Some(diagnostic.severity));
        }
        self.problems.push(diagnostic);
    }

    /// Adds problems that were found together, optionally about the call at item number `item`.
    pub(crate) fn report_all(&mut self, problems: BoundedProblems, item: Option<usize>) {
        let unlisted: Vec<(ProblemKind, usize)> = problems.unlisted().collect();
        for problem in problems {
            let item = item.or(problem.item);
            self.report(&problem.item(item));
        }
        for (kind, count) in unlisted {
            self.problems.count(kind, count);
        }
    }

    /// Sorts the problems added since the last call into text order, and indexes the ids of new calls.
    #[inline]
    pub fn arrange(&mut self) {
        self.problems.arrange();
        self.index_pending_ids();
    }

    /// Reports the problems that can only be known at the end of the input.
    pub(crate) fn finish(&mut self, text: &Text) {
        self.index_pending_ids();
        let problems = self.final_problems(text);
        self.report_all(problems, None);
        self.arrange();
    }

    /// Calls that form dependency cycles.
    fn cycles(&self) -> &[Vec<u32>] {
        self.cycles.get_or_init(|| graph::cycles::find(&self.ids))
    }

    /// The problems in text order, without those added since the last [`arrange`](Self::arrange).
    pub fn sorted_diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        self.order().iter().filter_map(|&number| self.diagnostics().get(number as usize))
    }

    /// Numbers of the problems in text order, without those added since the last [`arrange`](Self::arrange).
    pub fn order(&self) -> &[u32] {
        self.problems.order()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::gadget::{Gadget, Markers};
    use crate::dialect::{CallEnd, Dialect, Header, Opening, ParseEvent, Word};

    fn opening(start: usize) -> ParseEvent {
        let dialect = Gadget::new(Markers::default()).info();
        let header = Header { name: Word::plain(Span::at(start + 5)), id: None, dependencies: Vec::new() };
        ParseEvent::open(Opening {
            dialect,
            marker: Span::new(start, start + 5),
            header,
            body: start + 6,
            is_seen: true,
        })
    }

    fn closing(end: usize) -> ParseEvent {
        ParseEvent::Close(CallEnd { body_end: end - 3, end, status: Status::Complete })
    }

    #[test]
    fn what_follows_the_most_items_is_one_text() {
        let mut document = Document { limit: Limit(3), ..Document::default() };
        document.begin_message(Message::default());
        for event in [ParseEvent::Text(Span::new(0, 10)), opening(10), closing(20), ParseEvent::Text(Span::new(20, 30))]
        {
            document.apply(event, &Text::default());
        }
        for start in [30, 50] {
            document.begin_message(Message { start, ..Message::default() });
            document.apply(opening(start), &Text::default());
            document.apply(ParseEvent::Argument(start + 8), &Text::default());
            document.extend_open_call(start + 9);
            document.apply(closing(start + 12), &Text::default());
            document.apply(ParseEvent::Text(Span::new(start + 12, start + 20)), &Text::default());
        }
        let items: Vec<(ItemKind, Span)> =
            (0..3).filter_map(|item| document.items().kind(item).zip(document.items().span(item))).collect();
        let expected = [
            (ItemKind::Text, Span::new(0, 10)),
            (ItemKind::Call, Span::new(10, 20)),
            (ItemKind::Text, Span::new(20, 70)),
        ];
        assert_eq!((document.items().len(), items.as_slice()), (3, expected.as_slice()));
        assert_eq!(document.call(1).map(|call| (call.span, call.arguments().len())), Some((Span::new(10, 20), 0)));
        assert_eq!(document.last_call(), None);
    }

    #[test]
    fn an_argument_beyond_four_gib_belongs_to_the_one_before() {
        let mut document = Document::default();
        let far = u32::MAX as usize;
        for event in [
            opening(0),
            ParseEvent::Argument(7),
            ParseEvent::Argument(far),
            ParseEvent::Argument(far + 1),
            closing(far + 9),
        ] {
            document.apply(event, &Text::default());
        }
        document.apply(opening(far + 9), &Text::default());
        let call = document.call(0).expect("it is the first item");
        assert_eq!(call.arguments(), [7, u32::MAX]);
        assert_eq!((call.body.end, call.span.end), (far + 6, far + 9));
    }
}
