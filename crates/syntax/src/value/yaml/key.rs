//! Converts keys to text as the libraries do: any value may be a key in YAML, only a string in JavaScript.

use std::collections::HashMap;

use super::Library;
use crate::text::Span;
use crate::value::Scalar;
use crate::value::coerce;

/// The text of a plain value as a key.
pub(super) fn text(words: &str, scalar: Scalar, library: Library) -> String {
    match scalar {
        Scalar::String => words.to_owned(),
        Scalar::Boolean(boolean) => boolean.to_string(),
        Scalar::Number(number) => coerce::number_text(number),
        Scalar::Null if library == Library::JsYaml => "null".into(),
        Scalar::Null => String::new(),
    }
}

/// Most keys of an object that are compared one by one; a larger object is searched by hash.
const MOST_COMPARED: usize = 16;

/// The keys of an object so far, with the span of the first mention of each.
#[derive(Default)]
pub(super) struct SeenKeys {
    few: Vec<(Box<str>, Span)>,
    /// Keys after the first [`MOST_COMPARED`].
    more: HashMap<Box<str>, Span>,
}

impl SeenKeys {
    /// Span of the first mention of a key; `None` if it is new, and then it is recorded.
    pub(super) fn first(&mut self, words: &str, span: Span) -> Option<Span> {
        let known = self.few.iter().find(|(known, _)| **known == *words).map(|(_, first)| *first);
        let known = known.or_else(|| self.more.get(words).copied());
        if known.is_none() {
            if self.few.len() < MOST_COMPARED {
                self.few.push((words.into(), span));
            } else {
                self.more.insert(words.into(), span);
            }
        }
        known
    }
}

/// A list or an object that is a key, while it is read.
#[derive(Default)]
pub(super) struct Complex {
    words: String,
    /// The open containers, each with the number of its parts so far.
    open: Vec<(bool, usize)>,
    /// True if js-yaml rejects it as a key.
    pub(super) is_refused: bool,
}

impl Complex {
    /// Begins a list or an object in the key, or the key itself.
    pub(super) fn begin(&mut self, mapping: bool, library: Library) {
        self.part(false, library);
        self.open.push((mapping, 0));
        match library {
            Library::Yaml => self.words.push(if mapping { '{' } else { '[' }),
            Library::JsYaml if self.open.len() > 2 || self.open[0].0 && self.open.len() > 1 => {}
            Library::JsYaml if mapping => self.words.push_str("[object Object]"),
            Library::JsYaml => self.is_refused |= self.open.len() == 2,
        }
    }

    /// Adds a plain value.
    pub(super) fn scalar(&mut self, written: &str, words: &str, scalar: Scalar, library: Library) {
        self.part(written.is_empty(), library);
        match library {
            Library::Yaml => self.words.push_str(written),
            Library::JsYaml if self.open.len() > 1 || self.open[0].0 || matches!(scalar, Scalar::Null) => {}
            Library::JsYaml => self.words.push_str(&text(words, scalar, library)),
        }
    }

    /// Ends the innermost container; returns the text of the key if that is the key itself.
    pub(super) fn end(&mut self, library: Library) -> Option<String> {
        let (mapping, parts) = self.open.pop()?;
        if library == Library::Yaml {
            self.words.push_str(if parts > 0 { " " } else { "" });
            self.words.push(if mapping { '}' } else { ']' });
        }
        self.open.is_empty().then(|| std::mem::take(&mut self.words))
    }

    /// Writes the separator before a part.
    fn part(&mut self, is_absent: bool, library: Library) {
        let depth = self.open.len();
        let Some((mapping, parts)) = self.open.last_mut() else { return };
        *parts += 1;
        let is_value = *mapping && parts.is_multiple_of(2);
        match library {
            Library::Yaml => self.words.push_str(match (is_value, *parts) {
                (true, _) if is_absent => "",
                (true, _) => ": ",
                (false, 1) => " ",
                (false, _) => ", ",
            }),
            Library::JsYaml if depth == 1 && !*mapping && *parts > 1 => self.words.push(','),
            Library::JsYaml => {}
        }
    }
}
