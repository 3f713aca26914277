//! A row of a pane before it is drawn: made words, transcript bytes, and where it leads.
//!
//! Made words are sanitised when they are put into a [`Piece`]; transcript bytes when they are drawn. This module does not
//! know the terminal.

use std::time::Duration;

use crate::container::CallOutcome;
use crate::diagnostic::Severity;
use crate::document::{Call, Message, MessageRole as Speaker};
use crate::text::colour_codes::ColourCodes;
use crate::text::wrap::{display_width, skip_columns};
use crate::text::{Span, Text, sanitize};
use crate::value::NodeId;

use crate::tui::style::Role;
pub use crate::wording::grouped;

/// What stands in front of the rows of a call in the raw pane.
pub const BAR: &str = "▏";

/// What stands there where the row shows what is selected.
pub const SELECTED_BAR: &str = "▌";

/// Bytes of a line that are shown where lines are not cut into parts; the raw pane has the rest.
pub const LINE: usize = 16 * 1024;

/// Made words in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The words, without what a terminal would act on.
    pub text: String,
    /// The role of the words, which a theme gives a style.
    pub role: Role,
}

impl Piece {
    /// Words in a style; whatever is not safe to draw is replaced by a picture of itself.
    pub fn new(text: impl AsRef<str>, role: Role) -> Self {
        Self { text: sanitize::visible_str(text.as_ref()).into_owned(), role }
    }

    /// Columns that the words take.
    pub fn width(&self) -> usize {
        display_width(self.text.as_bytes())
    }
}

/// Bytes of the transcript, of its file or of a declaration, drawn as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Which bytes are drawn, by their offsets.
    pub span: Span,
    /// The style of those that have no other.
    pub role: Role,
    /// Styles of stretches, later ones over earlier ones.
    pub styles: Vec<(Span, Role)>,
    /// What they are bytes of.
    pub of: ExcerptOf,
    /// What is drawn for sequences that colour the output of a program.
    pub colour_codes: ColourCodes,
}

/// What the offsets of an excerpt count bytes of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExcerptOf {
    /// The text of the transcript.
    Text,
    /// The file that the text was decoded from.
    File,
    /// The declaration that is shown beside the text.
    Declaration,
}

/// Where a row leads: what is selected when somebody chooses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Number of the item in the document.
    pub item: usize,
    /// A node of the call's parameter tree.
    pub node: Option<NodeId>,
    /// Offset of the byte that the row is about.
    pub offset: usize,
    /// A problem, by its number in the document.
    pub problem: Option<usize>,
}

impl Target {
    /// Where a whole item leads, or the byte of it at `offset`.
    pub fn new(item: usize, offset: usize) -> Self {
        Self { item, node: None, offset, problem: None }
    }
}

/// A row of a pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Where it leads; a row that leads nowhere cannot be selected.
    pub target: Option<Target>,
    /// Words in front of the bytes of the transcript.
    pub lead: Vec<Piece>,
    /// Bytes of the transcript behind them.
    pub source: Option<Excerpt>,
    /// Words after the bytes of the transcript.
    pub trail: Vec<Piece>,
    /// Words at the right edge, left out where there is no room.
    pub note: Vec<Piece>,
    /// Whether it is about a whole message, whose first item it leads to.
    pub is_heading: bool,
}

impl Row {
    /// A row of words that leads nowhere.
    pub fn words(lead: Vec<Piece>) -> Self {
        Self { lead, ..Self::default() }
    }

    /// A row of words in one style that leads nowhere.
    pub fn plain(words: impl AsRef<str>, role: Role) -> Self {
        Self::words(vec![Piece::new(words, role)])
    }

    /// A row of words that leads nowhere, with words at its right edge.
    pub fn noted(lead: Vec<Piece>, note: Option<Piece>) -> Self {
        Self { lead, note: note.into_iter().collect(), ..Self::default() }
    }

    /// The column of the bar in front of a row of a call. It is drawn apart from the row, which stays as it is when
    /// something else is selected.
    pub fn bar_column(&self) -> Option<usize> {
        let at = self.lead.iter().position(|piece| piece.text == BAR)?;
        Some(width(&self.lead[..at]))
    }

    /// The same row, leading to a target.
    #[must_use]
    pub fn to(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }
}

/// Columns that some words take, side by side.
pub fn width(pieces: &[Piece]) -> usize {
    pieces.iter().map(Piece::width).sum()
}

/// The colour of a speaker.
pub fn speaker_role(message: &Message) -> Role {
    match message.role {
        None => Role::Heading,
        Some(Speaker::System) => Role::System,
        Some(Speaker::User) => Role::User,
        Some(Speaker::Assistant) => Role::Assistant,
        Some(Speaker::Tool) => Role::Tool,
    }
}

/// The colour of how a call went.
pub fn verdict_role(verdict: CallOutcome) -> Role {
    if verdict.is_failure() { Role::Error } else { Role::Good }
}

/// The mark of a call that failed, and of an error: it is the same wherever one is listed, counted or shown.
pub const FAILED: &str = "✗";

/// The mark of a severity, which needs no colour to be told from the others. A note is about a call that failed.
pub fn mark(severity: Severity) -> (&'static str, Role) {
    match severity {
        Severity::Error | Severity::Note => (FAILED, Role::Error),
        Severity::Warning => ("!", Role::Warning),
        Severity::Hint => ("·", Role::Hint),
    }
}

/// The word for a problem on the screen, where a note is about a call that failed.
pub fn severity_word(severity: Severity) -> &'static str {
    if severity == Severity::Note { "failed" } else { severity.word() }
}

/// `text` in lines of at most `width` columns, broken at spaces.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let text = sanitize::visible_str(text);
    let bytes = text.as_bytes();
    crate::text::wrap::wrap(bytes, width)
        .into_iter()
        .map(|row| String::from_utf8_lossy(&bytes[row.start..row.end]).trim_end().to_owned())
        .collect()
}

/// Safe words with the end that fits into `room` columns, and a mark for what is in front of it.
pub fn cut_in_front(words: &str, room: usize) -> String {
    let words = sanitize::visible_str(words);
    let width = display_width(words.as_bytes());
    if width <= room {
        return words.into_owned();
    }
    if room == 0 {
        return String::new();
    }
    format!("…{}", &words[skip_columns(words.as_bytes(), width + 1 - room)..])
}

/// Words with blanks behind them up to so many columns.
pub fn padded(words: &str, columns: usize) -> String {
    let width = display_width(words.as_bytes());
    format!("{words}{}", " ".repeat(columns.saturating_sub(width)))
}

/// `text` in rows with at most `width` columns of it, behind the first words in the first row and the others below.
pub fn hanging(leads: (&str, &str), lead_role: Role, text: &str, width: usize, role: Role) -> Vec<Row> {
    let leads = std::iter::once(leads.0).chain(std::iter::repeat(leads.1));
    let row = |(lead, line)| Row::words(vec![Piece::new(lead, lead_role), Piece::new(line, role)]);
    leads.zip(wrapped(text, width.max(10))).map(row).collect()
}

/// The sign in front of what can be folded.
pub fn fold_sign(open: bool) -> Piece {
    Piece::new(if open { "▾ " } else { "▸ " }, Role::Gutter)
}

/// A key as it is shown: one that is empty is named.
pub fn key_words(key: &str) -> &str {
    if key.is_empty() { "\"\"" } else { key }
}

/// The name of a call.
pub fn call_name(call: &Call<'_>, text: &Text) -> Piece {
    let name = call.name(text);
    Piece::new(if name.is_empty() { "(no name)" } else { &name }, Role::Name)
}

/// What a row of a call begins with: its fold, its name, and behind a gap its id.
pub fn call_lead(call: &Call<'_>, text: &Text, open: bool, gap: &str) -> Vec<Piece> {
    let id_role = if call.id.is_some() { Role::Id } else { Role::Dim };
    vec![fold_sign(open), call_name(call, text), Piece::new(gap, Role::Text), Piece::new(call.id(text), id_role)]
}

/// A number with its noun: `1 line`, `2 lines`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(number)) }
}

/// What is seen of a call whose body is looked into up to `end`: `the first 4.2 MB of 100 MB`.
pub fn beginning(body: Span, end: usize) -> String {
    format!("the first {} of {}", size(end - body.start), size(body.len()))
}

/// A length of time as people write it, in at most six columns: `50 ms`, `0.8 s`, `59 min`, `23 h`, `99 d`, `3 y`.
pub fn duration(time: Duration) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    const YEAR: u64 = 365 * DAY;
    match time.as_secs() {
        0 if time.as_millis() < 100 => format!("{} ms", time.as_millis()),
        ..MINUTE => format!("{:.1} s", (time.as_secs_f64() * 10.0).floor() / 10.0),
        seconds @ MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        seconds @ HOUR..DAY => format!("{} h", seconds / HOUR),
        seconds @ DAY..YEAR => format!("{} d", seconds / DAY),
        seconds @ YEAR.. => format!("{} y", seconds / YEAR),
    }
}

/// The same in whole seconds below a minute.
pub fn in_seconds(time: Duration) -> String {
    if time < Duration::from_mins(1) { format!("{} s", time.as_secs()) } else { duration(time) }
}

/// A number of bytes as people write it: `340 B`, `12.5 kB`, `412 MB`, `1.2 GB`.
pub fn size(bytes: usize) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(value < 99.95);
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_is_said_in_six_columns() {
        for (milliseconds, expected) in [
            (0, "0 ms"),
            (99, "99 ms"),
            (850, "0.8 s"),
            (59_999, "59.9 s"),
            (60_000, "1 min"),
            (59 * 60_000, "59 min"),
            (23 * 3_600_000, "23 h"),
            (99 * 86_400_000, "99 d"),
            (3 * 366 * 86_400_000, "3 y"),
        ] {
            assert_eq!(duration(Duration::from_millis(milliseconds)), expected);
        }
    }
}
