//! Converts the text of a value to a number or a boolean, or keeps it.
//!
//! Only a value on one line is converted, by its trimmed text: `true`, `false`, and `-?\d+(\.\d+)?` if it is finite
//! (reference runtime, without a schema).

use crate::text::trim;

/// The converted value. A string keeps its text, which is in the transcript.
#[derive(Clone, Copy, Debug, PartialEq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Scalar {
    /// Its text, untrimmed.
    String,
    /// A 64-bit floating-point number, as in JavaScript.
    Number(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// `null`.
    Null,
}

impl Scalar {
    /// The name of its JSON type.
    pub fn type_name(self) -> &'static str {
        self.into()
    }

    /// A description for a sentence: `the number 4`.
    pub fn described(self) -> String {
        match self {
            Scalar::String => "a string".to_owned(),
            Scalar::Number(number) => format!("the number {}", number_text(number)),
            Scalar::Boolean(value) => format!("the boolean {value}"),
            Scalar::Null => "null".to_owned(),
        }
    }
}

/// Converts the bytes of a value.
pub fn coerce(value: &[u8]) -> Scalar {
    if let Some(number) = small_whole(value) {
        return Scalar::Number(f64::from(number));
    }
    if memchr::memchr(b'\n', value).is_some() {
        return Scalar::String;
    }
    let span = trim(value, 0);
    match &value[span.start..span.end] {
        b"true" => Scalar::Boolean(true),
        b"false" => Scalar::Boolean(false),
        text if is_decimal(text) => std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse::<f64>().ok())
            .filter(|number| number.is_finite())
            .map_or(Scalar::String, Scalar::Number),
        _ => Scalar::String,
    }
}

/// A number of up to nine digits. Most numbers are this short; parsing an arbitrary one takes several times as long.
fn small_whole(digits: &[u8]) -> Option<u32> {
    let add = |number: u32, byte: &u8| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'));
    (1..=9).contains(&digits.len()).then(|| digits.iter().try_fold(0, add)).flatten()
}

/// `-?\d+(\.\d+)?`, ASCII digits only.
fn is_decimal(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(text);
    match text[whole..].strip_prefix(b".") {
        _ if whole == 0 => false,
        None => whole == text.len(),
        Some(fraction) => !fraction.is_empty() && digits(fraction) == fraction.len(),
    }
}

/// A number as JavaScript writes it (ECMAScript, `Number::toString`).
pub fn number_text(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-Infinity".into() } else { "Infinity".into() };
    }
    let is_plain = number.abs() >= 1e-6 && number.abs() < 1e21;
    let text = shortest_digits(number);
    match text.split_once('e') {
        Some(_) if is_plain && text == format!("{number:e}") => number.to_string(),
        Some((digits, exponent)) if is_plain => positional(digits, exponent.parse().unwrap_or_default()),
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// The fewest significant digits that identify `number`, in scientific notation: `1.25e-7`. Of two equally close
/// candidates the even one, as ECMAScript demands; Rust may return either.
pub(crate) fn shortest_digits(number: f64) -> String {
    /// With fewer digits than this there is never a tie between two candidates.
    const DOUBTFUL: usize = 16;
    let shortest = format!("{number:e}");
    let mantissa = shortest.split_once('e').map_or(&*shortest, |(mantissa, _)| mantissa);
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    if digits < DOUBTFUL {
        return shortest;
    }
    let even = format!("{number:.*e}", digits - 1);
    if even.parse() == Ok(number) { even } else { shortest }
}

/// Expands scientific notation with the given exponent.
fn positional(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    let Ok(whole) = usize::try_from(exponent + 1) else {
        return format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    };
    match digits.split_at_checked(whole) {
        Some((whole, "")) => format!("{sign}{whole}"),
        Some(("", fraction)) => format!("{sign}0.{fraction}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{digits}{}", "0".repeat(whole - digits.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_what_the_reference_makes_of_them() {
        use Scalar::{Boolean, Number, String};
        let cases: &[(&str, Scalar)] = &[
            ("", String),
            ("true", Boolean(true)),
            (" false\r", Boolean(false)),
            ("True", String),
            ("42", Number(42.0)),
            (" 42 ", Number(42.0)),
            ("-5", Number(-5.0)),
            ("007", Number(7.0)),
            ("999999999", Number(999_999_999.0)),
            ("1234567890", Number(1_234_567_890.0)),
            ("1.500", Number(1.5)),
            ("-0", Number(-0.0)),
            ("9007199254740993", Number(9_007_199_254_740_992.0)),
            ("1e5", String),
            ("0x10", String),
            ("+5", String),
            (".5", String),
            ("5.", String),
            ("1.2.3", String),
            ("1,000", String),
            ("null", String),
            ("٤٢", String),
            ("5\n", String),
            ("-", String),
        ];
        for (text, expected) in cases {
            assert_eq!(coerce(text.as_bytes()), *expected, "{text:?}");
        }
        assert_eq!(coerce("9".repeat(400).as_bytes()), String);
    }

    #[test]
    fn numbers_are_written_as_ecmascript_writes_them() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (7.0, "7"),
            (1.5, "1.5"),
            (1e20, "100000000000000000000"),
            (1.234_567_890_123_456_8e21, "1.2345678901234568e+21"),
            (1e-7, "1e-7"),
            (-178_519_291_570_410.12, "-178519291570410.12"),
            (1_826_266_280_841_082.2, "1826266280841082.2"),
            (2_251_799_813_685_249.5, "2251799813685249.5"),
            (5e-324, "5e-324"),
            (1.234_567_890_123_456_7e-6, "0.0000012345678901234567"),
            (0.123_456_789_012_345_67, "0.12345678901234566"),
            (-123_456_789_012_345_680_000.0, "-123456789012345680000"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::NAN, "NaN"),
        ];
        for (number, expected) in cases {
            assert_eq!(number_text(number), expected);
        }
    }
}
