//! The messages in an input or output of an observation, in one form, whatever framework wrote them.
//!
//! | in the file | in the list |
//! |---|---|
//! | `{role, content}`, in `messages`, `choices`, `prompt`, a list, JSON text | a message of chat completions |
//! | a message of `LangChain` | the same with `tool_calls` and `tool_call_id` |
//! | `{contents: [{role, parts}]}`, `{candidates: [{content}]}` of Gemini | `role` and `parts` of the kind `tool_call` |
//! | items of `OpenAI`'s responses | a message each |
//! | `[{toolCallId, toolName, input}]` of the AI SDK | one answer with `tool_calls` |
//! | any other text | a message with the role of its place |
//!
//! A call without an id has its name and a number as id, so that its result and its repetitions are found.

use super::super::MessageRole;
use super::super::fragment::Fragment;
use super::super::gemini::parts as gemini;
use super::super::json::{JsonKind, JsonValue};
use super::super::langchain;
use super::written::{call, call_list, made, made_member, member};
use crate::text::Span;

/// Most levels of holders, lists and JSON texts around a message.
const DEPTH: usize = 8;

/// Members with instructions, next to one with messages.
const INSTRUCTIONS: [&str; 5] = ["system", "system_instruction", "systemInstruction", "instructions", "system_prompt"];

/// Members that hold messages, by preference.
const HOLDERS: [&str; 16] = [
    "messages",
    "contents",
    "input_messages",
    "prompt",
    "choices",
    "candidates",
    "generations",
    "output",
    "input",
    "new_message",
    "message",
    "response",
    "kwargs",
    "args",
    "content",
    "text",
];

/// Parts of a message in lists without a message around them.
const PARTS: [&str; 9] =
    ["text", "image_url", "image", "thinking", "tool_use", "tool-call", "tool-result", "tool_result", "input_text"];

/// Members with the reasoning of an answer.
const THOUGHTS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// Which values count as messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accepts {
    /// Any text is a message: input and output of a model.
    Texts,
    /// Only values with a role: input and output of a step, which may be any data.
    Messages,
}

/// A call in the list.
#[derive(Debug)]
struct ListedCall {
    id: Box<str>,
    name: Box<str>,
    is_answered: bool,
}

/// Collects messages as the elements of a JSON list.
#[derive(Debug)]
pub(super) struct MessageList {
    /// The elements so far, separated by commas.
    text: Fragment,
    role: &'static str,
    accepts: Accepts,
    calls: Vec<ListedCall>,
}

impl MessageList {
    /// Creates a list; messages without a role have `role`.
    pub(super) fn new(role: &'static str, accepts: Accepts) -> Self {
        Self { text: Fragment::default(), role, accepts, calls: Vec::new() }
    }

    /// Ends the list; the next one continues to number calls.
    pub(super) fn next(self, role: &'static str) -> (Fragment, Self) {
        (self.text, Self { text: Fragment::default(), role, ..self })
    }

    /// Adds the messages of a value. Returns false if it has none, or anything else with them: then nothing is added.
    pub(super) fn add(&mut self, value: JsonValue<'_>) -> bool {
        let (before, calls) = (self.text.clone(), self.calls.len());
        let is_read = self.take(value, DEPTH);
        if !is_read {
            self.text = before;
            self.calls.truncate(calls);
        }
        is_read
    }

    fn take(&mut self, value: JsonValue<'_>, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match value.kind() {
            _ if value.is_void() => true,
            JsonKind::Text => self.string(value, depth),
            JsonKind::Word => false,
            JsonKind::Array => self.list(value, depth),
            JsonKind::Object => self.object(value, depth),
        }
    }

    /// A string: JSON text with messages, or prose.
    fn string(&mut self, value: JsonValue<'_>, depth: usize) -> bool {
        let words = Fragment::from_value(value);
        let is_json = matches!(words.bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
        let index = if is_json { words.index() } else { None };
        let inner = index.as_ref().and_then(|index| words.root(index));
        let length = self.text.bytes.len();
        if inner.is_some_and(|inner| self.take(inner, depth)) {
            return true;
        }
        // A list that was read in part.
        if self.text.bytes.len() != length {
            self.text = self.text.slice(Span::new(0, length));
        }
        self.accepts == Accepts::Texts && self.prose(value)
    }

    /// Text without a message around it; some programs print their messages as `role='user' content='…'`.
    fn prose(&mut self, value: JsonValue<'_>) -> bool {
        let words = value.text().unwrap_or_default();
        let printed = |key: &str| {
            let (_, rest) = words.strip_prefix("role='").and_then(|_| words.split_once(key))?;
            rest.split('\'')
                .next()
                .filter(|word| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)))
        };
        let role = printed("role='").and_then(MessageRole::named).map_or(self.role, MessageRole::word);
        let id = printed("tool_call_id='").filter(|_| role == "tool");
        let at = value.source().start;
        self.message(if id.is_none() && role == "tool" { "user" } else { role }, at, |text| {
            member(text, "content", value);
            if let Some(id) = id {
                made_member(text, "tool_call_id", id, at);
            }
        });
        true
    }

    fn list(&mut self, value: JsonValue<'_>, depth: usize) -> bool {
        let all = |is_it: &dyn Fn(JsonValue<'_>) -> bool| value.items().all(is_it);
        let at = value.source().start;
        if all(&|item| item.get("toolCallId").is_some() && item.get("toolName").is_some()) && !all(&is_part) {
            self.message(self.role, at, |text| member(text, "tool_calls", value));
            self.learn_calls(value);
            return true;
        }
        if self.accepts == Accepts::Texts && all(&is_part) {
            self.message(self.role, at, |text| member(text, "content", value));
            return true;
        }
        value.items().all(|item| self.take(item, depth))
    }

    fn object(&mut self, value: JsonValue<'_>, depth: usize) -> bool {
        if let Some((body, word)) = langchain::body(value).filter(|_| value.string_of("role").is_none()) {
            let role = langchain::speaker(&word).or_else(|| MessageRole::named(&body.text_of("role")?));
            self.chat(body, role.map_or(self.role, MessageRole::word));
            return true;
        }
        if let Some(role) = value.string_of("role") {
            return self.with_role(value, &role.text().unwrap_or_default(), depth);
        }
        if let Some(inner) = value.get("message").filter(|inner| inner.string_of("role").is_some()) {
            return self.take(inner, depth);
        }
        if value.string_of("type").is_some() && self.item(value) {
            return true;
        }
        if has_gemini_parts(value) {
            self.gemini(value, self.role);
            return true;
        }
        if value.first_filled(&["toolCalls", "tool_calls"]).is_some() {
            self.chat(value, self.role);
            return true;
        }
        self.holder(value, depth)
    }

    /// An object that holds messages and instructions.
    fn holder(&mut self, value: JsonValue<'_>, depth: usize) -> bool {
        let settings = value.get("config").unwrap_or(value);
        let instructions = value.first_filled(&INSTRUCTIONS).or_else(|| settings.first_filled(&INSTRUCTIONS));
        let is_known = |key: &&&str| {
            let Some(held) = value.get(key).filter(|held| !held.is_void()) else { return false };
            let is_text = held.kind() == JsonKind::Text;
            // A step's data may have any names; a prompt next to instructions is one.
            self.accepts == Accepts::Texts || !is_text || (**key == "prompt" && instructions.is_some())
        };
        let Some(key) = HOLDERS.iter().find(is_known) else { return false };
        let Some(held) = value.get(key) else { return false };
        let accepts = self.accepts;
        if *key == "prompt" && instructions.is_some() {
            self.accepts = Accepts::Texts;
        }
        if let Some(words) = instructions.filter(|_| self.role != MessageRole::Assistant.word()) {
            self.instructions(words, depth);
        }
        let is_read = self.take(held, depth);
        self.accepts = accepts;
        is_read
    }

    fn instructions(&mut self, words: JsonValue<'_>, depth: usize) {
        let role = std::mem::replace(&mut self.role, MessageRole::System.word());
        if words.kind() == JsonKind::Text {
            self.message(self.role, words.source().start, |text| member(text, "content", words));
        } else {
            self.take(words, depth);
        }
        self.role = role;
    }

    /// Adds the instructions that an answer of the responses API repeats.
    pub(super) fn instructions_of_response(&mut self, answer: JsonValue<'_>) {
        let is_response = answer.is_string("object", "response");
        if let Some(words) = answer.first_filled(&["instructions"]).filter(|_| is_response) {
            self.instructions(words, DEPTH);
        }
    }

    /// A message that states its role.
    fn with_role(&mut self, value: JsonValue<'_>, role: &str, depth: usize) -> bool {
        // Some integrations list the definitions of tools as messages.
        if value.path(&["content", "function", "parameters"]).is_some() {
            return true;
        }
        if value.get("content").is_some_and(has_gemini_parts) {
            return value.get("content").is_some_and(|content| self.take(content, depth));
        }
        let known = MessageRole::named(role).map(MessageRole::word);
        // The role of a result may be the name of its tool.
        let of_tool = || self.calls.iter().any(|call| &*call.name == role).then_some("tool");
        let role = known.or_else(of_tool).unwrap_or(self.role);
        if has_gemini_parts(value) {
            self.gemini(value, role);
        } else if let Some(parts) = value.get("parts").filter(|parts| parts.kind() == JsonKind::Array) {
            if !parts.is_void() {
                self.message(role, value.source().start, |text| {
                    member(text, "parts", parts);
                    value.get("finish_reason").into_iter().for_each(|reason| member(text, "finish_reason", reason));
                });
            }
        } else {
            self.chat(value, role);
        }
        true
    }

    /// A message of chat completions, of the Anthropic API or of Bedrock, or the members of one of `LangChain`.
    fn chat(&mut self, value: JsonValue<'_>, role: &'static str) {
        let more = value.get("additional_kwargs");
        let content = value.first_filled(&["content", "text"]);
        let content_text = content.filter(|content| content.kind() == JsonKind::Text).map(Fragment::from_value);
        let begins_list = |text: &&Fragment| text.bytes.trim_ascii_start().first() == Some(&b'[');
        let index = content_text.as_ref().filter(begins_list).and_then(Fragment::index);
        let listed = content_text.as_ref().zip(index.as_ref()).and_then(|(text, index)| text.root(index));
        let is_call = |item: JsonValue<'_>| item.path(&["function", "name"]).is_some();
        let content_list = listed.or_else(|| content.filter(|content| content.kind() == JsonKind::Array));
        let written_calls = content_list.filter(|list| !list.is_void() && list.items().all(is_call));
        let calls = value
            .first_filled(&["tool_calls", "toolCalls"])
            .or_else(|| more?.first_filled(&["tool_calls"]))
            .filter(|calls| calls.kind() == JsonKind::Array)
            .or(written_calls);
        let role = if written_calls.is_some() { "assistant" } else { role };
        let is_result = role == "tool" && calls.is_none();
        let told_id = value.first_filled(&["tool_call_id", "toolCallId"]);
        let made_id = is_result.then(|| self.answer(value.words_of("name").as_deref(), told_id)).flatten();
        let thought = value.first_filled(&THOUGHTS).or_else(|| more?.first_filled(&THOUGHTS));
        let failed = value.is_string("status", "error") || value.truth_of("is_error") == Some(true);
        let source = value.source();
        self.message(role, source.start, |text| {
            if let Some(thought) = thought.filter(|thought| thought.kind() == JsonKind::Text) {
                member(text, "reasoning_content", thought);
            }
            match listed.filter(|list| list.items().all(is_part) && !list.is_void()) {
                Some(list) => member(text, "content", list),
                None if written_calls.is_some() => {}
                None => content.into_iter().for_each(|content| member(text, "content", content)),
            }
            if let Some(calls) = calls {
                call_list(text, calls);
            }
            for key in ["invalid_tool_calls", "function_call", "refusal", "finish_reason"] {
                value.first_filled(&[key]).into_iter().for_each(|told| member(text, key, told));
            }
            match (told_id, made_id) {
                (Some(id), _) if is_result => member(text, "tool_call_id", id),
                (None, Some(id)) => made_member(text, "tool_call_id", &id, source.start),
                _ => {}
            }
            if failed {
                text.push_synthetic(",\"is_error\":true", source.end);
            }
        });
        if let Some(calls) = calls {
            self.learn_calls(calls);
        }
    }

    /// An item of the responses API; false for any other value.
    fn item(&mut self, value: JsonValue<'_>) -> bool {
        let kind = value.text_of("type").unwrap_or_default();
        let at = value.source().start;
        match kind.as_ref() {
            "function_call" | "custom_tool_call" => {
                self.message("assistant", at, |text| {
                    text.push_synthetic(",\"tool_calls\":[", at);
                    let input = value.first_of(&["arguments", "input"]);
                    call(text, value, value.first_of(&["call_id", "id"]), value.get("name"), input);
                    text.push_synthetic("]", value.source().end);
                });
                self.calls.extend(value.words_of("call_id").zip(value.words_of("name")).map(ListedCall::new));
            }
            "function_call_output" | "custom_tool_call_output" => {
                self.message("tool", at, |text| {
                    value.get("call_id").into_iter().for_each(|id| member(text, "tool_call_id", id));
                    value.get("output").into_iter().for_each(|output| member(text, "content", output));
                });
            }
            "reasoning" => {
                let thoughts = value.first_filled(&["summary", "content"]);
                if let Some(thoughts) = thoughts.filter(|thoughts| thoughts.kind() == JsonKind::Array) {
                    self.message("assistant", at, |text| member(text, "content", thoughts));
                }
            }
            _ => return false,
        }
        true
    }

    /// A content of the Gemini API.
    fn gemini(&mut self, value: JsonValue<'_>, role: &'static str) {
        let stated = value.text_of("role").and_then(|role| MessageRole::named(&role)).map(MessageRole::word);
        let list = value.get("parts").filter(|parts| parts.kind() == JsonKind::Array);
        let parts: Vec<JsonValue<'_>> =
            list.map_or_else(|| value.get("parts").into_iter().collect(), |list| list.items().collect());
        let is_result = |part: &JsonValue<'_>| gemini::member(*part, "functionResponse").is_some();
        let is_tool = !parts.is_empty() && parts.iter().all(is_result);
        let role = if is_tool { "tool" } else { stated.unwrap_or(role) };
        let source = value.source();
        let mut text = Fragment::default();
        for (number, part) in parts.into_iter().enumerate() {
            text.push_synthetic(if number == 0 { "" } else { "," }, part.source().start);
            self.gemini_part(part, &mut text);
        }
        self.message(role, source.start, |out| {
            out.push_synthetic(",\"parts\":[", source.start);
            out.append(&text);
            out.push_synthetic("]", source.end);
        });
    }

    fn gemini_part(&mut self, part: JsonValue<'_>, text: &mut Fragment) {
        let (at, end) = (part.source().start, part.source().end);
        if let Some(call) = gemini::member(part, "functionCall") {
            let name = call.words_of("name").unwrap_or_default();
            let told = call.first_filled(&["id"]);
            let id = told.and_then(JsonValue::scalar_text).unwrap_or_else(|| self.number(&name));
            text.push_synthetic("{\"type\":\"tool_call\"", at);
            match told {
                Some(told) => member(text, "id", told),
                None => made_member(text, "id", &id, at),
            }
            call.get("name").into_iter().for_each(|name| member(text, "name", name));
            call.get("args").into_iter().for_each(|input| member(text, "arguments", input));
            self.calls.push(ListedCall::new((id, name)));
        } else if let Some(answer) = gemini::member(part, "functionResponse") {
            let id = self.answer(answer.words_of("name").as_deref(), answer.first_filled(&["id"]));
            text.push_synthetic("{\"type\":\"tool_call_response\"", at);
            match answer.first_filled(&["id"]) {
                Some(told) => member(text, "id", told),
                None => id.into_iter().for_each(|id| made_member(text, "id", &id, at)),
            }
            answer.get("response").into_iter().for_each(|told| member(text, "response", told));
        } else if let Some(words) = part.string_of("text") {
            let kind = if part.truth_of("thought") == Some(true) { "reasoning" } else { "text" };
            made(text, "{\"type\":\"", kind, at);
            member(text, "content", words);
        } else if gemini::member(part, "inlineData").is_some() || gemini::member(part, "fileData").is_some() {
            text.push_synthetic("{\"type\":\"file\"", at);
            member(text, "data", part);
        } else {
            return text.push_verbatim(part);
        }
        text.push_synthetic("}", end);
    }

    /// Writes a message; `write` adds its members, each after a comma. Without members there is no message.
    fn message(&mut self, role: &str, at: usize, write: impl FnOnce(&mut Fragment)) {
        let mut members = Fragment::default();
        write(&mut members);
        if members.is_empty() {
            return;
        }
        let comma = if self.text.is_empty() { "" } else { "," };
        self.text.push_synthetic(&format!("{comma}{{\"role\":\"{role}\""), at);
        self.text.append(&members);
        let end = members.map.source_of(Span::at(members.bytes.len())).end;
        self.text.push_synthetic("}", end);
    }

    fn learn_calls(&mut self, calls: JsonValue<'_>) {
        for call in calls.items() {
            let link = call.get("function").unwrap_or(call);
            let id = call.first_filled(&["id", "toolCallId"]).and_then(JsonValue::scalar_text);
            let name = link.first_filled(&["name", "toolName"]).and_then(JsonValue::scalar_text);
            self.calls.extend(id.zip(name).map(ListedCall::new));
        }
    }

    /// An id for the next call of a tool.
    fn number(&self, name: &str) -> Box<str> {
        let count = self.calls.iter().filter(|call| &*call.name == name).count();
        format!("{}-{}", name.escape_default(), count + 1).into()
    }

    /// The id of the call that a result answers: the one that it states, else the first call without a result, if
    /// possible of the tool with this name.
    fn answer(&mut self, name: Option<&str>, id: Option<JsonValue<'_>>) -> Option<Box<str>> {
        let id = id.and_then(JsonValue::scalar_text);
        let is_it = |call: &&mut ListedCall| match (&id, name) {
            (Some(id), _) => call.id == *id,
            (None, Some(name)) => !call.is_answered && &*call.name == name,
            (None, None) => !call.is_answered,
        };
        let call = self.calls.iter_mut().find(is_it)?;
        call.is_answered = true;
        Some(call.id.clone())
    }
}

impl ListedCall {
    fn new((id, name): (Box<str>, Box<str>)) -> Self {
        Self { id, name, is_answered: false }
    }
}

/// True if a value is a part of a message without a role.
fn is_part(item: JsonValue<'_>) -> bool {
    let kind = item.text_of("type").unwrap_or_default();
    item.get("role").is_none() && PARTS.contains(&kind.as_ref())
}

/// True if a value is a content of the Gemini API: its parts have no `type`.
fn has_gemini_parts(value: JsonValue<'_>) -> bool {
    let Some(parts) = value.get("parts").filter(|parts| !parts.is_void()) else { return false };
    match parts.kind() {
        JsonKind::Array => {
            parts.items().all(|part| part.kind() == JsonKind::Object && part.string_of("type").is_none())
        }
        JsonKind::Object => parts.string_of("type").is_none(),
        _ => false,
    }
}
