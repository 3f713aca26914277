//! Token counts of providers and clients, made disjoint.
//!
//! | counts | cached tokens | reasoning |
//! |---|---|---|
//! | Anthropic, Claude Code, pi, opencode, Bedrock, Cline | apart from the input | part of the output |
//! | `OpenAI`, Codex, Roo, `OTel`, `LangSmith`, ATIF, `OpenHands` | part of the input | part of the output |
//! | Gemini | part of the input | apart from the output |
//!
//! xAI counts as `OpenAI` does, but reasoning apart from the output: the total shows it.

use super::facts::Usage;
use super::json::JsonValue;

/// How a count relates to a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    /// The larger count contains it.
    Inside,
    /// They are disjoint.
    Apart,
}

/// Counts as a file states them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) input: Option<u64>,
    pub(super) cache_read: Option<u64>,
    pub(super) cache_write: Option<u64>,
    pub(super) output: Option<u64>,
    pub(super) reasoning: Option<u64>,
    pub(super) total: Option<u64>,
}

impl Counts {
    /// The counts with these keys of an object; of several paths for one count, the first that is a number.
    fn read(value: JsonValue<'_>, keys: [&[&[&str]]; 6]) -> Self {
        let [input, cache_read, cache_write, output, reasoning, total] =
            keys.map(|paths| paths.iter().find_map(|path| value.path(path)?.number()));
        Self { input, cache_read, cache_write, output, reasoning, total }
    }

    /// The same counts, disjoint. A part that is larger than the whole was counted apart.
    pub(super) fn disjoint(self, cache: Counting, reasoning: Counting) -> Usage {
        let cached = self.cache_read.unwrap_or_default().saturating_add(self.cache_write.unwrap_or_default());
        let without = |whole: Option<u64>, part: u64, counting: Counting| match counting {
            Counting::Inside => whole.map(|whole| whole.checked_sub(part).unwrap_or(whole)),
            Counting::Apart => whole,
        };
        Usage {
            input: without(self.input, cached, cache),
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            output: without(self.output, self.reasoning.unwrap_or_default(), reasoning),
            reasoning: self.reasoning,
            ..Usage::default()
        }
    }

    /// True if input, output and reasoning together are the total.
    fn adds_reasoning(&self) -> bool {
        let parts = self.input.zip(self.output).zip(self.reasoning);
        parts.zip(self.total).is_some_and(|(((input, output), reasoning), total)| {
            reasoning > 0 && input.checked_add(output).and_then(|sum| sum.checked_add(reasoning)) == Some(total)
        })
    }
}

/// A usage with something in it.
fn known(usage: Usage) -> Option<Usage> {
    usage.total().map(|_| usage)
}

/// Usage of Anthropic's interface and of Claude Code.
pub(super) fn anthropic(value: JsonValue<'_>) -> Option<Usage> {
    let counts = Counts::read(
        value,
        [
            &[&["input_tokens"]],
            &[&["cache_read_input_tokens"]],
            &[&["cache_creation_input_tokens"]],
            &[&["output_tokens"]],
            &[&["output_tokens_details", "thinking_tokens"]],
            &[],
        ],
    );
    let cache_write_1h = value.path(&["cache_creation", "ephemeral_1h_input_tokens"]).and_then(|count| count.number());
    known(Usage { cache_write_1h, ..counts.disjoint(Counting::Apart, Counting::Inside) })
}

/// Usage of `OpenAI`'s interfaces, of Codex and of others that count alike.
pub(super) fn openai(value: JsonValue<'_>) -> Option<Usage> {
    let counts = Counts::read(
        value,
        [
            &[&["prompt_tokens"], &["input_tokens"]],
            &[
                &["prompt_tokens_details", "cached_tokens"],
                &["input_tokens_details", "cached_tokens"],
                &["cached_input_tokens"],
                &["prompt_cache_hit_tokens"],
                &["cached_tokens"],
            ],
            &[&["cache_write_input_tokens"], &["prompt_tokens_details", "cache_write_tokens"]],
            &[&["completion_tokens"], &["output_tokens"]],
            &[
                &["completion_tokens_details", "reasoning_tokens"],
                &["output_tokens_details", "reasoning_tokens"],
                &["reasoning_output_tokens"],
            ],
            &[&["total_tokens"]],
        ],
    );
    let reasoning = if counts.adds_reasoning() { Counting::Apart } else { Counting::Inside };
    known(counts.disjoint(Counting::Inside, reasoning))
}

#[cfg(test)]
mod tests {
    use super::super::json::{Index, RecordPlaces};
    use super::*;

    /// `input read write output reasoning`, `-` for an unknown count.
    #[track_caller]
    fn check(read: fn(JsonValue<'_>) -> Option<Usage>, json: &str, expected: &str) {
        let index = Index::read(json.as_bytes()).expect("the case is JSON");
        let value = index.root(json.as_bytes(), RecordPlaces::At(0)).expect("the case has a value");
        let text = read(value).map(|usage| {
            let counts = [usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning];
            counts.map(|count| count.map_or_else(|| "-".to_owned(), |count| count.to_string())).join(" ")
        });
        assert_eq!(text.as_deref().unwrap_or("none"), expected, "{json}");
    }

    #[test]
    fn counts_of_each_provider_become_disjoint() {
        let anthropic_usage = r#"{"input_tokens":4,"cache_creation_input_tokens":100,"cache_read_input_tokens":2000,
            "output_tokens":50,"output_tokens_details":{"thinking_tokens":20}}"#;
        check(anthropic, anthropic_usage, "4 2000 100 30 20");
        check(anthropic, r#"{"service_tier":"standard"}"#, "none");
        let cached = r#"{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,
            "prompt_tokens_details":{"cached_tokens":80},"completion_tokens_details":{"reasoning_tokens":5}}"#;
        check(openai, cached, "20 80 - 15 5");
        // xAI: 307 + 26 + 227 = 560.
        let beside = r#"{"prompt_tokens":307,"completion_tokens":26,"total_tokens":560,
            "completion_tokens_details":{"reasoning_tokens":227}}"#;
        check(openai, beside, "307 - - 26 227");
        let codex = r#"{"input_tokens":900,"cached_input_tokens":700,"output_tokens":60,"reasoning_output_tokens":40,
            "total_tokens":960}"#;
        check(openai, codex, "200 700 - 20 40");
    }
}
