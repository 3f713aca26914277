//! The activity of a followed session: the running call, and the time since the last byte.

use std::time::{Duration, SystemTime};

use crate::dialect::Status;
use crate::params::main_argument::{main_argument, shortened};
use crate::text::sanitize::visible_str;
use crate::text::wrap::fit;

use crate::tui::row::in_seconds;
use crate::tui::screen::transcript::Transcript;
use crate::tui::view::View;
use crate::tui::view::origin::Phase;

/// Shortest silence that is shown.
const QUIET: Duration = Duration::from_secs(10);

/// Columns of a running call.
const COLUMNS: usize = 36;

/// What a followed source does. Times are since the program began.
#[derive(Debug, Default)]
pub struct Activity {
    /// Number of bytes that have arrived, and the time since the last of them.
    last_byte: Option<(usize, Timer)>,
    running: Option<Running>,
    now: Duration,
}

/// Something that had lasted for `before` when it was first seen.
#[derive(Clone, Copy, Debug)]
struct Timer {
    seen: Duration,
    before: Duration,
}

/// The first of the calls at the end that have no result yet.
#[derive(Debug)]
struct Running {
    item: usize,
    timer: Timer,
    words: String,
}

/// Takes in what has arrived until the time `now`.
pub(super) fn observe(state: &mut Transcript, now: Duration) {
    let (view, activity) = (&state.view, &mut state.following.activity);
    activity.now = now;
    if view.origin.phase != Phase::Following || state.replay.is_some() {
        *activity = Activity { now, ..Activity::default() };
        return;
    }
    // An earlier moment counts only for what was there when the file was opened.
    let since = |time: Option<SystemTime>| {
        let opened = view.origin.opened.filter(|_| activity.last_byte.is_none());
        Timer { seen: now, before: opened.zip(time).map_or(Duration::ZERO, |(opened, time)| before(time, opened)) }
    };
    let running = if view.ahead.is_some() { None } else { view.running_call() };
    if activity.running.as_ref().map(|running| running.item) != running {
        let start = |item| view.session.document().items().span(item).map(|span| span.start);
        let moment = |item| view.session.document().moment_at(start(item)?).map(SystemTime::from);
        activity.running = running.map(|item| Running { item, timer: since(moment(item)), words: words(view, item) });
    }
    let length = view.whole().file().len();
    if activity.last_byte.is_none_or(|(known, _)| known != length) {
        activity.last_byte = Some((length, since(view.origin.modified)));
    }
}

fn before(time: SystemTime, now: SystemTime) -> Duration {
    now.duration_since(time).unwrap_or_default()
}

/// The name of a call and its main argument.
fn words(view: &View, item: usize) -> String {
    let text = view.session.text();
    let Some(call) = view.session.document().call(item) else { return String::new() };
    let seen = view.seen(item).filter(|_| call.status != Status::Open);
    let main = seen.and_then(|seen| main_argument(&seen.assembly.tree, text, &view.main_arguments));
    let main = main.map(|main| format!(" {}", shortened(main.lines().next().unwrap_or_default(), COLUMNS)));
    let line = format!("{}{}", call.name(text), main.unwrap_or_default());
    fit(&visible_str(&line), COLUMNS).into_owned()
}

impl Activity {
    /// `Bash pnpm test, 41 s`, or `quiet 41 s` after some silence.
    pub(super) fn text(&self) -> Option<String> {
        if let Some(Running { words, timer, .. }) = &self.running {
            return Some(format!("{words}, {}", in_seconds(self.time_of(*timer))));
        }
        let quiet = self.quiet().filter(|&quiet| quiet >= QUIET)?;
        Some(format!("quiet {}", in_seconds(quiet)))
    }

    /// When the text changes though nothing arrives.
    pub(super) fn next(&self) -> Option<Duration> {
        /// From this time on it changes each minute.
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
