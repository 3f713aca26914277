//! A recorded session as the conversation of a template: messages with their text, reasoning, calls and results, and the tools
//! if the file has them.
//!
//! Of a file with several conversations, the last one counts. Calls in the text of a message become `tool_calls`. Images are left
//! out, and messages that a compaction replaced are kept; both with a note.

use serde_json::{Map, Value, json};

use super::conversation::Conversation;
use crate::document::{CallResult, Item, MessageRole};
use crate::filter::Selection;
use crate::session::Session;
use crate::text::Span;
use crate::value::tree_json::to_json;

/// Names of parts that are not text; containers give them as records outside the conversation.
const MEDIA: [&str; 8] =
    ["image", "image_url", "input_image", "file", "input_file", "document", "input_audio", "redacted_thinking"];

/// Members of a record that hold the request with its tools.
const REQUESTS: [&str; 6] = ["request", "body", "params", "kwargs", "input", "payload"];

/// Levels of records that are searched for tools.
const MAX_DEPTH: usize = 4;

/// A conversation from a session, and what it lacks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordedConversation {
    /// Messages and tools in the form of the chat API of OpenAI; arguments are objects.
    pub conversation: Conversation,
    /// Parts that could not be carried over, as sentences without a full stop.
    pub notes: Vec<String>,
    /// Index of the message with the byte up to which the conversation was wanted; nothing if that byte is in no message.
    pub selected: Option<usize>,
}

/// The last conversation of a session.
#[must_use]
pub fn conversation(session: &Session) -> RecordedConversation {
    conversation_of_part(session, None, None)
}

/// The conversation that contains a byte of the text, up to the message in the file with that byte.
#[must_use]
pub fn conversation_to(session: &Session, offset: usize) -> RecordedConversation {
    conversation_of_part(session, Some(offset), None)
}

/// The conversation that contains the byte `selected`, up to the message in the file with that byte; without one, the last
/// conversation. Of a part of it, there are the system prompts and the items of the part.
#[must_use]
pub fn conversation_of_part(
    session: &Session,
    selected: Option<usize>,
    part: Option<&Selection>,
) -> RecordedConversation {
    let document = session.document();
    let end = selected.map_or(document.messages().len(), |offset| document.message_at(offset) + 1);
    let messages = document.messages();
    let first = (0..end.min(messages.len())).rev().find(|&message| document.conversation_begun_by(message).is_some());
    let start = first.and_then(|message| messages.start(message)).unwrap_or_default();
    let mut list = MessageList { session, messages: Vec::new(), open: None, media: Vec::new(), last: None };
    let mut found = None;
    for number in document.items_before(start)..document.items().len() {
        let Some(item) = document.items().get(number) else { continue };
        let message = document.message_at(item.span().start);
        if message >= end {
            break;
        }
        let is_system = messages.role(message) == Some(MessageRole::System);
        if !is_system && part.is_some_and(|part| !part.contains(number)) {
            continue;
        }
        if messages.is_aside(message) || document.is_abandoned(message) || document.is_withdrawn(number) {
            continue;
        }
        list.add(number, &item, message);
        if selected.is_some_and(|offset| item.span().contains(offset)) {
            found = list.last;
        }
    }
    let mut notes = list.notes();
    let before_end = messages.start(end).unwrap_or(usize::MAX);
    let compactions =
        document.compactions().filter(|compaction| compaction.place >= start && compaction.place < before_end).count();
    if compactions > 0 {
        notes.push(format!(
            "{compactions} compactions: the model was shown a summary in place of the messages before, which are all kept here"
        ));
    }
    if !list.messages.iter().any(|message| message["role"] == "system") {
        notes.push("no system prompt is recorded".to_owned());
    }
    let found_tools = tools(session);
    if found_tools.is_named_only {
        notes.push("the file names the tools and has no schemas of them; use --tools".to_owned());
    } else if found_tools.tools.is_none() {
        notes.push("no tools are recorded".to_owned());
    }
    let selected = found.or(list.last).filter(|_| selected.is_some());
    RecordedConversation {
        conversation: Conversation { messages: list.messages, tools: found_tools.tools },
        notes,
        selected,
    }
}

/// Messages while they are collected.
struct MessageList<'a> {
    session: &'a Session,
    messages: Vec<Value>,
    open: Option<OpenMessage>,
    /// Names of parts without text.
    media: Vec<String>,
    /// Index of the message that the last part was added to.
    last: Option<usize>,
}

/// The message that further parts of a message in the file are added to.
struct OpenMessage {
    /// Its index in the list.
    index: usize,
    role: &'static str,
    /// Number of the message in the file, and of the first one that this one continues.
    message: usize,
    whole: usize,
    /// True if results follow it.
    has_results: bool,
}

impl MessageList<'_> {
    fn add(&mut self, number: usize, item: &Item<'_>, message: usize) {
        let document = self.session.document();
        let role = match document.messages().role(message) {
            Some(MessageRole::System) => "system",
            Some(MessageRole::User | MessageRole::Tool) => "user",
            Some(MessageRole::Assistant) | None => "assistant",
        };
        match item {
            Item::Text(span) => {
                let text = self.text(*span);
                if !text.trim().is_empty() {
                    append(self.open(message, role), "content", &text);
                }
            }
            Item::Aside(record) => match record.name {
                None => {
                    let text = self.text(record.span);
                    append(self.open(message, "assistant"), "reasoning_content", &text);
                }
                Some(name) if MEDIA.contains(&name) => self.media.push(name.to_owned()),
                Some(_) => {}
            },
            Item::Call(call) => {
                let text = self.session.text();
                let arguments = self.session.dissect(number).map(|assembly| to_json(&assembly.tree, text));
                let arguments = arguments.filter(Value::is_object).unwrap_or_else(|| json!({}));
                let function = json!({ "name": call.name(text), "arguments": arguments });
                let call = json!({ "id": call.id(text), "type": "function", "function": function });
                if let Value::Array(calls) =
                    self.open(message, "assistant").entry("tool_calls").or_insert_with(|| Value::Array(Vec::new()))
                {
                    calls.push(call);
                }
            }
            Item::Result(result) => self.add_result(result),
        }
    }

    fn add_result(&mut self, result: &CallResult<'_>) {
        let text = self.session.text();
        let call = result.call.and_then(|(item, _)| self.session.document().call(item));
        let mut message = Map::new();
        message.insert("role".to_owned(), json!("tool"));
        let id = result.id.map(|id| id.text(text)).or_else(|| Some(call?.id(text)));
        message.extend(id.map(|id| ("tool_call_id".to_owned(), json!(id))));
        message.extend(call.map(|call| ("name".to_owned(), json!(call.name(text)))));
        message.insert("content".to_owned(), json!(self.text(result.span)));
        self.last = Some(self.messages.len());
        self.messages.push(Value::Object(message));
        if let Some(open) = &mut self.open {
            open.has_results = true;
        }
    }

    /// The message of the prompt that a part of a message in the file belongs to. A file that writes each result when it arrives
    /// has the calls of one message in several, each of which continues the first one; what follows a result within one message
    /// is another message.
    fn open(&mut self, message: usize, role: &'static str) -> &mut Map<String, Value> {
        let whole = self.session.document().messages().whole_of(message);
        let continues = |open: &OpenMessage| {
            (open.role, open.whole) == (role, whole) && !(open.has_results && open.message == message)
        };
        let index = if let Some(open) = self.open.as_mut().filter(|open| continues(open)) {
            open.message = message;
            open.index
        } else {
            let index = self.messages.len();
            self.messages.push(json!({ "role": role, "content": "" }));
            self.open = Some(OpenMessage { index, role, message, whole, has_results: false });
            index
        };
        self.last = Some(index);
        self.messages[index].as_object_mut().expect("messages are pushed as objects")
    }

    /// A part of the text, without the line feed that separates it from the next message and is not in the file.
    fn text(&self, span: Span) -> String {
        let text = self.session.text().read(span);
        let text = String::from_utf8_lossy(&text);
        if self.session.is_decoded() { text.strip_suffix('\n').unwrap_or(&text).to_owned() } else { text.into_owned() }
    }

    fn notes(&self) -> Vec<String> {
        let mut names: Vec<&String> = self.media.iter().collect();
        names.sort();
        names.dedup();
        let note = |name: &String| {
            let count = self.media.iter().filter(|other| *other == name).count();
            format!("{count} of type {name} left out: a template is given texts only")
        };
        names.into_iter().map(note).collect()
    }
}

/// Appends to a text of a message, after a line feed if there is one.
fn append(message: &mut Map<String, Value>, key: &str, text: &str) {
    let joined = match message.get(key).and_then(Value::as_str) {
        Some(before) if !before.is_empty() => format!("{before}\n{text}"),
        _ => text.to_owned(),
    };
    message.insert(key.to_owned(), Value::String(joined));
}

/// The tools of a file.
#[derive(Default)]
struct FileTools {
    /// The last list with schemas.
    tools: Option<Vec<Value>>,
    /// True if there are only lists of names.
    is_named_only: bool,
}

/// The schemas of the last tools that a JSON file records, or a line of one, in the form of the chat API of OpenAI. The whole file
/// is read.
pub fn tool_schemas(session: &Session) -> Option<Vec<Value>> {
    tools(session).tools
}

fn tools(session: &Session) -> FileTools {
    let file = session.file();
    let bytes = file.read(Span::new(0, file.len()));
    let mut found = FileTools::default();
    let mut search = |bytes: &[u8]| {
        if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
            search_tools(&value, 0, &mut found);
        }
    };
    // Only lines that mention tools are parsed.
    if bytes.first() == Some(&b'{') && serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok() {
        search(&bytes);
    } else {
        bytes.split(|&byte| byte == b'\n').filter(|line| mentions_tools(line)).for_each(search);
    }
    found.is_named_only &= found.tools.is_none();
    found
}

fn mentions_tools(line: &[u8]) -> bool {
    line.first() == Some(&b'{') && memchr::memmem::find(line, b"\"tools\"").is_some()
}

fn search_tools(value: &Value, depth: usize, found: &mut FileTools) {
    let Some(members) = value.as_object().filter(|_| depth < MAX_DEPTH) else { return };
    if let Some(Value::Array(tools)) =
        members.get("tools").filter(|tools| tools.as_array().is_some_and(|t| !t.is_empty()))
    {
        let with_schemas: Vec<Value> = tools.iter().flat_map(schemas).collect();
        if with_schemas.is_empty() {
            found.is_named_only |= tools.iter().any(|tool| tool.is_string() || tool.get("name").is_some());
        } else {
            found.tools = Some(with_schemas);
        }
    }
    for name in REQUESTS {
        if let Some(inner) = members.get(name) {
            search_tools(inner, depth + 1, found);
        }
    }
}

/// The schemas of an entry of `tools`, in the form of the chat API of OpenAI: of Anthropic, Gemini and the Responses API, too.
fn schemas(tool: &Value) -> Vec<Value> {
    let function = |tool: &Value| {
        let parameters = ["parameters", "input_schema", "inputSchema", "parametersJsonSchema"];
        let parameters = parameters.iter().find_map(|name| tool.get(*name))?;
        let mut function = Map::new();
        function.insert("name".to_owned(), tool.get("name")?.clone());
        function.extend(tool.get("description").map(|text| ("description".to_owned(), text.clone())));
        function.insert("parameters".to_owned(), parameters.clone());
        Some(json!({ "type": "function", "function": function }))
    };
    if tool.get("function").is_some_and(Value::is_object) {
        return vec![tool.clone()];
    }
    let declared = ["functionDeclarations", "function_declarations"];
    match declared.iter().find_map(|name| tool.get(*name)?.as_array()) {
        Some(functions) => functions.iter().filter_map(function).collect(),
        None => function(tool).into_iter().collect(),
    }
}
