//! Where a text comes from, and how far reading it has come.

use std::path::PathBuf;
use std::time::SystemTime;

use crate::source::command::Exit;

/// How far reading has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// What is there is being read.
    #[default]
    Loading,
    /// All that is there has been read; more may come.
    Following,
    /// Nothing more comes.
    Ended,
    /// Reading failed, for this reason; what has arrived stays.
    Failed(String),
}

/// Where the text comes from.
#[derive(Clone, Debug, Default)]
pub struct TextOrigin {
    /// What the source is called on the screen: a path or a command.
    pub name: String,
    /// The file, where it is one.
    pub path: Option<PathBuf>,
    /// Size when it was opened, in bytes, where it has one.
    pub size: Option<u64>,
    /// When the file was last written before it was opened.
    pub modified: Option<SystemTime>,
    /// When it was opened, where the time since something earlier is shown.
    pub opened: Option<SystemTime>,
    /// How far reading has come.
    pub phase: Phase,
    /// The command, where it is one.
    pub command: Option<SourceState>,
    /// The reason why a text is shown that was not asked for.
    pub note: Option<String>,
    /// Whether the person has recorded sessions, and is to be told so.
    pub offers_recorded: bool,
}

impl TextOrigin {
    /// The name without what tells where a file lies.
    pub fn short(&self) -> &str {
        match self.command {
            Some(_) => &self.name,
            None => self.name.rsplit('/').next().unwrap_or(&self.name),
        }
    }
}

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// It runs.
    Running,
    /// It has ended like this.
    Ended(Exit),
}
