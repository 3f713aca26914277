//! The requests and answers of Cline, Roo and Kilo: `api_conversation_history.json`, an array of messages.
//!
//! | member | content |
//! |---|---|
//! | `role`, `content` | as in the Anthropic messages API |
//! | `ts` | time in milliseconds since 1970, except in old files |
//! | `modelInfo: {modelId}` | the model, in newer files of Cline |
//! | `reasoning_details`, `reasoning_content` | reasoning of the model; so is a message of the `type` `reasoning` without content |
//! | `isSummary` | this message replaces the messages before it, which remain in the file with a `condenseParent` |
//! | `isTruncationMarker` | the messages before it, except the first, are not sent; they have a `truncationParent` |
//!
//! A user turn also holds text from the program. Each text in it is one of these:
//!
//! | beginning | kind |
//! |---|---|
//! | `[TOOL for 'DETAIL'] Result:` or `[TOOL] Result:` | the result of a call of the turn before; it may continue in the next texts |
//! | `<task>`, `<feedback>`, `<user_message>`, `<answer>` | text of the user |
//! | `<environment_details>`, `# task_progress` … | text that the program adds |
//!
//! Such results have no ids: they answer the calls of the turn before by the name of the tool, or else in order.
//! Files without `tool_use` have their calls in the text. Newer files have results of the type `tool_result` with ids;
//! one that has only an element of the user answers a question, and the element is a message of the user.
//!
//! The shapes are from Roo's `task-persistence/apiMessages.ts`, `condense/index.ts` and `prompts/responses.ts`.

mod outcome;
mod tags;
pub(super) mod ui;

use super::call::{CallText, number_word};
use super::facts::{Compaction, CompactionKind, Fact, Origin, RequestFacts};
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages;
use super::usage::{self, Counting};
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::text::{Span, trim};
use tags::{TextPart, stretches};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "cline",
    title: "what Cline or Roo sent to a model",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<Cline> },
};

/// Beginnings of texts that the program adds to a prompt, and the names that they are given here.
const ADDED: [(&str, &str); 21] = [
    ("<environment_details>", "environment_details"),
    ("<explicit_instructions", "explicit_instructions"),
    ("<file_content", "file_content"),
    ("<final_file_content", "file_content"),
    ("<folder_content", "folder_content"),
    ("<url_content", "url_content"),
    ("<workspace_diagnostics", "workspace_diagnostics"),
    ("<terminal_output", "terminal_output"),
    ("<git_", "git"),
    ("<hook_context", "hook_context"),
    ("# task_progress", "task_progress"),
    ("# TODO LIST", "todo_list"),
    ("# todo.md", "todo_list"),
    ("[TASK RESUMPTION]", "task_resumption"),
    ("[ERROR]", "error"),
    ("[NOTE]", "note"),
    ("[read_file for ", "file_content"),
    ("<command name=", "command"),
    ("Skill: ", "skill"),
    ("<system-reminder>", "system_reminder"),
    // A result whose call was replaced by a summary.
    ("Tool result:\n", "tool_result"),
];

/// Elements that hold text of the user.
const OWN: [&str; 4] = ["task", "feedback", "user_message", "answer"];

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let is_list = value.kind() == JsonKind::Array;
    let mut messages = value.items().filter(|message| message.kind() == JsonKind::Object);
    let first = if is_list { messages.next()? } else { value };
    let is_timed = first.get("role").is_some() && first.number_of("ts").is_some();
    if !is_timed && is_list && is_task(first) {
        return Some(Claim::Sure("it is an array of messages, and the first one is a task with details of an editor"));
    }
    if !is_timed || first.get("content").is_none() {
        return None;
    }
    let has_blocks = first.get("content").is_some_and(|content| content.kind() == JsonKind::Array);
    Some(match (is_list, has_blocks) {
        (true, true) => Claim::Sure("it is an array of messages with content blocks and a ts"),
        (true, false) => Claim::Likely("it is an array of messages with a ts"),
        (false, _) => Claim::Likely("it is a message with a ts"),
    })
}

/// True for the first message of a task, in old files without times.
fn is_task(message: JsonValue<'_>) -> bool {
    let begins = |block: JsonValue<'_>, beginning: &str| {
        words_of(block).and_then(|words| words.text()).is_some_and(|words| words.starts_with(beginning))
    };
    let has = |beginning: &str| blocks(message).any(|block| begins(block, beginning));
    message.is_string("role", "user") && has("<task>\n") && has("<environment_details>\n")
}

#[derive(Default)]
struct Cline {
    /// Calls of the last answer without a result: tool and id.
    open: Vec<(Box<str>, Box<str>)>,
    /// Number of calls that had no id.
    numbered: usize,
    /// True if the file has native calls, so that its texts contain none.
    is_native: bool,
}

/// A result whose text is the next one; it may answer no call.
struct HeadedResult {
    call: Option<Box<str>>,
}

impl HeadedResult {
    fn write(self, words: &Fragment, out: &mut TextWriter) {
        let outcome = outcome::of_text(&words.bytes);
        out.piece(MessagePart::Result(ToolResult { call: self.call, outcome }), words);
    }
}

/// State of a user turn.
struct Turn {
    about: Message,
    /// True if the turn has results, so that other text in it is the program's.
    answers: bool,
    /// Source of its messages of the role `user`.
    origin: Origin,
    /// Role of the last text, if any.
    speaker: Option<MessageRole>,
    /// The call whose result has a heading and no text yet.
    headed: Option<HeadedResult>,
}

impl Turn {
    /// Ends a result that has only a heading as empty.
    fn end_result(&mut self, out: &mut TextWriter) {
        if let Some(headed) = self.headed.take() {
            headed.write(&Fragment::default(), out);
        }
    }

    fn begin_message(&mut self, role: MessageRole, out: &mut TextWriter) {
        if self.speaker.replace(role) != Some(role) {
            let origin = if role == MessageRole::User { self.origin } else { Origin::Unsaid };
            out.message(Message { role: Some(role), origin, ..self.about.clone() });
        }
    }

    /// Writes an envelope into the open message, or into the one that must begin.
    fn aside(&mut self, name: &str, words: &Fragment, out: &mut TextWriter) {
        let role = if self.answers { MessageRole::Tool } else { MessageRole::User };
        self.begin_message(self.speaker.unwrap_or(role), out);
        out.piece(MessagePart::Envelope(name.into()), words);
    }
}

impl Cline {
    fn answer(&mut self, message: JsonValue<'_>, about: Message, out: &mut TextWriter) {
        self.open.clear();
        let role = Some(MessageRole::Assistant);
        out.message(Message { role, ..about });
        messages::reasoning_members(message, out);
        let blocks: Vec<_> = blocks(message).filter(|block| !block.is_string("type", "thoughtSignature")).collect();
        self.is_native |= blocks.iter().any(|block| block.is_string("type", "tool_use"));
        for block in blocks {
            match words_of(block) {
                Some(words) if !self.is_native => self.tagged(&Fragment::from_value(words), out),
                Some(words) if words.is_void() => {}
                Some(words) => out.write_part(MessagePart::Text(Interpretation::Parsed), words),
                None => {
                    if let (Some(name), Some(id)) = (block.words_of("name"), block.words_of("id")) {
                        self.open.push((name, id));
                    }
                    messages::part(block, role, out);
                }
            }
        }
    }

    /// Output of a model that writes its calls as text.
    fn tagged(&mut self, text: &Fragment, out: &mut TextWriter) {
        for stretch in stretches(&text.bytes) {
            match stretch {
                TextPart::Words(span) => out.piece(MessagePart::Text(Interpretation::Parsed), &text.slice(span)),
                TextPart::Call(call) => {
                    self.numbered += 1;
                    let name = text.slice(call.name);
                    let mut made = CallText::numbered(self.numbered, &name);
                    made.arguments(&call.arguments(text), text.map.source_of(Span::at(call.end)).start);
                    out.piece(made.part(None), &made.text);
                    let name = String::from_utf8_lossy(&name.bytes).into();
                    self.open.push((name, number_word(self.numbered).into()));
                }
            }
        }
    }

    fn turn(&mut self, message: JsonValue<'_>, about: Message, out: &mut TextWriter) {
        let answers = blocks(message).any(|block| is_result(block) || is_headed(block));
        let is_typed = blocks(message).any(|block| is_typed(block, answers));
        let origin = if is_typed { Origin::Prompt } else { Origin::Client };
        let mut turn = Turn { about, answers, origin, speaker: None, headed: None };
        for block in blocks(message) {
            match words_of(block) {
                Some(words) if words.is_void() => {}
                Some(words) => self.words(&Fragment::from_value(words), &mut turn, out),
                None => {
                    turn.end_result(out);
                    turn.begin_message(if answers { MessageRole::Tool } else { MessageRole::User }, out);
                    if is_result(block) {
                        self.result(block, &mut turn, out);
                    } else {
                        messages::part(block, Some(MessageRole::User), out);
                    }
                }
            }
        }
        turn.end_result(out);
        if turn.speaker.is_none() {
            turn.begin_message(MessageRole::User, out);
        }
    }

    /// Writes a result with an id. The user's answer to a question is a message of the user, and its result is empty.
    fn result(&mut self, block: JsonValue<'_>, turn: &mut Turn, out: &mut TextWriter) {
        let call = block.words_of("tool_use_id");
        self.open.retain(|(_, id)| call.as_deref() != Some(id));
        let answer = ToolResult { call, outcome: outcome::of_block(block) };
        let content = block.get("content");
        if !is_reply(block) {
            return messages::result(answer, content, out);
        }
        messages::result(answer, None, out);
        for part in content.into_iter().flat_map(parts) {
            match words_of(part) {
                Some(words) if words.is_void() => {}
                Some(words) => self.words(&Fragment::from_value(words), turn, out),
                None => messages::part(part, Some(MessageRole::User), out),
            }
        }
    }

    /// Writes the summary that replaces the messages before it.
    fn summary(&mut self, message: JsonValue<'_>, about: Message, out: &mut TextWriter) {
        self.open.clear();
        out.message(Message { role: Some(MessageRole::User), origin: Origin::Summary, ..about });
        for block in blocks(message) {
            let Some(words) = words_of(block) else {
                messages::part(block, Some(MessageRole::User), out);
                continue;
            };
            let added = words.text().and_then(|text| added(text.trim_start().as_bytes()));
            let part =
                added.map_or(MessagePart::Text(Interpretation::Shown), |name| MessagePart::Envelope(name.into()));
            out.write_part(part, words);
        }
    }

    /// Takes one text of a user turn.
    fn words(&mut self, text: &Fragment, turn: &mut Turn, out: &mut TextWriter) {
        let said = trim(&text.bytes, 0);
        let bytes = &text.bytes[said.start..said.end];
        if let Some((name, end)) = header(&text.bytes) {
            turn.end_result(out);
            turn.aside("heading", &text.slice(Span::new(0, end)), out);
            let start = end + usize::from(matches!(text.bytes.get(end), Some(b' ' | b'\n')));
            let words = text.slice(Span::new(start, text.bytes.len()));
            let headed = HeadedResult { call: self.take_call(&name) };
            if trim(&words.bytes, 0).is_empty() {
                turn.headed = Some(headed);
            } else {
                headed.write(&words, out);
            }
        } else if let Some(name) = added(bytes) {
            turn.end_result(out);
            // The words of the user who resumes a task follow.
            match memchr::memmem::find(&text.bytes, RESUMED).filter(|_| name == "task_resumption") {
                Some(own) => {
                    turn.aside(name, &text.slice(Span::new(0, own)), out);
                    self.words(&text.slice(Span::new(own, text.bytes.len())), turn, out);
                }
                None => turn.aside(name, text, out),
            }
        } else if let Some(own) = own_words(&text.bytes) {
            turn.end_result(out);
            turn.begin_message(MessageRole::User, out);
            out.piece(MessagePart::Text(Interpretation::Shown), &text.slice(own));
            let behind = Span::new(own.end, text.bytes.len());
            let rest = &text.bytes[behind.start..];
            let tag = memchr::memchr(b'>', rest).map_or(rest.len(), |end| end + 1);
            if !trim(&rest[tag..], 0).is_empty() {
                turn.aside("note", &text.slice(Span::new(behind.start + tag, behind.end)), out);
            }
        } else if let Some(headed) = turn.headed.take() {
            headed.write(text, out);
        } else if turn.answers {
            turn.aside("note", text, out);
        } else {
            turn.begin_message(MessageRole::User, out);
            out.piece(MessagePart::Text(Interpretation::Shown), text);
        }
    }

    /// The id of the call that a result of this tool answers: the first open call of that name, or else the first one.
    fn take_call(&mut self, tool: &str) -> Option<Box<str>> {
        let found = self.open.iter().position(|(name, _)| **name == *tool).unwrap_or(0);
        (found < self.open.len()).then(|| self.open.remove(found).1)
    }
}

/// The request of an answer: `metrics: {tokens: {prompt, completion, cached}, cost}`.
fn request(message: JsonValue<'_>, about: &Message) -> Option<RequestFacts> {
    let metrics = message.get("metrics")?;
    let usage = Some(usage::cline(metrics, Counting::Apart)?);
    let cost = metrics.get("cost").and_then(|cost| cost.fraction());
    Some(RequestFacts { model: about.model.clone(), usage, cost, end: about.moment(), ..RequestFacts::default() })
}

/// The blocks of a message; a string counts as one.
fn blocks(message: JsonValue<'_>) -> impl Iterator<Item = JsonValue<'_>> {
    message.get("content").into_iter().flat_map(parts)
}

/// The parts of a content; a string counts as one.
fn parts(content: JsonValue<'_>) -> impl Iterator<Item = JsonValue<'_>> {
    let alone = Some(content).filter(|content| content.kind() == JsonKind::Text);
    alone.into_iter().chain(Some(content).filter(|_| alone.is_none()).into_iter().flat_map(|content| content.items()))
}

fn is_result(block: JsonValue<'_>) -> bool {
    block.is_string("type", "tool_result")
}

/// True if a text has the heading of a result.
fn is_headed(block: JsonValue<'_>) -> bool {
    words_of(block).and_then(|words| words.text()).is_some_and(|words| header(words.as_bytes()).is_some())
}

/// True if a result begins with an element of the user.
fn is_reply(block: JsonValue<'_>) -> bool {
    let first = block.get("content").and_then(|content| parts(content).next()).and_then(words_of);
    first.and_then(|words| words.text()).is_some_and(|words| own_words(words.as_bytes()).is_some())
}

/// True if the user typed a block of a turn, or a part of it; `answers` if the turn has results.
fn is_typed(block: JsonValue<'_>, answers: bool) -> bool {
    let Some(words) = words_of(block) else { return if answers { is_reply(block) } else { !is_result(block) } };
    let Some(words) = words.text().filter(|words| !words.trim().is_empty()) else { return false };
    let words = words.trim_start().as_bytes();
    match added(words) {
        Some(name) => name == "task_resumption" && memchr::memmem::find(words, RESUMED).is_some(),
        None => own_words(words).is_some() || !answers,
    }
}

/// The beginning of the user's words in a text that resumes a task.
const RESUMED: &[u8] = b"<user_message>";

/// The name of a text that the program adds.
fn added(text: &[u8]) -> Option<&'static str> {
    ADDED.iter().find(|(begin, _)| text.starts_with(begin.as_bytes())).map(|(_, name)| *name)
}

/// The text of a block, if it is a text block.
fn words_of(block: JsonValue<'_>) -> Option<JsonValue<'_>> {
    match block.kind() {
        JsonKind::Text => Some(block),
        _ if block.is_string("type", "text") => block.string_of("text"),
        _ => None,
    }
}

/// The tool that the heading of a result names, and the end of the heading.
fn header(text: &[u8]) -> Option<(String, usize)> {
    const END: &[u8] = b"] Result:";
    let rest = text.strip_prefix(b"[")?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let is_named = length > 0 && matches!(rest.get(length), Some(b']' | b' '));
    // The heading names the tool differently from the call.
    let name = match &rest[..length] {
        b"subagents" => "use_subagents".to_owned(),
        name => String::from_utf8_lossy(name).into_owned(),
    };
    let end = memchr::memmem::find(text, END).filter(|_| is_named)?;
    Some((name, end + END.len()))
}

/// The span of the user's text in a text that is one of their elements.
fn own_words(text: &[u8]) -> Option<Span> {
    let start = trim(text, 0).start;
    let name = OWN.iter().find(|name| {
        let rest = text[start..].strip_prefix(b"<").and_then(|rest| rest.strip_prefix(name.as_bytes()));
        rest.is_some_and(|rest| rest.starts_with(b">"))
    })?;
    let start = start + name.len() + 2;
    let close = format!("</{name}>");
    let end = memchr::memmem::rfind(&text[start..], close.as_bytes()).map_or(text.len(), |end| start + end);
    Some(trim(&text[start..end], start))
}

impl RecordReader for Cline {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let message = record.value;
        let is_thought = message.get("content").is_none() && message.is_string("type", "reasoning");
        let Some(role) = message.text_of("role").filter(|_| is_thought || message.get("content").is_some()) else {
            return messages::unknown(message, out);
        };
        let is = |key: &str| message.truth_of(key) == Some(true);
        let about = Message {
            time: message.words_of("ts"),
            model: message.path(&["modelInfo", "modelId"]).and_then(JsonValue::scalar_text),
            label: is("isSummary").then(|| "summary".into()),
            ..Message::default()
        };
        let role = MessageRole::named(&role);
        let kind = if is("isTruncationMarker") { CompactionKind::Trim } else { CompactionKind::Summary };
        if is("isSummary") || is("isTruncationMarker") {
            out.fact(Fact::Compaction(Compaction { kind, ..Compaction::default() }));
        }
        match role {
            _ if is_thought => {
                out.message(Message { role, ..about });
                messages::part(message, role, out);
            }
            Some(MessageRole::Assistant) => {
                let request = request(message, &about);
                self.answer(message, about, out);
                if let Some(request) = request {
                    out.fact(Fact::Request(request));
                }
            }
            Some(MessageRole::User) if is("isSummary") => self.summary(message, about, out),
            Some(MessageRole::User) if is("isTruncationMarker") => {
                out.message(Message { role, origin: Origin::Client, ..about });
                let words = blocks(message).filter_map(words_of);
                words.for_each(|words| out.write_part(MessagePart::Envelope("truncation".into()), words));
            }
            Some(MessageRole::User) => self.turn(message, Message { model: None, ..about }, out),
            role => messages::message(message, Message { role, ..about }, out),
        }
    }
}
