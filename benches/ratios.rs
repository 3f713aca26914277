//! Every limit on speed and size that the program keeps, as a ratio to a peer that is measured in the same run: one
//! table with the measurement, the peer, the ratio, its limit and its goal.
//!
//! `cargo bench --bench ratios` measures all rows in about ten minutes, `cargo bench --bench ratios -- check search`
//! two of them; an unknown name lists them. `RATIOS_SCALE=0.1` scales inputs to a tenth of their size. They are created
//! once, in `target/ratios-data`. Peers that are not installed are skipped with a message. One of them is the reference
//! parser: `RATIOS_REFERENCE` is the folder in which `npm install llmist@18.4.0` was run.
//!
//! Times are medians; two things that are compared are measured alternately, so that both are subject to the same
//! noise. Whole processes are timed from start to end with a warm cache, their output read and dropped. What appears on
//! a screen is timed from the start, the key or the write to the arrival of the bytes that complete it on a model of
//! the screen, 200 by 60. The program is run with `--theme dark`, so that it does not query the terminal, except for
//! the rows that say otherwise. In a trial run, as in `cargo test`, inputs are tiny and everything runs once: a row
//! fails if what it waits for is no longer shown, and times do not matter.
//!
//! Independent of how anything is measured.

#![expect(clippy::unnecessary_wraps, reason = "all rows are measured in the same way")]

#[path = "ratios/corpus.rs"]
mod corpus;
mod drawn;
#[path = "ratios/each.rs"]
mod each;
#[path = "ratios/following.rs"]
mod following;
mod generate;
#[path = "ratios/inputs.rs"]
mod inputs;
#[path = "ratios/listing.rs"]
mod listing;
#[path = "ratios/loading.rs"]
mod loading;
#[path = "ratios/memory.rs"]
mod memory;
#[path = "ratios/opening.rs"]
mod opening;
#[path = "ratios/process.rs"]
mod process;
#[path = "ratios/reading.rs"]
mod reading;
#[path = "ratios/reference.rs"]
mod reference;
#[path = "ratios/runtimes.rs"]
mod runtimes;
#[path = "ratios/screen.rs"]
mod screen;
#[path = "generate/shapes.rs"]
mod shapes;
#[path = "ratios/table.rs"]
mod table;
#[path = "../tests/pty/terminal.rs"]
#[expect(dead_code, reason = "tests look at more of a terminal")]
mod terminal;
#[path = "ratios/trying.rs"]
mod trying;

use std::process::ExitCode;

use anyhow::Result;

use inputs::Setting;
use table::Table;

/// Measures a row of the table, which may have several lines.
type Row = fn(&Setting, &mut Table) -> Result<()>;

/// The rows by name, in measuring order.
const ROWS: [(&str, Row); 25] = [
    ("check", reading::check),
    ("filter", reading::filter),
    ("hostile", reading::hostile),
    ("pieces", reading::pieces),
    ("mixed", reading::mixed),
    ("each", each::each),
    ("lens", runtimes::lens),
    ("jsonl", reading::jsonl),
    ("reference", reference::reference),
    ("memory", memory::memory),
    ("index", corpus::corpus),
    ("start", opening::start),
    ("first", opening::first),
    ("list", listing::list),
    ("session", listing::session),
    ("frame", opening::frame),
    ("end", loading::end),
    ("resize", loading::resize),
    ("keys", loading::keys),
    ("search", loading::search),
    ("typing", trying::typing),
    ("steps", trying::steps),
    ("append", following::append),
    ("burst", following::burst),
    ("idle", following::idle),
];

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let mut table = Table::new(inputs::is_trial());
    if !cfg!(target_os = "linux") {
        table.say("nothing is measured: what there is to know of a process is read from /proc, as Linux has it");
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = asked.iter().find(|name| ROWS.iter().all(|(row, _)| row != name)) {
        let names: Vec<&str> = ROWS.iter().map(|(name, _)| *name).collect();
        table.say(&format!("there is no row {unknown}; the rows are {}", names.join(", ")));
        // `cargo test NAME` passes the names of tests to everything that it runs.
        return if inputs::is_trial() { ExitCode::SUCCESS } else { ExitCode::from(2) };
    }
    let setting = match Setting::new() {
        Ok(setting) => setting,
        Err(error) => {
            table.say(&format!("error: {error:#}"));
            return ExitCode::from(2);
        }
    };
    if let Some(words) = setting.sizes() {
        table.say(&words);
    }
    table.head();
    for (name, row) in ROWS {
        if (asked.is_empty() || asked.iter().any(|asked| asked == name))
            && let Err(error) = row(&setting, &mut table)
        {
            table.failed(name, &error);
        }
    }
    if table.has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
