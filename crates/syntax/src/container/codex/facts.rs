//! Facts about a session in records of Codex, apart from messages.
//!
//! | record | fact |
//! |---|---|
//! | `session_meta`, `turn_context` | the session; the model and its effort, per turn |
//! | `token_count` | `last_token_usage`: tokens of a request; one with the `total_token_usage` of the one before repeats it |
//! | the same | tokens of the total that no request of the file has: one entry for the session, unless it is a copy |
//! | `token_usage_record` | the same by `response_id`, in newer files; `token_count` is then ignored |
//! | `task_started`, `task_complete` | when the first request of a turn began, and its first token; an error |
//! | `exec_command_end`, `mcp_tool_call_end`, `item_completed` | how long a call took; else the first lines of its output |
//! | `compacted`, `context_compacted` | one compaction, in up to three records |
//! | `collab_…_end` | sub-agents |
//!
//! A fork and the session of a sub-agent begin with copies of their parent's records, written within a second; the
//! requests in them are the parent's.

use std::collections::HashSet;
use std::time::Duration;

use jiff::Timestamp;

use super::super::facts::{
    AgentFacts, CallTimes, Compaction, CompactionKind, Fact, FigureSource, Relation, RequestFacts, RequestScope,
    SessionFact, SessionKind, SessionState, TitleKind, Usage,
};
use super::super::fragment::Fragment;
use super::super::json::{JsonKind, JsonValue};
use super::super::writer::TextWriter;
use super::super::{moment_of, usage};

/// Milliseconds after the start of a fork within which copies of its parent's records are written.
const REPLAY: i64 = 1000;

/// Most calls without an output whose duration is known; outputs follow within a few records.
const MOST_TIMED: usize = 1000;

/// Number of bytes at the beginning of an output that may state its duration, and at its end.
const HEAD: usize = 300;
const TAIL: usize = 120;

/// The state of a session, from record to record.
#[derive(Default)]
pub(super) struct SessionFacts {
    pub(super) model: Option<Box<str>>,
    effort: Option<Box<str>>,
    directory: Option<Box<str>>,
    permission: Option<Box<str>>,
    /// The id of the file's own thread.
    own: Option<Box<str>>,
    /// Start of the file.
    began: Option<Timestamp>,
    /// True if it begins with the records of another thread.
    is_copy: bool,
    /// Number of the first record that is not a copy, if the file states it.
    first_own: Option<u64>,
    /// True if the current record is a copy.
    is_replay: bool,
    turn: OpenTurn,
    /// `total_token_usage` of the last event that counts tokens, verbatim.
    counted: Option<Box<[u8]>>,
    /// The same, parsed.
    total: Usage,
    /// A request from a `token_count` that the next record may state again with its id.
    pending: Option<RequestFacts>,
    /// True if requests are recorded with their ids.
    has_records: bool,
    /// Number of compactions by kind of record.
    compactions: [u32; 3],
    /// Calls whose duration an event has stated.
    timed: HashSet<Box<str>>,
}

/// A turn, from `task_started` to `task_complete`.
#[derive(Default)]
struct OpenTurn {
    id: Option<Box<str>>,
    start: Option<Timestamp>,
    is_open: bool,
    /// True once it has its prompt: another one is steering.
    is_prompted: bool,
    /// Id of its first request.
    first: Option<Box<str>>,
}

/// Kinds of records about a compaction.
#[derive(Clone, Copy)]
pub(super) enum CompactionRecord {
    Compacted,
    Event,
    Item,
}

impl SessionFacts {
    /// Begins a record, which may be the parent's.
    pub(super) fn begin(&mut self, record: JsonValue<'_>, kind: &str, out: &mut TextWriter) {
        if let Some(request) = self.pending.take_if(|_| kind != "token_usage_record") {
            out.fact(Fact::Request(request));
        }
        self.is_replay = match (self.is_copy, self.first_own) {
            (false, _) => false,
            (true, Some(first)) => record.number_of("ordinal").is_some_and(|ordinal| ordinal < first),
            (true, None) => self
                .began
                .zip(time_of(record))
                .is_some_and(|(began, time)| time.as_millisecond() - began.as_millisecond() <= REPLAY),
        };
    }

    /// Ends the file.
    pub(super) fn finish(&mut self, out: &mut TextWriter) {
        if let Some(request) = self.pending.take() {
            out.fact(Fact::Request(request));
        }
    }

    /// Takes the first record of a thread; `meta` is its payload. One of another thread is the parent's.
    pub(super) fn session(&mut self, record: JsonValue<'_>, meta: JsonValue<'_>, out: &mut TextWriter) {
        let id = meta.words_of("id");
        if self.own.is_some() {
            if self.own != id {
                self.is_copy = true;
                self.is_replay = true;
            }
            return;
        }
        self.own = id;
        self.began = time_of(record).or_else(|| time_of(meta));
        let session = |fact| Fact::Session(fact);
        if let Some(start) = time_of(meta).or(self.began) {
            out.fact(session(SessionFact::Start(start)));
        }
        self.change_directory(meta, out);
        if let Some(branch) = meta.path(&["git", "branch"]).and_then(JsonValue::scalar_text) {
            out.fact(session(SessionFact::Branch(branch)));
        }
        let version = meta.words_of("cli_version");
        if let Some(client) = meta.words_of("originator").or_else(|| version.as_ref().map(|_| "codex".into())) {
            out.fact(session(SessionFact::Client(client, version)));
        }
        self.relations(meta, out);
    }

    fn relations(&mut self, meta: JsonValue<'_>, out: &mut TextWriter) {
        let subagent = meta.path(&["source", "subagent"]);
        let spawn = subagent.and_then(|subagent| subagent.get("thread_spawn"));
        let is_guardian = subagent.is_some_and(|subagent| subagent.is_string("other", "guardian"));
        let forked = meta.words_of("forked_from_id");
        let parent = meta.words_of("parent_thread_id").or_else(|| spawn?.words_of("parent_thread_id"));
        let kind = match (subagent, &forked) {
            (Some(_), _) if is_guardian => Some(SessionKind::Evaluator),
            (Some(_), _) => Some(SessionKind::Subagent),
            (None, Some(_)) => Some(SessionKind::Fork),
            (None, None) => meta.is_string("thread_source", "subagent").then_some(SessionKind::Subagent),
        };
        self.first_own = meta.number_of("subagent_history_start_ordinal");
        self.is_copy = forked.is_some() || self.first_own.is_some() || meta.first_filled(&["history_base"]).is_some();
        let links = [(Relation::ForkedFrom, forked), (Relation::Parent, parent)];
        for (relation, id) in links.into_iter().filter_map(|(relation, id)| Some((relation, id?))) {
            out.fact(Fact::Session(SessionFact::Link(relation, id)));
        }
        if let Some(kind) = kind {
            out.fact(Fact::Session(SessionFact::Kind(kind)));
        }
    }

    fn change_directory(&mut self, payload: JsonValue<'_>, out: &mut TextWriter) {
        if let Some(directory) = payload.words_of("cwd").filter(|cwd| self.directory.as_ref() != Some(cwd)) {
            self.directory = Some(directory.clone());
            out.fact(Fact::Session(SessionFact::Directory(directory)));
        }
    }

    /// Takes the settings of the current turn.
    pub(super) fn context(&mut self, payload: JsonValue<'_>, out: &mut TextWriter) {
        self.model = payload.words_of("model");
        self.effort = payload.words_of("effort");
        if self.is_replay {
            return;
        }
        self.change_directory(payload, out);
        let permission = payload.words_of("approval_policy");
        if let Some(permission) = permission.filter(|policy| self.permission.as_ref() != Some(policy)) {
            self.permission = Some(permission.clone());
            out.fact(Fact::State(SessionState::Permission(permission)));
        }
    }

    /// True if the current record is a copy of the parent's.
    pub(super) fn is_replay(&self) -> bool {
        self.is_replay
    }

    /// True if a prompt arrives while the model is working on another one.
    pub(super) fn is_steering(&mut self) -> bool {
        self.turn.is_open && std::mem::replace(&mut self.turn.is_prompted, true)
    }

    /// Takes an event of this kind.
    pub(super) fn event(&mut self, kind: &str, record: JsonValue<'_>, event: JsonValue<'_>, out: &mut TextWriter) {
        match kind {
            "token_count" => self.count(record, event, out),
            "task_started" | "turn_started" => {
                let start = event.words_of("started_at").and_then(|time| moment_of(&time)).or_else(|| time_of(record));
                self.turn = OpenTurn { id: event.words_of("turn_id"), start, is_open: true, ..OpenTurn::default() };
                if let Some(window) = event.number_of("model_context_window") {
                    out.fact(Fact::Session(SessionFact::Window(window)));
                }
            }
            "task_complete" | "turn_complete" => {
                out.time(record.words_of("timestamp"));
                self.end_turn(record, event, out);
            }
            "turn_aborted" => {
                self.turn = OpenTurn::default();
                out.time(record.words_of("timestamp"));
                if event.is_string("reason", "interrupted") && !self.is_replay {
                    out.fact(Fact::State(SessionState::Interrupted));
                }
            }
            "exec_command_end" | "mcp_tool_call_end" => {
                if let Some((call, took)) = event.words_of("call_id").zip(event.get("duration").and_then(duration)) {
                    self.time_call(call, CallTimes::of_duration(took), out);
                }
            }
            "item_completed" => self.item(event, out),
            "context_compacted" => self.compaction(CompactionRecord::Event, out),
            "thread_rolled_back" if !self.is_replay => {
                out.fact(Fact::Compaction(Compaction { kind: CompactionKind::Rewind, ..Compaction::default() }));
            }
            "thread_name_updated" => {
                if let Some(name) = event.words_of("thread_name") {
                    out.fact(Fact::Session(SessionFact::Title(name, TitleKind::Given)));
                }
            }
            kind if kind.starts_with("collab_") && !self.is_replay => agents(event, out),
            _ => {}
        }
    }

    /// Takes the tokens of the last request.
    fn count(&mut self, record: JsonValue<'_>, event: JsonValue<'_>, out: &mut TextWriter) {
        let Some(info) = event.get("info") else { return };
        let total = info.get("total_token_usage").map(|total| total.raw());
        if total.is_none() || total == self.counted.as_deref() {
            return;
        }
        self.counted = total.map(Box::from);
        if let Some(window) = info.number_of("model_context_window") {
            out.fact(Fact::Session(SessionFact::Window(window)));
        }
        if self.has_records || self.is_replay {
            return;
        }
        // Requests have no ids here; the first one of a turn is identified by the turn's.
        let key = self.turn.id.clone().filter(|_| self.turn.first.is_none());
        let usage = info.get("last_token_usage").and_then(usage::openai).filter(|usage| !usage.is_empty());
        let all = info.get("total_token_usage").and_then(usage::openai).unwrap_or_default();
        let before = std::mem::replace(&mut self.total, all);
        if let Some(rest) = rest_of(all, before.plus(usage.unwrap_or_default())).filter(|_| !self.is_copy) {
            let scope = RequestScope::Session;
            let rest = RequestFacts { scope, usage: Some(rest), is_aside: true, ..RequestFacts::default() };
            out.fact(Fact::Request(rest));
        }
        self.pending = Some(self.request(key, record, RequestFacts { usage, ..RequestFacts::default() }));
    }

    /// Takes a request that is recorded with its id.
    pub(super) fn record(&mut self, record: JsonValue<'_>, payload: JsonValue<'_>, out: &mut TextWriter) {
        if let Some(counted) = self.pending.take()
            && self.turn.first == counted.key
        {
            self.turn.first = None;
        }
        self.has_records = true;
        if self.is_replay {
            return;
        }
        let usage = payload.get("usage").and_then(usage::openai).filter(|usage| !usage.is_empty());
        let facts = RequestFacts { usage, ..RequestFacts::default() };
        let request = self.request(payload.words_of("response_id"), record, facts);
        out.fact(Fact::Request(request));
    }

    fn request(&mut self, key: Option<Box<str>>, record: JsonValue<'_>, facts: RequestFacts) -> RequestFacts {
        let is_first = self.turn.is_open && self.turn.first.is_none();
        if is_first {
            self.turn.first.clone_from(&key);
        }
        RequestFacts {
            key,
            model: self.model.clone(),
            effort: self.effort.clone(),
            start: self.turn.start.filter(|_| is_first),
            end: time_of(record),
            ..facts
        }
    }

    /// Ends a turn; the event states when its first request had its first token.
    fn end_turn(&mut self, record: JsonValue<'_>, event: JsonValue<'_>, out: &mut TextWriter) {
        let turn = std::mem::take(&mut self.turn);
        if self.is_replay {
            return;
        }
        let start = event.words_of("started_at").and_then(|time| moment_of(&time)).or(turn.start);
        let wait = event.number_of("time_to_first_token_ms").map(Duration::from_millis);
        let first_token = start.zip(wait).and_then(|(start, wait)| start.checked_add(wait).ok());
        if turn.first.is_some() && first_token.is_some() {
            out.fact(Fact::Request(RequestFacts { key: turn.first, start, first_token, ..RequestFacts::default() }));
        }
        if let Some(error) = event.path(&["error", "message"]).and_then(JsonValue::scalar_text) {
            let failed = RequestFacts { error: Some(error), ..RequestFacts::default() };
            out.fact(Fact::Request(self.request(None, record, failed)));
        }
    }

    /// States a turn of `codex exec --json`: the tokens of all its requests.
    pub(super) fn reported_turn(record: JsonValue<'_>, out: &mut TextWriter) {
        let usage = record.get("usage").and_then(usage::openai).filter(|usage| !usage.is_empty());
        if usage.is_some() {
            out.fact(Fact::Request(RequestFacts { scope: RequestScope::Turn, usage, ..RequestFacts::default() }));
        }
    }

    /// States a compaction; if several records report it, the first one counts.
    pub(super) fn compaction(&mut self, by: CompactionRecord, out: &mut TextWriter) {
        let before = self.compactions.iter().max().copied();
        self.compactions[by as usize] += 1;
        if self.compactions.iter().max().copied() > before && !self.is_replay {
            out.fact(Fact::Compaction(Compaction::default()));
        }
    }

    fn item(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let Some(item) = event.get("item") else { return };
        let kind = item.text_of("type").unwrap_or_default();
        if kind == "ContextCompaction" {
            return self.compaction(CompactionRecord::Item, out);
        }
        let is_call = kind.contains("Command") || kind.contains("ToolCall") || kind == "FileChange";
        let Some(call) = item.words_of("id").filter(|_| is_call) else { return };
        let time = |key: &str| event.words_of(key).and_then(|time| moment_of(&time));
        let (start, end) = (time("started_at_ms"), time("completed_at_ms"));
        let times = CallTimes { start, end, took: item.get("duration").and_then(duration) };
        if times.duration().is_some() {
            self.time_call(call, times, out);
        }
    }

    fn time_call(&mut self, call: Box<str>, times: CallTimes, out: &mut TextWriter) {
        if self.timed.len() < MOST_TIMED {
            self.timed.insert(call.clone());
        }
        out.fact(Fact::Call(call, times));
    }

    /// Takes an item of the conversation: the output of a call may state its duration, and a call may be a plan.
    pub(super) fn conversation_item(&mut self, item: JsonValue<'_>, out: &mut TextWriter) {
        let kind = item.text_of("type").unwrap_or_default();
        if kind == "function_call" && item.is_string("name", "update_plan") && !self.is_replay {
            plan(item, out);
        } else if kind.ends_with("_call_output")
            && let Some(call) = item.words_of("call_id")
            && !self.timed.remove(&call)
            && let Some(took) = item.get("output").and_then(|output| stated_duration(output.raw()))
        {
            out.fact(Fact::Call(call, CallTimes::of_duration(took)));
        }
    }
}

/// Tokens of a session that no request in the file accounts for: spent on a compaction, or before the file begins.
fn rest_of(all: Usage, counted: Usage) -> Option<Usage> {
    if all.total()? <= counted.total().unwrap_or_default() {
        return None;
    }
    let rest = |of: fn(&Usage) -> Option<u64>| Some(of(&all)?.saturating_sub(of(&counted).unwrap_or_default()));
    Some(Usage {
        input: rest(|usage| usage.input),
        cache_read: rest(|usage| usage.cache_read),
        output: rest(|usage| usage.output),
        reasoning: rest(|usage| usage.reasoning),
        ground: FigureSource::Derived,
        ..Usage::default()
    })
}

fn time_of(record: JsonValue<'_>) -> Option<Timestamp> {
    record.text_of("timestamp").and_then(|time| moment_of(&time))
}

/// Parses `{secs, nanos}`, or milliseconds.
fn duration(value: JsonValue<'_>) -> Option<Duration> {
    if value.kind() == JsonKind::Object {
        let rest = Duration::from_nanos(value.number_of("nanos").unwrap_or_default());
        return Duration::from_secs(value.number_of("secs")?).checked_add(rest);
    }
    value.number().map(Duration::from_millis)
}

/// The duration in the first lines of an output, `Wall time: 11.9 seconds`, or in the metadata at its end. Both are
/// searched for in the raw JSON.
fn stated_duration(output: &[u8]) -> Option<Duration> {
    let head = &output[..output.len().min(HEAD)];
    let tail = &output[output.len().saturating_sub(TAIL)..];
    let after = |text: &'_ [u8], word: &[u8]| {
        let start = memchr::memmem::find(text, word)? + word.len();
        let number = text[start..].iter().skip_while(|byte| matches!(byte, b' ' | b'\\' | b'"' | b':'));
        let digits: Vec<u8> = number.copied().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').collect();
        let seconds: f64 = std::str::from_utf8(&digits).ok()?.parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    };
    let is_wrapped = || head.starts_with(b"\"{\\\"output\\\"");
    after(head, b"Wall time: ").or_else(|| is_wrapped().then(|| after(tail, b"duration_seconds"))?)
}

/// States the tasks of a plan: `{plan: [{step, status}]}` in a string.
fn plan(call: JsonValue<'_>, out: &mut TextWriter) {
    let Some(arguments) = call.string_of("arguments").map(Fragment::from_value) else { return };
    let index = arguments.index();
    let plan = index.as_ref().and_then(|index| arguments.root(index)?.get("plan"));
    if let Some(plan) = plan.filter(|plan| plan.kind() == JsonKind::Array) {
        let done = plan.items().filter(|task| task.is_string("status", "completed")).count() as u32;
        out.fact(Fact::State(SessionState::Plan { done, total: plan.items().count() as u32 }));
    }
}

/// States the sub-agents in an event.
fn agents(event: JsonValue<'_>, out: &mut TextWriter) {
    if let Some(id) = event.words_of("new_thread_id") {
        out.fact(Fact::Agent(AgentFacts {
            id: Some(id.clone()),
            session: Some(id),
            call: event.words_of("call_id"),
            kind: event.first_filled(&["new_agent_role", "agent_role"]).and_then(JsonValue::scalar_text),
            description: event.text_of("prompt").and_then(|prompt| Some(prompt.trim().lines().next()?.into())),
            status: event.get("status").and_then(status),
            ..AgentFacts::default()
        }));
    }
    let mut ended = |id: Option<Box<str>>, state: Option<JsonValue<'_>>| {
        if let Some((id, status)) = id.zip(state.and_then(status)) {
            out.fact(Fact::Agent(AgentFacts { id: Some(id), status: Some(status), ..AgentFacts::default() }));
        }
    };
    ended(event.words_of("receiver_thread_id"), event.get("status"));
    for state in event.get("statuses").into_iter().flat_map(|statuses| statuses.items()) {
        ended(Some(state.key().into()), Some(state));
    }
}

/// The status of an agent: a string, or an object whose key is the status.
fn status(value: JsonValue<'_>) -> Option<Box<str>> {
    value.scalar_text().or_else(|| value.items().next().map(|member| member.key().into()))
}
