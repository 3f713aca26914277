//! The rows of the list, one per line, in the columns that fit, and the details of the chosen line.

use std::path::Path;
use std::time::SystemTime;

use crate::export::session_list::problems_text;
use crate::text::sanitize::visible_str;
use crate::text::wrap::fit;
use crate::wording::figures::{cost, duration};
use crate::wording::session_columns::{ColumnLayout, SessionColumn};
use crate::wording::session_summary::SessionSummary;

use crate::tui::discovery::{FileContent, FileTally};
use crate::tui::row::{Piece, Row, count, cut_in_front, grouped, size, wrapped};
use crate::tui::screen::sessions::{FileEntry, Folder, ListLine, SessionsScreen, changes, text_search};
use crate::tui::style::Role;

/// Kind of a folder of logs.
const LOGS: &str = "llmist logs";

/// Minimum columns of a title next to what follows it.
const LEAST_TITLE: usize = 8;

/// Placeholder for an unknown number.
const UNKNOWN: &str = "…";

/// Columns of the list, without the space before the first one.
fn layout(screen: &SessionsScreen, width: usize) -> ColumnLayout {
    let always = [SessionColumn::Age, SessionColumn::Calls, SessionColumn::Kind, SessionColumn::Size];
    ColumnLayout::new(width.saturating_sub(1), |column| always.contains(&column) || screen.columns.contains(&column))
}

/// The columns that have a value for a file, excluding `known` and the columns that every file has.
pub(super) fn more_columns<'a>(
    screen: &'a SessionsScreen,
    number: usize,
    known: &'a [SessionColumn],
) -> impl Iterator<Item = SessionColumn> + 'a {
    use SessionColumn::{Cost, Date, Duration, File, Model, Problems, Project, Tokens, Turns};
    let entry = &screen.entries[number];
    let has = move |column: &SessionColumn| match column {
        Date => entry.file.modified.is_some(),
        File => entry.session.as_ref().is_some_and(|session| session.title.is_some()),
        Problems => tally(entry).is_some_and(|tally| tally.errors + tally.warnings > 0),
        Project => !screen.project(number).is_empty(),
        _ => entry.session.as_ref().is_some_and(|session| !session.text_of(*column).is_empty()),
    };
    [Cost, Date, Duration, File, Model, Problems, Project, Tokens, Turns]
        .into_iter()
        .filter(|column| !known.contains(column))
        .filter(has)
}

fn tally(entry: &FileEntry) -> Option<FileTally> {
    if let FileContent::Counted(tally) = entry.content { Some(tally) } else { None }
}

/// Summary for the title: number of files, and progress of discovery.
pub fn totals(screen: &SessionsScreen) -> String {
    let (files, counted) = screen.counted();
    let mut words = count(files, "file");
    if let Some(search) = &screen.search {
        words = format!("{} · {words}", text_search::totals(search));
    } else if screen.is_filtered() {
        let found = screen.rows.lines.iter().filter(|line| matches!(line, ListLine::File(_))).count();
        words = format!("{found} of {words}");
    }
    if counted < files {
        words = format!("{words} · scanned {}%", counted * 100 / files);
    }
    words
}

/// The header row.
pub fn header(screen: &SessionsScreen, width: usize) -> Row {
    Row::words(vec![Piece::new(format!(" {}", layout(screen, width).header()), Role::Dim)])
}

/// The row of a line.
pub fn row(screen: &SessionsScreen, line: ListLine, width: usize) -> Row {
    match line {
        ListLine::File(number) => file(screen, number, width),
        ListLine::Match(number, line) => {
            let found = screen.entries[number].found.as_ref().and_then(|found| found.lines.get(line));
            Row::words(found.map(text_search::row).unwrap_or_default())
        }
        ListLine::Folder(number) => group(screen, &screen.folders[number], width),
        ListLine::Project(number) => {
            let name = screen.projects[number].as_str();
            let name = if name.is_empty() { "(no project)" } else { name };
            let below = screen.rows.lines.iter().skip_while(|other| **other != line).skip(1);
            let below = below
                .take_while(|other| matches!(other, ListLine::File(_) | ListLine::Match(..) | ListLine::Folder(_)));
            let is_first = |line: &&ListLine| match line {
                ListLine::File(number) => screen.entries[*number].parent.is_none(),
                line => line.file().is_none(),
            };
            let number = count(below.filter(is_first).count(), "session");
            Row::words(vec![Piece::new(format!(" ── {name} "), Role::Strong), Piece::new(number, Role::Dim)])
        }
        ListLine::Note(number) => Row::words(vec![Piece::new(format!(" ! {}", screen.notes[number]), Role::Warning)]),
        ListLine::Demonstration => Row::words(vec![
            Piece::new(" demonstration ", Role::Name),
            Piece::new("a built-in transcript with calls and their faults", Role::Dim),
        ]),
    }
}

fn file(screen: &SessionsScreen, number: usize, width: usize) -> Row {
    let layout = layout(screen, width);
    let entry = &screen.entries[number];
    let session = entry.session.as_deref();
    let tally = tally(entry);
    let mut pieces = vec![Piece::new(" ", Role::Text)];
    for (column, width) in layout.columns {
        let text = match column {
            SessionColumn::Age => age(screen, entry.newest),
            SessionColumn::Date => date(screen, entry.newest),
            SessionColumn::Title => {
                pieces.extend(title(screen, number, width, layout.gap));
                continue;
            }
            SessionColumn::Project => screen.project(number).to_owned(),
            SessionColumn::Problems => {
                pieces.extend(tallied(tally.unwrap_or_default(), width + layout.gap));
                continue;
            }
            SessionColumn::Kind => screen.kind(number).unwrap_or(UNKNOWN).to_owned(),
            SessionColumn::Size => size_of(entry.file.size),
            SessionColumn::File => cut_in_front(&entry.file.name, width),
            SessionColumn::Calls => tally.map_or_else(|| UNKNOWN.to_owned(), |tally| grouped(tally.calls)),
            SessionColumn::Failed => failed(tally.unwrap_or_default()),
            _ => session.filter(|_| tally.is_some()).map_or_else(String::new, |session| session.text_of(column)),
        };
        let role = match column {
            SessionColumn::Failed => Role::Error,
            SessionColumn::Kind => Role::Id,
            SessionColumn::Date | SessionColumn::File | SessionColumn::Model => Role::Dim,
            _ => Role::Text,
        };
        pieces.push(Piece::new(column.cell(&visible_str(&text), width, layout.gap), role));
    }
    Row::words(pieces)
}

/// The title of a session after its marks; for a text without a title, its file name and beginning.
fn title(screen: &SessionsScreen, number: usize, width: usize, gap: usize) -> Vec<Piece> {
    let entry = &screen.entries[number];
    let mut pieces = Vec::new();
    if !entry.children.is_empty() {
        pieces.push(Piece::new(if entry.is_open { "▾ " } else { "▸ " }, Role::Dim));
    } else if entry.parent.is_some() || screen.folders[entry.folder].is_group {
        pieces.push(Piece::new("  ", Role::Dim));
    }
    let ending = entry.session.as_ref().filter(|_| tally(entry).is_some()).and_then(|session| session.ending);
    pieces.extend(ending.map(|ending| Piece::new(format!("{} ", ending.sign()), Role::Error)));
    let has_title = entry.session.as_ref().is_some_and(|session| session.title.is_some());
    let words = if has_title { screen.title_of(number) } else { &entry.file.name };
    let is_member = screen.folders[entry.folder].is_group;
    let words = if is_member && !has_title { entry.file_name() } else { words };
    pieces.extend((entry.file.size > entry.seen).then(|| Piece::new("+ ", Role::Pending)));
    let selected = entry.selected.filter(|_| screen.content_filter.is_some());
    // The column counts failed calls, so a failed call and its result count once here, too.
    let selected = selected.map(|selected| match selected.calls {
        0 => format!("{} selected", grouped(selected.items)),
        1 => "1 call".to_owned(),
        calls => format!("{} calls", grouped(calls)),
    });
    let found = entry.found.as_ref().filter(|found| found.matches > found.lines.len());
    let selected = found.map(|found| format!("{} matches", grouped(found.matches))).or(selected);
    let after = match (&entry.content, selected) {
        (FileContent::Failed(_), _) => Some(("unreadable".to_owned(), Role::Error)),
        (_, selected) => selected.map(|selected| (selected, Role::Dim)),
    };
    // The title takes precedence, up to two thirds of the column.
    let title = visible_str(words).chars().count().min(width * 2 / 3) + 4;
    let activity = changes::activity(screen, number, width.saturating_sub(title));
    let activity = activity.map(|words| Piece::new(format!("  {words}"), Role::Good));
    let reserved = activity.as_ref().map_or(0, Piece::width) + after.as_ref().map_or(0, |(words, _)| words.len() + 2);
    let rest = width.saturating_sub(pieces.iter().map(Piece::width).sum());
    let room = rest.saturating_sub(reserved).max(rest.min(LEAST_TITLE));
    let words = visible_str(words);
    pieces.push(Piece::new(
        if has_title { fit(&words, room).into_owned() } else { cut_in_front(&words, room) },
        Role::Text,
    ));
    pieces.extend(activity);
    let opening = || (!has_title && !entry.words.is_empty()).then(|| (entry.words.clone(), Role::Dim));
    let after = after.or_else(opening);
    let rest = width.saturating_sub(pieces.iter().map(Piece::width).sum());
    if let Some((words, role)) = after
        && let Some(room) = rest.checked_sub(2).filter(|&room| room > 0)
    {
        pieces.push(Piece::new(format!("  {}", fit(&visible_str(&words), room)), role));
    }
    let rest = (width + gap).saturating_sub(pieces.iter().map(Piece::width).sum());
    pieces.push(Piece::new(" ".repeat(rest), Role::Text));
    pieces
}

fn group(screen: &SessionsScreen, folder: &Folder, width: usize) -> Row {
    let layout = layout(screen, width);
    let sum = folder.sum;
    let more = if sum.counted < sum.files { UNKNOWN } else { "" };
    let mut pieces = vec![Piece::new(" ", Role::Text)];
    for (column, width) in layout.columns {
        let mark = if folder.is_open { "▾ " } else { "▸ " };
        let (text, role) = match column {
            SessionColumn::Age => (age(screen, sum.modified), Role::Text),
            SessionColumn::Date => (date(screen, sum.modified), Role::Dim),
            SessionColumn::Title => {
                (format!("{mark}{}", cut_in_front(&folder.name, width.saturating_sub(2))), Role::Strong)
            }
            SessionColumn::Calls => (format!("{}{more}", grouped(sum.tally.calls)), Role::Text),
            SessionColumn::Failed => (failed(sum.tally), Role::Error),
            SessionColumn::Problems => {
                pieces.extend(tallied(sum.tally, width + layout.gap));
                continue;
            }
            SessionColumn::Kind => (LOGS.to_owned(), Role::Name),
            SessionColumn::Size => (size_of(sum.size), Role::Text),
            SessionColumn::File => (count(sum.files, "file"), Role::Dim),
            _ => (String::new(), Role::Text),
        };
        pieces.push(Piece::new(column.cell(&visible_str(&text), width, layout.gap), role));
    }
    Row::words(pieces)
}

fn age(screen: &SessionsScreen, time: Option<SystemTime>) -> String {
    time.map_or_else(String::new, |time| screen.calendar.age(time))
}

fn date(screen: &SessionsScreen, time: Option<SystemTime>) -> String {
    time.and_then(|time| screen.calendar.date(time)).unwrap_or_default()
}

fn size_of(bytes: u64) -> String {
    size(usize::try_from(bytes).unwrap_or(usize::MAX))
}

fn failed(tally: FileTally) -> String {
    if tally.failures > 0 { grouped(tally.failures) } else { String::new() }
}

/// Numbers of problems in a column of this width.
fn tallied(tally: FileTally, width: usize) -> Vec<Piece> {
    let [errors, warnings] = [problems_text([tally.errors, 0]), problems_text([0, tally.warnings])];
    let both = [(errors, Role::Error), (warnings, Role::Warning)].into_iter().filter(|(text, _)| !text.is_empty());
    let mut pieces: Vec<Piece> = both.map(|(text, role)| Piece::new(format!("{text} "), role)).collect();
    let rest = width.saturating_sub(pieces.iter().map(Piece::width).sum());
    pieces.push(Piece::new(" ".repeat(rest), Role::Text));
    pieces
}

/// Details of the chosen line, in at most `height` rows.
pub fn details(screen: &SessionsScreen, width: usize, height: usize) -> Vec<Row> {
    let width = width.saturating_sub(2);
    let mut rows = match screen.chosen() {
        None => Vec::new(),
        Some(ListLine::Note(number)) => wrapped(&screen.notes[number], width.max(10))
            .into_iter()
            .map(|line| vec![Piece::new(line, Role::Warning)])
            .collect(),
        Some(ListLine::File(number) | ListLine::Match(number, _)) => {
            let entry = &screen.entries[number];
            let mut rows =
                vec![place(screen, &entry.file.path, time_of(entry), width), kind_and_reason(screen, number, width)];
            match entry.session.as_deref().filter(|session| !session.first_prompt.is_empty()) {
                Some(session) => rows.extend(preview(entry, session, width)),
                None => rows.push(vec![Piece::new(fit(&entry.words, width), Role::Dim)]),
            }
            rows
        }
        Some(ListLine::Project(number)) => {
            vec![vec![Piece::new(&screen.projects[number], Role::Strong)]]
        }
        Some(ListLine::Demonstration) => vec![
            vec![Piece::new("the built-in demonstration", Role::Strong)],
            vec![Piece::new("Enter opens it: a transcript with calls, problems and their explanations", Role::Dim)],
        ],
        Some(ListLine::Folder(number)) => {
            let folder = &screen.folders[number];
            let words = format!("{} that llmist wrote for one session", count(folder.sum.files, "file"));
            let key = if folder.is_open { "Enter hides them" } else { "Enter shows them" };
            vec![
                place(screen, &folder.path, ("written", folder.sum.modified), width),
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

/// Figures of a session, how it ended, and its first and last prompt.
fn preview(entry: &FileEntry, session: &SessionSummary, width: usize) -> Vec<Vec<Piece>> {
    let is_whole = tally(entry).is_some();
    let figures = [
        session.models.join(", "),
        if is_whole { count(session.turns, "turn") } else { String::new() },
        session.duration().filter(|_| is_whole).map_or_else(String::new, duration),
        session.total_tokens().filter(|_| is_whole).map_or_else(String::new, |total| format!("{total} tokens")),
        cost(session.cost, session.without_cost, None).filter(|_| is_whole).unwrap_or_default(),
        match entry.children.len() {
            0 => String::new(),
            number => format!("{} below it", count(number, "session")),
        },
    ];
    let figures = figures.into_iter().filter(|figure| !figure.is_empty()).collect::<Vec<_>>().join(" · ");
    let ending = session.ending.filter(|_| is_whole);
    let ending = ending.map(|ending| Piece::new(format!("  {} {}", ending.sign(), ending.words()), Role::Error));
    let room = width.saturating_sub(ending.as_ref().map_or(0, Piece::width));
    let mut first = vec![Piece::new(fit(&visible_str(&figures), room), Role::Text)];
    first.extend(ending);
    let prompt = |name: &str, prompt: &str| {
        let room = width.saturating_sub(7);
        vec![Piece::new(format!("{name:<7}"), Role::Dim), Piece::new(fit(&visible_str(prompt), room), Role::Text)]
    };
    let mut rows = vec![first, prompt("first", &session.first_prompt)];
    if session.turns > 1 && is_whole {
        rows.push(prompt("last", &session.last_prompt));
    }
    rows
}

/// Time of the last message of a session, or else the time of writing.
fn time_of(entry: &FileEntry) -> (&'static str, Option<SystemTime>) {
    let session = tally(entry).and(entry.session.as_ref());
    match session.and_then(|session| session.times) {
        Some((_, end)) => ("last message", Some(SystemTime::from(end))),
        None => ("written", entry.file.modified),
    }
}

/// A path, and a labelled date.
fn place(screen: &SessionsScreen, path: &Path, (name, time): (&str, Option<SystemTime>), width: usize) -> Vec<Piece> {
    let date =
        time.and_then(|time| screen.calendar.date(time)).map_or_else(String::new, |date| format!("{name} {date}"));
    let room = width.saturating_sub(date.len() + 2);
    vec![
        Piece::new(cut_in_front(&path.to_string_lossy(), room), Role::Strong),
        Piece::new(format!("  {date}"), Role::Dim),
    ]
}

/// The kind of a file and how it was detected, or why that is unknown.
fn kind_and_reason(screen: &SessionsScreen, number: usize, width: usize) -> Vec<Piece> {
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

/// Text of an empty list.
pub fn placeholder(screen: &SessionsScreen) -> String {
    if let Some(search) = &screen.search {
        let (files, searched) = screen.counted();
        return match screen.passed {
            Some(_) if searched == files => {
                format!("no match for \"{}\" in any session; Esc shows all", search.pattern)
            }
            _ => "no match so far …".into(),
        };
    }
    match (screen.passed, screen.filter.as_str()) {
        (None, _) => "looking for sessions …".into(),
        (Some(passed), "") if screen.entries.is_empty() => {
            let without_text = match passed {
                0 => String::new(),
                passed => format!(" ({} without text)", count(passed, "file")),
            };
            let next = if screen.is_recorded {
                "an agent's sessions appear when it writes them"
            } else {
                "o lists the sessions that agents keep, q closes this list"
            };
            format!("no sessions here{without_text}; {next}")
        }
        (Some(_), "") if screen.counted().1 < screen.entries.len() => "no match for the filter so far …".into(),
        (Some(_), "") => "no session matches the filter; & changes it, Esc shows all".into(),
        (Some(_), filter) if screen.chrome.prompt.is_some() => {
            format!("no title, project or name has \"{filter}\"; Enter searches the text of all sessions")
        }
        (Some(_), filter) => format!("no title, project or name has \"{filter}\"; Esc shows all"),
    }
}
