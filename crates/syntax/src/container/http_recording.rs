//! Recordings of HTTP: requests to providers and their answers, whose bodies are files of other containers.
//!
//! | form | an exchange |
//! |---|---|
//! | a cassette of vcrpy | `request: {method, uri, body, headers}`, `response: {status, headers, body: {string}}` |
//! | the same of pydantic-ai | `parsed_body` in place of `body`, a tree in YAML |
//! | a cassette of go-vcr | `id`, `request: {method, url, body}`, `response: {body, status, code, duration}` |
//! | a cassette of Ruby's VCR | `http_interactions`, `body: {encoding, string}`, `recorded_at` |
//! | HAR | `request: {method, url, postData}`, `response: {status, content: {text, encoding}}`, `startedDateTime`, `time` |
//!
//! A body that a container reads is shown as that container shows it; any other one is an envelope. A request continues
//! the conversation that it repeats, and only its new messages are shown. Headers are not shown, nor are the parameters
//! of addresses: they hold keys.

pub(super) mod cassette;
pub(super) mod har;

mod block;
mod body;
mod body_reader;
mod body_tree;
mod scalar;

use std::collections::HashMap;

use super::content_hash::ContentHasher;
use super::conversation_history::{Continuation, GrowingHistory, HistoryPart};
use super::facts::{Fact, RequestFacts};
use super::fragment::Fragment;
use super::writer::TextWriter;
use super::{ContainerEvent, Message, MessagePart, moment_of};
use crate::diagnostic::Code;
use crate::text::Span;
use body::{Body, BodyDecoder};
use body_reader::{Given, InnerText, Starts, Unit};

/// Containers of bodies; a body that is one of them is not read, since recordings could be nested to any depth.
const RECORDINGS: [&str; 2] = [cassette::NAME, har::NAME];

/// First status of failed answers.
const FAILED: u64 = 400;

/// Most bytes of a method, an address or a status that are shown.
const MAX_WORDS: usize = 200;

/// A request and its answer.
#[derive(Debug, Default)]
struct Exchange {
    method: String,
    url: Fragment,
    request: Option<Body>,
    response: Option<Body>,
    status: Option<u64>,
    /// The status as text, such as `Not Found`.
    reason: String,
    /// Bytes of the status in the file.
    status_source: Span,
    /// Time of the request as written, or in the form of RFC 3339.
    sent: Option<Box<str>>,
    /// Time of the answer, as the recording writes it.
    answered: Option<Box<str>>,
    /// Duration as the file writes it, with a unit.
    duration: String,
}

impl Exchange {
    /// The request in a line: `POST https://api.example.com/v1/messages`.
    fn request_label(&self) -> Option<Box<str>> {
        label(&[&self.method, &String::from_utf8_lossy(&self.address().bytes)], " ")
    }

    /// The address without its parameters and without a user's name and password: some providers take a key there.
    fn address(&self) -> Fragment {
        let url = &self.url.bytes;
        let end = url.iter().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(url.len());
        let host = memchr::memmem::find(&url[..end], b"://").map_or(0, |scheme| scheme + 3);
        let path = memchr::memchr(b'/', &url[host..end]).map_or(end, |slash| host + slash);
        let start = memchr::memrchr(b'@', &url[host..path]).map_or(host, |at| host + at + 1);
        let mut address = self.url.slice(Span::new(0, host));
        address.append(&self.url.slice(Span::new(start, end.max(start))));
        address
    }

    /// The answer in a line: `200 OK, 2.5s`.
    fn response_label(&self) -> Option<Box<str>> {
        label(&[&self.status_words(), &self.duration], ", ")
    }

    fn status_words(&self) -> String {
        let number = self.status.map(|status| status.to_string()).unwrap_or_default();
        let reason = self.reason.strip_prefix(&*number).unwrap_or(&self.reason).trim();
        label(&[&number, reason], " ").map(String::from).unwrap_or_default()
    }

    fn is_failed(&self) -> bool {
        self.status.is_some_and(|status| status >= FAILED)
    }
}

fn label(words: &[&str], between: &str) -> Option<Box<str>> {
    let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    let mut label = words.join(between);
    label.truncate(label.floor_char_boundary(MAX_WORDS));
    (!label.is_empty()).then(|| label.into())
}

/// Writes the exchanges of one file.
#[derive(Default)]
struct Exchanges {
    hasher: ContentHasher,
    history: GrowingHistory,
    bodies: BodyDecoder,
    /// Number of the conversation that is open.
    open: Option<usize>,
    /// True if the last request is part of the conversation.
    is_asked: bool,
}

impl Exchanges {
    fn take(&mut self, exchange: &Exchange, out: &mut TextWriter) {
        let moment = |time: &Option<Box<str>>| time.as_deref().and_then(moment_of);
        // Without a duration, the time is when the exchange was recorded.
        let start = moment(&exchange.sent).filter(|_| !exchange.duration.is_empty());
        let request = RequestFacts { start, end: moment(&exchange.answered), ..RequestFacts::default() };
        let given = Given { label: exchange.request_label(), time: exchange.sent.clone(), request, ..Given::default() };
        self.is_asked = false;
        if let Some(body) = &exchange.request {
            self.take_body(body, true, &given, exchange, out);
        } else {
            let (time, label) = (given.time.clone(), given.label.clone());
            out.message(Message { time, label, ..Message::default() });
            out.piece(MessagePart::Envelope("request".into()), &exchange.address());
        }
        let given = Given { label: exchange.response_label(), time: exchange.answered.clone(), ..given };
        match &exchange.response {
            Some(body) => self.take_body(body, false, &given, exchange, out),
            None => self.failure(exchange, &given, None, out),
        }
    }

    fn take_body(&mut self, body: &Body, is_request: bool, given: &Given, exchange: &Exchange, out: &mut TextWriter) {
        let message = |out: &mut TextWriter| {
            let (time, label) = (given.time.clone(), given.label.clone());
            out.message(Message { time, label, ..Message::default() });
        };
        let decoded = match self.bodies.decode(body) {
            Ok(decoded) => decoded,
            Err(flaw) => {
                message(out);
                let source = body.text.map.source_of(Span::new(0, body.text.bytes.len()));
                out.problem(Code::BrokenRecord, source, flaw.message());
                return out.piece(MessagePart::Envelope("body".into()), &body.text);
            }
        };
        // Requests for embeddings and counts of tokens have the form of others.
        let inner = if decoded.is_empty() || memchr::memmem::find(&exchange.url.bytes, b"/embeddings").is_some() {
            None
        } else {
            InnerText::read(&decoded, &RECORDINGS)
        };
        let Some(inner) = inner else {
            message(out);
            if !is_request {
                self.failure(exchange, given, None, out);
            }
            if !decoded.is_empty() {
                out.piece(MessagePart::Envelope("body".into()), &shown_body(body, decoded));
            }
            return;
        };
        if is_request {
            for (events, title) in inner.conversations() {
                self.take_request(&inner, events, title, given, out);
            }
            self.is_asked = true;
        } else {
            self.take_response(&inner, given, out);
            self.failure(exchange, given, Some(&inner), out);
        }
    }

    /// Writes the messages of a request that are new.
    fn take_request(
        &mut self,
        inner: &InnerText<'_>,
        events: Span,
        title: Option<Box<str>>,
        given: &Given,
        out: &mut TextWriter,
    ) {
        let units = inner.units(events, &self.hasher);
        let parts: Vec<HistoryPart> = units.iter().map(|unit| unit.part).collect();
        let mut given = given.clone();
        let mut difference = None;
        // A provider that stores the conversation receives new items only.
        let stored = units.first().and_then(|unit| self.history.answering(unit.answers.as_deref()?));
        let continuation =
            stored.map_or_else(|| self.history.take(&parts), |number| Continuation::Grows { number, known: 0 });
        let (number, known) = match continuation {
            Continuation::Grows { number, known } => (number, known),
            Continuation::Begins => (self.history.begun(), 0),
            Continuation::Differs { number, same } => {
                let repeated = units.iter().filter(|unit| self.history.has(number, unit.part.digest));
                given.repeated = repeated.map(|unit| unit.message).collect();
                difference = units.get(same).map(|unit| (unit, number));
                (self.history.begun(), 0)
            }
        };
        if self.open.replace(number) != Some(number) {
            let continued = || Some(format!("conversation {number}, continued").into());
            out.conversation(if known > 0 || stored.is_some() { continued() } else { title });
        }
        let shown: Vec<(&Unit, usize)> = units[..known]
            .iter()
            .enumerate()
            .filter_map(|(index, unit)| Some((unit, self.history.part(index)?.start)))
            .collect();
        if let Some((unit, number)) = difference {
            let message = format!(
                "the request repeats conversation {number}, but differs from its message {} on: a cache ends there",
                unit.message
            );
            out.problem(Code::HistoryChanged, inner.source(unit), message);
        }
        // A client may give ids to calls that the answer had none for.
        let named = shown.iter().filter_map(|(unit, start)| Some((unit.call.as_deref()?, *start)));
        let named: HashMap<&str, usize> = named.filter(|(id, _)| !self.history.has_call(id)).collect();
        let earlier = |id: &str| named.get(id).copied().or_else(|| self.history.earlier_call(id));
        let starts = inner.write(events, &shown, &given, earlier, out);
        self.learn(&units[known..], &starts, false);
    }

    fn take_response(&mut self, inner: &InnerText<'_>, given: &Given, out: &mut TextWriter) {
        for (events, title) in inner.conversations() {
            if !self.is_asked {
                self.history.take(&[]);
                self.open = Some(self.history.begun());
                out.conversation(title);
            }
            let units = inner.units(events, &self.hasher);
            let starts = inner.write(events, &[], given, |_| None, out);
            self.learn(&units, &starts, true);
        }
    }

    /// Remembers parts that were written.
    fn learn(&mut self, units: &[Unit], starts: &Starts, is_answer: bool) {
        for unit in units {
            let start = starts.of(unit.start());
            self.history.push(HistoryPart { start, ..unit.part }, is_answer);
            if let Some(id) = &unit.call {
                self.history.push_call(id.clone(), start);
            }
        }
    }

    /// Reports a failed status, unless the answer reports it itself.
    fn failure(&self, exchange: &Exchange, given: &Given, inner: Option<&InnerText<'_>>, out: &mut TextWriter) {
        if !exchange.is_failed() {
            return;
        }
        let status = exchange.status_words();
        if !inner.is_some_and(|inner| inner.has_problem(Code::AnswerStopped)) {
            out.problem(Code::AnswerStopped, exchange.status_source, format!("the server answered {status}"));
        }
        if self.is_asked && !inner.is_some_and(InnerText::has_request) {
            let facts = RequestFacts { error: Some(status.into()), ..given.request.clone() };
            out.event(ContainerEvent::Fact(Box::new(Fact::Request(facts))));
        }
    }
}

/// A body that no container reads: text verbatim, a summary of anything else.
fn shown_body(body: &Body, decoded: Fragment) -> Fragment {
    const PAGES: [&str; 5] = ["image/", "font/", "audio/", "video/", "text/css"];
    let media = body.media.as_deref().unwrap_or("unknown type");
    let is_page = PAGES.iter().any(|start| media.starts_with(start))
        || media == "text/html"
        || media.ends_with("javascript")
        || media.ends_with("/wasm");
    if !is_page && std::str::from_utf8(&decoded.bytes).is_ok() {
        return decoded;
    }
    let source = decoded.map.source_of(Span::new(0, decoded.bytes.len()));
    let mut fragment = Fragment::default();
    fragment.push_replacement(&format!("[{media}, {} bytes]", decoded.bytes.len()), source);
    fragment
}
