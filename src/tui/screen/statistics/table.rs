//! A table of groups: which of them are its lines, in which order, and which one is chosen.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::corpus::counts::{CountGroup, Dimension};
use crate::text::wrap::display_width;
use crate::tui::list::KeyedLines;
use crate::wording::group::value_words;

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

/// The lines of one dimension.
pub struct GroupTable {
    /// What the calls are grouped by.
    pub dimension: Dimension,
    /// Numbers of the groups that are lines; the names of groups are the keys.
    pub rows: KeyedLines<usize, Option<Arc<str>>>,
    /// Columns of the widest name.
    pub widest: usize,
    /// What the lines are sorted by: an index into the orders of the dimension.
    order: usize,
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
        Self { dimension, rows: KeyedLines::default(), widest: 0, order: 0, is_stale: true }
    }

    /// What the lines are sorted by.
    pub fn order(&self) -> GroupOrder {
        GroupOrder::of(self.dimension)[self.order]
    }

    /// Takes the next order. What comes first then is what was asked for.
    pub fn next_order(&mut self) {
        self.order = (self.order + 1) % GroupOrder::of(self.dimension).len();
        self.rows.choose_first();
        self.refresh();
    }

    /// The lines are to be found out anew.
    pub fn refresh(&mut self) {
        self.is_stale = true;
    }

    /// The name of the chosen line is what stays chosen.
    pub fn keep_choice(&mut self, groups: &[CountGroup]) {
        self.rows.keep_choice(|&number| groups.get(number).and_then(key));
    }

    /// Finds out which of the groups are lines, where that may have changed; of those `height` are shown at once.
    pub fn settle(&mut self, groups: &[CountGroup], filter: &str, height: usize) {
        if std::mem::take(&mut self.is_stale) {
            self.arrange(groups, filter);
        }
        self.rows.fill(height);
    }

    fn arrange(&mut self, groups: &[CountGroup], filter: &str) {
        let filter = filter.to_lowercase();
        let name = |group: &CountGroup| value_words(self.dimension, group.key[0].as_deref()).to_lowercase();
        let is_line = |&number: &usize| filter.is_empty() || name(&groups[number]).contains(&filter);
        let mut lines: Vec<usize> = (0..groups.len()).filter(is_line).collect();
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
        let measured = lines.iter().take(MEASURED).map(|&number| &groups[number]);
        let width = |group: &CountGroup| display_width(value_words(self.dimension, group.key[0].as_deref()).as_bytes());
        self.widest = measured.map(width).max().unwrap_or_default();
        self.rows.replace(lines, |&number| key(&groups[number]));
    }
}

/// What the calls of a group have in common.
fn key(group: &CountGroup) -> Option<Arc<str>> {
    group.key.first().cloned().flatten()
}
