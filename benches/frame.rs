//! How long a frame of a large document takes, and what happens between two frames: a step, a jump, a search; beside
//! it a frame of as many cells that ratatui fills with plain words.
//!
//! `cargo bench --bench frame` runs all, `cargo bench --bench frame -- step` one. Compare with the line of `peer` in
//! the same run, not with another machine.

mod generate;

use std::hint::black_box;

use divan::Bencher;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::widgets::{Paragraph, Wrap};

use transcope::container::Container;
use transcope::dialect::Options;
use transcope::session::Session;
use transcope::source::{CHUNK, SourceEvent};
use transcope::tui::action::{Action, Motion};
use transcope::tui::search::Search;
use transcope::tui::state::{Origin, State};
use transcope::tui::theme::Theme;
use transcope::tui::update::{Happened, settle, update};
use transcope::tui::view;

const SIZE: (u16, u16) = (200, 60);

fn main() {
    divan::main();
}

/// A screen and what it shows.
struct Screen {
    state: State,
    theme: Theme,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    /// With a document that has arrived whole, in its middle.
    fn new() -> Self {
        let mut screen = Self::empty();
        for chunk in generate::transcript(generate::length(10_000_000)).chunks(CHUNK) {
            update(&mut screen.state, Happened::Source(SourceEvent::Chunk(chunk.to_vec())));
        }
        update(&mut screen.state, Happened::Source(SourceEvent::End));
        screen.act(Action::Move(Motion::Bottom));
        for _ in 0..20 {
            screen.act(Action::Call(-1));
        }
        screen
    }

    fn empty() -> Self {
        let session = Session::new(Container::default(), &Options::default()).expect("the dialects are known");
        Self {
            state: State::new(session, Options::default(), Origin::default(), SIZE),
            theme: Theme::named("dark").expect("a built-in theme"),
            terminal: Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a buffer takes everything"),
        }
    }

    fn act(&mut self, action: Action) {
        update(&mut self.state, Happened::Action(action));
    }

    fn draw(&mut self) {
        settle(&mut self.state);
        let Self { state, theme, terminal } = self;
        terminal.draw(|frame| view::draw(frame, state, theme)).expect("a buffer takes everything");
        drop(black_box(state.cache.borrow_mut().take_wanted()));
    }
}

#[divan::bench]
fn peer_paragraph(bencher: Bencher) {
    let cells = usize::from(SIZE.0) * usize::from(SIZE.1);
    let words = "some plain words ".repeat(cells / 17);
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a buffer takes everything");
    bencher.bench_local(|| {
        let paragraph = Paragraph::new(black_box(words.as_str())).wrap(Wrap { trim: false });
        terminal.draw(|frame| frame.render_widget(paragraph, frame.area())).expect("a buffer takes everything");
    });
}

/// Nothing has changed: everything is laid out already.
#[divan::bench]
fn same_frame(bencher: Bencher) {
    let mut screen = Screen::new();
    bencher.bench_local(|| screen.draw());
}

/// As after a resize: nothing is laid out.
#[divan::bench]
fn frame_laid_out_anew(bencher: Bencher) {
    let mut screen = Screen::new();
    bencher.bench_local(|| {
        update(&mut screen.state, Happened::Resize(SIZE.0, SIZE.1));
        screen.draw();
    });
}

/// A line down or up, and the frame.
#[divan::bench]
fn step(bencher: Bencher) {
    let mut screen = Screen::new();
    let mut steps = 0_u32;
    bencher.bench_local(|| {
        steps += 1;
        screen.act(Action::Move(Motion::Line(if steps % 64 < 32 { 1 } else { -1 })));
        screen.draw();
    });
}

/// From one end of the document to the other, and the frame.
#[divan::bench]
fn jump(bencher: Bencher) {
    let mut screen = Screen::new();
    let mut jumps = 0_u32;
    bencher.bench_local(|| {
        jumps += 1;
        screen.act(Action::Move(if jumps.is_multiple_of(2) { Motion::Top } else { Motion::Bottom }));
        screen.draw();
    });
}

/// A piece arrives while the view is held at the end, and the frame.
#[divan::bench]
fn follow(bencher: Bencher) {
    let mut screen = Screen::empty();
    screen.state.hold_end = true;
    update(&mut screen.state, Happened::Source(SourceEvent::Chunk(generate::transcript(generate::length(1_000_000)))));
    update(&mut screen.state, Happened::Source(SourceEvent::CaughtUp));
    let more = generate::transcript(4000);
    let mut pieces = more.chunks(40).cycle();
    bencher.bench_local(|| {
        let piece = pieces.next().unwrap_or_default().to_vec();
        update(&mut screen.state, Happened::Source(SourceEvent::Chunk(piece)));
        screen.draw();
    });
}

/// The whole text for a pattern, some rare and some on every page.
#[divan::bench(sample_count = 10, args = ["seaside", "retries: .*5", "日本", "no such words"])]
fn search(bencher: Bencher, pattern: &str) {
    let screen = Screen::new();
    bencher.bench_local(|| {
        let mut search = Search::new(black_box(pattern)).expect("a pattern");
        while search.advance(screen.state.session.text(), true) {}
        search.total()
    });
}
