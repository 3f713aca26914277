//! Sessions on the disk: files are found ([`finder`]) and read ([`indexer`]), each on separate threads.
//!
//! The threads report plain data.

pub mod finder;
pub mod indexer;
pub mod line_matches;

use std::path::PathBuf;
use std::time::SystemTime;

use crate::container::ContainerInfo;
use crate::wording::session_summary::SessionSummary;

use line_matches::MatchedLines;

/// Files of more bytes have their calls counted only on demand.
pub const LARGE: u64 = 64 << 20;

/// An event of these threads for a list of sessions.
#[derive(Clone, Debug, PartialEq)]
pub enum DiscoveryEvent {
    /// Files were found, in no particular order.
    Found(Vec<ListedFile>),
    /// A file or folder could not be read, and is skipped.
    Unread(String),
    /// All files were found; this many hold no text.
    Done(usize),
    /// Files have changed since they were found.
    Changed(Vec<FileChange>),
    /// A file was read.
    Summary(FileSummary),
    /// The file of this number was searched.
    Searched(usize, MatchedLines),
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// The path that opens it.
    pub path: PathBuf,
    /// Its path below the listed directory, for display.
    pub name: String,
    /// True if it is directly in the listed directory.
    pub at_root: bool,
    /// Its size on the disk, in bytes.
    pub size: u64,
    /// When it was last written, if the file system knows.
    pub modified: Option<SystemTime>,
    /// The container detected from its first bytes, and why.
    pub kind: Option<(&'static ContainerInfo, &'static str)>,
}

/// A file that has grown or was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path that opens it.
    pub path: PathBuf,
    /// Its size on the disk, in bytes.
    pub size: u64,
    /// When it was written.
    pub modified: Option<SystemTime>,
}

/// A request to read a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexRequest {
    /// The number of the list that shows the file.
    pub list: usize,
    /// Its number in the list, in the order of finding.
    pub number: usize,
    /// The path that opens it.
    pub path: PathBuf,
    /// True if it is read to its end.
    pub whole: bool,
    /// The filter expression whose matches are counted.
    pub filter: Option<String>,
    /// The regular expression to search for.
    pub search: Option<String>,
    /// Its size on the disk, in bytes.
    pub size: u64,
    /// Number of earlier changes of filter and search, to tell apart repeated requests for the same ones.
    pub round: usize,
}

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSummary {
    /// Its number in the list, in the order of finding.
    pub number: usize,
    /// The detected container, and why.
    pub kind: Option<(&'static ContainerInfo, &'static str)>,
    /// The first words of the first message.
    pub words: String,
    /// The summary of the part that was read; `None` if the file could not be read.
    pub session: Option<Box<SessionSummary>>,
    /// The numbers found in it.
    pub content: FileContent,
    /// The requested filter expression, and the numbers of items that match.
    pub selected: Option<(String, SelectedItems)>,
}

/// Numbers of items in a file that match a filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectedItems {
    /// All items: calls, results and texts.
    pub items: usize,
    /// Calls that the runtime would count.
    pub calls: usize,
}

/// Knowledge about the content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContent {
    /// None: the file was not read yet.
    Unknown,
    /// Its beginning was read; the rest of a large file is read only on demand.
    Beginning,
    /// The file was read completely.
    Counted(FileTally),
    /// It could not be read, for this reason.
    Failed(String),
}

/// Numbers of calls and problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTally {
    /// Calls that the runtime would count.
    pub calls: usize,
    /// Calls whose results report a failure.
    pub failures: usize,
    /// Problems that make the runtime reject something.
    pub errors: usize,
    /// Problems that change nothing for the runtime.
    pub warnings: usize,
}
