//! The messages that Cline and Roo showed to the user: `ui_messages.json`, an array of records.
//!
//! | member | content |
//! |---|---|
//! | `ts` | time in milliseconds since 1970 |
//! | `type` | `say` or `ask`: the key of the record's kind |
//! | `text` | prose or JSON text |
//! | `partial` | true if it is incomplete |
//! | `modelInfo: {modelId}` | the model |
//!
//! A call of a tool has the kind `tool`, `command`, `use_mcp_server` or others, and its arguments in `text`. The
//! results of commands, servers and the browser are in later records, which name no call; other results are only in
//! the next request. An `ask` that a `say` repeats is one call.

use super::super::call::{CallText, number_word};
use super::super::facts::{Compaction, CompactionKind, Fact, Origin, RequestFacts, SessionState};
use super::super::fragment::Fragment;
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::unknown;
use super::super::usage::{self, Counting};
use super::super::writer::TextWriter;
use super::super::{
    CallOutcome, CallSource, Claim, ContainerInfo, Definition, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader, ToolResult, moment_of,
};
use crate::diagnostic::Code;
use crate::text::word_set::WordSet;

pub(in crate::container) static ABOUT: ContainerInfo = ContainerInfo {
    name: "cline-ui",
    title: "what Cline or Roo showed its user",
    calls: CallSource::Records,
    definition: Definition::Code {
        claims: |head| {
            let value = head.value()?;
            let first = if value.kind() == JsonKind::Array { value.items().next()? } else { value };
            let is_own = first.number_of("ts").is_some() && kind_of(first).is_some();
            is_own.then_some(Claim::Sure("it has a ts, a type that is say or ask, and its text"))
        },
        open: FormatReader::records::<Screen>,
    },
};

/// Records of the program about itself, and records that another one repeats.
static BOOKKEEPING: WordSet = WordSet::new(include_str!("bookkeeping.txt"));

/// Kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Text of the user: a task, an answer, feedback.
    User,
    /// Text of the model for the user.
    Said,
    /// Reasoning of the model.
    Thought,
    /// A call whose result is in later records.
    Answered,
    /// A call whose result is not recorded.
    Call,
    /// The result of a call, or more of it.
    Answer,
    /// A request to the model.
    Request,
    /// A notice of the program.
    Notice,
    Bookkeeping,
    Unknown,
}

impl Kind {
    fn from_word(word: &str) -> Self {
        match word {
            "task" | "user_feedback" => Kind::User,
            "text" | "completion_result" | "plan_completion_result" => Kind::Said,
            "reasoning" => Kind::Thought,
            "command" | "use_mcp_server" | "browser_action" | "browser_action_launch" => Kind::Answered,
            "tool" | "followup" | "plan_mode_respond" | "act_mode_respond" | "make_plan" | "new_task" | "condense"
            | "summarize_task" | "report_bug" | "use_subagents" => Kind::Call,
            "command_output" | "mcp_server_response" | "browser_action_result" => Kind::Answer,
            "api_req_started" => Kind::Request,
            "api_req_failed"
            | "auto_approval_max_req_reached"
            | "clineignore_error"
            | "command_permission_denied"
            | "condense_context"
            | "condense_context_error"
            | "diff_error"
            | "error"
            | "image"
            | "info"
            | "invalid_model"
            | "mcp_notification"
            | "mistake_limit_reached"
            | "payment_required_prompt"
            | "promotion_model_sign_up_required_prompt"
            | "rooignore_error"
            | "sliding_window_truncation"
            | "subagent"
            | "subtask_result"
            | "too_many_tools_warning"
            | "unauthorized_prompt"
            | "user_feedback_diff" => Kind::Notice,
            word if BOOKKEEPING.contains(word) => Kind::Bookkeeping,
            _ => Kind::Unknown,
        }
    }
}

/// The kind that a record states.
fn kind_of(record: JsonValue<'_>) -> Option<JsonValue<'_>> {
    match record.text_of("type")?.as_ref() {
        "say" => record.string_of("say"),
        "ask" => record.string_of("ask"),
        _ => None,
    }
}

/// State of a result that is written in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineState {
    Ended,
    Open,
}

#[derive(Default)]
struct Screen {
    speaker: Option<MessageRole>,
    /// True after a record other than bookkeeping.
    begun: bool,
    /// The last record other than bookkeeping: its kind, its text, and true for an `ask`.
    last: Option<(Box<str>, Box<str>, bool)>,
    numbered: usize,
    /// The call whose result is missing or incomplete.
    open: Option<usize>,
    /// State of its result, if that has begun.
    answers: Option<LineState>,
    /// True for Roo, which counts cached tokens as part of the input.
    is_roo: bool,
    /// A request whose answer has not begun.
    request: Option<RequestFacts>,
}

impl Screen {
    fn begin_message(&mut self, role: MessageRole, record: JsonValue<'_>, out: &mut TextWriter) {
        if self.speaker.replace(role) != Some(role) || role == MessageRole::User {
            let model = record.path(&["modelInfo", "modelId"]).and_then(JsonValue::scalar_text);
            out.message(Message {
                role: Some(role),
                time: record.words_of("ts"),
                model: model.filter(|_| role == MessageRole::Assistant),
                origin: if role == MessageRole::User { Origin::Prompt } else { Origin::Unsaid },
                ..Message::default()
            });
        } else {
            out.time(record.words_of("ts"));
        }
        if role == MessageRole::Assistant {
            self.end_request(out);
        }
    }

    fn call(&mut self, record: JsonValue<'_>, kind: JsonValue<'_>, text: JsonValue<'_>, out: &mut TextWriter) -> usize {
        self.numbered += 1;
        let words = Fragment::from_value(text);
        let index = words.index();
        let input = index.as_ref().and_then(|index| words.root(index)).filter(|input| input.kind() == JsonKind::Object);
        let inner = input.and_then(|input| input.string_of("tool").or_else(|| input.string_of("toolName")));
        let mut call = CallText::numbered(self.numbered, &Fragment::from_value(inner.unwrap_or(kind)));
        match input {
            Some(input) => {
                call.text.push_verbatim(input);
                call.text.push_synthetic("}", text.source().end);
            }
            None => call.arguments(&[(Fragment::from_value(kind), words)], text.source().end),
        }
        let is_answered = kind.text().is_some_and(|kind| Kind::from_word(&kind) == Kind::Answered);
        self.begin_message(MessageRole::Assistant, record, out);
        out.piece(call.part((!is_answered).then_some(CallOutcome::Unknown)), &call.text);
        self.numbered
    }

    /// Writes a result, or continues one on a new line.
    fn answer(&mut self, kind: &str, text: JsonValue<'_>, out: &mut TextWriter) {
        // A record between may have ended the result.
        let open = self.open.filter(|_| self.answers.is_none() || out.is_in_part());
        let Some(call) = open else { return out.write_part(MessagePart::Envelope(kind.into()), text) };
        let mut words = Fragment::default();
        match self.answers {
            None => begin_result(call, out),
            Some(LineState::Open) => words.push_synthetic("\n", text.source().start),
            Some(LineState::Ended) => {}
        }
        words.push_content(text);
        out.write(&words);
        self.answers = Some(if words.bytes.last() == Some(&b'\n') { LineState::Ended } else { LineState::Open });
    }

    /// Gives an empty result to a call that has none.
    fn give_up_waiting(&mut self, out: &mut TextWriter) {
        if let Some(call) = self.open.take() {
            begin_result(call, out);
            out.end();
        }
    }

    /// A request, and its error.
    fn request(&mut self, record: JsonValue<'_>, text: JsonValue<'_>, out: &mut TextWriter) {
        self.end_request(out);
        self.speaker = None;
        let words = Fragment::from_value(text);
        let index = words.index();
        let Some(request) = index.as_ref().and_then(|index| words.root(index)) else {
            return self.notice("api_req_started", record, text, out);
        };
        self.count(record, request, out);
        if let Some(sent) = request.string_of("request").filter(|sent| !sent.is_void()) {
            self.notice("api_req_started", record, sent, out);
        }
        for key in ["cancelReason", "streamingFailedMessage"] {
            if let Some(reason) = request.string_of(key) {
                self.notice(key, record, reason, out);
            }
        }
    }

    /// Tokens and cost of a request, which are known when its answer is complete.
    fn count(&mut self, record: JsonValue<'_>, request: JsonValue<'_>, out: &mut TextWriter) {
        self.is_roo |= request.get("apiProtocol").is_some();
        let counting = if self.is_roo { Counting::Inside } else { Counting::Apart };
        let usage = usage::cline(request, counting);
        let is_cancelled = request.is_string("cancelReason", "user_cancelled");
        if is_cancelled {
            out.fact(Fact::State(SessionState::Interrupted));
        }
        let error = request.first_filled(&["streamingFailedMessage", "cancelReason"]).and_then(JsonValue::scalar_text);
        self.request = Some(RequestFacts {
            key: record.words_of("ts"),
            model: record.path(&["modelInfo", "modelId"]).and_then(JsonValue::scalar_text),
            cost: request.get("cost").and_then(|cost| cost.fraction()).filter(|_| usage.is_some()),
            usage,
            start: record.words_of("ts").and_then(|time| moment_of(&time)),
            error: error.filter(|_| !is_cancelled),
            ..RequestFacts::default()
        });
    }

    /// States the pending request: its answer begins or never will.
    fn end_request(&mut self, out: &mut TextWriter) {
        if let Some(request) = self.request.take() {
            out.fact(Fact::Request(request));
        }
    }

    fn notice(&mut self, name: &str, record: JsonValue<'_>, text: JsonValue<'_>, out: &mut TextWriter) {
        self.begin_message(self.speaker.unwrap_or(MessageRole::Tool), record, out);
        out.write_part(MessagePart::Envelope(name.into()), text);
    }

    /// States a compaction, or dropped messages, with the tokens before and after, and writes the summary.
    fn compaction(&mut self, record: JsonValue<'_>, out: &mut TextWriter) {
        let (details, kind) = match (record.get("contextCondense"), record.get("contextTruncation")) {
            (Some(details), _) => (details, CompactionKind::Summary),
            (None, Some(details)) => (details, CompactionKind::Trim),
            (None, None) => return,
        };
        let (before, after) = (details.number_of("prevContextTokens"), details.number_of("newContextTokens"));
        out.fact(Fact::Compaction(Compaction { kind, before, after, ..Compaction::default() }));
        // Only the cost of the request for the summary is recorded.
        if let Some(cost) = details.get("cost").and_then(|cost| cost.fraction()) {
            out.fact(Fact::Request(RequestFacts { cost: Some(cost), is_aside: true, ..RequestFacts::default() }));
        }
        if let Some(summary) = details.string_of("summary").filter(|summary| !summary.is_void()) {
            self.speaker = Some(MessageRole::User);
            out.message(Message {
                time: record.words_of("ts"),
                origin: Origin::Summary,
                ..Message::from_role(MessageRole::User).with_label("summary")
            });
            out.write_part(MessagePart::Text(Interpretation::Shown), summary);
        }
    }

    /// True if a record repeats the one before it.
    fn is_again(&mut self, kind: &str, text: &str, is_call: bool, record: JsonValue<'_>) -> bool {
        let asked = record.is_string("type", "ask");
        let before = self.last.replace((kind.into(), text.into(), asked));
        before.is_some_and(|(last, words, was_asked)| {
            let is_repeated = if is_call { was_asked != asked } else { kind != "user_feedback" };
            *last == *kind && *words == *text && is_repeated
        })
    }
}

fn begin_result(call: usize, out: &mut TextWriter) {
    out.begin(MessagePart::Result(ToolResult::new(Some(number_word(call).into()), None)));
}

impl RecordReader for Screen {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let record = record.value;
        let Some(kind) = kind_of(record) else { return unknown(record, out) };
        let word = kind.text().unwrap_or_default();
        let mut about = Kind::from_word(&word);
        if about == Kind::Bookkeeping {
            return;
        }
        let is_first = !std::mem::replace(&mut self.begun, true);
        if about == Kind::Unknown {
            let message = format!("unknown record {word:?}; shown raw");
            out.problem(Code::UnknownRecord, kind.source(), message);
            return out.envelope(&word, record);
        }
        self.compaction(record, out);
        let Some(text) = record.string_of("text").filter(|text| !text.is_void()) else {
            return out.time(record.words_of("ts"));
        };
        let is_call = matches!(about, Kind::Call | Kind::Answered);
        if about != Kind::Answer && self.is_again(&word, &text.text().unwrap_or_default(), is_call, record) {
            return;
        }
        // Roo has no special record for its task.
        if is_first && word == "text" {
            about = Kind::User;
            self.is_roo = true;
        }
        let goes_on = about == Kind::Answer;
        if !goes_on {
            out.end();
            self.open = self.open.filter(|_| self.answers.take().is_none());
            if matches!(about, Kind::User | Kind::Request | Kind::Answered) {
                self.give_up_waiting(out);
            }
        }
        match about {
            Kind::User => {
                self.begin_message(MessageRole::User, record, out);
                out.write_part(MessagePart::Text(Interpretation::Shown), text);
            }
            Kind::Said => {
                self.begin_message(MessageRole::Assistant, record, out);
                out.write_part(MessagePart::Text(Interpretation::Parsed), text);
            }
            Kind::Thought => {
                self.begin_message(MessageRole::Assistant, record, out);
                out.write_part(MessagePart::Reasoning, text);
            }
            Kind::Answered => self.open = Some(self.call(record, kind, text, out)),
            Kind::Call => {
                self.call(record, kind, text, out);
            }
            Kind::Answer => self.answer(&word, text, out),
            Kind::Request => self.request(record, text, out),
            Kind::Notice => self.notice(&word, record, text, out),
            Kind::Bookkeeping | Kind::Unknown => {}
        }
    }

    fn finish(&mut self, _at: usize, out: &mut TextWriter) {
        self.end_request(out);
        out.end();
    }
}
