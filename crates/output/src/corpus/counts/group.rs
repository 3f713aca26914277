//! Groups counts by some of their columns, for statistics.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use super::{CODE, CONTAINER, Counts, DAY, DIALECT, Key, MODEL, SEVERITY, TOOL, Tally};
use crate::diagnostic::Severity;
use crate::text::typo;

/// A column to group calls and problems by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Dimension {
    /// Name of the tool; empty if none is written, `None` for problems without a call.
    Tool,
    /// Dialect of the call; `None` for problems without a call.
    Dialect,
    /// Code of the problem: groups contain problems and their calls instead of all calls.
    Code,
    /// Model that wrote the call; `None` if the file does not state it.
    Model,
    /// Day of the call, in UTC.
    Day,
    /// Container of the file.
    Container,
}

/// Calls, or problems and their calls, with the same values in some dimensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountGroup {
    /// The common values, one for each requested dimension, in that order.
    pub key: Vec<Option<Arc<str>>>,
    /// The highest severity of the problems, if grouped by code.
    pub severity: Option<Arc<str>>,
    /// Number of calls; if grouped by code, only calls with such a problem.
    pub calls: i64,
    /// Number of those calls with the outcome failed or denied.
    pub(crate) failed: i64,
    /// Number of those calls that the runtime rejects.
    pub rejected: i64,
    /// Number of those calls that would not run.
    pub skipped: i64,
    /// Number of those calls without a result.
    pub unanswered: i64,
    /// Number of problems, if grouped by code or in the totals; otherwise 0.
    pub problems: i64,
}

impl Dimension {
    /// All dimensions, in display order.
    pub const ALL: [Self; 6] = [Self::Tool, Self::Dialect, Self::Model, Self::Day, Self::Code, Self::Container];

    /// Its name, which is the name of the column in the tables.
    pub fn name(self) -> &'static str {
        self.into()
    }

    fn column(self) -> usize {
        match self {
            Self::Tool => TOOL,
            Self::Dialect => DIALECT,
            Self::Code => CODE,
            Self::Model => MODEL,
            Self::Day => DAY,
            Self::Container => CONTAINER,
        }
    }
}

impl FromStr for Dimension {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|dimension| dimension.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let near = typo::nearest(name, names);
            near.map_or_else(|| format!("use one of {}", names.join(", ")), |near| format!("did you mean {near}?"))
        })
    }
}

impl CountGroup {
    /// Number of calls that failed, were denied or were rejected.
    pub fn failures(&self) -> i64 {
        self.failed.saturating_add(self.rejected)
    }

    /// Proportion of the calls that are failures, from 0 to 1; `None` without calls.
    pub fn rate(&self) -> Option<f64> {
        (self.calls > 0).then(|| self.failures() as f64 / self.calls as f64)
    }

    fn new(key: Vec<Option<Arc<str>>>, severity: Option<Arc<str>>, tally: &Tally) -> Self {
        let &Tally { calls, failed, rejected, skipped, unanswered, problems } = tally;
        Self { key, severity, calls, failed, rejected, skipped, unanswered, problems }
    }
}

impl Counts {
    /// Groups by one or more dimensions. Sorted by failures, calls and problems, each descending, then by name with
    /// `None` last. If the first dimension is the day, groups are sorted by day first.
    ///
    /// If [`Dimension::Code`] is included, groups problems; otherwise calls.
    pub fn groups(&self, by: &[Dimension]) -> Vec<CountGroup> {
        let mut found: HashMap<Key, (Tally, u32)> = HashMap::new();
        let is_by_code = by.contains(&Dimension::Code);
        for (key, tally) in self.rows.iter().filter(|(key, _)| (key[CODE] != 0) == is_by_code) {
            let mut common = Key::default();
            by.iter().map(|dimension| dimension.column()).for_each(|column| common[column] = key[column]);
            let (sum, severity) = found.entry(common).or_default();
            sum.add(tally);
            if self.severity_rank(key[SEVERITY]) < self.severity_rank(*severity) {
                *severity = key[SEVERITY];
            }
        }
        let group = |(key, (tally, severity)): (Key, (Tally, u32))| {
            let values = by.iter().map(|dimension| self.names.text(key[dimension.column()])).collect();
            CountGroup::new(values, self.names.text(severity), &tally)
        };
        let mut groups: Vec<CountGroup> = found.into_iter().map(group).collect();
        let is_by_day = by.first() == Some(&Dimension::Day);
        groups.sort_by_cached_key(|group| {
            let named: Vec<_> = group.key.iter().map(|value| (value.is_none(), value.clone())).collect();
            let day = if is_by_day { named.first().cloned() } else { None };
            (day, Reverse((group.failures(), group.calls, group.problems)), named)
        });
        groups
    }

    /// Totals of all calls and all problems.
    pub fn totals(&self) -> CountGroup {
        let mut sum = Tally::default();
        for (key, tally) in &self.rows {
            let problems = tally.problems;
            sum.add(&if key[CODE] == 0 { *tally } else { Tally { problems, ..Tally::default() } });
        }
        CountGroup::new(Vec::new(), None, &sum)
    }

    /// Sort key of a severity, lower for more severe; unknown names are next to last, no severity last.
    fn severity_rank(&self, number: u32) -> usize {
        let Some(word) = self.names.get(number) else { return usize::MAX };
        Severity::ALL.iter().position(|severity| severity.word() == &**word).unwrap_or(Severity::ALL.len())
    }
}
