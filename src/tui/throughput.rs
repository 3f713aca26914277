//! The progress of reading: amount, total, rate, and remaining time.

use std::collections::VecDeque;
use std::time::Duration;

use crate::tui::row::size;

/// The time span over which the rate is measured.
const WINDOW: Duration = Duration::from_secs(2);

/// A rate over less time than this is meaningless.
const SHORTEST: Duration = Duration::from_millis(100);

/// Samples of the number of bytes read.
#[derive(Clone, Debug, Default)]
pub struct Throughput {
    /// Times since the start with the bytes read by then; the first one is where the window begins.
    marks: VecDeque<(Duration, usize)>,
}

impl Throughput {
    /// Records that `read` bytes have been read at the time `now`. If they are fewer than before, reading has started
    /// again.
    pub fn observe(&mut self, now: Duration, read: usize) {
        if self.marks.back().is_some_and(|&(_, before)| read < before) {
            self.marks.clear();
        }
        self.marks.push_back((now, read));
        while self.marks.get(1).is_some_and(|&(then, _)| now.saturating_sub(then) >= WINDOW) {
            self.marks.pop_front();
        }
    }

    /// Bytes per second; `None` before there are enough samples.
    pub fn rate(&self) -> Option<usize> {
        let (&(start, before), &(end, read)) = self.marks.front().zip(self.marks.back())?;
        let time = end.saturating_sub(start);
        (time >= SHORTEST).then(|| ((read - before) as u128 * 1000 / time.as_millis()) as usize)
    }

    /// The progress as text, most of it in at most `room` columns: `reading 412 MB of 1.0 GB · 640 MB/s · 1 s left`.
    pub fn words(&self, read: usize, whole: Option<usize>, room: usize) -> String {
        let rate = self.rate().filter(|rate| *rate > 0);
        let whole = whole.filter(|whole| *whole >= read);
        let amount = match whole {
            Some(whole) => format!("reading {} of {}", size(read), size(whole)),
            None => format!("reading {}", size(read)),
        };
        let rate_words = rate.map(|rate| format!(" · {}/s", size(rate))).unwrap_or_default();
        let left = rate.zip(whole).map(|(rate, whole)| (whole - read).div_ceil(rate));
        let left_words = left.map(|left| format!(" · {} left", time(left))).unwrap_or_default();
        let percent = whole.and_then(|whole| (read * 100).checked_div(whole)).map(|percent| format!("{percent}%"));
        let short = percent.unwrap_or_else(|| size(read));
        let forms = [
            format!("{amount}{rate_words}{left_words}"),
            format!("{amount}{left_words}"),
            amount,
            format!("reading {short}"),
        ];
        forms.into_iter().find(|form| form.chars().count() <= room).unwrap_or(short)
    }
}

/// A rounded duration, at least one second.
fn time(seconds: usize) -> String {
    match seconds {
        ..=99 => format!("{} s", seconds.max(1)),
        100..=5999 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: usize = 1_000_000;

    #[test]
    fn it_says_as_much_as_is_known_and_as_there_is_room_for() {
        let mut gauge = Throughput::default();
        assert_eq!(gauge.words(3, None, 80), "reading 3 B");
        gauge.observe(Duration::ZERO, 0);
        gauge.observe(Duration::from_millis(50), 32 * MB);
        assert_eq!(gauge.words(32 * MB, Some(1000 * MB), 80), "reading 32.0 MB of 1.0 GB");
        gauge.observe(Duration::from_millis(500), 320 * MB);
        for (room, whole, expected) in [
            (80, Some(1000 * MB), "reading 320 MB of 1.0 GB · 640 MB/s · 2 s left"),
            (40, Some(1000 * MB), "reading 320 MB of 1.0 GB · 2 s left"),
            (24, Some(1000 * MB), "reading 320 MB of 1.0 GB"),
            (20, Some(1000 * MB), "reading 32%"),
            (8, Some(1000 * MB), "32%"),
            (12, None, "320 MB"),
            (80, None, "reading 320 MB · 640 MB/s"),
            (80, Some(100 * MB), "reading 320 MB · 640 MB/s"),
        ] {
            assert_eq!(gauge.words(320 * MB, whole, room), expected, "{room} columns");
        }
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut gauge = Throughput::default();
        for second in 0..10 {
            gauge.observe(Duration::from_secs(second), if second < 5 { 0 } else { second as usize * 1000 });
        }
        assert_eq!(gauge.rate(), Some(1000));
        gauge.observe(Duration::from_secs(11), 5);
        assert_eq!(gauge.rate(), None, "reading began anew");
    }

    #[test]
    fn time_is_rounded_up() {
        for (seconds, expected) in [(0, "1 s"), (2, "2 s"), (99, "99 s"), (100, "2 min"), (7300, "3 h")] {
            assert_eq!(time(seconds), expected);
        }
    }
}
