//! Runs the tests and writes what they tried into the table of promises in ARCHITECTURE.md.
//!
//! ```text
//! cargo run --example promises
//! PROPTEST_CASES=100000 cargo run --example promises
//! cargo run --example promises -- FILE
//! ```
//!
//! The second command tries more random inputs. The third one runs nothing, and reads the figures from FILE, which
//! tests have written with `TRANSCOPE_FIGURES`. It is an error if a promise has no figure or if a test fails; the table
//! is then not changed. Independent of how anything is tried.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use serde_json::Value as Json;

#[path = "../tests/shared/figures.rs"]
mod figures;

use figures::Promise;

/// The line above the table; an empty line follows the table.
const HEAD: &str = "| promise | how it is tried | where | in the last run |";

/// The rows in their order: the promise, how it is tried, and where.
const ROWS: [(Promise, &str, &str, &str); 10] = [
    (
        Promise::Inputs,
        "No input crashes, hangs or confuses the program",
        "seeds and all inputs that ever failed, with mutations; `cargo +nightly fuzz`",
        "`fuzz`, `tests/replay`",
    ),
    (
        Promise::Cuts,
        "How the bytes are cut makes no difference",
        "texts of markers and pieces of markers, byte by byte, in pieces, out of memory and back",
        "`tests/properties`",
    ),
    (
        Promise::Terminal,
        "No content of a file and no name controls the terminal",
        "every command and every screen with escape sequences in all places",
        "`tests/pty`, `tests/properties`, `tests/tui`",
    ),
    (
        Promise::Growth,
        "Four times the input takes at most five times the steps",
        "families of texts that were or could be quadratic, in counted steps; `cargo run --release --example growth`",
        "`tests/growth`",
    ),
    (
        Promise::Memory,
        "Memory stays in its budget",
        "families of texts at two sizes, by peak allocation",
        "`tests/memory`",
    ),
    (
        Promise::Secrets,
        "Secrets are replaced, and nothing else",
        "kinds of secrets, each in the ten ways people write it; code without secrets",
        "`tests/properties`",
    ),
    (
        Promise::Keys,
        "Whatever keys are pressed, the screen stays consistent and the terminal is restored",
        "random walks over all screens; failing ones are shrunk",
        "`tests/tui`, `tests/pty`",
    ),
    (
        Promise::Faults,
        "Failures around the program are reported, and lose nothing",
        "the first, second, third … operation fails, until none is left; signals; limits of the system",
        "`crates/output/src/source`, `tests/pty`, `tests/cli`",
    ),
    (
        Promise::Following,
        "A file is followed whatever happens to it",
        "every short sequence of appending, truncating, replacing and deleting, and long random ones, against a model",
        "`crates/output/src/source/follow`",
    ),
    (
        Promise::Files,
        "A written file is complete or does not exist",
        "operations that fail one after another, full disks, kills at random moments",
        "`crates/text/src/system`, `tests/cli`",
    ),
];

/// For each promise, the number of each kind of thing that was tried.
type Figures = BTreeMap<String, BTreeMap<String, u64>>;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let told = match env::args_os().nth(1) {
        Some(file) => fs::read_to_string(file)?,
        None => run_tests(root)?,
    };
    let mut figures = added_up(&told)?;
    figures.entry("Inputs".to_owned()).or_default().insert("that once failed".to_owned(), found(root)?);
    let rows = ROWS.iter().map(|row| line(row, &figures)).collect::<Result<Vec<String>, _>>()?;
    let page = root.join("ARCHITECTURE.md");
    let text = fs::read_to_string(&page)?;
    let (front, rest) = text.split_once(HEAD).ok_or("ARCHITECTURE.md has no table of promises")?;
    let (_, behind) = rest.split_once("\n\n").ok_or("nothing follows the table of promises")?;
    let table = format!("{HEAD}\n|---|---|---|---|\n{}", rows.join("\n"));
    println!("{table}");
    fs::write(&page, format!("{front}{table}\n\n{behind}"))?;
    Ok(())
}

/// Runs all tests. Returns the figures that they wrote.
fn run_tests(root: &Path) -> Result<String, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let told = folder.path().join("figures");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status =
        Command::new(cargo).args(["test", "--locked"]).env(figures::VARIABLE, &told).current_dir(root).status()?;
    if !status.success() {
        return Err("a test failed; the table stays as it is".into());
    }
    Ok(fs::read_to_string(&told)?)
}

/// Number of stored inputs that once revealed a bug.
fn found(root: &Path) -> Result<u64, Box<dyn Error>> {
    let mut count = 0;
    for target in fs::read_dir(root.join("fuzz/found"))? {
        count += fs::read_dir(target?.path())?.count() as u64;
    }
    Ok(count)
}

fn added_up(told: &str) -> Result<Figures, Box<dyn Error>> {
    let mut figures = Figures::new();
    for line in told.lines() {
        let line: Json = serde_json::from_str(line)?;
        let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let count = line["count"].as_u64().unwrap_or_default();
        *figures.entry(word("promise")).or_default().entry(word("what")).or_default() += count;
    }
    Ok(figures)
}

fn line((promise, sentence, how, place): &(Promise, &str, &str, &str), all: &Figures) -> Result<String, String> {
    let figures = all.get(&format!("{promise:?}")).ok_or_else(|| format!("no test tells of {promise:?}"))?;
    let figures: Vec<String> = figures.iter().map(|(what, &count)| format!("{} {what}", grouped(count))).collect();
    Ok(format!("| {sentence} | {how} | {place} | {} |", figures.join(", ")))
}

/// A number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = (digits.len() - 1) % 3 + 1;
    let groups = digits.as_bytes()[first..].chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    [digits[..first].to_owned()].into_iter().chain(groups).collect::<Vec<_>>().join(",")
}
