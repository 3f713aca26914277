//! Counts grouped by some of their columns: what statistics show.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use super::{CODE, CONTAINER, Counts, DAY, DIALECT, Key, MODEL, SEVERITY, TOOL, Tally};
use crate::diagnostic::Severity;
use crate::text::typo;

/// What calls and problems are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Dimension {
    /// The name of the tool; empty where none is written, none for problems that are about no call.
    Tool,
    /// The dialect of the call; none for problems that are about no call.
    Dialect,
    /// The code of problems: with it problems are counted, and the calls that they are about.
    Code,
    /// The model that wrote the call; none where the file does not say.
    Model,
    /// The day of the call, in UTC.
    Day,
    /// The container of the file.
    Container,
}

/// Calls, or problems and the calls that they are about, that have something in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountGroup {
    /// What they have in common: a value for each dimension that was asked for, in that order.
    pub key: Vec<Option<Arc<str>>>,
    /// The most severe one of their problems, where they are grouped by code.
    pub severity: Option<Arc<str>>,
    /// Number of calls; where they are grouped by code, of those with such a problem.
    pub calls: i64,
    /// Of them, those with outcome failed or denied.
    pub failed: i64,
    /// Of them, those that the runtime rejects.
    pub rejected: i64,
    /// Of them, those that would not run.
    pub skipped: i64,
    /// Of them, those without a result.
    pub unanswered: i64,
    /// Number of problems, where they are grouped by code, and of all in the totals; else 0.
    pub problems: i64,
}

impl Dimension {
    /// All of them, in the order in which they are named.
    pub const ALL: [Self; 6] = [Self::Tool, Self::Dialect, Self::Model, Self::Day, Self::Code, Self::Container];

    /// Its name, which is that of the column in the tables.
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

    /// The part of the calls that are failures, from 0 to 1; none without calls.
    pub fn rate(&self) -> Option<f64> {
        (self.calls > 0).then(|| self.failures() as f64 / self.calls as f64)
    }

    fn new(key: Vec<Option<Arc<str>>>, severity: Option<Arc<str>>, tally: &Tally) -> Self {
        let &Tally { calls, failed, rejected, skipped, unanswered, problems } = tally;
        Self { key, severity, calls, failed, rejected, skipped, unanswered, problems }
    }
}

impl Counts {
    /// The groups by one or more dimensions: most failures first, then most calls, most problems, and by name, none
    /// last. Where the first dimension is the day, the order of days goes before.
    ///
    /// With [`Dimension::Code`] among them problems are looked at, otherwise calls.
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

    /// All calls and all problems.
    pub fn totals(&self) -> CountGroup {
        let mut sum = Tally::default();
        for (key, tally) in &self.rows {
            let problems = tally.problems;
            sum.add(&if key[CODE] == 0 { *tally } else { Tally { problems, ..Tally::default() } });
        }
        CountGroup::new(Vec::new(), None, &sum)
    }

    /// The less, the more severe; a word that is none comes last, and none behind it.
    fn severity_rank(&self, number: u32) -> usize {
        let Some(word) = self.names.get(number) else { return usize::MAX };
        Severity::ALL.iter().position(|severity| severity.word() == &**word).unwrap_or(Severity::ALL.len())
    }
}
