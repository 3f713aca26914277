//! Undoes encodings of a text: string escapes, percent encoding, colours, base64, and line ends inserted by a terminal.
//!
//! A secret in JSON within JSON contains backslashes, and one that a program printed may contain colours. A search
//! therefore goes through every [`View`], which maps what it finds back to the original bytes.

use std::borrow::Cow;
use std::ops::Range;

use super::split_value::{is_cut, is_rest};
use crate::text::colour_codes::sequence_len;
use crate::text::entity;

/// Most levels of escapes that are undone: JSON in JSON in JSON, and one more.
const DEPTH: usize = 4;

/// Fewest characters of base64 that are decoded.
const SHORTEST_BASE64: usize = 14;

/// Fewest characters of a line that a terminal may have broken, and the number of lines around it that must not be
/// longer.
const NARROWEST: usize = 40;
const NEAR: usize = 16;

/// Number of lines before a broken one that are kept, since a value may be found by them.
const CONTEXT: usize = 6;

/// Common terminal widths. Two lines of exactly such a length are joined, whatever the second one begins with.
const WIDTHS: &[usize] = &[80, 100, 120, 132, 140, 150, 160, 180, 200, 220, 240, 250];

/// A text or a decoded form of it, with the mapping back.
pub(super) struct View<'t> {
    pub(super) text: Cow<'t, str>,
    /// Decoding steps, the last one first.
    steps: Vec<Vec<Undone>>,
}

/// A replaced piece of text.
#[derive(Clone)]
struct Undone {
    /// Range of the replacement in the decoded text.
    now: Range<usize>,
    /// Range in the text before this step.
    was: Range<usize>,
}

impl<'t> View<'t> {
    /// The text itself.
    pub(super) fn of(text: &'t str) -> Self {
        Self { text: Cow::Borrowed(text), steps: Vec::new() }
    }

    /// The range of the original text that a range of the view was decoded from; an escape is never divided.
    pub(super) fn source(&self, range: &Range<usize>) -> Range<usize> {
        self.steps
            .iter()
            .fold(range.clone(), |range, step| start_before(step, range.start)..end_before(step, range.end))
    }
}

fn start_before(step: &[Undone], at: usize) -> usize {
    match step[..step.partition_point(|undone| undone.now.start <= at)].last() {
        None => at,
        Some(undone) if at < undone.now.end => undone.was.start,
        Some(undone) => undone.was.end + (at - undone.now.end),
    }
}

fn end_before(step: &[Undone], at: usize) -> usize {
    match step[..step.partition_point(|undone| undone.now.start < at)].last() {
        None => at,
        Some(undone) => undone.was.end + at.saturating_sub(undone.now.end),
    }
}

/// The text with broken lines joined, or `None` if it has no lines that a terminal broke or that cut a value.
pub(super) fn joined(text: &str) -> Option<View<'_>> {
    join_broken_lines(text).map(|(read, step)| View { text: Cow::Owned(read), steps: vec![step] })
}

/// A string with all levels of escapes undone.
pub(super) fn plain(words: &str) -> String {
    if !words.contains(['\\', '\x1b']) {
        return words.to_owned();
    }
    let views = views(words);
    let last = views.iter().rfind(|view| !view.text.contains('%'));
    last.map_or_else(|| words.to_owned(), |view| view.text.to_string())
}

/// A text, and each decoded form that differs from it.
pub(super) fn views(text: &str) -> Vec<View<'_>> {
    let mut views = vec![View::of(text)];
    for depth in 0..DEPTH {
        let Some((read, step)) = undo(&views[depth].text, [b'\\', 0x1b], without_escape) else { break };
        let steps = [vec![step], views[depth].steps.clone()].concat();
        views.push(View { text: Cow::Owned(read), steps });
    }
    let written = views.len().min(2);
    for number in 0..written {
        if let Some((read, step)) = join_broken_lines(&views[number].text) {
            let steps = [vec![step], views[number].steps.clone()].concat();
            views.push(View { text: Cow::Owned(read), steps });
        }
        for (sign, read) in [(b'%', without_percent as Undo), (b'&', without_reference)] {
            // A page may show the source of a page.
            let times = if sign == b'&' { 2 } else { 1 };
            let mut from = number;
            for _ in 0..times {
                let Some((read, step)) = undo(&views[from].text, [sign; 2], read) else { break };
                let steps = [vec![step], views[from].steps.clone()].concat();
                views.push(View { text: Cow::Owned(read), steps });
                from = views.len() - 1;
            }
        }
    }
    views
}

/// Joins lines that a terminal broke or that cut a value; all other text is dropped except a few lines before them. A
/// line counts as broken if no line near it is longer, and if neither its end nor the start of the next one is
/// whitespace. `None` if there are none.
fn join_broken_lines(text: &str) -> Option<(String, Vec<Undone>)> {
    let mut lines: Vec<(Range<usize>, usize)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let len = line.trim_end_matches(['\n', '\r']).len();
        lines.push((start..start + len, line[..len].chars().count()));
        start += line.len();
    }
    let is_broken = |at: usize| {
        let (line, columns) = &lines[at];
        let Some((next, next_columns)) = lines.get(at + 1) else { return false };
        let (line, next) = (&text[line.clone()], &text[next.clone()]);
        if is_cut(line, next.trim_start_matches([' ', '\t'])) {
            return true;
        }
        if *columns < NARROWEST {
            return false;
        }
        let ends = line.ends_with(|c: char| c.is_ascii_graphic());
        let is_full =
            next_columns == columns && WIDTHS.contains(columns) && next.starts_with(|c: char| c.is_ascii_graphic());
        let goes_on = is_full || is_rest(next);
        let near = &lines[at.saturating_sub(NEAR)..lines.len().min(at + NEAR)];
        ends && goes_on && near.iter().all(|(_, other)| other <= columns)
    };
    let (mut out, mut step, mut kept) = (String::new(), Vec::new(), 0);
    let mut at = 0;
    while at < lines.len() {
        if !is_broken(at) {
            at += 1;
            continue;
        }
        let first = lines[at.saturating_sub(CONTEXT)].0.start;
        if first > kept {
            step.push(Undone { now: out.len()..out.len() + 1, was: kept..first });
            out.push('\n');
        }
        let mut from = first.max(kept);
        loop {
            let end = lines[at].0.end;
            out.push_str(&text[from..end]);
            kept = end;
            if !is_broken(at) {
                break;
            }
            at += 1;
            let line = &text[lines[at].0.clone()];
            from = lines[at].0.end - line.trim_start_matches([' ', '\t']).len();
            step.push(Undone { now: out.len()..out.len(), was: kept..from });
        }
        at += 1;
    }
    (!step.is_empty()).then_some((out, step))
}

/// Reads an encoded character at the start of a text: returns the number of bytes, and the decoded text.
type Undo = fn(&str) -> Option<(usize, String)>;

/// Decodes everything that `read` recognises and that begins with one of two bytes. `None` if there is nothing to
/// decode.
fn undo(text: &str, signs: [u8; 2], read: Undo) -> Option<(String, Vec<Undone>)> {
    let mut out = String::new();
    let mut step = Vec::new();
    let (mut at, mut kept) = (0, 0);
    while let Some(found) = memchr::memchr2(signs[0], signs[1], &text.as_bytes()[at..]) {
        at += found;
        let Some((len, said)) = read(&text[at..]) else {
            at += 1;
            continue;
        };
        out.push_str(&text[kept..at]);
        step.push(Undone { now: out.len()..out.len() + said.len(), was: at..at + len });
        out.push_str(&said);
        at += len;
        kept = at;
    }
    out.push_str(&text[kept..]);
    (!step.is_empty()).then_some((out, step))
}

/// Decodes a string escape of JSON or a similar language; a colour sequence decodes to nothing.
fn without_escape(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    if let Some(len) = sequence_len(bytes) {
        return Some((len, String::new()));
    }
    if bytes[0] != b'\\' {
        return None;
    }
    let plain = |said: char| Some((2, said.to_string()));
    match bytes.get(1)? {
        b'n' => plain('\n'),
        b'r' => plain('\r'),
        b't' => plain('\t'),
        b'e' if bytes.get(2) == Some(&b'[') => plain('\x1b'),
        &byte @ (b'\\' | b'"' | b'\'' | b'/' | b'`') => plain(char::from(byte)),
        b'x' => code_unit(text.get(2..4)?).and_then(|unit| Some((4, char::from_u32(unit)?.to_string()))),
        b'u' => {
            let first = code_unit(text.get(2..6)?)?;
            let second = text.get(6..8).filter(|next| *next == "\\u").and_then(|_| code_unit(text.get(8..12)?));
            let pair = second.and_then(|second| char::decode_utf16([first as u16, second as u16]).next()?.ok());
            match (char::from_u32(first), pair) {
                (Some(said), _) => Some((6, said.to_string())),
                (None, Some(said)) => Some((12, said.to_string())),
                (None, None) => Some((6, char::REPLACEMENT_CHARACTER.to_string())),
            }
        }
        _ => None,
    }
}

fn code_unit(digits: &str) -> Option<u32> {
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    are_digits.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// Decodes an HTML character reference: numeric ones, and the named ones that escaping produces.
fn without_reference(text: &str) -> Option<(usize, String)> {
    let (said, length) = entity::read(text, entity::XML)?;
    Some((length, said.to_string()))
}

/// Decodes consecutive percent escapes of a URL, which together must be UTF-8.
fn without_percent(text: &str) -> Option<(usize, String)> {
    let mut said = Vec::new();
    while let Some(digits) = text.get(said.len() * 3..).and_then(|rest| rest.strip_prefix('%')?.get(..2)) {
        let Some(byte) = code_unit(digits) else { break };
        said.push(byte as u8);
    }
    if said.is_empty() { None } else { Some((said.len() * 3, String::from_utf8(said).ok()?)) }
}

/// Runs of base64 that encode text, each with that text.
pub(super) fn base64_texts(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at + bytes[at..].iter().position(|&byte| sextet(byte).is_some())?;
            let len = bytes[start..].iter().position(|&byte| sextet(byte).is_none());
            let end = len.map_or(bytes.len(), |len| start + len);
            let padding = bytes[end..].iter().take(2).take_while(|&&byte| byte == b'=').count();
            at = end + padding;
            if end - start >= SHORTEST_BASE64
                && let Some(said) = decode(&bytes[start..end])
            {
                return Some((start..at, said));
            }
        }
        None
    })
}

/// Decodes base64 in either alphabet; `None` if the result is not text.
fn decode(letters: &[u8]) -> Option<String> {
    let mut said = Vec::with_capacity(letters.len() / 4 * 3);
    for letters in letters.chunks(4) {
        let group = letters.iter().try_fold(0, |group, &letter| Some(group << 6 | u32::from(sextet(letter)?)))?;
        let group = group << (6 * (4 - letters.len()));
        said.extend_from_slice(&group.to_be_bytes()[1..letters.len().max(1)]);
        if said.last().is_some_and(|&byte| byte < b' ' && !byte.is_ascii_whitespace()) {
            return None;
        }
    }
    String::from_utf8(said).ok().filter(|said| !said.contains(|c: char| c.is_control() && !c.is_whitespace()))
}

fn sextet(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_leads_back_to_what_it_reads_from() {
        for (text, word, source) in [
            ("say \\\"hunter\\\"", "hunter", "hunter"),
            ("say \\\"hunter\\\"", "\"hunter\"", "\\\"hunter\\\""),
            (r#"{\"a\":\"{\\\"b\\\":\\\"x\\\\y\\\"}\"}"#, "x\\y", r"x\\\\y"),
            (r#"{\"a\":\"{\\\"b\\\":\\\"x\\\\y\\\"}\"}"#, "{\"b\":\"x", r#"{\\\"b\\\":\\\"x"#),
            ("gh\x1b[1mp_\x1b[0m.", "ghp_", "gh\x1b[1mp_"),
            ("gh\\u001b[1mp_", "ghp_", "gh\\u001b[1mp_"),
            ("caf\\u00e9 \\ud83d\\ude00!", "é 😀", "\\u00e9 \\ud83d\\ude00"),
            ("a%40b%2Fc", "@b/", "%40b%2F"),
            ("\\u0025 \\x41", "% A", "\\u0025 \\x41"),
        ] {
            let views = views(text);
            let found = views.iter().find_map(|view| {
                let start = view.text.find(word)?;
                Some(view.source(&(start..start + word.len())))
            });
            assert_eq!(found.map(|range| &text[range]), Some(source), "{word} in {text}");
        }
    }

    #[test]
    fn text_without_escapes_has_one_view() {
        for text in ["", "plain", "100% of \\d+ in C:\\Windows", "\\", "%", "%4", "\\u12", "é%é"] {
            assert_eq!(views(text).len(), 1, "{text:?}");
        }
    }

    #[test]
    fn base64_is_read_where_it_holds_text() {
        let found =
            |text: &str| base64_texts(text).map(|(range, said)| (text[range].to_owned(), said)).collect::<Vec<_>>();
        assert_eq!(
            found("Basic YWRhOmNvcnJlY3QgaG9yc2U= ok"),
            [("YWRhOmNvcnJlY3QgaG9yc2U=".to_owned(), "ada:correct horse".to_owned())]
        );
        assert_eq!(found("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ, short YWRhCg=="), []);
    }
}
