//! The nodes of a call's parameters by path, without their values. The position of every argument is decided with this
//! index, whether a tree is built or not.
//!
//! The keys of all containers are in one table, once there are more than a few; its memory is reused for each call.

use std::hash::{BuildHasher as _, RandomState};

use crate::value::{NodeId, ROOT};

/// Most nodes that are searched linearly, as in most calls: filling and querying a table takes more steps. Tiny calls
/// take 8 % less time this way.
const FEW: usize = 8;

/// Initial number of slots of the table.
const PLACES: usize = 64;

/// Most slots that are examined for a key with the fast hash. Ordinary keys do not collide more often; if hostile ones
/// do, the table changes to an unpredictable hash.
const MOST_PROBES: usize = 64;

/// The content of a node that matters for positions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A plain value, from the argument with this number.
    Leaf(u32),
    Object,
    /// An array with that many elements.
    Array(u32),
}

#[derive(Clone, Copy, Debug)]
struct PathNode {
    parent: u32,
    hash: u32,
    /// Range of its key in `keys`.
    key: (u32, u32),
    shape: Shape,
    /// Its first child; the root if there is none, since the root is never a child.
    first: u32,
}

/// The slot of the table for a key that a container does not have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vacant {
    place: usize,
    hash: u32,
}

/// The nodes; their numbers are the same as in the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct PathIndex {
    nodes: Vec<PathNode>,
    keys: Vec<u8>,
    /// Numbers of nodes in the slots of their hashes, if there are more than a few; the root in empty slots.
    table: Vec<u32>,
    /// The unpredictable hash, if it is needed.
    safe: Option<RandomState>,
}

impl PathIndex {
    /// Begins a call with an empty root.
    pub(super) fn begin(&mut self) {
        self.nodes.clear();
        self.nodes.push(PathNode { parent: 0, hash: 0, key: (0, 0), shape: Shape::Object, first: 0 });
        self.keys.clear();
        self.safe = None;
    }

    pub(super) fn shape(&self, id: NodeId) -> Shape {
        self.nodes[id].shape
    }

    /// Turns a node into a plain value; its children can no longer be found.
    pub(super) fn replace(&mut self, id: NodeId, argument: usize) {
        self.nodes[id].shape = Shape::Leaf(argument as u32);
    }

    /// The child of a container with a key, or its slot if there is none.
    pub(super) fn find(&mut self, parent: NodeId, key: &[u8]) -> Result<NodeId, Vacant> {
        if self.nodes.len() <= FEW {
            let is_it = |node: &PathNode| node.parent == parent as u32 && self.key(*node) == key;
            let child = self.nodes[1..].iter().position(is_it);
            return child.map(|before| before + 1).ok_or(Vacant { place: 0, hash: 0 });
        }
        loop {
            let hash = self.hash(parent as u32, key);
            let probes = if self.safe.is_none() { MOST_PROBES } else { usize::MAX };
            for place in self.places(hash).take(probes) {
                let number = self.table[place];
                if number == 0 {
                    return Err(Vacant { place, hash });
                }
                let node = self.nodes[number as usize];
                if node.hash == hash && node.parent == parent as u32 && self.key(node) == key {
                    return Ok(number as usize);
                }
            }
            self.safe = Some(RandomState::new());
            self.fill_anew(self.table.len());
        }
    }

    /// Adds a child to a container, after an unsuccessful search for it.
    pub(super) fn insert(&mut self, vacant: Vacant, parent: NodeId, key: &[u8], shape: Shape) -> NodeId {
        let (id, start) = (self.nodes.len(), self.keys.len() as u32);
        self.keys.extend_from_slice(key);
        let key = (start, self.keys.len() as u32);
        self.nodes.push(PathNode { parent: parent as u32, hash: vacant.hash, key, shape, first: 0 });
        let container = &mut self.nodes[parent];
        if container.first == 0 {
            container.first = id as u32;
        }
        if let Shape::Array(length) = &mut container.shape {
            *length += 1;
        }
        if self.nodes.len() <= FEW {
            return id;
        }
        if id == FEW {
            self.fill_anew(PLACES);
            return id;
        }
        self.table[vacant.place] = id as u32;
        if self.nodes.len() * 2 > self.table.len() {
            self.fill(self.table.len() * 2);
        }
        id
    }

    /// The path of a node from the root: `users/0/name`.
    pub(super) fn path(&self, id: NodeId) -> String {
        let up = |&id: &NodeId| Some(self.nodes[id].parent as usize).filter(|&parent| parent != ROOT);
        let ids: Vec<NodeId> = std::iter::successors(Some(id), up).collect();
        let keys: Vec<_> = ids.iter().rev().map(|&id| String::from_utf8_lossy(self.key(self.nodes[id]))).collect();
        keys.join("/")
    }

    /// Index of the first argument at or below a node.
    pub(super) fn first_argument(&self, id: NodeId) -> Option<usize> {
        let mut at = id;
        loop {
            let node = self.nodes[at];
            if let Shape::Leaf(argument) = node.shape {
                return Some(argument as usize);
            }
            at = Some(node.first as usize).filter(|&first| first != ROOT)?;
        }
    }

    fn key(&self, node: PathNode) -> &[u8] {
        &self.keys[node.key.0 as usize..node.key.1 as usize]
    }

    /// The slots for a hash, in probing order.
    fn places(&self, hash: u32) -> impl Iterator<Item = usize> + use<> {
        let mask = self.table.len() - 1;
        (0..=mask).map(move |probe| (hash as usize).wrapping_add(probe) & mask)
    }

    /// Rebuilds the table with this many slots and new hashes.
    fn fill_anew(&mut self, length: usize) {
        for number in 1..self.nodes.len() {
            let node = self.nodes[number];
            self.nodes[number].hash = self.hash(node.parent, self.key(node));
        }
        self.fill(length);
    }

    /// Rebuilds the table with this many slots.
    fn fill(&mut self, length: usize) {
        self.table.clear();
        self.table.resize(length, 0);
        for number in 1..self.nodes.len() {
            let place = self.places(self.nodes[number].hash).find(|&place| self.table[place] == 0);
            self.table[place.expect("half of the table is empty")] = number as u32;
        }
    }

    /// The hash of a key in a container. Keys with equal hashes are compared.
    fn hash(&self, parent: u32, key: &[u8]) -> u32 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        if let Some(safe) = &self.safe {
            return safe.hash_one((parent, key)) as u32;
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_by_their_keys_whatever_these_hash_to() {
        let mut index = PathIndex::default();
        for is_safe in [false, true] {
            index.begin();
            index.safe = is_safe.then(RandomState::new);
            for number in 0..1000 {
                let key = number.to_string();
                let vacant = index.find(ROOT, key.as_bytes()).expect_err("it is new");
                let id = index.insert(vacant, ROOT, key.as_bytes(), Shape::Object);
                let vacant = index.find(id, b"below").expect_err("it is new");
                index.insert(vacant, id, b"below", Shape::Leaf(number));
            }
            for number in 0..1000 {
                let id = index.find(ROOT, number.to_string().as_bytes()).expect("it is there");
                assert_eq!(index.first_argument(id), Some(number));
                let leaf = index.find(id, b"below").expect("it is there");
                assert_eq!(index.path(leaf), format!("{number}/below"));
                assert!(index.find(leaf, b"below").is_err());
            }
        }
    }

    #[test]
    fn keys_made_to_collide_are_told_apart() {
        // The first word of each pair cancels what the second one changes.
        let mut index = PathIndex::default();
        index.begin();
        let mut keys: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..8 {
            keys = keys.iter().flat_map(|key| [[key, &[0; 16][..]].concat(), [key, &twin()[..]].concat()]).collect();
        }
        for key in &keys {
            let vacant = index.find(ROOT, key).expect_err("it is new");
            index.insert(vacant, ROOT, key, Shape::Object);
        }
        assert!(index.safe.is_some(), "they did not collide");
        assert!(keys.iter().enumerate().all(|(number, key)| index.find(ROOT, key).is_ok_and(|id| id == number + 1)));
    }

    /// Two words that change a hash as little as two zero words do.
    fn twin() -> [u8; 16] {
        let (first, second) = (1_u64 << 63, (1_u64 << 63) ^ (1 << 34));
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&first.to_le_bytes());
        bytes[8..].copy_from_slice(&second.to_le_bytes());
        bytes
    }
}
