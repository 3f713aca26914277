//! The behaviour of one parser of a runtime on the text of a dialect, as data.
//!
//! `runtime/profiles/DIALECT.yaml` holds the profiles of the parsers that read the dialect. A profile has a grammar,
//! which describes what the parser finds, and rules for all decisions about it. Behaviour that all parsers of a runtime
//! share is in `runtime/runtimes.yaml`; a profile may extend another one of its file (`like`). Differences when the
//! text arrives in pieces are under `streamed`. A profile describes all recorded releases of its runtime, or those from
//! `since` to `until`; of several profiles of one parser, the newest comes first.

pub mod arguments;
pub mod behaviour;
pub mod body;
pub mod file;
pub mod prose;
pub(crate) mod references;
pub(crate) mod steps;
pub mod values;

use serde::Deserialize;

pub use arguments::{ArgumentText, OtherArguments, Unclosed};
pub(crate) use arguments::{Arguments, Spacing};
pub use behaviour::{Behaviour, LazyBehaviour};
pub(crate) use body::{BadItem, Body, MissingMember, OtherName};
pub use body::{BodyForm, ListRule, OtherBody, TrailingText};
pub use file::{Defaults, parse_defaults, parse_file};
pub(crate) use file::{built_in_defaults, built_in_profiles};

use super::release::Release;
use crate::value::python::syntax::PythonRules;

pub use prose::{Content, CountedCalls, Prose, Reasoning, ReasoningFate, Take, Trim, WithCalls, WithoutCalls};
pub use references::References;
pub use steps::Sends;
pub(crate) use steps::{ArgumentSteps, HeldSpace};
pub use values::{MissingKey, Repeated, UnknownKey, Values};

/// A parser of a runtime, applied to the text of one dialect.
#[derive(Debug)]
pub struct Profile {
    /// The name of the runtime: `vllm`.
    pub runtime: String,
    /// The parser's names; the first one is displayed.
    pub parsers: Vec<String>,
    /// The dialect that it reads.
    pub dialect: String,
    /// The recorded releases that it describes, newest first; at least one.
    pub releases: Vec<Release>,
    /// True if the newest recorded release of the runtime is one of them.
    pub(crate) is_current: bool,
    /// Behaviour for a complete text.
    pub whole: LazyBehaviour,
    /// Behaviour for a text that arrives in pieces, if that may differ.
    pub(crate) streamed: Option<LazyBehaviour>,
    /// When it sends the parts of a call, in the newest release; `None` if that is not recorded.
    pub(crate) sends: Option<Sends>,
    /// Behaviour of a server of the newest release for a complete text; `None` if the parser is the server's own.
    pub(crate) served: Option<LazyBehaviour>,
}

impl Profile {
    /// The runtime and the first parser: `vllm:hermes`.
    fn name(&self) -> String {
        format!("{}:{}", self.runtime, self.parsers.first().map_or("", String::as_str))
    }

    /// Parses the grammars and rules of all behaviours, which otherwise happens when they are first used.
    ///
    /// # Errors
    /// States what is wrong with a grammar or with rules.
    pub(crate) fn check(&self) -> Result<(), String> {
        let all = [Some(&self.whole), self.streamed.as_ref(), self.served.as_ref()];
        all.into_iter().flatten().try_for_each(LazyBehaviour::check)
    }
}

/// The decisions of a parser about what it found.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    /// True if the rule `message` must match the whole text; otherwise the text is searched for the rule `item`, and
    /// the text between items is prose.
    #[serde(default)]
    pub whole: bool,
    /// White space that is removed from the ends of the text first.
    #[serde(default)]
    pub(crate) trim: Trim,
    /// Texts that are removed before reading, one after the other. If everything is content then, they are kept, and
    /// nothing is trimmed.
    #[serde(default)]
    pub(crate) erased: Vec<String>,
    /// True if the end of the text matches whatever the grammar misses there.
    #[serde(default)]
    pub(crate) lenient: bool,
    /// The result of a lookahead that reaches the end of the text, if the grammar is lenient.
    #[serde(default)]
    pub(crate) undecided: Undecided,
    /// Handling of a text that does not match as a whole.
    #[serde(default)]
    pub(crate) mismatch: Mismatch,
    /// Reading of the text labelled `body`.
    #[serde(default)]
    pub(crate) body: Body,
    /// Reading of the text labelled `python`.
    #[serde(default)]
    pub(crate) python: PythonRules,
    /// Reading of the text labelled `arguments`.
    #[serde(default)]
    pub(crate) arguments: Arguments,
    /// Reading of a text labelled `value`.
    #[serde(default)]
    pub(crate) values: Values,
    /// Conversion of values to the types of the schema after they were read.
    #[serde(default)]
    pub(crate) coerce: ArgumentCoercion,
    /// White space that is removed from the ends of names.
    #[serde(default)]
    pub(crate) names: Trim,
    /// Decoding of character references in the names of tools and parameters.
    #[serde(default)]
    pub(crate) name_references: References,
    /// Handling of a call without a name whose arguments are text.
    #[serde(default)]
    pub(crate) nameless: Nameless,
    /// Handling of a call with an empty name.
    #[serde(default)]
    pub(crate) empty_name: CallFate,
    /// Handling of a call of a tool that is not in the request.
    #[serde(default)]
    pub(crate) unknown_tool: CallFate,
    /// Handling of a text if the request has no tools.
    #[serde(default)]
    pub(crate) without_tools: WithoutTools,
    /// Handling of a call that cannot be read.
    #[serde(default = "CallFate::drop")]
    pub(crate) bad_call: CallFate,
    /// Handling of a body that can be read but is not a call; `bad_call` applies if absent.
    #[serde(default)]
    pub(crate) bad_shape: Option<CallFate>,
    /// Handling of a text without calls.
    #[serde(default)]
    pub(crate) without_calls: WithoutCalls,
    /// Handling of prose.
    #[serde(default)]
    pub(crate) content: Content,
    /// Handling of reasoning.
    #[serde(default)]
    pub(crate) reasoning: Reasoning,
    /// Combination of several blocks of calls.
    #[serde(default)]
    pub(crate) call_blocks: Take,
    /// The message of the parser's error.
    #[serde(default)]
    pub(crate) error: String,
    /// Number of bracketed arguments from which the parser's regular expression takes more than half a second for a
    /// list of calls that does not match; the time doubles with each further one. 0 if it does not backtrack.
    #[serde(default)]
    pub(crate) backtracks: usize,
}

/// Conversion of values to the types of the schema after they were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentCoercion {
    /// None.
    #[default]
    None,
    /// As in vLLM's engine, also in objects and lists: texts follow
    /// [`Typing::Vllm`](crate::value::cast::Typing::Vllm), other values are converted by way of their JSON.
    Vllm,
    /// As in response templates: texts become the first type of the schema, in its order, that fits.
    Template,
}

/// The result of a lookahead that reaches the end of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undecided {
    /// The expected text does not follow.
    #[default]
    Absent,
    /// The text counts as cut at that offset.
    Cut,
}

/// Handling of a text that does not match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mismatch {
    /// The parser raises an error instead of delivering a message.
    #[default]
    Raise,
    /// The whole text is content.
    Text,
    /// The part that matches is delivered, and the text after it is lost.
    Lose,
}

/// Handling of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CallFate {
    /// It is delivered to the client.
    #[default]
    Deliver,
    /// It is left out, with its text.
    Drop,
    /// Its text becomes content.
    Text,
    /// The whole text becomes content, and no call is delivered.
    AllText,
    /// The parser raises an error instead of delivering a message.
    Raise,
}

impl CallFate {
    fn drop() -> Self {
        Self::Drop
    }
}

/// Handling of a call without a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nameless {
    /// It is delivered without a name.
    #[default]
    Keep,
    /// It is a call of the only tool, or of the tool that has most of its keys.
    Infer,
}

/// Handling of a text whose request has no tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WithoutTools {
    /// It is read as usual.
    #[default]
    Read,
    /// It is read, and every tool name counts as known.
    AnyName,
    /// It is content, as if it contained no call.
    Text,
    /// It is read, and its calls are not delivered.
    LoseCalls,
    /// It is read, and its calls are left out like calls of unknown tools.
    DropCalls,
}
