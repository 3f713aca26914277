//! How a person wants to be alerted while text is followed: by a bell, a notification, a command.

use std::str::FromStr;

use anyhow::{Result, bail, ensure};
use serde::Deserialize;

/// The ways that are asked for, written `bell,notify,command=CMD`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Means {
    /// Whether to ring the terminal's bell.
    pub bell: bool,
    /// Whether the terminal sends a notification.
    pub notify: bool,
    /// A command line for the shell.
    pub command: Option<String>,
}

impl FromStr for Means {
    type Err = anyhow::Error;

    /// Reads the ways apart by commas. A command takes the rest, since it may hold commas itself.
    fn from_str(text: &str) -> Result<Self> {
        let mut means = Self::default();
        let mut rest = text;
        loop {
            if let Some(command) = rest.strip_prefix("command=") {
                ensure!(!command.trim().is_empty(), "there is no command after command=");
                means.command = Some(command.to_owned());
                return Ok(means);
            }
            let (word, more) = rest.split_once(',').unwrap_or((rest, ""));
            match word.trim() {
                "bell" => means.bell = true,
                "notify" => means.notify = true,
                other => bail!("unknown alert {other:?}; use bell, notify or command=CMD"),
            }
            if more.is_empty() {
                return Ok(means);
            }
            rest = more.trim_start();
        }
    }
}

impl TryFrom<String> for Means {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_parted_by_commas_and_a_command_takes_the_rest() {
        let means = |bell, notify, command: Option<&str>| Means { bell, notify, command: command.map(str::to_owned) };
        for (text, expected) in [
            ("bell", means(true, false, None)),
            ("bell,notify", means(true, true, None)),
            ("notify, bell", means(true, true, None)),
            ("command=say 'a, b'", means(false, false, Some("say 'a, b'"))),
            ("bell,command=a,bell", means(true, false, Some("a,bell"))),
        ] {
            assert_eq!(text.parse::<Means>().expect(text), expected, "{text}");
        }
        for (text, word) in [("", "\"\""), ("ring", "\"ring\""), ("bell,x", "\"x\""), ("command= ", "no command")] {
            let error = text.parse::<Means>().expect_err(text).to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
