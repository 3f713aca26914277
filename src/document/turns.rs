//! The turns of a conversation, and the sections that each consists of.
//!
//! A turn begins where a person speaks and reaches to where one speaks again. A section is what one speaker says in
//! one go: what tools answer belongs to that of the model, which goes on behind it.

use crate::container::MessageRole;

/// Messages in a row that belong to one speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Number of its first message.
    pub first: usize,
    /// Number of the message behind its last one; of the last section, the number of messages so far.
    pub end: usize,
    /// The turn that it is in; nothing in front of the first one.
    pub turn: Option<Turn>,
}

/// A stretch of the conversation that begins with what a person says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// How many turns there are up to it, itself included.
    pub number: usize,
    /// Number of its first message.
    pub first: usize,
}

/// The sections of a conversation that grows.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    sections: Vec<Start>,
    /// First messages of the turns.
    begun_at: Vec<u32>,
    messages: usize,
    /// Whether the next message belongs to another conversation.
    is_apart: bool,
}

#[derive(Clone, Copy, Debug)]
struct Start {
    message: u32,
    /// Number of turns up to it.
    turns: u32,
    role: Option<MessageRole>,
    aside: bool,
}

impl Turns {
    /// The next message begins, spoken in this role, in the conversation or beside it.
    pub(super) fn push(&mut self, role: Option<MessageRole>, aside: bool) {
        let message = self.messages as u32;
        self.messages += 1;
        let goes_on = |last: &Start| {
            last.aside == aside && role.is_some() && (role == last.role || role == Some(MessageRole::Tool))
        };
        if !std::mem::take(&mut self.is_apart) && self.sections.last().is_some_and(goes_on) {
            return;
        }
        if role == Some(MessageRole::User) && !aside {
            self.begun_at.push(message);
        }
        self.sections.push(Start { message, turns: self.begun_at.len() as u32, role, aside });
    }

    /// The next message belongs to another conversation.
    pub(super) fn part(&mut self) {
        self.is_apart = true;
    }

    /// The last of the messages that begin turns and stand in front of message number `end`; one person may have
    /// several messages in a turn.
    pub(super) fn last_before(&self, end: usize) -> Option<usize> {
        let behind = self.begun_at.partition_point(|&first| (first as usize) < end);
        Some(self.begun_at[behind.checked_sub(1)?] as usize)
    }

    /// The section of a message; an empty one where there is no message.
    pub(super) fn section(&self, message: usize) -> Section {
        let next = self.sections.partition_point(|start| start.message as usize <= message);
        let Some(start) = next.checked_sub(1).map(|at| self.sections[at]) else {
            return Section { first: 0, end: 0, turn: None };
        };
        let end = self.sections.get(next).map_or(self.messages, |next| next.message as usize);
        let number = start.turns as usize;
        let turn = number.checked_sub(1).map(|at| Turn { number, first: self.begun_at[at] as usize });
        Section { first: start.message as usize, end, turn }
    }

    /// Number of the message behind the last one of a turn.
    pub(super) fn end_of(&self, turn: Turn) -> usize {
        self.begun_at.get(turn.number).map_or(self.messages, |&next| next as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_answer_belongs_to_the_model_and_a_turn_begins_with_a_person() {
        let roles = "suuaTaTuaTUAaT-";
        let mut turns = Turns::default();
        for role in roles.chars() {
            let known = match role.to_ascii_lowercase() {
                's' => Some(MessageRole::System),
                'u' => Some(MessageRole::User),
                'a' => Some(MessageRole::Assistant),
                't' => Some(MessageRole::Tool),
                _ => None,
            };
            // A capital is beside the conversation; of tools it is the usual sign.
            turns.push(known, role.is_ascii_uppercase() && role != 'T');
        }
        let told: Vec<String> = (0..roles.len())
            .map(|message| {
                let Section { first, end, turn } = turns.section(message);
                format!("{first}-{end}{}", turn.map_or_else(String::new, |turn| format!("/{}", turn.number)))
            })
            .collect();
        let expected =
            "0-1 1-3/1 1-3/1 3-7/1 3-7/1 3-7/1 3-7/1 7-8/2 8-10/2 8-10/2 10-11/2 11-12/2 12-14/2 12-14/2 14-15/2";
        assert_eq!(told.join(" "), expected);
        assert_eq!(turns.end_of(Turn { number: 1, first: 1 }), 7);
        assert_eq!(turns.end_of(Turn { number: 2, first: 7 }), 15);
    }
}
