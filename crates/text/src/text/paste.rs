//! Bytes of a file as text that can be pasted anywhere: into a shell, an editor, a chat message.
//!
//! An escape sequence would act there, or end a bracketed paste so that the rest counts as typed.

use super::colour_codes::ColourCodes;
use super::sanitize::glyphs;

/// Text of several lines that is harmless to paste, and the number of glyphs that differ from `bytes`: tabs and line
/// ends are kept, colour sequences are left out, anything else is shown as by [`glyphs`].
pub fn pasteable(bytes: &[u8]) -> (String, usize) {
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let words = line.strip_suffix(b"\n").map_or(line, |words| words.strip_suffix(b"\r").unwrap_or(words));
        for glyph in glyphs(words).with(ColourCodes::Dropped) {
            replaced += usize::from(glyph.pictured || glyph.text.is_empty());
            text.push_str(&glyph.text);
        }
        text.extend(line[words.len()..].iter().map(|&byte| char::from(byte)));
    }
    (text, replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pasted_acts_on_nothing_and_keeps_its_lines() {
        for (input, expected) in [
            (&b""[..], ("", 0)),
            (b"a\tb\r\nc\n\n", ("a\tb\r\nc\n\n", 0)),
            (b"a\x1b[201~rm -rf ~\nb\r", ("a\u{241b}[201~rm -rf ~\nb\u{240d}", 2)),
            (b"\x1b[31mred\x1b[0m\xff\r", ("red<FF>\u{240d}", 4)),
            ("a\u{202e}b\u{200b}\u{9b}31m".as_bytes(), ("a<U+202E>b<U+200B><9B>31m", 3)),
            ("👨‍👩‍👧‍👦 ❤️ e\u{301}".as_bytes(), ("👨‍👩‍👧‍👦 ❤️ e\u{301}", 0)),
        ] {
            let (text, replaced) = pasteable(input);
            assert_eq!((text.as_str(), replaced), expected, "for {input:?}");
            assert_eq!(pasteable(text.as_bytes()).1, 0, "{text:?} is not safe yet");
        }
    }
}
