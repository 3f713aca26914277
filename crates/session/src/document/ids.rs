//! The index of ids and dependencies, updated as calls begin.
//!
//! Ids are compared by their hashes; code that reports a match compares the ids themselves. Calls are identified by
//! their numbers. A dependency on a shared id is a dependency on all calls that have it, and is stored once: with the
//! first holder.

use crate::text::hash_index::{HashIndex, WordHash, WordHasher};

/// The id and dependencies of a call.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) id: WordHash,
    /// The hash of the lower-case id, if that differs.
    pub(super) folded: Option<WordHash>,
    /// The ids that it depends on, each once.
    pub(super) dependencies: Vec<WordHash>,
}

/// A dependency.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// The dependent call.
    pub(super) from: u32,
    /// The first of the calls that have the id; [`NONE`] if there is none.
    to: u32,
}

/// Marks the absence of a call. It is not a valid number, as there are fewer calls than items.
const NONE: u32 = u32::MAX;

impl Wait {
    /// The first of the calls that have the id, if any.
    pub(super) fn to(self) -> Option<u32> {
        (self.to != NONE).then_some(self.to)
    }
}

/// A call with the id of an earlier one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    pub(super) call: u32,
    /// The first call with the id.
    pub(super) first: u32,
}

/// The ids of all calls, and their dependencies.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids {
    key: WordHasher,
    /// Number of the current conversation; different conversations may use the same ids.
    conversation: usize,
    /// The first call with each id.
    first: HashIndex<u32>,
    /// The first call with each id that contains upper-case letters, by the lower-case id.
    folded: HashIndex<u32>,
    shared: Vec<Shared>,
    waits: Vec<Wait>,
    /// Numbers of the dependencies on unknown ids, by the id.
    wanted: HashIndex<Vec<u32>>,
    /// Numbers of the dependencies of a call on itself.
    own: Vec<u32>,
    /// Numbers of the forward dependencies that have been resolved, in the order of the calls with their ids.
    late: Vec<u32>,
    /// Bit set of calls, first holders of their ids, that have had a dependent.
    awaited: Vec<u64>,
    /// First and last call that can be in a cycle. Only forward dependencies create cycles.
    forward: Option<(u32, u32)>,
}

impl Ids {
    /// Begins another conversation for the calls added next.
    pub(super) fn begin_conversation(&mut self) {
        self.conversation += 1;
    }

    /// The hash of an id in the current conversation.
    pub(super) fn hash(&self, id: &str) -> WordHash {
        self.key.hash_in(self.conversation, id)
    }

    /// Hashes the id and dependencies of a call.
    pub(super) fn names(&self, id: &str, dependencies: Vec<WordHash>) -> Names {
        Names { id: self.hash(id), folded: self.folded(id), dependencies }
    }

    /// An empty index with the same hash function, for a part of the text that is parsed separately.
    pub(super) fn of_stretch(&self) -> Self {
        Self { key: self.key.clone(), conversation: self.conversation, ..Self::default() }
    }

    /// The hash of the lower-case id, if that differs.
    fn folded(&self, id: &str) -> Option<WordHash> {
        id.bytes().any(|byte| byte.is_ascii_uppercase()).then(|| self.hash(&id.to_ascii_lowercase()))
    }

    /// The calls with the id of an earlier call, in text order.
    pub(super) fn shared(&self) -> &[Shared] {
        &self.shared
    }

    /// All dependencies, in text order.
    pub(super) fn waits(&self) -> &[Wait] {
        &self.waits
    }

    /// Numbers of the dependencies of a call.
    pub(super) fn waits_of(&self, call: u32) -> std::ops::Range<usize> {
        let start = self.waits.partition_point(|wait| wait.from < call);
        start..start + self.waits[start..].partition_point(|wait| wait.from == call)
    }

    /// Numbers of the dependencies on unknown ids, in text order.
    pub(super) fn missing(&self) -> Vec<u32> {
        let mut missing: Vec<u32> = self.wanted.values().flatten().copied().collect();
        missing.sort_unstable();
        missing
    }

    /// Numbers of the dependencies of calls on themselves, in text order.
    pub(super) fn own(&self) -> &[u32] {
        &self.own
    }

    /// First and last call that can be in a cycle.
    pub(super) fn forward(&self) -> Option<(u32, u32)> {
        self.forward
    }

    /// The first call of a conversation whose id equals `id` except for letter case.
    pub(super) fn like(&self, conversation: usize, id: &str) -> Option<u32> {
        let lower = self.key.hash_in(conversation, &id.to_ascii_lowercase());
        self.first.get(&lower).into_iter().chain(self.folded.get(&lower)).min().copied()
    }

    /// Prepares for adding calls. Touches their hash table entries in one batch, so that the processor overlaps the
    /// cache misses; this halves the time to add them.
    pub(super) fn prefetch<'a>(&mut self, calls: impl Iterator<Item = &'a Names>) {
        let known = calls.filter(|names| self.first.contains_key(&names.id)).count();
        self.shared.reserve(known);
    }

    /// Adds a call, which is the last one. Returns true if it can close a cycle: an earlier call depends on its id.
    pub(super) fn add(&mut self, call: u32, names: &Names) -> bool {
        let first = *self.first.entry(names.id).or_insert(call);
        let forward = if first != call {
            self.shared.push(Shared { call, first });
            self.is_awaited(first).then_some(first)
        } else if let Some(waiting) = self.wanted.remove(&names.id) {
            for &wait in &waiting {
                self.waits[wait as usize].to = call;
            }
            self.late.extend(&waiting);
            self.await_call(call);
            waiting.first().map(|&wait| self.waits[wait as usize].from)
        } else {
            None
        };
        if let Some(folded) = names.folded {
            self.folded.entry(folded).or_insert(call);
        }
        if let Some(from) = forward {
            // The dependency on the first of several holders may be older than the holder.
            let from = self.forward.map_or(from, |(known, _)| known.min(from));
            self.forward = Some((from, call));
        }
        for &dependency in &names.dependencies {
            self.wait(call, dependency, dependency == names.id);
        }
        forward.is_some()
    }

    /// Removes the call that was added last, with these names.
    pub(super) fn remove_last(&mut self, call: u32, names: &Names) {
        let waits = self.waits_of(call);
        for (number, dependency) in waits.clone().zip(&names.dependencies).rev() {
            if self.own.last() == Some(&(number as u32)) {
                self.own.pop();
            }
            if let Some(waiting) = self.wanted.get_mut(dependency).filter(|_| self.waits[number].to == NONE) {
                waiting.pop();
                if waiting.is_empty() {
                    self.wanted.remove(dependency);
                }
            }
        }
        self.waits.truncate(waits.start);
        if self.shared.last().is_some_and(|shared| shared.call == call) {
            self.shared.pop();
        } else {
            self.first.remove(&names.id);
            let known = self.late.iter().rev().take_while(|&&wait| self.waits[wait as usize].to == call).count();
            let waiting = self.late.split_off(self.late.len() - known);
            for &wait in &waiting {
                self.waits[wait as usize].to = NONE;
            }
            if !waiting.is_empty() {
                self.wanted.insert(names.id, waiting);
            }
        }
        if let Some(folded) = names.folded.filter(|folded| self.folded.get(folded) == Some(&call)) {
            self.folded.remove(&folded);
        }
    }

    fn wait(&mut self, from: u32, dependency: WordHash, own: bool) {
        // Beyond 2^32 dependencies, further ones are dropped.
        let Ok(number) = u32::try_from(self.waits.len()) else { return };
        if own {
            self.own.push(number);
        }
        let to = self.first.get(&dependency).copied();
        match to {
            Some(to) => self.await_call(to),
            None => self.wanted.entry(dependency).or_default().push(number),
        }
        self.waits.push(Wait { from, to: to.unwrap_or(NONE) });
    }

    fn is_awaited(&self, call: u32) -> bool {
        self.awaited.get(call as usize / 64).is_some_and(|bits| bits >> (call % 64) & 1 == 1)
    }

    fn await_call(&mut self, call: u32) {
        let index = call as usize / 64;
        if self.awaited.len() <= index {
            self.awaited.resize(index + 1, 0);
        }
        self.awaited[index] |= 1 << (call % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call written as `id dependency dependency`.
    fn names(ids: &Ids, call: &str) -> Names {
        let mut words = call.split(' ');
        let id = words.next().unwrap_or_default();
        ids.names(id, words.map(|word| ids.hash(word)).collect())
    }

    fn facts(ids: &Ids) -> String {
        let waits: Vec<_> = ids.waits().iter().map(|wait| (wait.from, wait.to())).collect();
        let shared: Vec<_> = ids.shared().iter().map(|shared| (shared.call, shared.first)).collect();
        let like = ["a", "b", "c", "D", "x"].map(|id| ids.like(0, id));
        format!("{:?}", (waits, shared, like, ids.missing(), ids.own(), &ids.late, ids.first.len()))
    }

    #[test]
    fn a_call_that_is_taken_back_leaves_nothing() {
        let calls = ["a x", "B a b", "c c b x", "a a", "x b", "b d", "d", "B c nobody", "C a"];
        let mut ids = Ids::default();
        for (number, call) in calls.iter().enumerate() {
            let before = facts(&ids);
            for other in ["a x nobody", "x", "b b d", "D x a c", "nobody a"] {
                let other = names(&ids, other);
                ids.add(number as u32, &other);
                ids.remove_last(number as u32, &other);
                assert_eq!(facts(&ids), before, "{call}");
            }
            let own = names(&ids, call);
            ids.add(number as u32, &own);
        }
        assert_eq!(ids.shared().iter().map(|shared| (shared.call, shared.first)).collect::<Vec<_>>(), [(3, 0), (7, 1)]);
        assert_eq!(ids.missing().len(), 1);
        assert_eq!(
            [ids.like(0, "A"), ids.like(0, "b"), ids.like(0, "c"), ids.like(0, "E")],
            [Some(0), Some(1), Some(2), None]
        );
    }

    #[test]
    fn only_what_waits_for_a_later_call_can_be_in_a_circle() {
        for (calls, expected) in [
            (vec!["a", "b a", "c a b", "c"], None),
            (vec!["a", "b d", "c", "d b", "e d"], Some((1, 3))),
            (vec!["a", "b", "c b", "b c", "d b"], Some((1, 3))),
            (vec!["a x", "x", "b", "c b", "d", "b"], Some((0, 5))),
        ] {
            let mut ids = Ids::default();
            for (number, call) in calls.iter().enumerate() {
                let names = names(&ids, call);
                ids.add(number as u32, &names);
            }
            assert_eq!(ids.forward(), expected, "{calls:?}");
        }
    }
}
