//! Handling of the value and the key of one parameter. How a text is converted to a type is in `value::cast`.

use serde::Deserialize;

use super::{References, Trim};
use crate::value::cast::Typing;

/// Reading of the text of a value.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Values {
    /// White space that is removed from its ends first.
    pub(crate) trim: Trim,
    /// White space that is removed from the ends of its key.
    pub(crate) trim_key: Trim,
    /// Decoding of character references in it.
    pub(crate) references: References,
    /// Conversion of the text to a value.
    pub(crate) read: Typing,
    /// Handling of a repeated key.
    pub(crate) repeated: Repeated,
    /// Handling of a key that is not a parameter of its tool, if these are known.
    pub(crate) unknown: UnknownKey,
    /// Keys that may hold an object of parameters, if they are not parameters themselves and unknown keys are not kept.
    pub(crate) wrappers: Vec<String>,
    /// Handling of a missing parameter that the tool requires.
    pub(crate) missing: MissingKey,
}

/// Handling of a key that is not a parameter of its tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownKey {
    /// It is delivered to the client.
    #[default]
    Keep,
    /// It is left out; the others are delivered.
    Drop,
    /// The call cannot be read.
    Bad,
}

/// Handling of a missing parameter that the tool requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingKey {
    /// The call is delivered without it.
    #[default]
    Keep,
    /// The call cannot be read.
    Bad,
}

/// Handling of a repeated key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeated {
    /// The last value counts, as in Python's JSON.
    #[default]
    Last,
    /// The first value counts; later ones are lost.
    First,
    /// The call cannot be read.
    Bad,
}
