//! Times as transcripts write them: as text, and as seconds, milliseconds or nanoseconds since 1970. Independent of
//! which times a session should have.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

/// Numbers that are read as seconds since 1970: from 2020 to 2030.
const SECONDS: std::ops::Range<i64> = 1_577_836_800..1_893_456_000;

/// Length of a textual time up to its second.
const TO_SECOND: usize = "2026-11-22T12:00:00".len();

/// A notation of times.
enum Writing<'a> {
    /// Text with this many digits in the fraction of a second, and the rest.
    Letters(&'a str, usize, &'a str),
    /// A number with this many units a second.
    Number(i64),
    /// A number with a fraction, in seconds.
    Fraction,
    /// A quoted number with this many units a second.
    Quoted(i64),
}

/// The time in a value, in milliseconds since 1970 in UTC.
pub fn read(value: &Value) -> Option<i64> {
    parse(value).map(|(time, _)| time)
}

/// The value with another time, in the same notation.
pub fn moved(value: &Value, to: impl Fn(i64) -> i64) -> Option<Value> {
    let (time, writing) = parse(value)?;
    let time = to(time);
    Some(match writing {
        Writing::Number(of_second) => (time / 1000 * of_second + time % 1000 * of_second / 1000).into(),
        Writing::Fraction => (time as f64 / 1000.0).into(),
        Writing::Quoted(of_second) => (time / 1000 * of_second + time % 1000 * (of_second / 1000)).to_string().into(),
        Writing::Letters(between, digits, rest) => {
            let moment = civil(time);
            let point = if digits > 0 { "." } else { "" };
            let fraction = format!("{:03}000000", time.rem_euclid(1000));
            let fraction = &fraction[..digits.min(fraction.len())];
            format!("{}{between}{}{point}{fraction}{rest}", moment.date(), moment.strftime("%H:%M:%S")).into()
        }
    })
}

/// A time in milliseconds since 1970 as date and time in UTC.
pub fn civil(time: i64) -> DateTime {
    Timestamp::from_millisecond(time).unwrap_or_default().to_zoned(TimeZone::UTC).datetime()
}

fn parse(value: &Value) -> Option<(i64, Writing<'_>)> {
    match value {
        Value::Number(number) => {
            let Some(number) = number.as_i64() else {
                let number = number.as_f64()?;
                return SECONDS.contains(&(number as i64)).then_some(((number * 1000.0) as i64, Writing::Fraction));
            };
            let of_second = of_second(number)?;
            Some((milliseconds(number, of_second), Writing::Number(of_second)))
        }
        Value::String(text) if text.len() == 19 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let number = text.parse().ok()?;
            let of_second = of_second(number)?;
            Some((milliseconds(number, of_second), Writing::Quoted(of_second)))
        }
        Value::String(text) => letters(text),
        _ => None,
    }
}

fn of_second(number: i64) -> Option<i64> {
    [1, 1000, 1_000_000, 1_000_000_000].into_iter().find(|of_second| SECONDS.contains(&(number / of_second)))
}

fn milliseconds(number: i64, of_second: i64) -> i64 {
    if of_second < 1000 { number * 1000 } else { number / (of_second / 1000) }
}

fn letters(text: &str) -> Option<(i64, Writing<'_>)> {
    let (to_second, rest) = text.split_at_checked(TO_SECOND)?;
    let between = to_second.get(10..11).filter(|between| ["T", " "].contains(between))?;
    let moment: DateTime = to_second.replace(' ', "T").parse().ok()?;
    let seconds = moment.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if digits > 0 { &fraction[digits..] } else { rest };
    let is_time = rest.is_empty() || rest == "Z" || rest.starts_with('+');
    let milliseconds = format!("{:0<3}", &fraction[..digits.min(3)]).parse::<i64>().ok()?;
    is_time.then_some((seconds * 1000 + milliseconds, Writing::Letters(between, digits, rest)))
}
