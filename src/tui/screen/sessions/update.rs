//! Events and actions of the list of sessions: discovered and indexed files, moving the choice, filtering, sorting,
//! opening.

use std::collections::HashMap;

use crate::text::search::Search;
use crate::text::steps;
use crate::tui::action::Action;
use crate::tui::discovery::line_matches::MatchedLines;
use crate::tui::discovery::{DiscoveryEvent, FileContent, FileSummary, LARGE, ListedFile};
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Copied, Effect, Navigation, Task};
use crate::tui::prompt::PromptKind;
use crate::tui::screen::chrome::filter_prompt;
use crate::tui::screen::sessions::order::key;
use crate::tui::screen::sessions::{
    FileEntry, FolderTotals, Grouping, LOGS, ListLine, REQUEST, SessionsScreen, changes, rows, text_search, tree,
};
use crate::tui::style::Role;
use crate::wording::session_columns::SessionColumn;

/// Maximum number of notes; further ones are only counted.
const NOTES: usize = 100;

/// Maximum number of times the list is rearranged because files were read.
const ARRANGEMENTS: usize = 32;

/// Handles an event of discovery.
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
                screen.chrome.show_message(words, Role::Warning);
            }
        }
        DiscoveryEvent::Changed(changes) => changes.into_iter().for_each(|change| changes::take(screen, &change)),
        DiscoveryEvent::Summary(look) => take_summary(screen, look),
        DiscoveryEvent::Searched(number, found) => text_search::take(screen, number, found),
    }
}

/// Before a frame: updates the lines, keeping the choice.
pub fn prepare(screen: &mut SessionsScreen) {
    filter_prompt::note(&mut screen.chrome, None);
    if let Some(prompt) = screen.chrome.prompt.as_ref().filter(|prompt| prompt.kind == PromptKind::Filter) {
        let filter = prompt.input.value().trim().to_owned();
        filter_by(screen, filter);
    }
    if let Some(prompt) = screen.chrome.prompt.as_ref().filter(|prompt| prompt.kind == PromptKind::Pattern) {
        let pattern = prompt.input.value().trim().to_owned();
        text_search::search_for(screen, &pattern);
    }
    if screen.is_stale || has_moved_enough(screen) {
        (screen.is_stale, screen.moved) = (false, 0);
        arrange(screen);
    }
    screen.rows.fill(screen.room().height);
}

/// True if enough files have been read to rearrange the list, or nothing is left to read: rearranging takes longer than
/// reading a file.
fn has_moved_enough(screen: &SessionsScreen) -> bool {
    let is_share = screen.moved * ARRANGEMENTS >= screen.entries.len();
    screen.moved > 0 && (is_share || !screen.entries.iter().any(|entry| screen.is_pending(entry)))
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
    screen.entries.push(FileEntry::new(file, folder));
    screen.is_stale = true;
    note_kind(screen, number);
}

/// A folder with logs becomes a single line.
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
    let before = entry.last_time();
    entry.is_grown = false;
    entry.content = look.content;
    entry.session = look.session.or(entry.session.take());
    let mut moves = before != entry.last_time() || screen.grouping == Grouping::ByProject;
    if let Some(session) = &entry.session {
        let is_awaited = session.id.as_ref().is_some_and(|id| screen.awaited.contains(id));
        let waits = entry.parent.is_none() && session.parents().next().is_some();
        moves |= is_awaited || waits;
        if waits {
            screen.awaited.extend(session.parents().map(Box::from));
        }
    }
    let has_new_column = rows::more_columns(screen, look.number, &screen.columns).next().is_some();
    screen.is_stale |= has_new_column;
    let entry = &mut screen.entries[look.number];
    if let Some((words, selected)) = look.selected.filter(|(words, _)| screen.content_filter.as_ref() == Some(words)) {
        debug_assert!(!words.is_empty(), "an empty expression is not a filter");
        entry.selected = Some(selected);
        screen.is_stale |= selected.items > 0;
    }
    let is_grouped = screen.folders[entry.folder].is_group;
    let is_by_file = matches!(screen.order(), SessionColumn::Age | SessionColumn::Size);
    moves |= is_grouped || !is_by_file || screen.is_other(look.number);
    screen.moved += usize::from(moves);
    note_kind(screen, look.number);
}

/// Determines the lines and their order.
fn arrange(screen: &mut SessionsScreen) {
    steps::add(screen.entries.len());
    note_families(screen);
    let filter = screen.filter.to_lowercase();
    let matches: Vec<bool> = (0..screen.entries.len()).map(|number| is_match(screen, number, &filter)).collect();
    let is_shown =
        |entry: &FileEntry, number: usize| matches[number] || entry.children.iter().any(|&child| matches[child]);
    let mut lines = Vec::new();
    for number in 0..screen.folders.len() {
        let sum = sum(screen, number);
        let folder = &mut screen.folders[number];
        folder.sum = sum;
        if folder.is_group {
            lines.extend(folder.files.iter().any(|&file| matches[file]).then_some(ListLine::Folder(number)));
            continue;
        }
        let first = folder.files.iter().filter(|&&file| screen.entries[file].parent.is_none());
        lines.extend(first.filter(|&&file| is_shown(&screen.entries[file], file)).map(|&file| ListLine::File(file)));
    }
    lines.sort_by_cached_key(|line| key(screen, *line));
    let mut in_order: Vec<usize> = (0..screen.entries.len()).collect();
    if screen.is_filtered() {
        in_order.sort_by_cached_key(|&number| key(screen, ListLine::File(number)));
    }
    screen.in_order = in_order;
    if screen.grouping == Grouping::ByProject {
        lines = by_project(screen, lines);
    }
    let is_filtered = screen.is_filtered();
    let mut all = Vec::with_capacity(lines.len());
    let with_matches = |line: ListLine| {
        let matches = line.file().into_iter().flat_map(|number| text_search::lines_of(screen, number));
        [line].into_iter().chain(matches)
    };
    for line in lines {
        all.extend(with_matches(line));
        let (is_open, below) = match line {
            ListLine::Folder(number) => (screen.folders[number].is_open, &screen.folders[number].files),
            ListLine::File(number) => (screen.entries[number].is_open, &screen.entries[number].children),
            _ => continue,
        };
        if is_open || is_filtered {
            let below = below.iter().filter(|&&file| matches[file]);
            let mut files: Vec<ListLine> = below.map(|&file| ListLine::File(file)).collect();
            files.sort_by_cached_key(|line| key(screen, *line));
            all.extend(files.into_iter().flat_map(with_matches));
        }
    }
    if filter.is_empty() && screen.search.is_none() {
        all.extend((0..screen.notes.len()).map(ListLine::Note));
    }
    all.extend((screen.has_demonstration && !is_filtered).then_some(ListLine::Demonstration));
    screen.rows.replace(all, |line| *line);
}

/// Determines the parents of sessions, the newest time of each family, and the columns that are not empty.
fn note_families(screen: &mut SessionsScreen) {
    let parents = tree::parents(&screen.entries);
    for (entry, parent) in screen.entries.iter_mut().zip(&parents) {
        entry.children.clear();
        (entry.parent, entry.newest) = (*parent, entry.last_time());
    }
    for (number, parent) in parents.into_iter().enumerate().filter_map(|(number, parent)| Some((number, parent?))) {
        let newest = screen.entries[number].newest;
        let parent = &mut screen.entries[parent];
        parent.children.push(number);
        parent.newest = parent.newest.max(newest);
    }
    let mut columns = Vec::new();
    for number in 0..screen.entries.len() {
        let more: Vec<SessionColumn> = rows::more_columns(screen, number, &columns).collect();
        columns.extend(more);
    }
    screen.columns = columns;
}

/// True if no filter hides a file.
fn is_match(screen: &SessionsScreen, number: usize, filter: &str) -> bool {
    let entry = &screen.entries[number];
    let has_match = |found: &MatchedLines| found.matches > 0;
    if screen.content_filter.is_some() && entry.selected.is_none_or(|selected| selected.items == 0)
        || screen.search.is_some() && !entry.found.as_ref().is_some_and(has_match)
    {
        return false;
    }
    let holds = |words: &str| words.to_lowercase().contains(filter);
    filter.is_empty()
        || holds(&entry.file.name)
        || holds(screen.title_of(number))
        || holds(screen.project(number))
        || screen.kind(number).is_some_and(|kind| kind.contains(filter))
}

/// Groups the lines by project, each group after its heading. Projects are in the order of their first lines.
fn by_project(screen: &mut SessionsScreen, lines: Vec<ListLine>) -> Vec<ListLine> {
    let mut groups: Vec<(usize, Vec<ListLine>)> = Vec::new();
    let mut of_project: HashMap<usize, usize> = HashMap::new();
    for line in lines {
        let name = if let ListLine::File(number) = line { screen.project(number).to_owned() } else { String::new() };
        let SessionsScreen { projects, known_projects, .. } = screen;
        let project = *known_projects.entry(name).or_insert_with_key(|name| {
            projects.push(name.clone());
            projects.len() - 1
        });
        let group = *of_project.entry(project).or_insert_with(|| {
            groups.push((project, Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(line);
    }
    groups.into_iter().flat_map(|(project, lines)| [ListLine::Project(project)].into_iter().chain(lines)).collect()
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

pub(super) fn act(screen: &mut SessionsScreen, action: Action) -> Option<Effect> {
    match action {
        Action::Move(motion) => {
            screen.go(motion);
            screen.rows.keep_choice(|line| *line);
        }
        Action::Toggle | Action::Open => return open(screen, action == Action::Toggle),
        Action::Close => close(screen),
        Action::Order => {
            screen.next_order();
            screen.is_stale = true;
            screen.rows.choose_first();
            let words = screen.order_words();
            screen.chrome.show_message(words, Role::Dim);
        }
        Action::FocusNext(_) => {
            let (grouping, words) = match screen.grouping {
                Grouping::None => (Grouping::ByProject, "grouped by project"),
                Grouping::ByProject => (Grouping::None, "not grouped"),
            };
            (screen.grouping, screen.is_stale) = (grouping, true);
            screen.chrome.show_message(words, Role::Dim);
        }
        Action::CopyResume => return copy_resume(screen),
        Action::CountLarge => count_large(screen),
        Action::Search => screen.chrome.ask(PromptKind::Filter, &screen.filter),
        Action::SearchText => {
            let pattern = screen.search.as_ref().map_or("", |search| &search.pattern).to_owned();
            screen.chrome.ask(PromptKind::Pattern, &pattern);
        }
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

/// Submits the prompt.
pub(super) fn submit(screen: &mut SessionsScreen) {
    let Some(prompt) = screen.chrome.prompt.take() else { return };
    let words = prompt.input.value().trim();
    match prompt.kind {
        PromptKind::Filter if !words.is_empty() && !screen.rows.lines.iter().any(|line| line.file().is_some()) => {
            filter_by(screen, String::new());
            if let Ok(search) = Search::for_words(words) {
                text_search::search_for(screen, &search.pattern);
            }
        }
        PromptKind::Pattern => {
            if let Err(error) = Search::new(words) {
                screen.chrome.show_message(format!("{words:?} is not a regular expression: {error}"), Role::Error);
            }
        }
        PromptKind::Items => match screen.chrome.filters.parse(words) {
            _ if words.is_empty() => filter_contents(screen, None),
            Ok(filter) => filter_contents(screen, Some(filter.to_string())),
            Err(error) => {
                screen.chrome.show_message(error.to_string(), Role::Error);
                screen.chrome.ask(PromptKind::Items, words);
            }
        },
        _ => {}
    }
}

/// Filters files by their contents as these are read; `None` ends the filter.
fn filter_contents(screen: &mut SessionsScreen, filter: Option<String>) {
    if filter == screen.content_filter {
        return;
    }
    screen.content_filter = filter;
    screen.entries.iter_mut().for_each(|entry| entry.selected = None);
    screen.round += 1;
    screen.is_stale = true;
    screen.rows.list.top.row = 0;
}

/// Cancels one thing at a time, innermost first, and finally leaves the list.
fn cancel(screen: &mut SessionsScreen) -> Option<Effect> {
    if let Some(prompt) = screen.chrome.prompt.take() {
        match prompt.kind {
            PromptKind::Filter => filter_by(screen, String::new()),
            PromptKind::Pattern => text_search::search_for(screen, ""),
            _ => {}
        }
        return None;
    }
    if screen.search.is_some() {
        text_search::search_for(screen, "");
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

/// Opens the chosen file, or unfolds the chosen folder; with `toggle`, also folds it again.
fn open(screen: &mut SessionsScreen, toggle: bool) -> Option<Effect> {
    let line = screen.chosen()?;
    screen.rows.keep_choice(|line| *line);
    let of_match = if let ListLine::Match(_, of_match) = line { of_match } else { 0 };
    if let Some(place) = line.file().and_then(|number| text_search::open(screen, number, of_match)) {
        return Some(Effect::Go(place));
    }
    match line {
        ListLine::File(number) if !toggle && screen.entries[number].has_hidden_children() => {
            screen.entries[number].is_open = true;
            screen.is_stale = true;
        }
        ListLine::File(number) | ListLine::Match(number, _) => {
            let entry = &mut screen.entries[number];
            entry.seen = entry.file.size;
            return Some(Effect::Go(Navigation::Open(entry.file.path.clone())));
        }
        ListLine::Demonstration => return Some(Effect::Go(Navigation::Demonstration)),
        ListLine::Project(_) => {}
        ListLine::Folder(number) => {
            let folder = &mut screen.folders[number];
            folder.is_open = !(toggle && folder.is_open);
            screen.is_stale = true;
        }
        ListLine::Note(number) => {
            let words = screen.notes[number].clone();
            screen.chrome.show_message(words, Role::Warning);
        }
    }
    None
}

/// Copies the command that resumes the chosen session in its agent.
fn copy_resume(screen: &mut SessionsScreen) -> Option<Effect> {
    let Some(number) = screen.chosen().and_then(ListLine::file) else {
        screen.chrome.show_message("select a session to copy the command that resumes it", Role::Dim);
        return None;
    };
    let session = screen.entries[number].session.as_ref();
    let command = session.zip(screen.kind(number)).and_then(|(session, kind)| session.resume_command(kind));
    let Some(text) = command else {
        screen
            .chrome
            .show_message("no command resumes it: the agent has none, or the file names no session", Role::Warning);
        return None;
    };
    Some(Effect::Run(Task::Copy(Copied { what: text.clone(), form: None, text, exact: None })))
}

/// Folds the chosen session or folder, or the one that contains the chosen file.
fn close(screen: &mut SessionsScreen) {
    if let Some(number) = screen.chosen().and_then(ListLine::file) {
        let first = screen.entries[number].parent.unwrap_or(number);
        if std::mem::take(&mut screen.entries[first].is_open) {
            screen.rows.choose_key(ListLine::File(first));
            screen.is_stale = true;
            return;
        }
    }
    let folder = match screen.chosen() {
        Some(ListLine::Folder(number)) => number,
        Some(ListLine::File(number) | ListLine::Match(number, _)) => screen.entries[number].folder,
        _ => return,
    };
    if screen.folders[folder].is_group {
        screen.folders[folder].is_open = false;
        screen.rows.choose_key(ListLine::Folder(folder));
        screen.is_stale = true;
    }
}

/// Requests counting the calls of the chosen file although it is large.
fn count_large(screen: &mut SessionsScreen) {
    let words = match screen.chosen().and_then(ListLine::file) {
        Some(number) if screen.entries[number].file.size > LARGE => {
            screen.entries[number].asked = true;
            "counting its calls …"
        }
        Some(_) => "files of this size are counted automatically",
        _ => "select a file to count its calls",
    };
    screen.chrome.show_message(words, Role::Dim);
}

pub(super) fn click(screen: &mut SessionsScreen, x: u16, y: u16) -> Option<Effect> {
    // The first row is the header.
    let at = screen.row_at(screen.areas().0.inner(), 1, x, y)?;
    if screen.rows.has_choice() && at == screen.rows.list.at {
        return open(screen, true);
    }
    screen.choose(at);
    screen.rows.keep_choice(|line| *line);
    None
}
