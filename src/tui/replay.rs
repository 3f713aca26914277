//! A text shown again as if it were arriving: how far it has come, how it goes on, and how fast.
//!
//! This module does not know clocks or screens; it is told what time it is.

use std::sync::Arc;
use std::time::Duration;

use crate::text::steps::{Step, arrived};

/// Bytes in a second that can be chosen.
const SPEEDS: [usize; 7] = [20, 50, 200, 1_000, 10_000, 100_000, 1_000_000];

/// The time between two frames of what is played.
const BEAT: Duration = Duration::from_millis(40);

/// A text that is played.
#[derive(Clone, Debug)]
pub struct Replay {
    bytes: Arc<[u8]>,
    at: usize,
    step: Step,
    /// Bytes in a second.
    speed: usize,
    /// Since when it plays, and from where; nothing while it stands still.
    playing: Option<(Duration, usize)>,
}

impl Replay {
    /// A text that stands at its beginning.
    pub fn new(bytes: Arc<[u8]>, speed: Option<usize>) -> Self {
        Self { bytes, at: 0, step: Step::default(), speed: speed.unwrap_or(200).max(1), playing: None }
    }

    /// What has arrived.
    pub fn arrived(&self) -> &[u8] {
        &self.bytes[..self.at]
    }

    /// How many bytes have arrived.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether everything has arrived.
    pub fn is_over(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Whether it plays.
    pub fn plays(&self) -> bool {
        self.playing.is_some()
    }

    /// How far a step goes.
    pub fn step(&self) -> Step {
        self.step
    }

    /// Bytes in a second.
    pub fn speed(&self) -> usize {
        self.speed
    }

    /// Plays from `now` on, or stands still.
    pub fn toggle(&mut self, now: Duration) {
        self.playing = match self.playing {
            Some(_) => None,
            None => Some((now, self.at)),
        };
    }

    /// Goes a step on or back, and stands still there.
    pub fn go(&mut self, forward: bool) {
        self.playing = None;
        let go = if forward { Step::forward } else { Step::back };
        self.at = go(self.step, &self.bytes, self.at);
    }

    /// Goes to a place, the next character from it on.
    pub fn go_to(&mut self, at: usize) {
        self.playing = None;
        let at = at.min(self.bytes.len());
        let rest = self.bytes[at..].iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        self.at = at + rest;
    }

    /// Another length of a step.
    pub fn next_step(&mut self) {
        let here = Step::ALL.iter().position(|step| *step == self.step).unwrap_or(0);
        self.step = Step::ALL[(here + 1) % Step::ALL.len()];
    }

    /// Another speed, the next one that is faster, or the slowest behind the fastest.
    pub fn next_speed(&mut self, now: Duration) {
        self.speed = SPEEDS.into_iter().find(|speed| *speed > self.speed).unwrap_or(SPEEDS[0]);
        self.playing = self.playing.map(|_| (now, self.at));
    }

    /// At the time `now`: goes on as far as it should have come. Whether it has moved.
    pub fn beat(&mut self, now: Duration) -> bool {
        let Some((since, from)) = self.playing else { return false };
        let before = self.at;
        self.at = self.at.max(arrived(&self.bytes, from, now.saturating_sub(since), self.speed));
        if self.is_over() {
            self.playing = None;
        }
        self.at != before
    }

    /// When it is to go on.
    pub fn next(&self, now: Duration) -> Option<Duration> {
        let slow = Duration::from_secs_f64(1.0 / self.speed as f64);
        self.playing.map(|_| now + BEAT.max(slow.min(Duration::from_millis(500))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_as_fast_as_it_should_and_in_whole_characters() {
        let text = "abc€def".repeat(100);
        let mut replay = Replay::new(text.as_bytes().into(), Some(100));
        assert!(!replay.beat(Duration::from_secs(5)), "it stands still");
        replay.toggle(Duration::from_secs(5));
        assert!(replay.beat(Duration::from_millis(5500)));
        assert!((50..54).contains(&replay.at()), "{}", replay.at());
        assert!(text.is_char_boundary(replay.at()));
        replay.go(true);
        assert!(replay.is_over() && !replay.plays(), "it is one line");
        replay.go(false);
        assert_eq!(replay.at(), 0);
        replay.go_to(4);
        assert_eq!(replay.at(), 6);
    }
}
