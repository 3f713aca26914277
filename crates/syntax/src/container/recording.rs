//! Recordings of code-assistant: its requests to a provider and the streamed answers.
//!
//! A file is an array of `{request, timestamp, chunks: [{data, timestamp_ms}]}`. The data of a chunk is an event's
//! data, or a line of the stream as it was sent: `data: {…}`, `event: …`. A request has the form of the provider's API,
//! and repeats the conversation before it.

use super::fragment::Fragment;
use super::items::ResponseItems;
use super::json::{JsonKind, JsonValue};
use super::messages::{message, parts_of, standing, unknown};
use super::prompt_history::PromptHistory;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, Message, MessagePart,
    MessageRole, RecordReader, anthropic_stream, chat_stream, gemini, responses_stream,
};
use crate::diagnostic::Code;
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "code-assistant-recording",
    title: "a recording of code-assistant",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Recording> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let first = if value.kind() == JsonKind::Array { value.items().next()? } else { value };
    let is_recording = first.get("chunks").is_some() && first.get("request").is_some();
    is_recording.then_some(Claim::Sure("it is an array of requests with chunks"))
}

/// Streams that may be recorded; the first one reads events that none of them claims.
const STREAMS: [&ContainerInfo; 4] =
    [&anthropic_stream::ABOUT, &responses_stream::ABOUT, &chat_stream::ABOUT, &gemini::stream::ABOUT];

#[derive(Default)]
struct Recording {
    repeated: PromptHistory,
}

/// The answer to a request; its first event decides which stream reads it.
#[derive(Default)]
struct Answer {
    stream: Option<Box<dyn RecordReader>>,
}

impl Answer {
    fn begin(&mut self, event: Option<JsonValue<'_>>) {
        let is_own = |about: &&ContainerInfo| event.is_some_and(|event| about.claim(&FileHead::Event(event)).is_some());
        let about = STREAMS.into_iter().find(is_own).unwrap_or(STREAMS[0]);
        if let FormatReader::Records(stream) = about.open() {
            self.stream = Some(stream);
        }
    }

    /// Takes the data of a chunk: an event, or lines of the stream with an event in them.
    fn data(&mut self, data: &Fragment, out: &mut TextWriter) {
        if data.index().is_some() {
            return self.event(data, out);
        }
        let mut start = 0;
        for line in data.bytes.split_inclusive(|&byte| byte == b'\n') {
            let said = line.trim_ascii_end();
            let words = said.strip_prefix(b"data:").unwrap_or(said).trim_ascii_start();
            let is_other = [&b"event:"[..], b"id:", b"retry:", b":"].iter().any(|field| said.starts_with(field));
            if !said.is_empty() && !is_other {
                let end = start + said.len();
                self.event(&data.slice(Span::new(end - words.len(), end)), out);
            }
            start += line.len();
        }
    }

    /// Shows something other than a chunk, which must not end an open part.
    fn without_data(&mut self, chunk: JsonValue<'_>, out: &mut TextWriter) {
        match &mut self.stream {
            Some(stream) => {
                out.problem(Code::UnknownRecord, chunk.source(), "chunk without data; shown raw");
                stream.between_records(MessagePart::Envelope("record".into()), &standing(chunk), out);
            }
            None => unknown(chunk, out),
        }
    }

    fn event(&mut self, data: &Fragment, out: &mut TextWriter) {
        let index = data.index();
        let event = index.as_ref().and_then(|index| data.root(index));
        if self.stream.is_none() {
            self.begin(event);
        }
        let Some(stream) = &mut self.stream else { return };
        match event {
            Some(value) => stream.record(&JsonRecord { value, member: None, part: None }, out),
            None if data.bytes == b"[DONE]" => stream.done(out),
            None => {
                let source = data.map.source_of(Span::new(0, data.map.len()));
                out.problem(Code::BrokenRecord, source, "not a stream event; shown raw");
                stream.between_records(MessagePart::Envelope("data".into()), data, out);
            }
        }
    }
}

/// A request is a separate conversation, since it repeats the messages before it. Its first message has the time
/// `time` at which it was sent.
fn take_request(
    request: JsonValue<'_>,
    mut time: Option<Box<str>>,
    repeated: &mut PromptHistory,
    out: &mut TextWriter,
) {
    if let (Some(_), FormatReader::Records(mut reader)) = (request.get("contents"), gemini::ABOUT.open()) {
        reader.record(&JsonRecord { value: request, member: None, part: None }, out);
        return reader.finish(request.source().end, out);
    }
    out.conversation(None);
    let words = request.first_filled(&["system", "instructions"]);
    if let Some(words) = words {
        out.message(Message { time: time.take(), ..Message::from_role(MessageRole::System) });
        parts_of(words, Some(MessageRole::System), out);
    }
    repeated.begin();
    let messages = request.get("messages");
    for item in messages.into_iter().flat_map(|messages| messages.items()) {
        message(item, Message { time: time.take(), origin: repeated.origin(item), ..Message::default() }, out);
    }
    let input = request.get("input");
    let mut items = ResponseItems::default();
    for item in input.into_iter().flat_map(|input| input.items()) {
        let origin = repeated.origin(item);
        items.take(item, &Message { time: time.take(), origin, ..Message::default() }, out);
    }
    if words.or(messages).or(input).is_none() {
        unknown(request, out);
    }
}

impl RecordReader for Recording {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        let (request, chunks) = (value.get("request"), value.get("chunks"));
        if request.or(chunks).is_none() {
            return unknown(value, out);
        }
        match request {
            Some(request) => take_request(request, value.words_of("timestamp"), &mut self.repeated, out),
            None => out.conversation(None),
        }
        let mut answer = Answer::default();
        for chunk in chunks.into_iter().flat_map(|chunks| chunks.items()) {
            let Some(data) = chunk.get("data") else {
                answer.without_data(chunk, out);
                continue;
            };
            out.record(data.source());
            answer.data(&Fragment::from_value(data), out);
        }
        if let Some(mut stream) = answer.stream {
            stream.finish(value.source().end, out);
        }
    }
}
