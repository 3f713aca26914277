//! Questions about a document: what is at an offset, and what comes next.
//!
//! This module does not change anything and does not know screens.

use std::time::Duration;

use super::{Brief, Document};
use crate::container::facts::Timestamp;
use crate::container::moment_of;
use crate::text::Span;

impl Document {
    /// Number of the item that holds the byte at `offset`; the last one for an offset behind it.
    pub fn item_at(&self, offset: usize) -> Option<usize> {
        let behind = self.starts.partition_point(|start| start.offset() <= offset);
        behind.checked_sub(1).or(if self.starts.is_empty() { None } else { Some(0) })
    }

    /// Number of the item that a problem is about: its call, or where it begins.
    pub fn item_of_problem(&self, problem: &Brief) -> Option<usize> {
        problem.item.or_else(|| self.item_at(problem.span.start))
    }

    /// Number of items that begin before `offset`.
    pub fn items_before(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| start.offset() < offset)
    }

    /// Number of the message that holds the byte at `offset`.
    pub fn message_at(&self, offset: usize) -> usize {
        self.messages().up_to(offset).saturating_sub(1)
    }

    /// The time from one message to another, where the file says both; none where the clock was set back in between.
    pub fn time_between(&self, from: usize, to: usize) -> Option<Duration> {
        let moment = |message: usize| self.messages().get(message)?.moment();
        Duration::try_from(moment(to)?.duration_since(moment(from)?)).ok()
    }

    /// The time from a call to its result, by the offsets of both. A file may say only when a message began, which is not
    /// the time of a call that the model wrote further down in it.
    pub fn time_taken(&self, call: usize, result: usize) -> Option<Duration> {
        let messages = self.messages();
        let [asked, answered] = [call, result].map(|offset| self.message_at(offset));
        let is_dated =
            messages.start(asked) == Some(call) || messages.time_within(asked, call).and_then(moment_of).is_some();
        let from = self.moment_at(call).filter(|_| is_dated)?;
        let to = self.moment_at(result)?;
        (asked != answered).then(|| Duration::try_from(to.duration_since(from)).ok())?
    }

    /// The time of the bytes at `offset`: the last one that the file states up to there in their message.
    pub fn moment_at(&self, offset: usize) -> Option<Timestamp> {
        let messages = self.messages();
        let message = self.message_at(offset);
        let within = messages.time_within(message, offset).and_then(moment_of);
        within.or_else(|| moment_of(messages.time(message)?))
    }

    /// The bytes of a message; the last one reaches to `end`, the end of the text.
    pub fn message_span(&self, message: usize, end: usize) -> Span {
        let messages = self.messages();
        Span::new(messages.start(message).unwrap_or(0), messages.start(message + 1).unwrap_or(end))
    }

    /// The next call behind item number `item`, or before it.
    pub fn neighbour_call(&self, item: usize, forward: bool) -> Option<usize> {
        if forward {
            self.calls().nth(self.calls_before(item + 1))
        } else {
            self.calls_before(item).checked_sub(1).and_then(|number| self.calls().nth(number))
        }
    }
}
