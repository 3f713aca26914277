//! The activity of a followed session: the running call, and the time since the last byte.

use std::time::{Duration, SystemTime};

use crate::wording::activity::{RunningCall, running_item};

use crate::tui::row::in_seconds;
use crate::tui::screen::transcript::Transcript;
use crate::tui::view::origin::Phase;

/// Minimum silence that is shown.
const QUIET: Duration = Duration::from_secs(10);

/// The activity of a followed source. Times are relative to the start of the program.
#[derive(Debug, Default)]
pub struct Activity {
    /// Number of bytes that have arrived, and a timer since the last of them.
    last_byte: Option<(usize, Timer)>,
    running: Option<Running>,
    now: Duration,
}

/// A timer for something that had already lasted for `before` when first seen.
#[derive(Clone, Copy, Debug)]
struct Timer {
    seen: Duration,
    before: Duration,
}

/// The first of the trailing calls without a result.
#[derive(Debug)]
struct Running {
    call: RunningCall,
    timer: Timer,
}

/// Updates the activity at the time `now`.
pub(super) fn observe(state: &mut Transcript, now: Duration) {
    let (view, activity) = (&state.view, &mut state.following.activity);
    activity.now = now;
    if view.origin.phase != Phase::Following || state.replay.is_some() {
        *activity = Activity { now, ..Activity::default() };
        return;
    }
    // Recorded times only matter for what existed when the file was opened.
    let since = |time: Option<SystemTime>| {
        let opened = view.origin.opened.filter(|_| activity.last_byte.is_none());
        Timer { seen: now, before: opened.zip(time).map_or(Duration::ZERO, |(opened, time)| before(time, opened)) }
    };
    let running = if view.ahead.is_some() { None } else { running_item(&view.session) };
    if activity.running.as_ref().map(|running| running.call.item) != running {
        let call = running.and_then(|_| RunningCall::new(&view.session, &view.main_arguments));
        activity.running = call.map(|call| Running { timer: since(call.time), call });
    }
    let length = view.whole().file().len();
    if activity.last_byte.is_none_or(|(known, _)| known != length) {
        activity.last_byte = Some((length, since(view.origin.modified)));
    }
}

fn before(time: SystemTime, now: SystemTime) -> Duration {
    now.duration_since(time).unwrap_or_default()
}

impl Activity {
    /// `Bash pnpm test, 41 s`, or `quiet 41 s` after some silence.
    pub(super) fn text(&self) -> Option<String> {
        if let Some(Running { call, timer }) = &self.running {
            return Some(format!("{}, {}", call.text, in_seconds(self.time_of(*timer))));
        }
        let quiet = self.quiet().filter(|&quiet| quiet >= QUIET)?;
        Some(format!("quiet {}", in_seconds(quiet)))
    }

    /// When the text changes next even if nothing arrives.
    pub(super) fn next(&self) -> Option<Duration> {
        /// After this time the text changes once a minute.
        const LONG: Duration = Duration::from_mins(1);
        let running = self.running.as_ref().map(|running| self.time_of(running.timer));
        let time = running.or_else(|| self.quiet())?;
        let step = if time < LONG { 1 } else { LONG.as_secs() };
        let due = Duration::from_secs((time.as_secs() / step + 1) * step);
        let due = if running.is_none() { due.max(QUIET) } else { due };
        Some(self.now + due.saturating_sub(time))
    }

    fn time_of(&self, timer: Timer) -> Duration {
        timer.before + self.now.saturating_sub(timer.seen)
    }

    fn quiet(&self) -> Option<Duration> {
        self.last_byte.map(|(_, timer)| self.time_of(timer))
    }
}
