//! What a file is, around the text that a model wrote.
//!
//! A [`Reader`] takes the bytes of a file, however they are cut, finds out by what they say which container they are,
//! and gives the transcript text: the decoded texts of the messages one after another, with [`Event`]s that say where
//! messages and pieces of them begin and end, what a piece is, and who said it. Events are never taken back; what a
//! file itself takes back is an event. Its [`OffsetMap`](crate::text::OffsetMap) leads from the transcript text to the file.
//!
//! A record is held until it is complete, and no longer. This layer does not know dialects: a native call is a piece of
//! JSON like any other.
//!
//! # Adding a container
//!
//! 1. `container/NAME.rs`: the records in the module doc, an [`About`] that claims them, what reads them.
//! 2. One line in [`REGISTRY`]; the order there is the priority where two claim the same file.
//! 3. Small complete files in `samples/containers/NAME`, and a row for each in `tests/containers.rs`.

pub mod fragment;
pub mod json;
pub mod writer;

mod ai_sdk;
mod ai_sdk_stream;
mod anthropic;
mod anthropic_stream;
mod chat;
mod chat_stream;
mod claude_code;
mod code_assistant;
mod codex;
mod detect;
mod items;
mod lineage;
mod llmist;
mod messages;
mod parts;
mod plain;
mod reader;
mod responses;
mod responses_stream;
mod sse;
mod values;

use crate::diagnostic::Diagnostic;
use crate::text::Span;

pub use detect::Head;
use fragment::Fragment;
pub use reader::{Reader, look, read};
pub use sse::Ending;
pub use values::Record;
use writer::Writer;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions to the model.
    System,
    /// A person.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

impl Role {
    /// The word for it in the output.
    pub fn word(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }

    /// The role that a file calls by this word.
    pub fn named(word: &str) -> Option<Role> {
        match word {
            "system" | "developer" => Some(Role::System),
            "user" | "human" => Some(Role::User),
            "assistant" | "model" | "gpt" => Some(Role::Assistant),
            "tool" | "function" => Some(Role::Tool),
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
    pub role: Option<Role>,
    /// When, in the words of the file.
    pub time: Option<Box<str>>,
    /// Which model.
    pub model: Option<Box<str>>,
    /// Its id in the file.
    pub id: Option<Box<str>>,
    /// Id of the message that it follows, where the conversation is a tree.
    pub parent: Option<Box<str>>,
    /// Whether it belongs to a conversation beside the main one: that of a sub-agent.
    pub aside: bool,
    /// What the file calls it beside its role: the level and the origin of a line of a log.
    pub label: Option<Box<str>>,
}

impl Message {
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
pub enum Piece {
    /// What somebody said; calls are looked for in it only where the model wrote it.
    Text(Reading),
    /// What the model thought.
    Reasoning,
    /// A native call: one JSON value.
    Call {
        /// Whether its own record says how it went, and that it failed; `None` where a result is still to come.
        failed: Option<bool>,
    },
    /// What came of a call.
    Result(Outcome),
    /// A record, or a part of one, that says something else; shown by this name.
    Envelope(Box<str>),
}

/// Whether calls are looked for in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The model wrote it, or it may have: the dialects read it.
    Parsed,
    /// Somebody else wrote it: what looks like a call in it is an example or a quotation.
    Shown,
}

impl Reading {
    /// Whether calls are looked for in what this role says.
    pub fn of(role: Option<Role>) -> Self {
        match role {
            None | Some(Role::Assistant) => Reading::Parsed,
            Some(Role::System | Role::User | Role::Tool) => Reading::Shown,
        }
    }
}

/// How a call went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The id of the call; without one it answers the first call that has no answer yet.
    pub call: Option<Box<str>>,
    /// How it went, as far as the file says.
    pub verdict: Verdict,
}

/// How a call went, as far as a file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It does not say.
    #[default]
    Unsaid,
    /// The call did what it should.
    Fine,
    /// It failed.
    Failed,
    /// Somebody did not allow it.
    Denied,
}

impl Verdict {
    /// How it went, in a few words; nothing where the file does not say or all is well.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Unsaid | Verdict::Fine => "",
            Verdict::Failed => "failed",
            Verdict::Denied => "not allowed",
        }
    }

    /// What a flag for errors says.
    pub fn of_error(flag: Option<bool>) -> Self {
        match flag {
            None => Verdict::Unsaid,
            Some(false) => Verdict::Fine,
            Some(true) => Verdict::Failed,
        }
    }
}

/// What was read; offsets are in the transcript text, where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A record of the file is read next: a line, an event of a stream, an element of a document.
    Record {
        /// Its bytes in the file.
        source: Span,
        /// Offset at which what it says begins.
        at: usize,
    },
    /// A message begins.
    Message(Message),
    /// A record that makes no message of its own stands between two in the tree of the conversation.
    Link {
        /// Its id.
        id: Box<str>,
        /// Id of the record that it follows.
        parent: Option<Box<str>>,
    },
    /// The messages on the path from the root of the conversation to this one are the ones that count; where no such
    /// event comes, those on the path to the last message are.
    Active(Box<str>),
    /// A piece of the message begins.
    Begin {
        /// What it is.
        piece: Piece,
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
        /// Where in the file.
        source: Span,
    },
}

/// What some bytes of a file have led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Bytes of the transcript text that follow those given before.
    pub text: Vec<u8>,
    /// What they are.
    pub events: Vec<Event>,
}

/// What the world may know about a container.
#[derive(Debug)]
pub struct About {
    /// Its name on the command line and in the output: `claude-code`.
    pub name: &'static str,
    /// A title of a few words.
    pub title: &'static str,
    /// Whether the beginning of a file is one of this kind, and by what.
    pub claims: fn(&Head<'_>) -> Option<&'static str>,
    /// What reads it.
    pub open: fn() -> Opened,
}

impl PartialEq for About {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for About {}

/// What reads the files of a container.
pub enum Opened {
    /// Something that reads bytes as they come.
    Flow(Box<dyn Flow>),
    /// Something that reads records, one JSON value or event after another.
    Records(Box<dyn Records>),
}

/// Reads a file whose records are text.
pub trait Flow: Send {
    /// Takes the bytes that follow; they stand at `at` in the file.
    fn push(&mut self, bytes: &[u8], at: usize, out: &mut Writer);

    /// Nothing more arrives.
    fn finish(&mut self, out: &mut Writer);

    /// Number of bytes that are held until more arrives.
    fn held(&self) -> usize {
        0
    }
}

/// Reads a file whose records are JSON.
pub trait Records: Send {
    /// Keys of a record's members whose elements or members are records themselves, so that a large document need not be
    /// held; empty where a record is taken as a whole. The elements of an array always are.
    fn drill(&self) -> &'static [&'static str] {
        &[]
    }

    /// What becomes of an event without an end, where the records are those of a stream.
    fn ending(&self) -> Ending {
        Ending::Taken
    }

    /// Takes a record.
    fn record(&mut self, record: &Record<'_>, out: &mut Writer);

    /// A record that was taken in parts is over.
    fn close(&mut self, _out: &mut Writer) {}

    /// The stream says that it is over; more may follow.
    fn done(&mut self, _out: &mut Writer) {}

    /// Something that stands between the records.
    fn aside(&mut self, piece: Piece, fragment: &Fragment, out: &mut Writer) {
        out.piece(piece, fragment);
    }

    /// Nothing more arrives; `at` is the length of the file.
    fn finish(&mut self, _at: usize, _out: &mut Writer) {}
}

/// Every container, in the order in which a file is offered to them; what none of them takes is plain text.
pub const REGISTRY: [&About; 16] = [
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
pub struct Container(Option<&'static About>);

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
    /// The container.
    pub about: &'static About,
    /// Why, in words: `it begins with an object that has type, sessionId and uuid`.
    pub reason: &'static str,
}
