//! What happens to a list: files are found and looked into, keys move the choice, filter, order and open.

use std::cmp::Reverse;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::tui::action::Action;
use crate::tui::discovery::{DiscoveryEvent, FileContent, FileSummary, FileTally, LARGE, ListedFile};
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Effect, Navigation};
use crate::tui::prompt::PromptKind;
use crate::tui::screen::chrome::filter_prompt;
use crate::tui::screen::sessions::{Entry, FolderTotals, LOGS, ListLine, REQUEST, SessionsScreen, SortOrder};
use crate::tui::style::Role;

/// Notes that are kept; of more than that only the number is.
const NOTES: usize = 100;

/// Takes in what is told of files.
pub fn arrive(screen: &mut SessionsScreen, told: DiscoveryEvent) {
    match told {
        DiscoveryEvent::Found(files) => files.into_iter().for_each(|file| add(screen, file)),
        DiscoveryEvent::Unread(words) => {
            if screen.notes.len() < NOTES {
                screen.notes.push(words);
            } else {
                screen.notes.truncate(NOTES);
                screen.notes.push("… and more that could not be read".into());
            }
            screen.is_stale = true;
        }
        DiscoveryEvent::Done(passed) => {
            screen.passed = Some(passed);
            if let Some(first) = screen.notes.first() {
                let words = match screen.notes.len() {
                    1 => first.clone(),
                    several => format!("{several} could not be read (see the end of the list): {first}"),
                };
                screen.chrome.tell(words, Role::Warning);
            }
        }
        DiscoveryEvent::Summary(look) => take_summary(screen, look),
    }
}

/// Before a frame: the lines as they ought to be, with the choice where it was.
pub fn settle(screen: &mut SessionsScreen) {
    filter_prompt::note(&mut screen.chrome, None);
    if let Some(prompt) = screen.chrome.prompt.as_ref().filter(|prompt| prompt.kind == PromptKind::Filter) {
        let filter = prompt.input.value().trim().to_owned();
        filter_by(screen, filter);
    }
    if std::mem::take(&mut screen.is_stale) {
        arrange(screen);
    }
    screen.rows.fill(screen.room().height);
}

fn add(screen: &mut SessionsScreen, file: ListedFile) {
    let folder = match file.path.parent().map(std::path::Path::to_path_buf) {
        Some(parent) => screen.folder_of(&parent, &file.name, file.at_root),
        None => return,
    };
    let number = screen.entries.len();
    screen.folders[folder].files.push(number);
    if file.path.extension().is_some_and(|ending| ending == REQUEST) {
        screen.folders[folder].requests.insert(file.path.clone());
    }
    let entry =
        Entry { file, folder, words: String::new(), content: FileContent::Unknown, selected: None, asked: false };
    screen.entries.push(entry);
    screen.is_stale = true;
    note_kind(screen, number);
}

/// A folder with logs is one line.
fn note_kind(screen: &mut SessionsScreen, number: usize) {
    let entry = &screen.entries[number];
    let folder = &mut screen.folders[entry.folder];
    if entry.file.kind.is_some_and(|(about, _)| LOGS.contains(&about.name)) && !folder.is_root && !folder.is_group {
        folder.is_group = true;
        screen.is_stale = true;
    }
}

fn take_summary(screen: &mut SessionsScreen, look: FileSummary) {
    let Some(entry) = screen.entries.get_mut(look.number) else { return };
    entry.file.kind = look.kind.or(entry.file.kind);
    if !look.words.is_empty() {
        entry.words = look.words;
    }
    entry.content = look.content;
    if let Some((words, selected)) = look.selected.filter(|(words, _)| screen.content_filter.as_ref() == Some(words)) {
        debug_assert!(!words.is_empty(), "an empty expression is not a filter");
        entry.selected = Some(selected);
        screen.is_stale = true;
    }
    let is_grouped = screen.folders[entry.folder].is_group;
    screen.is_stale |= is_grouped || matches!(screen.order, SortOrder::Failures | SortOrder::Problems);
    note_kind(screen, look.number);
}

/// Finds out which lines there are, in which order.
fn arrange(screen: &mut SessionsScreen) {
    let filter = screen.filter.to_lowercase();
    let matches: Vec<bool> = (0..screen.entries.len())
        .map(|number| {
            let entry = &screen.entries[number];
            let kind = || screen.kind(number).is_some_and(|kind| kind.contains(&filter));
            let is_selected = screen.content_filter.is_none() || entry.selected.is_some_and(|selected| selected > 0);
            is_selected && (filter.is_empty() || entry.file.name.to_lowercase().contains(&filter) || kind())
        })
        .collect();
    let mut lines = Vec::new();
    for number in 0..screen.folders.len() {
        let sum = sum(screen, number);
        let folder = &mut screen.folders[number];
        folder.sum = sum;
        let found = folder.files.iter().copied().filter(|&file| matches[file]);
        if !folder.is_group {
            lines.extend(found.map(ListLine::File));
        } else if found.count() > 0 {
            lines.push(ListLine::Folder(number));
        }
    }
    lines.sort_by_cached_key(|line| key(screen, *line));
    let mut all = Vec::with_capacity(lines.len());
    for line in lines {
        all.push(line);
        let ListLine::Folder(number) = line else { continue };
        let folder = &screen.folders[number];
        if folder.is_open || !filter.is_empty() || screen.content_filter.is_some() {
            let mut files: Vec<ListLine> =
                folder.files.iter().filter(|&&file| matches[file]).map(|&file| ListLine::File(file)).collect();
            files.sort_by_cached_key(|line| key(screen, *line));
            all.extend(files);
        }
    }
    if filter.is_empty() {
        all.extend((0..screen.notes.len()).map(ListLine::Note));
    }
    screen.rows.replace(all, |line| *line);
}

fn sum(screen: &SessionsScreen, folder: usize) -> FolderTotals {
    let mut sum = FolderTotals::default();
    for &number in &screen.folders[folder].files {
        let entry = &screen.entries[number];
        sum.files += 1;
        sum.size += entry.file.size;
        sum.modified = sum.modified.max(entry.file.modified);
        if let FileContent::Counted(tally) = entry.content {
            sum.counted += 1;
            sum.tally.calls += tally.calls;
            sum.tally.failures += tally.failures;
            sum.tally.errors += tally.errors;
            sum.tally.warnings += tally.warnings;
        }
    }
    sum
}

/// What a line is sorted by: numbers of which the larger comes first, then its name.
fn key(screen: &SessionsScreen, line: ListLine) -> (Reverse<(u128, u128)>, &str) {
    let (size, modified, tally, name) = match line {
        ListLine::Folder(number) => {
            let folder = &screen.folders[number];
            (folder.sum.size, folder.sum.modified, folder.sum.tally, folder.name.as_str())
        }
        ListLine::File(number) => {
            let entry = &screen.entries[number];
            let tally = if let FileContent::Counted(tally) = entry.content { tally } else { FileTally::default() };
            (entry.file.size, entry.file.modified, tally, entry.file.name.as_str())
        }
        ListLine::Note(_) => Default::default(),
    };
    let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let date = modified.map(since).unwrap_or_default().as_nanos();
    let first = match screen.order {
        SortOrder::Date => date,
        SortOrder::Size => size.into(),
        SortOrder::Failures => tally.failures as u128,
        SortOrder::Problems => ((tally.errors as u128) << 64) | tally.warnings as u128,
    };
    (Reverse((first, date)), name)
}

pub(super) fn act(screen: &mut SessionsScreen, action: Action) -> Option<Effect> {
    match action {
        Action::Move(motion) => {
            screen.go(motion);
            screen.rows.keep_choice(|line| *line);
        }
        Action::Toggle | Action::Open => return open(screen, action == Action::Toggle),
        Action::Close => close(screen),
        Action::Order => {
            screen.order = screen.order.next();
            screen.is_stale = true;
            screen.rows.choose_first();
            let words = screen.order.words();
            screen.chrome.tell(words, Role::Dim);
        }
        Action::CountLarge => count_large(screen),
        Action::Search => screen.chrome.ask(PromptKind::Filter, &screen.filter),
        Action::Filter => {
            let words = screen.content_filter.clone().unwrap_or_default();
            screen.chrome.ask(PromptKind::Items, &words);
        }
        Action::Complete => filter_prompt::complete_typed(&mut screen.chrome, None),
        Action::Cancel => return cancel(screen),
        action => return Some(Effect::Go(Navigation::Action(action))),
    }
    None
}

fn filter_by(screen: &mut SessionsScreen, filter: String) {
    if filter != screen.filter {
        screen.filter = filter;
        screen.is_stale = true;
        screen.rows.list.top.row = 0;
    }
}

/// Does what the typed line is for.
pub(super) fn submit(screen: &mut SessionsScreen) {
    let Some(prompt) = screen.chrome.prompt.take().filter(|prompt| prompt.kind == PromptKind::Items) else { return };
    let words = prompt.input.value().trim();
    match screen.chrome.filters.parse(words) {
        _ if words.is_empty() => filter_contents(screen, None),
        Ok(filter) => filter_contents(screen, Some(filter.to_string())),
        Err(error) => {
            screen.chrome.tell(error.to_string(), Role::Error);
            screen.chrome.ask(PromptKind::Items, words);
        }
    }
}

/// Shows only the files in which a filter selects something, as that is found out; all files without one.
fn filter_contents(screen: &mut SessionsScreen, filter: Option<String>) {
    if filter == screen.content_filter {
        return;
    }
    screen.content_filter = filter;
    screen.entries.iter_mut().for_each(|entry| entry.selected = None);
    screen.is_stale = true;
    screen.rows.list.top.row = 0;
}

/// Leaves one thing that is open, the innermost first, and the list when there is none.
fn cancel(screen: &mut SessionsScreen) -> Option<Effect> {
    if let Some(prompt) = screen.chrome.prompt.take() {
        if prompt.kind == PromptKind::Filter {
            filter_by(screen, String::new());
        }
        return None;
    }
    if !screen.filter.is_empty() {
        filter_by(screen, String::new());
        return None;
    }
    if screen.content_filter.is_some() {
        filter_contents(screen, None);
        return None;
    }
    Some(Effect::Go(Navigation::Before))
}

/// Opens the chosen file, or shows what is in the chosen folder; hides that again if it is a `toggle`.
fn open(screen: &mut SessionsScreen, toggle: bool) -> Option<Effect> {
    let line = screen.chosen()?;
    screen.rows.keep_choice(|line| *line);
    match line {
        ListLine::File(number) => return Some(Effect::Go(Navigation::Open(screen.entries[number].file.path.clone()))),
        ListLine::Folder(number) => {
            let folder = &mut screen.folders[number];
            folder.is_open = !(toggle && folder.is_open);
            screen.is_stale = true;
        }
        ListLine::Note(number) => {
            let words = screen.notes[number].clone();
            screen.chrome.tell(words, Role::Warning);
        }
    }
    None
}

/// Hides what is in the chosen folder, or in the one around the chosen file.
fn close(screen: &mut SessionsScreen) {
    let folder = match screen.chosen() {
        Some(ListLine::Folder(number)) => number,
        Some(ListLine::File(number)) => screen.entries[number].folder,
        _ => return,
    };
    if screen.folders[folder].is_group {
        screen.folders[folder].is_open = false;
        screen.rows.choose_key(ListLine::Folder(folder));
        screen.is_stale = true;
    }
}

/// Has the calls of the chosen file counted though it is large.
fn count_large(screen: &mut SessionsScreen) {
    let words = match screen.chosen() {
        Some(ListLine::File(number)) if screen.entries[number].file.size > LARGE => {
            screen.entries[number].asked = true;
            "counting its calls …"
        }
        Some(ListLine::File(_)) => "files of this size are counted without being asked",
        _ => "select a file to count its calls",
    };
    screen.chrome.tell(words, Role::Dim);
}

pub(super) fn click(screen: &mut SessionsScreen, x: u16, y: u16) -> Option<Effect> {
    // The first row names the columns.
    let at = screen.row_at(screen.areas().0.inner(), 1, x, y)?;
    if screen.rows.has_choice() && at == screen.rows.list.at {
        return open(screen, true);
    }
    screen.choose(at);
    screen.rows.keep_choice(|line| *line);
    None
}
