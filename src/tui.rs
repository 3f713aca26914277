//! The terminal UI: a loop that receives events, updates the screens and draws when no event is waiting.
//!
//! Modules from low to high:
//!
//! - [`style`], [`geometry`], [`viewport`]: roles, rectangles, scrolling, as plain data
//! - [`action`], [`message`], [`keymap`], [`input`]: actions, messages, and the keys and clicks that cause them
//! - [`row`], [`view`]: rows before they are drawn, and the data that panes show
//! - [`theme`], [`highlight`], [`widget`]: colours, and parts drawn in more than one place
//! - [`pane`]: the panes of a transcript
//! - [`mod@screen`]: the contents of a tab: a transcript, a list of sessions, a comparison
//! - [`tabs`]: all open tabs; [`discovery`] finds and reads sessions, [`corpus`] reads statistics of them
//! - [`alert`], [`terminal`], `effects`: alerting the user, the terminal, and tasks that only the loop can do

pub mod action;
pub mod age;
pub mod alert;
#[cfg(test)]
mod bounded;
mod cancel_guard;
mod clipboard;
pub mod corpus;
pub mod discovery;
pub mod doctor;
mod effects;
mod events;
pub mod external_editor;
pub mod files;
pub mod geometry;
pub mod highlight;
pub mod input;
pub mod keymap;
pub mod layout;
pub mod legend;
pub mod list;
pub mod message;
mod opener;
mod options;
pub mod pane;
pub mod playground;
pub mod prompt;
pub mod queue;
pub mod replay;
pub mod replay_overview;
pub mod report;
pub mod row;
pub mod screen;
pub mod settings;
pub mod style;
pub mod tabs;
pub mod tail;
pub mod template;
pub mod terminal;
pub mod theme;
pub mod throughput;

pub mod view;
pub mod viewport;
pub mod widget;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use crossterm::event::Event;

use crate::config::alerts::{AlertMethods, Conditions};
use crate::config::panes::PaneSizes;
use crate::config::places;

use crate::redact::OwnPatterns;
use crate::source::command::{Exit, Running};
use crate::source::{FIRST_CHUNK, Follow};
use crate::text::output::Output;

use alert::AlertMonitor;
use alert::delivery::{self, AlertSender};

use events::{Arrival, LoopEvent, Receiver, Sender};
use files::Watch;
use highlight::Highlighter;
use message::{ExactBytes, Msg};
use opener::Opener;
pub use options::UiOptions;
use queue::{Next, queue};
use screen::comparison::ComparisonScreen;
use screen::comparison::job::Compared;
use screen::template::{OpenedTemplate, TemplateScreen};
use screen::transcript::{self, Transcript};
use tabs::{NewTab, Tabs};
use terminal::background::{self, Background};
use terminal::keyboard::Keyboard;
use terminal::{Canvas, Mouse, TerminalScreen, Wake};
use theme::Theme;
use theme::depth::{self, Depth};
use theme::preview::ThemePreview;
use view::origin::{Phase, TextOrigin};

/// Pieces of text that may be queued before the source is blocked: enough to keep both busy.
const ROOM: usize = 16;

/// The same before the first frame, which needs no more: reading more of a large file would delay it.
const FIRST_ROOM: usize = 2;

/// Time for processing or searching pieces before a frame is drawn.
const FRAME: Duration = Duration::from_millis(25);

/// Time for a command to end after it was asked to; then it is killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the UI until the user leaves. Returns the exit of the command, if one was run.
///
/// # Errors
/// The source cannot be opened, a theme or dialect does not exist, or there is no terminal.
pub fn run(options: UiOptions) -> Result<Option<Exit>> {
    if !std::io::stdout().is_terminal() {
        bail!("standard output is not a terminal; use transcope parse to print");
    }
    let size = terminal::size()?;
    let canvas = Canvas::begin();
    // An unknown theme is reported before anything is opened.
    let config = &options.setup.config;
    let named = config.theme.as_deref().map(Theme::named).transpose()?;
    let chosen = settings::chosen_keys(config, options.setup.file.as_deref())?;
    let setup = Arc::new(options.setup.clone());
    let (sender, receiver) = queue(FIRST_ROOM);
    let mut opener = Opener {
        sender: sender.clone(),
        dialect: options.setup.dialect,
        container: options.setup.container,
        flags: options.setup.flags,
        wrap: config.wrap.unwrap_or(true),
        follow: options.sources.first().map_or(Follow::No, |(_, reading)| reading.follow),
        opened: 0,
        indexer: None,
        setup,
    };
    let mut opened: Vec<NewTab> = options.templates.into_iter().map(template_tab).collect();
    let mut command = None;
    for (spec, reading) in options.sources {
        let open = if options.at.is_some() { Opener::open } else { Opener::start };
        let (mut new, running) = open(&mut opener, &spec, reading)?;
        new.filter_by(options.filter.as_deref());
        opened.push(new);
        command = command.or(running);
    }
    if let Some(at) = options.at {
        match opened.first_mut() {
            Some(NewTab::Text { state, .. }) => state.opened_at = Some(at),
            _ => bail!("--at needs a transcript; open one from the list and type : and the place"),
        }
    }
    if let Some((text, path)) = options.playground {
        let state = transcript::playground::playground(&opener.dialect, &text, path);
        opened.push(NewTab::Made(Box::new(state)));
    }
    if let Some((name, bytes, pace)) = options.replay {
        let plain = Transcript::new(opener.session(), opener.dialect.clone(), TextOrigin::default(), (0, 0));
        let state = transcript::replay::replay(&plain, &name, bytes.into(), options.setup.container, pace);
        opened.push(NewTab::Made(Box::new(state)));
    }
    if let Some(sides) = options.compared {
        let compared = Compared::new(sides.map(|text| (text, None))).map_err(anyhow::Error::msg)?;
        opened.push(NewTab::Screen(Box::new(ComparisonScreen::new(compared))));
    }
    let depth = depth::detect(config.color.unwrap_or_default(), |name| std::env::var(name).ok());
    let is_asked = named.is_none() && depth != Depth::NoColor;
    let theme = named.map_or_else(|| Theme::named("dark"), Ok)?.at(depth)?;
    let to_loop = sender.clone();
    let wake = move |wake| {
        to_loop.urgent(LoopEvent::Wake(wake));
    };
    let mouse = if config.mouse.unwrap_or(true) { Mouse::Captured } else { Mouse::Left };
    let mut screen = TerminalScreen::enter(mouse, canvas, wake.clone())?;
    let term = std::env::var("TERM").ok();
    let background = (is_asked && background::can_be_asked(term.as_deref())).then(background::Listener::default);
    if background.is_some() {
        screen.write(background::QUESTION)?;
    }
    let highlighter = Highlighter::new(move || wake(Wake::Frame));
    let running = command.as_ref().map(|(_, running)| running.clone());
    let mut tabs = Tabs::new(opened, opener.dialect.clone(), size);
    let panes = places::own_panes().map(|path| (PaneSizes::read(&path), path));
    tabs.set_pane_sizes(panes.as_ref().map(|(sizes, _)| *sizes).unwrap_or_default());
    tabs.keymap = chosen.unwrap_or(tabs.keymap);
    tabs.filters = config.saved_filters().into();
    tabs.main_arguments = config.main_arguments.clone().unwrap_or_default().into();
    let silence = config.alert_silence.map(|seconds| Duration::from_secs(seconds.into()));
    let means = config.alert.clone().or(silence.map(|_| AlertMethods::default())).map(AlertMethods::or_default);
    let alerts = means.map(|means| {
        let when = Conditions { silence: silence.or(means.when.silence), ..means.when.clone() };
        (AlertMonitor::new(when), AlertSender::new(means))
    });
    let begun = Instant::now();
    Loop {
        alerts,
        watch: None,
        tabs,
        theme,
        preview: None,
        own_patterns: config.own_patterns()?,
        config_file: options.setup.file,
        depth,
        screen,
        keyboard: Keyboard::default(),
        highlighter,
        opener,
        receiver,
        running,
        exact: None,
        panes,
        begun,
    }
    .run(input_thread(sender, background))?;
    // The terminal belongs to the shell again.
    Ok(command.map(|(name, running)| end(&name, &running)))
}

fn template_tab(opened: OpenedTemplate) -> NewTab {
    NewTab::Screen(Box::new(TemplateScreen::new(opened)))
}

/// Ends a command that is still running, and reports that.
fn end(name: &str, running: &Running) -> Exit {
    running.exit().unwrap_or_else(|| {
        let exit = running.end(PATIENCE);
        // If standard error is closed, the exit cannot be reported.
        drop(writeln!(Output::stderr(), "{name} {}", exit.words()));
        exit
    })
}

/// Sends keys and mouse events to the loop, and from `background` the terminal's answer to an earlier query.
fn input_thread(sender: Sender, mut background: Option<background::Listener>) -> impl FnMut(io::Result<Event>) -> bool {
    move |event| {
        let Ok(event) = event else { return sender.urgent(LoopEvent::Input(event)) };
        let (events, answer) = background.as_mut().map_or((vec![event.clone()], None), |listener| listener.take(event));
        let mut told = events.into_iter().map(Ok).map(LoopEvent::Input).chain(answer.map(LoopEvent::Background));
        let is_heard = told.all(|told| sender.urgent(told));
        if answer.is_some() {
            background = None;
        }
        is_heard
    }
}

struct Loop {
    tabs: Tabs,
    theme: Theme,
    /// The theme preview, while it is open.
    preview: Option<ThemePreview>,
    /// The user's own patterns to redact in reports.
    own_patterns: OwnPatterns,
    /// The configuration file, if there is one.
    config_file: Option<PathBuf>,
    /// The colour depth of the terminal.
    depth: Depth,
    screen: TerminalScreen,
    keyboard: Keyboard,
    highlighter: Highlighter,
    opener: Opener,
    receiver: Receiver,
    running: Option<Running>,
    /// The name and the exact bytes of the last copied text, if characters of it were replaced.
    exact: Option<(String, ExactBytes)>,
    /// The alert monitor and the means to alert the user, if alerts are on.
    alerts: Option<(AlertMonitor, AlertSender)>,
    /// The file of the edited text.
    watch: Option<Watch>,
    /// The sizes of panes at the start, and the file that remembers them.
    panes: Option<(PaneSizes, PathBuf)>,
    begun: Instant,
}

impl Loop {
    fn run(mut self, told: impl FnMut(io::Result<Event>) -> bool + Send + 'static) -> Result<()> {
        // The first frame shows the first bytes if they arrive soon.
        while self.begins()
            && let Some(next) = self.receiver.wait(Some(self.begun + FRAME))
        {
            if self.take_in(Some(next), Duration::ZERO)? {
                return Ok(());
            }
        }
        self.draw()?;
        // Threads that the first frame does not need start after it.
        self.receiver.make_room(ROOM);
        self.keyboard.listen(told).context("could not start a thread for the keyboard")?;
        loop {
            if self.check_alerts()? {
                self.draw()?;
            }
            self.check_file();
            let next =
                if self.tabs.shown().has_work() { self.receiver.take() } else { self.receiver.wait(self.next()) };
            if self.take_in(next, FRAME)? {
                self.remember_panes();
                return Ok(());
            }
            self.draw()?;
        }
    }

    /// Saves changed sizes of panes for the next run; a failure to write them is not worth a message.
    fn remember_panes(&self) {
        let sizes = self.tabs.pane_sizes();
        if let Some((_, path)) = self.panes.as_ref().filter(|(before, _)| *before != sizes) {
            drop(sizes.write(path));
        }
    }

    /// True if less than the first chunk of a file was read, and more will follow immediately.
    fn begins(&self) -> bool {
        self.tabs.text().is_some_and(|shown| {
            shown.view.origin.phase == Phase::Loading && shown.view.whole().file().len() < FIRST_CHUNK
        })
    }

    /// Processes events until a frame is due: when none is waiting, after user input, and after `time` in any case.
    /// True if the user leaves.
    fn take_in(&mut self, mut next: Option<Next<LoopEvent, Arrival>>, time: Duration) -> Result<bool> {
        let due = Instant::now() + time;
        let mut answers = false;
        loop {
            match next {
                Some(Next::Urgent(told)) => {
                    answers = true;
                    if self.handle(told)? {
                        return Ok(true);
                    }
                }
                Some(Next::Piece(Arrival::Text(source, event))) => {
                    self.tabs.arrive(source, event);
                    // While pieces arrive faster than they are processed, no other work would be done.
                    self.tabs.shown_mut().work();
                }
                Some(Next::Piece(Arrival::Sessions(list, event))) => self.tabs.discover(list, event),
                Some(Next::Piece(Arrival::Statistics(number, event))) => self.tabs.statistics_told(number, event),
                None if self.tabs.shown_mut().work() => {}
                None => return Ok(false),
            }
            if (answers && !self.receiver.is_urged()) || Instant::now() >= due {
                return Ok(false);
            }
            next = self.receiver.take();
        }
    }

    /// Checks whether another editor has saved the shown text.
    fn check_file(&mut self) {
        if self.screen.is_lent() {
            return;
        }
        let path = self.tabs.shown().edited_file();
        if self.watch.as_ref().map(|watch| &*watch.path) != path {
            self.watch = path.map(|path| Watch::new(path.to_path_buf()));
        }
        if let Some(text) = self.watch.as_mut().and_then(Watch::look) {
            self.tabs.update(Msg::Reloaded(text));
        }
    }

    /// Alerts the user if there is a reason to, and shows it on the last line; true if it has.
    fn check_alerts(&mut self) -> Result<bool> {
        let Some((monitor, caller)) = &mut self.alerts else { return Ok(false) };
        let now = self.begun.elapsed();
        let look = |(tab, state)| {
            monitor.examine(tab, state, now);
            tab
        };
        let open: Vec<usize> = self.tabs.monitored().map(look).collect();
        monitor.retain(&open);
        let Some(alert) = monitor.due(now) else { return Ok(false) };
        let (written, started) = caller.call(&alert);
        self.screen.write(&written)?;
        let notice = match started {
            Ok(()) => format!("alert: {}", delivery::text(&alert)),
            Err(error) => format!("the command of --alert could not be started: {error}"),
        };
        self.tabs.update(Msg::Notice(notice));
        Ok(true)
    }

    /// When to wake up if no event arrives.
    fn next(&self) -> Option<Instant> {
        let alert = self.alerts.as_ref().and_then(|(monitor, _)| monitor.next()).map(|time| self.begun + time);
        let frame = self.tabs.shown().next_frame(self.begun.elapsed()).map(|time| self.begun + time);
        let watched = self.watch.as_ref().filter(|_| !self.screen.is_lent()).map(|watch| watch.next);
        alert.into_iter().chain(watched).chain(frame).min()
    }

    fn draw(&mut self) -> Result<()> {
        // The window may have been resized before events were read.
        let (width, height) = crossterm::terminal::size().unwrap_or(self.tabs.size);
        if self.tabs.size != (width, height) {
            self.tabs.update(Msg::Resize(width, height));
        }
        if let Some(task) = self.tabs.prepare(self.begun.elapsed()) {
            self.carry_out(task)?;
        }
        if let Some(indexer) = &self.opener.indexer {
            indexer.want(self.tabs.wanted());
        }
        if self.tabs.text().is_some() {
            for (key, colours) in self.highlighter.take() {
                self.tabs.update(Msg::Colours(key, colours));
            }
        }
        let Self { tabs, theme, screen, highlighter, .. } = self;
        let question = self.preview.as_ref().map(ThemePreview::words).or_else(|| tabs.question());
        screen.draw(|frame| {
            tabs.shown().draw(frame, theme);
            widget::ask(frame, question.as_deref(), theme);
        })?;
        for wanted in tabs.shown_mut().take_uncoloured() {
            highlighter.request(wanted.key, wanted.language, wanted.text);
        }
        Ok(())
    }

    /// Handles an event; true if the user leaves.
    fn handle(&mut self, event: LoopEvent) -> Result<bool> {
        let msg = match event {
            // Drawing queries the size.
            LoopEvent::Wake(Wake::Frame) => None,
            LoopEvent::Wake(Wake::Panicked(message)) => {
                Some(Msg::Notice(format!("internal error, nothing is lost: {message}")))
            }
            LoopEvent::Background(background) => {
                if background == Background::Light && self.preview.is_none() {
                    self.theme = Theme::named("light")?.at(self.depth)?;
                }
                None
            }
            LoopEvent::Copied(receipt) => Some(Msg::Notice(receipt)),
            LoopEvent::Returned => {
                self.take_terminal_back()?;
                None
            }
            LoopEvent::Exported(outcome) => Some(outcome.map_or_else(Msg::Failed, Msg::Notice)),
            LoopEvent::Compared(number, outcome) => {
                self.tabs.compared(number, outcome.map(|compared| *compared));
                None
            }
            LoopEvent::LensMade(number, lens) => {
                self.tabs.take_lens(number, *lens);
                None
            }
            LoopEvent::RequestTemplate(outcome) => Some(outcome.map_or_else(Msg::Failed, Msg::RequestTemplate)),
            LoopEvent::Template(tab, job, event) => {
                self.tabs.template_told(tab, job, event);
                None
            }
            LoopEvent::ConversationRead(tab, outcome) => {
                self.tabs.show_session_prompt(tab, outcome.map(|prompt| *prompt));
                None
            }
            LoopEvent::PromptsCompared(number, compared) => {
                self.tabs.prompts_compared(number, *compared);
                None
            }
            LoopEvent::PlacesFound(number, outcome) => {
                self.tabs.places_found(number, outcome);
                None
            }
            LoopEvent::Edited(edited) => {
                self.take_back(edited)?;
                None
            }
            LoopEvent::Input(Err(error)) => return Err(error).context("could not read the keyboard"),
            // Keys that were typed before the external editor took over the terminal.
            LoopEvent::Input(Ok(_)) if self.screen.is_lent() => None,
            LoopEvent::Input(Ok(event)) if self.preview.is_some() && !matches!(event, Event::Resize(..)) => {
                self.try_theme(event)?;
                None
            }
            LoopEvent::Input(Ok(event)) => match input::answer(&event).filter(|_| self.tabs.question().is_some()) {
                Some(yes) => {
                    self.tabs.answer(yes);
                    None
                }
                None => self.tabs.message(event),
            },
        };
        match msg.and_then(|msg| self.tabs.update(msg)) {
            Some(task) => self.carry_out(task),
            None => Ok(false),
        }
    }
}
