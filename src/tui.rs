//! The terminal UI: one loop that receives what happens, changes the state and draws when nothing else is waiting.
//!
//! - [`action`], [`keymap`], [`input`]: what can be asked for, and by which key or click
//! - [`state`], [`cache`], [`search`]: what the screen shows, as data
//! - [`layout`], [`viewport`], [`rows`], [`graph_layout`]: where everything is, without a terminal
//! - [`mod@update`]: what happens
//! - [`view`], [`theme`], [`highlight`], [`terminal`]: the terminal

pub mod action;
pub mod cache;
pub mod graph_layout;
pub mod highlight;
pub mod input;
pub mod keymap;
pub mod layout;
pub mod problems;
pub mod rows;
pub mod search;
pub mod state;
pub mod terminal;
pub mod theme;
pub mod update;
pub mod view;
pub mod viewport;

use std::io::IsTerminal;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use crossterm::event::Event;

use crate::config::ColorChoice;
use crate::container::Container;
use crate::dialect;
use crate::session::Session;
use crate::source::{self, Follow, SourceEvent, SourceSpec};

use highlight::{Highlighted, Highlighter};
use state::{Origin, State};
use terminal::background::{Background, background};
use terminal::{Screen, Wake};
use theme::Theme;
use update::{Effect, Happened, update};

/// Things that may wait to be handled before a sender is held up.
const QUEUE: usize = 64;

/// How long things are handled before a frame is drawn in between.
const FRAME: Duration = Duration::from_millis(25);

/// What the UI is opened with.
pub struct Options {
    /// What to read.
    pub source: SourceSpec,
    /// Whether to go on reading when it grows.
    pub follow: Follow,
    /// Which dialects, with which markers.
    pub dialect: dialect::Options,
    /// What the file is.
    pub container: Container,
    /// Name or file of the theme; `None` lets the terminal's background decide.
    pub theme: Option<String>,
    /// Whether there are colours.
    pub color: ColorChoice,
    /// Whether long raw lines are wrapped.
    pub wrap: bool,
}

/// Something that the loop is told.
enum Told {
    Input(Event),
    InputEnded(std::io::Error),
    Source(SourceEvent),
    Wake(Wake),
    Colours,
}

/// Opens the UI and stays in it until the person leaves.
///
/// # Errors
/// The source cannot be opened, a theme or dialect does not exist, or there is no terminal.
pub fn run(options: Options) -> Result<()> {
    if !std::io::stdout().is_terminal() {
        bail!("standard output is not a terminal; use transcope parse to print");
    }
    // A name that is no theme is said before anything is opened; the terminal is asked last.
    let named = options.theme.as_deref().map(Theme::named).transpose()?;
    let session = Session::new(options.container, &options.dialect).map_err(|error| anyhow!(error))?;
    let (sender, receiver) = mpsc::sync_channel(QUEUE);
    let to_loop = sender.clone();
    let source = source::open(&options.source, options.follow, move |event| to_loop.send(Told::Source(event)).is_ok())?;
    let origin = Origin { name: source.name.clone(), size: source.size, ..Origin::default() };
    let theme = match (named, options.color) {
        (_, ColorChoice::Never) => Theme::monochrome(),
        (Some(theme), _) => theme,
        (None, _) => Theme::named(if background() == Background::Light { "light" } else { "dark" })?,
    };
    let size = crossterm::terminal::size().context("could not ask for the size of the terminal")?;
    let mut state = State::new(session, options.dialect, origin, size);
    state.wrap_raw = options.wrap;
    state.hold_end = options.follow != Follow::No;
    let to_loop = sender.clone();
    // The wake-up may come from a signal's thread while the loop is busy: it must not wait for a place in the queue.
    let screen = Screen::enter(move |wake| drop(to_loop.try_send(Told::Wake(wake))))?;
    listen(sender.clone());
    Loop { state, theme, screen, highlighter: highlighter(sender), receiver }.run()
}

/// Reads keys and the mouse on a thread of its own.
fn listen(sender: SyncSender<Told>) {
    std::thread::spawn(move || {
        loop {
            let told = match crossterm::event::read() {
                Ok(event) => Told::Input(event),
                Err(error) => {
                    drop(sender.send(Told::InputEnded(error)));
                    return;
                }
            };
            if sender.send(told).is_err() {
                return;
            }
        }
    });
}

fn highlighter(sender: SyncSender<Told>) -> Highlighter {
    Highlighter::new(move || drop(sender.try_send(Told::Colours)))
}

struct Loop {
    state: State,
    theme: Theme,
    screen: Screen,
    highlighter: Highlighter,
    receiver: Receiver<Told>,
}

impl Loop {
    fn run(mut self) -> Result<()> {
        // The first frame shows the first bytes, if they come at once.
        if let Ok(told) = self.receiver.recv_timeout(FRAME)
            && self.handle(told)?
        {
            return Ok(());
        }
        loop {
            self.draw()?;
            let searching = self.state.search.is_some() && update::search_step(&mut self.state);
            let told = if searching {
                self.receiver.try_recv()
            } else {
                self.receiver.recv().map_err(|_| TryRecvError::Disconnected)
            };
            let mut told = match told {
                Ok(told) => Some(told),
                Err(TryRecvError::Empty) => continue,
                Err(TryRecvError::Disconnected) => return Ok(()),
            };
            let begun = Instant::now();
            while let Some(next) = told {
                if self.handle(next)? {
                    return Ok(());
                }
                told = if begun.elapsed() < FRAME { self.receiver.try_recv().ok() } else { None };
            }
        }
    }

    fn draw(&mut self) -> Result<()> {
        // Nobody may have said that the window has another size: it may have changed before anybody listened.
        let (width, height) = crossterm::terminal::size().unwrap_or(self.state.size);
        if self.state.size != (width, height) {
            update(&mut self.state, Happened::Resize(width, height));
        }
        update::settle(&mut self.state);
        let Self { state, theme, screen, highlighter, .. } = self;
        for (key, colours) in highlighter.take() {
            take_colours(state, key, colours);
        }
        screen.draw(|frame| view::draw(frame, state, theme))?;
        for wanted in state.cache.borrow_mut().take_wanted() {
            highlighter.request(wanted.key, wanted.language, wanted.text);
        }
        Ok(())
    }

    /// Takes one thing in; true when the person leaves.
    fn handle(&mut self, told: Told) -> Result<bool> {
        let happened = match told {
            Told::Source(event) => Happened::Source(event),
            // The next frame asks for the size.
            Told::Wake(Wake::Resumed | Wake::Resized) | Told::Colours => return Ok(false),
            Told::Wake(Wake::Panicked(message)) => {
                Happened::Notice(format!("an internal fault, and nothing is lost: {message}"))
            }
            Told::InputEnded(error) => return Err(error).context("the keyboard cannot be read any more"),
            Told::Input(event) => match input::happened(&self.state, event) {
                Some(happened) => happened,
                None => return Ok(false),
            },
        };
        match update(&mut self.state, happened) {
            None => {}
            Some(Effect::Quit) => return Ok(true),
            Some(Effect::Copy(text)) => {
                if let Err(error) = self.screen.copy(&text) {
                    update(&mut self.state, Happened::Notice(format!("{error:#}")));
                }
            }
            Some(Effect::Suspend) => {
                let suspended = self.screen.suspend()?;
                if !suspended {
                    update(&mut self.state, Happened::Notice("no shell is there to come back from".into()));
                }
            }
            Some(Effect::Redraw) => self.screen.repaint()?,
        }
        Ok(false)
    }
}

fn take_colours(state: &mut State, key: u64, colours: Highlighted) {
    update(state, Happened::Colours(key, colours));
}
