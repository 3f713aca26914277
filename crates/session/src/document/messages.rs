//! Messages: speaker, start, and other metadata in the file.
//!
//! A message has a record of 32 bytes. Fields often repeat values of the previous message (the same model; its id as
//! the parent), so a repeated word is stored once.

use super::words::{WordList, WordNumber};
use crate::container::facts::{Origin, Timestamp};
use crate::container::{Message, MessageRole, moment_of};

/// All messages.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageStore {
    records: Vec<MessageRecord>,
    words: WordList,
    /// Times within messages: the offset at which each begins, and its text.
    times: Vec<(usize, WordNumber)>,
    /// The last word of each field, indexed like `fields` of a record.
    last: [Option<WordNumber>; FIELDS],
}

/// The stored form of a message.
#[derive(Clone, Copy, Debug)]
struct MessageRecord {
    start: usize,
    role: Option<MessageRole>,
    aside: bool,
    goes_on: bool,
    origin: Origin,
    /// Time, model, label, parent and id, if stated.
    fields: [Option<WordNumber>; FIELDS],
}

const FIELDS: usize = 5;

const TIME: usize = 0;
const MODEL: usize = 1;
const LABEL: usize = 2;
const PARENT: usize = 3;
const ID: usize = 4;

impl MessageStore {
    pub(super) fn push(&mut self, message: Message) {
        let Message {
            start,
            role,
            time,
            model,
            id,
            parent,
            is_outside: aside,
            is_continuation: goes_on,
            origin,
            label,
        } = message;
        let mut fields = [None; FIELDS];
        for (field, word) in [time, model, label, parent, id].iter().enumerate() {
            fields[field] = word.as_deref().and_then(|word| self.keep(field, word));
        }
        self.records.push(MessageRecord { start, role, aside, goes_on, origin, fields });
    }

    /// Sets the time of the rest of the last message, starting at `offset`.
    pub(super) fn pass_time(&mut self, offset: usize, time: &str) {
        self.times.extend(self.words.push(time).map(|word| (offset, word)));
    }

    /// Stores the word of a field. Reuses the field's last word; for a parent, also the last id, since a message
    /// usually follows the previous one.
    fn keep(&mut self, field: usize, word: &str) -> Option<WordNumber> {
        let known = [self.last[field], self.last[ID].filter(|_| field == PARENT)].into_iter().flatten();
        let number = known.into_iter().find(|&known| self.words.get(known) == word).or_else(|| self.words.push(word));
        self.last[field] = number;
        number
    }

    fn message(&self, record: &MessageRecord) -> Message {
        let words = record.fields.map(|word| word.map(|number| self.words.get(number).into()));
        let [time, model, label, parent, id] = words;
        let MessageRecord { start, role, aside, goes_on, origin, .. } = *record;
        Message { start, role, time, model, id, parent, is_outside: aside, is_continuation: goes_on, origin, label }
    }
}

/// The messages of a document, in text order.
#[derive(Clone, Copy)]
pub struct Messages<'a>(pub(super) &'a MessageStore);

impl<'a> Messages<'a> {
    /// Number of messages begun so far.
    pub fn len(self) -> usize {
        self.0.records.len()
    }

    /// True if no message has begun.
    pub fn is_empty(self) -> bool {
        self.0.records.is_empty()
    }

    /// Offset of the first byte of a message.
    pub fn start(self, message: usize) -> Option<usize> {
        self.0.records.get(message).map(|record| record.start)
    }

    /// Offset of the first byte of the last message.
    pub(crate) fn last_start(self) -> Option<usize> {
        self.start(self.len().checked_sub(1)?)
    }

    /// The speaker; `None` if the file does not state one.
    pub fn role(self, message: usize) -> Option<MessageRole> {
        self.0.records.get(message).and_then(|record| record.role)
    }

    /// Time of a message, verbatim from the file.
    pub fn time(self, message: usize) -> Option<&'a str> {
        self.word(message, TIME)
    }

    /// The model that wrote a message, by its name in the file.
    pub fn model(self, message: usize) -> Option<&'a str> {
        self.word(message, MODEL)
    }

    fn word(self, message: usize, field: usize) -> Option<&'a str> {
        let number = self.0.records.get(message)?.fields[field]?;
        Some(self.0.words.get(number))
    }

    /// The name that the file gives a message: the id of a sub-agent, a kind of record.
    pub fn label(self, message: usize) -> Option<&'a str> {
        self.word(message, LABEL)
    }

    /// True if a message is outside the main conversation.
    pub fn is_aside(self, message: usize) -> bool {
        self.0.records.get(message).is_some_and(|record| record.aside)
    }

    /// Time at which the bytes at `offset` in a message were recorded, if the file states one other than the message's
    /// own.
    pub fn time_within(self, message: usize, offset: usize) -> Option<&'a str> {
        let behind = self.0.times.partition_point(|(at, _)| *at <= offset);
        let (at, word) = *self.0.times.get(behind.checked_sub(1)?)?;
        (at >= self.start(message)?).then(|| self.0.words.get(word))
    }

    /// The source of a message with the role `user`.
    pub fn origin(self, message: usize) -> Origin {
        self.0.records.get(message).map_or(Origin::Unsaid, |record| record.origin)
    }

    /// The last time stated within a message.
    pub(crate) fn last_moment(self, message: usize) -> Option<Timestamp> {
        let next = self.start(message + 1).unwrap_or(usize::MAX);
        let end = self.0.times.partition_point(|(at, _)| *at < next);
        let within =
            end.checked_sub(1).map(|last| self.0.times[last]).filter(|(at, _)| Some(*at) >= self.start(message));
        within.and_then(|(_, word)| moment_of(self.0.words.get(word))).or_else(|| moment_of(self.time(message)?))
    }

    /// The message that this one continues, or itself: results may separate the parts of one message.
    pub fn whole_of(self, message: usize) -> usize {
        let records = &self.0.records;
        let Some(mut last) = records.get(message).filter(|record| record.goes_on) else { return message };
        let mut number = message;
        for (earlier, record) in records[..message].iter().enumerate().rev() {
            if !last.goes_on {
                break;
            }
            if (record.role, record.aside) == (last.role, last.aside) {
                (number, last) = (earlier, record);
            }
        }
        number
    }

    /// Number of messages that begin at or before `offset`.
    pub fn up_to(self, offset: usize) -> usize {
        self.0.records.partition_point(|record| record.start <= offset)
    }

    /// All fields of a message.
    pub fn get(self, message: usize) -> Option<Message> {
        self.0.records.get(message).map(|record| self.0.message(record))
    }

    /// All messages, in text order.
    pub fn iter(self) -> impl Iterator<Item = Message> + use<'a> {
        self.0.records.iter().map(|record| self.0.message(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_as_they_were() {
        let words = ["", "a", "ab", "aé", "aê", "ü", "2026-01-01T10:00:00.000Z", "2026-01-01T10:00:00.500Z"];
        let word = |number: usize| words.get(number % 11).copied().map(Box::from);
        let mut kept = MessageStore::default();
        let mut expected = Vec::new();
        for number in 0..3000 {
            let seed = number * number / 7;
            let message = Message {
                start: number << 30,
                role: [
                    None,
                    Some(MessageRole::System),
                    Some(MessageRole::User),
                    Some(MessageRole::Assistant),
                    Some(MessageRole::Tool),
                ][seed % 5],
                time: word(seed),
                model: Some(format!("model {}", seed % 100).into()).filter(|_| seed % 3 > 0),
                id: word(seed / 3),
                parent: word(number / 5),
                is_outside: seed % 7 == 1,
                is_continuation: seed % 5 == 2,
                origin: [Origin::Unsaid, Origin::Prompt, Origin::Client][seed % 3],
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
            assert_eq!(head, (Some(message.start), message.role, message.is_outside));
        }
        assert_eq!((messages.get(3000), messages.len()), (None, 3000));
    }

    #[test]
    fn what_is_said_again_is_kept_once() {
        let mut kept = MessageStore::default();
        let id = |number: usize| format!("{number:08}");
        for number in 1..1000 {
            kept.push(Message {
                model: Some("claude-sonnet-4-5-20250929".into()),
                id: Some(id(number).into()),
                parent: Some(id(number - 1).into()),
                ..Message::default()
            });
        }
        assert_eq!(kept.words.len(), 1 + 1 + 999, "the model, the first parent and the ids");
    }
}
