//! Handover from one scanner to another, at the beginning of a line of prose with nothing open.
//!
//! The remembered state of the dialects is compared by its hash.

use std::hash::{DefaultHasher, Hasher as _};

use super::super::MarkdownContext;
use super::Scanner;
use super::unclosed::Rereads;
use crate::text::Text;

/// Hash of everything that a scanner remembers where nothing is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScannerMemory(u64);

impl Scanner {
    /// The memory at `at`, the end of `text`; `None` unless the scanner is there, at the beginning of a line, with
    /// everything before it decided.
    pub fn memory_at(&self, text: &Text, at: usize) -> Option<ScannerMemory> {
        let is_line_start = self.markdown.line_start() == at && !self.markdown.in_fence();
        let is_behind = self.last_call.is_none_or(|(end, _)| end <= at);
        let rests = self.open.is_none() && self.yielded.is_none() && self.looked == 0 && self.runtime.is_none();
        let knows_nothing = self.endless.iter().all(Option::is_none);
        let stands = self.at == at && self.given == at && text.len() == at;
        if !(stands && is_line_start && is_behind && rests && knows_nothing) {
            return None;
        }
        let mut memory = DefaultHasher::new();
        self.dialects.iter().for_each(|dialect| dialect.hash_state(text, at, &mut memory));
        Some(ScannerMemory(memory.finish()))
    }

    /// A scanner with the same memory, moved to the beginning of a line at `at`.
    pub fn moved_to(&self, at: usize) -> Self {
        let mut scanner = self.clone();
        let mut markdown = MarkdownContext::default();
        markdown.pass_to(at);
        scanner.begin_at(at, markdown);
        scanner.rereads = Rereads::default();
        scanner
    }

    /// True if `next`, which continued from here, would have done the same had it known how much was already read
    /// again.
    pub fn may_hand_over_to(&self, next: &Self) -> bool {
        let mut together = self.rereads;
        together.append(next.rereads);
        next.rereads == Rereads::default() || together.allows_more()
    }

    /// Takes over the state of `next`, which continued from here; see [`Scanner::may_hand_over_to`].
    pub fn hand_over_to(&mut self, next: Self) {
        let mut together = self.rereads;
        together.append(next.rereads);
        *self = Self { rereads: together, ..next };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::iter::once;

    use super::*;
    use crate::dialect::{Options, ParseEvent, all_names, named};

    /// Maximum number of lines of an example whose beginnings are used as cut points.
    const LINES: usize = 5;

    /// Texts of whole lines that a dialect may remember: parts of its example, exact and as near misses, and its
    /// markers.
    fn pieces(options: &Options) -> Vec<String> {
        let mut pieces = vec!["Text.\n".to_owned()];
        for info in &options.only {
            let starts = once(0).chain(info.example.match_indices('\n').map(|(feed, _)| feed + 1));
            let starts: Vec<usize> = starts.take(LINES).chain([info.example.len()]).collect();
            for (number, &start) in starts.iter().enumerate() {
                pieces.extend(starts[number + 1..].iter().map(|&end| info.example[start..end].to_owned()));
            }
        }
        pieces.extend(pieces.clone().iter().map(|piece| piece.to_uppercase()));
        let scanner = Scanner::from_options(options);
        let triggers = scanner.dialects().iter().flat_map(|dialect| dialect.triggers().anywhere);
        pieces.extend(triggers.map(|marker| format!("{}\n", String::from_utf8_lossy(&marker))));
        pieces.sort_unstable();
        pieces.dedup();
        pieces
    }

    fn read(scanner: &mut Scanner, text: &Text, finished: bool) -> Vec<ParseEvent> {
        let mut events = Vec::new();
        while scanner.advance(text, finished, &mut events) {}
        events
    }

    fn text(parts: &[&str]) -> Text {
        let mut text = Text::default();
        text.push(parts.concat().as_bytes());
        text
    }

    #[test]
    fn scanners_that_remember_the_same_read_the_same() {
        let (mut compared, mut faults) = (0, Vec::new());
        for name in all_names() {
            let alone = Options { only: named(name).into_iter().collect(), ..Options::default() };
            let (pieces, all) = (pieces(&alone), Options::default());
            let mut known: HashMap<(bool, u64), Scanner> = HashMap::new();
            for (before, options) in pieces.iter().flat_map(|piece| [(piece, &alone), (piece, &all)]) {
                let mut scanner = Scanner::from_options(options);
                let begun = text(&[before]);
                read(&mut scanner, &begun, false);
                let Some(ScannerMemory(memory)) = scanner.memory_at(&begun, begun.len()) else { continue };
                let memory = (options.only.is_empty(), memory);
                let Some(first) = known.get(&memory) else {
                    known.insert(memory, scanner);
                    continue;
                };
                for after in &pieces {
                    let text = text(&[before, after]);
                    let [one, other] = [scanner.clone(), first.moved_to(before.len())]
                        .map(|mut scanner| format!("{:?}", read(&mut scanner, &text, true)));
                    compared += 1;
                    if one != other {
                        faults.push(format!("{name}: {after:?} after {before:?}: {one} or {other}"));
                    }
                }
            }
        }
        assert!(faults.is_empty(), "remember() leaves something out:\n{}", faults.join("\n"));
        assert!(compared > 10_000, "{compared} texts");
    }
}
