//! Calls in few bytes: what is kept of a call once the next one has begun.
//!
//! Everything is a number in as many bytes as it needs, and every place is told from the call's first byte, an argument from the one before it. So a call of any length has its
//! record, and a usual one takes about twenty bytes and one or two for each argument. Words that are not what their
//! bytes say are rare and lie beside that. This module does not know documents.

use super::call::Label;
use super::numbers::{Numbers, put};
use super::record::Tail;
use crate::dialect::Word;
use crate::text::Span;

/// The records of calls, one behind the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    decoded: Vec<Decoded>,
    /// The decoded words, one behind the other.
    words: String,
}

/// A word that is not what its bytes say.
#[derive(Clone, Copy, Debug)]
struct Decoded {
    span: Span,
    /// Where it ends among the words; it begins where the one before it ends.
    end: usize,
}

/// What a record begins with.
pub(super) struct Head<'a> {
    pub(super) marker: usize,
    pub(super) name: Label<'a>,
    pub(super) id: Result<Label<'a>, u32>,
    /// Offset of the body.
    pub(super) body: usize,
    /// Bytes behind the body.
    pub(super) behind: usize,
    /// Where the lists are that follow.
    pub(super) lists: usize,
}

impl Packed {
    /// Bytes of all records.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds the record of the call that begins at `start` and ends at `end`.
    pub(super) fn push(&mut self, tail: &Tail, start: usize, end: usize) {
        self.put(tail.marker.len());
        self.put_word(&tail.header.name, start, 0);
        match &tail.header.id {
            None => {
                self.put(0);
                self.put(tail.made as usize);
            }
            Some(id) => self.put_word(id, start, 1),
        }
        self.put(tail.body.start.wrapping_sub(start));
        self.put(end.wrapping_sub(tail.body.end));
        self.put(tail.header.dependencies.len());
        for word in &tail.header.dependencies {
            self.put_word(word, start, 0);
        }
        self.put(tail.arguments.len());
        let mut before = 0;
        for &argument in &tail.arguments {
            self.put(argument.wrapping_sub(before) as usize);
            before = argument;
        }
    }

    /// The beginning of the record at `at`, of the call that begins at `start`.
    pub(super) fn head(&self, at: usize, start: usize) -> Head<'_> {
        let mut reader = Reader::new(self, at);
        let marker = reader.number();
        let name = reader.number();
        let name = reader.word(name, start);
        let id = match reader.number() {
            0 => Err(reader.number() as u32),
            word => Ok(reader.word(word - 1, start)),
        };
        let body = start.wrapping_add(reader.number());
        Head { marker, name, id, body, behind: reader.number(), lists: reader.numbers.at }
    }

    /// The dependencies of the call whose lists are at `at`.
    pub(super) fn dependencies(&self, at: usize, start: usize) -> Vec<Label<'_>> {
        let mut reader = Reader::new(self, at);
        reader.dependencies(start)
    }

    /// The arguments of the call whose lists are at `at`.
    pub(super) fn arguments(&self, at: usize) -> Vec<u32> {
        let mut reader = Reader::new(self, at);
        reader.dependencies(0);
        let mut offset = 0_u32;
        let count = reader.number();
        let next = |_| {
            offset = offset.wrapping_add(reader.number() as u32);
            offset
        };
        (0..count).map(next).collect()
    }

    fn put(&mut self, number: usize) {
        put(&mut self.bytes, number);
    }

    /// Adds a word; its first number is moved up by `shift`.
    fn put_word(&mut self, word: &Word, start: usize, shift: usize) {
        match &word.decoded {
            None => {
                self.put((word.span.len() << 1) + shift);
                self.put(word.span.start.wrapping_sub(start));
            }
            Some(decoded) => {
                self.put((self.decoded.len() << 1 | 1) + shift);
                self.words.push_str(decoded);
                self.decoded.push(Decoded { span: word.span, end: self.words.len() });
            }
        }
    }
}

/// Reads a record.
struct Reader<'a> {
    packed: &'a Packed,
    numbers: Numbers<'a>,
}

impl<'a> Reader<'a> {
    fn new(packed: &'a Packed, at: usize) -> Self {
        Self { packed, numbers: Numbers { bytes: &packed.bytes, at } }
    }

    fn number(&mut self) -> usize {
        self.numbers.next()
    }

    /// The word whose first number is `first`.
    fn word(&mut self, first: usize, start: usize) -> Label<'a> {
        let index = first >> 1;
        if first & 1 == 0 {
            let begin = start.wrapping_add(self.number());
            return Label { span: Span::new(begin, begin.wrapping_add(index)), decoded: None };
        }
        let Decoded { span, end } = self.packed.decoded[index];
        let begin = index.checked_sub(1).map_or(0, |before| self.packed.decoded[before].end);
        Label { span, decoded: Some(&self.packed.words[begin..end]) }
    }

    fn dependencies(&mut self, start: usize) -> Vec<Label<'a>> {
        let count = self.number();
        let next = |_| {
            let first = self.number();
            self.word(first, start)
        };
        (0..count).map(next).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Header;

    #[test]
    fn a_call_comes_back_as_it_was_also_where_numbers_are_large() {
        let far = 1_usize << 33;
        let words = |start: usize| {
            vec![
                Word::plain(Span::new(start + 5, start + 9)),
                Word::decoded(Span::at(start + 5), "made"),
                Word::decoded(Span::new(start + far, start + far + 3), "ü"),
                Word::plain(Span::new(start + far, start + far + far)),
            ]
        };
        let mut packed = Packed::default();
        let mut expected = Vec::new();
        for start in [0, 300, 7 * far] {
            for id in [None, Some(words(start)[0].clone()), Some(words(start)[2].clone())] {
                for arguments in [vec![], vec![12, 13, 200, 100_000], vec![u32::MAX - 1, u32::MAX]] {
                    let number = expected.len();
                    let header = Header {
                        name: words(start)[number % 4].clone(),
                        id: id.clone(),
                        dependencies: words(start)[..number % 5].to_vec(),
                    };
                    let body = Span::new(start + 130, start + 140 + number * far / 9);
                    let marker = Span::new(start, start + 130);
                    let tail = Tail { marker, header, made: number as u32 * 1000, body, arguments };
                    expected.push((packed.len(), start, tail.clone()));
                    packed.push(&tail, start, body.end + 150);
                }
            }
        }
        for (at, start, tail) in &expected {
            let head = packed.head(*at, *start);
            assert_eq!((head.marker, head.body, head.behind), (130, tail.body.start, 150));
            assert_eq!(head.name, Label::from(&tail.header.name));
            assert_eq!(head.id.ok(), tail.header.id.as_ref().map(Label::from));
            assert_eq!(head.id.err(), tail.header.id.is_none().then_some(tail.made));
            let dependencies: Vec<Label<'_>> = tail.header.dependencies.iter().map(Label::from).collect();
            assert_eq!(packed.dependencies(head.lists, *start), dependencies);
            assert_eq!(packed.arguments(head.lists), tail.arguments);
        }
    }
}
