//! Durations, tokens and money as text, with a sign if the figure is not exact: `≤12.4 s`, `≥58`, `~$0.41`.

use std::time::Duration;

use super::{count, grouped};
use crate::container::facts::{CompactionKind, Figure, FigureSource, Usage};
use crate::document::facts::compactions::CompactionEntry;
use crate::document::facts::requests::Spending;
use crate::document::facts::turn_summary::TurnSummary;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A duration: `740 ms`, `4.2 s`, `4m 12s`, `1h 05m`, `3d 04h`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..MINUTE => format!("{:.1} s", (time.as_secs_f64() * 10.0).floor() / 10.0),
        MINUTE..HOUR => format!("{}m {:02}s", seconds / MINUTE, seconds % MINUTE),
        HOUR..DAY => format!("{}h {:02}m", seconds / HOUR, seconds % HOUR / MINUTE),
        DAY.. => format!("{}d {:02}h", seconds / DAY, seconds % DAY / HOUR),
    }
}

/// A duration with its sign; an upper bound is rounded up.
pub fn duration_figure(figure: Figure<Duration>) -> String {
    if figure.ground != FigureSource::Bound {
        return duration(figure.value);
    }
    let unit = match figure.value.as_secs() {
        0 => Duration::from_millis(1),
        1..MINUTE => Duration::from_millis(100),
        MINUTE..HOUR => Duration::from_secs(1),
        HOUR..DAY => Duration::from_secs(MINUTE),
        DAY.. => Duration::from_secs(HOUR),
    };
    let units = figure.value.as_nanos().div_ceil(unit.as_nanos());
    format!("≤{}", duration(unit.saturating_mul(u32::try_from(units).unwrap_or(u32::MAX))))
}

/// A number of tokens: `940`, `8.4k`, `61k`, `1.2M`.
pub fn tokens(count: u64) -> String {
    let (unit, name) = match count {
        0..1000 => return count.to_string(),
        1000..999_500 => (1000, "k"),
        999_500..999_500_000 => (1_000_000, "M"),
        999_500_000.. => (1_000_000_000, "G"),
    };
    let tenths = count.saturating_add(unit / 20) / (unit / 10);
    match tenths {
        0..100 => format!("{}.{}{name}", tenths / 10, tenths % 10),
        100.. => format!("{}{name}", count.saturating_add(unit / 2) / unit),
    }
}

/// A number of tokens; a lower bound has the sign `≥` and is rounded down.
pub fn tokens_figure(count: u64, is_least: bool) -> String {
    if !is_least {
        return tokens(count);
    }
    // The greatest number up to `count` that is displayed exactly.
    let digits = count.checked_ilog10().unwrap_or_default();
    let unit = match digits {
        0..3 => 1,
        _ if digits.is_multiple_of(3) => 10_u64.pow(digits - 1),
        _ => 10_u64.pow(digits - digits % 3),
    };
    format!("≥{}", tokens(count / unit * unit))
}

/// Total tokens: `≥763k` if some are unknown.
pub fn total_tokens(spending: &Spending) -> Option<String> {
    spending.usage.total().map(|total| tokens_figure(total, spending.lacks_tokens()))
}

/// The figures of a turn that are known: `5 calls, 1 failed, 1m 03s, 12k tokens`.
pub fn turn_figures(summary: &TurnSummary) -> String {
    let failed =
        Some(summary.failures).filter(|failed| *failed > 0).map(|failed| format!("{} failed", grouped(failed)));
    let tokens = total_tokens(&summary.spending).map(|total| format!("{total} tokens"));
    let known = [Some(count(summary.calls, "call")), failed, summary.duration().map(duration), tokens];
    known.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A number of tokens with its sign: `~35k` if it is derived from other figures.
fn token_figure(figure: Figure<u64>) -> String {
    let about = if figure.ground == FigureSource::Recorded { "" } else { "~" };
    format!("{about}{}", tokens(figure.value))
}

/// A number of tokens with all its digits.
pub fn exact_tokens(count: u64) -> String {
    usize::try_from(count).map_or_else(|_| count.to_string(), grouped)
}

/// Tokens by kind with all their digits: `48 new, 64,499 cache write, 1,178,761 cache read, ≥228 output`.
pub fn exact_usage(usage: &Usage) -> String {
    let least = if usage.is_output_partial { "≥" } else { "" };
    let hits = cache_hits(usage).map(|share| format!(" ({share} of the prompt)")).unwrap_or_default();
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

/// An amount in US dollars: `$0.41`, `$0.004`, or `~$0.41` if it is estimated; a lower bound has the sign `≥` and is
/// rounded down.
pub(crate) fn dollars(amount: Figure<f64>, is_least: bool) -> String {
    let Figure { value, ground } = amount;
    let least = if is_least { "≥" } else { "" };
    let about = if ground == FigureSource::Estimated { "~" } else { "" };
    let (mut places, mut scale) = (2, 100.0);
    // Below a cent, up to the first digit other than 0.
    while value > 0.0 && value * scale < 1.0 && places < 9 {
        (places, scale) = (places + 1, scale * 10.0);
    }
    // Compensates for rounding errors in a sum of decimal fractions before rounding down.
    let value = if is_least { (value * scale + 1e-6).floor() / scale } else { value };
    format!("{least}{about}${value:.places$}")
}

/// Total cost in US dollars: `≥$0.41` if the cost of some requests is unknown.
pub fn total_dollars(spending: &Spending) -> Option<String> {
    spending.cost.map(|cost| dollars(cost, spending.without_cost > 0))
}

/// A sum of costs, the number of requests without a price, and the date of the price table: `~$0.41 + 3 requests
/// without a price, at API prices of 2026-07-02`.
pub fn cost(cost: Option<Figure<f64>>, without: usize, day: Option<&str>) -> Option<String> {
    let cost = cost?;
    let rest = if without > 0 { format!(" + {} without a price", count(without, "request")) } else { String::new() };
    let day = day.map_or_else(String::new, |day| format!(" of {day}"));
    let source = if cost.ground == FigureSource::Estimated { format!(", at API prices{day}") } else { String::new() };
    Some(format!("{}{rest}{source}", dollars(cost, false)))
}

/// The size of a context window in tokens: `200,000`, or `~200,000` if it comes from a price table.
pub fn window(window: Figure<u64>) -> String {
    let about = if window.ground == FigureSource::Estimated { "~" } else { "" };
    format!("{about}{}", exact_tokens(window.value))
}

/// A percentage: `43 %`; `100 %` only if `part` is the whole.
pub fn percent(part: u64, whole: u64) -> Option<String> {
    let share = (part as f64 * 100.0 / whole as f64).round();
    (whole > 0).then(|| format!("{:.0} %", if part < whole { share.min(99.0) } else { share }))
}

/// The share of the prompt that was read from a cache.
pub fn cache_hits(usage: &Usage) -> Option<String> {
    percent(usage.cache_read?, usage.prompt()?)
}

/// A compaction in one line: `compacted (auto), 167k → ~35k`, with sizes if the requests around it tell them.
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
    let took = compaction.facts.duration.map_or_else(String::new, |took| format!(", {}", duration(took)));
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
        for (value, ground, expected) in [
            (0.414, FigureSource::Recorded, "$0.41"),
            (0.414, FigureSource::Estimated, "~$0.41"),
            (0.005, FigureSource::Recorded, "$0.005"),
            (0.001, FigureSource::Recorded, "$0.001"),
            (0.000_237, FigureSource::Estimated, "~$0.0002"),
            (0.0, FigureSource::Recorded, "$0.00"),
        ] {
            assert_eq!(dollars(Figure { value, ground }, false), expected);
        }
        let estimated = Some(Figure { value: 0.414, ground: FigureSource::Estimated });
        for (sum, without, day, expected) in [
            (estimated, 0, None, "~$0.41, at API prices"),
            (estimated, 3, Some("2026-07-02"), "~$0.41 + 3 requests without a price, at API prices of 2026-07-02"),
            (
                Some(Figure { value: 0.5, ground: FigureSource::Derived }),
                1,
                Some("2026-07-02"),
                "$0.50 + 1 request without a price",
            ),
        ] {
            assert_eq!(cost(sum, without, day).as_deref(), Some(expected));
        }
        assert_eq!((percent(43, 100).as_deref(), percent(1, 0)), (Some("43 %"), None));
    }

    #[test]
    fn an_upper_bound_is_rounded_up_and_a_lower_one_down() {
        for (milliseconds, expected) in [
            (12_400, "≤12.4 s"),
            (1_574, "≤1.6 s"),
            (6_620, "≤6.7 s"),
            (59_950, "≤1m 00s"),
            (60_001, "≤1m 01s"),
            (3_600_001, "≤1h 01m"),
            (86_400_001, "≤1d 01h"),
            (740, "≤740 ms"),
        ] {
            let bound = Figure { value: Duration::from_millis(milliseconds), ground: FigureSource::Bound };
            assert_eq!(duration_figure(bound), expected);
        }
        for (count, expected) in [
            (0, "≥0"),
            (999, "≥999"),
            (8_499, "≥8.4k"),
            (9_960, "≥9.9k"),
            (82_885, "≥82k"),
            (762_876, "≥762k"),
            (999_600, "≥999k"),
            (1_178_761, "≥1.1M"),
        ] {
            assert_eq!(tokens_figure(count, true), expected);
        }
        for (value, expected) in [(0.419, "≥$0.41"), (0.29, "≥$0.29"), (0.0058, "≥$0.005"), (2.0, "≥$2.00")] {
            assert_eq!(dollars(Figure { value, ground: FigureSource::Recorded }, true), expected);
        }
        for (part, whole, expected) in [(82_374, 82_652, "99 %"), (5, 5, "100 %"), (1, 1000, "0 %"), (6, 5, "120 %")] {
            assert_eq!(percent(part, whole).as_deref(), Some(expected));
        }
    }
}
