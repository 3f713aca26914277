//! The prompt: a line typed at the bottom of the screen, and its purpose.

use tui_input::Input;

use crate::dialect::gadget::Marker;

/// The purpose of a typed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A pattern to search for.
    Pattern,
    /// A location or the name of an action.
    Command {
        /// True to list the actions before anything is typed.
        list: bool,
    },
    /// The file to save a text as.
    Path,
    /// The file to save a declaration of a dialect as.
    Declaration,
    /// The file of a report about the shown transcript.
    Report,
    /// A file with the schemas of tools.
    Schema,
    /// A chat template, or the directory of a model.
    Template,
    /// The reasoning format of a request, or a reasoning parser.
    ReasoningFormat,
    /// The name of a case made of the selected call or of the whole text.
    Case {
        /// True to save only the call.
        is_call: bool,
    },
    /// A marker of the block format.
    Marker(Marker),
    /// A part of the names of dialects.
    Dialect,
    /// A text that a session's name or kind must contain.
    Filter,
    /// The filter of the shown items.
    Items,
    /// The text of a note.
    Note,
    /// A call format whose example is inserted, chosen from the list of all.
    Example,
    /// A part of the name of another run to compare with, chosen from the list of all.
    OtherRun,
    /// Words to be found in the help.
    Help,
}

impl PromptKind {
    /// True if the line is the path of a file.
    pub fn is_path(self) -> bool {
        use PromptKind::{Case, Declaration, Path, Report, Schema, Template};
        matches!(self, Path | Declaration | Report | Schema | Template | Case { .. })
    }

    /// The label before the line.
    pub fn label(self) -> &'static str {
        match self {
            PromptKind::Pattern => " search: ",
            PromptKind::Command { .. } => " :",
            PromptKind::Path => " save as: ",
            PromptKind::Declaration => " save the declaration as: ",
            PromptKind::Report => " export as: ",
            PromptKind::Schema => " schema file: ",
            PromptKind::Template => " chat template: ",
            PromptKind::ReasoningFormat => " reasoning format or parser: ",
            PromptKind::Case { is_call: true } => " save this call as a case: ",
            PromptKind::Case { is_call: false } => " save the text as a case: ",
            PromptKind::Marker(_) => " marker: ",
            PromptKind::Dialect => " call format: ",
            PromptKind::Filter | PromptKind::Items => " filter: ",
            PromptKind::Note => " note: ",
            PromptKind::Example => " example of: ",
            PromptKind::OtherRun => " compare with: ",
            PromptKind::Help => " search the help: ",
        }
    }
}

/// A prompt being typed.
pub struct Prompt {
    /// The purpose of the line.
    pub kind: PromptKind,
    /// The line so far, with its cursor.
    pub input: Input,
    /// The index of the selected entry in the list above the line.
    pub choice: Option<usize>,
    /// Suggested values; the line was prefilled with the first.
    pub proposals: Vec<String>,
    /// A note after the line: what is wrong with it, or possible continuations.
    pub note: Option<PromptNote>,
}

impl Prompt {
    /// Replaces the line with the next (1) or previous (-1) suggestion.
    pub fn next_proposal(&mut self, direction: i8) {
        let Some(at) = self.proposals.iter().position(|line| line == self.input.value()) else { return };
        let count = self.proposals.len();
        let next = &self.proposals[(if direction > 0 { at + 1 } else { at + count - 1 }) % count];
        self.input = Input::new(next.clone()).with_cursor(next.chars().count());
    }
}

/// A note after a line that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptNote {
    /// An error in the line.
    Fault(String),
    /// Possible continuations.
    Continuations(String),
    /// Other suggested values.
    Others(String),
    /// A hint about possible input.
    Hint(&'static str),
}
