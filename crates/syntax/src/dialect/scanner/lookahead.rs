//! Searches an open call for the first complete call of another dialect.
//!
//! A second scanner, without the open call's dialect, reads the same bytes.

use super::super::{DialectInfo, MarkdownContext, ParseEvent, Status};
use super::Scanner;
use crate::text::{Span, Text};

/// Bytes before a marker that are searched for the beginning of its line.
const MAX_INDENT: usize = 256;

/// A complete call of another dialect that begins a line.
#[derive(Clone)]
pub(super) struct FoundCall {
    /// Offset of the beginning of its line.
    pub(super) at: usize,
    pub(super) markdown: MarkdownContext,
    pub(super) about: &'static DialectInfo,
}

/// Search of an open call for the first complete call of another dialect.
#[derive(Clone, Default)]
pub(super) struct Lookahead {
    /// A scanner of all dialects except the open call's.
    pub(super) scanner: Option<Box<Scanner>>,
    pub(super) found: Option<FoundCall>,
    /// Offset at which the search began.
    from: usize,
    /// Calls that begin at this offset or later are ignored.
    limit: usize,
    undecided: usize,
    /// The first call of the block that the scanner is in: its dialect and its offset.
    candidate: Option<(&'static DialectInfo, usize)>,
    /// Reused buffer for the scanner's events.
    events: Vec<ParseEvent>,
}

impl Lookahead {
    /// Starts a search with a scanner that is at `from`, for calls that begin before `limit`.
    pub(super) fn begin(&mut self, scanner: Box<Scanner>, from: usize, limit: usize) {
        *self = Self { scanner: Some(scanner), from, limit, ..Self::default() };
    }

    /// True if a search has started.
    pub(super) fn is_under_way(&self) -> bool {
        self.scanner.is_some()
    }

    /// True if the search ended in an incomplete call.
    pub(super) fn is_lost(&self) -> bool {
        self.found.is_none() && self.scanner.as_ref().is_some_and(|scanner| scanner.open.is_some())
    }

    /// Fast path like [`Scanner::skip_plain`], if a search has started.
    pub(super) fn skip_plain(&mut self, text: &Text) -> bool {
        let is_passed = match &mut self.scanner {
            Some(scanner) if self.found.is_none() => scanner.skip_plain(text),
            _ => false,
        };
        if is_passed {
            self.note(text);
        }
        is_passed
    }

    /// Continues to the first complete call. Returns true once the result, found or not, is known.
    pub(super) fn advance(&mut self, text: &Text, finished: bool) -> bool {
        let is_known = self.look(text, finished);
        self.note(text);
        is_known
    }

    fn look(&mut self, text: &Text, finished: bool) -> bool {
        let (Some(scanner), limit) = (&mut self.scanner, self.limit) else { return true };
        loop {
            if self.found.is_some() || scanner.has_passed(limit) {
                return true;
            }
            let more = scanner.advance(text, finished, &mut self.events);
            for event in self.events.drain(..) {
                match event {
                    ParseEvent::Open(opening) if self.candidate.is_none() => {
                        self.candidate = Some((opening.dialect, opening.marker.start));
                    }
                    ParseEvent::Close(closing) if closing.status == Status::Complete => {
                        let begins = self.candidate.and_then(|(about, start)| Some((about, line_of(text, start)?)));
                        if let Some((about, at)) = begins.filter(|(_, at)| *at >= self.from && *at < limit) {
                            let markdown = scanner.call_markdown().clone();
                            self.found.get_or_insert(FoundCall { at, markdown, about });
                        }
                    }
                    _ => {}
                }
            }
            if let Some(found) = scanner.take_found().filter(|found| found.at < limit) {
                self.found.get_or_insert(found);
            }
            if more {
                self.candidate = None;
            } else {
                return finished || self.found.is_some() || scanner.has_passed(limit);
            }
        }
    }

    /// Offset before which the call certainly does not yield.
    pub(super) fn undecided(&self) -> usize {
        if self.is_under_way() { self.undecided } else { usize::MAX }
    }

    /// Records the offset of a possible call that is not complete yet.
    fn note(&mut self, text: &Text) {
        let prose = self.scanner.as_ref().and_then(|scanner| scanner.prose());
        let at = prose.or(self.candidate.map(|(_, start)| start)).unwrap_or(self.from);
        let found = self.found.as_ref().map(|found| found.at);
        self.undecided = found.unwrap_or_else(|| line_of(text, at).unwrap_or(at).max(self.from));
    }

    /// The lowest offset that will still be passed to [`Text::since`].
    pub(super) fn needed(&self) -> usize {
        let scanner = self.scanner.as_ref().filter(|_| self.found.is_none());
        scanner.map_or(usize::MAX, |scanner| scanner.needed())
    }
}

/// The beginning of the line of `at`, if only spaces and tabs precede `at` on it.
fn line_of(text: &Text, at: usize) -> Option<usize> {
    let from = at.saturating_sub(MAX_INDENT);
    let before = text.read(Span::new(from, at));
    match before.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')) {
        Some(last) => (before[last] == b'\n').then_some(from + last + 1),
        None => (from == 0).then_some(0),
    }
}
