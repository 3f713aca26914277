//! A row of a pane before it is drawn: text of the UI, bytes of the transcript, and the target of a selection.
//!
//! Text of the UI is sanitised when a [`Piece`] is made, bytes of the transcript when they are drawn.

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

/// The bar before the rows of a call in the raw pane.
pub const BAR: &str = "▏";

/// The bar before rows that show the selection.
pub const SELECTED_BAR: &str = "▌";

/// Maximum number of bytes shown of a line that is not wrapped; the raw pane shows the rest.
pub const LINE: usize = 16 * 1024;

/// Text of the UI in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The sanitised text.
    pub text: String,
    /// The role, for which a theme defines a style.
    pub role: Role,
}

impl Piece {
    /// Text with a role; unsafe characters are replaced by pictures.
    pub fn new(text: impl AsRef<str>, role: Role) -> Self {
        Self { text: sanitize::visible_str(text.as_ref()).into_owned(), role }
    }

    /// Width of the text in columns.
    pub fn width(&self) -> usize {
        display_width(self.text.as_bytes())
    }
}

/// A range of bytes of the transcript, of its file or of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The range of offsets.
    pub span: Span,
    /// The role of bytes without another one.
    pub role: Role,
    /// Roles of ranges; later ones override earlier ones.
    pub styles: Vec<(Span, Role)>,
    /// The text that the range belongs to.
    pub of: ExcerptOf,
    /// The treatment of escape sequences for colours in the output of a program.
    pub colour_codes: ColourCodes,
}

/// The text that the offsets of an excerpt refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExcerptOf {
    /// The text of the transcript.
    Text,
    /// The file that the text was decoded from.
    File,
    /// The declaration shown next to the text.
    Declaration,
}

/// The target of a row: the selection when the row is selected.
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
    /// The target for an item, or for the byte of it at `offset`.
    pub fn new(item: usize, offset: usize) -> Self {
        Self { item, node: None, offset, problem: None }
    }
}

/// A row of a pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The target; a row without one cannot be selected.
    pub target: Option<Target>,
    /// Text before the bytes of the transcript.
    pub lead: Vec<Piece>,
    /// Bytes of the transcript.
    pub source: Option<Excerpt>,
    /// Text after the bytes of the transcript.
    pub trail: Vec<Piece>,
    /// Text at the right edge, left out if there is no room.
    pub note: Vec<Piece>,
    /// True if it is the heading of a message, whose first item is the target.
    pub is_heading: bool,
}

impl Row {
    /// A row of text without a target.
    pub fn words(lead: Vec<Piece>) -> Self {
        Self { lead, ..Self::default() }
    }

    /// A row of text in one style, without a target.
    pub fn plain(words: impl AsRef<str>, role: Role) -> Self {
        Self::words(vec![Piece::new(words, role)])
    }

    /// A row of text without a target, with a note at its right edge.
    pub fn noted(lead: Vec<Piece>, note: Option<Piece>) -> Self {
        Self { lead, note: note.into_iter().collect(), ..Self::default() }
    }

    /// The column of the bar before a row of a call. The bar is drawn separately, so that the row need not change with
    /// the selection.
    pub fn bar_column(&self) -> Option<usize> {
        let at = self.lead.iter().position(|piece| piece.text == BAR)?;
        Some(width(&self.lead[..at]))
    }

    /// The same row with a target.
    #[must_use]
    pub fn to(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }
}

/// Total width of pieces in columns.
pub fn width(pieces: &[Piece]) -> usize {
    pieces.iter().map(Piece::width).sum()
}

/// The role of a message's heading.
pub fn speaker_role(message: &Message) -> Role {
    match message.role {
        None => Role::Heading,
        Some(Speaker::System) => Role::System,
        Some(Speaker::User) => Role::User,
        Some(Speaker::Assistant) => Role::Assistant,
        Some(Speaker::Tool) => Role::Tool,
    }
}

/// The role of a call's outcome.
pub fn verdict_role(verdict: CallOutcome) -> Role {
    if verdict.is_failure() { Role::Error } else { Role::Good }
}

/// The mark of failed calls and errors, the same wherever they are listed, counted or shown.
pub const FAILED: &str = "✗";

/// The mark of a severity, distinguishable without colour. A note is about a call that failed.
pub fn mark(severity: Severity) -> (&'static str, Role) {
    match severity {
        Severity::Error | Severity::Note => (FAILED, Role::Error),
        Severity::Warning => ("!", Role::Warning),
        Severity::Hint => ("·", Role::Hint),
    }
}

/// The word for a severity on the screen, which has three grades; a [`Severity::Note`] is about a call that failed.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
        Severity::Note => "failed",
    }
}

/// The words before a problem's message in the bottom line: a grade, or the mark of a call that failed, whose message
/// states the failure.
pub fn severity_lead(severity: Severity) -> String {
    if severity == Severity::Note { FAILED.to_owned() } else { format!("{}:", severity_word(severity)) }
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

/// The end of a sanitised text that fits into `room` columns, with an ellipsis before it if it was cut.
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

/// A text padded with spaces to a number of columns.
pub fn padded(words: &str, columns: usize) -> String {
    let width = display_width(words.as_bytes());
    format!("{words}{}", " ".repeat(columns.saturating_sub(width)))
}

/// `text` in rows with at most `width` columns of it, after the first lead in the first row and the second in the
/// others.
pub fn hanging(leads: (&str, &str), lead_role: Role, text: &str, width: usize, role: Role) -> Vec<Row> {
    let leads = std::iter::once(leads.0).chain(std::iter::repeat(leads.1));
    let row = |(lead, line)| Row::words(vec![Piece::new(lead, lead_role), Piece::new(line, role)]);
    leads.zip(wrapped(text, width.max(10))).map(row).collect()
}

/// The sign before something that can be folded.
pub fn fold_sign(open: bool) -> Piece {
    Piece::new(if open { "▾ " } else { "▸ " }, Role::Gutter)
}

/// A key for display; an empty one is shown in quotes.
pub fn key_words(key: &str) -> &str {
    if key.is_empty() { "\"\"" } else { key }
}

/// The name of a call, or a placeholder for it.
pub fn call_name(call: &Call<'_>, text: &Text) -> Piece {
    let name = call.name(text);
    Piece::new(if name.is_empty() { "(no name)" } else { &name }, Role::Name)
}

/// The beginning of a row of a call: fold sign, name, and after a gap the id.
pub fn call_lead(call: &Call<'_>, text: &Text, open: bool, gap: &str) -> Vec<Piece> {
    let id_role = if call.id.is_some() { Role::Id } else { Role::Dim };
    vec![fold_sign(open), call_name(call, text), Piece::new(gap, Role::Text), Piece::new(call.id(text), id_role)]
}

/// A number with its noun: `1 line`, `2 lines`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(number)) }
}

/// The part of a call's body that was dissected, up to `end`: `the first 4.2 MB of 100 MB`.
pub fn beginning(body: Span, end: usize) -> String {
    format!("the first {} of {}", size(end - body.start), size(body.len()))
}

/// A duration in at most six columns: `50 ms`, `0.8 s`, `59 min`, `23 h`, `99 d`, `3 y`.
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

/// A duration, in whole seconds below a minute.
pub fn in_seconds(time: Duration) -> String {
    if time < Duration::from_mins(1) { format!("{} s", time.as_secs()) } else { duration(time) }
}

/// A number of bytes with a unit: `340 B`, `12.5 kB`, `412 MB`, `1.2 GB`.
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
