//! When and how to alert while text is followed. When: an error, a call that takes long, silence, the end, a filter.
//! How: the bell, the terminal's title, a notification, a command.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::filter::Filter;

/// When and how to alert, written `failed tool:Bash,unanswered>60s,bell,command=CMD`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct AlertMethods {
    /// True to ring the terminal's bell.
    pub bell: bool,
    /// True to set the terminal's title.
    pub title: bool,
    /// True to send a notification through the terminal.
    pub notify: bool,
    /// A command line to run in the shell.
    pub command: Option<String>,
    /// When to alert; without any condition, on problems.
    pub when: Conditions,
}

/// When to alert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// On a new error, a failed call, or a call that the conversation continued without.
    pub problems: bool,
    /// On a call that has had no result for this long.
    pub unanswered: Option<Duration>,
    /// When nothing has arrived for this long.
    pub silence: Option<Duration>,
    /// When nothing more arrives: the command has ended, or reading failed.
    pub end: bool,
    /// On items that match one of these valid filters.
    pub filters: Vec<String>,
}

impl AlertMethods {
    /// Merges several options; for times and commands the last one counts.
    pub fn merged(all: impl IntoIterator<Item = AlertMethods>) -> Option<AlertMethods> {
        all.into_iter().reduce(|mut sum, other| {
            sum.bell |= other.bell;
            sum.title |= other.title;
            sum.notify |= other.notify;
            sum.command = other.command.or(sum.command);
            sum.when.problems |= other.when.problems;
            sum.when.unanswered = other.when.unanswered.or(sum.when.unanswered);
            sum.when.silence = other.when.silence.or(sum.when.silence);
            sum.when.end |= other.when.end;
            sum.when.filters.extend(other.when.filters);
            sum
        })
    }

    /// Adds the defaults: problems if there is no condition, the bell if there is no means.
    #[must_use]
    pub fn or_default(mut self) -> AlertMethods {
        self.when.problems |= self.when == Conditions::default();
        self.bell |= !self.title && !self.notify && self.command.is_none();
        self
    }
}

impl FromStr for AlertMethods {
    type Err = anyhow::Error;

    /// Parses the comma-separated parts. A command takes the rest, since it may contain commas. So does a filter that
    /// is valid only together with the rest.
    fn from_str(text: &str) -> Result<Self> {
        let mut means = Self::default();
        let mut rest = text;
        loop {
            if let Some(command) = rest.strip_prefix("command=") {
                ensure!(!command.trim().is_empty(), "no command after command=");
                means.command = Some(command.to_owned());
                return Ok(means);
            }
            let (word, more) = rest.split_once(',').unwrap_or((rest, ""));
            match word.trim() {
                "bell" => means.bell = true,
                "title" => means.title = true,
                "notify" => means.notify = true,
                "problems" => means.when.problems = true,
                "end" => means.when.end = true,
                word if let Some((name @ ("unanswered" | "silence"), time)) = word.split_once('>') => {
                    let time = Some(time_of(time).with_context(|| {
                        format!("{name}> needs a time such as 60s, 5m or 1h, not {:?}", time.trim())
                    })?);
                    *(if name == "silence" { &mut means.when.silence } else { &mut means.when.unanswered }) = time;
                }
                word => match Filter::parse(word) {
                    Ok(filter) if filter.is_word() => bail!(
                        "unknown alert {word:?}; use bell, title, notify or command=CMD, and problems, unanswered>60s, \
                         silence>5m, end or a filter such as \"failed tool:Bash\""
                    ),
                    Ok(filter) => means.when.filters.push(filter.to_string()),
                    Err(_) if let Ok(filter) = Filter::parse(rest) => {
                        means.when.filters.push(filter.to_string());
                        return Ok(means);
                    }
                    Err(error) => bail!("unknown alert {word:?}: {error}"),
                },
            }
            if more.is_empty() {
                return Ok(means);
            }
            rest = more.trim_start();
        }
    }
}

/// Parses `60s`, `5m`, `1h`, or seconds without a unit; `None` for 0 and anything else.
fn time_of(text: &str) -> Option<Duration> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let seconds = match unit.trim() {
        "s" | "" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        _ => return None,
    };
    let number: u64 = number.parse().ok().filter(|number| (1..=u64::from(u32::MAX)).contains(number))?;
    Some(Duration::from_secs(number * seconds))
}

impl TryFrom<String> for AlertMethods {
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
        let means = |bell, notify, command: Option<&str>| AlertMethods {
            bell,
            notify,
            command: command.map(str::to_owned),
            ..AlertMethods::default()
        };
        for (text, expected) in [
            ("bell", means(true, false, None)),
            ("bell,notify", means(true, true, None)),
            ("notify, bell", means(true, true, None)),
            ("command=say 'a, b'", means(false, false, Some("say 'a, b'"))),
            ("bell,command=a,bell", means(true, false, Some("a,bell"))),
        ] {
            assert_eq!(text.parse::<AlertMethods>().expect(text), expected, "{text}");
        }
        for (text, word) in [
            ("", "\"\""),
            ("ring", "\"ring\""),
            ("bell,x", "\"x\""),
            ("command= ", "no command"),
            ("unanswered>", "unanswered> needs a time such as 60s, 5m or 1h, not \"\""),
            ("silence>0", "not \"0\""),
            ("silence>5 days", "not \"5 days\""),
            ("tolo:Bash", "unknown term"),
        ] {
            let error = format!("{:#}", text.parse::<AlertMethods>().expect_err(text));
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn conditions_are_parted_as_ways_are() {
        let minute = Duration::from_mins(1);
        let when = |problems, unanswered, silence, end, filters: &[&str]| {
            let filters = filters.iter().map(|&filter| filter.to_owned()).collect();
            Conditions { problems, unanswered, silence, end, filters }
        };
        for (text, expected) in [
            ("unanswered>60s", when(false, Some(minute), None, false, &[])),
            ("silence>5m, end", when(false, None, Some(5 * minute), true, &[])),
            ("silence>90,problems", when(true, None, Some(Duration::from_secs(90)), false, &[])),
            ("failed tool:Bash", when(false, None, None, false, &["failed tool:Bash"])),
            ("failed,bell,tool:Edit", when(false, None, None, false, &["failed", "tool:Edit"])),
            ("end,/a,b/", when(false, None, None, true, &["/a,b/"])),
        ] {
            let means: AlertMethods = text.parse().expect(text);
            assert_eq!(means.when, expected, "{text}");
            assert!(means.or_default().bell, "{text}");
        }
        let both = ["end,notify", "failed"].map(|text| text.parse::<AlertMethods>().expect(text));
        let both = AlertMethods::merged(both).expect("two").or_default();
        assert_eq!((both.bell, both.notify, both.when), (false, true, when(false, None, None, true, &["failed"])));
        assert!(AlertMethods { notify: true, ..AlertMethods::default() }.or_default().when.problems);
    }
}
