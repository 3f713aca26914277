//! The rows of a list: one for each line, in columns that suit the width, and what is known of the chosen line.

use std::path::Path;
use std::time::SystemTime;

use crate::text::wrap::fit;

use crate::tui::discovery::{FileContent, FileTally};
use crate::tui::row::{Piece, Row, count, cut_in_front, grouped, padded, size, wrapped};
use crate::tui::screen::sessions::{Folder, ListLine, SessionsScreen};
use crate::tui::style::Role;

/// Columns of a list below which there is room for the name alone beside age, calls and problems.
const NARROWEST: usize = 54;

/// Columns of a list below which the kind is cut, and it is not said how many calls failed.
const NARROW: usize = 70;

/// Columns of a list from which on more is said.
const WIDE: usize = 108;

/// Columns of a list from which on the date is given with the age.
const WIDEST: usize = 160;

/// Columns of what stands in a line in any case.
const AGE: usize = 6;
const SIZE: usize = 7;
const CALLS: usize = 6;
const FAILURES: usize = 7;
const PROBLEMS: usize = 9;

/// Columns of the date, where there is room for it.
const DATE: usize = 16;

/// The least columns of the first words of a message.
const WORDS: usize = 16;

/// What a folder of logs is.
const LOGS: &str = "llmist logs";

/// What stands for a number that is not known.
const UNKNOWN: &str = "…";

/// The columns of a list.
struct Columns {
    date: usize,
    /// Those of the kind; none where there is no room for it and the size behind it.
    kind: usize,
    failures: usize,
    name: usize,
    words: usize,
}

impl Columns {
    fn new(width: usize) -> Self {
        let date = if width >= WIDEST { DATE + 2 } else { 0 };
        let kind = match width {
            ..NARROWEST => 0,
            NARROWEST..NARROW => 7,
            NARROW..WIDE => 14,
            WIDE.. => 19,
        };
        let size = if kind > 0 { SIZE + 1 } else { 0 };
        let failures = if width < NARROW { 0 } else { FAILURES };
        let taken = 1 + date + AGE + 2 + kind + size + CALLS + failures + 2 + PROBLEMS;
        let rest = width.saturating_sub(taken + 1);
        let words = if width >= WIDE && rest / 2 >= WORDS { rest - rest * 9 / 20 } else { 0 };
        Self { date, kind, failures, name: rest - words, words }
    }
}

/// What there is to say of a list in its title: how many files, and how far finding them has come.
pub fn totals(screen: &SessionsScreen) -> String {
    let (files, counted) = screen.counted();
    let mut words = count(files, "file");
    if !screen.filter.is_empty() || screen.content_filter.is_some() {
        let found = screen.rows.lines.iter().filter(|line| matches!(line, ListLine::File(_))).count();
        words = format!("{found} of {words}");
    }
    if counted < files {
        words = format!("{words} · scanned {}%", counted * 100 / files);
    }
    words
}

/// The row that names the columns.
pub fn header(width: usize) -> Row {
    let Columns { date, kind, failures, name, words } = Columns::new(width);
    let failed = if failures > 0 { "failed" } else { "" };
    let measures = if kind > 0 { format!("{:<kind$}{:>SIZE$} ", "kind", "size") } else { String::new() };
    let mut line =
        format!(" {:>AGE$}  {measures}{:>CALLS$}{failed:>failures$}  {:<PROBLEMS$}", "age", "calls", "problems");
    if date > 0 {
        line.insert_str(0, &format!(" {:<1$}", "written", date - 1));
    }
    let rest = format!("{:<name$}{}", "name", if words > 0 { " begins with" } else { "" });
    Row::words(vec![Piece::new(line + &rest, Role::Dim)])
}

/// The row of a line.
pub fn row(screen: &SessionsScreen, line: ListLine, width: usize) -> Row {
    match line {
        ListLine::File(number) => file(screen, number, width),
        ListLine::Folder(number) => group(screen, &screen.folders[number], width),
        ListLine::Note(number) => Row::words(vec![Piece::new(format!(" ! {}", screen.notes[number]), Role::Warning)]),
    }
}

fn file(screen: &SessionsScreen, number: usize, width: usize) -> Row {
    let columns = Columns::new(width);
    let entry = &screen.entries[number];
    let kind = screen.kind(number).unwrap_or(UNKNOWN);
    let mut pieces = when(screen, entry.file.modified, &columns);
    pieces.extend(measures(kind, Role::Id, entry.file.size, &columns));
    pieces.extend(match &entry.content {
        FileContent::Counted(tally) => tallied(*tally, "", &columns),
        FileContent::Failed(_) => vec![said("unreadable", Role::Error, &columns)],
        FileContent::Unknown | FileContent::Beginning => vec![said(&format!("{UNKNOWN:>CALLS$}"), Role::Dim, &columns)],
    });
    let is_member = screen.folders[entry.folder].is_group;
    let indent = if is_member { "  " } else { "" };
    // What lies in a group is told apart by what is behind the name of that.
    let name = if is_member { entry.file.name.rsplit('/').next().unwrap_or_default() } else { &entry.file.name };
    let name = format!("{indent}{}", cut_in_front(name, columns.name.saturating_sub(indent.len())));
    pieces.push(Piece::new(padded(&name, columns.name), Role::Text));
    if columns.words > 0 {
        let selected = entry.selected.filter(|_| screen.content_filter.is_some());
        let found = selected.map_or_else(String::new, |selected| format!("{} selected · ", grouped(selected)));
        pieces.push(Piece::new(format!(" {}", fit(&format!("{found}{}", entry.words), columns.words - 1)), Role::Dim));
    }
    Row::words(pieces)
}

fn group(screen: &SessionsScreen, folder: &Folder, width: usize) -> Row {
    let columns = Columns::new(width);
    let sum = folder.sum;
    let mut pieces = when(screen, sum.modified, &columns);
    pieces.extend(measures(LOGS, Role::Name, sum.size, &columns));
    let more = if sum.counted < sum.files { UNKNOWN } else { "" };
    pieces.extend(tallied(sum.tally, more, &columns));
    let mark = if folder.is_open { "▾ " } else { "▸ " };
    let name = cut_in_front(&folder.name, columns.name.saturating_sub(mark.chars().count()));
    pieces.push(Piece::new(padded(&format!("{mark}{name}"), columns.name), Role::Strong));
    if columns.words > 0 {
        pieces.push(Piece::new(format!(" {}", count(sum.files, "file")), Role::Dim));
    }
    Row::words(pieces)
}

/// The date where there is room, and the age.
fn when(screen: &SessionsScreen, modified: Option<SystemTime>, columns: &Columns) -> Vec<Piece> {
    let age = modified.map_or_else(String::new, |time| screen.calendar.age(time));
    let date = modified.filter(|_| columns.date > 0).and_then(|time| screen.calendar.date(time));
    let date = format!("{:<1$}", date.unwrap_or_default(), columns.date);
    vec![Piece::new(format!(" {date}"), Role::Dim), Piece::new(format!("{age:>AGE$}  "), Role::Text)]
}

/// What it is, and its size, where there is room.
fn measures(kind: &str, role: Role, bytes: u64, columns: &Columns) -> Vec<Piece> {
    let Some(room) = columns.kind.checked_sub(1) else { return Vec::new() };
    let bytes = size(usize::try_from(bytes).unwrap_or(usize::MAX));
    vec![Piece::new(padded(&fit(kind, room), columns.kind), role), Piece::new(format!("{bytes:>SIZE$} "), Role::Text)]
}

/// Numbers of calls, of those that failed, and of problems; `more` stands behind them where they may still grow.
fn tallied(tally: FileTally, more: &str, columns: &Columns) -> Vec<Piece> {
    let FileTally { calls, failures, errors, warnings } = tally;
    let calls = format!("{}{more}", grouped(calls));
    let failed = if failures > 0 && columns.failures > 0 { grouped(failures) } else { String::new() };
    let mut pieces = vec![
        Piece::new(format!("{calls:>CALLS$}"), Role::Text),
        Piece::new(format!("{failed:>0$}  ", columns.failures), Role::Error),
    ];
    let mut taken = 0;
    for (mark, number, role) in [("✗", errors, Role::Error), ("!", warnings, Role::Warning)] {
        if number > 0 {
            let words = format!("{mark}{number} ");
            taken += words.chars().count();
            pieces.push(Piece::new(words, role));
        }
    }
    pieces.push(Piece::new(" ".repeat(PROBLEMS.saturating_sub(taken)), Role::Text));
    pieces
}

/// Words in the place of the numbers.
fn said(words: &str, role: Role, columns: &Columns) -> Piece {
    Piece::new(padded(words, CALLS + columns.failures + 2 + PROBLEMS), role)
}

/// What is known of the chosen line, in at most so many rows.
pub fn details(screen: &SessionsScreen, width: usize, height: usize) -> Vec<Row> {
    let width = width.saturating_sub(2);
    let mut rows = match screen.chosen() {
        None => Vec::new(),
        Some(ListLine::Note(number)) => wrapped(&screen.notes[number], width.max(10))
            .into_iter()
            .map(|line| vec![Piece::new(line, Role::Warning)])
            .collect(),
        Some(ListLine::File(number)) => {
            let entry = &screen.entries[number];
            vec![
                place(screen, &entry.file.path, entry.file.modified, width),
                about(screen, number, width),
                vec![Piece::new(fit(&entry.words, width), Role::Dim)],
            ]
        }
        Some(ListLine::Folder(number)) => {
            let folder = &screen.folders[number];
            let words = format!("{} that llmist wrote for one session", count(folder.sum.files, "file"));
            let key = if folder.is_open { "Enter hides them" } else { "Enter shows them" };
            vec![
                place(screen, &folder.path, folder.sum.modified, width),
                vec![Piece::new(words, Role::Text), Piece::new(format!("  {key}"), Role::Dim)],
            ]
        }
    };
    rows.truncate(height);
    rows.into_iter()
        .map(|mut pieces| {
            pieces.insert(0, Piece::new(" ", Role::Text));
            Row::words(pieces)
        })
        .collect()
}

/// Where it is, and when it was written.
fn place(screen: &SessionsScreen, path: &Path, modified: Option<SystemTime>, width: usize) -> Vec<Piece> {
    let date = modified.and_then(|time| screen.calendar.date(time)).unwrap_or_default();
    let room = width.saturating_sub(date.len() + 2);
    vec![
        Piece::new(cut_in_front(&path.to_string_lossy(), room), Role::Strong),
        Piece::new(format!("  {date}"), Role::Dim),
    ]
}

/// What a file is, and why; or why that is not known.
fn about(screen: &SessionsScreen, number: usize, width: usize) -> Vec<Piece> {
    let entry = &screen.entries[number];
    let kind = screen.kind(number).unwrap_or_default();
    let mut pieces = match entry.file.kind {
        Some((about, reason)) => {
            let why = format!("  {}: {reason}", about.title);
            vec![Piece::new(kind, Role::Id), Piece::new(fit(&why, width.saturating_sub(kind.len())), Role::Dim)]
        }
        None => Vec::new(),
    };
    match &entry.content {
        FileContent::Failed(words) => pieces = vec![Piece::new(words, Role::Error)],
        FileContent::Beginning if entry.asked => pieces.push(Piece::new("  counting its calls …", Role::Pending)),
        FileContent::Beginning => {
            pieces.insert(0, Piece::new("large file: press c to count its calls  ", Role::Pending));
        }
        FileContent::Unknown | FileContent::Counted(_) => {}
    }
    pieces
}

/// What an empty list says.
pub fn placeholder(screen: &SessionsScreen) -> String {
    match (screen.passed, screen.filter.as_str()) {
        (None, _) => "looking for sessions …".into(),
        (Some(0), "") if screen.entries.is_empty() => "no sessions here".into(),
        (Some(passed), "") if screen.entries.is_empty() => {
            format!("no sessions here ({} without text)", count(passed, "file"))
        }
        (Some(_), "") if screen.counted().1 < screen.entries.len() => "nothing selected so far …".into(),
        (Some(_), "") => "the filter selects nothing in any session; Esc shows all".into(),
        (Some(_), filter) => format!("no session matches \"{filter}\"; Esc shows all"),
    }
}
