//! Assembles the JSON text of a call's arguments from pieces with paths, in order of arrival.
//!
//! ```text
//! piece = {jsonPath: "$.a.b[0]", stringValue | numberValue | boolValue | nullValue, willContinue?}
//! path  = "$" ("." name | "[" digits "]" | "['" name "']")+
//! ```
//!
//! Pieces of one string have the same path; with `willContinue` another one follows. A container is closed when a path
//! leaves it: a piece that would reopen it is rejected.

use std::collections::HashSet;

use super::super::fragment::{Fragment, copy};
use super::super::json::JsonValue;
use super::parts::member;
use crate::text::Span;

/// Most segments of a path.
const MAX_STEPS: usize = 64;

/// The open containers of the arguments' text so far; the text begins after the brace of the arguments themselves.
#[derive(Debug)]
pub(in crate::container) struct GeminiArguments {
    /// The open containers, the arguments first.
    open: Vec<Level>,
    /// Path of the open string.
    string: Option<Vec<PathSegment>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PathSegment {
    Key(Box<str>),
    Index(usize),
}

#[derive(Debug)]
struct Level {
    /// Its segment in the container around it; `None` for the arguments.
    step: Option<PathSegment>,
    is_array: bool,
    count: usize,
    /// Keys of its values that are closed.
    closed: HashSet<Box<str>>,
}

/// A segment, and the span of its word in the content of the path, unless that has escapes.
type PlacedStep = (PathSegment, Option<Span>);

impl GeminiArguments {
    /// Arguments after their opening brace.
    pub(in crate::container) fn new() -> Self {
        let mut arguments = Self { open: Vec::new(), string: None };
        arguments.begin(None, false);
        arguments
    }

    fn begin(&mut self, step: Option<PathSegment>, is_array: bool) {
        self.open.push(Level { step, is_array, count: 0, closed: HashSet::new() });
    }

    /// The text of a piece; `None` if it is rejected, and then nothing changes.
    pub(in crate::container) fn add(&mut self, piece: JsonValue<'_>) -> Option<Fragment> {
        let path = member(piece, "jsonPath")?;
        let steps = steps(path)?;
        let words = member(piece, "stringValue");
        let goes_on = member(piece, "willContinue").and_then(|flag| flag.truth()) == Some(true);
        let mut text = Fragment::default();
        let names: Vec<PathSegment> = steps.iter().map(|(step, _)| step.clone()).collect();
        if let Some(words) = words.filter(|_| self.string.as_ref() == Some(&names)) {
            text.content(words);
            if !goes_on {
                self.close_string(words.source().end, &mut text);
            }
            return Some(text);
        }
        let scalar = ["numberValue", "boolValue"].iter().find_map(|key| member(piece, key));
        let null = piece.first_of(&["nullValue", "null_value"]);
        let value = words.or(scalar).or(null)?;
        let shared = self.shared(&names)?;
        let at = piece.source().start;
        self.close_string(at, &mut text);
        self.close_to(shared, at, &mut text);
        for (number, (step, place)) in steps.iter().enumerate().skip(shared - 1) {
            self.enter(step, *place, path, &mut text);
            if let Some((next, _)) = steps.get(number + 1) {
                let is_array = matches!(next, PathSegment::Index(_));
                text.push_synthetic(if is_array { "[" } else { "{" }, at);
                self.begin(Some(step.clone()), is_array);
            }
        }
        if words.is_some() {
            let content = value.content();
            text.push_synthetic("\"", value.source().start);
            text.content(value);
            self.string = Some(names);
            if !goes_on {
                self.close_string(value.source().start + 1 + content.len(), &mut text);
            }
        } else {
            if scalar.is_some() {
                text.push_verbatim(value);
            } else {
                text.push_synthetic("null", value.source().start);
            }
            self.forget(names.last());
        }
        Some(text)
    }

    /// The text that closes everything open, inserted before offset `at` of the file.
    pub(in crate::container) fn close(mut self, at: usize) -> Fragment {
        let mut text = Fragment::default();
        self.close_string(at, &mut text);
        self.close_to(0, at, &mut text);
        text
    }

    /// Number of open containers on a path; `None` if it leads to a closed value or is invalid.
    fn shared(&self, path: &[PathSegment]) -> Option<usize> {
        let inner = self.open.iter().skip(1).zip(path).take_while(|(level, step)| level.step.as_ref() == Some(step));
        let shared = 1 + inner.count().min(path.len() - 1);
        let level = &self.open[shared - 1];
        let is_next = match &path[shared - 1] {
            PathSegment::Index(index) => level.is_array && *index == level.count,
            PathSegment::Key(key) => !level.is_array && !level.closed.contains(key),
        };
        let is_string = self.string.as_ref().is_some_and(|string| path.starts_with(string));
        // An array that begins here must begin with its first element.
        let begins = path[shared..].iter().all(|step| !matches!(step, PathSegment::Index(index) if *index > 0));
        // The open value must neither end here nor be of another kind.
        let leads_on = self.open.get(shared).is_none_or(|level| level.step.as_ref() != Some(&path[shared - 1]));
        (is_next && begins && leads_on && !is_string).then_some(shared)
    }

    /// Begins a value in the innermost container: a comma and a key, if needed.
    fn enter(&mut self, step: &PathSegment, place: Option<Span>, path: JsonValue<'_>, text: &mut Fragment) {
        let at = path.source().start;
        let Some(level) = self.open.last_mut() else { return };
        if level.count > 0 {
            text.push_synthetic(",", at);
        }
        level.count += 1;
        let PathSegment::Key(key) = step else { return };
        if let Some(place) = place {
            text.push_synthetic("\"", at);
            copy(path, place, &mut text.bytes, &mut text.map);
            text.push_synthetic("\":", at);
        } else {
            text.push_replacement(&written(key), path.source());
            text.push_synthetic(":", at);
        }
    }

    fn close_string(&mut self, at: usize, text: &mut Fragment) {
        if let Some(path) = self.string.take() {
            text.push_synthetic("\"", at);
            self.forget(path.last());
        }
    }

    /// Closes a value of the innermost container.
    fn forget(&mut self, step: Option<&PathSegment>) {
        if let (Some(level), Some(PathSegment::Key(key))) = (self.open.last_mut(), step) {
            level.closed.insert(key.clone());
        }
    }

    /// Closes all containers except the first `number`.
    fn close_to(&mut self, number: usize, at: usize, text: &mut Fragment) {
        while self.open.len() > number {
            if let Some(level) = self.open.pop() {
                text.push_synthetic(if level.is_array { "]" } else { "}" }, at);
                self.forget(level.step.as_ref());
            }
        }
    }
}

/// A key as the content of a JSON string.
fn written(key: &str) -> String {
    let escaped = key.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        letter if letter.is_ascii_control() => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.into(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Parses a path; `None` if it is invalid.
fn steps(path: JsonValue<'_>) -> Option<Vec<PlacedStep>> {
    let text = path.text()?;
    let content = path.content();
    let has_escapes = text.len() != content.len();
    let mut rest = text.strip_prefix('$').unwrap_or(&text);
    let mut steps = Vec::new();
    while !rest.is_empty() && steps.len() < MAX_STEPS {
        // The span of a word; `rest` begins with it.
        let place = |word: &str, rest: &str| {
            let start = content.end - rest.len();
            (!has_escapes).then(|| Span::new(start, start + word.len()))
        };
        let quoted = ["['", "[\""].iter().find_map(|open| Some((&open[1..], rest.strip_prefix(open)?)));
        let (step, tail) = if let Some((quote, inner)) = quoted {
            let (word, tail) = inner.split_once(&format!("{quote}]"))?;
            ((PathSegment::Key(word.into()), place(word, inner)), tail)
        } else if let Some(inner) = rest.strip_prefix('[') {
            let (digits, tail) = inner.split_once(']')?;
            ((PathSegment::Index(digits.parse().ok()?), None), tail)
        } else {
            let inner = rest.strip_prefix('.').or(steps.is_empty().then_some(rest))?;
            let end = inner.find(['.', '[']).unwrap_or(inner.len());
            ((PathSegment::Key(inner[..end].into()), place(&inner[..end], inner)), &inner[end..])
        };
        steps.push(step);
        rest = tail;
    }
    (rest.is_empty() && !steps.is_empty()).then_some(steps)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::super::json::{Index, RecordPositions};
    use super::*;

    /// The text of all pieces, and the numbers of the rejected ones. Also checks that the map of every byte that is
    /// in the file points to it.
    fn assemble(pieces: &str) -> String {
        let index = Index::read(pieces.as_bytes()).expect("the case is JSON");
        let list = index.root(pieces.as_bytes(), RecordPositions::At(0)).expect("a list");
        let mut arguments = GeminiArguments::new();
        let mut text = Fragment::default();
        text.push_synthetic("{", 0);
        let mut out = String::new();
        for (number, piece) in list.items().enumerate() {
            match arguments.add(piece) {
                Some(more) => text.append(&more),
                None => write!(out, " !{number}").expect("it is memory"),
            }
        }
        text.append(&arguments.close(pieces.len()));
        for segment in text.map.segments(Span::new(0, text.bytes.len())) {
            if segment.kind == crate::text::offsets::SegmentKind::Copied {
                let said = &text.bytes[segment.decoded.start..segment.decoded.end];
                assert_eq!(said, &pieces.as_bytes()[segment.source.start..segment.source.end]);
            }
        }
        String::from_utf8(text.bytes).expect("it is text") + &out
    }

    #[test]
    fn pieces_by_path_make_the_text_of_the_arguments() {
        let cases = [
            ("[]", "{}"),
            (
                r#"[{"jsonPath": "$.a", "numberValue": 4.50}, {"jsonPath": "$.b", "boolValue": true}]"#,
                r#"{"a":4.50,"b":true}"#,
            ),
            (
                r#"[{"jsonPath": "$.a", "stringValue": "Bo\n", "willContinue": true}, {"jsonPath": "$.a", "stringValue": "ston"}]"#,
                r#"{"a":"Bo\nston"}"#,
            ),
            (
                r#"[{"jsonPath": "$.a", "stringValue": "x", "willContinue": true}, {"jsonPath": "$.b", "nullValue": "NULL_VALUE"}]"#,
                r#"{"a":"x","b":null}"#,
            ),
            (
                r#"[{"jsonPath": "$.a.b[0].c", "stringValue": "x"}, {"jsonPath": "$.a.b[0].d", "numberValue": 1}, {"jsonPath": "$.a.b[1].c", "stringValue": ""}, {"jsonPath": "$.e", "boolValue": false}]"#,
                r#"{"a":{"b":[{"c":"x","d":1},{"c":""}]},"e":false}"#,
            ),
            (r#"[{"json_path": "$['a b'][0]", "string_value": "x"}]"#, r#"{"a b":["x"]}"#),
            (r#"[{"jsonPath": "$['\u0061\"']", "numberValue": 1}]"#, r#"{"a\"":1}"#),
        ];
        for (pieces, expected) in cases {
            assert_eq!(assemble(pieces), expected, "{pieces}");
        }
    }

    #[test]
    fn a_piece_that_goes_back_or_leads_nowhere_changes_nothing() {
        let first = r#"{"jsonPath": "$.a.b", "numberValue": 1}, {"jsonPath": "$.c", "numberValue": 2}"#;
        for (piece, made) in [
            (r#"{"jsonPath": "$.a.d", "numberValue": 3}"#, r#"{"a":{"b":1},"c":2} !2"#),
            (r#"{"jsonPath": "$.c", "numberValue": 3}"#, r#"{"a":{"b":1},"c":2} !2"#),
            (r#"{"jsonPath": "$.d[1]", "numberValue": 3}"#, r#"{"a":{"b":1},"c":2} !2"#),
            (r#"{"jsonPath": "$[0]", "numberValue": 3}"#, r#"{"a":{"b":1},"c":2} !2"#),
            (r#"{"jsonPath": "$.d[", "numberValue": 3}"#, r#"{"a":{"b":1},"c":2} !2"#),
            (r#"{"jsonPath": "$", "numberValue": 3}"#, r#"{"a":{"b":1},"c":2} !2"#),
            (r#"{"jsonPath": "$.d"}"#, r#"{"a":{"b":1},"c":2} !2"#),
            (r#"{"numberValue": 3}"#, r#"{"a":{"b":1},"c":2} !2"#),
        ] {
            assert_eq!(assemble(&format!("[{first}, {piece}]")), made, "{piece}");
        }
        let open = r#"[{"jsonPath": "$.a.b", "numberValue": 1}, {"jsonPath": "$.a", "numberValue": 2}]"#;
        assert_eq!(assemble(open), r#"{"a":{"b":1}} !1"#);
    }
}
