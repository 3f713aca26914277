//! Messages and calls of earlier spans of a session: a request repeats the whole conversation, and the span of a tool
//! repeats its call.
//!
//! Equal messages in one span count as separate copies, so that repeated text is shown repeatedly. A call is identified
//! by its id. A span that adds to an open conversation continues it.

use std::collections::{HashMap, VecDeque};

use super::super::content_hash::{CallContent, ContentHasher};
use super::super::json::{Index, JsonKind, JsonValue, RecordPositions};
use super::super::writer::TextWriter;
use super::super::{ContainerEvent, MessagePart};
use crate::text::Span;

/// The messages and calls of the spans read so far, by session.
#[derive(Debug, Default)]
pub(in crate::container) struct History {
    hasher: ContentHasher,
    /// Session of the open conversation.
    open: Option<Box<str>>,
    /// Operation of the AI SDK in the previous span, and the session of that span.
    step: Option<(Box<str>, Option<Box<str>>)>,
    /// Number of conversations so far.
    conversations: usize,
    /// Number of copies shown of each message, by the digest of its session and content.
    shown: HashMap<u64, u32>,
    /// Shown calls, by the digest of session and id.
    calls: HashMap<u64, ShownCall>,
    /// Ids of the shown calls by their keys.
    ids: HashMap<u64, Box<str>>,
    /// Keys of shown calls in their order, by the digest of session and content, and of session and tool.
    same: HashMap<u64, VecDeque<u64>>,
}

/// A call of an earlier span.
#[derive(Clone, Copy, Debug)]
pub(in crate::container) struct ShownCall {
    /// Offset in the transcript.
    pub(in crate::container) start: usize,
    /// True if its result was shown.
    pub(in crate::container) is_answered: bool,
    /// Digest of session and id.
    key: u64,
    /// Digest of name and arguments.
    content: u64,
    conversation: usize,
    by: ShownBy,
}

/// The source from which a call was shown. The answer that contains it may follow, since spans come in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::container) enum ShownBy {
    /// The span of its tool, which does not have the text around it.
    Tool,
    /// An input message of the model.
    Given,
    Answer,
}

/// Number of copies of each message in one span.
pub(in crate::container) type Copies = HashMap<u64, u32>;

impl History {
    /// The session of a span of the AI SDK, given the span's own. The span of a step, `ai.streamText.doStream`,
    /// precedes its parent `ai.streamText`: if no context was propagated, they have different traces.
    pub(super) fn session_of(&mut self, operation: Option<Box<str>>, own: Option<Box<str>>) -> Option<Box<str>> {
        let step = self.step.take();
        let Some(operation) = operation else { return own };
        let rest = |step: &str| step.strip_prefix(&*operation).is_some_and(|rest| rest.starts_with(".do"));
        let session = step.filter(|(step, _)| rest(step)).map_or(own, |(_, session)| session);
        self.step = Some((operation, session.clone()));
        session
    }

    /// Begins the output of a span of `session`: in the open conversation, if it `goes_on` with it.
    pub(in crate::container) fn begin(
        &mut self,
        session: Option<&str>,
        goes_on: bool,
        title: Option<Box<str>>,
        out: &mut TextWriter,
    ) {
        if !goes_on || session.is_none() || self.open.as_deref() != session {
            out.conversation(title);
            self.conversations += 1;
        }
        self.open = session.map(Box::from);
    }

    /// True if no earlier span had a message; `copies` are the messages of the current span so far.
    pub(in crate::container) fn is_new(&self, digest: u64, copies: &mut Copies) -> bool {
        let count = copies.entry(digest).or_default();
        *count += 1;
        self.shown.get(&digest).is_none_or(|shown| *shown < *count)
    }

    /// Ends a span: remembers its messages.
    pub(in crate::container) fn keep(&mut self, copies: &Copies) {
        for (digest, count) in copies {
            let shown = self.shown.entry(*digest).or_default();
            *shown = (*shown).max(*count);
        }
    }

    /// The digest of a message: its role and content, within a session. A string is a message with that content.
    pub(in crate::container) fn digest(&self, session: &str, role: &str, message: JsonValue<'_>) -> u64 {
        let content = self.hasher.content(message, true);
        let is_string = message.kind() == JsonKind::Text;
        let content = if is_string { self.hasher.hash_one(("content", content)) } else { content };
        self.hasher.hash_one((session, role, content))
    }

    /// The call with this id; without an id, the first one with the same content and no result.
    pub(in crate::container) fn call(
        &mut self,
        session: Option<&str>,
        id: Option<&str>,
        name: Option<JsonValue<'_>>,
        arguments: Option<JsonValue<'_>>,
    ) -> Option<ShownCall> {
        let session = session?;
        if let Some(call) = id.and_then(|id| self.calls.get(&self.hasher.hash_one((session, id)))) {
            return Some(*call);
        }
        let said = CallContent { id: None, name: name?.scalar_text()?, arguments, start: 0 };
        let key = self.hasher.hash_one((session, self.hasher.call(&said)));
        self.first_unanswered(key)
    }

    /// The first call without a result among the ones that `same` has under a key.
    fn first_unanswered(&mut self, key: u64) -> Option<ShownCall> {
        let same = self.same.get_mut(&key)?;
        let calls = &self.calls;
        while same.front().is_some_and(|key| calls.get(key).is_none_or(|call| call.is_answered)) {
            same.pop_front();
        }
        self.calls.get(same.front()?).copied()
    }

    /// The first call without a result of the tool with this name.
    pub(in crate::container) fn call_of_tool(&mut self, session: Option<&str>, name: &str) -> Option<ShownCall> {
        let key = self.hasher.hash_one((session?, "tool", name));
        self.first_unanswered(key)
    }

    /// The id of a shown call.
    pub(in crate::container) fn id_of(&self, call: &ShownCall) -> Option<&str> {
        self.ids.get(&call.key).map(|id| &**id)
    }

    /// Marks a call as answered.
    pub(in crate::container) fn answer(&mut self, call: &ShownCall) {
        if let Some(call) = self.calls.get_mut(&call.key) {
            call.is_answered = true;
        }
    }

    /// True if the call with this id has a result.
    pub(in crate::container) fn is_answered(&self, session: &str, id: &str) -> bool {
        self.calls.get(&self.hasher.hash_one((session, id))).is_some_and(|call| call.is_answered)
    }

    /// True if a message has calls and all of them were shown, even if they are formatted differently.
    pub(in crate::container) fn has_shown_calls(&self, session: &str, message: JsonValue<'_>) -> bool {
        let calls = CallContent::all(message);
        let is_shown = |call: &CallContent<'_>| {
            let shown = call.id.as_ref().and_then(|id| self.calls.get(&self.hasher.hash_one((session, &**id))));
            shown.is_some_and(|shown| shown.content == self.hasher.call(call))
        };
        !calls.is_empty() && calls.iter().all(is_shown)
    }

    /// Takes the calls of an answer that were shown before it: their offsets in the record, and true if the whole
    /// answer was shown as an input message of the model.
    pub(in crate::container) fn take_shown(&mut self, session: &str, answer: JsonValue<'_>) -> (Vec<usize>, bool) {
        let (mut taken, mut is_given) = (Vec::new(), false);
        for call in CallContent::all(answer) {
            let content = self.hasher.call(&call);
            let is_it = |key: &u64| {
                let shown = self.calls.get(key);
                shown.is_some_and(|shown| shown.by != ShownBy::Answer && shown.content == content)
            };
            let own = call.id.map(|id| self.hasher.hash_one((session, &*id))).filter(is_it);
            let same = || self.same.get(&self.hasher.hash_one((session, content)))?.iter().copied().find(is_it);
            if let Some(shown) = own.or_else(same).and_then(|key| self.calls.get_mut(&key)) {
                is_given |= shown.by == ShownBy::Given;
                shown.by = ShownBy::Answer;
                taken.push(call.start);
            }
        }
        (taken, is_given)
    }

    /// Takes the calls and results among the events from number `first`, which a span of `session` produced. A result
    /// whose call is in another conversation is linked to it. Calls at or after the offset `answers` in the
    /// transcript belong to an answer, earlier ones are shown by `before`.
    pub(in crate::container) fn learn(
        &mut self,
        session: Option<&str>,
        first: usize,
        before: ShownBy,
        answers: usize,
        out: &mut TextWriter,
    ) {
        let Some(session) = session else { return };
        let key = |id: &str| self.hasher.hash_one((session, id));
        let mut calls = Vec::new();
        let mut results = Vec::new();
        let events = out.events();
        for (number, event) in events.iter().enumerate().skip(first) {
            let ContainerEvent::Begin { part: piece, start } = event else { continue };
            match piece {
                MessagePart::Call(call) => {
                    let Some(ContainerEvent::End { end }) = events.get(number + 1) else { continue };
                    let text = out.written(Span::new(*start, *end));
                    let index = Index::read(text).ok();
                    let value = index.as_ref().and_then(|index| index.root(text, RecordPositions::At(0)));
                    let said = value.and_then(CallContent::new);
                    let tool = said.as_ref().map(|said| self.hasher.hash_one((session, "tool", &*said.name)));
                    let content = said.map(|said| self.hasher.call(&said));
                    let Some(word) = &call.id else { continue };
                    let id = word.decoded.clone().unwrap_or_else(|| {
                        String::from_utf8_lossy(&text[word.span.start..word.span.end]).into_owned().into()
                    });
                    calls.push((key(&id), id, *start, content.unwrap_or_default(), tool));
                }
                MessagePart::Result(result) => {
                    let aimed = number > 0
                        && matches!(events[number - 1], ContainerEvent::Answers(_) | ContainerEvent::AnswersNothing);
                    results.extend(result.call.as_ref().map(|id| (number, key(id), aimed)));
                }
                _ => {}
            }
        }
        for (key, id, start, content, tool) in calls {
            self.ids.entry(key).or_insert(id);
            let conversation = self.conversations;
            let by = if start < answers { before } else { ShownBy::Answer };
            let call = ShownCall { start, is_answered: false, key, content, conversation, by };
            self.calls.entry(key).or_insert(call);
            for same in [Some(self.hasher.hash_one((session, content))), tool].into_iter().flatten() {
                self.same.entry(same).or_default().push_back(key);
            }
        }
        for (number, key, aimed) in results.into_iter().rev() {
            let Some(call) = self.calls.get_mut(&key) else { continue };
            if !aimed && call.conversation != self.conversations {
                out.insert(number, ContainerEvent::Answers(Some(call.start)));
            }
            call.is_answered = true;
        }
    }
}
