//! What a parser delivers of the stretches of prose and of reasoning: which of them, and how they are trimmed.
//!
//! It does not know how the stretches are found.

use serde::Deserialize;

use crate::text::Span;

/// What becomes of the prose.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Content {
    /// That in front of the first call.
    pub before: Prose,
    /// What becomes of that between calls.
    pub between: Prose,
    /// That behind the last call.
    pub after: Prose,
    /// That of a text without a call.
    pub alone: Prose,
    /// Which of several stretches are delivered.
    pub take: Take,
    /// Which ones are where there are calls, if that is not the same.
    pub beside_calls: Option<Take>,
    /// What is cut off at the ends of all of it together.
    pub trim: Trim,
    /// What becomes of all of it together when calls are delivered.
    pub with_calls: WithCalls,
    /// Whether white space alone is delivered with calls.
    pub blank: Prose,
    /// Which calls are meant where prose is told apart by them.
    pub calls: Counted,
}

/// What becomes of the reasoning.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reasoning {
    /// Which of several stretches are delivered.
    pub take: Take,
    /// What is cut off at the ends of each stretch.
    pub trim: Trim,
    /// What is cut off at the ends of all of it together.
    pub together: Trim,
    /// Whether it is delivered at all.
    pub fate: ReasoningFate,
    /// What the prompt has begun it with, where the text goes on in reasoning that it does not open.
    pub opened: String,
    /// Whether reasoning of white space alone is delivered.
    pub blank: Prose,
}

/// Whether reasoning is delivered, and as what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasoningFate {
    /// It is delivered to the client.
    #[default]
    Deliver,
    /// It is lost: neither content nor reasoning.
    Lose,
}

/// Which calls count where prose is told apart by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// All that were found, even if none of them is delivered.
    #[default]
    Found,
    /// All that were found, if at least one of them is delivered.
    Delivered,
}

/// What becomes of the content when calls are delivered; white space alone also when they were found and dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithCalls {
    /// It is delivered as it is.
    #[default]
    Keep,
    /// It is delivered without white space at its ends; nothing of it, if it is nothing but white space.
    Trim,
    /// It is delivered without white space at its ends, also when the calls that were found are not.
    TrimIfFound,
    /// It is delivered without white space at its beginning.
    TrimStart,
    /// It is delivered without line feeds at its beginning; nothing of it, if it is nothing but white space.
    TrimStartNewlines,
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
    /// All of it is content, and also where calls are found of which none is delivered.
    AllTextUnlessDelivered,
}

/// Which of several stretches of one kind are delivered, and what stands between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// All of them, one behind the other.
    #[default]
    All,
    /// All of them, with a line feed between.
    Lines,
    /// All of them, with a space between.
    Spaced,
    /// The last one, since each takes the place of the one before.
    Last,
}

impl Take {
    /// What stands between two of them.
    pub fn separator(self) -> &'static str {
        match self {
            Self::Lines => "\n",
            Self::Spaced => " ",
            Self::All | Self::Last => "",
        }
    }
}

/// What becomes of a stretch of prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prose {
    /// It is delivered as it is.
    #[default]
    Keep,
    /// It is delivered without white space at its ends.
    Trim,
    /// It is delivered without white space at its beginning.
    TrimStart,
    /// It is delivered without white space at its end.
    TrimEnd,
    /// It is delivered without the line feeds at its end.
    TrimEndNewlines,
    /// It is delivered as it is, unless it is white space.
    UnlessBlank,
    /// It is delivered twice, as SGLang streams it before harmony's calls.
    Twice,
    /// It is lost, and no error says so.
    Lose,
}

impl Prose {
    /// The part of a text that is delivered once.
    pub fn apply(self, text: &str) -> &str {
        match self {
            Self::Keep | Self::Twice => text,
            Self::Trim => text.trim(),
            Self::TrimStart => text.trim_start(),
            Self::TrimEnd => text.trim_end(),
            Self::TrimEndNewlines => text.trim_end_matches('\n'),
            Self::UnlessBlank if !text.trim().is_empty() => text,
            Self::UnlessBlank | Self::Lose => "",
        }
    }
}

/// What is cut off at the ends of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trim {
    /// Nothing: it stays as it is.
    #[default]
    None,
    /// White space at both ends.
    Both,
    /// White space at the beginning.
    Start,
    /// White space at the end.
    End,
    /// One line feed at each end.
    Newline,
    /// All line feeds at each end.
    Newlines,
}

impl Trim {
    /// The text without what is cut off.
    pub fn apply(self, text: &str) -> &str {
        match self {
            Self::None => text,
            Self::Both => text.trim(),
            Self::Start => text.trim_start(),
            Self::End => text.trim_end(),
            Self::Newline => {
                let text = text.strip_prefix('\n').unwrap_or(text);
                text.strip_suffix('\n').unwrap_or(text)
            }
            Self::Newlines => text.trim_matches('\n'),
        }
    }

    /// Where the text without what is cut off stands in the text.
    pub fn span(self, text: &str) -> Span {
        let rest = match self {
            Self::None | Self::End => text,
            Self::Both | Self::Start => text.trim_start(),
            Self::Newline => text.strip_prefix('\n').unwrap_or(text),
            Self::Newlines => text.trim_start_matches('\n'),
        };
        let start = text.len() - rest.len();
        Span::new(start, start + self.apply(text).len())
    }
}
