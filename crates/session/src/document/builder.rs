//! Builds the document from the events of dialects and the records of containers.

use std::borrow::Cow;

use super::answers::ResultTarget;
use super::call::{CallRecord, WordField, clamped};
use super::ids::Names;
use super::items::Start;
use super::{Document, ItemKind, Message};
use crate::container::{CallOutcome, ToolResult};
use crate::dialect::{CallEnd, DialectInfo, Numbering, Opening, ParseEvent, Status, Word};
use crate::text::{Span, Text};
use crate::value::tree_builder::MAX_NODES;

/// Number of calls whose ids are indexed together: the id table is large, and the processor can overlap its cache
/// misses only if the lookups are batched.
const MOST_ENTERING: usize = 64;

impl Document {
    /// Begins a conversation, titled `title` in the file, that is independent of earlier ones.
    pub(crate) fn begin_conversation(&mut self, title: Option<&str>) {
        if self.conversations.begin(self.messages().len(), self.calls.len(), title) {
            self.index_pending_ids();
            self.ids.begin_conversation();
            self.answers.begin_conversation();
            self.conversation.begin_another();
            self.dialects.iter_mut().for_each(|(_, count)| *count = 0);
        }
    }

    /// Begins a message. Returns true if other messages are abandoned as a result.
    pub(crate) fn begin_message(&mut self, message: Message) -> bool {
        let label = self.conversations.label(message.label);
        self.conversation.begin(Message { label, ..message })
    }

    /// Sets the time at which the file recorded the following part of the message, verbatim.
    pub(crate) fn pass_time(&mut self, time: &str) {
        self.conversation.pass_time(self.end, time);
    }

    /// Adds a record without text that links messages.
    pub(crate) fn link(&mut self, id: &str, parent: Option<&str>) {
        self.conversation.link(id, parent, false);
    }

    /// Makes the path to this message the one that counts. Returns true if another path did before.
    pub(crate) fn choose(&mut self, id: &str) -> bool {
        self.conversation.choose(id)
    }

    /// Sets the session's id; only the first one is kept.
    pub(crate) fn set_session_id(&mut self, id: Box<str>) {
        self.session_id.get_or_insert(id);
    }

    /// Sets the prefix of the ids generated for the following calls; their numbers restart at 1.
    pub(crate) fn begin_call_ids(&mut self, prefix: &str) {
        let next = self.calls.len() as u32;
        self.id_prefixes.pop_if(|(from, _)| *from == next);
        self.id_prefixes.push((next, prefix.into()));
        self.dialects.iter_mut().for_each(|(_, count)| *count = 0);
    }

    /// Begins a text at `start` that is parsed separately.
    pub(crate) fn begin_text(&mut self, start: usize) {
        if self.messages().last_start() != Some(start) {
            self.texts.push(start);
        }
    }

    /// Begins a step of the message: its text becomes a separate item.
    pub(crate) fn begin_step(&mut self) {
        self.begins_step = true;
    }

    /// Marks a span as withdrawn by the file itself.
    pub(crate) fn withdraw(&mut self, span: Span) {
        for span in self.conversation.withdraw(span) {
            let items = self.items_before(span.start)..self.items_before(span.end);
            let calls = self.calls_before(items.start)..self.calls_before(items.end);
            self.answers.withdraw(calls.start as u32..calls.end as u32);
            for number in calls {
                if !self.conversation.is_replaced(self.calls[number].item as usize) {
                    self.count_out(number);
                }
            }
        }
    }

    /// Excludes a call from the counts.
    fn count_out(&mut self, number: usize) {
        self.withdrawn += 1;
        self.failures -= usize::from(self.calls[number].answer.is_some_and(CallOutcome::is_failure));
    }

    /// Sets the outcome of a call.
    fn set_answer(&mut self, number: usize, verdict: CallOutcome) {
        let before = self.calls[number].answer.replace(verdict).is_some_and(CallOutcome::is_failure);
        if !self.is_withdrawn(self.calls[number].item as usize) {
            self.failures += usize::from(verdict.is_failure());
            self.failures -= usize::from(before);
        }
    }

    /// Marks the call or result at `start` as replaced by another one. Returns the item number of the call.
    pub(crate) fn replace(&mut self, start: usize, is_result: bool) -> Option<usize> {
        let kind = if is_result { ItemKind::Result } else { ItemKind::Call };
        let mut near = (self.items_before(start)..=self.item_at(start)?).rev();
        let item = near.find(|&item| self.items().kind(item) == Some(kind))?;
        if !is_result
            && !self.is_withdrawn(item)
            && let Some(number) = self.call_number(item)
        {
            self.count_out(number);
        }
        self.conversation.replace(item);
        let call = self.answers.replace(item);
        call.map_or(Some(item), |call| Some(self.item_of(call)))
    }

    /// Makes the next result answer the call at this offset, or no call.
    pub(crate) fn aim_result(&mut self, call: Option<usize>) {
        let number = call.and_then(|start| self.call_number(self.item_at(start)?));
        self.answers.set_next_target(number.map(|number| number as u32));
    }

    /// Makes the next result answer no call, which is not reported.
    pub(crate) fn leave_result_alone(&mut self) {
        self.answers.leave_next_alone();
    }

    /// Begins a result at `start`, whose end `Document::append_plain` sets later. Returns the item number of the call that it
    /// answers.
    pub(crate) fn begin_result(&mut self, outcome: ToolResult, start: usize) -> Option<usize> {
        if self.is_full() {
            return None;
        }
        let named = outcome.call.as_deref().map(|id| ResultTarget::Id(self.ids.hash(id)));
        let verdict = outcome.outcome;
        let call = self.answers.result(self.starts.len() as u32, outcome, named.unwrap_or(ResultTarget::Next));
        if let Some(call) = call {
            self.set_answer(call as usize, verdict);
        }
        self.begin_item(ItemKind::Result, start);
        call.map(|call| self.item_of(call))
    }

    /// Begins an item outside the conversation at `start`: a record of this name, or the model's reasoning if there is
    /// no name.
    pub(crate) fn begin_aside(&mut self, name: Option<Box<str>>, start: usize) {
        if self.is_full() {
            return;
        }
        self.asides.push((self.starts.len() as u32, name));
        self.begin_item(ItemKind::Aside, start);
    }

    fn begin_item(&mut self, kind: ItemKind, start: usize) {
        debug_assert_eq!(start, self.end, "an item follows what was before");
        self.starts.push(Start::new(kind, start));
    }

    /// Adds bytes up to `end` that contain no calls. They extend the last item, or form a text after a call and at the
    /// beginning of a message.
    pub(crate) fn append_plain(&mut self, end: usize) {
        let begins_message = self.messages().last_start() == Some(self.end);
        let last = self.starts.last().filter(|last| !begins_message || last.offset() == self.end);
        if last.is_some_and(|last| matches!(last.kind(), ItemKind::Result | ItemKind::Aside)) {
            self.end = end;
        } else if self.end < end {
            self.add_text(Span::new(self.end, end));
        }
    }

    /// Lets results answer the last call. One is `expected` if the call is among the file's own records, which may also
    /// state the outcome (`known`).
    pub(crate) fn await_answer(&mut self, expected: bool, known: Option<CallOutcome>, text: &Text) {
        let Some(number) = self.calls.len().checked_sub(1).and_then(|last| u32::try_from(last).ok()) else { return };
        let id = self.ids.hash(&self.nth(number).id(text));
        let early = if known.is_none() { self.answers.call(number, id, expected) } else { None };
        if let Some(verdict) = known.or(early) {
            self.set_answer(number as usize, verdict);
        }
    }

    /// Applies an event of a dialect that reads `text`.
    pub(crate) fn apply(&mut self, event: ParseEvent, text: &Text) {
        match event {
            ParseEvent::Text(span) => self.add_text(span),
            ParseEvent::Open(opening) => self.open(*opening, text),
            ParseEvent::Argument(offset) => self.add_argument(offset),
            ParseEvent::Named(named) => self.name(named.name, named.id, text),
            ParseEvent::Close(closing) => self.close(closing),
            ParseEvent::Problem { diagnostic, of_call } => {
                let item = if of_call { self.calls().next_back() } else { None };
                self.report(&diagnostic.item(item));
            }
        }
    }

    /// Extends the open call, if there is one, to `end`.
    pub(crate) fn extend_open_call(&mut self, end: usize) {
        if let Some(call) = self.last_record().filter(|call| call.status == Status::Open) {
            let body = call.body as usize;
            let body = body + self.starts.last().map_or(0, |start| start.offset());
            self.end = end.max(body);
        }
    }

    /// Extends what was read last to `end`: the open call, or else a text.
    #[inline]
    pub(crate) fn extend(&mut self, end: usize) {
        if self.last_record().is_some_and(|call| call.status == Status::Open) {
            self.extend_open_call(end);
        } else {
            self.add_text(Span::new(self.end, end));
        }
    }

    /// The record of the last item, if that is a call, which may still change.
    fn last_record(&mut self) -> Option<&mut CallRecord> {
        self.last_call()?;
        self.calls.last_mut()
    }

    /// True if no call can be added: the text after it needs an item as well.
    fn is_full(&self) -> bool {
        self.starts.len() + 2 > self.limit.0
    }

    #[inline]
    fn add_text(&mut self, span: Span) {
        debug_assert_eq!(span.start, self.end, "a text follows what was before");
        let continues = self.starts.last().is_some_and(|last| last.kind() == ItemKind::Text);
        let begins_message = self.messages().last_start() == Some(span.start);
        let begins_step = std::mem::take(&mut self.begins_step);
        if !continues || ((begins_message || begins_step) && self.starts.len() < self.limit.0) {
            self.starts.push(Start::new(ItemKind::Text, span.start));
        }
        self.end = span.end;
    }

    /// Returns the number of a dialect, and the number in the id that its runtime would generate for this call. The id
    /// is consumed only if the runtime sees the call (`is_seen`) and either the call has no id or the dialect numbers
    /// every call.
    fn make_id(&mut self, about: &'static DialectInfo, given: bool, is_seen: bool) -> (u8, u32) {
        let (number, count) = self.dialect(about);
        let next = count.wrapping_add(1);
        if is_seen && (!given || about.numbering == Numbering::Every) {
            self.dialects[usize::from(number)].1 = next;
        }
        (number, next)
    }

    /// Returns the number of a dialect and the number of ids that its runtime would have generated so far.
    pub(super) fn dialect(&mut self, about: &'static DialectInfo) -> (u8, u32) {
        let known = self.dialects.iter().position(|(known, _)| known.name == about.name);
        let number = known.unwrap_or_else(|| {
            self.dialects.push((about, 0));
            self.dialects.len() - 1
        });
        (u8::try_from(number).expect("there are no 256 dialects"), self.dialects[number].1)
    }

    fn open(&mut self, opening: Opening, text: &Text) {
        if self.is_full() {
            return self.add_text(Span::new(opening.marker.start, opening.body));
        }
        debug_assert_eq!(opening.marker.start, self.end, "a call follows what was before");
        let Opening { dialect, marker, mut header, body, is_seen } = opening;
        // The span of a missing name is empty, at the start of the body.
        if header.name == Word::default() {
            header.name = Word::plain(Span::at(body));
        }
        let (dialect, made) = self.make_id(dialect, header.id.is_some(), is_seen);
        let (start, number) = (marker.start, self.calls.len() as u32);
        self.calls.push(CallRecord {
            item: self.starts.len() as u32,
            made,
            marker: clamped(marker.len()),
            name: self.lists.place(&header.name, start, number, WordField::Name),
            id: header.id.as_ref().map(|id| self.lists.place(id, start, number, WordField::Id)),
            body: clamped(body - start),
            tail: 0,
            lists: self.lists.begin(&header.dependencies),
            dialect,
            status: Status::Open,
            failed: false,
            worst: None,
            answer: None,
        });
        self.starts.push(Start::new(ItemKind::Call, marker.start));
        self.end = body;
        let id = header.id.as_ref().map(|id| id.text(text));
        let names = self.names(number, id, header.dependencies.iter().map(|label| label.text(text)));
        self.enter(number, names);
    }

    /// Sets the name or id of the last call, as found in its body.
    fn name(&mut self, name: Option<Word>, id: Option<Word>, text: &Text) {
        if self.last_call().is_none() {
            return;
        }
        let (start, number) = (self.starts.last().map_or(0, |start| start.offset()), self.calls.len() as u32 - 1);
        if id.is_some() && self.pending_ids.pop_if(|(entering, _)| *entering == number).is_none() {
            self.ids.remove_last(number, &self.names_of(number, text));
            self.cycles.take();
        }
        let name = name.map(|name| self.lists.place(&name, start, number, WordField::Name));
        let id = id.map(|id| self.lists.place(&id, start, number, WordField::Id));
        if let Some(call) = self.last_record() {
            call.name = name.unwrap_or(call.name);
            call.id = id.or(call.id);
        }
        if id.is_some() {
            self.enter(number, self.names_of(number, text));
        }
    }

    /// Queues the id and dependencies of the last call for the index.
    fn enter(&mut self, number: u32, names: Names) {
        self.pending_ids.push((number, names));
        if self.pending_ids.len() >= MOST_ENTERING {
            self.index_pending_ids();
        }
    }

    /// Indexes the queued ids. Those of a separately parsed part wait until the parts before it are merged.
    #[inline]
    pub(super) fn index_pending_ids(&mut self) {
        if !self.is_stretch && !self.pending_ids.is_empty() {
            self.take_in_entering();
        }
    }

    fn take_in_entering(&mut self) {
        self.ids.prefetch(self.pending_ids.iter().map(|(_, names)| names));
        let mut forward = false;
        for (call, names) in self.pending_ids.drain(..) {
            forward |= self.ids.add(call, &names);
        }
        if forward {
            // A cycle can be closed only by a call that an earlier one depends on.
            self.cycles.take();
        }
    }

    /// Hashes the id of a call, written or generated, and its dependencies.
    fn names<'a>(
        &self,
        number: u32,
        id: Option<Cow<'a, str>>,
        dependencies: impl Iterator<Item = Cow<'a, str>>,
    ) -> Names {
        let id = id.unwrap_or_else(|| self.nth(number).made_id().into());
        self.ids.names(&id, dependencies.map(|label| self.ids.hash(&label)).collect())
    }

    /// [`Self::names`] of a stored call.
    fn names_of(&self, number: u32, text: &Text) -> Names {
        let call = self.nth(number);
        self.names(number, call.id.map(|id| id.text(text)), call.waits_for().map(|label| label.text(text)))
    }

    fn add_argument(&mut self, offset: usize) {
        let Some(start) = self.last_call().map(|item| self.starts[item].offset()) else { return };
        let known = self.calls.last().map_or(0, |call| self.lists.arguments(call.lists, None).len());
        if let Some(offset) = u32::try_from(offset - start).ok().filter(|_| known <= MAX_NODES) {
            self.lists.add_argument(offset);
        }
        self.end = offset;
    }

    fn close(&mut self, closing: CallEnd) {
        self.end = closing.end;
        if let Some(call) = self.last_record() {
            call.tail = clamped(closing.end - closing.body_end);
            call.status = closing.status;
        }
    }
}
