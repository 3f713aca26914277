//! The command line as data: commands, options and the words of their help.
//!
//! To add an option, add a field; to add a command, a variant of [`Command`]. This module does nothing: what a command
//! does stands in `command`.

mod arguments;
mod bundle;
mod check;
mod convert;
mod corpus;
mod dialect;
mod diff;
mod export;
mod filter;
mod fix;
mod index;
mod lens;
mod stats;
mod test;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::config::alerts::Means;
use crate::config::{ColorChoice, ReadOptions};
use crate::location::Location;

pub use bundle::{BundleArgs, Purpose};
pub use check::{CheckArgs, CheckFormat};
pub use convert::{ConvertArgs, CostArgs, CostFormat};
pub use corpus::CorpusArgs;
pub use dialect::{
    DeclaredArgs, DialectArgs, DialectCheckArgs, DialectCommand, DialectNewArgs, DialectShowArgs, DialectsArgs,
    DialectsFormat,
};
pub use diff::{DiffArgs, DiffFormat, WithArgs};
pub use export::{ExportArgs, ExportFormat};
pub use filter::{FilterArgs, GrepArgs, GrepFormat};
pub use fix::FixArgs;
pub use index::{IndexArgs, IndexFormat};
pub use lens::{LensArgs, LensFormat};
pub use stats::{StatsArgs, StatsFormat};
pub use test::{TestArgs, TestFormat};

/// Default line width of the text format, in columns.
pub const TEXT_WIDTH: usize = 80;

/// What the help begins with.
const FIRST_EXAMPLES: &str = "\
Examples:
  transcope session.md          open a transcript (? shows the keys, q quits)
  agent | transcope             watch a model as it writes
  transcope check session.md    print the problems; exit with 1 if there is an error";

const EXAMPLES: &str = "\
More examples:
  transcope                            open the built-in demo transcript
  transcope --at 30:8 session.md       open a file at a line and column, as check prints them
  transcope -f session.md              open a file and follow what is appended
  transcope -F run/*.log               follow several files by name; [ and ] switch between them
  transcope ~/.claude/projects         list the sessions in a directory
  transcope --tee raw.txt -- agent     run a command, watch its output and save a copy of it
  transcope grep failed logs           find the calls that failed in all transcripts of a directory
  transcope stats ~/.claude/projects   print failure rates by tool, dialect, model, day and problem
  transcope --linear -f session.md     print plain lines as they become final
  transcope fix --diff session.md      print possible repairs as a diff
  transcope parse session.md | jq .    print everything the parser saw as JSON
  transcope explain duplicate-pointer  explain a problem

Files:
  $XDG_CONFIG_HOME/transcope/config.yaml
      theme, keys (transcope man lists the actions), dialects, start_prefix, end_prefix, arg_prefix,
      filters, main_arguments, wrap, mouse, linear, color, alert, alert_silence, redact, portable
  $XDG_CONFIG_HOME/transcope/themes/NAME.yaml
      a theme of your own; it may extend another one
  $XDG_CONFIG_HOME/transcope/dialects/NAME.yaml, .transcope/dialects/NAME.yaml
      dialects of your own and of a project; transcope dialect --help

Environment:
  TRANSCOPE_THEME, TRANSCOPE_COLOR, TRANSCOPE_DIALECT, TRANSCOPE_START_PREFIX,
  TRANSCOPE_END_PREFIX, TRANSCOPE_ARG_PREFIX, NO_COLOR, FORCE_COLOR, CLICOLOR,
  CLICOLOR_FORCE, COLORTERM, TERM
  GITHUB_ACTIONS, TF_BUILD, TEAMCITY_VERSION, CI
      what is printed to a log, or into a pipe, has a space in lines of a transcript that would be
      commands to that service, such as ::error or ##vso[; a file (> FILE) gets the exact bytes

Exit status:
  0  success
  1  check found an error, fix left one, diff found a difference, grep found none, or a case failed
  2  the command could not do its work
  With -- COMMAND, its exit status; 128 + N if signal N ended it";

/// Open or follow a language-model agent's transcript and see how the runtime reads its tool calls
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
    /// Names of the commands, in the order of the help.
    pub fn command_names() -> Vec<String> {
        Self::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
    }

    /// The options that every command with a transcript has, if this is one.
    pub fn common(&self) -> Option<&CommonArgs> {
        match &self.command {
            None => Some(&self.open.common),
            Some(Command::Parse(args)) => Some(&args.common),
            Some(Command::Bundle(args)) => Some(&args.common),
            Some(Command::Check(args)) => Some(&args.common),
            Some(Command::Convert(args)) => Some(&args.common),
            Some(Command::Cost(args)) => Some(&args.common),
            Some(Command::Diff(args)) => Some(&args.common),
            Some(Command::Export(args)) => Some(&args.common),
            Some(Command::Fix(args)) => Some(&args.common),
            Some(Command::Graph(args)) => Some(&args.common),
            Some(Command::Grep(args)) => Some(&args.common),
            Some(Command::Index(args)) => Some(&args.corpus.common),
            Some(Command::Lens(args)) => Some(&args.common),
            Some(Command::Replay(args)) => Some(&args.common),
            Some(Command::Stats(args)) => Some(&args.corpus.common),
            Some(
                Command::Test(_)
                | Command::Explain(_)
                | Command::Dialects(_)
                | Command::Dialect(_)
                | Command::Completions { .. }
                | Command::Man,
            ) => None,
        }
    }
}

/// The requested command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print everything the parser saw
    Parse(ParseArgs),
    /// Report problems; exit with 1 if there is an error
    Check(CheckArgs),
    /// Find the items that a filter selects; exit with 1 if there is none
    Grep(GrepArgs),
    /// Print failure rates by tool, dialect, model, day and kind of problem
    Stats(StatsArgs),
    /// Repair what can be repaired in a plain-text transcript; exit with 1 if an error remains
    Fix(FixArgs),
    /// Print a transcript with its calls rewritten in another dialect
    Convert(ConvertArgs),
    /// Compare what these calls would cost in each dialect, in bytes and estimated tokens
    Cost(CostArgs),
    /// Compare two transcripts call by call, or one transcript under two settings
    Diff(DiffArgs),
    /// Print how the runtimes read a message, parser by parser: vLLM, SGLang, llama.cpp and others
    Lens(LensArgs),
    /// Write the sessions, calls and problems of many transcripts as tables for query engines
    Index(IndexArgs),
    /// Write a report to share: HTML, Markdown or JSON
    Export(ExportArgs),
    /// Pack a redacted transcript with what is needed to read it, to share
    Bundle(BundleArgs),
    /// Print the dependency graph
    Graph(GraphArgs),
    /// Replay a transcript as if it were arriving
    Replay(ReplayArgs),
    /// Explain a problem, with a bad and a good example
    Explain(ExplainArgs),
    /// Run test cases: check that transcripts still parse as expected, however they are cut into chunks
    Test(TestArgs),
    /// List the dialects: how each is recognised, with an example
    Dialects(DialectsArgs),
    /// Declare a dialect of your own: propose, test and show declarations
    Dialect(DialectArgs),
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// Options of the terminal UI.
#[derive(Debug, Args)]
pub struct OpenArgs {
    /// Transcripts or directories; - is standard input [default: standard input if it is a pipe, else the demo transcript]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// A command to run, and the copy of what comes once.
    #[command(flatten)]
    pub stream: StreamArgs,
    /// Whether to wait for more.
    #[command(flatten)]
    pub following: FollowArgs,
    /// Which items to show; all of them without an expression.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Open the first transcript at LINE, LINE:COLUMN or +BYTE of the file, at the call with an id, or at the first
    /// problem with a code
    ///
    /// LINE:COLUMN is what check prints. As in vim and less, +LINE and +/PATTERN before a file do the same.
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["edit", "linear"])]
    pub at: Option<Location>,
    /// When and how to alert.
    #[command(flatten)]
    pub alerts: AlertArgs,
    /// Open a playground: write a transcript and watch how it parses [FILE is opened, or created when saved]
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["paths", "command", "follow", "follow_name"])]
    pub edit: Option<Option<PathBuf>>,
    /// How to read and show it.
    #[command(flatten)]
    pub common: CommonArgs,
    /// Print plain lines as they become final instead of opening the screen [the default where TERM is dumb]
    ///
    /// For screen readers, terminals that cannot draw, and logs: no borders, no colours, nothing is drawn again. What is
    /// in the transcript is indented; everything else begins its line with a word such as assistant:, tool NAME call:,
    /// result failed: or error.
    #[arg(long, help_heading = "Display", conflicts_with = "edit")]
    pub linear: bool,
    /// List the themes: name, description, and whether it is built in or the file that it comes from
    #[arg(long, help_heading = "Display", conflicts_with_all = ["paths", "command", "edit", "linear"])]
    pub list_themes: bool,
}

impl OpenArgs {
    /// `+LINE` and `+/PATTERN` before the paths are a place, as in vim and less; a file of that name is
    /// written `./+3`.
    fn take_place(&mut self) {
        let first = self.paths.first().and_then(|path| path.to_str()).and_then(|path| path.strip_prefix('+'));
        let is_place = |words: &&str| words.starts_with('/') || words.bytes().all(|byte| byte.is_ascii_digit());
        let location = first.filter(|words| !words.is_empty()).filter(is_place).and_then(|words| words.parse().ok());
        if self.at.is_none() && location.is_some() {
            self.at = location;
            self.paths.remove(0);
        }
    }
}

/// When and how to alert while a text is followed.
#[derive(Clone, Debug, Default, Args)]
pub struct AlertArgs {
    /// Alert on a new error, failed or unanswered call: bell, notify or command=CMD, comma-separated
    ///
    /// notify sends a notification through the terminal (OSC 9, or OSC 777 where the terminal is known to support it).
    /// CMD is run by the shell with `TRANSCOPE_ALERT` (problem or silence), `TRANSCOPE_FILE`, `TRANSCOPE_LINE`,
    /// `TRANSCOPE_CODE`, `TRANSCOPE_MESSAGE` and `TRANSCOPE_COUNT` in its environment. CMD may contain commas, so
    /// command= comes last.
    #[arg(long, value_name = "HOW", help_heading = "Alerts")]
    pub alert: Option<Means>,
    /// Also alert when nothing has arrived for this many seconds [rings the bell unless --alert is given]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Alerts")]
    pub alert_silence: Option<u32>,
}

/// Options that every command with a transcript has.
#[derive(Clone, Debug, Default, Args)]
pub struct CommonArgs {
    /// How to read and show it.
    #[command(flatten)]
    pub read: ReadOptions,
    /// Colour theme of the terminal UI: a name of --list-themes, or a file
    #[arg(long, value_name = "NAME", help_heading = "Display")]
    pub theme: Option<String>,
    /// When to use colour [default: auto]
    #[arg(long, value_name = "WHEN", help_heading = "Display")]
    pub color: Option<ColorChoice>,
    /// Leave the mouse to the terminal, for selecting text
    #[arg(long, help_heading = "Display")]
    pub no_mouse: bool,
    /// Use this configuration file instead of your own
    #[arg(long, value_name = "FILE", help_heading = "Display")]
    pub config: Option<PathBuf>,
}

/// A command to run, and the copy of what comes once.
#[derive(Clone, Debug, Default, Args)]
pub struct StreamArgs {
    /// Run this command and read its standard output
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// Save a byte-for-byte copy of piped input or command output to a new file
    #[arg(long, value_name = "FILE")]
    pub tee: Option<PathBuf>,
    /// Append to the --tee file if it exists
    #[arg(long, requires = "tee")]
    pub tee_append: bool,
}

/// Whether to wait for more.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct FollowArgs {
    /// Follow the file: keep reading what is appended
    #[arg(short = 'f', long)]
    pub follow: bool,
    /// Follow the name: like -f, but continue with a new file of the same name
    #[arg(short = 'F', conflicts_with = "follow")]
    pub follow_name: bool,
}

/// Arguments and options of `transcope parse`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope parse session.md | jq '.items[] | select(.type == \"call\") | .name'
  agent | transcope parse --format ndjson
  transcope parse --format events --tee raw.txt -- agent
  transcope parse --format text --width 100 session.md | less
  transcope parse --filter 'failed tool:Bash' session.jsonl

With --filter, json numbers the items in the order of printing, and a result's call and a problem's item are such numbers;
messages keep their own, and the graph covers the whole transcript. ndjson and events print an item as soon as
it is decided: with failed, a call is printed when its result arrives, and with skipped, open or a kind of
problem that depends on other calls, at the end.")]
pub struct ParseArgs {
    /// Transcript; - is standard input
    pub path: Option<PathBuf>,
    /// A command to run, and the copy of what comes once.
    #[command(flatten)]
    pub stream: StreamArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "json")]
    pub format: ParseFormat,
    /// Line width of the text format
    #[arg(long, value_name = "COLUMNS", default_value_t = TEXT_WIDTH)]
    pub width: usize,
    /// Which items to print; all of them without an expression.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Whether to wait for more.
    #[command(flatten)]
    pub following: FollowArgs,
    /// How to read and show it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Output formats of `transcope parse`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ParseFormat {
    /// One JSON object with everything
    Json,
    /// One JSON object per line for each item and problem, as soon as it is final
    Ndjson,
    /// The events of the AI SDK UI message stream, one JSON object per line
    Events,
    /// Plain text for people
    Text,
}

/// Arguments and options of `transcope graph`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope graph session.md
  transcope graph --format dot session.md | dot -Tsvg > graph.svg")]
pub struct GraphArgs {
    /// Transcript; - is standard input
    pub path: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: GraphFormat,
    /// How to read and show it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Output formats of `transcope graph`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// Wave by wave, one call per line
    Text,
    /// Graphviz DOT
    Dot,
    /// Mermaid flowchart
    Mermaid,
    /// One JSON object
    Json,
}

/// Arguments and options of `transcope replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope replay session.md
  transcope replay --speed 200 stream.sse
  transcope replay --speed 2000 --format events session.md")]
pub struct ReplayArgs {
    /// Transcript; - is standard input
    pub path: PathBuf,
    /// Bytes per second
    #[arg(long, value_name = "BYTES", default_value = "200", value_parser = clap::value_parser!(u32).range(1..))]
    pub speed: u32,
    /// Print records as they become final instead of opening the terminal UI
    #[arg(long, value_enum)]
    pub format: Option<ReplayFormat>,
    /// How to read and show it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Output formats of `transcope replay`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayFormat {
    /// One JSON object per line for each item and problem, as soon as it is final
    Ndjson,
    /// The events of the AI SDK UI message stream, one JSON object per line
    Events,
}

/// Arguments and options of `transcope explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Problem code; omit it to list all
    pub code: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
