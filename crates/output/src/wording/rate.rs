//! Rates as text and as bars.

/// Ends of bars, from 0 to 7 eighths of a cell.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Rates that a full bar may represent, in percent.
const FULL: [u8; 6] = [2, 5, 10, 20, 50, 100];

/// The rate that full bars of a table represent: a round number, so that values can be read off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    percent: u8,
}

impl Scale {
    /// The smallest round scale that fits the largest of these rates.
    pub fn new(rates: impl Iterator<Item = f64>) -> Self {
        let largest = rates.fold(0.0, f64::max) * 100.0;
        Self { percent: FULL.into_iter().find(|&percent| f64::from(percent) >= largest).unwrap_or(100) }
    }

    /// The axis above the bars, as wide as a full bar: `0%` and the rate of a full bar.
    pub fn axis(self, columns: usize) -> String {
        let full = format!("{}%", self.percent);
        format!("0%{full:>width$}", width = columns.saturating_sub(2))
    }

    /// The bar of a rate, at most this many columns; for a rate above zero at least an eighth of a column.
    #[expect(clippy::cast_sign_loss, reason = "a negative number becomes 0, as it should")]
    pub fn bar(self, rate: f64, columns: usize) -> String {
        let whole = columns.saturating_mul(8);
        let eighths = (rate * 100.0 / f64::from(self.percent) * whole as f64).round() as usize;
        let eighths = eighths.max(usize::from(rate > 0.0)).min(whole);
        format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
    }
}

/// A rate from 0 to 1 in percent with one decimal, at most six columns; a dash if there is none. Only zero is shown as
/// `0.0%`, and only one as `100.0%`.
pub fn rate_text(rate: Option<f64>) -> String {
    match rate.map(|rate| rate * 100.0) {
        None => "–".into(),
        Some(percent) if percent > 0.0 && percent < 0.05 => "<0.1%".into(),
        Some(percent) if (99.95..100.0).contains(&percent) => ">99.9%".into(),
        Some(percent) => format!("{percent:.1}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_rate_on_a_round_scale() {
        for (rates, percent, bars) in [
            (&[0.0][..], 2, &[""][..]),
            (&[0.02, 0.01, 0.000_001], 2, &["████████", "████", "▏"]),
            (&[0.021], 5, &["███▍"]),
            (&[0.5, 0.25], 50, &["████████", "████"]),
            (&[0.51, 1.0, 0.0], 100, &["████▏", "████████", ""]),
            (&[f64::NAN, 7.0], 100, &["", "████████"]),
        ] {
            let scale = Scale::new(rates.iter().copied());
            assert_eq!(scale.percent, percent, "{rates:?}");
            assert_eq!(rates.iter().map(|&rate| scale.bar(rate, 8)).collect::<Vec<_>>(), bars);
        }
        assert_eq!(Scale { percent: 20 }.bar(0.1, 0), "");
        assert_eq!(Scale { percent: 20 }.axis(8), "0%   20%");
        assert_eq!(Scale { percent: 20 }.axis(0), "0%20%");
    }

    #[test]
    fn a_rate_is_zero_or_whole_only_where_it_is() {
        for (rate, expected) in [
            (None, "–"),
            (Some(0.0), "0.0%"),
            (Some(0.000_4), "<0.1%"),
            (Some(0.000_6), "0.1%"),
            (Some(0.123_4), "12.3%"),
            (Some(0.999_4), "99.9%"),
            (Some(0.999_6), ">99.9%"),
            (Some(1.0), "100.0%"),
        ] {
            assert_eq!(rate_text(rate), expected, "{rate:?}");
        }
    }
}
