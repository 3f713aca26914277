//! The work of a session over time: when the model wrote each answer of a turn and when each call ran, and the longest of
//! them.

mod axis;

use std::cmp::Reverse;
use std::time::Duration;

pub use axis::TimeAxis;

use crate::container::facts::{Figure, FigureSource, Timestamp};
use crate::document::questions::asks_user;
use crate::document::{Document, ItemKind, MessageRole, Turn};
use crate::session::Session;

/// Number of items that are read in a step.
const STEP: usize = 4096;

/// Number of the longest activities that are kept.
const LONGEST: usize = 9;

/// The kind of an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActivityKind {
    /// The model wrote an answer: text, reasoning, calls.
    Answer,
    /// A call ran. Unless its file records when its tool ran, this includes waiting for permission.
    Call,
    /// A call that started a sub-agent ran.
    Subagent,
    /// A call that asks the user ran, up to the answer.
    Question,
}

/// An answer of the model, or a call, from its start to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedActivity {
    /// An answer or a call.
    pub kind: ActivityKind,
    /// The first item of the answer, or the item of the call.
    pub item: usize,
    /// When it began. An answer whose request does not record it began when the text or result before it was there.
    pub start: Timestamp,
    /// When it ended, at `start` or later; `None` if the file does not say, as for a call that is still running.
    pub end: Option<Timestamp>,
    /// The source of its duration.
    pub source: FigureSource,
    /// First message of the run of a sub-agent's messages that contains it; `None` in the main conversation.
    pub aside: Option<usize>,
    /// Of a call of an answer with several calls, the item of the first of them.
    pub wave: Option<usize>,
    /// Of the call that ended last among several calls of one answer, the number of these calls: only then could the model
    /// continue. `None` while others of them may still run.
    pub last_of: Option<usize>,
}

impl TimedActivity {
    /// The time from its start to its end, with its source.
    #[must_use]
    pub fn duration(&self) -> Option<Figure<Duration>> {
        let value = Duration::try_from(self.end?.duration_since(self.start)).ok()?;
        Some(Figure { value, ground: self.source })
    }
}

/// The activities of a turn, read in steps. A message is read once it is complete. Without a time in the file, there are none.
#[derive(Clone, Debug)]
pub struct TurnActivities {
    turn: Turn,
    /// Number of the next message.
    next: usize,
    lanes: Vec<Lane>,
}

impl TurnActivities {
    /// A turn before anything of it is read.
    #[must_use]
    pub fn new(turn: Turn) -> Self {
        Self { turn, next: turn.first, lanes: Vec::new() }
    }

    /// True if there are complete messages of the turn that were not read yet.
    #[must_use]
    pub fn is_behind(&self, session: &Session) -> bool {
        let document = session.document();
        let complete = if session.is_finished() { usize::MAX } else { document.messages().len().saturating_sub(1) };
        self.next < document.end_of(self.turn).min(complete)
    }

    /// Reads the next messages, up to some thousand items; a message is read as a whole. Returns the number of items.
    pub fn advance(&mut self, session: &Session) -> usize {
        let mut read = 0;
        while read < STEP && self.is_behind(session) {
            read += 1 + self.read_message(session, self.next);
            self.next += 1;
        }
        read
    }

    /// Reads a message. Returns the number of its items.
    fn read_message(&mut self, session: &Session, message: usize) -> usize {
        let (document, text) = (session.document(), session.text());
        let (items, aside) = (document.items(), document.section(message).aside);
        let at = self.lanes.iter().position(|lane| lane.aside == aside).unwrap_or_else(|| {
            self.lanes.push(Lane { aside, ..Lane::default() });
            self.lanes.len() - 1
        });
        let lane = &mut self.lanes[at];
        let is_answer = document.messages().role(message) == Some(MessageRole::Assistant);
        let part = AnswerPart {
            message: document.messages().whole_of(message),
            request: document.requests().of_message(message),
        };
        let span = document.message_span(message, text.len());
        let range = document.items_before(span.start)..document.items_before(span.end);
        for item in range.clone() {
            let Some(moment) = items.span(item).and_then(|span| document.moment_at(span.start)) else { continue };
            match items.kind(item) {
                Some(ItemKind::Result) => lane.read_result(document, moment),
                _ if is_answer => lane.read_answer(session, item, part, moment),
                // A reminder or a steering message does not change when the model began.
                _ if lane.ready.is_none() => lane.ready = Some(moment),
                _ => {}
            }
            if items.kind(item) == Some(ItemKind::Call) {
                lane.wave.push(item);
            }
        }
        range.len()
    }

    /// The activities that were read and whose start is known, in order of their start.
    #[must_use]
    pub fn list(&self, session: &Session) -> Vec<TimedActivity> {
        let mut all = Vec::new();
        for lane in &self.lanes {
            all.extend_from_slice(&lane.done);
            let mut last = lane.clone();
            last.done.clear();
            last.close(session.document());
            last.join_wave(session, WaveState::Last);
            all.append(&mut last.done);
        }
        all.sort_by_key(|activity| (activity.start, activity.item));
        all
    }
}

/// The activity of the call at an item.
fn call(session: &Session, item: usize, aside: Option<usize>) -> Option<TimedActivity> {
    let (document, text) = (session.document(), session.text());
    let took = document.call_duration(item, text);
    let recorded = document.recorded_times(item, text).unwrap_or_default();
    let result = || document.moment_at(document.items().span(document.answer_of(item)?)?.start);
    let written = || document.moment_at(document.items().span(item)?.start);
    let from_end = || recorded.end.or_else(result)?.checked_sub(took?.value).ok();
    // An upper bound is the time from the call to its result.
    let is_bound = took.is_none_or(|took| took.ground == FigureSource::Bound);
    let start = recorded.start.or_else(|| if is_bound { written() } else { from_end().or_else(written) })?;
    let started = document.call(item)?.id.and_then(|id| document.agent_of_call(&id.text(text)).map(|_| ()));
    let kind = match started {
        Some(()) => ActivityKind::Subagent,
        None if asks_user(&document.call(item)?.name(text)) => ActivityKind::Question,
        None => ActivityKind::Call,
    };
    let end = took.and_then(|took| start.checked_add(took.value).ok());
    let source = took.map_or(FigureSource::Derived, |took| took.ground);
    Some(TimedActivity { kind, item, start, end, source, aside, wave: None, last_of: None })
}

/// The messages of the main conversation, or of a run of a sub-agent, while they are read.
#[derive(Clone, Debug, Default)]
struct Lane {
    aside: Option<usize>,
    /// Since when the model could write the next answer.
    ready: Option<Timestamp>,
    answer: Option<OpenAnswer>,
    /// The last answer: results may separate its parts.
    last: Option<AnswerPart>,
    /// Calls of the last answer, which may still run.
    wave: Vec<usize>,
    done: Vec<TimedActivity>,
}

/// An answer that is still read.
#[derive(Clone, Copy, Debug)]
struct OpenAnswer {
    item: usize,
    part: AnswerPart,
    end: Timestamp,
}

/// The state of the calls of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaveState {
    /// Another answer has followed.
    Answered,
    /// No other answer has followed so far.
    Last,
}

/// The message that a part of an answer belongs to, and its request.
#[derive(Clone, Copy, Debug)]
struct AnswerPart {
    message: usize,
    request: Option<usize>,
}

impl AnswerPart {
    fn is_same_answer(self, other: Self) -> bool {
        self.message == other.message || (self.request.is_some() && self.request == other.request)
    }
}

impl Lane {
    /// Reads an item of an answer.
    fn read_answer(&mut self, session: &Session, item: usize, part: AnswerPart, moment: Timestamp) {
        match &mut self.answer {
            Some(answer) if answer.part.is_same_answer(part) => answer.end = answer.end.max(moment),
            None if self.last.is_some_and(|last| last.is_same_answer(part)) => {}
            _ => {
                self.close(session.document());
                self.join_wave(session, WaveState::Answered);
                self.answer = Some(OpenAnswer { item, part, end: moment });
                self.last = Some(part);
            }
        }
    }

    /// Reads a result, after which the model writes another answer.
    fn read_result(&mut self, document: &Document, moment: Timestamp) {
        self.close(document);
        self.ready = self.ready.max(Some(moment));
    }

    /// Adds the answer, if its start is known.
    fn close(&mut self, document: &Document) {
        let Some(OpenAnswer { item, part, end }) = self.answer.take() else { return };
        let request = part.request.and_then(|number| document.requests().get(number));
        let [from, to] = request.map_or([None, None], |request| [request.start, request.end]);
        let end = to.unwrap_or(end);
        if let Some(start) = from.or(self.ready).filter(|start| *start <= end) {
            let source = if from.and(to).is_some() { FigureSource::Recorded } else { FigureSource::Derived };
            let kind = ActivityKind::Answer;
            self.done.push(TimedActivity {
                kind,
                item,
                start,
                end: Some(end),
                source,
                aside: self.aside,
                wave: None,
                last_of: None,
            });
        }
        self.ready = self.ready.max(Some(end));
    }

    /// Adds the calls of the last answer, and marks the one that ended last. An answer whose file has a single time
    /// lasted until its first call began.
    fn join_wave(&mut self, session: &Session, state: WaveState) {
        let (from, count, first) = (self.done.len(), self.wave.len(), self.wave.first().copied());
        self.done.extend(self.wave.drain(..).filter_map(|item| call(session, item, self.aside)));
        let (before, calls) = self.done.split_at_mut(from);
        if let Some(answer) =
            before.last_mut().filter(|done| done.kind == ActivityKind::Answer && done.end == Some(done.start))
            && let Some(first) = calls.iter().map(|call| call.start).min()
        {
            answer.end = answer.end.max(Some(first));
        }
        if count > 1 {
            for call in calls.iter_mut() {
                call.wave = first;
            }
        }
        let may_run = state == WaveState::Last && !session.is_finished() && calls.iter().any(|call| call.end.is_none());
        if count > 1
            && !may_run
            && let Some(last) =
                self.done[from..].iter_mut().filter(|call| call.end.is_some()).max_by_key(|call| call.end)
        {
            last.last_of = Some(count);
        }
    }
}

/// The longest activities of the main conversation, found in steps.
#[derive(Clone, Debug, Default)]
pub struct LongestActivities {
    /// The turn that is read.
    current: Option<TurnActivities>,
    /// The longest activities of the turns before it.
    longest: Vec<TimedActivity>,
}

impl LongestActivities {
    /// True if there are complete messages that were not read yet.
    #[must_use]
    pub fn is_behind(&self, session: &Session) -> bool {
        match &self.current {
            Some(current) => current.is_behind(session) || session.document().turn(current.turn.index + 1).is_some(),
            None => session.document().turn(1).is_some(),
        }
    }

    /// Reads some thousand of the next items.
    pub fn advance(&mut self, session: &Session) {
        let mut read = 0;
        while read < STEP && self.is_behind(session) {
            let current = match self.current.take_if(|current| !current.is_behind(session)) {
                // The turn before is complete.
                Some(done) => {
                    keep_longest(&mut self.longest, done.list(session));
                    session.document().turn(done.turn.index + 1).map(TurnActivities::new)
                }
                None => self.current.take().or_else(|| session.document().turn(1).map(TurnActivities::new)),
            };
            self.current = current;
            read += 1 + self.current.as_mut().map_or(0, |current| current.advance(session));
        }
    }

    /// The longest activities of what was read, the longest first.
    #[must_use]
    pub fn list(&self, session: &Session) -> Vec<TimedActivity> {
        let mut longest = self.longest.clone();
        if let Some(current) = &self.current {
            keep_longest(&mut longest, current.list(session));
        }
        longest
    }
}

/// Adds activities of the main conversation, and keeps the longest.
fn keep_longest(longest: &mut Vec<TimedActivity>, activities: Vec<TimedActivity>) {
    longest.extend(activities.into_iter().filter(|activity| activity.aside.is_none() && activity.end.is_some()));
    longest.sort_by_key(|activity| (Reverse(activity.duration().map(|took| took.value)), activity.item));
    longest.truncate(LONGEST);
}
