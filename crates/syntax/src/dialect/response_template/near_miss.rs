//! Text that resembles a call or a part of one, but is not read by the template: a marker in another case or escaped
//! for HTML, a marker in a region of another field, and an end without a beginning.

use super::CALLS;
use super::pattern::Pattern;
use super::template::Template;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::near_miss::loose_length;
use crate::text::Span;

/// Minimum length in bytes of a marker that can be distinguished from ordinary text.
const TELLING: usize = 5;

/// The distinctive literal prefixes of a marker.
fn texts(pattern: Option<&Pattern>) -> impl Iterator<Item = &[u8]> {
    let prefixes = pattern.and_then(|pattern| pattern.prefixes.as_deref()).unwrap_or_default();
    prefixes.iter().map(Vec::as_slice).filter(|text| text.len() >= TELLING)
}

/// Reports a marker of calls where it has no effect; `open` is the field of the region around it.
pub(super) fn of_delimiter(template: &Template, open: Option<usize>, ahead: &[u8], at: usize) -> Option<Diagnostic> {
    let calls = template.fields.iter().find(|field| field.name == CALLS)?;
    let is_at = |text: &&[u8]| ahead.starts_with(text);
    if let Some(open) = open {
        let marker = texts(calls.open.as_ref()).find(is_at)?;
        let name = &template.fields[open].name;
        let words = String::from_utf8_lossy(marker);
        let message = format!("{words} in a region of the field {name} does not begin a call");
        let problem = Diagnostic::new(Code::NearMissMarker, Span::new(at, at + marker.len()), message);
        let help = format!("end the region of {name} before the call");
        return Some(problem.with_severity(Severity::Hint).help(help));
    }
    let marker = texts(calls.close.as_ref()).find(is_at)?;
    // Markers of other fields may begin with the same text.
    let others = template.fields.iter().filter(|field| field.name != CALLS);
    let mut texts = others.flat_map(|field| texts(field.open.as_ref()).chain(texts(field.close.as_ref())));
    if texts.any(|text| text.starts_with(marker) || marker.starts_with(text)) {
        return None;
    }
    let words = String::from_utf8_lossy(marker);
    let message = format!("stray {words}: no call is open");
    Some(Diagnostic::new(Code::StrayEnd, Span::new(at, at + marker.len()), message))
}

/// True if the arrived text may become a marker that would be reported.
pub(super) fn may_follow(template: &Template, open: Option<usize>, ahead: &[u8]) -> bool {
    let Some(calls) = template.fields.iter().find(|field| field.name == CALLS) else { return false };
    let pattern = if open.is_some() { calls.open.as_ref() } else { calls.close.as_ref() };
    texts(pattern).any(|text| ahead.len() < text.len() && text.starts_with(ahead))
}

/// First bytes of lines that may hold a near miss of a marker.
pub(super) fn first_bytes(template: &Template) -> Vec<u8> {
    let calls = template.fields.iter().find(|field| field.name == CALLS);
    let firsts = texts(calls.and_then(|field| field.open.as_ref())).filter_map(|text| text.first().copied());
    let mut bytes: Vec<u8> =
        firsts.flat_map(|byte| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase(), b'&']).collect();
    bytes.sort_unstable();
    bytes.dedup();
    bytes
}

/// Reports a near miss of a call's opener at the beginning of a line.
pub(super) fn of_line(template: &Template, line: &[u8], at: usize) -> Option<Diagnostic> {
    let calls = template.fields.iter().find(|field| field.name == CALLS)?;
    let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let rest = &line[indent..];
    texts(calls.open.as_ref()).find_map(|marker| {
        let marker = std::str::from_utf8(marker).ok()?;
        let length = loose_length(marker, rest)?;
        let found = String::from_utf8_lossy(&rest[..length]);
        let span = Span::new(at + indent, at + indent + length);
        let message = format!("almost the start marker {marker}: it is prose");
        Some(Diagnostic::new(Code::NearMissMarker, span, message).contrast(marker, &*found).replace_with(marker))
    })
}
