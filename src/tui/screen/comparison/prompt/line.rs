//! The lines of two prompts next to each other, as byte ranges of both.

use std::ops::Range;
use std::time::Duration;

use crate::compare::RowKind;
use crate::tui::screen::comparison::values::{LinePair, MarkedWords, text_lines};

/// Time for the comparison of two prompts; lines that are not compared by then count as different.
const TIME: Duration = Duration::from_secs(2);

/// A line on both sides, or on one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedLine {
    /// The sides that have it, and whether it differs.
    pub kind: RowKind,
    /// Byte ranges in the left and in the right prompt, without the end of the line; empty where it is missing.
    pub sides: [Range<usize>; 2],
    /// Number of the line on each side, from 1; of the next one where it is missing.
    pub numbers: [usize; 2],
    /// Its parts, which cover both ranges in order.
    pub parts: Vec<AlignedPart>,
}

/// A part of a line that is equal on both sides, or differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedPart {
    /// Byte ranges in the left and in the right prompt; one of them may be empty.
    pub sides: [Range<usize>; 2],
    /// True if the bytes are not the same.
    pub differs: bool,
}

impl AlignedLine {
    /// True if the side has the line.
    pub fn is_on(&self, side: usize) -> bool {
        !matches!((self.kind, side), (RowKind::Left, 1) | (RowKind::Right, 0))
    }

    /// Index of the part with a byte of a side; of a difference that the side lacks, if it is there.
    pub fn part_at(&self, side: usize, offset: usize) -> Option<usize> {
        self.parts.iter().position(|part| {
            let range = &part.sides[side];
            range.contains(&offset) || (part.differs && range.is_empty() && range.start == offset)
        })
    }

    /// The byte of the other side that a byte of a side corresponds to: at the same place of an equal part, or at the start of
    /// what differs.
    pub fn counterpart(&self, side: usize, offset: usize) -> usize {
        let part = self.parts.iter().find(|part| offset < part.sides[side].end).or(self.parts.last());
        let Some(part) = part else { return self.sides[1 - side].start };
        let ahead = if part.differs { 0 } else { offset.saturating_sub(part.sides[side].start) };
        (part.sides[1 - side].start + ahead).min(part.sides[1 - side].end)
    }
}

/// The lines of two prompts, aligned.
pub fn aligned_lines(prompts: [&str; 2]) -> Vec<AlignedLine> {
    let [left, right] = prompts;
    let mut lines = aligned(text_lines(left, right, TIME));
    // After the last line of a side, nothing follows that the others would begin at.
    for line in &mut lines {
        let ranges = line.parts.iter_mut().map(|part| &mut part.sides).chain([&mut line.sides]);
        for (range, prompt) in ranges.flat_map(|sides| sides.iter_mut().zip(prompts)) {
            *range = range.start.min(prompt.len())..range.end.min(prompt.len());
        }
    }
    lines
}

/// The lines of a prompt without another one; the other side has none of them.
pub fn lines_alone(prompt: &str, side: usize) -> Vec<AlignedLine> {
    let kind = if side == 0 { RowKind::Left } else { RowKind::Right };
    let mut lines = aligned(prompt.split('\n').map(|line| LinePair::whole(kind, line)).collect());
    lines.iter_mut().flat_map(|line| &mut line.parts).for_each(|part| part.differs = false);
    lines
}

fn aligned(pairs: Vec<LinePair>) -> Vec<AlignedLine> {
    let (mut offsets, mut numbers) = ([0, 0], [1, 1]);
    let mut lines = Vec::with_capacity(pairs.len());
    for LinePair { kind, sides: words } in pairs {
        let mut line = AlignedLine { kind, sides: [0..0, 0..0], numbers, parts: parts(kind, &words, offsets) };
        for side in 0..2 {
            let length: usize = words[side].iter().map(|(word, _)| word.len()).sum();
            line.sides[side] = offsets[side]..offsets[side] + length;
            if line.is_on(side) {
                // The end of the line follows.
                offsets[side] += length + 1;
                numbers[side] += 1;
            }
        }
        lines.push(line);
    }
    lines
}

/// The parts of a line: equal words have the same length on both sides, so that they are cut at the ends of both.
fn parts(kind: RowKind, words: &[MarkedWords; 2], mut offsets: [usize; 2]) -> Vec<AlignedPart> {
    let is_alone = matches!(kind, RowKind::Left | RowKind::Right);
    let mut rest = words.each_ref().map(|words| {
        words.iter().map(|(word, differs)| (word.len(), *differs || is_alone)).filter(|(length, _)| *length > 0)
    });
    let mut heads = rest.each_mut().map(Iterator::next);
    let mut parts = Vec::new();
    while heads.iter().any(Option::is_some) {
        let differs = heads.iter().flatten().any(|(_, differs)| *differs);
        let shorter = heads.iter().flatten().map(|(length, _)| *length).min().unwrap_or_default();
        let mut sides = [0..0, 0..0];
        for side in 0..2 {
            let taken = match heads[side] {
                Some((length, true)) => length,
                Some(_) if !differs => shorter,
                _ => 0,
            };
            sides[side] = offsets[side]..offsets[side] + taken;
            offsets[side] += taken;
            heads[side] = match heads[side] {
                Some((length, differs)) if length > taken => Some((length - taken, differs)),
                Some(_) => rest[side].next(),
                None => None,
            };
        }
        parts.push(AlignedPart { sides, differs });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_both_prompts_and_equal_ones_are_equal() {
        for (left, right, expected) in [
            ("a b\nc", "a b\nc", vec!["=a b", "=c"]),
            ("n: 3\n", "n: \"3\"\n", vec!["=n: ", "~|\"", "=3", "~|\"", ""]),
            ("one\ntwo\nthree", "one\nthree\nfour", vec!["=one", "~two|", "=three", "~|four"]),
            ("x 1 y 2", "x 2 y", vec!["=x ", "~1|2", "= y", "~ 2|"]),
            ("", "a", vec!["~|a"]),
        ] {
            let lines = aligned_lines([left, right]);
            let mut found = Vec::new();
            for line in &lines {
                let mut ends = [line.sides[0].start, line.sides[1].start];
                for part in &line.parts {
                    for (range, end) in part.sides.iter().zip(&mut ends) {
                        assert_eq!(range.start, *end, "{left:?} {right:?}: {line:?}");
                        *end = range.end;
                    }
                    let [one, other] = [&left[part.sides[0].clone()], &right[part.sides[1].clone()]];
                    let sign = if part.differs { format!("~{one}|{other}") } else { format!("={one}") };
                    assert!(part.differs || one == other, "{left:?} {right:?}: {line:?}");
                    found.push(sign);
                }
                assert_eq!(ends, [line.sides[0].end, line.sides[1].end], "{left:?} {right:?}: {line:?}");
                if line.parts.is_empty() {
                    found.push(String::new());
                }
            }
            found.retain(|part| !part.is_empty());
            assert_eq!(found, expected.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>());
            let shown = |side: usize| {
                lines.iter().filter(|line| line.is_on(side)).map(|line| line.sides[side].clone()).collect::<Vec<_>>()
            };
            let joined = |text: &str, side| {
                shown(side).into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>().join("\n")
            };
            assert_eq!([joined(left, 0), joined(right, 1)], [left, right]);
        }
    }

    #[test]
    fn a_byte_has_a_counterpart() {
        let lines = aligned_lines(["n: 3, m", "n: \"3\", m"]);
        for (offset, expected) in [(0, 0), (2, 2), (3, 4), (5, 7), (6, 8)] {
            assert_eq!(lines[0].counterpart(0, offset), expected, "{offset}");
        }
    }
}
