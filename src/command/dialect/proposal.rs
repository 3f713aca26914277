//! `dialect new`: proposes a declaration for a text with calls of an unknown syntax, or for what a chat template writes.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::super::declaration_file;
use super::super::options::CommonArgs;
use super::super::outcome::{ExitStatus, print_to_stderr};
use super::super::transcript::{setup, source_of};
use super::template::{learned_dialect, print_outcome};
use crate::cases::declaration;
use crate::dialect::Options;
use crate::proposal::{self, Proposal};
use crate::session::Session;
use crate::source;
use crate::text::output::Output;
use crate::wording::count;

/// Arguments and options of `transcope dialect new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope dialect new --from-text odd.log
  transcope dialect new --from-text odd.log -o mine.yaml
  transcope dialect new --from-template chat.jinja -o mine.yaml

The text should hold two calls or more. What is proposed has been tried on it; it is a beginning, to be
completed by hand and tested with transcope dialect check. Of a template, turns of the model are rendered that
differ in one thing; the declaration is tried on the probes of transcope template, and the exit status is 1 if
it does not read all of them.")]
pub struct DialectNewArgs {
    /// A text with some calls; - is standard input
    #[arg(long, value_name = "FILE", required_unless_present = "from_template")]
    from_text: Option<PathBuf>,
    /// A chat template: .jinja, JSON of a tokenizer, GGUF, or a model's directory
    #[arg(long, value_name = "PATH", conflicts_with = "from_text")]
    from_template: Option<PathBuf>,
    /// Write the declaration to this new file instead of standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Name of the dialect
    #[arg(long, value_name = "NAME", default_value = "mine")]
    name: String,
}

/// Runs `transcope dialect new`. The status tells if anything was found.
pub fn run<W: Write>(args: &DialectNewArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    declaration_file::check_name(&args.name, &["auto"])?;
    let options = setup(&CommonArgs::default())?.dialect;
    if let Some(path) = &args.from_template {
        return from_template(path, args, &options, out);
    }
    let bytes = source::read_all(&source_of(args.from_text.as_deref()))?;
    let text = String::from_utf8_lossy(&bytes);
    if let Some(words) = known(&text, &options) {
        print_to_stderr(&words)?;
    }
    let Some(proposal) = proposal::propose(&text, &args.name) else {
        print_to_stderr(
            "no calls of an unknown syntax found: looked for a marker that recurs around a name, with JSON, key: value \
             lines or inner markers after it; write a declaration by hand, transcope dialect show hermes is an example",
        )?;
        return Ok(ExitStatus::Findings);
    };
    declaration_file::write(&proposal.yaml, args.output.as_deref(), out)?;
    let Proposal { calls, clean, tools, confidence, yaml } = &proposal;
    let tools = tools.join(", ");
    print_to_stderr(&format!(
        "reads {clean} of {} in this text ({tools}); {}",
        count(*calls, "call"),
        confidence.word()
    ))?;
    print_problems(yaml, &options)?;
    Ok(ExitStatus::Success)
}

/// Learns a declaration from a template, and writes it.
fn from_template<W: Write>(
    path: &Path,
    args: &DialectNewArgs,
    options: &Options,
    out: &mut Output<W>,
) -> anyhow::Result<ExitStatus> {
    let learned = match learned_dialect(path, &args.name)? {
        Ok(learned) => learned,
        Err(status) => return Ok(status),
    };
    declaration_file::write(&learned.yaml, args.output.as_deref(), out)?;
    print_outcome(&learned)?;
    print_problems(&learned.yaml, options)?;
    Ok(if learned.reads() == learned.probes.len() { ExitStatus::Success } else { ExitStatus::Findings })
}

/// Reports how many problems `dialect check` finds in a declaration, if any.
fn print_problems(yaml: &str, options: &Options) -> anyhow::Result<()> {
    let report = declaration::check(yaml, options);
    if !report.problems.is_empty() {
        print_to_stderr(&format!("transcope dialect check has {} to show", count(report.problems.len(), "problem")))?;
    }
    Ok(())
}

/// A note on the dialects that already read calls in the text; `None` if no dialect does.
fn known(text: &str, options: &Options) -> Option<String> {
    let session = Session::read(text.as_bytes(), options);
    let document = session.document();
    let names: Vec<&str> = document.dialects_seen().collect();
    let calls = count(document.calls().len(), "call");
    (!names.is_empty()).then(|| format!("note: {calls} in this text are already read by {}", names.join(", ")))
}
