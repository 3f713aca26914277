//! Queries about a document: the item at an offset, durations, neighbouring calls. Read-only.

use std::time::Duration;

use super::{Brief, Document};
use crate::container::facts::Timestamp;
use crate::container::moment_of;
use crate::text::Span;

impl Document {
    /// Number of the item that contains the byte at `offset`; the last one if `offset` is beyond the end.
    pub fn item_at(&self, offset: usize) -> Option<usize> {
        let behind = self.starts.partition_point(|start| start.offset() <= offset);
        behind.checked_sub(1).or(if self.starts.is_empty() { None } else { Some(0) })
    }

    /// Number of the item that a problem is about: its call, or the item where it begins.
    pub fn item_of_problem(&self, problem: &Brief) -> Option<usize> {
        problem.item.or_else(|| self.item_at(problem.span.start))
    }

    /// Number of items that begin before `offset`.
    pub fn items_before(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| start.offset() < offset)
    }

    /// Number of the message that contains the byte at `offset`.
    pub fn message_at(&self, offset: usize) -> usize {
        self.messages().up_to(offset).saturating_sub(1)
    }

    /// Time between two messages; `None` if the file lacks one of the times, or the clock was set back in between.
    pub fn time_between(&self, from: usize, to: usize) -> Option<Duration> {
        let moment = |message: usize| self.messages().get(message)?.moment();
        Duration::try_from(moment(to)?.duration_since(moment(from)?)).ok()
    }

    /// Time from a call to its result, given the offsets of both. `None` if the file states only when the message
    /// began, unless the call begins the message: the model wrote the call later.
    pub fn time_taken(&self, call: usize, result: usize) -> Option<Duration> {
        let messages = self.messages();
        let [asked, answered] = [call, result].map(|offset| self.message_at(offset));
        let is_dated =
            messages.start(asked) == Some(call) || messages.time_within(asked, call).and_then(moment_of).is_some();
        let from = self.moment_at(call).filter(|_| is_dated)?;
        let to = self.moment_at(result)?;
        (asked != answered).then(|| Duration::try_from(to.duration_since(from)).ok())?
    }

    /// Time of the bytes at `offset`: the last one stated in their message up to there.
    pub fn moment_at(&self, offset: usize) -> Option<Timestamp> {
        let messages = self.messages();
        let message = self.message_at(offset);
        let within = messages.time_within(message, offset).and_then(moment_of);
        within.or_else(|| moment_of(messages.time(message)?))
    }

    /// Span of a message; the last one ends at `end`, the end of the text.
    pub fn message_span(&self, message: usize, end: usize) -> Span {
        let messages = self.messages();
        Span::new(messages.start(message).unwrap_or(0), messages.start(message + 1).unwrap_or(end))
    }

    /// The next call after item number `item` if `forward`, else the one before it.
    pub fn neighbour_call(&self, item: usize, forward: bool) -> Option<usize> {
        if forward {
            self.calls().nth(self.calls_before(item + 1))
        } else {
            self.calls_before(item).checked_sub(1).and_then(|number| self.calls().nth(number))
        }
    }
}
