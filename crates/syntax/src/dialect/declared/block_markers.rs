//! Markers around a block that contains whole calls, including names.

use super::marker::{Marker, MatchResult};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::near_miss::loose_length;
use crate::text::Span;

/// The opening and closing markers of a block of calls.
#[derive(Debug)]
pub(super) struct BlockMarkers {
    pub(super) open: Vec<Marker>,
    /// Any of these closes a block; the first one is used for writing. If empty, a block ends with its value.
    pub(super) close: Vec<Marker>,
    pub(super) is_close_optional: bool,
    /// True if the opening marker is also the beginning of the value.
    pub(super) is_open_value: bool,
    /// True if a block begins only at the beginning of a line.
    pub(super) at_line: bool,
    /// The written form of the first closing marker; empty if there is none.
    pub(super) end: String,
}

/// Result of matching a closing marker.
pub(super) enum Closed {
    By(Span),
    /// More text is needed.
    Waits,
    Not,
}

impl BlockMarkers {
    pub(super) fn is_close_required(&self) -> bool {
        !self.close.is_empty() && !self.is_close_optional
    }

    /// Matches the opening markers at a place.
    pub(super) fn opening(&self, ahead: &[u8], at: usize, finished: bool) -> MatchResult {
        let mut partial = false;
        for marker in &self.open {
            match marker.read(ahead, at, finished) {
                MatchResult::Partial => partial = true,
                MatchResult::None => {}
                found @ MatchResult::Match(_) => return found,
            }
        }
        if partial { MatchResult::Partial } else { MatchResult::None }
    }

    pub(super) fn closed(&self, ahead: &[u8], at: usize, finished: bool) -> Closed {
        let mut waits = false;
        for marker in &self.close {
            match marker.read(ahead, at, finished) {
                MatchResult::Match(found) => return Closed::By(Span::new(at, found.end)),
                MatchResult::Partial => waits = true,
                MatchResult::None => {}
            }
        }
        if waits { Closed::Waits } else { Closed::Not }
    }

    /// True if the next block begins with these bytes.
    pub(super) fn opens(&self, rest: &[u8]) -> bool {
        self.open.iter().any(|open| rest.starts_with(open.lead()))
    }

    /// True if these bytes are a prefix of a possible block beginning.
    pub(super) fn may_open(&self, rest: &[u8]) -> bool {
        self.open.iter().any(|open| open.lead().starts_with(rest))
    }

    /// The literal beginnings of the opening markers.
    pub(super) fn leads(&self) -> Vec<Vec<u8>> {
        self.open.iter().map(|open| open.lead().to_vec()).collect()
    }
    /// The problem of a line at `at` that begins with a near miss of an opening marker; `is_body` tells whether the
    /// text after it, without whitespace, can begin calls.
    pub(super) fn near_miss(&self, line: &[u8], at: usize, is_body: impl Fn(&[u8]) -> bool) -> Option<Diagnostic> {
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let rest = &line[indent..];
        let (marker, found) = self.open.iter().find_map(|marker| Some((marker, lookalike(marker, rest, &is_body)?)))?;
        let span = Span::new(at + indent, at + indent + found.len());
        let found = String::from_utf8_lossy(found).into_owned();
        let start = marker.write(|_| None);
        let start = start.trim_end();
        let message = format!("almost the start tag {start}: it is prose");
        Some(Diagnostic::new(Code::NearMissMarker, span, message).contrast(start, found).replace_with(start))
    }
}

/// A near miss of an opening marker: in another case, escaped for HTML, or with a space in it.
fn lookalike<'a>(marker: &Marker, line: &'a [u8], is_body: impl Fn(&[u8]) -> bool) -> Option<&'a [u8]> {
    let lead = std::str::from_utf8(marker.lead()).ok()?;
    let is_tag = lead.starts_with('<') && (lead.contains('|') || lead.ends_with('>'));
    let length = loose_length(lead, line).filter(|_| is_tag)?;
    is_body(line[length..].trim_ascii_start()).then(|| &line[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_are_almost_right_are_told_from_others() {
        let is_json = |rest: &[u8]| matches!(rest.first(), None | Some(b'{' | b'['));
        let marker = Marker::parse("<tool_call>").expect("a template");
        for line in ["<TOOL_CALL>", "&lt;tool_call&gt;", "< tool_call>{", "<Tool_Call>{\"name\""] {
            assert!(lookalike(&marker, line.as_bytes(), is_json).is_some(), "{line}");
        }
        for line in ["<tool_call>", "<tool_calls>", "<tool_call_id>", "tool_call>", "<TOOL_CALL>weather", ""] {
            assert!(lookalike(&marker, line.as_bytes(), is_json).is_none(), "{line}");
        }
    }
}
