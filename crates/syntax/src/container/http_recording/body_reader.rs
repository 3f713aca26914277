//! Reads a body with the container that it is a file of, and writes what is new in it to the transcript.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hasher as _;

use super::super::content_hash::{CallContent, ContentHasher};
use super::super::conversation_history::HistoryPart;
use super::super::facts::{Fact, Origin, RequestFacts};
use super::super::fragment::Fragment;
use super::super::json::{Index, RecordPositions};
use super::super::reader::{ContainerReader, detect_container};
use super::super::writer::TextWriter;
use super::super::{Container, ContainerEvent, Message, MessagePart, MessageRole};
use crate::text::{OffsetMap, Span};

/// A body that a container reads: its transcript, which leads to the body.
pub(super) struct InnerText<'a> {
    body: &'a Fragment,
    text: Vec<u8>,
    map: OffsetMap,
    events: Vec<ContainerEvent>,
}

/// Some consecutive parts that are compared as one.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) part: HistoryPart,
    /// Number of the message that it is in, from 1.
    pub(super) message: usize,
    /// Its offset in the inner transcript.
    start: usize,
    /// Number of its first event, and of the event after it.
    begin: usize,
    end: usize,
    /// The id of a call.
    pub(super) call: Option<Box<str>>,
    /// The id of the call that it is the result of.
    pub(super) answers: Option<Box<str>>,
}

impl Unit {
    /// Its offset in the inner transcript.
    pub(super) fn start(&self) -> usize {
        self.start
    }
}

/// Properties that the recording gives to messages and requests of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// Label of the first message.
    pub(super) label: Option<Box<str>>,
    /// Time of the first message.
    pub(super) time: Option<Box<str>>,
    /// Times and duration of the request, as the recording states them.
    pub(super) request: RequestFacts,
    /// Numbers of the messages that are repeated from another conversation.
    pub(super) repeated: HashSet<usize>,
}

/// Translates offsets of the inner transcript to the outer one.
#[derive(Debug, Default)]
pub(super) struct Starts(BTreeMap<usize, usize>);

impl Starts {
    /// The offset in the outer transcript.
    pub(super) fn of(&self, offset: usize) -> usize {
        self.0.range(..=offset).next_back().map_or(0, |(inner, outer)| outer + (offset - inner))
    }
}

impl<'a> InnerText<'a> {
    /// Reads a body; `None` if no container other than those in `refused` has such files.
    pub(super) fn read(body: &'a Fragment, refused: &[&str]) -> Option<Self> {
        let (about, _) = detect_container(&body.bytes, true)?;
        if about.name == Container::PLAIN || refused.contains(&about.name) {
            return None;
        }
        let mut reader = ContainerReader::new(Container::named(about.name).ok()?);
        reader.expect_end();
        let mut batch = reader.push(&body.bytes);
        let rest = reader.finish();
        batch.text.extend(rest.text);
        batch.events.extend(rest.events);
        Some(Self { body, text: batch.text, map: reader.map().clone(), events: batch.events })
    }

    /// The events of each conversation: first and last number, and the title.
    pub(super) fn conversations(&self) -> Vec<(Span, Option<Box<str>>)> {
        let mut all = Vec::new();
        let (mut start, mut title, mut is_begun) = (0, None, false);
        for (number, event) in self.events.iter().enumerate() {
            is_begun |= matches!(event, ContainerEvent::Message(_));
            if let ContainerEvent::Conversation { title: next } = event {
                if std::mem::take(&mut is_begun) {
                    all.push((Span::new(start, number), title.take()));
                    start = number;
                }
                title.clone_from(next);
            }
        }
        all.push((Span::new(start, self.events.len()), title));
        all
    }

    /// True if the events report an answer that was stopped.
    pub(super) fn has_problem(&self, code: crate::diagnostic::Code) -> bool {
        self.events
            .iter()
            .any(|event| matches!(event, ContainerEvent::Problem { diagnostic, .. } if diagnostic.code == code))
    }

    /// True if the events state facts about a request.
    pub(super) fn has_request(&self) -> bool {
        let is_request = |fact: &Fact| matches!(fact, Fact::Request(_));
        self.events.iter().any(|event| matches!(event, ContainerEvent::Fact(fact) if is_request(fact)))
    }

    /// The bytes of the file for a unit.
    pub(super) fn source(&self, unit: &Unit) -> Span {
        let end = (unit.start + 1).min(self.text.len());
        self.body.map.source_of(self.map.source_of(Span::new(unit.start, end)))
    }

    /// The parts among some events that a later request repeats, with their digests. Consecutive texts of the model are
    /// one unit: providers and clients divide them differently.
    pub(super) fn units(&self, events: Span, hasher: &ContentHasher) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        // The hash of the model's text, while it continues.
        let mut said = None;
        let (mut role, mut messages) = (None, 0);
        let mut number = events.start;
        while number < events.end {
            let event = &self.events[number];
            number += 1;
            if let ContainerEvent::Message(message) = event {
                role = message.role;
                messages += 1;
            }
            let ContainerEvent::Begin { part, start } = event else { continue };
            let begin = number - 1;
            let ends = |event: &ContainerEvent| matches!(event, ContainerEvent::End { .. });
            let length = self.events[number..events.end].iter().position(ends);
            number = length.map_or(events.end, |length| number + length + 1);
            let stop = match self.events.get(number - 1) {
                Some(ContainerEvent::End { end }) => *end,
                _ => self.text.len(),
            };
            let text = self.text[*start..stop].trim_ascii();
            let mut call = None;
            let digest = match part {
                MessagePart::Text(_) if text.is_empty() => continue,
                MessagePart::Text(_) if role == Some(MessageRole::Assistant) => {
                    let continues = said.is_some();
                    let hash = said.get_or_insert_with(|| hasher.begin());
                    text.split(u8::is_ascii_whitespace).for_each(|word| hash.write(word));
                    let digest = hash.finish();
                    if let Some(last) = units.last_mut().filter(|_| continues) {
                        last.part.digest = digest;
                        last.end = number;
                        continue;
                    }
                    digest
                }
                MessagePart::Text(_) => hasher.hash_one(("text", text)),
                MessagePart::Call(native) => {
                    let index = Index::read(text).ok();
                    let value = index.as_ref().and_then(|index| index.root(text, RecordPositions::At(0)));
                    let content = value.and_then(CallContent::new);
                    call = native.id.as_ref().map(|id| {
                        let written = &self.text[start + id.span.start..start + id.span.end];
                        id.decoded.clone().unwrap_or_else(|| String::from_utf8_lossy(written).into())
                    });
                    content.map_or_else(|| hasher.hash_one(("call", text)), |content| hasher.call(&content))
                }
                MessagePart::Result(_) => hasher.hash_one(("result", text)),
                // Answers have reasoning and metadata that requests do not repeat.
                MessagePart::Reasoning => continue,
                MessagePart::Envelope(_) if role == Some(MessageRole::Assistant) => continue,
                MessagePart::Envelope(name) => hasher.hash_one(("envelope", name, text)),
            };
            if !matches!((part, role), (MessagePart::Text(_), Some(MessageRole::Assistant))) {
                said = None;
            }
            let role = if matches!(part, MessagePart::Result(_)) { Some(MessageRole::Tool) } else { role };
            let answers = if let MessagePart::Result(result) = part { result.call.clone() } else { None };
            let part = HistoryPart { digest, role, start: 0 };
            units.push(Unit { part, message: messages, start: *start, begin, end: number, call, answers });
        }
        // The prompt of the system may follow the messages, in the order of the members of a request.
        units.sort_by_key(|unit| unit.part.role != Some(MessageRole::System));
        units
    }

    /// Writes some events, without the parts of the units in `known`, which are at the given offsets in the transcript.
    /// `earlier` is the offset of a call that the conversation had before others interrupted it.
    pub(super) fn write(
        &self,
        events: Span,
        known: &[(&Unit, usize)],
        given: &Given,
        earlier: impl Fn(&str) -> Option<usize>,
        out: &mut TextWriter,
    ) -> Starts {
        let starts = Starts(known.iter().map(|(unit, start)| (unit.start, *start)).collect());
        let mut writer = InnerWriter { text: self, starts, open: None, given: given.clone(), messages: 0, out };
        // The known units, in the order of the text.
        let mut known: Vec<&Unit> = known.iter().map(|(unit, _)| *unit).collect();
        known.sort_by_key(|unit| unit.begin);
        let last = known.last().map_or(0, |unit| unit.end);
        let mut known = known.into_iter().peekable();
        let mut number = events.start;
        while number < events.end {
            // A message with its parts, or the events before the first one.
            let rest = &self.events[number + 1..events.end];
            let length = rest.iter().position(|event| matches!(event, ContainerEvent::Message(_)));
            let end = length.map_or(events.end, |length| number + 1 + length);
            let mut skipped = Vec::new();
            while let Some(unit) = known.next_if(|unit| unit.begin < end) {
                skipped.push(Span::new(unit.begin, unit.end));
            }
            let is_known = !skipped.is_empty() || end <= last;
            writer.group(Span::new(number, end), &skipped, is_known, &earlier);
            number = end;
        }
        writer.end(self.text.len());
        writer.starts
    }

    /// The bytes of the inner transcript in `span`, which lead to the file.
    fn slice(&self, span: Span) -> Fragment {
        let mut fragment = Fragment { bytes: self.text[span.start..span.end].to_vec(), ..Fragment::default() };
        for segment in self.map.segments(span) {
            fragment.map.push_through(segment, &self.body.map);
        }
        fragment
    }
}

/// Writes events of an inner transcript to the outer one.
struct InnerWriter<'a, 'b> {
    text: &'a InnerText<'a>,
    starts: Starts,
    /// Offset in the inner transcript up to which the open part is written.
    open: Option<usize>,
    given: Given,
    /// Number of messages so far, including skipped ones.
    messages: usize,
    out: &'b mut TextWriter,
}

impl InnerWriter<'_, '_> {
    fn message(&mut self, about: Message) {
        let is_repeated = about.role == Some(MessageRole::User) && self.given.repeated.contains(&self.messages);
        let about = Message {
            label: about.label.or_else(|| self.given.label.take()),
            time: about.time.or_else(|| self.given.time.take()),
            origin: if is_repeated { Origin::Repeated } else { about.origin },
            ..about
        };
        self.given.label = None;
        self.out.message(about);
    }

    /// Writes a message with its parts, without the events in `skipped`. A message that has some of those, or precedes
    /// them, `is_known`: the rest of it is written only if it has other units.
    fn group(&mut self, events: Span, skipped: &[Span], is_known: bool, earlier: &impl Fn(&str) -> Option<usize>) {
        let mut pending = None;
        let mut is_open = !is_known;
        let mut is_aimed = false;
        let mut skipped = skipped.iter().peekable();
        let mut number = events.start;
        while number < events.end {
            if let Some(span) = skipped.next_if(|span| span.start <= number) {
                number = span.end;
                is_open = false;
                continue;
            }
            let event = &self.text.events[number];
            number += 1;
            self.messages += usize::from(matches!(event, ContainerEvent::Message(_)));
            match event {
                ContainerEvent::Message(about) if is_known => {
                    pending = Some(about);
                    continue;
                }
                ContainerEvent::Begin { part: MessagePart::Reasoning | MessagePart::Envelope(_), .. } if is_known => {
                    is_open = false;
                }
                ContainerEvent::Begin { .. } if is_known => {
                    is_open = true;
                    if let Some(about) = pending.take() {
                        self.message(about.clone());
                    }
                }
                _ => {}
            }
            let is_part = !matches!(event, ContainerEvent::Fact(_) | ContainerEvent::SessionId(_));
            if is_part && !is_open {
                continue;
            }
            let is_aimed = std::mem::replace(
                &mut is_aimed,
                matches!(event, ContainerEvent::Answers(_) | ContainerEvent::AnswersNothing),
            );
            if let ContainerEvent::Begin { part: MessagePart::Result(result), .. } = event
                && let Some(start) = result.call.as_deref().filter(|_| !is_aimed).and_then(earlier)
            {
                self.out.event(ContainerEvent::Answers(Some(start)));
            }
            self.event(event);
        }
    }

    /// Writes the open part up to an offset.
    fn write_to(&mut self, end: usize) {
        if let Some(start) = self.open.filter(|start| *start < end) {
            self.out.write(&self.text.slice(Span::new(start, end)));
            self.open = Some(end);
        }
    }

    /// Ends the open part, if any, at this offset.
    fn end(&mut self, end: usize) {
        self.write_to(end);
        if self.open.take().is_some() {
            self.out.end();
        }
    }

    fn event(&mut self, event: &ContainerEvent) {
        match event {
            // The exchange is the record.
            ContainerEvent::Record { .. } | ContainerEvent::Conversation { .. } => {}
            ContainerEvent::Message(about) => self.message(about.clone()),
            ContainerEvent::Begin { part, start } => {
                let outer = self.out.begin(part.clone());
                self.starts.0.insert(*start, outer);
                self.open = Some(*start);
            }
            ContainerEvent::End { end } => self.end(*end),
            ContainerEvent::Problem { diagnostic, source } => {
                self.write_to(diagnostic.span.start);
                let source = self.text.body.map.source_of(*source);
                self.out.problem_with_severity(
                    diagnostic.code,
                    diagnostic.severity,
                    source,
                    diagnostic.message.clone(),
                );
            }
            ContainerEvent::Answers(call) => {
                let call = call.map(|call| self.starts.of(call));
                self.out.event(ContainerEvent::Answers(call));
            }
            // The first part of the step begins there.
            ContainerEvent::Step(_) => self.out.event(ContainerEvent::Step(self.out.len())),
            ContainerEvent::Withdrawn(span) => {
                let span = Span::new(self.starts.of(span.start), self.starts.of(span.end));
                self.out.event(ContainerEvent::Withdrawn(span));
            }
            ContainerEvent::Replaced { start, end, is_result } => {
                let (start, end) = (self.starts.of(*start), self.starts.of(*end));
                self.out.event(ContainerEvent::Replaced { start, end, is_result: *is_result });
            }
            ContainerEvent::SessionId(id) => self.out.session_id(|| Some(id.clone())),
            ContainerEvent::Fact(fact) => self.out.event(ContainerEvent::Fact(Box::new(self.fact(fact)))),
            ContainerEvent::Time(_)
            | ContainerEvent::Link { .. }
            | ContainerEvent::Active(_)
            | ContainerEvent::AnswersNothing
            | ContainerEvent::CallIds(_) => self.out.event(event.clone()),
        }
    }

    /// A fact, completed with the times that the recording has.
    fn fact(&self, fact: &Fact) -> Fact {
        let Fact::Request(facts) = fact else { return fact.clone() };
        let times = &self.given.request;
        let (start, end) = (times.start.or(facts.start), times.end.or(facts.end));
        Fact::Request(RequestFacts { start, end, ..facts.clone() })
    }
}
