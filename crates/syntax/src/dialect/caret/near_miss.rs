//! Near misses of fences: indented, quoted, with an extra caret, with text after the name.
//!
//! Carets also point at the line above, in compiler messages and in chats, so a fence without a name is searched for
//! only inside of a block.

use memchr::memchr;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::near_miss::look_alike;
use crate::text::Span;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct NearMiss {
    start: usize,
    end: usize,
    reason: &'static str,
    expected: String,
    found: String,
    severity: Severity,
}

impl NearMiss {
    /// The problem for a line that begins at `line_start`; `becomes` states the effect.
    pub(super) fn diagnostic(&self, line_start: usize, becomes: &str) -> Diagnostic {
        let span = Span::new(line_start + self.start, line_start + self.end);
        let message = format!("almost a fence, but {}: {becomes}", self.reason);
        let problem = Diagnostic::new(Code::NearMissMarker, span, message)
            .contrast(&*self.expected, &*self.found)
            .help("write ^^^ and the name, and nothing else, at the beginning of the line")
            .with_severity(self.severity);
        if self.expected.starts_with("^^^") { problem.replace_with(&*self.expected) } else { problem }
    }
}

/// First bytes of near misses. The ones beyond ASCII begin look-alikes of the caret, a byte order mark, and a no-break
/// space.
pub(super) const HEADS: [u8; 5] = [b'^', b'\\', 0xc2, 0xcb, 0xef];

/// Finds a near miss of an opening fence in a line of prose.
pub(super) fn in_prose(line: &[u8]) -> Option<NearMiss> {
    opening(line).or_else(|| behind_text(line))
}

/// Finds a near miss of either fence in a line of a block that has no other meaning.
pub(super) fn in_block(line: &[u8]) -> Option<NearMiss> {
    opening(line).or_else(|| closing(line))
}

/// The beginning of a line: the carets, and the text before and after them.
struct Head<'a> {
    /// Offset of the carets.
    start: usize,
    carets: usize,
    /// Problem with the carets themselves.
    fault: Option<&'static str>,
    /// The line starting at the carets, without trailing whitespace, cut to the length that a message quotes.
    text: &'a str,
    /// Text after the carets.
    rest: &'a str,
}

impl<'a> Head<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let valid = line.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let decoration = |c: char| c.is_whitespace() || matches!(c, '>' | '*' | '-' | '\u{feff}');
        let text = valid.trim_start_matches(decoration);
        let start = valid.len() - text.len();
        let mut fault = match &valid[..start] {
            "" => None,
            before if before.contains('>') => Some("quoted"),
            before if before.contains(['*', '-']) => Some("after other characters"),
            before if before.starts_with('\u{feff}') => Some("after a byte order mark"),
            _ => Some("indented"),
        };
        let mut carets = 0;
        let mut rest = text;
        loop {
            let plain = rest.strip_prefix('\\').filter(|rest| rest.starts_with('^'));
            if plain.is_some() {
                fault = Some("escaped by a backslash");
            }
            let next = plain.unwrap_or(rest);
            let Some(caret) = next.chars().next().filter(|&c| look_alike(c).eq(['^'])) else { break };
            if caret != '^' {
                fault = Some("with characters that only look like carets");
            }
            carets += 1;
            rest = &next[caret.len_utf8()..];
        }
        match carets {
            0 | 1 => return None,
            2 => fault = Some("with too few carets"),
            3 => {}
            _ => fault = Some("with too many carets"),
        }
        Some(Self { start, carets, fault, text: shortened(text.trim_end()), rest })
    }

    fn near_miss(&self, reason: &'static str, expected: String, severity: Severity) -> NearMiss {
        let found = match reason {
            "indented" | "quoted" => format!("{reason} {}", self.text),
            _ => self.text.to_owned(),
        };
        NearMiss { start: self.start, end: self.start + self.text.len(), reason, expected, found, severity }
    }
}

/// A text cut to the length that a message quotes.
fn shortened(text: &str) -> &str {
    const QUOTED: usize = 60;
    text.char_indices().nth(QUOTED).map_or(text, |(end, _)| &text[..end])
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn opening(line: &[u8]) -> Option<NearMiss> {
    let first = line.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'>' | b'*' | b'-'))?;
    if !HEADS.contains(first) {
        return None;
    }
    let head = Head::parse(line)?;
    let rest = head.rest.trim_end();
    let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let behind = behind.trim();
    let mut severity = Severity::Warning;
    let reason = match (word, behind) {
        (word, "") if is_name(word) => head.fault?,
        (word, "") if head.carets == 3 && is_almost_name(word) => "the name holds more than letters, digits and _",
        (word, behind) if head.carets == 3 && head.fault.is_none() && is_name(word) => {
            if !word.contains('_') && !behind.contains(['=', ':', '{', '"']) {
                severity = Severity::Hint;
            }
            "with text after the name"
        }
        ("", behind) if head.carets == 3 && is_name(behind) && behind.contains('_') => "with a space before the name",
        _ => return None,
    };
    let name: String = if word.is_empty() { behind } else { word }
        .chars()
        .map(|c| if matches!(c, '-' | '.' | '/') { '_' } else { c })
        .collect();
    let expected =
        if name.is_ascii() { format!("^^^{name}") } else { "a name of letters from a to z, digits and _".into() };
    Some(head.near_miss(reason, expected, severity))
}

/// True if a word is a name except for hyphens, dots, slashes and letters beyond ASCII.
fn is_almost_name(word: &str) -> bool {
    word.starts_with(char::is_alphabetic)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        && word.ends_with(char::is_alphanumeric)
}

/// A near miss of a closing fence.
fn closing(line: &[u8]) -> Option<NearMiss> {
    let head = Head::parse(line)?;
    let rest = head.rest.trim();
    let reason = match head.fault {
        Some(fault) if rest.is_empty() => fault,
        None if rest.is_empty() => "followed by white space that is not a space",
        None if head.rest.starts_with(char::is_whitespace) => "with text after it",
        _ => return None,
    };
    Some(head.near_miss(reason, "^^^".into(), Severity::Warning))
}

/// An opening fence at the end of a line of prose.
fn behind_text(line: &[u8]) -> Option<NearMiss> {
    let at = memchr(b'^', line).filter(|&at| at > 0 && matches!(line[at - 1], b' ' | b'\t'))?;
    let name = std::str::from_utf8(line[at..].strip_prefix(b"^^^")?).ok()?.trim_end();
    is_name(name).then(|| NearMiss {
        start: at,
        end: at + 3 + name.len(),
        reason: "after other text",
        expected: "a line feed before it".into(),
        found: String::from_utf8_lossy(&line[..at]).trim_end().to_owned(),
        severity: Severity::Hint,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_told_from_fences_and_from_carets_that_point() {
        for (line, reason, found) in [
            (" ^^^list_projects", "indented", "^^^list_projects"),
            ("\t^^^list_projects\r", "indented", "^^^list_projects"),
            ("> ^^^list_projects", "quoted", "^^^list_projects"),
            ("\u{feff}^^^list_projects", "after a byte order mark", "^^^list_projects"),
            ("- ^^^list_projects", "after other characters", "^^^list_projects"),
            ("^^^^list_projects", "with too many carets", "^^^^list_projects"),
            ("^^list_projects", "with too few carets", "^^list_projects"),
            ("＾＾＾list_projects", "with characters that only look like carets", "＾＾＾list_projects"),
            ("\\^^^list_projects", "escaped by a backslash", "\\^^^list_projects"),
            ("^^^list-projects", "the name holds more than letters, digits and _", "^^^list-projects"),
            ("^^^größe", "the name holds more than letters, digits and _", "^^^größe"),
            ("^^^read_files path=a", "with text after the name", "^^^read_files path=a"),
            ("^^^ read_files", "with a space before the name", "^^^ read_files"),
            ("Now: ^^^list_projects", "after other text", "^^^list_projects"),
        ] {
            let near = in_prose(line.as_bytes()).unwrap_or_else(|| panic!("{line:?} is a near miss"));
            assert_eq!((near.reason, &line[near.start..near.end]), (reason, found), "{line:?}");
        }
        for line in [
            "",
            "^^^list_projects",
            "^^^",
            "    ^^^",
            "    ^^^^^^^",
            "   |     ^^^ expected `;`",
            "     ^^^^^^ not found in this scope",
            "^^^ this",
            "^^^ what she said",
            "x^^^y",
            "2^^3",
            "Write `^^^name` for it.",
            "a ^^^ b",
            "großes Wort",
        ] {
            assert_eq!(in_prose(line.as_bytes()), None, "{line:?}");
        }
        for (line, reason) in [
            ("  ^^^", "indented"),
            ("^^^^", "with too many carets"),
            ("> ^^^", "quoted"),
            ("^^^ done", "with text after it"),
            ("^^^\u{a0}", "followed by white space that is not a space"),
            ("  ^^^list_files", "indented"),
        ] {
            let near = in_block(line.as_bytes()).unwrap_or_else(|| panic!("{line:?} is a near miss"));
            assert_eq!(near.reason, reason, "{line:?}");
        }
        assert_eq!(in_block(b"no colon"), None);
    }
}
