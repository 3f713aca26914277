//! A turn in figures: when it began, how long it took, what it cost, how full the context was.

use std::time::Duration;

use super::super::{Document, Turn};
use super::requests::{ModelRequest, Spending};
use crate::container::facts::Timestamp;

/// How many of the last messages of a turn are examined for its end: files are not always in the order of time.
const LAST_MESSAGES: usize = 16;

/// A turn in figures.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnSummary {
    /// Number of the turn, from 1.
    pub number: usize,
    /// Its messages.
    pub messages: std::ops::Range<usize>,
    /// When its prompt was sent.
    pub start: Option<Timestamp>,
    /// The latest time in it.
    pub end: Option<Timestamp>,
    /// Number of its calls that count.
    pub calls: usize,
    /// Number of its failed calls.
    pub failures: usize,
    /// Tokens and money spent in it, sub-agents in the same file included.
    pub spending: Spending,
    /// Tokens of the prompt of its last request in the main conversation.
    pub context: Option<u64>,
}

impl TurnSummary {
    /// The time from its first message to its last one.
    pub fn duration(&self) -> Option<Duration> {
        Duration::try_from(self.end?.duration_since(self.start?)).ok()
    }
}

impl Document {
    /// A turn in figures; `end` is the end of the text.
    pub fn turn_summary(&self, turn: Turn, end: usize) -> TurnSummary {
        let messages = turn.first..self.end_of(turn);
        let all = self.messages();
        let span = self.message_span(messages.start, end).cover(self.message_span(messages.end.saturating_sub(1), end));
        let items = self.items_before(span.start)..self.items_before(span.end);
        let last = messages.end.saturating_sub(LAST_MESSAGES).max(messages.start)..messages.end;
        let spending = self.requests().spending_on(self.requests().in_messages(messages.clone()));
        let fills = |request: &ModelRequest<'_>| !request.is_aside && request.usage.is_some();
        let filling = self.requests().in_messages(messages.clone()).rev().find(fills);
        TurnSummary {
            number: turn.number,
            start: all.get(messages.start).and_then(|message| message.moment()),
            end: last.filter_map(|message| all.last_moment(message)).max(),
            calls: self.calls_that_count_in(items.clone()),
            failures: self.failures_in(items),
            spending,
            context: filling.and_then(|request| request.prompt()),
            messages,
        }
    }

    /// Number of turns.
    pub fn turn_count(&self) -> usize {
        self.conversation.turns().count()
    }

    /// The turn with this number, from 1.
    pub fn turn(&self, number: usize) -> Option<Turn> {
        self.conversation.turns().get(number)
    }

    /// The turn that a message is in.
    pub fn turn_of(&self, message: usize) -> Option<Turn> {
        self.section(message).turn
    }
}
