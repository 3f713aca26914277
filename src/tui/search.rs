//! Searching the text, a slice at a time, and the line in which a pattern or a number is typed.
//!
//! Matches are byte spans in the transcript text, within a line each. This module does not know what is on screen.

use regex::bytes::{Regex, RegexBuilder};
use tui_input::Input;

use crate::text::{Span, Text};

/// Bytes that are searched at a time.
const SLICE: usize = 4 * 1024 * 1024;

/// Matches that are kept; further ones are counted.
const KEPT: usize = 1_000_000;

/// Largest compiled pattern, in bytes: a pattern that would need more is refused.
const PATTERN_SIZE: usize = 1 << 20;

/// A search under way or done.
pub struct Search {
    /// The pattern as it was typed.
    pub pattern: String,
    /// Where it was asked for; the first match from there on is gone to when it is found.
    pub from: Option<usize>,
    regex: Regex,
    searched: usize,
    matches: Vec<Span>,
    total: usize,
}

impl Search {
    /// A search for a regular expression; all in lower case, it finds any case.
    ///
    /// # Errors
    /// Says in one line why the pattern is none.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let any_case = !pattern.chars().any(char::is_uppercase);
        let regex = RegexBuilder::new(pattern).case_insensitive(any_case).size_limit(PATTERN_SIZE).build();
        let regex = regex.map_err(|error| {
            let words = error.to_string();
            words.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
        })?;
        Ok(Self { pattern: pattern.to_owned(), from: None, regex, searched: 0, matches: Vec::new(), total: 0 })
    }

    /// Searches on through at most a slice; `ended` says that the last line is complete. True if there is more to do.
    pub fn advance(&mut self, text: &Text, ended: bool) -> bool {
        let end = text.len().min(self.searched + SLICE);
        let bytes = text.read(Span::new(self.searched, end));
        let complete = if end == text.len() && ended {
            Some(bytes.len())
        } else {
            memchr::memrchr(b'\n', &bytes).map(|at| at + 1)
        };
        // A line longer than a slice is cut.
        let length = match complete {
            Some(length) => length,
            None if bytes.len() == SLICE => SLICE,
            None => return false,
        };
        let mut start = 0;
        for line in bytes[..length].split_inclusive(|&byte| byte == b'\n') {
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            for found in self.regex.find_iter(body).filter(|found| !found.is_empty()) {
                self.total += 1;
                if self.matches.len() < KEPT {
                    let at = self.searched + start;
                    self.matches.push(Span::new(at + found.start(), at + found.end()));
                }
            }
            start += line.len();
        }
        self.searched += length;
        self.searched < text.len() && length > 0
    }

    /// Number of matches so far.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Bytes searched so far.
    pub fn searched(&self) -> usize {
        self.searched
    }

    /// The matches that touch a stretch of the text.
    pub fn matches_in(&self, span: Span) -> &[Span] {
        let first = self.matches.partition_point(|found| found.end <= span.start);
        let behind = self.matches.partition_point(|found| found.start < span.end);
        &self.matches[first..behind.max(first)]
    }

    /// The number (from 1) and place of the match at `offset`.
    pub fn at(&self, offset: usize) -> Option<(usize, Span)> {
        let index = self.matches.partition_point(|found| found.start < offset);
        self.matches.get(index).filter(|found| found.start == offset).map(|&found| (index + 1, found))
    }

    /// The next match behind `offset`, or the previous one before it; round the end.
    pub fn next(&self, offset: usize, forward: bool) -> Option<Span> {
        if forward {
            let index = self.matches.partition_point(|found| found.start <= offset);
            self.matches.get(index).or(self.matches.first()).copied()
        } else {
            let index = self.matches.partition_point(|found| found.start < offset);
            index.checked_sub(1).map(|index| self.matches[index]).or(self.matches.last().copied())
        }
    }
}

/// What a typed line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A pattern to search for.
    Pattern,
    /// The number of a line.
    Line,
}

/// A line that is being typed.
pub struct Prompt {
    /// What it is for.
    pub asked: Asked,
    /// The line.
    pub input: Input,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_found_line_by_line_and_in_any_case_unless_typed_in_upper() {
        let mut text = Text::default();
        text.push(b"Alpha beta\nALPHA\nlast alpha");
        for (pattern, expected) in [
            ("alpha", vec![(0, 5), (11, 16), (22, 27)]),
            ("ALPHA", vec![(11, 16)]),
            ("a.*a$", vec![(0, 10), (11, 16), (18, 27)]),
        ] {
            let mut search = Search::new(pattern).expect("a pattern");
            while search.advance(&text, true) {}
            let found: Vec<_> =
                search.matches_in(Span::new(0, 100)).iter().map(|span| (span.start, span.end)).collect();
            assert_eq!(found, expected, "{pattern}");
        }
        assert!(Search::new("(").is_err());
        assert!(Search::new("(a{1000}){1000}").is_err(), "too large");
    }

    #[test]
    fn going_on_goes_round_the_end() {
        let mut text = Text::default();
        text.push(b"x..x..x");
        let mut search = Search::new("x").expect("a pattern");
        search.advance(&text, true);
        let starts = |from: usize, forward: bool| search.next(from, forward).map(|span| span.start);
        assert_eq!([starts(0, true), starts(3, true), starts(6, true)], [Some(3), Some(6), Some(0)]);
        assert_eq!([starts(6, false), starts(0, false)], [Some(3), Some(6)]);
    }
}
