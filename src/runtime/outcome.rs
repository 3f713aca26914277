//! What a runtime delivers of a message, and why.

use serde::Serialize;
use serde_json::Value as Json;

use crate::text::Span;

/// What a client gets.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// The text of the answer; never empty.
    pub content: Option<String>,
    /// The text of the reasoning; never empty.
    pub reasoning: Option<String>,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The words of an error, which takes the place of the rest.
    pub error: Option<String>,
}

/// A call as a client gets it.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    /// The name of the tool; some runtimes deliver calls without one.
    pub name: Option<String>,
    /// An object, if the text of the arguments is one in JSON; else that text.
    pub arguments: Json,
    /// The id that the text gives to the call.
    pub id: Option<String>,
    /// Where it stands.
    #[serde(skip)]
    pub span: Span,
    /// Where its name stands; all of it where that is not known.
    #[serde(skip)]
    pub name_span: Span,
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.arguments, &self.id) == (&other.name, &other.arguments, &other.id)
    }
}

/// How a runtime reads a message.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What it delivers.
    pub outcome: Outcome,
    /// What becomes of which bytes, in order; bytes in no part are markup.
    pub parts: Vec<Part>,
    /// Why it is so, where another runtime might do otherwise.
    pub reasons: Vec<Reason>,
}

/// What becomes of a stretch of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The stretch.
    pub span: Span,
    /// What becomes of it.
    pub kind: PartKind,
}

/// What becomes of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// They are content.
    Content,
    /// They are reasoning.
    Reasoning,
    /// They are this many calls.
    Calls(usize),
    /// Nobody gets them.
    Lost,
}

/// Why a runtime delivers what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The rule.
    pub code: ReasonCode,
    /// The bytes that it is about.
    pub span: Span,
}

/// A rule that makes runtimes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonCode {
    /// Nothing is read, since the request names no tool.
    NoToolsInRequest,
    /// A call of a tool that the request does not name is left out.
    UnknownToolDropped,
    /// A call of a tool that the request does not name stays text.
    UnknownToolShown,
    /// A call of a tool that the request does not name is an error.
    UnknownToolRejected,
    /// The text does not fit the grammar, and an error takes its place.
    MessageRejected,
    /// The text does not fit the grammar, and all of it is content.
    MessageNotMatched,
    /// Markers are there but no call, and all of the text is content.
    NoCallInMarkup,
    /// One call that cannot be read makes content of the whole text.
    OneCallSpoilsAll,
    /// The parser raises an exception.
    ParserRaises,
    /// The text ends in a call.
    CutCall,
    /// The text ends in a value.
    CutInValue,
    /// What stands in a call is not what it is read as.
    BrokenCall,
    /// What stands in a call is no call.
    WrongShape,
    /// The name of a call is no string.
    NameNotText,
    /// The arguments are not what they are read as.
    BrokenArguments,
    /// The arguments are a list, a string or nothing.
    ArgumentsNotAnObject,
    /// A value cannot become what the schema asks for.
    ValueNotTyped,
    /// A key is no parameter of its tool.
    UnknownParameter,
    /// A parameter that the tool requires is not there.
    ParameterMissing,
    /// A key comes twice.
    RepeatedKey,
    /// Reasoning is not delivered.
    ReasoningLost,
    /// Prose is not delivered.
    ProseLost,
    /// Prose is delivered without white space at its ends.
    ProseTrimmed,
    /// A later stretch of the same kind takes its place.
    ReplacedByLater,
    /// A marker counts only together with white space, which is not there.
    NewlineAfterOpener,
    /// A marker begins nothing and is delivered as text.
    MarkerInContent,
    /// Text inside of a call belongs to no parameter and is passed over.
    TextInCallLost,
    /// A stretch with markers is delivered neither as a call nor as text.
    CallSwallowed,
    /// Another parser finds a call here.
    CallNotFound,
    /// Another parser makes another call of the same text.
    CallReadOtherwise,
    /// Another parser makes another value of the same text.
    ValueReadOtherwise,
}
