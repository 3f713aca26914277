//! Stands in for the loop and for the environment of the program: sources with events, files, an editor, threads.
//!
//! Work that the loop does on other threads is done immediately. Independent of the keys that are pressed, and of the
//! properties to check.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossterm::event::{Event, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use transcope::cases::folder;
use transcope::config::bundle::sidecar_of;
use transcope::config::{schemas, templates};
use transcope::container::Container;
use transcope::container::agent_files::NamedFile;
use transcope::corpus::places::PlaceQuery;
use transcope::dialect::Options;
use transcope::notes::sidecar;
use transcope::session::Session;
use transcope::source::SourceEvent;
use transcope::text::store::{Backing, Paging, ReadAt};
use transcope::tui::corpus::CorpusPaths;
use transcope::tui::corpus::CorpusRequest;
use transcope::tui::corpus::job::CorpusJob;
use transcope::tui::discovery::{DiscoveryEvent, FileContent, FileSummary, FileTally, ListedFile, SelectedItems};
use transcope::tui::files::{self, SaveOutcome};
use transcope::tui::input::{self, InputMode};
use transcope::tui::keymap::ScreenId;
use transcope::tui::keymap::sequence::KeySequence;
use transcope::tui::message::{EditorOutcome, Msg, RequestTemplate, Task};
use transcope::tui::screen::lens;
use transcope::tui::screen::sessions::SessionsScreen;
use transcope::tui::screen::statistics::StatisticsScreen;
use transcope::tui::screen::template::TemplateScreen;
use transcope::tui::screen::transcript::Transcript;
use transcope::tui::tabs::{NewTab, Tabs};
use transcope::tui::tail::Tail;
use transcope::tui::theme::Theme;
use transcope::tui::theme::list;
use transcope::tui::theme::preview::{PreviewOutcome, ThemePreview};
use transcope::tui::view::origin::TextOrigin;

use super::super::corpus::{Folder, calendar};
use super::super::shown;
use super::super::templates::opened;
use super::HOSTILE;

/// Almost nothing of a followed text stays in memory, so that lost bytes are noticed.
const SCANTY: Paging = Paging { page: 64, recent: 512, kept: 4 };

/// The number of the source that keeps growing.
const FOLLOWED: usize = 0;

/// The bytes written to the followed file, of which a part may be gone.
#[derive(Clone, Default)]
struct Disk(Arc<Mutex<Vec<u8>>>);

impl ReadAt for Disk {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.lock().expect("nobody panics with it");
        let there = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
        let length = there.len().min(buffer.len());
        buffer[..length].copy_from_slice(&there[..length]);
        Ok(length)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.lock().expect("nobody panics with it").len() as u64)
    }
}

/// The program without its terminal and its threads.
pub(super) struct World {
    pub(super) tabs: Tabs,
    pub(super) preview: Option<ThemePreview>,
    pub(super) theme: Theme,
    terminal: Terminal<TestBackend>,
    folder: Folder,
    /// True if some bytes that were read are gone, so that they cannot be shown any more.
    pub(super) has_lost: bool,
    disk: Disk,
    now: Duration,
    opened: usize,
    /// The last request that only the loop can carry out.
    pub(super) asked: Option<Task>,
}

impl World {
    /// A screen with a followed text before its first bytes.
    pub(super) fn following(folder: Folder, size: (u16, u16)) -> Self {
        let disk = Disk::default();
        let path = folder.sessions().join("live.txt");
        let mut session = Session::new(Container::default(), &Options::default());
        session.set_paging(SCANTY);
        let origin = TextOrigin { name: "live.txt".to_owned(), path: Some(path.clone()), ..TextOrigin::default() };
        let mut state = Transcript::new(session, Options::default(), origin, size);
        state.following.hold_end = true;
        let new = NewTab::Text { number: FOLLOWED, state: Box::new(state), path: Some(path), cancel_guard: None };
        let mut world = Self::with(folder, new, size);
        world.tabs.arrive(FOLLOWED, SourceEvent::Backing(Backing::new(disk.clone())));
        world.disk = disk;
        world
    }

    /// A screen with a list of the sessions in a folder.
    pub(super) fn listing(folder: Folder, size: (u16, u16)) -> Self {
        let mut screen = SessionsScreen::new(0, "~/sessions".into(), calendar());
        screen.paths = vec![folder.sessions()];
        let mut world = Self::with(folder, NewTab::Screen(Box::new(screen)), size);
        world.finds_files();
        world
    }

    /// A screen with statistics of a folder.
    pub(super) fn counting(folder: Folder, size: (u16, u16)) -> Self {
        let paths = CorpusPaths::Folders(vec![folder.sessions()]);
        let screen = StatisticsScreen::new(paths, "~/sessions".into(), None, calendar());
        Self::with(folder, NewTab::Screen(Box::new(screen)), size)
    }

    /// A screen with a chat template of the folder, and conversations with hostile text.
    pub(super) fn rendering(folder: Folder, size: (u16, u16)) -> Self {
        let path = folder.sessions().join("chat.jinja");
        let screen = TemplateScreen::new(opened(path, Some(HOSTILE)));
        Self::with(folder, NewTab::Screen(Box::new(screen)), size)
    }

    fn with(folder: Folder, new: NewTab, size: (u16, u16)) -> Self {
        Self {
            tabs: Tabs::new(vec![new], Options::default(), size),
            preview: None,
            theme: shown::theme(),
            terminal: Terminal::new(TestBackend::new(size.0, size.1)).expect("a buffer takes everything"),
            folder,
            has_lost: false,
            disk: Disk::default(),
            now: Duration::ZERO,
            opened: FOLLOWED + 1,
            asked: None,
        }
    }

    /// Opens a complete file in another tab.
    pub(super) fn opens(&mut self, path: &Path) {
        let Ok(bytes) = fs::read(path) else {
            return self.says(Msg::Failed("could not open it".into()));
        };
        let name = path.to_string_lossy().into_owned();
        let session = Session::new(Container::default(), &Options::default());
        let origin = TextOrigin { name, path: Some(path.to_path_buf()), ..TextOrigin::default() };
        let state = Transcript::new(session, Options::default(), origin, (0, 0));
        let number = self.opened;
        self.opened += 1;
        let (state, path) = (Box::new(state), Some(path.to_path_buf()));
        self.tabs.add(NewTab::Text { number, state, path, cancel_guard: None });
        self.tabs.arrive(number, SourceEvent::Chunk(bytes));
        self.tabs.arrive(number, SourceEvent::End);
    }

    /// More of the followed text arrives.
    pub(super) fn arrives(&mut self, bytes: &[u8]) {
        self.disk.0.lock().expect("nobody panics with it").extend_from_slice(bytes);
        self.tabs.arrive(FOLLOWED, SourceEvent::Chunk(bytes.to_vec()));
    }

    /// The followed text starts from the beginning.
    pub(super) fn begins_anew(&mut self) {
        // The previous contents can still be read, like the contents of a replaced file.
        self.disk = Disk::default();
        self.tabs.arrive(FOLLOWED, SourceEvent::Restarted("the file was replaced".into()));
        self.tabs.arrive(FOLLOWED, SourceEvent::Backing(Backing::new(self.disk.clone())));
    }

    /// Delivers another event of the source.
    pub(super) fn source_says(&mut self, event: SourceEvent) {
        self.tabs.arrive(FOLLOWED, event);
    }

    /// Bytes that have been read are gone, without an event.
    pub(super) fn loses(&mut self) {
        self.disk.0.lock().expect("nobody panics with it").truncate(100);
        self.has_lost = true;
    }

    /// Writes, truncates or deletes a file of the folder.
    pub(super) fn changes_file(&mut self, name: &str, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) => self.folder.write(name, bytes),
            None => drop(fs::remove_file(self.folder.sessions().join(name))),
        }
    }

    /// The finder of sessions finds the files in the folder.
    pub(super) fn finds_files(&mut self) {
        let listed = |entry: fs::DirEntry| ListedFile {
            path: entry.path(),
            name: entry.file_name().to_string_lossy().into_owned(),
            at_root: true,
            size: entry.metadata().map_or(0, |metadata| metadata.len()),
            modified: entry.metadata().and_then(|metadata| metadata.modified()).ok(),
            kind: None,
        };
        let entries = fs::read_dir(self.folder.sessions()).expect("it is there");
        let files = entries.map(|entry| listed(entry.expect("readable"))).collect();
        self.tabs.discover(0, DiscoveryEvent::Found(files));
        self.tabs.discover(0, DiscoveryEvent::Done(1));
    }

    /// Examines all files that a list has requested.
    pub(super) fn looks_into_files(&mut self) {
        for wanted in self.tabs.wanted() {
            let content = match fs::metadata(&wanted.path) {
                Ok(known) => {
                    let calls = usize::try_from(known.len()).unwrap_or(usize::MAX);
                    FileContent::Counted(FileTally { calls, failures: calls / 3, errors: calls / 5, warnings: 1 })
                }
                Err(error) => FileContent::Failed(error.to_string()),
            };
            let words = "\u{1b}]0;title\u{7} hello \u{202e}שלום".to_owned();
            let items = SelectedItems { items: wanted.number, calls: wanted.number / 2 };
            let selected = wanted.filter.map(|filter| (filter, items));
            let summary = FileSummary { number: wanted.number, kind: None, words, session: None, content, selected };
            self.tabs.discover(wanted.list, DiscoveryEvent::Summary(summary));
        }
    }

    /// Delivers an event of the terminal, as in the loop.
    pub(super) fn event(&mut self, event: Event) {
        self.asked = None;
        let is_resize = matches!(event, Event::Resize(..));
        if self.preview.is_some() && !is_resize {
            return self.tries_theme(event);
        }
        if let Some(yes) = input::answer(&event).filter(|_| self.tabs.question().is_some()) {
            return self.tabs.answer(yes);
        }
        let Some(msg) = self.tabs.message(event) else { return };
        self.says(msg);
    }

    pub(super) fn key(&mut self, key: KeyEvent) {
        self.event(Event::Key(key));
        self.works();
    }

    /// Does all work that is done while the program is idle.
    pub(super) fn works(&mut self) {
        let mut rounds = 0;
        while self.tabs.shown_mut().work() {
            rounds += 1;
            assert!(rounds < 100_000, "the work has no end");
        }
    }

    pub(super) fn time_passes(&mut self, time: Duration) {
        self.now += time;
    }

    pub(super) fn looks(&mut self, theme: &str) {
        self.theme = Theme::named(theme).expect("a built-in theme");
    }

    /// Resizes the window; the event may be delivered later.
    pub(super) fn resizes_window(&mut self, width: u16, height: u16) {
        self.terminal.backend_mut().resize(width, height);
    }

    /// Delivers a message to a screen, and carries out its request.
    pub(super) fn says(&mut self, msg: Msg) {
        let task = self.tabs.update(msg);
        self.carry_out(task);
    }

    fn tries_theme(&mut self, event: Event) {
        let mode = InputMode::Keys(ScreenId::Transcript, &KeySequence::default());
        let Some(Msg::Action(action)) = input::message(mode, event, &self.tabs.keymap) else { return };
        match self.preview.as_mut().and_then(|preview| preview.act(action)) {
            None => {}
            Some(PreviewOutcome::Shown(theme)) => self.theme = theme,
            Some(PreviewOutcome::Left(theme)) => (self.theme, self.preview) = (theme, None),
            Some(PreviewOutcome::Kept(_)) => self.preview = None,
        }
    }

    /// A path below the folder of the test, whatever path was typed.
    fn path(&self, typed: &Path) -> PathBuf {
        self.folder.root.path().join(typed.file_name().unwrap_or("nameless".as_ref()))
    }

    fn opens_found(&mut self, path: Option<PathBuf>) {
        if let Some(path) = path {
            self.opens(&path);
        }
    }

    /// Does what the loop does, and what its threads do.
    fn carry_out(&mut self, task: Option<Task>) {
        let Some(task) = task else { return };
        self.asked = Some(task.clone());
        match task {
            Task::Compare(request) => {
                let Some((job, is_cancelled)) = self.tabs.comparison_job(&request) else { return };
                if let Some(outcome) = job.run(is_cancelled) {
                    self.tabs.compared(request.number, outcome);
                }
            }
            Task::AskRuntimes(request) => {
                let Some(is_cancelled) = self.tabs.awaits_lens(request.number) else { return };
                if let Some(lens) = lens::ask(&request, is_cancelled) {
                    self.tabs.take_lens(request.number, lens);
                }
            }
            Task::RenderTemplate(tab, number) => {
                let Some((job, is_cancelled)) = self.tabs.template_job(tab, number) else { return };
                job.run(is_cancelled, |event| self.tabs.template_told(tab, number, event));
            }
            Task::ReadConversation(tab, template) => {
                let Some(job) = self.tabs.session_prompt_job(tab, template) else { return };
                let outcome = job.run();
                self.tabs.show_session_prompt(tab, outcome);
            }
            Task::ComparePrompts(number) => {
                let Some((job, is_cancelled)) = self.tabs.prompts_job(number) else { return };
                if let Some(compared) = job.run(is_cancelled) {
                    self.tabs.prompts_compared(number, compared);
                }
            }
            Task::ReadStatistics(request) => self.reads_statistics(*request),
            Task::FindPlaces(number, query) => self.finds_places(number, &query),
            Task::Open(path) => self.opens(&path),
            Task::OpenAt(path, at) => {
                self.opens(&path);
                self.tabs.open_at(at);
            }
            Task::OpenFirst(files) => self.opens_found(files.iter().find_map(NamedFile::find)),
            Task::FindRuns(path) => {
                let task = self.tabs.offer_runs(files::OtherFiles::of(&path));
                self.carry_out(task);
            }
            Task::CompareRun(path) => {
                self.opens(&path);
                let task = self.tabs.compare_opened();
                self.carry_out(task);
            }
            Task::Recorded => self.lists_recorded(),
            Task::Save { text, path, own } => {
                let saved = files::save(&text, &self.path(&path), own).map(|()| Msg::Saved(text, path));
                self.says(saved.unwrap_or_else(Msg::Failed));
            }
            Task::SaveDeclaration { text, path, existing } => {
                let saved = files::save_declaration(&text, &self.path(&path), existing).map(|outcome| match outcome {
                    SaveOutcome::Saved => Msg::DeclarationSaved(text, path),
                    SaveOutcome::Exists => Msg::DeclarationExists(path),
                });
                self.says(saved.unwrap_or_else(Msg::Failed));
            }
            Task::CompletePath(typed) => {
                let path = self.path(Path::new(&typed));
                let completed = files::complete_path(&path.to_string_lossy());
                self.says(Msg::PathCompleted(files::PathCompletion { typed, ..completed }));
            }
            Task::SaveCase(path, draft) => {
                let saved = folder::save(&self.path(&path), &draft).map(Msg::CaseSaved);
                self.says(saved.unwrap_or_else(|error| Msg::Failed(format!("{error:#}"))));
            }
            Task::SaveNotes { path, edits } => {
                let saved = sidecar_of(&path).and_then(|sidecar| sidecar.save(&edits, &sidecar::now()));
                self.says(saved.map_or_else(|error| Msg::Failed(format!("{error:#}")), Msg::NotesSaved));
            }
            Task::ReadSchema(path) => {
                let read = schemas::read(&self.path(&path)).map(Msg::Schema);
                self.says(read.unwrap_or_else(|error| Msg::Failed(format!("{error:#}"))));
            }
            Task::ReadRequestTemplate(path) => self.reads_request_template(path),
            Task::ReadTail(backing, part) => {
                if let Ok(Some(tail)) = Tail::read(&backing, part) {
                    self.says(Msg::Tail(part, tail));
                }
            }
            Task::Write(draft) => {
                let text = draft.text.replacen('\n', "\nwritten elsewhere\u{1b}[2J\n", 1);
                self.says(Msg::Edited(EditorOutcome { text, path: draft.path }));
            }
            Task::Themes => {
                self.preview = Some(ThemePreview::new(list::all(), &Theme::named("dark").expect("built in")));
            }
            Task::Export(path) => self.says(Msg::Failed(format!("could not write {}", path.display()))),
            Task::Quit
            | Task::Demonstration
            | Task::Interrupt
            | Task::Copy(_)
            | Task::CopyExact
            | Task::Print(_)
            | Task::Suspend
            | Task::Redraw
            | Task::Mouse => {}
        }
    }

    fn lists_recorded(&mut self) {
        let mut screen = SessionsScreen::new(usize::MAX, "recorded".into(), calendar());
        screen.is_recorded = true;
        self.tabs.add(NewTab::Screen(Box::new(screen)));
        self.tabs.discover(usize::MAX, DiscoveryEvent::Done(0));
    }

    fn reads_request_template(&mut self, path: PathBuf) {
        let facts = templates::request_facts(&self.path(&path));
        let read = facts.map(|facts| Msg::RequestTemplate(Box::new(RequestTemplate { path, facts })));
        self.says(read.unwrap_or_else(|error| Msg::Failed(format!("{error:#}"))));
    }

    fn reads_statistics(&mut self, request: CorpusRequest) {
        let number = request.number;
        let (setup, registry) = (Arc::clone(&self.folder.setup), Some(self.folder.registry()));
        let mut events = Vec::new();
        CorpusJob { request, setup, registry }.run(&mut |event| {
            events.push(event);
            true
        });
        for event in events {
            self.tabs.statistics_told(number, event);
        }
    }

    fn finds_places(&mut self, number: usize, query: &PlaceQuery) {
        let Some((source, is_cancelled)) = self.tabs.places_wanted(number) else { return };
        let outcome = source.find(query, &is_cancelled).map_err(|error| format!("{error:#}"));
        self.tabs.places_found(number, outcome);
    }

    /// Draws a frame as the loop does. Returns its cells.
    pub(super) fn frame(&mut self) -> Buffer {
        // Results of a task are taken in before the next frame.
        let mut rounds = 0;
        while let Some(task) = self.tabs.prepare(self.now) {
            self.carry_out(Some(task));
            rounds += 1;
            assert!(rounds < 100, "frames ask for ever more");
        }
        let question = self.preview.as_ref().map(ThemePreview::words).or_else(|| self.tabs.question());
        let Self { tabs, theme, terminal, .. } = self;
        let drawn = terminal.draw(|frame| {
            tabs.shown().draw(frame, theme);
            transcope::tui::widget::ask(frame, question.as_deref(), theme);
        });
        let buffer = drawn.expect("a buffer takes everything").buffer.clone();
        drop(self.tabs.shown_mut().take_uncoloured());
        buffer
    }
}
