//! The events of a container: messages and their parts, and problems of the file.
//!
//! Plain data; offsets are in the transcript text unless stated otherwise.

use super::facts::{Fact, Origin};
use crate::diagnostic::Diagnostic;
use crate::text::Span;

/// The speaker of a message; other names that providers use are mapped to these four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::EnumString, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    /// Instructions before the conversation.
    #[strum(to_string = "system", serialize = "developer")]
    System,
    /// The user, or a program in the user's place.
    #[strum(to_string = "user", serialize = "human")]
    User,
    /// The model; no one else writes calls.
    #[strum(to_string = "assistant", serialize = "model", serialize = "gpt")]
    Assistant,
    /// A tool that answers a call.
    #[strum(to_string = "tool", serialize = "function")]
    Tool,
}

impl MessageRole {
    /// The role's name in output.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The role that a file gives this name.
    pub fn named(word: &str) -> Option<MessageRole> {
        word.parse().ok()
    }
}

/// The beginning of a message; everything up to the next one belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Offset of its first byte in the transcript text.
    pub start: usize,
    /// The speaker; `None` if the file does not say.
    pub role: Option<MessageRole>,
    /// Time as written in the file.
    pub time: Option<Box<str>>,
    /// Model that wrote it, by its name in the file.
    pub model: Option<Box<str>>,
    /// Its id in the file.
    pub id: Option<Box<str>>,
    /// Id of the message that it follows, if the conversation is a tree.
    pub parent: Option<Box<str>>,
    /// True if it is outside the main conversation: in a sub-agent's.
    pub is_outside: bool,
    /// True if it continues the last message of the model: results of that message's first calls came before its next
    /// ones.
    pub is_continuation: bool,
    /// Source of a message of the role `user`.
    pub origin: Origin,
    /// Further name in the file: level and logger of a log line.
    pub label: Option<Box<str>>,
}

impl Message {
    /// A message that has a role and no other property.
    pub(crate) fn from_role(role: MessageRole) -> Self {
        Self { role: Some(role), ..Self::default() }
    }

    /// The same message with a label.
    pub(crate) fn with_label(self, label: &str) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// The speaker as a single word.
    pub fn speaker(&self) -> &'static str {
        match self.role {
            None if self.label.as_deref() == Some("summary") => "summary",
            None => "message",
            Some(role) => role.word(),
        }
    }

    /// The other properties except the time, not sanitized.
    pub fn details(&self) -> Vec<&str> {
        let aside = self.is_outside.then_some("outside the conversation");
        let goes_on = self.is_continuation.then_some("continues");
        let label = self.label.as_deref().filter(|label| *label != self.speaker());
        [label, aside, self.model.as_deref(), goes_on].into_iter().flatten().collect()
    }

    /// The time, if the file has it in the form of RFC 3339, or in seconds or milliseconds since 1970.
    pub fn moment(&self) -> Option<jiff::Timestamp> {
        self.time.as_deref().and_then(moment_of)
    }

    /// Date and time of day, if the file has the time in the form of RFC 3339, or in seconds or milliseconds since
    /// 1970; else the text in the file. It ends with `UTC`, unless the file states no zone.
    pub fn when(&self) -> Option<String> {
        let time = self.time.as_deref()?;
        let zone = if states_zone(time) { " UTC" } else { "" };
        let said = |moment: jiff::Timestamp| format!("{}{zone}", moment.strftime("%Y-%m-%d %H:%M:%S"));
        Some(self.moment().map_or_else(|| time.to_owned(), said))
    }
}

/// True if the time zone is known: RFC 3339 with an offset, or a number since 1970.
pub fn states_zone(time: &str) -> bool {
    time.parse::<jiff::Timestamp>().is_ok() || time.parse::<f64>().is_ok()
}

/// Parses a time in the form of RFC 3339, or in seconds or milliseconds since 1970. A date and time without a zone are
/// taken as UTC.
pub fn moment_of(time: &str) -> Option<jiff::Timestamp> {
    // No session is from the year 5138.
    const LAST_SECOND: f64 = 1e11;
    let number = time.parse::<f64>().ok().filter(|number| *number > 0.0);
    let milliseconds = number.map(|number| if number < LAST_SECOND { number * 1000.0 } else { number });
    let moment = milliseconds.and_then(|number| jiff::Timestamp::from_millisecond(number as i64).ok());
    let civil = || time.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    moment.or_else(|| time.parse().ok()).or_else(|| civil().map(|moment| moment.timestamp()))
}

/// The kind of a part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// Text; calls are searched for in it only if the model wrote it.
    Text(Interpretation),
    /// Reasoning of the model, if the file shows it.
    Reasoning,
    /// A native call: one JSON value.
    Call(NativeCall),
    /// The result of a call.
    Result(ToolResult),
    /// A record, or a part of one, of another kind; shown under this name.
    Envelope(Box<str>),
}

/// A call that is a record; offsets are relative to the part, which is its JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeCall {
    /// The tool; its bytes are in the text when the part begins.
    pub name: CallString,
    /// Its id; its bytes are in the text when the part begins.
    pub id: Option<CallString>,
    /// The outcome, if the call's own record states it or no record ever will; `None` if a result may follow.
    pub outcome: Option<CallOutcome>,
}

/// A string in the JSON text of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallString {
    /// Its bytes, without the quotes.
    pub span: Span,
    /// The decoded string, if it has escapes.
    pub decoded: Option<Box<str>>,
}

/// Treatment of text that looks like calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpretation {
    /// The model wrote it, or may have: the dialects parse it.
    Parsed,
    /// Someone else wrote it: anything in it that looks like a call is an example or a quotation.
    Shown,
}

impl Interpretation {
    /// The interpretation of text by this role.
    pub(crate) fn from_role(role: Option<MessageRole>) -> Self {
        match role {
            None | Some(MessageRole::Assistant) => Interpretation::Parsed,
            Some(MessageRole::System | MessageRole::User | MessageRole::Tool) => Interpretation::Shown,
        }
    }
}

/// The properties of a call's result, without its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call; without one it answers the first call that has no answer yet.
    pub call: Option<Box<str>>,
    /// The outcome; [`CallOutcome::Unknown`] if the file does not state it.
    pub outcome: CallOutcome,
}

impl ToolResult {
    /// The result of a call with this id; `failed` is the file's error flag, if it has one.
    pub(crate) fn new(call: Option<Box<str>>, failed: Option<bool>) -> Self {
        Self { call, outcome: CallOutcome::from_error_flag(failed) }
    }
}

/// The outcome of a call; scripts rely on its names in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CallOutcome {
    /// The file does not state the outcome.
    #[default]
    #[serde(rename = "unsaid")]
    Unknown,
    /// The call succeeded.
    #[serde(rename = "fine")]
    Succeeded,
    /// The call failed, or its tool reports an error.
    Failed,
    /// The user or the settings did not allow it.
    Denied,
}

impl CallOutcome {
    /// A short text for a failure; empty if the outcome is unknown or a success.
    pub fn label(self) -> &'static str {
        match self {
            CallOutcome::Unknown | CallOutcome::Succeeded => "",
            CallOutcome::Failed => "failed",
            CallOutcome::Denied => "denied",
        }
    }

    /// The outcome if it is known, else `otherwise`.
    pub(crate) fn or(self, otherwise: Self) -> Self {
        if self == CallOutcome::Unknown { otherwise } else { self }
    }

    /// True if the call failed or was denied.
    pub fn is_failure(self) -> bool {
        matches!(self, CallOutcome::Failed | CallOutcome::Denied)
    }

    /// Converts an error flag.
    pub(crate) fn from_error_flag(flag: Option<bool>) -> Self {
        match flag {
            None => CallOutcome::Unknown,
            Some(false) => CallOutcome::Succeeded,
            Some(true) => CallOutcome::Failed,
        }
    }
}

/// A result of reading; offsets are in the transcript text unless stated otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum ContainerEvent {
    /// The next record of the file: a line, an event of a stream, an element of a document.
    Record {
        /// Its bytes in the file.
        source: Span,
    },
    /// Begins a conversation that is independent of those before it: ids are unique only within it.
    Conversation {
        /// Its name in the file.
        title: Option<Box<str>>,
    },
    /// Begins a message and ends the one before it.
    Message(Message),
    /// A record without a message is a node between two others in the tree of the conversation.
    Link {
        /// The record's id.
        id: Box<str>,
        /// Id of the record that it follows.
        parent: Option<Box<str>>,
    },
    /// The messages on the path from the root of the conversation to this one form the active branch; without such an
    /// event, the path to the last message does.
    Active(Box<str>),
    /// The next result answers the call that begins at this offset or, without one, no call: the container knows the
    /// call although the result names none.
    Answers(Option<usize>),
    /// The next result answers no call, which is not a problem: results of the file name none, and calls may be missing.
    AnswersNothing,
    /// Time at which the rest of the message was recorded, as written in the file.
    Time(Box<str>),
    /// Begins a part of the message.
    Begin {
        /// Kind of its bytes.
        part: MessagePart,
        /// Offset of its first byte.
        start: usize,
    },
    /// Ends the part that was begun last.
    End {
        /// Offset after its last byte.
        end: usize,
    },
    /// The id of the session that the file belongs to, as written in the file; sent at most once. Other files may
    /// belong to the same session.
    SessionId(Box<str>),
    /// Prefix for the ids of the calls in the following texts of the model; their number, from 1, is appended.
    CallIds(Box<str>),
    /// Begins a step at this offset, which the file may withdraw later.
    Step(usize),
    /// The file withdraws the parts in this range of the text, except results of calls before it.
    Withdrawn(Span),
    /// A call or a result is superseded by a later one with the same id.
    Replaced {
        /// Offset of its first byte.
        start: usize,
        /// End of the text at the time of the replacement: the part may still be open.
        end: usize,
        /// True for a result, which may be empty and so begin at the same offset as a call.
        is_result: bool,
    },
    /// A fact about the session that is not part of its text.
    Fact(Box<Fact>),
    /// The file is malformed.
    Problem {
        /// The problem; its span is in the transcript text.
        diagnostic: Diagnostic,
        /// The malformed bytes of the file.
        source: Span,
    },
}

/// The output for some bytes of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Bytes to append to the transcript text.
    pub text: Vec<u8>,
    /// Events about these bytes and between them.
    pub events: Vec<ContainerEvent>,
}
