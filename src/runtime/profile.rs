//! What one parser of a runtime does with the text of a dialect, as data.
//!
//! `runtime/profiles/DIALECT.yaml` holds the profiles of the parsers that read the dialect. A profile has a grammar, which
//! says what the parser finds, and rules for everything that is decided about what was found. What a runtime does in all of
//! its parsers stands in `runtime/runtimes.yaml`; a profile may begin from another one of its file (`like`). What
//! a parser does otherwise when the text arrives in pieces stands in `streamed`. A profile describes all recorded releases
//! of its runtime, or those from `since` to `until`; of several profiles of one parser, the newest comes first.

pub mod file;
pub mod prose;
pub mod references;
pub mod values;

use serde::Deserialize;
use serde_yaml::{Mapping, Value as Yaml};

pub use file::{Defaults, parse_defaults, parse_file};

use super::grammar::{CaptureLabel, Grammar};
use super::release::Release;
use crate::value::cast::TypeOrigin;
use crate::value::json::flavour::Flavour;
use crate::value::python::syntax::PythonRules;

pub use prose::{Content, Counted, Prose, Reasoning, ReasoningFate, Take, Trim, WithCalls, WithoutCalls};
pub use references::References;
pub use values::{MissingKey, Repeated, UnknownKey, Values};

/// A parser of a runtime on the text of one dialect.
#[derive(Debug)]
pub struct Profile {
    /// The name of the runtime: `vllm`.
    pub runtime: String,
    /// The parser's names, the first of which is shown.
    pub parsers: Vec<String>,
    /// The dialect that it reads.
    pub dialect: String,
    /// The recorded releases that it describes, newest first; at least one.
    pub releases: Vec<Release>,
    /// True if the newest recorded release of the runtime is one of them.
    pub is_current: bool,
    /// What it does with a text that is whole.
    pub whole: Behaviour,
    /// What it may do with one that arrives in pieces, where that is not the same.
    pub streamed: Option<Behaviour>,
    /// Rules of a server of the newest release for a text that is whole; absent where the parser is the server's own.
    pub served: Option<Behaviour>,
}

/// What a parser does with a message.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// What it finds in the text.
    pub grammar: Grammar,
    /// What it decides about that.
    pub rules: Rules,
}

impl Behaviour {
    fn new(grammar: &str, rules: Mapping) -> Result<Self, String> {
        let rules = serde_yaml::from_value(Yaml::Mapping(rules)).map_err(|error| error.to_string())?;
        Ok(Self { grammar: Grammar::parse(grammar)?, rules })
    }

    /// The source of the types of a call's values.
    pub fn type_origin(&self) -> TypeOrigin {
        let rules = &self.rules;
        match rules.arguments.read {
            _ if rules.coerce != ArgumentCoercion::None => TypeOrigin::Schema,
            _ if self.grammar.has_label(CaptureLabel::Key) => rules.values.read.type_origin(),
            _ if self.grammar.has_label(CaptureLabel::Python) => TypeOrigin::Python,
            ArgumentText::GemmaGuessed | ArgumentText::JsonOrLiteral => TypeOrigin::Python,
            _ => TypeOrigin::Json,
        }
    }
}

/// What a parser decides about what it found.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Whether the rule `message` must fit the whole text; otherwise the rule `item` is looked for in it, and what is
    /// between items is prose.
    #[serde(default)]
    pub whole: bool,
    /// What is cut off at the ends of the text before it is read.
    #[serde(default)]
    pub trim: Trim,
    /// Texts that are taken out before anything is read, one after the other. If all is content then, they stay, and nothing
    /// is cut off.
    #[serde(default)]
    pub erased: Vec<String>,
    /// Whether the end of the text stands for whatever the grammar misses there.
    #[serde(default)]
    pub lenient: bool,
    /// What becomes of a look ahead that the end of the text leaves open, where the grammar is lenient.
    #[serde(default)]
    pub undecided: Undecided,
    /// What becomes of a text that does not fit as a whole.
    #[serde(default)]
    pub mismatch: Mismatch,
    /// How the text labelled `body` is read.
    #[serde(default)]
    pub body: Body,
    /// How the text labelled `python` is read.
    #[serde(default)]
    pub python: PythonRules,
    /// How the text labelled `arguments` is read.
    #[serde(default)]
    pub arguments: Arguments,
    /// How a text labelled `value` is read.
    #[serde(default)]
    pub values: Values,
    /// Whether values are made what the schema says after they were read.
    #[serde(default)]
    pub coerce: ArgumentCoercion,
    /// What is cut off at the ends of names.
    #[serde(default)]
    pub names: Trim,
    /// Whether character references in the names of tools and of parameters are replaced.
    #[serde(default)]
    pub name_references: References,
    /// What becomes of a call without a name whose arguments are text.
    #[serde(default)]
    pub nameless: Nameless,
    /// What becomes of a call whose name is there but empty.
    #[serde(default)]
    pub empty_name: CallFate,
    /// What becomes of a call of a tool that the request does not name.
    #[serde(default)]
    pub unknown_tool: CallFate,
    /// Whether a text is read at all when the request names no tool.
    #[serde(default)]
    pub without_tools: WithoutTools,
    /// What becomes of a call that cannot be read.
    #[serde(default = "CallFate::drop")]
    pub bad_call: CallFate,
    /// What becomes of one that can be read but is no call: where it is not said, what becomes of any that cannot be read.
    #[serde(default)]
    pub bad_shape: Option<CallFate>,
    /// What becomes of a text in which no call is found.
    #[serde(default)]
    pub without_calls: WithoutCalls,
    /// What becomes of the prose.
    #[serde(default)]
    pub content: Content,
    /// What becomes of the reasoning.
    #[serde(default)]
    pub reasoning: Reasoning,
    /// What several stretches with calls become.
    #[serde(default)]
    pub call_blocks: Take,
    /// The words of its error.
    #[serde(default)]
    pub error: String,
    /// Number of arguments in brackets from which the parser's regular expression takes more than half a second for a list of
    /// calls that does not fit: each further one doubles the time. 0 where it does not backtrack.
    #[serde(default)]
    pub backtracks: usize,
}

/// Whether values are made what the schema says after they were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentCoercion {
    /// They stay what they are.
    #[default]
    None,
    /// As vLLM's engine does it, in objects and lists too: texts as [`Typing::Vllm`](crate::value::cast::Typing::Vllm) says, others by way of their JSON.
    Vllm,
    /// As response templates do it: texts become the first type of the schema, in its order, that they can be.
    Template,
}

/// What becomes of a look ahead that the end of the text leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undecided {
    /// What is looked for does not follow.
    #[default]
    Absent,
    /// The text counts as cut at that place.
    Cut,
}

/// What becomes of a text that does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mismatch {
    /// An error takes the place of a message.
    #[default]
    Raise,
    /// All of it is content.
    Text,
    /// What fits is delivered, and nothing of what comes behind it.
    Lose,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallFate {
    /// It is delivered to the client.
    #[default]
    Deliver,
    /// It is left out, with its text.
    Drop,
    /// Its text stays in the content.
    Text,
    /// The whole text becomes content, and no call is delivered.
    AllText,
    /// An error takes the place of the message.
    Raise,
}

impl CallFate {
    fn drop() -> Self {
        Self::Drop
    }
}

/// What becomes of a call without a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nameless {
    /// It is a call without a name.
    #[default]
    Keep,
    /// It is one of the only tool, or of that which knows most of its keys.
    Infer,
}

/// What becomes of a text whose request names no tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutTools {
    /// It is read all the same.
    #[default]
    Read,
    /// It is read, and any name of a tool is taken for known.
    AnyName,
    /// It is content, as if it held no call.
    Text,
    /// It is read, and its calls are not delivered.
    LoseCalls,
}

/// How a text that holds name and arguments is read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// What it is written in.
    pub read: Flavour,
    /// Where name and arguments stand in it.
    pub form: BodyForm,
    /// The keys of the name, the first that is there being taken.
    pub name: Vec<String>,
    /// The keys of the arguments.
    pub arguments: Vec<String>,
    /// The keys of the id.
    pub id: Vec<String>,
    /// Whether it may be a list of calls.
    pub list: ListRule,
    /// What becomes of a value that is not what is asked for: a list, a string, a number.
    pub other: OtherBody,
    /// What becomes of an item of a list that is no call.
    pub bad_item: BadItem,
    /// Whether text may stand behind the value.
    pub behind: Behind,
    /// Whether arguments that Python takes for false count as missing, so that the next key is looked at.
    pub skips_falsy: bool,
    /// What becomes of a call without arguments.
    pub missing_arguments: MissingMember,
    /// True if an empty text is delivered in place of arguments that Python takes for false.
    pub falsy_is_text: bool,
    /// What a missing name is.
    pub missing_name: MissingMember,
    /// What becomes of a name that is no string.
    pub other_name: OtherName,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            read: Flavour::Python,
            form: BodyForm::Members,
            name: vec!["name".to_owned()],
            arguments: vec!["arguments".to_owned()],
            id: Vec::new(),
            list: ListRule::Refuse,
            other: OtherBody::Bad,
            bad_item: BadItem::Bad,
            behind: Behind::Refuse,
            skips_falsy: false,
            missing_arguments: MissingMember::Bad,
            falsy_is_text: false,
            missing_name: MissingMember::Bad,
            other_name: OtherName::Write,
        }
    }
}

/// Whether a body may be a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListRule {
    /// A list is no call.
    Refuse,
    /// A list has a call in each of its items.
    Allow,
    /// Only a list is taken.
    Require,
}

/// Where name and arguments stand in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyForm {
    /// Each under a key of its own.
    Members,
    /// The name is the first key, and the arguments stand under it.
    Keyed,
}

/// What becomes of a body that is a value of the wrong kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherBody {
    /// The call cannot be read.
    Bad,
    /// It is a call that lacks whatever a body may lack.
    Lacking,
}

/// What becomes of a name that is no string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherName {
    /// It is written as JSON; `null` is no name.
    Write,
    /// The call cannot be read.
    Bad,
    /// The name is empty.
    Empty,
}

/// What becomes of an item of a list that is no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadItem {
    /// None of the list can be read.
    Bad,
    /// It is left out; the others are delivered. An object with neither name nor arguments is not a call either.
    Skip,
}

/// Whether text may stand behind a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behind {
    /// The value cannot be read then.
    Refuse,
    /// It is passed over without a word.
    Ignore,
}

/// What something is that a body does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingMember {
    /// The call cannot be read.
    Bad,
    /// The parser raises, and the request fails.
    Raise,
    /// An empty object, an empty name.
    Empty,
    /// No name; arguments that are `null`.
    None,
}

/// How the text of all arguments is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arguments {
    /// How the text of arguments is spaced that are made of keys and values.
    pub spacing: Spacing,
    /// What is cut off at its ends before it is read.
    pub trim: Trim,
    /// What it is written in.
    pub read: ArgumentText,
    /// True if characters outside of ASCII are escaped in JSON that is not an object.
    pub ascii: bool,
    /// What stands in front of each tag where they are tags.
    pub mark: String,
    /// What becomes of arguments that are no object.
    pub other: OtherArguments,
    /// What each tag of values in nested elements begins with.
    pub marker: String,
    /// What becomes of the closing brace where the call has no `close`.
    pub unclosed: Unclosed,
    /// Keys of which one alone, which the schema does not know, holds the arguments if the schema knows all of their keys.
    pub unwrap: Vec<String>,
}

/// What becomes of the arguments of a call whose end is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unclosed {
    /// They are an object as in any call.
    #[default]
    Close,
    /// Their text lacks the brace that would close it, and the quote of a string in which the message ends.
    Open,
    /// The same, and a value in which the call ends is withheld unless it is a string by its schema. From a key that comes
    /// twice nothing more is delivered.
    Typed,
}

/// How the text of arguments is spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// A space stands behind commas and colons.
    #[default]
    Wide,
    /// No space stands outside of strings.
    Compact,
}

/// What the text of all arguments is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentText {
    /// JSON as Python's decoder takes it.
    #[default]
    Json,
    /// Gemma's literals as a scanner takes them that leaves bare words texts, see [`crate::value::gemma4`].
    GemmaTexts,
    /// Gemma's literals as a scanner takes them that makes booleans and numbers of bare words.
    GemmaGuessed,
    /// Gemma's literals made JSON by replacement.
    GemmaJson,
    /// Tags within tags, each behind the `mark`, see [`crate::value::marked_tags`].
    NestedTags,
    /// The same as vLLM reads them: up to the first that is not closed.
    LeadingTags,
    /// Keys and values with `=`, see [`crate::value::notation::pairs`].
    Pairs,
    /// JSON without Python's `NaN` and infinities.
    StrictJson,
    /// Python's JSON, else a Python literal; what is neither becomes a string.
    JsonOrLiteral,
    /// Python's JSON, which is written anew; what is none is passed on.
    JsonOrText,
    /// The same of the JSON at the beginning; what stands behind it is passed over.
    FirstJsonOrText,
    /// Nothing is read: the text is passed on.
    PassOn,
    /// Nothing is read: the text is written of what was found, and stays open where the message ends in the call.
    Written,
    /// Gemma's notation, of which JSON is written in the same way.
    WrittenGemma,
}

/// What becomes of arguments that are no object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherArguments {
    /// They are written as they are.
    #[default]
    Keep,
    /// The call cannot be read.
    Bad,
    /// They become an empty object.
    Empty,
    /// What Python takes for false becomes an empty object, anything else is written as it is.
    EmptyIfFalsy,
    /// `null` becomes an empty object, anything else is written as it is.
    EmptyIfNull,
    /// They are delivered as the value that they are, and not as its text.
    Value,
    /// A string is taken for the text of the arguments; with anything else the call cannot be read.
    Text,
    /// A string is taken for the text of the arguments; with `null` the call cannot be read, and anything else is written as
    /// it is.
    TextOrKeep,
    /// A string is taken for the text of the arguments, and anything else is written as JSON.
    TextOrJson,
    /// A string is taken for the text of the arguments, `null` becomes an empty object, and anything else is written as JSON.
    TextOrEmpty,
    /// In a body, a string is read as JSON, and the call cannot be read unless the result is an object; elsewhere they are
    /// written as JSON.
    Decode,
}
