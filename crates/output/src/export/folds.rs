//! Items that a program wrote for the model, which reports fold.

use std::borrow::Cow;

use super::page::{READ, brief};
use crate::container::MessageRole;
use crate::container::facts::Origin;
use crate::document::Item;
use crate::session::Session;
use crate::text::Span;
use crate::text::colour_codes::without;

/// The kind of a folded item: the name of a record outside the conversation, `client` for a reminder, an attached file, or a
/// command that the client carries out, `command` for one that the model answers, `system` for a system prompt. `None` for
/// prompts, answers, calls and results.
pub(super) fn folded_kind<'a>(session: &'a Session, item: &Item<'a>) -> Option<&'a str> {
    match item {
        Item::Text(span) if session.is_decoded() => {
            let document = session.document();
            let message = document.message_at(span.start);
            let origin = document.messages().origin(message);
            let is_system = document.messages().role(message) == Some(MessageRole::System);
            let system = is_system.then(|| MessageRole::System.word());
            let is_folded = origin.is_automatic() || origin == Origin::Command;
            if is_folded { Some(origin.into()) } else { system }
        }
        Item::Aside(aside) => aside.name,
        Item::Text(_) | Item::Call(_) | Item::Result(_) => None,
    }
}

/// The command in a folded item, such as `/clear`, instead of its markup.
pub(super) fn folded_command(session: &Session, span: Span) -> Option<&str> {
    let messages = session.document().messages();
    let message = session.document().message_at(span.start);
    let is_client = matches!(messages.origin(message), Origin::Client | Origin::Command);
    messages.label(message).filter(|label| is_client && label.starts_with('/'))
}

/// Number of lines without leading and trailing blank lines.
pub(super) fn lines(session: &Session, span: Span) -> usize {
    let (mut at, mut lines, mut counted) = (span.start, 0, 0);
    while at < span.end {
        let rest = Span::new(at, span.end);
        let end = session.text().find(b'\n', rest).map_or(span.end, |feed| feed + 1);
        let is_blank = session.text().read(Span::new(at, end)).iter().all(u8::is_ascii_whitespace);
        if lines > 0 || !is_blank {
            lines += 1;
        }
        if !is_blank {
            counted = lines;
        }
        at = end;
    }
    counted
}

/// The first line with text, abbreviated by [`brief`].
pub(super) fn first_line(session: &Session, span: Span) -> String {
    let head = session.text().read_str(Span::new(span.start, span.end.min(span.start + READ))).into_owned();
    brief(without(&head).lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
}

/// A line of the client without the tags around it: `local-command-stdout: done`.
pub(super) fn without_tags(line: &str) -> Cow<'_, str> {
    let parts = line.trim().strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let Some((name, rest)) = parts.filter(|(name, _)| is_name(name)) else { return line.into() };
    let rest = rest.strip_suffix('>').and_then(|rest| rest.strip_suffix(name)?.strip_suffix("</")).unwrap_or(rest);
    if rest.trim().is_empty() { name.into() } else { format!("{name}: {}", rest.trim()).into() }
}

/// ` (12 lines)`, to append to the first of several lines.
pub(super) fn rest_of(lines: usize) -> String {
    if lines > 1 { format!(" ({lines} lines)") } else { String::new() }
}
