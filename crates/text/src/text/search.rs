//! Searches the text, one slice at a time.
//!
//! Matches are byte spans in the transcript text; none crosses the end of a line.

use regex_automata::Input as Haystack;
use regex_automata::meta::Regex;

use crate::text::line_regex::{self, LetterCase};
use crate::text::{Span, Text};

/// Bytes that are searched at a time: as many as the inner caches of a processor hold.
const SLICE: usize = 512 * 1024;

/// Bytes before a slice that the search sees, so that `\b` and `^` are right at the beginning of the slice.
const CONTEXT: usize = 8;

/// Bytes of a line longer than a slice that are searched again with the next slice, for a match that crosses the
/// border.
const OVERLAP: usize = 16 * 1024;

/// Matches that are kept; further ones are only counted.
const KEPT: usize = 1_000_000;

/// A search, in progress or finished.
pub struct Search {
    /// The pattern as it was typed.
    pub pattern: String,
    /// Offset at which the search was started; the first match at or after it is selected when it is found.
    pub from: Option<usize>,
    /// True if the user has stopped the search; the matches found so far are kept.
    pub stopped: bool,
    /// Bytes of the text that were searched so far.
    pub searched: usize,
    /// Number of matches so far.
    pub total: usize,
    regex: Regex,
    /// Length of the text, and whether it had ended, when everything was searched.
    done: Option<(usize, bool)>,
    matches: Vec<Span>,
}

impl Search {
    /// A search for a regular expression; a pattern without capitals ignores case.
    ///
    /// # Errors
    /// Says in one line why the pattern is invalid.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let regex = line_regex::compile(pattern, LetterCase::Smart)?;
        Ok(Self {
            pattern: pattern.to_owned(),
            from: None,
            stopped: false,
            regex,
            searched: 0,
            done: None,
            matches: Vec::new(),
            total: 0,
        })
    }

    /// A search for literal text.
    ///
    /// # Errors
    /// The text is too long for a compiled pattern.
    pub fn for_words(words: &str) -> Result<Self, String> {
        Self::new(&regex_syntax::escape(words))
    }

    /// Searches at most one slice more; `ended` says that the last line is complete. True if there is more to do.
    pub fn advance(&mut self, text: &Text, ended: bool) -> bool {
        if !self.has_unsearched_text(text, ended) {
            return false;
        }
        let lead = self.searched.saturating_sub(CONTEXT);
        let end = text.len().min(self.searched + SLICE);
        let bytes = text.read(Span::new(lead, end));
        let start = self.searched - lead;
        let feed = memchr::memrchr(b'\n', &bytes[start.min(bytes.len())..]);
        match feed {
            _ if end == text.len() && ended => self.find(&bytes, start, lead, true),
            Some(feed) => self.find(&bytes[..=start + feed], start, lead, true),
            None if end == self.searched + SLICE => self.find(&bytes, start, lead, false),
            // The last line is not complete.
            None => self.done = Some((text.len(), ended)),
        }
        if self.searched >= text.len() {
            self.done = Some((text.len(), ended));
        }
        self.has_unsearched_text(text, ended)
    }

    /// True if there is text that was not searched yet.
    pub fn has_unsearched_text(&self, text: &Text, ended: bool) -> bool {
        !self.stopped && self.done != Some((text.len(), ended)) && (self.searched < text.len() || self.done.is_none())
    }

    /// Searches complete lines, or a slice without a line end. A match that reaches the end of such a slice may
    /// continue, so it is searched for again with the next slice, and cut there if it is longer than a slice. `bytes`
    /// begin at offset `lead`; those before `start` were searched.
    fn find(&mut self, bytes: &[u8], start: usize, lead: usize, complete: bool) {
        let overlap = if complete { 0 } else { OVERLAP };
        let mut next = bytes.len().saturating_sub(overlap).max(start + usize::from(!complete));
        for found in self.regex.find_iter(Haystack::new(bytes).range(start..)).filter(|found| !found.is_empty()) {
            if !complete && found.end() == bytes.len() && found.start() > start {
                next = found.start();
                break;
            }
            self.total += 1;
            if self.matches.len() < KEPT {
                self.matches.push(Span::new(lead + found.start(), lead + found.end()));
            }
            next = next.max(found.end());
        }
        self.searched = lead + next;
    }

    /// The matches that overlap `span`.
    pub fn matches_in(&self, span: Span) -> impl Iterator<Item = Span> + '_ {
        let first = self.matches.partition_point(|found| found.end <= span.start);
        self.matches[first..].iter().copied().take_while(move |found| found.start < span.end)
    }

    /// The number (from 1) and span of the match at `offset`.
    pub fn at(&self, offset: usize) -> Option<(usize, Span)> {
        let index = self.matches.partition_point(|found| found.start < offset);
        self.matches.get(index).filter(|found| found.start == offset).map(|found| (index + 1, *found))
    }

    /// The next match after `offset`, or the previous one before it; wraps around.
    pub fn next(&self, offset: usize, forward: bool) -> Option<Span> {
        let found = if forward {
            let index = self.matches.partition_point(|found| found.start <= offset);
            self.matches.get(index).or(self.matches.first())
        } else {
            let index = self.matches.partition_point(|found| found.start < offset);
            index.checked_sub(1).map(|index| &self.matches[index]).or(self.matches.last())
        };
        found.copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Text {
        let mut text = Text::default();
        text.push(bytes);
        text
    }

    /// All matches in a text that has ended.
    fn find(pattern: &str, bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut search = Search::new(pattern).expect("a pattern");
        let text = text(bytes);
        while search.advance(&text, true) {}
        assert_eq!(search.searched, bytes.len(), "{pattern}");
        search.matches_in(Span::new(0, bytes.len())).map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn matches_are_found_line_by_line_and_in_any_case_unless_typed_in_upper() {
        let bytes = b"Alpha beta\nALPHA\nlast alpha";
        for (pattern, expected) in [
            ("alpha", vec![(0, 5), (11, 16), (22, 27)]),
            ("ALPHA", vec![(11, 16)]),
            ("a.*a$", vec![(0, 10), (11, 16), (18, 27)]),
            ("^a\\w+", vec![(0, 5), (11, 16)]),
            ("\\Aalpha", vec![(0, 5), (11, 16)]),
            ("alpha\\z", vec![(11, 16), (22, 27)]),
            ("[^b]+a\\b", vec![(0, 5), (7, 10), (11, 16), (17, 27)]),
            ("a\\s+l", vec![]),
            ("a\\nl", vec![]),
            ("(?s)a.l", vec![]),
            ("\\W+", vec![(5, 6), (21, 22)]),
            ("x*", vec![]),
        ] {
            assert_eq!(find(pattern, bytes), expected, "{pattern}");
        }
        assert!(Search::new("(").is_err());
        assert!(Search::new("(a{1000}){1000}").is_err(), "too large");
    }

    #[test]
    fn slices_make_no_difference() {
        let mut bytes = Vec::new();
        let mut expected = Vec::new();
        // Lines of many lengths, one of them longer than several slices.
        for line in 0..60_000_usize {
            let length = if line == 777 { 3 * SLICE + 5 } else { line % 97 };
            bytes.extend(std::iter::repeat_n(b'.', length));
            expected.push((bytes.len(), bytes.len() + 6));
            bytes.extend_from_slice(b"needle\n");
        }
        assert_eq!(find("needle", &bytes), expected);
        assert_eq!(find("\\bneedle$", &bytes), expected);
        let starts = expected.iter().map(|found| found.0).filter(|&at| at == 0 || bytes[at - 1] == b'\n');
        assert_eq!(find("^needle", &bytes).len(), starts.count());
    }

    #[test]
    fn a_match_in_a_line_longer_than_a_slice_is_found_wherever_it_lies() {
        for at in [0, SLICE - 3, SLICE, SLICE + 1, 2 * SLICE - OVERLAP - 2, 3 * SLICE - 6] {
            let mut bytes = vec![b'.'; 3 * SLICE];
            bytes[at..at + 6].copy_from_slice(b"needle");
            assert_eq!(find("needle", &bytes), [(at, at + 6)], "at {at}");
        }
    }

    #[test]
    fn an_incomplete_line_is_searched_when_it_is_complete() {
        let mut search = Search::new("end$").expect("a pattern");
        let mut text = text(b"the end\nthe end");
        while search.advance(&text, false) {}
        assert_eq!((search.total, search.has_unsearched_text(&text, false)), (1, false));
        text.push(b"s\nthe end");
        while search.advance(&text, false) {}
        assert_eq!(search.total, 1);
        while search.advance(&text, true) {}
        assert_eq!((search.total, search.has_unsearched_text(&text, true)), (2, false));
    }

    #[test]
    fn going_on_goes_round_the_end() {
        let text = text(b"x..x..x");
        let mut search = Search::new("x").expect("a pattern");
        search.advance(&text, true);
        let starts = |from: usize, forward: bool| search.next(from, forward).map(|span| span.start);
        assert_eq!([starts(0, true), starts(3, true), starts(6, true)], [Some(3), Some(6), Some(0)]);
        assert_eq!([starts(6, false), starts(0, false)], [Some(3), Some(6)]);
    }
}
