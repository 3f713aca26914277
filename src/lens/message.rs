//! The text of a message that the runtimes are asked about.

use std::cmp::Reverse;

use crate::runtime::{self, Outcome, ToolRequest, catalog};
use crate::text::{Span, in_place};

/// Dialects in whose syntax the models of several families write.
const SHARED: [&str; 2] = ["function", "invoke"];

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
        Self { text: in_place(bytes), span, found }
    }

    /// The dialects whose parsers may be meant: those of the calls that were found, or else, where
    /// these tell nothing, the one whose parsers deliver most; none once it `is_cancelled`.
    pub fn dialects(&self, request: &ToolRequest, is_cancelled: impl Fn() -> bool) -> Vec<&'static str> {
        let known = |name: &&'static str| catalog::dialects().any(|dialect| dialect == *name);
        let found: Vec<_> = self.found.iter().copied().filter(known).collect();
        let is_told = !self.found.is_empty() && !self.found.iter().any(|name| SHARED.contains(name));
        if !found.is_empty() || is_told {
            return found;
        }
        let suited = |dialect: &'static str| {
            let profiles = catalog::of_dialect(dialect).take_while(|_| !is_cancelled());
            let found: Vec<_> =
                profiles.map(|profile| suits(&runtime::read(profile, &self.text, request).outcome)).collect();
            let best = found.iter().copied().max().unwrap_or_default();
            (best, found.iter().filter(|suits| **suits == best).count(), Reverse(dialect))
        };
        let best = catalog::dialects().map(suited).filter(|((calls, _), ..)| *calls > 0).max();
        best.map(|(.., Reverse(dialect))| dialect).into_iter().collect()
    }
}

/// How much an outcome looks as if it were meant: calls with names that a tool may have, and their arguments.
fn suits(outcome: &Outcome) -> (usize, usize) {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_meant = |name: &str| !name.is_empty() && name.chars().all(is_plain);
    let calls = outcome.calls.iter().filter(|call| call.name.as_deref().is_some_and(is_meant));
    let arguments = calls.clone().filter_map(|call| call.arguments.as_object()).map(serde_json::Map::len);
    (calls.clone().count(), arguments.sum())
}
