//! The names of keys: as the table and the configuration write them, as they are shown, and back.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key as the table writes it.
pub fn key_name(key: KeyEvent) -> String {
    let name = match key.code {
        // Their names in messages are others, some of them on a Mac alone.
        KeyCode::Enter => "Enter".into(),
        KeyCode::Delete => "Delete".into(),
        KeyCode::Insert => "Insert".into(),
        KeyCode::Backspace => "Backspace".into(),
        KeyCode::Char(c) if c != ' ' && key.modifiers.contains(KeyModifiers::CONTROL) => {
            format!("ctrl-{}", c.to_ascii_lowercase())
        }
        code => code.to_string().replace(' ', ""),
    };
    if key.modifiers.contains(KeyModifiers::ALT) { format!("alt-{name}") } else { name }
}

/// The key of a name, as the table writes it or as it is shown; nothing for a name that no key has.
pub fn key_event(name: &str) -> Option<KeyEvent> {
    let (modifiers, name) = match name.split_once('-') {
        Some(("ctrl", name)) => (KeyModifiers::CONTROL, name),
        Some(("alt", name)) => (KeyModifiers::ALT, name),
        _ => (KeyModifiers::NONE, name),
    };
    let mut letters = name.chars();
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "BackTab" | "shift-Tab" => KeyCode::BackTab,
        "Space" => KeyCode::Char(' '),
        "Backspace" => KeyCode::Backspace,
        "Insert" => KeyCode::Insert,
        "Delete" => KeyCode::Delete,
        "Up" | "↑" => KeyCode::Up,
        "Down" | "↓" => KeyCode::Down,
        "Left" | "←" => KeyCode::Left,
        "Right" | "→" => KeyCode::Right,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PageUp" => KeyCode::PageUp,
        "PageDown" => KeyCode::PageDown,
        _ if let Some(number) = name.strip_prefix('F').and_then(|number| number.parse().ok()) => KeyCode::F(number),
        _ => letters.next().filter(|_| letters.next().is_none()).map(KeyCode::Char)?,
    };
    Some(KeyEvent::new(code, modifiers))
}

/// A key of the table as the help screen shows it.
pub fn shown(key: &str) -> &str {
    match key {
        "Down" => "↓",
        "Up" => "↑",
        "Left" => "←",
        "Right" => "→",
        "BackTab" => "shift-Tab",
        _ => key,
    }
}
