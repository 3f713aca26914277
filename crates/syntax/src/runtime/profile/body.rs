//! Handling of a text that holds the name and the arguments of a call.

use serde::Deserialize;

use crate::value::json::flavour::Flavour;

/// Reading of a text that holds name and arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Body {
    /// The notation of the text.
    pub(crate) read: Flavour,
    /// The position of name and arguments.
    pub(crate) form: BodyForm,
    /// Keys of the name; the first that exists is used.
    pub(crate) name: Vec<String>,
    /// Keys of the arguments; the first that exists is used.
    pub(crate) arguments: Vec<String>,
    /// Keys of the id; the first that exists is used, and without one the runtime makes an id.
    pub(crate) id: Vec<String>,
    /// Handling of a list of calls.
    pub(crate) list: ListRule,
    /// Handling of a value of another type: a list, a string, a number.
    pub(crate) other: OtherBody,
    /// Handling of a list item that is not a call.
    pub(crate) bad_item: BadItem,
    /// Handling of text after the value.
    pub(crate) trailing: TrailingText,
    /// True if falsy arguments (in Python's sense) count as missing, so that the next key is tried.
    pub(crate) skips_falsy: bool,
    /// Handling of a call without arguments.
    pub(crate) missing_arguments: MissingMember,
    /// True if falsy arguments (in Python's sense) are delivered as an empty text.
    pub(crate) falsy_is_text: bool,
    /// Handling of a missing name.
    pub(crate) missing_name: MissingMember,
    /// Handling of a name that is not a string.
    pub(crate) other_name: OtherName,
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
            trailing: TrailingText::Refuse,
            skips_falsy: false,
            missing_arguments: MissingMember::Bad,
            falsy_is_text: false,
            missing_name: MissingMember::Bad,
            other_name: OtherName::Write,
        }
    }
}

/// Handling of a body that is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListRule {
    /// A list is not a call.
    Refuse,
    /// Every item of a list is a call.
    Allow,
    /// A body that is not a list cannot be read as calls.
    Require,
}

/// The position of name and arguments in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyForm {
    /// Each is under its own key.
    Members,
    /// The name is the first key, and the arguments are its value.
    Keyed,
    /// The name is the first tool of the request that the text mentions, and the arguments are in the object at its
    /// end: under a key of arguments next to a name, under the tool's name at any depth, or the object itself.
    Mentioned,
}

/// Handling of a body that is a value of the wrong type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherBody {
    /// The call cannot be read.
    Bad,
    /// It is treated as an object without any members.
    Lacking,
}

/// Handling of a name that is not a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OtherName {
    /// It is written as JSON; `null` counts as missing.
    Write,
    /// The call cannot be read.
    Bad,
    /// The call is delivered with an empty name.
    Empty,
}

/// Handling of a list item that is not a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BadItem {
    /// The whole list cannot be read.
    Bad,
    /// The item is skipped, the others are delivered. Objects without name and arguments are skipped, too.
    Skip,
}

/// Handling of text after a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrailingText {
    /// The value cannot be read.
    Refuse,
    /// The text is ignored silently.
    Ignore,
}

/// Handling of a missing member of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MissingMember {
    /// The call cannot be read.
    Bad,
    /// The parser raises, and the request fails.
    Raise,
    /// It is an empty object or an empty name.
    Empty,
    /// The name is missing; arguments are `null`.
    None,
}
