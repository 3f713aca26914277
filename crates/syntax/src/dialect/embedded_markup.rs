//! Signs of one dialect inside a call of another, where a model mixes two syntaxes or a call swallowed the next one;
//! and signs in text that is not searched for calls.
//!
//! Searches the bodies of calls, and texts that have ended, for strings that are rare anywhere else.

use std::ops::Deref;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::registry::signs;
use super::{Dialect, named};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Span, Text};

/// Bytes of a body that are searched at a time.
const PIECE: usize = 256 * 1024;

/// A body shorter than this is first checked for bytes that occur in signs: starting the automaton takes three times
/// as long.
const SHORT: usize = 64;

/// True for the bytes of which each sign contains at least one.
fn is_telling(byte: u8) -> bool {
    matches!(byte, b'<' | b'[' | b'^' | b'_' | b'`')
}

/// The signs of all dialects.
struct Signs {
    automaton: AhoCorasick,
    /// The name of the dialect of each pattern in the automaton.
    owners: Vec<&'static str>,
    /// Length of the longest pattern in bytes.
    longest: usize,
}

static SIGNS: LazyLock<Signs> = LazyLock::new(|| {
    let (owners, patterns): (Vec<_>, Vec<&str>) = signs().unzip();
    // No sign contains another one, so that all match kinds are equivalent; this kind has a search that is fast when
    // nothing matches.
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&patterns);
    let longest = patterns.iter().map(|sign| sign.len()).max().unwrap_or_default();
    Signs { automaton: automaton.expect("the signs are few and short"), owners, longest }
});

/// The first line outside of code fences that begins with a sign of one of the `active` dialects, in a text that is
/// not searched for calls: the name of the dialect and the span of the sign. Only the first 256 KiB are searched.
pub fn find_in_text(
    active: &[impl Deref<Target = dyn Dialect>],
    text: &Text,
    span: Span,
) -> Option<(&'static str, Span)> {
    let piece = text.read(Span::new(span.start, span.end.min(span.start.saturating_add(PIECE))));
    let is_fence = |at: usize| piece[at..].starts_with(b"```") || piece[at..].starts_with(b"~~~");
    let (mut line, mut in_fence) = (0, false);
    for found in SIGNS.automaton.find_iter(&*piece) {
        let start = found.start() + usize::from(piece[found.start()] == b'\n');
        while let Some(feed) = memchr::memchr(b'\n', &piece[line..start]) {
            in_fence ^= is_fence(line);
            line += feed + 1;
        }
        let begins_line = piece[line..start].iter().all(u8::is_ascii_whitespace);
        let owner = SIGNS.owners[found.pattern().as_usize()];
        if begins_line && !in_fence && !is_fence(start) && active.iter().any(|one| one.name() == owner) {
            return Some((owner, Span::new(span.start + start, span.start + found.end())));
        }
    }
    None
}

/// A problem for the first sign of another `active` dialect in the body of a call of the dialect `own`.
pub fn find(own: &str, active: &[impl Deref<Target = dyn Dialect>], text: &Text, body: Span) -> Option<Diagnostic> {
    // A single dialect has no foreign signs.
    if active.len() < 2 {
        return None;
    }
    let mut at = body.start;
    loop {
        let end = body.end.min(at.saturating_add(PIECE));
        let piece = text.read(Span::new(at, end));
        if piece.len() < SHORT && !piece.iter().copied().any(is_telling) {
            return None;
        }
        let mut behind = at;
        for found in SIGNS.automaton.find_iter(&*piece) {
            let owner = SIGNS.owners[found.pattern().as_usize()];
            if active.iter().any(|dialect| dialect.name() == owner) && !is_at_home(owner, own) {
                // The line feed before a sign is not part of it.
                let feed = usize::from(piece[found.start()] == b'\n');
                return Some(problem(owner, Span::new(at + found.start() + feed, at + found.end())));
            }
            behind = at + found.end();
        }
        if end >= body.end || piece.len() < PIECE {
            return None;
        }
        // The end of a piece may cut a sign in two.
        at = behind.max(end - (SIGNS.longest - 1));
    }
}

/// True if the signs of a dialect are expected in a call of the dialect `own`.
fn is_at_home(owner: &str, own: &str) -> bool {
    owner == own || named(owner).is_some_and(|about| about.family.contains(&own))
}

fn problem(owner: &str, span: Span) -> Diagnostic {
    let message = format!("what looks like a call of the {owner} dialect is part of a value here");
    Diagnostic::new(Code::ForeignMarkup, span, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Options, named, registry};

    fn known(names: &[&str]) -> Vec<Box<dyn Dialect>> {
        let only = names.iter().map(|name| named(name).expect("a dialect")).collect();
        registry(&Options { only, ..Options::default() })
    }

    fn find(active: &[Box<dyn Dialect>], own: &str, body: &str) -> Option<Span> {
        let mut text = Text::default();
        text.push(body.as_bytes());
        super::find(own, active, &text, Span::new(0, body.len())).map(|problem| problem.span)
    }

    #[test]
    fn signs_of_other_active_dialects_are_found_and_own_ones_are_not() {
        let active = known(&["gadget", "xml", "caret", "hermes", "function"]);
        let cases = [
            ("gadget", "see <tool:x>", Some("<tool:")),
            ("xml", "see <tool:x>", None),
            ("gadget", "a\n^^^b", Some("^^^")),
            ("gadget", "2^^^3", None),
            ("hermes", "<function=a>", None),
            ("gadget", "plain", None),
            ("gadget", "> [!tool x]", None),
        ];
        for (own, body, expected) in cases {
            let found = find(&active, own, body);
            let text = found.map(|span| body[span.start..span.end].to_owned());
            assert_eq!(text.as_deref(), expected, "{body:?} in {own}");
        }
        assert!(find(&known(&["gadget"]), "gadget", "<tool:x>").is_none());
    }

    #[test]
    fn each_sign_has_a_byte_that_tells_of_it() {
        for (owner, sign) in signs() {
            assert!(sign.bytes().any(is_telling), "{sign:?} of {owner}");
        }
    }

    #[test]
    fn a_sign_is_found_wherever_a_long_body_is_cut() {
        let active = known(&["gadget", "xml", "hermes"]);
        for before in PIECE - 12..PIECE + 2 {
            let body = format!("{}<tool:x>{}", "-".repeat(before), "-".repeat(PIECE));
            assert_eq!(find(&active, "gadget", &body), Some(Span::new(before, before + 6)));
            assert_eq!(find(&active, "xml", &body), None);
        }
    }
}
