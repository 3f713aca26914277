//! A folder of sessions with its statistics, and the user.
//!
//! Work that the loop does on other threads is done immediately. Independent of how a screen should look.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use tempfile::TempDir;

use transcope::config::{Config, ReadOptions, Setup};
use transcope::container::Container;
use transcope::corpus::choice::FileChoice;
use transcope::corpus::format::TableFormat;
use transcope::corpus::reader::FileReader;
use transcope::corpus::registry;
use transcope::corpus::update::{UpdateRequest, update};
use transcope::dialect::Options;
use transcope::location::Location;
use transcope::tui::age::Calendar;
use transcope::tui::corpus::job::CorpusJob;
use transcope::tui::corpus::{CorpusEvent, CorpusPaths, CorpusRequest};
use transcope::tui::discovery::{DiscoveryEvent, ListedFile};
use transcope::tui::message::Task;
use transcope::tui::screen::sessions::SessionsScreen;
use transcope::tui::screen::statistics::StatisticsScreen;
use transcope::tui::tabs::{NewTab, Tabs};
use transcope::tui::theme::Theme;

use super::player::{Player as OneText, keys_of};
use super::sample;
use super::shown::{self, text_of};

/// The name shown for the folder of a test.
pub(super) const FOLDER: &str = "/home/mira/sessions";

/// Some sessions with calls that fail in several ways.
pub(super) const SAMPLES: [&str; 8] = [
    "containers/claude-code/late-ferry.jsonl",
    "containers/claude-code/what-goes-wrong.jsonl",
    "containers/claude-code/what-tools-say.jsonl",
    "containers/codex/lock-gates.jsonl",
    "containers/codex/exec-report.jsonl",
    "gadget/hostile-ticket.txt",
    "hermes/broken-strings.txt",
    "demo.txt",
];

/// A moment in a time zone that does not depend on where a test runs.
pub(super) fn calendar() -> Calendar {
    let now = || SystemTime::UNIX_EPOCH + Duration::from_mins(29_572_505);
    Calendar { now, zone: TimeZone::UTC }
}

/// A folder of sessions, its reader, and optionally an index.
pub(super) struct Folder {
    pub(super) root: TempDir,
    pub(super) setup: Arc<Setup>,
}

impl Folder {
    pub(super) fn new(files: &[(&str, Vec<u8>)]) -> Self {
        let root = tempfile::tempdir().expect("a folder can be made");
        let setup = Setup {
            dialect: Options::default(),
            container: Container::default(),
            flags: ReadOptions::default(),
            config: Config::default(),
            file: None,
            warnings: Vec::new(),
        };
        let folder = Self { root, setup: Arc::new(setup) };
        fs::create_dir(folder.sessions()).expect("it can be made");
        for (name, bytes) in files {
            folder.write(name, bytes);
        }
        folder
    }

    pub(super) fn of_samples() -> Self {
        let name = |path: &str| path.rsplit('/').next().expect("a name").to_owned();
        let files: Vec<(String, Vec<u8>)> = SAMPLES.iter().map(|path| (name(path), sample(path))).collect();
        Self::new(&files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect::<Vec<_>>())
    }

    pub(super) fn sessions(&self) -> PathBuf {
        self.root.path().join("sessions")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.root.path().join("index")
    }

    pub(super) fn registry(&self) -> PathBuf {
        self.root.path().join("indexes.ndjson")
    }

    /// Writes a file with a modification time one day before the moment of the test.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.sessions().join(name);
        fs::write(&path, bytes).expect("it can be written");
        let file = fs::File::options().append(true).open(path).expect("it is there");
        file.set_modified((calendar().now)() - Duration::from_hours(24)).expect("it is ours");
    }

    /// Creates an index that is found by its folder.
    pub(super) fn indexed(self) -> Self {
        let (paths, out) = ([self.sessions()], self.index());
        let choice = FileChoice::default();
        let reader = FileReader { setup: &self.setup, filter: None, choice: &choice };
        let request = UpdateRequest { paths: &paths, out: &out, format: TableFormat::Parquet, reader, workers: 2 };
        update(&request, &mut |_| {}).expect("it can be made");
        let folders = paths.map(|path| path.to_string_lossy().into_owned());
        registry::remember(&self.registry(), &out, &folders).expect("it can be written");
        self
    }
}

/// Tabs for a folder, and their user.
pub(super) struct Player {
    pub(super) tabs: Tabs,
    pub(super) folder: Folder,
    pub(super) theme: Theme,
    pub(super) terminal: Terminal<TestBackend>,
    /// The sessions that were opened.
    pub(super) opened: Vec<(String, Location)>,
}

impl Player {
    pub(super) fn new(folder: Folder, new: NewTab, size: (u16, u16)) -> Self {
        let mut player = Self {
            tabs: Tabs::new(vec![new], Options::default(), size),
            folder,
            theme: shown::theme(),
            terminal: Terminal::new(TestBackend::new(size.0, size.1)).expect("a buffer takes everything"),
            opened: Vec::new(),
        };
        player.frame();
        player
    }

    /// Opens the statistics of a folder.
    pub(super) fn of(folder: Folder, size: (u16, u16)) -> Self {
        let paths = CorpusPaths::Folders(vec![folder.sessions()]);
        let screen = StatisticsScreen::new(paths, "~/sessions".into(), None, calendar());
        Self::new(folder, NewTab::Screen(Box::new(screen)), size)
    }

    /// Opens a list of the sessions in a folder, all of which have been found.
    pub(super) fn listing(folder: Folder, size: (u16, u16)) -> Self {
        let mut screen = SessionsScreen::new(7, "~/sessions".into(), calendar());
        screen.paths = vec![folder.sessions()];
        let mut player = Self::new(folder, NewTab::Screen(Box::new(screen)), size);
        let found = |entry: fs::DirEntry| ListedFile {
            path: entry.path(),
            name: entry.file_name().to_string_lossy().into_owned(),
            at_root: true,
            size: 1,
            modified: entry.metadata().and_then(|metadata| metadata.modified()).ok(),
            kind: None,
        };
        let entries = fs::read_dir(player.folder.sessions()).expect("it is there");
        let files = entries.map(|entry| found(entry.expect("readable"))).collect();
        player.tabs.discover(7, DiscoveryEvent::Found(files));
        player.tabs.discover(7, DiscoveryEvent::Done(0));
        player
    }

    pub(super) fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace().flat_map(keys_of) {
            self.event(Event::Key(key));
        }
    }

    pub(super) fn event(&mut self, event: Event) {
        if let Some(msg) = self.tabs.message(event) {
            let task = self.tabs.update(msg);
            self.carry_out(task);
        }
        self.prepare();
    }

    pub(super) fn click(&mut self, column: u16, row: u16) {
        let kind = MouseEventKind::Down(MouseButton::Left);
        self.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    }

    pub(super) fn prepare(&mut self) {
        let task = self.tabs.prepare(Duration::ZERO);
        self.carry_out(task);
    }

    /// Does what the loop does on other threads.
    pub(super) fn carry_out(&mut self, task: Option<Task>) {
        match task {
            Some(Task::ReadStatistics(request)) => {
                let number = request.number;
                for event in self.read(*request) {
                    self.tabs.statistics_told(number, event);
                }
            }
            Some(Task::FindPlaces(number, query)) => {
                let (source, is_cancelled) = self.tabs.places_wanted(number).expect("somebody waits for it");
                let outcome = source.find(&query, &is_cancelled).map_err(|error| format!("{error:#}"));
                let root = self.folder.sessions().to_string_lossy().into_owned();
                let outcome = outcome.map(|found| {
                    found.map(|mut found| {
                        // The name of the folder differs in each run.
                        found.places.iter_mut().for_each(|place| place.file = place.file.replace(&root, FOLDER).into());
                        found
                    })
                });
                self.tabs.places_found(number, outcome);
            }
            Some(Task::OpenAt(path, at)) => {
                let name = path.file_name().expect("a file").to_string_lossy().into_owned();
                let bytes = fs::read(self.folder.sessions().join(&name)).expect("it is there");
                let text = OneText::with_text(&name, &bytes, usize::MAX, self.tabs.size);
                self.opened.push((name, at.clone()));
                let (state, path) = (Box::new(text.state), Some(path));
                self.tabs.add(NewTab::Text { number: 99, state, path, cancel_guard: None });
                self.tabs.open_at(at);
            }
            _ => {}
        }
    }

    /// The events from a thread, with an index that is three hours old.
    pub(super) fn read(&self, request: CorpusRequest) -> Vec<CorpusEvent> {
        let job = CorpusJob { request, setup: Arc::clone(&self.folder.setup), registry: Some(self.folder.registry()) };
        let mut events = Vec::new();
        job.run(&mut |mut event| {
            if let CorpusEvent::Statistics(statistics) = &mut event
                && statistics.updated_at.is_some()
            {
                let at = (calendar().now)() - Duration::from_hours(3);
                statistics.updated_at = Timestamp::try_from(at).ok();
            }
            events.push(event);
            true
        });
        events
    }

    pub(super) fn frame(&mut self) -> Buffer {
        self.prepare();
        let Self { tabs, theme, terminal, .. } = self;
        let drawn = terminal.draw(|frame| tabs.shown().draw(frame, theme));
        drawn.expect("a buffer takes everything").buffer.clone()
    }

    pub(super) fn screen(&mut self) -> String {
        text_of(&self.frame())
    }

    /// The names of the rows, from top to bottom.
    pub(super) fn names(&mut self) -> Vec<String> {
        let screen = self.screen();
        let rows = screen.lines().skip_while(|line| !line.contains(" rate ")).skip(1);
        rows.map_while(|line| line.trim_start_matches(['┃', ' ']).split_whitespace().next().map(str::to_owned))
            .take_while(|name| !name.starts_with(['┗', '━']))
            .collect()
    }
}
