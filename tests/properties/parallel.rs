//! A text that is split and read on several threads gives the same result as on one.
//!
//! The segments are short here, so that they begin wherever something may be open.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use transcope::container::Container;
use transcope::dialect::Options;
use transcope::session::Session;
use transcope::session::parallel::{ChunkCounts, ParallelReader};

use super::soups::{DEFAULT, callouts, soup};
use super::{Paged, outcome, settings};

/// Reads a text on two threads in segments of about `length` bytes.
fn read_in_parallel(mut session: Session, text: &[u8], length: usize) -> (Session, ChunkCounts) {
    let mut reader = ParallelReader::new(2, length);
    for piece in text.chunks((length / 3).max(1)) {
        reader.push(&mut session, piece.to_vec());
    }
    reader.catch_up(&mut session);
    session.finish();
    (session, reader.outcome())
}

/// Compares this with reading on one thread, whether the text leaves memory or not.
fn check(text: &[u8], options: &Options, length: usize) -> Result<ChunkCounts, TestCaseError> {
    let new = || Session::new(Container::plain(), options);
    let mut whole = new();
    whole.push(text);
    whole.finish();
    let (parallel, stretches) = read_in_parallel(new(), text, length);
    let (paged, _) = read_in_parallel(Paged::of(new(), text), text, length);
    for session in [&parallel, &paged] {
        prop_assert_eq!(outcome(session), outcome(&whole), "in stretches of {}", length);
        let lines = |session: &Session| {
            let lines = session.lines();
            let starts = (0..lines.count()).map(|line| lines.span_of(session.text(), line));
            (starts.collect::<Vec<_>>(), session.text().read(transcope::text::Span::new(0, usize::MAX)).into_owned())
        };
        prop_assert_eq!(lines(session), lines(&whole));
        prop_assert!(session.text().lost().is_empty());
    }
    Ok(stretches)
}

#[test]
fn the_samples_are_read_in_stretches_as_they_are_read_at_once() {
    let mut all = ChunkCounts::default();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the samples are there").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let text = std::fs::read(entry.path()).expect("a sample can be read").repeat(2);
            for length in [70, 900] {
                let stretches = check(&text, &Options::default(), length);
                let ChunkCounts { joined, read_again } =
                    stretches.unwrap_or_else(|error| panic!("{}: {error}", entry.path().display()));
                all.joined += joined;
                all.read_again += read_again;
            }
        }
    }
    // The test is vacuous if all of the segments are read again, or none.
    assert!(all.joined > 500 && all.read_again > 50, "{all:?}");
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn soups_read_the_same_in_segments(
        soups in vec(prop_oneof![soup(DEFAULT), callouts()], 1..12),
        length in 30_usize..600,
    ) {
        let text = soups.join(&b"\n\n"[..]);
        check(&text, &Options::default(), length)?;
    }
}
