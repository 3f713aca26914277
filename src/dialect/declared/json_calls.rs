//! Calls that are JSON between markers: name and arguments are members of an object.
//!
//! ```text
//! text   = prose { block prose }
//! block  = OPEN blanks value { separator value } blanks CLOSE
//! value  = call | "[" call { "," call } "]"
//! call   = {"name": …, "arguments": {…}} | {NAME: {…}}
//! ```
//!
//! A block is one only if a brace or a bracket follows the marker; other things behind it belong to other dialects. A
//! closing marker inside of a JSON string is part of the string here, though many runtimes end the call at it. This module
//! does not know how JSON is read.

mod parser;

use std::sync::Arc;

use serde_json::Value;

use super::block_markers::BlockMarkers;
use super::marker::{Marker, Read, Slot};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::native::dissect::{ArgumentsKey, Wanted, check, dissect};
use crate::dialect::native::walk::{CallWalker, Enclosure};
use crate::dialect::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, MarkdownContext, OpenPart, ParseEvent, Probe,
    ProbePoint, Terminator, Triggers,
};
use crate::params::{Assembly, Findings};
use crate::text::{Span, Text};

/// The markers of such calls, and how their members are named.
#[derive(Debug)]
pub(super) struct JsonCalls {
    pub(super) about: &'static DialectInfo,
    pub(super) markers: BlockMarkers,
    /// The key of the name that is written.
    pub(super) name_key: Arc<str>,
    pub(super) key: ArgumentsKey,
    /// Whether calls are written in a list.
    pub(super) is_list: bool,
    /// What may stand between two values.
    pub(super) separator: Vec<String>,
}

impl JsonCalls {
    fn end_bytes(&self) -> Arc<[u8]> {
        self.markers.end.as_bytes().into()
    }

    fn walker(&self, at: usize) -> CallWalker {
        let is_name = self.key == ArgumentsKey::NameIsKey;
        let walker = CallWalker::new(at, if is_name { Enclosure::NamedByKey } else { Enclosure::Around });
        walker.with_name_key(&self.name_key)
    }

    /// The length of what parts two values, if that stands here.
    fn separator(&self, rest: &[u8]) -> Option<usize> {
        self.separator.iter().find(|separator| rest.starts_with(separator.as_bytes())).map(String::len)
    }
}

/// Finds JSON behind markers, with what it remembers of a marker whose JSON is still arriving.
#[derive(Clone)]
pub(super) struct JsonCallsDialect {
    shape: Arc<JsonCalls>,
    /// A call at this place whose name is not known yet.
    pending: Option<(usize, parser::JsonCallsParser)>,
    /// A marker, its end, and how far behind it nothing but white space is known.
    value: Option<(usize, Span, usize)>,
}

impl JsonCallsDialect {
    pub(super) fn new(shape: Arc<JsonCalls>) -> Self {
        Self { shape, pending: None, value: None }
    }
}

impl Dialect for JsonCallsDialect {
    fn about(&self) -> &'static DialectInfo {
        self.shape.about
    }

    fn triggers(&self) -> Triggers {
        Triggers { anywhere: self.shape.markers.leads(), lines: vec![b'<', b'&'], ..Triggers::default() }
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        if self.shape.markers.at_line && !place.is_line_start() {
            return Probe::Nothing;
        }
        let ahead = place.text.since(place.at);
        let mut block = match self.pending.take() {
            Some((at, block)) if at == place.at => block,
            _ => {
                let (marker, known) = match self.value.filter(|(at, ..)| *at == place.at) {
                    Some((_, marker, known)) => (marker, known),
                    None => match self.shape.markers.opening(ahead, place.at, place.finished) {
                        Read::Partial => return Probe::Wait(ahead.len()),
                        Read::None => return Probe::Nothing,
                        Read::Match(found) => {
                            let end = if self.shape.markers.is_open_value { place.at } else { found.end };
                            (Span::new(place.at, end), end - place.at)
                        }
                    },
                };
                let value = known + blanks(&ahead[known..]);
                self.value = Some((place.at, marker, value));
                match object_or_list(&ahead[value..]) {
                    Some(true) => parser::JsonCallsParser::new(Arc::clone(&self.shape), marker, place.at + value),
                    None if !place.finished => return Probe::Wait(ahead.len()),
                    _ => return Probe::Nothing,
                }
            }
        };
        let mut events = Vec::new();
        if block.first(place.text, place.finished, &mut events).is_none() {
            self.pending = Some((place.at, block));
            return Probe::Wait(ahead.len());
        }
        out.append(&mut events);
        if block.found {
            let placement = place.placement_problem(block.tag, "a start tag");
            out.extend(placement.filter(|problem| problem.code != Code::MarkerMidLine).map(ParseEvent::of_call));
            return Probe::Open(Box::new(block));
        }
        Probe::Nothing
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        let Read::Match(found) = self.shape.markers.opening(ahead, 0, false) else {
            return Expected::marker(&self.triggers(), ahead).or_else(|| {
                let is_begun = self.shape.markers.open.iter().any(|open| ahead.starts_with(open.lead()));
                is_begun.then(|| Expected::texts(OpenPart::Header, ["{", "["]))
            });
        };
        let value = if self.shape.markers.is_open_value { ahead } else { ahead[found.end..].trim_ascii_start() };
        match object_or_list(value) {
            Some(true) => Some(Expected::one(OpenPart::Header, Terminator::Words("its name"))),
            Some(false) => None,
            None if value.is_empty() => Some(Expected::texts(OpenPart::Header, ["{", "["])),
            None => Some(Expected::texts(OpenPart::Header, ["{"])),
        }
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let rest = &line[indent..];
        for marker in &self.shape.markers.open {
            let Some(found) = near_miss(marker, rest) else { continue };
            let span = Span::new(at + indent, at + indent + found.len());
            let found = String::from_utf8_lossy(found).into_owned();
            let start = marker.write(|_| None);
            let start = start.trim_end();
            let message = format!("almost the start tag {start}: it is prose");
            let diagnostic =
                Diagnostic::new(Code::NearMissMarker, span, message).contrast(start, found).replace_with(start);
            out.push(ParseEvent::of_prose(diagnostic.hint_if(markdown.in_fence())));
            return;
        }
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        dissect(text, parts, Wanted::Under(self.shape.key, &self.shape.name_key))
    }

    fn check(&mut self, text: &Text, parts: CallParts<'_>) -> Findings {
        check(text, parts, Wanted::Under(self.shape.key, &self.shape.name_key))
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        let shape = &self.shape;
        let (name, arguments) = (Value::from(call.name), call.parameters);
        let value = match shape.key {
            ArgumentsKey::NameIsKey => format!("{{{name}: {arguments}}}"),
            key => format!("{{\"{}\": {name}, \"{}\": {arguments}}}", shape.name_key, key.word()),
        };
        let value = if shape.is_list { format!("[{value}]") } else { value };
        if shape.markers.is_open_value {
            return format!("{value}{}\n", shape.markers.end);
        }
        let open = shape
            .markers
            .open
            .first()
            .map(|open| open.write(|slot| (slot == Slot::Name).then(|| call.name.to_owned())));
        let open = open.unwrap_or_default();
        let (before, after) =
            if open.starts_with('<') && shape.markers.is_close_required() { ("\n", "\n") } else { ("", "") };
        let before = if open.ends_with(char::is_whitespace) { "" } else { before };
        format!("{open}{before}{value}{after}{}\n", shape.markers.end)
    }

    fn closer(&self, _marker: &str) -> Closer {
        Closer::Json((!self.shape.markers.close.is_empty()).then(|| self.shape.markers.end.clone()))
    }
}

/// Number of bytes of white space at the beginning.
fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Whether an object or an array of objects begins here; `None` when that cannot be said yet.
fn object_or_list(bytes: &[u8]) -> Option<bool> {
    match bytes.first()? {
        b'{' => Some(true),
        b'[' => bytes.get(1 + blanks(&bytes[1..])).map(|&byte| byte == b'{'),
        _ => Some(false),
    }
}

/// A marker in front of JSON that is not quite one: another case, escaped for HTML, with a space in it.
fn near_miss<'a>(marker: &Marker, line: &'a [u8]) -> Option<&'a [u8]> {
    let lead = marker.lead();
    let word = lead.strip_suffix(b">")?.strip_prefix(b"<")?;
    let name = [&b"<"[..], b"&lt;", b"< "].iter().filter(|opening| line.starts_with(opening)).map(|o| o.len()).max()?;
    let rest = &line[name..];
    if word.is_empty() || rest.len() < word.len() || !rest[..word.len()].eq_ignore_ascii_case(word) {
        return None;
    }
    let tail = &rest[word.len()..];
    let closing = [&b">"[..], b"&gt;", b" >"].iter().find(|closing| tail.starts_with(closing)).map(|c| c.len())?;
    let length = name + word.len() + closing;
    let exact = line.starts_with(lead);
    let json = matches!(line[length..].trim_ascii_start().first(), None | Some(b'{' | b'['));
    (!exact && json).then(|| &line[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_are_almost_right_are_told_from_others() {
        let marker = Marker::parse("<tool_call>").expect("a template");
        for line in ["<TOOL_CALL>", "&lt;tool_call&gt;", "< tool_call>{", "<Tool_Call>{\"name\""] {
            assert!(near_miss(&marker, line.as_bytes()).is_some(), "{line}");
        }
        for line in ["<tool_call>", "<tool_calls>", "<tool_call_id>", "tool_call>", "<TOOL_CALL>weather", ""] {
            assert!(near_miss(&marker, line.as_bytes()).is_none(), "{line}");
        }
    }
}
