//! The entries of a conversation: speakers, the order of entries, and abandoned branches.
//!
//! In most files an entry follows the one before it. In others each names its parent, and resuming from an earlier
//! entry creates a branch: the path to the entry chosen last counts, and everything off that path is abandoned. An
//! entry whose parent is unknown begins a separate tree. Ids are compared by their hashes.

use std::collections::{BTreeMap, BTreeSet};

pub use crate::container::Message;
use crate::container::MessageRole;
use crate::text::hash_index::{HashIndex, WordHasher};
use crate::text::{Span, steps};

use super::messages::{MessageStore, Messages};
use super::turns::Turns;

/// Number of a known entry: a message, a record without text, or the parent that one of them names.
type EntryIndex = u32;

/// Marks the absence of an entry. No file has that many records.
const NONE: EntryIndex = u32::MAX;

/// All entries of a conversation and their tree structure.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversation {
    messages: MessageStore,
    turns: Turns,
    key: WordHasher,
    /// Number of the current conversation; different conversations may use the same ids.
    number: usize,
    numbers: HashIndex<EntryIndex>,
    parents: Vec<EntryIndex>,
    /// Union-find: an ancestor of each entry, which shortens repeated walks to the top; the top entry has itself.
    tops: Vec<EntryIndex>,
    /// Number of prompts on the path to each entry, inclusive.
    prompts: Vec<u32>,
    /// Number of prompts on the path to the last message.
    last_prompts: u32,
    /// Flags of each entry: [`COME`] and the following ones.
    flags: Vec<u8>,
    /// End of the path chosen last.
    leaf: Option<EntryIndex>,
    /// True if there may be messages with ids off the path.
    has_branches: bool,
    /// Number of entries removed from the path so far.
    taken_off: usize,
    /// Ranges that the file withdraws: start to end.
    withdrawn: BTreeMap<usize, usize>,
    /// Items that another one replaces.
    replaced: BTreeSet<usize>,
}

/// Average number of times that each entry can be removed from the path. Alternating between two long branches removes
/// all of one each time; after this limit nothing more is abandoned.
const MOST_TURNS: usize = 64;

/// The entry itself has arrived, not only its id.
const COME: u8 = 1;
/// A child of the entry arrived before it.
const AWAITED: u8 = 2;
/// The entry is on the path that counts.
const ON_PATH: u8 = 4;
/// Visited by the current walk.
const PASSED: u8 = 8;

impl Conversation {
    pub(super) fn messages(&self) -> Messages<'_> {
        Messages(&self.messages)
    }

    pub(super) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Begins another conversation, whose ids are unrelated to earlier ones.
    pub(super) fn begin_another(&mut self) {
        self.number += 1;
        self.leaf = None;
        self.turns.part();
    }

    /// Begins a message. Returns true if a different path counts now.
    pub(super) fn begin(&mut self, message: Message) -> bool {
        let id = message.id.as_deref().filter(|_| !message.is_outside);
        let turned = id.is_some_and(|id| self.link(id, message.parent.as_deref(), true));
        let entry = id.map(|id| self.number(id) as usize);
        let before = entry.map_or(self.last_prompts, |entry| self.prompts[entry]);
        let prompts = self.turns.push(message.role, message.is_outside, message.origin, before);
        if let Some(entry) = entry {
            self.prompts[entry] = prompts;
        }
        self.last_prompts = prompts;
        self.messages.push(message);
        turned
    }

    /// Sets the time at which the open message was recorded from `offset` to the next such time.
    pub(super) fn pass_time(&mut self, offset: usize, time: &str) {
        self.messages.pass_time(offset, time);
    }

    /// Links an entry, or a record without text, to its parent. One that is `chosen` selects its branch. Returns true
    /// if a different path counts now.
    pub(super) fn link(&mut self, id: &str, parent: Option<&str>, chosen: bool) -> bool {
        let parent = parent.map(|parent| self.number(parent));
        let entry = self.number(id);
        let is_late = self.is_late(entry);
        self.parents[entry as usize] = parent.unwrap_or(NONE);
        let known = parent.filter(|&parent| self.is(parent, COME));
        self.prompts[entry as usize] = known.map_or(self.last_prompts, |parent| self.prompts[parent as usize]);
        self.flags[entry as usize] |= COME;
        self.attach(entry, parent);
        if let Some(parent) = parent.filter(|&parent| !self.is(parent, COME)) {
            self.flags[parent as usize] |= AWAITED;
        }
        if self.leaf.is_none() || (parent.is_some() && parent == self.leaf) {
            self.flags[entry as usize] |= ON_PATH;
            self.leaf = Some(entry);
            return false;
        }
        chosen && self.select_path(entry, is_late)
    }

    /// Selects the path to this entry. Returns true if another one counted before.
    pub(super) fn choose(&mut self, id: &str) -> bool {
        let entry = self.number(id);
        let is_late = self.is_late(entry);
        self.select_path(entry, is_late)
    }

    /// Number of an entry, assigned on first use.
    fn number(&mut self, id: &str) -> EntryIndex {
        let next = self.parents.len() as EntryIndex;
        let hash = self.key.hash_in(self.number, id);
        let number = *self.numbers.entry(hash).or_insert(next);
        if number == next {
            self.parents.push(NONE);
            self.tops.push(number);
            self.prompts.push(0);
            self.flags.push(0);
        }
        number
    }

    fn is(&self, entry: EntryIndex, flag: u8) -> bool {
        self.flags[entry as usize] & flag != 0
    }

    fn parent(&self, entry: EntryIndex) -> Option<EntryIndex> {
        Some(self.parents[entry as usize]).filter(|parent| *parent != NONE)
    }

    /// Clears a flag of an entry. Returns its previous value.
    fn take(&mut self, entry: EntryIndex, flag: u8) -> bool {
        let had = self.is(entry, flag);
        self.flags[entry as usize] &= !flag;
        had
    }

    /// Top of the tree that contains this entry. Compresses the path on the way.
    fn top(&mut self, mut entry: EntryIndex) -> EntryIndex {
        loop {
            steps::add(1);
            let above = self.tops[entry as usize];
            if above == entry {
                return entry;
            }
            let next = self.tops[above as usize];
            self.tops[entry as usize] = next;
            entry = next;
        }
    }

    /// Attaches the tree whose top is `entry` to its parent. An entry that is already attached stays there.
    fn attach(&mut self, entry: EntryIndex, parent: Option<EntryIndex>) {
        if let Some(top) = parent.map(|parent| self.top(parent))
            && top != entry
            && self.tops[entry as usize] == entry
        {
            self.tops[entry as usize] = top;
        }
    }

    /// True if an entry arrives after its descendants on the chosen path.
    fn is_late(&mut self, entry: EntryIndex) -> bool {
        self.is(entry, AWAITED) && self.leaf.is_some_and(|leaf| self.top(leaf) == entry)
    }

    /// The ancestors of an entry, itself included, up to and including the first that satisfies `ends`; `None` if none
    /// does. Stops at an entry seen before in case of a cycle.
    fn ancestors_until(
        &mut self,
        from: EntryIndex,
        ends: impl Fn(&Self, EntryIndex) -> bool,
    ) -> Option<Vec<EntryIndex>> {
        let mut chain = Vec::new();
        let mut at = Some(from);
        let mut has_ended = false;
        while let Some(entry) = at.filter(|&entry| !has_ended && !self.is(entry, PASSED)) {
            self.flags[entry as usize] |= PASSED;
            chain.push(entry);
            has_ended = ends(self, entry);
            at = self.parent(entry);
        }
        steps::add(chain.len());
        for &entry in &chain {
            self.flags[entry as usize] &= !PASSED;
        }
        has_ended.then_some(chain)
    }

    fn select_path(&mut self, entry: EntryIndex, is_late: bool) -> bool {
        if self.take(entry, AWAITED) && is_late && !self.is(entry, ON_PATH) {
            self.flags[entry as usize] |= ON_PATH;
            return false;
        }
        let mut turned = false;
        if let Some(chain) = self.ancestors_until(entry, |all, entry| all.is(entry, ON_PATH)) {
            turned = chain.last().is_some_and(|&common| self.remove_from_path(entry, common));
            for entry in chain {
                self.flags[entry as usize] |= ON_PATH;
            }
        } else {
            // The entry begins a separate tree, or its parent has not arrived yet.
            let mut at = Some(entry);
            while let Some(entry) = at.filter(|&entry| self.is(entry, COME) && !self.is(entry, ON_PATH)) {
                self.flags[entry as usize] |= ON_PATH;
                at = self.parent(entry);
            }
        }
        self.has_branches |= turned;
        self.leaf = Some(entry);
        turned
    }

    /// Removes the descendants of `common` from the path, which now branches to `entry`. Returns true if there were
    /// any.
    fn remove_from_path(&mut self, entry: EntryIndex, common: EntryIndex) -> bool {
        let Some(leaf) = self.leaf.filter(|_| self.taken_off <= MOST_TURNS * self.parents.len()) else { return false };
        if self.top(leaf) != self.top(entry) {
            return false;
        }
        let left = self.ancestors_until(leaf, |_, entry| entry == common).unwrap_or_default();
        self.taken_off += left.len();
        let mut turned = false;
        for entry in left.into_iter().filter(|entry| *entry != common) {
            turned |= self.take(entry, ON_PATH);
        }
        turned
    }

    /// True if an entry was abandoned: the conversation was resumed from an earlier one. Results of parallel calls may
    /// all have the same parent, and only one of them is continued; they count if their parent does.
    pub(super) fn is_abandoned(&self, conversation: usize, message: usize) -> bool {
        let messages = self.messages();
        if !self.has_branches || messages.is_aside(message) {
            return false;
        }
        let Some(message) = messages.get(message) else { return false };
        let counts = |id: &str| {
            self.numbers.get(&self.key.hash_in(conversation, id)).is_some_and(|&entry| self.is(entry, ON_PATH))
        };
        let Some(id) = message.id.as_deref() else { return false };
        let is_result = message.role == Some(MessageRole::Tool);
        !(counts(id) || is_result && message.parent.as_deref().is_some_and(counts))
    }

    /// True if any entry may have been abandoned.
    pub(super) fn has_branches(&self) -> bool {
        self.has_branches
    }

    /// Withdraws a span, including ranges within it that were withdrawn before. Returns the ranges that are newly
    /// withdrawn.
    pub(super) fn withdraw(&mut self, span: Span) -> Vec<Span> {
        let mut fresh = Vec::new();
        let (mut all, mut behind) = (span, span.end);
        while let Some((&start, &end)) =
            self.withdrawn.range(..span.end).next_back().filter(|known| *known.1 > span.start)
        {
            steps::add(1);
            self.withdrawn.remove(&start);
            fresh.push(Span::new(end.min(behind), behind));
            behind = start.max(span.start);
            all = all.cover(Span::new(start, end));
        }
        fresh.push(Span::new(span.start, behind));
        if !all.is_empty() {
            self.withdrawn.insert(all.start, all.end);
        }
        fresh.reverse();
        fresh
    }

    /// Marks an item as replaced by another one.
    pub(super) fn replace(&mut self, item: usize) {
        self.replaced.insert(item);
    }

    /// True if the file withdraws or replaces anything.
    pub(super) fn has_withdrawals(&self) -> bool {
        !self.withdrawn.is_empty() || !self.replaced.is_empty()
    }

    /// True if the file withdraws the byte at `offset`.
    pub(super) fn is_withdrawn(&self, offset: usize) -> bool {
        self.withdrawn.range(..=offset).next_back().is_some_and(|(_, &end)| offset < end)
    }

    /// True if another item replaces this one.
    pub(super) fn is_replaced(&self, item: usize) -> bool {
        self.replaced.contains(&item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `entries` are `id<parent`, `.id<parent` for a record without text, and `!id` to choose one; `abandoned` lists
    /// the abandoned entries.
    #[track_caller]
    fn check(entries: &str, abandoned: &str) {
        let mut conversation = Conversation::default();
        let mut names = Vec::new();
        for entry in entries.split(' ') {
            if let Some(chosen) = entry.strip_prefix('!') {
                conversation.choose(chosen);
                continue;
            }
            let (id, parent) = entry.split_once('<').expect("an entry names the one before it");
            if let Some(id) = id.strip_prefix('.') {
                conversation.link(id, Some(parent), false);
                continue;
            }
            let parent = Some(parent).filter(|parent| !parent.is_empty()).map(Box::from);
            names.push(id);
            conversation.begin(Message { id: Some(id.into()), parent, ..Message::default() });
        }
        let found: Vec<&str> =
            (0..names.len()).filter(|&entry| conversation.is_abandoned(0, entry)).map(|entry| names[entry]).collect();
        assert_eq!(found.join(" "), abandoned, "{entries}");
    }

    #[test]
    fn what_lies_beside_the_last_path_was_abandoned() {
        check("a< b<a c<b", "");
        check("a< b<a c<b d<a e<d", "b c");
        check("a< b<a c<b d<a !c", "d");
        check("a< b<a c<b d<a e<c", "d");
        check("a< b<a .x<b c<x d<a", "b c");
    }

    #[test]
    fn a_turn_of_which_nobody_knows_what_it_follows_abandons_nothing() {
        check("a< b<a c< d<c", "");
        check("a< b<a d<c c<b", "");
        check("a<b b<a c<b", "");
        check("a<b b<a c<d d<c", "");
        check("d<c c<b b<a a<", "");
    }
}
