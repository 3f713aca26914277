//! The command line as data: commands, options and the words of their help.
//!
//! To add an option, add a field; to add a command, a variant of [`Command`]. This module does nothing: what a command
//! does stands in `command`.

mod convert;
mod diff;
mod export;
mod fix;
mod test;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::config::ColorChoice;
use crate::config::alerts::Means;

pub use convert::{ConvertArgs, CostArgs, CostFormat};
pub use diff::{DiffArgs, DiffFormat, WithArgs};
pub use export::{ExportArgs, ExportFormat};
pub use fix::FixArgs;
pub use test::{TestArgs, TestFormat};

/// Columns of printed text unless others are asked for.
pub const TEXT_WIDTH: usize = 80;

/// What the help begins with.
const FIRST_EXAMPLES: &str = "\
Examples:
  transcope session.md          open a transcript (? shows the keys, q quits)
  agent | transcope             watch a model as it writes
  transcope check session.md    print the problems; exit with 1 if there is an error";

const EXAMPLES: &str = "\
More examples:
  transcope                            open the built-in demonstration
  transcope -f session.md              open a file and follow what is added
  transcope -F run/*.log               follow several by their names; [ and ] go between them
  transcope ~/.claude/projects         list the sessions in a directory, and open one
  transcope --tee raw.txt -- agent     run a command, watch what it writes, and save that as it comes
  transcope fix --diff session.md      what can be repaired, as a diff
  transcope parse session.md | jq .    everything the parser saw
  transcope explain duplicate-pointer  what a problem means

Files:
  $XDG_CONFIG_HOME/transcope/config.yaml
      theme, dialects, start_prefix, end_prefix, arg_prefix, wrap, mouse, color, alert, alert_silence

Environment:
  TRANSCOPE_THEME, TRANSCOPE_COLOR, TRANSCOPE_DIALECT, TRANSCOPE_START_PREFIX,
  TRANSCOPE_END_PREFIX, TRANSCOPE_ARG_PREFIX, NO_COLOR, FORCE_COLOR, CLICOLOR,
  CLICOLOR_FORCE, COLORTERM, TERM

Exit status:
  0 done, 1 check found an error, fix left one, diff a difference or test a case that fails, 2 the command could not do its work;
  behind -- COMMAND that of the command, 128 and its number for a signal";

/// Open or follow a language-model agent's transcript and see what the runtime makes of the tool calls in it
#[derive(Debug, Parser)]
#[command(
    name = "transcope",
    version,
    before_help = FIRST_EXAMPLES,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do; without it the terminal UI opens.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of the terminal UI.
    #[command(flatten)]
    pub open: OpenArgs,
}

impl Cli {
    /// Reads the arguments of the process.
    ///
    /// # Errors
    /// They cannot be used, or it is asked for help.
    pub fn from_process() -> Result<Self, clap::Error> {
        let cli = Self::try_parse()?;
        let mut command = Self::command();
        let misplaced = cli.open.paths.iter().find(|path| command.find_subcommand(path).is_some());
        match misplaced.map(|path| path.display().to_string()) {
            None => Ok(cli),
            Some(name) => {
                let words = format!("'{name}' cannot be used with arguments before it; write it first, or ./{name}");
                Err(command.error(ErrorKind::ArgumentConflict, words))
            }
        }
    }
}

impl Cli {
    /// Names of the commands.
    pub fn command_names() -> Vec<String> {
        Self::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
    }

    /// The options that every command with a transcript has, if this is one.
    pub fn common(&self) -> Option<&CommonArgs> {
        match &self.command {
            None => Some(&self.open.common),
            Some(Command::Parse(args)) => Some(&args.common),
            Some(Command::Check(args)) => Some(&args.common),
            Some(Command::Convert(args)) => Some(&args.common),
            Some(Command::Cost(args)) => Some(&args.common),
            Some(Command::Diff(args)) => Some(&args.common),
            Some(Command::Export(args)) => Some(&args.common),
            Some(Command::Fix(args)) => Some(&args.common),
            Some(Command::Graph(args)) => Some(&args.common),
            Some(Command::Replay(args)) => Some(&args.common),
            Some(
                Command::Test(_) | Command::Explain(_) | Command::Dialects | Command::Completions { .. } | Command::Man,
            ) => None,
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print everything the parser saw
    Parse(ParseArgs),
    /// Print the problems; exit with 1 if there is an error
    Check(CheckArgs),
    /// Print a plain text with what can be repaired in it repaired; exit with 1 if an error is left
    Fix(FixArgs),
    /// Print a transcript with its calls written in another dialect
    Convert(ConvertArgs),
    /// Print what the markup of each dialect would cost for these calls
    Cost(CostArgs),
    /// Print what differs between two transcripts, or between two readings of one
    Diff(DiffArgs),
    /// Write a report to share: a page, Markdown or JSON
    Export(ExportArgs),
    /// Print what waits for what
    Graph(GraphArgs),
    /// Show a transcript again as if it were arriving
    Replay(ReplayArgs),
    /// Say what a problem means, with a bad and a good example
    Explain(ExplainArgs),
    /// Read the cases of a folder at every cut and compare each with its expected result
    Test(TestArgs),
    /// List the dialects, how each is recognised, and one example each
    Dialects,
    /// Print a completion script for a shell
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// Options of the terminal UI.
#[derive(Debug, Args)]
pub struct OpenArgs {
    /// The transcripts, or directories of them; - is standard input [without any: a pipe is read, else the demonstration opens]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What may come once only.
    #[command(flatten)]
    pub stream: StreamArgs,
    /// Whether to wait for more.
    #[command(flatten)]
    pub following: FollowArgs,
    /// Whether to call the person.
    #[command(flatten)]
    pub alerts: AlertArgs,
    /// Open a playground: write a text and see at once what becomes of it, FILE being read and saved if it is given
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["paths", "command", "follow", "follow_name"])]
    pub edit: Option<Option<PathBuf>>,
    /// How to read it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Whether to call the person while text is followed.
#[derive(Clone, Debug, Default, Args)]
pub struct AlertArgs {
    /// Call when a followed text brings an error: bell, notify and command=CMD, apart by commas
    ///
    /// notify has the terminal notify (OSC 9, or OSC 777 where that is known to be right). CMD is run by the shell with
    /// the facts in `TRANSCOPE_ALERT` (problem or silence), `TRANSCOPE_FILE`, `TRANSCOPE_LINE`, `TRANSCOPE_CODE`,
    /// `TRANSCOPE_MESSAGE` and `TRANSCOPE_COUNT`; it takes the rest of HOW, so it comes last.
    #[arg(long, value_name = "HOW", help_heading = "Alerts")]
    pub alert: Option<Means>,
    /// Call when nothing has come for so many seconds, too [by bell, unless --alert says how]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Alerts")]
    pub alert_silence: Option<u32>,
}

/// What markers are in places where they are probably talked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExamplesChoice {
    /// Calls, as the runtime takes them, each with a warning.
    Calls,
    /// Prose.
    Prose,
}

/// Options that every command with a transcript has.
#[derive(Clone, Debug, Default, Args)]
pub struct CommonArgs {
    /// Read only calls in this dialect; repeatable [default: auto]
    #[arg(long = "dialect", alias = "tool-syntax", value_name = "NAME", help_heading = "Reading")]
    pub dialects: Vec<String>,
    /// What the file is around the text [default: auto]
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub container: Option<String>,
    /// JSON file from tool names to the JSON Schemas of their parameters
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub schema: Option<PathBuf>,
    /// What markers in code fences and quotations are [default: calls]
    #[arg(long, value_name = "WHAT", help_heading = "Reading")]
    pub examples: Option<ExamplesChoice>,
    /// Start marker of gadget blocks.
    #[arg(
        long,
        value_name = "S",
        help = "Start marker of gadget blocks [default: !!!GADGET_START:]",
        help_heading = "Reading",
        allow_hyphen_values = true
    )]
    pub start_prefix: Option<String>,
    /// End marker of gadget blocks.
    #[arg(
        long,
        value_name = "S",
        help = "End marker of gadget blocks [default: !!!GADGET_END]",
        help_heading = "Reading",
        allow_hyphen_values = true
    )]
    pub end_prefix: Option<String>,
    /// Argument marker of gadget blocks.
    #[arg(
        long,
        value_name = "S",
        help = "Argument marker of gadget blocks [default: !!!ARG:]",
        help_heading = "Reading",
        allow_hyphen_values = true
    )]
    pub arg_prefix: Option<String>,
    /// More than one triple-caret block in a message is an error
    #[arg(long, help_heading = "Reading")]
    pub one_call_per_message: bool,
    /// Colours of the terminal UI
    #[arg(long, value_name = "NAME", help_heading = "Showing")]
    pub theme: Option<String>,
    /// When to use colours [default: auto]
    #[arg(long, value_name = "WHEN", help_heading = "Showing")]
    pub color: Option<ColorChoice>,
    /// Leave the mouse to the terminal, which selects text with it
    #[arg(long, help_heading = "Showing")]
    pub no_mouse: bool,
    /// Read this configuration instead of your own
    #[arg(long, value_name = "FILE", help_heading = "Showing")]
    pub config: Option<PathBuf>,
}

/// What comes once: a command, and the copy of what comes.
#[derive(Clone, Debug, Default, Args)]
pub struct StreamArgs {
    /// Run this command and read what it writes to its standard output
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// Save what comes by a pipe or from the command, byte for byte, to a new file
    #[arg(long, value_name = "FILE")]
    pub tee: Option<PathBuf>,
    /// Add to the file of --tee where it exists
    #[arg(long, requires = "tee")]
    pub tee_append: bool,
}

/// Whether to wait for more.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct FollowArgs {
    /// Go on reading what is added to the file
    #[arg(short = 'f', long)]
    pub follow: bool,
    /// As -f, and go on with a new file of the same name
    #[arg(short = 'F', conflicts_with = "follow")]
    pub follow_name: bool,
}

/// Options of `parse`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope parse session.md | jq '.items[] | select(.type == \"call\") | .name'
  agent | transcope parse --format ndjson
  transcope parse --format events --tee raw.txt -- agent
  transcope parse --format text --width 100 session.md | less")]
pub struct ParseArgs {
    /// The transcript; - is standard input
    pub path: Option<PathBuf>,
    /// What may come once only.
    #[command(flatten)]
    pub stream: StreamArgs,
    /// What to print
    #[arg(long, value_enum, default_value = "json")]
    pub format: ParseFormat,
    /// Columns of the format text
    #[arg(long, value_name = "COLUMNS", default_value_t = TEXT_WIDTH)]
    pub width: usize,
    /// Whether to wait for more.
    #[command(flatten)]
    pub following: FollowArgs,
    /// How to read it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What `parse` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ParseFormat {
    /// One JSON object with everything
    Json,
    /// One JSON object a line for each item and each problem, as soon as it is final
    Ndjson,
    /// The events of the AI SDK UI message stream, one JSON object a line
    Events,
    /// What a person reads
    Text,
}

/// Options of `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope check session.md
  transcope check --deny warnings logs/*.txt
  transcope check --max near-miss-marker=0 --max odd-key=3 session.md
  transcope check --format sarif session.md > session.sarif")]
pub struct CheckArgs {
    /// The transcripts, or directories of them; - is standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value = "human")]
    pub format: CheckFormat,
    /// Exit with 1 for warnings as well
    #[arg(long, value_name = "WHAT")]
    pub deny: Option<Deny>,
    /// Let up to N problems of this kind pass, and exit with 1 for more; repeatable
    #[arg(long = "max", value_name = "CODE=N")]
    pub limits: Vec<String>,
    /// How to read them.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What `check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// Each problem with its lines
    Human,
    /// One JSON object
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
}

/// What counts as an error beside errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    /// Warnings
    Warnings,
}

/// Options of `graph`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope graph session.md
  transcope graph --format dot session.md | dot -Tsvg > graph.svg")]
pub struct GraphArgs {
    /// The transcript; - is standard input
    pub path: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    pub format: GraphFormat,
    /// How to read it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What `graph` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// Wave after wave, a call a line
    Text,
    /// A graph for Graphviz
    Dot,
    /// A flowchart for Mermaid
    Mermaid,
    /// One JSON object
    Json,
}

/// Options of `replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope replay session.md
  transcope replay --speed 200 stream.sse
  transcope replay --speed 2000 --format events session.md")]
pub struct ReplayArgs {
    /// The transcript; - is standard input
    pub path: PathBuf,
    /// Bytes in a second
    #[arg(long, value_name = "BYTES", default_value = "200", value_parser = clap::value_parser!(u32).range(1..))]
    pub speed: u32,
    /// Print what becomes final as it arrives, and open no screen
    #[arg(long, value_enum)]
    pub format: Option<ReplayFormat>,
    /// How to read it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What `replay` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayFormat {
    /// One JSON object a line for each item and each problem, as soon as it is final
    Ndjson,
    /// The events of the AI SDK UI message stream, one JSON object a line
    Events,
}

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code of a problem; without it all are listed
    pub code: Option<String>,
}

impl ValueEnum for ColorChoice {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.word()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
