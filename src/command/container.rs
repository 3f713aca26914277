//! `container`: tests, shows and proposes declarations of containers.

mod proposal;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, Error};
use clap::{Args, Subcommand};

use super::check::{CheckFormat, CheckedText, Unread, report};
use super::options::CommonArgs;
use super::outcome::{ExitStatus, describe};
use super::transcript::setup;
use crate::cases::container_declaration;
use crate::config::{ColorChoice, ReadOptions, containers};
use crate::container::ContainerInfo;
use crate::export::baseline::ProblemDetails;
use crate::session::Session;
use crate::text::output::Output;
use crate::text::sanitize::visible_str;
use crate::wording::count;
use proposal::ContainerNewArgs;

/// Declare a container of your own: propose, test and show declarations
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope container show qwen-code                 print a declaration to start from
  transcope container new --from odd.jsonl -o mine.yaml
  transcope container check harbour.yaml
  transcope --container-file harbour.yaml log.jsonl

Files in $XDG_CONFIG_HOME/transcope/containers and in .transcope/containers of the working directory or
the nearest folder above it that has one, up to the repository's root or your home, are used without being
named. Of the same name the later one counts: the program's, yours, the project's, --container-file.")]
pub struct ContainerArgs {
    /// The subcommand that was requested.
    #[command(subcommand)]
    command: ContainerCommand,
}

/// The subcommands of `transcope container`, in the order of its help.
#[derive(Debug, Subcommand)]
enum ContainerCommand {
    /// Test declarations: their rules and their examples
    Check(ContainerCheckArgs),
    /// Print the declaration of a container
    Show(ContainerShowArgs),
    /// Propose a declaration from a log of an unknown program
    New(ContainerNewArgs),
}

/// Arguments and options of `transcope container check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope container check harbour.yaml
  transcope container check --format json harbour.yaml

Each example is read whole and byte by byte, and what is in it is counted. Exits with 1 if there is an
error.")]
struct ContainerCheckArgs {
    /// Declarations
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: CheckFormat,
    /// When to use colour [default: auto]
    #[arg(long, value_name = "WHEN")]
    color: Option<ColorChoice>,
}

/// Arguments and options of `transcope container show`.
#[derive(Debug, Args)]
struct ContainerShowArgs {
    /// Name of a container
    name: String,
    /// Take in the container that this YAML file declares; repeatable
    #[arg(long = "container-file", value_name = "FILE")]
    container_files: Vec<PathBuf>,
}

/// Runs `transcope container`. The status is `Findings` if a declaration has an error.
pub fn run<W: Write>(args: &ContainerArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    match &args.command {
        ContainerCommand::Check(args) => check(args, out),
        ContainerCommand::Show(args) => show(args, out),
        ContainerCommand::New(args) => proposal::run(args, out),
    }
}

fn check<W: Write>(args: &ContainerCheckArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let setup = setup(&CommonArgs { color: args.color, ..CommonArgs::default() })?;
    let (mut checked, mut unread) = (Vec::new(), Vec::new());
    for path in &args.files {
        let name = path.display().to_string();
        match containers::read_text(path).with_context(|| format!("could not read the container file {name}")) {
            Ok(yaml) => {
                let found = container_declaration::check(&yaml);
                let remark = found.container.map(|container| {
                    format!("{name}: container {}: {} read", container.name, count(found.texts, "example"))
                });
                let session = Session::with_problems(yaml.as_bytes(), &found.problems);
                checked.push(CheckedText { name, session, remark, details: ProblemDetails::new() });
            }
            Err(error) => unread.push(Unread { path: name, error: describe(&error) }),
        }
    }
    report(out, checked, &unread, args.format, setup.config.color.unwrap_or_default())
}

fn show<W: Write>(args: &ContainerShowArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let read = ReadOptions { container_files: args.container_files.clone(), ..ReadOptions::default() };
    let setup = setup(&CommonArgs { read, ..CommonArgs::default() })?;
    let named = setup.container.with_name(&args.name).map_err(Error::msg)?;
    let container = named.known().find(|about| about.name == named.name());
    if let Some(declaration) = container.and_then(ContainerInfo::declaration) {
        out.write_all(declaration.source.as_bytes())?;
        return Ok(ExitStatus::Success);
    }
    writeln!(out, "# {} is written in Rust and has no declaration.", named.name())?;
    if let Some(container) = container {
        writeln!(out, "# title: {}", visible_str(container.title))?;
    }
    Ok(ExitStatus::Success)
}
