//! Texts that are cut, doubled and mixed at random, read by every parser of their dialect.
//!
//! The right result is unknown, but nothing may break, and all spans of a reading must be in the text.

use proptest::prelude::*;
use transcope::runtime::{Reason, RuntimeReading, catalog, read, read_streamed};

use crate::recorded::{self, RecordedText};

/// Changes a text: a range is deleted, doubled, or copied to a third place.
fn altered(text: &str, [from, to, at]: [prop::sample::Index; 3], how: u8) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let [from, to, at] = [from, to, at].map(|index| places[index.index(places.len())]);
    let (from, to) = (from.min(to), from.max(to));
    let piece = &text[from..to];
    match how {
        0 => text[..from].to_owned(),
        1 => format!("{}{}", &text[..from], &text[to..]),
        2 => format!("{}{piece}{}", &text[..to], &text[to..]),
        3 => format!("{}{piece}{}", &text[..at], &text[at..]),
        _ => format!("{}\u{1F600}\r\n\0{}", &text[..at], &text[at..]),
    }
}

/// True if all spans of a reading are in the text, in order.
fn holds(text: &str, reading: &RuntimeReading) -> bool {
    let lies = |start: usize, end: usize| text.get(start..end).is_some();
    let in_order = reading.parts.windows(2).all(|pair| pair[0].span.start <= pair[1].span.start);
    in_order
        && reading.parts.iter().all(|part| lies(part.span.start, part.span.end))
        && reading.reasons.iter().all(|Reason { span, .. }| lies(span.start, span.end))
        && reading.call_places().iter().all(|places| lies(places.call.start, places.call.end))
}

proptest! {
    #[test]
    fn whatever_is_said_of_a_text_lies_in_it(
        alterations in prop::collection::vec((any::<[prop::sample::Index; 3]>(), 0..5u8), 1..3),
        sample in any::<prop::sample::Index>(),
    ) {
        let recorded = recorded::texts();
        // 61 is coprime to the number of texts in a file, so that all dialects are covered.
        let first = sample.index(61);
        for (RecordedText { dialect, text, request }, _) in recorded.iter().skip(first).step_by(61) {
            let text = alterations.iter().fold(text.clone(), |text, (places, how)| altered(&text, *places, *how));
            for profile in catalog::all_releases(dialect) {
                let whole = read(profile, &text, request);
                prop_assert!(holds(&text, &whole), "{}:{} {text:?} {whole:#?}", profile.runtime, profile.parsers[0]);
                if let Some(pieces) = read_streamed(profile, &text, request) {
                    prop_assert!(holds(&text, &pieces), "{}:{} {text:?}", profile.runtime, profile.parsers[0]);
                }
            }
        }
    }
}
