//! Reversible encoding of paths as column text: one line of UTF-8.
//!
//! Most paths are unchanged. Invalid UTF-8, and line breaks, which the CSV format replaces, become `\xNN`, as does a
//! backslash before an `x`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Encodes a path; [`path_of`] is the inverse.
pub(crate) fn path_text(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        let mut characters = chunk.valid().chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\n' => text.push_str("\\x0a"),
                '\r' => text.push_str("\\x0d"),
                '\\' if characters.peek() == Some(&'x') => text.push_str("\\x5c"),
                character => text.push(character),
            }
        }
        for byte in chunk.invalid() {
            _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Decodes a path.
pub fn path_of(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let escape = rest.strip_prefix(b"\\x").and_then(|digits| digits.split_at_checked(2));
        let byte = escape.and_then(|(digits, behind)| {
            let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
            Some((u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?, behind))
        });
        let (byte, behind) = byte.unwrap_or((first, behind));
        bytes.push(byte);
        rest = behind;
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_paths_have_the_same_text_and_each_comes_back() {
        for (path, text) in [
            (&b"/logs/a b.jsonl"[..], "/logs/a b.jsonl"),
            ("/logs/\u{e9}\u{202e}\u{fffd}\x1b".as_bytes(), "/logs/\u{e9}\u{202e}\u{fffd}\x1b"),
            (b"/logs/\xff", "/logs/\\xff"),
            (b"/logs/\xfe\xe2\x82", "/logs/\\xfe\\xe2\\x82"),
            (b"/logs/a\nb\r", "/logs/a\\x0ab\\x0d"),
            (b"/logs/a\\n", "/logs/a\\n"),
            (b"/logs/\\xff", "/logs/\\x5cxff"),
            (b"/logs/\\\\x", "/logs/\\\\x5cx"),
            (b"\\", "\\"),
            (b"", ""),
        ] {
            let path = Path::new(std::ffi::OsStr::from_bytes(path));
            assert_eq!(path_text(path), text);
            assert_eq!(path_of(text), path, "{text}");
        }
        // Invalid escapes, as a user might write, are taken literally.
        for (text, path) in [("\\x", "\\x"), ("\\xg0", "\\xg0"), ("\\x4", "\\x4"), ("\\x+1", "\\x+1")] {
            assert_eq!(path_of(text), Path::new(path), "{text}");
        }
    }
}
