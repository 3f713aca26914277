//! `help`: prints the help of a command, or a page of the guide.
//!
//! No page has the name of a command.

use std::io::Write;

use anyhow::{anyhow, bail};
use clap::{Args, Command};

use crate::guide::{PAGES, markdown};

use super::options::{TEXT_WIDTH, window_columns};
use super::outcome::{ExitStatus, nearest};

/// Print the help of a command, or a page of the guide
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope help
  transcope help keys
  transcope help template check")]
pub struct HelpArgs {
    /// Command with its subcommand, or topic; omit it to list all
    #[arg(value_name = "TOPIC")]
    words: Vec<String>,
}

/// Columns of a page: longer lines are hard to read.
const MAX_WIDTH: usize = 100;

/// Runs `transcope help`.
///
/// # Errors
/// There is neither such a command nor such a topic.
pub fn run<W: Write>(args: &HelpArgs, out: &mut W, description: &Command) -> anyhow::Result<ExitStatus> {
    let mut command = description.clone();
    command.build();
    let Some(first) = args.words.first() else {
        list(out, &command)?;
        return Ok(ExitStatus::Success);
    };
    if command.find_subcommand(first).is_some() {
        let mut found = command;
        for word in &args.words {
            let name = found.get_name().to_owned();
            let inner = found.find_subcommand(word).cloned();
            found = inner.ok_or_else(|| anyhow!("{name} has no subcommand {word:?}; try transcope {name} --help"))?;
        }
        write!(out, "{}", found.render_long_help())?;
        return Ok(ExitStatus::Success);
    }
    let Some(topic) = PAGES.iter().find(|topic| topic.name == first) else {
        let names = command.get_subcommands().map(Command::get_name).chain(PAGES.iter().map(|topic| topic.name));
        let near = nearest(first, names).join(", ");
        let remedy =
            if near.is_empty() { "transcope help lists all".to_owned() } else { format!("did you mean {near}?") };
        bail!("no command or topic {first:?}; {remedy}");
    };
    let width = window_columns().unwrap_or(TEXT_WIDTH).min(MAX_WIDTH);
    for line in markdown::lines(topic.text, width) {
        writeln!(out, "{}", line.text)?;
    }
    Ok(ExitStatus::Success)
}

/// Lists the commands and the topics, each with a line.
fn list<W: Write>(out: &mut W, command: &Command) -> anyhow::Result<()> {
    writeln!(out, "Commands (transcope help COMMAND):\n")?;
    for command in command.get_subcommands() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(out, "  {:14} {about}", command.get_name())?;
    }
    writeln!(out, "\nTopics (transcope help TOPIC):\n")?;
    for topic in PAGES {
        writeln!(out, "  {:15} {}", topic.name, topic.title())?;
    }
    writeln!(out, "\nOptions: transcope --help. Keys: ? on the screen.")?;
    Ok(())
}
