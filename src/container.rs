//! What a file is, around the text that a model wrote.
//!
//! A [`Reader`] takes the bytes of a file, however they are cut, finds out by what they say which container they are,
//! and gives the transcript text: the decoded texts of the messages one after another, with [`ContainerEvent`]s that say where
//! messages and pieces of them begin and end, what a piece is, and who said it. Events are never taken back; what a
//! file itself takes back is an event. Its [`OffsetMap`](crate::text::OffsetMap) leads from the transcript text to the file.
//!
//! A record is held until it is complete, and no longer. A call of the records is a piece that comes with its name and
//! its id, so that nobody searches its JSON text for them. This layer does not know dialects.
//!
//! # Adding a container
//!
//! 1. `container/NAME.rs`: the records in the module doc, an [`ContainerInfo`] that claims them, what reads them.
//! 2. One line in [`REGISTRY`]; the order there is the priority where two claim the same file.
//! 3. Small complete files in `samples/containers/NAME`, and a row for each in `tests/containers.rs`.

pub mod fragment;
pub mod json;
pub mod writer;

mod ai_sdk;
mod ai_sdk_stream;
mod anthropic;
mod anthropic_stream;
mod call;
mod chat;
mod chat_stream;
mod choices;
mod claude_code;
mod code_assistant;
mod codex;
mod detect;
mod items;
mod llmist;
mod members;
mod messages;
mod parts;
mod plain;
mod reader;
mod record_ids;
mod responses;
mod responses_stream;
mod sse;
mod values;

use crate::diagnostic::Diagnostic;
use crate::text::Span;

pub use detect::FileHead;
use fragment::Fragment;
pub use reader::{Reader, look, read};
pub use values::JsonRecord;
use writer::TextWriter;

/// Who speaks in a message; what providers call otherwise is led back to these four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    /// What the model is told before anybody speaks.
    System,
    /// The person who asks, or a program in that place.
    User,
    /// The model, which alone writes calls.
    Assistant,
    /// A tool that answers a call.
    Tool,
}

impl MessageRole {
    /// The word for it in the output.
    pub fn word(self) -> &'static str {
        match self {
            MessageRole::System => "system",
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
            MessageRole::Tool => "tool",
        }
    }

    /// The role that a file calls by this word.
    pub fn named(word: &str) -> Option<MessageRole> {
        match word {
            "system" | "developer" => Some(MessageRole::System),
            "user" | "human" => Some(MessageRole::User),
            "assistant" | "model" | "gpt" => Some(MessageRole::Assistant),
            "tool" | "function" => Some(MessageRole::Tool),
            _ => None,
        }
    }
}

/// The beginning of a message; all that follows up to the next one belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Offset of its first byte in the transcript text.
    pub start: usize,
    /// Who speaks; `None` where the file does not say.
    pub role: Option<MessageRole>,
    /// When, in the words of the file.
    pub time: Option<Box<str>>,
    /// The model that said it, by its name in the file.
    pub model: Option<Box<str>>,
    /// Its id in the file.
    pub id: Option<Box<str>>,
    /// Id of the message that it follows, where the conversation is a tree.
    pub parent: Option<Box<str>>,
    /// Whether it belongs to a conversation beside the main one: that of a sub-agent.
    pub aside: bool,
    /// Whether it goes on with the last message of the model: results of its first calls came before its next ones.
    pub goes_on: bool,
    /// What the file calls it beside its role: the level and the origin of a line of a log.
    pub label: Option<Box<str>>,
}

impl Message {
    /// A message of which nothing is known but who speaks.
    pub fn from_role(role: MessageRole) -> Self {
        Self { role: Some(role), ..Self::default() }
    }

    /// The same message, which the file calls `label`.
    pub fn with_label(self, label: &str) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// Who speaks, in a word.
    pub fn speaker(&self) -> &'static str {
        match self.role {
            None => "message",
            Some(role) => role.word(),
        }
    }

    /// What else is known of it but when it was said, in words that are not sanitised.
    pub fn details(&self) -> Vec<&str> {
        let aside = self.aside.then_some("beside the conversation");
        [self.label.as_deref(), aside, self.model.as_deref()].into_iter().flatten().collect()
    }

    /// When it was said, if the file says it in the form of RFC 3339 or in seconds since 1970.
    pub fn moment(&self) -> Option<jiff::Timestamp> {
        let time = self.time.as_deref()?;
        let seconds = time.parse::<f64>().ok();
        let moment = seconds.and_then(|seconds| jiff::Timestamp::from_millisecond((seconds * 1000.0) as i64).ok());
        moment.or_else(|| time.parse().ok())
    }

    /// When it was said, as date and time of day in UTC, if the file says it in the form of RFC 3339 or in seconds since
    /// 1970; else as the file says it.
    pub fn when(&self) -> Option<String> {
        let time = self.time.as_deref()?;
        let moment = self.moment();
        Some(moment.map_or_else(|| time.to_owned(), |moment| moment.strftime("%Y-%m-%d %H:%M:%S").to_string()))
    }
}

/// A stretch of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// What somebody said; calls are looked for in it only where the model wrote it.
    Text(Interpretation),
    /// What the model thought, as far as the file shows it.
    Reasoning,
    /// A native call: one JSON value.
    Call(NativeCall),
    /// What came of a call.
    Result(ToolResult),
    /// A record, or a part of one, that says something else; shown by this name.
    Envelope(Box<str>),
}

/// What the records of a file say of a call; places are offsets into the piece, which is its JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeCall {
    /// The tool; its bytes are there when the piece begins.
    pub name: CallWord,
    /// Its id; its bytes are there when the piece begins.
    pub id: Option<CallWord>,
    /// Whether its own record says how it went, and that it failed; `None` where a result is still to come.
    pub failed: Option<bool>,
}

/// The content of a string in the JSON text of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallWord {
    /// Its bytes, without the quotes.
    pub span: Span,
    /// What it says, where it is written with escapes.
    pub decoded: Option<Box<str>>,
}

/// Whether calls are looked for in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpretation {
    /// The model wrote it, or it may have: the dialects read it.
    Parsed,
    /// Somebody else wrote it: what looks like a call in it is an example or a quotation.
    Shown,
}

impl Interpretation {
    /// Whether calls are looked for in what this role says.
    pub fn from_role(role: Option<MessageRole>) -> Self {
        match role {
            None | Some(MessageRole::Assistant) => Interpretation::Parsed,
            Some(MessageRole::System | MessageRole::User | MessageRole::Tool) => Interpretation::Shown,
        }
    }
}

/// What a record says of a call's result, beside its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call; without one it answers the first call that has no answer yet.
    pub call: Option<Box<str>>,
    /// How it went, as far as the file says.
    pub verdict: CallOutcome,
}

impl ToolResult {
    /// The result of a call with this id, and whether it failed, where the file says so.
    pub fn new(call: Option<Box<str>>, failed: Option<bool>) -> Self {
        Self { call, verdict: CallOutcome::from_error_flag(failed) }
    }
}

/// How a call went, as far as a file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CallOutcome {
    /// The file does not say how it went.
    #[default]
    Unsaid,
    /// The call did what it should.
    Fine,
    /// The call failed, or its tool reports an error.
    Failed,
    /// Somebody did not allow it.
    Denied,
}

impl CallOutcome {
    /// How it went, in a few words; nothing where the file does not say or all is well.
    pub fn words(self) -> &'static str {
        match self {
            CallOutcome::Unsaid | CallOutcome::Fine => "",
            CallOutcome::Failed => "failed",
            CallOutcome::Denied => "not allowed",
        }
    }

    /// Whether the call did not do what it should.
    pub fn is_failure(self) -> bool {
        matches!(self, CallOutcome::Failed | CallOutcome::Denied)
    }

    /// What a flag for errors says.
    pub fn from_error_flag(flag: Option<bool>) -> Self {
        match flag {
            None => CallOutcome::Unsaid,
            Some(false) => CallOutcome::Fine,
            Some(true) => CallOutcome::Failed,
        }
    }
}

/// What was read; offsets are in the transcript text, where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContainerEvent {
    /// A record of the file is read next: a line, an event of a stream, an element of a document.
    Record {
        /// Its bytes in the file.
        source: Span,
    },
    /// A conversation begins that knows nothing of those before it: its ids are its own.
    Conversation {
        /// What the file calls it.
        title: Option<Box<str>>,
    },
    /// A message begins, which ends the one before it.
    Message(Message),
    /// A record that makes no message of its own stands between two in the tree of the conversation.
    Link {
        /// The id that the record gives itself.
        id: Box<str>,
        /// Id of the record that it follows.
        parent: Option<Box<str>>,
    },
    /// The messages on the path from the root of the conversation to this one are the ones that count; where no such
    /// event comes, those on the path to the last message are.
    Active(Box<str>),
    /// A piece of the message begins.
    Begin {
        /// Whether its bytes are text, a call, a result or an aside.
        piece: MessagePart,
        /// Offset of its first byte.
        start: usize,
    },
    /// The piece that was begun last ends.
    End {
        /// Offset behind its last byte.
        end: usize,
    },
    /// A step begins here, which the file may take back.
    Step(usize),
    /// The file itself takes back the pieces in this stretch of the text; results stay of calls that stand before it.
    Withdrawn(Span),
    /// A call or a result counts no more: another one of the same id stands for it.
    Replaced {
        /// Offset of its first byte.
        start: usize,
        /// Whether it is a result, which may be empty and so begin where a call does.
        is_result: bool,
    },
    /// Something is wrong with the file.
    Problem {
        /// What; its span is in the transcript text.
        diagnostic: Diagnostic,
        /// The bytes of the file that are at fault.
        source: Span,
    },
}

/// What some bytes of a file have led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Bytes of the transcript text that follow those given before.
    pub text: Vec<u8>,
    /// What these bytes are, and what lies between them.
    pub events: Vec<ContainerEvent>,
}

/// That a record is one of a container's own, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No other container has such a record: it decides by itself.
    Sure(&'static str),
    /// Others may have such a record; the ones around it decide.
    Likely(&'static str),
}

impl Claim {
    /// By what, in words: `it is an object with a model and input`.
    pub fn reason(self) -> &'static str {
        match self {
            Claim::Sure(reason) | Claim::Likely(reason) => reason,
        }
    }
}

/// Where the runtime of a container takes calls from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallSource {
    /// From records alone: the agent has its calls from an interface, and text is text to it.
    Records,
    /// From records, from what the model wrote, or from both; the file does not say.
    Either,
}

/// What the world may know about a container.
#[derive(Debug)]
pub struct ContainerInfo {
    /// Its name on the command line and in the output: `claude-code`.
    pub name: &'static str,
    /// A title of a few words.
    pub title: &'static str,
    /// Whether the beginning of a file, or one of its first records, is of this kind, and by what.
    pub claims: fn(&FileHead<'_>) -> Option<Claim>,
    /// Where the runtime takes the calls of such a file from.
    pub calls: CallSource,
    /// Makes the reader of one file of this kind.
    pub open: fn() -> FormatReader,
}

impl PartialEq for ContainerInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ContainerInfo {}

/// What reads the files of a container.
pub enum FormatReader {
    /// Something that reads bytes as they come.
    Text(Box<dyn TextReader>),
    /// Something that reads records, one JSON value or event after another.
    Records(Box<dyn RecordReader>),
}

impl FormatReader {
    fn records<R: RecordReader + Default + 'static>() -> Self {
        Self::Records(Box::<R>::default())
    }
}

/// Reads a file whose records are text.
pub trait TextReader: Send {
    /// Takes the bytes that follow; they stand at `at` in the file.
    fn push(&mut self, bytes: &[u8], at: usize, out: &mut TextWriter);

    /// The file has ended: gives what was held.
    fn finish(&mut self, out: &mut TextWriter);

    /// Number of bytes that are held until more arrives.
    fn held(&self) -> usize {
        0
    }
}

/// Reads a file whose records are JSON.
pub trait RecordReader: Send {
    /// Keys of a record's members whose elements or members are records themselves, so that a large document need not be
    /// held; empty where a record is taken as a whole. The elements of an array always are.
    fn drill(&self) -> &'static [&'static str] {
        &[]
    }

    /// Keys by which an object is a record as a whole, where one comes before those of [`RecordReader::drill`]; with such
    /// keys, so is one that has none of those.
    fn whole(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether the last event of a stream is none if no empty line is behind it.
    fn drops_unended(&self) -> bool {
        false
    }

    /// Takes the next record of the file.
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter);

    /// A record that was taken in parts is over.
    fn close(&mut self, _out: &mut TextWriter) {}

    /// The stream says that it is over; more may follow.
    fn done(&mut self, _out: &mut TextWriter) {}

    /// Something that stands between the records.
    fn aside(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        out.piece(piece, fragment);
    }

    /// Nothing more arrives; `at` is the length of the file.
    fn finish(&mut self, _at: usize, _out: &mut TextWriter) {}
}

/// Every container, in the order in which a file is offered to them; what none of them takes is plain text.
pub const REGISTRY: [&ContainerInfo; 16] = [
    &claude_code::ABOUT,
    &codex::ABOUT,
    &code_assistant::ABOUT,
    &ai_sdk_stream::ABOUT,
    &anthropic_stream::ABOUT,
    &responses_stream::ABOUT,
    &chat_stream::ABOUT,
    &responses::ABOUT,
    &ai_sdk::ABOUT,
    &anthropic::ABOUT,
    &chat::ABOUT,
    &code_assistant::RECORDING,
    &llmist::REQUEST,
    &llmist::RESPONSE,
    &llmist::LOG,
    &plain::ABOUT,
];

/// A container as it is asked for: one of them, or the one that the content shows, which is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Container(Option<&'static ContainerInfo>);

impl Container {
    /// The container with this name; `auto` finds it by content.
    ///
    /// # Errors
    /// Names an unknown container and lists the known ones.
    pub fn named(name: &str) -> Result<Container, String> {
        let known = REGISTRY.into_iter().find(|about| about.name == name);
        if known.is_some() || name == "auto" {
            return Ok(Container(known));
        }
        let names: Vec<&str> = REGISTRY.into_iter().map(|about| about.name).collect();
        Err(format!("unknown container {name:?}; the containers are: auto, {}", names.join(", ")))
    }

    /// The name of plain text.
    pub const PLAIN: &str = plain::ABOUT.name;

    /// Plain text, whatever it says.
    pub fn plain() -> Self {
        Self(Some(&plain::ABOUT))
    }

    /// Its name; `auto` where it is found by content.
    pub fn name(self) -> &'static str {
        self.0.map_or("auto", |about| about.name)
    }

    /// Whether it is plain text whatever it says.
    pub fn is_plain(self) -> bool {
        self.0.is_some_and(|about| about.name == Self::PLAIN)
    }
}

/// A container that was chosen for a file, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The container that was chosen.
    pub about: &'static ContainerInfo,
    /// Why, in words: `its records have a type, a message and a session`.
    pub reason: &'static str,
    /// Number of records that have been read.
    pub records: usize,
    /// Number of those that were understood, each of them whole.
    pub understood: usize,
}

impl Choice {
    /// Why, and how far that was true: `its records have a type; 68 of 70 records were understood`.
    pub fn told(&self) -> String {
        match self.records {
            0 => self.reason.to_owned(),
            records => format!("{}; {} of {records} records were understood", self.reason, self.understood),
        }
    }
}
