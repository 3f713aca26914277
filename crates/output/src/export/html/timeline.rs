//! The timeline of a session as SVG: a row for each turn, with a lane each for the model, tools and sub-agents, and a line for
//! the wait for the user. The times are the ones of the timeline on the screen ([`crate::timeline`]).

use std::cmp::Reverse;
use std::io::{self, Write};
use std::time::Duration;

use askama::Template;

use crate::container::facts::Timestamp;
use crate::document::Turn;
use crate::export::page::ReportPage;
use crate::timeline::{ActivityKind, TimeAxis, TimedActivity, TurnActivities};
use crate::wording::figures::{duration, duration_figure};
use crate::wording::grouped;

/// Maximum number of rows. Of more turns, the longest are drawn.
const MAX_ROWS: usize = 120;

/// Maximum number of turns on the axis of the session. Of more, each would be too narrow, and has its own beginning.
const SHARED_AXIS: usize = 24;

/// Bars that are apart by less than this part of the axis are drawn as one, and none is narrower.
const FINEST: u64 = 500;

/// Heights in pixels: of the axis, of a row, and of its words above the bars.
const TOP: usize = 18;
const ROW: usize = 36;
const WORDS: usize = 16;

/// Class, words and vertical place (offset and height in pixels below the words) of each kind of time.
const LANES: [(&str, &str, usize, usize); 4] = [
    ("model", "model", 0, 6),
    ("tool", "tool", 6, 6),
    ("subagent", "sub-agent", 12, 4),
    ("wait", "wait for the user", 5, 2),
];

/// Index of the wait among [`LANES`].
const WAIT: usize = 3;

/// Number of times on the axis.
const TICKS: u64 = 4;

#[derive(Template)]
#[template(path = "timeline.html", config = "src/export/html/askama.toml")]
struct Frame {
    title: String,
    /// States that turns are left out.
    rest: String,
    height: usize,
    lanes: [(&'static str, &'static str, usize, usize); 4],
    /// Position in percent, and words.
    ticks: Vec<(String, String)>,
    /// Position and width in percent, and words.
    cuts: Vec<(String, String, String)>,
}

#[derive(Template)]
#[template(path = "timeline_row.html", config = "src/export/html/askama.toml")]
struct Row {
    /// Link target of the turn.
    index: usize,
    /// Baseline of the words.
    y: usize,
    words: String,
    bars: Vec<Bar>,
}

/// A bar; its position and width are in percent.
struct Bar {
    class: &'static str,
    x: String,
    width: String,
    y: usize,
    height: usize,
    title: String,
}

/// A turn with its first and last time.
#[derive(Clone, Copy)]
struct TurnTimes {
    turn: Turn,
    start: Timestamp,
    end: Timestamp,
    /// Start of the next turn.
    next: Option<Timestamp>,
}

/// The horizontal axis.
enum Scale {
    /// All turns share the axis of the session.
    Session(TimeAxis),
    /// Each turn begins at the left; milliseconds of the longest one.
    Turn(u64),
}

/// One activity of a lane, or several that are too close to be drawn apart.
struct Run<'t> {
    start: u64,
    end: u64,
    took: Duration,
    count: usize,
    first: Option<&'t TimedActivity>,
}

/// The turns of a timeline and their axis.
pub(super) struct TimelineDrawing {
    turns: Vec<TurnTimes>,
    axis: TimeAxis,
}

impl TimelineDrawing {
    /// The timeline of a whole session; `None` if it does not state the times of its turns.
    pub(super) fn new(page: &ReportPage<'_>) -> Option<Self> {
        let turns = if page.has_turns() && page.is_whole() { times(page) } else { Vec::new() };
        let axis = TimeAxis::new(turns.iter().map(|times| (times.start, times.end)));
        (!axis.is_empty()).then_some(Self { turns, axis })
    }

    /// Writes the drawing row by row.
    pub(super) fn write<W: Write>(self, out: &mut W, page: &ReportPage<'_>) -> io::Result<()> {
        let Self { turns, axis } = self;
        let (all, start) = (turns.len(), turns.iter().map(|times| times.start).min());
        let title = format!("Timeline · {}", duration(axis.since_start(axis.len())));
        let rows = longest(turns);
        let scale = if all <= SHARED_AXIS { Scale::Session(axis) } else { Scale::Turn(longest_time(&rows)) };
        let rest = match &scale {
            Scale::Session(_) => String::new(),
            Scale::Turn(_) if rows.len() == all => "Each turn begins at the left.".to_owned(),
            Scale::Turn(_) => {
                format!(
                    "The {} longest of {} turns, which begin at the left; the contents list all.",
                    rows.len(),
                    grouped(all)
                )
            }
        };
        let height = TOP + rows.len() * ROW;
        let (ticks, cuts) = (start.map_or_else(Vec::new, |start| scale.ticks(start)), scale.cuts());
        Frame { title, rest, height, lanes: LANES, ticks, cuts }.write_into(out)?;
        for (number, times) in rows.iter().enumerate() {
            row(page, &scale, times, TOP + number * ROW).write_into(out)?;
        }
        out.write_all(b"</svg></div>\n</section>\n")
    }
}

impl Scale {
    /// Length in milliseconds, at least 1.
    fn len(&self) -> u64 {
        match self {
            Self::Session(axis) => axis.len(),
            Self::Turn(longest) => *longest,
        }
        .max(1)
    }

    /// Position of a moment in a turn.
    fn position(&self, times: &TurnTimes, moment: Timestamp) -> u64 {
        match self {
            Self::Session(axis) => axis.position(moment),
            Self::Turn(longest) => milliseconds(times.start, moment).min(*longest),
        }
    }

    /// Positions in percent, each with its time of day, and with the date where that differs from the time before; for turns,
    /// with the time since the prompt.
    fn ticks(&self, start: Timestamp) -> Vec<(String, String)> {
        let is_short = self.len() < 10 * 60 * 1000;
        let mut day = start.strftime("%F").to_string();
        let tick = |tick: u64| {
            let position = self.len() * tick / TICKS;
            let axis = match self {
                Self::Session(axis) => axis,
                Self::Turn(_) => {
                    let words = if tick == 0 { "0".to_owned() } else { duration(Duration::from_secs(position / 1000)) };
                    return (percent(position, self.len()), words);
                }
            };
            let moment = start.checked_add(axis.since_start(position)).unwrap_or(start);
            let date = moment.strftime("%F").to_string();
            let is_same_day = std::mem::replace(&mut day, date.clone()) == date;
            let form = match (is_same_day, is_short) {
                (true, true) => "%T",
                (true, false) => "%R",
                (false, _) => "%m-%d %R",
            };
            (percent(position, self.len()), moment.strftime(form).to_string())
        };
        (0..TICKS).map(tick).collect()
    }

    /// Positions and widths of the cuts in percent, each with the length of the pause.
    fn cuts(&self) -> Vec<(String, String, String)> {
        let Self::Session(axis) = self else { return Vec::new() };
        let cut = |(from, to, pause)| {
            (percent(from, axis.len()), percent(to - from, axis.len()), format!("pause of {}", duration(pause)))
        };
        axis.cuts().map(cut).collect()
    }
}

/// The turns whose times are known.
fn times(page: &ReportPage<'_>) -> Vec<TurnTimes> {
    let (document, text) = (page.session().document(), page.session().text());
    let of_turn = |turn: Turn| {
        let (start, end) = (document.start_of_turn(turn)?, document.end_of_turn(turn, text)?);
        let next = document.turn(turn.index + 1).and_then(|next| document.start_of_turn(next));
        (start <= end).then_some(TurnTimes { turn, start, end, next })
    };
    document.turns().filter_map(of_turn).collect()
}

/// The longest turns, in file order.
fn longest(mut turns: Vec<TurnTimes>) -> Vec<TurnTimes> {
    turns.sort_by_key(|times| (Reverse(times.end.duration_since(times.start)), times.turn.index));
    turns.truncate(MAX_ROWS);
    turns.sort_by_key(|times| times.turn.index);
    turns
}

/// Milliseconds of the longest of the turns.
fn longest_time(turns: &[TurnTimes]) -> u64 {
    turns.iter().map(|times| milliseconds(times.start, times.end)).max().unwrap_or_default()
}

/// Milliseconds from a moment to a later one; 0 if it is not later.
fn milliseconds(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_millisecond().saturating_sub(from.as_millisecond())).unwrap_or_default()
}

fn row(page: &ReportPage<'_>, scale: &Scale, times: &TurnTimes, top: usize) -> Row {
    let session = page.session();
    let mut reader = TurnActivities::new(times.turn);
    while reader.is_behind(session) {
        reader.advance(session);
    }
    let activities = reader.list(session);
    let mut bars = Vec::new();
    for (lane, (class, words, offset, height)) in LANES.into_iter().enumerate() {
        // Sub-agents of the same file ran while their calls did.
        let own = activities.iter().filter(|activity| activity.aside.is_none() && lane_of(activity.kind) == lane);
        let timed = own.filter_map(|activity| Some((activity.start, activity.end?, Some(activity))));
        let is_wait = |next: &Timestamp| lane == WAIT && matches!(scale, Scale::Session(_)) && *next > times.end;
        let waits = times.next.filter(is_wait).map(|next| (times.end, next, None));
        for run in runs(scale, times, timed.chain(waits)) {
            bars.push(Bar {
                class,
                x: percent(run.start, scale.len()),
                width: percent((run.end - run.start).max(scale.len() / FINEST), scale.len()),
                y: top + WORDS + 2 + offset,
                height,
                title: title(page, &run, words),
            });
        }
    }
    let took = Duration::try_from(times.end.duration_since(times.start)).unwrap_or_default();
    let words = [format!("{}", times.turn.number), duration(took), page.prompt(times.turn)];
    Row { index: times.turn.index, y: top + WORDS - 3, words: words.join(" · "), bars }
}

/// Index of a kind of activity among [`LANES`].
fn lane_of(kind: ActivityKind) -> usize {
    match kind {
        ActivityKind::Call => 1,
        ActivityKind::Subagent => 2,
        ActivityKind::Question => WAIT,
        _ => 0,
    }
}

/// The activities of a lane, which are in order of their start; activities that are close to each other are joined.
fn runs<'t>(
    scale: &Scale,
    times: &TurnTimes,
    activities: impl Iterator<Item = (Timestamp, Timestamp, Option<&'t TimedActivity>)>,
) -> Vec<Run<'t>> {
    let mut runs: Vec<Run<'t>> = Vec::new();
    for (from, to, first) in activities {
        let (start, end) = (scale.position(times, from), scale.position(times, to));
        let took = Duration::try_from(to.duration_since(from)).unwrap_or_default();
        match runs.last_mut() {
            Some(last) if start < last.end.max(last.start + scale.len() / FINEST) => {
                (last.end, last.took, last.count) = (last.end.max(end), last.took + took, last.count + 1);
            }
            _ => runs.push(Run { start, end, took, count: 1, first }),
        }
    }
    runs
}

/// A bar as text: `Bash cargo test · 4.2 s`, `12 × tool · 1m 03s`.
fn title(page: &ReportPage<'_>, run: &Run<'_>, lane: &str) -> String {
    let one = run.first.filter(|_| run.count == 1);
    let Some(activity) = one else {
        let words = if run.count > 1 { format!("{} × {lane}", run.count) } else { lane.to_owned() };
        return format!("{words} · {}", duration(run.took));
    };
    let name = page.session().document().call(activity.item).map(|call| call.name(page.session().text()));
    let words = match name.filter(|_| activity.kind != ActivityKind::Answer) {
        Some(name) => format!("{} {}", page.clean_line(&name), page.argument(activity.item)).trim_end().to_owned(),
        None => "answer".to_owned(),
    };
    format!("{words} · {}", activity.duration().map(duration_figure).unwrap_or_default())
}

/// A part of the axis in percent, with two decimals.
fn percent(part: u64, whole: u64) -> String {
    let hundredths = u128::from(part) * 10_000 / u128::from(whole.max(1));
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
