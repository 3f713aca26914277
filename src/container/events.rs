//! What a container says while it reads: messages, pieces of them, and what is wrong with the file.
//!
//! Plain data; offsets are in the transcript text, where nothing else is said.

use super::facts::{Fact, Origin};
use crate::diagnostic::Diagnostic;
use crate::text::Span;

/// Who speaks in a message; what providers call otherwise is led back to these four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::EnumString, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    /// What the model is told before anybody speaks.
    #[strum(to_string = "system", serialize = "developer")]
    System,
    /// The person who asks, or a program in that place.
    #[strum(to_string = "user", serialize = "human")]
    User,
    /// The model, which alone writes calls.
    #[strum(to_string = "assistant", serialize = "model", serialize = "gpt")]
    Assistant,
    /// A tool that answers a call.
    #[strum(to_string = "tool", serialize = "function")]
    Tool,
}

impl MessageRole {
    /// The word for it in the output.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The role that a file calls by this word.
    pub fn named(word: &str) -> Option<MessageRole> {
        word.parse().ok()
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
    /// Who or what a message of the role `user` comes from.
    pub origin: Origin,
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
        let aside = self.aside.then_some("outside the conversation");
        let goes_on = self.goes_on.then_some("continues");
        [self.label.as_deref(), aside, self.model.as_deref(), goes_on].into_iter().flatten().collect()
    }

    /// When it was said, if the file says it in the form of RFC 3339, or in seconds or milliseconds since 1970.
    pub fn moment(&self) -> Option<jiff::Timestamp> {
        self.time.as_deref().and_then(moment_of)
    }

    /// When it was said, as date and time of day, if the file says it in the form of RFC 3339, or in seconds or
    /// milliseconds since 1970; else as the file says it. It ends with `UTC`, unless the file states no zone.
    pub fn when(&self) -> Option<String> {
        let time = self.time.as_deref()?;
        let zone = if states_zone(time) { " UTC" } else { "" };
        let said = |moment: jiff::Timestamp| format!("{}{zone}", moment.strftime("%Y-%m-%d %H:%M:%S"));
        Some(self.moment().map_or_else(|| time.to_owned(), said))
    }
}

/// True if a time of a file is one of a known zone: RFC 3339 with an offset, or a number since 1970.
pub fn states_zone(time: &str) -> bool {
    time.parse::<jiff::Timestamp>().is_ok() || time.parse::<f64>().is_ok()
}

/// The moment that a file says in the form of RFC 3339, or in seconds or milliseconds since 1970. A date and a time of day
/// without a zone are taken for those of UTC.
pub fn moment_of(time: &str) -> Option<jiff::Timestamp> {
    // No session is from the year 5138.
    const LAST_SECOND: f64 = 1e11;
    let number = time.parse::<f64>().ok().filter(|number| *number > 0.0);
    let milliseconds = number.map(|number| if number < LAST_SECOND { number * 1000.0 } else { number });
    let moment = milliseconds.and_then(|number| jiff::Timestamp::from_millisecond(number as i64).ok());
    let civil = || time.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    moment.or_else(|| time.parse().ok()).or_else(|| civil().map(|moment| moment.timestamp()))
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
    /// How it went where its own record says so, or that the file never does; `None` where a result is still to come.
    pub outcome: Option<CallOutcome>,
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

    /// The same where the file says how it went, else `otherwise`.
    pub fn or(self, otherwise: Self) -> Self {
        if self == CallOutcome::Unsaid { otherwise } else { self }
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
#[derive(Clone, Debug, PartialEq)]
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
    /// The result that begins next answers the call that begins at this offset, or, without one, no call at all: the
    /// container knows which, although the result names none.
    Answers(Option<usize>),
    /// What follows in the message was written down at this time, in the words of the file.
    Time(Box<str>),
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
    /// The file belongs to the session with this id, in the words of the file; it comes once at most, and other files
    /// may be of the same session.
    SessionId(Box<str>),
    /// Calls that the model writes into its texts from here on get this prefix and their number, from 1, as their ids.
    CallIds(Box<str>),
    /// A step begins here, which the file may take back.
    Step(usize),
    /// The file itself takes back the pieces in this stretch of the text; results stay of calls that stand before it.
    Withdrawn(Span),
    /// A call or a result counts no more: another one of the same id stands for it.
    Replaced {
        /// Offset of its first byte.
        start: usize,
        /// Where the text had come to when it was replaced: it may still be open.
        end: usize,
        /// Whether it is a result, which may be empty and so begin where a call does.
        is_result: bool,
    },
    /// A fact about the session that is not part of its text.
    Fact(Box<Fact>),
    /// Something is wrong with the file.
    Problem {
        /// What; its span is in the transcript text.
        diagnostic: Diagnostic,
        /// The bytes of the file that are at fault.
        source: Span,
    },
}

/// What some bytes of a file have led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Bytes of the transcript text that follow those given before.
    pub text: Vec<u8>,
    /// What these bytes are, and what lies between them.
    pub events: Vec<ContainerEvent>,
}
