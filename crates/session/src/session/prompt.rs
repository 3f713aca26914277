//! A one-line description of a turn: its prompt.

use super::Session;
use crate::container::facts::Origin;
use crate::document::{Item, Turn};
use crate::text::Span;

/// Maximum number of bytes of a prompt that are read for its line.
const MOST: usize = 4096;

/// The text of a turn's prompt: the first text of its message.
pub fn prompt_span(session: &Session, turn: Turn) -> Option<Span> {
    let document = session.document();
    let span = document.message_span(turn.first, session.text().len());
    let mut items = (document.items_before(span.start)..document.items_before(span.end))
        .filter_map(|item| document.items().get(item));
    items.find_map(|item| match item {
        Item::Text(text) if !text.is_empty() => Some(text),
        _ => None,
    })
}

/// The prompt of a turn on one line, unsanitised; for a command, its name.
pub fn prompt_line(session: &Session, turn: Turn) -> String {
    let message = session.document().messages().get(turn.first);
    let command = message.filter(|message| message.origin == Origin::Command).and_then(|message| message.label);
    if let Some(command) = command {
        return command.into();
    }
    let Some(span) = prompt_span(session, turn) else { return String::new() };
    let text = session.text().read_str(Span::new(span.start, span.end.min(span.start + MOST)));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
