//! Decodes the escapes of Python strings.
//!
//! A backslash before any other character is kept, as in Python.

use memchr::memchr;

/// A fault in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringFault {
    /// A line feed in a string without triple quotes.
    LineFeed,
    /// `\x`, `\u`, `\U` or `\N` without the required digits or name; kept verbatim.
    Escape,
    /// An unpaired surrogate.
    Surrogate,
}

/// Treatment of escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    Resolved,
    /// Kept verbatim: `r'\d'`.
    Raw,
}

/// A decoded string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// Faults, with their offsets in the content.
    pub(super) faults: Vec<(StringFault, usize, usize)>,
}

/// Decodes the content of a string without prefix and quotes; only the first invalid line feed is reported.
pub(super) fn decode(content: &[u8], escapes: Escapes, triple: bool) -> Decoded {
    let mut out = Decoded { bytes: Vec::with_capacity(content.len()), faults: Vec::new() };
    if escapes == Escapes::Raw {
        out.bytes.extend_from_slice(content);
    } else {
        let mut at = 0;
        while let Some(found) = memchr(b'\\', &content[at..]) {
            out.bytes.extend_from_slice(&content[at..at + found]);
            at = escape(content, at + found, &mut out);
        }
        out.bytes.extend_from_slice(&content[at..]);
    }
    if !triple && let Some(feed) = bare_line_feed(content) {
        out.faults.push((StringFault::LineFeed, feed, feed + 1));
        out.faults.sort_by_key(|(_, start, _)| *start);
    }
    out
}

/// The first line feed that no backslash escapes.
fn bare_line_feed(content: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'\\', b'\n', &content[at..]) {
        at += found;
        if content[at] == b'\n' {
            return Some(at);
        }
        at = (at + 2).min(content.len());
    }
    None
}

/// Decodes the escape at `start`; returns the offset after it.
fn escape(content: &[u8], start: usize, out: &mut Decoded) -> usize {
    let Some(&kind) = content.get(start + 1) else {
        // The text was cut off in the middle of an escape.
        return content.len();
    };
    let byte = match kind {
        b'\n' => return start + 2,
        b'\\' | b'\'' | b'"' => kind,
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'0'..=b'7' => return octal(content, start, out),
        b'x' => return hexadecimal(content, start, 2, out),
        b'u' => return hexadecimal(content, start, 4, out),
        b'U' => return hexadecimal(content, start, 8, out),
        b'N' => {
            out.faults.push((StringFault::Escape, start, start + 2));
            out.bytes.extend_from_slice(&content[start..start + 2]);
            return start + 2;
        }
        _ => {
            out.bytes.push(b'\\');
            return start + 1;
        }
    };
    out.bytes.push(byte);
    start + 2
}

fn octal(content: &[u8], start: usize, out: &mut Decoded) -> usize {
    let digits = content[start + 1..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
    let (number, count) =
        digits.fold((0, 0), |(number, count), digit| (number * 8 + u32::from(digit - b'0'), count + 1));
    push(number, out);
    start + 1 + count
}

fn hexadecimal(content: &[u8], start: usize, length: usize, out: &mut Decoded) -> usize {
    let end = start + 2 + length;
    let Some(number) = code(content, start + 2, length) else {
        let digits = content[start + 2..].iter().take(length).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let end = start + 2 + digits;
        // Missing digits that may still arrive are not a fault.
        if end < content.len() {
            out.faults.push((StringFault::Escape, start, end));
            out.bytes.extend_from_slice(&content[start..end]);
        }
        return end;
    };
    // A surrogate pair becomes one character when it passes through JSON.
    let low = if content[end..].starts_with(b"\\u") { code(content, end + 2, 4) } else { None };
    if let (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) = (number, low) {
        push(0x10000 + ((number - 0xd800) << 10) + (low - 0xdc00), out);
        return end + 6;
    }
    if !push(number, out) {
        out.faults.push((StringFault::Surrogate, start, end));
    }
    end
}

/// The number in `length` hexadecimal digits at `at`.
fn code(content: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = content.get(at..at + length)?;
    digits.iter().try_fold(0_u32, |number, &digit| {
        number.checked_mul(16).and_then(|number| Some(number + char::from(digit).to_digit(16)?))
    })
}

/// Adds a character; returns false if the number is not one, after adding U+FFFD.
fn push(number: u32, out: &mut Decoded) -> bool {
    let c = char::from_u32(number);
    let mut buffer = [0; 4];
    out.bytes.extend_from_slice(c.unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut buffer).as_bytes());
    c.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Faults = &'static [(StringFault, usize, usize)];

    #[test]
    fn strings_say_what_python_has_them_say() {
        use StringFault::{Escape, LineFeed, Surrogate};
        let cases: &[(&str, &str, Faults)] = &[
            ("plain", "plain", &[]),
            (r#"a\'b\"c\\d"#, r#"a'b"c\d"#, &[]),
            (r"\a\b\f\n\r\t\v", "\u{7}\u{8}\u{c}\n\r\t\u{b}", &[]),
            ("one\\\ntwo", "onetwo", &[]),
            (r"\101\7\0", "A\u{7}\0", &[]),
            (r"\x41\u00e9\U0001F600", "Aé😀", &[]),
            (r"\ud83d\ude00", "😀", &[]),
            (r"\ud83d!", "\u{fffd}!", &[(Surrogate, 0, 6)]),
            (r"\U00110000", "\u{fffd}", &[(Surrogate, 0, 10)]),
            (r"\d+\.ts", r"\d+\.ts", &[]),
            (r"\xg1", r"\xg1", &[(Escape, 0, 2)]),
            (r"\u12", "", &[]),
            (r"\u12x", r"\u12x", &[(Escape, 0, 4)]),
            (r"\N{BULLET}", r"\N{BULLET}", &[(Escape, 0, 2)]),
            ("cut\\", "cut", &[]),
            ("a\nb\nc", "a\nb\nc", &[(LineFeed, 1, 2)]),
            (r"\€", r"\€", &[]),
        ];
        for (content, expected, faults) in cases {
            let decoded = decode(content.as_bytes(), Escapes::Resolved, false);
            assert_eq!(String::from_utf8_lossy(&decoded.bytes), *expected, "{content:?}");
            assert_eq!(decoded.faults, *faults, "{content:?}");
        }
        assert_eq!(decode(br"\d\n", Escapes::Raw, false).bytes, br"\d\n");
        assert_eq!(decode(b"a\nb", Escapes::Resolved, true).faults, []);
    }
}
