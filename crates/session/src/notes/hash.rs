//! Fingerprints that tell the items of a text apart: ids, if the file has some, and hashes of an item's bytes and of
//! the bytes around it.
//!
//! The hashes are stored in files, so they must be the same on every machine and in every version. Whitespace at the
//! ends and the kind of line ends make no difference.

use crate::document::{Document, Item, ItemType};
use crate::text::{Span, Text};

/// Most bytes of an item that its hash covers.
const LOOKED: usize = 64 * 1024;

/// Bytes before and after an item that tell it from others with the same content.
const AROUND: usize = 128;

/// Bytes read for that, including whitespace.
pub(super) const READ_AROUND: usize = 4 * AROUND;

/// Fewest bytes that identify an item by content alone, and the length of the head that identifies an item that has
/// grown.
const TELLING: usize = 12;

/// The identifying features of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    pub(super) kind: ItemType,
    /// The id of its call, if one is written in the text.
    pub(super) call: Option<String>,
    pub(super) tool: Option<String>,
    /// The id of its record.
    pub(super) record: Option<String>,
    /// Number of items before it in its record.
    pub(super) nth: usize,
    /// Its start offset in the text.
    pub(super) start: usize,
    /// Hash of its bytes, and whether they are enough to identify it by content alone.
    pub(super) content: ByteHash,
    pub(super) is_distinctive: bool,
    /// Hash of its first bytes.
    pub(super) head: ByteHash,
    /// Hashes of the bytes before and after it, without whitespace.
    pub(super) before: ByteHash,
    pub(super) after: ByteHash,
}

/// Number of ways to find an item again; the most reliable way has index 0.
pub(super) const MATCH_KINDS: usize = 11;

/// True for the ways that compare the whole content of the item.
pub(super) fn is_exact(way: usize) -> bool {
    matches!(way, 0 | 2 | 4 | 5 | 6 | 7)
}

impl Fingerprint {
    /// The fingerprint of an item. Records are looked up on demand only, since that costs more than the rest.
    pub(super) fn new(document: &Document, text: &Text, item: usize, with_record: bool) -> Option<Self> {
        let found = document.items().get(item)?;
        let span = found.span();
        let kind = found.item_type();
        let (call, tool) = match found {
            Item::Call(call) => (call.id.map(|id| id.text(text).into_owned()), Some(call.name(text))),
            // The id that a result names is known immediately; its call may be found only later.
            Item::Result(answer) => (answer.id.map(|id| id.text(text)), None),
            Item::Text(_) | Item::Aside(_) => (None, None),
        };
        let read = text.read(Span::new(span.start, span.end.min(span.start + LOOKED)));
        let bytes = read.trim_ascii();
        let message = document.message_at(span.start);
        let record = with_record.then(|| document.messages().get(message)).flatten();
        let begun = document.messages().start(message).unwrap_or(0);
        Some(Self {
            kind,
            call,
            tool,
            record: record.and_then(|record| record.id).map(String::from),
            nth: item - document.items_before(begun).min(item),
            start: span.start,
            content: ByteHash::new(bytes),
            is_distinctive: bytes.len() >= TELLING,
            head: ByteHash::new(&bytes[..bytes.len().min(TELLING)]),
            before: before(text, span.start),
            after: after(text, span.end),
        })
    }

    /// A key for each way in which the item may be found again; `None` for a way that would not identify it. Two items
    /// with an equal key are the same in that way.
    pub(super) fn keys(&self) -> [Option<u64>; MATCH_KINDS] {
        let Self { call, tool, record, content, head, before, after, .. } = self;
        let tool = tool.as_deref().unwrap_or_default();
        let key = |way: u8, words: &[&str], hashes: &[ByteHash], numbers: &[usize]| {
            let mut hash = ByteHash::default();
            hash.add(&[way, self.kind as u8]);
            for word in words {
                hash.add(word.as_bytes());
                hash.add(&[0xff]);
            }
            for part in hashes {
                hash.add(&part.0.to_le_bytes());
            }
            for number in numbers {
                hash.add(&number.to_le_bytes());
            }
            Some(hash.0)
        };
        let (id, record) = (call.as_deref(), record.as_deref());
        // An item with an id is identified by it: without the id, a similar item may be any other one.
        let is_nameless = id.is_none() && record.is_none();
        let [follows, goes_on] = [before, after].map(|around| is_nameless && !around.is_none());
        [
            id.and_then(|id| key(0, &[id], &[*content], &[])),
            id.and_then(|id| key(1, &[id, tool], &[], &[])),
            record.and_then(|record| key(2, &[record], &[*content], &[])),
            record.and_then(|record| key(3, &[record, tool], &[], &[self.nth])),
            key(4, &[], &[*content, *before, *after], &[]),
            follows.then(|| key(5, &[], &[*content, *before], &[])).flatten(),
            goes_on.then(|| key(6, &[], &[*content, *after], &[])).flatten(),
            (is_nameless && self.is_distinctive).then(|| key(7, &[], &[*content], &[])).flatten(),
            (follows && goes_on).then(|| key(8, &[tool], &[*before, *after], &[])).flatten(),
            // All calls of a dialect have the same head.
            (is_nameless && self.kind != ItemType::Call).then(|| key(9, &[], &[*head, *before], &[])).flatten(),
            // The last item may have grown since the note was made.
            is_nameless.then(|| key(10, &[tool], &[*before], &[self.start])).flatten(),
        ]
    }

    /// The keys with which a note is searched for: the keys of the item, but the last one only if nothing followed the
    /// item.
    pub(super) fn search_keys(&self) -> [Option<u64>; MATCH_KINDS] {
        let mut keys = self.keys();
        let may_go_on = self.after.is_none() && !(self.before.is_none() && self.is_distinctive);
        keys[MATCH_KINDS - 1] = keys[MATCH_KINDS - 1].filter(|_| may_go_on);
        keys
    }
}

fn before(text: &Text, start: usize) -> ByteHash {
    let read = text.read(Span::new(start.saturating_sub(READ_AROUND), start));
    let kept = read.iter().rev().filter(|byte| !byte.is_ascii_whitespace()).take(AROUND);
    let mut bytes: Vec<u8> = kept.copied().collect();
    bytes.reverse();
    ByteHash::new(&bytes)
}

fn after(text: &Text, end: usize) -> ByteHash {
    let read = text.read(Span::new(end, text.len().min(end + READ_AROUND)));
    let kept = read.iter().filter(|byte| !byte.is_ascii_whitespace()).take(AROUND);
    ByteHash::new(&kept.copied().collect::<Vec<u8>>())
}

/// The 64-bit FNV-1a hash of bytes without carriage returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteHash(pub(super) u64);

impl Default for ByteHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl ByteHash {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut hash = Self::default();
        bytes.split(|&byte| byte == b'\r').for_each(|part| hash.add(part));
        hash
    }

    /// Adds bytes, including carriage returns.
    fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    }

    /// True if it is the hash of no bytes.
    fn is_none(self) -> bool {
        self == Self::default()
    }
}
