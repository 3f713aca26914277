//! What a person wants to be replaced in what is handed on, and what is to stay.

use std::collections::BTreeMap;

use anyhow::{Error, Result};
use serde::Deserialize;

use crate::redact::OwnPatterns;

/// The settings of `redact`, as the configuration file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedactSettings {
    /// Regular expressions by their names, which stand in the place of what they match.
    pub patterns: BTreeMap<String, String>,
    /// Texts that stay, and domains whose hosts and mail addresses do.
    pub keep: Vec<String>,
}

impl RedactSettings {
    /// The same, ready to be used.
    ///
    /// # Errors
    /// A pattern that is none, with its name and the place of the fault.
    pub fn own_patterns(&self) -> Result<OwnPatterns> {
        let patterns = self.patterns.iter().map(|(name, pattern)| (name.as_str(), pattern.as_str()));
        OwnPatterns::new(patterns, self.keep.clone()).map_err(|words| Error::msg(format!("redact: {words}")))
    }
}
