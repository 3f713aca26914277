//! Prices of models from a file that the user names: `LiteLLM`'s `model_prices_and_context_window.json`, or the
//! `api.json` of models.dev.
//!
//! A model is looked up by its exact id, then by its id without the parts that providers add: `anthropic/`,
//! `us.anthropic.`, `@20250929`, `-20250929`, `-v1:0`. An unknown model has no price; nothing is guessed. A request
//! has a price only if each of its counts has one. If the table has no price for tokens that a cache keeps for an
//! hour, they cost twice the input (Anthropic's price list).

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::container::facts::{RequestScope, Usage};

/// Number of prompt tokens above which the higher prices apply to the whole request.
const LONG_PROMPT: u64 = 200_000;

/// A table of prices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceTable {
    /// The name of its file.
    pub file: String,
    /// Date of the table: of its newest row, else of the file.
    pub date: Option<String>,
    models: HashMap<String, Price>,
}

// JSON has no NaN, so equality is reflexive.
impl Eq for PriceTable {}

/// Prices of a model in US dollars per token.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Price {
    usual: Rates,
    /// Prices of requests with a prompt of more than [`LONG_PROMPT`] tokens.
    long: Rates,
    window: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Rates {
    input: Option<f64>,
    output: Option<f64>,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    cache_write_1h: Option<f64>,
    reasoning: Option<f64>,
}

impl PriceTable {
    /// Parses a table; `day` is the date of the file.
    ///
    /// # Errors
    /// Says why the file is not a table of prices.
    pub fn parse(file: &str, text: &str, day: Option<String>) -> Result<Self, String> {
        let json: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let Value::Object(rows) = json else { return Err("it is not a JSON object".to_owned()) };
        let mut table = Self { file: file.to_owned(), ..Self::default() };
        for (name, row) in &rows {
            let Value::Object(row) = row else { continue };
            match row.get("models") {
                Some(Value::Object(models)) => table.add_provider(name, models),
                _ => table.add_litellm(name, row),
            }
        }
        if table.models.is_empty() {
            return Err("it holds no price of a model".to_owned());
        }
        table.date = table.date.or(day);
        Ok(table)
    }

    /// A row of `LiteLLM`: dollars per token.
    fn add_litellm(&mut self, name: &str, row: &Map<String, Value>) {
        let number = |key: String| row.get(&key).and_then(Value::as_f64);
        let rates = |suffix: &str| Rates {
            input: number(format!("input_cost_per_token{suffix}")),
            output: number(format!("output_cost_per_token{suffix}")),
            cache_read: number(format!("cache_read_input_token_cost{suffix}")),
            cache_write: number(format!("cache_creation_input_token_cost{suffix}")),
            cache_write_1h: number(format!("cache_creation_input_token_cost_above_1hr{suffix}")),
            reasoning: number(format!("output_cost_per_reasoning_token{suffix}")),
        };
        let usual = rates("");
        if usual.input.is_some() || usual.output.is_some() {
            let window = row.get("max_input_tokens").and_then(Value::as_u64);
            self.models.insert(name.to_owned(), Price { usual, long: rates("_above_200k_tokens"), window });
        }
    }

    /// The models of a provider of models.dev: dollars per million tokens.
    fn add_provider(&mut self, provider: &str, models: &Map<String, Value>) {
        for (name, model) in models {
            if let Some(day) = model.get("last_updated").and_then(Value::as_str)
                && self.date.as_deref().is_none_or(|known| known < day)
            {
                self.date = Some(day.to_owned());
            }
            let Some(cost) = model.get("cost") else { continue };
            let rates = |cost: &Value| {
                let number = |key: &str| cost.get(key).and_then(Value::as_f64).map(|price| price / 1e6);
                Rates {
                    input: number("input"),
                    output: number("output"),
                    cache_read: number("cache_read"),
                    cache_write: number("cache_write"),
                    cache_write_1h: None,
                    reasoning: number("reasoning"),
                }
            };
            let long = cost.get("context_over_200k").map(rates).unwrap_or_default();
            let window = model.get("limit").and_then(|limit| limit.get("context")).and_then(Value::as_u64);
            let price = Price { usual: rates(cost), long, window };
            self.models.insert(format!("{provider}/{name}"), price);
            // Several providers sell a model of the same id; the maker's price is stored under the plain id.
            if MAKERS.contains(&provider) {
                self.models.insert(name.clone(), price);
            }
        }
    }

    fn find(&self, model: &str) -> Option<&Price> {
        plain_ids(model).find_map(|id| self.models.get(id))
    }

    /// The price in US dollars of one request or several; `None` if any of its counts has no price, or if several
    /// requests together have a long prompt, since it is unknown which of them cost more.
    pub fn price(&self, model: &str, usage: &Usage, scope: RequestScope) -> Option<f64> {
        let price = self.find(model)?;
        let is_long = usage.prompt().is_some_and(|prompt| prompt > LONG_PROMPT);
        if is_long && scope != RequestScope::Request && price.long != Rates::default() {
            return None;
        }
        let rate =
            |pick: fn(&Rates) -> Option<f64>| pick(&price.long).filter(|_| is_long).or_else(|| pick(&price.usual));
        let written_1h = usage.cache_write_1h.unwrap_or_default();
        let written = usage.cache_write.unwrap_or_default().saturating_sub(written_1h);
        let input = rate(|rates| rates.input);
        let output = rate(|rates| rates.output);
        let parts = [
            (usage.input.unwrap_or_default(), input),
            (usage.cache_read.unwrap_or_default(), rate(|rates| rates.cache_read)),
            (written, rate(|rates| rates.cache_write)),
            (written_1h, rate(|rates| rates.cache_write_1h).or(input.map(|input| input * 2.0))),
            (usage.output.unwrap_or_default(), output),
            (usage.reasoning.unwrap_or_default(), rate(|rates| rates.reasoning).or(output)),
        ];
        usage.total()?;
        parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .try_fold(0.0, |sum, (count, rate)| Some(sum + *count as f64 * (*rate)?))
    }

    /// Size of a model's context window in tokens, if the table has it.
    pub fn window(&self, model: &str) -> Option<u64> {
        self.find(model)?.window
    }
}

/// Providers of models.dev that sell their own models.
const MAKERS: [&str; 8] = ["anthropic", "openai", "google", "xai", "deepseek", "mistral", "alibaba", "moonshotai"];

/// Ids to look up for a model, the exact one first.
fn plain_ids(model: &str) -> impl Iterator<Item = &str> {
    let without_provider = model.rsplit('/').next().unwrap_or(model);
    let without_region = match without_provider.rsplit_once('.') {
        Some((before, rest)) if before.split('.').all(|part| part.bytes().all(|byte| byte.is_ascii_lowercase())) => {
            rest
        }
        _ => without_provider,
    };
    let without_version =
        without_region.strip_suffix(":0").and_then(|id| id.rsplit_once("-v")).map_or(without_region, |(id, _)| id);
    let without_date = without_day(without_version);
    [model, without_provider, without_region, without_version, without_date].into_iter()
}

/// An id without `-20250929` or `@20250929` at its end.
fn without_day(id: &str) -> &str {
    let day = id.rsplit_once(['-', '@']);
    day.filter(|(_, day)| day.len() == 8 && day.bytes().all(|byte| byte.is_ascii_digit())).map_or(id, |(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LITELLM: &str = r#"{"sample_spec": {"input_cost_per_token": 0.0},
        "claude-sonnet-5": {"input_cost_per_token": 2e-6, "output_cost_per_token": 1e-5,
            "cache_creation_input_token_cost": 2.5e-6, "cache_read_input_token_cost": 2e-7,
            "input_cost_per_token_above_200k_tokens": 4e-6, "max_input_tokens": 200000},
        "gpt-5": {"input_cost_per_token": 1.25e-6, "output_cost_per_token": 1e-5}}"#;

    const MODELS_DEV: &str = r#"{"anthropic": {"models": {"claude-sonnet-5": {"last_updated": "2026-07-02",
        "cost": {"input": 2, "output": 10, "cache_read": 0.2, "cache_write": 2.5}, "limit": {"context": 200000}}}}}"#;

    fn usage(input: u64, cache_write: u64, output: u64) -> Usage {
        Usage { input: Some(input), cache_write: Some(cache_write), output: Some(output), ..Usage::default() }
    }

    #[test]
    fn a_request_is_priced_by_its_disjoint_counts() {
        // A request that opencode recorded as $0.031404.
        let first = usage(2, 12_260, 75);
        for text in [LITELLM, MODELS_DEV] {
            let table = PriceTable::parse("prices.json", text, Some("2026-11-01".into())).expect("it is a table");
            let price = table.price("claude-sonnet-5", &first, RequestScope::Request).expect("the model is there");
            assert!((price - 0.031_404).abs() < 1e-9, "{price}");
            for id in
                ["anthropic/claude-sonnet-5", "us.anthropic.claude-sonnet-5-20260115-v1:0", "claude-sonnet-5@20260115"]
            {
                assert_eq!(table.price(id, &first, RequestScope::Request), Some(price), "{id}");
            }
            assert_eq!(table.price("claude-sonnet-5-mini", &first, RequestScope::Request), None);
            assert_eq!(table.window("claude-sonnet-5"), Some(200_000));
        }
    }

    #[test]
    fn a_count_without_a_price_leaves_the_request_without_one() {
        let table = PriceTable::parse("prices.json", LITELLM, None).expect("it is a table");
        assert_eq!(
            table.price("gpt-5", &usage(100, 0, 10), RequestScope::Request).map(|price| (price * 1e9).round()),
            Some(225_000.0)
        );
        assert_eq!(table.price("gpt-5", &usage(100, 5, 10), RequestScope::Request), None);
        let an_hour = Usage { cache_write_1h: Some(100), ..usage(0, 100, 0) };
        assert_eq!(
            table.price("claude-sonnet-5", &an_hour, RequestScope::Request).map(|price| (price * 1e9).round()),
            Some(400_000.0)
        );
        let long = table.price("claude-sonnet-5", &usage(300_000, 0, 0), RequestScope::Request).unwrap_or_default();
        assert!((long - 1.2).abs() < 1e-9, "{long}");
        assert_eq!(table.price("claude-sonnet-5", &usage(300_000, 0, 0), RequestScope::Turn), None);
        assert!(table.price("gpt-5", &usage(300_000, 0, 0), RequestScope::Turn).is_some());
    }

    #[test]
    fn what_is_no_table_is_refused_by_what_it_is() {
        for (text, words) in [("[]", "not a JSON object"), ("{}", "no price of a model"), ("{", "not JSON")] {
            let error = PriceTable::parse("prices.json", text, None).expect_err("it is not a table");
            assert!(error.contains(words), "{error}");
        }
        let dated = PriceTable::parse("prices.json", MODELS_DEV, Some("2026-11-01".into())).expect("it is a table");
        assert_eq!(dated.date.as_deref(), Some("2026-07-02"));
    }
}
