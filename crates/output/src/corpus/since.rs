//! Parses a time given on the command line: a day, a time, or an age.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

/// Parses a time relative to `now`: `2026-11-22` (start of that day in the local time zone), `2026-11-22T10:00`,
/// `2026-11-22T10:00:00Z`, `7d`, `36h`, `2 weeks`.
///
/// # Errors
/// A message with the expected forms.
pub fn parse(words: &str, now: &Zoned) -> Result<Timestamp, String> {
    let words = words.trim();
    if let Ok(moment) = words.parse::<Timestamp>() {
        return Ok(moment);
    }
    let zoned = |at: DateTime, zone: &TimeZone| at.to_zoned(zone.clone()).ok().map(|at| at.timestamp());
    if let Some(moment) = words.parse::<DateTime>().ok().and_then(|at| zoned(at, now.time_zone())) {
        return Ok(moment);
    }
    let ago = words.parse::<Span>().ok().filter(|span| span.is_positive());
    let moment = ago.and_then(|span| now.checked_sub(span).ok()).map(|at| at.timestamp());
    moment.ok_or_else(|| {
        format!("{words:?} is not a time; write a day (2026-11-22), a time (2026-11-22T10:00) or an age (7d, 36h)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_day_a_moment_or_a_while_ago() {
        let now: Zoned = "2026-11-22T12:00:00+01:00[Europe/Berlin]".parse().expect("a time");
        for (words, expected) in [
            ("2026-11-20", Some("2026-11-19T23:00:00Z")),
            ("2026-11-20T10:30", Some("2026-11-20T09:30:00Z")),
            ("2026-11-20 10:30:05", Some("2026-11-20T09:30:05Z")),
            ("2026-11-20T10:30:00Z", Some("2026-11-20T10:30:00Z")),
            ("2026-11-20T10:30:00+02:00", Some("2026-11-20T08:30:00Z")),
            ("7d", Some("2026-11-15T11:00:00Z")),
            (" 36h ", Some("2026-11-20T23:00:00Z")),
            ("2 weeks", Some("2026-11-08T11:00:00Z")),
            ("1 hour 30 min", Some("2026-11-22T09:30:00Z")),
            ("-7d", None),
            ("yesterday", None),
            ("", None),
            ("2026-13-01", None),
            ("99999999 years", None),
        ] {
            let moment = parse(words, &now).ok().map(|at| at.to_string());
            assert_eq!(moment.as_deref(), expected, "{words:?}");
        }
    }
}
