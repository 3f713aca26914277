//! A list of problems with bounded size: it holds a limited number of each kind, and counts the rest.
//!
//! Independent of what the problems are about.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use super::{Code, Diagnostic, Severity};

/// Most problems of each code and severity that are listed for a text. Nothing else bounds the number of problems, each
/// takes up to half a kilobyte, and no one reads more of one kind; further ones are counted.
pub const MAX_LISTED: usize = 10_000;

/// A kind of problem: its code, and its severity at the place of the problem.
pub type ProblemKind = (Code, Severity);

/// Number of problems of each kind, listed or not.
pub type ProblemCounts = BTreeMap<ProblemKind, usize>;

/// The problems of a call in discovery order. Of each kind it lists [`MAX_LISTED`] and one more, which tells the caller
/// of an overflow, and counts the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoundedProblems {
    listed: Vec<Diagnostic>,
    /// Number of problems of each kind, once the list is so long that one kind may exceed its limit.
    counts: Option<Box<ProblemCounts>>,
}

impl BoundedProblems {
    /// Adds a problem, or only counts it if there are too many of its kind.
    pub fn push(&mut self, problem: Diagnostic) {
        if self.listed.len() > MAX_LISTED {
            let counts = self.counts.get_or_insert_with(|| {
                let mut counts = Box::<ProblemCounts>::default();
                self.listed.iter().for_each(|problem| *counts.entry(problem.kind()).or_default() += 1);
                counts
            });
            let count = counts.entry(problem.kind()).or_default();
            *count += 1;
            if *count > MAX_LISTED + 1 {
                return;
            }
        }
        self.listed.push(problem);
    }

    /// Removes problems from the list; counts of unlisted problems are not affected.
    pub fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.listed.retain(keep);
    }

    /// Number of unlisted problems of each kind.
    pub fn unlisted(&self) -> impl Iterator<Item = (ProblemKind, usize)> + '_ {
        let counts = self.counts.iter().flat_map(|counts| counts.iter());
        counts.filter(|(_, count)| **count > MAX_LISTED + 1).map(|(kind, count)| (*kind, count - MAX_LISTED - 1))
    }
}

impl Deref for BoundedProblems {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.listed
    }
}

impl DerefMut for BoundedProblems {
    fn deref_mut(&mut self) -> &mut [Diagnostic] {
        &mut self.listed
    }
}

impl Extend<Diagnostic> for BoundedProblems {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, problems: I) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

impl FromIterator<Diagnostic> for BoundedProblems {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(problems: I) -> Self {
        let mut list = Self::default();
        list.extend(problems);
        list
    }
}

impl From<Vec<Diagnostic>> for BoundedProblems {
    fn from(problems: Vec<Diagnostic>) -> Self {
        problems.into_iter().collect()
    }
}

/// The listed problems, in order.
impl IntoIterator for BoundedProblems {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.listed.into_iter()
    }
}

impl<'a> IntoIterator for &'a BoundedProblems {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.listed.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Span;

    #[test]
    fn of_each_kind_so_many_are_listed_and_the_others_are_counted() {
        let kinds =
            [(Code::DuplicateId, MAX_LISTED * 3), (Code::StrayEnd, MAX_LISTED), (Code::EmptyId, MAX_LISTED + 2)];
        let mut list = BoundedProblems::default();
        for number in 0..MAX_LISTED * 3 {
            for (code, _) in kinds.iter().filter(|(_, count)| number < *count) {
                list.push(Diagnostic::new(*code, Span::at(number), "odd"));
            }
        }
        let unlisted: BTreeMap<Code, usize> = list.unlisted().map(|((code, _), count)| (code, count)).collect();
        for (code, count) in kinds {
            let listed: Vec<usize> = list.iter().filter(|it| it.code == code).map(|it| it.span.start).collect();
            assert_eq!(listed, (0..count.min(MAX_LISTED + 1)).collect::<Vec<_>>(), "{code:?}");
            assert_eq!(listed.len() + unlisted.get(&code).unwrap_or(&0), count, "{code:?}");
        }
    }
}
