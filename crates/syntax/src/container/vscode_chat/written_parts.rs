//! Writes the parts of a response in a chat session of VS Code.

use super::super::writer::TextWriter;
use super::super::{Message, MessageRole};
use super::response::{Unit, begin_agents};

/// The messages of an answer.
#[derive(Debug, Default)]
pub(super) struct AnswerMessages {
    pub(super) model: Option<Box<str>>,
    /// True if there is one.
    pub(super) has_begun: bool,
    /// True if the last one has calls of a sub-agent.
    is_outside: bool,
}

impl AnswerMessages {
    /// Begins a message of the model.
    pub(super) fn begin(&mut self, out: &mut TextWriter) {
        let is_continuation = std::mem::replace(&mut self.has_begun, true);
        self.is_outside = false;
        let model = self.model.clone();
        out.message(Message { model, is_continuation, ..Message::from_role(MessageRole::Assistant) });
    }

    /// Writes parts in the open message.
    pub(super) fn add(&mut self, units: &[Unit], out: &mut TextWriter) {
        for unit in units {
            if unit.is_agents() && !std::mem::replace(&mut self.is_outside, true) {
                begin_agents(out);
            } else if self.is_outside && !unit.is_agents() {
                self.begin(out);
            }
            unit.write(out);
        }
    }
}
