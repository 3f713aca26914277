//! Python's number literals: other bases, underscores, floating-point and imaginary numbers.

use super::cursor::Strictness;
use super::expression::NodeKind;
use crate::value::plain::PlainValue;

/// The number at the beginning of a text, and its length in bytes.
pub(crate) fn numeral(text: &str, reading: Strictness) -> Option<(NodeKind, usize)> {
    let base = match text.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        _ => return decimal(text, reading),
    };
    let len = 2 + digits(&text[2..], base);
    let words: String = text[2..len].chars().filter(|c| *c != '_').collect();
    // Larger ones do not occur in practice.
    let number = u128::from_str_radix(&words, base).ok()?;
    Some((NodeKind::Constant(PlainValue::Int(number.to_string())), len))
}

fn digits(text: &str, base: u32) -> usize {
    text.find(|c: char| c != '_' && !c.is_digit(base)).unwrap_or(text.len())
}

fn decimal(text: &str, reading: Strictness) -> Option<(NodeKind, usize)> {
    let bytes = text.as_bytes();
    let whole = digits(text, 10);
    let mut len = whole;
    if bytes.get(len) == Some(&b'.') {
        len += 1;
        len += digits(&text[len..], 10);
    }
    if matches!(bytes.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(len + 1), Some(b'+' | b'-')));
        let exponent = text.get(len + 1 + sign..).map_or(0, |rest| digits(rest, 10));
        if exponent > 0 {
            len += 1 + sign + exponent;
        }
    }
    let words = &text[..len];
    if words.contains("__") || words.ends_with('_') || words.contains("_.") || words.contains("._") || words == "." {
        return None;
    }
    let plain: String = words.chars().filter(|c| *c != '_').collect();
    if matches!(bytes.get(len), Some(b'j' | b'J')) {
        return Some((NodeKind::Opaque, len + 1));
    }
    if len > whole {
        return Some((NodeKind::Constant(PlainValue::Float(plain.parse().ok()?)), len));
    }
    let value = plain.trim_start_matches('0');
    // All digits may be zeros.
    let leads = value.len() < plain.len() && !value.is_empty();
    if leads && reading == Strictness::Strict {
        return None;
    }
    Some((NodeKind::Constant(PlainValue::Int(if value.is_empty() { "0".to_owned() } else { value.to_owned() })), len))
}
