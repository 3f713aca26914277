//! What is wrong with a filter expression: where, what, and what would be valid there.

use std::fmt;

use crate::text::Span;
use crate::text::sanitize::visible_str;
use crate::text::wrap::display_width;

/// Why an expression is no filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The bytes of the expression at fault; empty where something is missing.
    pub span: Span,
    /// What is wrong, in a few words without a full stop.
    pub message: String,
    /// What would be valid there, in the imperative.
    pub help: String,
    /// The expression as it was given.
    expression: String,
}

impl FilterError {
    pub(super) fn new(span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: help.into(), expression: String::new() }
    }

    /// Says which expression it is about.
    #[must_use]
    pub(super) fn within(self, expression: &str) -> Self {
        Self { expression: expression.to_owned(), ..self }
    }

    /// The expression on one line, and a line with carets under the place; safe to show.
    pub fn marked(&self) -> [String; 2] {
        // Of a long expression the surroundings of the place are enough.
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
