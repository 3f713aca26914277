//! Measures how long a frame of a large document takes, and what happens between two frames: a step, a jump, a search.
//! For comparison, ratatui draws a frame of the same size with plain words.
//!
//! `cargo bench --bench frame` runs all, `cargo bench --bench frame -- step` one. Compare with the line of `peer` in
//! the same run, not with another machine.

mod drawn;
mod generate;

use std::hint::black_box;

use divan::Bencher;

use transcope::source::SourceEvent;
use transcope::text::search::Search;
use transcope::tui::message::Msg;
use transcope::tui::screen::Screen as _;

use drawn::{Plain, Screen};

fn main() {
    divan::main();
}

fn screen() -> Screen {
    Screen::of(&generate::transcript(generate::length(10_000_000)))
}

#[divan::bench]
fn peer_paragraph(bencher: Bencher) {
    let mut plain = Plain::new();
    bencher.bench_local(|| plain.draw());
}

/// Nothing has changed: everything is laid out already.
#[divan::bench]
fn same_frame(bencher: Bencher) {
    let mut screen = screen();
    bencher.bench_local(|| screen.draw());
}

/// Nothing is laid out, as after a resize.
#[divan::bench]
fn frame_laid_out_anew(bencher: Bencher) {
    let mut screen = screen();
    bencher.bench_local(|| screen.anew());
}

/// Moves a line down or up, and draws a frame.
#[divan::bench]
fn step(bencher: Bencher) {
    let mut screen = screen();
    let mut steps = 0_u32;
    bencher.bench_local(|| {
        steps += 1;
        screen.step(steps);
    });
}

/// Jumps from one end of the document to the other, and draws a frame.
#[divan::bench]
fn jump(bencher: Bencher) {
    let mut screen = screen();
    let mut jumps = 0_u32;
    bencher.bench_local(|| {
        jumps += 1;
        screen.jump(jumps);
    });
}

/// A chunk arrives while the view is held at the end; then a frame is drawn.
#[divan::bench]
fn follow(bencher: Bencher) {
    let mut screen = Screen::empty();
    screen.state.following.hold_end = true;
    screen.state.update(Msg::Source(SourceEvent::Chunk(generate::transcript(generate::length(1_000_000)))));
    screen.state.update(Msg::Source(SourceEvent::CaughtUp));
    let more = generate::transcript(4000);
    let mut pieces = more.chunks(40).cycle();
    bencher.bench_local(|| {
        let piece = pieces.next().unwrap_or_default().to_vec();
        screen.state.update(Msg::Source(SourceEvent::Chunk(piece)));
        screen.draw();
    });
}

/// Searches the whole text for a pattern; some are rare and some are on every page.
#[divan::bench(sample_count = 10, args = ["seaside", "retries: .*5", "日本", "no such words"])]
fn search(bencher: Bencher, pattern: &str) {
    let screen = screen();
    bencher.bench_local(|| {
        let mut search = Search::new(black_box(pattern)).expect("a pattern");
        while search.advance(screen.state.view.session.text(), true) {}
        search.total
    });
}
