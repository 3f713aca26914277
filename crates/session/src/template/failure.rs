//! Failures of templates: the template, the line and what to do.

use std::fmt;

use minijinja::ErrorKind;

/// A failure to render a template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateFailure {
    /// Name of the template's file.
    pub template: String,
    /// Line of the template, from 1; nothing if the failure concerns all of it.
    pub line: Option<usize>,
    /// Who refused: the parser, the template itself, Python's rules, or a limit.
    pub kind: FailureKind,
    /// Message, as jinja2 words it if it has one.
    pub message: String,
    /// The remedy, as a clause after the message.
    pub help: Option<String>,
}

/// Kinds of failures, by who refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The source is not a template.
    Syntax,
    /// The template calls `raise_exception`: it refuses this conversation.
    Raised,
    /// An operation that Python or the sandbox of transformers refuses.
    Operation,
    /// The template takes too long, writes too much or nests too deeply.
    Limit,
}

/// Steps that a render may take: an instruction is one, and so are 64 bytes that are written or allocated.
pub const MAX_STEPS: u64 = 1_000_000;

/// Precedes the message of `raise_exception` in an error of the engine.
pub(super) const RAISED: &str = "raise_exception: ";

impl TemplateFailure {
    /// A failure of a whole template.
    #[must_use]
    pub fn new(template: &str, kind: FailureKind, message: impl Into<String>) -> Self {
        Self { template: template.to_owned(), line: None, kind, message: message.into(), help: None }
    }

    /// The failure at a line.
    #[must_use]
    pub fn at(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// The message with its place and remedy, on one line.
    #[must_use]
    pub fn with_help(&self) -> String {
        let help = self.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{self}{help}")
    }

    pub(super) fn from_engine(template: &str, error: &minijinja::Error) -> Self {
        let detail = error.detail().unwrap_or_default();
        let (kind, message) = match (error.kind(), detail.strip_prefix(RAISED)) {
            (_, Some(raised)) => (FailureKind::Raised, raised.to_owned()),
            (ErrorKind::SyntaxError | ErrorKind::BadEscape, _) => (FailureKind::Syntax, detail.to_owned()),
            (ErrorKind::OutOfFuel, _) => {
                (FailureKind::Limit, format!("the template takes more than {MAX_STEPS} steps"))
            }
            (_, None) if detail.contains("recursion limit") => (FailureKind::Limit, detail.to_owned()),
            (kind, None) if detail.is_empty() => (FailureKind::Operation, kind.to_string()),
            (_, None) => (FailureKind::Operation, detail.to_owned()),
        };
        let help = help(error.kind(), &message);
        Self { template: template.to_owned(), line: error.line(), kind, message, help }
    }
}

/// The remedy for an error of the engine.
fn help(kind: ErrorKind, message: &str) -> Option<String> {
    let help = match kind {
        ErrorKind::UnknownFilter => "transformers has the filters of jinja2 and tojson only",
        ErrorKind::OutOfFuel => "look for a loop or a repetition that grows with each message",
        ErrorKind::UndefinedError => "test the value with `is defined`, or give it with --kwargs",
        _ if message.contains("object is unsafe") => {
            "build a new value instead: `list + [item]`, `dict(old, key=value)`"
        }
        _ if message.contains("NoneType") || message.contains("none") => {
            "a member of a message is null: test it with `is none`, or leave it out"
        }
        _ if message.contains("get item pairs") => {
            "the arguments are a text, not an object; vLLM converts them (--as vllm)"
        }
        _ => return None,
    };
    Some(help.to_owned())
}

impl fmt::Display for TemplateFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.template)?;
        if let Some(line) = self.line {
            write!(out, ":{line}")?;
        }
        let verb = if self.kind == FailureKind::Raised { "the template raises: " } else { "" };
        write!(out, ": {verb}{}", self.message)
    }
}

impl std::error::Error for TemplateFailure {}
