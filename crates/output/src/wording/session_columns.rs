//! The columns of a list of sessions, shared by the screen and `transcope sessions`: which of them fit, and the figures
//! in them.

use std::time::Duration;

use crate::text::wrap::{display_width, fit};
use crate::wording::figures::{dollars, duration, tokens_figure};
use crate::wording::grouped;
use crate::wording::session_summary::SessionSummary;

/// A column, in display order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionColumn {
    /// Time since the last message.
    Age,
    /// The best title of the session.
    Title,
    /// The folder in which the session ran.
    Project,
    /// The models that answered.
    Model,
    /// Number of turns.
    Turns,
    /// Number of calls.
    Calls,
    /// Number of failed calls.
    Failed,
    /// Time from the first message to the last one.
    Duration,
    /// Tokens of all requests.
    Tokens,
    /// Cost of all requests.
    Cost,
    /// Problems of the text, by severity.
    Problems,
    /// The container format of the file.
    Kind,
    /// Size of the file.
    Size,
    /// Date and time of the last message.
    Date,
    /// The name of the file.
    File,
}

use SessionColumn::{Age, Calls, Cost, Date, Duration as Took, Failed, File, Kind, Model, Problems, Project, Size};
use SessionColumn::{Title, Tokens, Turns};

/// All columns in display order.
const IN_ORDER: [SessionColumn; 15] =
    [Age, Title, Project, Model, Turns, Calls, Failed, Took, Tokens, Cost, Problems, Kind, Size, Date, File];

/// Optional columns, the most important first.
const BY_WORTH: [SessionColumn; 11] = [Calls, Tokens, Cost, Turns, Problems, Took, Model, File, Kind, Size, Date];

/// Below this terminal width columns have a gap of one, and project and title are shorter.
const NARROW: usize = 100;

/// Below this terminal width only mandatory columns are shown.
const NARROWEST: usize = 54;

impl SessionColumn {
    /// Its name in the header.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Age => "age",
            Title => "title",
            Project => "project",
            Model => "model",
            Turns => "turns",
            Calls => "calls",
            Failed => "failed",
            Took => "duration",
            Tokens => "tokens",
            Cost => "cost",
            Problems => "problems",
            Kind => "kind",
            Size => "size",
            Date => "date",
            File => "file",
        }
    }

    /// True for figures, which are right-aligned.
    pub(crate) fn is_figure(self) -> bool {
        matches!(self, Age | Turns | Calls | Failed | Took | Tokens | Cost | Size)
    }

    /// Its width without the gap after it; for title and file the minimum width.
    fn width(self, width: usize) -> usize {
        match self {
            Age | Failed | Calls | Tokens => 6,
            Title | Project if width < NARROWEST => 8,
            Title | File => 24,
            Project | Kind => 14,
            Model => 17,
            Date => 16,
            Turns => 5,
            Took | Problems => 8,
            Cost | Size => 7,
        }
    }

    /// A text padded or cut to the width, with the gap after it.
    pub fn cell(self, text: &str, width: usize, gap: usize) -> String {
        let text = fit(text, width);
        let rest = " ".repeat(width.saturating_sub(display_width(text.as_bytes())));
        let gap = " ".repeat(gap);
        if self.is_figure() { format!("{rest}{text}{gap}") } else { format!("{text}{rest}{gap}") }
    }
}

/// The columns of a list and their widths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnLayout {
    /// Each column with its width, without the gap after it.
    pub columns: Vec<(SessionColumn, usize)>,
    /// Spaces after each column.
    pub gap: usize,
}

impl ColumnLayout {
    /// The columns that fit into `width`, if they have contents (`has`). The time, the title, the project and the
    /// failed calls are mandatory; the time is the date if there is no age.
    pub fn new(width: usize, has: impl Fn(SessionColumn) -> bool) -> Self {
        let gap = if width < NARROW { 1 } else { 2 };
        let time = if has(Age) { Age } else { Date };
        let mut chosen: Vec<SessionColumn> =
            [time, Title, Project, Failed].into_iter().filter(|column| *column != Project || has(Project)).collect();
        let taken = |column: SessionColumn| column.width(width) + gap;
        let mut room = width.saturating_sub(chosen.iter().copied().map(taken).sum());
        for column in BY_WORTH.into_iter().filter(|&column| width >= NARROWEST && column != time && has(column)) {
            let Some(rest) = room.checked_sub(taken(column)) else { break };
            room = rest;
            chosen.push(column);
        }
        let of_file = if chosen.contains(&File) { room / 3 } else { 0 };
        let columns = IN_ORDER.into_iter().filter(|column| chosen.contains(column));
        let widths = columns.map(|column| match column {
            Title => (column, column.width(width) + room - of_file),
            File => (column, column.width(width) + of_file),
            _ => (column, column.width(width)),
        });
        Self { columns: widths.collect(), gap }
    }

    /// The header line.
    pub fn header(&self) -> String {
        self.columns.iter().map(|(column, width)| column.cell(column.name(), *width, self.gap)).collect()
    }
}

impl SessionSummary {
    /// The text of a column about the session, not its file; empty if nothing is known.
    pub fn text_of(&self, column: SessionColumn) -> String {
        match column {
            Title => self.title.as_ref().map_or_else(String::new, |(title, _)| title.to_string()),
            Project => self.project.as_deref().unwrap_or_default().to_owned(),
            Model => models(&self.models),
            Turns if self.turns > 0 => grouped(self.turns),
            Calls => grouped(self.calls),
            Failed if self.failed > 0 => grouped(self.failed),
            Took => self.duration().filter(|took| !took.is_zero()).map_or_else(String::new, duration),
            Tokens => self.total_tokens().unwrap_or_default(),
            Cost => self.cost.map_or_else(String::new, |cost| dollars(cost, self.without_cost > 0)),
            _ => String::new(),
        }
    }

    /// Tokens of all requests: `≥763k` if some are unknown.
    pub fn total_tokens(&self) -> Option<String> {
        self.tokens.map(|total| tokens_figure(total, self.lacks_tokens))
    }

    /// The time from the first message to the last one.
    pub fn duration(&self) -> Option<Duration> {
        let (start, end) = self.times?;
        Duration::try_from(end.duration_since(start)).ok()
    }
}

/// The first model without its release date, and the number of others: `claude-opus-4-5 +1`.
fn models(models: &[Box<str>]) -> String {
    let Some(first) = models.first() else { return String::new() };
    let is_date = |end: &&str| end.len() == 8 && end.bytes().all(|byte| byte.is_ascii_digit());
    let dated = first.rsplit_once('-').filter(|(_, end)| is_date(end));
    let name = dated.map_or(&**first, |(name, _)| name);
    if models.len() == 1 { name.to_owned() } else { format!("{name} +{}", models.len() - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_left_out_by_worth_and_four_never() {
        let all = |_: SessionColumn| true;
        for (width, expected) in [
            (36, "   age title        project  failed "),
            (78, "   age title                      project         calls failed tokens    cost "),
        ] {
            let has = |column| all(column) && column != Problems;
            assert_eq!(ColumnLayout::new(width, has).header(), expected, "{width}");
        }
        for width in 30..300 {
            let layout = ColumnLayout::new(width, all);
            let taken: usize = layout.columns.iter().map(|(_, columns)| columns + layout.gap).sum();
            assert!(taken <= width.max(33), "{width}: {taken}");
            for never in [Age, Title, Project, Failed] {
                assert!(layout.columns.iter().any(|(column, _)| *column == never), "{width}: {never:?}");
            }
        }
        assert_eq!(ColumnLayout::new(300, all).columns.len(), 15);
        assert_eq!(ColumnLayout::new(300, all).columns.last().map(|(column, _)| *column), Some(File));
    }

    #[test]
    fn a_model_is_shown_without_its_date() {
        for (names, expected) in [
            (&[][..], ""),
            (&["claude-sonnet-4-5-20250929"][..], "claude-sonnet-4-5"),
            (&["a", "b", "c"], "a +2"),
            (&["gpt-5.1-codex"], "gpt-5.1-codex"),
        ] {
            let names: Vec<Box<str>> = names.iter().map(|&name| name.into()).collect();
            assert_eq!(models(&names), expected);
        }
    }
}
