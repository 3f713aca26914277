//! Near misses of tags: in another case, with spaces in them, escaped as HTML, or with the name in the wrong place.
//!
//! Only the beginning of a line is examined, after quotation and emphasis marks.

use super::tag::{self, Read, Side};
use super::{Naming, Pair, Part, Shape};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::near_miss::{look_alike, loose_length};
use crate::text::Span;
use crate::text::entity::{self, HTML};

pub(super) struct NearMiss {
    pub(super) part: Part,
    pub(super) side: Side,
    expected: String,
    found: String,
    reason: &'static str,
    /// Offset in the line, in bytes.
    pub(super) start: usize,
    end: usize,
}

impl NearMiss {
    /// The problem, for a line that begins at `at`; `becomes` states the effect.
    pub(super) fn diagnostic(self, at: usize, becomes: &str) -> Diagnostic {
        let what = match (self.part, self.side) {
            (Part::Call, Side::Closing) => "the closing tag of a call",
            (Part::Call, _) => "the opening tag of a call",
            (Part::Parameter, Side::Closing) => "the closing tag of a parameter",
            (Part::Parameter, _) => "the opening tag of a parameter",
            (Part::Wrapper, _) => "a wrapper's tag",
        };
        let span = Span::new(at + self.start, at + self.end);
        let message = format!("almost {what}, but {}: {becomes}", self.reason);
        let problem = Diagnostic::new(Code::NearMissMarker, span, message).contrast(&*self.expected, self.found);
        // If the name is a placeholder, the exact tag is not known.
        if self.expected.contains("NAME") { problem } else { problem.replace_with(&*self.expected) }
    }
}

/// First bytes of near misses: of all notations of `<`.
pub(super) const HEADS: [u8; 5] = [b'<', b'&', b'\\', 0xef, 0xe2];

/// Length of a possible `<` of a tag at the beginning of a text, and its difference from an exact one.
fn bracket(text: &str) -> Option<(usize, &'static str)> {
    let first = text.chars().next()?;
    let reference = entity::read(text, HTML).filter(|(read, _)| *read == '<');
    match (first, reference) {
        ('<', _) => Some((1, "")),
        (_, Some((_, length))) => Some((length, "written as HTML")),
        ('\\', None) => text[1..].starts_with('<').then_some((2, "escaped by a backslash")),
        (other, None) => {
            look_alike(other).eq(['<']).then_some((other.len_utf8(), "with characters that only look like it"))
        }
    }
}

/// Patterns of near misses: the words of a shape's tags, prepared once per shape, and the bytes that may begin them,
/// which rule out most lines with other tags.
#[derive(Debug, Default)]
pub(in crate::dialect::declared) struct NearWords {
    words: Vec<NearWord>,
    /// Text after the `<` of markers that begin with a whole tag or contain bars, and the number of their pair.
    leads: Vec<(String, usize)>,
    /// Bit set of the ASCII bytes that may begin any of these in any notation.
    firsts: [u64; 4],
}

/// The word after the `<` of an opening tag.
#[derive(Debug)]
struct NearWord {
    word: String,
    /// Length of the word without the separator before the name.
    stem: usize,
    /// The number of its pair.
    pair: usize,
}

impl NearWord {
    /// The word without the separator before the name.
    fn stem(&self) -> &str {
        &self.word[..self.stem]
    }
}

impl NearWords {
    /// The patterns of these markers.
    pub(in crate::dialect::declared) fn new(pairs: &[Pair]) -> Self {
        let mut all = Self::default();
        for (number, pair) in pairs.iter().enumerate() {
            let lead = pair.open.lead().strip_prefix(b"<").and_then(|lead| std::str::from_utf8(lead).ok());
            let Some(lead) = lead.filter(|lead| !lead.is_empty()) else { continue };
            if pair.part != Part::Wrapper {
                let stem = lead.trim_end_matches(['=', ':']);
                all.add_first(stem);
                all.words.push(NearWord { word: lead.to_owned(), stem: stem.len(), pair: number });
            }
            if is_compared_whole(pair.part, lead) {
                all.add_first(lead);
                all.leads.push((lead.to_owned(), number));
            }
        }
        all
    }

    /// Records the ASCII bytes that may begin a text, in either case.
    fn add_first(&mut self, text: &str) {
        let Some(first) = text.chars().next() else { return self.firsts = [u64::MAX; 4] };
        let seen = look_alike(first).filter_map(|seen| u8::try_from(seen).ok());
        for byte in seen.flat_map(|byte| [byte, byte.to_ascii_uppercase()]) {
            self.firsts[usize::from(byte / 64)] |= 1 << (byte % 64);
        }
    }

    /// True if one of them may begin at this offset of a line.
    fn may_begin(&self, line: &[u8], at: usize) -> bool {
        line.get(at).is_none_or(|byte| {
            !byte.is_ascii() || *byte == b'&' || self.firsts[usize::from(byte / 64)] & 1 << (byte % 64) != 0
        })
    }
}

/// The near miss at the beginning of a line, if any.
pub(super) fn find(shape: &Shape, line: &[u8]) -> Option<NearMiss> {
    let start = line.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'>' | b'*' | b'`' | b'-'))?;
    let rest = &line[start..];
    let head = &rest[..rest.len().min(entity::LONGEST)];
    let (bracket, mut reason) = bracket(head.utf8_chunks().next()?.valid())?;
    let mut at = bracket;
    let mut blanks = skip_blanks(rest, &mut at);
    let closing = rest.get(at) == Some(&b'/');
    at += usize::from(closing);
    blanks += skip_blanks(rest, &mut at);
    if !shape.near.may_begin(rest, at) && !shape.near.may_begin(rest, bracket) {
        return None;
    }
    if reason.is_empty() && !matches!(tag::read(shape, rest, 0, true), Read::None) {
        return None;
    }
    if !closing && let Some((pair, end)) = whole(shape, &rest[bracket..]) {
        let reason = if reason.is_empty() { "in another case or with other bars" } else { reason };
        let (expected, end) = (String::from_utf8_lossy(pair.open.lead()).into_owned(), bracket + end);
        let found = String::from_utf8_lossy(&rest[..end]).into_owned();
        let side = Side::Opening;
        return Some(NearMiss { part: pair.part, side, expected, found, reason, start, end: start + end });
    }
    let near = shape.near.words.iter().find(|near| {
        let head = rest.get(at..at + near.stem);
        head.is_some_and(|head| head.eq_ignore_ascii_case(near.stem().as_bytes()))
    })?;
    let (stem, pair) = (near.stem(), &shape.pairs[near.pair]);
    let written = &rest[at..at + near.stem];
    let after = &rest[at + written.len()..];
    let separated = separated(shape.naming, stem, after, closing);
    // Such words are also tags of other languages, so alone they prove nothing.
    if !separated.plausible {
        return None;
    }
    let plain = written == stem.as_bytes() && blanks == 0;
    let end = at + written.len() + closing_bracket(after);
    if reason.is_empty() {
        reason = if plain && separated.exact {
            "not closed by > on its line"
        } else if blanks > 0 || separated.blank {
            "with a space in it"
        } else if written == stem.as_bytes() {
            "with its name in another place"
        } else {
            "in another case"
        };
    }
    let marker = if closing { pair.close.first()? } else { &pair.open };
    let expected = marker.write(|_| Some("NAME".to_owned()));
    let found = String::from_utf8_lossy(&rest[..end]).into_owned();
    let side = if closing { Side::Closing } else { Side::Opening };
    Some(NearMiss { part: pair.part, side, expected, found, reason, start, end: start + end })
}

/// Length of an opening tag of `xml` in the middle of a line that is interrupted by another tag or the end of the
/// line.
pub(super) fn torn(shape: &Shape, ahead: &[u8]) -> Option<usize> {
    let ahead = &ahead[..ahead.len().min(tag::LONGEST)];
    let after = ahead.strip_prefix(OPENER).filter(|_| shape.strict)?;
    let name =
        after.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')).count();
    let is_ended = matches!(after.get(name), Some(b' ' | b'\t' | b'<'));
    let end = memchr::memchr3(b'<', b'\n', b'>', after).filter(|&end| name > 0 && is_ended && after[end] != b'>')?;
    Some(OPENER.len() + after[..end].trim_ascii_end().len())
}

/// The problem of such a tag.
pub(super) fn torn_problem(span: Span, ahead: &[u8]) -> Diagnostic {
    let message = "almost the opening tag of a call, but not closed by >: it is prose";
    let found = String::from_utf8_lossy(&ahead[..span.len()]).into_owned();
    Diagnostic::new(Code::NearMissMarker, span, message).contrast("<tool:NAME>", found)
}

/// The beginning of the opening tag of a call in `xml`.
const OPENER: &[u8] = b"<tool:";

/// A near miss of a marker that begins with a whole tag or contains bars, such as `<tool_call>f` or
/// `<｜tool▁calls▁begin｜>`, and its length after the `<`. Exact markers never match here; they are read elsewhere, or
/// are not markers because of the text after them.
fn whole<'a>(shape: &'a Shape, rest: &[u8]) -> Option<(&'a Pair, usize)> {
    shape.near.leads.iter().find_map(|(lead, number)| {
        let pair = &shape.pairs[*number];
        let end = loose_length(lead, rest)?;
        let has_name = !lead.ends_with('>') || rest.get(end).is_some_and(u8::is_ascii_alphanumeric);
        (pair.part == Part::Wrapper || has_name).then_some((pair, end))
    })
}

/// True if an opening marker that continues with `lead` after its `<` is compared as a whole.
fn is_compared_whole(part: Part, lead: &str) -> bool {
    let has_bars = lead.contains(['|', '｜']);
    match part {
        Part::Call => has_bars || lead.contains('>'),
        Part::Wrapper => has_bars,
        Part::Parameter => false,
    }
}

/// The text after the word.
struct Separated {
    plausible: bool,
    /// True if it is correct in a tag.
    exact: bool,
    /// True if whitespace precedes the separator.
    blank: bool,
}

fn separated(naming: Naming, stem: &str, after: &[u8], closing: bool) -> Separated {
    let trimmed = after.trim_ascii_start();
    let attribute = trimmed.len() >= 5 && trimmed[..5].eq_ignore_ascii_case(b"name=");
    let (colon, equals) = (trimmed.first() == Some(&b':'), trimmed.first() == Some(&b'='));
    let ended = trimmed.first() == Some(&b'>') || trimmed.starts_with(b"&gt;");
    let blank = (colon || equals) && after.len() != trimmed.len();
    match naming {
        Naming::InTag => Separated { plausible: colon || attribute, exact: colon && !blank, blank },
        // In another case, `</function>` and `</parameter>` are tags of many languages.
        _ if closing => Separated { plausible: ended && stem == "invoke", exact: true, blank },
        Naming::Attribute => {
            let plausible = attribute || (stem.ends_with("invoke") && (equals || ended));
            Separated { plausible, exact: attribute, blank }
        }
        Naming::Equals => {
            let call = stem == "function";
            Separated { plausible: equals || (attribute && call), exact: equals && !blank, blank }
        }
    }
}

fn skip_blanks(bytes: &[u8], at: &mut usize) -> usize {
    let blanks = bytes[*at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    *at += blanks;
    blanks
}

/// Number of bytes up to and including the closing bracket, or else up to the end of the line.
fn closing_bracket(after: &[u8]) -> usize {
    let plain = memchr::memchr(b'>', after).map(|at| at + 1);
    let escaped = memchr::memmem::find(after, b"&gt;").map(|at| at + 4);
    let whole = after.trim_ascii_end().len();
    [plain, escaped].into_iter().flatten().min().unwrap_or(whole).min(whole)
}

#[cfg(test)]
mod tests {
    use super::super::tests::shape;
    use super::*;

    #[test]
    fn near_misses_are_told_from_tags_and_from_prose() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("xml", "<Tool:read>", Some("<Tool:read>")),
            ("glm45", "<Tool_Call>f", Some("<Tool_Call>")),
            ("glm45", "&lt;tool_call&gt;f\n", Some("&lt;tool_call&gt;")),
            ("glm45", "<tool_call>f", None),
            ("glm45", "<TOOL_CALL>", None),
            ("glm45", "<TOOL_CALL>{", None),
            ("glm45", "<Arg_Key>f", None),
            ("step3", "<|tool_calls_begin|>", Some("<|tool_calls_begin|>")),
            ("kimi-k2", "&lt;|tool_call_begin|&gt;f:0", Some("&lt;|tool_call_begin|&gt;")),
            ("kimi-k2", "<｜tool_calls_section_begin｜>", Some("<｜tool_calls_section_begin｜>")),
            ("xml", "< tool:read> x", Some("< tool:read>")),
            ("xml", "&lt;tool:read&gt; x", Some("&lt;tool:read&gt;")),
            ("xml", "<tool name=\"read\">", Some("<tool name=\"read\">")),
            ("xml", "  > </ tool:read>", Some("</ tool:read>")),
            ("xml", "<PARAM:x>1</PARAM:x>", Some("<PARAM:x>")),
            ("xml", "<tool:read", Some("<tool:read")),
            ("xml", "<tool:read>", None),
            ("xml", "<tool>", None),
            ("xml", "<toolbar:x>", None),
            ("xml", "tool: read", None),
            ("invoke", "<Invoke name=\"f\">", Some("<Invoke name=\"f\">")),
            ("invoke", "<invoke=\"f\">", Some("<invoke=\"f\">")),
            ("invoke", "<invoke>", Some("<invoke>")),
            ("invoke", "&lt;invoke name=\"f\"&gt;", Some("&lt;invoke name=\"f\"&gt;")),
            ("invoke", "<Parameter>", None),
            ("invoke", "</invoke>", None),
            ("invoke", "<invoked>", None),
            ("function", "<Function=f>", Some("<Function=f>")),
            ("function", "<function = f>", Some("<function = f>")),
            ("function", "<function name=\"f\">", Some("<function name=\"f\">")),
            ("function", "<function>", None),
            ("function", "<function=f>", None),
            ("function", "</Parameter>", None),
        ];
        for (dialect, line, expected) in cases {
            let shape = &*shape(dialect);
            let found = find(shape, line.as_bytes());
            assert_eq!(found.map(|near| line[near.start..near.end].to_owned()).as_deref(), *expected, "{line}");
        }
    }
}
