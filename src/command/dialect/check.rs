//! `dialect check`: tests declarations and reports their problems as `check` does.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use super::super::check::{CheckFormat, CheckedText, Unread, report};
use super::super::options::DeclaredArgs;
use super::super::outcome::{ExitStatus, describe};
use super::super::transcript::setup;
use crate::cases::declaration;
use crate::config::{ColorChoice, declarations};
use crate::export::baseline::ProblemDetails;
use crate::session::Session;
use crate::text::output::Output;
use crate::wording::count;

/// Arguments and options of `transcope dialect check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope dialect check mine.yaml
  transcope dialect check --format json mine.yaml

Each example is read whole, byte by byte and in random cuts, and its calls are written and read again.
Exits with 1 if there is an error; another dialect that reads the same text is a warning or a hint.")]
pub struct DialectCheckArgs {
    /// Declarations
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: CheckFormat,
    /// When to use colour [default: auto]
    #[arg(long, value_name = "WHEN")]
    color: Option<ColorChoice>,
    #[command(flatten)]
    declared: DeclaredArgs,
}

/// Runs `transcope dialect check` on all files. The status is `Findings` if one of them has an error.
pub fn run<W: Write>(args: &DialectCheckArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let setup = setup(&args.declared.common(args.color))?;
    let mut options = setup.dialect;
    let (mut texts, mut unread) = (Vec::new(), Vec::new());
    for path in &args.files {
        let name = path.display().to_string();
        match declarations::read_text(path).with_context(|| format!("could not read the dialect file {name}")) {
            Ok(yaml) => texts.push((name, yaml)),
            Err(error) => unread.push(Unread { path: name, error: describe(&error) }),
        }
    }
    // Declarations that are tested together also see each other.
    for (name, yaml) in &texts {
        if let Ok(declaration) = declarations::parse(name, yaml) {
            declarations::add(&mut options.declared, declaration);
        }
    }
    let mut checked = Vec::new();
    for (name, yaml) in texts {
        let found = declaration::check(&yaml, &options);
        let remark = found.declaration.map(|declaration| {
            let (texts, calls) = (count(found.texts, "text"), count(found.calls, "call"));
            format!("{name}: dialect {}: {calls} read in {texts}", declaration.info.name)
        });
        let session = Session::with_problems(yaml.as_bytes(), &found.problems);
        checked.push(CheckedText { name, session, remark, details: ProblemDetails::new() });
    }
    report(out, checked, &unread, args.format, setup.config.color.unwrap_or_default())
}
