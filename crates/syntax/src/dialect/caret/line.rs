//! Classifies the lines of a block without context.
//!
//! Lines are passed without their line feed. Whitespace is defined by Rust's `str::trim`, as in the runtime, which is
//! written in Rust; in a line that is not UTF-8 it is ASCII whitespace.

use std::ops::Range;

use super::FENCE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// Length of the name after it; 0 for a closing fence.
    pub(super) name: usize,
    /// Number of whitespace bytes at the end of the line; the runtime ignores a fence that has any.
    pub(super) blanks: usize,
}

/// Parses a line as a fence; a final carriage return counts as whitespace.
pub(super) fn fence(line: &[u8]) -> Option<Fence> {
    let rest = line.strip_prefix(FENCE.as_bytes())?;
    let name = rest.iter().take_while(|&&byte| is_word(byte)).count();
    rest[name..].iter().all(|&byte| is_blank(byte)).then_some(Fence { name, blanks: rest.len() - name })
}

/// Result of matching a fence with a line that is still arriving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arriving {
    Not,
    /// Possibly a fence; this many bytes have been examined.
    Wait(usize),
    /// A fence, on a line of this length without its line feed.
    Fence {
        length: usize,
        fence: Fence,
    },
}

/// Matches a fence at the beginning of `ahead`, of which `looked` bytes have been accepted as a possible fence.
pub(super) fn arriving(ahead: &[u8], looked: usize, finished: bool) -> Arriving {
    let from = looked.min(ahead.len());
    let mut blank = from > FENCE.len() && is_blank(ahead[from - 1]);
    let mut length = from;
    for &byte in &ahead[from..] {
        match byte {
            b'\n' => break,
            b'^' if length < FENCE.len() => {}
            _ if length < FENCE.len() => return Arriving::Not,
            _ if is_blank(byte) => blank = true,
            _ if blank || !is_word(byte) => return Arriving::Not,
            _ => {}
        }
        length += 1;
    }
    if length == ahead.len() && !finished {
        return Arriving::Wait(length);
    }
    fence(&ahead[..length]).map_or(Arriving::Not, |fence| Arriving::Fence { length, fence })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// The range of a line's text, without surrounding whitespace.
pub(super) fn trim(line: &[u8]) -> Range<usize> {
    let (start, end) = match std::str::from_utf8(line) {
        Ok(text) => (text.len() - text.trim_start().len(), text.trim_end().len()),
        Err(_) => (line.len() - line.trim_ascii_start().len(), line.trim_ascii_end().len()),
    };
    start.min(end)..end
}

/// A range of a line, without surrounding whitespace.
pub(super) fn trim_in(line: &[u8], range: Range<usize>) -> Range<usize> {
    let inner = trim(&line[range.clone()]);
    range.start + inner.start..range.start + inner.end
}

/// True if the line contains only whitespace.
pub(super) fn is_empty(line: &[u8]) -> bool {
    trim(line).is_empty()
}

/// Number of spaces and tabs at the beginning of a line.
pub(super) fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count()
}

/// Key and value of `key: value`, split at the first colon; `None` if the runtime sees no parameter.
pub(super) fn pair(line: &[u8]) -> Option<(Range<usize>, Range<usize>)> {
    let colon = memchr::memchr(b':', line)?;
    let key = trim_in(line, 0..colon);
    let value = trim_in(line, colon + 1..line.len());
    (!key.is_empty() && &line[value.clone()] != b"---").then_some((key, value))
}

/// The key of `key ---`.
pub(super) fn value_start(line: &[u8]) -> Option<Range<usize>> {
    let text = trim(line);
    let head = text.start..text.end.checked_sub(3)?.max(text.start);
    let key = trim_in(line, head.clone());
    let is_key = !key.is_empty() && line[key.clone()].iter().all(|&byte| is_word(byte));
    (is_key && line[head.end..].starts_with(b"---") && key.end < head.end).then_some(key)
}

/// True if a line is `--- key`, without indentation.
pub(super) fn ends_value(line: &[u8], key: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"---") else { return false };
    let name = trim(rest);
    name.start > 0 && &rest[name] == key
}

/// True if a line is the bare `---` of the draft.
pub(super) fn is_separator(line: &[u8]) -> bool {
    line.starts_with(b"---") && trim(line) == (0..3)
}

/// The item of `- item`.
pub(super) fn list_item(line: &[u8]) -> Option<Range<usize>> {
    let text = trim(line);
    let rest = line[text.clone()].strip_prefix(b"-")?;
    let is_item = rest.is_empty() || rest[0] == b' ' || rest[0] == b'\t';
    is_item.then(|| trim_in(line, text.start + 1..text.end))
}

/// The lines of `body`, starting at `start`, each with its offset and without its line end.
pub(super) fn lines(body: &[u8], start: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = start;
    std::iter::from_fn(move || {
        let rest = body.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let Some(feed) = memchr::memchr(b'\n', rest) else {
            at = body.len();
            return Some((start, rest));
        };
        at += feed + 1;
        let line = &rest[..feed];
        Some((start, line.strip_suffix(b"\r").unwrap_or(line)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_three_carets_at_the_beginning_of_a_line_and_perhaps_a_name() {
        let some = |name, blanks| Some(Fence { name, blanks });
        let cases: [(&str, Option<Fence>); 14] = [
            ("^^^", some(0, 0)),
            ("^^^ \r", some(0, 2)),
            ("^^^read_files", some(10, 0)),
            ("^^^3d_view\t", some(7, 1)),
            ("", None),
            ("^^", None),
            ("^^^^", None),
            (" ^^^", None),
            ("^^^ name", None),
            ("^^^list-files", None),
            ("^^^read path", None),
            ("^^^größe", None),
            ("^^^a\u{a0}", None),
            ("^^^a\rb", None),
        ];
        for (text, expected) in cases {
            assert_eq!(fence(text.as_bytes()), expected, "{text:?}");
            let whole = arriving(text.as_bytes(), 0, true);
            let length = text.len();
            assert_eq!(whole, expected.map_or(Arriving::Not, |fence| Arriving::Fence { length, fence }), "{text:?}");
            let mut looked = 0;
            for end in 0..text.len() {
                match arriving(&text.as_bytes()[..end], looked, false) {
                    Arriving::Wait(bytes) => looked = bytes,
                    Arriving::Not => break,
                    Arriving::Fence { .. } => panic!("{text:?} is decided before its end"),
                }
                assert_eq!(looked, end);
            }
        }
    }

    #[test]
    fn a_line_is_a_parameter_or_begins_a_value() {
        let text = |line: &str, range: Option<Range<usize>>| range.map(|range| line[range].to_owned());
        for (line, key, start) in [
            ("a: b", Some("a"), None),
            ("  some key\t:x", Some("some key"), None),
            (": b", None, None),
            ("a: ---", None, None),
            ("content ---", None, Some("content")),
            ("  content \t--- ", None, Some("content")),
            ("content---", None, None),
            ("my-key ---", None, None),
            ("---", None, None),
            ("a b ---", None, None),
            ("--", None, None),
        ] {
            assert_eq!(text(line, pair(line.as_bytes()).map(|(key, _)| key)).as_deref(), key, "{line:?}");
            assert_eq!(text(line, value_start(line.as_bytes())).as_deref(), start, "{line:?}");
        }
        for (line, expected) in
            [("--- a", true), ("---\ta  ", true), ("---a", false), (" --- a", false), ("--- ab", false)]
        {
            assert_eq!(ends_value(line.as_bytes(), b"a"), expected, "{line:?}");
        }
    }
}
