//! Tokens that a line end or the end of a record divides: `ghp_a1B2`, and `c3D4` on the next line.
//!
//! Since any two lines of prose could be joined this way, only secrets with a known format, or ones found elsewhere,
//! count across a line end.

use std::ops::Range;

use super::escape::{View, joined};
use super::matcher::Kind;
use super::random::is_plain_word;
use super::{Finding, Redactor, SURELY, lines_of};

/// Fewest bytes of two joined pieces: no kind of token is shorter.
const SHORTEST: usize = 14;

/// Most bytes of a piece of a token, and of all pieces together.
const LONGEST_PIECE: usize = 512;
const LONGEST: usize = 4096;

/// Most lines joined that are also searched without the first of them.
const MOST_STARTS: usize = 4;

impl Redactor {
    /// Learns tokens and values of named secrets that are divided by line ends, and no others.
    pub(super) fn learn_divided(&mut self, text: &str) {
        let mut found = Vec::new();
        self.find_divided(&View::of(text), &mut found);
        if let Some(view) = joined(text) {
            self.matcher.find(&view.text, |kind, range| {
                let (secret, range) = (view.text[range.clone()].to_owned(), view.source(&range));
                let finding = Finding { range, kind, secret, parts: Vec::new() };
                let parts = lines_of(&text[finding.range.clone()], &finding);
                found.extend((!parts.is_empty()).then_some(Finding { parts, ..finding }));
            });
        }
        for finding in &found {
            self.learn_finding(finding);
        }
    }

    /// Adds the secrets of other texts that are shared with the transcript; they are replaced in all texts.
    pub fn learn_more(&mut self, texts: &[&str]) {
        for text in texts {
            self.learn(text);
        }
        self.build_finders();
    }

    /// Finds the tokens that line ends divide.
    pub(super) fn find_divided(&self, view: &View<'_>, all: &mut Vec<Finding>) {
        let ends_with_token = |text: &str| {
            let mut is_one = false;
            // Punctuation at the end of a sentence may be part of the token.
            let end = text.trim_end_matches(['.', '/', '-', '=']).len();
            self.matcher.find(text, |kind, range| is_one |= matches!(kind, Kind::Known(..)) && range.end >= end);
            is_one
        };
        for joined in joined_lines(&view.text) {
            let mut found = |kind: Kind, range: Range<usize>| {
                if let Some(source) = joined.source(&range)
                    && !joined.is_followed_by_word(&range, ends_with_token)
                {
                    let parts = joined.parts(&range).map(str::to_owned).collect();
                    let secret = joined.text[range].to_owned();
                    all.push(Finding { range: view.source(&source), kind, secret, parts });
                }
            };
            self.matcher.find(&joined.text, |kind, range| {
                if matches!(kind, Kind::Known(..)) {
                    found(kind, range);
                }
            });
            for known in self.finder.iter().flat_map(|finder| finder.find_iter(&joined.text)) {
                let (secret, kind) = &self.global_secrets[known.pattern()];
                if secret.len() >= SURELY {
                    found(*kind, known.range());
                }
            }
        }
    }
}

/// Ends and beginnings of lines that may be pieces of one token, joined.
struct JoinedLines {
    text: String,
    /// For each piece, its first byte in [`Self::text`] and its range in the source.
    pieces: Vec<(usize, Range<usize>)>,
}

impl JoinedLines {
    /// Maps a range of the joined text to the source, including the line ends in between; `None` if it is within one
    /// line.
    fn source(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let (first, last) = (self.piece_of(range.start), self.piece_of(range.end.checked_sub(1)?));
        let place = |(joined, source): &(usize, Range<usize>), at: usize| source.start + (at - joined);
        (first < last).then(|| place(&self.pieces[first], range.start)..place(&self.pieces[last], range.end - 1) + 1)
    }

    /// The parts of a range of the joined text, one for each line.
    fn parts(&self, range: &Range<usize>) -> impl Iterator<Item = &str> {
        let ends = self.pieces.iter().skip(1).map(|(joined, _)| *joined).chain([self.text.len()]);
        let pieces = self.pieces.iter().map(|(joined, _)| *joined).zip(ends);
        let range = range.clone();
        pieces
            .map(move |(start, end)| start.max(range.start)..end.min(range.end))
            .filter_map(|part| self.text.get(part))
    }

    /// True if a token that is complete at a line end is followed by an ordinary word; `is_token` tells whether a text
    /// ends with a token.
    fn is_followed_by_word(&self, range: &Range<usize>, is_token: impl Fn(&str) -> bool) -> bool {
        let last = self.piece_of(range.end.saturating_sub(1));
        let border = self.pieces[last].0;
        let (head, tail) = (&self.text[range.start..border], &self.text[border..range.end]);
        let is_word = is_plain_word(tail.trim_end_matches(['.', '/', '-', '=']));
        is_word && (tail.len() > head.len() || is_token(&self.text[..border]))
    }

    fn piece_of(&self, at: usize) -> usize {
        self.pieces.partition_point(|(joined, _)| *joined <= at).saturating_sub(1)
    }
}

/// All places of a text where a line end may divide a token. Each line end of a few begins one, since the end of the line
/// before a token may look like a part of it: `map.svg`. More lines are one token, such as a certificate.
fn joined_lines(text: &str) -> impl Iterator<Item = JoinedLines> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(found) = memchr::memchr(b'\n', &bytes[at..]) {
            let feed = at + found;
            at = feed + 1;
            let Some(first) = ending(bytes, feed) else { continue };
            let mut joined = JoinedLines { text: text[first.clone()].to_owned(), pieces: vec![(0, first)] };
            let mut next = Some(feed);
            while let Some(feed) = next {
                let Some(piece) = beginning(bytes, feed + 1) else { break };
                // From the third line on, a plain word ends the token.
                let is_talk = joined.pieces.len() > 1 && is_plain_word(&text[piece.clone()]);
                if is_talk || joined.text.len() + piece.len() > LONGEST {
                    break;
                }
                if joined.pieces.len() > MOST_STARTS {
                    at = feed + 1;
                }
                joined.pieces.push((joined.text.len(), piece.clone()));
                joined.text.push_str(&text[piece.clone()]);
                let rest = &bytes[piece.end..];
                let is_whole_line = rest.starts_with(b"\n") || rest.starts_with(b"\r\n");
                next = is_whole_line.then(|| piece.end + usize::from(rest[0] == b'\r'));
            }
            if joined.pieces.len() > 1 && joined.text.len() >= SHORTEST {
                return Some(joined);
            }
        }
        None
    })
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./+=~".contains(&byte)
}

/// The token characters at the end of the line before a line feed.
fn ending(bytes: &[u8], feed: usize) -> Option<Range<usize>> {
    let end = feed - usize::from(bytes[..feed].ends_with(b"\r"));
    let near = &bytes[end.saturating_sub(LONGEST_PIECE)..end];
    let len = near.iter().rev().take_while(|&&byte| is_of_token(byte)).count();
    (len > 0).then(|| end - len..end)
}

/// The token characters at the start of a line, after its indentation.
fn beginning(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let indent = bytes[start..].iter().take(LONGEST_PIECE).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let start = start + indent;
    let len = bytes[start..].iter().take(LONGEST_PIECE).take_while(|&&byte| is_of_token(byte)).count();
    (len > 0).then(|| start..start + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_where_a_token_may_be_divided() {
        for (text, expected) in [
            ("see ghp_a1B2c3D4\ne5F6g7H8 ok", vec!["ghp_a1B2c3D4|e5F6g7H8"]),
            ("see ghp_a1B2c3D4\r\n  e5F6g7H8 ok", vec!["ghp_a1B2c3D4|e5F6g7H8"]),
            ("a1B2c3D4e5F6\ng7H8i9J0\nk1L2m3N4\nword", vec!["a1B2c3D4e5F6|g7H8i9J0|k1L2m3N4", "g7H8i9J0|k1L2m3N4"]),
            ("on map.svg\n ghp_a1B2c3D4\ne5F6g7H8 ok", vec!["map.svg|ghp_a1B2c3D4|e5F6g7H8", "ghp_a1B2c3D4|e5F6g7H8"]),
            ("the end\nof it", vec![]),
            ("a1B2c3D4e5F6g7H8\n\ni9J0k1L2", vec![]),
            ("a1B2c3D4e5F6g7H8,\ni9J0k1L2", vec![]),
            ("\n", vec![]),
        ] {
            let found = joined_lines(text).map(|joined| {
                let whole = 0..joined.text.len();
                let source = joined.source(&whole).expect("it has several lines");
                assert!(text[source.clone()].starts_with(joined.parts(&whole).next().expect("a part")));
                assert!(text[source].ends_with(joined.parts(&whole).last().expect("a part")));
                joined.parts(&whole).collect::<Vec<_>>().join("|")
            });
            assert_eq!(found.collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
