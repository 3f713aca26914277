//! Secrets recognised by the lengths of their parts, which are separated by a dot, a hyphen, a bar or a colon.

use std::ops::Range;

use super::random::has_variety;

/// Separators between the parts of a token.
pub(super) const SIGNS: &[&str] = &[".", "-", "|", ":AA"];

/// Most bytes of a part.
const LONGEST: usize = 41;

/// The kind and range of a secret whose first part ends at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_hex = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    let before = |is_one: fn(u8) -> bool| {
        let near = &bytes[at.saturating_sub(LONGEST)..at];
        near.iter().rev().take_while(|&&byte| is_one(byte)).count()
    };
    let behind = |from: usize, is_one: fn(u8) -> bool| {
        bytes.get(from..).map_or(0, |rest| rest.iter().take(LONGEST).take_while(|&&byte| is_one(byte)).count())
    };
    let (kind, start, end) = match bytes[at] {
        // An account number, a timestamp, and a signature.
        b'.' if bytes.get(at + 7) == Some(&b'.') => {
            let (first, second, third) = (before(is_word), behind(at + 1, is_word), behind(at + 8, is_word));
            let is_one = (23..=28).contains(&first) && second == 6 && (27..=38).contains(&third);
            let number = &bytes[at - first..at - first + usize::from(is_one)];
            ("discord-token", number.first().filter(|byte| b"MNO".contains(byte)).map(|_| at - first)?, at + 8 + third)
        }
        b'.' => {
            let (first, second) = (before(|byte| byte.is_ascii_alphanumeric()), behind(at + 1, is_word));
            let is_one = first == 32 && second == 16 && bytes[at - 32..at].iter().all(|&byte| is_hex(byte));
            ("zhipu-key", is_one.then(|| at - 32)?, at + 17)
        }
        b'-' if bytes.get(at + 9) == Some(&b'-') => {
            let (first, third) = (before(|byte| byte.is_ascii_alphanumeric()), behind(at + 10, is_word));
            let is_one = first == 32
                && third == 8
                && bytes[at + 1..at + 9].iter().all(|&byte| is_hex(byte))
                && bytes[at - 32..at].iter().all(|&byte| is_hex(byte));
            ("mailgun-key", is_one.then(|| at - 32)?, at + 18)
        }
        b'|' => {
            let (first, second) = (before(|byte| byte.is_ascii_digit()), behind(at + 1, is_word));
            (
                "facebook-token",
                ((15..=17).contains(&first) && (25..=40).contains(&second)).then(|| at - first)?,
                at + 1 + second,
            )
        }
        b':' => {
            let (first, second) = (before(|byte| byte.is_ascii_digit()), behind(at + 1, is_word));
            ("telegram-token", ((6..=12).contains(&first) && second == 35).then(|| at - first)?, at + 36)
        }
        _ => return None,
    };
    let is_apart = start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
    (is_apart && has_variety(&text[at + 1..end])).then_some((kind, start..end))
}
