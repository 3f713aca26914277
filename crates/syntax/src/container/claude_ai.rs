//! Conversations of a claude.ai export, `conversations.json`: an array of them.
//!
//! | member | content |
//! |---|---|
//! | `uuid`, `name`, `created_at` | of the conversation |
//! | `chat_messages` | `uuid`, `sender: human` or `assistant`, `created_at`, `content` and the same as `text`, `files` |
//!
//! Contents have the blocks of the Anthropic messages API. Calls may have no ids: their results follow them.

use std::collections::VecDeque;

use super::call::{CallText, number_word};
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, unknown};
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FormatReader, JsonRecord, Message, MessageRole, RecordReader,
    ToolResult,
};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "claude-ai",
    title: "conversations of an export of claude.ai",
    calls: CallSource::Records,
    definition: Definition::Code {
        claims: |head| {
            let value = head.value()?;
            let first = if value.kind() == JsonKind::Array { value.items().next()? } else { value };
            let is_own = first.get("chat_messages").is_some_and(|list| list.kind() == JsonKind::Array);
            is_own.then_some(Claim::Sure("it is a conversation with chat_messages"))
        },
        open: FormatReader::records::<Export>,
    },
};

#[derive(Default)]
struct Export {
    numbered: usize,
    /// Ids given to calls that had none and have no result yet.
    open: VecDeque<Box<str>>,
}

impl RecordReader for Export {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        let Some(list) = value.get("chat_messages") else { return unknown(value, out) };
        out.conversation(value.words_of("name"));
        self.open.clear();
        list.items().for_each(|said| self.message(said, out));
    }
}

impl Export {
    fn message(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let role = value.text_of("sender").and_then(|sender| MessageRole::named(&sender));
        out.message(Message {
            role,
            time: value.words_of("created_at"),
            id: value.words_of("uuid"),
            parent: value.words_of("parent_message_uuid"),
            ..Message::default()
        });
        match value.get("content").filter(|content| content.kind() == JsonKind::Array && !content.is_void()) {
            Some(content) => content.items().for_each(|part| self.part(part, role, out)),
            None => {
                if let Some(text) = value.string_of("text") {
                    parts_of(text, role, out);
                }
            }
        }
        for key in ["attachments", "files"] {
            for file in value.get(key).into_iter().flat_map(|files| files.items()) {
                match file.string_of("extracted_content").filter(|words| !words.is_void()) {
                    Some(words) => out.write_part(super::MessagePart::Envelope("attachment".into()), words),
                    None => out.envelope("file", file),
                }
            }
        }
    }

    fn part(&mut self, part: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
        let has_id = |key: &str| part.get(key).is_some_and(|id| !id.is_void());
        let kind = part.text_of("type").unwrap_or_default();
        match kind.as_ref() {
            // Without ids, calls and results are matched by their order.
            "tool_use" if !has_id("id") => {
                self.numbered += 1;
                let name = part.string_of("name").map(Fragment::from_value).unwrap_or_default();
                let mut call = CallText::numbered(self.numbered, &name);
                let end = part.source().end;
                match part.get("input").filter(|input| input.kind() == JsonKind::Object) {
                    Some(input) => {
                        call.text.push_verbatim(input);
                        call.text.push_synthetic("}", end);
                    }
                    None => call.arguments(&[], end),
                }
                out.piece(call.part(None), &call.text);
                self.open.push_back(number_word(self.numbered).into());
            }
            "tool_result" if !has_id("tool_use_id") => {
                let call = self.open.pop_front();
                result(
                    ToolResult::new(call, Some(part.truth_of("is_error").unwrap_or_default())),
                    part.get("content"),
                    out,
                );
            }
            "token_budget" | "flag" | "voice_note" => out.envelope(&kind, part),
            _ => parts_of(part, role, out),
        }
    }
}
