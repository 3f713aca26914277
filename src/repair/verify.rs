//! Whether a repair does what it should and no harm.
//!
//! A text is compared with what it was: no call is lost, the calls that were edited have at least the arguments that they
//! had, and no problem has come that was not there, by its kind and its place. This module does not know where repairs
//! come from.

use std::collections::BTreeMap;

use super::Repair;
use crate::diagnostic::{Code, Diagnostic, Edit, Severity};
use crate::document::Call;
use crate::params::Value;
use crate::session::Session;
use crate::text::Span;

/// What there is in a text before anything is repaired.
pub(super) struct Before<'a> {
    session: &'a Session,
    /// Places of the problems of each kind, in order.
    problems: Places,
}

type Places = BTreeMap<(Code, Severity), Vec<Span>>;

/// What a repair has led to.
pub(super) enum TrialOutcome {
    /// The problem is gone, and no other has come; so many are left.
    Good(usize),
    /// The problem is gone, and this one has come in its place.
    Follow(Box<Diagnostic>),
    /// The problem is still there, or something is lost, or too much has come.
    Bad,
}

impl<'a> Before<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Self { session, problems: places(session, |span| span) }
    }

    /// Judges what a repair of `problem` has made of the text.
    pub(super) fn judge(&self, repair: &Repair, after: &Session, problem: &Diagnostic) -> TrialOutcome {
        let found = places(after, |span| Span::new(repair.before(span.start), repair.before(span.end)));
        let own = (problem.code, problem.severity);
        let is_there = |places: &Places| places.get(&own).is_some_and(|spans| meets(spans, problem.span));
        let grown = found.iter().any(|(kind, spans)| spans.len() > self.problems.get(kind).map_or(0, Vec::len));
        let is_new = |kind, span| !self.problems.get(&kind).is_some_and(|spans| meets(spans, span));
        let mut new = found.iter().flat_map(|(kind, spans)| spans.iter().map(move |span| (*kind, *span)));
        let new: Vec<_> = new.by_ref().filter(|(kind, span)| is_new(*kind, *span)).take(2).collect();
        if is_there(&found) && !self.is_fewer(&found, own) {
            return TrialOutcome::Bad;
        }
        if !self.keeps_calls(repair, after) {
            return TrialOutcome::Bad;
        }
        match new.as_slice() {
            [] if !grown && self.loses_values(repair, after, problem) => TrialOutcome::Bad,
            [] if !grown => TrialOutcome::Good(found.values().map(Vec::len).sum()),
            [(kind, span)] => {
                let back = |found: &Diagnostic| {
                    (found.code, found.severity) == *kind && repair.before(found.span.start) == span.start
                };
                after
                    .document()
                    .diagnostics()
                    .iter()
                    .find(back)
                    .map_or(TrialOutcome::Bad, |found| TrialOutcome::Follow(Box::new(found)))
            }
            _ => TrialOutcome::Bad,
        }
    }

    /// Whether a repair that takes words out, or that moves lines of YAML about, changes values that were fine.
    fn loses_values(&self, repair: &Repair, after: &Session, problem: &Diagnostic) -> bool {
        let words = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        let taken = |edit: &Edit| words(&self.session.text().read_str(edit.span)) > words(&edit.with);
        let is_json = matches!(problem.code, Code::BrokenJson | Code::NotJson);
        if problem.code != Code::YamlSyntax && (is_json || !repair.edits.iter().any(taken)) {
            return false;
        }
        let item = problem.item.or_else(|| self.session.document().item_at(problem.span.start));
        let Some(call) = item.and_then(|item| self.session.document().call(item)) else { return false };
        let span = Span::new(repair.after(call.span.start), repair.after(call.span.end));
        let document = after.document();
        let touched = document.calls().filter(|item| document.call(*item).is_some_and(|call| call.span.touches(span)));
        let mut held: Vec<String> = touched.flat_map(|item| values(after, item)).collect();
        values(self.session, item.unwrap_or_default()).iter().any(|value| {
            let at = held.iter().position(|other| other == value);
            at.map(|at| held.swap_remove(at)).is_none()
        })
    }

    /// Whether there are fewer problems of a kind than there were.
    fn is_fewer(&self, found: &Places, kind: (Code, Severity)) -> bool {
        found.get(&kind).map_or(0, Vec::len) < self.problems.get(&kind).map_or(0, Vec::len)
    }

    /// Whether every call is still there and has at least the arguments that it had.
    fn keeps_calls(&self, repair: &Repair, after: &Session) -> bool {
        let (before, now) = (self.session.document(), after.document());
        if now.calls().len() < before.calls().len() {
            return false;
        }
        let mut later = now.calls().filter_map(|item| Some((item, now.call(item)?))).peekable();
        for item in before.calls() {
            let Some(call) = before.call(item) else { continue };
            let span = Span::new(repair.after(call.span.start), repair.after(call.span.end));
            while later.next_if(|(_, other)| other.span.end <= span.start).is_some() {}
            let Some((_, first)) = later.peek() else { return false };
            if !first.span.touches(span) || first.has_failed() && !call.has_failed() {
                return false;
            }
            let is_edited = |edit: &Span| edit.start <= call.span.end && call.span.start <= edit.end;
            if !repair.edits.iter().any(|edit| is_edited(&edit.span)) {
                continue;
            }
            // What was one call may be several now, which have the arguments together.
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

/// Where the problems of each kind are.
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

/// Whether one of some spans in order begins where `span` does, or shares a byte with it.
fn meets(spans: &[Span], span: Span) -> bool {
    let next = spans.partition_point(|other| other.start < span.start);
    let near = &spans[next.saturating_sub(1)..spans.len().min(next + 1)];
    near.iter().any(|other| other.start == span.start || other.touches(span))
}

/// How many values a call has, as far as they can be read.
fn leaves(session: &Session, item: usize) -> usize {
    let Some(assembly) = session.dissect(item) else { return 0 };
    assembly.tree.walk().filter(|(id, _)| is_leaf(&assembly.tree.node(*id).value)).count()
}

/// The words of the values of a call.
fn values(session: &Session, item: usize) -> Vec<String> {
    let Some(assembly) = session.dissect(item) else { return Vec::new() };
    let tree = &assembly.tree;
    let leaves = tree.walk().filter(|(id, _)| matches!(tree.node(*id).value, Value::Scalar(..)));
    leaves.map(|(id, _)| tree.words(id, session.text()).into_owned()).collect()
}

fn is_leaf(value: &Value) -> bool {
    matches!(value, Value::Scalar(..)) || value.children().is_empty()
}
