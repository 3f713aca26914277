//! Compactions of the context, with the tokens before and after each.

use super::super::Document;
use crate::container::facts::{Compaction, Figure, FigureSource};

/// All compactions, in text order.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct CompactionStore(Vec<PlacedCompaction>);

#[derive(Clone, Copy, Debug)]
struct PlacedCompaction {
    place: usize,
    message: u32,
    facts: Compaction,
}

/// A compaction of the context.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactionEntry {
    /// Number of the message that reports it.
    pub message: usize,
    /// Text offset at which it happened.
    pub place: usize,
    /// The recorded facts.
    pub facts: Compaction,
    /// Tokens in the context before it: as recorded, or else as used by the request before it.
    pub before: Option<Figure<u64>>,
    /// Tokens in the context after it: as used by the next request, or else as recorded.
    pub after: Option<Figure<u64>>,
}

impl CompactionStore {
    pub(super) fn push(&mut self, place: usize, message: u32, facts: Compaction) {
        self.0.push(PlacedCompaction { place, message, facts });
    }
}

impl Document {
    /// Compactions of the context, in text order.
    pub fn compactions(&self) -> impl DoubleEndedIterator<Item = CompactionEntry> + ExactSizeIterator + '_ {
        let all = &self.facts.compactions.0;
        (0..all.len()).map(|number| {
            let PlacedCompaction { place, message, facts } = all[number];
            let next = all.get(number + 1).map_or(usize::MAX, |next| next.place);
            let recorded = |value: u64| Figure { value, ground: FigureSource::Recorded };
            let derived = |value: Option<u64>| value.map(|value| Figure { value, ground: FigureSource::Derived });
            let before = || derived(self.requests().filling_at(place)?.usage?.total());
            let after = || derived(self.requests().first_filling_in(place, next)?.prompt());
            CompactionEntry {
                message: message as usize,
                place,
                facts,
                before: facts.before.map(recorded).or_else(before),
                after: after().or(facts.after.map(recorded)),
            }
        })
    }

    /// The compaction that a message reports.
    pub fn compaction_of(&self, message: usize) -> Option<CompactionEntry> {
        let all = &self.facts.compactions.0;
        let number = all.partition_point(|known| (known.message as usize) < message);
        all.get(number).filter(|known| known.message as usize == message)?;
        self.compactions().nth(number)
    }
}
