//! Syntax styles for the lines of a result in its language.
//!
//! The colours come from the worker of `tui/highlight`; until they arrive, and if the language is unknown, lines are
//! plain.

use std::sync::Arc;

use crate::highlight::{Highlighted, MAX_TEXT_BYTES, ResultCode};
use crate::text::Span;

use crate::tui::highlight::role_of_code;
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::cache::HighlightRequest;

/// Maximum number of keys of a container that are examined.
pub(super) const SIBLINGS: usize = 256;

/// Maximum bytes of a result that are highlighted; the rest is plain.
pub(super) const PAINTED: usize = MAX_TEXT_BYTES;

/// Styles of the lines of a result, starting at its first byte.
#[derive(Default)]
pub(super) struct HighlightedLines {
    /// Bytes of the line number at the start of each line.
    numbers: Vec<usize>,
    colours: Option<Arc<Highlighted>>,
}

impl HighlightedLines {
    /// Styles of `shown`, the first bytes of the result `item`, which begins at `origin` and answers `call`.
    pub(super) fn from_result(view: &View, item: usize, call: Option<usize>, origin: usize, shown: &[u8]) -> Self {
        let assembly = || call.and_then(|call| view.assembly(call));
        let ResultCode { numbers, code, language } = ResultCode::new(shown, assembly, view.session.text());
        let colours = language.and_then(|language| {
            let key = ((view.base() + origin) as u64) << 24 ^ shown.len() as u64;
            view.cache.borrow_mut().colours(HighlightRequest { key, language, text: code.into(), item })
        });
        Self { numbers, colours }
    }

    /// The styles of a line; `number` counts lines of the result from 0.
    pub(super) fn styles(&self, number: usize, line: Span) -> Vec<(Span, Role)> {
        let width = self.numbers.get(number).copied().unwrap_or(0);
        let mut at = line.start + width;
        let mut styles = Vec::new();
        if width > 0 {
            styles.push((Span::new(line.start, at), Role::LineNumber));
        }
        let runs = self.colours.as_ref().and_then(|colours| colours.lines.get(number));
        for &(length, code) in runs.into_iter().flatten() {
            styles.push((Span::new(at, at + length), role_of_code(code)));
            at += length;
        }
        styles
    }
}
