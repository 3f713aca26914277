//! Tracks the Markdown context of the scanner: the current line and the open code fence.
//!
//! Runtimes do not parse Markdown, so this never decides whether a marker is a call; it tells where a marker is
//! probably a mention.

use std::borrow::Cow;

use crate::text::byte_set::{FEW, line_feeds};
use crate::text::{Span, Text, trim_start};

/// Bytes of a line that are examined; the deciding ones are at its beginning.
pub(crate) const LINE_HEAD: usize = 256;

/// Bytes before a marker that are examined for inline code on its line.
const LOOK_BACK: usize = 4096;

/// The current line and the open code fence.
#[derive(Clone, Debug, Default)]
pub struct MarkdownContext {
    line_start: usize,
    fence: Option<Fence>,
}

/// An open code fence: its character, and the number of characters that opened it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence {
    byte: u8,
    length: usize,
}

/// Position of a marker within its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// At the beginning of its line, after whitespace only.
    LineStart,
    /// After other text.
    MidLine,
    /// In a code fence, or between backticks.
    Code,
    /// In a line that begins with `>`.
    Quotation,
}

impl MarkdownContext {
    /// Offset of the first byte of the current line.
    pub(crate) fn line_start(&self) -> usize {
        self.line_start
    }

    /// True if a code fence is open.
    pub(crate) fn in_fence(&self) -> bool {
        self.fence.is_some()
    }

    /// Skips to the line at `line_start`; none of the skipped lines opens or closes a fence.
    #[inline]
    pub(crate) fn pass_to(&mut self, line_start: usize) {
        self.line_start = line_start;
    }

    /// Ends a line of prose with the line feed at `feed`; it may open or close a fence.
    pub fn end_prose_line(&mut self, text: &Text, feed: usize) {
        let line = self.head(text, feed);
        self.line_start = feed + 1;
        let Some((fence, rest)) = fence_of(&line) else { return };
        self.fence = match self.fence {
            None if fence.byte == b'`' && rest.contains(&b'`') => None,
            None => Some(fence),
            open => closed_by(open, fence, rest),
        };
    }

    /// Ends a line inside of a call with the line feed at `feed`; it may close a fence around the call.
    pub(crate) fn end_call_line(&mut self, text: &Text, feed: usize) {
        if self.fence.is_some() {
            let line = self.head(text, feed);
            if let Some((fence, rest)) = fence_of(&line) {
                self.fence = closed_by(self.fence, fence, rest);
            }
        }
        self.line_start = feed + 1;
    }

    /// Skips the lines that end in `passed`, inside of a call; all earlier ones must have been skipped.
    #[inline]
    pub(crate) fn pass_call(&mut self, text: &Text, passed: Span) {
        let bytes = text.read(passed);
        if self.fence.is_some() {
            memchr::memchr_iter(b'\n', &bytes).for_each(|feed| self.end_call_line(text, passed.start + feed));
            return;
        }
        let last = if bytes.len() <= FEW { line_feeds(&bytes).last_place() } else { memchr::memrchr(b'\n', &bytes) };
        self.line_start = last.map_or(self.line_start, |feed| passed.start + feed + 1);
    }

    /// The beginning of the current line, up to `end` and at most `LINE_HEAD` bytes.
    pub(crate) fn head<'a>(&self, text: &'a Text, end: usize) -> Cow<'a, [u8]> {
        text.read(Span::new(self.line_start, end.min(self.line_start + LINE_HEAD)))
    }

    /// True if `MarkdownContext::placement` is `LineStart`, without reading the rest of a long line.
    pub(crate) fn begins_line(&self, text: &Text, at: usize) -> bool {
        let before = self.before(text, at);
        self.fence.is_none() && trim_start(&before) == before.len()
    }

    /// True if [`MarkdownContext::placement`] is `Quotation`, without reading the rest of a long line.
    pub(crate) fn in_quotation(&self, text: &Text, at: usize) -> bool {
        let before = self.before(text, at);
        self.fence.is_none() && before.get(trim_start(&before)) == Some(&b'>')
    }

    /// The text between the line start and `at`, limited to its last 4096 bytes.
    pub(crate) fn before<'a>(&self, text: &'a Text, at: usize) -> Cow<'a, [u8]> {
        text.read(Span::new(self.line_start.max(at.saturating_sub(LOOK_BACK)), at))
    }

    /// The placement of a marker at `at`.
    pub(crate) fn placement(&self, text: &Text, at: usize) -> Placement {
        if self.fence.is_some() {
            return Placement::Code;
        }
        let before = self.before(text, at);
        // A byte order mark counts as whitespace.
        match before.get(trim_start(&before)) {
            None => Placement::LineStart,
            Some(b'>') => Placement::Quotation,
            Some(_) if memchr::memchr_iter(b'`', &before).count() % 2 == 1 => Placement::Code,
            Some(_) => Placement::MidLine,
        }
    }
}

/// The fence that a line begins with, and the text after it (`CommonMark` 0.31, 4.5: up to three spaces, then three or
/// more).
fn fence_of(line: &[u8]) -> Option<(Fence, &[u8])> {
    let indent = line.iter().take_while(|&&byte| byte == b' ').count();
    let byte = *line.get(indent)?;
    if indent > 3 || !matches!(byte, b'`' | b'~') {
        return None;
    }
    let length = line[indent..].iter().take_while(|&&other| other == byte).count();
    (length >= 3).then_some((Fence { byte, length }, &line[indent + length..]))
}

/// The open fence after a line that begins with `fence`: closed by a fence at least as long with nothing after it.
fn closed_by(open: Option<Fence>, fence: Fence, rest: &[u8]) -> Option<Fence> {
    open.filter(|open| open.byte != fence.byte || fence.length < open.length || !rest.trim_ascii().is_empty())
}
