//! The escape sequences that a program uses to colour its output, and to clear the rest of a line after the colour.
//!
//! They are not part of the content, so readers are spared them where the raw bytes are shown elsewhere. Only
//! `ESC [ … m` (digits, `;` and `:`) and `ESC [ K` with 0, 1 or 2 count: everything else that a terminal acts on is
//! left to [`super::sanitize`]. Colours are not interpreted.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// Bytes of the longest sequence that is recognised. Programs write up to 40, when both colours are given as RGB.
pub(crate) const LONGEST: usize = 64;

/// How a colour sequence is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourCodes {
    /// Its bytes, with pictures for the control characters.
    #[default]
    Pictured,
    /// Not at all: the sequence takes no column.
    Dropped,
}

/// Length of the sequence at the beginning of `bytes`; `None` if there is none or it is incomplete.
pub fn sequence_len(bytes: &[u8]) -> Option<usize> {
    let parameters = bytes.strip_prefix(b"\x1b[")?;
    let window = &parameters[..parameters.len().min(LONGEST - 2)];
    let end = window.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    let is_one = match window[end] {
        b'm' => true,
        b'K' => matches!(window[..end], [] | [b'0'..=b'2']),
        _ => false,
    };
    is_one.then_some(2 + end + 1)
}

/// The ranges of the sequences, in order.
pub fn sequences(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr(b'\x1b', &bytes[at..])?;
            let len = sequence_len(&bytes[start..]);
            at = start + len.unwrap_or(1);
            if len.is_some() {
                return Some(start..at);
            }
        }
    })
}

/// The ranges between the sequences, in order; at least one, which may be empty.
pub fn stretches(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    let end = bytes.len();
    sequences(bytes).chain(std::iter::once(end..end)).map(move |sequence| {
        let before = at..sequence.start;
        at = sequence.end;
        before
    })
}

/// The text without its colour sequences.
pub fn without(text: &str) -> Cow<'_, str> {
    match sequences(text.as_bytes()).next() {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(stretches(text.as_bytes()).map(|stretch| &text[stretch]).collect()),
    }
}

/// Like [`without`], for bytes that may not be UTF-8.
pub fn bytes_without(bytes: &[u8]) -> Cow<'_, [u8]> {
    match sequences(bytes).next() {
        None => Cow::Borrowed(bytes),
        Some(_) => Cow::Owned(stretches(bytes).flat_map(|stretch| &bytes[stretch]).copied().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out_and_nothing_else_is() {
        let longest = format!("\x1b[{}m", "1".repeat(LONGEST - 3));
        let too_long = format!("\x1b[{}m", "1".repeat(LONGEST - 2));
        for (text, expected) in [
            ("", ""),
            ("plain [31m", "plain [31m"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b[m\x1b[38;5;12mé\x1b[38:2::1:2:3m", "é"),
            ("\x1b[01;31m\x1b[Kmatch\x1b[m\x1b[K", "match"),
            ("\x1b[0K\x1b[1K\x1b[2K|", "|"),
            ("\x1b[3K\x1b[00K", "\x1b[3K\x1b[00K"),
            ("\x1b[2J\x1b[1;1H\x1b[?25l\x1b[>4m", "\x1b[2J\x1b[1;1H\x1b[?25l\x1b[>4m"),
            ("\x1b]0;31m\x07", "\x1b]0;31m\x07"),
            ("\x1b\x1b[31m\x1b", "\x1b\x1b"),
            ("cut\x1b[3", "cut\x1b[3"),
            ("cut\x1b[", "cut\x1b["),
            (&longest, ""),
            (&too_long, &too_long),
        ] {
            assert_eq!(without(text), expected, "{text:?}");
            assert_eq!(*bytes_without(text.as_bytes()), *expected.as_bytes(), "{text:?}");
            let kept: usize = stretches(text.as_bytes()).map(|stretch| stretch.len()).sum();
            let dropped: usize = sequences(text.as_bytes()).map(|sequence| sequence.len()).sum();
            assert_eq!(kept + dropped, text.len(), "{text:?}");
        }
    }
}
