//! How fast a text is read, whole and in pieces, and printed as JSON; beside it how fast its line feeds are counted,
//! which is the least that any reader does.
//!
//! `cargo bench --bench parse` runs all, `cargo bench --bench parse -- pieces` one. Compare with the line of `peer` in
//! the same run, not with another machine.

mod generate;

use std::hint::black_box;
use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::BytesCount;

use transcope::container::Container;
use transcope::dialect::Options;
use transcope::export::json;
use transcope::session::Session;

static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| generate::transcript(generate::length(10_000_000)));

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 10)]
fn peer_counts_line_feeds(bencher: Bencher) {
    let text = &*TEXT;
    let bytes = BytesCount::of_slice(text);
    bencher.counter(bytes).bench(|| memchr::memchr_iter(b'\n', black_box(text)).count());
}

#[divan::bench(sample_count = 10)]
fn whole(bencher: Bencher) {
    let text = &*TEXT;
    bencher.counter(BytesCount::of_slice(text)).bench(|| Session::from_bytes(black_box(text)));
}

/// The same text with one dialect: what the others cost where there is nothing for them.
#[divan::bench(sample_count = 10)]
fn whole_with_gadget_alone(bencher: Bencher) {
    let text = &*TEXT;
    let options = Options { only: vec![transcope::dialect::named("gadget").expect("a dialect")], ..Options::default() };
    let read = || Session::read(black_box(text), &options);
    bencher.counter(BytesCount::of_slice(text)).bench(read);
}

#[divan::bench(sample_count = 10, args = [64 * 1024, 4 * 1024, 16])]
fn pieces(bencher: Bencher, length: usize) {
    let text = &*TEXT;
    bencher.counter(BytesCount::of_slice(text)).bench(|| {
        let mut session = Session::new(Container::default(), &Options::default());
        for piece in black_box(text).chunks(length) {
            session.push(piece);
        }
        session.finish();
        session
    });
}

#[divan::bench(sample_count = 10)]
fn print_as_json(bencher: Bencher) {
    let text = &*TEXT;
    let session = Session::from_bytes(text);
    let mut out = Vec::new();
    bencher.counter(BytesCount::of_slice(text)).bench_local(|| {
        out.clear();
        json::write_transcript(&mut out, black_box(&session), "bench.txt", None, None)
            .expect("memory takes everything");
        out.len()
    });
}
