//! The manifest of an index: its sources, settings and time.
//!
//! It is replaced atomically, so that it is never incomplete.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::container::Container;
use crate::corpus::choice::FileChoice;
use crate::corpus::format::TableFormat;
use crate::corpus::tables::SCHEMA_VERSION;
use crate::system::clock;
use crate::system::whole_file::{self, IfExists};
use crate::text::sanitize::visible_str;

/// The content of `index.json`: sources, settings and time of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexManifest {
    /// Schema version of the tables. First, since its key identifies the file.
    transcope_index: u32,
    /// Version of transcope.
    transcope_version: String,
    /// Format of the tables: parquet, ndjson or csv.
    format: String,
    /// Absolute paths of the sources.
    pub folders: Vec<String>,
    /// Settings that affect the rows of a file: dialects, filter and others.
    settings: serde_json::Value,
    /// Restricts the index to sessions with activity since then.
    since: Option<Timestamp>,
    /// Restricts the index to files of the container with this name.
    container: Option<String>,
    /// End of the last complete run; `None` if the first one is running or was interrupted.
    pub updated_at: Option<Timestamp>,
    /// Totals as of then.
    #[serde(flatten)]
    pub(crate) totals: IndexTotals,
}

/// Totals over all parts of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IndexTotals {
    /// Number of files, including unreadable ones.
    pub files: usize,
    /// Number of files that could not be read completely.
    pub unread: usize,
    /// Number of sessions, which may span several files.
    pub sessions: usize,
    /// Number of calls, without copies.
    pub calls: usize,
    /// Number of calls that failed, were denied or rejected.
    pub failures: usize,
    /// Number of calls left out since an earlier file has them.
    pub copied_calls: usize,
}

impl IndexManifest {
    /// Creates the manifest of a new index; `settings` must differ whenever the rows could.
    pub(crate) fn new(
        format: TableFormat,
        folders: Vec<String>,
        choice: &FileChoice,
        settings: serde_json::Value,
    ) -> Self {
        Self {
            transcope_index: SCHEMA_VERSION,
            transcope_version: env!("CARGO_PKG_VERSION").to_owned(),
            format: format.name().to_owned(),
            folders,
            settings,
            since: choice.since,
            container: choice.container.map(str::to_owned),
            updated_at: None,
            totals: IndexTotals::default(),
        }
    }

    /// True if these first bytes of a file are the beginning of a manifest.
    pub(super) fn is_begun_by(head: &[u8]) -> bool {
        let head = head.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        head.is_some_and(|head| head.starts_with(b"\"transcope_index\""))
    }

    /// Reads a manifest; `None` if the file does not exist or is not one.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let name = path.display();
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(error).with_context(|| format!("could not read {name}")),
        };
        if !Self::is_begun_by(&bytes) {
            return Ok(None);
        }
        let manifest: Self = serde_json::from_slice(&bytes)
            .map_err(|error| anyhow!("{name} is damaged: {error}; delete the index, and run transcope index again"))?;
        ensure!(
            manifest.transcope_index <= SCHEMA_VERSION && manifest.format.parse::<TableFormat>().is_ok(),
            "{name} was written by transcope {}; use that version or a later one",
            visible_str(&manifest.transcope_version)
        );
        Ok(Some(manifest))
    }

    /// Replaces the manifest file. The index must be locked.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let written = whole_file::write(path, IfExists::Replace, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        });
        written.map(drop).with_context(|| format!("could not write {}", path.display()))
    }

    /// Format of the tables.
    pub(crate) fn format(&self) -> TableFormat {
        self.format.parse().unwrap_or(TableFormat::Ndjson)
    }

    /// Selection of files and sessions.
    pub fn choice(&self) -> FileChoice {
        let container = self.container.as_deref().and_then(|name| Container::named(name).ok());
        FileChoice { since: self.since, container: container.map(Container::name) }
    }

    /// True if a run with the manifest `next` can update the index instead of rebuilding it.
    pub(super) fn is_continued_by(&self, next: &Self) -> bool {
        let same = |manifest: &Self| {
            let Self { transcope_index, transcope_version, format, settings, .. } = manifest.clone();
            (transcope_index, transcope_version, format, settings)
        };
        same(self) == same(next)
    }

    pub(super) fn complete(&mut self, totals: IndexTotals) {
        self.updated_at = Some(clock::now());
        self.totals = totals;
    }
}
