//! Checks that edits keep the content of a text: nothing that arrived is lost, no value shrinks, no prose becomes an
//! argument, and no two lines become one.
//!
//! Content is letters and digits; markers, punctuation and whitespace around it may change. Each byte is in prose, in a
//! value or in the markup of a call, and must stay there, except on the line at fault and at markers that were not
//! recognised.

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Edit};
use crate::dialect::Status;
use crate::document::{Brief, Call};
use crate::session::Session;
use crate::text::Span;
use crate::value::{Argument, Value};

use super::Repair;
use super::patch::EditMap;
use super::window::line_of;

/// The part of a text that a byte is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Prose,
    /// In a call, outside its values.
    Markup,
    Value,
}

/// Calls and values in a range of a text, in order; values do not overlap.
struct Sides {
    calls: Vec<Span>,
    /// Calls without an end.
    open: Vec<Span>,
    values: Vec<Span>,
}

/// A text before and after a repair.
struct Comparison<'a> {
    before: &'a Session,
    after: &'a Session,
    repair: &'a Repair,
    map: &'a EditMap<'a>,
    /// The part of the original text that the edits may have affected.
    region: Span,
    faults: &'a [Brief],
    /// Lines whose bytes may change their side: the lines at fault, and lines with a replacement. Sorted.
    lines: Vec<Span>,
    /// Offsets of markers that were not recognised, sorted.
    markers: Vec<usize>,
}

/// True if a repair of some faults keeps the content of a text. `faults` are in text order.
pub(super) fn is_kept(before: &Session, after: &Session, repair: &Repair, map: &EditMap<'_>, faults: &[Brief]) -> bool {
    let own_lines = faults.iter().map(|fault| {
        let line = line_of(before, fault.span.start);
        // A problem of several lines is not about a single one.
        if fault.span.end <= line.end { line } else { fault.span }
    });
    let replaced = repair.edits.iter().filter(|edit| !edit.span.is_empty() && !edit.with.is_empty());
    let mut lines: Vec<Span> = own_lines.chain(replaced.map(|edit| line_of(before, edit.span.start))).collect();
    lines.sort_unstable();
    let missed = faults.iter().filter(|fault| fault.code == Code::NearMissMarker).map(|fault| fault.span.start + 1);
    let tags = repair.edits.iter().filter(|edit| is_closing_tag(before, edit)).map(|edit| edit.span.end);
    let region = region(before, after, map, faults.iter().map(|fault| fault.span).fold(repair.span(), Span::cover));
    let mut markers: Vec<usize> =
        missed.chain(tags).chain(ends_in_strings(before, region).map(|tag| tag.start)).collect();
    markers.sort_unstable();
    let lines = merged(lines);
    let comparison = Comparison { before, after, repair, map, region, faults, lines, markers };
    !comparison.joins_lines()
        && malformed_names(after, map.span_after(region)) <= malformed_names(before, region)
        && keeps_calls_outside(before, after, map, &[region])
        && comparison.keeps_sides()
}

/// True if all calls outside some regions of the original text are unchanged. `regions` are in text order.
pub(super) fn keeps_calls_outside(before: &Session, after: &Session, map: &EditMap<'_>, regions: &[Span]) -> bool {
    let later: Vec<Span> = regions.iter().map(|region| map.span_after(*region)).collect();
    let shape = |call: Call<'_>| (call.span, call.body, call.status, call.arguments().len());
    let mapped =
        |call: Call<'_>| (map.span_after(call.span), map.span_after(call.body), call.status, call.arguments().len());
    let (before, after) = (before.document(), after.document());
    let old = before.calls().filter_map(|item| before.call(item)).filter(|call| !touches(regions, call.span));
    let new = after.calls().filter_map(|item| after.call(item)).filter(|call| !touches(&later, call.span));
    old.map(mapped).eq(new.map(shape))
}

/// The items that a repair touches before or after it, in offsets of the original text.
fn region(before: &Session, after: &Session, map: &EditMap<'_>, touched: Span) -> Span {
    let items = |session: &Session, span: Span| {
        let document = session.document();
        let at = |offset: usize| document.item_at(offset).and_then(|item| document.items().span(item));
        [span.start.saturating_sub(1), span.start, span.end]
            .into_iter()
            .filter_map(|offset| at(offset.min(session.text().len().saturating_sub(1))))
            .fold(span, Span::cover)
    };
    let mut region = items(before, touched);
    for _ in 0..2 {
        let later = items(after, map.span_after(region));
        region = region.cover(items(before, map.span_before(later)));
    }
    Span::new(region.start, region.end.min(before.text().len()))
}

/// Merges overlapping spans; the input is sorted.
fn merged(spans: Vec<Span>) -> Vec<Span> {
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut().filter(|last| span.start < last.end) {
            Some(last) => *last = last.cover(span),
            None => merged.push(span),
        }
    }
    merged
}

/// The span that contains an offset, out of sorted spans that do not overlap.
fn containing(spans: &[Span], offset: usize) -> Option<Span> {
    let next = spans.partition_point(|span| span.start <= offset);
    spans[..next].last().copied().filter(|span| span.contains(offset))
}

/// True if one of some sorted spans touches `span`.
fn touches(spans: &[Span], span: Span) -> bool {
    let next = spans.partition_point(|other| other.end < span.start);
    spans[next..].iter().take_while(|other| other.start <= span.end).any(|other| other.touches(span))
}

/// Number of calls in a region whose name contains quotes, braces or line feeds, so that more than a name was read as
/// one.
fn malformed_names(session: &Session, region: Span) -> usize {
    let document = session.document();
    let first = document.item_at(region.start).map_or(0, |item| document.calls_before(item));
    let calls = document.calls().skip(first).filter_map(|item| document.call(item));
    calls
        .take_while(|call| call.span.start <= region.end)
        .filter(|call| {
            let written = session.text().read_str(call.name.span);
            call.name.decoded.unwrap_or(&written).contains(['"', '{', '}', '\n'])
        })
        .count()
}

/// End tags that were read as part of a string although nothing follows them on their line.
pub(super) fn ends_in_strings(before: &Session, region: Span) -> impl Iterator<Item = Span> {
    let briefs = before.document().diagnostics().briefs();
    let ends = briefs.filter(move |brief| brief.code == Code::EndTagInString && region.contains(brief.span.start));
    ends.map(|brief| brief.span).filter(|tag| {
        let rest = Span::new(tag.end, line_of(before, tag.end).end.max(tag.end));
        before.text().read(rest).trim_ascii().is_empty()
    })
}

/// True if an edit replaces a closing tag with another one.
fn is_closing_tag(before: &Session, edit: &Edit) -> bool {
    let is_tag = |text: &str| text.starts_with("</") && text.ends_with('>');
    is_tag(edit.with.trim()) && is_tag(before.text().read_str(edit.span).trim())
}

impl Sides {
    fn new(session: &Session, region: Span) -> Self {
        let document = session.document();
        let (mut calls, mut open, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let first = document.item_at(region.start).map_or(0, |item| document.calls_before(item));
        for item in document.calls().skip(first) {
            let Some(call) = document.call(item) else { continue };
            if call.span.start > region.end {
                break;
            }
            calls.push(call.span);
            open.extend((call.status != Status::Complete).then_some(call.span));
            let Some(assembly) = session.dissect(item) else { continue };
            values.extend(assembly.arguments.iter().map(|argument| argument.value));
            values.extend(assembly.tree.walk().filter_map(|(id, _)| match assembly.tree.node(id).value {
                Value::Scalar(_, span) => Some(span),
                _ => None,
            }));
        }
        values.sort_unstable();
        Self { calls, open, values: merged(values) }
    }

    fn at(&self, offset: usize) -> Side {
        match (containing(&self.values, offset), self.call_at(offset)) {
            (Some(_), _) => Side::Value,
            (None, Some(_)) => Side::Markup,
            (None, None) => Side::Prose,
        }
    }

    fn call_at(&self, offset: usize) -> Option<Span> {
        containing(&self.calls, offset)
    }
}

impl Comparison<'_> {
    /// True if the edits remove a line break between two texts that remain.
    fn joins_lines(&self) -> bool {
        let bytes = |span: Span| self.before.text().read(span);
        let breaks = |text: &[u8]| memchr::memchr_iter(b'\n', text).count();
        self.repair.edits.iter().any(|edit| {
            let (old, new) = (breaks(&bytes(edit.span)), breaks(edit.with.as_bytes()));
            if old <= new + edit.with.matches("\\n").count() || new > 0 {
                return false;
            }
            let head = Span::new(line_of(self.before, edit.span.start).start, edit.span.start);
            let tail = Span::new(edit.span.end, line_of(self.before, edit.span.end).end.max(edit.span.end));
            let is_blank = |span| bytes(span).trim_ascii().is_empty();
            !(is_blank(tail) || is_blank(head) && edit.with.trim().is_empty())
        })
    }

    /// True if every letter and digit stays on its side, and deleted ones occur once more in the text or were not
    /// content.
    fn keeps_sides(&self) -> bool {
        let (old, new) =
            (Sides::new(self.before, self.region), Sides::new(self.after, self.map.span_after(self.region)));
        let mut edits = self.repair.edits.iter().peekable();
        let mut at = self.region.start;
        for chunk in self.before.text().read(self.region).utf8_chunks() {
            for (offset, c) in chunk.valid().char_indices().map(|(offset, c)| (at + offset, c)) {
                while edits.next_if(|edit| edit.span.end <= offset).is_some() {}
                let is_edited = edits.peek().is_some_and(|edit| edit.span.start <= offset);
                if c.is_alphanumeric() && !is_edited && !self.is_same_side(&old, &new, offset) {
                    return false;
                }
            }
            at += chunk.valid().len() + chunk.invalid().len();
        }
        if self.repair.edits.iter().any(|edit| self.is_tag_in_value(edit, &new)) {
            return false;
        }
        let doubtful: Vec<&Edit> = self.repair.edits.iter().filter(|edit| !self.keeps_words(edit, &old)).collect();
        let item_at = |edit: &&Edit| self.before.document().item_at(edit.span.start);
        doubtful
            .chunk_by(|a, b| item_at(a) == item_at(b))
            .all(|edits| item_at(&edits[0]).is_some_and(|item| self.are_repeated(item, edits)))
    }

    /// True if a closing tag that an edit inserts becomes part of a value.
    fn is_tag_in_value(&self, edit: &Edit, new: &Sides) -> bool {
        let tag = edit.with.trim();
        let lead = edit.with.len() - edit.with.trim_start().len();
        // Insertions at the same offset are adjacent.
        let start = self.map.after(edit.span.start).saturating_sub(edit.with.len()) + lead;
        let is_tag = edit.span.is_empty() && tag.starts_with("</") && tag.ends_with('>');
        is_tag && containing(&new.values, start).is_some()
    }

    fn is_same_side(&self, old: &Sides, new: &Sides, offset: usize) -> bool {
        let there = self.map.after(offset);
        match (old.at(offset), new.at(there)) {
            (Side::Prose, Side::Prose) | (Side::Value, Side::Value) | (Side::Markup, _) => true,
            _ if containing(&self.lines, offset).is_some() || self.is_completed(offset) => true,
            // Text after a marker that was not recognised may belong to another argument, or to none.
            (Side::Value, _) => {
                let marker = self.markers[..self.markers.partition_point(|marker| *marker <= offset)].last();
                old.call_at(offset).zip(marker).is_some_and(|(call, marker)| call.start <= *marker)
            }
            // The quotation that a line without its prefix has interrupted.
            (Side::Prose, _) if self.faults.iter().any(|fault| fault.code == Code::CalloutLazyLine) => true,
            // A call that was not recognised owns all of its text, unless its end is a guess.
            (Side::Prose, _) => {
                let Some(call) = new.call_at(there) else { return false };
                let begins = self.map.before(call.start);
                let is_new = old.call_at(begins).is_none() || containing(&self.lines, begins).is_some();
                is_new && containing(&new.open, call.start).is_none() && !self.has_guessed_end(call)
            }
        }
    }

    /// True if a call ends with text that an edit inserted.
    fn has_guessed_end(&self, call: Span) -> bool {
        let text = self.after.text().read(call);
        let end = call.start + text.trim_ascii_end().len();
        let edits = self.map.edits_at(Span::at(self.map.before(end.saturating_sub(1))));
        edits.iter().any(|edit| {
            // Insertions at the same offset are adjacent.
            let start = self.map.after(edit.span.start).saturating_sub(edit.with.len());
            edit.span.is_empty() && !edit.with.trim().is_empty() && start < end && end <= start + edit.with.len()
        })
    }

    /// True if an offset is in a word that an edit completes, such as the beginning of a marker.
    fn is_completed(&self, offset: usize) -> bool {
        let next = self.repair.edits.partition_point(|edit| edit.span.start <= offset);
        self.repair.edits.get(next).is_some_and(|edit| {
            let goes_on = edit.span.is_empty() && edit.with.starts_with(|c: char| c.is_alphanumeric());
            let word = Span::new(offset, edit.span.start);
            goes_on && word.len() < LONGEST_MARKER && !self.before.text().read(word).iter().any(u8::is_ascii_whitespace)
        })
    }

    /// True if the text that an edit removes is in its replacement, in markup or on the line at fault.
    fn keeps_words(&self, edit: &Edit, old: &Sides) -> bool {
        let text = self.before.text().read_str(edit.span);
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let (taken, written): (Vec<char>, Vec<char>) = (letters(&text), letters(&edit.with));
        let mut rest = written.iter();
        let is_literal = matches!(&*edit.with, "true" | "false" | "null");
        if taken.iter().all(|c| rest.any(|other| other == c)) || is_literal || is_closing_tag(self.before, edit) {
            return true;
        }
        let is_content = |(offset, c): (usize, char)| {
            let offset = edit.span.start + offset;
            c.is_alphanumeric()
                && match old.at(offset) {
                    Side::Value => true,
                    Side::Prose => containing(&self.lines, offset).is_none(),
                    Side::Markup => false,
                }
        };
        !text.char_indices().any(is_content)
    }

    /// True if each argument that edits remove from a call occurs in it once more, with the same pointer and value.
    fn are_repeated(&self, item: usize, edits: &[&Edit]) -> bool {
        let Some(assembly) = self.before.dissect(item) else { return false };
        let is_taken = |argument: &&Argument| {
            let place = argument.place();
            let next = edits.partition_point(|edit| edit.span.end < place.end);
            edits.get(next).is_some_and(|edit| edit.span.start <= place.start)
        };
        let words = |span: Span| self.before.text().read_str(span).trim().to_owned();
        let words = |argument: &Argument| (words(argument.pointer), words(argument.value));
        let (taken, kept): (Vec<&Argument>, Vec<&Argument>) = assembly.arguments.iter().partition(is_taken);
        let kept: BTreeSet<_> = kept.into_iter().map(words).collect();
        taken.len() >= edits.len() && taken.into_iter().all(|argument| kept.contains(&words(argument)))
    }
}

/// Longest marker whose beginning may be in the text, in bytes.
const LONGEST_MARKER: usize = 64;
