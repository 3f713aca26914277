//! The entries of a conversation: who spoke, which entry follows which, and which of them were abandoned.
//!
//! In most files an entry follows the one before it. In some each names the one that it follows, and where somebody
//! went back and said something else there are branches: the path to the entry that was chosen last counts, and what
//! lies beside it was abandoned. An entry whose predecessor is not known begins a tree of its own. Ids are compared by
//! their hashes.

use std::collections::{BTreeMap, BTreeSet};

pub use crate::container::Message;
use crate::container::MessageRole;
use crate::text::hash_index::{HashIndex, WordHasher};
use crate::text::{Span, steps};

use super::messages::{MessageStore, Messages};
use super::turns::Turns;

/// Number of an entry among those of which something is known: messages, records without words, and what they follow.
type Entry = u32;

/// Stands for an entry where there is none. There is no file of so many records.
const NOBODY: Entry = u32::MAX;

/// All entries of a conversation, and how they follow one another.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversation {
    messages: MessageStore,
    turns: Turns,
    key: WordHasher,
    /// Number of the conversation that entries are added to: others may have the same ids.
    number: usize,
    numbers: HashIndex<Entry>,
    /// Who follows whom, by their numbers.
    parents: Vec<Entry>,
    /// An entry further up that each one leads to, so that nobody goes the whole way twice; itself at the top.
    tops: Vec<Entry>,
    /// Number of prompts on the path to each entry, including its own.
    prompts: Vec<u32>,
    /// Number of prompts on the path to the last message.
    last_prompts: u32,
    /// What is known of each entry.
    flags: Vec<u8>,
    /// The end of the path that was chosen last.
    leaf: Option<Entry>,
    /// Messages with ids of their own that stand beside the path, if there may be any.
    has_branches: bool,
    /// Entries that were taken off the path so far.
    taken_off: usize,
    /// What the file itself takes back: where each stretch begins, and where it ends.
    withdrawn: BTreeMap<usize, usize>,
    /// Items that another one stands for.
    replaced: BTreeSet<usize>,
}

/// How often each entry can be taken off the path, on average. Somebody who goes back and forth between two long branches
/// takes all of one off each time; a file that does nothing else abandons no more from there on.
const MOST_TURNS: usize = 64;

/// The entry itself has come, and not only its id.
const COME: u8 = 1;
/// An entry follows it that came before it.
const AWAITED: u8 = 2;
/// It is on the path that counts.
const ON_PATH: u8 = 4;
/// Somebody who is on the way has come through it.
const PASSED: u8 = 8;

impl Conversation {
    pub(super) fn messages(&self) -> Messages<'_> {
        Messages(&self.messages)
    }

    pub(super) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// What follows is another conversation, in which the same ids are those of others.
    pub(super) fn begin_another(&mut self) {
        self.number += 1;
        self.leaf = None;
        self.turns.part();
    }

    /// An entry begins. Whether another path counts now.
    pub(super) fn begin(&mut self, message: Message) -> bool {
        let id = message.id.as_deref().filter(|_| !message.aside);
        let turned = id.is_some_and(|id| self.link(id, message.parent.as_deref(), true));
        let entry = id.map(|id| self.number(id) as usize);
        let before = entry.map_or(self.last_prompts, |entry| self.prompts[entry]);
        let prompts = self.turns.push(message.role, message.aside, message.origin, before);
        if let Some(entry) = entry {
            self.prompts[entry] = prompts;
        }
        self.last_prompts = prompts;
        self.messages.push(message);
        turned
    }

    /// What stands behind `offset` in the open message was written down at this time.
    pub(super) fn pass_time(&mut self, offset: usize, time: &str) {
        self.messages.pass_time(offset, time);
    }

    /// An entry, or a record without words, follows another one. One that is `chosen` decides which branch counts; whether
    /// another path counts now.
    pub(super) fn link(&mut self, id: &str, parent: Option<&str>, chosen: bool) -> bool {
        let parent = parent.map(|parent| self.number(parent));
        let entry = self.number(id);
        let is_late = self.is_late(entry);
        self.parents[entry as usize] = parent.unwrap_or(NOBODY);
        let known = parent.filter(|&parent| self.is(parent, COME));
        self.prompts[entry as usize] = known.map_or(self.last_prompts, |parent| self.prompts[parent as usize]);
        self.flags[entry as usize] |= COME;
        self.hang(entry, parent);
        if let Some(parent) = parent.filter(|&parent| !self.is(parent, COME)) {
            self.flags[parent as usize] |= AWAITED;
        }
        if self.leaf.is_none() || (parent.is_some() && parent == self.leaf) {
            self.flags[entry as usize] |= ON_PATH;
            self.leaf = Some(entry);
            return false;
        }
        chosen && self.go_to(entry, is_late)
    }

    /// The path to this entry counts; whether another one did before.
    pub(super) fn choose(&mut self, id: &str) -> bool {
        let entry = self.number(id);
        let is_late = self.is_late(entry);
        self.go_to(entry, is_late)
    }

    /// The number of an entry.
    fn number(&mut self, id: &str) -> Entry {
        let next = self.parents.len() as Entry;
        let hash = self.key.hash_in(self.number, id);
        let number = *self.numbers.entry(hash).or_insert(next);
        if number == next {
            self.parents.push(NOBODY);
            self.tops.push(number);
            self.prompts.push(0);
            self.flags.push(0);
        }
        number
    }

    fn is(&self, entry: Entry, flag: u8) -> bool {
        self.flags[entry as usize] & flag != 0
    }

    /// The entry that another one follows.
    fn parent(&self, entry: Entry) -> Option<Entry> {
        Some(self.parents[entry as usize]).filter(|parent| *parent != NOBODY)
    }

    /// Takes a flag from an entry; whether it had it.
    fn take(&mut self, entry: Entry, flag: u8) -> bool {
        let had = self.is(entry, flag);
        self.flags[entry as usize] &= !flag;
        had
    }

    /// The entry at the top of the tree that this one is in; the ways there get shorter.
    fn top(&mut self, mut entry: Entry) -> Entry {
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

    /// Puts the tree of which an entry is the top below the entry that it follows. One that comes again stays where it was.
    fn hang(&mut self, entry: Entry, parent: Option<Entry>) {
        if let Some(top) = parent.map(|parent| self.top(parent))
            && top != entry
            && self.tops[entry as usize] == entry
        {
            self.tops[entry as usize] = top;
        }
    }

    /// Whether an entry comes behind those of the chosen path that follow it.
    fn is_late(&mut self, entry: Entry) -> bool {
        self.is(entry, AWAITED) && self.leaf.is_some_and(|leaf| self.top(leaf) == entry)
    }

    /// The entries from one up to the first of which `ends` is true, that one included; none if there is no such entry. A ring
    /// of entries ends where it is entered again.
    fn up_to(&mut self, from: Entry, ends: impl Fn(&Self, Entry) -> bool) -> Option<Vec<Entry>> {
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

    fn go_to(&mut self, entry: Entry, is_late: bool) -> bool {
        if self.take(entry, AWAITED) && is_late && !self.is(entry, ON_PATH) {
            self.flags[entry as usize] |= ON_PATH;
            return false;
        }
        let mut turned = false;
        if let Some(chain) = self.up_to(entry, |all, entry| all.is(entry, ON_PATH)) {
            turned = chain.last().is_some_and(|&common| self.take_off(entry, common));
            for entry in chain {
                self.flags[entry as usize] |= ON_PATH;
            }
        } else {
            // It begins a tree of its own, or what it follows has not come yet.
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

    /// Takes off the path what follows `common` on it, since it goes on to `entry` from there. Whether anything does.
    fn take_off(&mut self, entry: Entry, common: Entry) -> bool {
        let Some(leaf) = self.leaf.filter(|_| self.taken_off <= MOST_TURNS * self.parents.len()) else { return false };
        if self.top(leaf) != self.top(entry) {
            return false;
        }
        let left = self.up_to(leaf, |_, entry| entry == common).unwrap_or_default();
        self.taken_off += left.len();
        let mut turned = false;
        for entry in left.into_iter().filter(|entry| *entry != common) {
            turned |= self.take(entry, ON_PATH);
        }
        turned
    }

    /// Whether an entry was abandoned: somebody went back to one before it and went on from there. The results of calls
    /// that ran side by side may all follow the same entry, of which only one goes on; they count with that.
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

    /// Whether any entry may have been abandoned.
    pub(super) fn has_branches(&self) -> bool {
        self.has_branches
    }

    /// The file takes back what it said here, and with it what it took back of that before. The stretches of it that it had
    /// not taken back yet.
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

    /// Another item stands for this one.
    pub(super) fn replace(&mut self, item: usize) {
        self.replaced.insert(item);
    }

    /// Whether the file takes back anything.
    pub(super) fn takes_back(&self) -> bool {
        !self.withdrawn.is_empty() || !self.replaced.is_empty()
    }

    /// Whether the file takes back the byte at `offset`.
    pub(super) fn is_withdrawn(&self, offset: usize) -> bool {
        self.withdrawn.range(..=offset).next_back().is_some_and(|(_, &end)| offset < end)
    }

    /// Whether another item stands for this one.
    pub(super) fn is_replaced(&self, item: usize) -> bool {
        self.replaced.contains(&item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns as `id<parent`, `!id` for one that is chosen; those that were abandoned.
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
