//! Facts about a session of Gemini CLI, apart from messages.
//!
//! | member | fact |
//! |---|---|
//! | of the session | `startTime`, `directories`, `summary`, `kind` |
//! | `tokens` of a message | cached tokens are part of the input, thoughts are separate from the output; `tool` adds to the input |
//! | a call | `agentId`, a sub-agent; the tasks of `write_todos` |
//! | `stats` of a run | the tokens of all its requests |
//!
//! The end time of a call is when its message was complete: its duration is not recorded.

use super::super::facts::{
    AgentFacts, Fact, RequestFacts, RequestScope, SessionFact, SessionKind, SessionState, TitleKind, Usage,
};
use super::super::json::JsonValue;
use super::super::moment_of;
use super::super::usage::{Counting, Counts};
use super::super::writer::TextWriter;

/// States facts of the session, or of an update of it.
pub(super) fn session(record: JsonValue<'_>, out: &mut TextWriter) {
    let mut session = |fact: Option<SessionFact>| fact.into_iter().for_each(|fact| out.fact(Fact::Session(fact)));
    session(record.words_of("startTime").and_then(|time| moment_of(&time)).map(SessionFact::Start));
    session(record.words_of("summary").map(|summary| SessionFact::Title(summary, TitleKind::Summary)));
    let directories = record.get("directories");
    let directory = directories.and_then(|directories| directories.items().next()?.scalar_text());
    session(directory.map(SessionFact::Directory));
    session(record.is_string("kind", "subagent").then_some(SessionFact::Kind(SessionKind::Subagent)));
}

/// States the request that a message of the model answers; records of the same id repeat it.
pub(super) fn request(record: JsonValue<'_>, out: &mut TextWriter) {
    let usage = record.get("tokens").map(usage).filter(|usage| !usage.is_empty());
    let model = record.words_of("model");
    // Answers without a model are written by the program when it replaces the context.
    if model.is_none() && usage.is_none() {
        return;
    }
    out.fact(Fact::Request(RequestFacts {
        key: record.words_of("id"),
        model,
        usage,
        end: record.words_of("timestamp").and_then(|time| moment_of(&time)),
        ..RequestFacts::default()
    }));
    for call in record.get("toolCalls").into_iter().flat_map(|calls| calls.items()) {
        if let Some(id) = call.words_of("agentId") {
            out.fact(Fact::Agent(AgentFacts {
                id: Some(id.clone()),
                session: Some(id),
                call: call.words_of("id"),
                kind: call.words_of("name"),
                status: call.words_of("status"),
                ..AgentFacts::default()
            }));
        }
        if let Some(tasks) = call.path(&["args", "todos"]).filter(|_| call.is_string("name", "write_todos")) {
            let done = tasks.items().filter(|task| task.is_string("status", "completed")).count() as u32;
            out.fact(Fact::State(SessionState::Plan { done, total: tasks.items().count() as u32 }));
        }
    }
}

fn usage(tokens: JsonValue<'_>) -> Usage {
    let count = |key: &str| tokens.number_of(key);
    let counts = Counts {
        input: count("input").map(|input| input + count("tool").unwrap_or_default()),
        cache_read: count("cached"),
        cache_write: None,
        output: count("output"),
        reasoning: count("thoughts"),
        total: count("total"),
    };
    counts.disjoint(Counting::Inside, Counting::Apart)
}

/// States the tokens of all requests at the end of a run.
pub(super) fn run(record: JsonValue<'_>, model: Option<Box<str>>, out: &mut TextWriter) {
    let Some(stats) = record.get("stats") else { return };
    let counts = Counts {
        input: stats.number_of("input_tokens"),
        cache_read: stats.number_of("cached"),
        output: stats.number_of("output_tokens"),
        ..Counts::default()
    };
    let usage = Some(counts.disjoint(Counting::Inside, Counting::Apart)).filter(|usage| !usage.is_empty());
    if usage.is_some() {
        let scope = RequestScope::Session;
        out.fact(Fact::Request(RequestFacts { scope, model, usage, ..RequestFacts::default() }));
    }
}
