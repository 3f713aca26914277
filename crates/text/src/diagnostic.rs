//! Problems as data: what is wrong, where, and what to do about it.
//!
//! A [`Diagnostic`] describes one problem at one place in one transcript. The general explanation of its kind is in
//! [`catalog`].

mod bounded_problems;
pub mod catalog;

use std::borrow::Cow;

use serde::{Serialize, Serializer};

pub use bounded_problems::{BoundedProblems, MAX_LISTED, ProblemCounts, ProblemKind};
pub use catalog::Code;

use crate::text::{Span, sanitize};

/// Severity of a problem, by its effect on the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// The text is fine; something failed in the session.
    Note,
    /// Unusual, and worth a look.
    Hint,
    /// The runtime accepts it, but it is almost certainly not what was meant.
    Warning,
    /// The runtime rejects the call or loses part of it.
    Error,
}

impl Severity {
    /// All severities, the most severe first.
    pub const ALL: [Severity; 4] = [Severity::Error, Severity::Warning, Severity::Hint, Severity::Note];

    /// Its name: `error`, `warning`, `hint` or `note`.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A problem at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The kind of problem, which has a page in the catalog.
    pub code: Code,
    /// Its severity, by default that of the code.
    pub severity: Severity,
    /// One line with names and values; the runtime's own error message if it has one.
    pub message: String,
    /// The smallest span that shows the fault.
    pub span: Span,
    /// The correct text at this place, if known.
    pub expected: Option<String>,
    /// The text found instead, if it is worth quoting.
    pub found: Option<String>,
    /// Advice on the correction; see [`Diagnostic::help_text`].
    pub help: Help,
    /// The edit that removes it, if known.
    pub remedy: Option<Edit>,
    /// Other places related to the problem.
    pub related: Vec<Related>,
    /// Index of the call or result concerned in the document's items.
    pub item: Option<usize>,
    /// Span in the file, if the problem is in bytes that are not part of the text.
    pub source: Option<Span>,
}

/// What to do about a problem.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Help {
    /// The general advice on the page of its code.
    OfCode,
    /// Advice for this place, instead of the general one.
    OfPlace(String),
    /// A suggestion: the remedy replaces a name with a similar known one.
    SimilarName,
}

/// A replacement of a range of text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The range to replace; empty for an insertion.
    pub span: Span,
    /// The new text; empty for a deletion.
    pub with: String,
}

/// Another place related to a problem.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Related {
    /// Its span in the transcript text.
    pub span: Span,
    /// Its relation to the problem.
    pub message: String,
}

/// Most related places of a problem that are kept: a cycle or a gap may have a million of them.
pub(crate) const MAX_RELATED: usize = 1000;

impl Diagnostic {
    /// A problem with its code's severity and help, not yet assigned to an item.
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

    /// Its code and severity.
    pub fn kind(&self) -> ProblemKind {
        (self.code, self.severity)
    }

    /// The advice as text.
    pub fn help_text(&self) -> Cow<'_, str> {
        match (&self.help, &self.remedy) {
            (Help::OfPlace(help), _) => help.into(),
            (Help::SimilarName, Some(edit)) => format!("did you mean {}?", edit.with).into(),
            _ => self.code.info().help.as_str().into(),
        }
    }

    /// Overrides the severity of its code.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Lowers the severity to a hint if `is_hint`.
    #[must_use]
    pub fn hint_if(self, is_hint: bool) -> Self {
        if is_hint { self.with_severity(Severity::Hint) } else { self }
    }

    /// Sets what was expected and what was found.
    #[must_use]
    pub fn contrast(mut self, expected: impl Into<String>, found: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.found = Some(found.into());
        self
    }

    /// Replaces the general advice with advice for this place.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Help::OfPlace(help.into());
        self
    }

    /// Sets a remedy that replaces the whole span.
    #[must_use]
    pub fn replace_with(self, with: impl Into<String>) -> Self {
        let span = self.span;
        self.remedy(span, with)
    }

    /// Sets the edit that removes the problem.
    #[must_use]
    pub fn remedy(mut self, span: Span, with: impl Into<String>) -> Self {
        self.remedy = Some(Edit { span, with: with.into() });
        self
    }

    /// Suggests a known name in place of the one at `span`.
    #[must_use]
    pub fn did_you_mean(self, near: &str, found: impl Into<String>, span: Span) -> Self {
        Self { help: Help::SimilarName, ..self.contrast(near, found).remedy(span, near) }
    }

    /// Adds a related place; `message` states its relation to the problem.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.add_related(span, message);
        self
    }

    /// As [`Self::related`]. At most `MAX_RELATED` are kept, and the last one says that more were left out.
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

    /// Sets the item that it concerns.
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

/// Reports invisible characters in a name, an id or a key; `place` describes what contains them.
pub fn hidden_characters(text: &str, span: Span, place: &str) -> Option<Diagnostic> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let found = text.chars().find(|&c| c.is_control() || sanitize::is_hidden(c))?;
    let message = format!("{place} contains U+{:04X}, which is invisible", found as u32);
    Some(Diagnostic::new(Code::HiddenCharacters, span, message))
}
