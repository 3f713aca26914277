//! Draws a screen with a document into memory, and a paragraph of plain words on a screen of the same size, which is
//! the least that a frame costs. Independent of how often or how long anything is drawn.

use std::hint::black_box;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::widgets::{Paragraph, Wrap};

use transcope::container::Container;
use transcope::dialect::Options;
use transcope::session::Session;
use transcope::source::{CHUNK, SourceEvent};
use transcope::tui::action::{Action, Motion};
use transcope::tui::message::Msg;
use transcope::tui::screen::Screen as _;
use transcope::tui::screen::transcript::Transcript;
use transcope::tui::screen::transcript::prepare;
use transcope::tui::theme::Theme;
use transcope::tui::view::origin::TextOrigin;

/// Columns and rows.
pub const SIZE: (u16, u16) = (200, 60);

/// A screen with the text that it shows.
pub struct Screen {
    pub state: Transcript,
    theme: Theme,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    /// A screen near the end of a document that has arrived completely.
    pub fn of(text: &[u8]) -> Self {
        let mut screen = Self::empty();
        for chunk in text.chunks(CHUNK) {
            screen.state.update(Msg::Source(SourceEvent::Chunk(chunk.to_vec())));
        }
        screen.state.update(Msg::Source(SourceEvent::End));
        screen.act(Action::Move(Motion::Bottom));
        for _ in 0..20 {
            screen.act(Action::Call(-1));
        }
        screen
    }

    pub fn empty() -> Self {
        let session = Session::new(Container::default(), &Options::default());
        Self {
            state: Transcript::new(session, Options::default(), TextOrigin::default(), SIZE),
            theme: Theme::named("dark").expect("a built-in theme"),
            terminal: Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a buffer takes everything"),
        }
    }

    /// Moves a line down or up, alternating every 32 steps, and draws a frame.
    pub fn step(&mut self, number: u32) {
        self.act(Action::Move(Motion::Line(if number % 64 < 32 { 1 } else { -1 })));
        self.draw();
    }

    /// Jumps from one end of the document to the other, and draws a frame.
    pub fn jump(&mut self, number: u32) {
        self.act(Action::Move(if number.is_multiple_of(2) { Motion::Top } else { Motion::Bottom }));
        self.draw();
    }

    /// Draws a frame with nothing laid out, as after a resize.
    pub fn anew(&mut self) {
        self.state.update(Msg::Resize(SIZE.0, SIZE.1));
        self.draw();
    }

    pub fn draw(&mut self) {
        _ = prepare(&mut self.state);
        let Self { state, theme, terminal } = self;
        terminal.draw(|frame| state.draw(frame, theme)).expect("a buffer takes everything");
        drop(black_box(state.view.cache.borrow_mut().take_wanted()));
    }

    fn act(&mut self, action: Action) {
        self.state.update(Msg::Action(action));
    }
}

/// The same number of cells, filled with plain words.
pub struct Plain {
    words: String,
    terminal: Terminal<TestBackend>,
}

impl Plain {
    pub fn new() -> Self {
        let cells = usize::from(SIZE.0) * usize::from(SIZE.1);
        Self {
            words: "some plain words ".repeat(cells / 17),
            terminal: Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a buffer takes everything"),
        }
    }

    pub fn draw(&mut self) {
        let paragraph = Paragraph::new(black_box(self.words.as_str())).wrap(Wrap { trim: false });
        self.terminal.draw(|frame| frame.render_widget(paragraph, frame.area())).expect("a buffer takes everything");
    }
}
