//! Pointers and values about which there is nothing to say.
//!
//! Most calls are written as they should be. This tells for sure that the tree can be made of their arguments and that
//! no problem is found, and makes no tree; where it is not sure, the tree must be made. It must never be sure without
//! reason. This module does not know markers.

use super::javascript::is_inherited;
use super::{MAX_DEPTH, is_digits};
use crate::params::coerce::{Scalar, coerce};
use crate::text::common_prefix;

/// Bytes of a value's beginning that are looked at.
pub const VALUE_HEAD: usize = 256;

/// Places of the table that are looked at for a key. Keys that collide more often are met in no honest call.
const MOST_PROBES: usize = 128;

/// Places of a table at the beginning.
const PLACES: usize = 64;

/// The bytes of pointers in which there is nothing odd.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < plain.len() {
        plain[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'-' | b'.' | b'/');
        byte += 1;
    }
    plain
};

/// What a node of the tree would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Leaf,
    Object,
    /// With so many elements.
    Array(u32),
}

/// A node of the tree that would be made.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    hash: u32,
    /// Where its key begins and ends in `keys`.
    key: (u32, u32),
    kind: Kind,
}

/// Follows the pointers of one call after another.
#[derive(Clone, Debug, Default)]
pub struct Pointers {
    nodes: Vec<Node>,
    keys: Vec<u8>,
    /// Numbers of nodes, at places that their hashes lead to; the root for nothing, since it is nobody's child.
    table: Vec<u32>,
    /// The pointer before.
    last: Vec<u8>,
    /// The containers on its way: where their segments end, and their nodes.
    way: Vec<(usize, u32)>,
}

impl Pointers {
    /// Begins a call.
    pub fn begin(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node { parent: 0, hash: 0, key: (0, 0), kind: Kind::Object });
        self.keys.clear();
        self.table.clear();
        self.table.resize(PLACES, 0);
        self.last.clear();
        self.way.clear();
    }

    /// Whether the next pointer surely gives a new value its place, and nothing is odd about it.
    pub fn add(&mut self, pointer: &[u8]) -> bool {
        let same = common_prefix(&self.last, pointer, u8::eq);
        if pointer.is_empty() || !pointer[same..].iter().all(|&byte| PLAIN[usize::from(byte)]) {
            return false;
        }
        while self.way.last().is_some_and(|&(end, _)| end >= same) {
            self.way.pop();
        }
        // A container's segment ends in front of a slash, which is the same in both.
        let (mut start, mut at) = self.way.last().map_or((0, 0), |&(end, node)| (end + 1, node));
        self.last.truncate(same);
        self.last.extend_from_slice(&pointer[same..]);
        loop {
            let rest = &pointer[start..];
            let length = rest.iter().position(|&byte| byte == b'/');
            let segment = &rest[..length.unwrap_or(rest.len())];
            let next = length.map(|length| &rest[length + 1..]);
            let Some(child) = self.child(at, segment, next) else { return false };
            let Some(length) = length else { return true };
            at = child;
            self.way.push((start + length, at));
            if self.way.len() >= MAX_DEPTH {
                return false;
            }
            start += length + 1;
        }
    }

    /// The child of a container for a segment; `next` is what follows the slash behind it, where there is one. `None`
    /// where something may be said about it.
    fn child(&mut self, at: u32, segment: &[u8], next: Option<&[u8]>) -> Option<u32> {
        let digits = is_digits(segment);
        let odd = match segment.first() {
            None | Some(b'-') => true,
            Some(byte) => byte.is_ascii_digit() && !digits,
        };
        if odd || is_inherited(segment) {
            return None;
        }
        let index = match self.nodes[at as usize].kind {
            Kind::Object => None,
            Kind::Array(length) => Some((index_of(segment)?, length)),
            Kind::Leaf => return None,
        };
        let hash = hash_of(at, segment);
        let place = match self.find(at, segment, hash)? {
            // It has a value already, or is a container.
            Ok(child) => return next.map(|_| child),
            Err(place) => place,
        };
        if let Some((index, length)) = index {
            if index != length {
                return None;
            }
            self.nodes[at as usize].kind = Kind::Array(length + 1);
        }
        let kind = match next {
            None => Kind::Leaf,
            Some(next) if is_digits(next.split(|&byte| byte == b'/').next().unwrap_or_default()) => Kind::Array(0),
            Some(_) => Kind::Object,
        };
        self.insert(place, at, hash, segment, kind)
    }

    /// The node with a key, or the place of the table at which it would be; `None` where that is too far.
    fn find(&self, parent: u32, key: &[u8], hash: u32) -> Option<Result<u32, usize>> {
        let mask = self.table.len() - 1;
        for probe in 0..MOST_PROBES {
            let place = (hash as usize).wrapping_add(probe) & mask;
            let number = self.table[place];
            if number == 0 {
                return Some(Err(place));
            }
            let node = self.nodes[number as usize];
            let known = &self.keys[node.key.0 as usize..node.key.1 as usize];
            if node.parent == parent && node.hash == hash && known == key {
                return Some(Ok(number));
            }
        }
        None
    }

    fn insert(&mut self, place: usize, parent: u32, hash: u32, key: &[u8], kind: Kind) -> Option<u32> {
        let number = u32::try_from(self.nodes.len()).ok()?;
        let start = u32::try_from(self.keys.len()).ok()?;
        self.keys.extend_from_slice(key);
        let end = u32::try_from(self.keys.len()).ok()?;
        self.nodes.push(Node { parent, hash, key: (start, end), kind });
        self.table[place] = number;
        if self.nodes.len() * 2 > self.table.len() {
            self.grow()?;
        }
        Some(number)
    }

    /// Doubles the table.
    fn grow(&mut self) -> Option<()> {
        let length = self.table.len() * 2;
        self.table.clear();
        self.table.resize(length, 0);
        for (number, node) in self.nodes.iter().enumerate().skip(1) {
            let mut places = (0..MOST_PROBES).map(|probe| (node.hash as usize).wrapping_add(probe) & (length - 1));
            let place = places.find(|&place| self.table[place] == 0)?;
            self.table[place] = number as u32;
        }
        Some(())
    }
}

/// The index that a segment of digits says, if it is written as indices are.
fn index_of(segment: &[u8]) -> Option<u32> {
    let canonical = is_digits(segment) && segment.len() <= 9 && (segment.len() == 1 || segment[0] != b'0');
    canonical.then(|| segment.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
}

/// A number for a key in a container. Keys are compared where it is the same.
fn hash_of(parent: u32, key: &[u8]) -> u32 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (u64::from(parent) + 1).wrapping_mul(ODD);
    let (words, rest) = key.as_chunks::<8>();
    let mut tail = [0; 8];
    tail[..rest.len()].copy_from_slice(rest);
    for word in words.iter().chain([&tail]) {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(ODD);
        hash ^= hash >> 29;
    }
    (hash >> 32) as u32
}

/// A value as far as it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    /// Its first bytes: all of them, or at least [`VALUE_HEAD`].
    pub head: &'a [u8],
    /// Its last byte.
    pub last: Option<u8>,
    /// Whether `head` is all of it.
    pub is_whole: bool,
    /// Whether it is the last of its call.
    pub is_last: bool,
}

impl Value<'_> {
    /// Whether there is surely nothing to be said about the value.
    pub fn is_plain(&self) -> bool {
        let space = |byte: &u8| byte.is_ascii_whitespace();
        let kept = !self.is_last && matches!(self.last, Some(b'\r' | b' ' | b'\t'));
        let Some(feed) = memchr::memchr(b'\n', self.head) else {
            if self.is_whole {
                let text = self.head.first().is_none_or(|first| first.is_ascii_alphabetic() && !b"tf".contains(first));
                return match if text { Scalar::String } else { coerce(self.head) } {
                    Scalar::Number(_) => is_plain_number(self.head),
                    _ => self.is_last || self.last != Some(b'\r'),
                };
            }
            // More than `false`, and no number: it stays text.
            let words = self.head.iter().filter(|byte| !space(byte)).count() > 5;
            let text = |byte: &u8| byte.is_ascii() && !space(byte) && !matches!(byte, b'0'..=b'9' | b'.' | b'-');
            return words && self.head.iter().any(text) && !kept;
        };
        // Something in front of a line feed and something behind it: it stays text.
        let (front, behind) = (&self.head[..feed], &self.head[feed..]);
        let ended = self.last.is_some_and(|last| !space(&last)) || behind.iter().any(|byte| !space(byte));
        self.is_last || (!kept && !front.iter().all(space) && ended)
    }
}

/// Whether a number is surely written as JavaScript writes it: with few digits, and none that say nothing.
fn is_plain_number(text: &[u8]) -> bool {
    let (negative, digits) = text.strip_prefix(b"-").map_or((false, text), |digits| (true, digits));
    let mut parts = digits.splitn(2, |&byte| byte == b'.');
    let whole = parts.next().unwrap_or_default();
    let zero = whole == b"0";
    is_digits(whole)
        && digits.len() <= 15
        && (zero || whole[0] != b'0')
        && match parts.next() {
            Some(fraction) => is_digits(fraction) && fraction.len() <= 6 && !fraction.ends_with(b"0"),
            None => !(zero && negative),
        }
}
