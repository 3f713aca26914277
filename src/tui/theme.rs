//! Themes: a style for each role, built in or from a user's YAML file.
//!
//! Everything that is drawn names its [`Role`]; only themes have colours. A style sets only what its role needs, so
//! that styles can be combined: a selected error keeps its red on the selection's tint, and ordinary text keeps the
//! terminal's own colours.

pub mod depth;
mod file;
pub mod list;
pub mod preview;
mod store;

use anyhow::Result;
use ratatui::style::{Modifier, Style};

use crate::tui::style::Role;
use depth::Depth;
pub use store::BUILT_IN;

/// A style for every role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    name: String,
    /// A one-line description; may be empty.
    about: String,
    /// The name of the theme that replaces it on a terminal with sixteen colours.
    sixteen: Option<String>,
    styles: [Style; Role::ALL.len()],
}

impl Theme {
    /// The built-in theme or user theme with this name, or the theme in the YAML file at this path.
    ///
    /// It is an error if none of them exists (the message lists the names), if the file is not a valid theme (the
    /// message has the key and the line), if the theme that it extends does not exist or extends it in turn, or if a
    /// role has no style.
    pub fn named(name: &str) -> Result<Theme> {
        file::named(name)
    }

    /// Checks a theme like [`Theme::named`]. Built-in themes are valid and therefore not read.
    ///
    /// # Errors
    /// The errors of [`Theme::named`].
    pub fn check(name: &str) -> Result<()> {
        if BUILT_IN.contains(&name) { Ok(()) } else { Theme::named(name).map(drop) }
    }

    /// A theme that gets the style of each role from `style`.
    pub fn new(name: &str, style: impl FnMut(Role) -> Style) -> Theme {
        Theme { name: name.to_owned(), about: String::new(), sixteen: None, styles: Role::ALL.map(style) }
    }

    /// Adapts the theme to a terminal's colour depth: each colour becomes the nearest available one. A theme may name
    /// another one for sixteen colours, since its tints have no near equivalent there.
    pub fn at(self, depth: Depth) -> Result<Theme> {
        match (depth, &self.sixteen) {
            (Depth::TrueColor, _) => Ok(self),
            (Depth::NoTty | Depth::NoColor, _) => Theme::named("mono"),
            (Depth::Ansi16, Some(name)) => Theme::named(name),
            _ => Ok(Theme { styles: self.styles.map(|style| depth.adapt_style(style)), ..self }),
        }
    }

    /// The name in the theme's file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The style of a role, to apply on top of the style below it.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }
}

/// The style of text in a row with the style `over`. In a reversed row text has no colours: a terminal with sixteen
/// colours would swap them with a background that they are not made for.
pub fn in_row(over: Style, style: Style) -> Style {
    if !over.add_modifier.contains(Modifier::REVERSED) {
        return over.patch(style);
    }
    over.patch(Style { fg: None, bg: None, underline_color: None, ..style })
}

#[cfg(test)]
mod contrast;
#[cfg(test)]
mod vision;
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_roles_are_listed_in_order() {
        for (index, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role as usize, index, "{role:?}");
        }
    }

    #[test]
    fn every_built_in_theme_is_complete() {
        for name in BUILT_IN {
            let theme = Theme::named(name).expect(name);
            assert_eq!(theme.name(), name);
            assert_eq!(theme.style(Role::Text), Style::new(), "the terminal's own colours show through");
        }
    }

    #[test]
    fn without_colours_there_are_none() {
        let theme = Theme::named("mono").expect("a built-in theme");
        for role in Role::ALL {
            let style = theme.style(role);
            assert_eq!((style.fg, style.bg, style.underline_color), (None, None, None), "{role:?}");
        }
    }

    #[test]
    fn what_must_be_told_apart_looks_different() {
        for name in BUILT_IN {
            let theme = Theme::named(name).expect(name);
            for (one, other) in [
                (Role::Name, Role::Id),
                (Role::Error, Role::Warning),
                (Role::Warning, Role::Hint),
                (Role::Error, Role::Good),
                (Role::Border, Role::BorderFocused),
                (Role::Selection, Role::SelectionUnfocused),
                (Role::Match, Role::MatchCurrent),
                (Role::Picture, Role::Text),
                (Role::Pending, Role::Text),
                (Role::CodeInserted, Role::CodeDeleted),
            ] {
                assert_ne!(theme.style(one), theme.style(other), "{name}: {one:?} and {other:?}");
            }
        }
    }
}
