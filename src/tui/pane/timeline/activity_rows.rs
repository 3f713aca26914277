//! The activities of the unfolded turn as rows: calls of one answer below a row that sums them up, and activities of sub-agents
//! inside the calls that started them.

use std::collections::{HashMap, HashSet};

use crate::timeline::{ActivityKind, TimedActivity};

use crate::tui::pane::timeline::Timeline;
use crate::tui::view::View;

/// The turn whose activities are listed.
#[derive(Clone, Default)]
pub(super) struct OpenTurn {
    /// Its index among the turns.
    pub(super) index: usize,
    pub(super) rows: Vec<ActivityRow>,
}

/// An activity of the unfolded turn.
#[derive(Clone)]
pub(super) struct ActivityRow {
    pub(super) activity: TimedActivity,
    /// Depth from 1; activities of a sub-agent are inside its call.
    pub(super) depth: usize,
    /// True if there are activities of a sub-agent inside.
    pub(super) has_parts: bool,
    /// Levels that it is indented by.
    pub(super) indent: usize,
    /// Of a row above several calls of one answer, what is known of them; the activity is from the first start to the last end.
    pub(super) wave: Option<WaveSum>,
}

/// Several calls of one answer.
#[derive(Clone, Copy)]
pub(super) struct WaveSum {
    /// Number of the calls: two at least.
    pub(super) calls: usize,
    /// Number of those without an end.
    pub(super) open: usize,
    /// True if some of them ran at the same time.
    pub(super) is_parallel: bool,
    /// Item of the call that ended last.
    pub(super) last: Option<usize>,
}

impl ActivityRow {
    fn new(activity: TimedActivity, depth: usize) -> Self {
        Self { activity, depth, has_parts: false, indent: depth - 1, wave: None }
    }
}

impl Timeline {
    /// Lists the activities of a turn. Activities of a sub-agent are listed if its call is unfolded.
    pub(super) fn list_open(&mut self, index: usize, view: &View) {
        let document = view.session.document();
        let activities = self.activities.get(&index).map_or(&[][..], |known| &known.list);
        // The call that started the sub-agent of a run of messages.
        let mut starters: HashMap<&str, usize> = HashMap::new();
        for activity in activities.iter().filter(|activity| activity.kind == ActivityKind::Subagent) {
            let id = document.call(activity.item).and_then(|call| call.id);
            let agent = id.and_then(|id| document.agent_of_call(&id.text(view.session.text())));
            starters.extend(agent.and_then(|agent| Some((agent.facts.id.as_deref()?, activity.item))));
        }
        let starter = |activity: &TimedActivity| starters.get(document.messages().label(activity.aside?)?).copied();
        let mut parts: HashMap<usize, Vec<&TimedActivity>> = HashMap::new();
        let mut rows = Vec::new();
        for activity in activities {
            match starter(activity) {
                Some(call) => parts.entry(call).or_default().push(activity),
                None => rows.push(ActivityRow::new(activity.clone(), 1)),
            }
        }
        let listed = rows.into_iter().flat_map(|row| {
            let inside = parts.remove(&row.activity.item).unwrap_or_default();
            let is_open = self.unfolded.contains(&row.activity.item);
            let row = ActivityRow { has_parts: !inside.is_empty(), ..row };
            let inside = inside.into_iter().filter(|_| is_open).cloned();
            let inside = inside.map(|activity| ActivityRow::new(activity, 2));
            std::iter::once(row).chain(inside).collect::<Vec<_>>()
        });
        let rows = with_waves(listed.collect());
        self.open = Some(OpenTurn { index, rows });
    }
}

/// Adds a row before the calls of each answer with several, and indents these.
fn with_waves(rows: Vec<ActivityRow>) -> Vec<ActivityRow> {
    let mut waves: HashMap<usize, Vec<TimedActivity>> = HashMap::new();
    for ActivityRow { activity, depth, .. } in &rows {
        if let Some(wave) = activity.wave.filter(|_| *depth == 1) {
            waves.entry(wave).or_default().push(activity.clone());
        }
    }
    waves.retain(|_, calls| calls.len() > 1);
    let known: HashSet<usize> = waves.keys().copied().collect();
    let mut is_inside = false;
    let mut all = Vec::with_capacity(rows.len() + waves.len());
    for mut row in rows {
        if row.depth == 1 {
            let wave = row.activity.wave.filter(|wave| known.contains(wave));
            all.extend(wave.and_then(|wave| waves.remove(&wave)).and_then(|calls| sum(&calls)));
            is_inside = wave.is_some();
        }
        row.indent += usize::from(is_inside);
        all.push(row);
    }
    all
}

/// The row above calls of one answer.
fn sum(calls: &[TimedActivity]) -> Option<ActivityRow> {
    let first = calls.iter().min_by_key(|call| (call.start, call.item))?;
    let last = calls.iter().filter(|call| call.end.is_some()).max_by_key(|call| call.end);
    let open = calls.iter().filter(|call| call.end.is_none()).count();
    let mut by_start: Vec<&TimedActivity> = calls.iter().collect();
    by_start.sort_by_key(|call| (call.start, call.item));
    let overlaps = |pair: &[&TimedActivity]| pair[0].end.is_none_or(|end| end > pair[1].start);
    let sum = WaveSum {
        calls: calls.len(),
        open,
        is_parallel: by_start.windows(2).any(overlaps),
        last: last.map(|last| last.item),
    };
    let end = last.filter(|_| open == 0).and_then(|last| last.end);
    let source = last.map_or(first.source, |last| last.source);
    let activity = TimedActivity { kind: ActivityKind::Call, end, source, last_of: None, ..first.clone() };
    Some(ActivityRow { wave: Some(sum), ..ActivityRow::new(activity, 1) })
}
