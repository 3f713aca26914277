//! Ages, and dates in the user's time zone.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::tui::row::duration;

/// The current time and the time zone.
#[derive(Clone, Debug)]
pub struct Calendar {
    /// The clock.
    pub now: fn() -> SystemTime,
    /// The time zone of the user.
    pub zone: TimeZone,
}

impl Default for Calendar {
    fn default() -> Self {
        Self { now: SystemTime::now, zone: TimeZone::system() }
    }
}

impl Calendar {
    /// The time since `time`, in at most six columns: `now`, `59 min`, `23 h`, `99 d`, `3 y`.
    pub fn age(&self, time: SystemTime) -> String {
        const MINUTE: Duration = Duration::from_mins(1);
        // A time in the future, written by a fast clock, counts as now.
        let age = (self.now)().duration_since(time).unwrap_or(Duration::ZERO);
        if age < MINUTE { "now".into() } else { duration(age) }
    }

    /// The current date.
    pub fn today(&self) -> Date {
        Timestamp::try_from((self.now)()).unwrap_or(Timestamp::MAX).to_zoned(self.zone.clone()).date()
    }

    /// The date and the time of day, such as `2026-11-22 10:00`.
    pub fn date(&self, time: SystemTime) -> Option<String> {
        let moment = Timestamp::try_from(time).ok()?.to_zoned(self.zone.clone());
        Some(moment.strftime("%Y-%m-%d %H:%M").to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short_and_dates_are_those_of_the_zone() {
        let now = || SystemTime::UNIX_EPOCH + Duration::from_secs(1_774_350_306);
        let calendar = Calendar { now, zone: TimeZone::fixed(jiff::tz::offset(2)) };
        for (seconds, expected) in [
            (-5, "now"),
            (0, "now"),
            (59, "now"),
            (60, "1 min"),
            (3599, "59 min"),
            (3600, "1 h"),
            (86_399, "23 h"),
            (86_400, "1 d"),
            (364 * 86_400, "364 d"),
            (365 * 86_400, "1 y"),
        ] {
            let age = Duration::from_secs(i64::unsigned_abs(seconds));
            let time = if seconds < 0 { now() + age } else { now() - age };
            assert_eq!(calendar.age(time), expected, "{seconds} s");
        }
        assert_eq!(calendar.date(now()).as_deref(), Some("2026-03-24 13:05"));
    }
}
