//! The events of the simplest YAML, which most calls have: keys with one-line values, in blocks.
//!
//! The parser takes over a thousand instructions for each key, as it must handle everything else that a key may be.
//! Here a line is examined once; a call with four keys is parsed in half the time. Anything else (a comment, a list,
//! a value of several lines, a character outside ASCII) sends the whole text to the parser. The events are the
//! parser's own, so that one builder handles both; tests check that they are the same.

use granit_parser::{Event, ScalarStyle, StructureStyle};

/// An event with its offsets in the text.
pub(super) type Placed<'a> = (Event<'a>, (usize, usize));

/// Longest text that is parsed here, in bytes: all of its events are kept.
const LONGEST: usize = 16 * 1024;

/// Deepest nesting that is parsed here.
const DEPTH: usize = 16;

/// Longest key that is parsed here, in bytes.
const LONGEST_KEY: usize = 128;

/// Initial capacity in events: enough for six keys and their block.
const FEW_EVENTS: usize = 14;

/// The events of a text that has only plain blocks.
pub(super) fn events(text: &str) -> Option<Vec<Placed<'_>>> {
    if text.len() > LONGEST {
        return None;
    }
    let mut blocks = Blocks { out: Vec::with_capacity(FEW_EVENTS), columns: Vec::new(), pending: None };
    let mut at = 0;
    for line in text.split('\n') {
        blocks.line(line, at)?;
        at += line.len() + 1;
    }
    blocks.finish(text.len())
}

/// State of the open blocks.
struct Blocks<'a> {
    out: Vec<Placed<'a>>,
    /// Their indentation, the outermost first.
    columns: Vec<usize>,
    /// End of the key that has no value yet.
    pending: Option<usize>,
}

impl<'a> Blocks<'a> {
    /// Takes a line at `at`; `None` if it is not plain.
    fn line(&mut self, line: &'a str, at: usize) -> Option<()> {
        let bytes = line.as_bytes();
        let column = bytes.iter().take_while(|&&byte| byte == b' ').count();
        if column == bytes.len() {
            return Some(());
        }
        let length = key_length(&bytes[column..])?;
        let (start, colon) = (at + column, column + length);
        self.place_at(column, start)?;
        self.scalar(&line[column..colon], ScalarStyle::Plain, start, start + length);
        let behind = &line[colon + 1..];
        if !(behind.is_empty() || behind.starts_with(' ')) {
            return None;
        }
        let written = behind.trim_matches(' ');
        if written.is_empty() {
            self.pending = Some(start + length);
            return Some(());
        }
        let (words, style) = value(written)?;
        let value_at = at + colon + 1 + (behind.len() - behind.trim_start_matches(' ').len());
        self.scalar(words, style, value_at, value_at + written.len());
        Some(())
    }

    /// Opens and closes blocks, so that a key may follow at this column.
    fn place_at(&mut self, column: usize, start: usize) -> Option<()> {
        let innermost = self.columns.last().copied();
        let pending = self.pending.take();
        if innermost.is_none_or(|innermost| pending.is_some() && column > innermost) {
            self.columns.push(column);
            self.out.push((Event::MappingStart(StructureStyle::Block, 0, None), (start, start)));
            return (self.columns.len() <= DEPTH).then_some(());
        }
        self.absent(pending);
        while self.columns.last().is_some_and(|&innermost| column < innermost) {
            self.close(start);
        }
        (self.columns.last() == Some(&column)).then_some(())
    }

    fn finish(mut self, end: usize) -> Option<Vec<Placed<'a>>> {
        let pending = self.pending.take();
        self.absent(pending);
        while !self.columns.is_empty() {
            self.close(end);
        }
        (!self.out.is_empty()).then_some(self.out)
    }

    /// Adds the empty value of a key without a value.
    fn absent(&mut self, pending: Option<usize>) {
        if let Some(at) = pending {
            self.scalar("~", ScalarStyle::Plain, at, at);
        }
    }

    fn close(&mut self, at: usize) {
        self.columns.pop();
        self.out.push((Event::MappingEnd, (at, at)));
    }

    fn scalar(&mut self, words: &'a str, style: ScalarStyle, start: usize, end: usize) {
        self.out.push((Event::Scalar(words.into(), style, 0, None), (start, end)));
    }
}

/// Length of the key at the beginning of a line, before its colon.
fn key_length(line: &[u8]) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = line.iter().take(LONGEST_KEY).take_while(|byte| is_part(byte)).count();
    let begins = line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    (begins && line.get(length) == Some(&b':')).then_some(length)
}

/// The text of a value, and its style.
fn value(written: &str) -> Option<(&str, ScalarStyle)> {
    let bytes = written.as_bytes();
    let quote = |style| {
        let words = written.get(1..written.len() - 1).filter(|_| bytes.len() > 1 && bytes.last() == bytes.first())?;
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'\\' && byte != bytes[0];
        words.bytes().all(is_plain).then_some((words, style))
    };
    match *bytes {
        [b'"', ..] => return quote(ScalarStyle::DoubleQuoted),
        [b'\'', ..] => return quote(ScalarStyle::SingleQuoted),
        [b'-', b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.', ..]
        | [b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'~' | b'+' | b'(' | b'<', ..] => {}
        _ => return None,
    }
    let is_plain = |(at, &byte): (usize, &u8)| match byte {
        // A colon may end a key, and a number sign may begin a comment.
        b':' => bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'/'),
        b'#' => bytes[at - 1] != b' ',
        byte => matches!(byte, b' '..=b'~'),
    };
    bytes.iter().enumerate().all(is_plain).then_some((written, ScalarStyle::Plain))
}

#[cfg(test)]
mod tests {
    use granit_parser::Parser;

    use super::super::input::Characters;
    use super::*;

    /// The parser's events for a text, without those for the beginning and end of the text.
    fn parsed(text: &str) -> Option<Vec<Placed<'_>>> {
        let mut out = Vec::new();
        for event in Parser::new(Characters::new(text)) {
            let (event, span) = event.ok()?;
            let place = (span.start.byte_offset()?, span.end.byte_offset()?);
            if matches!(event, Event::Scalar(..) | Event::MappingStart(..) | Event::MappingEnd) {
                out.push((event, place));
            } else if !matches!(event, Event::StreamStart | Event::StreamEnd | Event::DocumentEnd) {
                assert!(matches!(event, Event::DocumentStart(false, None)), "{event:?} in {text:?}");
            }
        }
        Some(out)
    }

    #[test]
    fn the_events_are_those_of_the_parser() {
        const PIECES: [&str; 44] = [
            "a", "b", "key", "state", "a-b", "_", "9", ":", ": ", ":\n", ": \n", "\n", "\n", "\n\n", "\n  ", "\n  ",
            "\n    ", "\n ", "  ", " ", "1", "-1", "- ", "-", "\"", "'", "\"x y\"", "'q'", "''", "\"\\n\"", "#", " #",
            "x:y", "h://x", "~", "null", "[1]", "{}", "ü", "\t", "...", "---", "|", "<<",
        ];
        const LINES: [&str; 8] = ["a: b", "key: 1", "c:", "d: 'e f'", "x: \"\"", "y: g h:i ", "z: /a#b", "\"q\": r"];
        const INDENTS: [&str; 7] = ["\n", "\n", "\n  ", "\n  ", "\n    ", "\n\n", "\n   "];
        let mut seed = 7_u64;
        let mut below = |limit: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % limit
        };
        let mut plain = 0;
        for _ in 0..60_000 {
            let mut text = String::new();
            for line in 0..=below(5) {
                if line > 0 {
                    text.push_str(INDENTS[below(INDENTS.len())]);
                }
                if below(3) > 0 {
                    text.push_str(LINES[below(LINES.len())]);
                } else {
                    (0..below(6)).for_each(|_| text.push_str(PIECES[below(PIECES.len())]));
                }
            }
            let Some(found) = events(&text) else { continue };
            assert_eq!(Some(found), parsed(&text), "{text:?}");
            plain += 1;
        }
        assert!(plain > 5000, "{plain} plain texts");
    }

    #[test]
    fn what_is_not_plain_at_sight_is_left_to_the_parser() {
        let cases = [
            ("state: output-available\ninput:\n  about: beans\n  newest: 3\noutput: none", true),
            ("a:\n  b:\n    c: 1\n  d:\ne: \"f g\"\n", true),
            ("", false),
            ("words", false),
            ("a: b\n  c", false),
            ("a: b\n  c: d", false),
            ("  a: b\nc: d", false),
            ("a: [1]", false),
            ("a: |\n  b", false),
            ("a: b # c", false),
            ("a: b: c", false),
            ("a:b", false),
            ("- a: b", false),
            ("a: *b", false),
            ("a: ü", false),
            ("a:\tb", false),
            ("a: \"\\u0041\"", false),
            ("---\na: b", false),
        ];
        for (text, expected) in cases {
            assert_eq!(events(text).is_some(), expected, "{text:?}");
        }
    }
}
