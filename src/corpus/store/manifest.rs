//! The manifest of an index: of what, how and when it was made.
//!
//! It is replaced whole, so that it is never half of one.

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

/// What `index.json` says: of what, how and when the index was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexManifest {
    /// The version of the tables. It comes first, since the key tells what the file is.
    transcope_index: u32,
    /// The version of the program.
    transcope_version: String,
    /// The format of the tables: parquet, ndjson or csv.
    format: String,
    /// Absolute paths of what the index is of.
    pub folders: Vec<String>,
    /// What decides what the rows of a file are: dialects, filter and what else is set.
    settings: serde_json::Value,
    /// Only sessions that went on since then.
    since: Option<Timestamp>,
    /// Only files of the container of this name.
    container: Option<String>,
    /// When the last run came to its end; none while the first one goes on, or if it was interrupted.
    pub updated_at: Option<Timestamp>,
    /// What it holds, as of then.
    #[serde(flatten)]
    pub totals: IndexTotals,
}

/// How much an index holds, over all of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IndexTotals {
    /// Files, also those that could not be read.
    pub files: usize,
    /// Files that could not be read to their ends.
    pub unread: usize,
    /// Sessions, possibly in several files.
    pub sessions: usize,
    /// Calls in all of them, each counted once.
    pub calls: usize,
    /// Calls that failed, were denied or rejected.
    pub failures: usize,
    /// Calls that were not counted since an earlier file has them as well.
    pub copied_calls: usize,
}

impl IndexManifest {
    /// One of an index that is still to be made; settings are whatever tells rows apart.
    pub fn new(format: TableFormat, folders: Vec<String>, choice: &FileChoice, settings: serde_json::Value) -> Self {
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

    /// Whether a file is one that begins with these bytes.
    pub(super) fn is_begun_by(head: &[u8]) -> bool {
        let head = head.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        head.is_some_and(|head| head.starts_with(b"\"transcope_index\""))
    }

    /// The one in a file; none where there is no such file.
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

    /// Replaces the one in a file. Only who has locked the index does so.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let written = whole_file::write(path, IfExists::Replace, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        });
        written.map(drop).with_context(|| format!("could not write {}", path.display()))
    }

    /// The format of the tables.
    pub fn format(&self) -> TableFormat {
        self.format.parse().unwrap_or(TableFormat::Ndjson)
    }

    /// Which files and sessions it is of.
    pub fn choice(&self) -> FileChoice {
        let container = self.container.as_deref().and_then(|name| Container::named(name).ok());
        FileChoice { since: self.since, container: container.map(Container::name) }
    }

    /// Whether an index with this manifest is brought up to date by one with the other, and need not begin anew.
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
