//! What the dialects saw in a text: prose, and the beginnings, arguments, ends and problems of calls.
//!
//! Events are never taken back, and their order is that of the text.

use std::borrow::Cow;

use super::DialectInfo;
use crate::diagnostic::Diagnostic;
use crate::text::{Span, Text};

/// What a dialect saw; offsets are in the transcript text. Of the most frequent ones there are millions, so the large
/// ones are boxed.
#[derive(Clone, Debug)]
pub enum ParseEvent {
    /// Prose; stretches that touch one another are one text.
    Text(Span),
    /// A call begins and its header is known.
    Open(Box<Opening>),
    /// An argument begins at this offset (of its marker), inside the open call.
    Argument(usize),
    /// The body of the open call gives its name or its id, which its header does not.
    Named(Box<LateHeader>),
    /// The open call ends.
    Close(Closing),
    /// A problem; `of_call` says whether it is about the call opened last.
    Problem {
        /// The problem.
        diagnostic: Box<Diagnostic>,
        /// Whether it is about the call opened last.
        of_call: bool,
    },
}

impl ParseEvent {
    /// A call begins, with what its header says.
    pub fn open(opening: Opening) -> Self {
        Self::Open(Box::new(opening))
    }

    /// A problem about the call opened last.
    pub fn of_call(diagnostic: Diagnostic) -> Self {
        Self::Problem { diagnostic: Box::new(diagnostic), of_call: true }
    }

    /// A problem about prose, or about what is almost a call.
    pub fn of_prose(diagnostic: Diagnostic) -> Self {
        Self::Problem { diagnostic: Box::new(diagnostic), of_call: false }
    }
}

/// What the body of a call gives that its header does not.
#[derive(Clone, Debug)]
pub struct LateHeader {
    /// The name, if that is what the body gives.
    pub name: Option<Word>,
    /// The id, if that is what the body gives.
    pub id: Option<Word>,
}

/// The beginning of a call.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The dialect that the call is read in.
    pub dialect: &'static DialectInfo,
    /// The start marker, a wrapper in front of it included.
    pub marker: Span,
    /// What stands in front of the body; a name or an id may come later.
    pub header: Header,
    /// Offset of the first byte of the body.
    pub body: usize,
    /// Whether the runtime sees it and counts it: what it does not see takes no number for an id.
    pub is_seen: bool,
}

/// What a call says of itself beside its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The name of the tool.
    pub name: Word,
    /// The id; `None` when the runtime makes one.
    pub id: Option<Word>,
    /// Ids of the calls that this one waits for, each once.
    pub dependencies: Vec<Word>,
}

/// A name or an id: where it stands, and what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its bytes; empty where it is not written and only follows from the dialect.
    pub span: Span,
    /// What it is, where that is not what its bytes say.
    pub decoded: Option<Box<str>>,
}

impl Word {
    /// A word that is written as it is.
    pub fn plain(span: Span) -> Self {
        Self { span, decoded: None }
    }

    /// A word that is written in another way, or not at all.
    pub fn decoded(span: Span, words: impl Into<Box<str>>) -> Self {
        Self { span, decoded: Some(words.into()) }
    }

    /// What it is: the decoded word, or else its bytes.
    pub fn text<'a>(&'a self, text: &'a Text) -> Cow<'a, str> {
        match &self.decoded {
            Some(decoded) => Cow::Borrowed(decoded),
            None => text.read_str(self.span),
        }
    }
}

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// Offset behind the body, in front of the end marker if there is one.
    pub body_end: usize,
    /// Offset behind the call; what follows is prose or the next call.
    pub end: usize,
    /// What ended it; never [`Status::Open`].
    pub status: Status,
}

/// How far a call has come.
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
    /// The word for it in the output.
    pub fn word(self) -> &'static str {
        self.into()
    }
}
