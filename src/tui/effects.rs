//! Tasks that only the loop can do: files, the terminal, other programs, and opening tabs.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::{Result, ensure};
use crossterm::event::Event;

use crate::cases;
use crate::config::{bundle, places, schemas, templates};
use crate::container::agent_files::NamedFile;
use crate::corpus::places::PlaceQuery;
use crate::notes::sidecar;
use crate::source::command::Running;
use crate::text::sanitize::{io_error_text, visible_str};
use crate::text::wrap::visible_lines;
use crate::value::schema::Schemas;

use crate::tui::Loop;
use crate::tui::action::Action;
use crate::tui::clipboard::{self, CopyMethod};
use crate::tui::corpus::CorpusRequest;
use crate::tui::corpus::job::CorpusJob;
use crate::tui::events::{Arrival, LoopEvent};
use crate::tui::external_editor;
use crate::tui::files::{self, OtherFiles, SaveOutcome, Watch};
use crate::tui::input::{self, InputMode};
use crate::tui::keymap::ScreenId;
use crate::tui::keymap::sequence::KeySequence;
use crate::tui::message::{
    ComparisonRequest, Copied, EditorDraft, EditorOutcome, ExactBytes, LensRequest, Msg, RequestTemplate, Task,
};
use crate::tui::report::ReportJob;
use crate::tui::row::{count, size};
use crate::tui::screen::lens;
use crate::tui::tabs::NewTab;
use crate::tui::tail::Tail;
use crate::tui::terminal::{MAX_COPY_BYTES, Mouse};
use crate::tui::theme::depth::Depth;
use crate::tui::theme::list;
use crate::tui::theme::preview::{PreviewOutcome, ThemePreview};

impl Loop {
    /// Carries out a task; true if the user leaves.
    pub(super) fn carry_out(&mut self, task: Task) -> Result<bool> {
        match task {
            Task::Interrupt => {
                if !self.running.as_ref().is_some_and(Running::interrupt) {
                    self.notify("the command has ended");
                }
            }
            Task::Quit => return Ok(true),
            Task::Compare(request) => self.compare(&request),
            Task::AskRuntimes(request) => self.ask_runtimes(*request),
            Task::RenderTemplate(tab, job) => self.render_template(tab, job),
            Task::ReadConversation(tab, template) => self.read_conversation(tab, template),
            Task::ComparePrompts(number) => self.compare_prompts(number),
            Task::Save { text, path, own } => {
                let outcome = files::save(&text, &path, own);
                self.watch = outcome.is_ok().then(|| Watch::new(path.clone()));
                self.answer(outcome.map(|()| Msg::Saved(text, path)));
            }
            Task::SaveDeclaration { text, path, existing } => {
                let outcome = match files::save_declaration(&text, &path, existing) {
                    Ok(SaveOutcome::Saved) => Ok(Msg::DeclarationSaved(text, path)),
                    Ok(SaveOutcome::Exists) => Ok(Msg::DeclarationExists(path)),
                    Err(words) => Err(words),
                };
                self.answer(outcome);
            }
            Task::SaveCase(path, draft) => {
                let outcome = cases::folder::save(&path, &draft).map(Msg::CaseSaved);
                self.answer(outcome.map_err(|error| format!("{error:#}")));
            }
            Task::SaveNotes { path, edits } => {
                let saved = bundle::sidecar_of(&path).and_then(|sidecar| sidecar.save(&edits, &sidecar::now()));
                let outcome = saved.map(Msg::NotesSaved);
                self.answer(
                    outcome.map_err(|error| format!("{}; kept until you quit", visible_str(&format!("{error:#}")))),
                );
            }
            Task::Export(path) => self.export(path),
            Task::CompletePath(typed) => {
                self.tabs.update(Msg::PathCompleted(files::complete_path(&typed)));
            }
            Task::ReadSchema(path) => {
                let outcome = schemas_of(&path).map(Msg::Schema);
                self.answer(outcome.map_err(|error| format!("{error:#}")));
            }
            Task::ReadRequestTemplate(path) => self.read_request_template(path),
            Task::ReadTail(backing, part) => {
                // Without a tail, the file is shown as reading progresses.
                if let Ok(Some(tail)) = Tail::read(&backing, part) {
                    self.tabs.update(Msg::Tail(part, tail));
                }
            }
            Task::Write(draft) => self.lend(draft)?,
            Task::Copy(copied) => self.copy_safely(copied),
            Task::CopyExact => self.copy_exactly(),
            Task::Print(text) => self.print(&text)?,
            Task::Suspend => {
                if !self.screen.suspend()? {
                    self.notify("cannot suspend: no parent shell");
                }
            }
            Task::Redraw => self.screen.repaint()?,
            Task::Mouse => {
                let words = match self.screen.flip_mouse()? {
                    Mouse::Captured => "mouse captured: it clicks and scrolls; Shift selects text",
                    Mouse::Left => "mouse released: it selects text; M captures it",
                };
                self.notify(words);
            }
            Task::Themes if self.depth <= Depth::NoColor => {
                self.notify("this terminal has no colours; only the theme mono is available");
            }
            Task::Themes => self.preview = Some(ThemePreview::new(list::all(), &self.theme)),
            Task::Open(path) => {
                let new = self.opener.file(path);
                self.add(new);
            }
            Task::Demonstration => self.open_demonstration(),
            Task::OpenAt(path, at) => {
                let new = self.opener.file(path);
                let is_opened = new.is_ok();
                self.add(new);
                if is_opened {
                    self.tabs.open_at(at);
                }
            }
            Task::OpenFirst(files) => self.open_first(&files),
            Task::FindRuns(path) => return self.find_runs(&path),
            Task::CompareRun(path) => return self.compare_run(path),
            Task::ReadStatistics(request) => self.read_statistics(*request),
            Task::FindPlaces(number, query) => self.find_places(number, query),
            Task::Recorded => {
                let new = self.opener.recorded();
                self.add(new);
            }
        }
        Ok(false)
    }

    /// Handles input during a theme preview.
    pub(super) fn try_theme(&mut self, event: Event) -> Result<()> {
        let Some(Msg::Action(action)) =
            input::message(InputMode::Keys(ScreenId::Transcript, &KeySequence::default()), event, &self.tabs.keymap)
        else {
            return Ok(());
        };
        let trial = self.preview.as_mut().and_then(|preview| preview.act(action));
        match trial {
            None => {}
            Some(PreviewOutcome::Shown(theme)) => self.theme = theme.at(self.depth)?,
            Some(PreviewOutcome::Left(theme)) => {
                (self.theme, self.preview) = (theme, None);
            }
            Some(PreviewOutcome::Kept(name)) => {
                self.preview = None;
                let file = self.config_file.as_deref().map_or("the configuration".to_owned(), places::name_of);
                self.notify(format!("kept until you quit; for good, put theme: {name} in {file}"));
            }
        }
        Ok(())
    }

    /// Prints a text on the terminal without the screen, so that the terminal can select it, until Enter is pressed.
    fn print(&mut self, text: &str) -> Result<()> {
        if !self.keyboard.pause() {
            self.notify("the terminal is busy; press the key again");
            return Ok(());
        }
        self.screen.release();
        let sender = self.opener.sender.clone();
        // A failure to write shows up when the screen returns.
        _ = writeln!(io::stdout(), "{}\n\n[transcope: press Enter to return]", visible_lines(text));
        let is_waiting = self.start("waiting for Enter", move || {
            // The screen returns even after an error.
            _ = external_editor::wait_for_enter();
            sender.urgent(LoopEvent::Returned);
        });
        if is_waiting { Ok(()) } else { self.take_terminal_back() }
    }

    /// Runs work on a separate thread. Reports an error and returns false if the thread cannot be started.
    fn start(&mut self, what: &str, work: impl FnOnce() + Send + 'static) -> bool {
        match thread::Builder::new().name(what.to_owned()).spawn(work) {
            Ok(_) => true,
            Err(error) => {
                self.notify(format!("could not start {what}: {}; try again", io_error_text(&error)));
                false
            }
        }
    }

    /// Copies a text to the clipboard, and keeps the exact bytes if characters were replaced.
    fn copy_safely(&mut self, Copied { what, form, text, exact }: Copied) {
        let key = self.tabs.keymap.key_of(ScreenId::Transcript, Action::CopyExact);
        let changes = exact.as_ref().map_or_else(String::new, |exact| {
            let hint = if key.is_empty() { String::new() } else { format!("; {key}: exact") };
            format!(", {} replaced{hint}", count(exact.unsafe_count, "character"))
        });
        let form = form.map_or_else(String::new, |form| format!("{form}, "));
        let contents = format!("{what} ({form}{}{changes})", size(text.len()));
        self.exact = exact.map(|exact| (what, exact));
        self.copy(text.into_bytes(), contents);
    }

    /// Copies the exact bytes of the last copy.
    fn copy_exactly(&mut self) {
        let Some((what, ExactBytes { bytes, unsafe_count })) = self.exact.clone() else {
            return self.notify("nothing was replaced in the last copy");
        };
        let contents = format!("{what}, exact bytes ({}, {unsafe_count} unsafe)", size(bytes.len()));
        self.copy(bytes, contents);
    }

    /// Copies bytes to the clipboard; `contents` describes them.
    fn copy(&mut self, bytes: Vec<u8>, contents: String) {
        if !clipboard::has_tmux() && bytes.len() <= MAX_COPY_BYTES {
            return match self.screen.copy(&bytes) {
                Ok(()) => self.notify(format!("copied {contents} by OSC 52")),
                Err(error) => self.notify(format!("{error:#}")),
            };
        }
        let sender = self.opener.sender.clone();
        self.start("copying", move || {
            let receipt = match clipboard::copy(&bytes) {
                Ok(means) => copy_message(&contents, &means),
                Err(error) => format!("could not copy {contents}: {}", io_error_text(&error)),
            };
            sender.urgent(LoopEvent::Copied(receipt));
        });
    }

    /// Reads and compares two texts on another thread, until the request is cancelled.
    fn compare(&mut self, request: &ComparisonRequest) {
        let Some((job, is_cancelled)) = self.tabs.comparison_job(request) else { return };
        let (sender, number) = (self.opener.sender.clone(), request.number);
        self.start("comparing", move || {
            if let Some(outcome) = job.run(is_cancelled) {
                sender.urgent(LoopEvent::Compared(number, outcome.map(Box::new)));
            }
        });
    }

    /// Runs the parsers of runtimes on another thread, until the request is cancelled.
    fn ask_runtimes(&mut self, request: LensRequest) {
        let Some(is_cancelled) = self.tabs.awaits_lens(request.number) else { return };
        let sender = self.opener.sender.clone();
        self.start("running the lens", move || {
            if let Some(lens) = lens::ask(&request, is_cancelled) {
                sender.urgent(LoopEvent::LensMade(request.number, Box::new(lens)));
            }
        });
    }

    /// Reads, renders and checks a chat template on another thread, until the request is cancelled.
    fn render_template(&mut self, tab: usize, number: usize) {
        let Some((job, is_cancelled)) = self.tabs.template_job(tab, number) else { return };
        let sender = self.opener.sender.clone();
        self.start("rendering the template", move || {
            job.run(is_cancelled, |event| {
                sender.urgent(LoopEvent::Template(tab, number, event));
            });
        });
    }

    /// Reads what a chat template states about a request on another thread: it is rendered for this.
    fn read_request_template(&mut self, path: PathBuf) {
        let sender = self.opener.sender.clone();
        self.start("reading the template", move || {
            let facts = templates::request_facts(&path).map_err(|error| format!("{error:#}"));
            sender.urgent(LoopEvent::RequestTemplate(facts.map(|facts| Box::new(RequestTemplate { path, facts }))));
        });
    }

    /// Makes a conversation of a session on another thread, for a chat template.
    fn read_conversation(&mut self, tab: usize, template: PathBuf) {
        let Some(job) = self.tabs.session_prompt_job(tab, template) else { return };
        let sender = self.opener.sender.clone();
        self.start("reading the conversation", move || {
            sender.urgent(LoopEvent::ConversationRead(tab, job.run().map(Box::new)));
        });
    }

    /// Renders and compares two prompts on another thread, until the request is cancelled.
    fn compare_prompts(&mut self, number: usize) {
        let Some((job, is_cancelled)) = self.tabs.prompts_job(number) else { return };
        let sender = self.opener.sender.clone();
        self.start("comparing prompts", move || {
            if let Some(compared) = job.run(is_cancelled) {
                sender.urgent(LoopEvent::PromptsCompared(number, Box::new(compared)));
            }
        });
    }

    /// Reads statistics on another thread, until the request is cancelled.
    fn read_statistics(&mut self, request: CorpusRequest) {
        let number = request.number;
        let Some(is_cancelled) = self.tabs.awaits_statistics(number) else { return };
        let (sender, setup) = (self.opener.sender.clone(), Arc::clone(&self.opener.setup));
        let job = CorpusJob { request, setup, registry: places::own_indexes() };
        self.start("reading statistics", move || {
            job.run(&mut |event| !is_cancelled() && sender.piece(Arrival::Statistics(number, event)));
        });
    }

    /// Searches for the calls or problems that a row counts on another thread, until the request is cancelled.
    fn find_places(&mut self, number: usize, query: PlaceQuery) {
        let Some((source, is_cancelled)) = self.tabs.places_wanted(number) else { return };
        let sender = self.opener.sender.clone();
        self.start("looking for places", move || {
            let outcome = source.find(&query, &is_cancelled).map_err(|error| format!("{error:#}"));
            sender.urgent(LoopEvent::PlacesFound(number, outcome));
        });
    }

    /// Writes a report about the shown transcript on another thread.
    fn export(&mut self, path: PathBuf) {
        let Some(shown) = self.tabs.text() else { return };
        let view = &shown.view;
        let filter = view.filter.as_ref().map(|filter| filter.filter().clone());
        let text = (view.origin.name.as_str(), view.whole(), &view.options);
        match ReportJob::new(path, text, filter, self.own_patterns.clone()) {
            Ok(job) => {
                let sender = self.opener.sender.clone();
                self.start("writing the report", move || {
                    sender.urgent(LoopEvent::Exported(job.run()));
                });
            }
            Err(words) => self.answer(Err(words)),
        }
    }

    /// Shows or opens the first of these files that exists, or names the folders that were searched.
    fn open_first(&mut self, files: &[NamedFile]) {
        match files.iter().find_map(NamedFile::find) {
            Some(path) if self.tabs.show_file(&path) => {}
            Some(path) => {
                let new = self.opener.file(path);
                self.add(new);
            }
            None => {
                // The name comes first, since the end of a long line is cut.
                let place = |file: &NamedFile| format!("{} in {}", file.name_end, places::name_of(&file.folder));
                let places: Vec<String> = files.iter().map(place).collect();
                self.notify(format!("no file of the sub-agent's conversation: {}", places.join(", ")));
            }
        }
    }

    /// Lists the other sessions in the folder of a session, and has them read.
    fn find_runs(&mut self, path: &Path) -> Result<bool> {
        if let Err(error) = self.opener.start_indexer() {
            self.notify(format!("{error:#}"));
        }
        match self.tabs.offer_runs(OtherFiles::of(path)) {
            Some(task) => self.carry_out(task),
            None => Ok(false),
        }
    }

    /// Opens a file and compares the shown text with it.
    fn compare_run(&mut self, path: PathBuf) -> Result<bool> {
        match self.opener.file(path) {
            Ok(new) => {
                self.tabs.add(new);
                self.tabs.compare_opened().map_or(Ok(false), |task| self.carry_out(task))
            }
            Err(error) => {
                self.notify(format!("{error:#}"));
                Ok(false)
            }
        }
    }

    /// Opens the demonstration in a tab, or reports why it cannot be opened.
    fn open_demonstration(&mut self) {
        let new = self.opener.demonstration();
        self.add(new);
    }

    fn add(&mut self, new: Result<NewTab>) {
        match new {
            Ok(new) => self.tabs.add(new),
            Err(error) => self.notify(format!("{error:#}")),
        }
    }

    /// Sends the result of a request to the shown screen.
    fn answer(&mut self, outcome: Result<Msg, String>) {
        self.tabs.update(outcome.unwrap_or_else(Msg::Failed));
    }

    fn notify(&mut self, words: impl Into<String>) {
        self.tabs.update(Msg::Notice(words.into()));
    }

    /// Hands the terminal over to the user's editor. Meanwhile input of sources is processed but not drawn.
    fn lend(&mut self, draft: EditorDraft) -> Result<()> {
        if !self.keyboard.pause() {
            self.notify("the terminal is busy; press the key again");
            return Ok(());
        }
        self.screen.release();
        let sender = self.opener.sender.clone();
        let tell = move |edited| {
            sender.urgent(LoopEvent::Edited(edited));
        };
        match external_editor::edit(draft, tell) {
            Ok(()) => Ok(()),
            Err(words) => self.take_back(Err(words)),
        }
    }

    /// Takes the terminal back from another program.
    pub(super) fn take_terminal_back(&mut self) -> Result<()> {
        self.screen.take_back()?;
        self.keyboard.take_back();
        Ok(())
    }

    /// Takes the terminal back from the editor, which has ended.
    pub(super) fn take_back(&mut self, edited: Result<EditorOutcome, String>) -> Result<()> {
        self.take_terminal_back()?;
        // The saved text arrives with the outcome.
        self.watch = None;
        self.answer(edited.map(Msg::Edited));
        Ok(())
    }
}

/// The message about a copy.
fn copy_message(contents: &str, means: &CopyMethod) -> String {
    match means {
        CopyMethod::Tmux => format!("copied {contents} by tmux; prefix ] pastes it"),
        CopyMethod::Tool(tool) => format!("copied {contents} by {tool}"),
        CopyMethod::File(path) => format!("no clipboard: wrote {contents} to {}", places::name_of(path)),
    }
}

/// Reads a schema file. Opening anything but a regular file, such as a pipe, could block the loop.
fn schemas_of(path: &Path) -> Result<Arc<Schemas>> {
    ensure!(!path.exists() || path.is_file(), "could not use the schema file {}: not a regular file", path.display());
    schemas::read(path)
}
