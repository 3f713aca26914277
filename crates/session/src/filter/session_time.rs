//! Times of a session as users type them: how long after its beginning, a time of day, or a date.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::container::moment_of;
use crate::session::Session;

/// A time in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionTime {
    /// A date with or without a time of day, in UTC unless it was typed with a zone.
    At(Timestamp),
    /// A time of day in UTC, as messages show it: the first one since the session began.
    Clock(Time),
    /// This long after the first time that the file states.
    FromStart(Duration),
}

/// Why a session has no place at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeFault {
    /// The file states no time.
    Untimed,
    /// The session ends before it.
    Beyond {
        /// Text offset of what happened last.
        last: usize,
        /// The first and the last time that the file states.
        range: (Timestamp, Timestamp),
    },
    /// The session lasts so long that the time of day occurs more than once: at these moments.
    Ambiguous(Vec<Timestamp>),
}

/// Maximum number of moments that a fault lists.
const LISTED: usize = 3;

/// A day of UTC, which has no changes of the clock.
const DAY: SignedDuration = SignedDuration::from_hours(24);

impl FromStr for SessionTime {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let civil = || word.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
        let at = word.parse().ok().or_else(|| civil().map(|moment| moment.timestamp())).map(Self::At);
        let found = at.or_else(|| clock(word).map(Self::Clock)).or_else(|| duration(word).map(Self::FromStart));
        found.ok_or_else(|| {
            format!(
                "not a time: {word:?}; write how long after the beginning (5m, 1h05m), a time of day (14:02), or a date \
                 with a time (2026-01-31T10:00)"
            )
        })
    }
}

/// As it can be typed, without spaces.
impl fmt::Display for SessionTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(moment) => write!(out, "{moment}"),
            Self::Clock(time) => write!(out, "{time}"),
            Self::FromStart(after) => write!(out, "{}ms", after.as_millis()),
        }
    }
}

impl SessionTime {
    /// True if it depends on the time at which the session began.
    pub(super) fn is_relative(self) -> bool {
        !matches!(self, Self::At(_))
    }

    /// The moment that it is in a session that began at `start`.
    pub(super) fn moment(self, start: Option<Timestamp>) -> Option<Timestamp> {
        match self {
            Self::At(moment) => Some(moment),
            Self::FromStart(after) => start?.checked_add(after).ok(),
            Self::Clock(time) => first_since(time, start?),
        }
    }

    /// Text offset of the first item at or after this time.
    ///
    /// # Errors
    /// The file states no time, the session has ended before it, or the time is ambiguous.
    pub fn place(self, session: &Session) -> Result<usize, TimeFault> {
        let document = session.document();
        let messages = document.messages();
        let mut moments =
            (0..messages.len()).filter_map(|message| Some((message, messages.last_moment(message)?))).peekable();
        let first = messages.iter().find_map(|message| moment_of(message.time.as_deref()?));
        let start = first.or_else(|| Some(moments.peek()?.1)).ok_or(TimeFault::Untimed)?;
        let wanted = self.moment(Some(start));
        let (mut found, mut last) = (None, (0, start));
        for (message, moment) in moments {
            if found.is_none() && wanted.is_some_and(|wanted| moment >= wanted) {
                found = Some(message);
            }
            if moment >= last.1 {
                last = (message, moment);
            }
        }
        if let (Self::Clock(_), Some(wanted)) = (self, wanted) {
            let next = |before: &Timestamp| before.checked_add(DAY).ok().filter(|next| *next <= last.1);
            let all: Vec<Timestamp> = std::iter::successors(Some(wanted), next).take(LISTED).collect();
            if all.len() > 1 {
                return Err(TimeFault::Ambiguous(all));
            }
        }
        let offset = |message: usize| messages.start(message).unwrap_or_default();
        let message = found.ok_or(TimeFault::Beyond { last: offset(last.0), range: (start, last.1) })?;
        let span = document.message_span(message, session.text().len());
        let items = document.items_before(span.start)..document.items_before(span.end);
        let starts = items.filter_map(|item| Some(document.items().span(item)?.start));
        let mut timed = starts.filter(|&start| document.moment_at(start) >= wanted);
        Ok(timed.next().unwrap_or(offset(message)))
    }
}

/// Parses a time of day: `14:02`, `9:05`, `14:02:30`.
fn clock(word: &str) -> Option<Time> {
    let mut parts = word.split(':').map(|part| {
        let is_number = matches!(part.len(), 1..=2) && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<i8>().ok()).flatten()
    });
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    parts.next().is_none().then(|| Time::new(hour, minute, second, 0).ok())?
}

/// Parses a duration: `500ms`, `10s`, `1.5m`, `1h30m`.
pub(super) fn duration(word: &str) -> Option<Duration> {
    let is_plain = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    word.parse::<SignedDuration>().ok().filter(|_| is_plain)?.try_into().ok()
}

/// The first moment with this time of day since `start`; `14:02` is in time for a session that began at 14:02:30.
fn first_since(time: Time, start: Timestamp) -> Option<Timestamp> {
    let tolerance = if time.second() == 0 { SignedDuration::from_secs(60) } else { SignedDuration::from_secs(1) };
    let today = start.to_zoned(TimeZone::UTC).date().to_datetime(time).to_zoned(TimeZone::UTC).ok()?.timestamp();
    let moments = [Some(today), today.checked_add(DAY).ok()];
    moments.into_iter().flatten().find(|moment| start.duration_since(*moment) < tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(word: &str, start: &str) -> Option<String> {
        let found = word.parse::<SessionTime>().ok()?.moment(start.parse().ok())?;
        Some(found.to_string())
    }

    #[test]
    fn a_time_is_in_utc_unless_it_names_a_zone() {
        for (word, expected) in [
            ("2026-01-31", Some("2026-01-31T00:00:00Z")),
            ("2026-01-31T10:00", Some("2026-01-31T10:00:00Z")),
            ("2026-01-31 10:00:05", Some("2026-01-31T10:00:05Z")),
            ("2026-01-31T10:00Z", Some("2026-01-31T10:00:00Z")),
            ("2026-01-31T10:00+02:00", Some("2026-01-31T08:00:00Z")),
            ("5m", Some("2026-01-01T12:05:30Z")),
            ("1h30m", Some("2026-01-01T13:30:30Z")),
            ("1h05m", Some("2026-01-01T13:05:30Z")),
            ("0s", Some("2026-01-01T12:00:30Z")),
            // The session began at 12:00:30.
            ("12:02", Some("2026-01-01T12:02:00Z")),
            ("12:00", Some("2026-01-01T12:00:00Z")),
            ("12:00:29", Some("2026-01-02T12:00:29Z")),
            ("11:59", Some("2026-01-02T11:59:00Z")),
            ("0:10", Some("2026-01-02T00:10:00Z")),
            ("12:02:05", Some("2026-01-01T12:02:05Z")),
            ("24:00", None),
            ("14:2x", None),
            ("14:02:05:1", None),
            ("-5m", None),
            ("5", None),
            ("2026-13-01", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(moment(word, "2026-01-01T12:00:30Z").as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn a_time_is_written_as_it_can_be_typed() {
        for word in ["2026-01-31T10:00", "1h05m", "14:02", "1500ms", "9:05:07"] {
            let time = word.parse::<SessionTime>().expect("a time");
            assert_eq!(time.to_string().parse(), Ok(time), "{word}");
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
