//! Where a text comes from, and how much of it has been read.

use std::path::PathBuf;
use std::time::SystemTime;

use crate::source::command::Exit;

/// Progress of reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The existing contents are being read.
    #[default]
    Loading,
    /// The existing contents have been read; more may arrive.
    Following,
    /// Nothing more will arrive.
    Ended,
    /// Reading failed for this reason; what had arrived is kept.
    Failed(String),
}

/// The source of a text.
#[derive(Clone, Debug, Default)]
pub struct TextOrigin {
    /// Display name: a path or a command.
    pub name: String,
    /// The file, if the source is one.
    pub path: Option<PathBuf>,
    /// Size in bytes when it was opened, if known.
    pub size: Option<u64>,
    /// Modification time of the file when it was opened.
    pub modified: Option<SystemTime>,
    /// When it was opened, if the time since something earlier is shown.
    pub opened: Option<SystemTime>,
    /// Progress of reading.
    pub phase: Phase,
    /// State of the command, if the source is one.
    pub command: Option<SourceState>,
    /// The reason for showing a text that the user did not request.
    pub note: Option<String>,
    /// True if the user has recorded sessions, which a hint then mentions.
    pub offers_recorded: bool,
}

impl TextOrigin {
    /// The name without its directories; a command's name is kept whole.
    pub fn short(&self) -> &str {
        match self.command {
            Some(_) => &self.name,
            None => self.name.rsplit('/').next().unwrap_or(&self.name),
        }
    }
}

/// State of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// It runs.
    Running,
    /// It has ended like this.
    Ended(Exit),
}
