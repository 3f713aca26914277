//! The headings of messages, and the lines that describe the session.

use super::super::MessageRole;

/// The heading of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) role: Option<MessageRole>,
    pub(super) model: Option<Box<str>>,
    pub(super) time: Option<Box<str>>,
    /// The message's id, which some files have in a comment after the heading.
    pub(super) id: Option<Box<str>>,
    /// True for a message of a sub-agent.
    pub(super) is_outside: bool,
}

/// Name of the model of texts that the client writes in its place.
const SYNTHETIC: &str = "<synthetic>";

impl Heading {
    /// The heading in a line: `_**Agent (claude-opus-4-5 2026-01-16 16:48:43Z)**_`.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let words = std::str::from_utf8(line.strip_prefix(b"_**")?.strip_suffix(b"**_")?).ok()?;
        let (speaker, about) = match words.strip_suffix(')') {
            Some(words) => words.split_once(" (")?,
            None => (words, ""),
        };
        let (speaker, is_outside) = match speaker.strip_suffix(" - sidechain") {
            Some(speaker) => (speaker, true),
            None => (speaker, false),
        };
        let role = match speaker {
            "User" => MessageRole::User,
            "Agent" | "Assistant" => MessageRole::Assistant,
            _ => return None,
        };
        let (model, time) = model_and_time(about);
        let model = model.filter(|model| *model != SYNTHETIC).map(Box::from);
        Some(Self { role: Some(role), model, time: time.map(Box::from), id: None, is_outside })
    }
}

/// Model and time in parentheses: `gpt-5 2026-01-16 16:48:43Z`, `model gpt-5, mode Agent`, or one of the two.
fn model_and_time(about: &str) -> (Option<&str>, Option<&str>) {
    let about = about.trim();
    let (model, time) = match split_time(about) {
        Some((model, time)) => (model, Some(time)),
        None => (about, None),
    };
    let model = model.strip_prefix("model ").unwrap_or(model);
    let model = model.split(", mode ").next().unwrap_or_default().trim_end_matches(',').trim();
    (Some(model).filter(|model| !model.is_empty()), time)
}

/// Splits off a time at the end: `2026-01-16 16:48:43Z`, `2026-01-16T16:48:43.5Z`.
fn split_time(text: &str) -> Option<(&str, &str)> {
    let is_date = |word: &str| {
        let bytes = word.as_bytes();
        bytes.len() >= 10
            && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    };
    let last = text.rfind(' ').map_or(0, |space| space + 1);
    if is_date(&text[last..]) {
        return Some((text[..last].trim_end(), &text[last..]));
    }
    let before = text[..last].trim_end();
    let date = before.rfind(' ').map_or(0, |space| space + 1);
    let is_time = text[last..].starts_with(|first: char| first.is_ascii_digit()) && text[last..].contains(':');
    (is_time && is_date(&before[date..])).then(|| (before[..date].trim_end(), &text[date..]))
}

/// Title and time of a heading `TITLE (TIME)`; newer files have only a time.
pub(super) fn title(words: &str) -> (Option<&str>, Option<&str>) {
    let words = words.trim();
    if let Some(("", time)) = split_time(words) {
        return (None, Some(time));
    }
    let split = words.strip_suffix(')').and_then(|words| words.rsplit_once(" ("));
    match split.and_then(|(title, time)| Some((title, split_time(time).filter(|(rest, _)| rest.is_empty())?.1))) {
        Some((title, time)) => (Some(title), Some(time)),
        None => (Some(words).filter(|words| !words.is_empty()), None),
    }
}

/// Client, session and time in a comment: `<!-- Claude Code Session ID (TIME) -->`.
pub(super) fn session(line: &str) -> Option<(&str, &str, &str)> {
    let words = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (client, rest) = words.split_once(" Session ")?;
    let (id, time) = rest.strip_suffix(')')?.split_once(" (")?;
    Some((client, id, time))
}

/// The id in a comment after a heading: `<!-- message-id: ID -->`.
pub(super) fn message_id(line: &[u8]) -> Option<Box<str>> {
    let id = line.strip_prefix(b"<!-- message-id: ")?.strip_suffix(b" -->")?;
    Some(String::from_utf8_lossy(id).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_states_speaker_model_and_time() {
        let assistant = Some(MessageRole::Assistant);
        let user = Some(MessageRole::User);
        for (line, role, model, time, is_outside) in [
            ("_**User**_", user, None, None, false),
            ("_**User (2026-01-16 16:48:38Z)**_", user, None, Some("2026-01-16 16:48:38Z"), false),
            ("_**Assistant**_", assistant, None, None, false),
            ("_**Agent (gpt-5)**_", assistant, Some("gpt-5"), None, false),
            ("_**Agent (2026-01-16T16:48:38.1Z)**_", assistant, None, Some("2026-01-16T16:48:38.1Z"), false),
            (
                "_**Agent (GPT 5 2026-01-16 16:48:38-0700)**_",
                assistant,
                Some("GPT 5"),
                Some("2026-01-16 16:48:38-0700"),
                false,
            ),
            ("_**Agent (model gpt-5, mode Agent)**_", assistant, Some("gpt-5"), None, false),
            (
                "_**Agent - sidechain (<synthetic> 2026-01-16 16:48:38Z)**_",
                assistant,
                None,
                Some("2026-01-16 16:48:38Z"),
                true,
            ),
        ] {
            let read = Heading::read(line.as_bytes()).expect("it is a heading");
            let found = (read.role, read.model.as_deref(), read.time.as_deref(), read.is_outside);
            assert_eq!(found, (role, model, time, is_outside), "{line}");
        }
        for line in ["_**Note**_", "**User**", "_**User**_ said", "_**Agent", "_**Users (x)**_"] {
            assert_eq!(Heading::read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_title_is_not_a_time() {
        assert_eq!(title("Tide tables (2025-04-27 16:17:16)"), (Some("Tide tables"), Some("2025-04-27 16:17:16")));
        assert_eq!(title("2026-01-16 16:48:38Z"), (None, Some("2026-01-16 16:48:38Z")));
        assert_eq!(title("Tide tables (draft)"), (Some("Tide tables (draft)"), None));
    }
}
