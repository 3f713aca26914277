//! Measures how fast a text is read, whole and in chunks, and printed as JSON. For comparison, its line feeds are
//! counted, which is the least that any reader does.
//!
//! `cargo bench --bench parse` runs all, `cargo bench --bench parse -- pieces` one. Compare with the line of `peer` in
//! the same run, not with another machine.

mod generate;
#[expect(dead_code, reason = "its other shapes are for the ratios")]
#[path = "generate/shapes.rs"]
mod shapes;

use std::hint::black_box;
use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::BytesCount;

use transcope::container::Container;
use transcope::dialect::prefilter::{DialectSet, Prefilter, Stop};
use transcope::dialect::{MarkdownContext, Options, Triggers, registry};
use transcope::export::json;
use transcope::session::Session;
use transcope::text::Text;

/// Start markers of many model syntaxes, several of which share their first bytes.
const STARTS: [&str; 61] = [
    "<|tool_call_begin|>",
    "<|tool_calls_section_begin|>",
    "<|tool_call|>",
    "<|tool_call>call:",
    "<|tools_prefix|>",
    "<|action_start|><|plugin|>",
    "<|action_start|> <|plugin|>",
    "<|function_call|>",
    "<|message_sep|>\n\nfunction call<|role_sep|>",
    "<|START_ACTION|>",
    "<|python_tag|>",
    "<|python_start|>",
    "<|tool_call_start|>",
    "<|content_invoke_tool_json|>",
    "<|channel|>commentary to=",
    "<|start|>assistant to=",
    "<|open|>tools<|sep|>",
    "<|open|>call tool=",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool_calls_begin｜>",
    "<｜DSML｜function_calls>",
    "<｜DSML｜tool_calls>",
    "<｜DSML｜ tool_calls>",
    "｜GCML｜tool_calls>",
    "[TOOL_CALLS]",
    "[TOOL_CALLS] [",
    "[tool_calls]",
    "<seed:tool_call>",
    "<minimax:tool_call>",
    "]<]minimax[>[<tool_call>",
    "<longcat_tool_call>",
    "<dots_function_call>",
    "<start_function_call>call:",
    "<atem:function_calls>",
    "<ifm|tool_calls>",
    "<ifm|tool_call>",
    "<steptml:invoke name=",
    "<function_call>",
    "<function name=",
    "<function=",
    "<tool_calls>",
    "<tool_calls:opensource>",
    "<tool_call>\n<function=",
    "<tool_call:opensource>",
    "<tools>",
    "<TOOLCALL>[",
    "<invoke name=",
    "<param name=",
    "<tool_code>",
    "<execute>",
    "<use_mcp_tool>",
    "<rfl:parameter name=",
    "functools[",
    " functools[",
    " to=",
    " <tool_calls>[",
    ">>>",
    "Action:\n```json\n[",
    "Action: ",
    "```tool_code\n",
];

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

/// The same text with one dialect: the cost of the other dialects where they have nothing to do.
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

/// Prose without calls: the cost of detection where there is nothing to detect.
#[divan::bench(sample_count = 20)]
fn prose(bencher: Bencher) {
    let text = shapes::nomarks(generate::length(10_000_000));
    bencher.counter(BytesCount::of_slice(&text)).bench(|| Session::from_bytes(black_box(&text)));
}

/// Calls in all syntaxes in turn.
#[divan::bench(sample_count = 10)]
fn mixed(bencher: Bencher) {
    let text = shapes::mixed(generate::length(10_000_000));
    bencher.counter(BytesCount::of_slice(&text)).bench(|| Session::from_bytes(black_box(&text)));
}

/// Scanning prose for the next place that may concern a dialect, with the existing dialects and with 70.
#[divan::bench(sample_count = 20, args = [0, STARTS.len()])]
fn prefilter_of_prose(bencher: Bencher, more: usize) {
    let bytes = shapes::nomarks(generate::length(10_000_000));
    let mut text = Text::default();
    text.push(&bytes);
    let mut triggers: Vec<Triggers> = registry(&Options::default()).iter().map(|dialect| dialect.triggers()).collect();
    triggers
        .extend(STARTS[..more].iter().map(|start| Triggers { anywhere: vec![(*start).into()], ..Triggers::default() }));
    let prefilter = Prefilter::new(&triggers);
    bencher.counter(BytesCount::of_slice(&bytes)).bench_local(|| stops(&prefilter, black_box(&text)));
}

/// Number of stops in the scan of a text.
fn stops(prefilter: &Prefilter, text: &Text) -> usize {
    let (mut markdown, mut noted, mut from, mut stops) = (MarkdownContext::default(), DialectSet::EMPTY, 0, 0);
    loop {
        from = match prefilter.next(text, from, 0, usize::MAX, &mut markdown, &mut noted) {
            Stop::End => return stops,
            Stop::Line(feed) => {
                markdown.end_prose_line(text, feed);
                feed + 1
            }
            Stop::Place(at, _) => at + 1,
        };
        stops += 1;
    }
}
