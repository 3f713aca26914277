//! The bytes of a value as the reading pane shows them, and the parts of them that a row shows.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::colour_codes::{self, ColourCodes};
use crate::text::{Span, Text};
use crate::value::json::string::{Decoded, decode};
use crate::value::{Assembly, NodeId};

use crate::tui::row::{Excerpt, ExcerptOf, Piece};
use crate::tui::style::Role;

/// The bytes of a value as they are shown: those of the transcript, or what they stand for without its colours.
pub(super) struct Shown<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Whether they are bytes of the transcript, which can be drawn where they stand.
    pub(super) written: bool,
    /// Whether it holds colours, which are not shown.
    pub(super) coloured: bool,
    /// Where the value lies in the transcript.
    pub(super) origin: usize,
    /// What leads back to the transcript from what a JSON string says: one string, or one within another.
    strings: Vec<Decoded>,
}

impl<'a> Shown<'a> {
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

    /// Where in the transcript the byte at `at` is written, or about there where no escapes of JSON tell.
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

    /// A stretch of the bytes as part of a row: bytes of the transcript as such, others as words added to `lead`.
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

/// The strings through which some bytes came to say what they say; none where they are no JSON.
fn strings(written: &[u8], said: &[u8]) -> Vec<Decoded> {
    let outer = decode(written);
    if outer.bytes == said {
        return vec![outer];
    }
    let inner = decode(&outer.bytes);
    if inner.bytes == said { vec![outer, inner] } else { Vec::new() }
}
