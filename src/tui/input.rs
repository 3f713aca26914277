//! What a key, a click, a paste or a new size asks for, given what keys mean on the screen.
//!
//! The one place where the terminal's events become ours, so that a test presses keys just as a person does. This
//! module does not know what any of it changes.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

use crate::tui::keymap::{self, Keys, Pressed, Written};
use crate::tui::message::Msg;

/// What keys mean on a screen.
#[derive(Clone, Copy)]
pub enum InputMode {
    /// What this table of keys says.
    Keys(&'static Keys),
    /// They are typed into the line at the bottom.
    Prompt,
    /// They are typed into a text.
    Text,
}

/// What an event of the terminal asks for; nothing for a key that is let go of, or one that no line of the table has.
pub fn message(mode: InputMode, event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(mode, key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::Mouse(mouse) => pointed(mouse),
        _ => None,
    }
}

/// What a key answers to a question; nothing for what is no key.
pub fn answer(event: &Event) -> Option<bool> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(matches!(key.code, KeyCode::Char('y' | 'Y'))),
        _ => None,
    }
}

fn pressed(mode: InputMode, key: KeyEvent) -> Option<Msg> {
    match mode {
        InputMode::Keys(keys) => keymap::action(keys, key).map(Msg::Action),
        InputMode::Prompt => keymap::in_prompt(key).map(|pressed| match pressed {
            Pressed::Edit(request) => Msg::Edit(request),
            Pressed::Submit => Msg::Submit,
            Pressed::Action(action) => Msg::Action(action),
        }),
        InputMode::Text => Some(match keymap::in_text(key) {
            Written::Typed => Msg::Type(key),
            Written::Change(edit) => Msg::Change(edit),
            Written::Action(action) => Msg::Action(action),
        }),
    }
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
