//! Messages in few bytes: who speaks and where each begins, and what else a file says of them, packed.
//!
//! What a message says of itself is like what the one before it says: the time goes on, ids are counted, the model
//! stays. So a word is kept as what it does not share with the one before at either end, and words that come again and
//! again once. To read one message, those in front of it are read from the last one at which nothing is taken over. This
//! module does not know which message follows which.

use super::numbers::{Numbers, put, put_words};
use crate::container::{Message, MessageRole};

/// Messages between two at which nothing is taken over.
const STRIDE: usize = 16;

/// Words that are kept once; of models and labels there are few as a rule.
const MOST_KNOWN: usize = 64;

/// What a file says of a message: when, which model, what it is called, its id, and that of the one it follows.
const FIELDS: usize = 5;

/// The fields that say the same again and again: the model and what it is called.
const REPEATED: [usize; 2] = [1, 2];

const ID: usize = 3;
const PARENT: usize = 4;

/// How a word is written that is not there, and one that the message before has as well.
const NONE: usize = 0;
const AGAIN: usize = 1;

/// All messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    heads: Vec<Head>,
    bytes: Vec<u8>,
    /// Where every [`STRIDE`]th message begins in the bytes.
    marks: Vec<usize>,
    known: Vec<Box<str>>,
    /// The words of the last message.
    last: Words,
}

/// Where a message begins, who speaks (three bits, from the 60th on) and whether that is aside (the highest bit). There
/// is no text of 2^60 bytes.
#[derive(Clone, Copy, Debug)]
struct Head(u64);

impl Head {
    const ROLE: u32 = 60;
    const ROLES: [Option<MessageRole>; 5] = [
        None,
        Some(MessageRole::System),
        Some(MessageRole::User),
        Some(MessageRole::Assistant),
        Some(MessageRole::Tool),
    ];

    fn new(message: &Message) -> Self {
        let role = Self::ROLES.iter().position(|role| *role == message.role).unwrap_or_default() as u64;
        Self(u64::from(message.aside) << 63 | role << Self::ROLE | message.start as u64)
    }

    fn start(self) -> usize {
        (self.0 & ((1 << Self::ROLE) - 1)) as usize
    }

    fn role(self) -> Option<MessageRole> {
        Self::ROLES[(self.0 >> Self::ROLE & 7) as usize % Self::ROLES.len()]
    }

    fn is_aside(self) -> bool {
        self.0 >> 63 == 1
    }
}

/// What a file says of a message, by its fields.
type Words = [Option<Box<str>>; FIELDS];

impl Kept {
    /// Adds a message.
    pub(super) fn push(&mut self, message: Message) {
        if self.heads.len().is_multiple_of(STRIDE) {
            self.marks.push(self.bytes.len());
            self.last = Words::default();
        }
        self.heads.push(Head::new(&message));
        let Message { time, model, label, id, parent, .. } = message;
        let words = [time, model, label, id, parent];
        for (field, word) in words.iter().enumerate() {
            self.put(field, word.as_deref());
        }
        self.last = words;
    }

    fn put(&mut self, field: usize, word: Option<&str>) {
        let Some(word) = word else { return put(&mut self.bytes, NONE) };
        if before(&self.last, field) == Some(word) {
            return put(&mut self.bytes, AGAIN);
        }
        if let Some(known) = self.known(field, word) {
            return put(&mut self.bytes, 2 + 2 * known);
        }
        let (front, behind) = before(&self.last, field).map_or((0, 0), |before| shared(before, word));
        put(&mut self.bytes, 3 + 2 * front);
        put(&mut self.bytes, behind);
        put_words(&mut self.bytes, &word[front..word.len() - behind]);
    }

    /// The number of a word that is kept once.
    fn known(&mut self, field: usize, word: &str) -> Option<usize> {
        if !REPEATED.contains(&field) {
            return None;
        }
        let known = self.known.iter().position(|known| &**known == word);
        if known.is_none() && self.known.len() < MOST_KNOWN {
            self.known.push(word.into());
            return Some(self.known.len() - 1);
        }
        known
    }

    /// Reads the words of a message behind those of the one before it.
    fn read(&self, numbers: &mut Numbers<'_>, last: &Words) -> Words {
        std::array::from_fn(|field| match numbers.next() {
            NONE => None,
            AGAIN => before(last, field).map(Box::from),
            code if code % 2 == 0 => self.known.get(code / 2 - 1).cloned(),
            code => {
                let before = before(last, field).unwrap_or_default();
                let (front, behind) = (code / 2 - 1, before.len().saturating_sub(numbers.next()));
                let (front, behind) = (before.get(..front), before.get(behind..));
                Some([front.unwrap_or_default(), &numbers.words(), behind.unwrap_or_default()].concat().into())
            }
        })
    }

    fn message(head: Head, [time, model, label, id, parent]: Words) -> Message {
        Message { start: head.start(), role: head.role(), time, model, id, parent, aside: head.is_aside(), label }
    }
}

/// The word that a field is likely to repeat. A message follows the one before it as a rule.
fn before(last: &Words, field: usize) -> Option<&str> {
    let before = &last[if field == PARENT { ID } else { field }];
    before.as_deref()
}

/// Number of bytes that two words both begin with, and of those that both end with; between two characters.
fn shared(one: &str, other: &str) -> (usize, usize) {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let front = (0..=same).rev().find(|&at| other.is_char_boundary(at) && one.is_char_boundary(at)).unwrap_or(0);
    let (one, other) = (&one[front..], &other[front..]);
    let same = one.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other).count();
    let is_between = |&at: &usize| one.is_char_boundary(one.len() - at) && other.is_char_boundary(other.len() - at);
    (front, (0..=same).rev().find(is_between).unwrap_or(0))
}

/// The messages of a document, in the order of the text.
#[derive(Clone, Copy)]
pub struct Messages<'a>(pub(super) &'a Kept);

impl<'a> Messages<'a> {
    /// Number of messages.
    pub fn len(self) -> usize {
        self.0.heads.len()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0.heads.is_empty()
    }

    /// Where a message begins.
    pub fn start(self, message: usize) -> Option<usize> {
        self.0.heads.get(message).map(|head| head.start())
    }

    /// Where the last message begins.
    pub fn last_start(self) -> Option<usize> {
        self.start(self.len().checked_sub(1)?)
    }

    /// Who speaks; `None` where the file does not say.
    pub fn role(self, message: usize) -> Option<MessageRole> {
        self.0.heads.get(message).and_then(|head| head.role())
    }

    /// Whether a message belongs to a conversation beside the main one.
    pub fn is_aside(self, message: usize) -> bool {
        self.0.heads.get(message).is_some_and(|head| head.is_aside())
    }

    /// How many of them begin at `offset` or in front of it.
    pub fn up_to(self, offset: usize) -> usize {
        self.0.heads.partition_point(|head| head.start() <= offset)
    }

    /// All that is known of a message.
    pub fn get(self, message: usize) -> Option<Message> {
        self.from(message - message % STRIDE).nth(message % STRIDE)
    }

    /// One after another.
    pub fn iter(self) -> impl Iterator<Item = Message> + use<'a> {
        self.from(0)
    }

    /// Those from one on at which nothing is taken over.
    fn from(self, first: usize) -> impl Iterator<Item = Message> + use<'a> {
        let Self(kept) = self;
        let at = kept.marks.get(first / STRIDE).copied().unwrap_or(kept.bytes.len());
        let mut numbers = Numbers { bytes: &kept.bytes, at };
        let mut last = Words::default();
        kept.heads.iter().enumerate().skip(first).map(move |(number, &head)| {
            if number.is_multiple_of(STRIDE) {
                last = Words::default();
            }
            last = kept.read(&mut numbers, &last);
            Kept::message(head, last.clone())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_as_they_were() {
        let words = ["", "a", "ab", "aé", "aê", "ü", "2026-01-01T10:00:00.000Z", "2026-01-01T10:00:00.500Z"];
        let word = |number: usize| words.get(number % 11).copied().map(Box::from);
        let mut kept = Kept::default();
        let mut expected = Vec::new();
        for number in 0..3000 {
            let seed = number * number / 7;
            let message = Message {
                start: number << 30,
                role: Head::ROLES[seed % 5],
                time: word(seed),
                model: Some(format!("model {}", seed % 100).into()).filter(|_| seed % 3 > 0),
                id: word(seed / 3),
                parent: word(number / 5),
                aside: seed % 7 == 1,
                label: word(seed / 5),
            };
            expected.push(message.clone());
            kept.push(message);
        }
        let messages = Messages(&kept);
        assert_eq!(messages.iter().collect::<Vec<_>>(), expected);
        for (number, message) in expected.iter().enumerate() {
            assert_eq!(messages.get(number).as_ref(), Some(message));
            assert_eq!(messages.up_to(message.start), number + 1);
            let head = (messages.start(number), messages.role(number), messages.is_aside(number));
            assert_eq!(head, (Some(message.start), message.role, message.aside));
        }
        assert_eq!((messages.get(3000), messages.len()), (None, 3000));
    }

    #[test]
    fn a_message_like_the_one_before_takes_a_few_bytes() {
        let mut kept = Kept::default();
        let id = |number: usize| format!("c0-4-{number:08}");
        for number in 1..1000 {
            kept.push(Message {
                time: Some(format!("2026-01-01T10:{:02}:{:02}.000Z", number / 60, number % 60).into()),
                model: Some("claude-sonnet-4-5-20250929".into()),
                id: Some(id(number).into()),
                parent: Some(id(number - 1).into()),
                ..Message::default()
            });
        }
        assert!(kept.bytes.len() < 16 * 1000, "{}", kept.bytes.len());
    }
}
