//! Conversations of a ChatGPT export, `conversations.json`: an array of them.
//!
//! | member | content |
//! |---|---|
//! | `title`, `create_time` | of the conversation |
//! | `mapping` | its nodes by their ids: `{id, message, parent, children}` |
//! | `current_node` | the end of the path that counts |
//!
//! | member of a message | content |
//! |---|---|
//! | `author: {role, name}`, `create_time`, `metadata: {model_slug}` | role, time and model |
//! | `recipient` | a tool, if the message is a call of it; else `all` |
//! | `content` | by `content_type` |
//!
//! The nodes have no fixed order: they are read depth-first from the root. A message of a tool is the result of the
//! call that it follows.

use std::collections::HashMap;

use super::call::{CallText, number_word};
use super::facts::Origin;
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages::{self, parts_of, time_words, unknown};
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader, ToolResult,
};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "chatgpt",
    title: "conversations of a ChatGPT export",
    calls: CallSource::Records,
    definition: Definition::Code {
        claims: |head| {
            let value = head.value()?;
            let first = if value.kind() == JsonKind::Array { value.items().next()? } else { value };
            let mapping = first.get("mapping").filter(|mapping| mapping.kind() == JsonKind::Object)?;
            let is_told = first.get("current_node").is_some() || first.get("title").is_some();
            // The export of another service has a mapping, too, with messages without an author.
            let mut said = mapping.items().filter_map(|node| node.get("message")).peekable();
            let is_own = said.peek().is_some()
                && said.filter(|said| said.kind() == JsonKind::Object).all(|said| said.get("author").is_some());
            (is_told && is_own).then_some(Claim::Sure("it is a conversation with a mapping of messages"))
        },
        open: FormatReader::records::<Export>,
    },
};

#[derive(Default)]
struct Export {
    numbered: usize,
}

impl Export {
    fn conversation(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let Some(mapping) = value.get("mapping") else { return unknown(value, out) };
        out.conversation(value.words_of("title"));
        let nodes: HashMap<String, JsonValue<'_>> =
            mapping.items().map(|node| (node.key().into_owned(), node)).collect();
        let is_root = |node: &JsonValue<'_>| node.text_of("parent").is_none_or(|parent| !nodes.contains_key(&*parent));
        let mut left: Vec<JsonValue<'_>> = mapping.items().filter(is_root).collect();
        left.reverse();
        // Each node is read once, even if the file lists it as a child several times.
        let mut unread = nodes;
        let mut calls = HashMap::new();
        while let Some(node) = left.pop() {
            if unread.remove(&*node.key()).is_none() {
                continue;
            }
            self.node(node, &mut calls, out);
            let children: Vec<_> = node.get("children").into_iter().flat_map(|children| children.items()).collect();
            let children = children.into_iter().rev().filter_map(|child| child.text());
            left.extend(children.filter_map(|child| unread.get(&*child).copied()));
        }
        if let Some(last) = value.words_of("current_node") {
            out.event(ContainerEvent::Active(last));
        }
    }

    /// Writes the message of a node. `calls` has the ids of unanswered calls, by the id of the node that made them.
    fn node(&mut self, node: JsonValue<'_>, calls: &mut HashMap<Box<str>, Box<str>>, out: &mut TextWriter) {
        let id: Box<str> = node.key().into();
        let parent = node.words_of("parent");
        let message = node.get("message").filter(|message| message.kind() == JsonKind::Object);
        let role = message.and_then(|message| message.path(&["author", "role"])?.text());
        let role = role.and_then(|role| MessageRole::named(&role));
        // The answer of a tool may be empty.
        let answers =
            role == Some(MessageRole::Tool) && parent.as_ref().is_some_and(|parent| calls.contains_key(parent));
        let Some(message) = message.filter(|message| answers || has_words(*message)) else {
            return out.event(ContainerEvent::Link { id, parent });
        };
        let recipient = message.string_of("recipient").filter(|_| !message.is_string("recipient", "all"));
        let answered = parent.as_ref().filter(|_| answers).and_then(|parent| calls.remove(parent));
        let model = message.path(&["metadata", "model_slug"]).and_then(JsonValue::scalar_text);
        // Custom instructions are repeated in each conversation.
        let is_set = ["is_user_system_message", "is_visually_hidden_from_conversation"]
            .iter()
            .any(|key| message.path(&["metadata", key]).and_then(|flag| flag.truth()) == Some(true));
        let origin = match role {
            Some(MessageRole::User) if is_set => Origin::Client,
            Some(MessageRole::User) => Origin::Prompt,
            _ => Origin::Unsaid,
        };
        out.message(Message {
            role,
            origin,
            time: message.get("create_time").and_then(time_words),
            model: model.filter(|_| role == Some(MessageRole::Assistant)),
            id: Some(id.clone()),
            parent,
            label: message.path(&["author", "name"]).and_then(JsonValue::scalar_text),
            ..Message::default()
        });
        let Some(content) = message.get("content") else { return };
        if let Some(tool) = recipient.filter(|_| role == Some(MessageRole::Assistant)) {
            self.numbered += 1;
            out_call(self.numbered, tool, content, out);
            calls.insert(id, number_word(self.numbered).into());
        } else if answered.is_some() {
            out.begin(MessagePart::Result(ToolResult::new(answered, failed(message, content))));
            out.write(&words_of(content));
            out.end();
        } else {
            write_content(content, role, out);
        }
    }
}

/// True if the tool that wrote this failed; `None` if it is unknown. Code that was run has a status.
fn failed(message: JsonValue<'_>, content: JsonValue<'_>) -> Option<bool> {
    if content.is_string("content_type", "system_error") {
        return Some(true);
    }
    let status = message.path(&["metadata", "aggregate_result", "status"])?.text()?;
    match status.as_ref() {
        "success" => Some(false),
        "cancelled" => Some(true),
        status => status.starts_with("failed").then_some(true),
    }
}

/// True if a message has text: the first nodes are empty.
fn has_words(message: JsonValue<'_>) -> bool {
    message.get("content").is_some_and(|content| {
        let parts = content.get("parts").into_iter().flat_map(|parts| parts.items());
        ["text", "result", "thoughts", "content", "user_profile", "model_set_context"]
            .iter()
            .any(|key| content.get(key).is_some_and(|words| !words.is_void()))
            || parts.into_iter().any(|part| !part.is_void())
    })
}

fn out_call(number: usize, tool: JsonValue<'_>, content: JsonValue<'_>, out: &mut TextWriter) {
    let words = words_of(content);
    let mut call = CallText::numbered(number, &Fragment::from_value(tool));
    let end = content.source().end;
    if words.index().is_some_and(|index| words.root(&index).is_some_and(|input| input.kind() == JsonKind::Object)) {
        call.text.append(&words);
        call.text.push_synthetic("}", end);
    } else {
        let mut key = Fragment::default();
        key.push_synthetic("input", content.source().start);
        call.arguments(&[(key, words)], end);
    }
    out.piece(call.part(None), &call.text);
}

/// The texts of a content, each on separate lines.
fn words_of(content: JsonValue<'_>) -> Fragment {
    match content.get("parts") {
        Some(parts) => messages::result_text(parts),
        None => content.first_filled(&["text", "result", "content"]).map(Fragment::from_value).unwrap_or_default(),
    }
}

fn write_content(content: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    let kind = content.text_of("content_type").unwrap_or_default();
    match kind.as_ref() {
        "text" | "multimodal_text" => {
            for part in content.get("parts").into_iter().flat_map(|parts| parts.items()) {
                match part.kind() {
                    JsonKind::Text => parts_of(part, role, out),
                    JsonKind::Word if part.is_void() => {}
                    _ => {
                        let name = part.text_of("content_type").unwrap_or("part".into());
                        out.envelope(&name, part);
                    }
                }
            }
        }
        "thoughts" => {
            for thought in content.get("thoughts").into_iter().flat_map(|thoughts| thoughts.items()) {
                for words in ["summary", "content"].iter().filter_map(|key| thought.string_of(key)) {
                    if !words.is_void() {
                        out.write_part(MessagePart::Reasoning, words);
                    }
                }
            }
        }
        "reasoning_recap" => {
            if let Some(words) = content.string_of("content") {
                out.write_part(MessagePart::Envelope("reasoning_recap".into()), words);
            }
        }
        "code" | "execution_output" => out.piece(MessagePart::Text(Interpretation::Shown), &words_of(content)),
        "model_editable_context"
        | "user_editable_context"
        | "tether_browsing_display"
        | "tether_quote"
        | "system_error"
        | "app_pairing_content"
        | "citable_code_output"
        | "computer_output"
        | "sonic_webpage" => {
            out.envelope(&kind, content);
        }
        _ => {
            let place = content.get("content_type").unwrap_or(content).source();
            let message = format!("unknown content {kind:?}; shown raw");
            out.problem(crate::diagnostic::Code::UnknownRecord, place, message);
            out.envelope(&kind, content);
        }
    }
}

impl RecordReader for Export {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        self.conversation(record.value, out);
    }
}
