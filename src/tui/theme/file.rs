//! Theme files: their colours and styles as written, and the theme that they extend.
//!
//! A base is found like any theme: by a built-in name, the name of a user theme, or a path relative to the file that
//! names it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use super::Theme;
use super::store::{built_in, names, own_folder};
use crate::system::small_file;
use crate::text::typo::nearest;
use crate::tui::style::Role;

/// Maximum size of a theme file in bytes, so that a wrong path does not fill the memory.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// The theme with this name or at this path.
pub(super) fn named(name: &str) -> Result<Theme> {
    let own = own_folder();
    let source = Source::find(name, own.as_deref(), Path::new(""))?;
    source.theme(own.as_deref())
}

/// The theme in the file at this path; `own` is the folder of the user's themes.
pub(super) fn read(path: &Path, own: Option<&Path>) -> Result<Theme> {
    Source::read(path)?.theme(own)
}

/// The text of a theme, and its file if it is not built in.
struct Source {
    path: Option<PathBuf>,
    text: Cow<'static, str>,
}

impl Source {
    /// Finds a theme by name or path; a path is relative to `folder`.
    fn find(name: &str, own: Option<&Path>, folder: &Path) -> Result<Source> {
        if let Some(text) = built_in(name) {
            return Ok(Source { path: None, text: text.into() });
        }
        let mine = own.map(|own| own.join(format!("{name}.yaml"))).filter(|path| path.exists());
        let path = mine.unwrap_or_else(|| folder.join(name));
        let looks_like_a_path = Path::new(name).components().count() > 1 || Path::new(name).extension().is_some();
        if !looks_like_a_path && !path.exists() {
            let known = names(own);
            let meant = nearest(name, known.iter().map(String::as_str));
            let meant = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
            bail!("unknown theme {name}{meant} (expected one of {}, or the path of a YAML file)", known.join(", "));
        }
        Source::read(&path)
    }

    fn read(path: &Path) -> Result<Source> {
        let cannot = || format!("could not read the theme {}", path.display());
        let bytes = small_file::read(path, MAX_FILE_BYTES).with_context(cannot)?;
        let text = String::from_utf8(bytes).map_err(|_| anyhow!("{}: it is not valid UTF-8", cannot()))?;
        Ok(Source { path: Some(path.to_path_buf()), text: text.into() })
    }

    fn theme(&self, own: Option<&Path>) -> Result<Theme> {
        let theme = self.whole(own, &mut Vec::new()).and_then(RawTheme::resolve);
        match &self.path {
            Some(path) => theme.with_context(|| format!("could not use the theme {}", path.display())),
            None => theme,
        }
    }

    /// The theme combined with its bases; `above` are the files that extend it.
    fn whole(&self, own: Option<&Path>, above: &mut Vec<PathBuf>) -> Result<RawTheme> {
        let raw: RawTheme = serde_yaml::from_str(&self.text)?;
        let Some(name) = &raw.extends else { return Ok(raw) };
        if let Some(path) = &self.path {
            above.push(path.canonicalize().unwrap_or_else(|_| path.clone()));
        }
        let folder = self.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let base = Source::find(name, own, folder).with_context(|| format!("extends: {name}"))?;
        if let Some(path) = base.path.as_ref().and_then(|path| path.canonicalize().ok())
            && above.contains(&path)
        {
            let names = above.iter().chain([&path]).filter_map(|path| path.file_name()?.to_str());
            bail!("extends: {name}: themes extend each other in a cycle: {}", names.collect::<Vec<_>>().join(", "));
        }
        let base = base.whole(own, above).with_context(|| format!("extends: {name}"))?;
        Ok(raw.over(base))
    }
}

/// A theme as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTheme {
    name: String,
    /// A one-line description for the list of themes.
    #[serde(default)]
    about: String,
    /// The theme that provides the colours and roles missing here.
    extends: Option<String>,
    /// The theme that replaces this one on a terminal with sixteen colours.
    sixteen: Option<String>,
    #[serde(default)]
    palette: BTreeMap<String, String>,
    #[serde(default)]
    roles: BTreeMap<Role, RawStyle>,
}

/// A style as a theme's file has it. Each colour is a name in the palette, or a colour that ratatui parses: `#rrggbb`,
/// the name of an ANSI colour, or an index.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStyle {
    fg: Option<String>,
    bg: Option<String>,
    /// The colour of the underline, if the terminal supports it.
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
    /// This theme on top of the one that it extends.
    fn over(self, base: RawTheme) -> RawTheme {
        let RawTheme { mut palette, mut roles, .. } = base;
        palette.extend(self.palette);
        roles.extend(self.roles);
        RawTheme { palette, roles, ..self }
    }

    fn resolve(self) -> Result<Theme> {
        let missing: Vec<String> =
            Role::ALL.iter().filter(|role| !self.roles.contains_key(role)).map(|role| format!("{role:?}")).collect();
        ensure!(missing.is_empty(), "no style for {}; add one for each role, or `extends: dark`", missing.join(", "));
        let mut styles = [Style::new(); Role::ALL.len()];
        for (role, raw) in &self.roles {
            styles[*role as usize] = raw.resolve(&self.palette).with_context(|| format!("in the role {role:?}"))?;
        }
        let about = match &self.extends {
            Some(base) if self.about.is_empty() => format!("extends {base}"),
            _ => self.about,
        };
        Ok(Theme { name: self.name, about, sixteen: self.sixteen, styles })
    }
}

impl RawStyle {
    fn resolve(&self, palette: &BTreeMap<String, String>) -> Result<Style> {
        let color = |name: &Option<String>| -> Result<Option<Color>> {
            let Some(name) = name else { return Ok(None) };
            let value = palette.get(name).unwrap_or(name);
            let color = hex(value).or_else(|| Color::from_str(value).ok()).with_context(|| {
                format!("{value:?} is not a colour: give a name from the palette, #rrggbb, an ANSI name or an index")
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

/// Parses `#rrggbb`, the usual form. This is a fast path: ratatui's parser allocates ten strings for each colour first.
fn hex(value: &str) -> Option<Color> {
    let digits = value.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok().map(Color::from_u32))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_of_six_digits_is_the_one_that_its_library_reads() {
        for (value, is_hex) in [
            ("#000000", true),
            ("#ffffff", true),
            ("#a0B1c2", true),
            ("#12345", false),
            ("#1234567", false),
            ("#+12345", false),
            ("#12345é", false),
            ("#gggggg", false),
            ("123456", false),
            ("", false),
        ] {
            assert_eq!(hex(value), Color::from_str(value).ok().filter(|_| is_hex), "{value}");
        }
    }

    fn parse(text: &str) -> Result<Theme> {
        Source { path: None, text: text.to_owned().into() }.theme(None)
    }

    #[test]
    fn a_theme_extends_another_and_recolours_it() {
        let source = "name: mine\nextends: dark\npalette: {red: 9}\nroles: {hint: {fg: light-blue, modifiers: [dim]}}";
        let theme = parse(source).expect("a theme");
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
                "unknown field `colors`, expected one of `name`, `about`, `extends`, `sixteen`, `palette`, `roles` at line 2",
            ),
            ("name: x\nroles:\n  eror: {}", "unknown variant `eror`"),
            ("name: x\nextends: dark\nroles:\n  error: {fgg: red}", "roles.error: unknown field `fgg`"),
            ("name: x\nextends: dark\nroles:\n  error: {fg: redd}", "in the role Error: \"redd\" is not a colour"),
            ("name: x\nextends: drak", "extends: drak: unknown theme drak; did you mean dark?"),
            ("name: x", "no style for Text, Dim, "),
            ("roles: {}", "missing field `name`"),
        ] {
            let message = format!("{:#}", parse(source).expect_err(source));
            assert!(message.contains(expected), "{source:?} says {message:?}");
        }
    }

    #[test]
    fn an_unknown_theme_lists_the_known_ones_and_a_missing_file_is_named() {
        for (name, expected) in [
            ("drak", "did you mean dark? (expected one of dark, light, dark-colorblind, light-colorblind, dark-16"),
            ("./no/such.yaml", "could not read the theme ./no/such.yaml"),
        ] {
            let message = format!("{:#}", Theme::named(name).expect_err(name));
            assert!(message.contains(expected), "{name:?} says {message:?}");
        }
    }

    #[test]
    fn a_theme_extends_what_is_its_own_and_what_extends_itself_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path();
        for (name, text) in [
            ("first", "name: first\nextends: second\npalette: {red: 9}"),
            ("second", "name: second\nextends: light\npalette: {red: 10, amber: 11}"),
            ("ring", "name: ring\nextends: ring-too"),
            ("ring-too", "name: ring-too\nextends: ./ring.yaml"),
            ("itself", "name: itself\nextends: itself"),
            ("lost", "name: lost\nextends: frist"),
        ] {
            std::fs::write(own.join(format!("{name}.yaml")), text).expect("a file");
        }
        let found = |name: &str| Source::find(name, Some(own), Path::new("")).and_then(|found| found.theme(Some(own)));
        let first = found("first").expect("a theme");
        let colour = |theme: &Theme, role| theme.style(role).fg;
        assert_eq!(colour(&first, Role::Error), Some(Color::Indexed(9)), "the nearest wins");
        assert_eq!(colour(&first, Role::Warning), Some(Color::Indexed(11)));
        let light = Theme::named("light").expect("a built-in theme");
        assert_eq!(colour(&first, Role::Name), colour(&light, Role::Name));
        assert_eq!((first.name(), first.about.as_str()), ("first", "extends second"));
        for (name, expected) in [
            ("ring", "extends: ./ring.yaml: themes extend each other in a cycle: ring.yaml, ring-too.yaml, ring.yaml"),
            ("itself", "itself.yaml: extends: itself: themes extend each other in a cycle: itself.yaml, itself.yaml"),
            ("lost", "lost.yaml: extends: frist: unknown theme frist; did you mean first?"),
        ] {
            let message = format!("{:#}", found(name).expect_err(name));
            assert!(message.contains(expected), "{name} says {message}");
        }
    }
}
