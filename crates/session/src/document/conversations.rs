//! Boundaries of the independent conversations in a file, such as a data set.
//!
//! Ids, results and turns are separate in each.

/// The conversations of a file that may still grow; most files have only one.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversations {
    begun: Vec<Beginning>,
    /// Label for the conversation that the next message begins.
    label: Option<Box<str>>,
}

/// Start of a conversation: the numbers of its first message and its first call.
#[derive(Clone, Copy, Debug)]
struct Beginning {
    message: u32,
    call: u32,
}

impl Conversations {
    /// Begins a conversation with the next message and call. Returns true unless it is the first one.
    pub(super) fn begin(&mut self, message: usize, call: usize, title: Option<&str>) -> bool {
        let begins_again = self.begun.last().is_some_and(|last| last.message as usize == message);
        if !begins_again {
            self.begun.push(Beginning { message: message as u32, call: call as u32 });
        }
        let number = self.begun.len();
        self.label = match title {
            Some(title) => Some(format!("conversation {number}: {title}").into()),
            None => (number > 1).then(|| format!("conversation {number}").into()),
        };
        number > 1
    }

    /// Combines the label of the conversation, if a message begins one, with the message's own label.
    pub(super) fn label(&mut self, own: Option<Box<str>>) -> Option<Box<str>> {
        match (self.label.take(), own) {
            (Some(label), Some(own)) => Some(format!("{label} · {own}").into()),
            (label, own) => label.or(own),
        }
    }

    /// Number, from 1, of the conversation that begins with a message; `None` if none does, or if it is the first one.
    pub(super) fn begun_by(&self, message: usize) -> Option<usize> {
        let found = self.begun.binary_search_by_key(&message, |begun| begun.message as usize).ok()?;
        (found > 0).then_some(found + 1)
    }

    /// Number of the conversation that contains a message, from 0.
    pub(super) fn of_message(&self, message: usize) -> usize {
        self.begun.partition_point(|begun| begun.message as usize <= message).saturating_sub(1)
    }

    /// Number of the conversation that contains a call, from 0.
    pub(super) fn of_call(&self, call: u32) -> usize {
        self.begun.partition_point(|begun| begun.call <= call).saturating_sub(1)
    }

    /// Number of the first message after this conversation; `None` for the last conversation.
    pub(super) fn end_of(&self, conversation: usize) -> Option<usize> {
        self.begun.get(conversation + 1).map(|next| next.message as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_and_a_call_are_in_the_conversation_that_began_last() {
        let mut conversations = Conversations::default();
        assert_eq!((conversations.of_message(3), conversations.end_of(0)), (0, None));
        assert!(!conversations.begin(0, 0, None));
        assert_eq!(conversations.label(Some("ada".into())).as_deref(), Some("ada"));
        assert!(conversations.begin(2, 1, None));
        assert_eq!(conversations.label(Some("ada".into())).as_deref(), Some("conversation 2 · ada"));
        // A conversation without messages is replaced by the next one.
        assert!(conversations.begin(5, 4, None));
        assert!(conversations.begin(5, 4, Some("late")));
        assert_eq!(conversations.label(None).as_deref(), Some("conversation 3: late"));
        assert_eq!([0, 1, 2, 4, 5, 9].map(|message| conversations.of_message(message)), [0, 0, 1, 1, 2, 2]);
        assert_eq!([0, 1, 3, 4].map(|call| conversations.of_call(call)), [0, 1, 1, 2]);
        assert_eq!([0, 1, 2, 5].map(|message| conversations.begun_by(message)), [None, None, Some(2), Some(3)]);
        assert_eq!([0, 1, 2].map(|number| conversations.end_of(number)), [Some(2), Some(5), None]);
    }
}
