//! The entries of a conversation: who spoke, which entry follows which, and which of them were abandoned.
//!
//! In most files an entry follows the one before it. In some each names the one that it follows, and where somebody went
//! back and said something else there are branches: the path to the entry that was chosen last counts, and what lies
//! beside it was abandoned. An entry whose predecessor is not known begins a tree of its own. Ids are compared by their
//! hashes. This module does not know what is in an entry.

pub use crate::container::Message;
use crate::container::MessageRole;
use crate::text::Span;
use crate::text::hash_index::{HashIndex, WordHasher};

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
    /// What is known of each entry.
    flags: Vec<u8>,
    /// The end of the path that was chosen last.
    leaf: Option<Entry>,
    /// Messages with ids of their own that stand beside the path, if there may be any.
    has_branches: bool,
    /// What the file itself takes back, in the order of the text.
    withdrawn: Vec<Span>,
    /// Items that another one stands for, in their order.
    replaced: Vec<usize>,
}

/// The entry itself has come, and not only its id.
const COME: u8 = 1;
/// An entry follows it that came before it.
const AWAITED: u8 = 2;
/// It is on the path that counts.
const ON_PATH: u8 = 4;

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
        self.turns.push(message.role, message.aside);
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
        self.parents[entry as usize] = parent.unwrap_or(NOBODY);
        self.flags[entry as usize] |= COME;
        if let Some(parent) = parent.filter(|&parent| !self.is(parent, COME)) {
            self.flags[parent as usize] |= AWAITED;
        }
        if self.leaf.is_none() || (parent.is_some() && parent == self.leaf) {
            self.flags[entry as usize] |= ON_PATH;
            self.leaf = Some(entry);
            return false;
        }
        chosen && self.go_to(entry)
    }

    /// The path to this entry counts; whether another one did before.
    pub(super) fn choose(&mut self, id: &str) -> bool {
        let entry = self.number(id);
        self.go_to(entry)
    }

    /// The number of an entry.
    fn number(&mut self, id: &str) -> Entry {
        let next = self.parents.len() as Entry;
        let hash = self.key.hash_in(self.number, id);
        let number = *self.numbers.entry(hash).or_insert(next);
        if number == next {
            self.parents.push(NOBODY);
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

    /// The entries from one up to the first of which `ends` is true, that one included; none if there is no such entry. A ring
    /// of entries ends where it began.
    fn up_to(&self, from: Entry, ends: impl Fn(Entry) -> bool) -> Option<Vec<Entry>> {
        let mut chain = vec![from];
        while let Some(&last) = chain.last().filter(|last| !ends(**last)) {
            let parent = self.parent(last)?;
            if chain.len() > self.parents.len() {
                return None;
            }
            chain.push(parent);
        }
        Some(chain)
    }

    fn go_to(&mut self, entry: Entry) -> bool {
        let is_late = self.take(entry, AWAITED) && !self.is(entry, ON_PATH);
        if is_late && self.leaf.is_some_and(|leaf| self.up_to(leaf, |other| other == entry).is_some()) {
            // It came behind those that follow it.
            self.flags[entry as usize] |= ON_PATH;
            return false;
        }
        let mut turned = false;
        if let Some(chain) = self.up_to(entry, |entry| self.is(entry, ON_PATH)) {
            let common = chain.last().copied();
            let left = self.leaf.and_then(|leaf| self.up_to(leaf, |entry| Some(entry) == common));
            for entry in left.into_iter().flatten().filter(|entry| Some(*entry) != common) {
                turned |= self.take(entry, ON_PATH);
            }
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

    /// The file takes back what it said here, and with it what it took back of that before.
    pub(super) fn withdraw(&mut self, span: Span) {
        if span.is_empty() {
            return;
        }
        let first = self.withdrawn.partition_point(|known| known.end <= span.start);
        let behind = self.withdrawn.partition_point(|known| known.start < span.end);
        let all = self.withdrawn[first..behind].iter().fold(span, |all, known| all.cover(*known));
        self.withdrawn.splice(first..behind, [all]);
    }

    /// Another item stands for this one.
    pub(super) fn replace(&mut self, item: usize) {
        let at = self.replaced.partition_point(|&known| known < item);
        self.replaced.insert(at, item);
    }

    /// Whether the file takes back anything.
    pub(super) fn takes_back(&self) -> bool {
        !self.withdrawn.is_empty() || !self.replaced.is_empty()
    }

    /// Whether the file takes back the byte at `offset`.
    pub(super) fn is_withdrawn(&self, offset: usize) -> bool {
        let behind = self.withdrawn.partition_point(|span| span.start <= offset);
        behind > 0 && offset < self.withdrawn[behind - 1].end
    }

    /// Whether another item stands for this one.
    pub(super) fn is_replaced(&self, item: usize) -> bool {
        self.replaced.binary_search(&item).is_ok()
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
    }
}
