//! The turns of a session over time: a bar for each, with the answers of the model, the calls, and the wait for the next
//! prompt. An unfolded turn lists its answers and calls; the axis then shows that turn.

mod activity_rows;
mod rows;

use std::collections::{HashMap, HashSet};

use crate::container::facts::Timestamp;
use crate::document::Turn;
use crate::timeline::{LongestActivities, TimeAxis, TimedActivity, TurnActivities};
use crate::wording::figures;

use crate::tui::action::{Action, PaneId, ReplayControl};
use crate::tui::pane::entry_rows::{EntryRow, EntryRows, row_to_fold};
use crate::tui::pane::list::{self, ChosenRows, List};
use crate::tui::pane::row_choice::{RowChoice, read_at};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::Target;
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor};
use activity_rows::{ActivityRow, OpenTurn};

/// Number of turns whose times are read in a step.
const TURNS: usize = 1024;

/// Maximum number of turns whose activities are kept.
const KEPT: usize = 128;

/// Smallest part of the axis that is shown, in milliseconds.
const SHORTEST: u64 = 100;

/// The timeline pane: turns, the unfolded one, the visible part of the axis, the chosen row and the scroll position.
#[derive(Clone, Default)]
pub struct Timeline {
    turns: Vec<TurnTimes>,
    axis: TimeAxis,
    /// Number of turns and length of the text for which they were read.
    known: Option<(usize, usize)>,
    /// Activities of turns that are or were visible, by their indexes.
    activities: HashMap<usize, KnownActivities>,
    open: Option<OpenTurn>,
    /// Items of the calls whose sub-agents are unfolded.
    unfolded: HashSet<usize>,
    /// The visible positions of the axis; `None` for all.
    range: Option<(u64, u64)>,
    /// True while the unfolded turn is what is visible: the range grows with it.
    shows_open: bool,
    longest: LongestActivities,
    /// Number of the longest activities that were visited.
    visited: usize,
    top: Anchor,
    /// Index of the chosen row; the heading is never chosen.
    chosen: usize,
    /// Offset of the selection that the chosen row shows.
    shown: Option<usize>,
}

/// A turn, the time of its prompt and of the last activity in it.
#[derive(Clone, Copy)]
struct TurnTimes {
    turn: Turn,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
}

/// The activities of a turn that were read so far.
#[derive(Clone)]
struct KnownActivities {
    reader: TurnActivities,
    list: Vec<TimedActivity>,
    /// Length of the text when they were listed.
    length: usize,
}

impl TurnTimes {
    fn range(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.start?, self.end?)).filter(|(start, end)| start <= end)
    }
}

impl Timeline {
    fn entry_rows(&self) -> EntryRows {
        let open = self.open.as_ref();
        let contents = open.map_or(0, |open| open.rows.len());
        EntryRows { entries: self.turns.len(), open: open.map(|open| open.index), contents }
    }

    fn content(&self, index: usize) -> Option<&ActivityRow> {
        self.open.as_ref()?.rows.get(index)
    }

    fn is_behind(&self, view: &View) -> bool {
        self.known != Some(state_of(view))
            || self.turns.len() < view.session.document().last_turn().map_or(0, |turn| turn.index)
    }

    /// Reads the times of the next turns. The last known one may have grown.
    fn read_turns(&mut self, view: &View) {
        let (document, text) = (view.session.document(), view.session.text());
        self.turns.pop();
        let first = self.turns.len() + 1;
        let next = (first..first + TURNS).map_while(|index| document.turn(index));
        let times = next.map(|turn| TurnTimes {
            turn,
            start: document.start_of_turn(turn),
            end: document.end_of_turn(turn, text),
        });
        self.turns.extend(times);
        self.axis = TimeAxis::new(self.turns.iter().filter_map(TurnTimes::range));
        self.known = Some(state_of(view));
        if self.shows_open {
            self.range = self.range_of_open();
        }
    }

    /// The positions of the unfolded turn.
    fn range_of_open(&self) -> Option<(u64, u64)> {
        let times = self.turns.get(self.open.as_ref()?.index)?;
        let range = times.range().map(|(start, end)| (self.axis.position(start), self.axis.position(end)));
        range.filter(|(start, end)| end.saturating_sub(*start) >= SHORTEST)
    }

    /// Reads activities of the turns that are visible, and of the unfolded one.
    fn read_activities(&mut self, view: &View) {
        let rows = self.entry_rows();
        let shown = viewport::window(&self.chosen_rows(view), self.top, view.height(PaneId::Timeline));
        let mut turns: Vec<usize> = shown.iter().map(|at| rows.entry_at(at.unit)).collect();
        turns.dedup();
        if self.activities.len() > KEPT {
            self.activities.retain(|index, _| turns.contains(index));
        }
        // One long turn a frame.
        let mut is_read = false;
        for index in turns {
            if !is_read {
                is_read = self.read_turn(view, index) > TURNS;
            }
        }
    }

    /// Reads the next activities of a turn. Returns the number of items that were read.
    fn read_turn(&mut self, view: &View, index: usize) -> usize {
        let Some(turn) = self.turns.get(index).map(|times| times.turn) else { return 0 };
        let new = || KnownActivities { reader: TurnActivities::new(turn), list: Vec::new(), length: 0 };
        let known = self.activities.entry(index).or_insert_with(new);
        let read = known.reader.advance(&view.session);
        let length = view.session.text().len();
        // A call may end in a later turn: its result may follow the next prompt.
        let may_have_ended = known.length != length && known.list.iter().any(|activity| activity.end.is_none());
        if read > 0 || may_have_ended {
            (known.list, known.length) = (known.reader.list(&view.session), length);
            if self.open.as_ref().is_some_and(|open| open.index == index) {
                self.list_open(index, view);
            }
        }
        read
    }

    fn has_unread_activities(&self, view: &View) -> bool {
        self.activities.values().any(|known| known.reader.is_behind(&view.session))
    }

    /// Unfolds a turn, and shows it on the whole axis; folds all if there is none.
    fn open_turn(&mut self, view: &View, index: Option<usize>) {
        self.open = None;
        (self.range, self.shows_open) = (None, false);
        let Some(index) = index.filter(|index| *index < self.turns.len()) else { return };
        self.read_turn(view, index);
        self.list_open(index, view);
        (self.range, self.shows_open) = (self.range_of_open(), true);
    }

    /// Folds or unfolds the chosen row; an activity folds its turn, which is chosen.
    fn fold(&mut self, view: &View, opens: Option<bool>) -> Response {
        let rows = self.entry_rows();
        let Some(at) = self.chosen_rows(view).cursor().map(|at| at.unit) else { return Response::done() };
        let depth = |row: usize| match rows.get(row) {
            Some(EntryRow::Content(index)) => self.content(index).map_or(1, |row| row.depth),
            _ => 0,
        };
        // Whether the row is unfolded, if it can be.
        let state = |row: usize| match rows.get(row)? {
            EntryRow::Entry(index) => Some(rows.open == Some(index)),
            EntryRow::Content(index) => {
                self.content(index).filter(|row| row.has_parts).map(|row| self.unfolded.contains(&row.activity.item))
            }
            EntryRow::Heading => None,
        };
        let Some((row, opens)) = row_to_fold(at, opens, depth, state) else { return Response::done() };
        let turn = rows.entry_at(row);
        let row = if let Some(EntryRow::Content(index)) = rows.get(row) {
            let item = self.content(index).map(|row| row.activity.item).unwrap_or_default();
            if opens {
                self.unfolded.insert(item);
            } else {
                self.unfolded.remove(&item);
            }
            self.list_open(turn, view);
            row
        } else {
            self.open_turn(view, Some(turn).filter(|_| opens));
            self.entry_rows().row_of(turn)
        };
        let response = self.choose(view, row);
        if opens {
            self.scroll(view, &list::raised);
        }
        response
    }

    /// Shows a part of the axis around the chosen row: half of the visible part (1) or twice as much (-1).
    fn zoom(&mut self, direction: i8) -> Response {
        let (from, to) = self.visible_range();
        let length = if direction > 0 { (to - from) / 2 } else { (to - from) * 2 };
        let middle = self.chosen_time().map_or(from.midpoint(to), |moment| self.axis.position(moment));
        self.show_range(middle.clamp(from, to).saturating_sub(length / 2), length)
    }

    /// Shows a later (1) or earlier (-1) part of the axis.
    fn pan(&mut self, direction: i8) -> Response {
        let (before, to) = self.visible_range();
        let step = (to - before) / 4;
        let from = if direction > 0 { before + step } else { before.saturating_sub(step) };
        self.show_range(from, to - before)
    }

    fn show_range(&mut self, from: u64, length: u64) -> Response {
        self.shows_open = false;
        let all = self.axis.len();
        let length = length.clamp(SHORTEST.min(all), all);
        let from = from.min(all - length);
        self.range = Some((from, from + length)).filter(|_| length < all);
        Response::done()
    }

    fn visible_range(&self) -> (u64, u64) {
        self.range.unwrap_or((0, self.axis.len()))
    }

    /// When the chosen turn or activity begins.
    fn chosen_time(&self) -> Option<Timestamp> {
        match self.entry_rows().get(self.chosen)? {
            EntryRow::Entry(index) => self.turns.get(index)?.start,
            EntryRow::Content(index) => Some(self.content(index)?.activity.start),
            EntryRow::Heading => None,
        }
    }

    /// Goes to the longest answer or call, and from there to the next shorter one.
    fn go_to_longest(&mut self, view: &View) -> Response {
        // A key may arrive before the first idle moment.
        self.longest.advance(&view.session);
        let longest = self.longest.list(&view.session);
        let number = if self.visited < longest.len() { self.visited } else { 0 };
        let Some(activity) = longest.get(number) else {
            return Response::message("no answer or call has a known duration", Role::Dim);
        };
        self.visited = number + 1;
        let Some(target) = view.target_of_item(activity.item) else { return Response::done() };
        let so_far = if self.longest.is_behind(&view.session) { " so far" } else { "" };
        let took = activity.duration().map(figures::duration_figure).unwrap_or_default();
        let words =
            format!("wait {} of {}{so_far}: {took}, {}", number + 1, longest.len(), rows::words(view, activity));
        if view.is_shown(PaneId::Timeline) {
            let offset = target.offset;
            self.open_turn(view, self.turn_at(view, offset));
            self.shown = None;
            self.choose_offset(view, offset);
        }
        Response::Done(vec![Request::GoTo(target), Request::Tell(words, Role::Text)])
    }

    /// Index of the turn that contains an offset.
    fn turn_at(&self, view: &View, offset: usize) -> Option<usize> {
        let turn = view.session.document().turn_of(view.session.document().message_at(offset))?;
        Some(turn.index - 1).filter(|index| *index < self.turns.len())
    }

    /// Lists what has arrived, and chooses the row of the selection.
    fn follow_text(&mut self, view: &View) {
        if self.is_behind(view) {
            self.read_turns(view);
        }
        let offset = view.selection.offset;
        let is_chosen_here = view.layout.focused() == PaneId::Timeline && self.shown.is_some();
        if self.shown != Some(offset) && !is_chosen_here {
            self.choose_offset(view, offset);
        }
    }

    /// Chooses the turn that contains an offset, or in the unfolded turn the last activity up to it.
    fn choose_offset(&mut self, view: &View, offset: usize) {
        self.shown = Some(offset);
        let Some(turn) = self.turn_at(view, offset) else { return };
        let rows = self.entry_rows();
        self.chosen = rows.row_of(turn);
        if let Some(open) = self.open.as_ref().filter(|open| open.index == turn) {
            let item = view.session.document().item_at(offset).unwrap_or_default();
            let up_to = open.rows.iter().enumerate().filter(|(_, row)| row.activity.item <= item);
            let last = up_to.max_by_key(|(_, row)| row.activity.item);
            self.chosen += last.map_or(0, |(index, _)| index + 1);
        }
        self.reveal(view);
    }
}

impl RowChoice for Timeline {
    fn chosen_rows<'a>(&'a self, view: &'a View) -> ChosenRows<'a> {
        let rows = self.entry_rows();
        let scale = rows::Scale::new(view, &self.axis, self.visible_range());
        let row = move |at: usize| {
            Some(match rows.get(at)? {
                EntryRow::Heading => scale.heading(),
                EntryRow::Entry(index) => {
                    let times = self.turns.get(index)?;
                    let activities = self.activities.get(&index).map_or(&[][..], |known| &known.list);
                    let next = self.turns.get(index + 1).and_then(|next| next.start);
                    scale.turn(view, (times.turn, times.range(), next), activities, rows.open == Some(index))
                }
                EntryRow::Content(index) => {
                    let row = self.content(index)?;
                    let is_open = row.has_parts.then(|| self.unfolded.contains(&row.activity.item));
                    let end = self.turns.get(rows.open?)?.end;
                    match &row.wave {
                        Some(wave) => scale.wave(view, &row.activity, wave, end),
                        None => scale.activity(view, &row.activity, (row.indent, is_open), end),
                    }
                }
            })
        };
        let (pane, count, chosen) = (PaneId::Timeline, rows.len(), self.chosen.max(1));
        ChosenRows { pane, view, count, chosen, row: Box::new(row) }
    }

    fn top(&self) -> Anchor {
        self.top
    }

    /// The heading is never chosen, and stays visible above the first row.
    fn set_chosen(&mut self, view: &View, row: usize) {
        self.chosen = row.max(1);
        if self.chosen == 1 {
            self.top = Anchor::default();
        }
        self.shown = self.target(view).map(|target| target.offset).or(self.shown);
    }

    fn target(&self, view: &View) -> Option<Target> {
        match self.entry_rows().get(self.chosen)? {
            EntryRow::Entry(index) => rows::target_of_turn(view, self.turns.get(index)?.turn),
            EntryRow::Content(index) => view.target_of_item(self.content(index)?.activity.item),
            EntryRow::Heading => None,
        }
    }

    fn visit(&mut self, view: &View) -> Response {
        self.target(view).map_or_else(Response::done, read_at)
    }
}

/// Number of turns and length of the text: if both are the same, nothing has arrived.
fn state_of(view: &View) -> (usize, usize) {
    (view.session.document().last_turn().map_or(0, |turn| turn.index), view.session.text().len())
}

impl Pane for Timeline {
    fn title(&self, _: &View) -> Option<String> {
        let all = self.axis.since_start(self.axis.len());
        (!self.axis.is_empty()).then(|| format!("Timeline {}", figures::duration(all)))
    }

    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        Some((Box::new(self.chosen_rows(view)), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn placeholder(&self, _: &View) -> &'static str {
        "no turn has begun yet"
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        // A key may arrive before the first frame.
        self.follow_text(view);
        match action {
            Action::Move(motion) => self.move_choice(view, motion),
            Action::Open => self.fold(view, Some(true)),
            Action::Close => self.fold(view, Some(false)),
            Action::Toggle => self.visit(view),
            Action::UnfoldAll => self.zoom(1),
            Action::FoldAll => self.zoom(-1),
            Action::Replay(ReplayControl::Step(forward)) => self.pan(if forward { 1 } else { -1 }),
            _ => self.act_unfocused(view, action),
        }
    }

    fn act_unfocused(&mut self, view: &View, action: Action) -> Response {
        if action == Action::LongestWait { self.go_to_longest(view) } else { Response::Ignored }
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        self.click_row(view, row)
    }

    fn renumber(&mut self, _: &dyn Fn(usize) -> Option<usize>) {
        *self = Self::default();
    }

    fn forget_from(&mut self, _: usize) {
        self.known = None;
    }

    fn prepare(&mut self, view: &View) {
        if view.is_shown(PaneId::Timeline) {
            self.follow_text(view);
            self.read_activities(view);
        }
    }

    fn has_work(&self, view: &View) -> bool {
        let is_unread = view.is_shown(PaneId::Timeline) && (self.is_behind(view) || self.has_unread_activities(view));
        is_unread || self.longest.is_behind(&view.session)
    }

    fn work(&mut self, view: &View) {
        if view.is_shown(PaneId::Timeline) {
            self.follow_text(view);
            self.read_activities(view);
        }
        self.longest.advance(&view.session);
    }
}
