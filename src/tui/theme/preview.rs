//! Previewing themes on the screen, one after another, until one is kept or the preview is cancelled.

use super::Theme;
use super::list::ListedTheme;
use crate::tui::action::{Action, Motion, next_in_ring};

/// The themes to preview, and the current one.
pub struct ThemePreview {
    /// Name, description and theme of each.
    themes: Vec<(String, String, Theme)>,
    at: usize,
    /// The theme before the preview, adapted to the terminal.
    before: Theme,
}

/// The effect of a key during the preview.
#[derive(Debug, PartialEq, Eq)]
pub enum PreviewOutcome {
    /// This theme is shown now.
    Shown(Theme),
    /// The theme of this name is kept.
    Kept(String),
    /// The preview was cancelled; this is the theme from before.
    Left(Theme),
}

impl ThemePreview {
    /// Previews the usable themes, beginning with the one that is in use.
    pub fn new(listed: Vec<ListedTheme>, shown: &Theme) -> Self {
        let usable = |listed: ListedTheme| Some((listed.name.clone(), listed.about(), listed.theme.ok()?));
        let themes: Vec<_> = listed.into_iter().filter_map(usable).collect();
        let at = themes.iter().position(|(_, _, theme)| theme.name() == shown.name()).unwrap_or(0);
        Self { themes, at, before: shown.clone() }
    }

    /// The current theme and the available keys.
    pub fn words(&self) -> String {
        let (name, about, _) = &self.themes[self.at];
        format!(
            "theme {}/{} {name}: j/k try others, Enter keeps, Esc returns   {about}",
            self.at + 1,
            self.themes.len()
        )
    }

    /// Shows another theme, or ends the preview; `None` if the action has no meaning here.
    pub fn act(&mut self, action: Action) -> Option<PreviewOutcome> {
        let last = self.themes.len() - 1;
        self.at = match action {
            Action::Move(Motion::Line(direction)) | Action::FocusNext(direction) => {
                next_in_ring(self.at, direction, last + 1)
            }
            Action::Move(motion) => motion.moved(self.at, last + 1, last),
            Action::Toggle => return Some(PreviewOutcome::Kept(self.themes[self.at].0.clone())),
            Action::Cancel | Action::Quit | Action::Interrupt => {
                return Some(PreviewOutcome::Left(self.before.clone()));
            }
            _ => return None,
        };
        Some(PreviewOutcome::Shown(self.themes[self.at].2.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::BUILT_IN;

    #[test]
    fn themes_are_tried_in_a_ring_and_kept_or_left() {
        let listed = |name: &str| ListedTheme { name: name.to_owned(), path: None, theme: Theme::named(name) };
        let mut names = BUILT_IN.to_vec();
        names.insert(1, "no-such-theme");
        let light = Theme::named("light").expect("a built-in theme");
        let mut preview = ThemePreview::new(names.into_iter().map(listed).collect(), &light);
        assert!(preview.words().starts_with("theme 2/7 light: "), "{}", preview.words());
        let mut shown = Vec::new();
        for action in [Action::Move(Motion::Line(-1)), Action::FocusNext(-1), Action::Move(Motion::Top)] {
            let Some(PreviewOutcome::Shown(theme)) = preview.act(action) else { panic!("{action:?} tries none") };
            shown.push(theme.name().to_owned());
        }
        assert_eq!(shown, ["dark", "mono", "dark"]);
        assert_eq!(preview.act(Action::Wrap), None);
        assert_eq!(preview.act(Action::Toggle), Some(PreviewOutcome::Kept("dark".to_owned())));
        assert_eq!(preview.act(Action::Cancel), Some(PreviewOutcome::Left(light)));
    }
}
