//! Two folders of runs, such as the same tasks under two prompts: a table with a line for each pair of runs, their sums and
//! medians, and how many pairs have more or less of each figure, as text, JSON and CSV.

use std::cmp::Ordering;
use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::session_list::ListedSession;
use super::sign;
use crate::compare::{Comparison, RowKind};
use crate::container::facts::{Figure, FigureSource};
use crate::export::json_text::ObjectWriter;
use crate::export::record::SCHEMA_VERSION;
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, fit};
use crate::value::main_argument::shortened;
use crate::wording::figures::{dollars, duration, tokens_figure};
use crate::wording::{count, grouped};

/// Two runs of a task, one of each folder, or a run without a counterpart.
pub struct RunPair {
    /// Path of the file below its folder; the left one's if both have one.
    pub name: String,
    /// The reason for the pairing; `None` without a counterpart.
    pub paired_by: Option<PairedBy>,
    /// The runs of the left and of the right folder.
    pub runs: [Option<ListedSession>; 2],
    /// What differs between their calls and problems; `None` without a counterpart.
    pub differences: Option<RunDifferences>,
}

/// The reason why two runs are a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PairedBy {
    /// Their paths below the folders are equal, except for the extension.
    Name,
    /// Their first prompts are equal.
    Prompt,
}

/// Numbers of calls and problems of two runs that are equal and different, as `diff` of the two counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RunDifferences {
    same: usize,
    changed: usize,
    only_left: usize,
    only_right: usize,
    problems_gone: usize,
    problems_new: usize,
    #[serde(skip)]
    is_equal: bool,
}

impl RunDifferences {
    /// Counts the differences of a comparison.
    pub fn new(comparison: &Comparison) -> Self {
        Self {
            same: comparison.count(RowKind::Same),
            changed: comparison.count(RowKind::Changed),
            only_left: comparison.count(RowKind::Left),
            only_right: comparison.count(RowKind::Right),
            problems_gone: comparison.gone.len(),
            problems_new: comparison.came.len(),
            is_equal: comparison.is_equal(),
        }
    }
}

impl RunPair {
    fn kind(&self) -> RowKind {
        match (&self.runs, &self.differences) {
            ([Some(_), None], _) => RowKind::Left,
            ([None, _], _) => RowKind::Right,
            (_, Some(differences)) if differences.is_equal => RowKind::Same,
            _ => RowKind::Changed,
        }
    }
}

/// The runs of two folders.
pub struct FolderComparison {
    /// The folders, as they were named in the command.
    pub folders: [String; 2],
    /// Pairs in the order of the left folder, then runs that only the right folder has.
    pub pairs: Vec<RunPair>,
}

impl FolderComparison {
    /// True if every run has a counterpart with the same calls, prompts and problems.
    pub fn is_equal(&self) -> bool {
        self.count(RowKind::Same) == self.pairs.len()
    }

    fn count(&self, kind: RowKind) -> usize {
        self.pairs.iter().filter(|pair| pair.kind() == kind).count()
    }

    /// The runs that have a counterpart, left and right.
    fn complete(&self) -> impl Iterator<Item = [&ListedSession; 2]> {
        self.pairs.iter().filter_map(|pair| Some([pair.runs[0].as_ref()?, pair.runs[1].as_ref()?]))
    }
}

/// A figure of a run, in display order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum RunFigure {
    /// Number of turns.
    Turns,
    /// Number of calls.
    Calls,
    /// Number of failed calls.
    Failed,
    /// Number of errors in the text.
    Errors,
    /// Number of warnings about the text.
    Warnings,
    /// Milliseconds from the first to the last message.
    DurationMs,
    /// Tokens of all requests.
    Tokens,
    /// US dollars.
    Cost,
    /// 1 if the run was interrupted, or ended with a failed request or call.
    BadEnding,
}

impl RunFigure {
    fn all() -> impl Iterator<Item = Self> {
        <Self as strum::IntoEnumIterator>::iter()
    }

    /// Its name in JSON and CSV.
    fn key(self) -> &'static str {
        self.into()
    }

    /// Its name in the header of the table.
    fn title(self) -> &'static str {
        match self {
            Self::DurationMs => "duration",
            Self::BadEnding => "bad ending",
            _ => self.key(),
        }
    }

    /// Its value; `None` if the file does not state it.
    fn value(self, run: &ListedSession) -> Option<f64> {
        let summary = &run.summary;
        match self {
            Self::Turns => (summary.turns > 0).then_some(summary.turns as f64),
            Self::Calls => Some(summary.calls as f64),
            Self::Failed => Some(summary.failed as f64),
            Self::Errors => Some(run.problems[0] as f64),
            Self::Warnings => Some(run.problems[1] as f64),
            Self::DurationMs => {
                summary.duration().filter(|time| !time.is_zero()).map(|time| time.as_secs_f64() * 1000.0)
            }
            Self::Tokens => summary.tokens.map(|tokens| tokens as f64),
            Self::Cost => summary.cost.map(|cost| cost.value),
            Self::BadEnding => Some(f64::from(u8::from(summary.ending.is_some()))),
        }
    }

    /// True if the runs have at least as much as their values say.
    fn is_least(self, runs: &[&ListedSession]) -> bool {
        runs.iter().any(|run| match self {
            Self::Tokens => run.summary.lacks_tokens,
            Self::Cost => run.summary.without_cost > 0,
            _ => false,
        })
    }

    /// A value of these runs as text: of one, their sum or their median.
    fn text(self, value: f64, runs: &[&ListedSession]) -> String {
        let whole = value.round().max(0.0).to_string().parse().unwrap_or(u64::MAX);
        match self {
            Self::DurationMs => duration(Duration::from_millis(whole)),
            Self::Tokens => tokens_figure(whole, self.is_least(runs)),
            Self::Cost => {
                let mut costs = runs.iter().filter_map(|run| run.summary.cost);
                let is_estimated = costs.any(|cost| cost.ground == FigureSource::Estimated);
                let ground = if is_estimated { FigureSource::Estimated } else { FigureSource::Recorded };
                dollars(Figure { value, ground }, self.is_least(runs))
            }
            _ if value.fract() > 0.0 => format!("{value:.1}"),
            _ => grouped(usize::try_from(whole).unwrap_or(usize::MAX)),
        }
    }

    /// The value of a run as text; `–` if it is unknown.
    fn text_of(self, run: &ListedSession) -> String {
        match (self, run.summary.ending) {
            (Self::BadEnding, Some(ending)) => ending.name().to_owned(),
            (Self::BadEnding, None) => UNKNOWN.to_owned(),
            _ => self.value(run).map_or_else(|| UNKNOWN.to_owned(), |value| self.text(value, &[run])),
        }
    }
}

/// Text of a figure that a file does not state.
const UNKNOWN: &str = "–";

/// A figure of all pairs in which both runs have it.
struct FigureTotals {
    figure: RunFigure,
    /// The values of each pair.
    values: Vec<[f64; 2]>,
}

impl FigureTotals {
    fn new(figure: RunFigure, comparison: &FolderComparison) -> Self {
        let values = |[left, right]: [&ListedSession; 2]| Some([figure.value(left)?, figure.value(right)?]);
        Self { figure, values: comparison.complete().filter_map(values).collect() }
    }

    fn sums(&self) -> [f64; 2] {
        [0, 1].map(|side| self.values.iter().map(|values| values[side]).sum())
    }

    /// Medians of both sides; of an even number of values, the mean of the middle two. `None` without pairs.
    fn medians(&self) -> Option<[f64; 2]> {
        let median = |side: usize| {
            let mut values: Vec<f64> = self.values.iter().map(|values| values[side]).collect();
            values.sort_by(f64::total_cmp);
            let lower = *values.get(values.len().saturating_sub(1) / 2)?;
            Some(f64::midpoint(lower, values[values.len() / 2]))
        };
        Some([median(0)?, median(1)?])
    }

    /// Number of pairs whose right run has less (or more) than the left one.
    fn pairs_with(&self, order: Ordering) -> usize {
        self.values.iter().filter(|[left, right]| right.total_cmp(left) == order).count()
    }

    fn record(&self) -> Value {
        let sums = self.sums();
        let medians = self.medians();
        let side = |side: usize| json!({ "sum": sums[side], "median": medians.map(|medians| medians[side]) });
        json!({
            "figure": self.figure.key(),
            "pairs": self.values.len(),
            "left": side(0),
            "right": side(1),
            "less": self.pairs_with(Ordering::Less),
            "more": self.pairs_with(Ordering::Greater),
        })
    }
}

/// Two texts: `5 → 4`, or `5` if they are equal.
fn change([left, right]: [String; 2]) -> String {
    if left == right { left } else { format!("{left} → {right}") }
}

/// Minimum width of the names of runs, in columns.
const NAME_WIDTH: usize = 12;

/// Bytes and columns of a sign and the space after it.
const SIGN: usize = 2;

/// Spaces between two columns.
const GAP: usize = 2;

/// Writes a table; columns that do not fit into `width` are left out, the last ones first, and long names are cut. Without
/// a `width` everything is written.
pub fn write_text<W: Write>(out: &mut W, comparison: &FolderComparison, width: Option<usize>) -> io::Result<()> {
    let [left, right] = comparison.folders.each_ref().map(|folder| visible_str(folder));
    writeln!(out, "--- {left}\n+++ {right}")?;
    let names = comparison.pairs.iter().map(|pair| format!("{} {}", sign(pair.kind()), visible_str(&pair.name)));
    let mut names: Vec<String> = ["  run".to_owned()].into_iter().chain(names).collect();
    names.extend(["  sum", "  median", "  less, more"].map(str::to_owned));
    let longest = names.iter().map(|name| display_width(name.as_bytes())).max().unwrap_or_default();
    let mut room = width.map(|width| width.saturating_sub(NAME_WIDTH.min(longest)));
    let mut columns: Vec<(usize, Vec<String>)> = Vec::new();
    for cells in RunFigure::all().filter_map(|figure| column(figure, comparison)) {
        let needed = cells.iter().map(|cell| display_width(cell.as_bytes())).max().unwrap_or_default();
        if let Some(left) = room {
            let Some(rest) = left.checked_sub(needed + GAP) else { break };
            room = Some(rest);
        }
        columns.push((needed, cells));
    }
    let name_width = room.map_or(longest, |room| longest.min(NAME_WIDTH.min(longest) + room));
    for (number, name) in names.iter().enumerate() {
        // Of a path, the end is kept.
        let (sign, name) = name.split_at(SIGN);
        let name = format!("{sign}{}", fit(&shortened(name, name_width - SIGN), name_width - SIGN));
        let mut line = format!("{name}{}", " ".repeat(name_width - display_width(name.as_bytes())));
        for (needed, cells) in &columns {
            let cell = &cells[number];
            line.push_str(&" ".repeat(GAP + needed - display_width(cell.as_bytes())));
            line.push_str(cell);
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    let pairs = comparison.complete().count();
    let only = [RowKind::Left, RowKind::Right].map(|kind| comparison.count(kind));
    let equal = comparison.count(RowKind::Same);
    let [only_left, only_right] = only.map(grouped);
    writeln!(out, "{}, {} equal, {only_left} only left, {only_right} only right", count(pairs, "pair"), grouped(equal))
}

/// The cells of a figure, in the order of the lines of the table; `None` if no run has any of it.
fn column(figure: RunFigure, comparison: &FolderComparison) -> Option<Vec<String>> {
    let runs = || comparison.pairs.iter().flat_map(|pair| pair.runs.iter().flatten());
    if figure != RunFigure::Calls && !runs().any(|run| figure.value(run).is_some_and(|value| value > 0.0)) {
        return None;
    }
    let totals = FigureTotals::new(figure, comparison);
    let mut cells = vec![figure.title().to_owned()];
    cells.extend(comparison.pairs.iter().map(|pair| match pair.runs.each_ref() {
        [Some(left), Some(right)] => change([left, right].map(|run| figure.text_of(run))),
        [run, other] => run.as_ref().or(other.as_ref()).map(|run| figure.text_of(run)).unwrap_or_default(),
    }));
    let both = |values: Option<[f64; 2]>| {
        let of = |side: usize, value: f64| {
            let runs: Vec<&ListedSession> = comparison.complete().map(|runs| runs[side]).collect();
            figure.text(value, &runs)
        };
        let [left, right] = values.filter(|_| !totals.values.is_empty())?;
        Some(change([of(0, left), of(1, right)]))
    };
    cells.push(both(Some(totals.sums())).unwrap_or_default());
    cells.push(both(totals.medians()).unwrap_or_default());
    let [less, more] = [Ordering::Less, Ordering::Greater].map(|order| totals.pairs_with(order));
    cells.push(if totals.values.is_empty() { String::new() } else { format!("{less}, {more}") });
    Some(cells)
}

/// Writes one JSON object: the pairs with the facts of their sessions, and the totals of each figure.
pub fn write_json<W: Write>(out: &mut W, comparison: &FolderComparison, unread: &[impl Serialize]) -> io::Result<()> {
    let side = |side: usize| {
        let runs = comparison.pairs.iter().filter(|pair| pair.runs[side].is_some()).count();
        json!({ "path": comparison.folders[side], "runs": runs })
    };
    let pairs = comparison.pairs.iter().map(|pair| {
        let [left, right] = pair.runs.each_ref().map(|run| run.as_ref().map(ListedSession::json));
        let mut record = json!({
            "name": pair.name,
            "kind": <&str>::from(pair.kind()),
            "paired_by": pair.paired_by,
            "left": left,
            "right": right,
        });
        if let (Some(record), Ok(Value::Object(counts))) =
            (record.as_object_mut(), serde_json::to_value(pair.differences))
        {
            record.extend(counts);
        }
        record
    });
    let figures = RunFigure::all().map(|figure| FigureTotals::new(figure, comparison).record());
    let mut object = ObjectWriter::new(out);
    object
        .member("schema_version", &SCHEMA_VERSION)?
        .member("equal", &comparison.is_equal())?
        .member("left", &side(0))?
        .member("right", &side(1))?
        .list("pairs", pairs)?
        .list("figures", figures)?
        .list("unread", unread.iter())?
        .end()
}

/// Writes CSV: a line for each pair, with two columns for each figure.
pub fn write_csv<W: Write>(out: &mut W, comparison: &FolderComparison) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    let sides = |name: &str| ["left", "right"].map(|side| format!("{side}_{name}"));
    let mut header: Vec<String> = ["name", "kind"].map(str::to_owned).into();
    header.extend(sides("path"));
    header.extend(RunFigure::all().flat_map(|figure| sides(figure.key())));
    writer.write_record(&header)?;
    for pair in &comparison.pairs {
        let mut row = vec![pair.name.clone(), <&str>::from(pair.kind()).to_owned()];
        let of_sides = |text: &dyn Fn(&ListedSession) -> Option<String>| {
            pair.runs.each_ref().map(|run| run.as_ref().and_then(text).unwrap_or_default())
        };
        row.extend(of_sides(&|run| Some(run.path.clone())));
        for figure in RunFigure::all() {
            row.extend(of_sides(&|run| match figure {
                RunFigure::BadEnding => run.summary.ending.map(|ending| ending.name().to_owned()),
                _ => figure.value(run).map(|value| value.to_string()),
            }));
        }
        writer.write_record(row.iter().map(|cell| visible_str(cell).into_owned()))?;
    }
    writer.flush()
}
