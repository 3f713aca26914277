//! Classifies a word of Python: a number, `True`, `None`, or not a literal.
//!
//! JSON's `true`, `false` and `null` are accepted as well.

use crate::value::Scalar;
use crate::value::json::string::keeps_its_text;

/// The literal in a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal {
    /// `None`, `True`, `False` or a number that a 64-bit floating-point number represents exactly.
    Scalar(Scalar),
    /// A number that is rounded to this one, or to infinity.
    Rounded(f64),
    /// A name, or an invalid number.
    None,
}

/// Below this, every integer is a 64-bit floating-point number.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn literal(word: &[u8]) -> Literal {
    match word {
        b"None" | b"null" => Literal::Scalar(Scalar::Null),
        b"True" | b"true" => Literal::Scalar(Scalar::Boolean(true)),
        b"False" | b"false" => Literal::Scalar(Scalar::Boolean(false)),
        _ => number(word).unwrap_or(Literal::None),
    }
}

fn number(word: &[u8]) -> Option<Literal> {
    let (is_negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    let (number, is_exact) = match digits {
        [b'0', b'x' | b'X', rest @ ..] => whole(rest, 16)?,
        [b'0', b'o' | b'O', rest @ ..] => whole(rest, 8)?,
        [b'0', b'b' | b'B', rest @ ..] => whole(rest, 2)?,
        _ => decimal(digits)?,
    };
    let number = if is_negative { -number } else { number };
    Some(if is_exact { Literal::Scalar(Scalar::Number(number)) } else { Literal::Rounded(number) })
}

/// The value of an integer's digits, and true if it is exact. An underscore may precede each group of them.
fn whole(digits: &[u8], radix: u32) -> Option<(f64, bool)> {
    let plain = without_underscores(digits, Separated::Anywhere)?;
    let number = plain.bytes().try_fold(0.0, |number, digit| {
        Some(number * f64::from(radix) + f64::from(char::from(digit).to_digit(radix)?))
    })?;
    (!plain.is_empty()).then_some((number, number < EXACT))
}

/// The value of `1_000`, `.5`, `1.` and `1e-5`, and true if it keeps the digits.
fn decimal(digits: &[u8]) -> Option<(f64, bool)> {
    let plain = without_underscores(digits, Separated::WithinDigits)?;
    let (mantissa, exponent) = match plain.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (plain.as_str(), None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !integer.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    let is_float = fraction.is_some() || exponent.is_some();
    // Python rejects 007, but neither 007.5 nor 000.
    let is_octal = !is_float && integer.starts_with('0') && integer.bytes().any(|byte| byte != b'0');
    let are_digits = is_digits(integer) && fraction.is_none_or(is_digits);
    if !are_digits || !has_digits || is_octal || exponent.is_some_and(|digits| digits.is_empty() || !is_digits(digits))
    {
        return None;
    }
    let number: f64 = plain.parse().ok()?;
    Some((number, number.is_finite() && keeps_its_text(&plain, number)))
}

/// Allowed positions of underscores.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separated {
    /// Also before the first digit, as in `0x_ff`.
    Anywhere,
    WithinDigits,
}

/// The digits without underscores; `None` if one is not between two digits.
fn without_underscores(digits: &[u8], separated: Separated) -> Option<String> {
    for (index, _) in digits.iter().enumerate().filter(|(_, byte)| **byte == b'_') {
        let before = index.checked_sub(1).map(|before| digits[before]);
        let is_behind = before.map_or(separated == Separated::Anywhere, |byte| byte.is_ascii_hexdigit());
        if !is_behind || !digits.get(index + 1).is_some_and(u8::is_ascii_hexdigit) {
            return None;
        }
    }
    let plain: Vec<u8> = digits.iter().copied().filter(|&byte| byte != b'_').collect();
    String::from_utf8(plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_python_makes_of_them() {
        use Literal::{None as No, Rounded};
        let number = |number: f64| Literal::Scalar(Scalar::Number(number));
        let cases: &[(&str, Literal)] = &[
            ("None", Literal::Scalar(Scalar::Null)),
            ("null", Literal::Scalar(Scalar::Null)),
            ("True", Literal::Scalar(Scalar::Boolean(true))),
            ("false", Literal::Scalar(Scalar::Boolean(false))),
            ("3", number(3.0)),
            ("-3", number(-3.0)),
            ("+1", number(1.0)),
            ("1_000", number(1000.0)),
            ("0x1f", number(31.0)),
            ("0x_FF", number(255.0)),
            ("0o17", number(15.0)),
            ("-0b101", number(-5.0)),
            ("1e5", number(100_000.0)),
            ("1e+2", number(100.0)),
            ("2.5E-1", number(0.25)),
            (".5", number(0.5)),
            ("5.", number(5.0)),
            ("000", number(0.0)),
            ("007.5", number(7.5)),
            ("9007199254740993", Rounded(9_007_199_254_740_992.0)),
            ("0x20000000000001", Rounded(9_007_199_254_740_992.0)),
            ("1e400", Rounded(f64::INFINITY)),
            ("007", No),
            ("1__0", No),
            ("_1", No),
            ("1_", No),
            ("1_.5", No),
            ("0x", No),
            ("0b2", No),
            (".", No),
            ("1e", No),
            ("1j", No),
            ("1.2.3", No),
            ("nan", No),
            ("NaN", No),
            ("inf", No),
            ("Paris", No),
            ("TRUE", No),
            ("٤٢", No),
            ("", No),
        ];
        for (word, expected) in cases {
            assert_eq!(literal(word.as_bytes()), *expected, "{word:?}");
        }
    }
}
