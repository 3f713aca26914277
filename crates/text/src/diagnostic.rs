//! What is wrong, where, and what to do about it.
//!
//! A [`Diagnostic`] is plain data: the words for one place in one transcript. What a kind of problem means in general
//! is in [`catalog`].

mod bounded_problems;
pub mod catalog;

use std::borrow::Cow;

use serde::{Serialize, Serializer};

pub use bounded_problems::{BoundedProblems, MAX_LISTED, ProblemCounts, ProblemKind};
pub use catalog::Code;

use crate::text::{Span, sanitize};

/// How much a problem matters to the call it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// Nothing is wrong with the text; something went wrong in the session.
    Note,
    /// Unusual, and worth a look.
    Hint,
    /// The runtime accepts it, but surely not as it was meant.
    Warning,
    /// The runtime rejects the call or loses part of it.
    Error,
}

impl Severity {
    /// All of them, the gravest first.
    pub const ALL: [Severity; 4] = [Severity::Error, Severity::Warning, Severity::Hint, Severity::Note];

    /// The word for it: `error`, `warning`, `hint` or `note`.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// One problem at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The kind of problem, which has a page in the catalog.
    pub code: Code,
    /// How much it matters; the code's own severity unless the place says otherwise.
    pub severity: Severity,
    /// One line: what happened, with names and values; the runtime's own words where it has any.
    pub message: String,
    /// The smallest stretch of text that shows the fault.
    pub span: Span,
    /// What would have been right here, if that can be said.
    pub expected: Option<String>,
    /// What is written here instead, as far as it is worth quoting.
    pub found: Option<String>,
    /// What to do about it; [`Diagnostic::help_text`] puts it into words.
    pub help: Help,
    /// The edit that removes it, where one is known.
    pub remedy: Option<Edit>,
    /// Other places that belong to the problem.
    pub related: Vec<Related>,
    /// Number of the call or the result it concerns: an index into the document's items.
    pub item: Option<usize>,
    /// Where it is in the file, if it is about bytes that are not in the text.
    pub source: Option<Span>,
}

/// What to do about a problem.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Help {
    /// What the page of its code says.
    OfCode,
    /// Advice for this place, instead of the general one.
    OfPlace(String),
    /// The known name that the remedy writes was probably meant.
    SimilarName,
}

/// A stretch of the text, and what is to stand there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The stretch; empty to insert something.
    pub span: Span,
    /// What is to stand there; empty to delete.
    pub with: String,
}

/// Another place that belongs to a problem.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Related {
    /// Its bytes in the transcript text.
    pub span: Span,
    /// What it has to do with the problem.
    pub message: String,
}

/// Other places of one problem that are kept: a circle or a gap may have a million of them.
pub const MAX_RELATED: usize = 1000;

impl Diagnostic {
    /// A problem with its code's severity and help, about no call yet.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            span,
            expected: None,
            found: None,
            help: Help::OfCode,
            remedy: None,
            related: Vec::new(),
            item: None,
            source: None,
        }
    }

    /// Its code and its severity.
    pub fn kind(&self) -> ProblemKind {
        (self.code, self.severity)
    }

    /// What to do about it, in words.
    pub fn help_text(&self) -> Cow<'_, str> {
        match (&self.help, &self.remedy) {
            (Help::OfPlace(help), _) => help.into(),
            (Help::SimilarName, Some(edit)) => format!("did you mean {}?", edit.with).into(),
            _ => self.code.info().help.as_str().into(),
        }
    }

    /// Gives it another severity than its code has.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Makes a hint of it where that is so.
    #[must_use]
    pub fn hint_if(self, is_hint: bool) -> Self {
        if is_hint { self.with_severity(Severity::Hint) } else { self }
    }

    /// Says what would have been right and what stands there.
    #[must_use]
    pub fn contrast(mut self, expected: impl Into<String>, found: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.found = Some(found.into());
        self
    }

    /// Replaces the general advice by advice for this place.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Help::OfPlace(help.into());
        self
    }

    /// Says what the whole span should have been.
    #[must_use]
    pub fn replace_with(self, with: impl Into<String>) -> Self {
        let span = self.span;
        self.remedy(span, with)
    }

    /// Says which edit does away with it.
    #[must_use]
    pub fn remedy(mut self, span: Span, with: impl Into<String>) -> Self {
        self.remedy = Some(Edit { span, with: with.into() });
        self
    }

    /// Says which known name was probably meant by the one at `span`.
    #[must_use]
    pub fn did_you_mean(self, near: &str, found: impl Into<String>, span: Span) -> Self {
        Self { help: Help::SimilarName, ..self.contrast(near, found).remedy(span, near) }
    }

    /// Adds another place; `message` says what it has to do with the problem.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.add_related(span, message);
        self
    }

    /// The same, of which [`MAX_RELATED`] are kept; the last one says so.
    pub fn add_related(&mut self, span: Span, message: impl Into<String>) {
        match self.related.len() {
            MAX_RELATED => {}
            last if last + 1 == MAX_RELATED => {
                let message = format!("{}; further places are not listed", message.into());
                self.related.push(Related { span, message });
            }
            _ => self.related.push(Related { span, message: message.into() }),
        }
    }

    /// Says which call it is about.
    #[must_use]
    pub fn item(mut self, item: Option<usize>) -> Self {
        self.item = item;
        self
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Characters in a name, an id or a key that cannot be seen, as a problem; `place` says what holds them.
pub fn hidden_characters(text: &str, span: Span, place: &str) -> Option<Diagnostic> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let found = text.chars().find(|&c| c.is_control() || sanitize::is_hidden(c))?;
    let message = format!("{place} contains U+{:04X}, which is invisible", found as u32);
    Some(Diagnostic::new(Code::HiddenCharacters, span, message))
}
