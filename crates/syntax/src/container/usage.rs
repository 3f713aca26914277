//! Token counts of providers and clients, made disjoint.
//!
//! | counts | cached tokens | reasoning |
//! |---|---|---|
//! | Anthropic, Claude Code, pi, opencode, Bedrock, Cline | separate from the input | part of the output |
//! | `OpenAI`, Codex, Roo, `OTel`, `LangSmith`, ATIF, `OpenHands`, Ollama, AI SDK | part of the input | part of the output |
//! | Gemini | part of the input | separate from the output |
//! | Inspect | separate from the input; part of it in older logs | part of the output |
//! | Langfuse | as the integration counts, which the total shows | the same |
//!
//! If the total is the sum of all counts, it decides: xAI counts as `OpenAI` does, except that reasoning is separate.

use super::facts::Usage;
use super::json::JsonValue;

/// Relation of a count to a larger one.
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
    /// Reads the counts with these keys from an object; of several paths for one count, the first that is a number.
    fn read(value: JsonValue<'_>, keys: [&[&[&str]]; 6]) -> Self {
        let [input, cache_read, cache_write, output, reasoning, total] =
            keys.map(|paths| paths.iter().find_map(|path| value.path(path)?.number()));
        Self { input, cache_read, cache_write, output, reasoning, total }
    }

    /// Makes the counts disjoint. A part that is larger than the whole must be separate from it.
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

    /// Makes the counts disjoint. Cached tokens and reasoning are parts of the larger counts, unless the total shows
    /// that they are not.
    pub(super) fn mostly_inside(self) -> Usage {
        let reasoning = if self.adds_reasoning() { Counting::Apart } else { Counting::Inside };
        self.disjoint(if self.adds_cached() { Counting::Apart } else { Counting::Inside }, reasoning)
    }

    /// True if input, cached tokens and output together are the total.
    fn adds_cached(&self) -> bool {
        let cached = self.cache_read.unwrap_or_default().saturating_add(self.cache_write.unwrap_or_default());
        let prompt = self.total.zip(self.output).and_then(|(total, output)| total.checked_sub(output));
        cached > 0 && prompt.is_some() && prompt == self.input.and_then(|input| input.checked_add(cached))
    }

    /// True if input, output and reasoning together are the total.
    fn adds_reasoning(&self) -> bool {
        let parts = self.input.zip(self.output).zip(self.reasoning);
        parts.zip(self.total).is_some_and(|(((input, output), reasoning), total)| {
            reasoning > 0 && input.checked_add(output).and_then(|sum| sum.checked_add(reasoning)) == Some(total)
        })
    }
}

/// The usage, unless all counts are 0, which means that the request failed.
fn known(usage: Usage) -> Option<Usage> {
    (!usage.is_empty()).then_some(usage)
}

/// Usage of the Anthropic API and of Claude Code.
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

/// Usage of `OpenAI`'s APIs, of Codex and of others that count alike.
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
    known(counts.mostly_inside())
}

/// The cost in a usage, in US dollars: xAI counts ten billion ticks a dollar.
pub(super) fn cost(value: JsonValue<'_>) -> Option<f64> {
    let ticks = || Some(value.get("cost_in_usd_ticks")?.fraction()? / 1e10);
    let told = ["cost", "cost_usd", "total_cost"].iter().find_map(|key| value.get(key)?.fraction());
    told.or_else(ticks)
}

/// Usage of the Gemini API.
pub(super) fn gemini(value: JsonValue<'_>) -> Option<Usage> {
    let mut counts = Counts::read(
        value,
        [
            &[&["promptTokenCount"], &["prompt_token_count"]],
            &[&["cachedContentTokenCount"], &["cached_content_token_count"]],
            &[],
            &[&["candidatesTokenCount"], &["responseTokenCount"], &["candidates_token_count"]],
            &[&["thoughtsTokenCount"], &["thoughts_token_count"]],
            &[],
        ],
    );
    // Results of the provider's own tools are part of the prompt that it bills.
    let of_tools = value.first_of(&["toolUsePromptTokenCount", "tool_use_prompt_token_count"]);
    if let Some(of_tools) = of_tools.and_then(|count| count.number()) {
        counts.input = counts.input.map(|input| input.saturating_add(of_tools));
    }
    known(counts.disjoint(Counting::Inside, Counting::Apart))
}

pub(super) fn pi(value: JsonValue<'_>) -> Option<Usage> {
    let keys: [&[&[&str]]; 6] =
        [&[&["input"]], &[&["cacheRead"]], &[&["cacheWrite"]], &[&["output"]], &[], &[&["totalTokens"]]];
    known(Counts::read(value, keys).disjoint(Counting::Apart, Counting::Inside))
}

/// Usage of Cline, which counts cached tokens separately from the input, and of Roo, which includes them. In its
/// messages to the model, `cached` tokens were read or written.
pub(super) fn cline(value: JsonValue<'_>, cache: Counting) -> Option<Usage> {
    let keys: [&[&[&str]]; 6] = [
        &[&["tokensIn"], &["tokens", "prompt"]],
        &[&["cacheReads"], &["tokens", "cached"]],
        &[&["cacheWrites"]],
        &[&["tokensOut"], &["tokens", "completion"]],
        &[],
        &[],
    ];
    known(Counts::read(value, keys).disjoint(cache, Counting::Inside))
}

/// Usage of Bedrock's Converse API; a line of the service's log has counts in `input` and `output`.
pub(super) fn bedrock(value: JsonValue<'_>) -> Option<Usage> {
    let counts = Counts::read(
        value,
        [
            &[&["inputTokens"], &["input", "inputTokenCount"]],
            &[&["cacheReadInputTokens"], &["input", "cacheReadInputTokenCount"]],
            &[&["cacheWriteInputTokens"], &["input", "cacheWriteInputTokenCount"]],
            &[&["outputTokens"], &["output", "outputTokenCount"]],
            &[],
            &[],
        ],
    );
    known(counts.disjoint(Counting::Apart, Counting::Inside))
}

/// Counts in the last line of an answer of Ollama.
pub(super) fn ollama(value: JsonValue<'_>) -> Option<Usage> {
    let keys: [&[&[&str]]; 6] =
        [&[&["prompt_eval_count"]], &[&["prompt_eval_cached_count"]], &[], &[&["eval_count"]], &[], &[]];
    known(Counts::read(value, keys).disjoint(Counting::Inside, Counting::Inside))
}

/// Usage of the AI SDK; in version 6 the counts are objects.
pub(super) fn ai_sdk(value: JsonValue<'_>) -> Option<Usage> {
    let counts = Counts::read(
        value,
        [
            &[&["inputTokens"], &["inputTokens", "total"], &["promptTokens"]],
            &[&["cachedInputTokens"], &["inputTokens", "cacheRead"]],
            &[&["inputTokens", "cacheWrite"]],
            &[&["outputTokens"], &["outputTokens", "total"], &["completionTokens"]],
            &[&["reasoningTokens"], &["outputTokens", "reasoning"]],
            &[&["totalTokens"]],
        ],
    );
    known(counts.mostly_inside())
}

/// `usage_metadata` of a `LangChain` message, or the counts of a `LangSmith` run.
pub(super) fn langchain(value: JsonValue<'_>) -> Option<Usage> {
    let counts = Counts::read(
        value,
        [
            &[&["input_tokens"], &["prompt_tokens"]],
            &[&["input_token_details", "cache_read"], &["prompt_token_details", "cache_read"]],
            &[&["input_token_details", "cache_creation"], &["prompt_token_details", "cache_creation"]],
            &[&["output_tokens"], &["completion_tokens"]],
            &[&["output_token_details", "reasoning"], &["completion_token_details", "reasoning"]],
            &[&["total_tokens"]],
        ],
    );
    known(counts.mostly_inside())
}

/// Usage in an Inspect log: older versions include cached tokens in the input, which the total shows.
pub(super) fn inspect(value: JsonValue<'_>) -> Option<Usage> {
    let counts = Counts::read(
        value,
        [
            &[&["input_tokens"]],
            &[&["input_tokens_cache_read"]],
            &[&["input_tokens_cache_write"]],
            &[&["output_tokens"]],
            &[&["reasoning_tokens"]],
            &[&["total_tokens"]],
        ],
    );
    let prompt = counts.total.zip(counts.output).and_then(|(total, output)| total.checked_sub(output));
    let cache = if prompt.is_some() && prompt == counts.input { Counting::Inside } else { Counting::Apart };
    known(counts.disjoint(cache, Counting::Inside))
}

/// Usage in the attributes of a span, by the conventions of `OpenTelemetry`, `OpenInference` and the AI SDK.
pub(super) fn otel(attributes: JsonValue<'_>) -> Option<Usage> {
    let counts = Counts::read(
        attributes,
        [
            &[
                &["gen_ai", "usage", "input_tokens"],
                &["gen_ai", "usage", "prompt_tokens"],
                &["llm", "token_count", "prompt"],
                &["ai", "usage", "inputTokens"],
                &["ai", "usage", "promptTokens"],
            ],
            &[
                &["gen_ai", "usage", "cache_read", "input_tokens"],
                &["gen_ai", "usage", "cache_read_input_tokens"],
                &["llm", "token_count", "prompt_details", "cache_read"],
                &["ai", "usage", "cachedInputTokens"],
                &["ai", "usage", "inputTokenDetails", "cacheReadTokens"],
            ],
            &[
                &["ai", "usage", "inputTokenDetails", "cacheWriteTokens"],
                &["gen_ai", "usage", "cache_creation", "input_tokens"],
                &["gen_ai", "usage", "cache_creation_input_tokens"],
                &["llm", "token_count", "prompt_details", "cache_write"],
            ],
            &[
                &["gen_ai", "usage", "output_tokens"],
                &["gen_ai", "usage", "completion_tokens"],
                &["llm", "token_count", "completion"],
                &["ai", "usage", "outputTokens"],
                &["ai", "usage", "completionTokens"],
            ],
            &[
                &["gen_ai", "usage", "reasoning", "output_tokens"],
                &["gen_ai", "usage", "reasoning_tokens"],
                &["llm", "token_count", "completion_details", "reasoning"],
                &["ai", "usage", "reasoningTokens"],
                &["ai", "usage", "outputTokenDetails", "reasoningTokens"],
            ],
            &[
                &["gen_ai", "usage", "total_tokens"],
                &["llm", "token_count", "total"],
                &["llm", "usage", "total_tokens"],
                &["ai", "usage", "totalTokens"],
            ],
        ],
    );
    known(counts.mostly_inside())
}

/// Usage of an observation of Langfuse: `usageDetails`, whose keys are the integration's, or the older `usage`. Some
/// integrations count cached tokens and reasoning separately, which the total shows.
pub(super) fn langfuse(observation: JsonValue<'_>) -> Option<Usage> {
    let told = observation.first_filled(&["usageDetails", "usage"]).unwrap_or(observation);
    let is_counted = told.text_of("unit").is_none_or(|unit| unit == "TOKENS");
    let counts = Counts::read(
        told,
        [
            &[&["input"], &["promptTokens"], &["input_tokens"], &["prompt_tokens"]],
            &[
                &["input_cache_read"],
                &["input_cached_tokens"],
                &["cache_read_input_tokens"],
                &["input_cache_read_tokens"],
                &["prompt_details.cache_read"],
            ],
            &[&["input_cache_creation"], &["cache_creation_input_tokens"], &["prompt_details.cache_write"]],
            &[&["output"], &["completionTokens"], &["output_tokens"], &["completion_tokens"]],
            &[&["output_reasoning"], &["output_reasoning_tokens"], &["completion_details.reasoning"]],
            &[&["total"], &["totalTokens"], &["total_tokens"]],
        ],
    );
    let all = [counts.input, counts.cache_read, counts.cache_write, counts.output, counts.reasoning];
    let sum = all.into_iter().flatten().fold(0, u64::saturating_add);
    let is_apart = counts.total.is_some_and(|total| total == sum);
    let usage = if is_apart { counts.disjoint(Counting::Apart, Counting::Apart) } else { counts.mostly_inside() };
    known(usage).filter(|_| is_counted)
}

#[cfg(test)]
mod tests {
    use super::super::json::{Index, RecordPositions};
    use super::*;

    /// `input read write output reasoning`, `-` for an unknown count.
    #[track_caller]
    fn check(read: fn(JsonValue<'_>) -> Option<Usage>, json: &str, expected: &str) {
        let index = Index::read(json.as_bytes()).expect("the case is JSON");
        let value = index.root(json.as_bytes(), RecordPositions::At(0)).expect("the case has a value");
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
        let thinking =
            r#"{"promptTokenCount":29,"candidatesTokenCount":15,"thoughtsTokenCount":893,"totalTokenCount":937}"#;
        check(gemini, thinking, "29 - - 15 893");
        check(gemini, r#"{"trafficType":"ON_DEMAND"}"#, "none");
        let cached = r#"{"inputTokens":7,"outputTokens":9,"totalTokens":1016,"cacheReadInputTokens":900,
            "cacheWriteInputTokens":100}"#;
        check(bedrock, cached, "7 900 100 9 -");
        check(bedrock, r#"{"inputTokens":0,"outputTokens":0,"totalTokens":0}"#, "none");
        check(ollama, r#"{"prompt_eval_count":40,"eval_count":12,"prompt_eval_cached_count":30}"#, "10 30 - 12 -");
        check(ai_sdk, r#"{"inputTokens":50,"outputTokens":9,"totalTokens":59,"cachedInputTokens":40}"#, "10 40 - 9 -");
        let objects = r#"{"inputTokens":{"total":50,"noCache":8,"cacheRead":40,"cacheWrite":2},
            "outputTokens":{"total":9,"text":5,"reasoning":4}}"#;
        check(ai_sdk, objects, "8 40 2 5 4");
        let parts = r#"{"input_tokens":90,"output_tokens":10,"total_tokens":100,"input_token_details":{"cache_read":60},
            "output_token_details":{"reasoning":4}}"#;
        check(langchain, parts, "30 60 - 6 4");
        // A log of May 2025, and a newer one.
        let inside =
            r#"{"input_tokens":15235,"output_tokens":281,"total_tokens":15516,"input_tokens_cache_read":9088}"#;
        check(inspect, inside, "6147 9088 - 281 -");
        let apart = r#"{"input_tokens":20,"output_tokens":5,"total_tokens":125,"input_tokens_cache_read":100}"#;
        check(inspect, apart, "20 100 - 5 -");
        let span = r#"{"gen_ai":{"usage":{"input_tokens":80,"output_tokens":9,"cache_read":{"input_tokens":30}}}}"#;
        check(otel, span, "50 30 - 9 -");
        let span = r#"{"ai":{"usage":{"inputTokens":50,"outputTokens":30,"inputTokenDetails":{"cacheReadTokens":30},
            "outputTokenDetails":{"reasoningTokens":12}}}}"#;
        check(otel, span, "20 30 - 18 12");
        // The integration for LangChain counts separately, the one for OpenTelemetry does not.
        let apart =
            r#"{"usageDetails":{"input":179,"output":35,"total":278,"input_cache_read":0,"output_reasoning":64}}"#;
        check(langfuse, apart, "179 0 - 35 64");
        let inside = r#"{"usageDetails":{"input":190,"output":164,"total":354,"prompt_details.cache_read":90}}"#;
        check(langfuse, inside, "100 90 - 164 -");
        check(langfuse, r#"{"usage":{"input":20,"output":8,"total":28,"unit":"TOKENS"}}"#, "20 - - 8 -");
        check(langfuse, r#"{"usage":{"input":20,"output":8,"total":28,"unit":"CHARACTERS"}}"#, "none");
        check(langfuse, r#"{"usageDetails":{},"promptTokens":7,"completionTokens":2,"totalTokens":9}"#, "7 - - 2 -");
        // An instrumentation that counts cached tokens separately.
        let span =
            r#"{"llm":{"token_count":{"prompt":80,"completion":9,"total":119,"prompt_details":{"cache_read":30}}}}"#;
        check(otel, span, "80 30 - 9 -");
    }
}
