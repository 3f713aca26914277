//! Findings of `doctor` about the screen: the abilities of the terminal, and the settings and themes that the screen uses.

use super::clipboard;
use super::settings;
use super::terminal::background::Background;
use super::terminal::query::{self, TerminalAnswers, WIDTH_PROBES};
use super::theme::depth::{self, Depth};
use super::theme::list;
use crate::config::{Config, ReadOptions, Setup, places};
use crate::export::findings::{Finding, FindingState};
use crate::text::wrap::display_width;
use crate::wording::count;

/// Columns and rows that all panes need; below, one pane is shown at a time.
const ROOMY: (u16, u16) = (80, 24);

/// The attribute of DA1 for a clipboard that programs can write to.
const CLIPBOARD: u16 = 52;

/// Examines the terminal on standard output, which takes a second if it answers no query.
pub fn terminal() -> Vec<Finding> {
    let config = Config::in_effect(Config::default(), None).unwrap_or_default();
    let term = std::env::var("TERM").ok();
    let asked = query::ask(term.as_deref());
    let size = asked.is_ok().then(|| crossterm::terminal::size().ok()).flatten();
    let surroundings = Surroundings { size, tool: clipboard::tool(), config: &config };
    abilities(&asked, &surroundings, &|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Examines the settings file, which screen and commands use, and the user's themes.
pub fn settings() -> Vec<Finding> {
    let mut findings = Vec::new();
    let path = places::own_settings().map(|folder| folder.join("config.yaml"));
    let name = path.as_ref().map(|path| places::name_of(path)).unwrap_or_default();
    let full = path.as_ref().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let used = Setup::new(ReadOptions::default(), Config::default(), None)
        .and_then(|setup| settings::check(&setup.config, None));
    findings.push(match used {
        Err(error) => Finding::new("settings", FindingState::Invalid, format!("{error:#}")).at(full),
        Ok(()) if path.is_some_and(|path| path.exists()) => Finding::new("settings", FindingState::Ok, name).at(full),
        Ok(()) => Finding::new("settings", FindingState::Absent, format!("no {name}: defaults")).at(full),
    });
    let own: Vec<_> = list::all().into_iter().filter_map(|theme| Some((theme.path.clone()?, theme))).collect();
    let broken = own.iter().filter(|(_, theme)| theme.theme.is_err());
    let broken: Vec<Finding> = broken
        .map(|(path, theme)| {
            let value = format!("{}: {}", places::name_of(path), theme.about());
            Finding::new("themes", FindingState::Invalid, value).at(path.to_string_lossy())
        })
        .collect();
    let usable = own.len() - broken.len();
    let folder = places::own_settings().map(|folder| folder.join("themes"));
    if let Some(folder) = folder.filter(|_| usable > 0 || broken.is_empty()) {
        let name = places::name_of(&folder);
        let finding = match usable {
            0 => Finding::new("themes", FindingState::Absent, format!("none of your own in {name}")),
            _ => Finding::new("themes", FindingState::Ok, format!("{} in {name}", count(usable, "theme"))),
        };
        findings.push(finding.at(folder.to_string_lossy()).counting(usable));
    }
    findings.extend(broken);
    findings
}

/// Facts about the terminal that it does not answer itself.
struct Surroundings<'a> {
    /// Columns and rows; `None` if standard output is not a terminal.
    size: Option<(u16, u16)>,
    /// The clipboard program of the system.
    tool: Option<&'static str>,
    config: &'a Config,
}

fn abilities(
    asked: &Result<TerminalAnswers, String>,
    surroundings: &Surroundings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let term = variable("TERM").unwrap_or_else(|| "not set".to_owned());
    let version = asked.as_ref().ok().and_then(|answers| answers.version.as_ref());
    let name = version.map_or_else(|| format!("TERM={term}"), |version| format!("{version}, TERM={term}"));
    let mut findings = vec![match surroundings.size {
        None => Finding::new("terminal", FindingState::Unknown, name),
        Some((columns, rows)) => {
            let is_roomy = columns >= ROOMY.0 && rows >= ROOMY.1;
            let state = if is_roomy { FindingState::Ok } else { FindingState::Limited };
            let finding = Finding::new("terminal", state, format!("{name}, {columns}×{rows}"));
            if is_roomy { finding } else { finding.advising("80 columns and 24 rows show several panes side by side") }
        }
    }];
    findings.push(colours(surroundings.config, variable));
    findings.push(locale(variable));
    if variable("TMUX").is_some() {
        findings.push(
            Finding::new("clipboard", FindingState::Ok, "by tmux, and by its terminal if that takes OSC 52")
                .advising("prefix ] pastes; for the clipboard: tmux set -g set-clipboard on"),
        );
    }
    match asked {
        Err(reason) => findings.push(Finding::new(
            "answers",
            FindingState::Unknown,
            format!("keys, clipboard, mouse, widths and background are unknown: {reason}"),
        )),
        Ok(answers) if answers.attributes.is_none() && !answers.has_kitty_keys => findings.push(Finding::new(
            "answers",
            FindingState::Unknown,
            "keys, clipboard, mouse, widths and background are unknown: the terminal did not answer within a second",
        )),
        Ok(answers) => findings.extend(answered(answers, surroundings, variable)),
    }
    findings
}

/// Findings from the answers of a terminal that answers.
fn answered(
    answers: &TerminalAnswers,
    surroundings: &Surroundings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_tmux = variable("TMUX").is_some();
    if !is_tmux {
        let has_clipboard = answers.attributes.as_ref().is_some_and(|attributes| attributes.contains(&CLIPBOARD));
        let tool = surroundings.tool.map_or_else(String::new, |tool| format!("; long texts by {tool}"));
        findings.push(if has_clipboard {
            Finding::new("clipboard", FindingState::Ok, format!("OSC 52{tool}"))
        } else {
            let value = format!("by OSC 52, which the terminal does not announce{tool}");
            Finding::new("clipboard", FindingState::Unknown, value)
                .advising("if a copy does not arrive, allow OSC 52 in the terminal's settings")
        });
    }
    findings.push(if answers.has_kitty_keys {
        Finding::new("keys", FindingState::Ok, "all distinct (kitty keyboard protocol)")
    } else {
        Finding::new("keys", FindingState::Limited, "ctrl-i is Tab, and Escape waits for a moment")
            .advising("a terminal with the kitty keyboard protocol tells them apart; no key needs it")
    });
    findings.push(match (surroundings.config.mouse, answers.has_mouse) {
        (Some(false), _) => Finding::new("mouse", FindingState::Absent, "left to the terminal by the settings"),
        (_, Some(true)) => Finding::new("mouse", FindingState::Ok, "clicks, drags and the wheel"),
        (_, Some(false)) => Finding::new("mouse", FindingState::Limited, "the terminal reports no mouse"),
        (_, None) => {
            let finding = Finding::new("mouse", FindingState::Unknown, "the terminal does not answer; try a click");
            if is_tmux { finding.advising("if clicks do not arrive: tmux set -g mouse on") } else { finding }
        }
    });
    findings.push(widths(&answers.widths));
    findings.push(match answers.background {
        Some(Background::Dark) => Finding::new("background", FindingState::Ok, "dark"),
        Some(Background::Light) => Finding::new("background", FindingState::Ok, "light"),
        None => Finding::new("background", FindingState::Unknown, "the terminal does not answer: dark is assumed")
            .advising("on a light background: theme: light in the settings, or --theme light"),
    });
    findings
}

fn colours(config: &Config, variable: &dyn Fn(&str) -> Option<String>) -> Finding {
    let depth = depth::detect(config.color.unwrap_or_default(), variable);
    match depth {
        Depth::TrueColor => Finding::new("colours", FindingState::Ok, "24-bit"),
        Depth::Ansi256 => Finding::new("colours", FindingState::Ok, "256; each theme uses the nearest")
            .advising("if the terminal has 24-bit colours: export COLORTERM=truecolor"),
        Depth::Ansi16 => Finding::new("colours", FindingState::Limited, "16")
            .advising("if the terminal has more: export TERM=xterm-256color"),
        Depth::NoColor | Depth::NoTty => {
            let reasons = ["TRANSCOPE_COLOR", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR"];
            let set = reasons.iter().find_map(|name| Some(format!("{name}={}", variable(name)?)));
            let term = || format!("TERM={}", variable("TERM").unwrap_or_default());
            Finding::new("colours", FindingState::Limited, format!("none, because of {}", set.unwrap_or_else(term)))
        }
    }
}

/// The encoding of text in the terminal. The program always writes UTF-8.
fn locale(variable: &dyn Fn(&str) -> Option<String>) -> Finding {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| Some((name, variable(name)?)));
    let Some((name, value)) = set else {
        return Finding::new("encoding", FindingState::Unknown, "LANG is not set; transcope writes UTF-8");
    };
    let folded = value.to_lowercase().replace('-', "");
    if folded.contains("utf8") {
        return Finding::new("encoding", FindingState::Ok, format!("UTF-8 ({name}={value})"));
    }
    Finding::new("encoding", FindingState::Limited, format!("{name}={value} is not UTF-8, which transcope writes"))
        .advising("export LANG=C.UTF-8, and a terminal that shows UTF-8")
}

/// Compares the columns that the terminal takes for a text with the ones that the screen reserves.
fn widths(measured: &[usize]) -> Finding {
    if measured.len() != WIDTH_PROBES.len() {
        return Finding::new("widths", FindingState::Unknown, "the terminal does not say where its cursor is");
    }
    let pairs =
        WIDTH_PROBES.iter().zip(measured).map(|(text, columns)| (text, *columns, display_width(text.as_bytes())));
    let different: Vec<String> = pairs
        .filter(|(_, columns, reserved)| columns != reserved)
        .map(|(text, columns, reserved)| format!("{text} takes {columns} and not {reserved}"))
        .collect();
    if different.is_empty() {
        return Finding::new("widths", FindingState::Ok, "accents, Chinese and emoji as transcope counts them");
    }
    Finding::new("widths", FindingState::Limited, format!("columns differ: {}", different.join(", ")))
        .advising("lines with such characters may be shifted; ctrl-l redraws the screen")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of each finding: its mark's state, its name and its value.
    fn rows(
        asked: &Result<TerminalAnswers, String>,
        size: Option<(u16, u16)>,
        variables: &[(&str, &str)],
    ) -> Vec<String> {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let config = Config::default();
        let findings = abilities(asked, &Surroundings { size, tool: None, config: &config }, &variable);
        findings.iter().map(|found| format!("{:?} {}: {}", found.state, found.name, found.value)).collect()
    }

    #[test]
    fn each_ability_is_found_from_answers_and_variables() {
        let full = TerminalAnswers {
            version: Some("kitty(0.35)".to_owned()),
            background: Some(Background::Light),
            has_kitty_keys: true,
            has_mouse: Some(true),
            attributes: Some(vec![62, CLIPBOARD]),
            widths: WIDTH_PROBES.map(|text| display_width(text.as_bytes())).to_vec(),
        };
        let plain =
            TerminalAnswers { attributes: Some(vec![6]), widths: vec![1, 2, 1, 4], ..TerminalAnswers::default() };
        let utf8 = ("LANG", "C.UTF-8");
        for (asked, size, variables, expected) in [
            (
                Ok(full),
                Some((120, 40)),
                &[("TERM", "xterm-kitty"), ("COLORTERM", "truecolor"), utf8][..],
                &[
                    "Ok terminal: kitty(0.35), TERM=xterm-kitty, 120×40",
                    "Ok colours: 24-bit",
                    "Ok encoding: UTF-8 (LANG=C.UTF-8)",
                    "Ok clipboard: OSC 52",
                    "Ok keys: all distinct (kitty keyboard protocol)",
                    "Ok mouse: clicks, drags and the wheel",
                    "Ok widths: accents, Chinese and emoji as transcope counts them",
                    "Ok background: light",
                ][..],
            ),
            (
                Ok(plain),
                Some((79, 24)),
                &[("TERM", "xterm"), ("LC_ALL", "C")],
                &[
                    "Limited terminal: TERM=xterm, 79×24",
                    "Limited colours: 16",
                    "Limited encoding: LC_ALL=C is not UTF-8, which transcope writes",
                    "Unknown clipboard: by OSC 52, which the terminal does not announce",
                    "Limited keys: ctrl-i is Tab, and Escape waits for a moment",
                    "Unknown mouse: the terminal does not answer; try a click",
                    "Limited widths: columns differ: ⚠\u{fe0f} takes 1 and not 2, 👩\u{200d}💻 takes 4 and not 2",
                    "Unknown background: the terminal does not answer: dark is assumed",
                ],
            ),
            (
                Err("standard output is not a terminal".to_owned()),
                None,
                &[("NO_COLOR", "1"), ("TERM", "dumb"), ("TMUX", "x")],
                &[
                    "Unknown terminal: TERM=dumb",
                    "Limited colours: none, because of NO_COLOR=1",
                    "Unknown encoding: LANG is not set; transcope writes UTF-8",
                    "Ok clipboard: by tmux, and by its terminal if that takes OSC 52",
                    "Unknown answers: keys, clipboard, mouse, widths and background are unknown: standard output is not a \
                     terminal",
                ],
            ),
        ] {
            assert_eq!(rows(&asked, size, variables), expected, "{variables:?}");
        }
    }
}
