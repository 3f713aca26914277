//! Items of OpenAI's responses API: the parts of a model's answer, and the results of its calls.
//!
//! | `type` | members |
//! |---|---|
//! | `message` | `role`, `content` |
//! | `reasoning` | `summary`, `content`; `encrypted_content` is not readable |
//! | `function_call`, `custom_tool_call` | `call_id`, `name`, `arguments` or `input` |
//! | `local_shell_call`, `shell_call`, `apply_patch_call`, … | a call whose result is a separate item |
//! | any other `…_call` | a call of a tool that the provider runs, often with its result |
//! | `function_call_output`, `…_output` | `call_id`, `output` |
//! | `program`, `program_output` | code that the model wrote to call tools, and its `result` |
//! | `tool_search_call`, `tool_search_output` | a search for tools and its matches; the provider's have no `call_id` |
//! | `agent_message` | a message of another agent: `author`, `content` |
//!
//! Consecutive items of one role form one message.

use std::collections::HashMap;

use super::call::{self, CallText};
use super::exit_code;
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, result_text, unknown};
use super::unread_text;
use super::writer::TextWriter;
use super::{CallOutcome, Message, MessagePart, MessageRole, ToolResult};

/// Calls whose results are separate items: a client runs them, or a machine of the provider. Their status is
/// the call's, not the result's.
const ANSWERED_APART: [&str; 6] =
    ["local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call", "program"];

/// Items outside the conversation: data that a client or the provider stores with it, shown raw.
const ASIDES: [&str; 11] = [
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "context_compaction",
    "item_reference",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "additional_tools",
    "tool_addition",
    "tool_removal",
];

/// Groups items into messages and calls with their outcomes.
#[derive(Debug, Default)]
pub(super) struct ResponseItems {
    speaker: Option<MessageRole>,
    /// True if all items belong to the open message.
    in_one_message: bool,
    /// Id of a tool search whose result will not name it.
    search: Option<Box<str>>,
    /// Outcomes stated by records before the result, by call id; at most [`MOST_KNOWN`].
    known: HashMap<Box<str>, CallOutcome>,
}

/// Most calls whose outcome is known before their result. Results follow within a few records.
const MOST_KNOWN: usize = 1000;

impl ResponseItems {
    /// For items of a message that is already open, whatever their role.
    pub(super) fn in_one_message() -> Self {
        Self { in_one_message: true, ..Self::default() }
    }

    /// Remembers the outcome of the call with this id, in case its result does not state it.
    pub(super) fn learn(&mut self, call: Box<str>, outcome: CallOutcome) {
        if self.known.len() < MOST_KNOWN {
            self.known.insert(call, outcome);
        }
    }

    /// Ends the open message: the next item begins another one.
    pub(super) fn pause(&mut self) {
        self.speaker = None;
    }

    /// True if any item has been written since the last pause.
    pub(super) fn has_begun(&self) -> bool {
        self.speaker.is_some()
    }

    /// Begins a message of `role`, unless one is open that is not the user's; `about` has its known properties.
    pub(super) fn begin_message(&mut self, role: MessageRole, about: &Message, out: &mut TextWriter) {
        let is_open = self.speaker == Some(role) && role != MessageRole::User;
        if !is_open && !self.in_one_message {
            let told =
                if role == MessageRole::Assistant { about.clone() } else { Message { model: None, ..about.clone() } };
            out.message(Message { role: Some(role), ..told });
            self.speaker = Some(role);
        }
    }

    /// True if [`ResponseItems::take`] handles items of this type.
    pub(super) fn knows(kind: &str) -> bool {
        matches!(kind, "message" | "reasoning" | "agent_message" | "program" | "program_output" | "tool_search_output")
            || ASIDES.contains(&kind)
            || kind.ends_with("_call")
            || kind.ends_with("_call_output")
    }

    /// Writes an item; `about` has the known properties of its message.
    pub(super) fn take(&mut self, item: JsonValue<'_>, about: &Message, out: &mut TextWriter) {
        let before = out.yielded();
        self.members(item, about, out);
        unread_text::unless_shown(item, before, out);
    }

    fn members(&mut self, item: JsonValue<'_>, about: &Message, out: &mut TextWriter) {
        let kind = item.text_of("type").unwrap_or_default();
        match kind.as_ref() {
            "message" | "" if item.get("role").is_some() => {
                let role = item.text_of("role").and_then(|role| MessageRole::named(&role));
                self.begin_message(role.unwrap_or(MessageRole::User), about, out);
                if let Some(content) = item.get("content") {
                    parts_of(content, role, out);
                }
            }
            "agent_message" => {
                let label = item.words_of("author").unwrap_or_else(|| "agent_message".into());
                self.begin_message(MessageRole::User, &about.clone().with_label(&label), out);
                if let Some(content) = item.get("content") {
                    parts_of(content, Some(MessageRole::User), out);
                }
            }
            "reasoning" => {
                self.begin_message(MessageRole::Assistant, about, out);
                for list in ["summary", "content"].iter().filter_map(|key| item.get(key)) {
                    parts_of(list, Some(MessageRole::Assistant), out);
                }
            }
            "function_call" | "custom_tool_call" => {
                self.begin_message(MessageRole::Assistant, about, out);
                out.stand(call::part(item, None), item);
            }
            "tool_search_output" => {
                self.begin_message(MessageRole::Tool, about, out);
                let call = item.words_of("call_id").or_else(|| self.search.take());
                let failed = failed(item);
                result(ToolResult::new(call, failed), item.get("tools"), out);
            }
            "program_output" => {
                self.begin_message(MessageRole::Tool, about, out);
                result(ToolResult::new(item.words_of("call_id"), failed(item)), item.get("result"), out);
            }
            kind if kind.ends_with("_call_output") => {
                self.begin_message(MessageRole::Tool, about, out);
                // An old form has the id of the call as the item's id.
                let is_old = kind == "local_shell_call_output";
                let call = item.words_of("call_id").or_else(|| item.words_of("id").filter(|_| is_old));
                let known = call.as_ref().and_then(|call| self.known.remove(call)).unwrap_or_default();
                output(item, kind, ToolResult { call, outcome: known }, out);
            }
            kind if kind.ends_with("_call") || kind == "program" => {
                self.begin_message(MessageRole::Assistant, about, out);
                if kind == "tool_search_call" && item.words_of("call_id").is_none() {
                    self.search = item.words_of("id");
                }
                own_call(item, kind, out);
            }
            kind if ASIDES.contains(&kind) => out.envelope(kind, item),
            _ => unknown(item, out),
        }
    }
}

/// True if an output states that its call failed.
fn failed(item: JsonValue<'_>) -> Option<bool> {
    item.is_string("status", "failed").then_some(true)
}

/// The result of a call: text, which may begin with an exit code; text and an exit code in a JSON text; or the output
/// of several commands. `known` is the call and its outcome by other records, used if the result states none.
fn output(item: JsonValue<'_>, kind: &str, known: ToolResult, out: &mut TextWriter) {
    let verdict = CallOutcome::from_error_flag(failed(item)).or(known.outcome);
    let outcome = |stated: CallOutcome| ToolResult { call: known.call.clone(), outcome: stated.or(verdict) };
    let Some(output) = item.get("output") else {
        result(outcome(CallOutcome::Unknown), None, out);
        return;
    };
    if kind == "shell_call_output" && output.kind() == JsonKind::Array {
        return commands(known.call, output, out);
    }
    if output.kind() == JsonKind::Object {
        let stated = CallOutcome::from_error_flag(output.truth_of("success").map(|fine| !fine));
        let words = output.first_of(&["content", "output"]).filter(|words| !words.is_void());
        let of_words = || words.map_or(CallOutcome::Unknown, |words| exit_code::of_codex(&result_text(words).bytes));
        let stated = stated.or(exit_code::of_value(exit_code_of(output))).or(of_words());
        result(outcome(stated), words.or(Some(output)), out);
        return;
    }
    let text = result_text(output);
    let index = if text.bytes.first() == Some(&b'{') { text.index() } else { None };
    let inner = index.as_ref().and_then(|index| text.root(index));
    let stated = exit_code::of_value(inner.and_then(exit_code_of));
    match inner.and_then(|inner| inner.get("metadata").and_then(|_| inner.get("output"))) {
        Some(words) => result(outcome(stated), Some(words), out),
        None => out.piece(MessagePart::Result(outcome(stated.or(exit_code::of_codex(&text.bytes)))), &text),
    }
}

/// The exit code of a command in its output object.
fn exit_code_of(output: JsonValue<'_>) -> Option<JsonValue<'_>> {
    output.path(&["metadata", "exit_code"]).or_else(|| output.get("exit_code"))
}

/// The output of several shell commands, concatenated; the result failed if one of them failed or timed out.
fn commands(call: Option<Box<str>>, outputs: JsonValue<'_>, out: &mut TextWriter) {
    let mut text = Fragment::default();
    let mut failed = None;
    for output in outputs.items() {
        let exit = output.path(&["outcome", "exit_code"]).map(|code| code.raw() != b"0");
        let is_late = output.get("outcome").filter(|outcome| outcome.is_string("type", "timeout"));
        failed = failed.max(exit).max(is_late.map(|_| true));
        let streams = ["stdout", "stderr"].iter().filter_map(|key| output.string_of(key));
        let mut words: Vec<JsonValue<'_>> = streams.filter(|words| !words.is_void()).chain(is_late).collect();
        if words.is_empty() && exit.is_none() {
            words.push(output);
        }
        for words in words {
            if text.bytes.last().is_some_and(|last| *last != b'\n') {
                text.push_synthetic("\n", words.source().start);
            }
            text.push_content(words);
        }
    }
    out.piece(MessagePart::Result(ToolResult::new(call, failed)), &text);
}

/// A call of a built-in tool, in the form of other calls.
fn own_call(item: JsonValue<'_>, kind: &str, out: &mut TextWriter) {
    let id = item.first_filled(&["call_id", "id"]);
    let name = item.string_of("name");
    let inputs = ["arguments", "actions", "action", "input", "queries", "code", "command", "operation", "query"];
    let input = item.first_filled(&inputs);
    let call = made_call(item, id, name, kind.trim_end_matches("_call"), input);
    let answer = item.first_filled(&["output", "results", "outputs", "result", "error"]);
    let wrong = item.is_string("status", "failed") || item.get("error").is_some_and(|error| !error.is_void());
    let is_over = !ANSWERED_APART.contains(&kind) && (wrong || item.is_string("status", "completed"));
    // Without a result in the item, one may follow.
    out.piece(
        call.part(is_over.then(|| CallOutcome::from_error_flag(Some(wrong))).filter(|_| answer.is_none())),
        &call.text,
    );
    if answer.is_some() {
        result(ToolResult::new(id.and_then(JsonValue::scalar_text), Some(wrong)), answer, out);
    }
}

/// Assembles a call: its id, its name, or `otherwise` if it has none, and its input.
pub(super) fn made_call(
    item: JsonValue<'_>,
    id: Option<JsonValue<'_>>,
    name: Option<JsonValue<'_>>,
    otherwise: &str,
    input: Option<JsonValue<'_>>,
) -> CallText {
    let start = item.source().start;
    let mut call = CallText::tool_use(start, id, name, otherwise);
    match input {
        Some(input) => call.input(input),
        None => call.text.push_synthetic("{}", start),
    }
    call.text.push_synthetic("}", item.source().end);
    call
}
