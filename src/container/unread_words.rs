//! Words of records that no container shows: a message that would seem empty, a file that would seem to say nothing.
//!
//! A container shows what it knows. A message without a piece whose record has words is one of another version or
//! program: it is reported, and shown as it is. So is a file of which nothing at all is shown.

use super::detect::Finding;
use super::json::{JsonKind, JsonValue};
use super::writer::{TextWriter, Yield};
use crate::diagnostic::{Code, Severity};
use crate::text::Span;

/// Members whose strings are no words of a conversation, although they may have spaces.
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

/// Members that a call has: without any words it still says something.
const ARGUMENTS: [&str; 4] = ["arguments", "args", "input", "parameters"];

/// Whether records have words that nothing shows.
#[derive(Debug, Default)]
pub(super) struct UnreadWords {
    /// Whether a record without a message or a piece had words.
    any: bool,
}

impl UnreadWords {
    /// Compares what a record says with what it led to since `before`.
    pub(super) fn take(&mut self, record: JsonValue<'_>, before: Yield, out: &mut TextWriter) {
        if out.yielded().messages > before.messages {
            unless_shown(record, before, out);
        } else if out.yielded().pieces == 0 && !self.any {
            self.any = has_words(record);
        }
    }

    /// The file has ended: reports that nothing of it is shown. `length` is its length.
    pub(super) fn report(&self, found: &Finding, length: usize, out: &mut TextWriter) {
        if out.yielded().pieces > 0 || length == 0 {
            return;
        }
        let severity = if self.any { Code::NothingShown.severity() } else { Severity::Hint };
        let message = format!("nothing in the file is shown: it is read as {} ({})", found.about.name, found.reason);
        out.weighty(Code::NothingShown, severity, Span::new(0, length), message);
    }
}

/// Shows a message as it is if nothing of it has been shown since `before` although it has words.
pub(super) fn unless_shown(message: JsonValue<'_>, before: Yield, out: &mut TextWriter) {
    if out.yielded().pieces == before.pieces && has_words(message) {
        let words = "nothing is known here of what the message says; it is shown raw";
        out.problem(Code::UnknownRecord, message.source(), words);
        out.envelope("message", message);
    }
}

/// Whether a value has words, a string with a space between other characters, or a call.
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
