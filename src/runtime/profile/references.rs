//! Which character references a parser replaces.
//!
//! It does not know where they stand.

use std::borrow::Cow;

use serde::Deserialize;

use crate::text::entity::decode;

/// Whether character references are replaced: `&lt;`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum References {
    /// They stay as they are written.
    #[default]
    Keep,
    /// They become the characters for which they stand.
    Decode,
    /// Those become characters that stand for the signs of an attribute: `&quot;` and `&amp;`.
    DecodeAttribute,
}

impl References {
    /// The text with its references replaced.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Keep => Cow::Borrowed(text),
            Self::Decode => Cow::Owned(decode(text)),
            Self::DecodeAttribute => Cow::Owned(text.replace("&quot;", "\"").replace("&amp;", "&")),
        }
    }
}
