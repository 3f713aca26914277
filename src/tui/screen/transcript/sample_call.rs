//! An example call of a dialect, chosen from a list and written into the edited text.

use crate::dialect::{DialectInfo, all_names};
use crate::tui::prompt::PromptKind;
use crate::tui::screen::transcript::Transcript;
use crate::tui::screen::transcript::written_text::read;
use crate::tui::style::Role;

/// Offers the dialects: the ones that are read without being named are the first.
pub(super) fn ask(state: &mut Transcript) {
    if state.view.editor.is_none() {
        return state.show_message("read-only; press i to edit a copy, or run transcope --edit", Role::Dim);
    }
    if state.view.is_declaring() {
        return state.show_message("this is the declaration; F2 returns to the text", Role::Dim);
    }
    let options = &state.view.options;
    let own = options.declared.iter().map(|given| given.info.name);
    let mut names: Vec<&str> = own.collect();
    names.extend(all_names().filter(|name| options.given(name).is_none()));
    let has_example = |name: &str| options.named(name).filter(|about| !about.example.trim().is_empty());
    let (read, others): (Vec<_>, Vec<_>) =
        names.into_iter().filter_map(has_example).partition(|about| options.is_looked_for(about.name));
    let line = |about: &DialectInfo| format!("{:<20} {}", about.name, about.title);
    let lines = read.into_iter().chain(others).map(line).collect();
    state.chrome.offer(PromptKind::Example, lines);
}

/// Inserts the example of the dialect that a line of the list names, after a line feed. A dialect that is not
/// read otherwise is switched on.
pub(super) fn insert(state: &mut Transcript, line: &str) {
    let name = line.split_whitespace().next().unwrap_or_default();
    let Some(about) = state.view.options.named(name) else { return };
    let Some(editor) = &mut state.view.editor else { return };
    let before = &editor.text()[..editor.offset()];
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let start = editor.selection().map_or(editor.offset(), |span| span.start) + gap.len();
    editor.paste(&format!("{gap}{}", about.example));
    editor.go_to(start);
    read(state);
    let is_read = |state: &Transcript| state.view.session.document().dialects_seen().any(|seen| seen == about.name);
    let switched = !is_read(state);
    if switched {
        state.view.options.additional.push(about);
        read(state);
    }
    let switched = if switched { ", which is now read (s)" } else { "" };
    state.show_message(format!("an example of {name}{switched}; ctrl-z undoes"), Role::Good);
}
