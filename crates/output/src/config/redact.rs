//! Patterns that the user wants redacted in shared output, and texts to keep.

use std::collections::BTreeMap;

use anyhow::{Error, Result};
use serde::Deserialize;

use crate::redact::OwnPatterns;

/// The `redact` settings of the configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedactSettings {
    /// Regular expressions by name; the name replaces their matches.
    pub(crate) patterns: BTreeMap<String, String>,
    /// Texts to replace as well, and patterns between slashes: `/vnd_[a-z0-9]{20}/`.
    pub(crate) also: Vec<String>,
    /// Texts that are kept, domains whose hosts and mail addresses are, and patterns between slashes.
    pub(crate) keep: Vec<String>,
}

impl RedactSettings {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// A pattern is invalid; the error has its name and the position of the fault.
    pub(crate) fn own_patterns(&self) -> Result<OwnPatterns> {
        let patterns = self.patterns.iter().map(|(name, pattern)| (name.as_str(), pattern.as_str()));
        let own = OwnPatterns::new(patterns, self.keep.clone());
        own.and_then(|own| own.with_added(self.also.iter().map(String::as_str)))
            .map_err(|words| Error::msg(format!("redact: {words}")))
    }
}
