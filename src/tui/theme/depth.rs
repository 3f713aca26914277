//! How many colours a terminal has, by what the environment says of it.
//!
//! The rules are those that other programs follow: `COLORTERM` and `TERM` (crate termprofile), and the levels of
//! `FORCE_COLOR` as Node and its terminals know them. Whether there are to be colours at all has been decided before
//! (`NO_COLOR`, `--color`).

use std::collections::BTreeMap;

pub use termprofile::TermProfile as Depth;
use termprofile::{DetectorSettings, NoTerminal, TermVars};

use crate::config::ColorChoice;

/// How many colours the terminal has that `variable` describes; `choice` forces colours or forbids them.
pub fn detect(choice: ColorChoice, variable: impl Fn(&str) -> Option<String>) -> Depth {
    let least = match (choice, variable("FORCE_COLOR").as_deref()) {
        (ColorChoice::Never, _) => return Depth::NoColor,
        (_, Some("2")) => Depth::Ansi256,
        (_, Some("3")) => Depth::TrueColor,
        (ColorChoice::Always, _) => Depth::Ansi16,
        (ColorChoice::Auto, _) => Depth::NoColor,
    };
    let term = variable("TERM").unwrap_or_default();
    let detected = match variable("COLORTERM").as_deref() {
        // The terminals of DEC had none, and what poses as one may print what it does not know.
        _ if term.is_empty() || term == "dumb" || is_dec(&term) => Depth::NoColor,
        // tmux translates for a terminal that has fewer; screen does not.
        Some("truecolor" | "24bit") if !term.starts_with("screen") || variable("TMUX").is_some() => Depth::TrueColor,
        _ => described(&variable),
    };
    detected.max(least)
}

/// `vt100`, `vt220-w`; not `vte`.
fn is_dec(term: &str) -> bool {
    term.strip_prefix("vt").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// What the variables say that describe a terminal. Those that override it have been heard.
fn described(variable: &impl Fn(&str) -> Option<String>) -> Depth {
    let names = ["TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX"];
    let given: BTreeMap<&str, String> = names.into_iter().filter_map(|name| Some((name, variable(name)?))).collect();
    let given: BTreeMap<&str, &str> = given.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let settings = DetectorSettings::new().enable_tmux_info(false);
    let mut variables = TermVars::from_source(&given, &NoTerminal, settings);
    // Whoever asks draws on one.
    variables.meta.is_terminal = true;
    Depth::detect_with_vars(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_tells_how_many_colours_there_are() {
        use ColorChoice::{Always, Auto, Never};
        for (choice, variables, expected) in [
            (Auto, &[("TERM", "linux")][..], Depth::Ansi16),
            (Auto, &[("TERM", "xterm")], Depth::Ansi16),
            (Auto, &[("TERM", "vt100")], Depth::NoColor),
            (Auto, &[("TERM", "vt220-w")], Depth::NoColor),
            (Auto, &[("TERM", "dumb"), ("COLORTERM", "truecolor")], Depth::NoColor),
            (Auto, &[], Depth::NoColor),
            (Auto, &[("TERM", "xterm-256color")], Depth::Ansi256),
            (Auto, &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Depth::TrueColor),
            (Auto, &[("TERM", "xterm-256color"), ("COLORTERM", "24bit")], Depth::TrueColor),
            (Auto, &[("TERM", "xterm-kitty")], Depth::TrueColor),
            (Auto, &[("TERM", "xterm-direct")], Depth::TrueColor),
            (Auto, &[("TERM", "tmux-256color"), ("TMUX", "x")], Depth::Ansi256),
            (Auto, &[("TERM", "tmux-256color"), ("TMUX", "x"), ("COLORTERM", "truecolor")], Depth::TrueColor),
            (Auto, &[("TERM", "screen-256color"), ("TMUX", "x"), ("COLORTERM", "truecolor")], Depth::TrueColor),
            (Auto, &[("TERM", "screen.xterm-256color"), ("COLORTERM", "truecolor")], Depth::Ansi256),
            (Auto, &[("TERM", "xterm"), ("FORCE_COLOR", "2")], Depth::Ansi256),
            (Auto, &[("TERM", "xterm"), ("FORCE_COLOR", "3")], Depth::TrueColor),
            (Always, &[("TERM", "vt100")], Depth::Ansi16),
            (Always, &[("TERM", "xterm-256color")], Depth::Ansi256),
            (Never, &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Depth::NoColor),
        ] {
            let variable =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(detect(choice, variable), expected, "{choice:?} {variables:?}");
        }
    }
}
