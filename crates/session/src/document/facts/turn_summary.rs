//! Figures of a turn: start, duration, cost, context.

use std::ops::Range;
use std::time::Duration;

use super::super::{Document, Turn};
use super::requests::{ModelRequest, Spending};
use crate::container::MessageRole;
use crate::container::facts::{RequestScope, SessionState, Timestamp};
use crate::text::Text;

/// Number of messages, requests and calls examined to find the end of a turn, since files are not always in
/// chronological order.
const LAST: usize = 16;

/// Figures of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnSummary {
    /// Number of the turn, from 1.
    pub(crate) number: usize,
    /// Its messages.
    pub messages: Range<usize>,
    /// Time at which its prompt was sent.
    pub start: Option<Timestamp>,
    /// Time of the agent's last activity; `None` if it did nothing, or the file states no time.
    pub end: Option<Timestamp>,
    /// Number of its calls that count.
    pub calls: usize,
    /// Number of its failed calls.
    pub failures: usize,
    /// Tokens and money spent in it, including sub-agents in the same file.
    pub spending: Spending,
    /// Tokens of the prompt of its last request in the main conversation.
    pub context: Option<u64>,
}

impl TurnSummary {
    /// Time from the prompt to the end of the turn, without the wait for the next prompt.
    pub fn duration(&self) -> Option<Duration> {
        Duration::try_from(self.end?.duration_since(self.start?)).ok()
    }
}

impl Document {
    /// Figures of a turn.
    pub fn turn_summary(&self, turn: Turn, text: &Text) -> TurnSummary {
        let messages = turn.first..self.end_of(turn);
        let items = self.items_in(messages.clone(), text);
        // Tokens spent before the file begins are not part of a turn, and a sum over several turns is not part of one.
        let is_only = turn.number == 1 && self.turn_count() == 1;
        let is_own =
            |request: &ModelRequest<'_>| request.scope != RequestScope::Session || (is_only && !request.is_aside);
        let spending = self.requests().spending_on(self.requests().in_messages(messages.clone()).filter(is_own));
        let fills = |request: &ModelRequest<'_>| !request.is_aside && request.usage.is_some();
        let filling = self.requests().in_messages(messages.clone()).rev().find(fills);
        TurnSummary {
            number: turn.number,
            start: self.start_of_turn(turn),
            end: self.end_of_turn(turn, text),
            calls: self.calls_that_count_in(items.clone()),
            failures: self.failures_in(items),
            spending,
            context: filling.and_then(|request| request.prompt()),
            messages,
        }
    }

    /// The items that begin in a range of messages; an empty range has none.
    fn items_in(&self, messages: Range<usize>, text: &Text) -> Range<usize> {
        let end = text.len();
        let last = self.message_span(messages.end.saturating_sub(1), end);
        let span = self.message_span(messages.start, end).cover(last);
        self.items_before(span.start)..self.items_before(span.end)
    }

    /// Time at which the prompt of a turn was sent.
    pub fn start_of_turn(&self, turn: Turn) -> Option<Timestamp> {
        self.messages().get(turn.first)?.moment()
    }

    /// Time of the agent's last activity in a turn; `None` if it did nothing, or the file states no time. Prompts, and
    /// text that a client adds before the next turn, do not count.
    pub fn end_of_turn(&self, turn: Turn, text: &Text) -> Option<Timestamp> {
        let messages = turn.first..self.end_of(turn);
        let items = self.items_in(messages.clone(), text);
        let all = self.messages();
        let is_work = |message: &usize| {
            let is_asked = matches!(all.role(*message), Some(MessageRole::User | MessageRole::System));
            !is_asked || self.is_interruption(*message)
        };
        let said = messages.clone().rev().filter(is_work).take(LAST).filter_map(|message| all.last_moment(message));
        let requests = self.requests().in_messages(messages).rev().take(LAST).filter_map(|request| request.end);
        let calls = self.calls().take(self.calls_before(items.end)).skip(self.calls_before(items.start));
        let calls = calls.rev().take(LAST).filter_map(|item| self.recorded_times(item, text)?.end);
        said.chain(requests).chain(calls).max()
    }

    /// True if a message states that the user interrupted the model.
    pub fn is_interruption(&self, message: usize) -> bool {
        let Some(start) = self.messages().start(message) else { return false };
        let next = self.messages().start(message + 1).unwrap_or(usize::MAX);
        let states = self.states();
        let from = states.partition_point(|(place, _)| *place < start);
        let mut within = states[from..].iter().take_while(|(place, _)| *place < next);
        within.any(|(_, state)| *state == SessionState::Interrupted)
    }

    /// True if the user interrupted the model after `offset`, within the same turn.
    pub fn is_interrupted_after(&self, offset: usize) -> bool {
        let turn = self.turn_of(self.message_at(offset));
        let end = turn.and_then(|turn| self.messages().start(self.end_of(turn))).unwrap_or(usize::MAX);
        let states = self.states_up_to(end).iter().rev();
        states.take_while(|(place, _)| *place > offset).any(|(_, state)| *state == SessionState::Interrupted)
    }

    /// Number of turns, without abandoned ones.
    pub fn turn_count(&self) -> usize {
        self.turns().rev().find_map(|turn| self.turn_number(turn)).unwrap_or_default()
    }

    /// The displayed number of a turn; `None` for an abandoned one.
    pub fn turn_number(&self, turn: Turn) -> Option<usize> {
        Some(turn.number).filter(|_| !self.is_abandoned(turn.first))
    }

    /// All turns in file order, including abandoned ones.
    pub fn turns(&self) -> impl DoubleEndedIterator<Item = Turn> + '_ {
        (1..=self.conversation.turns().count()).filter_map(|index| self.turn(index))
    }

    /// The last turn of the file, abandoned or not.
    pub fn last_turn(&self) -> Option<Turn> {
        self.turn(self.conversation.turns().count())
    }

    /// The turn with this index, from 1.
    pub fn turn(&self, index: usize) -> Option<Turn> {
        self.conversation.turns().get(index)
    }

    /// The turn that contains a message.
    pub fn turn_of(&self, message: usize) -> Option<Turn> {
        self.section(message).turn
    }
}
