//! Tokens and times in spans.
//!
//! An enclosing span, such as an agent's, repeats the sum of its requests' tokens: only the spans of the requests
//! themselves count. These have an `ai.operationId` that is a step (`ai.streamText.doStream`), a
//! `gen_ai.operation.name` of a model, or the `openinference.span.kind` `LLM`, or none of these attributes and token
//! counts.

use super::super::answer::after;
use super::super::facts::{CallTimes, Fact, RequestFacts};
use super::super::json::JsonValue;
use super::super::usage;
use super::messages::SpanAbout;
use super::status::{SpanFailure, instant};
use super::tree::AttributeTree;

/// Operations that are requests to a model.
const REQUESTS: [&str; 5] = ["chat", "text_completion", "generate_content", "completion", "message"];

pub(in crate::container) const STARTS: [&str; 5] =
    ["startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "timestamp"];

pub(in crate::container) const ENDS: [&str; 4] = ["endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"];

fn is_request(tree: &AttributeTree, has_usage: bool) -> bool {
    let word = |key: &str| tree.get(key).and_then(JsonValue::scalar_text);
    if let Some(operation) = word("ai.operationId") {
        let is_other = ["ai.embed", "ai.rerank"].iter().any(|other| operation.starts_with(other));
        return operation.contains(".do") && !is_other;
    }
    if let Some(operation) = word("gen_ai.operation.name") {
        return REQUESTS.contains(&&*operation);
    }
    word("openinference.span.kind").map_or(has_usage, |kind| &*kind == "LLM")
}

/// The request of a span.
pub(in crate::container) fn request(
    span: JsonValue<'_>,
    tree: &AttributeTree,
    about: &SpanAbout,
    failure: Option<&SpanFailure<'_>>,
) -> Option<Fact> {
    let usage = tree.root().and_then(usage::otel);
    if !is_request(tree, usage.is_some()) {
        return None;
    }
    let word = |keys: &[&str]| keys.iter().find_map(|key| tree.get(key)?.scalar_text());
    let number = |keys: &[&str]| keys.iter().find_map(|key| tree.get(key)?.fraction());
    let start = instant(span, &STARTS);
    let reasons = tree.get("gen_ai.response.finish_reasons");
    let first_reason = || reasons?.items().next().and_then(JsonValue::scalar_text);
    let holder = span.first_of(&["context", "spanContext"]).unwrap_or(span);
    let span_id = || holder.first_filled(&["spanId", "span_id", "id"])?.scalar_text();
    let first_token = || after(start?, number(&["ai.response.msToFirstChunk", "ai.stream.msToFirstChunk"])? / 1000.0);
    Some(Fact::Request(RequestFacts {
        key: word(&["gen_ai.response.id", "ai.response.id"]).or_else(span_id),
        model: about.model.clone(),
        usage,
        cost: number(&["gen_ai.usage.cost", "llm.cost.total"]),
        start,
        first_token: first_token(),
        end: instant(span, &ENDS),
        stop: first_reason().or_else(|| reasons?.scalar_text()).or_else(|| word(&["ai.response.finishReason"])),
        error: failure.map(|failure| failure.words.and_then(JsonValue::scalar_text).unwrap_or_else(|| "error".into())),
        ..RequestFacts::default()
    }))
}

/// The times of the call of a span.
pub(in crate::container) fn call(span: JsonValue<'_>, id: Option<Box<str>>) -> Option<Fact> {
    let (start, end) = (instant(span, &STARTS), instant(span, &ENDS));
    let is_timed = start.is_some() && end.is_some();
    id.filter(|_| is_timed).map(|id| Fact::Call(id, CallTimes { start, end, took: None }))
}
