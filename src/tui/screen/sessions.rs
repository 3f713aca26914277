//! The list of the sessions in some folders: what each file is, how large and how old, its calls and problems.
//!
//! Files come in as they are found, in no order; what is visible is looked into first. The choice is a file and not a
//! row, so that nothing moves under it. The logs that llmist writes for one session lie in a folder of their own,
//! which is one line until it is unfolded; so are sub-agents and continuations of a session with it.

mod changes;
mod order;
mod rows;
mod screen;
mod text_search;
mod tree;
pub mod update;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::container::CallSource;
use crate::tui::age::Calendar;
use crate::tui::discovery::line_matches::MatchedLines;
use crate::tui::discovery::{FileContent, FileTally, IndexRequest, LARGE, ListedFile, SelectedItems};
use crate::tui::geometry::Area;
use crate::tui::keymap::Keys;
use crate::tui::list::{KeyedLines, ListScreen, ListState, Room};
use crate::tui::screen::chrome::Chrome;
use crate::tui::viewport::Units;
use crate::wording::session_columns::SessionColumn;
use crate::wording::session_summary::SessionSummary;
use text_search::TextSearch;

/// What the containers of the files are called of which llmist writes many for one session.
const LOGS: [&str; 2] = ["llmist-request", "llmist-log"];

/// What the answer to a request is called in such a folder, where nothing in it says so.
const RESPONSE: &str = "llmist-response";

/// The ending of a request in such a folder.
const REQUEST: &str = "request";

/// Rows of what is known of the chosen line, with the border.
const DETAILS: u16 = 7;

/// Files that the indexer is sent with a frame: more than it reads until the next one, so that no thread waits for that.
const ASKED: usize = 512;

/// A file that was written so soon after its last message has the time of that.
const NEAR: Duration = Duration::from_mins(1);

/// The list of sessions, as a screen.
pub struct SessionsScreen {
    /// The number of its source.
    pub number: usize,
    /// The folders that it lists, by name.
    pub title: String,
    /// The folders that it lists, by their absolute paths.
    pub paths: Vec<PathBuf>,
    /// Whether that is what agents keep.
    pub is_recorded: bool,
    /// What is around the list.
    pub chrome: Chrome,
    /// What a name or a kind must hold.
    pub filter: String,
    /// The filter expression that must select something in a file, if there is one.
    pub content_filter: Option<String>,
    /// The search of all of them for a text, if there is one.
    search: Option<TextSearch>,
    /// Number of changes of content filter and search.
    round: usize,
    /// The order of sessions, by its number in the table of orders.
    order: usize,
    /// Once all were found: how many were passed over because they hold no text.
    pub passed: Option<usize>,
    /// Says how old something is.
    pub calendar: Calendar,
    entries: Vec<Entry>,
    folders: Vec<Folder>,
    /// The folders by their paths.
    known: HashMap<PathBuf, usize>,
    notes: Vec<String>,
    /// True if the last row is the demonstration.
    pub has_demonstration: bool,
    grouping: Grouping,
    /// Ids of sessions that others are listed under once they are read.
    awaited: HashSet<Box<str>>,
    /// Projects that have had a heading, by their numbers.
    projects: Vec<String>,
    /// Their numbers.
    known_projects: HashMap<String, usize>,
    /// Columns that are not empty.
    columns: Vec<SessionColumn>,
    /// The numbers of all files, in the order of the list.
    in_order: Vec<usize>,
    /// The lines of the list.
    pub rows: KeyedLines<ListLine, ListLine>,
    /// True if the lines must be arranged again.
    is_stale: bool,
    /// Number of files that were read since, and may belong elsewhere in the list.
    moved: usize,
}

/// A file that was found.
struct Entry {
    /// Where it is, its name, size, age and kind.
    file: ListedFile,
    /// The folder that it lies in.
    folder: usize,
    /// The first words of the first message.
    words: String,
    /// The session as one row, once its beginning was read.
    session: Option<Box<SessionSummary>>,
    /// The session that it is listed under.
    parent: Option<usize>,
    /// Sub-agents and continuations that are listed under it.
    children: Vec<usize>,
    /// True if they are shown.
    is_open: bool,
    /// The time of its last message, or of the last one of its children.
    newest: Option<SystemTime>,
    content: FileContent,
    /// Numbers of items that the filter for contents selects, once they are known.
    selected: Option<SelectedItems>,
    /// Its matches, once it was searched.
    found: Option<MatchedLines>,
    /// Whether its calls are to be counted whatever its size.
    asked: bool,
    /// True if it has grown since it was read.
    is_grown: bool,
    /// Bytes that it had when it was found or last opened.
    seen: u64,
}

impl Entry {
    fn new(file: ListedFile, folder: usize) -> Self {
        Self {
            newest: file.modified,
            seen: file.size,
            file,
            folder,
            words: String::new(),
            session: None,
            parent: None,
            children: Vec::new(),
            is_open: false,
            content: FileContent::Unknown,
            selected: None,
            found: None,
            asked: false,
            is_grown: false,
        }
    }

    fn has_hidden_children(&self) -> bool {
        !self.children.is_empty() && !self.is_open
    }

    /// The time of its last message. That of a file that is not read, or was written within a minute of it, is the time of
    /// writing, so that lines keep their order while files are read.
    fn last_time(&self) -> Option<SystemTime> {
        let is_read = matches!(self.content, FileContent::Counted(_)) && !self.is_grown;
        let of_message = is_read.then_some(self.session.as_ref()).flatten();
        let Some((_, end)) = of_message.and_then(|session| session.times) else { return self.file.modified };
        let end = SystemTime::from(end);
        let is_near = |written: &SystemTime| {
            written.duration_since(end).or_else(|_| end.duration_since(*written)).is_ok_and(|apart| apart < NEAR)
        };
        Some(self.file.modified.filter(is_near).unwrap_or(end))
    }

    /// The name of the file without its folders.
    fn file_name(&self) -> &str {
        self.file.name.rsplit('/').next().unwrap_or_default()
    }
}

/// A folder that files lie in.
struct Folder {
    path: PathBuf,
    /// Its name below what is listed.
    name: String,
    /// Whether it is one line.
    is_group: bool,
    /// Whether its files are shown all the same.
    is_open: bool,
    /// All of its files, added up.
    sum: FolderTotals,
    /// Whether it is what was asked for, so that it is no line of itself.
    is_root: bool,
    files: Vec<usize>,
    /// The paths of those with the ending of a request.
    requests: HashSet<PathBuf>,
}

/// The files of a folder, added up.
#[derive(Clone, Copy, Debug, Default)]
struct FolderTotals {
    files: usize,
    counted: usize,
    /// Their lengths together, in bytes.
    size: u64,
    /// When the newest was written.
    modified: Option<SystemTime>,
    /// Calls and problems of those that have been counted.
    tally: FileTally,
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListLine {
    /// A folder of logs, by its number.
    Folder(usize),
    /// A file that was found.
    File(usize),
    /// A line of a file that the search matches: the number of the file, and of the line among its matches.
    Match(usize, usize),
    /// The heading of a project, by its number.
    Project(usize),
    /// Something that could not be read.
    Note(usize),
    /// The demonstration.
    Demonstration,
}

/// How sessions are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Grouping {
    #[default]
    None,
    ByProject,
}

impl ListLine {
    /// The file that it is or belongs to.
    fn file(self) -> Option<usize> {
        if let ListLine::File(number) | ListLine::Match(number, _) = self { Some(number) } else { None }
    }
}

impl SessionsScreen {
    /// A list to which nothing has come yet.
    pub fn new(number: usize, title: String, calendar: Calendar) -> Self {
        Self {
            number,
            title,
            paths: Vec::new(),
            is_recorded: false,
            chrome: Chrome::new(Keys::Sessions),
            filter: String::new(),
            content_filter: None,
            search: None,
            round: 0,
            order: 0,
            passed: None,
            calendar,
            entries: Vec::new(),
            folders: Vec::new(),
            known: HashMap::new(),
            notes: Vec::new(),
            has_demonstration: false,
            grouping: Grouping::default(),
            awaited: HashSet::new(),
            projects: Vec::new(),
            known_projects: HashMap::new(),
            columns: Vec::new(),
            in_order: Vec::new(),
            rows: KeyedLines::default(),
            is_stale: false,
            moved: 0,
        }
    }

    /// The chosen line; the first one before anything was chosen.
    pub fn chosen(&self) -> Option<ListLine> {
        self.rows.chosen().copied()
    }

    /// Files, and how many of them have been looked into.
    pub fn counted(&self) -> (usize, usize) {
        let is_filtered = self.content_filter.is_some() || self.search.is_some();
        let is_done =
            |entry: &&Entry| entry.content != FileContent::Unknown && !(is_filtered && self.is_pending(entry));
        let done = self.entries.iter().filter(is_done).count();
        (self.entries.len(), done)
    }

    /// True if not all files are listed.
    fn is_filtered(&self) -> bool {
        !self.filter.is_empty() || self.content_filter.is_some() || self.search.is_some()
    }

    /// True if a file must be read, or read further, for what is shown of it.
    fn is_pending(&self, entry: &Entry) -> bool {
        let is_unfiltered = self.content_filter.is_some() && entry.selected.is_none();
        let is_unsearched = self.search.is_some() && entry.found.is_none();
        match entry.content {
            FileContent::Unknown => true,
            FileContent::Beginning => entry.asked || is_unfiltered || is_unsearched,
            FileContent::Counted(_) => entry.is_grown || is_unfiltered || is_unsearched,
            FileContent::Failed(_) => false,
        }
    }

    /// Files that were written later than this, as far as they have been found.
    pub fn written_since(&self, time: SystemTime) -> usize {
        self.entries.iter().filter(|entry| entry.file.modified.is_some_and(|modified| modified > time)).count()
    }

    /// Where the list is, and below it what is known of the chosen line, where there is room; both with their borders.
    pub fn areas(&self) -> (Area, Option<Area>) {
        self.chrome.list_and_details(DETAILS)
    }

    /// What is to be looked into next: what is visible, then the rest in its order.
    pub fn wanted(&self) -> Vec<IndexRequest> {
        if !self.entries.iter().any(|entry| self.is_pending(entry)) {
            return Vec::new();
        }
        let visible: Vec<usize> = self.shown().into_iter().map(|at| at.row).collect();
        let visible = visible.iter().map(|&row| &self.rows.lines[row]);
        let mut seen = HashSet::new();
        let of_line = |line: &ListLine| match *line {
            ListLine::File(number) | ListLine::Match(number, _) => vec![number],
            ListLine::Folder(folder) => self.folders[folder].files.clone(),
            ListLine::Project(_) | ListLine::Note(_) | ListLine::Demonstration => Vec::new(),
        };
        let in_order = visible.chain(&self.rows.lines).flat_map(of_line);
        // What a filter hides comes last.
        let numbers = in_order.chain(self.in_order.iter().copied()).map(|number| (number, &self.entries[number]));
        let wanted = numbers.filter(|(number, entry)| self.is_pending(entry) && seen.insert(*number));
        let is_filtered = self.content_filter.is_some() || self.search.is_some();
        wanted
            .take(ASKED)
            .map(|(number, entry)| IndexRequest {
                list: self.number,
                number,
                path: entry.file.path.clone(),
                whole: entry.asked || is_filtered || entry.file.size <= LARGE,
                filter: self.content_filter.clone(),
                search: self.search.as_ref().map(|search| search.pattern.clone()),
                size: entry.file.size,
                round: self.round,
            })
            .collect()
    }

    /// What a file is called: what it says it is, or what it is by its place among logs.
    pub fn kind(&self, number: usize) -> Option<&'static str> {
        let Entry { file, folder, .. } = &self.entries[number];
        let kind = file.kind.map(|(about, _)| about.name)?;
        let folder = &self.folders[*folder];
        let is_response = folder.is_group && kind == "plain" && file.path.extension().is_some();
        let beside = || folder.requests.contains(&file.path.with_extension(REQUEST));
        Some(if is_response && beside() { RESPONSE } else { kind })
    }

    /// The project of a file: the folder in which the session ran. Agents sort their files otherwise; any other text belongs
    /// to the folder that it is in.
    fn project(&self, number: usize) -> &str {
        let entry = &self.entries[number];
        let of_session = entry.session.as_ref().and_then(|session| session.project.as_deref());
        let is_recorded = entry.file.kind.is_some_and(|(about, _)| about.calls == CallSource::Records);
        let folder = || self.folders[entry.folder].name.rsplit('/').next().filter(|_| !is_recorded);
        of_session.or_else(folder).unwrap_or_default()
    }

    /// The title of a session; else the name of its file.
    fn title_of(&self, number: usize) -> &str {
        let entry = &self.entries[number];
        let title = entry.session.as_ref().and_then(|session| session.title.as_ref());
        title.map_or_else(|| entry.file_name(), |(title, _)| title)
    }

    /// The number of a folder, which may be new; `name` is that of a file in it.
    fn folder_of(&mut self, path: &Path, name: &str, is_root: bool) -> usize {
        if let Some(&known) = self.known.get(path) {
            return known;
        }
        let name = name.rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned());
        let (is_group, is_open, sum) = (false, false, FolderTotals::default());
        let (files, requests) = (Vec::new(), HashSet::new());
        self.folders.push(Folder { path: path.to_owned(), name, is_group, is_open, sum, is_root, files, requests });
        self.known.insert(path.to_owned(), self.folders.len() - 1);
        self.folders.len() - 1
    }
}

impl Units for SessionsScreen {
    fn numbers(&self) -> Range<usize> {
        0..1
    }

    fn height(&self, _: usize, _: usize) -> usize {
        self.rows.lines.len()
    }
}

impl ListScreen for SessionsScreen {
    fn list(&self) -> ListState {
        self.rows.list
    }

    fn set_list(&mut self, list: ListState) {
        self.rows.list = list;
    }

    /// The first row inside the border names the columns.
    fn room(&self) -> Room {
        Room { height: usize::from(self.areas().0.inner().height).saturating_sub(1), margin: 0 }
    }
}

#[cfg(test)]
mod tests;
