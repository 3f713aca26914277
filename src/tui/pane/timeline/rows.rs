//! The rows of the timeline: the axis, and a bar for each turn, answer and call.

use std::time::Duration;

use crate::container::facts::Timestamp;
use crate::document::Turn;
use crate::text::wrap::fit;
use crate::timeline::{ActivityKind, TimeAxis, TimedActivity};
use crate::value::main_argument::shortened;
use crate::wording::figures;

use crate::tui::action::PaneId;
use crate::tui::pane::timeline::activity_rows::WaveSum;
use crate::tui::row::{FAILED, Piece, Row, Target, call_name, fold_sign, padded, width};
use crate::tui::style::Role;
use crate::tui::view::View;

/// Columns of the number of a turn, of its start, and of its duration.
const NUMBER: usize = 6;
const START: usize = 9;
const TOOK: usize = 9;

/// Columns from one time on the axis to the next.
const TICK: usize = 12;

/// Kinds of time in a bar. Where several share a cell, the one with the most time is drawn.
const KINDS: [(char, Role, &str); 4] = [
    ('█', Role::Assistant, "model"),
    ('▓', Role::Number, "tool"),
    ('▒', Role::Name, "sub-agent"),
    ('·', Role::Dim, "you"),
];

/// Index of the wait for the user among [`KINDS`]: for an answer to a question of the agent, or for the next prompt.
const WAIT: usize = 3;

/// The visible part of the axis and the columns that it takes.
#[derive(Clone, Copy)]
pub(super) struct Scale<'a> {
    axis: &'a TimeAxis,
    from: u64,
    to: u64,
    columns: usize,
}

impl<'a> Scale<'a> {
    /// The scale in a pane of the current width, for positions of the axis.
    pub(super) fn new(view: &View, axis: &'a TimeAxis, (from, to): (u64, u64)) -> Self {
        let room = view.width(PaneId::Timeline).saturating_sub(NUMBER + START + TOOK + 2);
        Self { axis, from, to, columns: (room * 11 / 20).clamp(10, 120) }
    }

    /// The heading: times since the beginning of the session, and the kinds of time.
    pub(super) fn heading(self) -> Row {
        if self.axis.is_empty() {
            return Row { is_heading: true, ..Row::plain("the file states no times", Role::Dim) };
        }
        let mut ticks = String::new();
        for tick in 0..self.columns / TICK {
            let position = self.from + (self.to - self.from) * (tick * TICK) as u64 / self.columns as u64;
            let time = self.axis.since_start(position);
            // Times less than a second apart would look the same.
            let is_fine = (self.to - self.from) * (TICK as u64) < 1000 * self.columns as u64;
            let time = if is_fine { format!("╷{:.1} s", time.as_secs_f64()) } else { format!("╷{}", short(time)) };
            ticks.push_str(&padded(&fit(&time, TICK - 1), TICK));
        }
        let columns = self.columns;
        let lead = format!("{:NUMBER$}{:>START$}{:>TOOK$} {ticks:<columns$}  ", "", "start", "took");
        let mut lead = vec![Piece::new(lead, Role::Dim)];
        for (glyph, role, words) in KINDS {
            lead.extend([Piece::new(glyph.to_string(), role), Piece::new(format!(" {words}  "), Role::Dim)]);
        }
        Row { is_heading: true, ..Row::words(lead) }
    }

    /// The row of a turn: its number, start and duration, its bar up to the prompt of the next turn, and its prompt.
    pub(super) fn turn(
        self,
        view: &View,
        (turn, range, next): (Turn, Option<(Timestamp, Timestamp)>, Option<Timestamp>),
        activities: &[TimedActivity],
        is_open: bool,
    ) -> Row {
        let number = view.session.document().turn_number(turn).map_or("–".to_owned(), |number| number.to_string());
        let mut lead = vec![fold_sign(is_open), Piece::new(format!("{number:<0$}", NUMBER - 2), Role::LineNumber)];
        let took = range.and_then(|(start, end)| Duration::try_from(end.duration_since(start)).ok());
        lead.push(self.times(range.map(|(start, _)| start), took.map(figures::duration)));
        // Sub-agents of the same file ran while their calls did.
        let own = activities.iter().filter(|activity| activity.aside.is_none());
        let parts = own.filter_map(part_of);
        let wait = range.and_then(|(_, end)| Some((WAIT, end, next?)));
        lead.extend(self.bar(parts.chain(wait)));
        let prompt = view.prompt(turn);
        let prompt = if prompt.is_empty() { "(no text)" } else { &prompt };
        Self::finish(view, lead, vec![Piece::new(prompt, Role::User)], target_of_turn(view, turn))
    }

    /// The row of an answer or a call, indented by some levels, in a turn up to `end`. `is_open` is `None` if there is nothing
    /// inside.
    pub(super) fn activity(
        self,
        view: &View,
        activity: &TimedActivity,
        (indent, is_open): (usize, Option<bool>),
        end: Option<Timestamp>,
    ) -> Row {
        let mut trail = vec![Piece::new("  ".repeat(indent), Role::Text)];
        trail.extend(is_open.map(fold_sign));
        if is_running(view, activity) {
            trail.push(Piece::new("running ", Role::Pending));
        }
        trail.extend(pieces(view, activity));
        self.timed(view, activity, trail, end)
    }

    /// The row above several calls of one answer: from the first start to the last end, and the call that ended last.
    pub(super) fn wave(self, view: &View, activity: &TimedActivity, wave: &WaveSum, end: Option<Timestamp>) -> Row {
        let WaveSum { calls, open, is_parallel, last } = *wave;
        let how = if is_parallel { "in parallel" } else { "in a row" };
        let mut trail = vec![Piece::new(format!("{calls} calls {how}"), Role::Strong)];
        match last.and_then(|last| Some((last, view.session.document().call(last)?))) {
            _ if open > 0 && is_running(view, activity) => {
                trail.push(Piece::new(format!(", {open} running"), Role::Pending));
            }
            _ if open > 0 => trail.push(Piece::new(format!(", {open} without an end"), Role::Dim)),
            Some((last, call)) => {
                trail.extend([Piece::new(" until ", Role::Dim), call_name(&call, view.session.text())]);
                trail.extend(view.main_argument(last).map(|argument| Piece::new(format!(" {argument}"), Role::Text)));
            }
            None => {}
        }
        self.timed(view, activity, trail, end)
    }

    /// A row with the times of an activity and its bar; of one that still runs, up to the end of its turn.
    fn timed(self, view: &View, activity: &TimedActivity, trail: Vec<Piece>, end: Option<Timestamp>) -> Row {
        let mut lead = vec![Piece::new(format!("{:NUMBER$}", ""), Role::Text)];
        lead.push(self.times(Some(activity.start), activity.duration().map(figures::duration_figure)));
        let so_far = || Some((kind_index(activity.kind), activity.start, end.filter(|end| *end >= activity.start)?));
        let part = part_of(activity).or_else(|| so_far().filter(|_| is_running(view, activity)));
        lead.extend(self.bar(part.into_iter()));
        Self::finish(view, lead, trail, view.target_of_item(activity.item))
    }

    /// Start since the beginning of the session, and duration.
    fn times(self, start: Option<Timestamp>, took: Option<String>) -> Piece {
        let start = start
            .map_or("–".to_owned(), |start| format!("+{}", since(self.axis.since_start(self.axis.position(start)))));
        let took = took.unwrap_or_else(|| "–".to_owned());
        Piece::new(format!("{start:>START$}{took:>TOOK$} "), Role::Text)
    }

    /// The bar of parts, each with its kind, start and end.
    fn bar(self, parts: impl Iterator<Item = (usize, Timestamp, Timestamp)>) -> Vec<Piece> {
        let length = (self.to - self.from).max(1);
        let mut cells = vec![[0_u64; KINDS.len()]; self.columns];
        let (mut is_before, mut is_after) = (false, false);
        for (kind, start, end) in parts {
            let [start, end] = [start, end].map(|moment| self.axis.position(moment));
            if kind != WAIT {
                is_before |= start < self.from;
                is_after |= end > self.to;
            }
            if end < self.from || start > self.to {
                continue;
            }
            let [first, last] =
                [start.max(self.from), end.min(self.to)].map(|at| (at - self.from) * self.columns as u64);
            let cell = |at: u64| usize::try_from(at / length).unwrap_or_default().min(self.columns - 1);
            for (index, shares) in cells.iter_mut().enumerate().take(cell(last) + 1).skip(cell(first)) {
                let [from, to] = [index, index + 1].map(|column| column as u64 * length);
                // A part that is shorter than a cell counts, too.
                shares[kind] += last.min(to).saturating_sub(first.max(from)).max(1);
            }
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let is_cut = |index: usize| {
            let at = self.from + (index as u64 * 2 + 1) * length / (2 * self.columns as u64);
            self.axis.cuts().any(|(from, to, _)| (from..to).contains(&at))
        };
        for (index, shares) in cells.iter().enumerate() {
            let busiest = (0..WAIT).max_by_key(|&kind| (shares[kind], kind)).filter(|&kind| shares[kind] > 0);
            let kind = busiest.or((shares[WAIT] > 0).then_some(WAIT));
            let (glyph, role) = match kind {
                Some(WAIT) if is_cut(index) => ('≈', Role::Dim),
                Some(kind) => (KINDS[kind].0, KINDS[kind].1),
                None if index == 0 && is_before => ('‹', Role::Dim),
                None if index + 1 == self.columns && is_after => ('›', Role::Dim),
                None => (' ', Role::Text),
            };
            match pieces.last_mut() {
                Some(last) if last.role == role => last.text.push(glyph),
                _ => pieces.push(Piece::new(glyph.to_string(), role)),
            }
        }
        pieces
    }

    /// A row with the words after the bar cut at the edge of the pane.
    fn finish(view: &View, mut lead: Vec<Piece>, words: Vec<Piece>, target: Option<Target>) -> Row {
        lead.push(Piece::new("  ", Role::Text));
        let mut room = view.width(PaneId::Timeline).saturating_sub(width(&lead));
        for piece in words {
            // Of a path, the end is kept.
            let piece = Piece::new(shortened(&piece.text, room), piece.role);
            room = room.saturating_sub(piece.width());
            lead.push(piece);
        }
        Row { target, ..Row::words(lead) }
    }
}

/// Index of a kind of activity among [`KINDS`].
fn kind_index(kind: ActivityKind) -> usize {
    match kind {
        ActivityKind::Call => 1,
        ActivityKind::Subagent => 2,
        ActivityKind::Question => WAIT,
        _ => 0,
    }
}

/// True if an activity has not ended, in a text that may grow.
fn is_running(view: &View, activity: &TimedActivity) -> bool {
    activity.end.is_none() && !view.session.is_finished()
}

/// The part of a bar for an activity whose end is known.
fn part_of(activity: &TimedActivity) -> Option<(usize, Timestamp, Timestamp)> {
    Some((kind_index(activity.kind), activity.start, activity.end?))
}

/// A time since the beginning, to the second up to ten hours: `3 s`, `4m 12s`, `1h26m35s`.
fn since(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        3600..36_000 => format!("{}h{:02}m{:02}s", seconds / 3600, seconds % 3600 / 60, seconds % 60),
        _ => short(time),
    }
}

/// A time without its smaller unit if that is 0: `2h`, `1h 05m`, `40 s`.
fn short(time: Duration) -> String {
    let words = figures::duration(Duration::from_secs(time.as_secs()));
    let words = words.strip_suffix(" 00m").or_else(|| words.strip_suffix(" 00s")).unwrap_or(&words).to_owned();
    if time.as_secs() == 0 { "0 s".to_owned() } else { words.replace(".0 s", " s") }
}

/// An activity as text: `Bash cargo test`, `answer Done.`
pub(super) fn words(view: &View, activity: &TimedActivity) -> String {
    pieces(view, activity).into_iter().map(|piece| piece.text).collect::<String>().trim().to_owned()
}

/// The name and main argument of a call, or the first words of an answer.
fn pieces(view: &View, activity: &TimedActivity) -> Vec<Piece> {
    let (document, item) = (view.session.document(), activity.item);
    let mut pieces = Vec::new();
    if activity.kind == ActivityKind::Answer {
        pieces.push(Piece::new("answer ", Role::Assistant));
        let span = document.items().span(item).unwrap_or_default();
        match document.call(item) {
            Some(call) => pieces.extend([Piece::new("calls ", Role::Dim), call_name(&call, view.session.text())]),
            None => pieces.push(Piece::new(view.first_words(span), Role::Text)),
        }
        return pieces;
    }
    let Some(call) = document.call(item) else { return pieces };
    if call.has_failed() {
        pieces.push(Piece::new(format!("{FAILED} "), Role::Error));
    }
    pieces.extend([call_name(&call, view.session.text()), Piece::new(" ", Role::Text)]);
    if let Some(calls) = activity.last_of {
        pieces.push(Piece::new(format!("last of {calls} "), Role::Warning));
    }
    pieces.extend(view.main_argument(item).map(|argument| Piece::new(argument, Role::Text)));
    pieces
}

/// The place of a turn's prompt.
pub(super) fn target_of_turn(view: &View, turn: Turn) -> Option<Target> {
    let document = view.session.document();
    let start = document.messages().start(turn.first)?;
    Some(Target::new(document.item_at(start)?, start))
}
