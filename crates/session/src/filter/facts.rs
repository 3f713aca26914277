//! Values of terms about a session: turns, times, durations, and parts of it.

use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::session_time::SessionTime;
use crate::container::moment_of;
use crate::document::Messages;

/// Parts of a session that are not kinds of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum SessionPart {
    Compaction,
    Subagent,
    Turn,
}

/// A test of turn numbers, which start at 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TurnTest {
    Numbers(RangeInclusive<usize>),
    Last,
}

impl TurnTest {
    /// Parses `3`, `2..5`, `2-5`, `2..`, `..5` or `last`; a range includes its end.
    pub(super) fn parse(word: &str) -> Option<Self> {
        if word.eq_ignore_ascii_case("last") {
            return Some(TurnTest::Last);
        }
        let (first, last) = word.split_once("..").or_else(|| word.split_once('-')).unwrap_or((word, word));
        let number = |word: &str, otherwise: usize| if word.is_empty() { Some(otherwise) } else { word.parse().ok() };
        let range = number(first, 1)?..=number(last, usize::MAX)?;
        (*range.start() > 0 && !range.is_empty() && !(first.is_empty() && last.is_empty()))
            .then_some(TurnTest::Numbers(range))
    }
}

/// A test of time: since a moment, or before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeTest {
    is_after: bool,
    limit: SessionTime,
}

impl TimeTest {
    /// Parses a time of a session.
    ///
    /// # Errors
    /// It is not a time: the text names what would be one.
    pub(super) fn parse(word: &str, is_after: bool) -> Result<Self, String> {
        Ok(Self { is_after, limit: word.parse()? })
    }

    /// True if it depends on the first time in the file.
    pub(super) fn is_relative(self) -> bool {
        self.limit.is_relative()
    }

    /// True if an item with this time passes. `start` is the first time in the file, if stated up to the item.
    pub(super) fn holds(self, time: Timestamp, start: Option<Timestamp>) -> bool {
        let limit = self.limit.moment(start);
        limit.is_some_and(|limit| (time >= limit) == self.is_after)
    }
}

/// The first time in a file that grows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FirstTime {
    /// The first message that states a time, and that time.
    found: Option<(usize, Timestamp)>,
    /// Number of messages examined.
    seen: usize,
}

impl FirstTime {
    pub(super) fn update(&mut self, messages: Messages<'_>) {
        while self.found.is_none() && self.seen < messages.len() {
            self.found = messages.time(self.seen).and_then(moment_of).map(|time| (self.seen, time));
            self.seen += 1;
        }
        self.seen = self.seen.min(messages.len());
    }

    /// The first time, if this message or one before it states it.
    pub(super) fn up_to(self, message: usize) -> Option<Timestamp> {
        self.found.filter(|(stated_by, _)| *stated_by <= message).map(|(_, time)| time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_a_number_a_range_or_the_last_one() {
        let numbers = |range| Some(TurnTest::Numbers(range));
        for (word, expected) in [
            ("3", numbers(3..=3)),
            ("2..5", numbers(2..=5)),
            ("2..", numbers(2..=usize::MAX)),
            ("..5", numbers(1..=5)),
            ("Last", Some(TurnTest::Last)),
            ("0", None),
            ("5..2", None),
            ("..", None),
            ("first", None),
            ("3-7", numbers(3..=7)),
            ("3-", numbers(3..=usize::MAX)),
            ("-7", numbers(1..=7)),
            ("7-3", None),
            ("-", None),
            ("", None),
            ("3--7", None),
        ] {
            assert_eq!(TurnTest::parse(word), expected, "{word}");
        }
    }
}
