//! What a file is, around the text that a model wrote.
//!
//! A [`Reader`] takes the bytes of a file, however they are cut, finds out by what they say which container they are,
//! and gives the transcript text: the decoded texts of the messages one after another, with [`ContainerEvent`]s that say where
//! messages and pieces of them begin and end, what a piece is, and who said it. Events are never taken back; what a
//! file itself takes back is an event. Its [`OffsetMap`](crate::text::OffsetMap) leads from the transcript text to the file.
//!
//! A record is held until it is complete, and no longer. A call of the records is a piece that comes with its name and
//! its id, so that nobody searches its JSON text for them.
//!
//! # What is where
//!
//! `detect` finds the container; `values`, `sse` and `lines` cut a file into records; `json` and `fragment` are values of
//! records and bytes that know their place; `messages`, `items`, `call`, `parts` and `choices` are what records of many
//! containers have in common; `writer` puts the text together; `unread_words` reports words that no container shows. Every
//! other module is a container.
//!
//! # Adding a container
//!
//! 1. `container/NAME.rs`: the records in the module doc, a [`ContainerInfo`] that claims any of them, what reads them.
//!    A second form of the same program's files is `container/NAME/FORM.rs`.
//! 2. One line in [`REGISTRY`]; the order there is the priority where two claim the same record.
//! 3. Small complete files in `samples/containers/NAME`, whose snapshots `tests/corpus` writes, and their rows in
//!    `samples/README.md` and `README.md`; what they say of session, model and time is a row in `tests/corpus/attribution`.

pub mod agent_files;
pub mod facts;
pub mod fragment;
pub mod json;
pub mod replay_timeline;
pub mod writer;

mod ai_sdk;
mod ai_sdk_stream;
mod aider;
mod answer;
mod anthropic;
mod anthropic_stream;
mod atif;
mod bedrock;
mod call;
mod chat;
mod chat_stream;
mod chatgpt;
mod choices;
mod claude_ai;
mod claude_code;
mod cline;
mod code_assistant;
mod codex;
mod detect;
mod events;
mod exit_code;
mod gemini;
mod gemini_cli;
mod goose;
mod inspect;
mod interruption;
mod items;
mod langchain;
mod lines;
mod llmist;
mod members;
mod messages;
mod ollama;
mod opencode;
mod openhands;
mod otel;
mod parts;
mod pi;
mod plain;
mod prompt_history;
mod reader;
mod record_ids;
mod recording;
mod records;
mod responses;
mod responses_stream;
mod sharegpt;
mod sse;
mod swe_agent;
mod unread_words;
mod usage;
mod values;

use crate::text::typo;
pub use detect::FileHead;
pub use events::{
    Batch, CallOutcome, CallWord, ContainerEvent, Interpretation, Message, MessagePart, MessageRole, NativeCall,
    ToolResult, moment_of, states_zone,
};
use fragment::Fragment;
pub use reader::{Reader, look, read};
pub use records::JsonRecord;
use writer::TextWriter;

/// That a record is one of a container's own, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No other container has such a record: it decides by itself.
    Sure(&'static str),
    /// Others may have such a record; the ones around it decide.
    Likely(&'static str),
    /// Alone it may be anything; several of them are such a file.
    Several(&'static str),
}

impl Claim {
    /// By what, in words: `it is an object with a model and input`.
    pub fn reason(self) -> &'static str {
        match self {
            Claim::Sure(reason) | Claim::Likely(reason) | Claim::Several(reason) => reason,
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
pub trait TextReader: Send + Sync {
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
pub trait RecordReader: Send + Sync {
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
pub const REGISTRY: &[&ContainerInfo] = &[
    &claude_code::ABOUT,
    &codex::ABOUT,
    &gemini_cli::ABOUT,
    &pi::ABOUT,
    &code_assistant::ABOUT,
    &recording::ABOUT,
    &opencode::ABOUT,
    &opencode::STORAGE,
    &goose::ABOUT,
    &openhands::ABOUT,
    &swe_agent::ABOUT,
    &inspect::ABOUT,
    &chatgpt::ABOUT,
    &claude_ai::ABOUT,
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
    &sharegpt::ABOUT,
    &atif::ABOUT,
    &otel::ABOUT,
    &langchain::ABOUT,
    &responses::ABOUT,
    &ai_sdk::ABOUT,
    &anthropic::ABOUT,
    &chat::ABOUT,
    &aider::ABOUT,
    &aider::requests::ABOUT,
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
    /// Names an unknown container, and the one that was probably meant or all of them.
    pub fn named(name: &str) -> Result<Container, String> {
        let known = REGISTRY.iter().copied().find(|about| about.name == name);
        if known.is_some() || name == "auto" {
            return Ok(Container(known));
        }
        let names = || REGISTRY.iter().copied().map(|about| about.name);
        let begins = |known: &&str| name.len() > 2 && known.starts_with(&name.to_lowercase());
        let near = typo::nearest(name, names()).or_else(|| names().find(begins));
        let help = near.map_or_else(
            || format!("the containers are: auto, {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean {near}?"),
        );
        Err(format!("unknown container {name:?}; {help}"))
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

/// Reason why records that belong to no container are read as plain text.
const UNKNOWN_FORMAT: &str = "no known format has such records";

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
    /// Words for a file whose records belong to no container.
    pub const UNKNOWN: &str = "unknown format: read as plain text";

    /// True for a file whose records belong to no container: it is shown as plain text, without a verdict.
    pub fn is_unknown(&self) -> bool {
        self.reason == UNKNOWN_FORMAT
    }

    /// Why, and how far that was true: `its records have a type; 68 of 70 records were understood`.
    pub fn told(&self) -> String {
        match self.records {
            // Of a document that is one record there is no more to say.
            0 => self.reason.to_owned(),
            1 if self.understood == 1 => self.reason.to_owned(),
            records => format!("{}; {} of {records} records were understood", self.reason, self.understood),
        }
    }
}
