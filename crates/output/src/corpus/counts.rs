//! Aggregation of calls and problems, and the groups shown in statistics.
//!
//! Memory is bounded regardless of the names in a file: a name is cut to [`MAX_NAME`] bytes, and after `MAX_ROWS`
//! rows new names are counted under [`OTHER`].

mod group;
mod name;

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub use self::group::{CountGroup, Dimension};
pub use self::name::MAX_NAME;
use self::name::Names;
use super::tables::{CallRow, CountRow, ProblemRow};

/// Maximum number of separate rows; further ones have [`OTHER`] as their tool, model and day.
pub(crate) const MAX_ROWS: usize = 500_000;

/// Replaces tools, models and days that are not counted separately.
pub const OTHER: &str = "…";

/// Indexes of a key's columns, in the order of the table `counts`.
const CONTAINER: usize = 0;
const DIALECT: usize = 1;
const MODEL: usize = 2;
const TOOL: usize = 3;
const DAY: usize = 4;
const CODE: usize = 5;
const SEVERITY: usize = 6;

/// Numbers of the names in the columns of a key; 0 means no name.
type Key = [u32; 7];

/// Aggregated calls and problems.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    names: Names,
    rows: HashMap<Key, Tally>,
    blamed: CallsByCode,
}

/// Pairs of code and call in the last file that have had a problem.
#[derive(Clone, Debug, Default)]
struct CallsByCode {
    file: Option<Arc<str>>,
    calls: HashSet<(Arc<str>, i64)>,
}

impl CallsByCode {
    fn is_first(&mut self, problem: &ProblemRow, call: i64) -> bool {
        if self.file.as_ref() != Some(&problem.file) {
            self.file = Some(Arc::clone(&problem.file));
            self.calls.clear();
        }
        self.calls.insert((Arc::clone(&problem.code), call))
    }
}

/// The numbers of a row; saturating, since an index may be hostile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    calls: i64,
    failed: i64,
    rejected: i64,
    skipped: i64,
    unanswered: i64,
    problems: i64,
}

impl Counts {
    /// Adds a call.
    pub(crate) fn add_call(&mut self, call: &CallRow) {
        let texts =
            [Some(&call.container), Some(&call.dialect), call.model.as_ref(), Some(&call.tool), call.day.as_ref()];
        let [container, dialect, model, tool, day] = texts;
        self.add([container, dialect, model, tool, day, None, None], Tally::call(&call.outcome));
    }

    /// Adds a problem. Its call is counted in the row of the code with its first problem of that code, so the problems
    /// of a file must be consecutive.
    pub(crate) fn add_problem(&mut self, problem: &ProblemRow) {
        let tally = match (&problem.outcome, problem.call_number) {
            (Some(outcome), Some(call)) if self.blamed.is_first(problem, call) => Tally::call(outcome),
            _ => Tally::default(),
        };
        let texts = [
            Some(&problem.container),
            problem.dialect.as_ref(),
            problem.model.as_ref(),
            problem.tool.as_ref(),
            problem.day.as_ref(),
            Some(&problem.code),
            Some(&problem.severity),
        ];
        self.add(texts, Tally { problems: 1, ..tally });
    }

    /// Adds all counts of `other`.
    pub(crate) fn merge(&mut self, other: &Counts) {
        for row in other.rows() {
            self.add_row(&row);
        }
    }

    /// Subtracts counts that are part of these. Removes rows that become zero.
    pub(crate) fn subtract(&mut self, other: &Counts) {
        for row in other.rows() {
            let texts = row.texts();
            let mut key = self.key(texts);
            if !self.rows.contains_key(&key) {
                key = self.coarse(key);
            }
            if let Some(tally) = self.rows.get_mut(&key) {
                tally.subtract(&Tally::of_row(&row));
                if *tally == Tally::default() {
                    self.rows.remove(&key);
                }
            }
        }
    }

    /// Adds a row of the table `counts`; negative numbers become 0.
    pub fn add_row(&mut self, row: &CountRow) {
        self.add(row.texts(), Tally::of_row(row));
    }

    /// The rows of the table `counts`, sorted by their columns.
    pub(crate) fn rows(&self) -> Vec<CountRow> {
        let mut rows: Vec<(&Key, &Tally)> = self.rows.iter().collect();
        rows.sort_unstable_by(|(a, _), (b, _)| self.compare(a, b));
        let row = |(key, tally): (&Key, &Tally)| {
            let text = |column: usize| self.names.text(key[column]);
            CountRow {
                container: text(CONTAINER).unwrap_or_default(),
                dialect: text(DIALECT),
                model: text(MODEL),
                tool: text(TOOL),
                day: text(DAY),
                code: text(CODE),
                severity: text(SEVERITY),
                calls: tally.calls,
                failed: tally.failed,
                rejected: tally.rejected,
                skipped: tally.skipped,
                unanswered: tally.unanswered,
                problems: tally.problems,
            }
        };
        rows.into_iter().map(row).collect()
    }

    fn compare(&self, a: &Key, b: &Key) -> Ordering {
        let texts = |key: &Key| key.map(|number| self.names.get(number).map(|text| &**text));
        texts(a).cmp(&texts(b))
    }

    fn add(&mut self, texts: [Option<&Arc<str>>; 7], tally: Tally) {
        let mut key = self.key(texts);
        if self.rows.len() >= MAX_ROWS && !self.rows.contains_key(&key) {
            key = self.coarse(key);
        }
        self.rows.entry(key).or_default().add(&tally);
    }

    fn key(&mut self, texts: [Option<&Arc<str>>; 7]) -> Key {
        let mut key = Key::default();
        for (column, text) in texts.into_iter().enumerate() {
            key[column] = text.map_or(0, |text| self.names.number(column, text));
        }
        key
    }

    /// The key without file-specific names; if there are too many of those too, only the distinction between calls and
    /// problems remains.
    fn coarse(&mut self, key: Key) -> Key {
        let other = self.names.other();
        let [container, dialect, _, _, _, code, severity] = key;
        let coarse = [container, dialect, other, other, other, code, severity];
        if self.rows.len() < 2 * MAX_ROWS || self.rows.contains_key(&coarse) {
            return coarse;
        }
        let code = if code == 0 { 0 } else { other };
        [other, other, other, other, other, code, code]
    }
}

impl CountRow {
    /// The values that identify the row, in column order.
    fn texts(&self) -> [Option<&Arc<str>>; 7] {
        [
            Some(&self.container),
            self.dialect.as_ref(),
            self.model.as_ref(),
            self.tool.as_ref(),
            self.day.as_ref(),
            self.code.as_ref(),
            self.severity.as_ref(),
        ]
    }
}

impl Tally {
    /// The numbers of a row; negative ones become 0.
    fn of_row(row: &CountRow) -> Self {
        Self {
            calls: row.calls.max(0),
            failed: row.failed.max(0),
            rejected: row.rejected.max(0),
            skipped: row.skipped.max(0),
            unanswered: row.unanswered.max(0),
            problems: row.problems.max(0),
        }
    }

    fn subtract(&mut self, other: &Tally) {
        self.calls -= other.calls.min(self.calls);
        self.failed -= other.failed.min(self.failed);
        self.rejected -= other.rejected.min(self.rejected);
        self.skipped -= other.skipped.min(self.skipped);
        self.unanswered -= other.unanswered.min(self.unanswered);
        self.problems -= other.problems.min(self.problems);
    }

    /// The tally of one call with this outcome.
    fn call(outcome: &str) -> Self {
        let mut tally = Self { calls: 1, ..Self::default() };
        match outcome {
            "failed" | "denied" => tally.failed = 1,
            "rejected" => tally.rejected = 1,
            "skipped" => tally.skipped = 1,
            "unanswered" => tally.unanswered = 1,
            _ => {}
        }
        tally
    }

    fn add(&mut self, other: &Tally) {
        self.calls = self.calls.saturating_add(other.calls);
        self.failed = self.failed.saturating_add(other.failed);
        self.rejected = self.rejected.saturating_add(other.rejected);
        self.skipped = self.skipped.saturating_add(other.skipped);
        self.unanswered = self.unanswered.saturating_add(other.unanswered);
        self.problems = self.problems.saturating_add(other.problems);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls, one per line: container, dialect, model, tool, day, outcome; `-` for `None`.
    const CALLS: &str = "\
        codex       native opus  Bash  2026-11-20 failed
        codex       native opus  Bash  2026-11-20 ok
        codex       native opus  Bash  2026-11-21 denied
        codex       native -     Read  2026-11-21 ok
        claude-code native opus  Read  2026-11-22 skipped
        plain       gadget -     Read  -          rejected
        plain       gadget -     Write -          rejected
        plain       gadget -     Write -          unanswered";

    /// Problems, one per line: container, dialect, model, tool, day, code, severity, outcome and number of the call.
    const PROBLEMS: &str = "\
        codex native opus Bash  2026-11-20 tool-failed   note    failed   1
        codex native opus Bash  2026-11-21 tool-failed   note    denied   2
        plain gadget -    Read  -          empty-pointer error   rejected 3
        plain gadget -    Read  -          empty-pointer warning rejected 3
        plain gadget -    Write -          empty-pointer warning ok       4
        plain -      -    -     -          near-miss     hint    -        -";

    fn text(word: &str) -> Option<Arc<str>> {
        (word != "-").then(|| Arc::from(word))
    }

    fn words<const N: usize>(line: &str) -> [&str; N] {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.try_into().expect("a word for each column")
    }

    fn call(line: &str) -> CallRow {
        let [container, dialect, model, tool, day, outcome] = words(line);
        CallRow {
            file: "/a".into(),
            session_id: "s".into(),
            container: container.into(),
            call_number: 1,
            message: 0,
            aside: false,
            call_id: "c".into(),
            tool: tool.into(),
            dialect: dialect.into(),
            model: text(model),
            day: text(day),
            called_at: None,
            byte_start: 0,
            byte_end: 1,
            line: 1,
            line_end: 1,
            status: "complete".into(),
            outcome: outcome.into(),
            is_failure: false,
            code: None,
            errors: 0,
            warnings: 0,
            argument_bytes: 0,
            result_bytes: None,
            duration_ms: None,
            dependencies: 0,
            is_copy: false,
        }
    }

    fn problem(line: &str) -> ProblemRow {
        let [container, dialect, model, tool, day, code, severity, outcome, call] = words(line);
        ProblemRow {
            file: "/a".into(),
            session_id: "s".into(),
            container: container.into(),
            code: code.into(),
            severity: severity.into(),
            message: "words".into(),
            byte_start: 0,
            byte_end: 1,
            line: 1,
            line_column: 1,
            call_number: call.parse().ok(),
            tool: text(tool),
            dialect: text(dialect),
            outcome: text(outcome),
            model: text(model),
            day: text(day),
            is_copy: false,
        }
    }

    fn sample() -> Counts {
        let mut counts = Counts::default();
        CALLS.lines().for_each(|line| counts.add_call(&call(line)));
        PROBLEMS.lines().for_each(|line| counts.add_problem(&problem(line)));
        counts
    }

    fn line(group: &CountGroup) -> String {
        let key: Vec<&str> = group.key.iter().map(|value| value.as_deref().unwrap_or("-")).collect();
        let &CountGroup { calls, failed, rejected, skipped, unanswered, problems, .. } = group;
        let severity = group.severity.as_deref().map_or(String::new(), |severity| format!(" {severity}"));
        format!("{}{severity}: {calls} {failed}+{rejected} {skipped} {unanswered} {problems}", key.join(" "))
    }

    #[test]
    fn groups_have_what_their_calls_or_problems_have_in_common() {
        let check = |by: &str, expected: &[&str]| {
            let by: Vec<Dimension> = by.split(',').map(|name| name.parse().expect("a dimension")).collect();
            let lines: Vec<String> = sample().groups(&by).iter().map(line).collect();
            assert_eq!(lines, expected, "{by:?}");
        };
        check("tool", &["Bash: 3 2+0 0 0 0", "Read: 3 0+1 1 0 0", "Write: 2 0+1 0 1 0"]);
        check("dialect", &["native: 5 2+0 1 0 0", "gadget: 3 0+2 0 1 0"]);
        check("model", &["opus: 4 2+0 1 0 0", "-: 4 0+2 0 1 0"]);
        check("container", &["codex: 4 2+0 0 0 0", "plain: 3 0+2 0 1 0", "claude-code: 1 0+0 1 0 0"]);
        check(
            "day",
            &["2026-11-20: 2 1+0 0 0 0", "2026-11-21: 2 1+0 0 0 0", "2026-11-22: 1 0+0 1 0 0", "-: 3 0+2 0 1 0"],
        );
        check(
            "code",
            &["tool-failed note: 2 2+0 0 0 2", "empty-pointer error: 2 0+1 0 0 3", "near-miss hint: 0 0+0 0 0 1"],
        );
        check(
            "tool,model",
            &["Bash opus: 3 2+0 0 0 0", "Read -: 2 0+1 0 0 0", "Write -: 2 0+1 0 1 0", "Read opus: 1 0+0 1 0 0"],
        );
        check(
            "code,tool",
            &[
                "tool-failed Bash note: 2 2+0 0 0 2",
                "empty-pointer Read error: 1 0+1 0 0 2",
                "empty-pointer Write warning: 1 0+0 0 0 1",
                "near-miss - hint: 0 0+0 0 0 1",
            ],
        );
        assert_eq!(line(&sample().totals()), ": 8 2+2 1 1 6");
        assert_eq!(Counts::default().groups(&[Dimension::Tool]), []);
        assert_eq!(Counts::default().totals().rate(), None);
    }

    #[test]
    fn counts_are_the_same_whether_added_merged_or_read_again() {
        let rows = sample().rows();
        let mut again = Counts::default();
        rows.iter().rev().for_each(|row| again.add_row(row));
        assert_eq!(again.rows(), rows);
        let mut halves = [Counts::default(), Counts::default()];
        for (number, line) in CALLS.lines().enumerate() {
            halves[number % 2].add_call(&call(line));
        }
        for row in PROBLEMS.lines().map(problem) {
            halves[usize::from(row.call_number.is_some_and(|call| call % 2 == 0))].add_problem(&row);
        }
        let [mut first, second] = halves;
        first.merge(&second);
        assert_eq!(first.rows(), rows);
    }

    #[test]
    fn what_is_taken_away_leaves_what_the_rest_comes_to() {
        let mut counts = sample();
        let mut other = Counts::default();
        CALLS.lines().skip(2).for_each(|line| other.add_call(&call(line)));
        PROBLEMS.lines().skip(1).for_each(|line| other.add_problem(&problem(line)));
        counts.subtract(&other);
        let mut rest = Counts::default();
        CALLS.lines().take(2).for_each(|line| rest.add_call(&call(line)));
        PROBLEMS.lines().take(1).for_each(|line| rest.add_problem(&problem(line)));
        assert_eq!(counts.rows(), rest.rows());
    }

    #[test]
    fn a_long_name_is_cut_and_negative_numbers_count_as_none() {
        let mut counts = Counts::default();
        let row = |tool: String| CountRow {
            tool: Some(tool.into()),
            calls: -1,
            failed: i64::MAX,
            ..sample().rows().remove(0)
        };
        counts.add_row(&row("é".repeat(MAX_NAME)));
        counts.add_row(&row(format!("{}x", "é".repeat(MAX_NAME))));
        counts.add_row(&row("é".repeat(MAX_NAME)));
        let expected = format!("{}…: 0 {}+0 3 0 0", "é".repeat(MAX_NAME / 2), i64::MAX);
        assert_eq!(counts.groups(&[Dimension::Tool]).iter().map(line).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn more_names_than_anybody_has_are_counted_as_one() {
        let mut counts = Counts::default();
        let base = sample().rows().remove(0);
        for number in 0..600_000 {
            let [tool, day] = [number % 1000, number / 1000].map(|number: u32| Some(Arc::from(number.to_string())));
            counts.add_row(&CountRow { tool, day, calls: 1, ..base.clone() });
        }
        for number in 0..200_000 {
            counts.add_row(&CountRow { tool: Some(number.to_string().into()), calls: 1, ..base.clone() });
        }
        assert_eq!(counts.rows.len(), MAX_ROWS + 1);
        assert_eq!(counts.totals().calls, 800_000);
        assert_eq!(counts.groups(&[Dimension::Tool]).len(), 1001);
    }
}
