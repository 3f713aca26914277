//! Saving what is shown as a case: a text, or a call of it, with what is found in it.
//!
//! This module does not know how a case is kept.

use std::path::PathBuf;

use crate::cases::folder::{Draft, LARGEST, Saved};
use crate::container::Container;
use crate::text::Span;
use crate::text::sanitize::visible_str;

use crate::tui::message::{Effect, Task};
use crate::tui::rows::size;
use crate::tui::search::{Extent, PromptKind};
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::update::tell;

/// Asks for the name of a case.
pub(super) fn ask(state: &mut State) {
    // What is written here is tried as a whole; elsewhere it is a call that somebody wonders about.
    let is_call = state.editor.is_none() && state.session.document().call(state.selection.item).is_some();
    crate::tui::update::ask(state, PromptKind::Case(if is_call { Extent::Call } else { Extent::Whole }));
}

/// What is to be saved under a name.
pub(super) fn save(state: &mut State, extent: Extent, path: PathBuf) -> Option<Effect> {
    let items = state.session.document().items();
    let (text, span, container) = match extent {
        // A call stands in the text, whatever that was decoded from.
        Extent::Call => (state.session.text(), items.span(state.selection.item)?, Container::plain()),
        Extent::Whole => {
            let file = state.whole().file();
            (file, Span::new(0, file.len()), state.session.container())
        }
    };
    if span.len() > LARGEST {
        let words = format!("{} are too many for a case: c goes to a call, S saves that", size(span.len()));
        tell(state, words, Role::Warning);
        return None;
    }
    let draft = Draft { text: text.read(span).into_owned(), container, options: state.options.clone() };
    Some(Task::SaveCase(path, Box::new(draft)).into())
}

/// A case was saved, or could not be.
pub(super) fn saved(state: &mut State, outcome: Result<Saved, String>) {
    match outcome {
        Ok(Saved { path, cuts }) => {
            let name = visible_str(&path.to_string_lossy()).into_owned();
            match cuts.as_slice() {
                [] => tell(state, format!("saved {name} and what is found in it, for transcope test"), Role::Good),
                cuts => {
                    let words = format!("saved {name}, but cut in pieces it gives something else: {}", cuts.join(", "));
                    tell(state, words, Role::Warning);
                }
            }
        }
        Err(words) => tell(state, words, Role::Error),
    }
}
