//! Plays a user at the terminal: a text arrives, keys are pressed, and the screen is examined.
//!
//! Keys take the same way as in the loop, through `tui::input` and `tui::update`, and frames come from `tui::view`;
//! only the terminal is a buffer. Independent of how a screen should look.

use std::ops::Range;
use std::sync::mpsc::channel;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use transcope::container::Container;
use transcope::dialect::Options;
use transcope::session::Session;
use transcope::source::SourceEvent;
use transcope::tui::highlight::Highlighter;
use transcope::tui::input;
use transcope::tui::message::{Effect, Msg, Task};
use transcope::tui::screen::Screen as _;
use transcope::tui::screen::transcript::Transcript;
use transcope::tui::screen::transcript::playground::playground;
use transcope::tui::screen::transcript::prepare;
use transcope::tui::tail::Tail;
use transcope::tui::theme::Theme;
use transcope::tui::view::cache::HighlightRequest;
use transcope::tui::view::origin::TextOrigin;

use super::shown::{self, text_of};

/// The screen and its user.
pub struct Player {
    /// The state of the screen.
    pub state: Transcript,
    theme: Theme,
    terminal: Terminal<TestBackend>,
}

impl Player {
    /// Before anything has arrived.
    pub fn new(name: &str, size: (u16, u16)) -> Self {
        Self::with_options(name, Options::default(), size)
    }

    /// A text that is read with these options.
    pub fn with_options(name: &str, options: Options, (width, height): (u16, u16)) -> Self {
        let session = Session::new(Container::default(), &options);
        let origin = TextOrigin { name: name.to_owned(), ..TextOrigin::default() };
        Self {
            state: Transcript::new(session, options, origin, (width, height)),
            theme: shown::theme(),
            terminal: Terminal::new(TestBackend::new(width, height)).expect("a buffer takes everything"),
        }
    }

    /// A complete text, which arrived in chunks of at most `piece` bytes.
    pub fn with_text(name: &str, text: &[u8], piece: usize, size: (u16, u16)) -> Self {
        let mut player = Self::new(name, size);
        for chunk in text.chunks(piece) {
            player.source(SourceEvent::Chunk(chunk.to_vec()));
        }
        player.source(SourceEvent::End);
        player
    }

    /// A playground with a text; the cursor is at its beginning.
    pub fn playing(text: &str, size: (u16, u16)) -> Self {
        let mut player = Self::new("playground", size);
        player.state = playground(&player.state.view.options, text, None);
        player.resize(size.0, size.1);
        player
    }

    /// The same with the focus outside its text.
    pub fn escaped(mut self) -> Self {
        self.press("Esc");
        self
    }

    /// Follows a file that starts with `text`, as `-f` does.
    pub fn following(name: &str, text: &str, size: (u16, u16)) -> Self {
        let mut player = Self::new(name, size);
        player.state.following.hold_end = true;
        player.arrives(text);
        player.source(SourceEvent::CaughtUp);
        player
    }

    /// More of a followed text arrives.
    pub fn arrives(&mut self, text: &str) {
        self.source(SourceEvent::Chunk(text.as_bytes().to_vec()));
    }

    /// Delivers an event of the source.
    pub fn source(&mut self, event: SourceEvent) {
        self.state.update(Msg::Source(event));
    }

    /// Switches to another theme.
    pub fn look(&mut self, theme: &str) {
        self.theme = Theme::named(theme).expect("a built-in theme");
    }

    /// A frame with highlighted code.
    pub fn painted_frame(&mut self) -> Buffer {
        let (woken, wakes) = channel();
        let mut highlighter = Highlighter::new(move || woken.send(()).unwrap_or_default());
        loop {
            let frame = self.draw();
            let wanted = self.state.view.cache.borrow_mut().take_wanted();
            if wanted.is_empty() {
                return frame;
            }
            for HighlightRequest { key, language, text, .. } in wanted {
                highlighter.request(key, language, text);
                wakes.recv_timeout(Duration::from_mins(1)).expect("the worker answers");
                for (key, colours) in highlighter.take() {
                    self.state.update(Msg::Colours(key, colours));
                }
            }
        }
    }

    /// Presses keys written as `"j ctrl-d Tab /pool⏎ n"`: words separated by spaces; a word that is not the name of a
    /// key is typed letter by letter, with `⏎` for Enter and `␣` for a space. Returns the effects for the loop.
    pub fn press(&mut self, keys: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        for key in keys.split_whitespace().flat_map(keys_of) {
            effects.extend(self.event(Event::Key(key)));
        }
        while self.state.work() {}
        effects
    }

    /// Delivers an event of the terminal.
    pub fn event(&mut self, event: Event) -> Option<Effect> {
        let event = input::on_key(event, |x, y| self.state.key_at(x, y));
        let msg = input::message(self.state.input_mode(), event, &self.state.chrome.keymap)?;
        let effect = self.state.update(msg);
        // A user waits for the search for repairs before the next key.
        while self.state.is_looking_for_repairs() {
            self.state.work();
        }
        effect
    }

    /// Clicks on a cell.
    pub fn click(&mut self, column: u16, row: u16) {
        self.mouse(MouseEventKind::Down(MouseButton::Left), column, row);
    }

    /// Moves to a cell with the button held.
    pub fn drag(&mut self, column: u16, row: u16) {
        self.mouse(MouseEventKind::Drag(MouseButton::Left), column, row);
    }

    /// Clicks on the first occurrence of `words` in some columns.
    pub fn click_on(&mut self, words: &str, columns: Range<usize>) {
        let screen = self.screen();
        let place = screen.lines().enumerate().find_map(|(row, line)| {
            let part: String = line.chars().skip(columns.start).take(columns.len()).collect();
            part.find(words).map(|byte| (columns.start + part[..byte].chars().count(), row))
        });
        let (column, row) = place.unwrap_or_else(|| panic!("{words:?} is not on the screen:\n{screen}"));
        self.click(u16::try_from(column).expect("on the screen"), u16::try_from(row).expect("on the screen"));
    }

    /// Turns the wheel over a cell: down, or up if `turns` is negative.
    pub fn wheel(&mut self, column: u16, row: u16, turns: i32) {
        let kind = if turns > 0 { MouseEventKind::ScrollDown } else { MouseEventKind::ScrollUp };
        for _ in 0..turns.abs() {
            self.mouse(kind, column, row);
        }
    }

    fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) {
        self.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    }

    /// Resizes the window, and delivers the event.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.resize_window(width, height);
        self.event(Event::Resize(width, height));
    }

    /// Resizes the window before the event is delivered.
    pub fn resize_window(&mut self, width: u16, height: u16) {
        self.terminal.backend_mut().resize(width, height);
    }

    /// Draws a frame as the loop does. Returns its cells.
    pub fn frame(&mut self) -> Buffer {
        let frame = self.draw();
        // Values are not highlighted here.
        drop(self.state.view.cache.borrow_mut().take_wanted());
        frame
    }

    fn draw(&mut self) -> Buffer {
        if let Some(Effect::Run(Task::ReadTail(backing, part))) = prepare(&mut self.state)
            && let Ok(Some(tail)) = Tail::read(&backing, part)
        {
            self.state.update(Msg::Tail(part, tail));
        }
        let Self { state, theme, terminal } = self;
        // ratatui measures the terminal before it draws, and must accept an empty one.
        let drawn = terminal.draw(|frame| state.draw(frame, theme)).expect("a buffer takes everything");
        drawn.buffer.clone()
    }

    /// Draws a frame. Returns it as text, without trailing spaces.
    pub fn screen(&mut self) -> String {
        text_of(&self.frame())
    }

    /// The lowest line of the screen: the keys, the prompt or a message.
    pub fn status(&mut self) -> String {
        self.screen().lines().last().unwrap_or_default().to_owned()
    }
}

/// The keys of a word: a single one if it is the name of a key, else one for each letter.
pub fn keys_of(word: &str) -> Vec<KeyEvent> {
    let modifiers = [("ctrl-", KeyModifiers::CONTROL), ("alt-", KeyModifiers::ALT), ("", KeyModifiers::NONE)];
    let mut modified =
        modifiers.into_iter().filter_map(|(prefix, modifiers)| Some((word.strip_prefix(prefix)?, modifiers)));
    match modified.find_map(|(name, modifiers)| Some(KeyEvent::new(code(name)?, modifiers))) {
        Some(key) => vec![key],
        None => word.chars().map(letter).collect(),
    }
}

/// The key code for a name in the table.
fn code(name: &str) -> Option<KeyCode> {
    Some(match name {
        "Enter" => KeyCode::Enter,
        "Tab" => KeyCode::Tab,
        "BackTab" => KeyCode::BackTab,
        "Esc" => KeyCode::Esc,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "PageUp" => KeyCode::PageUp,
        "PageDown" => KeyCode::PageDown,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "Space" => KeyCode::Char(' '),
        "F1" => KeyCode::F(1),
        "F2" => KeyCode::F(2),
        "F3" => KeyCode::F(3),
        "Backspace" => KeyCode::Backspace,
        "Delete" => KeyCode::Delete,
        _ => {
            let mut letters = name.chars();
            return letters.next().filter(|_| letters.next().is_none()).map(|c| letter(c).code);
        }
    })
}

fn letter(c: char) -> KeyEvent {
    let code = match c {
        '⏎' => KeyCode::Enter,
        '␣' => KeyCode::Char(' '),
        c => KeyCode::Char(c),
    };
    KeyEvent::new(code, KeyModifiers::NONE)
}
