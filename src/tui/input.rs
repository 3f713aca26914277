//! What a key, a click, a paste or a new size asks for, given what the screen shows.
//!
//! The one place where the terminal's events become ours, so that a test presses keys just as a person does. This
//! module does not know what any of it changes.

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

use super::keymap::{self, Pressed, Written};
use super::state::State;
use super::update::Happened;

/// What an event of the terminal asks for; nothing for a key that is let go of, or one that no line of the table has.
pub fn happened(state: &State, event: Event) -> Option<Happened> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(state, key),
        Event::Paste(text) => Some(Happened::Paste(text)),
        Event::Resize(width, height) => Some(Happened::Resize(width, height)),
        Event::Mouse(mouse) => pointed(mouse),
        _ => None,
    }
}

fn pressed(state: &State, key: KeyEvent) -> Option<Happened> {
    if state.types() {
        return Some(match keymap::in_text(key) {
            Written::Typed => Happened::Type(key),
            Written::Change(edit) => Happened::Change(edit),
            Written::Action(action) => Happened::Action(action),
        });
    }
    if state.prompt.is_none() {
        return keymap::action(key).map(Happened::Action);
    }
    keymap::in_prompt(key).map(|pressed| match pressed {
        Pressed::Edit(request) => Happened::Edit(request),
        Pressed::Submit => Happened::Submit,
        Pressed::Action(action) => Happened::Action(action),
    })
}

fn pointed(mouse: MouseEvent) -> Option<Happened> {
    match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Happened::Click(mouse.column, mouse.row)),
        MouseEventKind::ScrollDown => Some(Happened::Wheel(mouse.column, mouse.row, 1)),
        MouseEventKind::ScrollUp => Some(Happened::Wheel(mouse.column, mouse.row, -1)),
        _ => None,
    }
}
