//! `diff`: prints the differences between two transcripts, or between two readings of one, or what one changes in files;
//! of two folders, a table of their runs.

mod files;
mod folders;

use std::io::Write;
use std::path::PathBuf;

use anyhow::ensure;
use clap::{Args, ValueEnum};

use super::archive;
use super::options::CommonArgs;
use super::outcome::ExitStatus;
use super::part::PartArgs;
use super::transcript::{name_of, new_session, read, setup, source_of};
use crate::compare::{ComparedText, Comparison};
use crate::config::{ReadOptions, Setup, examples, text_calls};
use crate::dialect::{Examples, TextCalls};
use crate::export::diff;
use crate::source::{Follow, SourceSpec};
use crate::text::output::Output;

/// Compare two transcripts call by call, or print what one changes in files as a patch
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope diff before.md after.md
  transcope diff --screen before.md after.md
  transcope diff --turns 1-3 before.jsonl after.jsonl
  transcope diff session.md --with-dialect gadget
  transcope diff session.md --with-examples prose --with-schema tools.json
  transcope diff --format json before.md after.md | jq '.rows[] | select(.kind != \"same\")'
  transcope diff session.jsonl > session.patch
  transcope diff --file src/clock.py session.jsonl
  transcope diff --turns 1 session.jsonl > turn-1.patch
  transcope diff old-prompt new-prompt

With one transcript and no other options of parsing, the changes that its calls make to files are printed as a patch for git
apply. A file whose whole text the session does not show is in it as a comment with the edits. --turns and --range print the
changes of this part: from the text before its first call to the text after its last.

Two folders, such as the same tasks under two prompts, are compared run by run. Files with the same path below their folder
are a pair, then files with the same first prompt. The table has a line for each pair, ~ if its calls differ, and the sum and
the median of each figure over all pairs; the last line tells in how many pairs the right run has less, and more. Columns
that do not fit in the terminal are left out; json and csv have all.

Exit status:
  0 no difference, 1 at least one, 2 a transcript could not be read")]
pub struct DiffArgs {
    /// Left transcript, or folder of runs; - is standard input
    left: PathBuf,
    /// Right transcript or folder [default: the left transcript, parsed with the --with options]
    right: Option<PathBuf>,
    /// Print the changes of this file alone: its path, or the end of it
    #[arg(long, value_name = "PATH", conflicts_with_all = ["right", "with", "screen"])]
    file: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: DiffFormat,
    /// Show both side by side in the terminal UI
    #[arg(long, conflicts_with = "format")]
    pub screen: bool,
    /// Which turns and times of each transcript.
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    with: WithArgs,
    /// How to read and show both.
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// Plain text for people
    Text,
    /// One JSON object
    Json,
    /// Comma-separated values with a header line, for two folders
    Csv,
}

/// [`ReadOptions`] of the right side, where they differ from the shared ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[group(id = "with", multiple = true)]
#[expect(clippy::struct_field_names, reason = "each is the name of its option")]
struct WithArgs {
    /// Read only calls in this dialect; repeatable
    #[arg(long, value_name = "NAME", help_heading = "Parsing the right side")]
    with_dialect: Vec<String>,
    /// Read also calls in the dialect that this YAML file declares; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Parsing the right side")]
    with_dialect_file: Vec<PathBuf>,
    /// Container format of the file
    #[arg(long, value_name = "NAME", help_heading = "Parsing the right side")]
    with_container: Option<String>,
    /// JSON file that maps tool names to the JSON Schemas of their parameters
    #[arg(long, value_name = "FILE", help_heading = "Parsing the right side")]
    with_schema: Option<PathBuf>,
    /// Read as this runtime does, or one of its parsers
    #[arg(long, value_name = "NAME", help_heading = "Parsing the right side")]
    with_runtime: Option<String>,
    /// What markers in code fences and quotations are
    #[arg(long, value_name = "WHAT", value_parser = examples(), help_heading = "Parsing the right side")]
    with_examples: Option<Examples>,
    /// Whether to search the model's text for calls
    #[arg(long, value_name = "WHEN", value_parser = text_calls(), help_heading = "Parsing the right side")]
    with_text_calls: Option<TextCalls>,
    /// Start marker of gadget blocks
    #[arg(long, value_name = "S", help_heading = "Parsing the right side", allow_hyphen_values = true)]
    with_start_prefix: Option<String>,
    /// End marker of gadget blocks
    #[arg(long, value_name = "S", help_heading = "Parsing the right side", allow_hyphen_values = true)]
    with_end_prefix: Option<String>,
    /// Argument marker of gadget blocks
    #[arg(long, value_name = "S", help_heading = "Parsing the right side", allow_hyphen_values = true)]
    with_arg_prefix: Option<String>,
    /// Report more than one triple-caret block in a message as an error
    #[arg(long, help_heading = "Parsing the right side")]
    with_one_call_per_message: bool,
}

impl WithArgs {
    /// The options of the right side: these, then the shared ones.
    fn over(self, both: &CommonArgs) -> CommonArgs {
        let read = ReadOptions {
            dialects: self.with_dialect,
            dialect_files: self.with_dialect_file,
            declarations: Vec::new(),
            container_files: Vec::new(),
            container_declarations: Vec::new(),
            container: self.with_container,
            schema: self.with_schema,
            prices: None,
            runtime: self.with_runtime,
            examples: self.with_examples,
            text_calls: self.with_text_calls,
            start_prefix: self.with_start_prefix,
            end_prefix: self.with_end_prefix,
            arg_prefix: self.with_arg_prefix,
            one_call_per_message: self.with_one_call_per_message,
        };
        CommonArgs { read: read.or(both.read.clone()), ..both.clone() }
    }
}

/// Runs `transcope diff`. The status is `Findings` if anything differs.
pub fn run<W: Write>(args: &DiffArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    ensure!(!args.screen, "--screen needs a terminal");
    if let Some(right) = args.right.as_deref().filter(|_| folders::are_folders(args)) {
        return folders::run(args, right, out);
    }
    ensure!(
        args.format != DiffFormat::Csv,
        "csv is a table of two folders; name two folders, or use --format text or json"
    );
    if args.right.is_none() && args.with == WithArgs::default() {
        return files::run(args, out);
    }
    let sides = sides(args)?;
    let [left, right] = sides.each_ref().map(ComparedText::side);
    let comparison =
        if args.right.is_some() { Comparison::of_transcripts(left, right) } else { Comparison::new(left, right) };
    match args.format {
        DiffFormat::Json => diff::write_json(out, &sides, &comparison)?,
        DiffFormat::Text | DiffFormat::Csv => diff::write_text(out, &sides, &comparison)?,
    }
    Ok(if comparison.is_equal() { ExitStatus::Success } else { ExitStatus::Findings })
}

/// Reads both sides: two transcripts, or one under two settings.
pub fn sides(args: &DiffArgs) -> anyhow::Result<[ComparedText; 2]> {
    ensure!(
        args.right.is_some() || args.with != WithArgs::default(),
        "--screen needs two transcripts, or a --with option; transcope diff FILE prints its changes to files"
    );
    ensure!(!folders::are_folders(args), "--screen compares two files; name a file of each folder");
    let (one, other) = (setup(&args.common)?, setup(&args.with.clone().over(&args.common))?);
    let spec = archive::one_in(source_of(Some(&args.left)))?;
    let right_spec = args.right.as_deref().map(|path| archive::one_in(source_of(Some(path)))).transpose()?;
    ensure!(
        !matches!((&spec, &right_spec), (SourceSpec::Stdin, Some(SourceSpec::Stdin))),
        "standard input can only be read once"
    );
    let whole = |setup: &Setup, spec: &SourceSpec| {
        let whole = read(setup, spec, Follow::No)?;
        whole.outcome().map(|_| whole.session)
    };
    let left = whole(&one, &spec)?;
    let right = match &right_spec {
        Some(spec) => whole(&other, spec)?,
        // A pipe cannot be read twice.
        None => left.read_into(new_session(&other)),
    };
    let right_name = name_of(right_spec.as_ref().unwrap_or(&spec));
    let (left_name, part) = (name_of(&spec), &args.part);
    let (of_left, of_right) = (part.of(&left_name, &left)?, part.of(&right_name, &right)?);
    Ok([
        ComparedText { name: left_name, session: left, options: one.dialect, part: of_left },
        ComparedText { name: right_name, session: right, options: other.dialect, part: of_right },
    ])
}
