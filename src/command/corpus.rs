//! Shared by `index` and `stats`: choosing the files of a folder, how they are read, and a progress bar.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;

use super::options::{CommonArgs, CorpusArgs};
use super::outcome::print_to_stderr;
use super::transcript::{filter_of_command, setup};
use crate::config::{ReadOptions, Setup};
use crate::container::Container;
use crate::corpus::choice::FileChoice;
use crate::corpus::reader::FileReader;
use crate::corpus::since;
use crate::corpus::update::ReadProgress;
use crate::filter::{Filter, MissingFacts};
use crate::source::workers::usual_workers;
use crate::system::clock;
use crate::text::sanitize::visible_str;
use crate::wording::count;

/// Settings for reading the transcripts of a corpus.
pub(super) struct CorpusSettings {
    setup: Setup,
    filter: Option<Filter>,
    /// The chosen files and sessions, by container and time.
    pub(super) choice: FileChoice,
    /// Number of files read in parallel.
    pub(super) workers: usize,
    /// True if options change how transcripts are parsed.
    reads_otherwise: bool,
}

impl CorpusSettings {
    /// The settings that the command line gives.
    ///
    /// # Errors
    /// An unknown container, an invalid filter or an invalid time.
    pub(super) fn new(args: &CorpusArgs) -> Result<Self> {
        // Here this option selects files; the content of each file decides how it is read.
        let read = ReadOptions { container: None, ..args.common.read.clone() };
        let reads_otherwise = read != ReadOptions::default();
        let setup = setup(&CommonArgs { read, ..args.common.clone() })?;
        let named = |name: &str| setup.container.with_name(name);
        let container = args.common.read.container.as_deref().map(named).transpose().map_err(Error::msg)?;
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

    /// A reader of files with these settings.
    pub(super) fn reader(&self) -> FileReader<'_> {
        FileReader { setup: &self.setup, filter: self.filter.as_ref(), choice: &self.choice }
    }

    /// True if options exclude files or items, or change how files are parsed.
    pub(super) fn chooses(&self) -> bool {
        self.filter.is_some() || self.choice.since.is_some() || self.choice.container.is_some() || self.reads_otherwise
    }
}

/// Reports the number of calls left out because an earlier file has them as well.
pub(super) fn tell_copies(calls: usize) -> io::Result<()> {
    if calls == 0 {
        return Ok(());
    }
    print_to_stderr(&format!("{} left out: copies, resumed and forked sessions are counted once", count(calls, "call")))
}

/// Reports the files that lack what the filter tests: turns or times.
pub(super) fn tell_missing(files: &[(Arc<str>, MissingFacts)]) -> io::Result<()> {
    for (facts, remedy) in [
        (MissingFacts::Turns, "leave out --turns and turn:, or name recorded sessions alone"),
        (MissingFacts::Times, "leave out --range, after: and before:, or name files with times alone"),
    ] {
        let mut names = files.iter().filter(|(_, missing)| *missing == facts).map(|(file, _)| visible_str(file));
        let Some(first) = names.next() else { continue };
        let more = match names.count() {
            0 => String::new(),
            more => format!(" (and {} more)", count(more, "file")),
        };
        print_to_stderr(&format!("nothing is counted in {first}{more}, which {}; {remedy}", facts.clause()))?;
    }
    Ok(())
}

/// A progress bar for reading files, on the last line of the terminal.
pub(super) struct FileBar {
    bar: ProgressBar,
    begun: Instant,
}

/// Time before progress is shown.
const PATIENCE: Duration = Duration::from_millis(300);

impl FileBar {
    /// A bar on standard error. It stays hidden if that is not a terminal, and while the work takes less than
    /// [`PATIENCE`].
    pub(super) fn new() -> Self {
        let bar = ProgressBar::hidden();
        let style = "{wide_bar} {msg} · {binary_bytes} of {binary_total_bytes} · {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        Self { bar, begun: Instant::now() }
    }

    /// Updates the bar and shows it after [`PATIENCE`].
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
