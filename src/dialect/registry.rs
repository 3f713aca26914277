//! All dialects, and what a person may set about them.
//!
//! This module does not know how any of them is written.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use super::gadget::Markers;
use super::{Dialect, DialectInfo};
use crate::params::schema::Schemas;

/// All dialects. The order is the priority where two claim the same byte.
pub static REGISTRY: &[&DialectInfo] = &[
    &super::gadget::ABOUT,
    &super::caret::ABOUT,
    &super::callout::ABOUT,
    &super::tool_fence::ABOUT,
    &super::tags::xml::SHAPE.about,
    &super::tags::invoke::SHAPE.about,
    &super::tags::function::SHAPE.about,
    &super::hermes::ABOUT,
    // JSON at the beginning of a line is a call only where nobody else takes it.
    &super::native::ABOUT,
];

/// The name that stands for all dialects.
const AUTO: &str = "auto";

/// What to make of markers in code fences, inline code and quotations, where they are probably talked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Examples {
    /// Calls, as their runtimes take them, each with a warning.
    #[default]
    Calls,
    /// Prose.
    Prose,
}

/// What a person may set about the dialects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Names of the dialects to read; empty means all.
    pub only: Vec<String>,
    /// Markers of the block format.
    pub markers: Markers,
    /// What to make of markers that are probably talked about.
    pub examples: Examples,
    /// Schemas of the tools' parameters.
    pub schemas: Option<Arc<Schemas>>,
    /// Whether more than one triple-caret block in a message is an error.
    pub one_call_per_message: bool,
}

impl Options {
    /// Whether a dialect is among those that are read.
    pub fn reads(&self, name: &str) -> bool {
        self.reads_all() || self.only.iter().any(|known| known == name)
    }

    /// Whether every dialect is read.
    pub fn reads_all(&self) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == AUTO)
    }
}

/// The names of all dialects, with commas between them.
fn names() -> String {
    REGISTRY.iter().map(|about| about.name).collect::<Vec<_>>().join(", ")
}

/// The dialects that the options ask for, in the order of their priority.
///
/// # Errors
/// Names an unknown dialect and lists the known ones.
pub fn registry(options: &Options) -> Result<Vec<Box<dyn Dialect>>, String> {
    let is_known = |name: &String| name == AUTO || REGISTRY.iter().any(|about| about.name == name);
    if let Some(unknown) = options.only.iter().find(|name| !is_known(name)) {
        return Err(format!("unknown dialect {unknown:?}; the dialects are: {AUTO}, {}", names()));
    }
    Ok(REGISTRY.iter().filter(|about| options.reads(about.name)).map(|about| (about.new)(options)).collect())
}

/// The dialect with this name, whether it is read or not.
///
/// # Errors
/// Names an unknown dialect and lists those that write calls.
pub fn named(name: &str, options: &Options) -> Result<Box<dyn Dialect>, String> {
    let found = REGISTRY.iter().find(|about| about.name == name);
    found
        .map(|about| (about.new)(options))
        .ok_or_else(|| format!("unknown dialect {name:?}; a call can be written as {}", names()))
}
