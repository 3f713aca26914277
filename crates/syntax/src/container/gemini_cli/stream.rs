//! The output of Gemini CLI with `--output-format stream-json`, one record a line.
//!
//! | `type` | members |
//! |---|---|
//! | `init` | `session_id`, `model` |
//! | `message` | `role`, `content`: text; with `delta`, the next part of the open one |
//! | `tool_use` | `tool_id`, `tool_name`, `parameters` |
//! | `tool_result` | `tool_id`, `status`, `output` or `error: {message}` |
//! | `error` | `severity`, `message` |
//! | `result` | `status`, `error: {message}`, `stats`: the end |
//!
//! The shapes are from the program's `output/types.ts`.

use super::super::call::CallText;
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::result;
use super::super::writer::TextWriter;
use super::super::{Interpretation, Message, MessagePart, MessageRole, ToolResult};
use crate::diagnostic::{Code, Severity};
use crate::text::Span;

/// True if only this program prints such a record.
pub(in crate::container) fn is_printed(record: JsonValue<'_>) -> bool {
    let has = |key: &str| record.get(key).is_some();
    match record.text_of("type").as_deref() {
        Some("init") => has("session_id") && has("model"),
        // An answer of another provider has blocks, and names the model.
        Some("message") => {
            let words = record.get("content").is_some_and(|content| content.kind() == JsonKind::Text);
            words && has("role") && has("timestamp") && !has("id") && !has("model")
        }
        Some("tool_use") => has("tool_id") && has("tool_name"),
        Some("tool_result") => has("tool_id") && has("status"),
        Some("error") => has("severity") && has("message") && !has("id"),
        Some("result") => has("status") && !has("subtype"),
        _ => false,
    }
}

/// Reads the records of a run.
#[derive(Debug, Default)]
pub(in crate::container) struct PrintedRecords {
    model: Option<Box<str>>,
    /// Role of the open message.
    speaker: Option<MessageRole>,
    /// True if a text is open that may continue.
    is_open: bool,
    /// True if anything followed the last result of a run.
    any: bool,
}

impl PrintedRecords {
    pub(in crate::container) fn record(&mut self, record: JsonValue<'_>, out: &mut TextWriter) {
        let kind = record.text_of("type").unwrap_or_default();
        self.any |= kind != "result";
        match kind.as_ref() {
            "init" => {
                out.session_id(|| record.words_of("session_id"));
                self.model = record.words_of("model");
            }
            "message" => self.message(record, out),
            "tool_use" => {
                self.begin_message(MessageRole::Assistant, record, out);
                let at = record.source().start;
                let call = CallText::bare(at, record.get("tool_id"), record.get("tool_name"), "");
                let call = call.with_arguments(record.get("parameters"), record.source().end);
                out.piece(call.part(None), &call.text);
            }
            "tool_result" => {
                self.begin_message(MessageRole::Tool, record, out);
                let failed = record.is_string("status", "error");
                let words = record.get("output").filter(|output| !output.is_void() || !failed);
                let words = words.or_else(|| record.path(&["error", "message"])).or_else(|| record.get("error"));
                result(ToolResult::new(record.words_of("tool_id"), Some(failed)), words, out);
            }
            "error" => self.trouble(record, record, out),
            // End of the run.
            _ => {
                if let Some(error) = record.get("error").filter(|error| !error.is_void()) {
                    self.trouble(record, error, out);
                }
                super::facts::run(record, self.model.clone(), out);
                self.any = false;
                self.pause();
            }
        }
    }

    fn message(&mut self, record: JsonValue<'_>, out: &mut TextWriter) {
        let Some(content) = record.get("content") else { return };
        let role = record.text_of("role").and_then(|role| MessageRole::named(&role)).unwrap_or(MessageRole::User);
        let goes_on = record.truth_of("delta") == Some(true);
        if !goes_on {
            self.pause();
        }
        self.go_on(role, record, out);
        // An unknown record ends the text before it.
        if !std::mem::replace(&mut self.is_open, true) || !out.is_in_part() {
            out.begin(MessagePart::Text(Interpretation::from_role(Some(role))));
        }
        out.value(content);
    }

    /// Opens a message of this role, unless it is already open.
    fn go_on(&mut self, role: MessageRole, record: JsonValue<'_>, out: &mut TextWriter) {
        if self.speaker != Some(role) {
            let model = self.model.clone().filter(|_| role == MessageRole::Assistant);
            out.message(Message { time: record.words_of("timestamp"), model, ..Message::from_role(role) });
            self.speaker = Some(role);
            self.is_open = false;
        }
    }

    /// Opens a message of this role, unless it is already open, and ends an open text.
    fn begin_message(&mut self, role: MessageRole, record: JsonValue<'_>, out: &mut TextWriter) {
        self.go_on(role, record, out);
        self.is_open = false;
        out.time(record.words_of("timestamp"));
    }

    /// Reports an error of the program.
    fn trouble(&mut self, record: JsonValue<'_>, error: JsonValue<'_>, out: &mut TextWriter) {
        let words = error.text_of("message").unwrap_or_default();
        let severity =
            if record.is_string("severity", "warning") { Severity::Hint } else { Code::AnswerStopped.severity() };
        let words = words.lines().next().unwrap_or_default().to_owned();
        let what = if severity == Severity::Hint { "warns" } else { "reports an error" };
        out.end();
        out.problem_with_severity(
            Code::AnswerStopped,
            severity,
            error.source(),
            format!("the program {what}: {words}"),
        );
        let label = Some(if severity == Severity::Hint { "warning" } else { "error" }.into());
        out.message(Message { time: record.words_of("timestamp"), label, ..Message::default() });
        match error.get("message") {
            Some(message) => out.write_part(MessagePart::Envelope("error".into()), message),
            None => out.envelope("error", error),
        }
        self.pause();
    }

    /// Ends the open message.
    pub(in crate::container) fn pause(&mut self) {
        self.speaker = None;
        self.is_open = false;
    }

    /// Ends the file; `at` is its length.
    pub(in crate::container) fn finish(&mut self, at: usize, out: &mut TextWriter) {
        if self.any {
            out.end();
            out.problem(Code::StreamCutOff, Span::at(at), "the run ends without its result");
        }
    }
}
