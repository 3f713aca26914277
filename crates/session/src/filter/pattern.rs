//! Patterns that a filter searches for in texts and names: words, regular expressions, names with wildcards.
//!
//! A text is read in slices of whole lines, and a longer line byte by byte, so that an item may have any size.

use std::sync::Arc;

use memchr::memchr;
use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use super::lexer::Letter;
use crate::text::line_regex::{self, LetterCase};
use crate::text::{Span, Text};

/// Bytes read at a time; up to as many again to reach the end of the last line.
const SLICE: usize = 512 * 1024;

/// A compiled pattern; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Regex,
    expression: Arc<Hir>,
}

impl Pattern {
    /// A regular expression, matched line by line.
    ///
    /// # Errors
    /// A one-line message if the pattern is invalid.
    pub(super) fn regex(pattern: &str, case: LetterCase) -> Result<Self, String> {
        Self::new(line_regex::parse(pattern, case)?)
    }

    /// Searches for words as a substring. Words that are all lower case match in any case.
    pub(super) fn words(words: &str) -> Result<Self, String> {
        let any_case = !words.chars().any(char::is_uppercase);
        Self::literal(&regex_syntax::escape(words), any_case)
    }

    /// Matches a whole name; an unquoted star matches anything.
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
        Self::new(hir)
    }

    fn new(expression: Hir) -> Result<Self, String> {
        Ok(Self { regex: line_regex::build(&expression)?, expression: Arc::new(expression) })
    }

    pub(super) fn is_in(&self, words: &str) -> bool {
        self.regex.is_match(words)
    }

    /// True if the pattern matches in a span of the text.
    pub(super) fn is_in_span(&self, text: &Text, span: Span) -> bool {
        let mut at = span.start;
        loop {
            let mut end = span.end.min(at + SLICE);
            if end < span.end {
                let rest = Span::new(end, span.end.min(end + SLICE));
                let feed = text.find(b'\n', rest);
                if feed.is_none() && rest.end < span.end {
                    match self.is_in_long_line(text, Span::new(at, span.end)) {
                        Some((false, next)) if next < span.end => {
                            at = next;
                            continue;
                        }
                        Some((is_found, _)) => return is_found,
                        None => {}
                    }
                }
                let feed = feed.or_else(|| text.find(b'\n', Span::new(end, span.end)));
                end = feed.map_or(span.end, |feed| feed + 1);
            }
            if self.regex.is_match(&*text.read(Span::new(at, end))) {
                return true;
            }
            if end >= span.end {
                return false;
            }
            at = end;
        }
    }

    /// Searches the first lines of a span, up to the end of the line that crosses the first slice. Returns whether
    /// there was a match, and the end of that line if not. `None` if the automaton needs the whole line, as for Unicode
    /// word boundaries.
    fn is_in_long_line(&self, text: &Text, span: Span) -> Option<(bool, usize)> {
        let automaton = line_regex::automaton(&self.expression)?;
        let mut cache = automaton.create_cache();
        let mut state = automaton.start_state_forward(&mut cache, &Input::new("")).ok()?;
        let mut at = span.start;
        loop {
            let bytes = text.read(Span::new(at, span.end.min(at + SLICE)));
            let feed = if at > span.start { memchr(b'\n', &bytes) } else { None };
            let bytes = &bytes[..feed.map_or(bytes.len(), |feed| feed + 1)];
            for &byte in bytes {
                state = automaton.next_state(&mut cache, state, byte).ok()?;
                if state.is_match() {
                    return Some((true, at));
                }
                if state.is_quit() {
                    return None;
                }
            }
            at += bytes.len();
            if feed.is_some() || bytes.is_empty() || at >= span.end {
                let is_match = automaton.next_eoi_state(&mut cache, state).ok()?.is_match();
                return Some((is_match, at));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_any_length_is_searched_to_its_end_and_no_further() {
        let long = "the quick brown fox, é ".repeat(3 * SLICE / 24);
        let text_of = |line: &str| {
            let mut text = Text::default();
            text.push(format!("first line\n{line}\nlast line").as_bytes());
            text
        };
        let (plain, ending) = (text_of(&long), text_of(&format!("{long}needle, Äh")));
        for (pattern, in_plain, in_ending) in [
            ("needle", false, true),
            ("^the quick.*needle", false, true),
            ("fox, é needle, äh$", false, true),
            ("\\bneedle\\b", false, true),
            ("^needle", false, false),
            ("needle.*last", false, false),
            ("^last line$", true, true),
            ("^first line$", true, true),
            ("first.*quick", false, false),
            ("fox, é $", true, false),
        ] {
            let regex = Pattern::regex(pattern, LetterCase::Smart).expect("a pattern");
            let found = [&plain, &ending].map(|text| regex.is_in_span(text, Span::new(0, text.len())));
            assert_eq!(found, [in_plain, in_ending], "{pattern}");
        }
    }
}
