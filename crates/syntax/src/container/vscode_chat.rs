//! Sessions of the chat in VS Code, with GitHub Copilot or another agent.
//!
//! | member | content |
//! |---|---|
//! | `sessionId`, `customTitle`, `creationDate`, `responderUsername` | the session; an export lacks its id |
//! | `requests` | prompts with their answers |
//! | `message: {text}` | of a request: what the user typed; a string in old files |
//! | `variableData: {variables}` | what the user or the editor attached |
//! | `response` | what the editor shows: Markdown, thinking, invocations of tools, edits |
//! | `result: {metadata: {toolCallRounds, toolCallResults}}` | the model's answers with their calls, and the results |
//! | `result: {errorDetails, timings}`, `isCanceled`, `modelState` | how it ended |
//!
//! `response` repeats the text of the rounds and shows their calls without arguments; if there are rounds, only the
//! elements that no round has are taken from it. Followups, votes, references and the state of the editor are not part
//! of a conversation, and are skipped.
//!
//! The shapes are from the program's `chatModel.ts`.

mod answers;
mod facts;
mod output_text;
mod overlap;
mod request;
mod response;
mod written_parts;

use super::facts::Fact;
use super::json::{JsonKind, JsonValue};
use super::messages::unknown;
use super::writer::TextWriter;
use super::{CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, RecordReader};
use request::ChatRequest;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "vscode-chat",
    title: "a session of the chat in VS Code",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<VscodeChat> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    is_session(value).then_some(Claim::Sure("it is an object with requests and a responderUsername or sessionId"))
}

fn is_session(value: JsonValue<'_>) -> bool {
    let has = |key: &str| value.get(key).is_some();
    let Some(requests) = value.get("requests").filter(|requests| requests.kind() == JsonKind::Array) else {
        return false;
    };
    let is_request = |request: JsonValue<'_>| {
        let has = |key: &str| request.get(key).is_some();
        has("message") && has("response") && (has("variableData") || has("requestId"))
    };
    let is_named = has("responderUsername") || has("requesterUsername");
    is_named || (has("sessionId") && has("creationDate")) || requests.items().next().is_some_and(is_request)
}

#[derive(Default)]
struct VscodeChat {
    session: facts::SessionReader,
    /// Number of requests of the session.
    requests: usize,
    /// True if a session has ended, so that the next one is another conversation.
    has_ended: bool,
}

impl VscodeChat {
    fn add(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        if std::mem::take(&mut self.has_ended) {
            self.requests = 0;
            out.conversation(None);
        }
        if value.kind() != JsonKind::Object {
            return unknown(value, out);
        }
        self.session.request(value, out);
        ChatRequest::write(self.requests, value, out);
        self.requests += 1;
    }

    /// Takes a member of the session other than a request.
    fn member(&mut self, key: &str, value: JsonValue<'_>, out: &mut TextWriter) {
        match key {
            "sessionId" => out.session_id(|| value.scalar_text()),
            _ => self.session.member(key, value, out),
        }
    }
}

/// States facts.
fn state(facts: impl IntoIterator<Item = Fact>, out: &mut TextWriter) {
    facts.into_iter().for_each(|fact| out.fact(fact));
}

impl RecordReader for VscodeChat {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &["requests"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match (record.member, record.part) {
            (Some("requests"), None) => self.add(value, out),
            (None, _) | (Some("requests"), Some(_)) => unknown(value, out),
            (Some(key), _) => self.member(key, value, out),
        }
    }

    fn close(&mut self, _out: &mut TextWriter) {
        self.has_ended = true;
    }
}
