//! A message of a model, and detection of its dialects.

use std::cmp::Reverse;

use serde_json::Value as Json;

use crate::runtime::grammar::Grammar;
use crate::runtime::{self, Outcome, ToolRequest, catalog};
use crate::text::{Span, in_place};

/// Dialects shared by several model families, so that they do not determine the parsers.
const SHARED: [&str; 3] = ["function", "invoke", "native"];

/// Maximum size in bytes of a message on which further dialects are tried.
const LARGEST_TRIED: usize = 64 << 10;

/// Maximum number of further dialects reported.
const MOST_OTHERS: usize = 3;

/// Minimum length in bytes of a marker that identifies the dialect of a text without calls.
const SHORTEST_MARKER: usize = 8;

/// The text of one message of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageText {
    /// The text, as long as the bytes: each byte of invalid UTF-8 is replaced by a one-byte character.
    pub text: String,
    /// Its span in the transcript text.
    pub span: Span,
    /// The dialects of the calls found in it.
    pub found: Vec<&'static str>,
    /// The calls found in it: names and arguments.
    pub(crate) calls: Vec<(String, Json)>,
}

/// The dialects that a message may be written in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageDialects {
    /// The dialects of its calls, or the best match.
    pub(crate) detected: Vec<&'static str>,
    /// Others whose parsers find as many calls.
    pub(crate) others: Vec<&'static str>,
}

/// Quality of a match between dialect and message: first the largest number of calls and arguments that one of its
/// parsers delivers, then the number of parsers that deliver them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    delivered: (usize, usize),
    parsers: usize,
    of: usize,
}

impl MessageText {
    /// A text at `span` that contains calls of these dialects.
    pub fn new(bytes: &[u8], span: Span, found: Vec<&'static str>) -> Self {
        Self { text: in_place(bytes), span, found, calls: Vec::new() }
    }

    /// The dialects of the calls found; if they are ambiguous, the best match or a dialect whose marker occurs in the
    /// text. Other matches are searched only if `with_others`, since that runs all profiles. Stops early if
    /// `is_cancelled` returns true.
    pub fn dialects(
        &self,
        request: &ToolRequest,
        with_others: bool,
        is_cancelled: impl Fn() -> bool,
    ) -> MessageDialects {
        let known = |name: &&'static str| catalog::dialects().any(|dialect| dialect == *name);
        let found: Vec<_> = self.found.iter().copied().filter(known).collect();
        let is_told = !self.found.is_empty() && !self.found.iter().any(|name| SHARED.contains(name));
        if is_told && (found.is_empty() || !with_others || self.text.len() > LARGEST_TRIED) {
            return MessageDialects { detected: found, others: Vec::new() };
        }
        // A call in bare JSON has no marker.
        let may_fit = |dialect: &&'static str| found.is_empty() || catalog::has_marker(dialect, &self.text);
        let fits = catalog::dialects().filter(may_fit);
        let fits = fits.take_while(|_| !is_cancelled());
        let mut fits: Vec<(Fit, Reverse<&'static str>)> =
            fits.map(|dialect| (self.fit(dialect, request), Reverse(dialect))).collect();
        fits.retain(|(fit, _)| fit.delivered.0 > 0);
        fits.sort_unstable_by_key(|fit| Reverse(*fit));
        let asked = match fits.first() {
            _ if !found.is_empty() => found,
            // A marker outweighs bare JSON, which is common in ordinary text.
            Some((_, Reverse(dialect))) if self.is_marked(dialect) => vec![*dialect],
            Some((_, Reverse(dialect))) => vec![self.marked().filter(|other| self.is_marked(other)).unwrap_or(dialect)],
            None => self.marked().into_iter().collect(),
        };
        let best =
            fits.iter().filter(|(_, Reverse(dialect))| asked.contains(dialect)).map(|(fit, _)| fit.delivered).max();
        let best = best.unwrap_or_default();
        let fits_as_well = |fit: &Fit| fit.delivered >= best && fit.parsers * 2 >= fit.of;
        let others = fits.iter().filter(|(fit, Reverse(dialect))| !asked.contains(dialect) && fits_as_well(fit));
        let others = others.map(|(_, Reverse(dialect))| *dialect).take(MOST_OTHERS).collect();
        MessageDialects { detected: asked, others }
    }

    fn fit(&self, dialect: &str, request: &ToolRequest) -> Fit {
        let outcomes = catalog::of_dialect(dialect).map(|profile| runtime::read(profile, &self.text, request).outcome);
        let delivered: Vec<_> = outcomes.map(|outcome| plain_calls(&outcome)).collect();
        let best = delivered.iter().copied().max().unwrap_or_default();
        let parsers = delivered.iter().filter(|delivered| **delivered == best).count();
        Fit { delivered: best, parsers, of: delivered.len() }
    }

    /// True if the text contains a marker of a dialect that includes a bracket.
    fn is_marked(&self, dialect: &str) -> bool {
        let literals = catalog::of_dialect(dialect).flat_map(|profile| profile.whole.grammar.literals());
        literals.map(str::trim).any(|literal| {
            literal.contains(['<', '[']) && literal.len() >= SHORTEST_MARKER && self.text.contains(literal)
        })
    }

    /// The dialect with the longest marker that occurs in the text; in case of a tie, the one that has it in the most
    /// parsers.
    fn marked(&self) -> Option<&'static str> {
        let longest = |dialect: &'static str| {
            let grammars = catalog::of_dialect(dialect).map(|profile| &profile.whole.grammar);
            let lengths: Vec<usize> = grammars.filter_map(|grammar| self.longest_marker(grammar)).collect();
            let longest = lengths.iter().copied().max()?;
            Some((longest, lengths.iter().filter(|length| **length == longest).count(), Reverse(dialect)))
        };
        let with_marker = catalog::dialects().filter(|dialect| catalog::has_marker(dialect, &self.text));
        let (.., Reverse(dialect)) = with_marker.filter_map(longest).max()?;
        Some(dialect)
    }

    /// Length in bytes of the longest marker of a grammar that occurs in the text.
    fn longest_marker(&self, grammar: &Grammar) -> Option<usize> {
        let literals = grammar.literals().into_iter().map(str::trim);
        let markers = literals.filter(|literal| literal.len() >= SHORTEST_MARKER && self.text.contains(literal));
        markers.map(str::len).max()
    }
}

/// Number of calls with a plausible tool name, and number of their arguments.
fn plain_calls(outcome: &Outcome) -> (usize, usize) {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_meant = |name: &str| !name.is_empty() && name.chars().all(is_plain);
    let calls = outcome.calls.iter().filter(|call| call.name.as_deref().is_some_and(is_meant));
    let arguments = calls.clone().filter_map(|call| call.arguments.members()).map(<[_]>::len);
    (calls.clone().count(), arguments.sum())
}
