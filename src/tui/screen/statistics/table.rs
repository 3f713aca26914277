//! A table of groups: which of them are its lines, in which order, and which one is chosen.
//!
//! This module does not know how a line looks.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::corpus::counts::{CountGroup, Dimension};
use crate::export::statistics::value_words;
use crate::text::wrap::display_width;
use crate::tui::screen::chrome::scroll::Scroll;

/// Names whose widths are looked at.
const MEASURED: usize = 1000;

/// What the lines are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupOrder {
    /// The most failing calls first, as groups are counted.
    Failures,
    /// The highest failure rate first.
    Rate,
    /// The most calls first.
    Calls,
    /// The most problems first.
    Problems,
    /// The last day first.
    Newest,
    /// By name, without a name last.
    Name,
}

/// Which line stays chosen while others come.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    /// The first one, whichever that is.
    First,
    /// That of the group with this name, or without one.
    Group(Option<Arc<str>>),
}

/// The lines of one dimension.
pub struct GroupTable {
    /// What the calls are grouped by.
    pub dimension: Dimension,
    /// Numbers of the groups that are lines, in the order of the lines.
    pub lines: Vec<usize>,
    /// Which line is chosen, and which is the first that is shown.
    pub scroll: Scroll,
    /// Columns of the widest name.
    pub widest: usize,
    /// What the lines are sorted by: an index into the orders of the dimension.
    order: usize,
    /// What the calls of the chosen line have in common, once the person has chosen one.
    chosen: Choice,
    is_stale: bool,
}

impl GroupOrder {
    /// The order in words, for the title.
    pub fn words(self) -> &'static str {
        match self {
            GroupOrder::Failures => "most failures first",
            GroupOrder::Rate => "highest rate first",
            GroupOrder::Calls => "most calls first",
            GroupOrder::Problems => "most problems first",
            GroupOrder::Newest => "newest first",
            GroupOrder::Name => "by name",
        }
    }

    /// The orders that suit a dimension, the usual one first.
    fn of(dimension: Dimension) -> &'static [Self] {
        match dimension {
            Dimension::Code => &[Self::Problems, Self::Calls, Self::Failures, Self::Name],
            Dimension::Day => &[Self::Newest, Self::Failures, Self::Rate, Self::Calls],
            _ => &[Self::Failures, Self::Rate, Self::Calls, Self::Name],
        }
    }
}

impl GroupTable {
    /// A table of a dimension that has no lines yet.
    pub fn new(dimension: Dimension) -> Self {
        Self {
            dimension,
            lines: Vec::new(),
            scroll: Scroll::default(),
            widest: 0,
            order: 0,
            chosen: Choice::First,
            is_stale: true,
        }
    }

    /// What the lines are sorted by.
    pub fn order(&self) -> GroupOrder {
        GroupOrder::of(self.dimension)[self.order]
    }

    /// Takes the next order. What comes first then is what was asked for.
    pub fn next_order(&mut self) {
        self.order = (self.order + 1) % GroupOrder::of(self.dimension).len();
        (self.scroll, self.chosen) = (Scroll::default(), Choice::First);
        self.refresh();
    }

    /// The lines are to be found out anew.
    pub fn refresh(&mut self) {
        self.is_stale = true;
    }

    /// The name of the chosen line is what stays chosen.
    pub fn keep_choice(&mut self, groups: &[CountGroup]) {
        let chosen = self.lines.get(self.scroll.at).and_then(|&number| groups.get(number));
        self.chosen = chosen.map_or(Choice::First, |group| Choice::Group(key(group)));
    }

    /// Finds out which of the groups are lines, where that may have changed; of those `height` are shown at once.
    pub fn settle(&mut self, groups: &[CountGroup], filter: &str, height: usize) {
        if std::mem::take(&mut self.is_stale) {
            self.arrange(groups, filter);
        }
        self.scroll.top = self.scroll.top.min(self.lines.len().saturating_sub(height));
    }

    fn arrange(&mut self, groups: &[CountGroup], filter: &str) {
        let row = self.scroll.at.saturating_sub(self.scroll.top);
        let filter = filter.to_lowercase();
        let name = |group: &CountGroup| value_words(self.dimension, group.key[0].as_deref()).to_lowercase();
        let is_line = |&number: &usize| filter.is_empty() || name(&groups[number]).contains(&filter);
        self.lines = (0..groups.len()).filter(is_line).collect();
        let lines = &mut self.lines;
        // Groups come with the most failures first, days in their order.
        match GroupOrder::of(self.dimension)[self.order] {
            GroupOrder::Failures => lines.sort_by_key(|&number| Reverse(groups[number].failures())),
            GroupOrder::Rate => {
                let rate = |number: usize| groups[number].rate().unwrap_or(-1.0);
                lines.sort_by(|&one, &other| rate(other).total_cmp(&rate(one)));
            }
            GroupOrder::Calls => lines.sort_by_key(|&number| Reverse(groups[number].calls)),
            GroupOrder::Problems => lines.sort_by_key(|&number| Reverse(groups[number].problems)),
            GroupOrder::Newest => lines.sort_by_cached_key(|&number| Reverse(key(&groups[number]))),
            GroupOrder::Name => lines.sort_by_cached_key(|&number| {
                let key = key(&groups[number]);
                (key.is_none(), key.map(|key| key.to_lowercase()))
            }),
        }
        let measured = self.lines.iter().take(MEASURED).map(|&number| &groups[number]);
        let width = |group: &CountGroup| display_width(value_words(self.dimension, group.key[0].as_deref()).as_bytes());
        self.widest = measured.map(width).max().unwrap_or_default();
        let last = self.lines.len().saturating_sub(1);
        let place = |chosen: &Option<Arc<str>>| self.lines.iter().position(|&number| key(&groups[number]) == *chosen);
        self.scroll.at = match &self.chosen {
            Choice::First => 0,
            Choice::Group(chosen) => place(chosen).unwrap_or(self.scroll.at).min(last),
        };
        self.scroll.top = self.scroll.at.saturating_sub(row);
    }
}

/// What the calls of a group have in common.
fn key(group: &CountGroup) -> Option<Arc<str>> {
    group.key.first().cloned().flatten()
}
