//! Translates keys, clicks, pastes and resizes to messages, depending on the input mode.
//!
//! Terminal events are translated only here, so tests press keys exactly as a user does.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use tui_input::InputRequest;

use crate::tui::action::{Action, EditCommand, Motion, PaneId};
use crate::tui::keymap::sequence::{KeySequence, Pressed};
use crate::tui::keymap::{Keymap, ScreenId, key_event};
use crate::tui::message::Msg;
use crate::tui::prompt::PromptKind;

/// The interpretation of keys on a screen.
#[derive(Clone, Copy)]
pub enum InputMode<'a> {
    /// By the keymap of a screen, after the keys of an incomplete sequence.
    Keys(ScreenId, &'a KeySequence),
    /// Keys are typed into the prompt on the last line.
    Prompt(PromptKind),
    /// Keys are typed into a text.
    Text,
}

/// The message for an event of the terminal; `None` for a released key or one without a binding.
pub fn message(mode: InputMode<'_>, event: Event, keymap: &Keymap) -> Option<Msg> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(mode, key, keymap),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::Mouse(mouse) => pointed(mouse),
        _ => None,
    }
}

/// Turns a click on the name of a key into that key; `key_at` returns the name at a cell.
pub fn on_key(event: Event, key_at: impl FnOnce(u16, u16) -> Option<String>) -> Event {
    let Event::Mouse(MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column, row, .. }) = event else {
        return event;
    };
    key_at(column, row).and_then(|name| key_event(&name)).map_or(event, Event::Key)
}

/// The answer to a yes-or-no question; `None` for anything but a key.
pub fn answer(event: &Event) -> Option<bool> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(matches!(key.code, KeyCode::Char('y' | 'Y'))),
        _ => None,
    }
}

fn pressed(mode: InputMode<'_>, key: KeyEvent, keymap: &Keymap) -> Option<Msg> {
    match mode {
        InputMode::Keys(keys, typed) => typed.press(keys, key, keymap).map(|pressed| match pressed {
            Pressed::Complete(action, None) => Msg::Action(action),
            Pressed::Complete(action, Some(count)) => Msg::ActionWithCount(action, count),
            Pressed::Typed(sequence) => Msg::Typed(sequence),
        }),
        InputMode::Prompt(kind) => in_prompt(key, kind),
        InputMode::Text => Some(in_text(key)),
    }
}

/// The message for a key while a line is typed; the editing keys are the usual ones of a shell.
fn in_prompt(key: KeyEvent, kind: PromptKind) -> Option<Msg> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let is_list =
        matches!(kind, PromptKind::Command { .. } | PromptKind::Example | PromptKind::OtherRun | PromptKind::Help);
    let is_help = kind == PromptKind::Help;
    let request = match (key.code, control) {
        (KeyCode::Enter, _) => return Some(Msg::Submit),
        (KeyCode::Esc, _) | (KeyCode::Char('c' | 'g'), true) => return Some(Msg::Action(Action::Cancel)),
        (KeyCode::Tab, _) => return Some(Msg::Action(Action::Complete)),
        (KeyCode::Char('z'), true) => return Some(Msg::Action(Action::Suspend)),
        (KeyCode::F(1), _) => return Some(Msg::Action(Action::Help)),
        (KeyCode::F(3), _) => return Some(Msg::Action(Action::Palette)),
        (KeyCode::PageDown, _) if is_help => return Some(Msg::Action(Action::Move(Motion::Page(1)))),
        (KeyCode::PageUp, _) if is_help => return Some(Msg::Action(Action::Move(Motion::Page(-1)))),
        (KeyCode::Home, _) if is_help => return Some(Msg::Action(Action::Move(Motion::Top))),
        (KeyCode::End, _) if is_help => return Some(Msg::Action(Action::Move(Motion::Bottom))),
        (KeyCode::Char('p'), true) if !is_list => return Some(Msg::Action(Action::Palette)),
        (KeyCode::Down, _) | (KeyCode::Char('n'), true) => return Some(Msg::Action(Action::Move(Motion::Line(1)))),
        (KeyCode::Up, _) | (KeyCode::Char('p'), true) => return Some(Msg::Action(Action::Move(Motion::Line(-1)))),
        (KeyCode::Char('a'), true) | (KeyCode::Home, _) => InputRequest::GoToStart,
        (KeyCode::Char('e'), true) | (KeyCode::End, _) => InputRequest::GoToEnd,
        (KeyCode::Char('u'), true) => InputRequest::DeleteFromStart,
        (KeyCode::Char('k'), true) => InputRequest::DeleteTillEnd,
        (KeyCode::Char('w'), true) => InputRequest::DeletePrevWord,
        (KeyCode::Char('h'), true) | (KeyCode::Backspace, _) => InputRequest::DeletePrevChar,
        (KeyCode::Delete, _) => InputRequest::DeleteNextChar,
        (KeyCode::Left, false) => InputRequest::GoToPrevChar,
        (KeyCode::Right, false) => InputRequest::GoToNextChar,
        (KeyCode::Left, true) => InputRequest::GoToPrevWord,
        (KeyCode::Right, true) => InputRequest::GoToNextWord,
        // Without bracketed paste, pasted text arrives as keys, which may include C1 control characters.
        (KeyCode::Char(c), false) if !c.is_control() => InputRequest::InsertChar(c),
        _ => return None,
    };
    Some(Msg::Edit(request))
}

/// The message for a key while a text is edited: most keys insert characters, some are common editor shortcuts.
fn in_text(key: KeyEvent) -> Msg {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let action = match (key.code, control) {
        (KeyCode::Char('z' | 'u'), true) => return Msg::Change(EditCommand::Undo),
        (KeyCode::Char('y'), true) => return Msg::Change(EditCommand::Redo),
        (KeyCode::Char('a'), true) => return Msg::Change(EditCommand::SelectAll),
        (KeyCode::Char('c'), true) => return Msg::Change(EditCommand::Copy),
        (KeyCode::Char('x'), true) => return Msg::Change(EditCommand::Cut),
        (KeyCode::Esc, _) => Action::Focus(PaneId::Reading),
        (KeyCode::Tab, _) => Action::FocusNext(1),
        (KeyCode::BackTab, _) => Action::FocusNext(-1),
        (KeyCode::F(1), _) => Action::Help,
        (KeyCode::F(2), _) => Action::Focus(PaneId::DeclarationEditor),
        (KeyCode::F(3), _) => Action::Palette,
        (KeyCode::Char('n'), false) if key.modifiers.contains(KeyModifiers::ALT) => Action::NewDialect,
        (KeyCode::Char('r'), false) if key.modifiers.contains(KeyModifiers::ALT) => Action::Lens,
        (KeyCode::Char('e'), false) if key.modifiers.contains(KeyModifiers::ALT) => Action::InsertExample,
        (KeyCode::Char('r'), true) => Action::Repair,
        (KeyCode::Char('f'), true) => Action::RepairAll,
        (KeyCode::Char('n'), true) => Action::Problem(1),
        (KeyCode::Char('p'), true) => Action::Problem(-1),
        (KeyCode::Char('t'), true) => Action::Suspend,
        (KeyCode::Char('s'), true) => Action::Save,
        (KeyCode::Char('g'), true) => Action::Write,
        (KeyCode::Char('l'), true) => Action::Redraw,
        (KeyCode::Char('q'), true) => Action::Quit,
        _ => return Msg::Type(key),
    };
    Msg::Action(action)
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
