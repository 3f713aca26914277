//! `man`: prints or writes manual pages, one for each command, generated from the description of the command line.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Args, Command};
use clap_mangen::Man;

use super::outcome::ExitStatus;
use super::values::{OptionValue, attached};

/// Print the manual page of the program, or of a command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope man check
  transcope man template render
  transcope man --out man1

--out writes a page for the program and one for each command: transcope.1, transcope-check.1 …, as a
package installs them in share/man/man1. To read one: man -l man1/transcope-check.1")]
pub struct ManArgs {
    /// Command with its subcommand; omit it for the page of the program
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    path: Vec<String>,
    /// Write all pages into this directory, which is created
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `transcope man`: prints the page of the program or of a command in `description`, or writes all pages. `keys` are
/// the actions of the terminal UI: name, keys and description of each; `themes` its themes.
///
/// # Errors
/// There is no such command, or a page cannot be written.
pub fn run<W: Write>(
    args: &ManArgs,
    out: &mut W,
    description: &Command,
    keys: &[[String; 3]],
    themes: &[OptionValue],
) -> anyhow::Result<ExitStatus> {
    let mut command = attached(description.clone(), &[], &|argument, kind| {
        let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
        match kind.listed(themes) {
            Some(listed) => argument.long_help(format!("{help}\n\nValues: {listed}")),
            None => argument,
        }
    });
    command.build();
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
        write_all(&command, keys, &mut |name, page| {
            let path = folder.join(format!("{name}.1"));
            fs::write(&path, page).with_context(|| format!("could not write {}", path.display()))
        })?;
        return Ok(ExitStatus::Success);
    }
    let mut found = &command;
    for word in &args.path {
        let inner = found.find_subcommand(word);
        let Some(inner) = inner else { bail!("{} has no subcommand {word:?}; try transcope help", found.get_name()) };
        found = inner;
    }
    page(found, keys, out)?;
    Ok(ExitStatus::Success)
}

/// Passes the page of a command and of each of its subcommands to `write`, with the page's name: `transcope-check`.
fn write_all(
    command: &Command,
    keys: &[[String; 3]],
    write: &mut dyn FnMut(&str, &[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut text = Vec::new();
    page(command, keys, &mut text)?;
    write(command.get_display_name().unwrap_or_else(|| command.get_name()), &text)?;
    command.get_subcommands().try_for_each(|inner| write_all(inner, keys, write))
}

/// Writes the page of a command; the program's page lists the actions, too.
fn page<W: Write>(command: &Command, keys: &[[String; 3]], out: &mut W) -> io::Result<()> {
    let is_program = command.get_name() == "transcope";
    let man = Man::new(command.clone()).source(format!("transcope {}", env!("CARGO_PKG_VERSION")));
    man.render_title(out)?;
    man.render_name_section(out)?;
    synopsis(command, out)?;
    man.render_description_section(out)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(out)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    if is_program {
        actions(keys, out)?;
    }
    remarks(command, out)?;
    if !is_program {
        writeln!(out, ".SH SEE ALSO\ntranscope(1)")?;
    }
    Ok(())
}

/// Maximum number of values that the synopsis names.
const FEW: usize = 6;

/// Writes the synopsis: each option with its values if they are few, else with the name of its value.
fn synopsis<W: Write>(command: &Command, out: &mut W) -> io::Result<()> {
    writeln!(out, ".SH SYNOPSIS\n.nh\n.ad l")?;
    let name = escaped(command.get_bin_name().unwrap_or_else(|| command.get_name()));
    writeln!(out, "\\fB{name}\\fR")?;
    let shown = || command.get_arguments().filter(|argument| !argument.is_hide_set());
    for option in shown().filter(|argument| !argument.is_positional()) {
        let short = option.get_short().map(|short| format!("-{short}"));
        let long = option.get_long().map(|long| format!("--{long}"));
        let names = [short, long].into_iter().flatten().collect::<Vec<_>>().join("|");
        let value = value_of(option).map(|value| match option.get_num_args() {
            Some(count) if count.min_values() == 0 && option.is_require_equals_set() => format!("[={value}]"),
            Some(count) if count.min_values() == 0 => format!(" [{value}]"),
            _ => format!(" {value}"),
        });
        let repeats = if matches!(option.get_action(), ArgAction::Append) { " …" } else { "" };
        let line = escaped(&format!("{names}{}{repeats}", value.unwrap_or_default()));
        // Not broken within an option.
        writeln!(out, "{}", if option.is_required_set() { unbroken(&line) } else { unbroken(&format!("[{line}]")) })?;
    }
    for positional in shown().filter(|argument| argument.is_positional()) {
        let value = value_of(positional).unwrap_or_else(|| positional.get_id().to_string().to_uppercase());
        let many = if positional.get_num_args().is_some_and(|count| count.max_values() > 1) { " …" } else { "" };
        let before = if positional.is_last_set() { "-- " } else { "" };
        let line = escaped(&format!("{before}{value}{many}"));
        writeln!(
            out,
            "{}",
            if positional.is_required_set() { unbroken(&line) } else { unbroken(&format!("[{line}]")) }
        )?;
    }
    if command.has_subcommands() {
        writeln!(out, ".br\n\\fB{name}\\fR COMMAND …")?;
    }
    writeln!(out, ".hy\n.ad b")
}

/// The values of an argument joined by `|`, or the name of its value; `None` if it takes none.
fn value_of(argument: &Arg) -> Option<String> {
    if !argument.get_action().takes_values() {
        return None;
    }
    let values = argument.get_possible_values();
    let names: Vec<&str> = values.iter().filter(|value| !value.is_hide_set()).map(PossibleValue::get_name).collect();
    if (1..=FEW).contains(&names.len()) {
        return Some(names.join("|"));
    }
    argument.get_value_names().map(|names| names.join(" "))
}

/// A text as roff prints it literally.
fn escaped(words: &str) -> String {
    words.replace('\\', "\\e").replace('-', "\\-").replace('.', "\\&.")
}

/// An escaped text on one line of the page.
fn unbroken(line: &str) -> String {
    line.replace(' ', "\\ ")
}

/// Writes the section with the action names used under `keys:` in the configuration.
fn actions<W: Write>(keys: &[[String; 3]], out: &mut W) -> io::Result<()> {
    writeln!(out, ".SH KEYS")?;
    writeln!(out, "keys: in config.yaml gives actions other keys, on every screen or on one; [] gives none:")?;
    writeln!(out, ".PP\n.nf")?;
    for line in ["keys:", "  quit: [Q]", "  search: [\"/\", ctrl-f]", "  sessions: { sort-order: [S] }"] {
        writeln!(out, "{}", escaped(line))?;
    }
    writeln!(
        out,
        ".fi\n.PP\nThe screens are transcript, sessions, comparison and runtimes. The actions, their keys, and what they do:"
    )?;
    for [name, keys, help] in keys {
        writeln!(out, ".TP\n{}   {}\n{}", escaped(name), escaped(keys), escaped(help))?;
    }
    Ok(())
}

/// Writes the text above and below the options in the help, such as examples, line by line.
fn remarks<W: Write>(command: &Command, out: &mut W) -> io::Result<()> {
    let texts: Vec<String> =
        command.get_before_help().into_iter().chain(command.get_after_help()).map(ToString::to_string).collect();
    if texts.is_empty() {
        return Ok(());
    }
    writeln!(out, ".nf")?;
    for line in texts.iter().flat_map(|text| text.lines()) {
        match line.strip_suffix(':') {
            Some(title) if !line.starts_with(' ') => writeln!(out, ".SH {}", title.to_uppercase())?,
            _ => writeln!(out, "{}", line.trim_start().replace('\\', "\\e").replace('-', "\\-"))?,
        }
    }
    writeln!(out, ".fi")
}
