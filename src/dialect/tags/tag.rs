//! One tag: what it is, and what it names.
//!
//! A tag stands on one line and is at most [`LONGEST`] bytes long. This module does not know where tags may stand or
//! what they do.

use super::{Naming, Part, Shape};
use crate::text::{Span, trim, trim_end};

/// Longest tag that is recognised, in bytes.
pub(super) const LONGEST: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) part: Part,
    pub(super) side: Side,
    /// The word that it was recognised by.
    pub(super) word: &'static str,
    pub(super) span: Span,
    /// What it names; empty where it names nothing.
    pub(super) name: Span,
    /// Everything between the word and `>`.
    pub(super) raw: Span,
    /// Whether its value is JSON by its own account.
    pub(super) json: bool,
}

impl Tag {
    /// The closing tag of what a tag without a name in it opens.
    pub(super) fn closer(self) -> String {
        format!("</{}>", self.word.trim_end_matches('='))
    }
}

/// Which end of something a tag marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Opening,
    Closing,
    /// `<…/>`: both at once.
    Both,
}

/// What stands at a `<`.
pub(super) enum Read {
    Tag(Tag),
    /// The text ends in the midst of what may become a tag.
    Partial,
    None,
}

/// The texts with which the tags of a shape begin.
pub(super) fn openings(shape: &Shape) -> Vec<Vec<u8>> {
    let words = shape.words.iter().map(|(word, _)| *word);
    words.flat_map(|word| [format!("<{word}").into(), format!("</{}", word.trim_end_matches('=')).into()]).collect()
}

/// Reads the tag that begins with the `<` at the beginning of `ahead`, which lies at `at`.
pub(super) fn read(shape: &Shape, ahead: &[u8], at: usize, finished: bool) -> Read {
    let ahead = &ahead[..ahead.len().min(LONGEST)];
    let finished = finished || ahead.len() == LONGEST;
    let closing = ahead.get(1) == Some(&b'/');
    let begin = 1 + usize::from(closing);
    let rest = ahead.get(begin..).unwrap_or_default();
    let mut partial = false;
    for &(word, part) in shape.words {
        let written = if closing { word.trim_end_matches('=') } else { word };
        if let Some(tail) = rest.strip_prefix(written.as_bytes()) {
            let side = if closing { Side::Closing } else { Side::Opening };
            let tail_at = Span::at(at + begin + written.len());
            let tag = Tag { part, side, word, span: Span::at(at), name: tail_at, raw: tail_at, json: false };
            match read_tail(shape.naming, tag, tail) {
                Read::Partial => partial = true,
                Read::None => {}
                found @ Read::Tag(_) => return found,
            }
        }
        partial |= written.as_bytes().starts_with(rest);
    }
    if partial && !finished { Read::Partial } else { Read::None }
}

/// What the runtime of `xml` takes for a call's closing tag at the beginning of `ahead`: everything up to the next `>`,
/// on whatever line that stands.
pub(super) fn read_torn_closer(ahead: &[u8], at: usize, finished: bool) -> Read {
    const CLOSER: &[u8] = b"</tool:";
    let head = &ahead[..ahead.len().min(LONGEST)];
    if !head.starts_with(CLOSER) {
        return Read::None;
    }
    let Some(end) = memchr::memchr(b'>', head) else {
        return if finished || head.len() == LONGEST { Read::None } else { Read::Partial };
    };
    let raw = Span::new(at + CLOSER.len(), at + end);
    let span = Span::new(at, at + end + 1);
    Read::Tag(Tag { part: Part::Call, side: Side::Closing, word: "tool:", span, name: raw, raw, json: false })
}

/// Reads what follows the word of a tag, and completes it.
fn read_tail(naming: Naming, mut tag: Tag, tail: &[u8]) -> Read {
    let (at, closing) = (tag.raw.start, tag.side == Side::Closing);
    let Some(end) = end_of(tail, naming == Naming::Attribute && !closing) else { return Read::Partial };
    if tail[end] != b'>' {
        return Read::None;
    }
    tag.raw.end = at + end;
    tag.name = Span::at(tag.raw.end);
    tag.span.end = tag.raw.end + 1;
    let bytes = &tail[..end];
    if tag.part == Part::Wrapper || (closing && naming != Naming::InTag) {
        return if bytes.trim_ascii().is_empty() { Read::Tag(tag) } else { Read::None };
    }
    let slash = !closing && bytes.ends_with(b"/");
    if slash {
        tag.side = Side::Both;
    }
    match naming {
        Naming::InTag | Naming::Equals => {
            let inner = &bytes[..end - usize::from(slash)];
            let whole = trim(inner, at);
            let word = inner[whole.start - at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            tag.name = Span::new(whole.start, whole.start + word);
            if naming == Naming::Equals {
                tag.name = unquoted(&inner[tag.name.start - at..tag.name.end - at], tag.name.start);
            } else if tag.part == Part::Parameter && !slash {
                tag.name = tag.raw;
            }
        }
        Naming::Attribute => {
            let is_separated = bytes.first().is_some_and(u8::is_ascii_whitespace);
            let Some(name) = attribute(bytes, b"name", at).filter(|_| is_separated) else { return Read::None };
            tag.name = name;
            let string = attribute(bytes, b"string", at);
            tag.json = string.is_some_and(|span| &bytes[span.start - at..span.end - at] == b"false");
        }
    }
    Read::Tag(tag)
}

/// Where a tag ends, or what shows that it is none: a line feed, or another `<`; quotes may hide both brackets.
fn end_of(tail: &[u8], quotes: bool) -> Option<usize> {
    let mut quote = None;
    for (index, &byte) in tail.iter().enumerate() {
        match (byte, quote) {
            (b'"' | b'\'', None) if quotes => quote = Some(byte),
            (_, Some(open)) if byte == open => quote = None,
            (b'\n', _) | (b'<' | b'>', None) => return Some(index),
            _ => {}
        }
    }
    None
}

/// The value of an attribute in `bytes`, which lie at `at`, without its quotes.
fn attribute(bytes: &[u8], key: &[u8], at: usize) -> Option<Span> {
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&bytes[from..], key) {
        let start = from + found;
        from = start + key.len();
        let alone = start > 0 && bytes[start - 1].is_ascii_whitespace();
        let Some(value) = bytes[from..].strip_prefix(b"=").filter(|_| alone) else { continue };
        let value_at = from + 1;
        let length = match value.first() {
            Some(&quote @ (b'"' | b'\'')) => 2 + memchr::memchr(quote, &value[1..])?,
            _ => trim_end(value.split(|&byte| matches!(byte, b' ' | b'\t' | b'/')).next().unwrap_or_default()),
        };
        return Some(unquoted(&value[..length], at + value_at));
    }
    None
}

/// A word without the quotes around it.
fn unquoted(bytes: &[u8], at: usize) -> Span {
    let quoted = bytes.len() >= 2 && matches!(bytes[0], b'"' | b'\'') && bytes.last() == bytes.first();
    let edge = usize::from(quoted);
    Span::new(at + edge, at + bytes.len() - edge)
}

#[cfg(test)]
mod tests {
    use super::super::{function, invoke, xml};
    use super::*;

    #[test]
    fn tags_are_told_from_text() {
        let cases: &[(&Shape, &str, Option<&str>)] = &[
            (&xml::SHAPE, "<tool:read>", Some("Opening Call \"read\"")),
            (&xml::SHAPE, "<tool:read/>", Some("Both Call \"read\"")),
            (&xml::SHAPE, "<tool:read id=\"1\">", Some("Opening Call \"read\"")),
            (&xml::SHAPE, "</tool:read >", Some("Closing Call \"read\"")),
            (&xml::SHAPE, "<param:a.b-c>", Some("Opening Parameter \"a.b-c\"")),
            (&xml::SHAPE, "<param:>", Some("Opening Parameter \"\"")),
            (&xml::SHAPE, "<param:some key>", Some("Opening Parameter \"some key\"")),
            (&xml::SHAPE, "</param:path >", Some("Closing Parameter \"path \"")),
            (&xml::SHAPE, "<Tool:read>", None),
            (&xml::SHAPE, "<tool:read<b>", None),
            (&xml::SHAPE, "<tool:re\nad>", None),
            (&xml::SHAPE, "<tools>", None),
            (&invoke::SHAPE, "<invoke name=\"f\">", Some("Opening Call \"f\"")),
            (&invoke::SHAPE, "<invoke name=f>", Some("Opening Call \"f\"")),
            (&invoke::SHAPE, "<parameter name='a b'>", Some("Opening Parameter \"a b\"")),
            (&invoke::SHAPE, "<｜DSML｜parameter name=\"n\" string=\"false\">", Some("Opening Parameter \"n\" json")),
            (&invoke::SHAPE, "</invoke >", Some("Closing Call \"\"")),
            (&invoke::SHAPE, "<invoke>", None),
            (&invoke::SHAPE, "<invoked name=\"f\">", None),
            (&invoke::SHAPE, "<invoke name=\"f\"/>", Some("Both Call \"f\"")),
            (&invoke::SHAPE, "<function_calls>", Some("Opening Wrapper \"\"")),
            (&invoke::SHAPE, "<invoke name=\"a>b\">", Some("Opening Call \"a>b\"")),
            (&function::SHAPE, "<function=f>", Some("Opening Call \"f\"")),
            (&function::SHAPE, "<function=\"f\">", Some("Opening Call \"f\"")),
            (&function::SHAPE, "</function>", Some("Closing Call \"\"")),
            (&function::SHAPE, "</parameter>", Some("Closing Parameter \"\"")),
            (&function::SHAPE, "<function>", None),
        ];
        for (shape, text, expected) in cases {
            let found = match read(shape, text.as_bytes(), 0, false) {
                Read::Tag(tag) => {
                    assert_eq!(tag.span, Span::new(0, text.len()), "{text}");
                    let json = if tag.json { " json" } else { "" };
                    Some(format!("{:?} {:?} {:?}{json}", tag.side, tag.part, &text[tag.name.start..tag.name.end]))
                }
                Read::Partial => panic!("{text} is complete"),
                Read::None => None,
            };
            assert_eq!(found.as_deref(), *expected, "{text}");
            if expected.is_some() {
                for cut in 1..text.len() {
                    assert!(matches!(read(shape, &text.as_bytes()[..cut], 0, false), Read::Partial), "{text} at {cut}");
                }
            }
        }
    }
}
