//! Messages of `LangChain`, as its programs and `LangSmith` store them, in JSON, JSON lines or arrays.
//!
//! | record | members |
//! |---|---|
//! | a message | `type`: `human`, `ai`, `system`, `tool`, …; the members below, either in `data` or next to `type` |
//! | a serialized message | `lc`, `id: […, "AIMessage"]`, `kwargs` with the members below |
//! | | `content`, `tool_calls: [{name, args, id}]`, `invalid_tool_calls`, `tool_call_id`, `status` |
//! | a run of `LangSmith` | `run_type`, `inputs: {messages}`, `outputs: {messages}` or `{generations: [[{message}]]}` |
//! | | `start_time`, `end_time`, `trace_id`, `extra: {metadata: {ls_model_name, thread_id}}` |
//!
//! A message of the model has `usage_metadata`; a run of a model has its tokens, times and cost. Enclosing runs
//! repeat the sums, which are not added.
//!
//! The content of some providers repeats the calls, which are taken once. The shapes are from `langchain_core`,
//! `messages` and `load`.

use std::collections::HashSet;

use super::answer;
use super::facts::{CallTimes, Fact, RequestFacts};
use super::json::{JsonKind, JsonValue};
use super::messages::{call, parts_of, result, unknown};
use super::prompt_history::PromptHistory;
use super::unread_text;
use super::usage;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, Message, MessagePart,
    MessageRole, RecordReader, ToolResult,
};
use crate::diagnostic::Code;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "langchain",
    title: "messages of LangChain",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<LangChain> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let record = innermost(value);
    if record.get("run_type").is_some() && (record.get("inputs").is_some() || record.get("outputs").is_some()) {
        return Some(Claim::Sure("it is a run with a run_type, inputs and outputs"));
    }
    let first = record.get("messages").map_or(record, innermost);
    if body(first).is_some_and(|(body, _)| body.place() != first.place()) {
        return Some(Claim::Sure("it has messages with a type and data, or with lc and kwargs"));
    }
    let is_own = |said: JsonValue<'_>| {
        (said.is_string("type", "human") || said.is_string("type", "ai")) && said.get("content").is_some()
    };
    // A list may begin with instructions.
    let list = record.get("messages").filter(|list| list.kind() == JsonKind::Array);
    let is_told = list.is_some_and(|list| list.items().take(FIRST).any(is_own));
    (is_told || is_own(first)).then_some(Claim::Sure("it has messages of the type human or ai"))
}

/// Number of messages of a list that are examined.
const FIRST: usize = 4;

/// The first element of a list, or of a list in it.
fn innermost(value: JsonValue<'_>) -> JsonValue<'_> {
    let mut first = value;
    for _ in 0..2 {
        if first.kind() == JsonKind::Array {
            first = first.items().next().unwrap_or(first);
        }
    }
    first
}

/// The members of a message, and its type or class; `None` for anything else.
pub(super) fn body(value: JsonValue<'_>) -> Option<(JsonValue<'_>, Box<str>)> {
    if let Some(kwargs) = value.get("kwargs").filter(|_| value.get("lc").is_some()) {
        let class = value.get("id")?.items().last()?.scalar_text()?;
        return class.contains("Message").then_some((kwargs, class));
    }
    let kind = value.get("type")?.scalar_text()?;
    match value.get("data").filter(|data| data.get("content").is_some()) {
        // Events of other programs have `data`, too.
        Some(data) => {
            (speaker(&kind).is_some() || matches!(&*kind, "chat" | "generic" | "remove")).then_some((data, kind))
        }
        None => (value.get("content").is_some() && speaker(&kind).is_some()).then_some((value, kind)),
    }
}

/// The role for the type or class of a message.
pub(super) fn speaker(word: &str) -> Option<MessageRole> {
    match word.trim_end_matches("Chunk").trim_end_matches("Message") {
        "ai" | "AI" => Some(MessageRole::Assistant),
        "Human" => Some(MessageRole::User),
        "System" => Some(MessageRole::System),
        "Tool" | "Function" => Some(MessageRole::Tool),
        word => MessageRole::named(word),
    }
}

/// Members that hold messages, in reading order.
const HOLDERS: [&str; 5] = ["messages", "input", "output", "generations", "message"];

#[derive(Default)]
struct LangChain {
    repeated: PromptHistory,
}

/// Finds the messages in a value, in document order.
fn find<'a>(value: JsonValue<'a>, found: &mut Vec<JsonValue<'a>>) {
    if body(value).is_some() {
        found.push(value);
    } else if value.kind() == JsonKind::Array {
        value.items().for_each(|item| find(item, found));
    } else {
        HOLDERS.iter().filter_map(|key| value.get(key)).for_each(|inner| find(inner, found));
    }
}

/// The messages of a run, and the number of its inputs, which outputs often repeat at their beginning.
fn find_in_run(run: JsonValue<'_>) -> (Vec<JsonValue<'_>>, usize) {
    let (mut given, mut made) = (Vec::new(), Vec::new());
    run.get("inputs").into_iter().for_each(|inputs| find(inputs, &mut given));
    run.get("outputs").into_iter().for_each(|outputs| find(outputs, &mut made));
    let same = given.iter().zip(&made).take_while(|(one, other)| one.raw() == other.raw()).count();
    let repeated = if same == given.len() { same } else { 0 };
    let count = given.len();
    given.extend(made.into_iter().skip(repeated));
    (given, count)
}

/// Properties that a run gives to the message `number` of its `count`, the first `given` being inputs: start and
/// end of the run, and the model that answered.
fn about_run(run: JsonValue<'_>, number: usize, given: usize, count: usize) -> Message {
    let time = match number {
        _ if number >= given && number + 1 == count => run.words_of("end_time"),
        0 => run.words_of("start_time"),
        _ => None,
    };
    let named = || run.path(&["extra", "metadata", "ls_model_name"])?.scalar_text();
    Message { time, model: if number < given { None } else { named() }, ..Message::default() }
}

/// The thread of a run, else its trace. The `session_id` of a run itself is a project's.
fn session_id(run: JsonValue<'_>) -> Option<Box<str>> {
    let metadata = run.path(&["extra", "metadata"]);
    let thread = metadata.and_then(|about| about.first_filled(&["session_id", "thread_id", "conversation_id"]));
    thread.or_else(|| run.get("trace_id"))?.scalar_text()
}

fn message(body: JsonValue<'_>, word: &str, about: Message, out: &mut TextWriter) {
    let role = speaker(word).or_else(|| body.text_of("role").and_then(|role| MessageRole::named(&role)));
    let model =
        body.get("response_metadata").and_then(|about| about.first_filled(&["model_name", "model", "model_id"]));
    let model = model.and_then(JsonValue::scalar_text).or(about.model);
    out.message(Message {
        role,
        time: about.time,
        origin: about.origin,
        model: model.filter(|_| role == Some(MessageRole::Assistant)),
        id: body.words_of("id"),
        label: body.words_of("name"),
        ..Message::default()
    });
    let before = out.yielded();
    let content = body.get("content").filter(|content| !content.is_void());
    if role == Some(MessageRole::Tool) {
        let failed = body.text_of("status").map(|status| status == "error");
        return result(ToolResult::new(body.words_of("tool_call_id"), failed), content, out);
    }
    if let Some(thought) = body.path(&["additional_kwargs", "reasoning_content"]).filter(|thought| !thought.is_void()) {
        out.write_part(MessagePart::Reasoning, thought);
    }
    let mut calls = list(Some(body), "tool_calls");
    calls.extend(list(Some(body), "invalid_tool_calls"));
    if calls.is_empty() {
        calls = list(body.get("additional_kwargs"), "tool_calls");
    }
    let ids: HashSet<Box<str>> = calls.iter().filter_map(|call| call.words_of("id")).collect();
    let is_told = |block: JsonValue<'_>| {
        let id = block.first_of(&["call_id", "id"]).and_then(JsonValue::scalar_text);
        let kind = block.text_of("type").unwrap_or_default();
        let is_call = matches!(kind.as_ref(), "tool_use" | "tool_call" | "function_call" | "input_json_delta");
        is_call && id.is_none_or(|id| ids.contains(&id))
    };
    match content {
        Some(list) if list.kind() == JsonKind::Array => {
            for block in list.items().filter(|block| !is_told(*block)) {
                parts_of(block, role, out);
            }
        }
        Some(content) => parts_of(content, role, out),
        None => {}
    }
    for value in calls {
        call(value, out);
    }
    unread_text::unless_shown(body, before, out);
}

/// States the request that a message of the model answers, if it has token counts.
fn request_of_message(body: JsonValue<'_>, out: &mut TextWriter) {
    let about = body.get("response_metadata");
    let usage = body.get("usage_metadata").and_then(usage::langchain);
    let usage = usage.or_else(|| about?.first_filled(&["token_usage", "usage"]).and_then(usage::openai));
    if usage.is_none() {
        return;
    }
    let word = |keys: &[&str]| about?.first_filled(keys)?.scalar_text();
    out.fact(Fact::Request(RequestFacts {
        key: body.words_of("id"),
        model: word(&["model_name", "model", "model_id"]),
        usage,
        stop: word(&["finish_reason", "stop_reason"]),
        ..RequestFacts::default()
    }));
}

/// The request of a model run; `last` is its last message.
fn request_of_run(run: JsonValue<'_>, last: Option<JsonValue<'_>>, out: &mut TextWriter) {
    let body = last.and_then(body).map(|(body, _)| body);
    let about = body.and_then(|body| body.get("response_metadata"));
    let word = |keys: &[&str]| about?.first_filled(keys)?.scalar_text();
    let events = run.get("events").into_iter().flat_map(|events| events.items());
    let first_token = || events.into_iter().find(|event| event.is_string("name", "new_token"));
    let of_message = body.and_then(|body| body.get("usage_metadata")).and_then(usage::langchain);
    out.fact(Fact::Request(RequestFacts {
        key: run.words_of("id"),
        model: run
            .path(&["extra", "metadata", "ls_model_name"])
            .and_then(JsonValue::scalar_text)
            .or_else(|| word(&["model_name", "model", "model_id"])),
        usage: of_message.or_else(|| usage::langchain(run)),
        cost: run.get("total_cost").and_then(|cost| cost.fraction()),
        start: answer::time_of(run, &["start_time"]),
        first_token: answer::time_of(run, &["first_token_time"]).or_else(|| answer::time_of(first_token()?, &["time"])),
        end: answer::time_of(run, &["end_time"]),
        stop: word(&["finish_reason", "stop_reason"]),
        error: run.words_of("error"),
        ..RequestFacts::default()
    }));
}

/// States the times of the call whose result is the output of a tool run.
fn call_of_run(run: JsonValue<'_>, found: &[JsonValue<'_>], out: &mut TextWriter) {
    let call = found.iter().filter_map(|message| body(*message)).find_map(|(body, _)| body.words_of("tool_call_id"));
    if let Some(call) = call {
        let [start, end] = ["start_time", "end_time"].map(|key| answer::time_of(run, &[key]));
        out.fact(Fact::Call(call, CallTimes { start, end, took: None }));
    }
}

/// The elements of a list in an object.
fn list<'a>(holder: Option<JsonValue<'a>>, key: &str) -> Vec<JsonValue<'a>> {
    let list = holder.and_then(|holder| holder.get(key)).filter(|list| list.kind() == JsonKind::Array);
    list.into_iter().flat_map(|list| list.items()).collect()
}

impl RecordReader for LangChain {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        let run = value.words_of("run_type");
        let (mut found, mut given) = (Vec::new(), 0);
        match run {
            Some(_) => {
                out.session_id(|| session_id(value));
                (found, given) = find_in_run(value);
                self.repeated.begin();
            }
            None => find(value, &mut found),
        }
        if body(value).is_none() {
            out.conversation(value.first_of(&["name", "id"]).and_then(JsonValue::scalar_text));
        }
        for (number, (body, word)) in found.iter().filter_map(|message| body(*message)).enumerate() {
            let mut about = run.as_ref().map(|_| about_run(value, number, given, found.len())).unwrap_or_default();
            if run.is_some() {
                about.origin = self.repeated.origin_of(body, speaker(&word).map_or("", MessageRole::word));
            }
            message(body, &word, about, out);
            if run.is_none() && speaker(&word) == Some(MessageRole::Assistant) {
                request_of_message(body, out);
            }
        }
        match run.as_deref() {
            Some("llm") => request_of_run(value, found.last().copied(), out),
            Some("tool") => call_of_run(value, &found, out),
            _ => {}
        }
        match run {
            // A run of a tool, a retriever, …
            Some(run) if found.is_empty() => {
                let time = value.words_of("start_time");
                out.message(Message { time, ..Message::default() }.with_label(&run));
                out.envelope(&run, value);
            }
            None if found.is_empty() => unknown(value, out),
            _ => {}
        }
        if let Some(error) = value.string_of("error").filter(|error| !error.is_void()) {
            out.message(Message::default().with_label("error"));
            let words = error.text().unwrap_or_default();
            let words = words.lines().next().unwrap_or_default();
            out.problem(Code::AnswerStopped, error.source(), format!("the run ended with an error: {words}"));
            out.write_part(MessagePart::Envelope("error".into()), error);
        }
    }
}
