//! Decodes the scalars of YAML, byte by byte: verbatim parts are copied, escapes and folded line ends lead to what is
//! written in their place.

use super::block::{Chomping, Scalar, Style};
use crate::container::fragment::Fragment;
use crate::text::{Span, steps};

/// The content of a scalar of `text`, which begins at `base` in the file.
pub(super) fn decode(scalar: &Scalar, text: &[u8], base: usize) -> Fragment {
    steps::add_bytes(scalar.span.len());
    let mut decoder = Decoder { text, base, out: Fragment::default() };
    match scalar.style {
        Style::Plain | Style::Single | Style::Double => decoder.flow(scalar.style, scalar.span),
        Style::Block { is_folded, chomping, indent } => decoder.block(scalar.span, is_folded, chomping, indent),
        Style::Flow | Style::Alias => decoder.copy(scalar.span.start, scalar.span.end),
    }
    decoder.out
}

/// The content of a short scalar as text.
pub(super) fn words(scalar: &Scalar, text: &[u8]) -> String {
    String::from_utf8_lossy(&decode(scalar, text, 0).bytes).into_owned()
}

struct Decoder<'a> {
    text: &'a [u8],
    base: usize,
    out: Fragment,
}

impl Decoder<'_> {
    fn copy(&mut self, start: usize, end: usize) {
        if start < end {
            self.out.bytes(&self.text[start..end], self.base + start);
        }
    }

    /// Writes `words` in place of the bytes from `start` to `end`.
    fn replace(&mut self, words: &str, start: usize, end: usize) {
        if !words.is_empty() {
            self.out.push_replacement(words, Span::new(self.base + start, self.base + end));
        }
    }

    /// A scalar whose line ends are folded.
    fn flow(&mut self, style: Style, span: Span) {
        let mut at = span.start;
        while at < span.end {
            let rest = &self.text[at..span.end];
            let next = match style {
                Style::Single => memchr::memchr2(b'\'', b'\n', rest),
                Style::Double => memchr::memchr2(b'\\', b'\n', rest),
                _ => memchr::memchr(b'\n', rest),
            };
            let Some(next) = next.map(|next| at + next) else {
                return self.copy(at, span.end);
            };
            at = match self.text[next] {
                b'\n' => self.fold(at, next, span.end),
                b'\'' => {
                    self.copy(at, next);
                    self.replace("'", next, (next + 2).min(span.end));
                    next + 2
                }
                _ => {
                    self.copy(at, next);
                    self.escape(next, span.end)
                }
            };
        }
    }

    /// Copies the text from `at` up to the line feed at `feed`, and folds the line ends there. Returns the offset of the
    /// next text.
    fn fold(&mut self, at: usize, feed: usize, end: usize) -> usize {
        let text_end = at + self.text[at..feed].trim_ascii_end().len();
        self.copy(at, text_end);
        let (next, feeds) = self.line_ends(feed, end);
        if feeds == 1 {
            self.replace(" ", text_end, next);
        } else {
            self.replace(&"\n".repeat(feeds - 1), text_end, next);
        }
        next
    }

    /// Skips line ends and the whitespace around them; returns the offset of the next text, and the number of line ends.
    fn line_ends(&self, mut at: usize, end: usize) -> (usize, usize) {
        let mut feeds = 0;
        while at < end && self.text[at].is_ascii_whitespace() {
            feeds += usize::from(self.text[at] == b'\n');
            at += 1;
        }
        (at, feeds)
    }

    /// Writes the escape at `at` in double quotes; returns the offset after it.
    fn escape(&mut self, at: usize, end: usize) -> usize {
        let Some(&letter) = self.text[..end].get(at + 1) else {
            self.copy(at, end);
            return end;
        };
        let plain = match letter {
            b'0' => "\0",
            b'a' => "\u{7}",
            b'b' => "\u{8}",
            b't' | b'\t' => "\t",
            b'n' => "\n",
            b'v' => "\u{b}",
            b'f' => "\u{c}",
            b'r' => "\r",
            b'e' => "\u{1b}",
            b' ' => " ",
            b'"' => "\"",
            b'/' => "/",
            b'\\' => "\\",
            b'N' => "\u{85}",
            b'_' => "\u{a0}",
            b'L' => "\u{2028}",
            b'P' => "\u{2029}",
            b'x' | b'u' | b'U' => return self.code(at, end),
            b'\r' | b'\n' => {
                // The line ends here without a space.
                let (next, feeds) = self.line_ends(at + 1, end);
                self.replace(&"\n".repeat(feeds.saturating_sub(1)), at, next);
                return next;
            }
            _ => {
                self.copy(at, at + 2);
                return at + 2;
            }
        };
        self.replace(plain, at, at + 2);
        at + 2
    }

    /// Writes the character of a numeric escape, or of two that are a surrogate pair.
    fn code(&mut self, at: usize, end: usize) -> usize {
        let Some((code, next)) = self.digits(at, end) else {
            self.copy(at, at + 2);
            return at + 2;
        };
        let low = || self.digits(next, end).filter(|_| self.text[next..end].starts_with(b"\\u"));
        let (char, next) = match (u16::try_from(code), low()) {
            (Ok(high @ 0xd800..=0xdbff), Some((low @ 0xdc00..=0xdfff, after))) => {
                let pair = [high, u16::try_from(low).unwrap_or_default()];
                (char::decode_utf16(pair).next().and_then(Result::ok), after)
            }
            _ => (char::from_u32(code), next),
        };
        let char = char.unwrap_or(char::REPLACEMENT_CHARACTER);
        self.replace(char.encode_utf8(&mut [0; 4]), at, next);
        next
    }

    /// The number of the escape at `at`, and the offset after it.
    fn digits(&self, at: usize, end: usize) -> Option<(u32, usize)> {
        let count = match self.text[..end].get(at + 1)? {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => return None,
        };
        let digits = self.text[..end].get(at + 2..at + 2 + count)?;
        let digits = std::str::from_utf8(digits).ok().filter(|_| digits.iter().all(u8::is_ascii_hexdigit))?;
        Some((u32::from_str_radix(digits, 16).ok()?, at + 2 + count))
    }

    /// The lines of a block, without their indentation.
    fn block(&mut self, span: Span, is_folded: bool, chomping: Chomping, indent: usize) {
        /// The line end that a line has, to be written before the next one.
        struct LineEnd {
            start: usize,
            is_indented: bool,
        }
        let mut open: Option<LineEnd> = None;
        // Line ends of empty lines since the last line with text.
        let mut empty: Vec<usize> = Vec::new();
        let mut at = span.start;
        while at < span.end {
            let feed = memchr::memchr(b'\n', &self.text[at..span.end]).map_or(span.end, |feed| at + feed);
            let line = &self.text[at..feed];
            let line_end = at + line.strip_suffix(b"\r").unwrap_or(line).len();
            let start = at + indent;
            if line_end <= start {
                if feed < span.end {
                    empty.push(feed);
                }
            } else {
                let is_indented = matches!(self.text[start], b' ' | b'\t');
                let before = open.replace(LineEnd { start: line_end, is_indented });
                let is_joined = is_folded && !is_indented && before.as_ref().is_some_and(|end| !end.is_indented);
                match before {
                    Some(end) if is_joined && empty.is_empty() => self.replace(" ", end.start, start),
                    Some(end) if !is_joined => self.feed(end.start),
                    _ => {}
                }
                empty.drain(..).for_each(|feed| self.feed(feed));
                self.copy(start, line_end);
            }
            at = feed + 1;
        }
        if chomping == Chomping::Strip {
            return;
        }
        if let Some(end) = open.filter(|end| end.start < span.end) {
            self.feed(end.start);
        }
        if chomping == Chomping::Keep {
            empty.drain(..).for_each(|feed| self.feed(feed));
        }
    }

    /// Writes the line feed at `at`, which a carriage return may precede.
    fn feed(&mut self, at: usize) {
        if self.text[at] == b'\n' {
            self.copy(at, at + 1);
        } else {
            self.replace("\n", at, at + 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::{Node, read};
    use super::*;

    /// The content of the member `a`, and the source of each of its bytes.
    fn member(text: &str) -> (String, Vec<String>) {
        let node = read(text.as_bytes()).expect("it is read");
        let scalar = node.get(text.as_bytes(), "a").and_then(Node::scalar).expect("a scalar");
        let fragment = decode(scalar, text.as_bytes(), 0);
        let sources = (0..fragment.bytes.len()).map(|at| fragment.map.source_of(Span::new(at, at + 1)));
        let sources = sources.map(|span| text[span.start..span.end].to_owned()).collect();
        assert_eq!(fragment.map.len(), fragment.bytes.len(), "{text}");
        (String::from_utf8_lossy(&fragment.bytes).into_owned(), sources)
    }

    #[test]
    fn scalars_of_all_styles_are_decoded() {
        for (text, expected) in [
            ("a: b c", "b c"),
            ("a: b\n  c\n\n  d # e\n", "b c\nd"),
            ("a: 'b''c\n\n    d\n  e\n\n\n  '\n", "b'c\nd e\n\n"),
            ("a: \"b\\n\\\"c\\\" \\\n  \\ d\\u00e9\\x41\\ud83e\\udd80\\\n\n  x\"\n", "b\n\"c\"  dé\u{41}🦀\nx"),
            ("a: |\n  b\n   c\n\n  d\n\nz: y", "b\n c\n\nd\n"),
            ("a: |-\n  b\n  c\n\n", "b\nc"),
            ("a: |+\n  b\n\n\n", "b\n\n\n"),
            ("a: |2\n   b\n", " b\n"),
            ("a: >\n  b\n  c\n\n  d\n   e\n  f\n", "b c\nd\n e\nf\n"),
            ("a: >-\n  b\n\n\n  c\n", "b\n\nc"),
            ("a: |\r\n  b\r\n  c\r\n", "b\nc\n"),
            ("a: 'b\r\n  c'\r\n", "b c"),
            ("a: \"\\ud83e x\\q\"", "\u{fffd} x\\q"),
        ] {
            assert_eq!(member(text).0, expected, "{text}");
        }
    }

    #[test]
    fn each_byte_leads_to_what_is_written() {
        let cases: [(&str, &[&str]); 4] = [
            ("a: 'x''y\n   z'", &["x", "''", "y", "\n   ", "z"]),
            ("a: \"x\\ny \\\n  \\ z\"", &["x", "\\n", "y", " ", "\\ ", "z"]),
            ("a: |\n  x\n  y\n", &["x", "\n", "y", "\n"]),
            ("a: >\n  x\n  y\n", &["x", "\n  ", "y", "\n"]),
        ];
        for (text, expected) in cases {
            assert_eq!(member(text).1, expected, "{text}");
        }
    }

    /// The text of a node in brackets, for a test.
    fn shown(node: &Node, text: &[u8]) -> String {
        match node {
            Node::Scalar(scalar) => words(scalar, text),
            Node::List(_, items) => {
                format!("[{}]", items.iter().map(|item| shown(item, text)).collect::<Vec<_>>().join(","))
            }
            Node::Map(_, members) => {
                let member = |(key, value): &(Scalar, Node)| format!("{}:{}", words(key, text), shown(value, text));
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
            }
        }
    }

    #[test]
    fn mappings_and_lists_have_all_forms() {
        let text =
            "- a:\n  - b\n  - c: d\n    e:\n    - - f\n      - g\n  h: {}\n  \"i\": *j\n  k: &l m\n  n:\n  o:\n    p\n";
        let node = read(text.as_bytes()).expect("it is read");
        let expected = "[{a:[b,{c:d,e:[[f,g]]}],h:{},i:*j,k:m,n:,o:p}]";
        assert_eq!(shown(&node, text.as_bytes()), expected);
        for (broken, at) in [("a: 'b\n", 6), ("? a\n", 0), ("a: 1\n- b\n", 5), ("a: {b\n", 6)] {
            assert_eq!(read(broken.as_bytes()).expect_err("it is broken"), at, "{broken}");
        }
    }
}
