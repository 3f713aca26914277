//! The lines of a session that match a pattern, as a list of sessions shows them.

use std::ops::ControlFlow;

use crate::session::Session;
use crate::text::search::Search;
use crate::text::{Span, whole_characters};

/// Maximum number of lines kept per file.
const KEPT: usize = 10;

/// Maximum number of bytes of a line kept before its first match.
const BEFORE: usize = 40;

/// Maximum number of bytes of a line kept after the start of its first match.
const AFTER: usize = 240;

/// Matches of a pattern in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchedLines {
    /// The regular expression.
    pub pattern: String,
    /// The first matching lines.
    pub lines: Vec<MatchedLine>,
    /// Number of all matches in the file.
    pub matches: usize,
}

/// A matching line of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedLine {
    /// Line in the file, from 1.
    pub line: usize,
    /// Offset of the first match in the decompressed file.
    pub byte: usize,
    /// The line around its first match; `true` marks matching pieces.
    pub pieces: Vec<(String, bool)>,
}

impl MatchedLines {
    /// Searches a session that was read to its end, until `is_over` returns true.
    ///
    /// # Errors
    /// Breaks when `is_over` returns true.
    pub fn find(session: &Session, mut search: Search, is_over: &dyn Fn() -> bool) -> ControlFlow<(), Self> {
        let (text, lines) = (session.text(), session.lines());
        while search.advance(text, true) {
            if is_over() {
                return ControlFlow::Break(());
            }
        }
        let (mut found, mut next) = (Vec::new(), 0);
        while found.len() < KEPT
            && let Some(first) = search.matches_in(Span::new(next, text.len())).find(|found| found.start >= next)
        {
            let line = lines.around(text, first.start).1;
            next = line.end.max(first.end);
            let byte = session.source_of(Span::new(first.start, first.start + 1)).start;
            let pieces = pieces(session, &search, line, first);
            found.push(MatchedLine { line: session.position(first.start).line, byte, pieces });
        }
        ControlFlow::Continue(Self { pattern: search.pattern, lines: found, matches: search.total })
    }
}

/// The part of a line around its first match, split at its matches.
fn pieces(session: &Session, search: &Search, line: Span, first: Span) -> Vec<(String, bool)> {
    let text = session.text();
    let start = line.start.max(first.start.saturating_sub(BEFORE));
    let end = line.end.min(first.start + AFTER);
    let read = text.read(Span::new(start, end));
    // Partial characters at both ends are dropped.
    let start = start + read.iter().take(first.start - start).take_while(|byte| **byte & 0xc0 == 0x80).count();
    let end = if end < line.end { end - read.len() + whole_characters(&read) } else { end };
    let mut pieces = Vec::new();
    let mut add = |from: usize, to: usize, is_match: bool| {
        let words = text.read_str(Span::new(from, to)).replace(['\r', '\n', '\t'], " ");
        let words = if pieces.is_empty() && !is_match { words.trim_start().to_owned() } else { words };
        if !words.is_empty() {
            pieces.push((words, is_match));
        }
    };
    let mut at = start;
    for found in search.matches_in(Span::new(first.start, end)) {
        let (from, to) = (found.start.max(at), found.end.min(end));
        add(at, from, false);
        add(from, to.max(from), true);
        at = to.max(from);
    }
    add(at, end.max(at), false);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pattern: &str, text: &str) -> MatchedLines {
        let session = Session::from_bytes(text.as_bytes());
        let search = Search::new(pattern).expect("it is a pattern");
        let ControlFlow::Continue(found) = MatchedLines::find(&session, search, &|| false) else { panic!("not over") };
        found
    }

    /// The lines with their numbers, and `[` `]` around matches.
    fn marked(found: &MatchedLines) -> Vec<String> {
        let piece = |(words, is_match): &(String, bool)| if *is_match { format!("[{words}]") } else { words.clone() };
        let line = |line: &MatchedLine| format!("{}: {}", line.line, line.pieces.iter().map(piece).collect::<String>());
        found.lines.iter().map(line).collect()
    }

    #[test]
    fn lines_are_cut_around_their_first_match() {
        let long = format!("{}Gate{}", "é".repeat(100), "ü".repeat(300));
        let cut = format!("1: {}[Gate]{}", "é".repeat(20), "ü".repeat(118));
        for (pattern, text, expected) in [
            ("gate", "one\n  the gate and the Gate\ngate", &["2: the [gate] and the [Gate]", "3: [gate]"][..]),
            ("Gate", "a gate\na\tGate\r\n", &["2: a [Gate] "]),
            ("gate", long.as_str(), &[cut.as_str()]),
            ("gate", "none", &[]),
        ] {
            assert_eq!(marked(&find(pattern, text)), expected, "{pattern}");
        }
    }

    #[test]
    fn lines_of_a_record_have_the_place_in_its_file() {
        let record =
            r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"Ebb\nand flood"}}"#;
        let file = format!("{record}\n{}\n", record.replace("\"u\"", "\"v\""));
        let found = find("flood", &file);
        assert_eq!(marked(&found), ["1: and [flood]", "2: and [flood]"]);
        for line in &found.lines {
            assert!(file[line.byte..].starts_with("flood"));
        }
    }

    #[test]
    fn more_matches_than_are_kept_are_counted() {
        let found = find("x", &"x x\n".repeat(100));
        assert_eq!((found.lines.len(), found.matches), (KEPT, 200));
    }
}
