//! Draws a transcript or a playground into memory, as the terminal UI draws it, and prints that as an SVG.
//!
//! ```sh
//! cargo build
//! cargo run --example picture -- --tour examples/picture/tour.txt examples/picture/tide-table.json > docs/dark.svg
//! cargo run --example picture -- --tour examples/picture/tour.txt examples/picture/tide-table.json --theme light > docs/light.svg
//! cargo run --example picture -- samples/demo.txt --keys "e" > screen.svg
//! cargo run --example picture -- --frames examples/picture/playground.txt --size 100x28 > docs/playground.svg
//! ```
//!
//! `--keys` are pressed before the picture is taken: words separated by spaces, each the name of a key (`Enter`,
//! `ctrl-r`) or letters. With `--frames FILE` a playground is shown, and each line of the file makes a frame: a line is
//! typed verbatim, `>` presses the keys named after it, and a line that ends with a backslash makes no frame. With `--tour FILE`
//! the real program opens the transcript in a pseudo-terminal, and each line of the file is a key and what it does.

mod recording;
mod svg;
#[path = "../../tests/pty/terminal.rs"]
#[expect(dead_code, reason = "tests use the rest")]
mod terminal;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use transcope::container::Container;
use transcope::dialect::Options;
use transcope::session::Session;
use transcope::source::SourceEvent;
use transcope::tui::input;
use transcope::tui::message::Msg;
use transcope::tui::screen::Screen as _;
use transcope::tui::screen::transcript::playground::playground;
use transcope::tui::screen::transcript::{Transcript, prepare};
use transcope::tui::theme::Theme;
use transcope::tui::view::origin::TextOrigin;

use svg::{Frame, Ground, Still};

#[derive(Parser)]
struct Args {
    /// The transcript
    #[arg(required_unless_present = "frames")]
    path: Option<PathBuf>,
    /// What is typed into a playground, a frame for each line
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
    /// Keys that are pressed in the real program, each with what it does
    #[arg(long, value_name = "FILE", requires = "path", conflicts_with_all = ["frames", "keys"])]
    tour: Option<PathBuf>,
    /// Columns and rows
    #[arg(long, default_value = "120x36")]
    size: String,
    #[arg(long, default_value = "dark")]
    theme: String,
    /// Pressed before the picture is taken
    #[arg(long, default_value = "")]
    keys: String,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let (width, height) = args.size.split_once('x').context("--size is like 120x36")?;
    let size = (width.parse()?, height.parse()?);
    let theme = Theme::named(&args.theme)?;
    let ground = if args.theme.starts_with("light") { Ground::Light } else { Ground::Dark };
    if let (Some(tour), Some(path)) = (&args.tour, &args.path) {
        let script = std::fs::read_to_string(tour).with_context(|| tour.display().to_string())?;
        let frames = recording::record(path, &script, size, &args.theme)?;
        io::stdout().write_all(svg::moving(&frames, ground, Still::Second).as_bytes())?;
        return Ok(());
    }
    let mut stage = Stage::new(theme, size);
    let picture = match (&args.frames, &args.path) {
        (Some(frames), _) => {
            let script = std::fs::read_to_string(frames).with_context(|| frames.display().to_string())?;
            svg::moving(&stage.play(&script)?, ground, Still::Last)
        }
        (None, path) => {
            stage.open(path.as_deref().unwrap_or(Path::new("samples/demo.txt")))?;
            args.keys.split_whitespace().flat_map(keys_of).for_each(|key| stage.press(key));
            svg::still(&stage.frame()?, ground)
        }
    };
    io::stdout().write_all(picture.as_bytes())?;
    Ok(())
}

/// A screen in memory, and its user.
struct Stage {
    state: Transcript,
    theme: Theme,
    terminal: Terminal<TestBackend>,
}

impl Stage {
    fn new(theme: Theme, (width, height): (u16, u16)) -> Self {
        let mut state = playground(&Options::default(), "", None);
        state.update(Msg::Resize(width, height));
        let terminal = Terminal::new(TestBackend::new(width, height)).expect("a buffer takes everything");
        Self { state, theme, terminal }
    }

    /// Shows a transcript instead of a playground.
    fn open(&mut self, path: &Path) -> Result<()> {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let session = Session::new(Container::default(), &Options::default());
        let origin = TextOrigin { name: path.display().to_string(), ..TextOrigin::default() };
        self.state = Transcript::new(session, Options::default(), origin, self.state.chrome.size);
        self.state.update(Msg::Source(SourceEvent::Chunk(bytes)));
        self.state.update(Msg::Source(SourceEvent::End));
        Ok(())
    }

    /// Types a script into the playground, and takes the frames.
    fn play(&mut self, script: &str) -> Result<Vec<Frame>> {
        let mut frames = Vec::new();
        for line in script.lines() {
            let (line, is_taken) = line.strip_suffix('\\').map_or((line, true), |line| (line, false));
            match line.strip_prefix("> ") {
                Some(keys) => keys.split_whitespace().flat_map(keys_of).for_each(|key| self.press(key)),
                None => line.chars().map(KeyCode::Char).chain([KeyCode::Enter]).for_each(|code| {
                    self.press(KeyEvent::new(code, KeyModifiers::NONE));
                }),
            }
            if is_taken {
                frames.push(self.frame()?);
            }
        }
        Ok(frames)
    }

    fn press(&mut self, key: KeyEvent) {
        if let Some(msg) = input::message(self.state.input_mode(), Event::Key(key), &self.state.chrome.keymap) {
            self.state.update(msg);
        }
        while self.state.work() {}
        _ = prepare(&mut self.state);
    }

    fn frame(&mut self) -> Result<Frame> {
        _ = prepare(&mut self.state);
        let Self { state, theme, terminal } = self;
        let cells = terminal.draw(|frame| state.draw(frame, theme))?.buffer.clone();
        Ok(Frame { cells, cursor: state.cursor() })
    }
}

/// The keys of a word: its one key if it is the name of one, else one for each of its letters.
fn keys_of(word: &str) -> Vec<KeyEvent> {
    let plain = |code| vec![KeyEvent::new(code, KeyModifiers::NONE)];
    match (word, word.strip_prefix("ctrl-").and_then(|letter| letter.chars().next())) {
        ("Enter", _) => plain(KeyCode::Enter),
        ("Esc", _) => plain(KeyCode::Esc),
        ("Tab", _) => plain(KeyCode::Tab),
        ("Backspace", _) => plain(KeyCode::Backspace),
        (_, Some(letter)) => vec![KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)],
        _ => word.chars().flat_map(|letter| plain(KeyCode::Char(letter))).collect(),
    }
}
