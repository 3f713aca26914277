//! Facts about a session in records of Claude Code, apart from messages.
//!
//! | member | fact |
//! |---|---|
//! | `message.usage`, `message.stop_reason` | tokens of a request, repeated in each record of `message.id` |
//! | `toolUseResult.durationMs`, `.totalDurationMs` | how long a call took |
//! | `toolUseResult.agentId`, `.totalTokens`, … | a sub-agent; its tokens count its last request |
//! | `<task-notification>` | how a background sub-agent ended |
//! | `compactMetadata`, `microcompactMetadata` | a compaction |
//! | `cwd`, `gitBranch`, `version`, `slug`, `forkedFrom`, `permissionMode` | the session; they change within a file |
//!
//! Output tokens are final in a record that has a `stop_reason`; some versions write only the first count, a stub.

use std::time::Duration;

use super::super::facts::{
    AgentFacts, CallTimes, Compaction, CompactionKind, CompactionTrigger, Fact, Relation, ReportedTokens, RequestFacts,
    SessionFact, SessionState, TitleKind, Usage,
};
use super::super::json::{JsonKind, JsonValue};
use super::super::writer::TextWriter;
use super::super::{moment_of, usage};
use super::prompt::element;

/// Model of records that the client creates without a request.
const SYNTHETIC: &str = "<synthetic>";

/// Facts that records repeat; they are passed on when they change.
#[derive(Debug, Default)]
pub(super) struct SessionFacts {
    /// Values of the members of [`REPEATED`], verbatim.
    known: [Option<Box<[u8]>>; REPEATED.len()],
}

/// Members that most records have.
const REPEATED: [&str; 5] = ["cwd", "gitBranch", "version", "slug", "permissionMode"];

impl SessionFacts {
    /// Passes on the facts that changed in a record.
    pub(super) fn take(&mut self, record: JsonValue<'_>, out: &mut TextWriter) {
        for member in record.items() {
            let key = member.key();
            if key == "forkedFrom" {
                let parent = member.get("sessionId").and_then(JsonValue::scalar_text);
                if let Some(parent) = parent {
                    out.fact(Fact::Session(SessionFact::Link(Relation::ForkedFrom, parent)));
                }
                continue;
            }
            let Some(at) = REPEATED.iter().position(|repeated| *repeated == key) else { continue };
            if self.known[at].as_deref() == Some(member.raw()) {
                continue;
            }
            self.known[at] = Some(member.raw().into());
            let Some(text) = member.text().filter(|text| !text.is_empty()).map(Box::from) else { continue };
            out.fact(match REPEATED[at] {
                "cwd" => Fact::Session(SessionFact::Directory(text)),
                "gitBranch" => Fact::Session(SessionFact::Branch(text)),
                "version" => Fact::Session(SessionFact::Client("Claude Code".into(), Some(text))),
                "slug" => Fact::Session(SessionFact::Title(text, TitleKind::Slug)),
                _ => Fact::State(SessionState::Permission(text)),
            });
        }
    }
}

/// The request that a message of the model answers.
pub(super) fn request(record: JsonValue<'_>, message: JsonValue<'_>, is_aside: bool, out: &mut TextWriter) {
    let model = message.words_of("model");
    if model.as_deref() == Some(SYNTHETIC) {
        return;
    }
    let Some(object) = message.get("usage").filter(|usage| usage.kind() == JsonKind::Object) else { return };
    let stop = message.words_of("stop_reason");
    let usage = usage::anthropic(object).map(|usage| Usage { is_output_partial: stop.is_none(), ..usage });
    out.fact(Fact::Request(RequestFacts {
        key: message.words_of("id"),
        model,
        usage,
        cost: record.get("costUSD").and_then(|cost| cost.fraction()),
        end: record.text_of("timestamp").and_then(|time| moment_of(&time)),
        stop,
        effort: record.words_of("effort"),
        is_aside,
        ..RequestFacts::default()
    }));
}

/// Calls of a message of the model that start sub-agents.
pub(super) fn started_agents(message: JsonValue<'_>, out: &mut TextWriter) {
    let calls = message.get("content").into_iter().flat_map(|content| content.items());
    for call in calls.filter(|block| block.is_string("type", "tool_use")) {
        let input = call.get("input");
        let is_agent = call.is_string("name", "Agent") || call.is_string("name", "Task");
        let Some(kind) = input.filter(|_| is_agent).and_then(|input| input.words_of("subagent_type")) else { continue };
        out.fact(Fact::Agent(AgentFacts {
            call: call.words_of("id"),
            kind: Some(kind),
            description: input.and_then(|input| input.words_of("description")),
            ..AgentFacts::default()
        }));
    }
}

/// Facts about a result in addition to its text.
pub(super) fn result(record: JsonValue<'_>, message: JsonValue<'_>, out: &mut TextWriter) {
    let Some(result) = record.get("toolUseResult").filter(|result| result.kind() == JsonKind::Object) else { return };
    let blocks = message.get("content").into_iter().flat_map(|content| content.items());
    let mut calls = blocks.filter_map(|block| block.words_of("tool_use_id"));
    // With several results in one record it is unclear which one is meant.
    let (Some(call), None) = (calls.next(), calls.next()) else { return };
    let milliseconds = |key: &str| result.number_of(key).map(Duration::from_millis);
    let took = milliseconds("durationMs").or_else(|| milliseconds("totalDurationMs"));
    if let Some(took) = took {
        out.fact(Fact::Call(call.clone(), CallTimes::of_duration(took)));
    }
    if let Some(id) = result.words_of("agentId") {
        out.fact(Fact::Agent(AgentFacts {
            id: Some(id),
            call: Some(call),
            kind: result.words_of("agentType"),
            description: result.words_of("description"),
            status: result.words_of("status"),
            reported: result.number_of("totalTokens").map(|tokens| (tokens, ReportedTokens::LastRequest)),
            calls: result.number_of("totalToolUseCount"),
            took: milliseconds("totalDurationMs"),
            ..AgentFacts::default()
        }));
    }
    let todos = result.get("newTodos").filter(|todos| todos.kind() == JsonKind::Array);
    if let Some(todos) = todos {
        let done = todos.items().filter(|todo| todo.is_string("status", "completed")).count();
        let (done, total) = (done as u32, todos.items().count() as u32);
        out.fact(Fact::State(SessionState::Plan { done, total }));
    }
}

/// States the end of a background task.
pub(super) fn notification(text: &str, out: &mut TextWriter) {
    let Some(id) = element(text, "task-id") else { return };
    let usage = element(text, "usage").unwrap_or_default();
    let number = |key: &str| {
        let rest = usage.split_once(&format!("{key}:"))?.1.trim_start();
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse::<u64>().ok()
    };
    let number = |key: &str| number(key).or_else(|| element(usage, key)?.trim().parse().ok());
    // Background commands are announced in the same form, without a usage.
    if usage.is_empty() {
        return;
    }
    out.fact(Fact::Agent(AgentFacts {
        id: Some(id.into()),
        call: element(text, "tool-use-id").map(Box::from),
        status: element(text, "status").map(Box::from),
        reported: number("total_tokens").map(|tokens| (tokens, ReportedTokens::LastRequest)),
        calls: number("tool_uses"),
        took: number("duration_ms").map(Duration::from_millis),
        ..AgentFacts::default()
    }));
}

/// States the compaction or clearing of results in a record of the type `system`.
pub(super) fn compaction(record: JsonValue<'_>, out: &mut TextWriter) {
    let (details, kind) = match (record.get("compactMetadata"), record.get("microcompactMetadata")) {
        (Some(details), _) => (details, CompactionKind::Summary),
        (None, Some(details)) => (details, CompactionKind::ClearResults),
        (None, None) => return,
    };
    let trigger = match details.text_of("trigger").as_deref() {
        Some("auto") => Some(CompactionTrigger::Auto),
        Some("manual") => Some(CompactionTrigger::Manual),
        _ => None,
    };
    // `postTokens` counts only the summary.
    let before = details.number_of("preTokens");
    let saved = details.number_of("tokensSaved");
    let after = before.zip(saved).map(|(before, saved)| before.saturating_sub(saved));
    let took = details.number_of("durationMs").map(Duration::from_millis);
    out.fact(Fact::Compaction(Compaction { trigger, kind, before, after, duration: took }));
}
