//! What the screen must know of a recorded conversation: which file it is, what is shown whole, what is hidden; and of a
//! text that is written: whether keys are typed, and the repair that is offered.
//!
//! This module changes nothing by itself.

use crate::container::Container;
use crate::params::ROOT;
use crate::repair::{Hunk, Repair};
use crate::tui::layout::Pane;
use crate::tui::rows::Target;
use crate::tui::state::State;

/// A repair that is shown.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What was selected when it was shown; it holds as long as nothing else is.
    pub at: Target,
    /// Whether it repairs everything that can be.
    pub is_all: bool,
    /// What is to be done.
    pub repair: Repair,
    /// The same in words.
    pub words: String,
    /// The lines that change.
    pub hunks: Vec<Hunk>,
}

impl State {
    /// What the file is.
    pub fn container(&self) -> &'static str {
        self.whole().choice().map_or(Container::PLAIN, |choice| choice.about.name)
    }

    /// Whether keys are typed into a text.
    pub fn types(&self) -> bool {
        self.editor.is_some() && self.focus == Pane::Raw && self.prompt.is_none() && self.help.is_none()
    }

    /// Whether a result, or what belongs to neither text nor call, is shown whole.
    pub fn is_piece_open(&self, item: usize) -> bool {
        self.folds.values_open.contains(&(item, ROOT))
    }

    /// Whether an item is not shown, because its message was abandoned.
    pub fn is_hidden(&self, item: usize) -> bool {
        let document = self.session.document();
        if self.all_branches || !document.has_branches() {
            return false;
        }
        document.items().span(item).is_some_and(|span| document.is_abandoned(document.message_at(span.start)))
    }

    /// The number of the line that holds the byte at `offset` in what the raw pane shows, in words.
    pub fn line_of(&self, offset: usize) -> String {
        if self.raw_file && self.session.is_decoded() {
            return self.session.position(offset).line.to_string();
        }
        let line = self.session.lines().line_at(self.session.text(), offset);
        self.line_number(line).map_or_else(|| "?".to_owned(), |number| number.to_string())
    }

    /// The column, from 1, of the byte at `offset`.
    pub fn column_of(&self, offset: usize) -> usize {
        self.session.lines().position(self.session.text(), offset).column
    }
}
