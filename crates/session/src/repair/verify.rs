//! Checks that a repair helps and does no harm.
//!
//! The text is compared with the original: no call is lost, edited calls have at least as many arguments as before,
//! their content is kept (`repair/content`), and there is no new problem, by kind and place.

use std::collections::BTreeMap;

use super::patch::EditMap;
use super::{Repair, content};
use crate::diagnostic::{Code, Diagnostic, Edit, Severity};
use crate::document::{Brief, Call};
use crate::session::Session;
use crate::text::Span;
use crate::value::Value;

/// A text before any repair.
pub(super) struct Before<'a> {
    session: &'a Session,
    /// Sorted spans of the problems of each kind.
    problems: Places,
}

type Places = BTreeMap<(Code, Severity), Vec<Span>>;

/// The result of trying a repair.
pub(super) enum TrialOutcome {
    /// The problem is gone, and there is no new one. Holds the number of remaining problems.
    Good(usize),
    /// The problem is gone, but has been replaced by this one.
    Follow(Box<Diagnostic>),
    /// The problem remains, or something is lost, or there are several new problems.
    Bad,
}

impl<'a> Before<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self { session, problems: places(session, |span| span) }
    }

    /// Judges the text that a repair of `problem` has produced.
    pub(super) fn judge(&self, repair: &Repair, after: &Session, problem: &Diagnostic) -> TrialOutcome {
        let map = repair.map();
        let found = places(after, |span| map.span_before(span));
        let fault = Brief::from(problem);
        if self.is_there(&found, &fault) || !self.keeps_calls(&map, after) {
            return TrialOutcome::Bad;
        }
        let new: Vec<_> = self.new_places(&found).take(2).collect();
        match new.as_slice() {
            [] if self.has_grown(&found)
                || self.loses_values(repair, &map, after, problem)
                || !content::is_kept(self.session, after, repair, &map, &[fault]) =>
            {
                TrialOutcome::Bad
            }
            [] => TrialOutcome::Good(found.values().map(Vec::len).sum()),
            [(kind, span)] => {
                let back = |found: &Diagnostic| found.kind() == *kind && map.before(found.span.start) == span.start;
                let next = after.document().diagnostics().iter().find(back);
                next.map_or(TrialOutcome::Bad, |found| TrialOutcome::Follow(Box::new(found)))
            }
            _ => TrialOutcome::Bad,
        }
    }

    /// True if a repair of many faults removes each and does no harm. `faults` are in text order.
    pub(super) fn removes_all(&self, repair: &Repair, after: &Session, faults: &[Brief]) -> bool {
        let map = repair.map();
        let found = places(after, |span| map.span_before(span));
        let mut counts: BTreeMap<(Code, Severity), usize> = BTreeMap::new();
        for fault in faults {
            *counts.entry((fault.code, fault.severity)).or_default() += 1;
        }
        let count = |places: &Places, kind| places.get(&kind).map_or(0, Vec::len);
        counts.into_iter().all(|(kind, number)| count(&found, kind) + number <= count(&self.problems, kind))
            && !self.brings_problems(&found)
            && self.keeps_calls(&map, after)
            && content::is_kept(self.session, after, repair, &map, faults)
    }

    /// True if repairs that were accepted within each region are also good for the whole text. `regions` are in text
    /// order.
    pub(super) fn agrees(&self, repair: &Repair, after: &Session, regions: &[Span]) -> bool {
        let map = repair.map();
        let found = places(after, |span| map.span_before(span));
        let total = |places: &Places| places.values().map(Vec::len).sum::<usize>();
        total(&found) < total(&self.problems)
            && !self.brings_problems(&found)
            && self.keeps_calls(&map, after)
            && content::keeps_calls_outside(self.session, after, &map, regions)
    }

    /// True if a problem is still at its place, and its kind is at least as frequent as before.
    fn is_there(&self, found: &Places, fault: &Brief) -> bool {
        let kind = (fault.code, fault.severity);
        let there = found.get(&kind).map_or(&[][..], Vec::as_slice);
        meets(there, fault.span) && there.len() >= self.problems.get(&kind).map_or(0, Vec::len)
    }

    /// Problems that did not exist before.
    fn new_places<'f>(&'f self, found: &'f Places) -> impl Iterator<Item = ((Code, Severity), Span)> + 'f {
        let all = found.iter().flat_map(|(kind, spans)| spans.iter().map(move |span| (*kind, *span)));
        all.filter(|(kind, span)| !self.problems.get(kind).is_some_and(|spans| meets(spans, *span)))
    }

    /// True if there are more problems of any kind than before.
    fn has_grown(&self, found: &Places) -> bool {
        found.iter().any(|(kind, spans)| spans.len() > self.problems.get(kind).map_or(0, Vec::len))
    }

    fn brings_problems(&self, found: &Places) -> bool {
        self.has_grown(found) || self.new_places(found).next().is_some()
    }

    /// True if a repair that removes words, or that moves lines of YAML, changes values that were fine.
    fn loses_values(&self, repair: &Repair, map: &EditMap<'_>, after: &Session, problem: &Diagnostic) -> bool {
        let words = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        let taken = |edit: &Edit| words(&self.session.text().read_str(edit.span)) > words(&edit.with);
        let is_json = matches!(problem.code, Code::BrokenJson | Code::NotJson);
        if problem.code != Code::YamlSyntax && (is_json || !repair.edits.iter().any(taken)) {
            return false;
        }
        let item = problem.item.or_else(|| self.session.document().item_at(problem.span.start));
        let Some(call) = item.and_then(|item| self.session.document().call(item)) else { return false };
        let span = map.span_after(call.span);
        let document = after.document();
        let touched = document.calls().filter(|item| document.call(*item).is_some_and(|call| call.span.touches(span)));
        let mut held: BTreeMap<String, usize> = BTreeMap::new();
        for value in touched.flat_map(|item| values(after, item)) {
            *held.entry(value).or_default() += 1;
        }
        let tag = content::ends_in_strings(self.session, call.span).next();
        let tag = tag.map(|tag| self.session.text().read_str(tag));
        values(self.session, item.unwrap_or_default()).iter().any(|value| {
            // The end of a call, and the text after it, are not part of its value.
            let value =
                tag.as_ref().and_then(|tag| value.split_once(&**tag)).map_or(&**value, |(own, _)| own.trim_end());
            match held.get_mut(value) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => !value.is_empty(),
            }
        })
    }

    /// True if every call still exists and has at least as many arguments as before.
    fn keeps_calls(&self, map: &EditMap<'_>, after: &Session) -> bool {
        let (before, now) = (self.session.document(), after.document());
        if now.calls().len() < before.calls().len() {
            return false;
        }
        let mut later = now.calls().filter_map(|item| Some((item, now.call(item)?))).peekable();
        for item in before.calls() {
            let Some(call) = before.call(item) else { continue };
            let span = map.span_after(call.span);
            while later.next_if(|(_, other)| other.span.end <= span.start).is_some() {}
            let Some((_, first)) = later.peek() else { return false };
            if !first.span.touches(span) || first.has_failed() && !call.has_failed() {
                return false;
            }
            if map.edits_at(call.span).is_empty() {
                continue;
            }
            // One call may have become several, which share its arguments.
            let own = leaves(self.session, item);
            let within = |(_, other): &(usize, Call<'_>)| other.span.touches(span);
            let held: usize = now
                .calls()
                .skip(now.calls_before(later.peek().map_or(0, |(item, _)| *item)))
                .filter_map(|item| Some((item, now.call(item)?)))
                .take_while(within)
                .map(|(item, _)| leaves(after, item))
                .sum();
            if held < own {
                return false;
            }
        }
        true
    }
}

/// Sorted spans of the problems of each kind, each mapped by `place`.
fn places(session: &Session, place: impl Fn(Span) -> Span) -> Places {
    let mut places = Places::new();
    for brief in session.document().diagnostics().briefs() {
        places.entry((brief.code, brief.severity)).or_default().push(place(brief.span));
    }
    for spans in places.values_mut() {
        spans.sort_unstable();
    }
    places
}

/// True if one of some sorted spans starts where `span` does, or touches it.
fn meets(spans: &[Span], span: Span) -> bool {
    let next = spans.partition_point(|other| other.start < span.start);
    let near = &spans[next.saturating_sub(1)..spans.len().min(next + 1)];
    near.iter().any(|other| other.start == span.start || other.touches(span))
}

/// Number of values of a call; 0 if it cannot be dissected.
fn leaves(session: &Session, item: usize) -> usize {
    let Some(assembly) = session.dissect(item) else { return 0 };
    assembly.tree.walk().filter(|(id, _)| is_leaf(&assembly.tree.node(*id).value)).count()
}

/// The scalar values of a call, as text.
fn values(session: &Session, item: usize) -> Vec<String> {
    let Some(assembly) = session.dissect(item) else { return Vec::new() };
    let tree = &assembly.tree;
    let leaves = tree.walk().filter(|(id, _)| matches!(tree.node(*id).value, Value::Scalar(..)));
    leaves.map(|(id, _)| tree.scalar_text(id, session.text()).into_owned()).collect()
}

fn is_leaf(value: &Value) -> bool {
    matches!(value, Value::Scalar(..)) || value.children().is_empty()
}
