//! A line that is typed at the bottom of the screen, and what it is for.

use tui_input::Input;

use crate::dialect::gadget::Marker;

/// What a typed line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A pattern to search for.
    Pattern,
    /// A place or the name of an action.
    Command {
        /// Whether the actions are listed before anything is typed.
        list: bool,
    },
    /// The file to save a text as.
    Path,
    /// The file to save a declaration of a dialect as.
    Declaration,
    /// The file of a report on what is shown.
    Report,
    /// A file with the schemas of tools.
    Schema,
    /// The name of a case that the selected call becomes, or all that is there.
    Case {
        /// Whether it is the call alone.
        is_call: bool,
    },
    /// A marker of the block format.
    Marker(Marker),
    /// A part of the names of dialects.
    Dialect,
    /// What a session's name or kind must hold.
    Filter,
    /// The filter that says which items are shown.
    Items,
    /// The words of a note.
    Note,
}

impl PromptKind {
    /// Whether the line is the path of a file.
    pub fn is_path(self) -> bool {
        use PromptKind::{Case, Declaration, Path, Report, Schema};
        matches!(self, Path | Declaration | Report | Schema | Case { .. })
    }

    /// The words in front of the line.
    pub fn label(self) -> &'static str {
        match self {
            PromptKind::Pattern => " search: ",
            PromptKind::Command { .. } => " :",
            PromptKind::Path => " save as: ",
            PromptKind::Declaration => " save the declaration as: ",
            PromptKind::Report => " export as: ",
            PromptKind::Schema => " schema file: ",
            PromptKind::Case { is_call: true } => " save this call as a case: ",
            PromptKind::Case { is_call: false } => " save the text as a case: ",
            PromptKind::Marker(_) => " marker: ",
            PromptKind::Dialect => " dialect: ",
            PromptKind::Filter | PromptKind::Items => " filter: ",
            PromptKind::Note => " note: ",
        }
    }
}

/// A line that is being typed.
pub struct Prompt {
    /// What is done with the line when it is complete.
    pub kind: PromptKind,
    /// The line so far, with its cursor.
    pub input: Input,
    /// The number of what is chosen in the list above the line, once something is.
    pub choice: Option<usize>,
    /// Lines that may be meant, the first of which it began as.
    pub proposals: Vec<String>,
    /// Words behind the line: what is wrong with it, or how it may go on.
    pub note: Option<PromptNote>,
}

impl Prompt {
    /// Puts the next (1) or previous (-1) of what may be meant in place of the line.
    pub fn next_proposal(&mut self, direction: i8) {
        let Some(at) = self.proposals.iter().position(|line| line == self.input.value()) else { return };
        let count = self.proposals.len();
        let next = &self.proposals[(if direction > 0 { at + 1 } else { at + count - 1 }) % count];
        self.input = Input::new(next.clone()).with_cursor(next.chars().count());
    }
}

/// What is said behind a line that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptNote {
    /// What is wrong with it.
    Fault(String),
    /// How it may go on.
    Ways(String),
    /// Other lines that may be meant.
    Others(String),
    /// What it may be.
    Hint(&'static str),
}
