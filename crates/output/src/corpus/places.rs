//! Individual calls and problems of a corpus: those counted in a row of statistics, newest first.
//!
//! Found in the tables of an index, or among the rows kept while files were read.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use jiff::Timestamp;

use super::counts::{Dimension, MAX_NAME, OTHER};
use super::store::Store;
use super::tables::{CallRow, ProblemRow};

/// Maximum number of places returned.
pub const MOST: usize = 1000;

/// Number of newest failing calls, and of newest problems, kept while files are read; up to twice as many are stored.
const KEPT: usize = 25_000;

/// Maximum length in bytes of a stored problem message.
const WORDS: usize = 400;

/// A call that failed, or a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusPlace {
    /// Absolute path of the file.
    pub file: Arc<str>,
    /// Offset of its first byte in the decompressed file.
    pub byte: usize,
    /// Line of that byte, from 1.
    pub line: usize,
    /// Time of the call, if the file states it.
    pub called_at: Option<Timestamp>,
    /// Day of the call, or else of its message or session: 2026-11-22.
    pub day: Option<Arc<str>>,
    /// Tool of the call; `None` for a problem without a call.
    pub tool: Option<Arc<str>>,
    /// Outcome of the call.
    pub outcome: Option<Arc<str>>,
    /// Code of the problem; for a call, the code of its first problem with the highest severity.
    pub code: Option<Arc<str>>,
    /// Message of that problem; empty if there is none.
    pub message: Arc<str>,
    container: Arc<str>,
    dialect: Option<Arc<str>>,
    model: Option<Arc<str>>,
    call_number: Option<i64>,
    is_failure: bool,
}

/// Selects the places that a [`super::counts::CountGroup`] counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceQuery {
    /// Column to match. For the code, selects problems; otherwise calls that failed, were denied or were rejected.
    pub dimension: Dimension,
    /// Value of that column.
    pub value: Option<Arc<str>>,
}

/// Result of a [`PlaceQuery`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundPlaces {
    /// At most [`MOST`] places, newest first.
    pub places: Vec<CorpusPlace>,
    /// Total number of matches.
    pub count: usize,
}

/// Data in which places are searched.
#[derive(Clone, Debug)]
pub enum PlaceSource {
    /// The tables of an index.
    Index(Box<Store>),
    /// The rows kept while files were read.
    Kept(Arc<KeptPlaces>),
}

/// The newest failing calls and problems, kept while files are read.
#[derive(Debug, Default)]
pub struct KeptPlaces(Mutex<[Newest; 2]>);

#[derive(Clone, Copy)]
enum Kind {
    Call,
    Problem,
}

impl PlaceQuery {
    fn kinds(&self) -> [Kind; 2] {
        if self.dimension == Dimension::Code { [Kind::Problem, Kind::Call] } else { [Kind::Call, Kind::Problem] }
    }

    fn takes(&self, place: &CorpusPlace) -> bool {
        let value = match self.dimension {
            Dimension::Tool => place.tool.as_ref(),
            Dimension::Dialect => place.dialect.as_ref(),
            Dimension::Model => place.model.as_ref(),
            Dimension::Day => place.day.as_ref(),
            Dimension::Container => Some(&place.container),
            Dimension::Code => place.code.as_ref(),
        };
        let is_meant = self.dimension == Dimension::Code || place.is_failure;
        is_meant
            && match (&self.value, value) {
                (Some(counted), Some(value)) => counted == value || is_cut(value, counted),
                (counted, value) => counted.is_none() && value.is_none(),
            }
    }
}

/// True if a long name is counted under its beginning.
fn is_cut(name: &str, counted: &str) -> bool {
    let start = counted.strip_suffix(OTHER).filter(|start| !start.is_empty());
    name.len() > MAX_NAME && start.is_some_and(|start| name.starts_with(start))
}

impl PlaceSource {
    /// Searches for places; `None` if `is_cancelled` returns true meanwhile.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn find(&self, query: &PlaceQuery, is_cancelled: &dyn Fn() -> bool) -> Result<Option<FoundPlaces>> {
        let goes_on = || if is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let [kind, other] = query.kinds();
        let mut newest = Newest::default();
        self.each(kind, &mut |place| {
            if query.takes(&place) {
                newest.add(place, MOST);
            }
            goes_on()
        })?;
        let count = newest.count;
        let mut places = newest.sorted(MOST);
        // The table of calls has the times, the table of problems the messages.
        let mut numbers: HashMap<(Arc<str>, i64), Vec<usize>> = HashMap::new();
        for (number, place) in places.iter().enumerate() {
            if let Some(call) = place.call_number {
                numbers.entry((Arc::clone(&place.file), call)).or_default().push(number);
            }
        }
        if !numbers.is_empty() {
            self.each(other, &mut |place| {
                let call = place.call_number.and_then(|call| numbers.get(&(Arc::clone(&place.file), call)));
                for &number in call.into_iter().flatten() {
                    let known = &mut places[number];
                    if matches!(other, Kind::Call) {
                        known.called_at = place.called_at;
                    } else if known.message.is_empty() && known.code == place.code {
                        known.message = Arc::clone(&place.message);
                    }
                }
                goes_on()
            })?;
        }
        sort(&mut places);
        Ok((!is_cancelled()).then_some(FoundPlaces { places, count }))
    }

    fn each(&self, kind: Kind, each: &mut dyn FnMut(CorpusPlace) -> ControlFlow<()>) -> Result<()> {
        const CALLS: [&str; 14] = [
            "file",
            "container",
            "call_number",
            "tool",
            "dialect",
            "model",
            "day",
            "called_at",
            "byte_start",
            "line",
            "outcome",
            "is_failure",
            "code",
            "is_copy",
        ];
        const PROBLEMS: [&str; 13] = [
            "file",
            "container",
            "code",
            "message",
            "byte_start",
            "line",
            "call_number",
            "tool",
            "dialect",
            "outcome",
            "model",
            "day",
            "is_copy",
        ];
        match self {
            Self::Kept(kept) => {
                // Holds the lock, since the rows are few.
                _ = kept.rows()[kind as usize].rows.iter().cloned().try_for_each(each);
            }
            Self::Index(store) => {
                let mut flow = ControlFlow::Continue(());
                for &part in store.parts() {
                    match kind {
                        Kind::Call => store.read::<CallRow>(part, Some(&CALLS), |row| {
                            if !row.is_copy {
                                flow = each(row.into());
                            }
                            Ok(flow)
                        })?,
                        Kind::Problem => store.read::<ProblemRow>(part, Some(&PROBLEMS), |row| {
                            if !row.is_copy {
                                flow = each(row.into());
                            }
                            Ok(flow)
                        })?,
                    }
                    if flow.is_break() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

impl KeptPlaces {
    /// Adds the failed ones among some calls, and some problems.
    pub fn add(&self, calls: &[CallRow], problems: &[ProblemRow]) {
        let mut rows = self.rows();
        for call in calls.iter().filter(|call| call.is_failure && !call.is_copy) {
            rows[Kind::Call as usize].add(call.clone().into(), KEPT);
        }
        for problem in problems.iter().filter(|problem| !problem.is_copy) {
            let mut place = CorpusPlace::from(problem.clone());
            if place.message.len() > WORDS {
                place.message = place.message[..place.message.floor_char_boundary(WORDS)].into();
            }
            rows[Kind::Problem as usize].add(place, KEPT);
        }
    }

    fn rows(&self) -> MutexGuard<'_, [Newest; 2]> {
        // Rows are only copied while locked, so they are consistent even if a thread has panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<CallRow> for CorpusPlace {
    fn from(row: CallRow) -> Self {
        Self {
            file: row.file,
            byte: usize::try_from(row.byte_start).unwrap_or_default(),
            line: usize::try_from(row.line).unwrap_or_default(),
            called_at: row.called_at,
            day: row.day,
            tool: Some(row.tool),
            outcome: Some(row.outcome),
            code: row.code,
            message: "".into(),
            container: row.container,
            dialect: Some(row.dialect),
            model: row.model,
            call_number: Some(row.call_number),
            is_failure: row.is_failure,
        }
    }
}

impl From<ProblemRow> for CorpusPlace {
    fn from(row: ProblemRow) -> Self {
        Self {
            file: row.file,
            byte: usize::try_from(row.byte_start).unwrap_or_default(),
            line: usize::try_from(row.line).unwrap_or_default(),
            called_at: None,
            day: row.day,
            tool: row.tool,
            outcome: row.outcome,
            code: Some(row.code),
            message: row.message,
            container: row.container,
            dialect: row.dialect,
            model: row.model,
            call_number: row.call_number,
            is_failure: false,
        }
    }
}

/// The newest places; up to twice as many as requested are stored between sorts.
#[derive(Debug, Default)]
struct Newest {
    rows: Vec<CorpusPlace>,
    /// Number of places added, including discarded ones.
    count: usize,
}

impl Newest {
    fn add(&mut self, place: CorpusPlace, most: usize) {
        self.count += 1;
        self.rows.push(place);
        if self.rows.len() >= 2 * most {
            sort(&mut self.rows);
            self.rows.truncate(most);
        }
    }

    fn sorted(mut self, most: usize) -> Vec<CorpusPlace> {
        sort(&mut self.rows);
        self.rows.truncate(most);
        self.rows
    }
}

/// Sorts newest first, then by file and position. Places without a day are oldest.
fn sort(places: &mut [CorpusPlace]) {
    places.sort_by(|one, other| {
        let newer = (&other.day, other.called_at).cmp(&(&one.day, one.called_at));
        newer.then_with(|| (&one.file, one.line, one.byte).cmp(&(&other.file, other.line, other.byte)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The failing call with this number in a file, one minute after the previous one.
    fn call(number: i64, tool: &str) -> CallRow {
        let called_at = Timestamp::from_second(1_774_000_000 + number * 60).expect("a moment");
        CallRow {
            file: "/sessions/a.jsonl".into(),
            session_id: "a".into(),
            container: "codex".into(),
            call_number: number,
            message: 0,
            aside: false,
            call_id: "c".into(),
            tool: tool.into(),
            dialect: "native".into(),
            model: None,
            day: Some(called_at.strftime("%Y-%m-%d").to_string().into()),
            called_at: Some(called_at),
            byte_start: number * 10,
            byte_end: number * 10 + 5,
            line: number,
            line_end: number,
            status: "complete".into(),
            outcome: "failed".into(),
            is_failure: true,
            code: Some("tool-failed".into()),
            errors: 0,
            warnings: 0,
            argument_bytes: 2,
            result_bytes: None,
            duration_ms: None,
            dependencies: 0,
            is_copy: false,
        }
    }

    fn find(kept: &Arc<KeptPlaces>, dimension: Dimension, value: Option<&str>) -> FoundPlaces {
        let query = PlaceQuery { dimension, value: value.map(Into::into) };
        let found = PlaceSource::Kept(Arc::clone(kept)).find(&query, &|| false);
        found.expect("nothing is read").expect("nobody has cancelled it")
    }

    #[test]
    fn of_many_places_the_newest_are_found_and_all_are_counted() {
        let kept = Arc::<KeptPlaces>::default();
        let calls: Vec<CallRow> = (0..3000).map(|number| call(number * 7 % 3000, "Bash")).collect();
        kept.add(&calls, &[]);
        let found = find(&kept, Dimension::Tool, Some("Bash"));
        let lines: Vec<usize> = found.places.iter().map(|place| place.line).collect();
        assert_eq!((lines, found.count), ((2000..3000).rev().collect(), 3000));
        let cancelled = PlaceSource::Kept(kept)
            .find(&PlaceQuery { dimension: Dimension::Tool, value: Some("Bash".into()) }, &|| true);
        assert_eq!(cancelled.expect("nothing is read"), None);
    }

    #[test]
    fn no_more_than_the_newest_are_kept() {
        let kept = Arc::<KeptPlaces>::default();
        let most = i64::try_from(KEPT).expect("it is small") * 5;
        (0..most).for_each(|number| kept.add(&[call(number, "Bash")], &[]));
        assert!(kept.rows()[0].rows.len() < 2 * KEPT);
        assert_eq!(
            find(&kept, Dimension::Tool, Some("Bash")).places[0].line,
            usize::try_from(most - 1).expect("it is small")
        );
    }

    #[test]
    fn places_are_those_that_a_group_counts() {
        let kept = Arc::<KeptPlaces>::default();
        let long = "x".repeat(MAX_NAME + 9);
        let ok = CallRow { is_failure: false, outcome: "ok".into(), ..call(3, "Bash") };
        kept.add(&[call(1, "Bash"), call(2, &long), ok], &[]);
        let cut = format!("{}{OTHER}", "x".repeat(MAX_NAME));
        for (dimension, value, lines) in [
            (Dimension::Tool, Some("Bash"), &[1][..]),
            (Dimension::Tool, Some(cut.as_str()), &[2]),
            (Dimension::Tool, Some("x"), &[]),
            (Dimension::Tool, Some(OTHER), &[]),
            (Dimension::Tool, None, &[]),
            (Dimension::Model, None, &[2, 1]),
            (Dimension::Dialect, Some("native"), &[2, 1]),
            (Dimension::Container, Some("codex"), &[2, 1]),
            (Dimension::Container, Some("plain"), &[]),
            (Dimension::Day, Some("2026-03-20"), &[2, 1]),
            (Dimension::Code, Some("tool-failed"), &[]),
        ] {
            let found: Vec<usize> = find(&kept, dimension, value).places.iter().map(|place| place.line).collect();
            assert_eq!(found, lines, "{dimension:?} {value:?}");
        }
    }
}
