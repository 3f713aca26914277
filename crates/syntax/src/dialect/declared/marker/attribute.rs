//! The attributes of a tag: values in single or double quotes, or without quotes.

use crate::text::Span;

/// The value of an attribute in `bytes`, which begin at offset `at`, without its quotes.
pub(super) fn attribute(bytes: &[u8], key: &[u8], at: usize) -> Option<Span> {
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&bytes[from..], key) {
        let start = from + found;
        from = start + key.len();
        let alone = start > 0 && bytes[start - 1].is_ascii_whitespace();
        let Some(value) = bytes[from..].strip_prefix(b"=").filter(|_| alone) else { continue };
        let value_at = from + 1;
        let length = match value.first() {
            Some(&quote @ (b'"' | b'\'')) => 2 + memchr::memchr(quote, &value[1..])?,
            _ => value.iter().position(|byte| matches!(byte, b' ' | b'\t' | b'/')).unwrap_or(value.len()),
        };
        return Some(unquoted(&value[..length], at + value_at));
    }
    None
}

/// The span of a word without surrounding quotes.
pub(crate) fn unquoted(bytes: &[u8], at: usize) -> Span {
    let quoted = bytes.len() >= 2 && matches!(bytes[0], b'"' | b'\'') && bytes.last() == bytes.first();
    let edge = usize::from(quoted);
    Span::new(at + edge, at + bytes.len() - edge)
}
