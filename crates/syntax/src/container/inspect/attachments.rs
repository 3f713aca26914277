//! Long texts that a sample stores once: a string `attachment://HASH` refers to its member `attachments`. Images are
//! stored there, too.

use std::collections::HashMap;

use super::super::fragment::{self, Fragment};
use super::super::json::{JsonKind, JsonValue};
use super::super::records::MAX_RECORD;
use crate::text::Span;

/// Beginning of a reference, with the quote of its string. Samples before November 2024 have `tc://`.
const REFERENCES: [&[u8]; 2] = [b"\"attachment://", b"\"tc://"];

/// The attachments of a sample.
pub(super) struct Attachments<'a> {
    texts: HashMap<Box<str>, JsonValue<'a>>,
    /// Most bytes that may still be inserted: a text may be referred to many times.
    left: usize,
}

impl<'a> Attachments<'a> {
    pub(super) fn new(sample: JsonValue<'a>) -> Self {
        let stored = ["attachments", "content"].into_iter().filter_map(|key| sample.get(key));
        let texts = stored.filter(|texts| texts.kind() == JsonKind::Object).flat_map(|texts| texts.items());
        // Of an image, only a summary is shown.
        let is_shown = |text: &JsonValue<'_>| text.kind() == JsonKind::Text && !text.raw().starts_with(b"\"data:");
        let texts = texts.filter(is_shown);
        Self { texts: texts.map(|text| (text.key().into(), text)).collect(), left: MAX_RECORD }
    }

    /// Passes on a value of the sample, with the texts in place of references to them.
    pub(super) fn resolve(&mut self, value: JsonValue<'_>, write: impl FnOnce(JsonValue<'_>)) {
        if let Some(text) = self.inserted(value)
            && let Some(index) = text.index()
            && let Some(value) = text.root(&index)
        {
            return write(value);
        }
        write(value);
    }

    /// The JSON text of a value with its references replaced; `None` if it has none.
    fn inserted(&mut self, value: JsonValue<'_>) -> Option<Fragment> {
        if self.texts.is_empty() {
            return None;
        }
        let (record, _) = value.record();
        let place = value.place();
        let mut text = Fragment::default();
        let mut done = place.start;
        for reference in references(value.raw()) {
            let content = Span::new(place.start + reference.start, place.start + reference.end);
            let name = std::str::from_utf8(&record[content.start..content.end]).ok();
            let found = name.and_then(|name| self.texts.get(name.rsplit("://").next()?)).copied();
            let Some(found) = found.filter(|found| found.raw().len() <= self.left) else { continue };
            self.left -= found.raw().len();
            // Without the quotes of the reference.
            fragment::copy(value, Span::new(done, content.start - 1), &mut text.bytes, &mut text.map);
            text.push_verbatim(found);
            done = content.end + 1;
        }
        if done == place.start {
            return None;
        }
        fragment::copy(value, Span::new(done, place.end), &mut text.bytes, &mut text.map);
        Some(text)
    }
}

/// Contents of the strings in a JSON text that are references.
fn references(json: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    for begin in REFERENCES {
        for quote in memchr::memmem::find_iter(json, begin) {
            // A quote after a backslash is part of a longer text.
            let is_string = quote == 0 || json[quote - 1] != b'\\';
            let end = memchr::memchr(b'"', &json[quote + 1..]).map(|length| quote + 1 + length);
            if let Some(end) = end.filter(|_| is_string) {
                found.push(Span::new(quote + 1, end));
            }
        }
    }
    found.sort_by_key(|span| span.start);
    found
}
