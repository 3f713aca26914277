//! Handling of the text of all arguments of a call.

use serde::Deserialize;

use super::Trim;

/// Reading of the text of all arguments.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Arguments {
    /// White space in the written arguments, if they consist of keys and values.
    pub(crate) spacing: Spacing,
    /// White space that is removed from its ends first.
    pub(crate) trim: Trim,
    /// The notation of the text.
    pub(crate) read: ArgumentText,
    /// True if characters outside of ASCII are escaped in JSON that is not an object.
    pub(crate) ascii: bool,
    /// Mark that precedes each tag, if the arguments are tags.
    pub(crate) mark: String,
    /// Handling of arguments that are not an object.
    pub(crate) other: OtherArguments,
    /// Prefix of each tag of values in nested elements.
    pub(crate) marker: String,
    /// Handling of the closing brace if the call has no `close`.
    pub(crate) unclosed: Unclosed,
    /// Wrapper keys: if one of them is the only key and not in the schema, its value is used as the arguments, provided
    /// that all keys in it are in the schema.
    pub(crate) unwrap: Vec<String>,
}

/// Handling of the arguments of a call without an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unclosed {
    /// They are an object as in any other call.
    #[default]
    Close,
    /// Their text lacks the closing brace, and the closing quote of a string in which the message ends.
    Open,
    /// Like `Open`; a value in which the call ends is withheld unless its schema says that it is a string. Nothing is
    /// delivered starting at a repeated key.
    Typed,
    /// Their text lacks the closing quote of a string in which the message ends; any other value in which it ends is
    /// left out.
    Quote,
}

/// White space in the text of arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Spacing {
    /// A space after commas and colons.
    #[default]
    Wide,
    /// No spaces outside of strings.
    Compact,
}

/// The notation of the text of all arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentText {
    /// JSON as accepted by Python's decoder.
    #[default]
    Json,
    /// Gemma's literals, read by a scanner that keeps bare words as texts, see [`crate::value::gemma4`].
    GemmaTexts,
    /// Gemma's literals, read by a scanner that turns bare words into booleans and numbers if it can.
    GemmaGuessed,
    /// Gemma's literals, turned into JSON by replacement.
    GemmaJson,
    /// Gemma's literals, turned into JSON by putting each word before a colon in quotes; an empty object if that fails.
    GemmaOrEmpty,
    /// Nested tags, each after the `mark`, see `crate::value::marked_tags`.
    NestedTags,
    /// Nested tags as vLLM reads them: up to the first unclosed one.
    LeadingTags,
    /// Keys and values with `=`, see [`crate::value::notation::pairs`].
    Pairs,
    /// JSON without Python's `NaN` and infinities.
    StrictJson,
    /// Only JSON of RFC 8259.
    Rfc8259,
    /// JSON as accepted by Go.
    Go,
    /// Gemma's literals, whose bare words have the types of the schema, see [`crate::value::gemma4`].
    GemmaTyped,
    /// JSON as accepted by Python, else a Python literal, else the text as a string.
    JsonOrLiteral,
    /// JSON as accepted by Python, which is written again; any other text is passed on.
    JsonOrText,
    /// Like `JsonOrText` for JSON at the beginning; text after it is ignored.
    FirstJsonOrText,
    /// Not read: the text is passed on.
    PassOn,
    /// Not read: the text is assembled from the captures, and left open if the message ends in the call.
    Written,
    /// Like `Written`, with spaces after commas and colons, and values that are not strings byte for byte.
    Joined,
    /// Gemma's notation, from which JSON is assembled like in `Written`.
    WrittenGemma,
}

/// Handling of arguments that are not an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherArguments {
    /// They are delivered byte for byte as in the message.
    #[default]
    Keep,
    /// The call cannot be read.
    Bad,
    /// They become an empty object.
    Empty,
    /// They become an object with the single key `value`.
    Wrap,
    /// Falsy values (in Python's sense) become an empty object, others are written unchanged.
    EmptyIfFalsy,
    /// `null` becomes an empty object, others are written unchanged.
    EmptyIfNull,
    /// `null` is delivered as a value, not as text; with any other value the call cannot be read.
    NullOrBad,
    /// They are delivered as a value, not as text.
    Value,
    /// A string is the text of the arguments; with any other value the call cannot be read.
    Text,
    /// A string is the text of the arguments; with `null` the call cannot be read, and other values are written
    /// unchanged.
    TextOrKeep,
    /// A string is the text of the arguments; other values are written as JSON.
    TextOrJson,
    /// A string is the text of the arguments; `null` becomes an empty object, and other values are written as JSON.
    TextOrEmpty,
    /// In a body, a string is decoded as JSON, which must give an object, or the call cannot be read; elsewhere
    /// arguments are written as JSON.
    Decode,
}
