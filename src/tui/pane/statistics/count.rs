//! Counters of the statistics pane.
//!
//! Items that can no longer change are counted once, in small steps while the event loop is idle.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::container::facts::{Figure, FigureSource};
use crate::diagnostic::{Code, Severity};
use crate::document::facts::requests::Spending;
use crate::document::{Item, MessageRole as Speaker};
use crate::text::Span;
use crate::wording::figures::duration_figure;

use crate::tui::row::{grouped, size};
use crate::tui::view::View;

/// Items counted per step.
const STEP: usize = 2_000;

/// Possible speakers, in row order.
pub(super) const SPEAKERS: [Option<Speaker>; 5] =
    [Some(Speaker::System), Some(Speaker::User), Some(Speaker::Assistant), Some(Speaker::Tool), None];

/// A column of the table of tools; each sorts it, largest value first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Column {
    #[default]
    Calls,
    Longest,
    Failed,
    LargestResult,
    TotalTime,
    MeanTime,
    Bytes,
}

impl Column {
    pub(super) const ALL: [Column; 7] = [
        Column::Calls,
        Column::Longest,
        Column::Failed,
        Column::LargestResult,
        Column::TotalTime,
        Column::MeanTime,
        Column::Bytes,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Column::Calls => "calls",
            Column::Longest => "longest",
            Column::Failed => "failed",
            Column::LargestResult => "max result",
            Column::TotalTime => "total time",
            Column::MeanTime => "mean time",
            Column::Bytes => "bytes",
        }
    }
}

#[derive(Clone, Default)]
pub(super) struct Tally {
    /// Number of items, messages, problems and requests counted so far.
    seen: [usize; 4],
    pub(super) tools: HashMap<String, Tool>,
    /// Spending per model, the one with the most requests first.
    pub(super) models: Vec<(String, Spending)>,
    /// Number of messages and their bytes, by speaker.
    pub(super) roles: [[usize; 2]; SPEAKERS.len()],
    pub(super) codes: BTreeMap<Code, (Severity, usize)>,
}

#[derive(Clone, Default)]
pub(super) struct Tool {
    /// Items of the calls, in text order.
    items: Vec<u32>,
    failed: usize,
    bytes: usize,
    /// Bytes of the largest result; `None` without results.
    largest_result: Option<usize>,
    /// Number of calls whose duration, or a bound of it, is known.
    timed: u32,
    /// Sum of their durations; a bound if one of them is.
    total: Option<Figure<Duration>>,
    longest: Option<Figure<Duration>>,
}

impl Tool {
    fn mean(&self) -> Option<Figure<Duration>> {
        self.total.map(|total| Figure { value: total.value / self.timed.max(1), ..total })
    }

    /// The sort key for a column.
    pub(super) fn value(&self, column: Column) -> f64 {
        let seconds = |figure: Option<Figure<Duration>>| figure.map_or(0.0, |figure| figure.value.as_secs_f64());
        match column {
            Column::Calls => self.items.len() as f64,
            Column::Longest => seconds(self.longest),
            Column::Failed => self.failed as f64,
            Column::LargestResult => self.largest_result.unwrap_or(0) as f64,
            Column::TotalTime => seconds(self.total),
            Column::MeanTime => seconds(self.mean()),
            Column::Bytes => self.bytes as f64,
        }
    }

    /// The value as text, with a sign if it is a bound; `None` if there is none.
    pub(super) fn cell(&self, column: Column) -> Option<String> {
        match column {
            Column::Calls => Some(grouped(self.items.len())),
            Column::Longest => self.longest.map(duration_figure),
            Column::Failed => (self.failed > 0).then(|| grouped(self.failed)),
            Column::LargestResult => self.largest_result.map(size),
            Column::TotalTime => self.total.map(duration_figure),
            Column::MeanTime => self.mean().map(duration_figure),
            Column::Bytes => Some(size(self.bytes)),
        }
    }

    /// Items of the calls that a column refers to, largest value first; for the number of calls, in text order.
    pub(super) fn calls_by(&self, view: &View, column: Column) -> Vec<usize> {
        let (document, text) = (view.session.document(), view.session.text());
        let mut calls: Vec<usize> = self.items.iter().map(|&item| item as usize).collect();
        let bytes = |item: usize| document.items().span(item).map_or(0, Span::len);
        match column {
            Column::Calls => {}
            Column::Failed => calls.retain(|&item| document.call(item).is_some_and(|call| call.has_failed())),
            Column::LargestResult => {
                calls.sort_by_cached_key(|&item| Reverse(document.answer_of(item).map_or(0, bytes)));
            }
            Column::Bytes => calls.sort_by_cached_key(|&item| Reverse(bytes(item))),
            Column::Longest | Column::TotalTime | Column::MeanTime => {
                calls.sort_by_cached_key(|&item| Reverse(document.call_duration(item, text).map(|took| took.value)));
            }
        }
        calls
    }

    fn add_time(&mut self, took: Figure<Duration>) {
        self.timed += 1;
        let ground = |known: FigureSource| if took.ground == FigureSource::Bound { FigureSource::Bound } else { known };
        self.total = Some(match self.total {
            Some(total) => Figure { value: total.value.saturating_add(took.value), ground: ground(total.ground) },
            None => took,
        });
        if self.longest.is_none_or(|longest| longest.value < took.value) {
            self.longest = Some(took);
        }
    }
}

impl Tally {
    /// The columns of tools that have a value.
    pub(super) fn columns(&self) -> impl Iterator<Item = Column> {
        let has_value = |column: &Column| {
            let always = matches!(column, Column::Calls | Column::Failed | Column::Bytes);
            always || self.tools.values().any(|tool| tool.cell(*column).is_some())
        };
        Column::ALL.into_iter().filter(has_value)
    }

    pub(super) fn items_seen(&self) -> usize {
        self.seen[0]
    }

    /// Number of items, messages, problems and requests that can be counted now.
    fn there(view: &View) -> [usize; 4] {
        let document = view.session.document();
        // The last message may still grow, and problems of unsettled items may disappear.
        let messages = document.messages().len().saturating_sub(usize::from(view.is_live()));
        let items = if view.is_live() { document.stable_items() } else { document.items().len() };
        [items, messages, document.diagnostics().len(), document.requests().len()]
    }

    pub(super) fn is_behind(&self, view: &View) -> bool {
        self.seen.iter().zip(Self::there(view)).any(|(seen, there)| *seen != there)
    }

    /// Counts at most [`STEP`] more items, messages and problems, and requests once those are all counted.
    pub(super) fn count(&mut self, view: &View) {
        let there = Self::there(view);
        if self.seen.iter().zip(there).any(|(seen, there)| *seen > there) {
            // The text became shorter: a replay was rewound.
            *self = Self::default();
        }
        let range = |at: usize| self.seen[at]..there[at].min(self.seen[at] + STEP);
        let [items, messages, problems] = [range(0), range(1), range(2)];
        self.seen[..3].copy_from_slice(&[items.end, messages.end, problems.end]);
        items.for_each(|item| self.item(view, item));
        let document = view.session.document();
        for message in messages {
            let span = document.message_span(message, view.session.text().len());
            let role = document.messages().role(message);
            let at = SPEAKERS.iter().position(|speaker| *speaker == role).unwrap_or(SPEAKERS.len() - 1);
            self.roles[at][0] += 1;
            self.roles[at][1] += span.len();
        }
        for brief in problems.filter_map(|number| document.diagnostics().brief(number)) {
            self.codes.entry(brief.code).or_insert((brief.severity, 0)).1 += 1;
        }
        if self.seen[..3] == there[..3] {
            // A request's counts grow while its answer is being written.
            self.seen[3] = there[3];
            self.models = document.models().map(|(name, spending)| (name.to_owned(), spending)).collect();
            self.models.sort_by_key(|(_, spending)| Reverse(spending.requests));
        }
    }

    fn item(&mut self, view: &View, item: usize) {
        let (document, text) = (view.session.document(), view.session.text());
        match document.items().get(item) {
            Some(Item::Call(call)) if !document.is_withdrawn(item) => {
                let tool = self.tools.entry(call.name(text)).or_default();
                tool.items.push(item as u32);
                tool.failed += usize::from(call.failed);
                tool.bytes += call.span.len();
            }
            Some(Item::Result(answer)) => {
                let Some((number, call)) = answer.call.and_then(|(item, _)| Some((item, document.call(item)?))) else {
                    return;
                };
                let tool = self.tools.entry(call.name(text)).or_default();
                tool.failed += usize::from(call.has_failed() && !call.failed);
                tool.largest_result = tool.largest_result.max(Some(answer.span.len()));
                if let Some(took) = document.call_duration(number, text) {
                    tool.add_time(took);
                }
            }
            _ => {}
        }
    }
}
