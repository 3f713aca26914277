//! Explains markers that are delivered as text: why they did not begin a call.

use super::grammar::{CaptureLabel, Grammar, SHORTEST_MARKER};
use super::outcome::{PartKind, Reason, RuntimeReading};
use crate::diagnostic::Code;
use crate::text::Span;

/// A location where a text does not match a grammar.
#[derive(Clone, Copy, Debug)]
pub struct GrammarMismatch {
    /// Offset in the text.
    pub(crate) at: usize,
    /// Kind of the text that the grammar expects there.
    pub(crate) expected: ExpectedThere,
}

/// Kind of the text that a grammar expects at a mismatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedThere {
    /// The name of a tool of the request, but another name was found.
    Tool,
    /// Any other text.
    Other,
    /// Unknown: the matcher ran out of steps.
    Unknown,
}

/// Adds the reasons why markers in the content began nothing: at most one for each literal.
pub(crate) fn explain(grammar: &Grammar, text: &str, reading: &mut RuntimeReading) {
    let contents: Vec<Span> =
        reading.parts.iter().filter(|part| part.kind == PartKind::Content).map(|part| part.span).collect();
    let mut found: Vec<Reason> = Vec::new();
    for literal in grammar.literals() {
        let Some(bare) = marker(literal) else { continue };
        let in_front = literal.len() - literal.trim_start().len();
        let place = contents.iter().find_map(|span| {
            let at = span.start + text.get(span.start..span.end)?.find(bare)?;
            Some(Span::new(at, at + bare.len()))
        });
        let Some(place) = place else { continue };
        let is_whole =
            place.start >= in_front && text.as_bytes()[place.start - in_front..].starts_with(literal.as_bytes());
        let is_spaced = bare.len() < literal.len();
        let code = if is_spaced && !is_whole { Code::NewlineAfterOpener } else { Code::MarkerInContent };
        found.push(Reason { code, span: place });
    }
    // A marker that lacks its white space is the reason why the others are text.
    if found.iter().any(|reason| reason.code == Code::NewlineAfterOpener) {
        found.retain(|reason| reason.code == Code::NewlineAfterOpener);
    }
    found.sort_by_key(|reason| (reason.span.start, std::cmp::Reverse(reason.span.end)));
    // Of overlapping markers, the longest counts.
    let mut end = 0;
    found.retain(|reason| {
        let is_new = reason.span.end > end;
        end = end.max(reason.span.end);
        is_new
    });
    explain_losses(grammar, text, reading);
    let is_said = !reading.reasons.is_empty();
    found.retain(|reason| !is_said || reason.code == Code::NewlineAfterOpener);
    reading.reasons.append(&mut found);
}

/// Adds that the parser may hang, if it backtracks over a list of calls that does not match.
pub(crate) fn explain_backtracking(backtracks: usize, text: &str, reading: &mut RuntimeReading) {
    if backtracks == 0 || !reading.outcome.calls.is_empty() {
        return;
    }
    let Some(start) = text.find('[') else { return };
    let list = text[start..].trim_end();
    let is_name = |word: &str| word.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let arguments = list.split('=').filter(|before| is_name(before)).count().saturating_sub(1);
    if list.contains('(') && arguments >= backtracks {
        let span = Span::new(start, start + list.len());
        reading.reasons.push(Reason { code: Code::ParserMayHang, span });
    }
}

/// True if a text has a marker of the grammar, or if the grammar has no markers.
pub(crate) fn may_have_call(grammar: &Grammar, text: &str) -> bool {
    let mut markers = grammar.literals().into_iter().filter_map(marker).peekable();
    markers.peek().is_none() || markers.any(|marker| text.contains(marker))
}

/// A literal without the white space around it, if it is long enough for a marker.
fn marker(literal: &str) -> Option<&str> {
    let bare = literal.trim();
    let is_marker = bare.len() >= SHORTEST_MARKER && bare.contains(|c: char| c.is_ascii_punctuation() && c != '"');
    is_marker.then_some(bare)
}

/// Adds reasons for lost text that has none yet: inside of calls, and in place of them.
fn explain_losses(grammar: &Grammar, text: &str, reading: &mut RuntimeReading) {
    let literals = grammar.literals();
    let mut lost: Vec<Reason> = Vec::new();
    if grammar.has_label(CaptureLabel::Key) {
        for call in reading.call_places() {
            if !call.is_complete {
                // It is unknown which part of the call is a value.
                continue;
            }
            let mut kept: Vec<Span> = call.values.iter().flat_map(|(_, key, value)| [*key, *value]).collect();
            kept.extend([call.name, call.id]);
            if let Some(span) = leftover(text, call.call, &kept, &literals) {
                let closer = closer_in_value(text, Span::new(span.start, call.call.end), &literals);
                let (code, span) = closer.map_or((Code::TextInCallLost, span), |closer| (Code::CloserInValue, closer));
                lost.push(Reason { code, span });
            }
        }
    }
    if !reading.outcome.calls.is_empty() || !reading.reasons.is_empty() {
        // Bytes that have a reason need no other. There are few reasons, or they follow one another.
        let mut said: Vec<Span> = reading.reasons.iter().map(|reason| reason.span).collect();
        said.sort_unstable();
        let is_said = |span: Span| {
            let behind = said.partition_point(|said| said.start < span.end);
            said[..behind].iter().rev().take(2).any(|said| said.end > span.start)
        };
        lost.retain(|reason| !is_said(reason.span));
        reading.reasons.append(&mut lost);
        return;
    }
    let delivered: Vec<Span> =
        reading.parts.iter().filter(|part| part.kind != PartKind::Lost).map(|part| part.span).collect();
    let has_marker = |span: Span| {
        text.get(span.start..span.end).is_some_and(|text| {
            literals.iter().any(|literal| literal.trim().len() >= SHORTEST_MARKER && text.contains(literal.trim()))
        })
    };
    if reading.outcome.error.is_none()
        && let Some(span) = leftover(text, Span::new(0, text.len()), &delivered, &literals)
        && has_marker(Span::new(0, span.end))
    {
        // The grammar stops at the cause.
        let gap = reading.parts.iter().find(|part| part.kind == PartKind::Lost && overlap(part.span, span));
        let gap = gap.map_or(span, |part| part.span);
        let stops = reading.stops.iter().map(|stop| stop.at).filter(|at| (gap.start..=gap.end).contains(at));
        let start = stops.max().unwrap_or(span.start);
        lost.push(Reason { code: Code::CallSwallowed, span: Span::new(start, span.end.max(start)) });
        reading.reasons.append(&mut lost);
    }
}

fn overlap(one: Span, other: Span) -> bool {
    other.start < one.end && one.start < other.end
}

/// The closing marker before lost text of a call, if the same marker follows that text: then the first one is part of a
/// value.
fn closer_in_value(text: &str, lost: Span, literals: &[&str]) -> Option<Span> {
    let before = text.get(..lost.start)?.trim_end();
    let closers = literals.iter().filter(|literal| literal.starts_with("</") && before.ends_with(**literal));
    let closer = closers.max_by_key(|literal| literal.len())?;
    let rest = text.get(lost.start..lost.end)?;
    let value = &rest[..rest.find(closer)?];
    let has_marker = literals.iter().any(|literal| literal.len() >= SHORTEST_MARKER && value.contains(literal.trim()));
    (!has_marker).then(|| Span::new(before.len() - closer.len(), before.len()))
}

/// The first range of `span` outside of `kept` that has words other than literals and tags.
fn leftover(text: &str, span: Span, kept: &[Span], literals: &[&str]) -> Option<Span> {
    let mut kept: Vec<Span> = kept.iter().copied().filter(|span| !span.is_empty()).collect();
    kept.sort_unstable();
    kept.push(Span::new(span.end, span.end));
    let (mut at, mut in_tag) = (span.start, false);
    for next in kept {
        let words = text.get(at..next.start.max(at))?;
        let mut rest = words;
        while !rest.is_empty() {
            let here = at + words.len() - rest.len();
            let literal = literals.iter().filter(|literal| literal.len() > 1 && rest.starts_with(**literal));
            let longest = literal.map(|literal| literal.len()).max();
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let step = longest.unwrap_or(first);
            match rest.as_bytes()[0] {
                _ if longest.is_some() => in_tag = rest[..step].rfind('<') > rest[..step].rfind('>'),
                b'<' => in_tag = true,
                b'>' => in_tag = false,
                _ if !in_tag && rest.starts_with(char::is_alphanumeric) => {
                    return Some(Span::new(here, at + words.trim_end().len()));
                }
                _ => {}
            }
            rest = &rest[step..];
        }
        at = at.max(next.end);
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Code;
    use crate::runtime::profile::{parse_defaults, parse_file};
    use crate::runtime::{ToolRequest, read};

    #[test]
    fn a_marker_without_its_white_space_is_told_from_one_that_begins_nothing() {
        let file = "dialect: d\nprofiles:\n  - runtime: r\n    parser: p\n    grammar: |\n      \
            item = call:(\"\\n```json\" name:known_tool)\n";
        let runtimes = parse_defaults("r: {releases: [1 2026-01-01], checked: 2026-01-01}").expect("a runtime");
        let profile = parse_file(file, &runtimes).expect("the grammar is right").remove(0);
        for (text, expected) in [
            ("a ```json", Some(Code::NewlineAfterOpener)),
            // The character before it takes more than a byte.
            ("\u{2581}```json", Some(Code::NewlineAfterOpener)),
            ("a\n```json", Some(Code::MarkerInContent)),
            ("a", None),
        ] {
            let found = read(&profile, text, &ToolRequest::default()).reasons.first().map(|reason| reason.code);
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
