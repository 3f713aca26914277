//! Properties of arbitrary bytes, tried on the seeds of `fuzz`, on all inputs that once failed, and on both with
//! mutations: the starting point of libFuzzer, without libFuzzer.
//!
//! To try more of them: `PROPTEST_CASES=100000 cargo test --test replay`. An input that fails is added to
//! `fuzz/found/TARGET` under a name that describes it.

#[path = "../../fuzz/src/lib.rs"]
mod checks;
#[path = "../shared/figures.rs"]
mod figures;

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use checks::TARGETS;
use figures::Promise;

/// Default number of mutated inputs for each target.
const CASES: u32 = 64;

/// The inputs of a target, each with its name.
fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let mut inputs = Vec::new();
    for folder in ["corpus", "found"] {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(folder).join(target);
        // There may be no found inputs yet.
        let Ok(entries) = fs::read_dir(&place) else { continue };
        for entry in entries {
            let path = entry.expect("a folder can be listed").path();
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            // Inputs that libFuzzer has added have a hash as name.
            if name.len() != 40 {
                inputs.push((name, fs::read(&path).expect("an input can be read")));
            }
        }
    }
    inputs.sort();
    assert!(!inputs.is_empty(), "{target} has no seed");
    inputs
}

/// Mutates an input: bytes are deleted, doubled, or replaced by unusual ones.
fn slip(bytes: &mut Vec<u8>, how: usize, at: Index, length: usize) {
    const ODD: [&[u8]; 16] = [
        b"",
        b"\n",
        b"\"",
        b"{",
        b"}",
        b"[",
        b"]",
        b"<",
        b">",
        b"\\",
        b"\0",
        b"\xff",
        b"\x1b[2J",
        b":",
        b"'",
        "\u{202e}".as_bytes(),
    ];
    let start = at.index(bytes.len() + 1);
    let end = (start + length).min(bytes.len());
    let piece = bytes[start..end].to_vec();
    match how {
        0 => bytes.truncate(start),
        1 => drop(bytes.splice(start..start, piece)),
        how => drop(bytes.splice(start..end, ODD[how % ODD.len()].iter().copied())),
    }
}

/// Tries the inputs of a target unchanged, and mutated.
fn replay(target: &str) {
    let inputs = inputs(target);
    for (name, bytes) in &inputs {
        let run = std::panic::catch_unwind(|| checks::check(target, bytes));
        assert!(run.is_ok(), "{target}/{name}, see above");
    }
    // A short run is the same each time.
    let short = Config { cases: CASES, rng_seed: RngSeed::Fixed(1), ..Config::default() };
    let config = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default() } else { short };
    let config = Config { failure_persistence: None, ..config };
    let cases = config.cases;
    let slips = (any::<Index>(), vec((0..40_usize, any::<Index>(), 0..30_usize), 1..4));
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&slips, |(input, slips)| {
        let mut bytes = inputs[input.index(inputs.len())].1.clone();
        for (how, at, length) in slips {
            slip(&mut bytes, how, at, length);
        }
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let run = std::panic::catch_unwind(|| checks::check(target, &bytes));
        run.map_err(|_| TestCaseError::fail(format!("{target}, see above: {shown:?}")))
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    figures::tell(Promise::Inputs, "inputs", inputs.len() + cases as usize);
    if matches!(target, "container" | "dialect" | "session") {
        // Byte by byte, and once at random places.
        figures::tell(Promise::Cuts, "cuts", 2 * (inputs.len() + cases as usize));
    }
}

/// Defines a test for each target, so that they run in parallel.
macro_rules! replay {
    ($($target:ident)*) => {
        $(#[test] fn $target() { replay(stringify!($target)); })*

        #[test]
        fn every_target_is_replayed_and_can_be_run() {
            let here: Vec<&str> = vec![$(stringify!($target)),*];
            let known: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(here, known);
            let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/Cargo.toml"));
            let manifest = manifest.expect("there is a manifest");
            let programs: Vec<&str> =
                manifest.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).skip(1).collect();
            assert_eq!(programs, known);
        }
    };
}

replay! {
    arguments container declaration dialect export files redact runtime sanitize session settings tables
}
