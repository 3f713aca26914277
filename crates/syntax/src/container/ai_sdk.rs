//! Messages of the AI SDK as applications store them, in JSON or JSON lines.
//!
//! | record | members |
//! |---|---|
//! | a UI message | `id`, `role`, `parts` |
//! | one of an older version | `content`, `toolInvocations` |
//! | a message for a model | `role`, `content` with `tool-call` and `tool-result` parts |
//!
//! A part that is a call contains its result, too. These conversations are read by the reader of chats.

use super::chat::Chat;
use super::json::{JsonKind, JsonValue};
use super::{CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "ai-sdk",
    title: "messages of the AI SDK",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Chat> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    if is_own(value) {
        return Some(Claim::Sure("it is an object with a role and parts"));
    }
    let list = value.get("messages").or_else(|| (value.kind() == JsonKind::Array).then_some(value))?;
    list.items().any(is_own).then_some(Claim::Sure("it is a list of messages with parts, or with tool-call parts"))
}

/// True if only the AI SDK writes such a message.
fn is_own(message: JsonValue<'_>) -> bool {
    let list = |key: &str| message.get(key).filter(|value| value.kind() == JsonKind::Array);
    let is_part = |part: JsonValue<'_>, kinds: &[&str]| kinds.iter().any(|kind| part.is_string("type", kind));
    message.get("role").is_some()
        && (list("parts").is_some_and(|parts| parts.items().all(|part| part.get("type").is_some()))
            || list("toolInvocations").is_some()
            || list("content")
                .is_some_and(|parts| parts.items().any(|part| is_part(part, &["tool-call", "tool-result"]))))
}
