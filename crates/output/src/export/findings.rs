//! The report of `doctor`: what was examined, and what was found, as aligned text and as JSON.
//!
//! Commands and the terminal UI find; neither may import the other, so their findings meet here.

use std::io::{self, Write};

use serde::Serialize;

use super::json_text::ObjectWriter;
use super::record::SCHEMA_VERSION;
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, word_rows};

/// How well something works. A mark and a word say it, so no colour is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingState {
    /// It works, with everything that transcope can use.
    Ok,
    /// It is not there, and need not be.
    Absent,
    /// It works in part, or something better exists.
    Limited,
    /// It could not be found out.
    Unknown,
    /// It is there and cannot be used; the only state that makes `doctor` exit with 1.
    Invalid,
}

impl FindingState {
    fn mark(self) -> char {
        match self {
            Self::Ok => '✓',
            Self::Absent => '–',
            Self::Limited => '!',
            Self::Unknown => '?',
            Self::Invalid => '✗',
        }
    }
}

/// A thing that was examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The name of the thing; names repeat where there are several of a kind.
    pub name: String,
    /// The result as a state, for the sign before it and for JSON.
    pub state: FindingState,
    /// The result in a few words.
    pub value: String,
    /// The absolute path of its file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Number of sessions, declarations or themes in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// A way to improve it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    /// A finding without path, count and advice.
    pub fn new(name: impl Into<String>, state: FindingState, value: impl Into<String>) -> Self {
        Self { name: name.into(), state, value: value.into(), path: None, count: None, advice: None }
    }

    /// The same with the absolute path of its file or folder.
    #[must_use]
    pub fn at(self, path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// The same with the number of things in it.
    #[must_use]
    pub fn counting(self, count: usize) -> Self {
        Self { count: Some(count), ..self }
    }

    /// The same with a way to improve it.
    #[must_use]
    pub fn advising(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }
}

/// A part of the report: its key in JSON, which is its title as well, and what was found.
pub type FindingSection = (&'static str, Vec<Finding>);

/// Number of findings that are invalid.
pub fn invalid_count(sections: &[FindingSection]) -> usize {
    let findings = sections.iter().flat_map(|(_, findings)| findings);
    findings.filter(|finding| finding.state == FindingState::Invalid).count()
}

/// Columns of the longest name that is aligned with others.
const NAME: usize = 13;

/// Writes the report in rows of at most `width` columns.
///
/// # Errors
/// The output is closed.
pub fn write_text<W: Write>(out: &mut W, sections: &[FindingSection], width: usize) -> io::Result<()> {
    for (title, findings) in sections {
        writeln!(out, "{title}")?;
        let mut previous = "";
        for finding in findings {
            // A name is written once for several findings of a kind.
            let name = if finding.name == previous { String::new() } else { visible_str(&finding.name).into_owned() };
            previous = &finding.name;
            let padding = " ".repeat(NAME.saturating_sub(display_width(name.as_bytes())));
            let start = format!("  {} {name}{padding} ", finding.state.mark());
            let indent = " ".repeat(NAME + 5);
            let room = width.saturating_sub(indent.len()).max(20);
            let value = visible_str(&finding.value);
            for (number, row) in word_rows(&value, room).enumerate() {
                let row = row.trim_end();
                writeln!(out, "{}{row}", if number == 0 { start.as_str() } else { indent.as_str() })?;
            }
            if let Some(advice) = &finding.advice {
                let advice = format!("→ {}", visible_str(advice));
                for (number, row) in word_rows(&advice, room - 2).enumerate() {
                    writeln!(out, "{indent}{}{}", if number == 0 { "" } else { "  " }, row.trim_end())?;
                }
            }
        }
        writeln!(out)?;
    }
    match invalid_count(sections) {
        0 => writeln!(out, "Nothing is broken."),
        1 => writeln!(out, "1 thing cannot be used; ✗ marks it."),
        count => writeln!(out, "{count} things cannot be used; ✗ marks them."),
    }
}

/// Writes the report as one JSON object with a list for each section.
///
/// # Errors
/// The output is closed.
pub fn write_json<W: Write>(out: &mut W, sections: &[FindingSection]) -> io::Result<()> {
    let mut object = ObjectWriter::new(out);
    object.member("schema_version", &SCHEMA_VERSION)?;
    for (title, findings) in sections {
        object.list(&title.to_lowercase(), findings.iter())?;
    }
    object.member("invalid", &invalid_count(sections))?.end()
}
