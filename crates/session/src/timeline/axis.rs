//! An axis of time from which long pauses are cut.

use std::time::Duration;

use crate::container::facts::Timestamp;

/// A pause between turns longer than this part of all work is cut, if it is longer than [`SHORTEST_CUT`], too.
const CUT_PART: u64 = 20;

/// Shortest pause in milliseconds that is cut.
const SHORTEST_CUT: u64 = 60_000;

/// A cut takes this part of all work on the axis.
const CUT_WIDTH_PART: u64 = 50;

/// An axis whose positions are milliseconds of the times on it, starting at 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeAxis {
    /// Times between cuts, in order.
    pieces: Vec<AxisPiece>,
}

/// A time without a cut, in milliseconds since 1970, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AxisPiece {
    start: i64,
    end: i64,
    position: u64,
}

impl AxisPiece {
    /// Position of its end on the axis, in milliseconds.
    fn end_position(&self) -> u64 {
        self.position + self.end.abs_diff(self.start)
    }
}

impl TimeAxis {
    /// The axis for work from and to these times, in any order; ranges may overlap.
    #[must_use]
    pub fn new(work: impl Iterator<Item = (Timestamp, Timestamp)>) -> Self {
        let mut work: Vec<(i64, i64)> =
            work.map(|(start, end)| (start.as_millisecond(), end.max(start).as_millisecond())).collect();
        work.sort_unstable();
        work.dedup_by(|next, last| {
            let overlaps = next.0 <= last.1;
            if overlaps {
                last.1 = last.1.max(next.1);
            }
            overlaps
        });
        let all: u64 = work.iter().map(|(start, end)| end.abs_diff(*start)).sum();
        let (longest, width) = ((all / CUT_PART).max(SHORTEST_CUT), (all / CUT_WIDTH_PART).max(1));
        let mut pieces: Vec<AxisPiece> = Vec::new();
        for (start, end) in work {
            match pieces.last_mut() {
                Some(last) if start.abs_diff(last.end) <= longest => last.end = end,
                Some(last) => {
                    let position = last.end_position() + width;
                    pieces.push(AxisPiece { start, end, position });
                }
                None => pieces.push(AxisPiece { start, end, position: 0 }),
            }
        }
        Self { pieces }
    }

    /// Position of the end, in milliseconds.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.pieces.last().map_or(0, AxisPiece::end_position)
    }

    /// True if nothing on it takes any time.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Position of a time. A time in a cut is at its beginning; times outside are at the ends.
    #[must_use]
    pub fn position(&self, moment: Timestamp) -> u64 {
        let moment = moment.as_millisecond();
        let after = self.pieces.partition_point(|piece| piece.start <= moment);
        let Some(piece) = after.checked_sub(1).map(|at| self.pieces[at]) else { return 0 };
        piece.position + moment.min(piece.end).abs_diff(piece.start)
    }

    /// The time since the beginning at a position; in a cut, its beginning.
    #[must_use]
    pub fn since_start(&self, position: u64) -> Duration {
        let after = self.pieces.partition_point(|piece| piece.position <= position);
        let Some(piece) = after.checked_sub(1).map(|at| self.pieces[at]) else { return Duration::ZERO };
        let moment = piece.start.saturating_add_unsigned(position - piece.position).min(piece.end);
        Duration::from_millis(moment.abs_diff(self.pieces[0].start))
    }

    /// The cuts: from and to which position, and how long the pause is.
    pub fn cuts(&self) -> impl Iterator<Item = (u64, u64, Duration)> + '_ {
        self.pieces.windows(2).map(|pair| {
            let pause = Duration::from_millis(pair[1].start.abs_diff(pair[0].end));
            (pair[0].end_position(), pair[1].position, pause)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[test]
    fn a_long_pause_is_cut_and_a_short_one_is_not() {
        let work = [(5000, 5060), (0, 100), (50, 120), (150, 200)].map(|(from, to)| (at(from), at(to)));
        let axis = TimeAxis::new(work.into_iter());
        let positions = [-5, 0, 130, 200, 900, 5000, 5030, 9000].map(|second| axis.position(at(second)));
        // 230 s of work: a cut is 4.6 s wide.
        assert_eq!(positions, [0, 0, 130_000, 200_000, 200_000, 204_600, 234_600, 264_600]);
        assert_eq!(axis.len(), 264_600);
        assert_eq!(axis.cuts().collect::<Vec<_>>(), [(200_000, 204_600, Duration::from_mins(80))]);
        let times = [0, 150_000, 202_000, 204_600, 264_600].map(|position| axis.since_start(position).as_secs());
        assert_eq!(times, [0, 150, 200, 5000, 5060]);
    }

    #[test]
    fn an_axis_without_work_has_no_length() {
        for work in [vec![], vec![(at(7), at(7))], vec![(at(7), at(3))]] {
            let axis = TimeAxis::new(work.into_iter());
            assert!(axis.is_empty());
            assert_eq!((axis.position(at(9)), axis.since_start(9)), (0, Duration::ZERO));
        }
    }
}
