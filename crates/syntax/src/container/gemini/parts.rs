//! Message parts of the Gemini API, in either spelling.
//!
//! | member | content |
//! |---|---|
//! | `text` | text, or reasoning if `thought` is true |
//! | `functionCall`, `toolCall` | a call: `name` or `toolType`, `args`, perhaps `id` |
//! | `functionResponse`, `toolResponse` | its result: `name`, `response`, perhaps `id` |
//! | `executableCode`, `codeExecutionResult` | code that the provider runs, and its result |
//! | `inlineData`, `fileData` | binary data, or the URI of a file |
//!
//! A part has one of them; a `thoughtSignature` next to it is only for the provider. Every key may be in snake case;
//! one file may mix both.

use super::super::call::{self, CallText};
use super::super::fragment::Fragment;
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::{standing, standing_in};
use super::super::{CallOutcome, Interpretation, MessagePart};

/// A part of a message by its content.
#[derive(Clone, Copy, Debug)]
pub(in crate::container) enum GeminiPart<'a> {
    Text(JsonValue<'a>),
    Thought(JsonValue<'a>),
    /// A call of a function, or of a tool of the provider.
    Call(JsonValue<'a>),
    /// The result of a call.
    Response(JsonValue<'a>),
    Code(JsonValue<'a>),
    CodeResult(JsonValue<'a>),
    Data(JsonValue<'a>),
    File(JsonValue<'a>),
    /// Nothing to show, such as only a signature.
    Blank,
    Unknown,
}

/// Creates a part from the value of its member.
type PartKind<'a> = fn(JsonValue<'a>) -> GeminiPart<'a>;

/// Members that are not content.
const BESIDES: [&str; 6] =
    ["thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata", "mediaResolution"];

impl<'a> GeminiPart<'a> {
    pub(in crate::container) fn new(part: JsonValue<'a>) -> Self {
        let object = |key: &str| member(part, key).filter(|value| value.kind() == JsonKind::Object);
        let is_thought = part.truth_of("thought") == Some(true);
        let kinds: [(&str, PartKind<'a>); 8] = [
            ("functionCall", Self::Call),
            ("toolCall", Self::Call),
            ("functionResponse", Self::Response),
            ("toolResponse", Self::Response),
            ("executableCode", Self::Code),
            ("codeExecutionResult", Self::CodeResult),
            ("inlineData", Self::Data),
            ("fileData", Self::File),
        ];
        if let Some(found) = kinds.iter().find_map(|(key, kind)| object(key).map(kind)) {
            return found;
        }
        match part.string_of("text") {
            Some(text) if text.is_void() => Self::Blank,
            Some(text) if is_thought => Self::Thought(text),
            Some(text) => Self::Text(text),
            None if part.kind() != JsonKind::Object => Self::Unknown,
            None => {
                let says = |item: JsonValue<'_>| item.raw() != b"null" && !BESIDES.contains(&item.key().as_ref());
                if part.items().any(says) { Self::Unknown } else { Self::Blank }
            }
        }
    }

    /// The part as a message part; `None` for a result, whose call must be found first, and for an empty part.
    pub(in crate::container) fn piece(self, reading: Interpretation) -> Option<(MessagePart, Fragment)> {
        Some(match self {
            Self::Text(text) => (MessagePart::Text(reading), Fragment::from_value(text)),
            Self::Thought(text) => (MessagePart::Reasoning, Fragment::from_value(text)),
            Self::Call(value) => called(value),
            Self::Code(code) => made(code, None, "code_execution", code),
            Self::Data(data) => (MessagePart::Envelope("inlineData".into()), standing_in(data, "inlineData")),
            Self::File(file) => (MessagePart::Envelope("fileData".into()), standing(file)),
            Self::Response(_) | Self::CodeResult(_) | Self::Blank | Self::Unknown => return None,
        })
    }
}

/// The member under a key, which may also be in snake case; `None` if it is null.
pub(in crate::container) fn member<'a>(value: JsonValue<'a>, key: &str) -> Option<JsonValue<'a>> {
    let present = |key: &str| value.get(key).filter(|member| member.raw() != b"null");
    present(key).or_else(|| {
        let mut other = String::with_capacity(key.len() + 2);
        for letter in key.chars() {
            if letter.is_ascii_uppercase() {
                other.push('_');
            }
            other.push(letter.to_ascii_lowercase());
        }
        (other != key).then(|| present(&other)).flatten()
    })
}

/// The parts of a content; it may be a single one.
pub(in crate::container) fn parts(content: JsonValue<'_>) -> impl Iterator<Item = JsonValue<'_>> {
    let parts = content.get("parts").unwrap_or(content);
    let one = (parts.kind() == JsonKind::Object).then_some(parts);
    let list = (parts.kind() == JsonKind::Array).then(|| parts.items());
    one.into_iter().chain(list.into_iter().flatten())
}

fn called(value: JsonValue<'_>) -> (MessagePart, Fragment) {
    match (value.get("name"), member(value, "toolType")) {
        (None, Some(tool)) => made(value, Some(tool), "", member(value, "args").unwrap_or(value)),
        _ => (call::part(value, None), standing(value)),
    }
}

/// Assembles a call; if it has no name, it gets `otherwise`.
fn made(
    value: JsonValue<'_>,
    name: Option<JsonValue<'_>>,
    otherwise: &str,
    args: JsonValue<'_>,
) -> (MessagePart, Fragment) {
    let call = CallText::bare(value.source().start, member(value, "id"), name, otherwise);
    let call = call.with_arguments(Some(args), value.source().end);
    (call.part(None), call.text)
}

/// The outcome of a call and the text of its result.
pub(in crate::container) fn response(value: JsonValue<'_>) -> (CallOutcome, Fragment) {
    let Some(response) = member(value, "response") else { return (CallOutcome::Unknown, Fragment::default()) };
    let said = ["error", "output", "result"].iter().find_map(|key| member(response, key));
    let failed = member(response, "error").is_some_and(|error| !error.is_void());
    let outcome = match said {
        _ if failed => CallOutcome::Failed,
        Some(said) if said.key() == "output" => CallOutcome::Succeeded,
        _ => CallOutcome::Unknown,
    };
    // Other members of the response are shown, too.
    let alone = response.items().filter(|item| !item.is_void()).count() <= 1;
    let mut text = Fragment::from_value(said.filter(|_| alone).unwrap_or(response));
    for part in member(value, "parts").into_iter().flat_map(|parts| parts.items()) {
        if let Some((_, more)) = GeminiPart::new(part).piece(Interpretation::Shown) {
            text.push_synthetic("\n", part.source().start);
            text.append(&more);
        }
    }
    (outcome, text)
}

/// The outcome and the output of code that the provider ran.
pub(in crate::container) fn code_result(value: JsonValue<'_>) -> (CallOutcome, Fragment) {
    let outcome = match value.text_of("outcome").as_deref() {
        Some("OUTCOME_OK") => CallOutcome::Succeeded,
        Some("OUTCOME_FAILED" | "OUTCOME_DEADLINE_EXCEEDED") => CallOutcome::Failed,
        _ => CallOutcome::Unknown,
    };
    (outcome, member(value, "output").map(Fragment::from_value).unwrap_or_default())
}
