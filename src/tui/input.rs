//! What a key, a click, a paste or a new size asks for, given what the screen shows.
//!
//! The one place where the terminal's events become ours, so that a test presses keys just as a person does. This
//! module does not know what any of it changes.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

use crate::tui::keymap::{self, COMPARISON_KEYS, Keys, LISTING_KEYS, Pressed, TRANSCRIPT_KEYS, Written};
use crate::tui::listing::Listing;
use crate::tui::state::State;
use crate::tui::update::Happened;

/// What an event of the terminal asks for; nothing for a key that is let go of, or one that no line of the table has.
pub fn happened(state: &State, event: Event) -> Option<Happened> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release && state.types() => Some(match keymap::in_text(key) {
            Written::Typed => Happened::Type(key),
            Written::Change(edit) => Happened::Change(edit),
            Written::Action(action) => Happened::Action(action),
        }),
        event => of(&TRANSCRIPT_KEYS, state.prompt.is_some(), event),
    }
}

/// The same where a list is shown.
pub fn happened_in(listing: &Listing, event: Event) -> Option<Happened> {
    of(&LISTING_KEYS, listing.prompt.is_some(), event)
}

/// The same where a comparison is shown.
pub fn happened_in_comparison(event: Event) -> Option<Happened> {
    of(&COMPARISON_KEYS, false, event)
}

/// What a key answers to a question; nothing for what is no key.
pub fn answer(event: &Event) -> Option<bool> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(matches!(key.code, KeyCode::Char('y' | 'Y'))),
        _ => None,
    }
}

fn of(keys: &Keys, is_typed: bool, event: Event) -> Option<Happened> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(keys, is_typed, key),
        Event::Paste(text) => Some(Happened::Paste(text)),
        Event::Resize(width, height) => Some(Happened::Resize(width, height)),
        Event::Mouse(mouse) => pointed(mouse),
        _ => None,
    }
}

fn pressed(keys: &Keys, is_typed: bool, key: KeyEvent) -> Option<Happened> {
    if !is_typed {
        return keymap::action(keys, key).map(Happened::Action);
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
        MouseEventKind::Drag(MouseButton::Left) => Some(Happened::Drag(mouse.column, mouse.row)),
        MouseEventKind::ScrollDown => Some(Happened::Wheel(mouse.column, mouse.row, 1)),
        MouseEventKind::ScrollUp => Some(Happened::Wheel(mouse.column, mouse.row, -1)),
        _ => None,
    }
}
