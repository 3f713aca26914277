//! What a profile decides about all content and all reasoning of a message together.
//!
//! What becomes of single stretches of prose stands in [`super::Prose`].

use serde::Deserialize;

use super::Trim;

/// What becomes of the reasoning.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reasoning {
    /// Which stretches are delivered.
    pub take: Take,
    /// What is cut off at the ends of each stretch.
    pub trim: Trim,
    /// What is cut off at the ends of all of it together.
    pub together: Trim,
    /// Whether it is delivered.
    pub fate: ReasoningFate,
}

/// Which of several stretches of one kind are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// All of them, one behind the other.
    #[default]
    All,
    /// The last one, since each takes the place of the one before.
    Last,
}

/// Whether reasoning is delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasoningFate {
    /// It is delivered.
    #[default]
    Deliver,
    /// Nobody gets it.
    Lose,
}

/// What becomes of the content when calls are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithCalls {
    /// It is delivered as it is.
    #[default]
    Keep,
    /// It is delivered without white space at its ends.
    Trim,
    /// It is delivered as it is, unless it is nothing but white space.
    LoseBlank,
}

/// What becomes of a text in which the grammar finds no call, be it delivered or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutCalls {
    /// What the grammar says of its stretches.
    #[default]
    AsFound,
    /// All of it is content.
    AllText,
}
