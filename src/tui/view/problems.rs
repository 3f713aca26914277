//! All problems in display order: faults of the declaration in use, then, sorted by position in the text, problems of
//! the document and problems that hold if nothing more arrives.
//!
//! A problem has a number, which is stable while it exists, and a place in the display order. Problems of the document
//! count up from 0. Provisional ones count down from the highest number, so that they keep theirs when the document
//! gets another problem. Faults count up from the middle. Nothing is copied: provisional problems and faults are few,
//! and their places are computed on demand. Spans of faults refer to the declaration.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::document::{Brief, Document, place};
use crate::text::{Span, steps};

/// The problems of a transcript.
#[derive(Clone, Copy)]
pub struct ProblemList<'a> {
    document: &'a Document,
    /// Provisional problems, in text order.
    so_far: &'a [Diagnostic],
    /// Faults, in the order of the declaration.
    faults: &'a [Diagnostic],
}

/// Number of the first fault of a declaration.
const FAULTS: usize = usize::MAX / 2;

impl<'a> ProblemList<'a> {
    /// Problems of a document, merged with the provisional problems `so_far`, which must be in text order.
    pub fn new(document: &'a Document, so_far: &'a [Diagnostic]) -> Self {
        Self { document, so_far, faults: &[] }
    }

    /// Adds the faults of a declaration, in its order, before all others.
    pub fn behind(self, faults: &'a [Diagnostic]) -> Self {
        Self { faults, ..self }
    }

    /// Index of the fault with a number; `None` if the number is not a fault's.
    pub fn fault_index(self, number: usize) -> Option<usize> {
        number.checked_sub(FAULTS).filter(|&index| index < self.faults.len())
    }

    /// Number of all problems, including provisional ones.
    pub fn len(self) -> usize {
        self.faults.len() + self.document.diagnostics().len() + self.so_far.len()
    }

    /// True if there are no problems.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The problem with a number, including its text.
    pub fn get(self, number: usize) -> Option<Diagnostic> {
        steps::add(1);
        if let Some(index) = self.fault_index(number) {
            return self.faults.get(index).cloned();
        }
        self.document.diagnostics().get(number).or_else(|| self.so_far.get(usize::MAX - number).cloned())
    }

    /// The problem with a number, without its text.
    pub fn brief(self, number: usize) -> Option<Brief> {
        steps::add(1);
        if let Some(index) = self.fault_index(number) {
            return self.faults.get(index).map(Brief::from);
        }
        self.document.diagnostics().brief(number).or_else(|| self.so_far.get(usize::MAX - number).map(Brief::from))
    }

    /// Number of the problem at a place in the display order.
    pub fn at(self, place: usize) -> Option<usize> {
        let Some(place) = place.checked_sub(self.faults.len()) else { return Some(FAULTS + place) };
        let before = partition_point(self.so_far.len(), |index| self.place_of_so_far(index) < place);
        if before < self.so_far.len() && self.place_of_so_far(before) == place {
            return Some(usize::MAX - before);
        }
        self.document.order().get(place - before).map(|&number| number as usize)
    }

    /// Place in the display order of the problem with a number.
    pub fn place_of(self, number: usize) -> Option<usize> {
        self.fault_index(number).or_else(|| Some(self.faults.len() + self.place_in_text(number)?))
    }

    /// Place of the problem with a number, not counting the faults.
    fn place_in_text(self, number: usize) -> Option<usize> {
        let Some(brief) = self.document.diagnostics().brief(number) else {
            let index = usize::MAX - number;
            return (index < self.so_far.len()).then(|| self.place_of_so_far(index));
        };
        let key = (brief.place(), number);
        let before = self.document.order().partition_point(|&other| (self.place(other), other as usize) < key);
        Some(before + self.so_far.partition_point(|other| place(other) < key.0))
    }

    /// Place of the first problem of the text that begins at or after `offset`.
    pub fn first_from(self, offset: usize) -> usize {
        self.faults.len()
            + self.document.order().partition_point(|&number| self.place(number).0.start < offset)
            + self.so_far.partition_point(|problem| problem.span.start < offset)
    }

    /// Place of a problem in the list, or of the one that would follow it.
    pub fn nearest(self, known: (Span, Code)) -> usize {
        let is_before = |&at: &usize| {
            self.at(at).and_then(|number| self.brief(number)).is_some_and(|problem| problem.place() < known)
        };
        let first = self.first_from(known.0.start);
        let after = (first..self.len()).take_while(is_before).last().map_or(first, |last| last + 1);
        after.min(self.len().saturating_sub(1))
    }

    /// Current number of the problem with this span and code.
    pub fn number_of(self, known: (Span, Code)) -> Option<usize> {
        let number = self.at(self.nearest(known))?;
        self.brief(number).is_some_and(|problem| problem.place() == known).then_some(number)
    }

    /// Numbers of the problems that begin in a span of the text.
    pub fn beginning_in(self, span: Span) -> Vec<usize> {
        (self.first_from(span.start)..self.first_from(span.end)).filter_map(|place| self.at(place)).collect()
    }

    /// The highest severity of the problems that begin in a span of the text and for which `counts` holds.
    pub fn worst_in(self, span: Span, counts: impl Fn(&Brief) -> bool) -> Option<Severity> {
        let briefs = self.beginning_in(span).into_iter().filter_map(|number| self.brief(number));
        briefs.filter(counts).map(|brief| brief.severity).max()
    }

    /// Numbers of the problems that overlap a span of the text.
    pub fn over(self, span: Span) -> Vec<usize> {
        /// Problems before the end of the span that are checked: their spans are short and seldom nested.
        const LOOK_BACK: usize = 64;
        let behind = self.first_from(span.end.max(span.start + 1));
        let near = (behind.saturating_sub(LOOK_BACK).max(self.faults.len())..behind).filter_map(|place| self.at(place));
        near.filter(|&number| self.brief(number).is_some_and(|problem| problem.span.touches(span))).collect()
    }

    fn place_of_so_far(self, index: usize) -> usize {
        let own = place(&self.so_far[index]);
        index + self.document.order().partition_point(|&number| self.place(number) <= own)
    }

    /// Span and code of a problem of the document, the sort key.
    fn place(self, number: u32) -> (Span, Code) {
        self.document
            .diagnostics()
            .brief(number as usize)
            .map_or((Span::default(), Code::ALL[0]), |brief| brief.place())
    }
}

/// The first number below `length` for which `holds` is false, given that it is true for all before.
fn partition_point(length: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, length);
    while low < high {
        let middle = usize::midpoint(low, high);
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_in_one_order_and_each_is_found_again() {
        let problem = |start: usize, code| Diagnostic::new(code, Span::at(start), "here");
        for so_far in [vec![], vec![0], vec![5, 5, 30], vec![1, 2, 3, 7, 8, 40], vec![50, 60]] {
            let mut document = Document::default();
            for start in [5, 3, 5, 9, 7, 40, 8] {
                document.report(&problem(start, Code::DuplicatePointer));
            }
            document.arrange();
            let mut so_far: Vec<Diagnostic> =
                so_far.into_iter().map(|start| problem(start, Code::UnknownDependency)).collect();
            so_far[..].sort_by_key(place);
            let problems = ProblemList::new(&document, &so_far);
            let known = document.diagnostics().len();
            let mut expected: Vec<usize> =
                (0..known).chain((0..so_far.len()).map(|index| usize::MAX - index)).collect();
            expected.sort_by_key(|&number| problems.brief(number).map(|brief| brief.place()));
            let found: Vec<usize> = (0..problems.len()).filter_map(|place| problems.at(place)).collect();
            assert_eq!(found, expected);
            assert_eq!(problems.at(problems.len()), None);
            for (place, &number) in expected.iter().enumerate() {
                assert_eq!(problems.place_of(number), Some(place), "of {number}");
            }
            let start = |number: &usize| problems.get(*number).expect("it is one of them").span.start;
            for offset in 0..70 {
                let first = expected.iter().position(|number| start(number) >= offset).unwrap_or(expected.len());
                assert_eq!(problems.first_from(offset), first, "from {offset}");
                let within: Vec<usize> =
                    expected.iter().copied().filter(|number| (offset..offset + 5).contains(&start(number))).collect();
                assert_eq!(problems.beginning_in(Span::new(offset, offset + 5)), within);
            }
        }
    }
}
