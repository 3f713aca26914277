//! The replay of a text as if it were arriving: position, pausing, stepping and speed.

use std::sync::Arc;
use std::time::Duration;

use crate::container::Container;
use crate::container::replay_timeline::ReplayTimeline;
use crate::dialect::Options;
use crate::session::Session;
use crate::text::replay_steps::{ReplayOptions, ReplaySpeed, ReplayStep};
use crate::text::store::Backing;

/// Selectable multiples of the recorded speed.
const TIMES: [f64; 8] = [0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 200.0, 1000.0];

/// Selectable speeds in bytes per second.
const SPEEDS: [usize; 7] = [20, 50, 200, 1_000, 10_000, 100_000, 1_000_000];

/// Time between two frames of a replay.
const BEAT: Duration = Duration::from_millis(40);

/// Beats further apart mean that the replay was not visible: another tab was shown, or the program was suspended. That
/// time does not count.
const UNSEEN: Duration = Duration::from_secs(1);

/// Approximate distance in bytes between the position and the session kept for stepping back.
const APART: usize = 1 << 20;

/// Bytes read at a time, so that earlier ones can be paged out.
const SLICE: usize = 256 * 1024;

/// A replay.
pub struct Replay {
    bytes: Arc<[u8]>,
    container: Container,
    /// A session at an earlier position, used to read up to the position after a step back.
    mark: Option<Mark>,
    at: usize,
    /// The unit of steps.
    pub step: ReplayStep,
    /// The speed while playing.
    pub speed: ReplaySpeed,
    clock: Clock,
}

/// The state of playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    Stopped,
    /// Playing starts at the next beat, when it becomes visible.
    Starting,
    /// Playing since `since`, starting at the byte `from`; the last beat was at `last`.
    Running {
        since: Duration,
        from: usize,
        last: Duration,
    },
}

/// A fork of a session at an earlier position.
struct Mark {
    /// The options that it was parsed with.
    options: Options,
    session: Session,
}

impl Mark {
    fn is_of(&self, options: &Options) -> bool {
        self.options == *options
    }

    fn at(&self) -> usize {
        self.session.file().len()
    }
}

impl Replay {
    /// A paused replay at the beginning of the text.
    pub fn new(bytes: Arc<[u8]>, container: Container, options: ReplayOptions) -> Self {
        Self {
            bytes,
            container,
            mark: None,
            at: 0,
            step: ReplayStep::default(),
            speed: options.speed,
            clock: Clock::Stopped,
        }
    }

    /// All bytes, arrived or not.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns an unfinished session with exactly the bytes that have arrived.
    pub fn read(&mut self, options: &Options) -> Session {
        let near = self.at.saturating_sub(2 * APART)..=self.at;
        let mark = self.mark.take_if(|mark| mark.is_of(options) && near.contains(&mark.at()));
        let session = match mark {
            Some(mark) => mark.session,
            None => self.read_to(self.fresh(options), self.at.saturating_sub(APART)),
        };
        self.set_mark(&session, options);
        self.read_to(session, self.at)
    }

    /// The position at which to mark a session with `known` bytes while reading up to the current position; `None` if
    /// the last mark is near enough.
    pub fn cut(&self, known: usize, options: &Options) -> Option<usize> {
        let cut = self.at.saturating_sub(APART).max(known);
        let is_near = |mark: &Mark| mark.is_of(options) && mark.at() + APART >= cut;
        (!self.mark.as_ref().is_some_and(is_near)).then_some(cut)
    }

    /// Marks a fork of the session.
    pub fn set_mark(&mut self, session: &Session, options: &Options) {
        self.mark = session.fork().map(|session| Mark { options: options.clone(), session });
    }

    /// An empty session that pages from the bytes of the replay.
    pub fn fresh(&self, options: &Options) -> Session {
        let mut session = Session::new(self.container, options);
        session.back(Backing::new(Arc::clone(&self.bytes)));
        session
    }

    fn read_to(&self, mut session: Session, end: usize) -> Session {
        for piece in self.bytes[session.file().len().min(end)..end].chunks(SLICE) {
            session.push(piece);
        }
        session
    }

    /// Number of bytes that have arrived.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Number of bytes of the whole text.
    pub fn total(&self) -> usize {
        self.bytes.len()
    }

    /// True if all bytes have arrived.
    pub fn is_over(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// True if it is playing.
    pub fn plays(&self) -> bool {
        self.clock != Clock::Stopped
    }

    /// Starts or pauses playing.
    pub fn toggle(&mut self) {
        self.clock = if self.plays() { Clock::Stopped } else { Clock::Starting };
    }

    /// Moves a step forward or back, and pauses.
    pub fn go(&mut self, forward: bool) {
        self.clock = Clock::Stopped;
        let go = if forward { ReplayStep::forward } else { ReplayStep::back };
        self.at = go(self.step, &self.bytes, self.at);
    }

    /// Moves to a position, rounded up to a character boundary, and pauses.
    pub fn go_to(&mut self, at: usize) {
        self.clock = Clock::Stopped;
        let at = at.min(self.bytes.len());
        let rest = self.bytes[at..].iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        self.at = at + rest;
    }

    /// Selects the next unit of steps.
    pub fn next_step(&mut self) {
        let here = ReplayStep::ALL.iter().position(|step| *step == self.step).unwrap_or(0);
        self.step = ReplayStep::ALL[(here + 1) % ReplayStep::ALL.len()];
    }

    /// Selects the next higher speed, or the lowest after the highest.
    pub fn next_speed(&mut self) {
        self.speed = match self.speed {
            ReplaySpeed::Times(now) => {
                ReplaySpeed::Times(TIMES.into_iter().find(|times| *times > now).unwrap_or(TIMES[0]))
            }
            ReplaySpeed::Bytes(now) => {
                ReplaySpeed::Bytes(SPEEDS.into_iter().find(|speed| *speed > now).unwrap_or(SPEEDS[0]))
            }
        };
        if self.plays() {
            self.clock = Clock::Starting;
        }
    }

    /// Moves to the position due at the time `now`. True if it has moved.
    pub fn beat(&mut self, now: Duration, timeline: &ReplayTimeline) -> bool {
        let (since, from) = match self.clock {
            Clock::Stopped => return false,
            Clock::Running { since, from, last } if now.saturating_sub(last) < UNSEEN => (since, from),
            Clock::Starting | Clock::Running { .. } => (now, self.at),
        };
        self.clock = Clock::Running { since, from, last: now };
        let before = self.at;
        self.at = self.at.max(timeline.arrived(&self.bytes, from, now.saturating_sub(since), self.speed));
        if self.is_over() {
            self.clock = Clock::Stopped;
        }
        self.at != before
    }

    /// The time of the next beat.
    pub fn next(&self, now: Duration) -> Option<Duration> {
        let slow = match self.speed {
            ReplaySpeed::Times(_) => Duration::ZERO,
            ReplaySpeed::Bytes(speed) => Duration::from_secs_f64(1.0 / speed as f64),
        };
        self.plays().then(|| now + BEAT.max(slow.min(Duration::from_millis(500))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_as_fast_as_it_should_and_in_whole_characters() {
        let text = "abc€def".repeat(100);
        let options = ReplayOptions { speed: ReplaySpeed::Bytes(100), ..ReplayOptions::default() };
        let mut replay = Replay::new(text.as_bytes().into(), Container::default(), options);
        let timeline = ReplayTimeline::new(Container::plain(), false);
        assert!(!replay.beat(Duration::from_secs(5), &timeline), "it stands still");
        replay.toggle();
        assert!(!replay.beat(Duration::from_secs(5), &timeline), "it begins at the first beat");
        assert!(replay.beat(Duration::from_millis(5500), &timeline));
        assert!((50..54).contains(&replay.at()), "{}", replay.at());
        assert!(text.is_char_boundary(replay.at()));
        let paused_at = replay.at();
        replay.toggle();
        assert!(!replay.beat(Duration::from_mins(1), &timeline) && replay.next(Duration::from_mins(1)).is_none());
        replay.toggle();
        assert!(!replay.beat(Duration::from_secs(90), &timeline), "the time in which it stood still does not count");
        assert!(replay.beat(Duration::from_millis(90_500), &timeline));
        assert!((50..54).contains(&(replay.at() - paused_at)), "{}", replay.at());
        let unseen_at = replay.at();
        assert!(!replay.beat(Duration::from_secs(190), &timeline), "nor does the time in which nobody saw it");
        assert_eq!(replay.at(), unseen_at);
        replay.next_speed();
        assert!(!replay.beat(Duration::from_secs(191), &timeline) && replay.plays());
        replay.go(true);
        assert!(replay.is_over() && !replay.plays(), "it is one line");
        replay.go(false);
        assert_eq!(replay.at(), 0);
        replay.go_to(4);
        assert_eq!(replay.at(), 6);
    }
}
