//! Settings of a request, other than its tools, on which the outcome of a runtime depends.
//!
//! A setting that is not stated has the default of the runtime; the reading says which ones it assumes.

use std::sync::Arc;

/// Settings of a request. `None` is a setting that is not stated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestSettings {
    /// Thinking on or off. If unknown, it is on if the text ends thinking that it does not begin.
    pub thinking: Option<bool>,
    /// `tool_choice`: whether the model may or must call tools.
    pub tool_choice: Option<ToolChoice>,
    /// `parallel_tool_calls`: false for at most one call in an answer.
    pub parallel_tool_calls: Option<bool>,
    /// `skip_special_tokens`: true to leave out special tokens when an answer is decoded.
    pub skip_special_tokens: Option<bool>,
    /// `reasoning_format` of llama.cpp, or the name of a reasoning parser; `none` for no parser.
    pub reasoning_format: Option<String>,
    /// Texts of the model's special tokens, longer ones first; `None` if the model is not known.
    pub special_tokens: Option<Arc<[String]>>,
}

/// `tool_choice` of a request. A choice of one function is not modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides whether it calls a tool; the default of all runtimes.
    #[default]
    Auto,
    /// The model must call a tool.
    Required,
    /// The model must not call a tool.
    None,
}

/// A setting by its name in requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingName {
    /// `tool_choice`, of which [`ToolChoice`] has the values.
    ToolChoice,
    /// `parallel_tool_calls`, written `on` or `off` in outputs.
    ParallelToolCalls,
    /// `skip_special_tokens`, written `on` or `off` in outputs.
    SkipSpecialTokens,
    /// `reasoning_format` of llama.cpp, or the reasoning parser of a server.
    ReasoningFormat,
}

/// A setting that matters for an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedSetting {
    /// The setting, of which an outcome has at most one.
    pub name: SettingName,
    /// Its value in the request: `none`, `on`.
    pub value: String,
    /// Its effect on the outcome.
    pub effect: SettingEffect,
}

/// The effect of a setting on an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingEffect {
    /// The request does not state the setting; this value is assumed.
    Assumed,
    /// The outcome is the same with other values.
    Ignored,
    /// The effect is not known; the text is read as usual.
    Unknown,
    /// The text is not searched for calls.
    NotParsed,
    /// The calls are read, and dropped.
    CallsDropped,
    /// The text is read as a JSON array of calls.
    JsonArray,
    /// The text is not the JSON array that is demanded.
    NotJson,
    /// Sampling is constrained; the text is read as usual.
    Sampler,
    /// Calls after the first one are dropped.
    FirstCall,
    /// A second call is an error.
    SecondCallRejected,
    /// Special tokens were removed before reading.
    TokensRemoved,
    /// The runtime keeps special tokens for this parser.
    TokensKept,
    /// Special tokens are left out, but which ones is not known.
    TokensUnknown,
    /// Reasoning stays in the content, with its tags.
    ReasoningInContent,
    /// Reasoning is split off before calls are read.
    ReasoningSplit,
}

impl SettingEffect {
    /// True if the outcome may differ from the outcome with the usual settings.
    pub fn changes_outcome(self) -> bool {
        !matches!(
            self,
            Self::Assumed | Self::Ignored | Self::Unknown | Self::Sampler | Self::TokensKept | Self::TokensUnknown
        )
    }

    /// Its name in the JSON of the lens: `calls-dropped`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Ignored => "ignored",
            Self::Unknown => "unknown",
            Self::NotParsed => "not-parsed",
            Self::CallsDropped => "calls-dropped",
            Self::JsonArray => "json-array",
            Self::NotJson => "not-json",
            Self::Sampler => "sampler",
            Self::FirstCall => "first-call",
            Self::SecondCallRejected => "second-call-rejected",
            Self::TokensRemoved => "tokens-removed",
            Self::TokensKept => "tokens-kept",
            Self::TokensUnknown => "tokens-unknown",
            Self::ReasoningInContent => "reasoning-in-content",
            Self::ReasoningSplit => "reasoning-split",
        }
    }
}

impl ToolChoice {
    /// All values, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Required, Self::None];

    /// The value of `tool_choice` in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Required => "required",
            Self::None => "none",
        }
    }
}

impl SettingName {
    /// The name of the field in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolChoice => "tool_choice",
            Self::ParallelToolCalls => "parallel_tool_calls",
            Self::SkipSpecialTokens => "skip_special_tokens",
            Self::ReasoningFormat => "reasoning_format",
        }
    }
}
