//! Turning the switches of what a text is read with: it is read again, and what that changes is remembered.
//!
//! This module does not know keys.

use std::sync::Arc;

use tui_input::Input;

use crate::dialect::Examples;
use crate::params::schema::Schemas;

use crate::tui::action::{Motion, Tab};
use crate::tui::layout::Pane;
use crate::tui::rows;
use crate::tui::view::search::{Prompt, PromptKind};
use crate::tui::settings::{Marker, Setting};
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;
use crate::tui::screen::transcript::{rereading, tell};

/// Whether the keys go to the switches.
pub(super) fn has_keys(state: &Transcript) -> bool {
    state.view.layout.focus == Pane::Bottom && state.view.layout.bottom == Tab::Settings
}

/// Chooses another switch.
pub(super) fn go(state: &mut Transcript, motion: Motion) {
    // What was changed stands below, and is scrolled.
    let changed = rows::settings::changed(state).len();
    let last = (state.settings.all(&state.view.options).len() + changed).saturating_sub(1);
    let at = state.settings.at;
    state.settings.at = match motion {
        Motion::Line(direction) | Motion::Half(direction) | Motion::Page(direction) if direction > 0 => at + 1,
        Motion::Line(_) | Motion::Half(_) | Motion::Page(_) => at.saturating_sub(1),
        Motion::Top => 0,
        Motion::Bottom => last,
    }
    .min(last);
}

/// Turns the chosen switch, or asks for the word that is to stand there.
pub(super) fn turn(state: &mut Transcript) {
    let all = state.settings.all(&state.view.options);
    let Some(&setting) = all.get(state.settings.at) else { return };
    let given = state.settings.given(&state.view.options).map(Schemas::name);
    let asked = match (setting, given) {
        (Setting::Marker(marker), _) => Some((PromptKind::Marker(marker), marker.of(&state.view.options.markers))),
        (Setting::Schema, None) => Some((PromptKind::Schema, "")),
        (Setting::SchemaFile, Some(name)) => Some((PromptKind::Schema, name)),
        _ => None,
    };
    if let Some((asked, words)) = asked {
        let input = Input::new(words.to_owned());
        state.prompt = Some(Prompt { asked, input });
        return;
    }
    change(state, "", |state| {
        state.settings.turn(setting, &mut state.view.options);
        Ok(())
    });
}

/// A marker was written.
pub(super) fn written(state: &mut Transcript, marker: Marker, words: &str) {
    change(state, "", |state| {
        state.view.options.markers = marker.written(&state.view.options.markers, words)?;
        Ok(())
    });
}

/// A schema file was read.
pub(super) fn schema(state: &mut Transcript, read: Result<Arc<Schemas>, String>) {
    change(state, "", |state| {
        state.view.options.schemas = Some(read?);
        state.settings.schemas = None;
        Ok(())
    });
}

/// Markers in code and quotations are prose, or calls again.
pub(super) fn flip_examples(state: &mut Transcript) {
    let words = match state.view.options.examples {
        Examples::Prose => "markers in code and quotations are calls, as the runtime takes them",
        Examples::Calls => "markers in code and quotations are prose",
    };
    change(state, words, |state| {
        state.settings.turn(Setting::Examples, &mut state.view.options);
        Ok(())
    });
}

/// Reads the text again after a change of what it is read with.
fn change(state: &mut Transcript, words: &str, make: impl FnOnce(&mut Transcript) -> Result<(), String>) {
    let before = state.view.options.clone();
    if let Err(words) = make(state).and_then(|()| rereading::begin(state, words)) {
        state.view.options = before;
        tell(state, words, Role::Error);
    }
}
