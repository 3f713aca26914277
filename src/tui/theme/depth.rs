//! How many colours a terminal has, by what the environment says of it.
//!
//! The rules are those that other programs follow: `COLORTERM` and `TERM` (crate termprofile), and the levels of
//! `FORCE_COLOR` as Node and its terminals know them. Whether there are to be colours at all has been decided before
//! (`NO_COLOR`, `--color`). This file does not know any theme.

use std::collections::BTreeMap;

use termprofile::{DetectorSettings, NoTerminal, TermProfile, TermVars};

use crate::config::ColorChoice;

/// How many colours can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None: bold, underline and the like tell things apart.
    None,
    /// The sixteen of ANSI, whose shades the terminal chooses.
    Sixteen,
    /// The 256 colours of xterm.
    Indexed,
    /// Any colour of 24 bits.
    True,
}

impl Depth {
    /// What the terminal has that `variable` describes; `choice` forces colours or forbids them.
    pub fn detect(choice: ColorChoice, variable: impl Fn(&str) -> Option<String>) -> Self {
        let least = match (choice, variable("FORCE_COLOR").as_deref()) {
            (ColorChoice::Never, _) => return Self::None,
            (_, Some("2")) => Self::Indexed,
            (_, Some("3")) => Self::True,
            (ColorChoice::Always, _) => Self::Sixteen,
            (ColorChoice::Auto, _) => Self::None,
        };
        let term = variable("TERM").unwrap_or_default();
        let detected = match variable("COLORTERM").as_deref() {
            // The terminals of DEC had none, and what poses as one may print what it does not know.
            _ if term.is_empty() || term == "dumb" || is_dec(&term) => Self::None,
            // tmux translates for a terminal that has fewer; screen does not.
            Some("truecolor" | "24bit") if !term.starts_with("screen") || variable("TMUX").is_some() => Self::True,
            _ => Self::of_profile(profile(&variable)),
        };
        detected.max(least)
    }

    fn of_profile(profile: TermProfile) -> Self {
        match profile {
            TermProfile::NoTty | TermProfile::NoColor => Self::None,
            TermProfile::Ansi16 => Self::Sixteen,
            TermProfile::Ansi256 => Self::Indexed,
            TermProfile::TrueColor => Self::True,
        }
    }
}

/// `vt100`, `vt220-w`; not `vte`.
fn is_dec(term: &str) -> bool {
    term.strip_prefix("vt").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// What the variables say that describe a terminal. Those that override it have been heard.
fn profile(variable: &impl Fn(&str) -> Option<String>) -> TermProfile {
    let names = ["TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX"];
    let given: BTreeMap<&str, String> = names.into_iter().filter_map(|name| Some((name, variable(name)?))).collect();
    let given: BTreeMap<&str, &str> = given.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let settings = DetectorSettings::new().enable_tmux_info(false);
    let mut variables = TermVars::from_source(&given, &NoTerminal, settings);
    // Whoever asks draws on one.
    variables.meta.is_terminal = true;
    TermProfile::detect_with_vars(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_tells_how_many_colours_there_are() {
        use ColorChoice::{Always, Auto, Never};
        for (choice, variables, expected) in [
            (Auto, &[("TERM", "linux")][..], Depth::Sixteen),
            (Auto, &[("TERM", "xterm")], Depth::Sixteen),
            (Auto, &[("TERM", "vt100")], Depth::None),
            (Auto, &[("TERM", "vt220-w")], Depth::None),
            (Auto, &[("TERM", "dumb"), ("COLORTERM", "truecolor")], Depth::None),
            (Auto, &[], Depth::None),
            (Auto, &[("TERM", "xterm-256color")], Depth::Indexed),
            (Auto, &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Depth::True),
            (Auto, &[("TERM", "xterm-256color"), ("COLORTERM", "24bit")], Depth::True),
            (Auto, &[("TERM", "xterm-kitty")], Depth::True),
            (Auto, &[("TERM", "xterm-direct")], Depth::True),
            (Auto, &[("TERM", "tmux-256color"), ("TMUX", "x")], Depth::Indexed),
            (Auto, &[("TERM", "tmux-256color"), ("TMUX", "x"), ("COLORTERM", "truecolor")], Depth::True),
            (Auto, &[("TERM", "screen-256color"), ("TMUX", "x"), ("COLORTERM", "truecolor")], Depth::True),
            (Auto, &[("TERM", "screen.xterm-256color"), ("COLORTERM", "truecolor")], Depth::Indexed),
            (Auto, &[("TERM", "xterm"), ("FORCE_COLOR", "2")], Depth::Indexed),
            (Auto, &[("TERM", "xterm"), ("FORCE_COLOR", "3")], Depth::True),
            (Always, &[("TERM", "vt100")], Depth::Sixteen),
            (Always, &[("TERM", "xterm-256color")], Depth::Indexed),
            (Never, &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Depth::None),
        ] {
            let variable =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(Depth::detect(choice, variable), expected, "{choice:?} {variables:?}");
        }
    }
}
