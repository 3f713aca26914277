//! The terminal UI: one loop that receives what happens, changes the state and draws when nothing else is waiting.
//!
//! - [`action`], [`keymap`], [`input`]: what can be asked for, and by which key or click
//! - [`state`], [`cache`], [`search`]: what the screen shows, as data
//! - [`peek`], [`pins`]: the end of a file ahead of reading, and what keeps the view where it is
//! - [`queue`], [`gauge`]: what waits for the loop, and how fast it comes
//! - [`layout`], [`viewport`], [`rows`], [`graph_layout`]: where everything is, without a terminal
//! - [`mod@update`]: what happens
//! - [`view`], [`theme`], [`highlight`], [`terminal`]: the terminal

pub mod action;
pub mod cache;
pub mod gauge;
pub mod graph_layout;
pub mod highlight;
pub mod input;
pub mod keymap;
pub mod layout;
pub mod peek;
pub mod pins;
pub mod problems;
pub mod queue;
pub mod rows;
pub mod search;
pub mod state;
pub mod terminal;
pub mod theme;
pub mod update;
pub mod view;
pub mod viewport;

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use crossterm::event::Event;

use crate::config::ColorChoice;
use crate::container::Container;
use crate::dialect;
use crate::session::Session;
use crate::source::{self, Follow, SourceEvent, SourceSpec};

use highlight::{Highlighted, Highlighter};
use queue::{Next, queue};
use state::{Origin, State};
use terminal::background::{Background, background};
use terminal::{Screen, Wake};
use theme::Theme;
use update::{Effect, Happened, update};

/// Pieces of the text that may wait before the source is held up: enough that neither waits for the other.
const ROOM: usize = 16;

/// How long pieces are taken in, or searched, before a frame is drawn in between.
const FRAME: Duration = Duration::from_millis(25);

/// How long pieces are taken in before the first frame.
const FIRST: Duration = Duration::from_millis(2);

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

/// Something that the loop is told, and that does not wait for what the source brings.
enum Told {
    Input(Event),
    InputEnded(std::io::Error),
    Wake(Wake),
    Colours,
}

type Sender = queue::Sender<Told, SourceEvent>;
type Receiver = queue::Receiver<Told, SourceEvent>;

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
    let (sender, receiver) = queue(ROOM);
    let to_loop = sender.clone();
    let source = source::open(&options.source, options.follow, move |event| to_loop.piece(event))?;
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
    let wake = move |wake| {
        to_loop.urgent(Told::Wake(wake));
    };
    let screen = Screen::enter(wake)?;
    listen(sender.clone());
    let coloured = move || {
        sender.urgent(Told::Colours);
    };
    let highlighter = Highlighter::new(coloured);
    Loop { state, theme, screen, highlighter, receiver, begun: Instant::now() }.run()
}

/// Reads keys and the mouse on a thread of its own.
fn listen(sender: Sender) {
    std::thread::spawn(move || {
        loop {
            let read = crossterm::event::read();
            let is_over = read.is_err();
            if !sender.urgent(read.map_or_else(Told::InputEnded, Told::Input)) || is_over {
                return;
            }
        }
    });
}

struct Loop {
    state: State,
    theme: Theme,
    screen: Screen,
    highlighter: Highlighter,
    receiver: Receiver,
    begun: Instant,
}

impl Loop {
    fn run(mut self) -> Result<()> {
        // The first frame shows the first bytes, if they come at once.
        let mut next = self.receiver.wait(Some(self.begun + FRAME));
        let mut time = FIRST;
        loop {
            if self.take_in(next, time)? {
                return Ok(());
            }
            self.draw()?;
            time = FRAME;
            next = if self.state.is_searching() { self.receiver.take() } else { self.receiver.wait(None) };
        }
    }

    /// Takes in one thing after another until a frame is due: when nothing waits, when a person has done something,
    /// and after some `time` in any case. True when the person leaves.
    fn take_in(&mut self, mut next: Option<Next<Told, SourceEvent>>, time: Duration) -> Result<bool> {
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
                Some(Next::Piece(event)) => drop(update(&mut self.state, Happened::Source(event))),
                None if update::search_step(&mut self.state) => {}
                None => return Ok(false),
            }
            if (answers && !self.receiver.is_urged()) || Instant::now() >= due {
                return Ok(false);
            }
            next = self.receiver.take();
        }
    }

    fn draw(&mut self) -> Result<()> {
        // Nobody may have said that the window has another size: it may have changed before anybody listened.
        let (width, height) = crossterm::terminal::size().unwrap_or(self.state.size);
        if self.state.size != (width, height) {
            update(&mut self.state, Happened::Resize(width, height));
        }
        self.state.gauge.observe(self.begun.elapsed(), self.state.whole().text().len());
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
