//! Items of a response: what a model's answer and the answers to it consist of in one provider's records.
//!
//! | `type` | members |
//! |---|---|
//! | `message` | `role`, `content` |
//! | `reasoning` | `summary`, `content`; `encrypted_content` alone says nothing to a reader |
//! | `function_call`, `custom_tool_call` | `call_id`, `name`, `arguments` or `input` |
//! | `local_shell_call`, `shell_call`, `apply_patch_call`, … | a call whose result is a separate item |
//! | any other `…_call` | a call of a tool that the provider runs, often with its result |
//! | `function_call_output`, `…_output` | `call_id`, `output` |
//! | `program`, `program_output` | code that the model wrote to call tools, and what it gave: `result` |
//! | `tool_search_call`, `tool_search_output` | tools that were looked for and found; the provider's have no `call_id` |
//! | `agent_message` | what another agent says: `author`, `content` |
//!
//! What one speaker says without a word of another is one message.

use std::collections::HashMap;

use super::call::{self, CallText};
use super::exit_code;
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, result_text, unknown};
use super::unread_words;
use super::writer::TextWriter;
use super::{CallOutcome, Message, MessagePart, MessageRole, ToolResult};

/// Calls whose results are items of their own: a client runs them, or a machine of the provider's beside the model. What
/// they say of their status is that of the call, not of what came of it.
const ANSWERED_APART: [&str; 6] =
    ["local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call", "program"];

/// Items that nobody says: what a client or the provider keeps with the conversation, shown as it stands.
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

/// Who has spoken last, so that his message can go on.
#[derive(Debug, Default)]
pub(super) struct ResponseItems {
    speaker: Option<MessageRole>,
    /// Whether all items are said in the message that is open.
    in_one_message: bool,
    /// The id of a search for tools whose result will not name it.
    search: Option<Box<str>>,
    /// How calls went, by their ids, as records say that come before the results; of [`MOST_KNOWN`] calls at most.
    known: HashMap<Box<str>, CallOutcome>,
}

/// Calls without a result of which it is known how they went. Results follow within a few records.
const MOST_KNOWN: usize = 1000;

impl ResponseItems {
    /// Items that are said in a message that is open already, whoever says them.
    pub(super) fn in_one_message() -> Self {
        Self { in_one_message: true, ..Self::default() }
    }

    /// How the call with this id went, which its result may not say.
    pub(super) fn learn(&mut self, call: Box<str>, outcome: CallOutcome) {
        if self.known.len() < MOST_KNOWN {
            self.known.insert(call, outcome);
        }
    }

    /// Somebody else speaks next.
    pub(super) fn pause(&mut self) {
        self.speaker = None;
    }

    /// Whether anybody has spoken since the last pause.
    pub(super) fn has_begun(&self) -> bool {
        self.speaker.is_some()
    }

    /// Begins a message of `role`, unless one is open and not a person's; `about` is what is known of it.
    pub(super) fn speak(&mut self, role: MessageRole, about: &Message, out: &mut TextWriter) {
        let is_open = self.speaker == Some(role) && role != MessageRole::User;
        if !is_open && !self.in_one_message {
            let told =
                if role == MessageRole::Assistant { about.clone() } else { Message { model: None, ..about.clone() } };
            out.message(Message { role: Some(role), ..told });
            self.speaker = Some(role);
        }
    }

    /// Whether an item has a type of which [`ResponseItems::take`] makes something.
    pub(super) fn knows(kind: &str) -> bool {
        matches!(kind, "message" | "reasoning" | "agent_message" | "program" | "program_output" | "tool_search_output")
            || ASIDES.contains(&kind)
            || kind.ends_with("_call")
            || kind.ends_with("_call_output")
    }

    /// Takes an item; `about` is what is known of its message.
    pub(super) fn take(&mut self, item: JsonValue<'_>, about: &Message, out: &mut TextWriter) {
        let before = out.yielded();
        self.members(item, about, out);
        unread_words::unless_shown(item, before, out);
    }

    fn members(&mut self, item: JsonValue<'_>, about: &Message, out: &mut TextWriter) {
        let kind = item.text_of("type").unwrap_or_default();
        match kind.as_ref() {
            "message" | "" if item.get("role").is_some() => {
                let role = item.text_of("role").and_then(|role| MessageRole::named(&role));
                self.speak(role.unwrap_or(MessageRole::User), about, out);
                if let Some(content) = item.get("content") {
                    parts_of(content, role, out);
                }
            }
            "agent_message" => {
                let label = item.words_of("author").unwrap_or_else(|| "agent_message".into());
                self.speak(MessageRole::User, &about.clone().with_label(&label), out);
                if let Some(content) = item.get("content") {
                    parts_of(content, Some(MessageRole::User), out);
                }
            }
            "reasoning" => {
                self.speak(MessageRole::Assistant, about, out);
                for list in ["summary", "content"].iter().filter_map(|key| item.get(key)) {
                    parts_of(list, Some(MessageRole::Assistant), out);
                }
            }
            "function_call" | "custom_tool_call" => {
                self.speak(MessageRole::Assistant, about, out);
                out.stand(call::part(item, None), item);
            }
            "tool_search_output" => {
                self.speak(MessageRole::Tool, about, out);
                let call = item.words_of("call_id").or_else(|| self.search.take());
                let failed = failed(item);
                result(ToolResult::new(call, failed), item.get("tools"), out);
            }
            "program_output" => {
                self.speak(MessageRole::Tool, about, out);
                result(ToolResult::new(item.words_of("call_id"), failed(item)), item.get("result"), out);
            }
            kind if kind.ends_with("_call_output") => {
                self.speak(MessageRole::Tool, about, out);
                // An old form has the id of the call as its own.
                let is_old = kind == "local_shell_call_output";
                let call = item.words_of("call_id").or_else(|| item.words_of("id").filter(|_| is_old));
                let known = call.as_ref().and_then(|call| self.known.remove(call)).unwrap_or_default();
                output(item, kind, ToolResult { call, verdict: known }, out);
            }
            kind if kind.ends_with("_call") || kind == "program" => {
                self.speak(MessageRole::Assistant, about, out);
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

/// Whether an output says that its call failed.
fn failed(item: JsonValue<'_>) -> Option<bool> {
    item.says("status", "failed").then_some(true)
}

/// The result of a call: words, which may begin with an exit code; words and an exit code in a JSON text; or the output
/// of several commands. `known` is the call, and how it went by other records, which counts where the result does not say.
fn output(item: JsonValue<'_>, kind: &str, known: ToolResult, out: &mut TextWriter) {
    let verdict = CallOutcome::from_error_flag(failed(item)).or(known.verdict);
    let outcome = |stated: CallOutcome| ToolResult { call: known.call.clone(), verdict: stated.or(verdict) };
    let Some(output) = item.get("output") else {
        result(outcome(CallOutcome::Unsaid), None, out);
        return;
    };
    if kind == "shell_call_output" && output.kind() == JsonKind::Array {
        return commands(known.call, output, out);
    }
    if output.kind() == JsonKind::Object {
        let stated = CallOutcome::from_error_flag(output.truth_of("success").map(|fine| !fine));
        let words = output.first_of(&["content", "output"]).filter(|words| !words.is_void());
        let of_words = || words.map_or(CallOutcome::Unsaid, |words| exit_code::of_codex(&result_text(words).bytes));
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

/// The exit code of a command in the object that is its output.
fn exit_code_of(output: JsonValue<'_>) -> Option<JsonValue<'_>> {
    output.path(&["metadata", "exit_code"]).or_else(|| output.get("exit_code"))
}

/// What the commands of a shell have written, one after another, and whether one of them failed or took too long.
fn commands(call: Option<Box<str>>, outputs: JsonValue<'_>, out: &mut TextWriter) {
    let mut text = Fragment::default();
    let mut failed = None;
    for output in outputs.items() {
        let exit = output.path(&["outcome", "exit_code"]).map(|code| code.raw() != b"0");
        let is_late = output.get("outcome").filter(|outcome| outcome.says("type", "timeout"));
        failed = failed.max(exit).max(is_late.map(|_| true));
        let streams = ["stdout", "stderr"].iter().filter_map(|key| output.string_of(key));
        let mut words: Vec<JsonValue<'_>> = streams.filter(|words| !words.is_void()).chain(is_late).collect();
        if words.is_empty() && exit.is_none() {
            words.push(output);
        }
        for words in words {
            if text.bytes.last().is_some_and(|last| *last != b'\n') {
                text.add("\n", words.source().start);
            }
            text.say(words);
        }
    }
    out.piece(MessagePart::Result(ToolResult::new(call, failed)), &text);
}

/// A call of a tool that everybody has, in the shape of other calls.
fn own_call(item: JsonValue<'_>, kind: &str, out: &mut TextWriter) {
    let id = item.first_filled(&["call_id", "id"]);
    let name = item.string_of("name");
    let inputs = ["arguments", "actions", "action", "input", "queries", "code", "command", "operation", "query"];
    let input = item.first_filled(&inputs);
    let call = made_call(item, id, name, kind.trim_end_matches("_call"), input);
    let answer = item.first_filled(&["output", "results", "outputs", "result", "error"]);
    let wrong = item.says("status", "failed") || item.get("error").is_some_and(|error| !error.is_void());
    let is_over = !ANSWERED_APART.contains(&kind) && (wrong || item.says("status", "completed"));
    // Without an answer of its own, one may still come.
    out.piece(
        call.part(is_over.then(|| CallOutcome::from_error_flag(Some(wrong))).filter(|_| answer.is_none())),
        &call.text,
    );
    if answer.is_some() {
        result(ToolResult::new(id.and_then(JsonValue::words), Some(wrong)), answer, out);
    }
}

/// A call put together: its id, its name, which may be ours, and its input.
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
        Some(input) if input.kind() == JsonKind::Object => call.text.stand(input),
        // What is a JSON text of its own is read as one, and anything else is the one parameter.
        Some(input) => {
            let text = Fragment::from_value(input);
            if text.bytes.first() == Some(&b'{') && text.index().is_some() {
                call.text.append(&text);
            } else {
                call.text.add("{\"", input.source().start);
                call.text.add(&input.key(), input.source().start);
                call.text.add("\":", input.source().start);
                call.text.stand(input);
                call.text.add("}", input.source().end);
            }
        }
        None => call.text.add("{}", start),
    }
    call.text.add("}", item.source().end);
    call
}
