//! How a profile says what becomes of the value of one parameter and of its key.
//!
//! It does not know how types are made of texts.

use serde::Deserialize;

use super::{References, Trim};
use crate::value::cast::Typing;

/// How the text of a value is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Values {
    /// What is cut off at its ends before it is read.
    pub trim: Trim,
    /// What is cut off at the ends of its key.
    pub trim_key: Trim,
    /// Whether character references in it are replaced.
    pub references: References,
    /// What makes a value of it.
    pub read: Typing,
    /// What a key that comes twice does.
    pub repeated: Repeated,
    /// What a key does that is not among the parameters of its tool, where these are known.
    pub unknown: UnknownKey,
    /// Keys that may hold an object of the parameters, where they are none themselves and unknown ones are not kept.
    pub wrappers: Vec<String>,
    /// What a parameter does that the tool requires and the call does not have.
    pub missing: MissingKey,
}

/// What a key does that is not among the parameters of its tool.
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

/// What a required parameter does that a call does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingKey {
    /// Nothing: the call is delivered without it.
    #[default]
    Keep,
    /// The call cannot be read.
    Bad,
}

/// What a key that comes twice does.
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
