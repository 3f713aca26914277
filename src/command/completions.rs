//! `completions`: prints a completion script, generated from the description of the command line.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;

use super::outcome::ExitStatus;

/// Print a shell completion script
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Runs `transcope completions`; `description` describes the whole command line.
pub fn run<W: Write>(args: &CompletionsArgs, out: &mut W, description: &clap::Command) -> anyhow::Result<ExitStatus> {
    // The generator panics when it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut description.clone(), "transcope", &mut script);
    out.write_all(&script)?;
    Ok(ExitStatus::Success)
}
