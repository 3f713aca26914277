//! The request that a provider's answer belongs to: tokens, cost, times, and stop reason.
//!
//! An Anthropic answer may count several prompts in `usage.iterations`, by `type`:
//!
//! | type | read as |
//! |---|---|
//! | `message`, `fallback_message` | part of the request's usage; the last one is the size of the context |
//! | `compaction` | part of that usage, too, since it is billed, and a compaction with the size of the prompt before it |
//! | any other, such as `advisor_message` | a separate request, answered by another model |
//!
//! Without iterations, the counts of the usage itself are used. Groq states how long a request waited and took; others
//! state when the answer was created, in whole seconds.

use jiff::{SignedDuration, Timestamp};

use super::facts::{Compaction, CompactionKind, Fact, RequestFacts, Usage};
use super::json::{JsonKind, JsonValue};
use super::messages::time_words;
use super::writer::TextWriter;
use super::{moment_of, usage};

/// The time under the first of these keys.
pub(super) fn time_of(value: JsonValue<'_>, keys: &[&str]) -> Option<Timestamp> {
    keys.iter().find_map(|key| moment_of(&time_words(value.get(key)?)?))
}

/// The time `seconds` after `start`.
pub(super) fn after(start: Timestamp, seconds: f64) -> Option<Timestamp> {
    start.checked_add(SignedDuration::try_from_secs_f64(seconds).ok()?).ok()
}

/// The usage of an answer, if it is an object; Groq has it in `x_groq`.
pub(super) fn usage_of(answer: JsonValue<'_>) -> Option<JsonValue<'_>> {
    let told = answer.get("usage").or_else(|| answer.path(&["x_groq", "usage"]));
    told.filter(|usage| usage.kind() == JsonKind::Object)
}

/// The request of an answer, or of a chunk of one, from the chat completions or responses API.
pub(super) fn openai(answer: JsonValue<'_>) -> RequestFacts {
    let counted = usage_of(answer);
    let start = time_of(answer, &["created", "created_at"]);
    let seconds = |key: &str| counted?.get(key)?.fraction();
    let later = |key: &str| after(start?, seconds("queue_time").unwrap_or_default() + seconds(key)?);
    let choice = answer.get("choices").and_then(|choices| choices.items().next());
    let stop = choice.and_then(|choice| choice.words_of("finish_reason"));
    let incomplete = || answer.path(&["incomplete_details", "reason"])?.scalar_text();
    let error = answer.get("error").filter(|error| !error.is_void());
    RequestFacts {
        key: answer.words_of("id"),
        model: answer.words_of("model"),
        usage: counted.and_then(usage::openai),
        cost: counted.and_then(usage::cost),
        start,
        first_token: later("prompt_time"),
        end: time_of(answer, &["completed_at"]).or_else(|| later("total_time")),
        stop: stop.or_else(incomplete).or_else(|| ended(answer).filter(|_| choice.is_none())),
        effort: answer.path(&["reasoning", "effort"]).and_then(JsonValue::scalar_text),
        error: error.and_then(|error| error.words_of("message").or_else(|| error.scalar_text())),
        ..RequestFacts::default()
    }
}

/// The final status of a response, if it has ended.
fn ended(response: JsonValue<'_>) -> Option<Box<str>> {
    response.words_of("status").filter(|status| !matches!(&**status, "in_progress" | "queued"))
}

/// Merges two records of one request; the later one wins.
pub(super) fn merged(known: RequestFacts, later: RequestFacts) -> RequestFacts {
    RequestFacts {
        key: known.key.or(later.key),
        scope: later.scope,
        model: known.model.or(later.model),
        usage: later.usage.or(known.usage),
        context: later.context.or(known.context),
        cost: later.cost.or(known.cost),
        start: known.start.or(later.start),
        first_token: later.first_token.or(known.first_token),
        end: later.end.or(known.end),
        stop: later.stop.or(known.stop),
        effort: later.effort.or(known.effort),
        error: later.error.or(known.error),
        is_aside: later.is_aside,
    }
}

/// True if a message is an answer as the Anthropic API returns it.
pub(super) fn is_anthropic(message: JsonValue<'_>) -> bool {
    message.is_string("type", "message") && message.first_of(&["usage", "stop_reason"]).is_some()
}

/// The request of an Anthropic answer, and what the provider did to answer it.
#[derive(Debug, Default)]
pub(super) struct AnthropicAnswer {
    request: RequestFacts,
    compactions: Vec<Compaction>,
    others: Vec<RequestFacts>,
}

impl AnthropicAnswer {
    /// An answer, or the beginning of one: the message in `message_start`.
    pub(super) fn new(message: JsonValue<'_>) -> Self {
        let request =
            RequestFacts { key: message.words_of("id"), model: message.words_of("model"), ..RequestFacts::default() };
        let mut answer = Self { request, ..Self::default() };
        answer.learn(message, message.words_of("stop_reason"));
        answer
    }

    /// Takes a complete answer, or a `message_delta` event, whose counts include everything until then.
    pub(super) fn learn(&mut self, said: JsonValue<'_>, stop: Option<Box<str>>) {
        self.request.stop = stop.or_else(|| self.request.stop.take());
        if let Some(counted) = usage_of(said) {
            self.count(counted);
        }
        if let Some(usage) = &mut self.request.usage {
            usage.is_output_partial = self.request.stop.is_none();
        }
        let edits = said.path(&["context_management", "applied_edits"]);
        for edit in edits.into_iter().flat_map(|edits| edits.items()) {
            if let Some(cleared) = edit.number_of("cleared_input_tokens").filter(|cleared| *cleared > 0) {
                let after = self.request.usage.and_then(|usage| usage.prompt());
                let before = after.map(|after| after + cleared);
                let kind = CompactionKind::ClearResults;
                self.compactions.push(Compaction { kind, before, after, ..Compaction::default() });
            }
        }
    }

    fn count(&mut self, counted: JsonValue<'_>) {
        let list = counted.get("iterations").filter(|list| list.kind() == JsonKind::Array && !list.is_void());
        let Some(list) = list else {
            // An event may lack the counts of the prompt, which `message_start` has.
            let known = self.request.usage.unwrap_or_default();
            if let Some(later) = usage::anthropic(counted) {
                self.request.usage = Some(Usage {
                    input: later.input.or(known.input),
                    cache_read: later.cache_read.or(known.cache_read),
                    cache_write: later.cache_write.or(known.cache_write),
                    cache_write_1h: later.cache_write_1h.or(known.cache_write_1h),
                    output: later.output.or(known.output),
                    ..later
                });
            }
            return;
        };
        let mut billed = Usage::default();
        (self.compactions, self.others, self.request.context) = Default::default();
        for (iteration, usage) in list.items().filter_map(|one| Some((one, usage::anthropic(one)?))) {
            match iteration.text_of("type").unwrap_or_default().as_ref() {
                "message" | "fallback_message" => {
                    billed = billed.plus(usage);
                    self.request.context = usage.prompt();
                }
                "compaction" => {
                    billed = billed.plus(usage);
                    self.compactions.push(Compaction { before: usage.prompt(), ..Compaction::default() });
                }
                _ => self.others.push(RequestFacts {
                    model: iteration.words_of("model"),
                    usage: Some(usage),
                    is_aside: true,
                    ..RequestFacts::default()
                }),
            }
        }
        self.request.context = self.request.context.filter(|context| Some(*context) != billed.prompt());
        self.request.usage = (!billed.is_empty()).then_some(billed);
    }

    /// States all facts: compactions first, since the prompt of the request follows them.
    pub(super) fn write_facts(self, out: &mut TextWriter) {
        self.compactions.into_iter().for_each(|compaction| out.fact(Fact::Compaction(compaction)));
        self.others.into_iter().for_each(|other| out.fact(Fact::Request(other)));
        out.fact(Fact::Request(self.request));
    }
}
