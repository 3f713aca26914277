//! A tool call as it is read back from its record.
//!
//! A [`Call`] is a view: small, made when it is asked for, and gone with the look at it. This module does not know how
//! a record is kept.

use std::borrow::Cow;
use std::fmt;

use super::packed::Packed;
use crate::container::CallOutcome;
use crate::diagnostic::Severity;
use crate::dialect::{Parts, Status, Word};
use crate::text::{Span, Text};

/// A tool call.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// All its bytes, markers included.
    pub span: Span,
    /// Name of its dialect.
    pub dialect: &'static str,
    /// Its start marker.
    pub marker: Span,
    /// Its name; where it is not there, the empty place where the body begins.
    pub name: Label<'a>,
    /// Its id as it is written.
    pub id: Option<Label<'a>>,
    /// The id that the runtime makes, where none is written: what it begins with, and its number.
    pub(super) made_id: (&'static str, u32),
    /// The bytes between header and end.
    pub body: Span,
    /// How far it has come.
    pub status: Status,
    /// Whether the runtime rejects it.
    pub failed: bool,
    /// The most severe problem about it.
    pub worst: Option<Severity>,
    /// What its result says, if it has one.
    pub answer: Option<CallOutcome>,
    pub(super) lists: Lists<'a>,
}

/// A name or an id: where it stands, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// Its bytes; empty where it is not written and only follows from the dialect.
    pub span: Span,
    /// What it is, where that is not what its bytes say.
    pub decoded: Option<&'a str>,
}

/// Where the lists of a call are: those of one that has just been read, or those of a record.
#[derive(Clone, Copy)]
pub(super) enum Lists<'a> {
    Plain { dependencies: &'a [Word], arguments: &'a [u32] },
    Packed { packed: &'a Packed, at: usize },
}

impl<'a> Label<'a> {
    /// What it is.
    pub fn text<'t>(&self, text: &'t Text) -> Cow<'t, str>
    where
        'a: 't,
    {
        match self.decoded {
            Some(decoded) => Cow::Borrowed(decoded),
            None => text.read_str(self.span),
        }
    }
}

impl<'a> From<&'a Word> for Label<'a> {
    fn from(word: &'a Word) -> Self {
        Self { span: word.span, decoded: word.decoded.as_deref() }
    }
}

impl<'a> Call<'a> {
    /// Whether nothing can build on it: the runtime rejects it, or its result says that it failed.
    pub fn has_failed(&self) -> bool {
        self.failed || matches!(self.answer, Some(CallOutcome::Failed | CallOutcome::Denied))
    }

    /// Its name.
    pub fn name(&self, text: &Text) -> String {
        self.name.text(text).into_owned()
    }

    /// Its id, as written or as the runtime makes it.
    pub fn id(&self, text: &Text) -> String {
        match self.id {
            Some(id) => id.text(text).into_owned(),
            None => format!("{}{}", self.made_id.0, self.made_id.1),
        }
    }

    /// The ids that it waits for, as they are written.
    pub fn waits_for(&self) -> Vec<Label<'a>> {
        match self.lists {
            Lists::Plain { dependencies, .. } => dependencies.iter().map(Label::from).collect(),
            Lists::Packed { packed, at } => packed.dependencies(at, self.span.start),
        }
    }

    /// The ids that it waits for.
    pub fn dependencies(&self, text: &Text) -> Vec<String> {
        self.waits_for().iter().map(|label| label.text(text).into_owned()).collect()
    }

    /// Offsets of its argument markers, relative to its first byte.
    pub fn arguments(&self) -> Cow<'a, [u32]> {
        match self.lists {
            Lists::Plain { arguments, .. } => Cow::Borrowed(arguments),
            Lists::Packed { packed, at } => Cow::Owned(packed.arguments(at)),
        }
    }

    /// What its dialect takes it apart by; `arguments` are its own.
    pub fn parts<'b>(&self, arguments: &'b [u32]) -> Parts<'b> {
        Parts { start: self.span.start, body: self.body, arguments, status: self.status }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Call")
            .field("span", &self.span)
            .field("dialect", &self.dialect)
            .field("marker", &self.marker)
            .field("name", &self.name)
            .field("id", &self.id)
            .field("made_id", &self.made_id)
            .field("waits_for", &self.waits_for())
            .field("body", &self.body)
            .field("arguments", &self.arguments())
            .field("status", &self.status)
            .field("failed", &self.failed)
            .field("worst", &self.worst)
            .field("answer", &self.answer)
            .finish()
    }
}
