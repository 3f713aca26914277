//! The small parts of almost-JSON: comments, brackets, control characters, words without quotes.

use crate::value::json::string::is_number;

/// Length of the comment at the start, if there is one and it ends.
pub(super) fn comment(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'/', b'/', ..] | [b'#', ..] => Some(memchr::memchr(b'\n', bytes).unwrap_or(bytes.len())),
        [b'/', b'*', ..] => memchr::memmem::find(bytes, b"*/").map(|end| end + 2),
        _ => None,
    }
}

pub(super) fn closer(opener: u8) -> char {
    if opener == b'{' { '}' } else { ']' }
}

/// The closing brackets at the end of a text without opening ones in it, including whitespace between them.
pub(super) fn unpaired_closers(text: &str) -> &str {
    let mut open = 0_usize;
    let first = text.bytes().position(|byte| match byte {
        b'{' | b'[' => {
            open += 1;
            false
        }
        b'}' | b']' if open > 0 => {
            open -= 1;
            false
        }
        byte => matches!(byte, b'}' | b']'),
    });
    first.map_or("", |first| &text[first..])
}

/// A control character as an escape sequence.
pub(super) fn escaped(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".into(),
        b'\t' => "\\t".into(),
        b'\r' => "\\r".into(),
        _ => format!("\\u{byte:04x}"),
    }
}

/// A bare word as JSON, and true if it becomes a string; `None` for a number that JSON cannot express.
pub(super) fn json_word(word: &str) -> Option<(String, bool)> {
    let literal = match word {
        "true" | "True" | "TRUE" => "true",
        "false" | "False" | "FALSE" => "false",
        "null" | "None" | "nil" | "undefined" => "null",
        // JSON cannot express these numbers in any way.
        "NaN" | "Infinity" | "-Infinity" => return None,
        _ if is_number(word.as_bytes()) => word,
        _ => "",
    };
    if !literal.is_empty() {
        return Some((literal.to_owned(), false));
    }
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let lead = if digits.starts_with('.') { "0" } else { "" };
    let tail = if digits.ends_with('.') { "0" } else { "" };
    let number = format!("{sign}{lead}{digits}{tail}");
    if is_number(number.as_bytes()) {
        return Some((number, false));
    }
    let begins_word = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins_word.then(|| (format!("\"{word}\""), true))
}
