//! Streams that the AI SDK sends to a screen: events, or their data alone on a line each.
//!
//! ```text
//! stream = start part* finish | abort | error
//! text   = text-start text-delta* text-end                the same for reasoning
//! call   = (tool-input-start tool-input-delta*)? (tool-input-available | tool-input-error)
//! result = tool-output-available | tool-output-error | tool-output-denied
//! step   = start-step … finish-step | reset-step          which takes back what the step has said
//! ```
//!
//! A call that is given twice in a step counts as it was given last. At an event that its reader does not know, or that
//! lacks what it needs, the reader stops; here it is a problem, and what follows is shown all the same.

use super::fragment::Fragment;
use super::json::{Kind, Value};
use super::messages::{parts_of, result, standing, words};
use super::parts::Parts;
use super::writer::Writer;
use super::{About, Ending, Event, Head, Message, Opened, Outcome, Piece, Reading, Record, Records, Role, Verdict};
use crate::diagnostic::{Code, Severity};
use crate::params::json_text::lexer::{Lexed, Lexer};
use crate::text::Span;

pub(super) static ABOUT: About = About {
    name: "ai-sdk-stream",
    title: "a message stream of the AI SDK",
    claims,
    open: || Opened::Records(Box::<Stream>::default()),
};

/// The events and the members that each must have.
const EVENTS: [(&str, &[&str]); 30] = [
    ("start", &[]),
    ("text-start", &["id"]),
    ("text-delta", &["id", "delta"]),
    ("text-end", &["id"]),
    ("reasoning-start", &["id"]),
    ("reasoning-delta", &["id", "delta"]),
    ("reasoning-end", &["id"]),
    ("tool-input-start", &["toolCallId", "toolName"]),
    ("tool-input-delta", &["toolCallId", "inputTextDelta"]),
    ("tool-input-available", &["toolCallId", "toolName", "input"]),
    ("tool-input-error", &["toolCallId", "toolName", "input", "errorText"]),
    ("tool-approval-request", &["approvalId", "toolCallId"]),
    ("tool-approval-response", &["approvalId", "approved"]),
    ("tool-output-available", &["toolCallId", "output"]),
    ("tool-output-error", &["toolCallId", "errorText"]),
    ("tool-output-denied", &["toolCallId"]),
    ("source-url", &["sourceId", "url"]),
    ("source-document", &["sourceId", "mediaType", "title"]),
    ("file", &["url", "mediaType"]),
    ("reasoning-file", &["url", "mediaType"]),
    ("custom", &["kind"]),
    ("steering-message", &["id", "parts"]),
    ("start-step", &[]),
    ("finish-step", &[]),
    ("reset-step", &[]),
    ("message-metadata", &["messageMetadata"]),
    ("error", &["errorText"]),
    ("abort", &[]),
    ("finish", &[]),
    ("data-", &["data"]),
];

fn known(kind: &str) -> Option<&'static [&'static str]> {
    let is_known = |name: &str| name == kind || (name.ends_with('-') && kind.starts_with(name));
    EVENTS.iter().find(|(name, _)| is_known(name)).map(|(_, members)| *members)
}

fn claims(head: &Head<'_>) -> Option<&'static str> {
    let event = head.record()?;
    let kind = event.text_of("type")?;
    // Some names are so common that a file of JSON lines must show more.
    let rare = !matches!(kind.as_ref(), "start" | "error" | "abort" | "finish" | "file" | "custom" | "data-");
    let own = ["type", "messageId", "messageMetadata"];
    let alone = kind == "start" && event.items().all(|item| own.contains(&item.key().as_ref()));
    let complete = known(&kind)?.iter().all(|key| event.get(key).is_some());
    let is_stream = matches!(head, Head::Event(_)) && kind != "error";
    (complete && (rare || alone || is_stream)).then_some("it begins with an event that this stream has, such as start")
}

/// A call of the step that is open.
#[derive(Debug)]
struct Call {
    id: String,
    /// What its deltas say together.
    input: Vec<u8>,
    /// Whether its input is text and no JSON.
    text: bool,
    over: bool,
    /// Where its piece began in the transcript.
    start: usize,
}

#[derive(Default)]
struct Stream {
    parts: Parts,
    calls: Vec<Call>,
    open: bool,
    /// Where the step began in the transcript.
    step: usize,
    finished: bool,
}

impl Stream {
    fn begin(&mut self, event: Option<Value<'_>>, out: &mut Writer) {
        if !std::mem::replace(&mut self.open, true) {
            let id = event.and_then(|event| event.get("messageId")).and_then(words);
            out.message(Message { role: Some(Role::Assistant), id, ..Message::default() });
            self.step = out.len();
            self.finished = false;
        }
    }

    /// Something that its reader stops at.
    fn refuse(&mut self, event: Value<'_>, message: String, out: &mut Writer) {
        out.weighty(Code::UnknownRecord, Severity::Error, event.source(), message);
        self.parts.whole(Piece::Envelope("event".into()), standing(event), out);
    }

    fn words(&mut self, kind: &str, event: Value<'_>, out: &mut Writer) {
        let (name, step) = kind.split_once('-').unwrap_or((kind, ""));
        let key = format!("{name}/{}", event.text_of("id").unwrap_or_default());
        let piece = if name == "text" { Piece::Text(Reading::Parsed) } else { Piece::Reasoning };
        match step {
            "start" => self.parts.open(&key, piece, out),
            "delta" if self.parts.has(&key) => {
                let words = event.get("delta").map(Fragment::of).unwrap_or_default();
                self.parts.write(&key, &words, out);
            }
            "end" if self.parts.has(&key) => self.parts.close(&key, out),
            _ => {
                let message = format!("{kind} of a part that is not open: its reader stops here");
                out.weighty(Code::StrayDelta, Severity::Error, event.source(), message);
                self.parts.whole(Piece::Envelope(kind.into()), standing(event), out);
            }
        }
    }

    fn open_call(&mut self, event: Value<'_>, out: &mut Writer) -> usize {
        let id = event.text_of("toolCallId").unwrap_or_default().into_owned();
        let key = key(&id);
        if let Some(index) = self.calls.iter().position(|call| call.id == id) {
            // It counts as it is given last.
            let call = self.calls.remove(index);
            self.parts.close(&key, out);
            out.event(Event::Withdrawn(Span::new(call.start, out.len())));
        }
        let text = event.says("inputEncoding", "text");
        let at = event.source().start;
        let mut head = Fragment::default();
        head.add("{\"type\":\"dynamic-tool\",\"toolName\":", at);
        for (name, value) in [("", event.get("toolName")), (",\"toolCallId\":", event.get("toolCallId"))] {
            head.add(name, value.map_or(at, |value| value.source().start));
            if let Some(value) = value {
                head.stand(value);
            }
        }
        head.add(if text { ",\"input\":\"" } else { ",\"input\":" }, at);
        self.parts.open(&key, Piece::Call { failed: None }, out);
        let start = out.len();
        self.parts.write(&key, &head, out);
        self.calls.push(Call { id, input: Vec::new(), text, over: false, start });
        self.calls.len() - 1
    }

    fn more_input(&mut self, event: Value<'_>, out: &mut Writer) {
        let id = event.text_of("toolCallId").unwrap_or_default();
        let Some(words) = event.get("inputTextDelta") else { return };
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id && !call.over) else {
            let message = "tool-input-delta of a call that is not open: its reader stops here";
            out.weighty(Code::StrayDelta, Severity::Error, event.source(), message);
            self.parts.whole(Piece::Envelope("tool-input-delta".into()), standing(event), out);
            return;
        };
        let said = Fragment::of(words);
        call.input.extend_from_slice(&said.bytes);
        if call.text {
            let mut content = Fragment::default();
            content.content(words);
            self.parts.write(&key(&id), &content, out);
        } else {
            self.parts.write(&key(&id), &said, out);
        }
    }

    /// The input of a call is complete.
    fn input(&mut self, event: Value<'_>, out: &mut Writer) {
        let id = event.text_of("toolCallId").unwrap_or_default().into_owned();
        let known = self.calls.iter().position(|call| call.id == id && !call.over);
        let index = known.unwrap_or_else(|| self.open_call(event, out));
        let call = &mut self.calls[index];
        call.over = true;
        let mut tail = Fragment::default();
        if let Some(input) = event.get("input") {
            if call.input.is_empty() {
                if call.text { tail.content(input) } else { tail.stand(input) }
            } else if !call.text && !same(&call.input, input.raw()) {
                let message = "the deltas of the input say something else than the input itself";
                out.problem(Code::StreamMismatch, input.source(), message);
            }
        }
        tail.add(if call.text { "\"}" } else { "}" }, event.source().end);
        self.parts.write(&key(&id), &tail, out);
        self.parts.close(&key(&id), out);
    }

    fn output(&mut self, kind: &str, event: Value<'_>, out: &mut Writer) {
        let call = event.get("toolCallId").and_then(words);
        let (verdict, content) = match kind {
            "tool-output-available" => (Verdict::Fine, event.get("output")),
            "tool-output-denied" => (Verdict::Denied, None),
            _ => (Verdict::Failed, event.get("errorText")),
        };
        let outcome = Outcome { call, verdict };
        if self.parts.any_open() {
            let words = content.map(Fragment::of).unwrap_or_default();
            self.parts.whole(Piece::Result(outcome), words, out);
        } else {
            result(outcome, content.filter(|content| content.kind() != Kind::Array), out);
        }
    }

    fn end(&mut self, at: usize, out: &mut Writer) {
        let open = self.parts.any_open();
        self.parts.close_all(out);
        self.calls.clear();
        if std::mem::take(&mut self.open) && !self.finished && open {
            out.problem(Code::StreamCutOff, Span::at(at), "the stream ends before its parts do");
        }
    }
}

fn key(id: &str) -> String {
    format!("call/{id}")
}

/// Whether two JSON texts differ in nothing but white space.
fn same(one: &[u8], other: &[u8]) -> bool {
    let mut lexers = [Lexer::at(0), Lexer::at(0)];
    let texts = [one, other];
    loop {
        let mut next = [0, 1].map(|number: usize| match lexers[number].next(texts[number], true) {
            Lexed::Token(token) => Some((token.kind, token.content(texts[number]))),
            Lexed::Wait | Lexed::End => None,
        });
        let [one, other] = next.each_mut();
        match (one, other) {
            (None, None) => return true,
            (Some(one), Some(other)) if one.0 == other.0 && says(one.1) == says(other.1) => {}
            _ => return false,
        }
    }
}

fn says(content: &[u8]) -> Vec<u8> {
    crate::params::json_text::string::decode(content).bytes
}

impl Records for Stream {
    fn ending(&self) -> Ending {
        Ending::Dropped
    }

    fn record(&mut self, record: &Record<'_>, out: &mut Writer) {
        let event = record.value;
        let kind = event.text_of("type").unwrap_or_default();
        let Some(members) = known(&kind) else {
            self.begin(None, out);
            self.refuse(event, format!("the event {kind:?} is not known: its reader stops here"), out);
            return;
        };
        if let Some(missing) = members.iter().find(|key| event.get(key).is_none()) {
            self.begin(None, out);
            self.refuse(event, format!("{kind} without {missing}: its reader stops here"), out);
            return;
        }
        if kind == "start" && self.finished {
            self.end(event.source().start, out);
        }
        self.begin(Some(event), out);
        match kind.as_ref() {
            "start-step" => {
                self.calls.clear();
                self.step = out.len();
            }
            "reset-step" => {
                self.parts.close_all(out);
                self.calls.clear();
                out.event(Event::Withdrawn(Span::new(self.step, out.len())));
            }
            "tool-input-start" => {
                self.open_call(event, out);
            }
            "tool-input-delta" => self.more_input(event, out),
            "tool-input-available" => self.input(event, out),
            "tool-input-error" => {
                self.input(event, out);
                self.output(&kind, event, out);
            }
            "steering-message" if !self.parts.any_open() => {
                out.message(Message {
                    role: Some(Role::User),
                    label: Some("steering-message".into()),
                    ..Message::default()
                });
                if let Some(parts) = event.get("parts") {
                    parts_of(parts, Some(Role::User), out);
                }
                self.open = false;
                self.begin(None, out);
            }
            "finish" | "abort" => self.finished = true,
            "start" | "finish-step" | "message-metadata" => {}
            kind if kind.starts_with("text-") || kind.starts_with("reasoning-") && kind != "reasoning-file" => {
                self.words(kind, event, out);
            }
            kind if kind.starts_with("tool-output-") => self.output(kind, event, out),
            kind => self.parts.whole(Piece::Envelope(kind.into()), standing(event), out),
        }
    }

    fn done(&mut self, _out: &mut Writer) {
        self.finished = true;
    }

    fn aside(&mut self, piece: Piece, fragment: &Fragment, out: &mut Writer) {
        self.parts.whole(piece, fragment.clone(), out);
    }

    fn finish(&mut self, at: usize, out: &mut Writer) {
        self.end(at, out);
    }
}
