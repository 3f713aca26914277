//! Decoded bytes with the way back to the file: what a container makes of a value of a record.
//!
//! This module does not know messages or pieces.

use super::json::{Index, JsonKind, JsonValue, RecordPlaces};
use crate::params::json_text::string::decode;
use crate::text::offsets::{Segment, SegmentKind};
use crate::text::{OffsetMap, Span};

/// Decoded bytes, and where they stand in the file.
#[derive(Clone, Debug, Default)]
pub struct Fragment {
    /// The decoded bytes, perhaps not all of them UTF-8.
    pub bytes: Vec<u8>,
    /// Where they stand in the file.
    pub map: OffsetMap,
}

impl Fragment {
    /// Whether it holds no byte.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// What a value says: a string decoded, anything else as it stands.
    pub fn from_value(value: JsonValue<'_>) -> Self {
        let mut fragment = Self::default();
        fragment.say(value);
        fragment
    }

    /// Adds what a value says: a string decoded, anything else as it stands.
    pub fn say(&mut self, value: JsonValue<'_>) {
        say(value, &mut self.bytes, &mut self.map);
    }

    /// Adds a value as it stands in its record.
    pub fn stand(&mut self, value: JsonValue<'_>) {
        copy(value, value.place(), &mut self.bytes, &mut self.map);
    }

    /// Adds the content of a string as it is written, without its quotes; all of another value.
    pub fn content(&mut self, value: JsonValue<'_>) {
        copy(value, value.content(), &mut self.bytes, &mut self.map);
    }

    /// Adds bytes of the file as they stand at `at`.
    pub fn bytes(&mut self, bytes: &[u8], at: usize) {
        self.bytes.extend_from_slice(bytes);
        self.map.copied(at, bytes.len());
    }

    /// Adds words that stand nowhere in the file, in front of the byte at `at`.
    pub fn add(&mut self, words: &str, at: usize) {
        self.bytes.extend_from_slice(words.as_bytes());
        self.map.added(at, words.len());
    }

    /// Adds words that stand in for bytes that nobody wants to read.
    pub fn stand_in(&mut self, words: &str, source: Span) {
        self.bytes.extend_from_slice(words.as_bytes());
        self.map.written(source, words.len());
    }

    /// Adds all bytes of another one, with their places.
    pub fn append(&mut self, other: &Fragment) {
        self.bytes.extend_from_slice(&other.bytes);
        self.map.append(&other.map);
    }

    /// A stretch of the bytes, with their places.
    pub fn part(&self, span: Span) -> Fragment {
        let mut map = OffsetMap::default();
        self.map.segments(span).into_iter().for_each(|segment| map.push(segment));
        Fragment { bytes: self.bytes[span.start..span.end].to_vec(), map }
    }

    /// The record that the bytes are, if they are one.
    pub fn index(&self) -> Option<Index> {
        Index::read(&self.bytes).ok()
    }

    /// The value of a record that was read from the bytes.
    pub fn root<'a>(&'a self, index: &'a Index) -> Option<JsonValue<'a>> {
        index.root(&self.bytes, RecordPlaces::Through(&self.map))
    }
}

/// Adds what a value says to bytes and to the map of where they stand: a string decoded, anything else as it stands.
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

/// Says where bytes stand that were added; the source of the segment is in the record.
fn place(segment: Segment, places: RecordPlaces<'_>, map: &mut OffsetMap) {
    match places {
        RecordPlaces::At(base) => {
            let source = Span::new(base + segment.source.start, base + segment.source.end);
            map.push(Segment { source, ..segment });
        }
        RecordPlaces::Through(outer) => map.push_through(segment, outer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_in_a_string_in_a_record_leads_to_its_bytes() {
        let text = r#"{"a": "{\"b\": \"x\\ny \\u00e9\"}"}"#;
        let index = Index::read(text.as_bytes()).expect("it is JSON");
        let outer = Fragment::from_value(
            index.root(text.as_bytes(), RecordPlaces::At(0)).and_then(|v| v.get("a")).expect("a member"),
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
