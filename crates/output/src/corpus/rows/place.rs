//! Facts about the message that contains a call or problem: model and time.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::container::moment_of;
use crate::document::{Document, MessageRole, Messages};

/// Milliseconds per day, constant in UTC.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Facts about the last message looked up; consecutive rows usually share it.
#[derive(Default)]
pub(super) struct MessageFacts {
    number: Option<usize>,
    pub(super) model: Option<Arc<str>>,
    /// Day of parts without a time: the day of the message, or else of the session.
    pub(super) day: Option<Arc<str>>,
    time: Option<Timestamp>,
    /// The last day formatted, with its number since 1970.
    last_day: Option<(i64, Arc<str>)>,
}

impl MessageFacts {
    /// Moves to a message; `session_day` is the day of the session.
    pub(super) fn go_to(&mut self, document: &Document, message: usize, session_day: Option<&Arc<str>>) {
        if self.number.replace(message) == Some(message) {
            return;
        }
        let messages = document.messages();
        let model = messages.model(message);
        if self.model.as_deref() != model {
            self.model = model.map(super::cut);
        }
        self.time = said_at(messages, message);
        self.day = self.time.map(|time| self.day(time)).or_else(|| session_day.cloned());
    }

    /// Time at which the bytes at `offset` in the message were recorded.
    pub(super) fn time_at(&self, document: &Document, offset: usize) -> Option<Timestamp> {
        let within = document.messages().time_within(self.number?, offset);
        within.and_then(moment).or(self.time)
    }

    /// Formats the day of a time.
    pub(super) fn day(&mut self, at: Timestamp) -> Arc<str> {
        let number = at.as_millisecond().div_euclid(DAY);
        match &self.last_day {
            Some((known, day)) if *known == number => Arc::clone(day),
            _ => {
                let day = day_of(at);
                self.last_day = Some((number, Arc::clone(&day)));
                day
            }
        }
    }
}

/// Time of a message, in whole milliseconds.
pub(super) fn said_at(messages: Messages<'_>, message: usize) -> Option<Timestamp> {
    messages.time(message).and_then(moment)
}

/// Parses a time of the file, in whole milliseconds.
fn moment(words: &str) -> Option<Timestamp> {
    moment_of(words).and_then(|moment| Timestamp::from_millisecond(moment.as_millisecond()).ok())
}

/// Day of a time in UTC: 2026-11-22.
pub fn day_of(at: Timestamp) -> Arc<str> {
    at.to_zoned(TimeZone::UTC).date().to_string().into()
}

/// The model that wrote the most messages; the first one in case of a tie.
pub(super) fn main_model(messages: Messages<'_>) -> Option<&str> {
    let mut said: Vec<(&str, usize)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for message in 0..messages.len() {
        let by_model = messages.role(message).is_none_or(|role| role == MessageRole::Assistant);
        if let Some(model) = messages.model(message).filter(|_| by_model) {
            let place = *places.entry(model).or_insert_with(|| {
                said.push((model, 0));
                said.len() - 1
            });
            said[place].1 += 1;
        }
    }
    said.into_iter().rev().max_by_key(|(_, count)| *count).map(|(model, _)| model)
}
