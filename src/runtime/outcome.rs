//! What a runtime delivers of a message, and why.

use serde::Serialize;
use serde_json::Value as Json;

use super::grammar_fault::GrammarFault;
use crate::diagnostic::Code;
use crate::text::Span;

/// What a client gets of a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// The text of the answer; never empty.
    pub content: Option<String>,
    /// The text of the reasoning; never empty.
    pub reasoning: Option<String>,
    /// The calls, in the order of the text.
    pub calls: Vec<DeliveredCall>,
    /// The words of an error, which takes the place of the rest.
    pub error: Option<String>,
}

/// A call as a client gets it.
#[derive(Clone, Debug, Serialize)]
pub struct DeliveredCall {
    /// The name of the tool; some runtimes deliver calls without one.
    pub name: Option<String>,
    /// An object, if the text of the arguments is one in JSON; else that text.
    pub arguments: Json,
    /// The id that the text gives to the call.
    pub id: Option<String>,
    /// Where it stands in the message.
    #[serde(skip)]
    pub span: Span,
    /// Where its name stands; all of it where that is not known.
    #[serde(skip)]
    pub name_span: Span,
}

impl PartialEq for DeliveredCall {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.arguments, &self.id) == (&other.name, &other.arguments, &other.id)
    }
}

/// How a runtime reads a message.
#[derive(Clone, Debug)]
pub struct RuntimeReading {
    /// What it delivers to the client.
    pub outcome: Outcome,
    /// What becomes of which bytes, in order; bytes in no part are markup.
    pub parts: Vec<MessageStretch>,
    /// Why it is so, where another runtime might do otherwise.
    pub reasons: Vec<Reason>,
    /// The furthest places of the grammar at which the text does not fit; in text that was read, alternatives.
    pub stops: Vec<GrammarFault>,
}

/// What becomes of a stretch of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageStretch {
    /// Its bytes in the message.
    pub span: Span,
    /// What becomes of these bytes.
    pub kind: PartKind,
}

/// What becomes of a stretch of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// They are delivered as content.
    Content,
    /// They are delivered as reasoning.
    Reasoning,
    /// They are this many calls.
    Calls(usize),
    /// They are delivered to nobody, and no error says so.
    Lost,
}

/// Why a runtime delivers what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The rule, which has a page.
    pub code: Code,
    /// The bytes that it is about.
    pub span: Span,
}

impl Reason {
    /// The same from the first character on that is not white space.
    pub fn without_space(self, text: &str) -> Self {
        let seen = text.get(self.span.start..self.span.end).map_or("", str::trim_start);
        let start = if seen.is_empty() { self.span.start } else { self.span.end - seen.len() };
        Self { span: Span::new(start, self.span.end), ..self }
    }
}
