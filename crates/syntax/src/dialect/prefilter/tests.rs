//! Compares the stops of the prefilter with a search that tries every text at every byte.

use super::*;
use crate::dialect::{Options, registry};

/// Trigger texts, some of which begin with frequent bytes, share bytes or contain each other.
const TEXTS: [&str; 13] =
    ["<a>", "<ab", "<", " to=", "o=", "fun[", " fun[", "[A]", "|G|a_", ">>>", "ab:\n``[", "abc", "="];

/// Building blocks of the searched texts: the bytes of [`TEXTS`], and parts of them.
const PIECES: [&str; 20] = [
    "<", "a", ">", "b", " ", "t", "o", "=", "fun", "[", "A]", "|", "G", "_", ":\n", "`", "\n", "c", " to=", "ab:\n``[",
];

/// Deterministic pseudo-random numbers.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// The offsets at which dialects must be probed, and the line feeds of lines that a dialect needs to see.
fn stops(triggers: &[Triggers], bytes: &[u8], limit: usize) -> Vec<(usize, Option<DialectSet>)> {
    let prefilter = Prefilter::new(triggers);
    let mut text = Text::default();
    text.push(bytes);
    let (mut markdown, mut noted, mut from, mut stops) = (MarkdownContext::default(), DialectSet::EMPTY, 0, Vec::new());
    while from < limit {
        from = match prefilter.next(&text, from, 0, limit, &mut markdown, &mut noted) {
            Stop::End => break,
            Stop::Line(feed) => {
                markdown.end_prose_line(&text, feed);
                stops.push((feed, None));
                feed + 1
            }
            Stop::Place(at, who) => {
                stops.push((at, Some(who)));
                at + 1
            }
        };
    }
    stops
}

fn every_stop(triggers: &[Triggers], bytes: &[u8], limit: usize) -> Vec<(usize, Option<DialectSet>)> {
    let bytes = &bytes[..limit];
    let (mut stops, mut noted) = (Vec::new(), false);
    for at in 0..limit {
        let is_at = |text: &Vec<u8>| {
            let length = text.len().min(limit - at);
            text[..length] == bytes[at..at + length]
        };
        let mut who = DialectSet::EMPTY;
        for (number, triggers) in triggers.iter().enumerate() {
            if triggers.anywhere.iter().any(is_at) {
                who |= DialectSet::one(number);
            }
            noted |= triggers.lines_with.iter().any(is_at);
        }
        // The line may open a code fence.
        noted |= at > 0 && bytes[at - 1] == b'\n' && bytes[at] == b'`';
        if !who.is_empty() {
            stops.push((at, Some(who)));
        }
        if bytes[at] == b'\n' {
            if noted {
                stops.push((at, None));
            }
            noted = false;
        }
    }
    stops
}

#[test]
fn the_stops_are_those_of_a_search_for_every_text_at_every_byte() {
    let mut chance = Chance(7);
    for round in 0..4000 {
        let triggers: Vec<Triggers> = (0..=chance.below(6))
            .map(|_| {
                let mut texts = || (0..chance.below(3)).map(|_| TEXTS[chance.below(TEXTS.len())].into()).collect();
                let anywhere = texts();
                // Lines do not contain line feeds.
                let mut lines_with: Vec<Vec<u8>> = texts();
                lines_with.retain(|text| !text.contains(&b'\n'));
                Triggers { anywhere, lines_with, ..Triggers::default() }
            })
            .collect();
        let mut bytes = b"x".to_vec();
        for _ in 0..chance.below(60) {
            bytes.extend_from_slice(PIECES[chance.below(PIECES.len())].as_bytes());
            if bytes.ends_with(b"\n") {
                // Ensures that no line begins with decoration or a fence.
                bytes.push(b'x');
            }
        }
        let limit = bytes.len() - chance.below(4).min(bytes.len());
        let wanted = every_stop(&triggers, &bytes, limit);
        let found = stops(&triggers, &bytes, limit);
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(found, wanted, "round {round}: {triggers:?} in {text:?} up to {limit}");
    }
}

#[test]
fn the_dialects_of_the_program_are_looked_for_in_a_way_made_for_so_many_bytes() {
    let triggers: Vec<Triggers> = registry(&Options::default()).iter().map(|dialect| dialect.triggers()).collect();
    // The first dialect is gadget; its calls are searched for the other dialects.
    for triggers in [&triggers[..], &triggers[1..]] {
        let Prefilter { marks, beginnings, .. } = Prefilter::new(triggers);
        assert!(marks.is_known() && beginnings.is_known(), "text/byte_set has none for {marks:?} {beginnings:?}");
    }
}
