//! Finds the beginnings and ends of regions while the text arrives.
//!
//! While a field is open, only its own end is searched for; outside of regions, all beginnings and the end of the
//! implicit field. The earliest delimiter wins; among equals the longest one, then a beginning, then the first name.

use std::cmp::Reverse;

use super::field::Field;
use super::haystack::Haystack;
use super::matcher::{Match, Scan, SearchResult};
use super::pattern::Pattern;
use super::template::Template;

/// The end of a region that a delimiter marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Edge {
    Open,
    Close,
}

/// A match of a delimiter.
#[derive(Clone, Debug)]
pub(super) struct Delimiter {
    pub(super) edge: Edge,
    pub(super) field: usize,
    pub(super) found: Match,
}

impl Delimiter {
    /// The sort key; the least delimiter wins.
    fn rank<'a>(&self, template: &'a Template) -> (usize, Reverse<usize>, Edge, &'a str) {
        let span = self.found.span;
        (span.start, Reverse(span.len()), self.edge, &template.fields[self.field].name)
    }
}

/// Result of the search for the next delimiter.
#[derive(Debug)]
pub(super) enum Next {
    Delimiter(Box<Delimiter>),
    /// No delimiter begins before this offset; the following text is undecided.
    Hold(usize),
}

/// The searches for the delimiters of a template.
#[derive(Clone, Debug)]
pub(super) struct DelimiterSearch {
    opens: Vec<Scan>,
    closes: Vec<Scan>,
}

impl DelimiterSearch {
    pub(super) fn new(template: &Template) -> Self {
        let scans = vec![Scan::default(); template.fields.len()];
        Self { opens: scans.clone(), closes: scans }
    }

    /// The next delimiter at or after `pos`, with this field open.
    pub(super) fn next(&mut self, template: &Template, open: Option<usize>, pos: usize, hay: &Haystack<'_>) -> Next {
        let explicit = open.filter(|field| template.implicit != Some(*field));
        let mut hold = hay.end().max(pos);
        let mut best: Option<Box<Delimiter>> = None;
        for (edge, field) in watched(template, explicit) {
            let Some(pattern) = pattern(&template.fields[field], edge) else { continue };
            let scan = match edge {
                Edge::Open => &mut self.opens[field],
                Edge::Close => &mut self.closes[field],
            };
            scan.seek(pos);
            match scan.find(pattern, hay) {
                SearchResult::Nothing => {}
                SearchResult::Pending(at) => hold = hold.min(at),
                SearchResult::Match(found) => {
                    let delimiter = Delimiter { edge, field, found };
                    if best.as_ref().is_none_or(|best| delimiter.rank(template) < best.rank(template)) {
                        best = Some(Box::new(delimiter));
                    }
                }
            }
        }
        match best {
            // At the end of the text nothing is pending.
            Some(delimiter) if delimiter.found.span.start < hold || hay.is_finished() => Next::Delimiter(delimiter),
            _ => Next::Hold(hold),
        }
    }
}

/// The delimiters to search for if this field is open, or if only the implicit one is.
fn watched(template: &Template, explicit: Option<usize>) -> impl Iterator<Item = (Edge, usize)> {
    let opens = if explicit.is_some() { 0..0 } else { 0..template.fields.len() };
    let close = explicit.or(template.implicit);
    opens.map(|field| (Edge::Open, field)).chain(close.map(|field| (Edge::Close, field)))
}

fn pattern(field: &Field, edge: Edge) -> Option<&Pattern> {
    match edge {
        Edge::Open => field.open.as_ref(),
        Edge::Close => field.close.as_ref(),
    }
}
