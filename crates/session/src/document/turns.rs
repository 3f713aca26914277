//! The turns of a conversation, and their sections.
//!
//! A turn extends from one prompt to the next. If a file states the origin of messages with the role `user`, only text
//! typed by the user begins a turn; otherwise the role decides. A section is a run of messages by one speaker; tool
//! results belong to the section of the model, which continues after them.

use crate::container::MessageRole;
use crate::container::facts::Origin;

/// A run of messages that belong to one speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Number of its first message.
    pub first: usize,
    /// Number of the message after its last one; for the last section, the number of messages so far.
    pub end: usize,
    /// The turn that contains it; `None` before the first one.
    pub turn: Option<Turn>,
    /// First message of the run of messages outside the conversation that contains it: messages of a sub-agent.
    pub aside: Option<usize>,
}

/// A part of the conversation that begins with a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Position among all turns of the file, from 1, including abandoned ones.
    pub index: usize,
    /// Number of prompts on the path to it, inclusive: an abandoned turn has the same number as its replacement.
    pub number: usize,
    /// Number of its first message.
    pub first: usize,
}

/// The sections of a conversation that may still grow.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    sections: Vec<Start>,
    begun: Vec<Begun>,
    messages: usize,
    /// True if the next message belongs to another conversation.
    is_apart: bool,
}

/// The beginning of a turn.
#[derive(Clone, Copy, Debug)]
struct Begun {
    message: u32,
    number: u32,
}

#[derive(Clone, Copy, Debug)]
struct Start {
    message: u32,
    /// Number of turns begun up to it.
    turns: u32,
    role: Option<MessageRole>,
    aside: bool,
    /// First message of the run of asides that contains it.
    run: u32,
}

impl Turns {
    /// Adds a message of this role, in the conversation or outside it (`aside`). Takes the number of prompts before it
    /// on its path and returns the number including it.
    pub(super) fn push(&mut self, role: Option<MessageRole>, aside: bool, origin: Origin, prompts: u32) -> u32 {
        let message = self.messages as u32;
        self.messages += 1;
        let goes_on = |last: &Start| {
            last.aside == aside && role.is_some() && (role == last.role || role == Some(MessageRole::Tool))
        };
        let begins_turn = role == Some(MessageRole::User) && !aside && origin.begins_turn();
        // Consecutive messages of unknown origin are one prompt.
        let is_prompt = begins_turn && origin != Origin::Unsaid;
        if !std::mem::take(&mut self.is_apart) && !is_prompt && self.sections.last().is_some_and(goes_on) {
            return prompts;
        }
        let number = prompts + u32::from(begins_turn);
        if begins_turn {
            self.begun.push(Begun { message, number });
        }
        let run = self.sections.last().filter(|last| last.aside && aside).map_or(message, |last| last.run);
        self.sections.push(Start { message, turns: self.begun.len() as u32, role, aside, run });
        number
    }

    /// Number of turns begun.
    pub(super) fn count(&self) -> usize {
        self.begun.len()
    }

    /// The turn with this index, from 1.
    pub(super) fn get(&self, index: usize) -> Option<Turn> {
        let Begun { message, number } = *self.begun.get(index.checked_sub(1)?)?;
        Some(Turn { index, number: number as usize, first: message as usize })
    }

    /// Begins another conversation with the next message.
    pub(super) fn part(&mut self) {
        self.is_apart = true;
    }

    /// The last message before number `end` that begins a turn; a turn may have several messages of the user.
    pub(super) fn last_before(&self, end: usize) -> Option<usize> {
        let behind = self.begun.partition_point(|turn| (turn.message as usize) < end);
        Some(self.begun[behind.checked_sub(1)?].message as usize)
    }

    /// The section of a message; an empty one if there is no such message.
    pub(super) fn section(&self, message: usize) -> Section {
        let next = self.sections.partition_point(|start| start.message as usize <= message);
        let Some(start) = next.checked_sub(1).map(|at| self.sections[at]) else {
            return Section { first: 0, end: 0, turn: None, aside: None };
        };
        let end = self.sections.get(next).map_or(self.messages, |next| next.message as usize);
        let turn = self.get(start.turns as usize);
        let aside = start.aside.then_some(start.run as usize);
        Section { first: start.message as usize, end, turn, aside }
    }

    /// Number of the message after the last one of a turn.
    pub(super) fn end_of(&self, turn: Turn) -> usize {
        self.begun.get(turn.index).map_or(self.messages, |next| next.message as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_belong_to_the_model_and_a_turn_begins_with_a_prompt() {
        let roles = "suuaTaTuaTUAaT-";
        let (mut turns, mut prompts) = (Turns::default(), 0);
        for role in roles.chars() {
            let known = match role.to_ascii_lowercase() {
                's' => Some(MessageRole::System),
                'u' => Some(MessageRole::User),
                'a' => Some(MessageRole::Assistant),
                't' => Some(MessageRole::Tool),
                _ => None,
            };
            // A capital letter is an aside, except `T`, the usual sign for tools.
            prompts = turns.push(known, role.is_ascii_uppercase() && role != 'T', Origin::Unsaid, prompts);
        }
        let told: Vec<String> = (0..roles.len())
            .map(|message| {
                let Section { first, end, turn, .. } = turns.section(message);
                format!("{first}-{end}{}", turn.map_or_else(String::new, |turn| format!("/{}", turn.number)))
            })
            .collect();
        let expected =
            "0-1 1-3/1 1-3/1 3-7/1 3-7/1 3-7/1 3-7/1 7-8/2 8-10/2 8-10/2 10-11/2 11-12/2 12-14/2 12-14/2 14-15/2";
        assert_eq!(told.join(" "), expected);
        assert_eq!(turns.end_of(Turn { index: 1, number: 1, first: 1 }), 7);
        assert_eq!(turns.end_of(Turn { index: 2, number: 2, first: 7 }), 15);
    }

    /// `origins` are the origins of user messages, and `a` for a message of the model; `expected` has the turn number
    /// of each.
    #[track_caller]
    fn check_origins(origins: &str, expected: &str) {
        let (mut turns, mut prompts) = (Turns::default(), 0);
        for origin in origins.chars() {
            let origin = match origin {
                'p' => Origin::Prompt,
                'c' => Origin::Command,
                's' => Origin::Steering,
                'n' => Origin::Notification,
                'x' => Origin::Client,
                'z' => Origin::Summary,
                '?' => Origin::Unsaid,
                _ => {
                    prompts = turns.push(Some(MessageRole::Assistant), false, Origin::Unsaid, prompts);
                    continue;
                }
            };
            prompts = turns.push(Some(MessageRole::User), false, origin, prompts);
        }
        let numbers = (0..origins.len()).map(|message| turns.section(message).turn.map_or(0, |turn| turn.number));
        let found: String = numbers.map(|number| char::from(b'0' + number as u8)).collect();
        assert_eq!(found, expected, "{origins}");
    }

    #[test]
    fn only_prompts_begin_turns_where_the_file_tells_them() {
        check_origins("pananasapa", "1111111122");
        check_origins("xpaxpxxapp", "0111222234");
        check_origins("zaca", "0011");
        check_origins("??a?a", "11122");
    }
}
