//! Opens tabs: a source that is read into a transcript, or a directory whose sessions are listed.
//!
//! Each opened source or list has a number that its events refer to.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};

use crate::config::places::AgentPlaces;
use crate::config::{ReadOptions, Setup, agents, bundle, places};
use crate::container::Container;
use crate::corpus::choice::holds_transcript;
use crate::corpus::store::Store;
use crate::dialect;
use crate::session::Session;
use crate::source::command::Running;
use crate::source::workers::usual_workers;
use crate::source::{self, Follow, SourceOptions, SourceSpec, folder};
use crate::text::store::Paging;
use crate::wording::count;

use crate::tui::age::Calendar;
use crate::tui::cancel_guard::CancelGuard;
use crate::tui::corpus::CorpusPaths;
use crate::tui::discovery::finder::{Root, find_and_watch};
use crate::tui::discovery::indexer::{Indexer, Tell};
use crate::tui::events::{Arrival, Sender};
use crate::tui::screen::sessions::SessionsScreen;
use crate::tui::screen::statistics::StatisticsScreen;
use crate::tui::screen::transcript::Transcript;
use crate::tui::tabs::NewTab;
use crate::tui::view::origin::SourceState;
use crate::tui::view::origin::TextOrigin;

/// More of a followed file stays in memory, since a truncated file cannot be read again.
const FOLLOWED: Paging = Paging { recent: 8 << 20, page: 64 * 1024, kept: 64 };

/// Opens files, commands, pipes and directories.
pub(super) struct Opener {
    /// The queue to the loop.
    pub(super) sender: Sender,
    /// Options of dialects: which are read, and with which markers.
    pub(super) dialect: dialect::Options,
    /// The container of files; it may be detected.
    pub(super) container: Container,
    /// Parsing options given as flags, which take precedence over the settings in a bundle.
    pub(super) flags: ReadOptions,
    /// True if long raw lines are wrapped.
    pub(super) wrap: bool,
    /// How a file opened from a list is followed.
    pub(super) follow: Follow,
    /// Number of sources and lists opened.
    pub(super) opened: usize,
    /// Reads the files of lists; created with the first list.
    pub(super) indexer: Option<Indexer>,
    /// Settings for reading the files of statistics.
    pub(super) setup: Arc<Setup>,
}

impl Opener {
    /// Opens a source, or lists the directory at its path. Also returns the command, if it is one.
    pub(super) fn open(
        &mut self,
        spec: &SourceSpec,
        reading: SourceOptions,
    ) -> Result<(NewTab, Option<(String, Running)>)> {
        if let SourceSpec::File(path) = spec
            && source::is_folder(path)
        {
            let name = spec.name();
            ensure!(reading.tee.is_none(), "--tee saves piped input or the output of a command; {name} is a directory");
            if Store::open(path)?.is_some() {
                let folder = std::path::absolute(path).with_context(|| format!("could not find {name}"))?;
                let (title, paths) = (places::name_of(path), CorpusPaths::Index(folder));
                let screen = StatisticsScreen::new(paths, title, None, Calendar::default());
                return Ok((NewTab::Screen(Box::new(screen)), None));
            }
            return Ok((NewTab::Screen(Box::new(self.list(std::slice::from_ref(path))?)), None));
        }
        let follow = reading.follow;
        let bundled = bundle::options_of(spec, &self.flags)?;
        let (container, dialect) = bundled.unwrap_or_else(|| (self.container, self.dialect.clone()));
        let mut session = Session::new(container, &dialect);
        let number = self.number();
        let to_loop = self.sender.clone();
        // A source that can be read only once is read to its end even if its tab is closed.
        let cancel_guard = matches!(spec, SourceSpec::File(_)).then(CancelGuard::default);
        let is_cancelled = cancel_guard.as_ref().map(CancelGuard::is_cancelled);
        let source = source::open(spec, reading, move |event| {
            !is_cancelled.as_ref().is_some_and(|is_cancelled| is_cancelled())
                && to_loop.piece(Arrival::Text(number, event))
        })?;
        let life = source.running.as_ref().map(|_| SourceState::Running);
        let offers_recorded = *spec == SourceSpec::Demonstration && !places::recorded().is_empty();
        let path = if let SourceSpec::File(path) = spec { Some(path.clone()) } else { None };
        let origin = TextOrigin {
            name: source.name,
            path: path.clone(),
            size: source.size,
            modified: path.as_ref().and_then(|path| path.metadata().ok()?.modified().ok()),
            opened: Some(SystemTime::now()),
            command: life,
            offers_recorded,
            ..TextOrigin::default()
        };
        if follow != Follow::No {
            session.set_paging(FOLLOWED);
        }
        let mut state = Transcript::new(session, dialect, origin, (0, 0));
        state.panes.raw.wrap = self.wrap;
        state.following.hold_end = follow != Follow::No || life.is_some();
        if let Some(path) = &path {
            let notes = bundle::sidecar_of(path).and_then(|sidecar| sidecar.read());
            state.set_notes(notes.map_err(|error| format!("{error:#}")));
        }
        let command = source.running.map(|running| (spec.name(), running));
        Ok((NewTab::Text { number, state: Box::new(state), path, cancel_guard }, command))
    }

    /// Opens the initial source. If no path is given and agents have recorded sessions, that is the list of them, with
    /// the demonstration as its last row.
    pub(super) fn start(
        &mut self,
        spec: &SourceSpec,
        reading: SourceOptions,
    ) -> Result<(NewTab, Option<(String, Running)>)> {
        let places = if *spec == SourceSpec::Demonstration { places::recorded() } else { Vec::new() };
        if !places.iter().any(|place| holds_transcript(place, &AgentPlaces::new())) {
            let mut opened = self.open(spec, reading)?;
            if let (SourceSpec::Demonstration, NewTab::Text { state, .. }) = (spec, &mut opened.0) {
                state.view.origin.note = Some(none_found(&places));
            }
            return Ok(opened);
        }
        let mut screen = self.list(&places)?;
        (screen.is_recorded, screen.has_demonstration) = (true, true);
        Ok((NewTab::Screen(Box::new(screen)), None))
    }

    /// Opens the demonstration.
    pub(super) fn demonstration(&mut self) -> Result<NewTab> {
        self.open(&SourceSpec::Demonstration, Follow::No.into()).map(|(new, _)| new)
    }

    /// Opens a file that was selected in a list.
    pub(super) fn file(&mut self, path: PathBuf) -> Result<NewTab> {
        self.open(&SourceSpec::File(path), self.follow.into()).map(|(new, _)| new)
    }

    /// Lists the sessions recorded by agents.
    pub(super) fn recorded(&mut self) -> Result<NewTab> {
        let places = places::recorded();
        ensure!(!places.is_empty(), "no recorded sessions: found no folder of {}", agents::titles());
        let mut screen = self.list(&places)?;
        screen.is_recorded = true;
        Ok(NewTab::Screen(Box::new(screen)))
    }

    /// An empty session with the settings of the command line.
    pub(super) fn session(&self) -> Session {
        Session::new(self.container, &self.dialect)
    }

    /// Lists the sessions in some directories.
    fn list(&mut self, paths: &[PathBuf]) -> Result<SessionsScreen> {
        paths.iter().try_for_each(|path| folder::check(path))?;
        let roots: Vec<Root> =
            paths.iter().map(|path| Root { path: path.clone(), name: places::name_of(path) }).collect();
        let title = roots.iter().map(|root| root.name.as_str()).collect::<Vec<_>>().join(", ");
        self.start_indexer()?;
        let number = self.number();
        let to_loop = self.sender.clone();
        let tell = move |told| to_loop.piece(Arrival::Sessions(number, told));
        find_and_watch(roots, tell).with_context(|| format!("could not start to search {title} for sessions"))?;
        let mut screen = SessionsScreen::new(number, title, Calendar::default());
        screen.paths = paths.iter().filter_map(|path| std::path::absolute(path).ok()).collect();
        Ok(screen)
    }

    /// Starts the threads that read listed files, unless they run.
    pub(super) fn start_indexer(&mut self) -> Result<()> {
        if self.indexer.is_none() {
            let to_loop = self.sender.clone();
            let tell: Tell = Arc::new(move |number, told| to_loop.piece(Arrival::Sessions(number, told)));
            let indexer = Indexer::new(self.container, &self.dialect, usual_workers(), &tell);
            self.indexer = Some(indexer.context("could not start to scan sessions")?);
        }
        Ok(())
    }

    fn number(&mut self) -> usize {
        self.opened += 1;
        self.opened - 1
    }
}

/// The note in the title of the demonstration: there are no sessions in these folders.
fn none_found(places: &[PathBuf]) -> String {
    let place = match places {
        [] => " in the folders of agents".to_owned(),
        [place] => format!(" in {}", places::name_of(place)),
        [place, more @ ..] => format!(" in {} and {}", places::name_of(place), count(more.len(), "more folder")),
    };
    format!("no sessions found{place}")
}
