//! Messages of a conversation as applications store and send them, in the formats of all providers.
//!
//! | member | content |
//! |---|---|
//! | `role` | the speaker; a message that has only tool results is the tool's |
//! | `content` | a string, or a list of parts |
//! | `parts` | a list of parts |
//! | `reasoning_content`, `reasoning`, `thinking`, `reasoning_details` | reasoning of the model, sometimes repeated |
//! | `tool_calls`, `function_call`, `toolInvocations` | calls, perhaps as JSON text; parts of `content` may be the same calls |
//! | `executed_tools` | calls that the provider ran itself, with their results |
//! | `tool_call_id` | this message is the result of that call |

use std::collections::HashSet;

use super::call;
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::unread_text;
use super::writer::TextWriter;
use super::{CallOutcome, ContainerEvent, Interpretation, Message, MessagePart, MessageRole, ToolResult};
use crate::diagnostic::Code;

/// Writes a message with all of its parts. `about` has properties known from elsewhere.
pub(super) fn message(value: JsonValue<'_>, about: Message, out: &mut TextWriter) {
    let speaker = role(value).or(about.role);
    // The model is a property of answers only.
    let model = about.model.filter(|_| speaker == Some(MessageRole::Assistant));
    let about = Message { role: speaker, model, ..about };
    out.message(described(value, about));
    write_contents(value, speaker, out);
}

/// `about`, completed with the properties of the message itself.
pub(super) fn described(value: JsonValue<'_>, about: Message) -> Message {
    let first = |keys: &[&str]| keys.iter().find_map(|key| value.words_of(key));
    // Applications of the AI SDK store these in `metadata`.
    let metadata = |key: &str| value.path(&["metadata", key]);
    let times = ["timestamp", "created_at", "createdAt", "created"];
    let time =
        || times.iter().find_map(|key| time_words(value.get(key)?)).or_else(|| time_words(metadata("createdAt")?));
    Message {
        time: about.time.or_else(time),
        model: about.model.or_else(|| first(&["model"])).or_else(|| metadata("model")?.scalar_text()),
        id: about.id.or_else(|| first(&["id"])),
        label: about.label.or_else(|| first(&["name"])),
        ..about
    }
}

/// A time as written: text, or a number that may have a fraction.
pub(super) fn time_words(value: JsonValue<'_>) -> Option<Box<str>> {
    let is_number = || value.raw().first().is_some_and(u8::is_ascii_digit);
    let fraction = || (value.kind() == JsonKind::Word && is_number()).then(|| String::from_utf8_lossy(value.raw()));
    value.scalar_text().or_else(|| fraction().map(Into::into))
}

/// The role; a message that has only tool results is the tool's, whatever role it states.
pub(super) fn role(value: JsonValue<'_>) -> Option<MessageRole> {
    let role = value.text_of("role").and_then(|role| MessageRole::named(&role));
    let content = value.get("content").filter(|content| content.kind() == JsonKind::Array && !content.is_void());
    let results = content.is_some_and(|content| content.items().all(|part| is_result(&kind_of(part))));
    if results { Some(MessageRole::Tool) } else { role }
}

fn kind_of(part: JsonValue<'_>) -> String {
    part.text_of("type").unwrap_or_default().into_owned()
}

fn is_result(kind: &str) -> bool {
    kind == "tool-result" || kind.ends_with("tool_result")
}

/// Writes the contents of a message.
pub(super) fn write_contents(value: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    let before = out.yielded();
    members(value, role, out);
    unread_text::unless_shown(value, before, out);
}

/// Writes the reasoning in members of a message; the first one that has some repeats the others.
pub(super) fn reasoning_members(value: JsonValue<'_>, out: &mut TextWriter) {
    let is_thought = |thought: &JsonValue<'_>| thought.kind() == JsonKind::Text && !thought.is_void();
    let thought =
        ["reasoning_content", "reasoning", "thinking"].iter().find_map(|key| value.get(key).filter(is_thought));
    match thought {
        Some(thought) => out.write_part(MessagePart::Reasoning, thought),
        None => value.get("reasoning_details").into_iter().for_each(|details| thoughts(details, out)),
    }
}

fn members(value: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    reasoning_members(value, out);
    for tool in value.get("executed_tools").into_iter().flat_map(|tools| tools.items()) {
        let call = call::executed(tool);
        let start = out.begin(call.part(None));
        out.write(&call.text);
        out.end();
        if let Some(output) = tool.first_filled(&["output"]) {
            out.event(ContainerEvent::Answers(Some(start)));
            result(ToolResult::default(), Some(output), out);
        }
    }
    if let Some(content) = value.get("content").filter(|content| !is_null(*content)) {
        let is_result = value.is_string("role", "tool") || value.is_string("role", "function");
        // A message of a tool is a result, or holds a list of parts that are results.
        if is_result && !has_results(content) {
            let failed = value.first_of(&["is_error", "isError"]).and_then(|flag| flag.truth());
            let call = value.words_of("tool_call_id");
            result(ToolResult::new(call, failed), Some(content), out);
        } else if content.kind() == JsonKind::Array {
            let told = told_calls(value);
            let is_told = |part: &JsonValue<'_>| told.as_ref().is_some_and(|told| is_told(*part, told));
            content.items().filter(|part| !is_told(part)).for_each(|part| parts_of(part, role, out));
        } else {
            parts_of(content, role, out);
        }
    }
    if let Some(parts) = value.get("parts") {
        parts_of(parts, role, out);
    }
    for words in [value.get("refusal"), value.path(&["audio", "transcript"])].into_iter().flatten() {
        if words.kind() == JsonKind::Text && !words.is_void() {
            out.write_part(MessagePart::Text(Interpretation::from_role(role)), words);
        }
    }
    sources(value, out);
    if let Some((name, details)) = refusal(value, out) {
        out.envelope(name, details);
    }
    for key in ["tool_calls", "toolInvocations"] {
        let Some(list) = value.get(key) else { continue };
        // A database stores them as JSON text.
        let text = (list.kind() == JsonKind::Text && !list.is_void()).then(|| Fragment::from_value(list));
        let index = text.as_ref().and_then(Fragment::index);
        let inner = text.as_ref().zip(index.as_ref()).and_then(|(text, index)| text.root(index));
        if text.is_some() && inner.is_none_or(|inner| inner.kind() != JsonKind::Array) {
            unknown(list, out);
        }
        for call in inner.unwrap_or(list).items().filter(|call| !call.is_void()) {
            self::call(call, out);
        }
    }
    // Without a name it is an empty slot, not a call.
    if let Some(call) = value.get("function_call").filter(|call| call.first_filled(&["name"]).is_some()) {
        self::call(call, out);
    }
}

/// Reports an answer that the provider refused; returns the member with the details, and its key.
pub(super) fn refusal<'a>(answer: JsonValue<'a>, out: &mut TextWriter) -> Option<(&'static str, JsonValue<'a>)> {
    let reason = answer.get("stop_reason").filter(|_| answer.is_string("stop_reason", "refusal"))?;
    out.problem(Code::AnswerStopped, reason.source(), "the provider refused to answer");
    let details = answer.get("stop_details").filter(|details| !details.is_void());
    Some(details.map_or(("stop_reason", reason), |details| ("stop_details", details)))
}

/// Writes a message with results of calls that were interrupted.
pub(super) fn interrupted(message: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    for part in message.get("content").into_iter().flat_map(|content| content.items()) {
        if is_result(&kind_of(part)) {
            let (call, verdict) = (part.words_of("tool_use_id"), verdict(part));
            let verdict = if verdict.is_failure() { verdict } else { CallOutcome::Failed };
            result(ToolResult { call, outcome: verdict }, part.get("content"), out);
        } else {
            parts_of(part, role, out);
        }
    }
}

/// Ids of the calls in a message's `tool_calls`; `None` if it has none.
fn told_calls(message: JsonValue<'_>) -> Option<HashSet<Box<str>>> {
    let calls = message.get("tool_calls").filter(|calls| !calls.is_void())?;
    Some(calls.items().filter_map(|call| call.words_of("id")).collect())
}

/// True if a part of the content repeats one of the calls in `tool_calls`.
fn is_told(part: JsonValue<'_>, told: &HashSet<Box<str>>) -> bool {
    let is_call = matches!(kind_of(part).as_str(), "tool_call" | "tool_use" | "tool-call" | "function_call");
    is_call
        && ["id", "call_id", "toolCallId"].iter().find_map(|key| part.words_of(key)).is_none_or(|id| told.contains(&id))
}

fn is_null(value: JsonValue<'_>) -> bool {
    value.raw() == b"null"
}

/// True if the content of a tool's message is a list of parts that are results themselves.
pub(super) fn has_results(content: JsonValue<'_>) -> bool {
    content.kind() == JsonKind::Array && content.items().any(|part| is_self_made(&kind_of(part)))
}

/// True if a part of a tool's message is a result itself, not a part of one.
fn is_self_made(kind: &str) -> bool {
    is_result(kind) || kind.starts_with("tool-")
}

/// Writes a string, a list of parts, or a single part.
pub(super) fn parts_of(content: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    match content.kind() {
        JsonKind::Text | JsonKind::Word if content.is_void() => {}
        JsonKind::Text => out.write_part(MessagePart::Text(Interpretation::from_role(role)), content),
        JsonKind::Array => content.items().for_each(|item| parts_of(item, role, out)),
        JsonKind::Object => part(content, role, out),
        JsonKind::Word => unknown(content, out),
    }
}

/// Writes a message of which only the role and the content are known.
pub(super) fn said_by(role: MessageRole, content: JsonValue<'_>, out: &mut TextWriter) {
    out.message(Message::from_role(role));
    parts_of(content, Some(role), out);
}

pub(super) fn part(part: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    let kind = kind_of(part);
    match kind.as_str() {
        "text" | "input_text" | "output_text" | "" => {
            let text = part.first_of(&["text", "content"]);
            // One provider wraps the text in an object.
            let text = text.map(|text| text.get("value").unwrap_or(text));
            match text.filter(|text| text.kind() == JsonKind::Text) {
                Some(text) if text.is_void() => {}
                Some(text) => out.write_part(MessagePart::Text(Interpretation::from_role(role)), text),
                None => unknown(part, out),
            }
            sources(part, out);
        }
        "refusal" => parts_of(part.get("refusal").unwrap_or(part), role, out),
        "thinking" | "reasoning" | "reasoning_text" | "summary_text" => reasoning(part, out),
        "redacted_thinking" => stand_in(part, "redacted thinking", out),
        "encrypted_content" => stand_in(part, "encrypted content", out),
        "tool_use" | "server_tool_use" | "mcp_tool_use" | "tool_call" | "tool-call" | "dynamic-tool" => call(part, out),
        "tool-invocation" => call(part.get("toolInvocation").unwrap_or(part), out),
        "tool-result" | "tool-error" => model_result(part, out),
        kind if is_result(kind) => {
            let call = part.words_of("tool_use_id");
            result(ToolResult { call, outcome: verdict(part) }, part.get("content"), out);
        }
        "image" | "image_url" | "input_image" | "file" | "input_file" | "document" | "input_audio"
        | "reasoning-file" => {
            stand_in(part, &kind, out);
        }
        "step-start" => {}
        kind if kind.starts_with("tool-") => call(part, out),
        kind if ["data-", "source"].iter().any(|start| kind.starts_with(start)) => {
            out.envelope(kind, part);
        }
        "compaction" | "container_upload" | "steering-message" | "tool_reference" | "tool_addition"
        | "tool_removal" | "reference" | "custom" | "fallback" => out.envelope(&kind, part),
        _ => unknown(part, out),
    }
}

/// Writes the sources that an answer cites.
fn sources(value: JsonValue<'_>, out: &mut TextWriter) {
    for key in ["citations", "annotations"] {
        if let Some(sources) = value.get(key).filter(|sources| sources.kind() == JsonKind::Array && !sources.is_void())
        {
            out.envelope(key, sources);
        }
    }
}

/// Beginnings or ends of results of Claude Code if the user or the settings did not allow the call.
const REFUSALS: [&str; 3] = [
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "[Request interrupted by user for tool use]",
];
const NOT_GRANTED: &str = "you haven't granted it yet";

/// The outcome of a `tool_result`. Without `is_error` it is a success, as the API defines it; the provider's own tools
/// report errors in their content.
fn verdict(part: JsonValue<'_>) -> CallOutcome {
    let content = part.get("content");
    let member = |key: &str| content.and_then(|content| content.get(key));
    let is_error = part.truth_of("is_error").unwrap_or_else(|| {
        let kind = member("type").and_then(|kind| kind.text()).unwrap_or_default();
        kind.ends_with("_error") || member("return_code").is_some_and(|code| !code.is_void() && code.raw() != b"0")
    });
    let words = || {
        let first = content.filter(|content| content.kind() == JsonKind::Array).and_then(|list| list.items().next());
        first.and_then(|first| first.string_of("text")).or(content).and_then(|words| words.text()).unwrap_or_default()
    };
    let is_refused = is_error && {
        let words = words();
        REFUSALS.iter().any(|refusal| words.starts_with(refusal)) || words.ends_with(NOT_GRANTED)
    };
    if is_refused { CallOutcome::Denied } else { CallOutcome::from_error_flag(Some(is_error)) }
}

fn reasoning(part: JsonValue<'_>, out: &mut TextWriter) {
    match part.first_of(&["thinking", "text", "reasoning", "summary"]) {
        Some(thought) if thought.is_void() => {}
        Some(thought) if thought.kind() == JsonKind::Text => out.write_part(MessagePart::Reasoning, thought),
        Some(thought) if thought.kind() == JsonKind::Array => thoughts(thought, out),
        Some(_) => unknown(part, out),
        // It is signed or encrypted, and not readable.
        None => {}
    }
}

/// Writes a list of thoughts.
fn thoughts(list: JsonValue<'_>, out: &mut TextWriter) {
    for thought in list.items() {
        match thought.first_of(&["text", "summary"]).filter(|words| words.kind() == JsonKind::Text) {
            Some(words) if words.is_void() => {}
            Some(words) => out.write_part(MessagePart::Reasoning, words),
            None if thought.first_of(&["data", "signature"]).is_some() => {}
            None => unknown(thought, out),
        }
    }
}

pub(super) fn call(value: JsonValue<'_>, out: &mut TextWriter) {
    if value.is_string("type", "custom") && value.first_filled(&["custom"]).is_some() {
        let call = call::custom(value);
        return out.piece(call.part(None), &call.text);
    }
    let outcome = match value.text_of("state").as_deref() {
        Some("output-available" | "result") => Some(CallOutcome::Succeeded),
        Some("output-error") => Some(CallOutcome::Failed),
        Some("output-denied") => Some(CallOutcome::Denied),
        _ => None,
    };
    out.stand(call::part(value, outcome), value);
}

/// Writes a tool result in the format of the AI SDK's model messages.
fn model_result(part: JsonValue<'_>, out: &mut TextWriter) {
    let call = part.words_of("toolCallId");
    let output = part.first_of(&["output", "result", "error", "content"]);
    let kind = output.and_then(|output| output.text_of("type")).unwrap_or_default();
    let verdict = match kind.as_ref() {
        "error-text" | "error-json" => CallOutcome::Failed,
        "execution-denied" => CallOutcome::Denied,
        _ if part.is_string("type", "tool-error") => CallOutcome::Failed,
        // An output of any other known type means success.
        "text" | "json" | "content" => CallOutcome::Succeeded,
        _ => CallOutcome::from_error_flag(part.truth_of("isError")),
    };
    let inner = output.and_then(|output| output.first_of(&["value", "reason"]));
    result(ToolResult { call, outcome: verdict }, inner.filter(|_| !kind.is_empty()).or(output), out);
}

/// Writes a result: the texts of its content, each on separate lines.
pub(super) fn result(outcome: ToolResult, content: Option<JsonValue<'_>>, out: &mut TextWriter) {
    out.begin(MessagePart::Result(outcome));
    match content.filter(|content| !is_null(*content)) {
        Some(content) if content.kind() == JsonKind::Array => out.write(&result_text(content)),
        Some(content) => out.value(content),
        None => {}
    }
    out.end();
}

pub(super) fn result_text(content: JsonValue<'_>) -> Fragment {
    let mut text = Fragment::default();
    if content.kind() != JsonKind::Array {
        text.push_content(content);
        return text;
    }
    for part in content.items() {
        if text.bytes.last().is_some_and(|last| *last != b'\n') {
            text.push_synthetic("\n", part.source().start);
        }
        let words = part.string_of("text");
        match (words, kind_of(part).as_str()) {
            (Some(words), _) => text.push_content(words),
            (
                None,
                "image" | "image_url" | "input_image" | "document" | "file" | "media" | "file-data" | "image-data",
            ) => {
                text.push_replacement(&summary(part, &kind_of(part)), part.source());
            }
            (None, _) => text.push_content(part),
        }
    }
    text
}

pub(super) fn standing(value: JsonValue<'_>) -> Fragment {
    let mut fragment = Fragment::default();
    fragment.push_verbatim(value);
    fragment
}

fn stand_in(part: JsonValue<'_>, kind: &str, out: &mut TextWriter) {
    out.piece(MessagePart::Envelope(kind.into()), &standing_in(part, kind));
}

/// A short summary in place of bytes that are not readable.
pub(super) fn standing_in(part: JsonValue<'_>, kind: &str) -> Fragment {
    let mut fragment = Fragment::default();
    fragment.push_replacement(&summary(part, kind), part.source());
    fragment
}

fn summary(part: JsonValue<'_>, kind: &str) -> String {
    let paths: [&[&str]; 7] = [
        &["source", "media_type"],
        &["media_type"],
        &["mediaType"],
        &["mimeType"],
        &["mime_type"],
        &["mime"],
        &["file", "filename"],
    ];
    let media = paths.iter().find_map(|path| part.path(path)?.text());
    let media = media.map(|media| format!(" {media}")).unwrap_or_default();
    format!("[{kind}{media}, {} bytes]", part.raw().len())
}

/// Reports a record, or a part of one, of unknown type, and shows it raw.
pub(super) fn unknown(value: JsonValue<'_>, out: &mut TextWriter) {
    let kind = kind_of(value);
    let name = if kind.is_empty() { "record without a type".to_owned() } else { format!("unknown type {kind:?}") };
    let source = value.get("type").unwrap_or(value).source();
    out.problem(Code::UnknownRecord, source, format!("{name}; shown raw"));
    let label = if kind.is_empty() { "record" } else { &kind };
    out.envelope(label, value);
}
