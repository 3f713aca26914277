//! File formats of transcripts: the records around the text that a model wrote.
//!
//! A [`ContainerReader`] takes the bytes of a file in chunks of any size, detects the container from the content, and produces
//! the transcript text: the decoded texts of the messages, concatenated, with [`ContainerEvent`]s for the start and
//! end of messages and their parts, the kind of each part, and its role. Events are never withdrawn; where the file
//! itself withdraws something, that is an event. The [`OffsetMap`](crate::text::OffsetMap) maps the transcript text
//! to the file.
//!
//! A record is buffered until it is complete, and no longer. A call that is a record is a part that comes with its name
//! and id, so that its JSON text need not be searched for them.
//!
//! # Modules
//!
//! `detect` finds the container; `values`, `sse` and `lines` split a file into records; `json` has the values of
//! records, and `fragment` bytes with their source positions; `messages`, `items`, `call`, `parts` and `choices` hold
//! what records of many containers have in common; `conversation_history` finds the conversation that a request repeats; `writer` assembles the text; `unread_text` reports text that no
//! container shows. Every other module is a container.
//!
//! # Adding a container
//!
//! 1. `container/NAME.rs`: the records in the module doc, a [`ContainerInfo`] that claims any of them, and a reader.
//!    A second form of the same program's files is `container/NAME/FORM.rs`.
//! 2. One line in [`REGISTRY`]; the order there is the priority where two claim the same record.
//! 3. Small complete files in `samples/containers/NAME`, whose snapshots `tests/corpus` writes, and their rows in
//!    `samples/README.md` and `docs/file-formats.md`; their session, model and time are a row in `tests/corpus/attribution`.

pub mod agent_files;
pub mod declared;
pub mod facts;
pub mod fragment;
pub mod json;
pub mod replay_timeline;
pub mod writer;

mod ai_sdk_stream;
mod aider;
mod answer;
mod anthropic_stream;
mod bedrock;
mod call;
mod cassette_header;
mod chat;
mod chat_stream;
mod chatgpt;
mod choices;
mod claude_code;
mod cline;
mod code_assistant;
mod codex;
mod content_hash;
mod conversation_history;
mod detect;
mod events;
mod exit_code;
mod gemini;
mod gemini_cli;
mod http_recording;
mod inspect;
mod interruption;
mod items;
mod langchain;
mod langfuse;
mod lines;
mod llmist;
mod members;
mod messages;
mod ollama;
mod opencode;
mod openhands;
mod otel;
mod parts;
mod plain;
mod prompt_history;
mod reader;
mod record_ids;
mod recording;
mod records;
mod responses;
mod responses_stream;
mod specstory;
mod sse;
mod swe_agent;
mod unread_text;
mod usage;
mod values;
mod vscode_chat;

use crate::text::typo;
pub use detect::FileHead;
pub use events::{
    Batch, CallOutcome, CallString, ContainerEvent, Interpretation, Message, MessagePart, MessageRole, NativeCall,
    ToolResult, moment_of, states_zone,
};
use fragment::Fragment;
pub use reader::{ContainerReader, detect_container, read};
pub use records::JsonRecord;
use writer::TextWriter;

/// How surely a record belongs to a container, each with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No other container has such a record: one is enough.
    Sure(&'static str),
    /// Other containers may have such a record; the records around it decide.
    Likely(&'static str),
    /// A single one may be anything; several of them identify the format.
    Several(&'static str),
}

impl Claim {
    /// The reason as text: `it is an object with a model and input`.
    pub fn reason(self) -> &'static str {
        match self {
            Claim::Sure(reason) | Claim::Likely(reason) | Claim::Several(reason) => reason,
        }
    }
}

/// Where the agent that wrote a file takes tool calls from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallSource {
    /// From records only: the agent receives calls from an API and never parses text.
    Records,
    /// From records, from the text of the model, or from both; the file does not say.
    Either,
}

/// The public description of a container.
#[derive(Debug)]
pub struct ContainerInfo {
    /// Name on the command line and in output: `claude-code`.
    pub name: &'static str,
    /// Title of a few words.
    pub title: &'static str,
    /// Where the agent takes the calls of such a file from.
    pub calls: CallSource,
    /// How its files are recognised and read.
    pub(crate) definition: Definition,
}

/// How the files of a container are recognised and read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Definition {
    /// A claim and a reader that are written in Rust.
    Code {
        /// The claim on the beginning of a file, or on one of its first records; `None` if it is of another kind.
        claims: fn(&FileHead<'_>) -> Option<Claim>,
        /// Creates the reader of one file of this kind.
        open: fn() -> FormatReader,
    },
    /// A built-in declaration, which is parsed when it may claim a record.
    Embedded(&'static declared::index::EmbeddedContainer),
    /// A declaration of the user, which was parsed when it was loaded.
    Declared(&'static declared::ContainerDeclaration),
}

impl ContainerInfo {
    /// The claim on the beginning of a file, or on one of its first records; `None` if it is of another kind.
    pub(crate) fn claim(&self, head: &FileHead<'_>) -> Option<Claim> {
        match self.definition {
            Definition::Code { claims, .. } => claims(head),
            Definition::Embedded(embedded) => embedded.claim(head),
            Definition::Declared(declaration) => declaration.claim(head),
        }
    }

    /// Creates the reader of one file of this kind.
    pub(crate) fn open(&self) -> FormatReader {
        match self.definition {
            Definition::Code { open, .. } => open(),
            Definition::Embedded(embedded) => embedded.declaration().open(),
            Definition::Declared(declaration) => declaration.open(),
        }
    }

    /// The declaration that describes the container, unless code does.
    pub fn declaration(&self) -> Option<&'static declared::ContainerDeclaration> {
        match self.definition {
            Definition::Code { .. } => None,
            Definition::Embedded(embedded) => Some(embedded.declaration()),
            Definition::Declared(declaration) => Some(declaration),
        }
    }
}

impl PartialEq for ContainerInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ContainerInfo {}

/// The reader of a container's files.
pub enum FormatReader {
    /// Reads bytes as they arrive.
    Text(Box<dyn TextReader>),
    /// Reads records: one JSON value or event after another.
    Records(Box<dyn RecordReader>),
}

impl FormatReader {
    fn records<R: RecordReader + Default + 'static>() -> Self {
        Self::Records(Box::<R>::default())
    }
}

/// Reads a file whose records are text.
pub trait TextReader: Send + Sync {
    /// Takes the next bytes, which begin at `at` in the file.
    fn push(&mut self, bytes: &[u8], at: usize, out: &mut TextWriter);

    /// Ends the file: writes what was held.
    fn finish(&mut self, out: &mut TextWriter);

    /// Number of bytes that are held until more arrive.
    fn held(&self) -> usize {
        0
    }
}

/// Reads a file whose records are JSON.
pub trait RecordReader: Send + Sync {
    /// Keys of members whose elements or members are records themselves, so that a large document need not be held;
    /// empty if a record is read as a whole. The elements of an array always are records. `outer.inner` is a member of
    /// a member, whose key is in the list, too.
    fn streamed_keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// Keys that make an object a single record if one of them precedes the keys of [`RecordReader::streamed_keys`]; if any
    /// are given, an object with none of either is a single record, too.
    fn single_record_keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// True if the last event of a stream is dropped unless an empty line follows it.
    fn drops_unterminated_event(&self) -> bool {
        false
    }

    /// Takes the next record of the file.
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter);

    /// Ends a record that was read member by member.
    fn close(&mut self, _out: &mut TextWriter) {}

    /// Handles the end marker of a stream; more may follow.
    fn done(&mut self, _out: &mut TextWriter) {}

    /// Takes text between records.
    fn between_records(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        out.piece(piece, fragment);
    }

    /// Handles the end of the file; `at` is its length.
    fn finish(&mut self, _at: usize, _out: &mut TextWriter) {}
}

/// All containers in order of priority; a file that none of them claims is plain text.
pub const REGISTRY: &[&ContainerInfo] = &[
    &claude_code::ABOUT,
    &codex::ABOUT,
    &declared::index::QWEN_CODE,
    &declared::index::COPILOT_CLI,
    &declared::index::KIMI_CODE,
    &declared::index::KIMI,
    &declared::index::CURSOR_AGENT,
    &declared::index::ANTIGRAVITY,
    &declared::index::DROID,
    &declared::index::DROID_STREAM,
    &declared::index::GROK_CLI,
    &declared::index::ADK,
    &declared::index::ADK_EVAL,
    &gemini_cli::ABOUT,
    &vscode_chat::ABOUT,
    &declared::index::PI,
    &code_assistant::ABOUT,
    &recording::ABOUT,
    &http_recording::cassette::ABOUT,
    &http_recording::har::ABOUT,
    &opencode::ABOUT,
    &opencode::STORAGE,
    &declared::index::GOOSE,
    &openhands::ABOUT,
    &swe_agent::ABOUT,
    &inspect::ABOUT,
    &chatgpt::ABOUT,
    &declared::index::CLAUDE_AI,
    &cline::ABOUT,
    &cline::ui::ABOUT,
    &ai_sdk_stream::ABOUT,
    &anthropic_stream::ABOUT,
    &responses_stream::ABOUT,
    &chat_stream::ABOUT,
    &gemini::ABOUT,
    &gemini::stream::ABOUT,
    &bedrock::ABOUT,
    &ollama::ABOUT,
    &declared::index::SHAREGPT,
    &declared::index::ATIF,
    &langfuse::ABOUT,
    &otel::ABOUT,
    &langchain::ABOUT,
    &responses::ABOUT,
    &declared::index::AI_SDK,
    &declared::index::ANTHROPIC,
    &declared::index::OPENAI_CHAT,
    &aider::ABOUT,
    &aider::requests::ABOUT,
    &specstory::ABOUT,
    &llmist::REQUEST,
    &llmist::RESPONSE,
    &llmist::LOG,
    &plain::ABOUT,
];

/// The container to read a file as: a given one, or by default the one that its content shows; and the containers that
/// the user declares, which precede the built-in ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Container {
    asked: Option<&'static ContainerInfo>,
    declared: &'static [&'static ContainerInfo],
}

impl Container {
    /// Returns the container with this name; `auto` detects it.
    ///
    /// # Errors
    /// Names the unknown container, and the one that was probably meant or all of them.
    pub fn named(name: &str) -> Result<Container, String> {
        Self::default().with_name(name)
    }

    /// Detects the container among these and the built-in ones. One of the same name as another replaces it if it
    /// precedes it.
    pub fn among(declared: &[&'static ContainerInfo]) -> Self {
        let declared = if declared.is_empty() { &[] } else { &*Box::leak(declared.to_vec().into_boxed_slice()) };
        Self { asked: None, declared }
    }

    /// The known container with this name; `auto` detects it.
    ///
    /// # Errors
    /// Names the unknown container, and the one that was probably meant or all of them.
    pub fn with_name(self, name: &str) -> Result<Container, String> {
        let known = self.known().find(|about| about.name == name);
        if known.is_some() || name == "auto" {
            return Ok(Container { asked: known, ..self });
        }
        let names = || self.known().map(|about| about.name);
        let begins = |known: &&str| name.len() > 2 && known.starts_with(&name.to_lowercase());
        let near = typo::nearest(name, names()).or_else(|| names().find(begins));
        let help = near.map_or_else(
            || format!("available containers: auto, {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean {near}?"),
        );
        Err(format!("unknown container {name:?}; {help}"))
    }

    /// The containers that are known here, in order of priority.
    pub fn known(self) -> impl Iterator<Item = &'static ContainerInfo> {
        let is_replaced = move |about: &&'static ContainerInfo| self.declared.iter().any(|own| own.name == about.name);
        self.declared.iter().copied().chain(REGISTRY.iter().copied().filter(move |about| !is_replaced(about)))
    }

    /// The containers that the user declares.
    pub fn declared(self) -> &'static [&'static ContainerInfo] {
        self.declared
    }

    /// The same containers, of which none is requested.
    #[must_use]
    pub fn detected(self) -> Self {
        Self { asked: None, ..self }
    }

    /// The name of plain text.
    pub const PLAIN: &str = plain::ABOUT.name;

    /// Plain text, whatever the content is.
    pub fn plain() -> Self {
        Self { asked: Some(&plain::ABOUT), declared: &[] }
    }

    /// The container's name; `auto` if it is detected.
    pub fn name(self) -> &'static str {
        self.asked.map_or("auto", |about| about.name)
    }

    /// True if the content decides.
    pub fn is_detected(self) -> bool {
        self.asked.is_none()
    }

    /// True if the file is read as plain text, whatever its content is.
    pub fn is_plain(self) -> bool {
        self.asked.is_some_and(|about| about.name == Self::PLAIN)
    }
}

/// Reason why records that belong to no container are read as plain text.
const UNKNOWN_FORMAT: &str = "no known format has such records";

/// The container chosen for a file, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The chosen container.
    pub about: &'static ContainerInfo,
    /// The reason as text: `its records have a type, a message and a session`.
    pub reason: &'static str,
    /// Number of records read.
    pub(crate) records: usize,
    /// Number of records that were understood entirely.
    pub(crate) understood: usize,
}

impl Choice {
    /// Message for a file whose records belong to no container.
    pub const UNKNOWN: &str = "unknown format: read as plain text";

    /// True if the records belong to no container: the file is shown as plain text, and no container is reported.
    pub fn is_unknown(&self) -> bool {
        self.reason == UNKNOWN_FORMAT
    }

    /// The reason and the share of understood records: `its records have a type; 68 of 70 records were understood`.
    pub fn summary(&self) -> String {
        match self.records {
            // A document that is a single record has no counts worth showing.
            0 => self.reason.to_owned(),
            1 if self.understood == 1 => self.reason.to_owned(),
            records => format!("{}; {} of {records} records were understood", self.reason, self.understood),
        }
    }
}
