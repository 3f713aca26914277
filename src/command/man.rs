//! `man`: prints the manual page, generated from the description of the command line.

use std::io::{self, Write};

use clap::{Args, Command};
use clap_mangen::Man;

use super::outcome::ExitStatus;

/// Print the manual page
#[derive(Debug, Args)]
pub struct ManArgs {}

/// Runs `transcope man`: prints the program's page, with a section for each command of `description`. `keys` are the
/// actions of the terminal UI: name, keys and description of each.
pub fn run<W: Write>(
    _args: &ManArgs,
    out: &mut W,
    description: &Command,
    keys: &[[String; 3]],
) -> anyhow::Result<ExitStatus> {
    let mut command = description.clone();
    command.build();
    let man = Man::new(command.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let name = sub.get_name().to_owned();
        writeln!(out, ".SH \"TRANSCOPE {}\"", name.to_uppercase())?;
        let man = Man::new(sub.clone());
        let mut section = Vec::new();
        man.render_description_section(&mut section)?;
        man.render_synopsis_section(&mut section)?;
        man.render_options_section(&mut section)?;
        remarks(sub, &mut section)?;
        out.write_all(String::from_utf8_lossy(&section).replace(".SH ", ".SS ").as_bytes())?;
    }
    actions(keys, out)?;
    remarks(&command, out)?;
    Ok(ExitStatus::Success)
}

/// Writes the section with the action names used under `keys:` in the configuration.
fn actions<W: Write>(keys: &[[String; 3]], out: &mut W) -> io::Result<()> {
    let escaped = |words: &str| words.replace('\\', "\\e").replace('-', "\\-").replace('.', "\\&.");
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
