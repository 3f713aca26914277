//! Sessions of the chat in VS Code, with GitHub Copilot or another agent: a document, or a log of changes to one.
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
//! The log has one record a line:
//!
//! | record | effect |
//! |---|---|
//! | `{kind: 0, v}` | `v` is the whole document |
//! | `{kind: 1, k, v}`, `{kind: 3, k}` | the value at the path `k` is replaced, or removed |
//! | `{kind: 2, k, v, i}` | the elements `v` are appended to the array at `k`, which is first cut to the length `i` |
//!
//! Changes are shown as they arrive. Text that grows is continued; an element that is replaced is withdrawn. When the
//! result of a request arrives, its rounds supersede the elements that were shown before. The shapes are from the
//! program's `chatModel.ts`, `chatSessionOperationLog.ts` and `objectMutationLog.ts`.

mod answers;
mod facts;
mod output_text;
mod overlap;
mod patch;
mod request;
mod response;
mod written_parts;

use super::facts::Fact;
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::messages::unknown;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, MessagePart,
    RecordReader,
};
use crate::text::Span;
use request::ChatRequest;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "vscode-chat",
    title: "a session of the chat in VS Code",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<VscodeChat> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    if is_session(value) {
        return Some(Claim::Sure("it is an object with requests and a responderUsername or sessionId"));
    }
    let kind = value.number_of("kind")?;
    if kind == 0 && value.get("v").is_some_and(is_session) {
        return Some(Claim::Sure("its first record has the kind 0 and a session with requests"));
    }
    let first = value.get("k").and_then(|path| path.items().next());
    let is_change = (1..=3).contains(&kind) && first.and_then(|key| key.text()).is_some_and(|key| key == "requests");
    is_change.then_some(Claim::Sure("its records have a kind and change requests"))
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
    requests: Vec<ChatRequest>,
    session: facts::SessionReader,
    /// The request whose answer was written last, if it may be continued.
    last: Option<usize>,
    /// True if a session has ended, so that the next one is another conversation.
    has_ended: bool,
}

impl VscodeChat {
    /// Adds a request after the others.
    fn add(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        if std::mem::take(&mut self.has_ended) {
            self.requests.clear();
            out.conversation(None);
        }
        if value.kind() != JsonKind::Object {
            self.last = None;
            // It keeps its number, which later changes count.
            self.requests.push(ChatRequest::default());
            return unknown(value, out);
        }
        self.put(self.requests.len(), value, out);
    }

    /// Adds a request, or replaces the one with this number.
    fn put(&mut self, number: usize, value: JsonValue<'_>, out: &mut TextWriter) {
        match self.requests.get_mut(number) {
            Some(replaced) => replaced.withdraw_all(out),
            None => {
                if let Some(before) = self.requests.last_mut() {
                    before.seal();
                }
            }
        }
        self.session.request(value, out);
        let mut request = ChatRequest::write(number, value, out);
        if self.session.is_document() {
            request.forget();
        }
        match self.requests.get_mut(number) {
            Some(known) => *known = request,
            None => self.requests.push(request),
        }
        self.last = Some(number);
    }

    /// Withdraws the requests starting at this number.
    fn cut(&mut self, number: usize, out: &mut TextWriter) {
        for mut gone in self.requests.split_off(number.min(self.requests.len())) {
            gone.withdraw_all(out);
        }
        self.last = None;
    }

    /// Takes a member of the session other than a request.
    fn member(&mut self, key: &str, value: JsonValue<'_>, out: &mut TextWriter) {
        match key {
            // A log that was written again continues with another state of the session.
            "kind" if value.number() == Some(0) => {
                self.session.begin_log();
                if !self.has_ended {
                    self.cut(0, out);
                }
            }
            "sessionId" => out.session_id(|| value.scalar_text()),
            _ => self.session.member(key, value, out),
        }
    }

    /// Takes a record that was not read in parts.
    fn whole(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        if value.get("k").is_some() {
            return self.change(value, out);
        }
        if value.get("requests").is_none() && value.get("sessionId").is_none() {
            self.last = None;
            return unknown(value, out);
        }
        for member in value.items() {
            match member.key().as_ref() {
                "requests" => member.items().for_each(|request| self.add(request, out)),
                key => self.member(key, member, out),
            }
        }
    }
}

/// Withdraws ranges of the text that are not empty.
fn withdraw(spans: &[Span], out: &mut TextWriter) {
    out.end();
    for span in spans.iter().filter(|span| !span.is_empty()) {
        out.event(ContainerEvent::Withdrawn(*span));
    }
}

/// States several facts in their order.
fn state(facts: impl IntoIterator<Item = Fact>, out: &mut TextWriter) {
    facts.into_iter().for_each(|fact| out.fact(fact));
}

impl RecordReader for VscodeChat {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &["requests", "v", "v.requests"]
    }

    fn single_record_keys(&self) -> &'static [&'static str] {
        &["k"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match (record.member, record.part) {
            (None, _) => self.whole(value, out),
            (Some("requests"), None) | (Some("v"), Some("requests")) => self.add(value, out),
            // A change whose path does not precede its value.
            (Some("k" | "v"), None) | (Some("requests"), Some(_)) => {
                self.last = None;
                unknown(value, out);
            }
            (Some("v"), Some(key)) | (Some(key), None) => self.member(key, value, out),
            (Some(_), Some(_)) => {}
        }
    }

    fn close(&mut self, _out: &mut TextWriter) {
        self.has_ended |= self.session.is_document();
    }

    fn between_records(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.last = None;
        out.piece(piece, fragment);
    }
}
