//! A message of a model, and the dialects that it may be written in.

use std::cmp::Reverse;

use serde_json::Value as Json;

use crate::runtime::grammar::Grammar;
use crate::runtime::{self, Outcome, ToolRequest, catalog};
use crate::text::{Span, in_place};

/// Dialects that several families of models share: their calls do not tell whose parsers are meant.
const SHARED: [&str; 3] = ["function", "invoke", "native"];

/// Bytes of a message beyond which no further dialects are tried on it.
const LARGEST_TRIED: usize = 64 << 10;

/// Most further dialects that are named.
const MOST_OTHERS: usize = 3;

/// Least bytes of a marker that tells the dialect of a text without calls.
const SHORTEST_MARKER: usize = 8;

/// A text that a model wrote in one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageText {
    /// The text; each byte that is not UTF-8 is replaced by one.
    pub text: String,
    /// Its place in the transcript's text.
    pub span: Span,
    /// The dialects of the calls that were found in it.
    pub found: Vec<&'static str>,
    /// The calls that were found, by name, with their arguments.
    pub calls: Vec<(String, Json)>,
}

/// The dialects that a message may be written in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageDialects {
    /// The dialects of the calls in it, or the one that fits best.
    pub asked: Vec<&'static str>,
    /// Others whose parsers find as many calls in it.
    pub others: Vec<&'static str>,
}

/// How well a dialect fits a message: by the most calls and arguments that one of its parsers delivers, then by the number of
/// parsers that deliver so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    delivered: (usize, usize),
    parsers: usize,
    of: usize,
}

impl MessageText {
    /// A text at `span`, in which calls of these dialects were found.
    pub fn new(bytes: &[u8], span: Span, found: Vec<&'static str>) -> Self {
        Self { text: in_place(bytes), span, found, calls: Vec::new() }
    }

    /// The dialects of the calls that were found, or where these do not tell, the one that fits best, or the one whose marker is in the text; none once it `is_cancelled`. Others that fit are looked for
    /// only `with_others`: all profiles are read for that.
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
            return MessageDialects { asked: found, others: Vec::new() };
        }
        // A call that is bare JSON has no marker.
        let may_fit = |dialect: &&'static str| found.is_empty() || catalog::has_marker(dialect, &self.text);
        let fits = catalog::dialects().filter(may_fit);
        let fits = fits.take_while(|_| !is_cancelled());
        let mut fits: Vec<(Fit, Reverse<&'static str>)> =
            fits.map(|dialect| (self.fit(dialect, request), Reverse(dialect))).collect();
        fits.retain(|(fit, _)| fit.delivered.0 > 0);
        fits.sort_unstable_by_key(|fit| Reverse(*fit));
        let asked = match fits.first() {
            _ if !found.is_empty() => found,
            // Bare JSON is everyday text next to a marker.
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
        MessageDialects { asked, others }
    }

    fn fit(&self, dialect: &str, request: &ToolRequest) -> Fit {
        let outcomes = catalog::of_dialect(dialect).map(|profile| runtime::read(profile, &self.text, request).outcome);
        let delivered: Vec<_> = outcomes.map(|outcome| plain_calls(&outcome)).collect();
        let best = delivered.iter().copied().max().unwrap_or_default();
        let parsers = delivered.iter().filter(|delivered| **delivered == best).count();
        Fit { delivered: best, parsers, of: delivered.len() }
    }

    /// True if the text has a marker of a dialect in brackets.
    fn is_marked(&self, dialect: &str) -> bool {
        let literals = catalog::of_dialect(dialect).flat_map(|profile| profile.whole.grammar.literals());
        literals.map(str::trim).any(|literal| {
            literal.contains(['<', '[']) && literal.len() >= SHORTEST_MARKER && self.text.contains(literal)
        })
    }

    /// The dialect with the longest marker that is in the text; of several, the one with the most parsers that have it.
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

    /// Bytes of the longest marker of a grammar that is in the text.
    fn longest_marker(&self, grammar: &Grammar) -> Option<usize> {
        let literals = grammar.literals().into_iter().map(str::trim);
        let markers = literals.filter(|literal| literal.len() >= SHORTEST_MARKER && self.text.contains(literal));
        markers.map(str::len).max()
    }
}

/// The number of calls whose names a tool may have, and the number of their arguments.
fn plain_calls(outcome: &Outcome) -> (usize, usize) {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_meant = |name: &str| !name.is_empty() && name.chars().all(is_plain);
    let calls = outcome.calls.iter().filter(|call| call.name.as_deref().is_some_and(is_meant));
    let arguments = calls.clone().filter_map(|call| call.arguments.members()).map(<[_]>::len);
    (calls.clone().count(), arguments.sum())
}
