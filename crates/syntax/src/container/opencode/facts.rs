//! Facts about a session of opencode, apart from messages.
//!
//! | member | fact |
//! |---|---|
//! | of the session | `title`, `directory`, `version`, `parentID`, `time.created`, `cost` |
//! | of an answer | `tokens`, disjoint, and `cost`, which its parts of the type `step-finish` repeat; `finish`, `variant` |
//! | `state.time` | start and end of a call |
//! | a part `compaction` | the context was compacted; the answer with `summary` is the request for it |
//! | a call of `task` | a sub-agent, whose session is another file |

use super::super::facts::{
    AgentFacts, CallTimes, Compaction, CompactionKind, CompactionTrigger, Fact, Origin, Relation, RequestFacts,
    SessionFact, SessionKind, SessionState, TitleKind, Usage,
};
use super::super::json::JsonValue;
use super::super::moment_of;
use super::super::usage::{Counting, Counts};
use super::super::writer::TextWriter;

/// Start of a session's default title.
const UNNAMED: &str = "New session - ";

/// A time under `time`, in milliseconds since 1970.
fn time(value: JsonValue<'_>, key: &str) -> Option<jiff::Timestamp> {
    moment_of(&value.path(&["time", key])?.scalar_text()?)
}

/// States facts of the session.
pub(super) fn session(info: JsonValue<'_>, out: &mut TextWriter) {
    let mut session = |fact: Option<SessionFact>| fact.into_iter().for_each(|fact| out.fact(Fact::Session(fact)));
    session(info.words_of("slug").map(|slug| SessionFact::Title(slug, TitleKind::Slug)));
    let title = info.words_of("title").filter(|title| !title.starts_with(UNNAMED));
    session(title.map(|title| SessionFact::Title(title, TitleKind::Generated)));
    session(info.words_of("directory").map(SessionFact::Directory));
    session(info.words_of("version").map(|version| SessionFact::Client("opencode".into(), Some(version))));
    session(time(info, "created").map(SessionFact::Start));
    session(info.get("cost").and_then(|cost| cost.fraction()).map(SessionFact::Cost));
    if let Some(parent) = info.words_of("parentID") {
        session(Some(SessionFact::Link(Relation::Parent, parent)));
        session(Some(SessionFact::Kind(SessionKind::Subagent)));
    }
}

/// The request that a message of the model answers. The message's end is later, after the calls.
pub(super) fn request(info: JsonValue<'_>) -> Vec<Fact> {
    if !info.is_string("role", "assistant") {
        return Vec::new();
    }
    let stop = info.words_of("finish");
    let is_answer_alone = stop.as_deref().is_some_and(|stop| stop != "tool-calls");
    let error = info.get("error").filter(|error| !error.is_void());
    let is_interrupted = error.is_some_and(|error| error.is_string("name", "MessageAbortedError"));
    let told = error.filter(|_| !is_interrupted);
    let usage = info.get("tokens").map(usage).filter(|usage| !usage.is_empty());
    let request = RequestFacts {
        key: info.words_of("id"),
        model: info.words_of("modelID"),
        cost: info.get("cost").and_then(|cost| cost.fraction()).filter(|_| usage.is_some()),
        usage,
        start: time(info, "created"),
        end: time(info, "completed").filter(|_| is_answer_alone),
        stop,
        effort: info.words_of("variant"),
        error: told
            .and_then(|error| error.path(&["data", "message"]).and_then(JsonValue::scalar_text))
            .or_else(|| told?.words_of("name")),
        is_aside: info.truth_of("summary") == Some(true),
        ..RequestFacts::default()
    };
    let interrupted = is_interrupted.then_some(Fact::State(SessionState::Interrupted));
    [Fact::Request(request)].into_iter().chain(interrupted).collect()
}

fn usage(tokens: JsonValue<'_>) -> Usage {
    let cache = |key: &str| tokens.path(&["cache", key])?.number();
    let counts = Counts {
        input: tokens.number_of("input"),
        cache_read: cache("read"),
        cache_write: cache("write"),
        output: tokens.number_of("output"),
        reasoning: tokens.number_of("reasoning"),
        total: tokens.number_of("total"),
    };
    counts.disjoint(Counting::Apart, Counting::Apart)
}

/// The origin of a message of the role `user` by its parts; `synthetic` parts are the program's.
pub(super) fn origin<'a>(parts: impl Iterator<Item = JsonValue<'a>>) -> Origin {
    let mut origin = Origin::Unsaid;
    for part in parts {
        let is_added = ["synthetic", "ignored"].iter().any(|mark| part.truth_of(mark) == Some(true));
        match part.text_of("type").as_deref() {
            Some("text" | "file") if !is_added => return Origin::Prompt,
            Some("subtask") => origin = Origin::Command,
            _ if origin == Origin::Unsaid => origin = Origin::Client,
            _ => {}
        }
    }
    origin
}

/// States a compaction of the context.
pub(super) fn compaction(part: JsonValue<'_>, out: &mut TextWriter) {
    let trigger = match (part.truth_of("overflow"), part.truth_of("auto")) {
        (Some(true), _) => Some(CompactionTrigger::Overflow),
        (_, Some(true)) => Some(CompactionTrigger::Auto),
        (_, Some(false)) => Some(CompactionTrigger::Manual),
        _ => None,
    };
    out.fact(Fact::Compaction(Compaction { trigger, kind: CompactionKind::Summary, ..Compaction::default() }));
}

/// States facts of a call: its times, the sub-agent that it started, the plan that it wrote.
pub(super) fn call(part: JsonValue<'_>, out: &mut TextWriter) {
    let (Some(call), Some(state)) = (part.words_of("callID"), part.get("state")) else { return };
    let times = CallTimes { start: time(state, "start"), end: time(state, "end"), took: None };
    if times != CallTimes::default() {
        out.fact(Fact::Call(call.clone(), times));
    }
    if let Some(child) = state.path(&["metadata", "sessionId"]).and_then(JsonValue::scalar_text) {
        let input = state.get("input");
        out.fact(Fact::Agent(AgentFacts {
            id: Some(child.clone()),
            session: Some(child),
            call: Some(call),
            kind: input.and_then(|input| input.words_of("subagent_type")),
            description: input.and_then(|input| input.words_of("description")),
            status: state.words_of("status"),
            took: times.duration(),
            ..AgentFacts::default()
        }));
    }
    if let Some(tasks) = state.path(&["input", "todos"]).filter(|_| part.is_string("tool", "todowrite")) {
        let done = tasks.items().filter(|task| task.is_string("status", "completed")).count() as u32;
        out.fact(Fact::State(SessionState::Plan { done, total: tasks.items().count() as u32 }));
    }
}
