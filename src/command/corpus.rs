//! What `index` and `stats` share: which files of a folder are meant, how they are read, and how far that has come.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;

use super::options::{CommonArgs, CorpusArgs};
use super::outcome::tell;
use super::transcript::{filter_of_command, setup};
use crate::config::{ReadOptions, Setup};
use crate::container::Container;
use crate::corpus::choice::FileChoice;
use crate::corpus::reader::FileReader;
use crate::corpus::since;
use crate::corpus::update::ReadProgress;
use crate::filter::Filter;
use crate::source::workers::usual_workers;
use crate::system::clock;
use crate::wording::count;

/// How the transcripts of a corpus are read.
pub(super) struct CorpusSettings {
    setup: Setup,
    filter: Option<Filter>,
    /// Which files and sessions are meant, by container and time.
    pub(super) choice: FileChoice,
    /// How many files are read at once.
    pub(super) workers: usize,
    /// Whether the command line says how transcripts are read.
    reads_otherwise: bool,
}

impl CorpusSettings {
    /// What the command line says.
    ///
    /// # Errors
    /// An unknown container, a filter that is none, a time that is none.
    pub(super) fn new(args: &CorpusArgs) -> Result<Self> {
        // Here this option chooses files. How each is read, its content decides.
        let read = ReadOptions { container: None, ..args.common.read.clone() };
        let reads_otherwise = read != ReadOptions::default();
        let setup = setup(&CommonArgs { read, ..args.common.clone() })?;
        let container = args.common.read.container.as_deref().map(Container::named).transpose().map_err(Error::msg)?;
        let since = args.since.as_deref().map(|words| since::parse(words, &clock::now().to_zoned(TimeZone::system())));
        let since = since.transpose().map_err(Error::msg).context("--since")?;
        let container = container.map(Container::name).filter(|name| *name != Container::default().name());
        Ok(Self {
            filter: filter_of_command(&args.filter, &setup)?,
            setup,
            choice: FileChoice { since, container },
            workers: args.jobs.map_or_else(usual_workers, NonZeroUsize::get),
            reads_otherwise,
        })
    }

    /// The same, as the corpus is read by.
    pub(super) fn reader(&self) -> FileReader<'_> {
        FileReader { setup: &self.setup, filter: self.filter.as_ref(), choice: &self.choice }
    }

    /// Whether only some of the files or of what is in them is meant, or the command line says how they are read.
    pub(super) fn chooses(&self) -> bool {
        self.filter.is_some() || self.choice.since.is_some() || self.choice.container.is_some() || self.reads_otherwise
    }
}

/// Reports calls that were left out since an earlier file has them as well.
pub(super) fn tell_copies(calls: usize) -> io::Result<()> {
    if calls == 0 {
        return Ok(());
    }
    tell(&format!("{} left out: copies, resumed and forked sessions are counted once", count(calls, "call")))
}

/// How far the reading of files has come, on the last line of a terminal.
pub(super) struct FileBar {
    bar: ProgressBar,
    begun: Instant,
}

/// How long a person waits without being told how far it has come.
const PATIENCE: Duration = Duration::from_millis(300);

impl FileBar {
    /// A bar on standard error; it shows nothing where that is no terminal, and where the work is soon done.
    pub(super) fn new() -> Self {
        let bar = ProgressBar::hidden();
        let style = "{wide_bar} {msg} · {binary_bytes} of {binary_total_bytes} · {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        Self { bar, begun: Instant::now() }
    }

    /// Shows what has been read, once a person has waited for [`PATIENCE`].
    pub(super) fn show(&self, progress: ReadProgress) {
        let ReadProgress { files: (files, of), bytes: (bytes, of_bytes) } = progress;
        self.bar.set_length(of_bytes);
        self.bar.set_position(bytes);
        self.bar.set_message(format!("{files} of {}", count(of, "file")));
        if self.bar.is_hidden() && self.begun.elapsed() > PATIENCE && io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for FileBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
