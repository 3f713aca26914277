//! A filter selects the same items on several threads as on one, and writes the same matches.
//!
//! Texts are long here, so that every thread has work, whether they are in memory or not.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use transcope::container::Container;
use transcope::dialect::Options;
use transcope::export::matches::{MatchFormat, MatchWriter};
use transcope::filter::{Filter, Selection};
use transcope::session::Session;
use transcope::session::parallel::items::CHUNK;

use super::soups::{DEFAULT, callouts, soup};
use super::{Paged, settings};

/// Every term, alone and joined.
const FILTERS: [&str; 15] = [
    "failed",
    "not skipped",
    "rejected or open",
    "tool:*e* not has:problem",
    "arg:path~src/ or arg:filePath",
    "arg:p*~a or arg:path=notes.txt or arg:command",
    "/e[rs]/ is:call or zebra",
    "the or has:result id:*1*",
    "role:user or is:result",
    "dep>0 dialect:gadget",
    "has:note or code:duplicate-id or has:error",
    "is:text or is:call",
    "turn:last or turn:1..3 took<1m",
    "after:5m or before:2026-01-31 agent:*e*",
    "is:turn or is:subagent or is:compaction",
];

fn new() -> Session {
    Session::new(Container::default(), &Options::default())
}

fn read(mut session: Session, text: &[u8]) -> Session {
    session.push(text);
    session.finish();
    session
}

/// The selected items, and the matches in every format.
fn filtered(expression: &str, session: &Session, threads: usize) -> (Vec<usize>, (usize, usize), Vec<u8>) {
    let filter = Filter::parse(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    let selection = Selection::on_threads(&filter, session, threads);
    let mut written = Vec::new();
    for format in [MatchFormat::Text, MatchFormat::Ndjson, MatchFormat::Csv] {
        let writer = MatchWriter::new(format);
        writer.write(&mut written, "a.txt", session, &selection, threads).expect("memory takes everything");
    }
    (selection.items().to_vec(), selection.calls(), written)
}

/// Checks that filters select the same on three threads as on one. Returns the number of selected items.
fn check(text: &[u8]) -> Result<usize, TestCaseError> {
    let mut selected = 0;
    for session in [read(new(), text), read(Paged::of(new(), text), text)] {
        for expression in FILTERS {
            let expected = filtered(expression, &session, 1);
            prop_assert!(filtered(expression, &session, 3) == expected, "{}", expression);
            selected += expected.0.len();
        }
    }
    Ok(selected)
}

/// Repeats a text so that every thread has work, unless the first copy leaves something open.
fn repeated(text: &[u8]) -> Vec<u8> {
    let items = read(new(), text).document().items().len();
    text.repeat(5 * CHUNK / items.max(1) + 1)
}

/// Samples that can be repeated: nothing is open at their end, and no record has an id that must be unique.
const SAMPLES: [&str; 6] = [
    "demo.txt",
    "mixed.txt",
    "gadget/incident-response.txt",
    "containers/codex/lock-gates.jsonl",
    "containers/openhands/rejected.jsonl",
    "containers/goose/lamp-log.jsonl",
];

#[test]
fn filters_select_the_same_of_samples_on_several_threads() {
    for name in SAMPLES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
        let text = repeated(&std::fs::read(path).expect("a sample can be read"));
        let selected = check(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(selected > 10 * CHUNK, "{name}: {selected} items");
    }
}

proptest! {
    // Each case is slow.
    #![proptest_config(ProptestConfig { cases: settings().cases / 100, ..settings() })]

    #[test]
    fn filters_select_the_same_of_soups_on_several_threads(
        soups in vec(prop_oneof![soup(DEFAULT), callouts()], 1..12),
    ) {
        check(&repeated(&soups.join(&b"\n\n"[..])))?;
    }
}
