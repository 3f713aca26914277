//! The problems of a document, as they were found and in the order of the text.
//!
//! They arrive almost in order, so the order is kept by merging what is new into the end of what is there, once for
//! all that comes together. This module does not know what a problem is about.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::Span;

/// Problems and their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Problems {
    found: Vec<Diagnostic>,
    /// Numbers of those that have been arranged, in the order of the text.
    order: Vec<u32>,
    errors: usize,
    warnings: usize,
}

impl Problems {
    /// In the order in which they were found.
    pub(super) fn found(&self) -> &[Diagnostic] {
        &self.found
    }

    /// Their numbers in the order of the text.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    pub(super) fn warnings(&self) -> usize {
        self.warnings
    }

    /// Adds one, which has no place in the order before it is arranged.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        match diagnostic.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Hint => {}
        }
        self.found.push(diagnostic);
    }

    /// Gives each that came since the last time its place in the order.
    pub(super) fn arrange(&mut self) {
        let Self { found, order, .. } = self;
        let key = |number: u32| place(&found[number as usize]);
        let mut new: Vec<u32> = (order.len() as u32..found.len() as u32).collect();
        new.sort_by_key(|&number| key(number));
        let Some(&first) = new.first() else { return };
        let overtaken = order.split_off(order.partition_point(|&number| key(number) <= key(first)));
        let (mut known, mut new) = (overtaken.into_iter().peekable(), new.into_iter().peekable());
        // Of two at one place, the one that was found first is the first.
        while let Some(number) = match (known.peek(), new.peek()) {
            (Some(&old), Some(&fresh)) if key(old) <= key(fresh) => known.next(),
            (_, Some(_)) => new.next(),
            (_, None) => known.next(),
        } {
            order.push(number);
        }
    }
}

/// What problems are ordered by.
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
        let mut problems = Problems::default();
        for round in 0..200 {
            for _ in 0..next(9) {
                let start = (round * 3 + next(20)).saturating_sub(next(2) * next(300)) as usize;
                let code = if next(2) == 0 { Code::DuplicateId } else { Code::NearMissMarker };
                problems.push(Diagnostic::new(code, Span::at(start), "here"));
            }
            problems.arrange();
            let mut expected: Vec<u32> = (0..problems.found().len() as u32).collect();
            expected.sort_by_key(|&number| place(&problems.found()[number as usize]));
            assert_eq!(problems.order(), expected);
        }
    }
}
