//! Settings of a request, other than its tools, on which the outcome of a runtime depends.
//!
//! A setting that is not stated has the default of the runtime; the reading says which ones it assumes.

use std::fmt;
use std::str::FromStr;
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
    /// The model decides.
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
    /// `tool_choice`.
    ToolChoice,
    /// `parallel_tool_calls`.
    ParallelToolCalls,
    /// `skip_special_tokens`.
    SkipSpecialTokens,
    /// `reasoning_format`.
    ReasoningFormat,
}

/// A setting that matters for an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedSetting {
    /// The setting.
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

    /// Its name in JSON.
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
    /// All choices in the order of help texts.
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

impl RequestSettings {
    /// True if a setting other than thinking and the model's tokens is stated.
    pub fn is_stated(&self) -> bool {
        let Self { tool_choice, parallel_tool_calls, skip_special_tokens, reasoning_format, .. } = self;
        tool_choice.is_some()
            || parallel_tool_calls.is_some()
            || skip_special_tokens.is_some()
            || reasoning_format.is_some()
    }
}

/// `tool_choice=none thinking=on`, as [`FromStr`] reads it; empty if nothing is stated.
impl fmt::Display for RequestSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let switch = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
        let stated = [
            ("tool_choice", self.tool_choice.map(|choice| choice.name().to_owned())),
            ("parallel_tool_calls", self.parallel_tool_calls.map(switch)),
            ("skip_special_tokens", self.skip_special_tokens.map(switch)),
            ("reasoning_format", self.reasoning_format.clone()),
            ("thinking", self.thinking.map(switch)),
        ];
        let words: Vec<String> =
            stated.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?))).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for RequestSettings {
    type Err = String;

    fn from_str(words: &str) -> Result<Self, String> {
        let mut settings = Self::default();
        for word in words.split_whitespace() {
            let (name, value) = word.split_once('=').ok_or_else(|| format!("{word:?}: write NAME=VALUE"))?;
            let switch = || match value {
                "on" | "true" => Ok(Some(true)),
                "off" | "false" => Ok(Some(false)),
                _ => Err(format!("{name} is on or off, not {value:?}")),
            };
            match name.replace('-', "_").as_str() {
                "tool_choice" => {
                    let choice = ToolChoice::ALL.into_iter().find(|choice| choice.name() == value);
                    let choice = choice.ok_or_else(|| format!("{name} is auto, required or none, not {value:?}"))?;
                    settings.tool_choice = Some(choice);
                }
                "parallel_tool_calls" => settings.parallel_tool_calls = switch()?,
                "skip_special_tokens" => settings.skip_special_tokens = switch()?,
                "reasoning_format" if value.is_empty() => return Err(format!("{name} has no value")),
                "reasoning_format" => settings.reasoning_format = Some(value.to_owned()),
                "thinking" => settings.thinking = switch()?,
                _ => {
                    let known = "tool_choice, parallel_tool_calls, skip_special_tokens, reasoning_format, thinking";
                    return Err(format!("unknown setting {name:?}; settings: {known}"));
                }
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_as_they_are_read() {
        let words =
            "tool_choice=none parallel_tool_calls=off skip_special_tokens=on reasoning_format=deepseek thinking=on";
        assert_eq!(words.parse::<RequestSettings>().expect("settings").to_string(), words);
        let usual = "tool-choice=auto".parse::<RequestSettings>().expect("settings");
        assert_eq!(usual.tool_choice, Some(ToolChoice::Auto));
        for (words, error) in [
            ("none", "\"none\": write NAME=VALUE"),
            ("tool_choice=any", "tool_choice is auto, required or none, not \"any\""),
            ("thinking=maybe", "thinking is on or off, not \"maybe\""),
            ("reasoning_format=", "reasoning_format has no value"),
        ] {
            assert_eq!(words.parse::<RequestSettings>().expect_err("an error"), error);
        }
        assert!("effort=high".parse::<RequestSettings>().expect_err("an error").contains("unknown setting \"effort\""));
    }
}
