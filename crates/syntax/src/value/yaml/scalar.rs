//! Resolves plain scalars by the core schema of YAML 1.2 (section 10.3.2), which both JavaScript libraries share.
//!
//! `yes` is a string, `010` is ten and `0o10` eight.

use super::super::Scalar;

/// The scalar for the text of a plain scalar.
pub(crate) fn resolve(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Boolean(true),
        "false" | "False" | "FALSE" => return Scalar::Boolean(false),
        ".nan" | ".NaN" | ".NAN" => return Scalar::Number(f64::NAN),
        _ => {}
    }
    let first = text.as_bytes()[0];
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) {
        return Scalar::String;
    }
    number(text).map_or(Scalar::String, Scalar::Number)
}

fn number(text: &str) -> Option<f64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    is_decimal(unsigned).then(|| text.parse().ok()).flatten()
}

fn radix(digits: &str, radix: u32) -> Option<f64> {
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0.0, |sum, c| Some(sum * f64::from(radix) + f64::from(c.to_digit(radix)?)))
}

/// `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.map(|text| text.strip_prefix(['-', '+']).unwrap_or(text));
    all_digits(whole)
        && all_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|digits| !digits.is_empty() && all_digits(digits))
}

/// The text that a number loses when it is parsed: leading zeros, digits beyond a double's precision, trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarLoss {
    /// Significant digits, as in a postal code or a long id.
    Digits,
    /// A trailing zero of a fraction, as in a version.
    TrailingZero,
}

/// The loss of a number in decimal digits, which becomes `becomes`.
pub(crate) fn loss(text: &str, becomes: &str) -> Option<ScalarLoss> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned.len() > 1 && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let kept = becomes.strip_prefix('-').unwrap_or(becomes);
        return (unsigned != kept).then_some(ScalarLoss::Digits);
    }
    let (whole, fraction) = unsigned.split_once('.')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let zeros = fraction.ends_with('0') && fraction.bytes().any(|byte| byte != b'0');
    (digits(whole) && digits(fraction) && zeros).then_some(ScalarLoss::TrailingZero)
}

/// The interpretation of a plain scalar by readers of other YAML versions, if it differs.
pub(crate) fn read_elsewhere(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|b| b.iter().all(u8::is_ascii_digit));
    if digits(0..4) && bytes.get(4) == Some(&b'-') && digits(5..7) && bytes.get(7) == Some(&b'-') && digits(8..10) {
        let time = matches!(bytes.get(10), Some(b'T' | b't' | b' ')) && text.matches(':').count() >= 2;
        return (bytes.len() == 10 || time).then_some("a date");
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && text.len() > 1;
    let binary =
        unsigned.strip_prefix("0b").is_some_and(|b| !b.is_empty() && b.bytes().all(|b| matches!(b, b'0' | b'1')));
    let grouped = number(unsigned)
        && unsigned.contains('_')
        && unsigned.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.'));
    (binary || grouped).then_some("a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_read_by_the_core_schema() {
        use Scalar::{Boolean, Null, Number, String};
        let cases: &[(&str, Scalar)] = &[
            ("", Null),
            ("~", Null),
            ("NULL", Null),
            ("nULL", String),
            ("none", String),
            ("true", Boolean(true)),
            ("False", Boolean(false)),
            ("yes", String),
            ("on", String),
            ("0", Number(0.0)),
            ("-1", Number(-1.0)),
            ("+2", Number(2.0)),
            ("010", Number(10.0)),
            ("089", Number(89.0)),
            ("0o10", Number(8.0)),
            ("0x1F", Number(31.0)),
            ("0X1f", String),
            ("+0x1", String),
            ("0b101", String),
            ("1_000", String),
            (".5", Number(0.5)),
            ("-.5", Number(-0.5)),
            ("5.", Number(5.0)),
            (".", String),
            (".e3", String),
            ("1e3", Number(1000.0)),
            ("1E+3", Number(1000.0)),
            ("1e", String),
            ("0.1e-7", Number(1e-8)),
            (".inf", Number(f64::INFINITY)),
            ("-.INF", Number(f64::NEG_INFINITY)),
            ("NaN", String),
            ("1.2.3", String),
            ("12:30:45", String),
            ("2024-01-02", String),
            ("-", String),
        ];
        for (text, expected) in cases {
            assert_eq!(resolve(text), *expected, "{text:?}");
        }
        assert!(matches!(resolve(".nan"), Number(number) if number.is_nan()));
        assert!(matches!(resolve(&"9".repeat(400)), Number(number) if number.is_infinite()));
    }

    #[test]
    fn lost_digits_and_other_readings_are_noticed() {
        for (text, becomes, expected) in [
            ("7", "7", None),
            ("007", "7", Some(ScalarLoss::Digits)),
            ("9007199254740993", "9007199254740992", Some(ScalarLoss::Digits)),
            ("-12", "-12", None),
            ("+12", "12", None),
            ("1.10", "1.1", Some(ScalarLoss::TrailingZero)),
            ("1.0", "1", None),
            ("1e3", "1000", None),
            ("0x1F", "31", None),
        ] {
            assert_eq!(loss(text, becomes), expected, "{text}");
        }
        for (text, expected) in [
            ("2024-01-02", Some("a date")),
            ("2024-01-02T03:04:05Z", Some("a date")),
            ("2024-01-02T03:04Z", None),
            ("2024-01", None),
            ("0b101", Some("a number")),
            ("1_000", Some("a number")),
            ("snake_case", None),
            ("1_a", None),
        ] {
            assert_eq!(read_elsewhere(text), expected, "{text}");
        }
    }
}
