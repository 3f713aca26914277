//! Gemma's literals as SGLang's gateway reads them: strings stay texts, and a bare word has the type of its schema.

use serde_json::Value as Json;

use super::QUOTE;
use crate::value::cast::smg;
use crate::value::json::flavour::Flavour;
use crate::value::place::SourceText;
use crate::value::plain::{Member, Members, Placed, PlainValue};

/// Maximum nesting; deeper values make the call unreadable.
const MAX_DEPTH: usize = 128;

/// Reads the text between a call's brackets as an object; `None` if it is malformed.
pub(crate) fn read(text: SourceText<'_>, schema: Option<&Json>) -> Option<Placed> {
    let mut reader = TypedReader { text, at: 0 };
    let value = reader.object(None, 0, schema)?;
    Some(Placed::at(value, text.span()))
}

struct TypedReader<'a> {
    text: SourceText<'a>,
    at: usize,
}

impl<'a> TypedReader<'a> {
    fn rest(&self) -> &'a str {
        &self.text.text()[self.at..]
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(skipped).len();
    }

    fn string(&mut self) -> Option<&'a str> {
        let inside = self.rest().strip_prefix(QUOTE)?;
        let end = inside.find(QUOTE)?;
        self.at += end + 2 * QUOTE.len();
        Some(&inside[..end])
    }

    /// The members up to the closing bracket; without one, up to the end of the text.
    fn object(&mut self, close: Option<char>, depth: usize, schema: Option<&Json>) -> Option<PlainValue> {
        let mut members = Members::default();
        loop {
            self.skip(|c| c.is_whitespace() || c == ',');
            if self.closes(close) {
                return Some(members.into_object());
            }
            let start = self.at;
            let key = if let Some(key) = self.string() {
                key
            } else {
                let end = self.rest().find(':')?;
                let key = self.rest()[..end].trim();
                self.at += end;
                key
            };
            let span = self.text.span_of(start, self.at);
            self.skip(char::is_whitespace);
            if key.is_empty() || key.contains(['{', '}', '[', ']', '(', ')', '<']) || !self.rest().starts_with(':') {
                return None;
            }
            self.at += 1;
            let property = schema.and_then(|schema| schema.get("properties")?.get(key));
            let value = self.value(close, depth + 1, property)?;
            members.insert(Member::at(key, span, value));
        }
    }

    /// True at the closing bracket, which is consumed, or at the end of the text if there is no closing bracket.
    fn closes(&mut self, close: Option<char>) -> bool {
        let is_there = close.map_or(self.rest().is_empty(), |close| self.rest().starts_with(close));
        self.at += if is_there { close.map_or(0, char::len_utf8) } else { 0 };
        is_there
    }

    fn value(&mut self, close: Option<char>, depth: usize, schema: Option<&Json>) -> Option<Placed> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip(char::is_whitespace);
        let start = self.at;
        let value = match self.rest().chars().next() {
            Some('{') => {
                self.at += 1;
                self.object(Some('}'), depth, schema)?
            }
            Some('[') => {
                self.at += 1;
                self.list(depth, schema)?
            }
            _ if self.rest().starts_with(QUOTE) => PlainValue::Text(self.string()?.to_owned()),
            _ => self.bare(close, schema)?,
        };
        Some(Placed::at(value, self.text.span_of(start, self.at)))
    }

    fn list(&mut self, depth: usize, schema: Option<&Json>) -> Option<PlainValue> {
        let mut items = Vec::new();
        loop {
            self.skip(|c| c.is_whitespace() || c == ',');
            if self.closes(Some(']')) {
                return Some(PlainValue::List(items));
            }
            items.push(self.value(Some(']'), depth + 1, schema.and_then(|schema| schema.get("items")))?);
        }
    }

    /// A word without quotes, up to a comma or the bracket that closes what it is in.
    fn bare(&mut self, close: Option<char>, schema: Option<&Json>) -> Option<PlainValue> {
        let rest = self.rest();
        let end = rest.find([',', '}', ']', ')']);
        let is_closed = match end.and_then(|end| rest[end..].chars().next()) {
            Some(',') => true,
            found => found == close,
        };
        let end = end.unwrap_or(rest.len());
        let word = rest[..end].trim();
        if word.is_empty() || !is_closed || word.contains('<') {
            return None;
        }
        self.at += end;
        Some(converted(self.text.locate(word), schema))
    }
}

/// The first type of the schema that a bare word fits, else the word as text.
fn converted(word: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let branches: Vec<&Json> = match schema {
        Some(schema) if schema.get("type").is_none() => {
            schema.get("anyOf").and_then(Json::as_array).into_iter().flatten().collect()
        }
        schema => schema.into_iter().collect(),
    };
    let mut kinds = branches.into_iter().filter_map(|branch| branch.get("type")).flat_map(|kind| match kind {
        Json::Array(kinds) => kinds.iter().collect(),
        kind => vec![kind],
    });
    let as_kind = |kind: &Json| match kind.as_str()? {
        "null" if word.eq_ignore_ascii_case("null") => Some(PlainValue::Null),
        "boolean" if matches!(word.text(), "0" | "1") => Some(PlainValue::Bool(word.text() == "1")),
        kind @ ("integer" | "number" | "boolean") => smg::typed(word, Some(kind), Flavour::Strict),
        _ => None,
    };
    kinds.find_map(as_kind).unwrap_or_else(|| PlainValue::Text(word.to_string()))
}
