//! Sessions of goose: one record a line, an exported session, or the output of a run.
//!
//! | record | members |
//! |---|---|
//! | the session, first | `id`, `working_dir`, `description`, `message_count`, `model_config: {model_name}` |
//! | a message | `role`, `created`, `content`; in the output of a run under `message` |
//! | `model_change` | `model` of the following messages |
//! | an export | the members of a session, and `conversation`: the messages |
//! | a run as one object | `messages`, `metadata: {total_tokens, status}` |
//!
//! | `type` of content | members |
//! |---|---|
//! | `text`, `thinking`, `reasoning` | as in the Anthropic messages API |
//! | `toolRequest` | `id`, `toolCall: {status, value: {name, arguments}}`, or `error` |
//! | `toolResponse` | `id`, `toolResult: {status, value}`, whose value is a list of contents or has one, or `error` |
//!
//! The shapes are from the program's `conversation/message.rs`.

use super::facts::{Fact, Origin, Relation, RequestFacts, RequestScope, SessionFact, SessionKind, TitleKind};
use super::items::made_call;
use super::json::{JsonKind, JsonValue};
use super::messages::{self, result, unknown};
use super::usage::{Counting, Counts};
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, Message, MessageRole,
    RecordReader, ToolResult, moment_of,
};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "goose",
    title: "a session of goose",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<Goose> },
};

/// Contents that are not part of the conversation.
const ASIDES: [&str; 9] = [
    "actionRequired",
    "contextLengthExceeded",
    "conversationCompacted",
    "document",
    "error",
    "redactedThinking",
    "summarizationRequested",
    "systemNotification",
    "toolConfirmationRequest",
];

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let has = |key: &str| value.get(key).is_some();
    if has("working_dir") && (has("message_count") || has("description") || has("conversation")) {
        return Some(Claim::Sure("it is an object with a working_dir and what is known of a session"));
    }
    let list = value.get("messages").filter(|_| value.path(&["metadata", "status"]).is_some());
    let message = list.map_or_else(|| value.get("message").or(Some(value)), |list| list.items().next())?;
    let mut contents = message.get("content")?.items();
    let is_timed = message.get("role").is_some() && message.get("created").is_some();
    let own =
        contents.any(|content| content.is_string("type", "toolRequest") || content.is_string("type", "toolResponse"));
    match (is_timed, own) {
        (true, _) if list.is_some() => Some(Claim::Sure("it is a run with messages made at a time, and a status")),
        (true, true) => Some(Claim::Sure("it is a message with a toolRequest or a toolResponse")),
        (true, false) => Some(Claim::Likely("it is a message with a list of contents, made at a time")),
        _ => None,
    }
}

#[derive(Default)]
struct Goose {
    /// The model of the session, for messages that do not name theirs.
    model: Option<Box<str>>,
}

impl RecordReader for Goose {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        let kind = value.text_of("type").unwrap_or_default();
        if value.get("working_dir").is_some() {
            out.session_id(|| value.words_of("id"));
            self.model = value.path(&["model_config", "model_name"]).and_then(JsonValue::scalar_text);
            session(value, self.model.clone(), out);
        }
        if value.get("role").is_some() {
            self.message(value, out);
        } else if let Some(inner) = value.get("message").filter(|inner| inner.get("role").is_some()) {
            self.message(inner, out);
        } else if let Some(list) =
            value.first_of(&["conversation", "messages"]).filter(|list| list.kind() == JsonKind::Array)
        {
            list.items().for_each(|inner| self.message(inner, out));
        } else if kind == "model_change" {
            self.model = value.words_of("model").or_else(|| self.model.take());
        } else if value.get("working_dir").is_some() || kind == "complete" {
            // Metadata and cost of the session.
        } else if matches!(kind.as_ref(), "error" | "notification") {
            out.envelope(&kind, value);
        } else {
            unknown(value, out);
        }
    }
}

impl Goose {
    fn message(&self, value: JsonValue<'_>, out: &mut TextWriter) {
        let contents = || value.get("content").into_iter().flat_map(|contents| contents.items());
        let answers =
            contents().next().is_some() && contents().all(|content| content.is_string("type", "toolResponse"));
        let named = value.text_of("role").and_then(|role| MessageRole::named(&role));
        let role = if answers { Some(MessageRole::Tool) } else { named };
        let model = value.path(&["metadata", "inference", "requestedModel"]).and_then(JsonValue::scalar_text);
        let model = model.or_else(|| self.model.clone());
        out.message(Message {
            role,
            time: value.words_of("created"),
            model: model.filter(|_| role == Some(MessageRole::Assistant)),
            id: value.words_of("id"),
            origin: if role == Some(MessageRole::User) { origin(value) } else { Origin::Unsaid },
            ..Message::default()
        });
        for content in contents() {
            self::content(content, role, out);
        }
    }
}

/// Source of a message of the role `user`.
fn origin(value: JsonValue<'_>) -> Origin {
    let has = |key: &str| value.path(&["metadata", key]).and_then(|flag| flag.truth());
    match (has("userVisible"), has("steer")) {
        (Some(false), _) => Origin::Client,
        (_, Some(true)) => Origin::Steering,
        _ => Origin::Prompt,
    }
}

/// Facts of the session; its `accumulated_` counts cover all its requests, sub-agents included.
fn session(value: JsonValue<'_>, model: Option<Box<str>>, out: &mut TextWriter) {
    let mut session = |fact: Option<SessionFact>| fact.into_iter().for_each(|fact| out.fact(Fact::Session(fact)));
    let kind = if value.truth_of("user_set_name") == Some(true) { TitleKind::Given } else { TitleKind::Generated };
    let title = value.first_filled(&["name", "description"]).and_then(JsonValue::scalar_text);
    session(title.map(|title| SessionFact::Title(title, kind)));
    session(value.words_of("working_dir").map(SessionFact::Directory));
    session(value.words_of("created_at").and_then(|time| moment_of(&time)).map(SessionFact::Start));
    session(value.path(&["model_config", "context_limit"]).and_then(|limit| limit.number()).map(SessionFact::Window));
    if let Some(parent) = value.words_of("parent_session_id") {
        session(Some(SessionFact::Link(Relation::Parent, parent)));
    }
    session(value.is_string("session_type", "sub_agent").then_some(SessionFact::Kind(SessionKind::Subagent)));
    let counts = Counts {
        input: value.number_of("accumulated_input_tokens"),
        output: value.number_of("accumulated_output_tokens"),
        ..Counts::default()
    };
    let usage = Some(counts.disjoint(Counting::Inside, Counting::Inside)).filter(|usage| !usage.is_empty());
    if usage.is_some() {
        let cost = value.get("accumulated_cost").and_then(|cost| cost.fraction());
        let scope = RequestScope::Session;
        out.fact(Fact::Request(RequestFacts { scope, model, usage, cost, ..RequestFacts::default() }));
    }
}

fn content(value: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    let kind = value.text_of("type").unwrap_or_default();
    match kind.as_ref() {
        "text" | "thinking" | "reasoning" | "image" => messages::part(value, role, out),
        "toolRequest" | "frontendToolRequest" => {
            let told = value.get("toolCall");
            let call = told.map(|told| told.get("value").unwrap_or(told));
            let member = |key: &str| call.and_then(|call| call.get(key));
            let input = member("arguments").or_else(|| member("error"));
            let call = made_call(value, value.get("id"), member("name"), "unreadable", input);
            out.piece(call.part(None), &call.text);
        }
        "toolResponse" => {
            let told = value.get("toolResult");
            let error = told.and_then(|told| told.get("error"));
            let given = told.map(|told| told.get("value").unwrap_or(told));
            let contents = given.map(|given| given.get("content").unwrap_or(given));
            let failed = error.is_some() || given.and_then(|given| given.truth_of("isError")).unwrap_or_default();
            result(ToolResult::new(value.words_of("id"), Some(failed)), error.or(contents), out);
        }
        kind if ASIDES.contains(&kind) => out.envelope(kind, value),
        _ => unknown(value, out),
    }
}
