//! What a filter looks for in texts and names: words, regular expressions, names with wildcards.
//!
//! A text is read in pieces of whole lines, so that an item may be of any size.

use regex_automata::meta::Regex;
use regex_syntax::ParserBuilder;

use super::lexer::Letter;
use crate::text::line_regex::{self, LetterCase};
use crate::text::{Span, Text};

/// Bytes that are read at a time, and further ones to the end of their line.
const SLICE: usize = 512 * 1024;

/// A compiled pattern; copies share it.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Regex);

impl Pattern {
    /// A regular expression, which is matched line by line.
    ///
    /// # Errors
    /// Says in one line why it is none.
    pub(super) fn regex(pattern: &str, case: LetterCase) -> Result<Self, String> {
        line_regex::compile(pattern, case).map(Self)
    }

    /// Words that are contained; all in lower case, they are found in any case.
    pub(super) fn words(words: &str) -> Result<Self, String> {
        let any_case = !words.chars().any(char::is_uppercase);
        Self::literal(&regex_syntax::escape(words), any_case)
    }

    /// A whole name, in which a star that is not quoted stands for anything.
    pub(super) fn name(letters: &[Letter], any_case: bool) -> Result<Self, String> {
        let mut pattern = String::from("\\A");
        for letter in letters {
            if letter.is('*') {
                pattern.push_str(".*");
            } else {
                pattern.push_str(&regex_syntax::escape(letter.c.encode_utf8(&mut [0; 4])));
            }
        }
        pattern.push_str("\\z");
        Self::literal(&pattern, any_case)
    }

    fn literal(pattern: &str, any_case: bool) -> Result<Self, String> {
        let mut parser = ParserBuilder::new().case_insensitive(any_case).dot_matches_new_line(true).utf8(false).build();
        let hir = parser.parse(pattern).map_err(|error| error.to_string())?;
        line_regex::build(&hir).map(Self)
    }

    pub(super) fn is_in(&self, words: &str) -> bool {
        self.0.is_match(words)
    }

    /// Whether it is in a stretch of the text.
    pub(super) fn is_in_span(&self, text: &Text, span: Span) -> bool {
        let mut at = span.start;
        loop {
            let mut end = span.end.min(at + SLICE);
            if end < span.end {
                end = text.find(b'\n', Span::new(end, span.end)).map_or(span.end, |feed| feed + 1);
            }
            if self.0.is_match(&*text.read(Span::new(at, end))) {
                return true;
            }
            if end >= span.end {
                return false;
            }
            at = end;
        }
    }
}
