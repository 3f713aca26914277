//! A filter on several threads selects what it selects on one, and its matches are written the same.
//!
//! Texts are long here, so that there is something for every thread, whether they are in memory or not.

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

/// What a filter selects, and how that is written in every format.
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

/// Filters select the same on three threads as on one; gives how many items they select together.
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

/// A text so often that there is something for every thread, unless the rest is in something that nothing ends.
fn repeated(text: &[u8]) -> Vec<u8> {
    let items = read(new(), text).document().items().len();
    text.repeat(5 * CHUNK / items.max(1) + 1)
}

/// Samples that may stand behind themselves: nothing is open at their end, and no record has an id that may come once.
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
    // Each of them is long.
    #![proptest_config(ProptestConfig { cases: settings().cases / 100, ..settings() })]

    #[test]
    fn filters_select_the_same_of_soups_on_several_threads(
        soups in vec(prop_oneof![soup(DEFAULT), callouts()], 1..12),
    ) {
        check(&repeated(&soups.join(&b"\n\n"[..])))?;
    }
}
