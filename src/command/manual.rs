//! `completions` and `man`: what a packager installs beside the program.
//!
//! Both are made from the command line's own description. This module does not know any option.

use std::io::{self, Write};

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::Cli;

/// Prints the completion script for a shell.
pub fn completions<W: Write>(shell: Shell, out: &mut W) -> io::Result<()> {
    // The generator panics when it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "transcope", &mut script);
    out.write_all(&script)
}

/// Prints the manual page: the program's, with a section for each command.
pub fn page<W: Write>(out: &mut W) -> io::Result<()> {
    let mut command = Cli::command();
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
    remarks(&command, out)
}

/// What stands above and below the options in the help: examples and the like, line by line.
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
