//! Durations, tokens and money as text, each with a sign where the figure is not exact: `≤12.4 s`, `≥58`,
//! `~$0.41`.

use std::time::Duration;

use super::{count, grouped};
use crate::container::facts::{CompactionKind, Figure, Ground, Usage};
use crate::document::facts::compactions::CompactionEntry;

/// The sign before a figure that is not exact.
pub fn duration_sign(ground: Ground) -> &'static str {
    if ground == Ground::Bound { "≤" } else { "" }
}

/// A duration: `740 ms`, `4.2 s`, `4m 12s`, `1h 05m`, `3d 04h`.
pub fn duration(time: Duration) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..MINUTE => format!("{:.1} s", (time.as_secs_f64() * 10.0).floor() / 10.0),
        MINUTE..HOUR => format!("{}m {:02}s", seconds / MINUTE, seconds % MINUTE),
        HOUR..DAY => format!("{}h {:02}m", seconds / HOUR, seconds % HOUR / MINUTE),
        DAY.. => format!("{}d {:02}h", seconds / DAY, seconds % DAY / HOUR),
    }
}

/// A duration with its sign.
pub fn duration_figure(figure: Figure<Duration>) -> String {
    format!("{}{}", duration_sign(figure.ground), duration(figure.value))
}

/// A number of tokens: `940`, `8.4k`, `61k`, `1.2M`.
pub fn tokens(count: u64) -> String {
    let short = |value: f64, unit: &str| {
        if value < 9.95 { format!("{value:.1}{unit}") } else { format!("{value:.0}{unit}") }
    };
    match count {
        0..1000 => count.to_string(),
        1000..999_500 => short(count as f64 / 1e3, "k"),
        999_500..999_500_000 => short(count as f64 / 1e6, "M"),
        999_500_000.. => short(count as f64 / 1e9, "G"),
    }
}

/// A number of tokens with its sign: `~35k` where other figures tell it.
fn token_figure(figure: Figure<u64>) -> String {
    let about = if figure.ground == Ground::Recorded { "" } else { "~" };
    format!("{about}{}", tokens(figure.value))
}

/// A number of tokens with all its digits.
pub fn exact_tokens(count: u64) -> String {
    usize::try_from(count).map_or_else(|_| count.to_string(), grouped)
}

/// Tokens by kind: `↑1.2k ↓8.4k R310k W22k`, new input, output, read from and written to a cache.
pub fn usage(usage: &Usage) -> String {
    let least = if usage.is_output_partial { "≥" } else { "" };
    let kinds = [
        ("↑", "", usage.input),
        ("↓", least, usage.answer()),
        ("R", "", usage.cache_read.filter(|&count| count > 0)),
        ("W", "", usage.cache_write.filter(|&count| count > 0)),
    ];
    let known = kinds.iter().filter_map(|(sign, least, count)| Some(format!("{sign}{least}{}", tokens((*count)?))));
    known.collect::<Vec<_>>().join(" ")
}

/// Tokens by kind with all their digits: `48 new, 64,499 cache write, 1,178,761 cache read, ≥228 output`.
pub fn exact_usage(usage: &Usage) -> String {
    let least = if usage.is_output_partial { "≥" } else { "" };
    let hits = usage.cache_hits().map(|share| format!(" ({:.0} % of the prompt)", share * 100.0)).unwrap_or_default();
    let some = |count: Option<u64>| count.filter(|&count| count > 0);
    let kinds = [
        ("", usage.input, "new".to_owned()),
        ("", some(usage.cache_write), "cache write".to_owned()),
        ("", some(usage.cache_read), format!("cache read{hits}")),
        (least, usage.output, "output".to_owned()),
        ("", some(usage.reasoning), "reasoning".to_owned()),
    ];
    let known =
        kinds.iter().filter_map(|(least, count, kind)| Some(format!("{least}{} {kind}", exact_tokens((*count)?))));
    known.collect::<Vec<_>>().join(", ")
}

/// An amount in US dollars: `$0.41`, `<$0.01`, `~$0.41` where it is estimated.
pub fn dollars(amount: f64, ground: Ground) -> String {
    let about = if ground == Ground::Estimated { "~" } else { "" };
    if amount > 0.0 && amount < 0.005 { "<$0.01".to_owned() } else { format!("{about}${amount:.2}") }
}

/// A sum of costs and what it lacks, with the day of the table of prices: `~$0.41 + 3 requests without a price, at API
/// prices of 2026-07-02`.
pub fn cost(cost: Option<Figure<f64>>, without: usize, day: Option<&str>) -> Option<String> {
    let Figure { value, ground } = cost?;
    let rest = if without > 0 { format!(" + {} without a price", count(without, "request")) } else { String::new() };
    let day = day.map_or_else(String::new, |day| format!(" of {day}"));
    let source = if ground == Ground::Estimated { format!(", at API prices{day}") } else { String::new() };
    Some(format!("{}{rest}{source}", dollars(value, ground)))
}

/// Tokens that a context holds: `200,000`, `~200,000` where a table of prices says it.
pub fn window(window: Figure<u64>) -> String {
    let about = if window.ground == Ground::Estimated { "~" } else { "" };
    format!("{about}{}", exact_tokens(window.value))
}

/// A share in per cent: `43 %`.
pub fn percent(part: u64, whole: u64) -> Option<String> {
    (whole > 0).then(|| format!("{:.0} %", part as f64 * 100.0 / whole as f64))
}

/// A compaction in a line: `compacted (auto), 167k → ~35k`, where the requests around it tell a size.
pub fn compaction(compaction: &CompactionEntry) -> String {
    let verb = match compaction.facts.kind {
        CompactionKind::Summary => "compacted",
        CompactionKind::Trim => "oldest messages dropped",
        CompactionKind::ClearResults => "results cleared",
        CompactionKind::ClearAll => "cleared",
        CompactionKind::Rewind => "turns dropped",
    };
    let trigger = compaction.facts.trigger.map_or_else(String::new, |trigger| format!(" ({})", <&str>::from(trigger)));
    let count = |figure: Option<Figure<u64>>| figure.map_or_else(|| "–".to_owned(), token_figure);
    let change = match (compaction.before, compaction.after) {
        (None, None) => String::new(),
        (before, after) => format!(", {} → {}", count(before), count(after)),
    };
    let took = compaction.facts.took.map_or_else(String::new, |took| format!(", {}", duration(took)));
    format!("{verb}{trigger}{change}{took}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_say_when_they_are_not_exact() {
        for (milliseconds, expected) in [
            (0, "0 ms"),
            (740, "740 ms"),
            (4_290, "4.2 s"),
            (252_000, "4m 12s"),
            (3_900_000, "1h 05m"),
            (3 * 86_400_000 + 4 * 3_600_000, "3d 04h"),
        ] {
            assert_eq!(duration(Duration::from_millis(milliseconds)), expected);
        }
        for (count, expected) in [
            (0, "0"),
            (999, "999"),
            (8_400, "8.4k"),
            (9_960, "10k"),
            (61_200, "61k"),
            (999_600, "1.0M"),
            (17_559_652, "18M"),
        ] {
            assert_eq!(tokens(count), expected);
        }
        let partial = Usage { input: Some(48), output: Some(58), is_output_partial: true, ..Usage::default() };
        assert_eq!(usage(&partial), "↑48 ↓≥58");
        assert_eq!(usage(&Usage { cache_read: Some(310_000), cache_write: Some(0), ..partial }), "↑48 ↓≥58 R310k");
        for (amount, ground, expected) in [
            (0.414, Ground::Recorded, "$0.41"),
            (0.414, Ground::Estimated, "~$0.41"),
            (0.001, Ground::Recorded, "<$0.01"),
            (0.0, Ground::Recorded, "$0.00"),
        ] {
            assert_eq!(dollars(amount, ground), expected);
        }
        let estimated = Some(Figure { value: 0.414, ground: Ground::Estimated });
        for (sum, without, day, expected) in [
            (estimated, 0, None, "~$0.41, at API prices"),
            (estimated, 3, Some("2026-07-02"), "~$0.41 + 3 requests without a price, at API prices of 2026-07-02"),
            (
                Some(Figure { value: 0.5, ground: Ground::Derived }),
                1,
                Some("2026-07-02"),
                "$0.50 + 1 request without a price",
            ),
        ] {
            assert_eq!(cost(sum, without, day).as_deref(), Some(expected));
        }
        let bound = Figure { value: Duration::from_millis(12_400), ground: Ground::Bound };
        assert_eq!(duration_figure(bound), "≤12.4 s");
        assert_eq!((percent(43, 100).as_deref(), percent(1, 0)), (Some("43 %"), None));
    }
}
