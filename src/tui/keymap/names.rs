//! The names of keys: in the table and the configuration, on the screen, and parsing them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The name of a key in the table.
pub fn key_name(key: KeyEvent) -> String {
    let name = match key.code {
        // `KeyCode` displays these names differently, some of them only on macOS.
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

/// Parses the name of a key in the table or on the screen; `None` for an unknown name.
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

/// A key of the table as the help shows it.
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
