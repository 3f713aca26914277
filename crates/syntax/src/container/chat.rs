//! Requests, answers and conversations of the chat completions API, in JSON or JSON lines.
//!
//! | record | members |
//! |---|---|
//! | a request, a line of a data set | `messages`, `conversations` |
//! | an answer | `choices: [{message}]`, `model`, `created`, `usage` |
//! | a conversation | messages in an array, or one a line |
//! | a run of a benchmark | `traj` or `trajectory`, an array of messages |
//! | a request with its answer | `request`, `response` |
//! | a line of a batch | `custom_id`, and `body`, `response: {body}`, `params` or `result: {message}` |
//!
//! Each record that holds messages is a separate conversation. A request, which names a model, may begin with the
//! messages of the request before it; repeated prompts begin no turn.

use super::answer::{self, AnthropicAnswer};
use super::facts::{Fact, Origin, RequestFacts, RequestScope};
use super::items::ResponseItems;
use super::json::{JsonKind, JsonValue};
use super::members::Members;
use super::messages::{message, said_by, time_words, unknown};
use super::prompt_history::PromptHistory;
use super::usage;
use super::writer::TextWriter;
use super::{JsonRecord, Message, MessageRole, RecordReader};

/// True if a value is a message: it has a role and content.
fn is_message(value: JsonValue<'_>) -> bool {
    let speaks = value.text_of("role").is_some_and(|role| MessageRole::named(&role).is_some());
    speaks && ["content", "tool_calls", "function_call", "parts"].iter().any(|key| value.get(key).is_some())
}

/// Members whose elements are read as they arrive, so that a large document need not be held.
const LISTS: [&str; 3] = ["messages", "traj", "trajectory"];

/// Members that hold messages, or objects with messages, in reading order.
const HOLDERS: [&str; 15] = [
    "requests",
    "request",
    "params",
    "body",
    "messages",
    "input",
    "traj",
    "conversations",
    "conversation",
    "trajectory",
    "history",
    "message",
    "response",
    "result",
    "output",
];

/// Members that name a conversation.
const TITLES: [&str; 5] = ["custom_id", "title", "instance_id", "conversation_id", "task_id"];

/// A reader of messages and of the objects around them.
#[derive(Default)]
pub(super) struct Chat {
    items: ResponseItems,
    /// Members of an object that is read in parts, except those read as they arrive.
    members: Members,
    conversation: OpenConversation,
    repeated: PromptHistory,
}

/// The conversation in the current object.
#[derive(Default)]
struct OpenConversation {
    title: Option<Box<str>>,
    begun: bool,
    /// True if it is a request to a model.
    is_request: bool,
    /// Properties that the object gives to its messages.
    about: Message,
}

impl OpenConversation {
    /// Takes the properties that an object gives to the messages in it.
    fn learn(&mut self, value: JsonValue<'_>) {
        let about = &mut self.about;
        about.model = value.words_of("model").or_else(|| about.model.take());
        about.time = value.first_of(&["created", "created_at"]).and_then(time_words).or_else(|| about.time.take());
        about.id = value.words_of("id").or_else(|| about.id.take());
        self.title = self.title.take().or_else(|| TITLES.iter().find_map(|key| value.words_of(key)));
    }

    fn begin(&mut self, out: &mut TextWriter) {
        if !std::mem::replace(&mut self.begun, true) {
            out.conversation(self.title.take());
        }
    }
}

impl Chat {
    /// A value that is or holds messages; anything else is unknown.
    fn take(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        match value.kind() {
            JsonKind::Array => value.items().for_each(|item| self.take(item, out)),
            JsonKind::Object if self.write_message(value, out) || self.around(value, out) => {}
            JsonKind::Text => said_by(MessageRole::User, value, out),
            JsonKind::Word if value.is_void() => {}
            JsonKind::Object | JsonKind::Word => unknown(value, out),
        }
    }

    /// Writes a message or an item of a response; returns true if the value is one.
    fn write_message(&mut self, value: JsonValue<'_>, out: &mut TextWriter) -> bool {
        if is_message(value) {
            self.items.pause();
            // The id of the object around a message is the answer's.
            let own = value.get("id").is_some() || !value.is_string("role", "assistant");
            let about = &self.conversation.about;
            let id = about.id.clone().filter(|_| !own);
            let origin = if self.conversation.is_request { self.repeated.origin(value) } else { Origin::Unsaid };
            message(value, Message { id, origin, ..about.clone() }, out);
            answered(value, out);
            return true;
        }
        let kind = value.text_of("type").unwrap_or_default();
        let is_item = value.get("role").is_none() && ResponseItems::knows(&kind);
        if is_item {
            self.items.take(value, &self.conversation.about, out);
        }
        is_item
    }

    /// Reads an object that may hold messages; returns true if it held any.
    fn around(&mut self, value: JsonValue<'_>, out: &mut TextWriter) -> bool {
        // Some agents store their sessions in this format.
        out.session_id(|| value.first_of(&["sessionId", "session_id"]).and_then(JsonValue::scalar_text));
        self.conversation.learn(value);
        let has = |keys: &[&str]| value.first_of(keys).is_some();
        let is_request = has(&["model"]) && !has(&["choices", "custom_id", "output", "result"]);
        // If an object is read in parts, the model may precede the messages.
        if is_request && (has(&["messages"]) || !self.conversation.begun) {
            self.conversation.is_request = true;
            self.repeated.begin();
        }
        let mut found = false;
        let mut filled = |key: &str, out: &mut TextWriter, conversation: &mut OpenConversation| {
            let inner = value.get(key).filter(|inner| inner.kind() != JsonKind::Word && !inner.is_void())?;
            found = true;
            conversation.begin(out);
            Some(inner)
        };
        for key in ["system", "instructions", "system_prompt"] {
            if let Some(words) = filled(key, out, &mut self.conversation) {
                said_by(MessageRole::System, words, out);
            }
        }
        for key in HOLDERS {
            match filled(key, out, &mut self.conversation) {
                Some(words) if words.kind() == JsonKind::Text && matches!(key, "response" | "result" | "output") => {
                    said_by(MessageRole::Assistant, words, out);
                }
                Some(inner) => self.take(inner, out),
                None => {}
            }
        }
        if let Some(choices) = filled("choices", out, &mut self.conversation) {
            self.choices(choices, out);
            let model = self.conversation.about.model.clone();
            let request = answer::openai(value);
            out.fact(Fact::Request(RequestFacts { model: request.model.or(model), ..request }));
        }
        if let Some(error) = filled("error", out, &mut self.conversation) {
            out.message(Message::default());
            out.envelope("error", error);
        }
        found
    }

    /// The choices of an answer; several are alternatives.
    fn choices(&mut self, choices: JsonValue<'_>, out: &mut TextWriter) {
        let are_several = choices.items().count() > 1;
        for choice in choices.items() {
            match choice.get("message").filter(|said| said.kind() == JsonKind::Object) {
                Some(said) => {
                    let number = choice.number_of("index").unwrap_or_default();
                    let label = are_several.then(|| format!("choice {number}").into());
                    let role = Some(MessageRole::Assistant);
                    message(said, Message { role, label, ..self.conversation.about.clone() }, out);
                }
                None => unknown(choice, out),
            }
        }
    }

    /// Reads the members of an object that have arrived so far. If it has no messages yet, they are reported as unknown
    /// unless they hold messages themselves, or are only the `first` of them.
    fn members(&mut self, first: bool, out: &mut TextWriter) {
        let has_spoken = self.conversation.begun;
        let Some(object) = self.members.take() else { return };
        let index = object.index();
        let Some(value) = index.as_ref().and_then(|index| object.root(index)) else { return };
        if !self.write_message(value, out) && !self.around(value, out) && !first && !has_spoken {
            unknown(value, out);
        }
    }
}

/// States the request that a message of the model answers, if the message has token counts: an Anthropic answer, or a
/// message stored by an application of the AI SDK.
fn answered(message: JsonValue<'_>, out: &mut TextWriter) {
    if answer::is_anthropic(message) {
        return AnthropicAnswer::new(message).write_facts(out);
    }
    let metadata = message.get("metadata").filter(|_| message.is_string("role", "assistant"));
    let counted = metadata.and_then(|metadata| metadata.first_filled(&["totalUsage", "usage"]));
    if let Some(usage) = counted.and_then(usage::ai_sdk) {
        // The counts are the sum over all steps of the message.
        let model = metadata.and_then(|metadata| metadata.words_of("model"));
        let scope = RequestScope::Turn;
        out.fact(Fact::Request(RequestFacts { model, scope, usage: Some(usage), ..RequestFacts::default() }));
    }
}

impl RecordReader for Chat {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &LISTS
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match record.member {
            Some(list) if LISTS.contains(&list) => {
                self.members(true, out);
                self.conversation.begin(out);
                self.take(value, out);
            }
            Some(key) => self.members.add(key, value),
            // An element of an array: a message, or a separate conversation.
            None => {
                if value.kind() != JsonKind::Object || !self.write_message(value, out) {
                    self.conversation = OpenConversation::default();
                    self.take(value, out);
                }
            }
        }
    }

    fn close(&mut self, out: &mut TextWriter) {
        self.members(false, out);
        self.conversation = OpenConversation::default();
    }
}
