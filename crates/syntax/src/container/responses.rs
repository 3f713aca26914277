//! Requests, answers and items of OpenAI's responses API, in JSON or JSON lines.
//!
//! | record | members |
//! |---|---|
//! | a request | `input`: a string or items, `instructions` |
//! | an answer | `object: "response"`, `id`, `model`, `created_at`, `output`: items |
//! | either | `conversation`: the one that the provider stores, as its id or as an object with an `id` |
//! | a bare item | `type` and its members |

use super::answer;
use super::facts::{Compaction, Fact, Origin, RequestFacts};
use super::items::ResponseItems;
use super::json::{JsonKind, JsonValue};
use super::members::Members;
use super::messages::{said_by, time_words, unknown};
use super::prompt_history::PromptHistory;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, Message, MessageRole,
    RecordReader,
};
use crate::text::word_set::WordSet;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "openai-responses",
    title: "responses",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Responses> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    if value.kind() == JsonKind::Array {
        // A user's message looks the same in many containers; a later item decides.
        return value.items().any(is_item).then_some(Claim::Sure("it is an array of items of a response"));
    }
    if is_item(value) {
        return Some(Claim::Sure("it is an item of a response, such as a function_call"));
    }
    if value.is_string("object", "response") && value.get("output").is_some() {
        return Some(Claim::Sure("it is an object of the kind response with output"));
    }
    if value.is_string("type", "message") && value.get("role").is_some() {
        let is_answer = value.first_of(&["model", "usage", "stop_reason"]).is_some();
        let is_item = !is_answer && value.get("content").is_some();
        return is_item.then_some(Claim::Likely("it is an object of type message with a role"));
    }
    let input = value.get("input")?;
    if input.kind() == JsonKind::Text && is_request_of_words(value) {
        return Some(Claim::Likely("it is an object with a model and input"));
    }
    let is_spoken = |item: JsonValue<'_>| item.first_of(&["type", "role"]).is_some();
    let is_list = input.kind() == JsonKind::Array && input.items().next().is_some_and(is_spoken);
    let is_request = value.get("model").is_some() && (is_list || value.get("instructions").is_some());
    is_request.then_some(Claim::Sure("it is an object with a model and input"))
}

/// Members that the Responses API takes in a request.
static REQUEST: WordSet = WordSet::new(include_str!("responses/request.txt"));

/// True if an object is a request whose input is a string, and has no unknown members. Requests to embedding,
/// moderation and speech models have the same two members.
fn is_request_of_words(value: JsonValue<'_>) -> bool {
    let is_known = |member: JsonValue<'_>| REQUEST.contains(&member.key()) || member.key() == "user";
    let model = value.text_of("model").unwrap_or_default();
    let is_other = ["embed", "moderation", "tts"].iter().any(|word| model.contains(word));
    !model.is_empty() && !is_other && value.items().all(is_known)
}

/// True if only this API has such an item.
fn is_item(value: JsonValue<'_>) -> bool {
    let has = |key: &str| value.get(key).is_some();
    match value.text_of("type").unwrap_or_default().as_ref() {
        "reasoning" => has("summary") || has("encrypted_content"),
        "message" => {
            let content = value.get("content").filter(|content| content.kind() == JsonKind::Array);
            let is_part =
                |part: JsonValue<'_>| part.is_string("type", "input_text") || part.is_string("type", "output_text");
            has("role") && content.is_some_and(|content| content.items().any(is_part))
        }
        kind if kind.ends_with("_call_output") || kind == "tool_search_output" => has("call_id") || has("output"),
        kind if kind.ends_with("_call") => has("call_id") || (has("id") && has("status")),
        _ => false,
    }
}

#[derive(Default)]
struct Responses {
    items: ResponseItems,
    /// Members of the request or answer that is read in parts, except its items.
    members: Members,
    about: Message,
    /// True if that request or answer has any content.
    has_spoken: bool,
    /// The request that it answers, if it is an answer.
    request: Option<RequestFacts>,
    repeated: PromptHistory,
}

impl Responses {
    /// Reads the members of a request or an answer except its items; returns true if they identify it as one.
    fn around(&mut self, value: JsonValue<'_>, out: &mut TextWriter) -> bool {
        out.session_id(|| conversation_id(value));
        let about = &mut self.about;
        about.model = value.words_of("model").or_else(|| about.model.take());
        about.time = value.get("created_at").and_then(time_words).or_else(|| about.time.take());
        about.id = value.words_of("id").or_else(|| about.id.take());
        if value.is_string("object", "response") || answer::usage_of(value).is_some() {
            let known = self.request.take().unwrap_or_default();
            self.request = Some(answer::merged(known, answer::openai(value)));
        }
        // Settings and tools are not part of the conversation.
        let mut is_known = value.is_string("object", "response");
        if let Some(words) = value.get("instructions").filter(|words| !words.is_void()) {
            is_known = true;
            self.begin(out);
            said_by(MessageRole::System, words, out);
            self.items.pause();
        }
        for (key, list) in
            LISTS.iter().filter_map(|key| Some((key, value.get(key)?))).filter(|(_, list)| !list.is_void())
        {
            is_known = true;
            if list.kind() == JsonKind::Array {
                list.items().for_each(|item| self.element(key, item, out));
            } else {
                self.element(key, list, out);
            }
        }
        if let Some(error) = value.get("error").filter(|error| !error.is_void()) {
            is_known = true;
            self.begin(out);
            out.envelope("error", error);
        }
        is_known
    }

    /// Writes an item, or a string in place of the items.
    fn element(&mut self, list: &str, value: JsonValue<'_>, out: &mut TextWriter) {
        self.begin(out);
        let is_input = list == "input";
        if value.is_string("type", "compaction") && !is_input {
            out.fact(Fact::Compaction(Compaction::default()));
        }
        if value.kind() == JsonKind::Text {
            said_by(MessageRole::User, value, out);
            self.items.pause();
        } else {
            let origin = if is_input { self.repeated.origin(value) } else { Origin::Unsaid };
            self.items.take(value, &Message { origin, ..self.about.clone() }, out);
        }
    }

    fn begin(&mut self, out: &mut TextWriter) {
        if !std::mem::replace(&mut self.has_spoken, true) {
            out.conversation(None);
        }
    }

    /// Reads the members that have arrived; `are_last` is true at the end of the object.
    fn members(&mut self, are_last: bool, out: &mut TextWriter) {
        let Some(object) = self.members.take() else { return };
        let index = object.index();
        let Some(value) = index.as_ref().and_then(|index| object.root(index)) else { return };
        if !self.around(value, out) && are_last && !self.has_spoken {
            unknown(value, out);
        }
    }
}

/// The conversation of a request or an answer, if the provider stores it.
pub(super) fn conversation_id(value: JsonValue<'_>) -> Option<Box<str>> {
    let conversation = value.get("conversation")?;
    conversation.scalar_text().or_else(|| conversation.words_of("id"))
}

/// Members whose elements are items.
const LISTS: [&str; 2] = ["input", "output"];

impl RecordReader for Responses {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &LISTS
    }

    fn single_record_keys(&self) -> &'static [&'static str] {
        &["type", "call_id"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        let kind = value.text_of("type").unwrap_or_default();
        match record.member {
            Some(list) if LISTS.contains(&list) => {
                self.members(false, out);
                self.element(list, value, out);
            }
            Some(key) => self.members.add(key, value),
            None if ResponseItems::knows(&kind) || (kind.is_empty() && value.get("role").is_some()) => {
                self.items.take(value, &self.about, out);
            }
            None => {
                if !self.around(value, out) {
                    unknown(value, out);
                }
                self.close(out);
            }
        }
    }

    fn close(&mut self, out: &mut TextWriter) {
        self.members(true, out);
        if let Some(request) = self.request.take() {
            out.fact(Fact::Request(request));
        }
        let mut repeated = std::mem::take(&mut self.repeated);
        repeated.begin();
        *self = Self { repeated, ..Self::default() };
    }
}
