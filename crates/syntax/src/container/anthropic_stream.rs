//! Streams of the Anthropic messages API: server-sent events, or their data as one JSON value a line.
//!
//! ```text
//! stream = message_start (content_block_start content_block_delta* content_block_stop)* message_delta message_stop
//! delta  = text_delta | thinking_delta | input_json_delta | signature_delta | citations_delta
//! ```
//!
//! `ping` and `error` may come anywhere. `message_start` counts only the first tokens; `message_delta` counts all
//! until then, and replaces those counts. The input of a call is the concatenation of its deltas, or the input in its
//! block if there are none.

use std::collections::BTreeMap;

use super::answer::AnthropicAnswer;
use super::call::CallText;
use super::fragment::Fragment;
use super::json::JsonValue;
use super::messages::{described, part, parts_of, refusal, standing};
use super::parts::OpenParts;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader,
};
use crate::diagnostic::Code;
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "anthropic-stream",
    title: "a stream of Anthropic messages",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Dump> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let event = head.record()?;
    let kind = event.text_of("type")?;
    let fits = match kind.as_ref() {
        "message_start" => event.get("message").is_some(),
        "content_block_start" => event.get("content_block").is_some(),
        "content_block_delta" => event.get("delta").is_some() && event.get("index").is_some(),
        "ping" => matches!(head, FileHead::Event(_)) || event.items().count() == 1,
        _ => false,
    };
    fits.then_some(Claim::Sure("it has events that only streams of this interface have, such as message_start"))
}

/// The input of an open call.
#[derive(Clone, Debug)]
struct Call {
    /// The input in its block, until a delta arrives.
    given: Option<Fragment>,
    end: usize,
}

#[derive(Debug, Default)]
struct Stream {
    parts: OpenParts,
    /// Open calls by the keys of their parts.
    calls: BTreeMap<String, Call>,
    open: bool,
    /// The request that the open message answers.
    answer: Option<AnthropicAnswer>,
}

impl Stream {
    fn event(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let key = event.number_of("index").unwrap_or_default().to_string();
        match event.text_of("type").unwrap_or_default().as_ref() {
            "message_start" => {
                self.end(event.source().start, out);
                self.open = true;
                let message = event.get("message").unwrap_or(event);
                out.message(described(message, Message::from_role(MessageRole::Assistant)));
                self.answer = Some(AnthropicAnswer::new(message));
                // A message whose calls come from code that ran at the provider arrives as a whole.
                if let Some(content) = message.get("content").filter(|content| !content.is_void()) {
                    parts_of(content, Some(MessageRole::Assistant), out);
                }
            }
            "content_block_start" => {
                self.begin(out);
                self.stop(&key, event.source().start, out);
                if let Some(block) = event.get("content_block") {
                    self.start(key, block, out);
                }
            }
            "content_block_delta" => self.delta(&key, event, out),
            "content_block_stop" => self.stop(&key, event.source().end, out),
            "message_stop" => {
                self.finish_calls(event.source().end, true, out);
                self.state_request(out);
                self.open = false;
            }
            "message_delta" => {
                if let Some(answer) = &mut self.answer {
                    answer.learn(event, event.path(&["delta", "stop_reason"]).and_then(JsonValue::scalar_text));
                }
                if let Some((name, details)) = event.get("delta").and_then(|delta| refusal(delta, out)) {
                    self.begin(out);
                    self.parts.show_raw(name, details, out);
                }
            }
            "ping" => {}
            "error" => self.parts.show_raw("error", event, out),
            kind => self.parts.unknown("event", kind, event, event, out),
        }
    }

    fn begin(&mut self, out: &mut TextWriter) {
        if !std::mem::replace(&mut self.open, true) {
            out.message(Message::from_role(MessageRole::Assistant));
        }
    }

    fn start(&mut self, key: String, block: JsonValue<'_>, out: &mut TextWriter) {
        let kind = block.text_of("type").unwrap_or_default();
        let text = |name: &str| block.get(name).map(Fragment::from_value).unwrap_or_default();
        match kind.as_ref() {
            "text" => {
                self.parts.open(&key, MessagePart::Text(Interpretation::Parsed), out);
                self.parts.write(&key, &text("text"), out);
            }
            "thinking" => {
                self.parts.open(&key, MessagePart::Reasoning, out);
                self.parts.write(&key, &text("thinking"), out);
            }
            "compaction" => self.parts.open(&key, MessagePart::Envelope("compaction".into()), out),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                let head = CallText::tool_use(block.source().start, block.get("id"), block.get("name"), "");
                self.parts.open_call(&key, &head, out);
                let given = Some(block.get("input").map(standing).unwrap_or_default());
                self.calls.insert(key, Call { given, end: block.source().end });
            }
            _ if !self.parts.any_open() => part(block, Some(MessageRole::Assistant), out),
            kind => self.parts.show_raw(kind, block, out),
        }
    }

    fn delta(&mut self, key: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        let Some(delta) = event.get("delta") else { return };
        let kind = delta.text_of("type").unwrap_or_default();
        let name = match kind.as_ref() {
            "text_delta" => "text",
            "thinking_delta" => "thinking",
            "compaction_delta" => "content",
            "input_json_delta" => "partial_json",
            "signature_delta" => return,
            "citations_delta" => return self.parts.show_raw("citation", delta.get("citation").unwrap_or(delta), out),
            kind => return self.parts.unknown("delta", kind, delta, event, out),
        };
        let Some(words) = delta.get(name).filter(|words| words.text().is_some()) else { return };
        let fragment = Fragment::from_value(words);
        if name == "partial_json"
            && let Some(call) = self.calls.get_mut(key)
        {
            call.end = words.source().end;
            if !fragment.is_empty() {
                call.given = None;
            }
        }
        self.parts.delta(key, &fragment, event, out);
    }

    /// Ends a part of the content.
    fn stop(&mut self, key: &str, at: usize, out: &mut TextWriter) {
        if let Some(call) = self.calls.remove(key) {
            self.close_call(key, call, at, out);
        }
        self.parts.close(key, out);
    }

    fn close_call(&mut self, key: &str, call: Call, at: usize, out: &mut TextWriter) {
        let mut rest = call.given.unwrap_or_default();
        rest.push_synthetic("}", at);
        self.parts.write(key, &rest, out);
    }

    /// Ends calls without an end event: they stay incomplete, unless the message itself is complete (`whole`).
    fn finish_calls(&mut self, at: usize, whole: bool, out: &mut TextWriter) {
        for (key, call) in std::mem::take(&mut self.calls) {
            if whole {
                self.close_call(&key, call, at, out);
            } else if let Some(given) = &call.given {
                self.parts.write(&key, given, out);
            }
        }
        self.parts.close_all(out);
    }

    /// States the tokens of the message.
    fn state_request(&mut self, out: &mut TextWriter) {
        if let Some(answer) = self.answer.take() {
            answer.write_facts(out);
        }
    }

    /// Ends the stream; `at` is an offset in the file.
    fn end(&mut self, at: usize, out: &mut TextWriter) {
        if std::mem::take(&mut self.open) {
            let message = "the stream ends before the message is complete";
            out.problem(Code::StreamCutOff, Span::at(at), message);
        }
        self.finish_calls(at, false, out);
        self.state_request(out);
    }
}

#[derive(Default)]
struct Dump {
    stream: Stream,
}

impl RecordReader for Dump {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let event = record.value;
        // Claude Code wraps the events once more.
        self.stream.event(event.get("event").unwrap_or(event), out);
    }

    fn between_records(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.stream.parts.whole(piece, fragment.clone(), out);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.stream.end(at, out);
    }
}
