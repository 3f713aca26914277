//! Saving a text, or one of its calls, as a test case with its findings.

use std::path::PathBuf;

use crate::cases::Case;
use crate::cases::folder::{LARGEST, SavedCase};
use crate::container::Container;
use crate::text::Span;
use crate::text::sanitize::visible_str;

use crate::tui::message::{Effect, Task};
use crate::tui::prompt::{PromptKind, PromptNote};
use crate::tui::row::size;
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;

/// Message if a case has no name.
pub(super) const NAMING: &str = "a case needs a name: FOLDER/NAME writes NAME.txt and what is found in it";

/// Prompts for the name of a case.
pub(super) fn ask(state: &mut Transcript) {
    // A playground is saved as a whole; elsewhere the selected call is of interest.
    let is_call =
        state.view.editor.is_none() && state.view.session.document().call(state.view.selection.item).is_some();
    state.chrome.ask(PromptKind::Case { is_call }, "");
    if let Some(prompt) = &mut state.chrome.prompt {
        prompt.note = Some(PromptNote::Hint("FOLDER/NAME"));
    }
}

/// Saves the text or the selected call under a name.
pub(super) fn save(state: &mut Transcript, is_call: bool, path: PathBuf) -> Option<Effect> {
    let items = state.view.session.document().items();
    // A call is saved as text, whatever container that was decoded from.
    let (text, span, container) = if is_call {
        (state.view.session.text(), items.span(state.view.selection.item)?, Container::plain())
    } else {
        let file = state.view.whole().file();
        (file, Span::new(0, file.len()), state.view.session.container())
    };
    if span.len() > LARGEST {
        let words = format!("{} is too large for a case: c goes to a call, S saves it", size(span.len()));
        state.show_message(words, Role::Warning);
        return None;
    }
    let draft = Case { text: text.read(span).into_owned(), container, options: state.view.options.clone() };
    Some(Effect::Run(Task::SaveCase(path, Box::new(draft))))
}

pub(super) fn saved(state: &mut Transcript, SavedCase { path, cuts }: &SavedCase) {
    let name = visible_str(&path.to_string_lossy()).into_owned();
    if cuts.is_empty() {
        return state.show_message(format!("saved {name} and what is found in it, for transcope test"), Role::Good);
    }
    let words = format!("saved {name}, but parsing it in chunks gives a different result: {}", cuts.join(", "));
    state.show_message(words, Role::Warning);
}
