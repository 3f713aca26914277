//! How things look: a style for each role, from a theme that is built in or from a user's YAML file.
//!
//! Everything that is drawn names the [`Role`] it plays; only this file knows colours. A style sets no more than its
//! role needs, so that styles are laid over each other: a selected error keeps its red upon the selection's tint, and
//! ordinary text keeps the terminal's own colours.
//!
//! This file does not know what is drawn where, nor how a theme is chosen between flag, environment and terminal.

pub mod depth;

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr as _;

use anyhow::{Context as _, Result, bail, ensure};
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use crate::tui::style::Role;
use depth::Depth;

/// A style for every role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    name: String,
    styles: [Style; Role::ALL.len()],
}

/// The names of the themes that [`Theme::named`] knows without a file.
pub const BUILT_IN: [&str; 5] = ["dark", "light", "dark-16", "light-16", "mono"];

/// What is in their files.
const SOURCES: [&str; BUILT_IN.len()] = [
    include_str!("../../themes/dark.yaml"),
    include_str!("../../themes/light.yaml"),
    include_str!("../../themes/dark-16.yaml"),
    include_str!("../../themes/light-16.yaml"),
    include_str!("../../themes/mono.yaml"),
];

/// A theme's file is not read beyond this many bytes: a wrong path must not fill the memory.
const MAX_FILE_BYTES: u64 = 256 * 1024;

impl Theme {
    /// The built-in theme of that name, or the theme in the YAML file at that path.
    ///
    /// It is an error when there is neither (the message lists the built-in names), when the file is not a theme (the
    /// message names the key and the line), or when a role has no style and the theme extends no other.
    pub fn named(name: &str) -> Result<Theme> {
        match built_in_source(name) {
            Some(source) => Theme::parse(source),
            None => Theme::read(Path::new(name)),
        }
    }

    /// A theme of that name in which each role has the style that it is given.
    pub fn new(name: &str, style: impl FnMut(Role) -> Style) -> Theme {
        Theme { name: name.to_owned(), styles: Role::ALL.map(style) }
    }

    /// The theme for a terminal with that many colours: each colour becomes the nearest that there is. The built-in
    /// themes have twins that were made for sixteen, since their tints have no neighbours there.
    pub fn at(self, depth: Depth) -> Result<Theme> {
        match depth {
            Depth::TrueColor => Ok(self),
            Depth::NoTty | Depth::NoColor => Theme::named("mono"),
            Depth::Ansi16 if matches!(self.name(), "dark" | "light") => Theme::named(&format!("{}-16", self.name)),
            _ => Ok(Theme { styles: self.styles.map(|style| depth.adapt_style(style)), ..self }),
        }
    }

    /// The name that the theme gives itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The style of a role, to be laid over what is there.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    fn read(path: &Path) -> Result<Theme> {
        use std::io::Read as _;

        let shown = path.display();
        let looks_like_a_path = path.components().count() > 1 || path.extension().is_some();
        if !looks_like_a_path && !path.exists() {
            bail!(
                "there is no theme {shown}: the built-in ones are {}, or give the path of a YAML file",
                BUILT_IN.join(", ")
            );
        }
        let mut source = String::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_string(&mut source))
            .with_context(|| format!("could not read the theme {shown}"))?;
        ensure!(source.len() as u64 <= MAX_FILE_BYTES, "the theme {shown} is larger than {MAX_FILE_BYTES} bytes");
        Theme::parse(&source).with_context(|| format!("could not use the theme {shown}"))
    }

    fn parse(source: &str) -> Result<Theme> {
        let mut raw: RawTheme = serde_yaml::from_str(source)?;
        if let Some(base) = &raw.extends {
            let Some(base) = built_in_source(base) else {
                bail!("extends: there is no theme {base} to extend: give dark or light");
            };
            let mut base: RawTheme = serde_yaml::from_str(base)?;
            base.palette.append(&mut raw.palette);
            base.roles.append(&mut raw.roles);
            raw = RawTheme { name: raw.name, ..base };
        }
        raw.resolve()
    }
}

fn built_in_source(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().zip(SOURCES).find(|(known, _)| **known == name).map(|(_, source)| source)
}

/// A theme as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTheme {
    name: String,
    /// A built-in theme that gives every colour and role which this one does not.
    extends: Option<String>,
    #[serde(default)]
    palette: BTreeMap<String, String>,
    #[serde(default)]
    roles: BTreeMap<Role, RawStyle>,
}

/// A style as a theme's file has it. Each colour is a name in the palette, or what ratatui reads as one: `#rrggbb`, the
/// name of an ANSI colour, or an index.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStyle {
    fg: Option<String>,
    bg: Option<String>,
    /// The colour of the underline, where the terminal can colour it.
    underline: Option<String>,
    #[serde(default)]
    modifiers: Vec<RawModifier>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u16)]
enum RawModifier {
    Bold = Modifier::BOLD.bits(),
    Dim = Modifier::DIM.bits(),
    Italic = Modifier::ITALIC.bits(),
    Underline = Modifier::UNDERLINED.bits(),
    Reverse = Modifier::REVERSED.bits(),
}

impl RawTheme {
    fn resolve(self) -> Result<Theme> {
        let missing: Vec<String> =
            Role::ALL.iter().filter(|role| !self.roles.contains_key(role)).map(|role| format!("{role:?}")).collect();
        ensure!(missing.is_empty(), "no style for {}: give one to each, or write `extends: dark`", missing.join(", "));
        let mut styles = [Style::new(); Role::ALL.len()];
        for (role, raw) in &self.roles {
            styles[*role as usize] = raw.resolve(&self.palette).with_context(|| format!("in the role {role:?}"))?;
        }
        Ok(Theme { name: self.name, styles })
    }
}

impl RawStyle {
    fn resolve(&self, palette: &BTreeMap<String, String>) -> Result<Style> {
        let color = |name: &Option<String>| -> Result<Option<Color>> {
            let Some(name) = name else { return Ok(None) };
            let value = palette.get(name).unwrap_or(name);
            let color = Color::from_str(value).ok().with_context(|| {
                format!("{value:?} is no colour: give a name from the palette, #rrggbb, an ANSI name or an index")
            });
            color.map(Some)
        };
        let modifiers = self.modifiers.iter().map(|&modifier| Modifier::from_bits_truncate(modifier as u16));
        let mut style = Style::new().add_modifier(modifiers.collect());
        style.fg = color(&self.fg)?;
        style.bg = color(&self.bg)?;
        style.underline_color = color(&self.underline)?;
        Ok(style)
    }
}

#[cfg(test)]
mod contrast;
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

    #[test]
    fn a_theme_extends_another_and_recolours_it() {
        let source = "name: mine\nextends: dark\npalette: {red: 9}\nroles: {hint: {fg: light-blue, modifiers: [dim]}}";
        let theme = Theme::parse(source).expect("a theme");
        assert_eq!(theme.name(), "mine");
        assert_eq!(theme.style(Role::Error), Style::new().fg(Color::Indexed(9)).bold());
        assert_eq!(theme.style(Role::Hint), Style::new().fg(Color::LightBlue).dim());
        assert_eq!(theme.style(Role::Name), Theme::named("dark").expect("dark").style(Role::Name));
    }

    #[test]
    fn mistakes_are_named() {
        for (source, expected) in [
            (
                "name: x\ncolors: {}",
                "unknown field `colors`, expected one of `name`, `extends`, `palette`, `roles` at line 2",
            ),
            ("name: x\nroles:\n  eror: {}", "unknown variant `eror`"),
            ("name: x\nextends: dark\nroles:\n  error: {fgg: red}", "roles.error: unknown field `fgg`"),
            ("name: x\nextends: dark\nroles:\n  error: {fg: redd}", "in the role Error: \"redd\" is no colour"),
            ("name: x\nextends: drak", "there is no theme drak to extend"),
            ("name: x", "no style for Text, Dim, "),
            ("roles: {}", "missing field `name`"),
        ] {
            let message = format!("{:#}", Theme::parse(source).expect_err(source));
            assert!(message.contains(expected), "{source:?} says {message:?}");
        }
    }

    #[test]
    fn an_unknown_theme_lists_the_known_ones_and_a_missing_file_is_named() {
        for (name, expected) in [
            ("drak", "dark, light, dark-16, light-16, mono"),
            ("./no/such.yaml", "could not read the theme ./no/such.yaml"),
        ] {
            let message = format!("{:#}", Theme::named(name).expect_err(name));
            assert!(message.contains(expected), "{name:?} says {message:?}");
        }
    }
}
