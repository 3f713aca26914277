//! Sort orders of the list of sessions: by a column, with other files at the end.

use std::cmp::Reverse;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::tui::discovery::{FileContent, FileTally};
use crate::tui::screen::sessions::{ListLine, SessionsScreen};
use crate::wording::session_columns::SessionColumn;
use crate::wording::session_summary::SessionSummary;

/// The columns that sessions can be sorted by, in the order that the key cycles through, with descriptions.
const ORDERS: [(SessionColumn, &str); 12] = [
    (SessionColumn::Age, "newest first"),
    (SessionColumn::Size, "largest first"),
    (SessionColumn::Failed, "most failures first"),
    (SessionColumn::Problems, "most problems first"),
    (SessionColumn::Tokens, "most tokens first"),
    (SessionColumn::Cost, "most expensive first"),
    (SessionColumn::Duration, "longest first"),
    (SessionColumn::Calls, "most calls first"),
    (SessionColumn::Turns, "most turns first"),
    (SessionColumn::Title, "by title"),
    (SessionColumn::Project, "by project"),
    (SessionColumn::Model, "by model"),
];

impl SessionsScreen {
    /// The current sort column.
    pub(super) fn order(&self) -> SessionColumn {
        ORDERS[self.order].0
    }

    /// Description of the current order, for the title.
    pub fn order_words(&self) -> &'static str {
        ORDERS[self.order].1
    }

    /// Switches to the next order whose column is not empty.
    pub(super) fn next_order(&mut self) {
        use SessionColumn::{Age, Calls, Failed, Size, Title};
        let has = |column| matches!(column, Age | Size | Failed | Calls | Title) || self.columns.contains(&column);
        let mut next = (1..=ORDERS.len()).map(|step| (self.order + step) % ORDERS.len());
        self.order = next.find(|&order| has(ORDERS[order].0)).unwrap_or_default();
    }

    /// True if a file was read and is not a session: it is unreadable, or a text without calls.
    pub(super) fn is_other(&self, number: usize) -> bool {
        let entry = &self.entries[number];
        match entry.content {
            FileContent::Failed(_) => true,
            FileContent::Counted(tally) => {
                let is_text = self.kind(number).is_none_or(|kind| kind == "plain");
                let speaks = |session: &SessionSummary| session.id.is_some() || session.turns > 0;
                let is_log = self.folders[entry.folder].is_group;
                is_text && tally == FileTally::default() && !is_log && !entry.session.as_deref().is_some_and(speaks)
            }
            FileContent::Unknown | FileContent::Beginning => false,
        }
    }
}

/// The sort key of a line. Sessions precede other files. Names sort alphabetically, empty ones last; figures and times
/// sort largest first. Ties are broken by time, then by name.
pub(super) type LineKey<'a> = (bool, Option<(bool, String)>, Reverse<(u128, u128)>, &'a str);

pub(super) fn key(screen: &SessionsScreen, line: ListLine) -> LineKey<'_> {
    let order = screen.order();
    let (number, size, modified, tally, name) = match line {
        ListLine::Folder(number) => {
            let folder = &screen.folders[number];
            (None, folder.sum.size, folder.sum.modified, folder.sum.tally, folder.name.as_str())
        }
        ListLine::File(number) | ListLine::Match(number, _) => {
            let entry = &screen.entries[number];
            let tally = if let FileContent::Counted(tally) = entry.content { tally } else { FileTally::default() };
            (Some(number), entry.file.size, entry.newest, tally, entry.file.name.as_str())
        }
        ListLine::Project(_) | ListLine::Note(_) | ListLine::Demonstration => Default::default(),
    };
    let session = number.and_then(|number| screen.entries[number].session.as_deref());
    let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let date = modified.map(since).unwrap_or_default().as_nanos();
    let figure = match order {
        SessionColumn::Size => size.into(),
        SessionColumn::Failed => tally.failures as u128,
        SessionColumn::Problems => ((tally.errors as u128) << 64) | tally.warnings as u128,
        SessionColumn::Calls => tally.calls as u128,
        SessionColumn::Tokens => session.and_then(|session| session.tokens).unwrap_or_default().into(),
        SessionColumn::Turns => session.map_or(0, |session| session.turns) as u128,
        SessionColumn::Duration => session.and_then(SessionSummary::duration).unwrap_or_default().as_nanos(),
        // The bits of non-negative floats sort like their values.
        SessionColumn::Cost => {
            session.and_then(|session| session.cost).map_or(0, |cost| cost.value.max(0.0).to_bits()).into()
        }
        SessionColumn::Title | SessionColumn::Project | SessionColumn::Model => 0,
        _ => date,
    };
    let words = match (order, number) {
        (SessionColumn::Title, Some(number)) => Some(screen.title_of(number).to_lowercase()),
        (SessionColumn::Title, None) => Some(name.to_lowercase()),
        (SessionColumn::Project, number) => {
            Some(number.map_or_else(String::new, |number| screen.project(number).to_lowercase()))
        }
        (SessionColumn::Model, _) => Some(session.map_or_else(String::new, |session| session.text_of(order))),
        _ => None,
    };
    let is_other = number.is_some_and(|number| screen.is_other(number));
    (is_other, words.map(|words| (words.is_empty(), words)), Reverse((figure, date)), name)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::container::facts::{Figure, FigureSource, Timestamp};
    use crate::tui::action::Action;
    use crate::tui::screen::sessions::tests::{CLAUDE, act, names, read, summary, told};
    use crate::tui::screen::sessions::update::{arrive, prepare};
    use crate::wording::session_summary::TitleSource;

    use super::*;

    #[test]
    fn sessions_are_sorted_by_each_figure_and_name_that_they_have() {
        let mut screen = told(&[("a", 3, 1, CLAUDE), ("b", 2, 1, CLAUDE), ("c", 1, 1, CLAUDE)]);
        for (number, (tokens, cost, minutes, title)) in
            [(10, 0.3, 2, "Mend"), (30, 0.2, 3, "apply"), (20, 0.1, 4, "Zip")].into_iter().enumerate()
        {
            let start = Timestamp::from_second(1_000_000).expect("a time");
            let session = SessionSummary {
                tokens: Some(tokens),
                cost: Some(Figure { value: cost, ground: FigureSource::Recorded }),
                times: Some((start, start + Duration::from_mins(minutes))),
                title: Some((title.into(), TitleSource::Given)),
                ..SessionSummary::default()
            };
            arrive(&mut screen, summary(number, Some(session), FileContent::Counted(FileTally::default())));
        }
        prepare(&mut screen);
        let mut seen = Vec::new();
        for _ in 0..8 {
            act(&mut screen, Action::Order);
            seen.push(format!("{}: {}", screen.order_words(), names(&mut screen).concat()));
        }
        let expected = [
            "largest first: *cba",
            "most failures first: *cba",
            "most tokens first: *bca",
            "most expensive first: *abc",
            "longest first: *cba",
            "most calls first: *cba",
            "by title: *bac",
            "newest first: *cba",
        ];
        assert_eq!(seen, expected, "columns without anything are left out");
    }

    #[test]
    fn files_that_are_no_sessions_are_last() {
        let mut screen = told(&[("README.md", 0, 1, "prose"), ("locked", 1, 1, ""), ("old", 9, 1, CLAUDE)]);
        arrive(&mut screen, summary(0, None, FileContent::Counted(FileTally::default())));
        arrive(&mut screen, summary(1, None, FileContent::Failed("it may not be read".into())));
        arrive(&mut screen, read(2, "s", None));
        assert_eq!(names(&mut screen).concat(), "*oldREADME.mdlocked");
    }
}
