//! The list of sessions in some folders: format, size, age, calls and problems of each file.
//!
//! Files arrive while discovery runs; visible ones are indexed first. The choice is a file instead of a row, so that
//! it stays when rows move. The logs that llmist writes for one session are in a separate folder, which is a single
//! line until it is unfolded; likewise sub-agents and continuations are folded into their session.

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
use crate::tui::keymap::ScreenId;
use crate::tui::list::{KeyedLines, ListScreen, ListState, VisibleRows};
use crate::tui::screen::chrome::Chrome;
use crate::tui::viewport::Units;
use crate::wording::session_columns::SessionColumn;
use crate::wording::session_summary::SessionSummary;
use text_search::TextSearch;

/// Names of containers of which llmist writes many files per session.
const LOGS: [&str; 2] = ["llmist-request", "llmist-log"];

/// The kind of an answer to a request in such a folder, whose contents do not identify it.
const RESPONSE: &str = "llmist-response";

/// Extension of a request in such a folder.
const REQUEST: &str = "request";

/// Rows of the details of the chosen line, including the border.
const DETAILS: u16 = 7;

/// Files sent to the indexer per frame: more than it can read until the next one, so that its threads do not wait.
const ASKED: usize = 512;

/// A file written this soon after its last message is dated by the time of writing.
const NEAR: Duration = Duration::from_mins(1);

/// The list of sessions.
pub struct SessionsScreen {
    /// Number of its discovery.
    pub number: usize,
    /// Names of the listed folders.
    pub title: String,
    /// Absolute paths of the listed folders.
    pub paths: Vec<PathBuf>,
    /// True for the list of all sessions that agents have recorded.
    pub is_recorded: bool,
    /// The chrome around the list.
    pub chrome: Chrome,
    /// Text that the name or kind of a file must contain.
    pub filter: String,
    /// Filter expression that must select something in a file, if there is one.
    pub content_filter: Option<String>,
    /// The full-text search over all files, if there is one.
    search: Option<TextSearch>,
    /// Number of changes of content filter and search.
    round: usize,
    /// The sort order, as an index into the table of orders.
    order: usize,
    /// Number of files skipped because they contain no text; `None` until discovery is complete.
    pub passed: Option<usize>,
    /// Clock for ages.
    pub calendar: Calendar,
    entries: Vec<FileEntry>,
    folders: Vec<Folder>,
    /// Indices of folders by path.
    known: HashMap<PathBuf, usize>,
    notes: Vec<String>,
    /// True if the last row is the demonstration.
    pub has_demonstration: bool,
    grouping: Grouping,
    /// Ids of sessions that will contain others once they are read.
    awaited: HashSet<Box<str>>,
    /// Projects that have had a heading.
    projects: Vec<String>,
    /// Indices into `projects`.
    known_projects: HashMap<String, usize>,
    /// Columns that are not empty.
    columns: Vec<SessionColumn>,
    /// Numbers of all files, in list order.
    in_order: Vec<usize>,
    /// The lines of the list.
    pub rows: KeyedLines<ListLine, ListLine>,
    /// True if the lines must be arranged again.
    is_stale: bool,
    /// Number of files read since the last arrangement, whose position may have changed.
    moved: usize,
}

/// A file of the list.
struct FileEntry {
    /// Path, name, size, age and kind.
    file: ListedFile,
    folder: usize,
    /// The beginning of the first message.
    words: String,
    /// Summary of the session, once its beginning has been read.
    session: Option<Box<SessionSummary>>,
    /// The session under which it is listed.
    parent: Option<usize>,
    /// Sub-agents and continuations listed under it.
    children: Vec<usize>,
    /// True if its children are shown.
    is_open: bool,
    /// Time of the last message of it or of its children.
    newest: Option<SystemTime>,
    content: FileContent,
    /// Number of items that the content filter selects, once known.
    selected: Option<SelectedItems>,
    /// Matches of the full-text search, once it has been searched.
    found: Option<MatchedLines>,
    /// True if its calls should be counted whatever its size.
    asked: bool,
    /// True if it has grown since it was read.
    is_grown: bool,
    /// Size in bytes when it was found or last opened.
    seen: u64,
}

impl FileEntry {
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

    /// The time of its last message. For an unread file, or one written within a minute of that message, it is the time
    /// of writing, so that lines keep their order while files are read.
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

    /// Name of the file without folders.
    fn file_name(&self) -> &str {
        self.file.name.rsplit('/').next().unwrap_or_default()
    }
}

/// A folder with files.
struct Folder {
    path: PathBuf,
    /// Name relative to the listed folder.
    name: String,
    /// True if it is a single line.
    is_group: bool,
    /// True if its line is unfolded.
    is_open: bool,
    /// Totals of its files.
    sum: FolderTotals,
    /// True for a listed folder itself, which never becomes a line.
    is_root: bool,
    files: Vec<usize>,
    /// Paths of its files with the extension of requests.
    requests: HashSet<PathBuf>,
}

/// Totals of the files in a folder.
#[derive(Clone, Copy, Debug, Default)]
struct FolderTotals {
    files: usize,
    counted: usize,
    /// Size in bytes.
    size: u64,
    /// Modification time of the newest file.
    modified: Option<SystemTime>,
    /// Calls and problems of the counted files.
    tally: FileTally,
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListLine {
    /// A folder of logs, by its number.
    Folder(usize),
    /// A file, by its number.
    File(usize),
    /// A matching line in a file: the number of the file, and the index of the match.
    Match(usize, usize),
    /// The heading of a project, by its number.
    Project(usize),
    /// An error of discovery, by its number.
    Note(usize),
    /// The demonstration.
    Demonstration,
}

/// Grouping of sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Grouping {
    #[default]
    None,
    ByProject,
}

impl ListLine {
    /// Number of the file that the line shows or belongs to.
    fn file(self) -> Option<usize> {
        if let ListLine::File(number) | ListLine::Match(number, _) = self { Some(number) } else { None }
    }
}

impl SessionsScreen {
    /// A list without files.
    pub fn new(number: usize, title: String, calendar: Calendar) -> Self {
        Self {
            number,
            title,
            paths: Vec::new(),
            is_recorded: false,
            chrome: Chrome::new(ScreenId::Sessions),
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

    /// The chosen line; the first line initially.
    pub fn chosen(&self) -> Option<ListLine> {
        self.rows.chosen().copied()
    }

    /// Number of files, and of files that have been indexed.
    pub fn counted(&self) -> (usize, usize) {
        let is_filtered = self.content_filter.is_some() || self.search.is_some();
        let is_done =
            |entry: &&FileEntry| entry.content != FileContent::Unknown && !(is_filtered && self.is_pending(entry));
        let done = self.entries.iter().filter(is_done).count();
        (self.entries.len(), done)
    }

    /// True if a filter or a search hides files.
    fn is_filtered(&self) -> bool {
        !self.filter.is_empty() || self.content_filter.is_some() || self.search.is_some()
    }

    /// True if a file must be read, or read further, for the list.
    fn is_pending(&self, entry: &FileEntry) -> bool {
        let is_unfiltered = self.content_filter.is_some() && entry.selected.is_none();
        let is_unsearched = self.search.is_some() && entry.found.is_none();
        match entry.content {
            FileContent::Unknown => true,
            FileContent::Beginning => entry.asked || is_unfiltered || is_unsearched,
            FileContent::Counted(_) => entry.is_grown || is_unfiltered || is_unsearched,
            FileContent::Failed(_) => false,
        }
    }

    /// Number of listed files modified after a time.
    pub fn written_since(&self, time: SystemTime) -> usize {
        self.entries.iter().filter(|entry| entry.file.modified.is_some_and(|modified| modified > time)).count()
    }

    /// The areas of the list and, if there is room, of the details below it, both including borders.
    pub fn areas(&self) -> (Area, Option<Area>) {
        self.chrome.list_and_details(DETAILS)
    }

    /// The files to index next: visible ones, then the others in list order.
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
        // Files hidden by a filter come last.
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

    /// The kind of a file: its container, or its role in a folder of logs.
    pub fn kind(&self, number: usize) -> Option<&'static str> {
        let FileEntry { file, folder, .. } = &self.entries[number];
        let kind = file.kind.map(|(about, _)| about.name)?;
        let folder = &self.folders[*folder];
        let is_response = folder.is_group && kind == "plain" && file.path.extension().is_some();
        let beside = || folder.requests.contains(&file.path.with_extension(REQUEST));
        Some(if is_response && beside() { RESPONSE } else { kind })
    }

    /// The project of a file: the folder in which the session ran. Agents do not store sessions by project, so without
    /// that a recorded session has none; any other text belongs to its folder.
    fn project(&self, number: usize) -> &str {
        let entry = &self.entries[number];
        let of_session = entry.session.as_ref().and_then(|session| session.project.as_deref());
        let is_recorded = entry.file.kind.is_some_and(|(about, _)| about.calls == CallSource::Records);
        let folder = || self.folders[entry.folder].name.rsplit('/').next().filter(|_| !is_recorded);
        of_session.or_else(folder).unwrap_or_default()
    }

    /// The title of a session, or else the file name.
    fn title_of(&self, number: usize) -> &str {
        let entry = &self.entries[number];
        let title = entry.session.as_ref().and_then(|session| session.title.as_ref());
        title.map_or_else(|| entry.file_name(), |(title, _)| title)
    }

    /// The number of a folder, which is added if new; `name` is the name of a file in it.
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

    /// The first row inside the border is the header.
    fn room(&self) -> VisibleRows {
        VisibleRows { height: usize::from(self.areas().0.inner().height).saturating_sub(1), margin: 0 }
    }
}

#[cfg(test)]
mod tests;
