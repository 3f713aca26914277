//! `container new`: proposes a declaration for a log of JSON records of an unknown program.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::super::declaration_file;
use super::super::outcome::{ExitStatus, print_to_stderr};
use super::super::transcript::source_of;
use crate::proposal::container::{ContainerProposal, Found, propose};
use crate::source;
use crate::text::output::Output;
use crate::text::sanitize::visible_str;
use crate::wording::count;

/// Arguments and options of `transcope container new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope container new --from odd.jsonl
  transcope container new --from odd.jsonl -o mine.yaml

The log has one JSON object a line, or is a list of objects. What is proposed has been tried on it; it is
a beginning, to be completed by hand and tested with transcope container check.")]
pub struct ContainerNewArgs {
    /// A log of JSON records; - is standard input
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// Write the declaration to this new file instead of standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Name of the container
    #[arg(long, value_name = "NAME", default_value = "mine")]
    name: String,
}

/// Runs `transcope container new`. The status tells if anything was found.
pub fn run<W: Write>(args: &ContainerNewArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    declaration_file::check_name(&args.name, &["auto", "plain"])?;
    let bytes = source::read_all(&source_of(Some(&args.from)))?;
    let Some(proposal) = propose(&String::from_utf8_lossy(&bytes), &args.name) else {
        print_to_stderr(
            "no declaration found: looked for JSON objects, one a line or in a list, with texts or calls in them; write \
             one by hand, transcope container show qwen-code is an example",
        )?;
        return Ok(ExitStatus::Findings);
    };
    declaration_file::write(&proposal.yaml, args.output.as_deref(), out)?;
    report(&proposal)?;
    Ok(ExitStatus::Success)
}

fn report(proposal: &ContainerProposal) -> anyhow::Result<()> {
    let Found { messages, times, calls, results, input, output, problems, .. } = proposal.found;
    let tokens = if input + output > 0 { format!("; {input} tokens in, {output} out") } else { String::new() };
    print_to_stderr(&format!(
        "from {}: reads {} ({times} with a time), {}, {}{tokens}",
        count(proposal.records, "record"),
        count(messages, "message"),
        count(calls, "call"),
        count(results, "result"),
    ))?;
    if problems > 0 {
        print_to_stderr(&format!("the log, read so, has {}", count(problems, "problem")))?;
    }
    for remark in &proposal.left_out {
        print_to_stderr(&visible_str(remark))?;
    }
    Ok(())
}
