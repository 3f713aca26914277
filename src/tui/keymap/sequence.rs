//! Incomplete key sequences: a count, as in `12j`, and the first keys of a sequence such as `y j`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::action::Action;
use crate::tui::keymap::{Keymap, Meaning, ScreenId, key_name};

/// The largest count; further digits are ignored.
const MOST: usize = 999_999_999;

/// The keys typed so far of an incomplete command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySequence {
    /// The count: repetitions of a motion, or the number of a line or pane.
    pub count: Option<usize>,
    /// The names of the keys after the count, joined with spaces; empty if there are none.
    pub prefix: String,
}

/// The effect of a key.
pub enum Pressed {
    /// The sequence is complete, with the count typed before it.
    Complete(Action, Option<usize>),
    /// The sequence is incomplete; this is its new state.
    Typed(KeySequence),
}

impl KeySequence {
    /// True if nothing has been typed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The typed keys for display: `12 y`.
    pub fn words(&self) -> String {
        let count = self.count.map(|count| count.to_string());
        let prefix = Some(self.prefix.clone()).filter(|prefix| !prefix.is_empty());
        count.into_iter().chain(prefix).collect::<Vec<_>>().join(" ")
    }

    /// The effect of another key; `None` if it is not bound.
    pub fn press(&self, screen: ScreenId, key: KeyEvent, keymap: &Keymap) -> Option<Pressed> {
        // Escape and a key in quick succession arrive as Alt and the key.
        let is_alt = key.modifiers.contains(KeyModifiers::ALT);
        if is_alt && keymap.meaning(screen, &self.name(key)) == Meaning::Nothing {
            return self.press(screen, KeyEvent::new(key.code, key.modifiers - KeyModifiers::ALT), keymap);
        }
        let name = self.name(key);
        let sequence = match keymap.meaning(screen, &name) {
            Meaning::Action(action) => return Some(Pressed::Complete(action, self.count)),
            _ if key.code == KeyCode::Esc && !self.is_empty() => Self::default(),
            Meaning::Prefix => Self { prefix: name, ..*self },
            Meaning::Nothing => match self.digit(key) {
                Some(digit) => {
                    let count = self.count.unwrap_or(0).saturating_mul(10).saturating_add(digit);
                    Self { count: Some(count.min(MOST)), ..Self::default() }
                }
                None if self.is_empty() => return None,
                None => Self::default(),
            },
        };
        Some(Pressed::Typed(sequence))
    }

    /// The names of the typed keys and another one.
    fn name(&self, key: KeyEvent) -> String {
        let name = key_name(key);
        if self.prefix.is_empty() { name } else { format!("{} {name}", self.prefix) }
    }

    /// The digit that a key adds to the count; a count does not begin with 0.
    fn digit(&self, key: KeyEvent) -> Option<usize> {
        let KeyCode::Char(c) = key.code else { return None };
        let digit = c.to_digit(10).filter(|digit| self.count.is_some() || *digit > 0)?;
        (self.prefix.is_empty() && key.modifiers == KeyModifiers::NONE).then_some(digit as usize)
    }
}
