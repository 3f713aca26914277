//! The effect of the settings of a request on the parsers of a runtime, as data: `request` in `runtimes.yaml`.
//!
//! The rules are from the sources of the releases in `read_in`; in other releases they are an approximation.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The effect of each setting. The default is a runtime that ignores all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequestRules {
    /// Releases whose sources state these rules; if empty, none was read.
    pub(crate) read_in: Vec<String>,
    /// The treatment of calls in a text with `tool_choice: none`.
    pub(crate) none: NoneRule,
    /// Parsers that read the text with `tool_choice: none`, and whose calls are dropped.
    pub(crate) drops_calls: Vec<String>,
    /// The format in which a text is read with `tool_choice: required`.
    pub(crate) required: RequiredRule,
    /// Parsers that read their own format with `tool_choice: required` where others get a JSON array.
    pub(crate) native: Vec<String>,
    /// A text that is not the JSON array that `tool_choice: required` demands.
    pub(crate) not_json: NotJsonRule,
    /// The rule for a second call with `parallel_tool_calls: false`.
    pub(crate) parallel: ParallelRule,
    /// Where the setting `skip_special_tokens` has an effect.
    pub(crate) special_tokens: SpecialTokensRule,
    /// Parsers whose text has no special tokens unless the request keeps them.
    pub(crate) skips: Vec<String>,
    /// `reasoning_format: none` leaves reasoning in the content.
    pub(crate) reasoning_in_content: bool,
    /// Reasoning parsers that split a text before its calls are read.
    pub(crate) reasoning_parsers: BTreeMap<String, ReasoningSplit>,
}

/// The reading of a text with `tool_choice: none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NoneRule {
    /// The setting makes no difference: calls are delivered.
    #[default]
    Ignored,
    /// The whole text is content.
    Text,
    /// The text is read as if the request had no tools.
    NoTools,
}

/// The reading of a text with `tool_choice: required`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RequiredRule {
    /// The setting makes no difference.
    #[default]
    Ignored,
    /// A grammar of the sampler forces a call in the parser's own format, which is read as usual.
    Native,
    /// The text must be a JSON array of objects with `name` and `parameters`.
    Json,
}

/// A text that is not the JSON array that the runtime demands; `text` is SGLang's reading of such calls, `lose` vLLM's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NotJsonRule {
    /// It is content, as if the model had answered without a call.
    #[default]
    Text,
    /// It is lost: the client gets neither a call nor text.
    Lose,
}

/// The treatment of a second call with `parallel_tool_calls: false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ParallelRule {
    /// The setting makes no difference.
    #[default]
    Ignored,
    /// A grammar of the sampler allows one call; all that are in a text are delivered.
    Sampler,
    /// The first call is delivered.
    First,
    /// A second call does not fit the parser's grammar, which is an error.
    Reject,
}

/// The texts from which special tokens are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SpecialTokensRule {
    /// The setting makes no difference: special tokens are kept.
    #[default]
    Ignored,
    /// Special tokens are left out by default; with tools, parsers other than `skips` keep them.
    Parser,
    /// Special tokens are left out by default, and kept with tools unless `tool_choice` is `none`.
    WithoutTools,
    /// The caller decodes the text; by default, special tokens are kept.
    Caller,
}

/// A reasoning parser that looks for two tags.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReasoningSplit {
    /// The tag before the reasoning: `<think>`.
    pub(crate) open: String,
    /// The tag after the reasoning: `</think>`.
    pub(crate) close: String,
    /// True if reasoning begins with the text; otherwise only if thinking is on, or the text has the opening tag.
    #[serde(default)]
    pub(crate) forced: bool,
    /// True if text before the opening tag is lost; otherwise it belongs to the reasoning, with the tag.
    #[serde(default)]
    pub(crate) loses_before: bool,
    /// A marker of calls that ends reasoning without a closing tag.
    #[serde(default)]
    pub(crate) call: Option<String>,
}

#[cfg(test)]
mod tests {
    use crate::runtime::catalog;

    /// Names that these runtimes accept for their parsers, and for which no profile exists.
    const WITHOUT_PROFILE: [&str; 3] = ["vllm:qwen3", "sglang:nanbeige", "sglang:response_template"];

    #[test]
    fn the_parsers_in_the_rules_are_known_ones() {
        let mut unknown = Vec::new();
        for name in ["vllm", "sglang", "lmdeploy"] {
            let rules = &catalog::runtime(name).expect("it is a runtime").request;
            let listed = [&rules.native, &rules.skips, &rules.drops_calls];
            for parser in listed.into_iter().flatten() {
                let is_known = catalog::all()
                    .any(|profile| profile.runtime == name && profile.parsers.iter().any(|known| known == parser));
                if !is_known {
                    unknown.push(format!("{name}:{parser}"));
                }
            }
        }
        assert_eq!(unknown, WITHOUT_PROFILE);
    }
}
