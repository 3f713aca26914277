//! A command: its file, its line in the table of commands, a case and its line in the guide.

use super::change::{Change, Name};

/// Changes that add a command, which prints the number of calls of a transcript.
pub fn changes(name: &Name) -> Vec<Change> {
    vec![
        Change::Create { path: name.fill("src/command/MODULE.rs"), text: name.fill(FILE) },
        Change::Module { path: "src/command.rs", keyword: "mod", name: name.module() },
        Change::Insert {
            path: "src/command.rs",
            anchor: "    explain: Explain(",
            text: name.fill("    MODULE: PASCAL(PASCALArgs) with common;\n"),
        },
        Change::Insert {
            path: "tests/cli/commands.rs",
            anchor: "    (&[\"graph\"",
            text: name.fill("    (&[\"KEBAB\", \"good.txt\"], \"1 call\\n\"),\n"),
        },
        Change::Insert {
            path: "docs/commands.md",
            anchor: "transcope dialects  ",
            text: format!("{:43} # print the number of calls\n", name.fill("transcope KEBAB session.txt")),
        },
    ]
}

const FILE: &str = r#"//! `KEBAB`: prints the number of calls of a transcript.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::options::CommonArgs;
use super::outcome::ExitStatus;
use super::transcript::read_path;
use crate::wording::count;

/// Print the number of calls
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope KEBAB session.md")]
pub struct PASCALArgs {
    /// Transcript; - is standard input
    path: Option<PathBuf>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// Runs `transcope KEBAB` on a whole transcript.
pub fn run<W: Write>(args: &PASCALArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let (_, _, whole) = read_path(&args.common, args.path.as_deref())?;
    writeln!(out, "{}", count(whole.session.document().calls().len(), "call"))?;
    whole.outcome()
}
"#;
