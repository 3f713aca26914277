//! The text of a message that the runtimes are asked about.

use crate::runtime::{self, ToolRequest, catalog};
use crate::text::Span;

/// A text that a model wrote in one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageText {
    /// The text; each byte that is no UTF-8 is replaced by one.
    pub text: String,
    /// Where it lies in the transcript's text.
    pub span: Span,
    /// The dialects of the calls that were found in it.
    pub found: Vec<&'static str>,
}

impl MessageText {
    /// A text that lies at `span`, in which calls of these dialects were found.
    pub fn new(bytes: &[u8], span: Span, found: Vec<&'static str>) -> Self {
        Self { text: runtime::message_text(bytes), span, found }
    }

    /// The dialects whose parsers may be meant: those of the calls that were found, or else those of which a parser
    /// delivers a call; fewer once it `is_cancelled`.
    pub fn dialects(&self, request: &ToolRequest, is_cancelled: impl Fn() -> bool) -> Vec<&'static str> {
        let known = |name: &&'static str| catalog::dialects().any(|dialect| dialect == *name);
        let found: Vec<_> = self.found.iter().copied().filter(known).collect();
        if !found.is_empty() {
            return found;
        }
        let delivers = |dialect: &&'static str| {
            let mut profiles = catalog::of_dialect(dialect).iter().take_while(|_| !is_cancelled());
            profiles.any(|profile| !runtime::read(profile, &self.text, request).outcome.calls.is_empty())
        };
        catalog::dialects().filter(delivers).collect()
    }
}
