//! Errors in a filter expression: the place, the message, and what would be valid there.

use std::fmt;

use crate::text::Span;
use crate::text::sanitize::visible_str;
use crate::text::wrap::display_width;

/// A filter expression that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The byte range of the expression at fault; empty where something is missing.
    pub span: Span,
    /// A short message without a full stop.
    pub(crate) message: String,
    /// The remedy, in the imperative.
    pub(crate) help: String,
    /// The whole expression, for [`FilterError::marked`].
    expression: String,
}

impl FilterError {
    pub(super) fn new(span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: help.into(), expression: String::new() }
    }

    /// Attaches the expression that the error is about.
    #[must_use]
    pub(super) fn within(self, expression: &str) -> Self {
        Self { expression: expression.to_owned(), ..self }
    }

    /// The expression on one line, and a line of carets under the fault; safe to show.
    pub fn marked(&self) -> [String; 2] {
        // Bytes of context on each side of the fault in a long expression.
        const AROUND: usize = 60;
        let text = self.expression.as_str();
        let floor = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let (from, start) = (floor(self.span.start.saturating_sub(AROUND)), floor(self.span.start));
        let end = floor(self.span.end).max(start);
        let (fault, to) = (floor(end.min(start + AROUND)), floor(end.min(start + AROUND) + AROUND));
        let [lead, rest] = [(from > 0, "…"), (to < text.len(), "…")].map(|(cut, dots)| if cut { dots } else { "" });
        let before = format!("{lead}{}", visible_str(&text[from..start]));
        let under = display_width(visible_str(&text[start..fault]).as_bytes()).max(1);
        let line = format!("{before}{}{rest}", visible_str(&text[start..to]));
        [line, format!("{}{}", " ".repeat(display_width(before.as_bytes())), "^".repeat(under))]
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}; {}", self.message, self.help)
    }
}

impl std::error::Error for FilterError {}
