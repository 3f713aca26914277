//! `test`: runs the cases of a folder and compares each with its expected result.
//!
//! With `--update` this is the only command that writes to files that were not named: the expected results next to the
//! cases.

use std::io::Write;
use std::path::PathBuf;

use anyhow::ensure;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::outcome::ExitStatus;
use crate::cases::folder::{self, CaseRun, TEXT};
use crate::cases::{CaseDiff, CaseOutcome, ExpectedOutcome};
use crate::export::diff::{sign, write_changes};
use crate::export::json_text::ObjectWriter;
use crate::export::record::SCHEMA_VERSION;
use crate::text::sanitize::visible_str;

/// Run test cases: check that transcripts still parse as expected, however they are cut into chunks
#[derive(Debug, Args)]
#[command(after_help = "\
A case is a transcript NAME.txt with its expected result, NAME.expected.json, next to it. The member options of the latter
may set dialects, examples, start_prefix, end_prefix, arg_prefix, schema (a file next to it), one_call_per_message and
container. Each case is parsed as a whole, byte by byte and in random chunks. In the terminal UI, S saves the current
transcript as a case.

Examples:
  transcope test prompts/cases --update   write the expected results, to be reviewed and committed
  transcope test prompts/cases
  transcope test --format json prompts/cases | jq '.cases[] | select(.passed | not)'

Exit status:
  0 all cases pass, 1 a case fails, 2 there are no cases, or one could not be read")]
pub struct TestArgs {
    /// Folder with the cases
    folder: PathBuf,
    /// Write the expected results of new and failing cases
    #[arg(long)]
    update: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: TestFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TestFormat {
    /// One line per case, its differences, and a summary
    Human,
    /// One JSON object
    Json,
}

/// Runs `transcope test`. The status is `Findings` if a case fails.
pub fn run<W: Write>(args: &TestArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let names = folder::names(&args.folder)?;
    let shown = args.folder.display();
    ensure!(!names.is_empty(), "there are no cases in {shown}: a case is a file whose name ends with {TEXT}");
    let mut results = Vec::new();
    for name in names {
        let ran = folder::run_named(&args.folder, &name, args.update)?;
        let result = CaseResult { name, ran };
        if args.format == TestFormat::Human {
            result.write(out)?;
        }
        results.push(result);
    }
    let passed = results.iter().filter(|result| result.passes()).count();
    let failed = results.len() - passed;
    match args.format {
        TestFormat::Human => {
            let updated = results.iter().filter(|result| result.ran.updated).count();
            let written = if updated == 0 { String::new() } else { format!(", {updated} written") };
            writeln!(out, "{passed} of {} passed{written}", results.len())?;
        }
        TestFormat::Json => {
            ObjectWriter::new(out)
                .member("schema_version", &SCHEMA_VERSION)?
                .list("cases", results.iter().map(CaseRecord::new))?
                .member("passed", &passed)?
                .member("failed", &failed)?
                .end()?;
        }
    }
    Ok(if failed == 0 { ExitStatus::Success } else { ExitStatus::Findings })
}

struct CaseResult {
    name: String,
    ran: CaseRun,
}

impl CaseResult {
    /// True if the result is the expected one or was just written, and does not depend on how the text is cut.
    fn passes(&self) -> bool {
        let known = !self.ran.is_new && self.ran.outcome.difference.is_none();
        (known || self.ran.updated) && self.ran.outcome.cuts.is_empty()
    }

    /// The outcome in one word.
    fn word(&self) -> &'static str {
        match self {
            _ if !self.ran.outcome.cuts.is_empty() => "cuts",
            Self { ran: CaseRun { updated: true, .. }, .. } => "written",
            Self { ran: CaseRun { is_new: true, .. }, .. } => "new",
            Self { ran: CaseRun { outcome: CaseOutcome { difference: Some(_), .. }, .. }, .. } => "FAILED",
            _ => "ok",
        }
    }

    fn write<W: Write>(&self, out: &mut W) -> anyhow::Result<()> {
        let name = visible_str(&self.name);
        match self.word() {
            "new" => writeln!(out, "FAILED  {name}: no expected result yet; --update writes it")?,
            "cuts" => writeln!(
                out,
                "FAILED  {name}: the result changes when it is cut: {}",
                self.ran.outcome.cuts.join(", ")
            )?,
            word => writeln!(out, "{word:<7} {name}")?,
        }
        if let (Some(difference), false) = (&self.ran.outcome.difference, self.ran.updated) {
            for row in &difference.rows {
                let name = |side: usize, call: Option<usize>| call.and_then(|call| difference.names[side].get(call));
                let name = name(0, row.left).or_else(|| name(1, row.right)).map_or("", String::as_str);
                writeln!(out, "{} {}", sign(row.kind()), visible_str(name))?;
                write_changes(out, row)?;
            }
            difference.missing.iter().try_for_each(|line| writeln!(out, "- {}", visible_str(line)))?;
            difference.unexpected.iter().try_for_each(|line| writeln!(out, "+ {}", visible_str(line)))?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct CaseRecord<'a> {
    name: &'a str,
    passed: bool,
    new: bool,
    updated: bool,
    /// The ways to cut the text that gave another result.
    cuts: &'a [String],
    missing: &'a [String],
    unexpected: &'a [String],
    found: &'a ExpectedOutcome,
}

impl<'a> CaseRecord<'a> {
    fn new(result: &'a CaseResult) -> Self {
        let difference = result.ran.outcome.difference.as_ref();
        let lines = |lines: fn(&CaseDiff) -> &[String]| difference.map(lines).unwrap_or_default();
        Self {
            name: &result.name,
            passed: result.passes(),
            new: result.ran.is_new,
            updated: result.ran.updated,
            cuts: &result.ran.outcome.cuts,
            missing: lines(|difference| &difference.missing),
            unexpected: lines(|difference| &difference.unexpected),
            found: &result.ran.outcome.found,
        }
    }
}
