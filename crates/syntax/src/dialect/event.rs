//! Events of reading a text: prose, and the beginnings, arguments, ends and problems of calls.
//!
//! Events are never retracted, and follow the order of the text.

use std::borrow::Cow;

use super::DialectInfo;
use crate::diagnostic::Diagnostic;
use crate::text::{Span, Text};

/// An event; offsets are in the transcript text. The frequent kinds occur by the millions, so large payloads are
/// boxed.
#[derive(Clone, Debug)]
pub enum ParseEvent {
    /// Prose; adjacent spans form one text.
    Text(Span),
    /// A call begins; its header is known.
    Open(Box<Opening>),
    /// An argument of the open call begins; the offset of its marker.
    Argument(usize),
    /// The name or id of the open call, found in its body rather than in the header.
    Named(Box<LateHeader>),
    /// The open call ends.
    Close(CallEnd),
    /// A problem with a call, or with prose.
    Problem {
        /// The problem.
        diagnostic: Box<Diagnostic>,
        /// True if it concerns the call opened last.
        of_call: bool,
    },
}

impl ParseEvent {
    /// The event that a call begins.
    pub fn open(opening: Opening) -> Self {
        Self::Open(Box::new(opening))
    }

    /// A problem about the call opened last.
    pub(crate) fn of_call(diagnostic: Diagnostic) -> Self {
        Self::Problem { diagnostic: Box::new(diagnostic), of_call: true }
    }

    /// A problem about prose, or about a near miss of a call.
    pub(crate) fn of_prose(diagnostic: Diagnostic) -> Self {
        Self::Problem { diagnostic: Box::new(diagnostic), of_call: false }
    }
}

/// Parts of a header that appear in the body of the call.
#[derive(Clone, Debug)]
pub struct LateHeader {
    /// The name, if the body gives it.
    pub name: Option<Word>,
    /// The id, if the body gives it.
    pub id: Option<Word>,
}

/// The beginning of a call.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The dialect that the call is read in.
    pub dialect: &'static DialectInfo,
    /// The start marker, including a preceding wrapper.
    pub marker: Span,
    /// The parts before the body; a name or an id may follow later.
    pub header: Header,
    /// Offset of the first byte of the body.
    pub body: usize,
    /// True if the runtime finds and counts the call; otherwise it does not use up a number for an id.
    pub is_seen: bool,
}

/// Name, id and dependencies of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The name of the tool.
    pub name: Word,
    /// The id; `None` when the runtime generates one.
    pub id: Option<Word>,
    /// Ids of the calls that this one depends on, each once.
    pub dependencies: Vec<Word>,
}

/// A name or an id, with its position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its bytes; empty where it is implied by the dialect instead of written.
    pub span: Span,
    /// Its value, where that differs from its bytes.
    pub decoded: Option<Box<str>>,
}

impl Word {
    /// A word whose value is its bytes.
    pub fn plain(span: Span) -> Self {
        Self { span, decoded: None }
    }

    /// A word that is encoded, or implied rather than written.
    pub fn decoded(span: Span, words: impl Into<Box<str>>) -> Self {
        Self { span, decoded: Some(words.into()) }
    }

    /// The value: the decoded word, or else its bytes.
    pub fn text<'a>(&'a self, text: &'a Text) -> Cow<'a, str> {
        match &self.decoded {
            Some(decoded) => Cow::Borrowed(decoded),
            None => text.read_str(self.span),
        }
    }
}

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEnd {
    /// Offset of the end of the body, before any end marker.
    pub body_end: usize,
    /// Offset of the end of the call; prose or the next call follows.
    pub end: usize,
    /// How the call ended; never [`Status::Open`].
    pub status: Status,
}

/// Whether and how a call has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Status {
    /// Still arriving.
    Open,
    /// Ended by its end marker.
    Complete,
    /// Ended by the start of the next call.
    Implicit,
    /// Ended by the end of the text.
    Unterminated,
}

impl Status {
    /// The status as the output names it.
    pub fn word(self) -> &'static str {
        self.into()
    }
}
