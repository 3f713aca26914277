//! Regions of a text: where each begins and ends, found while the text arrives.
//!
//! While a field is open only its own end is looked for; outside of the regions every beginning is, and the end of the
//! implicit field. The earliest wins, of those the longest, then a beginning, then the first name. This module does not
//! know what becomes of the text of a region.

use std::cmp::Reverse;

use super::field::Field;
use super::haystack::Haystack;
use super::matcher::{Commit, Found, Match, Scan};
use super::pattern::Pattern;
use super::template::Template;
use crate::text::{Span, Text};

/// Which end of a region a delimiter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Edge {
    Open,
    Close,
}

/// A delimiter that was found.
#[derive(Clone, Debug)]
pub(super) struct Delimiter {
    pub(super) edge: Edge,
    pub(super) field: usize,
    pub(super) found: Match,
}

impl Delimiter {
    /// Of several the least one counts.
    fn rank<'a>(&self, template: &'a Template) -> (usize, Reverse<usize>, Edge, &'a str) {
        let span = self.found.span;
        (span.start, Reverse(span.len()), self.edge, &template.fields[self.field].name)
    }
}

/// What comes next in a text.
#[derive(Debug)]
pub(super) enum Next {
    Delimiter(Box<Delimiter>),
    /// Nothing comes in front of this offset; what follows is not decided.
    Hold(usize),
}

/// The searches for the delimiters of a template.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    opens: Vec<Scan>,
    closes: Vec<Scan>,
    commit: Commit,
}

impl Watch {
    pub(super) fn new(template: &Template, commit: Commit) -> Self {
        let scans = vec![Scan::default(); template.fields.len()];
        Self { opens: scans.clone(), closes: scans, commit }
    }

    /// The next delimiter from `pos` on, with this field open.
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
            match scan.find(pattern, hay, self.commit) {
                Found::Nothing => {}
                Found::Pending(at) => hold = hold.min(at),
                Found::Match(found) => {
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

/// The delimiters that are looked for with this field open, or with none but the implicit one.
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

/// What becomes of a text as it arrives.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A region of this field begins.
    Open(usize),
    /// Text of the region of this field.
    Chunk(usize, Span),
    /// The region of this field ends. It had this text, and its opener these groups.
    Close(usize, Span, Option<Match>),
}

/// The regions of one message, from its first byte on.
#[derive(Debug)]
pub(super) struct RegionScanner {
    watch: Watch,
    origin: usize,
    /// Everything before this offset belongs to a region or is dropped.
    pos: usize,
    /// The field whose region is open, or that takes what comes.
    current: Option<usize>,
    /// Whether its region has begun.
    opened: bool,
    /// The text of the region so far.
    body: Span,
    opener: Option<Match>,
    /// Delimiters in a row that took no text.
    idle: usize,
}

impl RegionScanner {
    pub(super) fn new(template: &Template, origin: usize, commit: Commit) -> Self {
        Self {
            watch: Watch::new(template, commit),
            origin,
            pos: origin,
            current: template.implicit,
            opened: false,
            body: Span::at(origin),
            opener: None,
            idle: 0,
        }
    }

    /// Reads on as far as it can be decided.
    pub(super) fn advance(&mut self, template: &Template, text: &Text, finished: bool, out: &mut Vec<Step>) {
        loop {
            let hay = Haystack::arrived(text, self.pos, self.origin, finished);
            match self.watch.next(template, self.current, self.pos, &hay) {
                Next::Delimiter(delimiter) => {
                    let Delimiter { edge, field, found } = *delimiter;
                    let span = found.span;
                    self.take(span.start, out);
                    // Delimiters without text could go on for ever.
                    let is_idle = span.end <= self.pos;
                    self.idle = if is_idle { self.idle + 1 } else { 0 };
                    self.pos = self.pos.max(span.end);
                    if edge == Edge::Open {
                        self.close(template, out);
                        out.push(Step::Open(field));
                        (self.current, self.opened, self.opener) = (Some(field), true, Some(found));
                        self.body = Span::at(self.pos);
                    } else {
                        let had_text = self.opened;
                        self.close(template, out);
                        if !had_text && span.is_empty() {
                            return;
                        }
                    }
                    if self.idle > 2 * template.fields.len() {
                        return;
                    }
                }
                Next::Hold(_) if finished => {
                    self.take(text.len(), out);
                    self.close(template, out);
                    return;
                }
                Next::Hold(hold) => {
                    self.take(hold, out);
                    return;
                }
            }
        }
    }

    /// Text up to `end` belongs to what is open.
    fn take(&mut self, end: usize, out: &mut Vec<Step>) {
        if end <= self.pos {
            return;
        }
        let span = Span::new(self.pos, end);
        self.pos = end;
        let Some(field) = self.current else { return };
        if !self.opened {
            out.push(Step::Open(field));
            self.opened = true;
            self.body = Span::at(span.start);
        }
        self.body.end = end;
        out.push(Step::Chunk(field, span));
    }

    fn close(&mut self, template: &Template, out: &mut Vec<Step>) {
        if let Some(field) = self.current.filter(|_| self.opened) {
            out.push(Step::Close(field, self.body, self.opener.take()));
        }
        (self.current, self.opened, self.opener) = (template.implicit, false, None);
        self.body = Span::at(self.pos);
    }
}
