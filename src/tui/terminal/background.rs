//! Asks the terminal whether it is dark or light.
//!
//! This file does not know what follows from the answer.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use terminal_colorsaurus::{QueryOptions, ThemeMode, theme_mode};

/// How long a terminal may take to say what its background is.
const BACKGROUND_TIMEOUT: Duration = Duration::from_millis(100);

/// What is behind the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// A dark colour.
    Dark,
    /// A light colour.
    Light,
    /// The terminal does not say, or does not say it in time.
    Unknown,
}

/// Asks the terminal for its background. To be called before the screen is entered, since the answer comes as input.
///
/// Waits for a tenth of a second at most, and not at all when standard output is no terminal.
pub fn background() -> Background {
    if !io::stdout().is_terminal() {
        return Background::Unknown;
    }
    let mut options = QueryOptions::default();
    options.timeout = BACKGROUND_TIMEOUT;
    match theme_mode(options) {
        Ok(ThemeMode::Dark) => Background::Dark,
        Ok(ThemeMode::Light) => Background::Light,
        Err(_) => Background::Unknown,
    }
}
