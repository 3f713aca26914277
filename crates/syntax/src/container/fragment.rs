//! Decoded bytes with a map to their bytes in the file.

use std::borrow::Cow;

use super::json::{Index, JsonKind, JsonValue, RecordPositions};
use crate::text::offsets::{Segment, SegmentKind};
use crate::text::{OffsetMap, Span};
use crate::value::json::string::decode;

/// Decoded bytes with their offsets in the file.
#[derive(Clone, Debug, Default)]
pub struct Fragment {
    /// The decoded bytes; they need not be valid UTF-8.
    pub(crate) bytes: Vec<u8>,
    /// Maps them to the bytes of the file.
    pub(crate) map: OffsetMap,
    /// Unpaired surrogates at the beginning and the end, whose other halves may be in the fragments before and after
    /// it. In `bytes` each is U+FFFD.
    pub(super) halves: [Option<u16>; 2],
}

/// Length of U+FFFD, which represents half a character.
const HALF: usize = '\u{fffd}'.len_utf8();

/// Joins consecutive fragments of a text where a surrogate pair is split between them.
#[derive(Debug, Default)]
pub(crate) struct HalfCharacter(Option<(u16, Span)>);

impl HalfCharacter {
    /// The text of the next fragment, completed with the half kept from the one before; a half at its end is kept in
    /// turn.
    pub(crate) fn join<'a>(&mut self, next: &'a Fragment) -> Cow<'a, Fragment> {
        if self.0.is_none() && next.halves == [None; 2] || next.is_empty() {
            return Cow::Borrowed(next);
        }
        let [low, high] = next.halves;
        let mut rest = Span::new(0, next.bytes.len());
        let whole = self.0.zip(low).and_then(|((high, _), low)| char::decode_utf16([high, low]).next()?.ok());
        let mut joined = if whole.is_some() { Fragment::default() } else { self.end() };
        if let Some(whole) = whole {
            let bytes = whole.encode_utf8(&mut [0; 4]).len();
            joined.bytes.extend_from_slice(whole.encode_utf8(&mut [0; 4]).as_bytes());
            joined.map.written(next.map.source_of(Span::new(0, HALF)), bytes);
            rest.start = HALF;
        }
        self.0 = high.map(|high| {
            rest.end -= HALF;
            (high, next.map.source_of(Span::new(rest.end, rest.end + HALF)))
        });
        joined.append(&next.slice(rest));
        Cow::Owned(joined)
    }

    /// The half that was kept, if any, as U+FFFD: no other half follows.
    pub(crate) fn end(&mut self) -> Fragment {
        let mut alone = Fragment::default();
        if let Some((_, source)) = self.0.take() {
            alone.push_replacement("\u{fffd}", source);
        }
        alone
    }
}

/// The unpaired surrogates at the beginning and the end of a JSON string without its quotes.
fn halves(content: &[u8]) -> [Option<u16>; 2] {
    let unit = |escape: &[u8]| {
        let digits = escape.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let low = content.get(..6).and_then(unit).filter(|unit| (0xdc00..0xe000).contains(unit));
    let high = content.len().checked_sub(6).and_then(|start| {
        let slashes = content[..start].iter().rev().take_while(|&&byte| byte == b'\\').count();
        unit(&content[start..]).filter(|unit| (0xd800..0xdc00).contains(unit) && slashes % 2 == 0)
    });
    [low, high]
}

impl Fragment {
    /// True if it has no bytes.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The content of a value: a string decoded, anything else verbatim.
    pub(crate) fn from_value(value: JsonValue<'_>) -> Self {
        let mut fragment = Self::default();
        fragment.push_content(value);
        if value.kind() == JsonKind::Text {
            let (record, _) = value.record();
            let content = value.content();
            fragment.halves = halves(&record[content.start..content.end]);
        }
        fragment
    }

    /// Adds the content of a value: a string decoded, anything else verbatim.
    pub(crate) fn push_content(&mut self, value: JsonValue<'_>) {
        say(value, &mut self.bytes, &mut self.map);
    }

    /// Adds the JSON text of a value verbatim.
    pub(crate) fn push_verbatim(&mut self, value: JsonValue<'_>) {
        copy(value, value.place(), &mut self.bytes, &mut self.map);
    }

    /// Adds the content of a string with its escapes, without quotes; any other value verbatim.
    pub(crate) fn content(&mut self, value: JsonValue<'_>) {
        copy(value, value.content(), &mut self.bytes, &mut self.map);
    }

    /// Adds bytes of the file, which are at `at` there.
    pub(crate) fn bytes(&mut self, bytes: &[u8], at: usize) {
        self.bytes.extend_from_slice(bytes);
        self.map.copied(at, bytes.len());
    }

    /// Adds text that is not in the file, mapped to the position before offset `at`.
    pub(crate) fn push_synthetic(&mut self, words: &str, at: usize) {
        self.bytes.extend_from_slice(words.as_bytes());
        self.map.added(at, words.len());
    }

    /// Adds text that replaces the bytes in `source`, such as a summary of binary data.
    pub(crate) fn push_replacement(&mut self, words: &str, source: Span) {
        self.bytes.extend_from_slice(words.as_bytes());
        self.map.written(source, words.len());
    }

    /// Appends another fragment with its map.
    pub(crate) fn append(&mut self, other: &Fragment) {
        self.bytes.extend_from_slice(&other.bytes);
        self.map.append(&other.map);
    }

    /// Adds the text of another fragment as a JSON string with quotes.
    pub(crate) fn quote(&mut self, text: &Fragment) {
        let place = text.map.source_of(Span::new(0, text.bytes.len()));
        self.push_synthetic("\"", place.start);
        self.escape(text);
        self.push_synthetic("\"", place.end);
    }

    /// Adds the text of another fragment with the escapes of a JSON string, without quotes.
    pub(crate) fn escape(&mut self, text: &Fragment) {
        for segment in text.map.segments(Span::new(0, text.bytes.len())) {
            let said = &text.bytes[segment.decoded.start..segment.decoded.end];
            let mut at = segment.source.start;
            for part in said.split_inclusive(|&byte| escape_of(byte).is_some()) {
                let last = part.last().and_then(|&byte| escape_of(byte));
                let (plain, escape) = part.split_at(part.len() - usize::from(last.is_some()));
                let written = last.unwrap_or_default();
                self.bytes.extend_from_slice(plain);
                self.bytes.extend_from_slice(written.as_bytes());
                match segment.kind {
                    SegmentKind::Copied => {
                        self.map.copied(at, plain.len());
                        at += plain.len();
                        self.map.written(Span::new(at, at + escape.len()), written.len());
                        at += escape.len();
                    }
                    SegmentKind::Written => self.map.written(segment.source, plain.len() + written.len()),
                    SegmentKind::Added => self.map.added(segment.source.start, plain.len() + written.len()),
                }
            }
        }
    }

    /// The part in `span`, with its map.
    pub(crate) fn slice(&self, span: Span) -> Self {
        let mut map = OffsetMap::default();
        self.map.segments(span).for_each(|segment| map.push(segment));
        Self { bytes: self.bytes[span.start..span.end].to_vec(), map, halves: [None; 2] }
    }

    /// The index of the bytes, if they are a JSON value.
    pub(crate) fn index(&self) -> Option<Index> {
        Index::read(&self.bytes).ok()
    }

    /// The JSON value of the bytes; `index` must have been made of them.
    pub(crate) fn root<'a>(&'a self, index: &'a Index) -> Option<JsonValue<'a>> {
        index.root(&self.bytes, RecordPositions::Through(&self.map))
    }
}

/// The escape of a byte that a JSON string cannot hold verbatim.
fn escape_of(byte: u8) -> Option<Cow<'static, str>> {
    Some(Cow::Borrowed(match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        ..0x20 => return Some(Cow::Owned(format!("\\u{byte:04x}"))),
        _ => return None,
    }))
}

/// Appends the content of a value to `bytes` and `map`: a string decoded, anything else verbatim.
pub(super) fn say(value: JsonValue<'_>, bytes: &mut Vec<u8>, map: &mut OffsetMap) {
    if value.kind() != JsonKind::Text {
        return copy(value, value.place(), bytes, map);
    }
    let (record, places) = value.record();
    let content = value.content();
    let decoded = decode(&record[content.start..content.end]);
    bytes.extend_from_slice(&decoded.bytes);
    for (said, written, same) in decoded.parts(content.len()) {
        let source = Span::new(content.start + written.start, content.start + written.end);
        place(
            Segment { kind: if same { SegmentKind::Copied } else { SegmentKind::Written }, decoded: said, source },
            places,
            map,
        );
    }
}

pub(super) fn copy(value: JsonValue<'_>, span: Span, bytes: &mut Vec<u8>, map: &mut OffsetMap) {
    let (record, places) = value.record();
    bytes.extend_from_slice(&record[span.start..span.end]);
    place(Segment { kind: SegmentKind::Copied, decoded: Span::new(0, span.len()), source: span }, places, map);
}

/// Adds a segment to the map; its source is relative to the record.
fn place(segment: Segment, places: RecordPositions<'_>, map: &mut OffsetMap) {
    match places {
        RecordPositions::At(base) => {
            let source = Span::new(base + segment.source.start, base + segment.source.end);
            map.push(Segment { source, ..segment });
        }
        RecordPositions::Through(outer) => map.push_through(segment, outer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_is_cut_between_fragments_is_whole() {
        let cases: [(&[&str], &str); 7] = [
            (&[r"a \ud83e", r"\udd80 b"], "a 🦀 b"),
            (&[r"\ud83e", "", r"\udd80"], "🦀"),
            (&[r"\ud83e", "x", r"\udd80"], "\u{fffd}x\u{fffd}"),
            (&[r"\ud83e", r"\ud83e", r"\udd80\ud83e", r"\udd80"], "\u{fffd}🦀🦀"),
            (&[r"\udd80", r"\ud83e"], "\u{fffd}\u{fffd}"),
            (&[r"\\ud83e", r"\udd80"], "\\ud83e\u{fffd}"),
            (&[r"\ud83e\udd80", r"\udd80"], "🦀\u{fffd}"),
        ];
        for (deltas, expected) in cases {
            let (mut half, mut text) = (HalfCharacter::default(), Fragment::default());
            for delta in deltas {
                let record = format!("\"{delta}\"");
                let index = Index::read(record.as_bytes()).expect("it is JSON");
                let value = index.root(record.as_bytes(), RecordPositions::At(text.bytes.len() * 10)).expect("a value");
                text.append(&half.join(&Fragment::from_value(value)));
            }
            text.append(&half.end());
            assert_eq!(String::from_utf8_lossy(&text.bytes), expected, "{deltas:?}");
            assert_eq!(text.map.len(), text.bytes.len(), "{deltas:?}");
        }
    }

    #[test]
    fn a_quoted_text_leads_to_the_bytes_that_say_it() {
        let record = r#"{"a": "x\n\u00e9 \"y\""}"#;
        let index = Index::read(record.as_bytes()).expect("it is JSON");
        let value = index.root(record.as_bytes(), RecordPositions::At(0)).and_then(|value| value.get("a"));
        let said = Fragment::from_value(value.expect("a member"));
        let mut plain = Fragment::default();
        plain.bytes(b"c\n\x01\"", 50);
        for (text, quoted, sources) in [
            (&said, r#""x\né \"y\"""#, "7..7 7..8 8..10 8..10 10..16 10..16 16..17 17..19 17..19 19..20"),
            (&said.slice(Span::new(0, 2)), r#""x\n""#, "7..7 7..8 8..10 8..10 10..10"),
            (&said.slice(Span::new(1, 4)), r#""\né""#, "8..8 8..10 8..10 10..16 10..16 16..16"),
            (&plain, r#""c\n\u0001\"""#, "50..50 50..51 51..52 51..52 52..53 52..53"),
        ] {
            let mut fragment = Fragment::default();
            fragment.quote(text);
            assert_eq!(String::from_utf8_lossy(&fragment.bytes), quoted);
            assert_eq!(fragment.map.len(), quoted.len(), "{quoted}");
            for (at, source) in sources.split(' ').enumerate() {
                let found = fragment.map.segments(Span::new(at, at + 1)).next().expect("there is a byte").source;
                assert_eq!(format!("{}..{}", found.start, found.end), source, "byte {at} of {quoted}");
            }
        }
    }

    #[test]
    fn a_string_in_a_string_in_a_record_leads_to_its_bytes() {
        let text = r#"{"a": "{\"b\": \"x\\ny \\u00e9\"}"}"#;
        let index = Index::read(text.as_bytes()).expect("it is JSON");
        let outer = Fragment::from_value(
            index.root(text.as_bytes(), RecordPositions::At(0)).and_then(|v| v.get("a")).expect("a member"),
        );
        let inner = outer.index().expect("it is JSON as well");
        let value = outer.root(&inner).and_then(|value| value.get("b")).expect("a member");
        let fragment = Fragment::from_value(value);
        assert_eq!(fragment.bytes, "x\ny é".as_bytes());
        let sources: Vec<&str> = (0..fragment.bytes.len())
            .map(|at| fragment.map.source_of(Span::new(at, at + 1)))
            .map(|span| &text[span.start..span.end])
            .collect();
        assert_eq!(sources, ["x", r"\\n", "y", " ", r"\\u00e9", r"\\u00e9"]);
    }
}
