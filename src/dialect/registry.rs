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

/// Whether calls are looked for in what the model wrote, where a file has calls of its own beside that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextCalls {
    /// Where the runtime may read them: not in files of agents that take calls from records alone, nor behind a call
    /// of a conversation's own records. Naming a dialect asks for them everywhere.
    #[default]
    Auto,
    /// In all text of the model, whatever the file is.
    Read,
    /// In no text of a recorded session: the calls of its records are all there are.
    Ignore,
}

/// What a person may set about the dialects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The dialects to read; none means all.
    pub only: Vec<&'static DialectInfo>,
    /// Markers of the block format.
    pub markers: Markers,
    /// What to make of markers that are probably talked about.
    pub examples: Examples,
    /// Whether calls are looked for in what the model wrote.
    pub text_calls: TextCalls,
    /// Schemas of the tools' parameters.
    pub schemas: Option<Arc<Schemas>>,
    /// Whether more than one triple-caret block in a message is an error.
    pub one_call_per_message: bool,
}

impl Options {
    /// Whether a dialect is among those that are read.
    pub fn reads(&self, dialect: &DialectInfo) -> bool {
        self.only.is_empty() || self.only.contains(&dialect)
    }

    /// Whether calls are looked for in text, dialects that were named being an answer.
    pub fn reads_text(&self) -> TextCalls {
        if self.text_calls == TextCalls::Auto && !self.only.is_empty() { TextCalls::Read } else { self.text_calls }
    }
}

/// The names of all dialects, with commas between them.
pub fn names() -> String {
    REGISTRY.iter().map(|about| about.name).collect::<Vec<_>>().join(", ")
}

/// The dialect with this name, if there is one.
pub fn named(name: &str) -> Option<&'static DialectInfo> {
    REGISTRY.iter().copied().find(|about| about.name == name)
}

/// The dialects that the options ask for, in the order of their priority.
pub fn registry(options: &Options) -> Vec<Box<dyn Dialect>> {
    REGISTRY.iter().filter(|about| options.reads(about)).map(|about| (about.new)(options)).collect()
}
