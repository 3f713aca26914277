//! The table of contents of a report: an entry for each message, with its calls.

use super::ReportPage;
use crate::document::{Item, Message};
use crate::text::Span;
use crate::text::colour_codes::without;
use crate::text::sanitize::visible_str;
use crate::value::main_argument::{READ as READ_OF_ARGUMENT, main_argument};
use crate::value::{ParamTree, ROOT, Value};
use crate::wording::message_labels;

/// Maximum length in characters of an entry.
const BRIEF: usize = 120;

/// Number of bytes of a text read for its first line.
pub(in crate::export) const READ: usize = 2 * 1024;

pub(in crate::export) struct OutlineEntry {
    /// Number and speaker of the message; `None` if there are no messages.
    pub(in crate::export) message: Option<(usize, String)>,
    /// First line of the message, abbreviated.
    pub(in crate::export) words: String,
    pub(in crate::export) calls: Vec<OutlineCall>,
}

pub(in crate::export) struct OutlineCall {
    /// Item number.
    pub(in crate::export) item: usize,
    pub(in crate::export) name: String,
    /// Short summary of the main argument.
    pub(in crate::export) argument: String,
    pub(in crate::export) failed: bool,
}

impl ReportPage<'_> {
    /// Passes each entry to `give`, until that fails. A message that contains only results has no entry, as its calls
    /// represent it.
    pub(in crate::export) fn outline<E>(&self, mut give: impl FnMut(OutlineEntry) -> Result<(), E>) -> Result<(), E> {
        let document = self.session.document();
        let mut messages = document.messages().iter().enumerate().peekable();
        let mut entry = OutlineEntry { message: None, words: String::new(), calls: Vec::new() };
        for (number, item) in document.items().iter().enumerate() {
            while let Some((at, message)) = messages.next_if(|(_, message)| message.start <= item.span().start) {
                if self.session.is_decoded() {
                    let next = self.entry(at, &message);
                    let done = std::mem::replace(&mut entry, next);
                    if done.is_shown() {
                        give(done)?;
                    }
                }
            }
            if !self.shows(number) {
                continue;
            }
            match item {
                Item::Text(span) if entry.words.is_empty() => entry.words = self.first_words(span),
                Item::Call(call) => {
                    let name = self.clean_line(&call.name(self.session.text()));
                    let argument = self.argument(number);
                    entry.calls.push(OutlineCall { item: number, name, argument, failed: call.has_failed() });
                }
                Item::Text(_) | Item::Result(_) | Item::Aside(_) => {}
            }
        }
        if entry.is_shown() { give(entry) } else { Ok(()) }
    }

    fn entry(&self, number: usize, message: &Message) -> OutlineEntry {
        let turn = self.turn_begun_by(number).map(|turn| format!("turn {}", turn.number));
        let speaker = || message_labels(self.session, number, message).into_iter().next().unwrap_or_default();
        let speaker = turn.unwrap_or_else(speaker);
        OutlineEntry { message: Some((number, self.clean_line(&speaker))), words: String::new(), calls: Vec::new() }
    }

    /// The first non-empty line of a text, abbreviated.
    pub(super) fn first_words(&self, span: Span) -> String {
        // Redaction needs the whole text: a truncated secret might not be recognized.
        let end = if self.redactor.is_some() { span.end } else { span.end.min(span.start + READ) };
        let text = self.session.text().read_str(Span::new(span.start, end)).into_owned();
        let plain = without(&text);
        let cleaned = self.clean(&plain);
        brief(cleaned.lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
    }

    /// The main argument of a call, redacted if redaction is on; empty if it is long and might have been cut within a
    /// secret.
    pub(in crate::export) fn argument(&self, item: usize) -> String {
        let text = self.session.text();
        let Some(assembly) = self.session.dissect(item) else { return String::new() };
        let argument = main_argument(&assembly.tree, text, &[]).unwrap_or_default();
        let may_be_cut = self.redactor.is_some() && argument.len() >= READ_OF_ARGUMENT;
        if may_be_cut && self.has_secret(&assembly.tree) {
            return String::new();
        }
        brief(&self.clean(&without(&argument)))
    }

    fn has_secret(&self, tree: &ParamTree) -> bool {
        let is_secret = |id| {
            let is_value = matches!(tree.node(id).value, Value::Scalar(..));
            is_value && !self.secrets(&without(&tree.scalar_text(id, self.session.text()))).is_empty()
        };
        tree.walk().map(|(id, _)| id).chain([ROOT]).any(is_secret)
    }
}

impl OutlineEntry {
    fn is_shown(&self) -> bool {
        !self.words.is_empty() || !self.calls.is_empty()
    }
}

/// The beginning of a line, sanitized.
pub(in crate::export) fn brief(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(BRIEF) {
        None => visible_str(line).into_owned(),
        Some((end, _)) => format!("{}…", visible_str(line[..end].trim_end())),
    }
}
