//! Delivery of prose and reasoning: which spans a parser delivers, and how they are trimmed.

use serde::Deserialize;

use crate::text::Span;

/// Delivery of prose.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Content {
    /// Prose before the first call.
    pub(crate) before: Prose,
    /// Prose between calls.
    pub(crate) between: Prose,
    /// Prose after the last call.
    pub(crate) after: Prose,
    /// Prose in a text without calls.
    pub(crate) alone: Prose,
    /// Which of several spans are delivered.
    pub(crate) take: Take,
    /// Which of them are delivered if there are calls, if that differs.
    pub(crate) beside_calls: Option<Take>,
    /// White space that is removed from the ends of the joined content.
    pub(crate) trim: Trim,
    /// Change to the joined content if calls are delivered.
    pub(crate) with_calls: WithCalls,
    /// Delivery of content that is only white space, if calls are delivered.
    pub(crate) blank: Prose,
    /// Which calls count for `before`, `between`, `after` and `alone`.
    pub(crate) calls: CountedCalls,
}

/// Delivery of reasoning.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reasoning {
    /// Which of several spans are delivered.
    pub(crate) take: Take,
    /// White space that is removed from the ends of each span.
    pub(crate) trim: Trim,
    /// White space that is removed from the ends of the joined reasoning.
    pub(crate) together: Trim,
    /// Delivery of reasoning: passed to the client, or lost.
    pub(crate) fate: ReasoningFate,
    /// The beginning in the prompt, for reasoning that the text continues without opening it.
    pub(crate) opened: String,
    /// Delivery of reasoning that is only white space.
    pub(crate) blank: Prose,
}

/// Delivery of reasoning: passed to the client, or lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasoningFate {
    /// It is delivered to the client.
    #[default]
    Deliver,
    /// It is lost: neither content nor reasoning.
    Lose,
}

/// Which calls count in classifying prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountedCalls {
    /// All calls that were found, even if none of them is delivered.
    #[default]
    Found,
    /// All calls that were found, if at least one of them is delivered.
    Delivered,
}

/// Change to the content if calls are delivered; for white space alone, also if calls were found and dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithCalls {
    /// Unchanged.
    #[default]
    Keep,
    /// White space at its ends is removed; content that is only white space is lost.
    Trim,
    /// White space at its ends is removed, also if the calls that were found are not delivered.
    TrimIfFound,
    /// White space at its beginning is removed.
    TrimStart,
    /// Line feeds at its beginning are removed; content that is only white space is lost.
    TrimStartNewlines,
    /// Unchanged, but content that is only white space is lost.
    LoseBlank,
}

/// Handling of a text in which the grammar finds no call, delivered or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutCalls {
    /// The captures of the grammar are delivered.
    #[default]
    AsFound,
    /// The whole text is content.
    AllText,
    /// The whole text is content, also if calls are found but none is delivered.
    AllTextUnlessDelivered,
}

/// Which of several spans of one kind are delivered, and how they are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// All of them, joined directly.
    #[default]
    All,
    /// All of them, joined with line feeds.
    Lines,
    /// All of them, joined with spaces.
    Spaced,
    /// The last one, since each replaces the previous one.
    Last,
}

impl Take {
    /// The text between two of them.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Lines => "\n",
            Self::Spaced => " ",
            Self::All | Self::Last => "",
        }
    }
}

/// Delivery of a span of prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prose {
    /// Unchanged.
    #[default]
    Keep,
    /// White space at its ends is removed.
    Trim,
    /// White space at its beginning is removed.
    TrimStart,
    /// White space at its end is removed.
    TrimEnd,
    /// Line feeds at its end are removed.
    TrimEndNewlines,
    /// Unchanged, but lost if it is only white space.
    UnlessBlank,
    /// Delivered twice, as SGLang streams it before harmony's calls.
    Twice,
    /// Lost without an error.
    Lose,
}

impl Prose {
    /// The part of a text that is delivered; the repetition of `Twice` is not included.
    pub(crate) fn apply(self, text: &str) -> &str {
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

/// White space that is removed from the ends of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trim {
    /// None.
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
    /// One line end at each end: a line feed, or a carriage return and a line feed.
    LineEnd,
    /// All line feeds at each end.
    Newlines,
}

impl Trim {
    /// The text without the removed white space.
    pub(crate) fn apply(self, text: &str) -> &str {
        match self {
            Self::None => text,
            Self::Both => text.trim(),
            Self::Start => text.trim_start(),
            Self::End => text.trim_end(),
            Self::Newline => {
                let text = text.strip_prefix('\n').unwrap_or(text);
                text.strip_suffix('\n').unwrap_or(text)
            }
            Self::LineEnd => {
                let rest = without_line_end(text);
                rest.strip_suffix("\r\n").or_else(|| rest.strip_suffix('\n')).unwrap_or(rest)
            }
            Self::Newlines => text.trim_matches('\n'),
        }
    }

    /// The span of the text without the removed white space.
    pub(crate) fn span(self, text: &str) -> Span {
        let rest = match self {
            Self::None | Self::End => text,
            Self::Both | Self::Start => text.trim_start(),
            Self::Newline => text.strip_prefix('\n').unwrap_or(text),
            Self::LineEnd => without_line_end(text),
            Self::Newlines => text.trim_start_matches('\n'),
        };
        let start = text.len() - rest.len();
        Span::new(start, start + self.apply(text).len())
    }
}

/// The text without a line end at its beginning.
fn without_line_end(text: &str) -> &str {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text)
}
