//! Values of terms about a session: turns, times, durations, and parts of it.

use std::ops::RangeInclusive;
use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

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
    /// Parses `3`, `2..5`, `2..`, `..5` or `last`; a range includes its end.
    pub(super) fn parse(word: &str) -> Option<Self> {
        if word.eq_ignore_ascii_case("last") {
            return Some(TurnTest::Last);
        }
        let (first, last) = word.split_once("..").unwrap_or((word, word));
        let number = |word: &str, otherwise: usize| if word.is_empty() { Some(otherwise) } else { word.parse().ok() };
        let range = number(first, 1)?..=number(last, usize::MAX)?;
        (*range.start() > 0 && !range.is_empty() && word != "..").then_some(TurnTest::Numbers(range))
    }
}

/// A test of time: since a moment, or before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeTest {
    is_after: bool,
    limit: TimeLimit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeLimit {
    At(Timestamp),
    /// This long after the first time in the file.
    FromStart(Duration),
}

impl TimeTest {
    /// Parses a date or a time, in UTC unless it names a zone, or a duration.
    pub(super) fn parse(word: &str, is_after: bool) -> Option<Self> {
        let civil = || word.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
        let moment = word.parse().ok().or_else(|| civil().map(|moment| moment.timestamp()));
        let limit = moment.map(TimeLimit::At).or_else(|| duration(word).map(TimeLimit::FromStart))?;
        Some(Self { is_after, limit })
    }

    /// True if it counts from the first time in the file.
    pub(super) fn is_relative(self) -> bool {
        matches!(self.limit, TimeLimit::FromStart(_))
    }

    /// True if an item with this time passes. `start` is the first time in the file, if stated up to the item.
    pub(super) fn holds(self, time: Timestamp, start: Option<Timestamp>) -> bool {
        let limit = match self.limit {
            TimeLimit::At(limit) => Some(limit),
            TimeLimit::FromStart(after) => start.and_then(|start| start.checked_add(after).ok()),
        };
        limit.is_some_and(|limit| (time >= limit) == self.is_after)
    }
}

/// Parses a duration: `500ms`, `10s`, `1.5m`, `1h30m`.
pub(super) fn duration(word: &str) -> Option<Duration> {
    let is_plain = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    word.parse::<SignedDuration>().ok().filter(|_| is_plain)?.try_into().ok()
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
            ("-1", None),
        ] {
            assert_eq!(TurnTest::parse(word), expected, "{word}");
        }
    }

    #[test]
    fn a_time_is_in_utc_unless_it_names_a_zone() {
        for (word, expected) in [
            ("2026-01-31", Some("2026-01-31T00:00:00Z")),
            ("2026-01-31T10:00", Some("2026-01-31T10:00:00Z")),
            ("2026-01-31 10:00:05", Some("2026-01-31T10:00:05Z")),
            ("2026-01-31T10:00Z", Some("2026-01-31T10:00:00Z")),
            ("2026-01-31T10:00+02:00", Some("2026-01-31T08:00:00Z")),
            ("5m", Some("2026-01-01T00:05:00Z")),
            ("1h30m", Some("2026-01-01T01:30:00Z")),
            ("-5m", None),
            ("5", None),
            ("2026-13-01", None),
            ("yesterday", None),
        ] {
            let start = "2026-01-01T00:00:00Z".parse::<Timestamp>().ok();
            let limit = TimeTest::parse(word, true).map(|test| match test.limit {
                TimeLimit::At(time) => Some(time),
                TimeLimit::FromStart(after) => start.and_then(|start| start.checked_add(after).ok()),
            });
            assert_eq!(limit.flatten().map(|time| time.to_string()).as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn a_duration_has_a_unit() {
        for (word, milliseconds) in [
            ("10s", Some(10_000)),
            ("500ms", Some(500)),
            ("1m", Some(60_000)),
            ("1.5m", Some(90_000)),
            ("2h", Some(7_200_000)),
            ("10", None),
            ("-1s", None),
            ("", None),
            ("s", None),
        ] {
            assert_eq!(duration(word), milliseconds.map(Duration::from_millis), "{word}");
        }
    }
}
