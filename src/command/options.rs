//! Options that several commands share.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::part::PartArgs;
use crate::config::alerts::AlertMethods;
use crate::config::{ColorChoice, ReadOptions};
use crate::location::Location;

/// Default line width of the text format, in columns.
pub const TEXT_WIDTH: usize = 80;

/// Columns of the terminal on standard output; `None` if it is not a terminal or does not report its width.
pub fn window_columns() -> Option<usize> {
    let stdout = io::stdout();
    let columns = stdout.is_terminal().then(|| rustix::termios::tcgetwinsize(stdout).ok()).flatten()?.ws_col;
    (columns > 0).then_some(usize::from(columns))
}

/// Options of the terminal UI.
#[derive(Debug, Args)]
pub struct OpenArgs {
    /// Transcripts or directories; - is standard input [default: standard input if it is a pipe, else the recorded sessions or the demo transcript]
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
    /// Moves a leading `+LINE` or `+/PATTERN` of the paths into `at`, as in vim and less. A file with such a name is
    /// written `./+3`.
    pub fn take_location(&mut self) {
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
    /// Alert while a text is followed: when and how, comma-separated
    ///
    /// When: problems (a new error, a failed or unanswered call; the default), unanswered>60s (a call without a result for
    /// this long), silence>5m, end (with its status), or a filter such as 'failed or rejected'. How: bell (the default),
    /// title, notify or command=CMD. The option may be repeated.
    ///
    /// title sets the title of the terminal's window until transcope ends. notify sends a notification through the
    /// terminal (OSC 9, or OSC 777 where the terminal is known to support it). CMD is run by the shell with
    /// `TRANSCOPE_ALERT` (problem, unanswered, silence, end or match), `TRANSCOPE_FILE`, `TRANSCOPE_LINE`,
    /// `TRANSCOPE_CODE`, `TRANSCOPE_MESSAGE` and `TRANSCOPE_COUNT` in its environment. CMD may contain commas, so command=
    /// comes last.
    #[arg(long, value_name = "WHEN,HOW", help_heading = "Alerts")]
    pub alert: Vec<AlertMethods>,
    /// Also alert when nothing has arrived for this many seconds [rings the bell unless --alert is given]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Alerts")]
    pub alert_silence: Option<u32>,
}

impl AlertArgs {
    /// All `--alert` options merged into one.
    pub fn means(&self) -> Option<AlertMethods> {
        AlertMethods::merged(self.alert.iter().cloned())
    }
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

/// The options of commands that print a part of a transcript.
#[derive(Clone, Debug, Default, Args)]
pub struct FilterArgs {
    /// Only what this expression selects, such as failed or 'tool:Bash arg:command~test'; transcope grep --help has all
    #[arg(long, value_name = "EXPR")]
    pub filter: Option<String>,
    /// Which turns and times of a session.
    #[command(flatten)]
    pub part: PartArgs,
}

impl FilterArgs {
    /// All options as one expression; `None` without any.
    ///
    /// # Errors
    /// The turns or a time are not written as they must be.
    pub fn expression(&self) -> anyhow::Result<Option<String>> {
        self.part.joined(self.filter.as_deref())
    }
}

/// Which transcripts of a folder are meant, and how many of them are read at the same time.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("container", |arg| arg.help("Only files in this container format [default: all]")))]
pub struct CorpusArgs {
    /// Transcripts, or folders that are searched to any depth
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only sessions with messages since then: 2026-11-22, 2026-11-22T10:00, 7d, 36h
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Which calls and problems count; all of them without an expression.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Number of files to read in parallel [default: one for each processor]
    #[arg(short = 'j', long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// How to read them.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Dialects in addition to the program's.
#[derive(Clone, Debug, Default, Args)]
pub struct DeclaredArgs {
    /// Take in the dialect that this YAML file declares; repeatable
    #[arg(long = "dialect-file", value_name = "FILE")]
    pub dialect_files: Vec<PathBuf>,
}

impl DeclaredArgs {
    /// Common options for a command that reads no transcript.
    pub fn common(&self, color: Option<ColorChoice>) -> CommonArgs {
        let read = ReadOptions { dialect_files: self.dialect_files.clone(), ..ReadOptions::default() };
        CommonArgs { read, color, ..CommonArgs::default() }
    }
}
