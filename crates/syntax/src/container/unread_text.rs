//! Detects text of records that no container shows, so that a message or a file would wrongly seem empty.
//!
//! A container shows what it knows. If a message has no parts although its record has text, it is from another
//! version or program: it is reported and shown raw. So is a file from which nothing at all is shown.

use super::detect::Finding;
use super::json::{JsonKind, JsonValue};
use super::writer::{OutputCounts, TextWriter};
use crate::diagnostic::{Code, Severity};
use crate::text::Span;

/// Members whose strings are not part of a conversation, although they may have spaces.
const WORDLESS: [&str; 15] = [
    "cwd",
    "directory",
    "path",
    "root",
    "title",
    "name",
    "model",
    "usage",
    "tools",
    "instructions",
    "response_format",
    "metadata",
    "agent",
    "time",
    "timestamp",
];

/// Members of a call, which has content even without text.
const ARGUMENTS: [&str; 4] = ["arguments", "args", "input", "parameters"];

/// Detects records with text that is not shown.
#[derive(Debug, Default)]
pub(super) struct UnreadWords {
    /// True if a record without a message or a part had text.
    any: bool,
}

impl UnreadWords {
    /// Compares the text of a record with the output since `before`.
    pub(super) fn take(&mut self, record: JsonValue<'_>, before: OutputCounts, out: &mut TextWriter) {
        if out.yielded().messages > before.messages {
            unless_shown(record, before, out);
        } else if out.yielded().pieces == 0 && !self.any {
            self.any = has_words(record);
        }
    }

    /// Reports at the end of the file that none of it is shown. `length` is the length of the file.
    pub(super) fn report(&self, found: &Finding, length: usize, out: &mut TextWriter) {
        if out.yielded().pieces > 0 || length == 0 {
            return;
        }
        let severity = if self.any { Code::NothingShown.severity() } else { Severity::Hint };
        let message = format!("nothing to show: the file was read as {} ({})", found.about.name, found.reason);
        out.problem_with_severity(Code::NothingShown, severity, Span::new(0, length), message);
    }
}

/// Shows a message raw if it has text but no part has been written since `before`.
pub(super) fn unless_shown(message: JsonValue<'_>, before: OutputCounts, out: &mut TextWriter) {
    if out.yielded().pieces == before.pieces && has_words(message) {
        let words = "no known content in this message; shown raw";
        out.problem(Code::UnknownRecord, message.source(), words);
        out.envelope("message", message);
    }
}

/// True if a value has a string with a space between other characters, or a call.
fn has_words(value: JsonValue<'_>) -> bool {
    let key = value.key();
    if WORDLESS.contains(&key.as_ref()) {
        return false;
    }
    if ARGUMENTS.contains(&key.as_ref()) && value.kind() != JsonKind::Word && !value.is_void() {
        return true;
    }
    match value.kind() {
        JsonKind::Text => {
            let (text, _) = value.record();
            let content = value.content();
            text[content.start..content.end].trim_ascii().contains(&b' ')
        }
        JsonKind::Word => false,
        JsonKind::Object | JsonKind::Array => value.items().any(has_words),
    }
}
