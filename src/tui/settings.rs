//! Validates the settings of the screen and reports errors with their line in the configuration file.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use super::keymap::Keymap;
use super::theme::Theme;
use crate::config::Config;

/// Validates the settings that only the UI uses, so that errors are reported even if it does not open. `config` is the
/// configuration in effect, `file` the one that was named.
///
/// # Errors
/// A theme, an action or a key does not exist; the error has the line of the file.
pub fn check(config: &Config, file: Option<&Path>) -> Result<()> {
    if let Some(name) = &config.theme {
        let checked = Theme::check(name);
        let is_of_file = || Config::from_file(file).is_ok_and(|own| own.theme.as_ref() == Some(name));
        checked.map_err(|error| if is_of_file() { Config::blamed(&error, file, &["theme"]) } else { error })?;
    }
    chosen_keys(config, file).map(drop)
}

/// The key bindings of a configuration, if it has any.
pub(super) fn chosen_keys(config: &Config, file: Option<&Path>) -> Result<Option<Arc<Keymap>>> {
    config.keys.as_ref().map(Keymap::with).transpose().map_err(|error| {
        let words = error.to_string();
        let place: Vec<&str> = words.split(':').next().unwrap_or_default().split('.').collect();
        Config::blamed(&error, file, &place)
    })
}
