//! Failure rates across transcripts, as a text table with bars, JSON and CSV.

mod table;

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

pub use self::table::write_text;
use super::json_text::ObjectWriter;
use super::record::SCHEMA_VERSION;
use crate::corpus::counts::{CountGroup, Counts, Dimension};
use crate::text::sanitize::visible_str;
use crate::value::coerce::number_text;

/// The default grouping of calls and problems: a table for each dimension.
pub(crate) const SECTIONS: [Dimension; 5] =
    [Dimension::Tool, Dimension::Dialect, Dimension::Model, Dimension::Day, Dimension::Code];

/// Input of a statistics report.
#[derive(Clone, Copy, Debug)]
pub struct StatisticsReport<'a> {
    /// The aggregated calls and problems.
    pub counts: &'a Counts,
    /// Number of files, including unreadable ones.
    pub files: usize,
    /// Number of files that could not be read completely.
    pub unread: usize,
    /// Text of the filter that selected the calls and problems.
    pub filter: Option<&'a str>,
    /// The dimensions of a single table; empty for one table for each of `SECTIONS`.
    pub by: &'a [Dimension],
    /// Maximum number of rows of a table; of days, the last ones are kept.
    pub top: Option<usize>,
}

/// A table of groups with the same dimensions.
struct Section<'a> {
    by: Cow<'a, [Dimension]>,
    groups: Vec<CountGroup>,
    /// Number of omitted groups: earlier days, or groups with fewer failures.
    more: usize,
}

impl<'a> StatisticsReport<'a> {
    /// The tables, each with at most `self.top` rows, or `top` if that is not set.
    fn sections(&self, top: Option<usize>) -> Vec<Section<'a>> {
        let top = self.top.or(top).unwrap_or(usize::MAX);
        let bys: Vec<Cow<'a, [Dimension]>> = match self.by {
            [] => SECTIONS.iter().map(|&dimension| Cow::Owned(vec![dimension])).collect(),
            by => vec![Cow::Borrowed(by)],
        };
        let section = |by: Cow<'a, [Dimension]>| {
            let mut groups = self.counts.groups(&by);
            let more = groups.len().saturating_sub(top);
            if by.first() == Some(&Dimension::Day) {
                groups.drain(..more);
            } else {
                groups.truncate(top);
            }
            Section { by, groups, more }
        };
        bys.into_iter().map(section).collect()
    }
}

impl Section<'_> {
    /// Names of the dimensions, comma-separated.
    fn names(&self) -> String {
        self.by.iter().map(|dimension| dimension.name()).collect::<Vec<_>>().join(",")
    }
}

/// Writes one JSON object: totals, and a list of groups for each table, keyed by the names of its dimensions.
pub fn write_json<W: Write>(out: &mut W, statistics: &StatisticsReport<'_>) -> io::Result<()> {
    let totals = statistics.counts.totals();
    let mut numbers = numbers_json(&totals);
    numbers.insert("problems".into(), totals.problems.into());
    let mut object = ObjectWriter::new(out);
    object.member("schema_version", &SCHEMA_VERSION)?;
    if let Some(filter) = statistics.filter {
        object.member("filter", &filter)?;
    }
    let by = statistics.sections(None).into_iter().map(|section| {
        let groups: Vec<Value> = section.groups.iter().map(|group| group_json(&section.by, group)).collect();
        (section.names(), groups)
    });
    object
        .member("files", &statistics.files)?
        .member("unread", &statistics.unread)?
        .member("totals", &numbers)?
        .lists("by", by)?
        .end()
}

fn group_json(by: &[Dimension], group: &CountGroup) -> Value {
    let mut object = Map::new();
    for (dimension, value) in by.iter().zip(&group.key) {
        object.insert(dimension.name().into(), json!(value.as_deref()));
    }
    if by.contains(&Dimension::Code) {
        object.insert("severity".into(), json!(group.severity.as_deref()));
        object.insert("problems".into(), group.problems.into());
    }
    object.extend(numbers_json(group));
    Value::Object(object)
}

fn numbers_json(group: &CountGroup) -> Map<String, Value> {
    let numbers = COLUMNS.iter().zip(numbers(group)).map(|(name, number)| ((*name).to_owned(), number.into()));
    numbers.chain([("failure_rate".to_owned(), json!(rounded_rate(group)))]).collect()
}

/// Columns of every table: numbers of calls.
const COLUMNS: [&str; 6] = ["calls", "failures", "failed", "rejected", "skipped", "unanswered"];

fn numbers(group: &CountGroup) -> [i64; COLUMNS.len()] {
    [group.calls, group.failures(), group.failed, group.rejected, group.skipped, group.unanswered]
}

/// The failure rate, rounded to four decimals.
fn rounded_rate(group: &CountGroup) -> Option<f64> {
    group.rate().map(|rate| (rate * 10_000.0).round() / 10_000.0)
}

/// Writes CSV with a header line: a column for each requested dimension; if none is requested, all tables in sequence,
/// each row with the name of its dimension.
pub fn write_csv<W: Write>(out: &mut W, statistics: &StatisticsReport<'_>) -> io::Result<()> {
    let sections = statistics.sections(None);
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    let is_by_code = sections.iter().any(|section| section.by.contains(&Dimension::Code));
    let dimensions = statistics.by.iter().map(|dimension| dimension.name());
    let first: &[&str] = if statistics.by.is_empty() { &["dimension", "value"] } else { &[] };
    let of_problems: &[&str] = if is_by_code { &["severity", "problems"] } else { &[] };
    let header = first.iter().copied().chain(dimensions).chain(of_problems.iter().copied()).chain(COLUMNS);
    writer.write_record(header.chain(["failure_rate"]))?;
    for section in &sections {
        let name = statistics.by.is_empty().then(|| section.by.first()).flatten().map(|dimension| dimension.name());
        for group in &section.groups {
            let values = group.key.iter().map(|value| visible_str(value.as_deref().unwrap_or_default()));
            let mut row: Vec<Cow<'_, str>> = name.map(Cow::Borrowed).into_iter().chain(values).collect();
            if section.by.contains(&Dimension::Code) {
                row.push(visible_str(group.severity.as_deref().unwrap_or_default()));
                row.push(group.problems.to_string().into());
            } else if is_by_code {
                row.extend([Cow::Borrowed(""), Cow::Borrowed("")]);
            }
            row.extend(numbers(group).map(|number| Cow::Owned(number.to_string())));
            row.push(rounded_rate(group).map_or(Cow::Borrowed(""), |rate| Cow::Owned(number_text(rate))));
            writer.write_record(row.iter().map(|cell| cell.as_bytes()))?;
        }
    }
    writer.flush()
}
