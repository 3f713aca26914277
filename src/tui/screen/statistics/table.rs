//! A table of groups: the lines, their order, and the choice.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::corpus::counts::{CountGroup, Dimension};
use crate::text::wrap::display_width;
use crate::tui::list::KeyedLines;
use crate::wording::group::value_words;

/// Maximum number of names that are measured.
const MEASURED: usize = 1000;

/// Sort order of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupOrder {
    /// Most failing calls first, which is the order of the groups.
    Failures,
    /// Highest failure rate first.
    Rate,
    /// Most calls first.
    Calls,
    /// Most problems first.
    Problems,
    /// Latest day first.
    Newest,
    /// By name, empty names last.
    Name,
}

/// The table of one dimension.
pub struct GroupTable {
    /// The dimension that groups the calls.
    pub dimension: Dimension,
    /// Indices of the groups that are lines; the names of groups are the keys.
    pub rows: KeyedLines<usize, Option<Arc<str>>>,
    /// Width of the widest name.
    pub widest: usize,
    /// Sort order, as an index into the orders of the dimension.
    order: usize,
    is_stale: bool,
}

impl GroupOrder {
    /// Description of the order, for the title.
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

    /// The orders that suit a dimension, the default first.
    fn of(dimension: Dimension) -> &'static [Self] {
        match dimension {
            Dimension::Code => &[Self::Problems, Self::Calls, Self::Failures, Self::Name],
            Dimension::Day => &[Self::Newest, Self::Failures, Self::Rate, Self::Calls],
            _ => &[Self::Failures, Self::Rate, Self::Calls, Self::Name],
        }
    }
}

impl GroupTable {
    /// An empty table of a dimension.
    pub fn new(dimension: Dimension) -> Self {
        Self { dimension, rows: KeyedLines::default(), widest: 0, order: 0, is_stale: true }
    }

    /// Current sort order.
    pub fn order(&self) -> GroupOrder {
        GroupOrder::of(self.dimension)[self.order]
    }

    /// Switches to the next order and chooses its first line.
    pub fn next_order(&mut self) {
        self.order = (self.order + 1) % GroupOrder::of(self.dimension).len();
        self.rows.choose_first();
        self.refresh();
    }

    /// Marks the lines as out of date.
    pub fn refresh(&mut self) {
        self.is_stale = true;
    }

    /// Keeps the choice on the name of the chosen line.
    pub fn keep_choice(&mut self, groups: &[CountGroup]) {
        self.rows.keep_choice(|&number| groups.get(number).and_then(key));
    }

    /// Updates the lines if they are out of date; `height` lines are visible.
    pub fn update_lines(&mut self, groups: &[CountGroup], filter: &str, height: usize) {
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
        // Groups are sorted by failures, days chronologically.
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

/// The key that the calls of a group have in common.
fn key(group: &CountGroup) -> Option<Arc<str>> {
    group.key.first().cloned().flatten()
}
