//! Sessions of Claude Code, one record a line.
//!
//! | `type` | members |
//! |---|---|
//! | `user`, `assistant` | `uuid`, `parentUuid`, `timestamp`, `isSidechain`, `message: {id, role, model, content}` |
//! | `system` | `subtype`, `content`; of an error of the interface `error`, of hooks `hookErrors` |
//! | `progress` | `data`; for a sub-agent, a nested record |
//! | `result` | how a run of `--output-format stream-json` ended |
//! | `loglines` | the records of a downloaded session |
//! | `attachment` | context given to the model with a message: files, lists of tools, output of hooks; with the type |
//! | | `queued_command`, a prompt that the user entered meanwhile: `prompt` |
//! | `custom-title`, `ai-title`, `agent-name` | the name of the session, repeatedly |
//! | `summary`, `file-history-snapshot`, `queue-operation`, … | bookkeeping |
//!
//! Each record has the id of its session as `sessionId` or `session_id`; in the file of a sub-agent it is the id of the
//! session that started it. A message of the model is several records, one for each part of its content, which share
//! `message.id`. The output of `--output-format stream-json` has the same records.

mod facts;
pub(super) mod prompt;

use super::facts::{Fact, Origin, SessionFact, SessionKind, SessionState, TitleKind};
use super::json::{JsonKind, JsonValue};
use super::messages::{described, interrupted, part, parts_of, role, unknown, write_contents};
use super::record_ids::RecordIds;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord,
    Message, MessagePart, MessageRole, RecordReader,
};
use crate::text::word_set::WordSet;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "claude-code",
    title: "a session of Claude Code",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<ClaudeCode> },
};

/// Types of records without messages.
static BOOKKEEPING: WordSet = WordSet::new(include_str!("claude_code/bookkeeping.txt"));

/// Records with a name of the session, and the member that holds it; they are repeated whenever a session is opened.
const TITLES: [(&str, &str); 3] =
    [("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("agent-name", "agentName")];

/// Members that only the first record of this program's runs has.
const INIT: [&str; 5] = ["uuid", "tools", "mcp_servers", "apiKeySource", "permissionMode"];

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let record = head.value()?;
    if let Some(lines) = record.get("loglines") {
        let is_own = lines.items().next().is_some_and(|line| claims(&FileHead::Value(line)).is_some());
        return is_own.then_some(Claim::Sure("its loglines have a type, a message and a session"));
    }
    let kind = record.text_of("type")?;
    let has = |key: &str| record.get(key).is_some();
    match kind.as_ref() {
        "user" | "assistant" if has("sessionId") || has("session_id") || has("uuid") => {
            // Messages of another program have the same records, but the parts of Gemini.
            let is_own = record.path(&["message", "content"]).is_some();
            is_own.then_some(Claim::Sure("its records have a type, a message and a session"))
        }
        // A record of Qwen Code, whose messages have Gemini's form.
        "system" if has("systemPayload") || record.path(&["message", "parts"]).is_some() => None,
        "system" if has("sessionId") || (has("session_id") && INIT.iter().any(|key| has(key))) => {
            Some(Claim::Sure("its records have a type and a session"))
        }
        "system" if has("session_id") && has("subtype") => Some(Claim::Likely("its records have a type and a session")),
        "summary" if has("leafUuid") => Some(Claim::Sure("it has a record of type summary with a leafUuid")),
        "file-history-snapshot" if has("snapshot") => {
            Some(Claim::Sure("it has a record of type file-history-snapshot"))
        }
        "attachment" | "result" if has("sessionId") || has("session_id") => {
            Some(Claim::Sure("its records have a type and a session"))
        }
        _ if (BOOKKEEPING.contains(&kind) || is_title(&kind)) && has("sessionId") => {
            Some(Claim::Sure("its records have a type and a session"))
        }
        _ => None,
    }
}

fn is_title(kind: &str) -> bool {
    TITLES.iter().any(|(title, _)| *title == kind)
}

#[derive(Default)]
struct ClaudeCode {
    record_ids: RecordIds,
    /// `message.id` of the open message.
    open: Option<Box<str>>,
    /// True if the open message is outside the conversation.
    aside: bool,
    /// `message.id` of the model's last message in the conversation, and of the last one outside it.
    last: [Option<Box<str>>; 2],
    /// The titles shown last, in the order of [`TITLES`].
    titles: [Option<Box<str>>; 3],
    facts: facts::SessionFacts,
    /// True for the file of a sub-agent, whose conversation is the main one here; unknown until a message arrives.
    is_agent: Option<bool>,
}

impl RecordReader for ClaudeCode {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match value.get("loglines").filter(|lines| lines.kind() == JsonKind::Array) {
            Some(lines) => {
                for line in lines.items() {
                    out.record(line.source());
                    self.take(line, out);
                }
            }
            None => self.take(value, out),
        }
    }
}

impl ClaudeCode {
    fn take(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        out.session_id(|| value.first_filled(&["sessionId", "session_id"])?.scalar_text());
        let kind = value.text_of("type").unwrap_or_default();
        let uuid = value.text_of("uuid");
        let parent = value.text_of("parentUuid");
        if let Some(uuid) = &uuid
            && !self.record_ids.take(uuid, parent.as_deref(), value.source(), out)
        {
            return;
        }
        self.facts.take(value, out);
        let is_sidechain = value.truth_of("isSidechain").unwrap_or_default();
        if self.is_agent.is_none() && matches!(kind.as_ref(), "user" | "assistant") {
            let is_agent = is_sidechain && value.get("agentId").is_some();
            if is_agent {
                out.fact(Fact::Session(SessionFact::Kind(SessionKind::Subagent)));
            }
            self.is_agent = Some(is_agent);
        }
        let aside = is_sidechain && self.is_agent != Some(true);
        match (kind.as_ref(), value.get("message")) {
            ("user" | "assistant", Some(message)) => {
                let aside = aside || value.words_of("parent_tool_use_id").is_some();
                self.spoken(value, message, aside, out);
                return;
            }
            ("progress", _) if value.path(&["data", "message", "message"]).is_some() => {
                let inner = value.path(&["data", "message"]).expect("it was there just now");
                let message = inner.get("message").expect("it was there just now");
                self.spoken(inner, message, true, out);
            }
            ("system", _) => {
                if value.get("content").is_none() {
                    facts::compaction(value, out);
                }
                if let Some(content) = value.get("content").filter(|content| !content.is_void()) {
                    let about = Message { role: Some(MessageRole::System), is_outside: aside, ..Message::default() };
                    let about = described(value, about);
                    let label = value.words_of("subtype");
                    let id = uuid.as_deref().map(Box::from);
                    out.message(Message { id, parent: parent.as_deref().map(Box::from), label, ..about });
                    facts::compaction(value, out);
                    parts_of(content, Some(MessageRole::System), out);
                    self.open = None;
                    return;
                }
                // The others hold only settings and counts.
                let failed_hooks = value.get("hookErrors").is_some_and(|errors| !errors.is_void());
                if failed_hooks || value.is_string("subtype", "api_error") {
                    out.envelope(&value.text_of("subtype").unwrap_or_default(), value);
                }
            }
            ("summary", _) if uuid.is_none() => {
                // It is usually about another session, and at best about this one.
                if let Some(summary) = value.get("summary") {
                    out.message(Message::default().with_label("summary"));
                    out.write_part(MessagePart::Text(Interpretation::Shown), summary);
                    self.open = None;
                }
            }
            ("attachment", _) => {
                if let Some(attachment) = value.get("attachment") {
                    return self.attached(value, attachment, aside, out);
                }
            }
            ("result", _) => {
                if value.truth_of("is_error") == Some(true) || !value.is_string("subtype", "success") {
                    out.envelope("result", value);
                }
            }
            (kind, _) if BOOKKEEPING.contains(kind) => {}
            (kind, _) if is_title(kind) => self.title(kind, value, out),
            _ => {
                out.end();
                unknown(value, out);
            }
        }
        if let Some(uuid) = uuid {
            out.event(ContainerEvent::Link {
                id: uuid.into(),
                parent: parent.map(|parent| parent.into_owned().into()),
            });
        }
    }

    /// Shows a title of the session, unless it is already shown.
    fn title(&mut self, kind: &str, record: JsonValue<'_>, out: &mut TextWriter) {
        for ((_, key), shown) in TITLES.iter().zip(&mut self.titles).filter(|((title, _), _)| *title == kind) {
            let title = record.string_of(key);
            let words = title.and_then(JsonValue::scalar_text);
            if let (Some(title), true) = (title, words.is_some() && words != *shown) {
                out.write_part(MessagePart::Envelope(kind.into()), title);
                let ground = if kind == "custom-title" { TitleKind::Given } else { TitleKind::Generated };
                out.fact(Fact::Session(SessionFact::Title(words.clone().unwrap_or_default(), ground)));
                *shown = words;
            }
        }
    }

    fn spoken(&mut self, record: JsonValue<'_>, message: JsonValue<'_>, aside: bool, out: &mut TextWriter) {
        let id = message.words_of("id");
        let role = role(message);
        let is_user = role == Some(MessageRole::User);
        let prompt = if is_user { prompt::of_record(record, message) } else { prompt::Prompt::default() };
        let uuid = record.words_of("uuid");
        let parent = record.first_of(&["parentUuid", "logicalParentUuid"]).and_then(JsonValue::scalar_text);
        if id.is_some() && id == self.open && aside == self.aside {
            if let Some(id) = uuid {
                out.event(ContainerEvent::Link { id, parent });
            }
            out.time(record.words_of("timestamp"));
        } else {
            let about = Message {
                role,
                origin: prompt.origin,
                time: record.words_of("timestamp"),
                parent,
                is_outside: aside,
                is_continuation: id.is_some() && self.last[usize::from(aside)] == id,
                label: prompt
                    .command
                    .or_else(|| record.first_of(&["agentId", "subtype"]).and_then(JsonValue::scalar_text)),
                ..Message::default()
            };
            let about = described(message, about);
            out.message(Message { id: uuid.or(about.id), ..about });
        }
        if id.is_some() {
            self.last[usize::from(aside)].clone_from(&id);
        }
        self.open = id;
        self.aside = aside;
        match role {
            Some(MessageRole::Assistant) => {
                facts::request(record, message, aside, out);
                facts::started_agents(message, out);
            }
            Some(MessageRole::Tool) => facts::result(record, message, out),
            _ => {}
        }
        if prompt.is_interruption {
            out.fact(Fact::State(SessionState::Interrupted));
        }
        let content = message.get("content");
        if prompt.origin == Origin::Notification
            && let Some(text) = content.and_then(|content| content.text())
        {
            facts::notification(&text, out);
        }
        let is_interrupted = record.path(&["toolUseResult", "interrupted"]).and_then(|flag| flag.truth());
        let blocks = content.filter(|content| content.kind() == JsonKind::Array);
        if is_interrupted == Some(true) && blocks.is_some() {
            interrupted(message, role, out);
        } else if let Some(blocks) = blocks.filter(|_| prompt.origin == Origin::Prompt) {
            prompt_blocks(blocks, out);
        } else {
            write_contents(message, role, out);
        }
    }

    /// Context that was given to the model in addition to the messages.
    fn attached(&mut self, record: JsonValue<'_>, attachment: JsonValue<'_>, aside: bool, out: &mut TextWriter) {
        let kind = attachment.text_of("type").unwrap_or_default();
        let id = record.words_of("uuid");
        let parent = record.words_of("parentUuid");
        match attachment.get("prompt") {
            // A prompt that was queued until the model could take it is in no other record.
            Some(prompt) if kind == "queued_command" => {
                let mode = attachment.words_of("commandMode").filter(|mode| &**mode != "prompt");
                let origin = if mode.is_some() { Origin::Notification } else { Origin::Steering };
                let label = mode.or_else(|| Some("queued".into()));
                let role = Some(MessageRole::User);
                let time = record.words_of("timestamp");
                out.message(Message { role, time, id, parent, is_outside: aside, origin, label, ..Message::default() });
                if let Some(text) = prompt.text().filter(|_| origin == Origin::Notification) {
                    facts::notification(&text, out);
                }
                parts_of(prompt, role, out);
                self.open = None;
                return;
            }
            // A success without output.
            _ if kind == "hook_success" && attachment.first_filled(&["content", "stdout", "stderr"]).is_none() => {}
            _ => out.envelope(&kind, attachment),
        }
        if let Some(id) = id {
            out.event(ContainerEvent::Link { id, parent });
        }
    }
}

/// Writes the blocks of a prompt; blocks that the client added are envelopes.
fn prompt_blocks(blocks: JsonValue<'_>, out: &mut TextWriter) {
    for block in blocks.items() {
        let text = block.string_of("text");
        let words = text.and_then(|text| text.text());
        let is_added = words.as_ref().is_some_and(|words| prompt::of_text(words).origin == Origin::Client);
        match text.filter(|_| is_added) {
            Some(text) => {
                let name = words.as_deref().and_then(|words| prompt::opening_tag(words.trim_start())).unwrap_or("note");
                out.write_part(MessagePart::Envelope(name.into()), text);
            }
            None => part(block, Some(MessageRole::User), out),
        }
    }
}
