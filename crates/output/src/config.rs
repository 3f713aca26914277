//! How to read and show transcripts: the configuration file, and the precedence of flags, environment and file.
//!
//! A flag takes precedence over an environment variable, that over the file, and that over the default. The file is
//! `$XDG_CONFIG_HOME/transcope/config.yaml` or the one given by `--config`. It is never searched for next to a
//! transcript: the sender of a transcript must not be able to change how it is shown.

pub mod agents;
pub mod alerts;
pub mod bundle;
pub mod containers;
pub mod declarations;
pub mod inventory;
mod key_line;
pub mod keys;
pub mod panes;
pub mod places;
mod prices;
mod read_options;
pub mod redact;
pub mod schemas;
pub mod templates;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::ValueEnum;
use serde::Deserialize;

use alerts::AlertMethods;
use containers::DeclaredContainers;
use declarations::Declarations;
use keys::KeyChoices;
use redact::RedactSettings;

use crate::container::Container;
use crate::dialect::{self, Portable};
use crate::filter::SavedFilters;
use crate::redact::OwnPatterns;
use crate::source::SourceSpec;
use crate::system::small_file;

pub(crate) use read_options::Known;
pub use read_options::{PackedDeclaration, ReadOptions, examples, text_calls};

/// Maximum size of a configuration file, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// When the output of commands and of the terminal UI is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ColorChoice {
    /// If the output is a terminal and the environment does not forbid it
    #[default]
    Auto,
    /// Even if the output is not a terminal
    Always,
    /// Not even on a terminal
    Never,
}

impl ColorChoice {
    /// True if colours are used on an output that is (or is not) a terminal.
    pub fn applies(self, terminal: bool) -> bool {
        match self {
            ColorChoice::Auto => terminal,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        }
    }
}

/// Settings given by the flags, the environment or the file; `None` falls back to the next of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Name or file of the theme of the terminal UI; the default depends on the terminal's background.
    pub theme: Option<String>,
    /// Keys of the terminal UI by action, or by screen and action.
    pub keys: Option<KeyChoices>,
    /// Filters by name; a filter refers to one as `@name`.
    pub filters: Option<BTreeMap<String, String>>,
    /// Keys of arguments that summarize a call; they take precedence over the built-in ones.
    pub main_arguments: Option<Vec<String>>,
    /// Names of the dialects to read.
    pub dialects: Option<Vec<String>>,
    /// Start marker of gadget blocks.
    pub start_prefix: Option<String>,
    /// End marker of gadget blocks.
    pub end_prefix: Option<String>,
    /// Argument marker of gadget blocks.
    pub arg_prefix: Option<String>,
    /// True if the terminal UI wraps long lines (the default).
    pub wrap: Option<bool>,
    /// True if the terminal UI captures the mouse (the default).
    pub mouse: Option<bool>,
    /// True if lines are printed as they become final instead of opening a screen. By default that depends on whether
    /// the terminal can draw.
    pub linear: Option<bool>,
    /// When to use colours; by default on a terminal.
    pub color: Option<ColorChoice>,
    /// When and how to alert while a text is followed.
    pub alert: Option<AlertMethods>,
    /// Seconds of silence after which to alert as well.
    pub alert_silence: Option<u32>,
    /// Patterns to redact in addition to the built-in ones, and texts to keep.
    pub redact: Option<RedactSettings>,
    /// Runtimes or parsers that should read a text alike; a difference is a hint.
    pub portable: Option<Vec<String>>,
    /// A table of prices; a relative path starts at the folder of the configuration file.
    pub prices: Option<PathBuf>,
}

impl Config {
    /// Settings from the environment; `look_up` reads a variable. An empty variable counts as unset.
    ///
    /// # Errors
    /// A variable has an invalid value; the error names it.
    pub(crate) fn from_environment(look_up: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let variable = |name: &str| look_up(name).filter(|value| !value.is_empty());
        let mut color = None;
        if let Some(word) = variable("TRANSCOPE_COLOR") {
            let found = ColorChoice::from_str(&word, false);
            color = Some(found.map_err(|_| anyhow!("TRANSCOPE_COLOR is {word:?}; expected auto, always or never"))?);
        } else if variable("NO_COLOR").is_some() {
            color = Some(ColorChoice::Never);
        } else if let Some(force) = variable("FORCE_COLOR").or(variable("CLICOLOR_FORCE")) {
            let is_forced = !matches!(force.as_str(), "0" | "false");
            color = Some(if is_forced { ColorChoice::Always } else { ColorChoice::Never });
        } else if variable("TERM").as_deref() == Some("dumb") || variable("CLICOLOR").as_deref() == Some("0") {
            color = Some(ColorChoice::Never);
        }
        Ok(Self {
            theme: variable("TRANSCOPE_THEME"),
            dialects: variable("TRANSCOPE_DIALECT").map(|names| names.split(',').map(str::to_owned).collect()),
            start_prefix: variable("TRANSCOPE_START_PREFIX"),
            end_prefix: variable("TRANSCOPE_END_PREFIX"),
            arg_prefix: variable("TRANSCOPE_ARG_PREFIX"),
            color,
            ..Self::default()
        })
    }

    /// Settings from the file `named`, or from the user's own file if it exists.
    ///
    /// # Errors
    /// The named file cannot be read, or a file has an unknown key or a value of the wrong type.
    pub fn from_file(named: Option<&Path>) -> anyhow::Result<Self> {
        let own = || own_file().filter(|path| path.exists());
        let Some(path) = named.map(Path::to_path_buf).or_else(own) else { return Ok(Self::default()) };
        let name = path.display();
        let cannot = || format!("could not read the configuration {name}");
        let bytes = small_file::read(&path, MAX_BYTES).with_context(cannot)?;
        let text = String::from_utf8(bytes).map_err(|_| anyhow!("{}: it is not valid UTF-8", cannot()))?;
        let config = Self::from_yaml(&text).with_context(|| format!("could not use the configuration {name}"))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let prices = config.prices.as_ref().map(|prices| folder.join(places::path_of(&prices.to_string_lossy())));
        Ok(Self { prices, ..config })
    }

    fn from_yaml(text: &str) -> anyhow::Result<Self> {
        let parsed = serde_yaml::from_str::<Option<Self>>(text);
        let config = parsed.map_err(|error| key_line::fault::<Self>(text, &error))?.unwrap_or_default();
        let blame = |path: &[&str], words: &str| anyhow!(key_line::with_line(text, path, words));
        if let Some((filter, error)) = config.saved_filters().fault() {
            return Err(blame(&["filters", filter], &format!("filters: {filter}: {error}")));
        }
        config.own_patterns().map_err(|error| {
            let words = error.to_string();
            let setting = words.split(": ").nth(1).unwrap_or("patterns");
            blame(&["redact", setting], &words)
        })?;
        if let Some(names) = &config.portable {
            let portable = Portable::between(names.iter().map(String::as_str));
            portable.map_err(|words| blame(&["portable"], &format!("portable: {words}")))?;
        }
        Ok(config)
    }

    /// Combines flags, environment and file; an earlier one of these takes precedence.
    ///
    /// # Errors
    /// The errors of `Config::from_environment` and [`Config::from_file`].
    pub fn in_effect(flags: Self, named: Option<&Path>) -> anyhow::Result<Self> {
        let environment = Self::from_environment(|name| std::env::var(name).ok())?;
        Ok(flags.or(environment).or(Self::from_file(named)?))
    }

    /// Adds the file name and line of the value under the keys `path` to an error. The file is `named`, or the user's
    /// own.
    pub fn blamed(error: &anyhow::Error, named: Option<&Path>, path: &[&str]) -> anyhow::Error {
        let file = named.map(Path::to_path_buf).or_else(own_file).unwrap_or_default();
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let words = key_line::with_line(&text, path, &format!("{error:#}"));
        anyhow!("could not use the configuration {}: {words}", file.display())
    }

    /// The first key whose value cannot be used, and the error; `known` declarations are already in use.
    fn unusable_key(&self, known: Known<'_>) -> Option<(&'static str, anyhow::Error)> {
        let of = |key| match key {
            "dialects" => Self { dialects: self.dialects.clone(), ..Self::default() },
            "prices" => Self { prices: self.prices.clone(), ..Self::default() },
            _ => Self { dialects: None, prices: None, ..self.clone() },
        };
        let markers = ["start_prefix", "end_prefix", "arg_prefix"];
        let is_set = [self.start_prefix.is_some(), self.end_prefix.is_some(), self.arg_prefix.is_some()];
        let marker = markers.into_iter().zip(is_set).find_map(|(key, is_set)| is_set.then_some(key));
        ["dialects", "prices"].into_iter().chain(marker).find_map(|key| {
            let resolved = of(key).read_options().resolve(Path::new(""), known);
            resolved.err().map(|error| (key, error))
        })
    }

    /// These settings; missing ones are taken from `next`.
    #[must_use]
    pub(crate) fn or(self, next: Self) -> Self {
        Self {
            theme: self.theme.or(next.theme),
            keys: self.keys.or(next.keys),
            filters: self.filters.or(next.filters),
            main_arguments: self.main_arguments.or(next.main_arguments),
            dialects: self.dialects.or(next.dialects),
            start_prefix: self.start_prefix.or(next.start_prefix),
            end_prefix: self.end_prefix.or(next.end_prefix),
            arg_prefix: self.arg_prefix.or(next.arg_prefix),
            wrap: self.wrap.or(next.wrap),
            mouse: self.mouse.or(next.mouse),
            linear: self.linear.or(next.linear),
            color: self.color.or(next.color),
            alert: self.alert.or(next.alert),
            alert_silence: self.alert_silence.or(next.alert_silence),
            redact: self.redact.or(next.redact),
            portable: self.portable.or(next.portable),
            prices: self.prices.or(next.prices),
        }
    }

    /// The named filters.
    pub fn saved_filters(&self) -> SavedFilters {
        SavedFilters::new(self.filters.clone().unwrap_or_default())
    }

    /// Patterns to redact in addition to the built-in ones, and texts to keep.
    ///
    /// # Errors
    /// A pattern is invalid. That cannot happen for a configuration file, which is refused with such a pattern.
    pub fn own_patterns(&self) -> anyhow::Result<OwnPatterns> {
        self.redact.as_ref().map_or_else(|| Ok(OwnPatterns::default()), RedactSettings::own_patterns)
    }

    fn read_options(&self) -> ReadOptions {
        ReadOptions {
            dialects: self.dialects.clone().unwrap_or_default(),
            start_prefix: self.start_prefix.clone(),
            end_prefix: self.end_prefix.clone(),
            arg_prefix: self.arg_prefix.clone(),
            prices: self.prices.clone(),
            ..ReadOptions::default()
        }
    }
}

/// Settings for reading and showing transcripts: flags, environment and configuration file together.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Dialects to read, their markers, and schemas.
    pub dialect: dialect::Options,
    /// Container format of the file.
    pub container: Container,
    /// Parsing options given as flags, which take precedence over the settings in a bundle.
    pub flags: ReadOptions,
    /// All other settings.
    pub config: Config,
    /// The configuration file, which need not exist unless it was named.
    pub file: Option<PathBuf>,
    /// Reasons why declarations of the user or the project were left out.
    pub warnings: Vec<String>,
}

impl Setup {
    /// Combines the flags `read` and `flags`, the environment, and the file `named` or the user's own.
    ///
    /// # Errors
    /// A configuration cannot be used, a name is unknown, or markers are ambiguous.
    pub fn new(read: ReadOptions, flags: Config, named: Option<&Path>) -> anyhow::Result<Self> {
        // Filters of the configuration may name these dialects.
        let Declarations { found, mut warnings } = Declarations::from_folders();
        let containers = DeclaredContainers::from_folders();
        warnings.extend(containers.warnings);
        let known = Known { dialects: &found, containers: &containers.found };
        let config = Config::in_effect(flags, named)?;
        let resolved = read.clone().or(config.read_options()).resolve(Path::new(""), known);
        let (container, mut dialect) = resolved.map_err(|error| {
            let own = Config::from_file(named).ok().and_then(|file| file.unusable_key(known));
            own.map_or(error, |(key, error)| Config::blamed(&error, named, &[key]))
        })?;
        if let Some(names) = &config.portable {
            let portable = Portable::between(names.iter().map(String::as_str));
            dialect.portable = Some(portable.map_err(|words| anyhow!("portable: {words}"))?);
        }
        let file = named.map(Path::to_path_buf).or_else(own_file);
        Ok(Self { dialect, container, flags: read, config, file, warnings })
    }

    /// The setup for a source: a bundle contains its own parsing options.
    ///
    /// # Errors
    /// The settings in the bundle cannot be used.
    pub fn for_source(&self, spec: &SourceSpec) -> anyhow::Result<Cow<'_, Self>> {
        let Some((container, mut dialect)) = bundle::options_of(spec, &self.flags)? else {
            return Ok(Cow::Borrowed(self));
        };
        dialect.prices.clone_from(&self.dialect.prices);
        Ok(Cow::Owned(Self { dialect, container, ..self.clone() }))
    }
}

/// The user's own configuration file, which need not exist.
fn own_file() -> Option<PathBuf> {
    places::own_settings().map(|folder| folder.join("config.yaml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_empty_or_hold_any_of_the_keys() {
        for (text, expected) in [
            ("", Config::default()),
            ("# nothing yet\n", Config::default()),
            (
                "theme: light\nwrap: false\n",
                Config { theme: Some("light".into()), wrap: Some(false), ..Config::default() },
            ),
            (
                "dialects: [gadget]\nstart_prefix: \"<<<TOOL:\"\ncolor: never\n",
                Config {
                    dialects: Some(vec!["gadget".into()]),
                    start_prefix: Some("<<<TOOL:".into()),
                    color: Some(ColorChoice::Never),
                    ..Config::default()
                },
            ),
        ] {
            assert_eq!(Config::from_yaml(text).expect("a fine file"), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_unknown_is_refused_by_name() {
        for (text, word) in [
            ("colour: never\n", "colour"),
            ("color: sometimes\n", "sometimes"),
            ("- theme\n", "found a list"),
            ("alert: shout\n", "shout"),
            ("alert_silence: -1\n", "-1"),
            ("redact: {pattern: {}}\n", "pattern"),
            ("redact: {keep: yes}\n", "expected a list"),
        ] {
            let error = Config::from_yaml(text).expect_err("a bad file").to_string();
            assert!(error.contains(word), "{text:?}: {error}");
        }
    }

    #[test]
    fn the_environment_is_read_by_name() {
        let environment = |pairs: &'static [(&str, &str)]| {
            Config::from_environment(|name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned()))
        };
        let color = |pairs| environment(pairs).expect("fine").color;
        assert_eq!(color(&[]), None);
        assert_eq!(color(&[("NO_COLOR", "")]), None);
        assert_eq!(color(&[("NO_COLOR", "1")]), Some(ColorChoice::Never));
        assert_eq!(color(&[("TERM", "dumb")]), Some(ColorChoice::Never));
        assert_eq!(color(&[("CLICOLOR", "0")]), Some(ColorChoice::Never));
        assert_eq!(color(&[("CLICOLOR", "1")]), None);
        assert_eq!(color(&[("FORCE_COLOR", "1"), ("TERM", "dumb")]), Some(ColorChoice::Always));
        assert_eq!(color(&[("CLICOLOR_FORCE", "1")]), Some(ColorChoice::Always));
        assert_eq!(color(&[("FORCE_COLOR", "0")]), Some(ColorChoice::Never));
        assert_eq!(color(&[("NO_COLOR", "1"), ("FORCE_COLOR", "1")]), Some(ColorChoice::Never));
        assert_eq!(color(&[("NO_COLOR", "1"), ("TRANSCOPE_COLOR", "always")]), Some(ColorChoice::Always));
        assert!(environment(&[("TRANSCOPE_COLOR", "pink")]).is_err());
        let read = environment(&[("TRANSCOPE_THEME", "light"), ("TRANSCOPE_DIALECT", "gadget,auto")]).expect("fine");
        assert_eq!(read.theme.as_deref(), Some("light"));
        assert_eq!(read.dialects, Some(vec!["gadget".into(), "auto".into()]));
    }

    #[test]
    fn what_comes_first_wins_key_by_key() {
        let settings =
            |theme: Option<&str>, wrap| Config { theme: theme.map(str::to_owned), wrap, ..Config::default() };
        assert_eq!(settings(Some("a"), None).or(settings(Some("b"), Some(true))), settings(Some("a"), Some(true)));
        assert_eq!(settings(None, None).or(settings(Some("b"), None)), settings(Some("b"), None));
    }
}
