//! A side of a comparison: a transcript, or a part of it such as some turns.

use std::ops::Range;

use super::{Answered, CallFacts, CallList};
use crate::dialect::Options;
use crate::filter::Selection;
use crate::session::Session;

/// A transcript to compare with another one, or with itself under other settings.
pub struct ComparedText {
    /// Displayed name, unsanitized.
    pub name: String,
    /// The parsed transcript.
    pub session: Session,
    /// Options that it was read with.
    pub options: Options,
    /// The part that is compared; `None` for the whole.
    pub part: Option<Selection>,
}

impl ComparedText {
    /// The compared calls and problems.
    pub fn side(&self) -> ComparedPart<'_> {
        ComparedPart { session: &self.session, part: self.part.as_ref() }
    }
}

/// A transcript, or the part of it that is compared.
#[derive(Clone, Copy)]
pub struct ComparedPart<'a> {
    pub(super) session: &'a Session,
    part: Option<&'a Selection>,
}

impl<'a> From<&'a Session> for ComparedPart<'a> {
    fn from(session: &'a Session) -> Self {
        Self { session, part: None }
    }
}

impl ComparedPart<'_> {
    /// The numbers of the calls that are compared, among all calls of the session.
    pub fn calls(self) -> Vec<usize> {
        let is_in = |item: usize| self.part.is_none_or(|part| part.contains(item));
        let calls = self.session.document().calls().enumerate();
        calls.filter(|(_, item)| is_in(*item)).map(|(number, _)| number).collect()
    }

    /// True if something of a range of items is compared.
    pub(super) fn has_some(self, items: Range<usize>) -> bool {
        self.part.is_none_or(|part| !part.within(items).is_empty())
    }

    pub(super) fn has_problem(self, number: usize) -> bool {
        let document = self.session.document();
        let item = || document.item_of_problem(&document.diagnostics().brief(number)?);
        self.part.is_none_or(|part| item().is_some_and(|item| part.contains(item)))
    }
}

/// Some calls of a session, with their results, in the order of their numbers.
pub(super) struct SomeCalls<'a> {
    session: &'a Session,
    numbers: &'a [usize],
}

impl<'a> SomeCalls<'a> {
    pub(super) fn new(side: ComparedPart<'a>, numbers: &'a [usize]) -> Self {
        Self { session: side.session, numbers }
    }
}

impl CallList for SomeCalls<'_> {
    fn calls(&self) -> usize {
        self.numbers.len()
    }

    fn call(&self, number: usize) -> CallFacts {
        Answered(self.session).call(self.numbers[number])
    }
}
