//! Calls that are JSON objects, in the shapes that providers record and models write into text.
//!
//! ```text
//! text  = prose, with values that begin as the first thing of a line
//! value = a call, or an array or object with calls in it
//! call  = {"type": "tool_use", "id": …, "name": …, "input": {…}}
//!       | {"id": …, "type": "function", "function": {"name": …, "arguments": "{…}"}}
//!       | {"type": "function_call", "call_id": …, "name": …, "arguments": "{…}"}
//!       | {"functionCall": {"name": …, "args": {…}}}
//!       | {"type": "tool-NAME", "toolCallId": …, "state": …, "input": {…}, "output": …}
//!       | {"name": …, "arguments" | "parameters" | "input": {…}}
//! ```
//!
//! Other objects, including results, are prose. JSON must be strict to be recognised; once it surely contains a call,
//! errors with an obvious correction are tolerated. Calls in a file's own records are only dissected here, not
//! searched for.

pub(super) mod dissect;
pub(super) mod parser;
pub(super) mod recovery;
pub(super) mod shape;
pub(super) mod walk;

use std::hash::Hasher;

use serde_json::Value;

use super::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, MarkdownContext, Numbering, OpenPart, ParseEvent,
    Probe, ProbePoint, Start, Terminator, Triggers,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Span, Text};
use crate::value::json::machine::{FaultKind, JsonEvent, JsonParser};
use crate::value::schema::Coercion;
use crate::value::{Assembly, Findings};
use dissect::{Wanted, check, dissect};
use parser::{NativeParser, announce};
use walk::{CallWalker, Enclosure, WalkEvent};

/// Facts about the dialect other than its grammar.
pub static ABOUT: DialectInfo = DialectInfo {
    name: "native",
    title: "JSON calls",
    recognised_by: "a JSON object or array at the beginning of a line that holds a call: tool_use, tool_calls, functionCall, a tool part, or name with arguments",
    example: "{\"type\": \"tool_use\", \"id\": \"toolu_1\", \"name\": \"write_file\", \"input\": {\"path\": \"notes.md\", \"tags\": [\"draft\"]}}\n",
    id_prefix: "call_",
    escapes: true,
    numbering: Numbering::Nameless,
    key_term: "key",
    next_ends: false,
    start: Start::Line,
    signs: &["\"tool_calls\":", "\"type\":\"tool_use\"", "\"type\": \"tool_use\""],
    family: &[],
    body_like: None,
    typing: Coercion::Typed,
    coercion: None,
};

/// Finds JSON calls; keeps state about a value that is still arriving.
#[derive(Clone, Default)]
pub struct Native {
    /// The walker of the current value, with the offset at which the dialect was probed.
    pending: Option<(usize, CallWalker)>,
    /// The last probed offset, and the length of the indentation known to follow it.
    indent: Option<(usize, usize)>,
    /// Offset up to which there are no further calls.
    no_call_before: usize,
}

/// True if the JSON text of a call ends before its value is complete.
pub fn is_cut_off(call: &[u8]) -> bool {
    let mut machine = JsonParser::at(0);
    let mut events = std::iter::from_fn(|| machine.next(call, true));
    events.any(|event| matches!(event, JsonEvent::Fault(fault) if fault.kind == FaultKind::Truncated))
}

impl Dialect for Native {
    fn info(&self) -> &'static DialectInfo {
        &ABOUT
    }

    fn triggers(&self) -> Triggers {
        Triggers { line_start: b"{[".to_vec(), ..Triggers::default() }
    }

    fn begin_message(&mut self) {
        *self = Self::default();
    }

    fn hash_state(&self, _text: &Text, at: usize, memory: &mut dyn Hasher) {
        memory.write_usize(self.no_call_before.saturating_sub(at));
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        if !place.is_line_start() {
            return Probe::Nothing;
        }
        let mut walker = match self.pending.take() {
            Some((at, walker)) if at == place.at => walker,
            _ => {
                let ahead = place.text.since(place.at);
                let known = self.indent.filter(|(at, _)| *at == place.at).map_or(0, |(_, indent)| indent);
                let indent = known + ahead[known..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                self.indent = Some((place.at, indent));
                match ahead.get(indent) {
                    Some(b'{' | b'[') if place.at + indent >= self.no_call_before => {
                        CallWalker::new(place.at + indent, Enclosure::None)
                    }
                    None if !place.finished => return Probe::Wait(ahead.len()),
                    _ => return Probe::Nothing,
                }
            }
        };
        let base = walker.base;
        match walker.next(place.text.since(base), place.finished) {
            None if place.finished => Probe::Nothing,
            None => {
                self.pending = Some((place.at, walker));
                Probe::Wait(place.text.len() - place.at)
            }
            Some(WalkEvent::Call { start, call, leading }) => {
                let from = if leading { base } else { start };
                if place.at < from {
                    out.push(ParseEvent::Text(Span::new(place.at, from)));
                }
                let fenced = place.markdown.in_fence();
                announce(from, start, call, fenced, None, out);
                Probe::Open(Box::new(NativeParser::new(walker, fenced)))
            }
            Some(WalkEvent::Broken(end) | WalkEvent::Done(end) | WalkEvent::End(end)) => {
                self.no_call_before = end;
                Probe::Nothing
            }
            Some(WalkEvent::Fault(fault)) => {
                self.no_call_before = base + fault.end;
                Probe::Nothing
            }
            Some(WalkEvent::Truncated) => {
                if let Some(span) = walker.nameless() {
                    let message = "the text ends before the name of the call: not a call";
                    let diagnostic = Diagnostic::new(Code::HeaderWithoutNewline, span, message)
                        .contrast("the name of the tool", "the end of the text")
                        .help("the text was cut off here");
                    out.push(ParseEvent::of_prose(diagnostic));
                    self.no_call_before = place.text.len();
                    return Probe::Prose(place.text.len() - place.at);
                }
                self.no_call_before = place.text.len();
                Probe::Nothing
            }
            Some(WalkEvent::Nothing(end)) => {
                self.no_call_before = walker.next_try().unwrap_or(end);
                Probe::Nothing
            }
        }
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        match ahead.trim_ascii_start().first() {
            None => Some(Expected::texts(OpenPart::Marker, ["{", "["])),
            Some(b'{' | b'[') => Some(Expected::one(
                OpenPart::Header,
                Terminator::Words("its name, and whatever tells that it is a call"),
            )),
            Some(_) => None,
        }
    }

    fn prose_line(&mut self, _line: &[u8], _at: usize, _markdown: &MarkdownContext, _out: &mut Vec<ParseEvent>) {}

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        dissect(text, parts, Wanted::ByShape)
    }

    fn check(&mut self, text: &Text, parts: CallParts<'_>) -> Findings {
        check(text, parts, Wanted::ByShape)
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        let (name, input) = (Value::from(call.name), call.parameters);
        let id = call.id.map(|id| format!("\"id\": {}, ", Value::from(id))).unwrap_or_default();
        format!("{{\"type\": \"tool_use\", {id}\"name\": {name}, \"input\": {input}}}\n")
    }

    fn closer(&self, _marker: &str) -> Closer {
        Closer::Json(None)
    }
}
