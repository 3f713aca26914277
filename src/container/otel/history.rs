//! Messages and calls that earlier spans of a session have said: a request repeats the whole conversation, and the span of
//! a tool repeats its call.
//!
//! Of equal messages each copy that one span has counts, so that words that were said twice are shown twice. A call is
//! known by its id. A span that adds to an open conversation continues it.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};

use super::super::fragment::Fragment;
use super::super::json::{Index, JsonKind, JsonValue, RecordPlaces};
use super::super::writer::TextWriter;
use super::super::{ContainerEvent, MessagePart};
use crate::text::Span;

/// Members of a message or of a part that say how it came to be, and not what it says.
const ASIDES: [&str; 6] = ["id", "name", "index", "finish_reason", "gen_ai", "event"];

/// The messages and calls of the spans read so far, by session.
#[derive(Debug, Default)]
pub(in crate::container) struct History {
    hasher: RandomState,
    /// The session of the conversation that is open.
    open: Option<Box<str>>,
    /// The operation of the AI SDK in the span before, and the session of that span.
    step: Option<(Box<str>, Option<Box<str>>)>,
    /// Number of conversations so far.
    conversations: usize,
    /// Number of copies of each message that were shown, by the digest of its session and its content.
    shown: HashMap<u64, u32>,
    /// The calls that were shown, by the digest of their sessions and their ids.
    calls: HashMap<u64, ShownCall>,
    /// The keys of calls in their order, by the digest of their sessions and of what they say.
    same: HashMap<u64, VecDeque<u64>>,
}

/// A call of an earlier span.
#[derive(Clone, Copy, Debug)]
pub(in crate::container) struct ShownCall {
    /// Where it begins in the transcript.
    pub(in crate::container) start: usize,
    /// Whether its result was shown.
    pub(in crate::container) is_answered: bool,
    /// The digest of its session and its id.
    key: u64,
    /// The digest of its name and its arguments.
    content: u64,
    conversation: usize,
    by: ShownBy,
}

/// Where a call was shown from. The answer that has it may follow, since spans come in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::container) enum ShownBy {
    /// The span of its tool, which says nothing of the words around it.
    Tool,
    /// A message that was given to the model.
    Given,
    Answer,
}

/// A call in any of the shapes that messages and parts give it.
struct CallContent<'a> {
    id: Option<Box<str>>,
    name: Box<str>,
    arguments: Option<JsonValue<'a>>,
    /// Offset in the record.
    start: usize,
}

impl<'a> CallContent<'a> {
    fn new(value: JsonValue<'a>) -> Option<Self> {
        let link = value.first_of(&["function", "toolUse"]).unwrap_or(value);
        let id = value.words_of("id").or_else(|| link.first_of(&["toolUseId", "toolCallId"])?.words());
        let arguments = link.first_of(&["arguments", "input", "args"]).filter(|arguments| !arguments.is_void());
        let name = link.first_of(&["name", "toolName"])?.words()?;
        Some(Self { id, name, arguments, start: value.place().start })
    }

    /// The calls of a message.
    fn all(message: JsonValue<'a>) -> Vec<Self> {
        let is_call = |part: &JsonValue<'_>| {
            matches!(part.text_of("type").as_deref(), Some("tool_call" | "tool_use" | "tool-call"))
                || part.get("toolUse").is_some()
        };
        let apart = message.get("tool_calls").into_iter().flat_map(|calls| calls.items());
        let parts = message.first_of(&CONTENTS).into_iter().flat_map(|parts| parts.items()).filter(is_call);
        apart.chain(parts).filter_map(CallContent::new).collect()
    }
}

/// Members under which a message has its words or its parts.
const CONTENTS: [&str; 4] = ["content", "parts", "message", "contents"];

/// The copies of messages that one span has.
pub(in crate::container) type Copies = HashMap<u64, u32>;

impl History {
    /// The session of a span of the AI SDK, given the span's own. The span of a step, `ai.streamText.doStream`, precedes the
    /// span around it, `ai.streamText`: where no context was passed on, they have different traces.
    pub(super) fn session_of(&mut self, operation: Option<Box<str>>, own: Option<Box<str>>) -> Option<Box<str>> {
        let step = self.step.take();
        let Some(operation) = operation else { return own };
        let rest = |step: &str| step.strip_prefix(&*operation).is_some_and(|rest| rest.starts_with(".do"));
        let session = step.filter(|(step, _)| rest(step)).map_or(own, |(_, session)| session);
        self.step = Some((operation, session.clone()));
        session
    }

    /// Something of a span of `session` is said next: in the conversation that is open, if it `goes_on` with it.
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

    /// Whether a message was not said by an earlier span, of which the one that is read has these `copies` so far.
    pub(in crate::container) fn is_new(&self, digest: u64, copies: &mut Copies) -> bool {
        let count = copies.entry(digest).or_default();
        *count += 1;
        self.shown.get(&digest).is_none_or(|shown| *shown < *count)
    }

    /// All messages of a span have been read.
    pub(in crate::container) fn keep(&mut self, copies: &Copies) {
        for (digest, count) in copies {
            let shown = self.shown.entry(*digest).or_default();
            *shown = (*shown).max(*count);
        }
    }

    /// The digest of a message: its role and content, within a session. A string is a message with that content.
    pub(in crate::container) fn digest(&self, session: &str, role: &str, message: JsonValue<'_>) -> u64 {
        let content = self.content(message, true);
        let is_string = message.kind() == JsonKind::Text;
        let content = if is_string { self.hasher.hash_one(("content", content)) } else { content };
        self.hasher.hash_one((session, role, content))
    }

    /// The call with this id; without one, the first one that says the same and has no result.
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
        let said = CallContent { id: None, name: name?.words()?, arguments, start: 0 };
        let key = self.hasher.hash_one((session, self.call_content(&said)));
        let same = self.same.get_mut(&key)?;
        let calls = &self.calls;
        while same.front().is_some_and(|key| calls.get(key).is_none_or(|call| call.is_answered)) {
            same.pop_front();
        }
        self.calls.get(same.front()?).copied()
    }

    /// A span has said what came of a call.
    pub(in crate::container) fn answer(&mut self, call: &ShownCall) {
        if let Some(call) = self.calls.get_mut(&call.key) {
            call.is_answered = true;
        }
    }

    /// Whether the call with this id has its result.
    pub(in crate::container) fn is_answered(&self, session: &str, id: &str) -> bool {
        self.calls.get(&self.hasher.hash_one((session, id))).is_some_and(|call| call.is_answered)
    }

    /// Whether a message has calls and all of them were shown, however their words are written.
    pub(in crate::container) fn has_shown_calls(&self, session: &str, message: JsonValue<'_>) -> bool {
        let calls = CallContent::all(message);
        let is_shown = |call: &CallContent<'_>| {
            let shown = call.id.as_ref().and_then(|id| self.calls.get(&self.hasher.hash_one((session, &**id))));
            shown.is_some_and(|shown| shown.content == self.call_content(call))
        };
        !calls.is_empty() && calls.iter().all(is_shown)
    }

    /// Takes the calls of an answer that were shown before it: their offsets in the record, and whether the whole answer was,
    /// as a message that was given to the model.
    pub(in crate::container) fn take_shown(&mut self, session: &str, answer: JsonValue<'_>) -> (Vec<usize>, bool) {
        let (mut taken, mut is_given) = (Vec::new(), false);
        for call in CallContent::all(answer) {
            let content = self.call_content(&call);
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

    fn call_content(&self, call: &CallContent<'_>) -> u64 {
        self.hasher.hash_one((&call.name, call.arguments.map(|arguments| self.content(arguments, false))))
    }

    /// Takes the calls and results among the events from the `first` one on, which a span of `session` has led to. A result
    /// whose call is in another conversation is led to it. Calls at or after the offset `answers` in the
    /// transcript are those of an answer, and those before it are shown by `before`.
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
            let ContainerEvent::Begin { piece, start } = event else { continue };
            match piece {
                MessagePart::Call(call) => {
                    let Some(ContainerEvent::End { end }) = events.get(number + 1) else { continue };
                    let text = out.said(Span::new(*start, *end));
                    let index = Index::read(text).ok();
                    let value = index.as_ref().and_then(|index| index.root(text, RecordPlaces::At(0)));
                    let content = value.and_then(CallContent::new).map(|said| self.call_content(&said));
                    let Some(word) = &call.id else { continue };
                    let id = word.decoded.clone().unwrap_or_else(|| {
                        String::from_utf8_lossy(&text[word.span.start..word.span.end]).into_owned().into()
                    });
                    calls.push((key(&id), *start, content.unwrap_or_default()));
                }
                MessagePart::Result(result) => {
                    let aimed = number > 0 && matches!(events[number - 1], ContainerEvent::Answers(_));
                    results.extend(result.call.as_ref().map(|id| (number, key(id), aimed)));
                }
                _ => {}
            }
        }
        for (key, start, content) in calls {
            let conversation = self.conversations;
            let by = if start < answers { before } else { ShownBy::Answer };
            let call = ShownCall { start, is_answered: false, key, content, conversation, by };
            self.calls.entry(key).or_insert(call);
            self.same.entry(self.hasher.hash_one((session, content))).or_default().push_back(key);
        }
        for (number, key, aimed) in results.into_iter().rev() {
            let Some(call) = self.calls.get_mut(&key) else { continue };
            if !aimed && call.conversation != self.conversations {
                out.insert(number, ContainerEvent::Answers(Some(call.start)));
            }
            call.is_answered = true;
        }
    }

    /// A digest of what a value says, whatever the order of its members and however it is written: a text of JSON says
    /// what its value does.
    fn content(&self, value: JsonValue<'_>, is_message: bool) -> u64 {
        match value.kind() {
            JsonKind::Text => {
                let text = Fragment::from_value(value);
                let is_json = matches!(text.bytes.trim_ascii_start().first(), Some(b'{' | b'['));
                let index = if is_json { text.index() } else { None };
                match index.as_ref().and_then(|index| text.root(index)) {
                    Some(inner) => self.content(inner, false),
                    None => self.hasher.hash_one(text.bytes.trim_ascii()),
                }
            }
            JsonKind::Word => self.hasher.hash_one(value.raw()),
            // It is deeper than its index.
            JsonKind::Object | JsonKind::Array if value.items().next().is_none() => self.hasher.hash_one(value.raw()),
            JsonKind::Object => {
                let is_said = |member: &JsonValue<'_>| {
                    !member.is_void()
                        && member.key() != "role"
                        && !(is_message && ASIDES.contains(&member.key().as_ref()))
                };
                let members = value.items().filter(is_said).map(|member| {
                    let is_content = is_message && CONTENTS.contains(&member.key().as_ref());
                    let key = if is_content { "content".into() } else { member.key() };
                    self.hasher.hash_one((key.as_ref(), self.content(member, false)))
                });
                members.fold(0, u64::wrapping_add)
            }
            JsonKind::Array if words_of(value).is_some() => {
                words_of(value).map_or(0, |words| self.content(words, false))
            }
            JsonKind::Array => {
                let elements: Vec<u64> = value.items().map(|item| self.content(item, false)).collect();
                self.hasher.hash_one(elements)
            }
        }
    }
}

/// The words of a list that is one text and nothing else, which may be written without the list.
fn words_of(list: JsonValue<'_>) -> Option<JsonValue<'_>> {
    let mut parts = list.items();
    let part = parts.next().filter(|part| part.kind() == JsonKind::Object)?;
    let is_text = part.get("type").is_none_or(|kind| kind.text().as_deref() == Some("text"));
    if !is_text || parts.next().is_some() {
        return None;
    }
    part.string_of("text").or_else(|| part.string_of("content"))
}
