//! Facts about a sample in its events.
//!
//! | `event` | fact |
//! |---|---|
//! | `model` | a request: `timestamp` is its start, `completed` its end; an answer from a cache is not a request |
//! | `tool` | the times of the call `id`; `working_time` excludes waiting |
//! | `compaction` | a compaction: its `type` is `summary`, `edit` or `trim` |

use std::collections::HashMap;
use std::time::Duration;

use super::super::facts::{CallTimes, Compaction, CompactionKind, Fact, RequestFacts};
use super::super::json::{JsonValue, MAX_VALUES};
use super::super::writer::TextWriter;
use super::super::{answer, usage};

/// Requests by the id of the message that answers each; the empty id stands for an unknown message.
#[derive(Debug, Default)]
pub(super) struct SampleRequests(HashMap<Box<str>, Vec<RequestFacts>>);

impl SampleRequests {
    /// The requests in the events of a sample.
    pub(super) fn new(events: Option<JsonValue<'_>>) -> Self {
        let mut all = Self::default();
        for event in all_of(events, "model").filter(|event| !event.is_string("cache", "read")) {
            let id = event.get("output").and_then(|output| first_choice(output)?.get("message")?.words_of("id"));
            all.0.entry(id.unwrap_or_default()).or_default().push(request(event));
        }
        all
    }

    /// States the requests that a message answers.
    pub(super) fn say_of(&mut self, message: Option<&str>, out: &mut TextWriter) {
        let found = message.and_then(|id| self.0.remove(id));
        found.into_iter().flatten().for_each(|request| out.fact(Fact::Request(request)));
    }

    /// States all remaining requests in chronological order.
    pub(super) fn write_remaining(self, out: &mut TextWriter) {
        let mut left: Vec<RequestFacts> = self.0.into_values().flatten().collect();
        left.sort_by_key(|request| request.start);
        for request in left {
            out.fact(Fact::Request(request));
        }
    }
}

/// The events of this kind.
pub(super) fn all_of<'a>(
    events: Option<JsonValue<'a>>,
    kind: &'static str,
) -> impl Iterator<Item = JsonValue<'a>> + use<'a> {
    events.into_iter().flat_map(|events| events.items()).filter(move |event| event.is_string("event", kind))
}

/// The messages of the last request of the agent, and its answer: the conversation of a sample that lists none. The
/// inputs of newer requests are ranges of a list that all of them share.
pub(super) fn last_request(sample: JsonValue<'_>) -> Vec<JsonValue<'_>> {
    let requests = all_of(sample.get("events"), "model").filter(|event| event.first_filled(&["role"]).is_none());
    let Some(event) = requests.last() else { return Vec::new() };
    let stored = sample.path(&["events_data", "messages"]).or_else(|| sample.get("message_pool"));
    let stored: Vec<JsonValue<'_>> = stored.into_iter().flat_map(|stored| stored.items()).collect();
    let ranges = event.get("input_refs").into_iter().flat_map(|ranges| ranges.items()).filter_map(|range| {
        let mut bounds = range.items().filter_map(|bound| usize::try_from(bound.number()?).ok());
        stored.get(bounds.next()?..bounds.next()?)
    });
    // A damaged list may name the same range any number of times.
    let referred = ranges.flatten().copied().take(MAX_VALUES);
    let input = event.get("input").into_iter().flat_map(|input| input.items());
    let answer = event.get("output").and_then(|output| first_choice(output)?.get("message"));
    input.chain(referred).chain(answer).collect()
}

fn first_choice(output: JsonValue<'_>) -> Option<JsonValue<'_>> {
    output.get("choices")?.items().next()
}

fn request(event: JsonValue<'_>) -> RequestFacts {
    let output = event.get("output");
    let counted = output.and_then(|output| output.get("usage")).filter(|usage| !usage.is_void());
    let start = answer::time_of(event, &["timestamp"]);
    let took = || output?.get("time")?.fraction();
    RequestFacts {
        key: event.words_of("uuid"),
        model: output.and_then(|output| output.words_of("model")).or_else(|| event.words_of("model")),
        usage: counted.and_then(usage::inspect),
        cost: counted.and_then(usage::cost),
        start,
        end: answer::time_of(event, &["completed"]).or_else(|| answer::after(start?, took()?)),
        stop: output.and_then(|output| first_choice(output)?.words_of("stop_reason")),
        effort: event.path(&["config", "reasoning_effort"]).and_then(JsonValue::scalar_text),
        error: event.words_of("error"),
        // A model with a role, such as a grader, is not the agent's.
        is_aside: event.get("role").is_some_and(|role| !role.is_void()),
        ..RequestFacts::default()
    }
}

/// States times of calls, and compactions.
pub(super) fn calls_and_compactions(events: Option<JsonValue<'_>>, out: &mut TextWriter) {
    for event in all_of(events, "tool") {
        let took = event.get("working_time").and_then(|took| Duration::try_from_secs_f64(took.fraction()?).ok());
        let [start, end] = ["timestamp", "completed"].map(|key| answer::time_of(event, &[key]));
        if let Some(id) = event.words_of("id").filter(|_| took.is_some() || end.is_some()) {
            out.fact(Fact::Call(id, CallTimes { start, end, took }));
        }
    }
    for event in all_of(events, "compaction") {
        let kind = match event.text_of("type").as_deref() {
            Some("edit") => CompactionKind::ClearResults,
            Some("trim") => CompactionKind::Trim,
            _ => CompactionKind::Summary,
        };
        let [before, after] = ["tokens_before", "tokens_after"].map(|key| event.number_of(key));
        out.fact(Fact::Compaction(Compaction { kind, before, after, ..Compaction::default() }));
    }
}
