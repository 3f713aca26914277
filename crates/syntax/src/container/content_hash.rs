//! Digests of messages and calls by their content, regardless of how it is written.
//!
//! A request repeats the messages of the request before it in another order of members, with other spaces, or with the
//! arguments of a call as JSON text; the digest stays the same.

use std::hash::{BuildHasher as _, DefaultHasher, Hash, RandomState};

use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};

/// Members of a message or a part that are metadata, not content.
const ASIDES: [&str; 6] = ["id", "name", "index", "finish_reason", "gen_ai", "event"];

/// A call in any form that messages and parts give it.
pub(super) struct CallContent<'a> {
    /// Its id, if it has one.
    pub(super) id: Option<Box<str>>,
    /// Name of the tool, decoded.
    pub(super) name: Box<str>,
    /// Its arguments, unless they are empty.
    pub(super) arguments: Option<JsonValue<'a>>,
    /// Offset of its value in the record, in bytes.
    pub(super) start: usize,
}

impl<'a> CallContent<'a> {
    /// The call in a value, if it names a tool.
    pub(super) fn new(value: JsonValue<'a>) -> Option<Self> {
        let link = value.first_of(&["function", "toolUse"]).unwrap_or(value);
        let id = value.words_of("id").or_else(|| link.first_of(&["toolUseId", "toolCallId"])?.scalar_text());
        let is_empty = |arguments: &JsonValue<'_>| arguments.is_void() || arguments.raw() == b"\"{}\"";
        let arguments = link.first_of(&["arguments", "input", "args"]).filter(|arguments| !is_empty(arguments));
        let name = link.first_of(&["name", "toolName"])?.scalar_text()?;
        Some(Self { id, name, arguments, start: value.place().start })
    }

    /// The calls of a message.
    pub(super) fn all(message: JsonValue<'a>) -> Vec<Self> {
        let is_call = |part: &JsonValue<'_>| {
            matches!(part.text_of("type").as_deref(), Some("tool_call" | "tool_use" | "tool-call"))
                || part.get("toolUse").is_some()
        };
        let apart = message.get("tool_calls").into_iter().flat_map(|calls| calls.items());
        let parts = message.first_of(&CONTENTS).into_iter().flat_map(|parts| parts.items()).filter(is_call);
        apart.chain(parts).filter_map(CallContent::new).collect()
    }
}

/// Members that hold the text or the parts of a message.
const CONTENTS: [&str; 4] = ["content", "parts", "message", "contents"];

/// Hashes content with random keys, so that no file can make digests collide.
#[derive(Clone, Debug, Default)]
pub(super) struct ContentHasher(RandomState);

impl ContentHasher {
    /// The digest of a value of this program.
    pub(super) fn hash_one(&self, value: impl Hash) -> u64 {
        self.0.hash_one(value)
    }

    /// Begins the digest of bytes that arrive in pieces.
    pub(super) fn begin(&self) -> DefaultHasher {
        self.0.build_hasher()
    }

    /// The digest of a call: its name and arguments.
    pub(super) fn call(&self, call: &CallContent<'_>) -> u64 {
        self.hash_one((&call.name, call.arguments.map(|arguments| self.content(arguments, false))))
    }

    /// A digest of a value, regardless of member order and formatting: JSON text in a string has the digest of its
    /// value.
    pub(super) fn content(&self, value: JsonValue<'_>, is_message: bool) -> u64 {
        match value.kind() {
            JsonKind::Text => {
                let text = Fragment::from_value(value);
                let is_json = matches!(text.bytes.trim_ascii_start().first(), Some(b'{' | b'['));
                let index = if is_json { text.index() } else { None };
                match index.as_ref().and_then(|index| text.root(index)) {
                    Some(inner) => self.content(inner, false),
                    None => self.hash_one(text.bytes.trim_ascii()),
                }
            }
            JsonKind::Word => self.hash_one(value.raw()),
            // It is deeper than its index.
            JsonKind::Object | JsonKind::Array if value.items().next().is_none() => self.hash_one(value.raw()),
            JsonKind::Object => {
                let is_said = |member: &JsonValue<'_>| {
                    !member.is_void()
                        && member.key() != "role"
                        && !(is_message && ASIDES.contains(&member.key().as_ref()))
                };
                let members = value.items().filter(is_said).map(|member| {
                    let is_content = is_message && CONTENTS.contains(&member.key().as_ref());
                    let key = if is_content { "content".into() } else { member.key() };
                    self.hash_one((key.as_ref(), self.content(member, false)))
                });
                members.fold(0, u64::wrapping_add)
            }
            JsonKind::Array if words_of(value).is_some() => {
                words_of(value).map_or(0, |words| self.content(words, false))
            }
            JsonKind::Array => {
                let elements: Vec<u64> = value.items().map(|item| self.content(item, false)).collect();
                self.hash_one(elements)
            }
        }
    }
}

/// The text in a list that holds only one text, which may also be written without the list.
fn words_of(list: JsonValue<'_>) -> Option<JsonValue<'_>> {
    let mut parts = list.items();
    let part = parts.next().filter(|part| part.kind() == JsonKind::Object)?;
    let is_text = part.get("type").is_none_or(|kind| kind.text().as_deref() == Some("text"));
    if !is_text || parts.next().is_some() {
        return None;
    }
    part.string_of("text").or_else(|| part.string_of("content"))
}
