//! Answers to terms about a session: turns, times, durations, sub-agents, compactions.
//!
//! A result takes the turn, the time and the sub-agent from its call. A fact that a later record may state is decided
//! at the end.

use std::cmp::Ordering;
use std::time::Duration;

use super::{Evaluation, KnownItems};
use crate::document::Item;
use crate::filter::facts::{SessionPart, TimeTest, TurnTest};
use crate::filter::pattern::Pattern;
use crate::session::prompt::prompt_span;

impl Evaluation<'_> {
    /// Offset of the item's call, else of the item; `None` if its call may still arrive.
    fn place(&self) -> Option<usize> {
        match (&self.subject.call, &self.subject.found) {
            (Some((_, call)), _) => Some(call.span.start),
            (None, Item::Result(_)) if self.subject.known != KnownItems::All => None,
            (None, found) => Some(found.span().start),
        }
    }

    pub(super) fn in_turn(&self, test: &TurnTest) -> Option<bool> {
        let document = self.session.document();
        let turn_at = |offset: usize| document.turn_of(document.message_at(offset));
        let turn = turn_at(self.place()?);
        match (test, self.subject.known) {
            (TurnTest::Numbers(numbers), known) => {
                let is_numbered = numbers.contains(&turn.map_or(0, |turn| turn.number));
                let Some(turn) = turn.filter(|_| is_numbered) else { return Some(is_numbered) };
                // A message with an id may be abandoned later.
                let is_settled = known == KnownItems::All || document.messages().get(turn.first)?.id.is_none();
                is_settled.then(|| !document.is_abandoned(turn.first))
            }
            _ if turn.is_none() => Some(false),
            (TurnTest::Last, KnownItems::All) => Some(turn == document.last_turn()),
            (TurnTest::Last, KnownItems::UpTo(last)) => {
                let here = document.items().span(last).and_then(|span| turn_at(span.start));
                (turn.map(|turn| turn.index) < here.map(|turn| turn.index)).then_some(false)
            }
        }
    }

    /// Compares the duration of the call, which may be exact or a bound.
    pub(super) fn took(&self, orders: &[Ordering], limit: Duration) -> Option<bool> {
        let Some((item, _)) = &self.subject.call else { return self.of_call(|_, _| false) };
        self.answered()?;
        let took = self.session.document().call_duration(*item, self.session.text());
        Some(took.is_some_and(|took| orders.contains(&took.value.cmp(&limit))))
    }

    pub(super) fn at_time(&self, test: TimeTest) -> Option<bool> {
        let document = self.session.document();
        let place = self.place()?;
        let start = self.matcher.first_time.and_then(|first| first.up_to(document.message_at(place)));
        Some(document.moment_at(place).is_some_and(|time| test.holds(time, start)))
    }

    /// True for the messages of a sub-agent, and for the call that started it.
    pub(super) fn of_agent(&self, name: &Pattern) -> Option<bool> {
        let document = self.session.document();
        let place = self.place()?;
        let message = document.message_at(place);
        let call = self.subject.call.as_ref();
        if self.subject.known != KnownItems::All && (document.messages().label(message).is_some() || call.is_some()) {
            return None;
        }
        let id = call.map(|(_, call)| call.id(self.session.text()));
        Some(document.agent_names(message, id.as_deref()).any(|known| name.is_in(known)))
    }

    pub(super) fn is_part(&self, part: SessionPart) -> Option<bool> {
        let document = self.session.document();
        let span = self.subject.found.span();
        let message = document.message_at(span.start);
        match part {
            SessionPart::Compaction if self.subject.known != KnownItems::All => None,
            SessionPart::Compaction => Some(document.compaction_of(message).is_some()),
            SessionPart::Turn => {
                let turn = document.turn_of(message).filter(|turn| turn.first == message);
                let is_text = matches!(self.subject.found, Item::Text(_));
                let prompt = turn.filter(|_| is_text).and_then(|turn| prompt_span(self.session, turn));
                Some(prompt.is_some_and(|prompt| prompt.start == span.start))
            }
            SessionPart::Subagent if document.messages().is_aside(message) => Some(true),
            SessionPart::Subagent => match (&self.subject.call, self.subject.known) {
                (None, _) => self.of_call(|_, _| false),
                (Some(_), KnownItems::UpTo(_)) => None,
                (Some((_, call)), KnownItems::All) => {
                    Some(document.agent_of_call(&call.id(self.session.text())).is_some())
                }
            },
        }
    }
}
