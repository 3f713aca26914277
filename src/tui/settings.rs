//! Settings of the screen that cannot be used, with their places in the configuration file.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use super::keymap::Keymap;
use super::theme::Theme;
use crate::config::Config;

/// Checks the settings that only the UI uses, so that they are reported where none opens: `config` as it is in effect, and
/// the file that was named.
///
/// # Errors
/// A theme, an action or a key that does not exist, with the line of the file.
pub fn check(config: &Config, file: Option<&Path>) -> Result<()> {
    if let Some(name) = &config.theme {
        let checked = Theme::check(name);
        let is_of_file = || Config::from_file(file).is_ok_and(|own| own.theme.as_ref() == Some(name));
        checked.map_err(|error| if is_of_file() { Config::blamed(&error, file, &["theme"]) } else { error })?;
    }
    chosen_keys(config, file).map(drop)
}

/// The keys of a configuration, if it has any.
pub(super) fn chosen_keys(config: &Config, file: Option<&Path>) -> Result<Option<Arc<Keymap>>> {
    config.keys.as_ref().map(Keymap::with).transpose().map_err(|error| {
        let words = error.to_string();
        let place: Vec<&str> = words.split(':').next().unwrap_or_default().split('.').collect();
        Config::blamed(&error, file, &place)
    })
}
