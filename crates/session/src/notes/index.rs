//! Finds the items that notes are about, as the text grows.
//!
//! Each item is hashed once, whatever the number of notes, and stored under each of its keys that a note searches for.
//! A note belongs to the item found with its most reliable key; of several items, to the one nearest to the original
//! offset.

use std::collections::{BTreeMap, HashMap};

use super::hash::{Fingerprint, MATCH_KINDS, READ_AROUND, is_exact};
use super::{Note, NoteEdit, NoteList};
use crate::document::Document;
use crate::text::Text;

/// Most items hashed in a slice.
const ITEMS: usize = 2048;

/// Most bytes of the items of a slice.
const BYTES: usize = 1 << 20;

/// The current position of a note in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundPlace {
    /// Number of the item that it is about.
    pub item: usize,
    /// Offset in the text of the byte that it is about.
    pub offset: usize,
    /// True if the content of the item has not changed since the note was made.
    pub is_exact: bool,
}

/// The notes on a text, with their positions.
#[derive(Clone, Debug, Default)]
pub struct PlacedNotes {
    notes: NoteList,
    /// The items under each key that a note searches for, in text order.
    items: HashMap<u64, Vec<usize>>,
    /// True if any note names a record.
    with_records: bool,
    /// Number of items hashed.
    next: usize,
    /// Number of items at the beginning that will not change.
    settled: usize,
    /// The position of each note, if known.
    places: Vec<Option<FoundPlace>>,
    /// Numbers of the notes on each item.
    by_item: BTreeMap<usize, Vec<usize>>,
    changes: usize,
    /// True if the items under a key have changed since the positions were computed.
    is_stale: bool,
}

impl PlacedNotes {
    /// Notes whose positions are not known yet.
    pub(crate) fn new(notes: NoteList) -> Self {
        let keys = notes.iter().flat_map(|note| note.place.item.search_keys()).flatten();
        let items = keys.map(|key| (key, Vec::new())).collect();
        let with_records = notes.iter().any(|note| note.place.item.record.is_some());
        Self { places: vec![None; notes.len()], items, with_records, notes, ..Self::default() }
    }

    /// The notes, in creation order.
    pub fn notes(&self) -> &NoteList {
        &self.notes
    }

    /// The position of the note with this number; `None` if its place is gone or not found yet.
    pub fn place(&self, number: usize) -> Option<FoundPlace> {
        self.places.get(number).copied().flatten()
    }

    /// Numbers of the notes on an item, by offset.
    pub fn of_item(&self, item: usize) -> &[usize] {
        self.by_item.get(&item).map_or(&[], Vec::as_slice)
    }

    /// Numbers of all notes, by position; notes whose place is gone are last.
    pub fn in_order(&self) -> Vec<usize> {
        let lost = (0..self.notes.len()).filter(|&number| self.places[number].is_none());
        self.by_item.values().flatten().copied().chain(lost).collect()
    }

    /// A counter of changes to the notes or their positions.
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// True if there are items that have not been hashed, although a note may be about them.
    pub fn is_behind(&self, document: &Document) -> bool {
        !self.notes.is_empty() && self.next < document.items().len()
    }

    /// Hashes the next slice of items, and again the last ones, which may have changed unless the text has `ended`.
    /// Returns true if there is more to do.
    #[inline]
    pub(crate) fn advance(&mut self, document: &Document, text: &Text, ended: bool) -> bool {
        if self.notes.is_empty() {
            let count = document.items().len();
            (self.next, self.settled) = (count, if ended { count } else { document.stable_items() });
            return false;
        }
        self.look_at(document, text, ended)
    }

    /// Implements [`Self::advance`] for a text with notes.
    fn look_at(&mut self, document: &Document, text: &Text, ended: bool) -> bool {
        let count = document.items().len();
        self.drop_from(self.settled);
        let (first, mut bytes) = (self.next, 0);
        while self.next < count && self.next - first < ITEMS && bytes < BYTES {
            let item = self.next;
            self.next += 1;
            let Some(print) = Fingerprint::new(document, text, item, self.with_records) else { continue };
            for key in print.keys().into_iter().flatten() {
                if let Some(items) = self.items.get_mut(&key) {
                    items.push(item);
                    self.is_stale = true;
                }
            }
            let end = document.items().span(item).map_or(0, |span| span.end);
            bytes += end - print.start;
            if self.settled == item && (ended || (item < document.stable_items() && end + READ_AROUND <= text.len())) {
                self.settled += 1;
            }
        }
        if self.is_stale {
            self.find(document, text);
        }
        self.next < count
    }

    /// Applies a change to the notes. A new note is placed where it was made, without searching the items.
    pub(crate) fn apply(&mut self, edit: NoteEdit, document: &Document, text: &Text) {
        let new = match &edit {
            NoteEdit::Put(note) => Some(note.place.clone()),
            NoteEdit::Remove(_) => None,
        };
        self.notes.apply(edit);
        if let Some(place) = new {
            let item = document.item_at(place.item.start);
            let here = item.and_then(|item| Fingerprint::new(document, text, item, true));
            let keys = here.map(|here| here.keys());
            self.with_records |= place.item.record.is_some();
            for (way, key) in place.item.search_keys().into_iter().enumerate() {
                let Some(key) = key else { continue };
                let items = self.items.entry(key).or_default();
                let is_here = keys.is_some_and(|keys| keys[way] == Some(key));
                if let (Some(item), true) = (item, is_here && item.is_some_and(|item| item < self.next))
                    && let Err(at) = items.binary_search(&item)
                {
                    items.insert(at, item);
                }
            }
        }
        self.changes += 1;
        self.find(document, text);
    }

    /// Replaces all notes, after the sidecar has changed on disk. Items are hashed again only if a new note has an
    /// unknown key.
    pub(crate) fn replace(&mut self, notes: NoteList, document: &Document, text: &Text) {
        let is_known =
            |note: &Note| note.place.item.search_keys().into_iter().flatten().all(|key| self.items.contains_key(&key));
        if notes.iter().all(is_known) {
            self.notes = notes;
            self.find(document, text);
        } else {
            let changes = self.changes;
            *self = Self { changes, ..Self::new(notes) };
        }
        self.changes += 1;
    }

    fn drop_from(&mut self, first: usize) {
        if first < self.next {
            self.next = first;
            for items in self.items.values_mut() {
                self.is_stale |= items.last().is_some_and(|&item| item >= first);
                items.truncate(items.partition_point(|&item| item < first));
            }
        }
    }

    /// Computes the position of each note from the items hashed so far.
    fn find(&mut self, document: &Document, text: &Text) {
        self.is_stale = false;
        let places: Vec<_> = self.notes.iter().map(|note| self.place_of(note, document, text)).collect();
        if places == self.places {
            return;
        }
        self.by_item.clear();
        for (number, place) in places.iter().enumerate() {
            if let Some(place) = place {
                self.by_item.entry(place.item).or_default().push(number);
            }
        }
        for numbers in self.by_item.values_mut() {
            numbers.sort_by_key(|&number| places[number].map(|place| place.offset));
        }
        self.places = places;
        self.changes += 1;
    }

    fn place_of(&self, note: &Note, document: &Document, text: &Text) -> Option<FoundPlace> {
        let print = &note.place.item;
        let start = |item: usize| document.items().span(item).map_or(usize::MAX, |span| span.start);
        let (way, item) = (0..MATCH_KINDS).zip(print.search_keys()).find_map(|(way, key)| {
            let items = self.items.get(&key?)?;
            let behind = items.partition_point(|&item| start(item) < print.start);
            let near = [behind.checked_sub(1), Some(behind)].into_iter().flatten().filter_map(|at| items.get(at));
            Some((way, *near.min_by_key(|&&item| start(item).abs_diff(print.start))?))
        })?;
        let span = document.items().span(item)?;
        Some(FoundPlace { item, offset: note.place.offset_in(text, span), is_exact: is_exact(way) })
    }
}
