//! The calls or problems counted by a row: place, time and outcome of each, in columns that fit the width.

use std::time::SystemTime;

use crate::corpus::counts::Dimension;
use crate::corpus::places::{CorpusPlace, FoundPlaces, MOST, PlaceQuery};
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, fit};
use crate::wording::group::value_words;

use crate::tui::age::Calendar;
use crate::tui::cancel_guard::CancelGuard;
use crate::tui::list::ListState;
use crate::tui::row::{Piece, Row, count, cut_in_front, grouped, padded, wrapped};
use crate::tui::style::Role;

/// Width of a date with time.
const TIME: usize = 16;

/// Width of the longest outcome, `unanswered`.
const OUTCOME: usize = 10;

/// Maximum width of a tool name.
const TOOL: usize = 24;

/// Minimum width of the list for a tool column; the column is shown unless all rows have the same tool.
const WIDE: usize = 70;

/// The calls or problems counted by a row.
pub struct PlaceList {
    /// Number of the search; events refer to it.
    pub number: usize,
    /// The calls or problems to search for.
    pub query: PlaceQuery,
    /// Cancels the search when it is dropped.
    pub guard: CancelGuard,
    /// The places that were found, or an error; `None` while searching.
    pub outcome: Option<Result<FoundPlaces, String>>,
    /// The chosen row and the first visible one.
    pub list: ListState,
}

impl PlaceList {
    /// A list whose search has just started.
    pub fn new(number: usize, query: PlaceQuery) -> Self {
        Self { number, query, guard: CancelGuard::default(), outcome: None, list: ListState::default() }
    }

    /// The places that were found; empty while searching.
    pub fn places(&self) -> &[CorpusPlace] {
        self.outcome.as_ref().and_then(|outcome| outcome.as_ref().ok()).map_or(&[], |found| &found.places)
    }

    /// The chosen place.
    pub fn chosen(&self) -> Option<&CorpusPlace> {
        self.places().get(self.list.at.row)
    }

    /// Title of the list.
    pub fn title(&self) -> String {
        let PlaceQuery { dimension, value } = &self.query;
        let value = visible_str(value_words(*dimension, value.as_deref())).into_owned();
        match dimension {
            Dimension::Code => format!("problems: {value}"),
            Dimension::Tool => format!("failed calls of {value}"),
            Dimension::Day => format!("failed calls on {value}"),
            Dimension::Dialect | Dimension::Model | Dimension::Container => format!("failed calls in {value}"),
        }
    }

    /// Shown instead of rows if there are none.
    pub fn placeholder(&self) -> Piece {
        match &self.outcome {
            None => Piece::new(" looking for them …", Role::Pending),
            Some(Err(words)) => Piece::new(format!(" {words}"), Role::Error),
            Some(Ok(_)) if self.query.dimension == Dimension::Code => {
                Piece::new(" none was kept; Esc goes back", Role::Dim)
            }
            Some(Ok(_)) => Piece::new(" no call of it failed; Esc goes back", Role::Dim),
        }
    }

    /// The total number of places, if only some are shown.
    pub fn more(&self) -> Option<String> {
        let found = self.outcome.as_ref()?.as_ref().ok()?;
        (found.count > found.places.len()).then(|| format!("the newest {} of {}", grouped(MOST), grouped(found.count)))
    }

    /// Width of the tool column in a list of this width; 0 if all rows have the same tool.
    fn tool_columns(&self, width: usize) -> usize {
        if self.query.dimension == Dimension::Tool || width < WIDE {
            return 0;
        }
        let names = self.places().iter().map(|place| display_width(tool_of(place).as_bytes()));
        names.chain([4]).max().unwrap_or_default().min(TOOL).min(width / 6)
    }

    fn columns(&self, width: usize) -> (usize, usize) {
        let tool = self.tool_columns(width);
        let gap = if tool > 0 { tool + 2 } else { 0 };
        let rest = width.saturating_sub(1 + TIME + 2 + OUTCOME + 2 + gap + 2);
        (tool, rest / 2)
    }

    /// The header row.
    pub fn header(&self, width: usize) -> Row {
        let (tool, file) = self.columns(width);
        let name = if tool > 0 { format!("{:<tool$}  ", "tool") } else { String::new() };
        let words =
            format!(" {:<TIME$}  {:<OUTCOME$}  {name}{:<file$}  what is wrong", "time", "outcome", "file and line");
        Row::plain(words, Role::Dim)
    }

    /// Lays out the row of a place.
    pub fn row(&self, place: &CorpusPlace, calendar: &Calendar, width: usize) -> Row {
        let (tool, file) = self.columns(width);
        let outcome = place.outcome.as_deref().unwrap_or("–");
        let mut pieces = vec![
            Piece::new(format!(" {:<TIME$}  ", time_of(place, calendar)), Role::Text),
            Piece::new(format!("{}  ", padded(&fit(outcome, OUTCOME), OUTCOME)), outcome_role(outcome)),
        ];
        if tool > 0 {
            pieces.push(Piece::new(format!("{}  ", padded(&fit(tool_of(place), tool), tool)), Role::Name));
        }
        let position = format!(":{}", place.line);
        let path = cut_in_front(&place.file, file.saturating_sub(position.len()));
        let gap = file.saturating_sub(display_width(path.as_bytes()) + position.len());
        pieces.push(Piece::new(path, Role::Text));
        pieces.push(Piece::new(format!("{position}{:gap$}  ", ""), Role::LineNumber));
        pieces.push(Piece::new(&*place.message, Role::Dim));
        Row::words(pieces)
    }

    /// Details of the chosen place, in at most `height` rows.
    pub fn details(&self, calendar: &Calendar, width: usize, height: usize) -> Vec<Row> {
        let Some(place) = self.chosen() else { return Vec::new() };
        let width = width.saturating_sub(2).max(10);
        let position = format!(":{}", place.line);
        let path = cut_in_front(&place.file, width.saturating_sub(position.len()));
        let mut about = vec![Piece::new(format!(" {}", time_of(place, calendar)), Role::Dim)];
        if let Some(outcome) = place.outcome.as_deref() {
            about.push(Piece::new(format!("  {}", fit(tool_of(place), width / 2)), Role::Name));
            about.push(Piece::new(format!("  {}", fit(outcome, OUTCOME)), outcome_role(outcome)));
        }
        if let Some(code) = place.code.as_deref() {
            about.push(Piece::new(format!("  {}", fit(code, width / 3)), Role::Id));
        }
        let rows = [
            Row::words(vec![Piece::new(format!(" {path}"), Role::Strong), Piece::new(position, Role::LineNumber)]),
            Row::words(about),
        ];
        let words = wrapped(&place.message, width).into_iter().take(height);
        let words = words.map(|line| Row::plain(format!(" {line}"), Role::Text));
        rows.into_iter().chain(words).take(height).collect()
    }

    /// Position of the chosen row, for the bottom line.
    pub fn place_words(&self) -> String {
        match self.places().len() {
            0 => String::new(),
            places => format!(" {}/{} ", grouped(self.list.at.row + 1), count_of(places, self)),
        }
    }
}

fn count_of(places: usize, list: &PlaceList) -> String {
    if list.query.dimension == Dimension::Code { count(places, "problem") } else { count(places, "call") }
}

fn tool_of(place: &CorpusPlace) -> &str {
    match place.tool.as_deref() {
        Some("") => "(no name)",
        Some(tool) => tool,
        None => "–",
    }
}

/// Local time of the call, or else the day.
fn time_of(place: &CorpusPlace, calendar: &Calendar) -> String {
    let date = place.called_at.and_then(|at| calendar.date(SystemTime::from(at)));
    let day = || place.day.as_deref().map(|day| fit(day, TIME).into_owned());
    date.or_else(day).unwrap_or_else(|| "–".to_owned())
}

fn outcome_role(outcome: &str) -> Role {
    match outcome {
        "failed" | "denied" | "rejected" => Role::Error,
        "skipped" | "unanswered" => Role::Warning,
        "ok" => Role::Good,
        _ => Role::Dim,
    }
}
