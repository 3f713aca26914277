//! Runs of SWE-agent and mini-swe-agent, one object each.
//!
//! | member | content |
//! |---|---|
//! | `history` | SWE-agent's messages: `role`, `content`, `message_type`, `thought`, `action`, `tool_calls` |
//! | `trajectory` | the same as steps: `response`, `thought`, `action`, `observation` |
//! | `messages` | mini-swe-agent's; an answer has its command in the only fence of its text, or calls |
//! | | with the responses API, an answer has its items in `output`, and results are items |
//! | `trajectory_format` | `mini-swe-agent-…`, after all messages |
//! | `info` | how it ended: `exit_status`, `submission`; for mini-swe-agent, `mini_version` and `config: {model: {model_name}}` |
//! | `replay_config` | SWE-agent's settings as JSON text: `agent: {model: {name}}` |
//!
//! A call is a shell command, or a call of the API. Its result is the next message; the results of SWE-agent's last
//! calls are only in the steps. Bare lists of messages are from the first versions of mini-swe-agent.

mod facts;

use super::call::{CallText, number_word};
use super::exit_code;
use super::facts::Origin;
use super::fragment::Fragment;
use super::items::ResponseItems;
use super::json::{JsonKind, JsonValue};
use super::messages::{call, message, parts_of, result, time_words, unknown};
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerInfo, Definition, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::text::Span;
use facts::StepTimes;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "swe-agent",
    title: "a run of SWE-agent or mini-swe-agent",
    calls: CallSource::Records,
    definition: Definition::Code {
        claims: |head| {
            let value = head.value()?;
            if is_mini(value) {
                return Some(Claim::Sure("its trajectory_format or its version names mini-swe-agent"));
            }
            if value.kind() == JsonKind::Array {
                return has_exit_codes(value)
                    .then_some(Claim::Sure("it is an array of messages with exit codes of commands"));
            }
            let first = |key: &str| value.get(key).filter(|list| list.kind() == JsonKind::Array)?.items().next();
            let is_step = |step: JsonValue<'_>| step.string_of("action").is_some() && step.get("observation").is_some();
            if first("trajectory").is_some_and(is_step) {
                return Some(Claim::Sure("it has a trajectory of steps with an action and an observation"));
            }
            let is_own = |said: JsonValue<'_>| said.get("role").is_some() && said.get("message_type").is_some();
            first("history")
                .is_some_and(is_own)
                .then_some(Claim::Sure("it has a history of messages with a message_type"))
        },
        open: FormatReader::records::<Run>,
    },
};

/// Beginnings of fences with a command.
const FENCES: [&[u8]; 2] = [b"```bash\n", b"```mswea_bash_command\n"];

fn is_mini(value: JsonValue<'_>) -> bool {
    let format = value.text_of("trajectory_format");
    format.is_some_and(|format| format.starts_with("mini-swe-agent"))
        || value.path(&["info", "mini_version"]).is_some()
        || value.get("messages").is_some_and(has_exit_codes)
}

/// Number of messages of a list that are examined.
const FIRST: usize = 8;

/// True if messages have the outputs of commands in mini-swe-agent's form; its first versions do not name the program.
fn has_exit_codes(messages: JsonValue<'_>) -> bool {
    let is_told = |said: JsonValue<'_>| {
        said.is_string("role", "user")
            && said.text_of("content").is_some_and(|words| words.trim_start().starts_with("<returncode>"))
    };
    messages.kind() == JsonKind::Array && messages.items().take(FIRST).any(is_told)
}

#[derive(Default)]
struct Run {
    numbered: usize,
    /// Model of the run.
    model: Option<Box<str>>,
    /// Id of the last call, whose result is the next message.
    open: Option<Box<str>>,
    /// Reader of items of the responses API.
    items: ResponseItems,
    step_times: StepTimes,
    /// True if a message has stated the cost of its request.
    has_requests: bool,
    has_prompt: bool,
}

impl Run {
    /// Writes a shell command found in a text as a call.
    fn command(&mut self, name: &str, command: Fragment, out: &mut TextWriter) {
        let end = command.map.source_of(Span::new(0, command.bytes.len()));
        let word = |words: &str| {
            let mut fragment = Fragment::default();
            fragment.push_synthetic(words, end.start);
            fragment
        };
        self.numbered += 1;
        let mut made = CallText::numbered(self.numbered, &word(name));
        made.arguments(&[(word("command"), command)], end.end);
        out.piece(made.part(None), &made.text);
        self.open = Some(number_word(self.numbered).into());
    }

    /// Origin of a message in the role `user`: the first one is the task, later ones are from the program. The output
    /// of a command has another role.
    fn origin(&mut self, role: Option<MessageRole>, is_demonstration: bool) -> Origin {
        if role != Some(MessageRole::User) || self.open.is_some() {
            return Origin::Unsaid;
        }
        let is_prompt = !is_demonstration && !std::mem::replace(&mut self.has_prompt, true);
        if is_prompt { Origin::Prompt } else { Origin::Client }
    }

    /// Writes a message in the history of SWE-agent.
    fn told(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let role = value.text_of("role").and_then(|role| MessageRole::named(&role));
        let calls = value.get("tool_calls").filter(|calls| !calls.is_void());
        let action = value.string_of("action").filter(|action| !action.is_void());
        let is_demonstration = value.truth_of("is_demo").unwrap_or_default();
        let label = is_demonstration.then(|| "demonstration".into());
        let model = self.model.clone().filter(|_| role == Some(MessageRole::Assistant));
        let origin = self.origin(role, is_demonstration);
        let about = Message { role, model, origin, label, ..Message::default() };
        match (role, calls, action) {
            (Some(MessageRole::Assistant), Some(calls), _) => {
                out.message(about);
                words(value, out);
                for told in calls.items() {
                    call(told, out);
                    self.open = told.words_of("id");
                }
                if !is_demonstration {
                    self.step_times.write_duration(action, self.open.clone(), out);
                }
            }
            (Some(MessageRole::Assistant), None, Some(action)) => {
                out.message(about);
                words(value, out);
                self.command("action", Fragment::from_value(action), out);
                if !is_demonstration {
                    self.step_times.write_duration(Some(action), self.open.clone(), out);
                }
            }
            (Some(MessageRole::Tool | MessageRole::User), ..) if self.open.is_some() => {
                out.message(Message { role: Some(MessageRole::Tool), ..about });
                let named =
                    value.get("tool_call_ids").and_then(|ids| ids.items().next()).and_then(JsonValue::scalar_text);
                let open = self.open.take();
                let call = named.or_else(|| value.words_of("tool_call_id")).or(open);
                result(ToolResult::new(call, None), value.get("content"), out);
            }
            _ => message(value, about, out),
        }
    }

    /// Writes the steps of a run that its history lacks: the result of its last action, and later ones, such as
    /// `submit`.
    fn rest(&mut self, history: JsonValue<'_>, trajectory: JsonValue<'_>, out: &mut TextWriter) {
        let action = |value: JsonValue<'_>| value.text_of("action").map(|action| action.trim().to_owned());
        let is_own = |said: &JsonValue<'_>| {
            said.is_string("role", "assistant") && said.truth_of("is_demo") != Some(true) && action(*said).is_some()
        };
        let told: Vec<String> = history.items().filter(is_own).filter_map(action).collect();
        let Some(last) = told.last() else { return };
        let count = told.iter().filter(|action| *action == last).count();
        let mut left = trajectory.items().skip_while({
            let mut found = 0;
            move |step| {
                found += usize::from(action(*step).as_ref() == Some(last));
                found < count
            }
        });
        let Some(step) = left.next() else { return };
        if let Some(call) = self.open.take() {
            out.message(Message::from_role(MessageRole::Tool));
            result(ToolResult::new(Some(call), None), step.get("observation"), out);
        }
        left.for_each(|step| self.step(step, out));
    }

    /// Writes a step, if there are no messages.
    fn step(&mut self, step: JsonValue<'_>, out: &mut TextWriter) {
        out.message(Message { model: self.model.clone(), ..Message::from_role(MessageRole::Assistant) });
        if let Some(words) = step.first_filled(&["thought", "response"]) {
            parts_of(words, Some(MessageRole::Assistant), out);
        }
        if let Some(action) = step.string_of("action").filter(|action| !action.is_void()) {
            self.command("action", Fragment::from_value(action), out);
            self.step_times.write_duration(Some(action), self.open.clone(), out);
        }
        if let Some(call) = self.open.take() {
            out.message(Message::from_role(MessageRole::Tool));
            result(ToolResult::new(Some(call), None), step.get("observation"), out);
        }
    }

    /// Writes a message in the trajectory of mini-swe-agent, and states its request.
    fn mini(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        self.mini_message(value, out);
        self.has_requests |= facts::request(value, self.model.clone(), out);
    }

    fn mini_message(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let role = value.text_of("role").and_then(|role| MessageRole::named(&role));
        let time = value.path(&["extra", "timestamp"]).or_else(|| value.get("timestamp")).and_then(time_words);
        let own =
            value.path(&["extra", "response", "model"]).or_else(|| value.get("model")).and_then(JsonValue::scalar_text);
        // A message with items is an answer.
        let is_answer = role == Some(MessageRole::Assistant) || value.get("output").is_some();
        let model = own.or_else(|| self.model.clone()).filter(|_| is_answer);
        let about = Message { role, time, model, origin: self.origin(role, false), ..Message::default() };
        let words = value.string_of("content");
        if let Some(output) = value.get("output").filter(|output| output.kind() == JsonKind::Array) {
            return output.items().for_each(|item| self.items.take(item, &about, out));
        }
        if value.is_string("type", "function_call_output") {
            self.items.begin_message(MessageRole::Tool, &about, out);
            let outcome = ToolResult { call: value.words_of("call_id"), outcome: verdict(value, "output") };
            return result(outcome, value.get("output"), out);
        }
        self.items.pause();
        match (role, words) {
            (Some(MessageRole::Tool), _) => {
                out.message(about);
                let outcome = ToolResult { call: value.words_of("tool_call_id"), outcome: verdict(value, "content") };
                result(outcome, value.get("content"), out);
            }
            (Some(MessageRole::Assistant), Some(words))
                if value.get("tool_calls").is_none_or(|calls| calls.is_void()) =>
            {
                out.message(about);
                let text = Fragment::from_value(words);
                match command_in(&text.bytes) {
                    Some((whole, command)) => {
                        write_fragment(&text, Span::new(0, whole.start), out);
                        self.command("bash", text.slice(command), out);
                        write_fragment(&text, Span::new(whole.end, text.bytes.len()), out);
                    }
                    None => write_fragment(&text, Span::new(0, text.bytes.len()), out),
                }
            }
            (Some(MessageRole::User), Some(words)) if self.open.is_some() => {
                out.message(Message { role: Some(MessageRole::Tool), ..about });
                let outcome = ToolResult { call: self.open.take(), outcome: verdict(value, "content") };
                result(outcome, Some(words), out);
            }
            (None, Some(words)) => {
                out.message(about);
                let name = value.text_of("role").unwrap_or_default();
                out.write_part(MessagePart::Envelope(name.as_ref().into()), words);
            }
            _ => message(value, about, out),
        }
    }
}

/// The model in the settings of a run; SWE-agent's are JSON text.
fn model_of(run: JsonValue<'_>) -> Option<Box<str>> {
    let named = |settings: JsonValue<'_>| settings.path(&["agent", "model", "name"])?.scalar_text();
    let of_text = |settings: JsonValue<'_>| {
        let text = Fragment::from_value(settings);
        named(text.root(&text.index()?)?)
    };
    let mini = run.path(&["info", "config", "model", "model_name"]).and_then(JsonValue::scalar_text);
    mini.or_else(|| run.string_of("replay_config").and_then(of_text))
}

/// The outcome of the command whose output is under `key`: by the message's metadata, else by the text.
fn verdict(value: JsonValue<'_>, key: &str) -> CallOutcome {
    let words = value.string_of(key).and_then(|words| words.text()).unwrap_or_default();
    let of_words = exit_code::of_element(words.as_bytes(), "returncode");
    exit_code::of_value(value.path(&["extra", "returncode"])).or(of_words)
}

/// Writes the text next to an action: only the thought, since the content includes the action.
fn words(value: JsonValue<'_>, out: &mut TextWriter) {
    if let Some(blocks) = value.get("thinking_blocks") {
        parts_of(blocks, Some(MessageRole::Assistant), out);
    }
    let words = value.first_filled(&["thought", "content"]);
    if let Some(words) = words {
        parts_of(words, Some(MessageRole::Assistant), out);
    }
}

fn write_fragment(text: &Fragment, span: Span, out: &mut TextWriter) {
    if !text.bytes[span.start..span.end].trim_ascii().is_empty() {
        out.piece(MessagePart::Text(Interpretation::Parsed), &text.slice(span));
    }
}

/// The only fence with a command in a text, and the command in it; with several fences the program runs none.
fn command_in(text: &[u8]) -> Option<(Span, Span)> {
    let find = |from: usize| {
        let starts = FENCES.iter().filter_map(|fence| {
            let start = from + memchr::memmem::find(&text[from..], fence)?;
            Some((start, start + fence.len()))
        });
        starts.min()
    };
    let (start, inner) = find(0)?;
    let end = inner + memchr::memmem::find(&text[inner..], b"\n```")?;
    let whole = Span::new(start, end + 4);
    find(whole.end).is_none().then_some((whole, Span::new(inner, end)))
}

impl RecordReader for Run {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        if value.get("role").is_some() && value.get("messages").is_none() {
            // An element of a list of messages.
            return self.mini(value, out);
        }
        let (numbered, model, step_times) = (self.numbered, model_of(value), StepTimes::new(value));
        *self = Self { numbered, model, step_times, ..Self::default() };
        let list = |key: &str| value.get(key).filter(|list| list.kind() == JsonKind::Array && !list.is_void());
        out.conversation(value.words_of("instance_id"));
        if let Some(list) = list("messages").filter(|_| is_mini(value)) {
            list.items().for_each(|item| self.mini(item, out));
        } else if let Some(list) = list("history") {
            list.items().for_each(|item| self.told(item, out));
            if let Some(steps) = value.get("trajectory") {
                self.rest(list, steps, out);
            }
        } else if let Some(list) = list("trajectory") {
            list.items().for_each(|item| self.step(item, out));
        } else {
            unknown(value, out);
        }
        // The last message of mini-swe-agent is its submission.
        let told: &[&str] = if is_mini(value) { &["exit_status"] } else { &["exit_status", "submission"] };
        for key in told {
            if let Some(ending) = value.path(&["info", key]).filter(|ending| !ending.is_void()) {
                out.write_part(MessagePart::Envelope((*key).into()), ending);
            }
        }
        facts::run(value, self.model.clone(), self.has_requests, out);
    }
}
