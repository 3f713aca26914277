//! Markers that stand in what is delivered as text: why nothing came of them.
//!
//! This module does not know what a marker begins; it compares the literals of a grammar with the text.

use super::grammar::Grammar;
use super::outcome::{PartKind, Reading, Reason, ReasonCode};
use crate::text::Span;

/// Least bytes of a literal that is taken for a marker.
const SHORTEST: usize = 5;

/// Adds why markers in the content have begun nothing: at most one reason for each literal.
pub fn explain(grammar: &Grammar, text: &str, reading: &mut Reading) {
    let contents: Vec<Span> =
        reading.parts.iter().filter(|part| part.kind == PartKind::Content).map(|part| part.span).collect();
    let mut found: Vec<Reason> = Vec::new();
    for literal in grammar.literals() {
        let bare = literal.trim();
        let is_marker = bare.len() >= SHORTEST && bare.contains(|c: char| c.is_ascii_punctuation() && c != '"');
        if !is_marker {
            continue;
        }
        let in_front = literal.len() - literal.trim_start().len();
        let place = contents.iter().find_map(|span| {
            let at = span.start + text.get(span.start..span.end)?.find(bare)?;
            Some(Span::new(at, at + bare.len()))
        });
        let Some(place) = place else { continue };
        let is_whole = place.start >= in_front && text[place.start - in_front..].starts_with(literal);
        let is_spaced = bare.len() < literal.len();
        let code = if is_spaced && !is_whole { ReasonCode::NewlineAfterOpener } else { ReasonCode::MarkerInContent };
        found.push(Reason { code, span: place });
    }
    // A marker that lacks its white space is why the others are text.
    if found.iter().any(|reason| reason.code == ReasonCode::NewlineAfterOpener) {
        found.retain(|reason| reason.code == ReasonCode::NewlineAfterOpener);
    }
    found.sort_by_key(|reason| (reason.span.start, std::cmp::Reverse(reason.span.end)));
    // Of markers one within another, the longest counts.
    let mut end = 0;
    found.retain(|reason| {
        let is_new = reason.span.end > end;
        end = end.max(reason.span.end);
        is_new
    });
    let is_said = !reading.reasons.is_empty();
    found.retain(|reason| !is_said || reason.code == ReasonCode::NewlineAfterOpener);
    reading.reasons.append(&mut found);
}
