//! The current time, whatever the system clock is set to.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The current time, clamped to the range of [`Timestamp`].
pub fn now() -> Timestamp {
    moment(SystemTime::now())
}

/// The current date in the local time zone.
pub fn today() -> Date {
    now().to_zoned(TimeZone::system()).date()
}

fn moment(time: SystemTime) -> Timestamp {
    let end = if time < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_may_say_anything() {
        let seconds = Duration::from_secs;
        let epoch = SystemTime::UNIX_EPOCH;
        for (time, expected) in [
            (epoch + seconds(1_774_350_306), "2026-03-24T11:05:06Z"),
            (epoch + seconds(9_999_999_999_999), "9999-12-30T22:00:00.999999999Z"),
            (epoch - seconds(999_999_999_999), "-009999-01-02T01:59:59Z"),
        ] {
            let moment = moment(time);
            assert_eq!(moment.to_string(), expected);
            // It can be formatted in every time zone.
            for hours in [-25, 25] {
                moment.to_zoned(TimeZone::fixed(jiff::tz::offset(hours))).strftime("%H:%M:%S").to_string();
            }
        }
    }
}
