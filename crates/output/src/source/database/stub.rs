//! Takes the place of the reader of databases in a program without it.

use std::path::Path;
use std::sync::Arc;

use super::{Freshness, MessageRecords, MessageRows, SessionHead, SessionRows};

/// The sessions in a database, which this program cannot read.
#[derive(Debug)]
pub(in crate::source) enum Sessions {}

impl Sessions {
    /// # Errors
    /// Always, with a remedy.
    pub(in crate::source) fn open(_: &Path, _: Freshness) -> Result<Arc<Self>, String> {
        Err("it is a SQLite database, and this transcope was built without the feature sqlite; build it with cargo \
             install --path . --features sqlite, or export the session with opencode export"
            .to_owned())
    }

    pub(in crate::source) fn list(&self, _: usize) -> Result<(Vec<SessionHead>, bool), String> {
        match *self {}
    }

    pub(in crate::source) fn head(&self, _: &str) -> Result<Option<SessionHead>, String> {
        match *self {}
    }

    pub(in crate::source) fn rows(&self, _: &str) -> Result<Option<SessionRows>, String> {
        match *self {}
    }

    pub(in crate::source) fn message(&self, _: &str, _: &MessageRows) -> MessageRecords {
        match *self {}
    }
}
