//! The problems of a document, in the order found and in text order.
//!
//! Each has a short record; identical messages are shared, so that a million problems stay small. Problems arrive
//! almost in order, so the order is maintained by merging each batch of new ones into the end.

use std::collections::HashSet;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, MAX_LISTED, ProblemCounts, ProblemKind, Severity};
use crate::text::Span;
use crate::text::steps;

/// Problems and their order.
#[derive(Clone, Debug, Default)]
pub(super) struct ProblemStore {
    found: Vec<ProblemRecord>,
    /// Recent problems, relative to offset 0, for sharing.
    recent: HashSet<Arc<Diagnostic>>,
    /// Numbers of the arranged problems, in text order.
    order: Vec<u32>,
    /// Number of problems of each kind, listed or not.
    counts: ProblemCounts,
    /// Number of problems by severity, listed or not.
    totals: [usize; Severity::ALL.len()],
}

/// The stored form of a problem.
#[derive(Clone, Debug)]
struct ProblemRecord {
    start: usize,
    item: Option<u32>,
    /// The problem moved to offset 0, without its item.
    at_zero: Arc<Diagnostic>,
}

/// Maximum number of different problems remembered for sharing.
const RECENT: usize = 1024;

/// A problem without its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brief {
    /// The kind of problem, without its message.
    pub code: Code,
    /// Its severity here.
    pub severity: Severity,
    /// The smallest span that shows the problem.
    pub span: Span,
    /// Number of the item it concerns.
    pub item: Option<usize>,
}

impl From<&Diagnostic> for Brief {
    fn from(diagnostic: &Diagnostic) -> Self {
        let Diagnostic { code, severity, span, item, .. } = *diagnostic;
        Self { code, severity, span, item }
    }
}

impl Brief {
    /// The sort key of problems.
    pub fn place(&self) -> (Span, Code) {
        (self.span, self.code)
    }
}

/// The problems of a document, in the order found.
#[derive(Clone, Copy)]
pub struct Diagnostics<'a>(pub(super) &'a ProblemStore);

impl Diagnostics<'_> {
    /// Number of listed problems; see [`crate::diagnostic::MAX_LISTED`].
    pub fn len(self) -> usize {
        self.0.found.len()
    }

    /// True if no problem has been found.
    pub fn is_empty(self) -> bool {
        self.0.found.is_empty()
    }

    /// Problem number `number`, in the order found.
    pub fn get(self, number: usize) -> Option<Diagnostic> {
        self.0.found.get(number).map(ProblemRecord::diagnostic)
    }

    /// Problem number `number` without its message.
    pub fn brief(self, number: usize) -> Option<Brief> {
        self.0.found.get(number).map(ProblemRecord::brief)
    }
}

impl<'a> Diagnostics<'a> {
    /// All problems, in the order found.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Diagnostic> + 'a {
        self.0.found.iter().map(ProblemRecord::diagnostic)
    }

    /// All problems without their messages, in the order found.
    pub fn briefs(self) -> impl ExactSizeIterator<Item = Brief> + 'a {
        self.0.found.iter().map(ProblemRecord::brief)
    }
}

impl ProblemRecord {
    fn brief(&self) -> Brief {
        steps::add(1);
        let Diagnostic { code, severity, span, .. } = *self.at_zero;
        Brief { code, severity, span: moved(span, self.start), item: self.item.map(|item| item as usize) }
    }

    fn diagnostic(&self) -> Diagnostic {
        steps::add(1);
        let mut problem = Diagnostic::clone(&self.at_zero).item(self.item.map(|item| item as usize));
        move_places(&mut problem, self.start);
        problem
    }
}

/// Adds a distance to all spans of a problem; a wrapped negative one moves them back.
fn move_places(problem: &mut Diagnostic, distance: usize) {
    problem.span = moved(problem.span, distance);
    for span in problem.remedy.iter_mut().map(|edit| &mut edit.span) {
        *span = moved(*span, distance);
    }
    for span in problem.related.iter_mut().map(|related| &mut related.span) {
        *span = moved(*span, distance);
    }
}

fn moved(span: Span, distance: usize) -> Span {
    Span { start: span.start.wrapping_add(distance), end: span.end.wrapping_add(distance) }
}

impl ProblemStore {
    /// Numbers of the problems in text order.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of problems of a severity, listed or not.
    pub(super) fn total(&self, severity: Severity) -> usize {
        self.totals[severity as usize]
    }

    /// For each kind with more than [`MAX_LISTED`] problems, the number of problems left out of the list.
    pub(super) fn unlisted(&self) -> impl Iterator<Item = (ProblemKind, usize)> + '_ {
        self.counts.iter().filter(|(_, count)| **count > MAX_LISTED).map(|(kind, count)| (*kind, count - MAX_LISTED))
    }

    /// Adds a problem, which has no place in the order until it is arranged. Problems beyond the limit for their kind
    /// are only counted; the first of these is replaced by a notice.
    pub(super) fn push(&mut self, diagnostic: &Diagnostic) {
        match self.count(diagnostic.kind(), 1).saturating_sub(MAX_LISTED) {
            0 => self.add(diagnostic),
            1 => self.end_list(diagnostic),
            _ => {}
        }
    }

    /// Adds the notice that this and further problems of its kind are not listed.
    fn end_list(&mut self, first: &Diagnostic) {
        let (code, severity) = (first.code.name(), first.severity.word());
        let message = format!("more than {MAX_LISTED} {code} {severity}s; the rest are counted, not listed");
        let notice = Diagnostic::new(Code::NotListed, first.span, message);
        self.count(notice.kind(), 1);
        self.add(&Diagnostic { source: first.source, ..notice.item(first.item) });
    }

    /// Counts `more` problems of a kind. Returns the new total.
    pub(super) fn count(&mut self, kind: ProblemKind, more: usize) -> usize {
        self.totals[kind.1 as usize] += more;
        let count = self.counts.entry(kind).or_default();
        *count += more;
        *count
    }

    /// True if the problems of the following part, which was parsed separately, can be appended: it lists all that this
    /// document would list.
    pub(super) fn may_append(&self, next: &Self) -> bool {
        next.unlisted().all(|(kind, _)| self.counts.get(&kind).is_some_and(|&count| count > 0))
    }

    /// Appends the problems of the following part, whose item numbers are too low by `items`.
    pub(super) fn append(&mut self, next: Self, items: u32) {
        let unlisted: Vec<(ProblemKind, usize)> = next.unlisted().collect();
        // Notices are added for the merged counts instead.
        for record in next.found.into_iter().filter(|record| record.at_zero.code != Code::NotListed) {
            let record = ProblemRecord { item: record.item.map(|item| item + items), ..record };
            match self.count(record.at_zero.kind(), 1).saturating_sub(MAX_LISTED) {
                0 => {
                    let at_zero = self.shared(record.at_zero);
                    self.found.push(ProblemRecord { at_zero, ..record });
                }
                1 => self.end_list(&record.diagnostic()),
                _ => {}
            }
        }
        for (kind, count) in unlisted {
            self.count(kind, count);
        }
    }

    fn add(&mut self, diagnostic: &Diagnostic) {
        let start = diagnostic.span.start;
        let item = diagnostic.item.and_then(|item| u32::try_from(item).ok());
        let mut at_zero = diagnostic.clone().item(None);
        move_places(&mut at_zero, start.wrapping_neg());
        let at_zero = self.shared(Arc::new(at_zero));
        self.found.push(ProblemRecord { start, item, at_zero });
    }

    /// Returns the shared copy of a problem.
    fn shared(&mut self, problem: Arc<Diagnostic>) -> Arc<Diagnostic> {
        if let Some(known) = self.recent.get(&problem) {
            return known.clone();
        }
        if self.recent.len() >= RECENT {
            self.recent.clear();
        }
        self.recent.insert(problem.clone());
        problem
    }

    /// Merges new problems into the order.
    #[inline]
    pub(super) fn arrange(&mut self) {
        if self.order.len() < self.found.len() {
            self.arrange_new();
        }
    }

    fn arrange_new(&mut self) {
        let Self { found, order, .. } = self;
        let key = |number: u32| found[number as usize].brief().place();
        let mut new: Vec<u32> = (order.len() as u32..found.len() as u32).collect();
        new.sort_by_key(|&number| key(number));
        let Some(&first) = new.first() else { return };
        let overtaken = order.split_off(order.partition_point(|&number| key(number) <= key(first)));
        let (mut known, mut new) = (overtaken.into_iter().peekable(), new.into_iter().peekable());
        // Of two at the same place, the one found earlier comes first.
        while let Some(number) = match (known.peek(), new.peek()) {
            (Some(&old), Some(&fresh)) if key(old) <= key(fresh) => known.next(),
            (_, Some(_)) => new.next(),
            (_, None) => known.next(),
        } {
            order.push(number);
        }
    }
}

/// The sort key of problems.
pub fn place(diagnostic: &Diagnostic) -> (Span, Code) {
    (diagnostic.span, diagnostic.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_a_stable_sort_however_they_come() {
        let mut seed = 5_u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut problems = ProblemStore::default();
        for round in 0..200 {
            for _ in 0..next(9) {
                let start = (round * 3 + next(20)).saturating_sub(next(2) * next(300)) as usize;
                let code = if next(2) == 0 { Code::DuplicateId } else { Code::NearMissMarker };
                problems.push(&Diagnostic::new(code, Span::at(start), "here"));
            }
            problems.arrange();
            let mut expected: Vec<u32> = (0..problems.found.len() as u32).collect();
            expected.sort_by_key(|&number| problems.found[number as usize].brief().place());
            assert_eq!(problems.order(), expected);
        }
    }
    #[test]
    fn a_problem_comes_back_as_it_was_and_words_are_kept_once() {
        let plain = |start: usize| Diagnostic::new(Code::DuplicateId, Span::new(start, start + 7), "taken");
        let far = usize::MAX >> 24;
        let given = [
            plain(0),
            plain(far).item(Some(3)),
            plain(100).contrast("a", "").help("do not").item(Some(0)),
            plain(70).replace_with("own"),
            plain(90).remedy(Span::new(80, far), ""),
            plain(5000).related(Span::new(0, 70_000), "in front").related(Span::new(5000, 5000), "ü"),
            plain(0).related(Span::new(far, far + 1), "behind"),
            Diagnostic { source: Some(Span::new(far, far + 300)), ..plain(4) },
            Diagnostic { severity: Severity::Hint, found: Some("x".into()), ..plain(9) },
        ];
        let mut problems = ProblemStore::default();
        for _ in 0..3 {
            for diagnostic in &given {
                problems.push(diagnostic);
            }
        }
        // The second problem equals the first, at a different offset.
        assert_eq!(problems.recent.len(), given.len() - 1);
        let found: Vec<Diagnostic> = Diagnostics(&problems).iter().take(given.len()).collect();
        assert_eq!(found, given);
        assert_eq!(Diagnostics(&problems).get(given.len() * 3 - 1).as_ref(), given.last());
    }

    #[test]
    fn however_much_is_said_the_words_of_each_are_its_own() {
        let mut problems = ProblemStore::default();
        let message = |number: usize| format!("problem {}", number % 3000);
        for number in 0..9000 {
            problems.push(&Diagnostic::new(Code::DuplicateId, Span::at(number), message(number)));
        }
        assert!(problems.recent.len() <= RECENT);
        for (number, found) in Diagnostics(&problems).iter().enumerate() {
            assert_eq!(found.message, message(number));
        }
    }

    #[test]
    fn of_very_many_of_a_kind_the_first_that_is_not_listed_says_so() {
        let mut problems = ProblemStore::default();
        for number in 0..MAX_LISTED + 9 {
            problems.push(&Diagnostic::new(Code::StrayEnd, Span::at(number), "odd"));
        }
        let late = Diagnostic::new(Code::StrayEnd, Span::at(MAX_LISTED * 2), "refused");
        problems.push(&Diagnostic { severity: Severity::Error, ..late });
        problems.count((Code::StrayEnd, Severity::Warning), 5);
        let listed: Vec<(Code, usize)> =
            Diagnostics(&problems).iter().map(|problem| (problem.code, problem.span.start)).collect();
        let mut expected: Vec<(Code, usize)> = (0..MAX_LISTED).map(|number| (Code::StrayEnd, number)).collect();
        expected.extend([(Code::NotListed, MAX_LISTED), (Code::StrayEnd, MAX_LISTED * 2)]);
        assert_eq!(listed, expected);
        let totals = Severity::ALL.map(|severity| problems.total(severity));
        assert_eq!(totals, [1, MAX_LISTED + 14, 1, 0]);
        assert_eq!(problems.unlisted().collect::<Vec<_>>(), [((Code::StrayEnd, Severity::Warning), 14)]);
    }
}
