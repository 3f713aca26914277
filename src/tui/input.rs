//! What a key, a click, a paste or a new size asks for, given what the screen shows.
//!
//! The one place where the terminal's events become ours, so that a test presses keys just as a person does. This
//! module does not know what any of it changes.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

use crate::tui::keymap::{self, COMPARISON_KEYS, Keys, Pressed, SESSIONS_KEYS, TRANSCRIPT_KEYS, Written};
use crate::tui::message::Msg;
use crate::tui::screen::sessions::SessionsScreen;
use crate::tui::state::State;

/// What an event of the terminal asks for; nothing for a key that is let go of, or one that no line of the table has.
pub fn happened(state: &State, event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release && state.types() => Some(match keymap::in_text(key) {
            Written::Typed => Msg::Type(key),
            Written::Change(edit) => Msg::Change(edit),
            Written::Action(action) => Msg::Action(action),
        }),
        event => of(&TRANSCRIPT_KEYS, state.prompt.is_some(), event),
    }
}

/// The same where a list is shown.
pub fn happened_in(listing: &SessionsScreen, event: Event) -> Option<Msg> {
    of(&SESSIONS_KEYS, listing.prompt.is_some(), event)
}

/// The same where a comparison is shown.
pub fn happened_in_comparison(event: Event) -> Option<Msg> {
    of(&COMPARISON_KEYS, false, event)
}

/// What a key answers to a question; nothing for what is no key.
pub fn answer(event: &Event) -> Option<bool> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(matches!(key.code, KeyCode::Char('y' | 'Y'))),
        _ => None,
    }
}

fn of(keys: &Keys, is_typed: bool, event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(keys, is_typed, key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::Mouse(mouse) => pointed(mouse),
        _ => None,
    }
}

fn pressed(keys: &Keys, is_typed: bool, key: KeyEvent) -> Option<Msg> {
    if !is_typed {
        return keymap::action(keys, key).map(Msg::Action);
    }
    keymap::in_prompt(key).map(|pressed| match pressed {
        Pressed::Edit(request) => Msg::Edit(request),
        Pressed::Submit => Msg::Submit,
        Pressed::Action(action) => Msg::Action(action),
    })
}

fn pointed(mouse: MouseEvent) -> Option<Msg> {
    match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Msg::Click(mouse.column, mouse.row)),
        MouseEventKind::Drag(MouseButton::Left) => Some(Msg::Drag(mouse.column, mouse.row)),
        MouseEventKind::ScrollDown => Some(Msg::Wheel(mouse.column, mouse.row, 1)),
        MouseEventKind::ScrollUp => Some(Msg::Wheel(mouse.column, mouse.row, -1)),
        _ => None,
    }
}
