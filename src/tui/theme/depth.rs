//! The colour depth of a terminal, detected from environment variables.
//!
//! The rules are common to many programs: `COLORTERM` and `TERM` (crate termprofile), and the levels of `FORCE_COLOR`
//! as in Node. The choice whether to use colours at all (`NO_COLOR`, `--color`) was made before.

use std::collections::BTreeMap;

pub use termprofile::TermProfile as Depth;
use termprofile::{DetectorSettings, NoTerminal, TermVars};

use crate::config::ColorChoice;

/// The colour depth of the terminal that `variable` describes; `choice` forces or forbids colours.
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
        // DEC terminals had no colours, and their emulators may print sequences that they do not know.
        _ if term.is_empty() || term == "dumb" || is_dec(&term) => Depth::NoColor,
        // tmux translates for a terminal with fewer colours; screen does not.
        Some("truecolor" | "24bit") if !term.starts_with("screen") || variable("TMUX").is_some() => Depth::TrueColor,
        _ => described(&variable),
    };
    detected.max(least)
}

/// True for `vt100` and `vt220-w`, but not for `vte`.
fn is_dec(term: &str) -> bool {
    term.strip_prefix("vt").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The depth according to the variables that describe a terminal; overriding variables were handled before.
fn described(variable: &impl Fn(&str) -> Option<String>) -> Depth {
    let names = ["TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX"];
    let given: BTreeMap<&str, String> = names.into_iter().filter_map(|name| Some((name, variable(name)?))).collect();
    let given: BTreeMap<&str, &str> = given.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let settings = DetectorSettings::new().enable_tmux_info(false);
    let mut variables = TermVars::from_source(&given, &NoTerminal, settings);
    // The caller draws on a terminal.
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
