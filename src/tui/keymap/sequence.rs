//! Keys typed so far of a command that takes several: a count, as in `12j`, and the first keys of one such as `y j`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::action::Action;
use crate::tui::keymap::{Keymap, Keys, Meaning, key_name};

/// The greatest count that can be typed; more digits change nothing.
const MOST: usize = 999_999_999;

/// What has been typed of a command that is not complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySequence {
    /// How often the command is to be done, or which line or pane it is about.
    pub count: Option<usize>,
    /// The names of its first keys, joined with spaces; empty where there are none.
    pub prefix: String,
}

/// What has come of a key.
pub enum Pressed {
    /// A command is complete, with the count that was typed in front of it.
    Complete(Action, Option<usize>),
    /// None is: this is what has been typed now.
    Typed(KeySequence),
}

impl KeySequence {
    /// Whether nothing has been typed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What has been typed, as it is shown: `12 y`.
    pub fn words(&self) -> String {
        let count = self.count.map(|count| count.to_string());
        let prefix = Some(self.prefix.clone()).filter(|prefix| !prefix.is_empty());
        count.into_iter().chain(prefix).collect::<Vec<_>>().join(" ")
    }

    /// What one more key comes to; nothing for a key that means nothing.
    pub fn press(&self, screen: Keys, key: KeyEvent, keymap: &Keymap) -> Option<Pressed> {
        // Escape and a key at once arrive as this.
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

    /// The names of what has been typed and one more key.
    fn name(&self, key: KeyEvent) -> String {
        let name = key_name(key);
        if self.prefix.is_empty() { name } else { format!("{} {name}", self.prefix) }
    }

    /// The digit that a key adds to a count; a count does not begin with 0.
    fn digit(&self, key: KeyEvent) -> Option<usize> {
        let KeyCode::Char(c) = key.code else { return None };
        let digit = c.to_digit(10).filter(|digit| self.count.is_some() || *digit > 0)?;
        (self.prefix.is_empty() && key.modifiers == KeyModifiers::NONE).then_some(digit as usize)
    }
}
