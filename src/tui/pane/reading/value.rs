//! The displayed bytes of a value, and ranges of them as parts of rows.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::colour_codes::{self, ColourCodes};
use crate::text::{Span, Text};
use crate::value::json::string::{Decoded, decode};
use crate::value::{Assembly, NodeId};

use crate::tui::row::{Excerpt, ExcerptOf, Piece};
use crate::tui::style::Role;

/// The displayed bytes of a value: transcript bytes, or the decoded value without its colour codes.
pub(super) struct ShownValue<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// True if they are transcript bytes, which are drawn in place.
    pub(super) written: bool,
    /// True if it contains colour codes, which are not shown.
    pub(super) coloured: bool,
    /// Offset of the value in the transcript.
    pub(super) origin: usize,
    /// Decoding steps that map offsets back to the transcript: a JSON string, or one within another.
    strings: Vec<Decoded>,
}

impl<'a> ShownValue<'a> {
    pub(super) fn new(assembly: &'a Assembly, id: NodeId, span: Span, text: &'a Text) -> Self {
        let Some(decoded) = &assembly.tree.node(id).decoded else {
            let bytes = text.read(span);
            let coloured = colour_codes::sequences(&bytes).next().is_some();
            return Self { bytes, written: true, coloured, origin: span.start, strings: Vec::new() };
        };
        let bytes = colour_codes::bytes_without(decoded.as_bytes());
        let coloured = matches!(bytes, Cow::Owned(_));
        let strings = strings(&text.read(span), decoded.as_bytes());
        Self { bytes, written: false, coloured, origin: span.start, strings }
    }

    /// Offset in the transcript of the displayed byte at `at`; approximate where the decoding is not known to be JSON.
    pub(super) fn offset(&self, at: usize) -> usize {
        let Some(said) = self.strings.last() else { return self.origin + at };
        let mut removed = 0;
        if self.coloured {
            let before = colour_codes::sequences(&said.bytes).take_while(|sequence| {
                let is_before = sequence.start <= at + removed;
                removed += if is_before { sequence.len() } else { 0 };
                is_before
            });
            before.for_each(drop);
        }
        self.strings.iter().rev().fold(at + removed, |at, string| string.source_of(at)) + self.origin
    }

    /// A range of the bytes as part of a row: transcript bytes as an excerpt, others as text appended to `lead`.
    pub(super) fn part(
        &self,
        range: Range<usize>,
        role: Role,
        styles: &[(Range<usize>, Role)],
        lead: &mut Vec<Piece>,
    ) -> Option<Excerpt> {
        if self.written {
            let moved = |range: &Range<usize>| Span::new(self.origin + range.start, self.origin + range.end);
            let styles = styles.iter().map(|(range, role)| (moved(range), *role)).collect();
            let colour_codes = ColourCodes::Dropped;
            return Some(Excerpt { span: moved(&range), role, styles, of: ExcerptOf::Text, colour_codes });
        }
        let mut at = range.start;
        for (styled, style) in styles.iter().filter(|(styled, _)| styled.start < range.end && styled.end > range.start)
        {
            let (start, end) = (styled.start.max(at), styled.end.min(range.end));
            lead.push(Piece::new(String::from_utf8_lossy(&self.bytes[at..start]), role));
            lead.push(Piece::new(String::from_utf8_lossy(&self.bytes[start..end]), *style));
            at = end;
        }
        lead.push(Piece::new(String::from_utf8_lossy(&self.bytes[at..range.end]), role));
        None
    }
}

/// The nested JSON strings that decode from `written` to `said`; empty if it is not JSON.
fn strings(written: &[u8], said: &[u8]) -> Vec<Decoded> {
    let outer = decode(written);
    if outer.bytes == said {
        return vec![outer];
    }
    let inner = decode(&outer.bytes);
    if inner.bytes == said { vec![outer, inner] } else { Vec::new() }
}
