//! Sessions on the disk: files are found ([`finder`]) and looked into ([`indexer`]), each on a thread of its own.
//!
//! What the threads find out is plain data.

pub mod finder;
pub mod indexer;
pub mod line_matches;

use std::path::PathBuf;
use std::time::SystemTime;

use crate::container::ContainerInfo;
use crate::wording::session_summary::SessionSummary;

use line_matches::MatchedLines;

/// Bytes of a file beyond which its calls are counted only when that is asked for.
pub const LARGE: u64 = 64 << 20;

/// What the threads tell a list of sessions.
#[derive(Clone, Debug, PartialEq)]
pub enum DiscoveryEvent {
    /// Files were found, in no order.
    Found(Vec<ListedFile>),
    /// Something could not be read, and is passed over.
    Unread(String),
    /// All were found; so many hold no text.
    Done(usize),
    /// Files have changed since they were found.
    Changed(Vec<FileChange>),
    /// A file was looked into.
    Summary(FileSummary),
    /// The file of this number was searched.
    Searched(usize, MatchedLines),
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Its path as it is opened.
    pub path: PathBuf,
    /// Its path below what is listed.
    pub name: String,
    /// Whether it lies in the very directory that is listed.
    pub at_root: bool,
    /// Its length on the disk, in bytes.
    pub size: u64,
    /// When it was last written, where the file system knows.
    pub modified: Option<SystemTime>,
    /// What it is and why, as far as its first bytes tell.
    pub kind: Option<(&'static ContainerInfo, &'static str)>,
}

/// A file that has grown or was written again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path that opens it.
    pub path: PathBuf,
    /// Its length on the disk, in bytes.
    pub size: u64,
    /// When it was written.
    pub modified: Option<SystemTime>,
}

/// A file that is to be looked into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexRequest {
    /// The number of the list that it stands in.
    pub list: usize,
    /// Its number in that list, in the order of finding.
    pub number: usize,
    /// Its path as it is opened.
    pub path: PathBuf,
    /// Whether it is read to its end.
    pub whole: bool,
    /// The filter expression whose items are counted in it, if there is one.
    pub filter: Option<String>,
    /// The regular expression that it is searched for, if there is one.
    pub search: Option<String>,
    /// Its length on the disk, in bytes.
    pub size: u64,
    /// Number of changes of filter and search before it: the same one may be wanted again.
    pub round: usize,
}

/// What is in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSummary {
    /// Its number in the list, in the order of finding.
    pub number: usize,
    /// What it is and why, if that is known.
    pub kind: Option<(&'static ContainerInfo, &'static str)>,
    /// The first words of the first message.
    pub words: String,
    /// The session as one row, of the part that was read; `None` where it could not be read.
    pub session: Option<Box<SessionSummary>>,
    /// What is known of its content.
    pub content: FileContent,
    /// The requested filter expression, and what it selects in the file.
    pub selected: Option<(String, SelectedItems)>,
}

/// Numbers of items that a filter selects in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectedItems {
    /// All of them: calls, results and texts.
    pub items: usize,
    /// Calls that the runtime would count.
    pub calls: usize,
}

/// What is known of the content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContent {
    /// Nothing yet: nobody has looked into it.
    Unknown,
    /// How it begins; the rest of a large file is not read unasked.
    Beginning,
    /// Its calls and problems: all of it has been read.
    Counted(FileTally),
    /// It could not be read, for this reason.
    Failed(String),
}

/// Numbers of calls and problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTally {
    /// Calls that the runtime would count.
    pub calls: usize,
    /// Those of them whose results say that they failed.
    pub failures: usize,
    /// Problems for which the runtime rejects something.
    pub errors: usize,
    /// Problems that change nothing for the runtime.
    pub warnings: usize,
}
