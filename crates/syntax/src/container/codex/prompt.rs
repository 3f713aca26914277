//! Detects the origin of an item of the role `user`: the client sends much in that role.

use super::super::facts::Origin;
use super::super::fragment::Fragment;
use super::super::json::{JsonKind, JsonValue};
use super::super::writer::TextWriter;
use super::super::{Interpretation, MessagePart};
use crate::text::{Span, trim};

/// Beginnings of texts that are not typed, with their origins.
const BEGINNINGS: [(&str, Origin); 12] = [
    ("<environment_context>", Origin::Client),
    ("# AGENTS.md instructions", Origin::Client),
    ("<user_instructions>", Origin::Client),
    ("<turn_aborted>", Origin::Client),
    ("<permissions instructions>", Origin::Client),
    ("<collaboration_mode>", Origin::Client),
    ("<skill>", Origin::Client),
    ("<skills_instructions>", Origin::Client),
    ("<subagents>", Origin::Client),
    ("<subagent_notification>", Origin::Notification),
    ("<user_shell_command>", Origin::Shell),
    ("Another language model started to solve this problem", Origin::Summary),
];

/// The heading before the typed text if an editor adds the files that are open in it.
const REQUEST: &str = "## My request for Codex:";

/// The origin of an item of the role `user`: typed text outranks additions of the client.
pub(super) fn of_item(item: JsonValue<'_>) -> Origin {
    let Some(content) = item.get("content") else { return Origin::Unsaid };
    if content.items().any(|part| part.is_string("type", "input_image")) {
        return Origin::Prompt;
    }
    let whole = Some(content).filter(|content| content.kind() == JsonKind::Text);
    let parts = content.items().filter_map(|part| part.string_of("text"));
    let origins = whole.into_iter().chain(parts).filter_map(|text| text.text()).map(|text| of_text(&text));
    let rank = |origin: &Origin| match origin {
        Origin::Prompt => 4,
        Origin::Shell => 3,
        Origin::Notification | Origin::Summary => 2,
        Origin::Client => 1,
        _ => 0,
    };
    origins.max_by_key(rank).unwrap_or_default()
}

/// The origin of a text by its beginning.
fn of_text(text: &str) -> Origin {
    let text = text.trim_start();
    let known = BEGINNINGS.iter().find(|(beginning, _)| text.starts_with(beginning));
    known.map_or(if text.is_empty() { Origin::Unsaid } else { Origin::Prompt }, |(_, origin)| *origin)
}

/// The only text of an item, if an editor's additions precede the typed text.
pub(super) fn with_editor_context(item: JsonValue<'_>) -> Option<JsonValue<'_>> {
    let mut parts = item.get("content")?.items();
    let (first, None) = (parts.next()?, parts.next()) else { return None };
    let text = first.string_of("text")?;
    memchr::memmem::find(text.raw(), REQUEST.as_bytes()).map(|_| text)
}

/// Writes such a text: the editor's additions, and the typed text.
pub(super) fn say_request(text: JsonValue<'_>, out: &mut TextWriter) {
    let text = Fragment::from_value(text);
    let end = memchr::memmem::find(&text.bytes, REQUEST.as_bytes()).map_or(0, |start| start + REQUEST.len());
    out.piece(MessagePart::Envelope("editor".into()), &text.slice(Span::new(0, end)));
    let words = trim(&text.bytes[end..], end);
    out.piece(MessagePart::Text(Interpretation::Shown), &text.slice(words));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_by_its_beginning_who_wrote_it() {
        for (text, origin) in [
            ("Which gates are open?", Origin::Prompt),
            ("<environment_context>\n<cwd>/locks</cwd>", Origin::Client),
            ("# AGENTS.md instructions for /locks", Origin::Client),
            ("<user_shell_command>ls</user_shell_command>", Origin::Shell),
            ("<subagent_notification>{}", Origin::Notification),
            ("Another language model started to solve this problem and …", Origin::Summary),
            (" ", Origin::Unsaid),
        ] {
            assert_eq!(of_text(text), origin, "{text}");
        }
    }
}
