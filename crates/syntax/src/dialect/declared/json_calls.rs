//! Calls that are JSON between markers: name and arguments are members of an object.
//!
//! ```text
//! text   = prose { block prose }
//! block  = OPEN space value { separator value } space CLOSE
//! value  = call | "[" call { "," call } "]"
//! call   = {"name": …, "arguments": {…}} | {NAME: {…}}
//! ```
//!
//! With `id_key`, a call without an id is announced at the end of its object, since an id may follow the arguments.
//!
//! A marker opens a block only if a brace or a bracket follows it; other text after it belongs to other dialects. A
//! closing marker inside of a JSON string is part of the string here, although many runtimes end the call there.

mod parser;

use std::sync::Arc;

use serde_json::Value;

use super::block_markers::BlockMarkers;
use super::marker::{MatchResult, Slot};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::native::dissect::{ArgumentsKey, Wanted, check, dissect};
use crate::dialect::native::walk::{CallWalker, Enclosure};
use crate::dialect::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, MarkdownContext, OpenPart, ParseEvent, Probe,
    ProbePoint, Terminator, Triggers,
};
use crate::text::{Span, Text};
use crate::value::{Assembly, Findings};

/// The markers of such calls, and the keys of their members.
#[derive(Debug)]
pub(super) struct JsonCalls {
    pub(super) about: &'static DialectInfo,
    pub(super) markers: BlockMarkers,
    /// The key used for writing the name.
    pub(super) name_key: Arc<str>,
    /// The key of the id, if calls are written with one. It may follow the arguments.
    pub(super) id_key: Option<Arc<str>>,
    pub(super) key: ArgumentsKey,
    /// True if calls are written in a list.
    pub(super) is_list: bool,
    /// True if `NAME.call(…)` after the marker calls a built-in tool; this is reported and not read.
    pub(super) has_built_in: bool,
    /// Accepted separators between two values.
    pub(super) separator: Vec<String>,
}

impl JsonCalls {
    fn end_bytes(&self) -> Arc<[u8]> {
        self.markers.end.as_bytes().into()
    }

    fn walker(&self, at: usize) -> CallWalker {
        let is_name = self.key == ArgumentsKey::NameIsKey;
        let enclosure = match (is_name, self.markers.is_open_value) {
            (true, _) => Enclosure::NamedByKey,
            (false, true) => Enclosure::None,
            (false, false) => Enclosure::Around,
        };
        CallWalker::new(at, enclosure).with_keys(&self.name_key, self.id_key.as_ref())
    }

    /// A problem for each end marker within the JSON of a call.
    fn end_tags_within(&self, text: &Text, body: Span) -> impl Iterator<Item = Diagnostic> {
        let closer = &*self.markers.end;
        // The end marker may be empty.
        let first = closer.chars().next();
        first.into_iter().flat_map(move |first| {
            let escaped = format!("\\u{:04x}{}", u32::from(first), &closer[first.len_utf8()..]);
            text.find_all(closer.as_bytes(), body).map(move |span| {
                let message = format!("{closer} inside of the JSON ends the call for a runtime that searches for it");
                let problem = Diagnostic::new(Code::EndTagInString, span, message);
                problem.contrast(&*escaped, closer).replace_with(&*escaped)
            })
        })
    }

    /// The length of a separator at the beginning of `rest`, if any.
    fn separator(&self, rest: &[u8]) -> Option<usize> {
        self.separator.iter().find(|separator| rest.starts_with(separator.as_bytes())).map(String::len)
    }
}

/// Finds JSON after markers; keeps state about a marker whose JSON is still arriving.
#[derive(Clone)]
pub(super) struct JsonCallsDialect {
    shape: Arc<JsonCalls>,
    /// A call whose name is not known yet, with the offset at which it was probed.
    pending: Option<(usize, parser::JsonCallsParser)>,
    /// A probed offset, the marker there, and the length of the marker with the whitespace known to follow it.
    value: Option<(usize, Span, usize)>,
}

impl JsonCallsDialect {
    pub(super) fn new(shape: Arc<JsonCalls>) -> Self {
        Self { shape, pending: None, value: None }
    }
}

impl Dialect for JsonCallsDialect {
    fn info(&self) -> &'static DialectInfo {
        self.shape.about
    }

    fn triggers(&self) -> Triggers {
        Triggers { anywhere: self.shape.markers.leads(), lines: vec![b'<', b'&'], ..Triggers::default() }
    }

    fn begin_message(&mut self) {
        (self.pending, self.value) = (None, None);
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
                        MatchResult::Partial => return Probe::Wait(ahead.len()),
                        MatchResult::None => return Probe::Nothing,
                        MatchResult::Match(found) => {
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
                    _ if self.shape.has_built_in => return report_built_in(ahead, value, &place, out),
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
        let MatchResult::Match(found) = self.shape.markers.opening(ahead, 0, false) else {
            return Expected::marker(&self.triggers(), ahead).or_else(|| {
                let is_begun = self.shape.markers.open.iter().any(|open| ahead.starts_with(open.lead()));
                is_begun.then(|| Expected::texts(OpenPart::Header, ["{", "["]))
            });
        };
        let value = if self.shape.markers.is_open_value { ahead } else { ahead[found.end..].trim_ascii_start() };
        match object_or_list(value) {
            Some(true) => Some(Expected::one(OpenPart::Header, Terminator::Words("its name"))),
            Some(false) if !self.shape.has_built_in => None,
            Some(false) => built_in(value).map(|_| Expected::texts(OpenPart::Header, [".call("])),
            None if value.is_empty() => Some(Expected::texts(OpenPart::Header, ["{", "["])),
            None => Some(Expected::texts(OpenPart::Header, ["{"])),
        }
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let is_json = |rest: &[u8]| matches!(rest.first(), None | Some(b'{' | b'['));
        let near = self.shape.markers.near_miss(line, at, is_json);
        out.extend(near.map(|problem| ParseEvent::of_prose(problem.hint_if(markdown.in_fence()))));
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        let mut assembly = dissect(text, parts, Wanted::Under(self.shape.key, &self.shape.name_key));
        assembly.problems.extend(self.shape.end_tags_within(text, parts.body));
        assembly
    }

    fn check(&mut self, text: &Text, parts: CallParts<'_>) -> Findings {
        let mut findings = check(text, parts, Wanted::Under(self.shape.key, &self.shape.name_key));
        findings.problems.extend(self.shape.end_tags_within(text, parts.body));
        findings
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        let shape = &self.shape;
        let (name, arguments) = (Value::from(call.name), call.parameters);
        let value = match shape.key {
            ArgumentsKey::NameIsKey => format!("{{{name}: {arguments}}}"),
            key => {
                let id = shape.id_key.as_ref().zip(call.id);
                let id = id.map(|(key, id)| format!("\"{key}\": {}, ", Value::from(id))).unwrap_or_default();
                format!("{{{id}\"{}\": {name}, \"{}\": {arguments}}}", shape.name_key, key.word())
            }
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
        let (before, after) = if (open.starts_with('<') || open.contains("```")) && shape.markers.is_close_required() {
            ("\n", "\n")
        } else {
            ("", "")
        };
        let before = if open.ends_with(char::is_whitespace) { "" } else { before };
        format!("{open}{before}{value}{after}{}\n", shape.markers.end)
    }

    fn closer(&self, _marker: &str) -> Closer {
        Closer::Json((!self.shape.markers.close.is_empty()).then(|| self.shape.markers.end.clone()))
    }
}

/// The text between the name of a built-in tool and its arguments.
const BUILT_IN: &[u8] = b".call(";

/// Matches `NAME.call(…)`, the call of a built-in tool without JSON: the length of its beginning, and whether that has
/// arrived completely.
fn built_in(rest: &[u8]) -> Option<(usize, bool)> {
    /// Maximum length of a name in bytes.
    const NAME: usize = 64;
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let name = rest.iter().take(NAME + 1).take_while(is_of_name).count();
    let behind = &rest[name..];
    let is_whole = behind.starts_with(BUILT_IN);
    let may_be = (1..=NAME).contains(&name) && (is_whole || BUILT_IN.starts_with(behind));
    may_be.then_some((name + BUILT_IN.len(), is_whole))
}

/// Reports the call of a built-in tool `value` bytes after the beginning of its marker, at which `ahead` begins.
fn report_built_in(ahead: &[u8], value: usize, place: &ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
    match built_in(&ahead[value..]) {
        Some((length, true)) => {
            let start = place.at + value;
            let message = "this looks like a call of a built-in tool, which has no JSON and is not read here";
            let help = "llama.cpp and Llama Stack read it where the prompt has named built-in tools";
            let problem = Diagnostic::new(Code::CallNotRead, Span::new(start, start + length), message);
            out.push(ParseEvent::of_prose(problem.help(help)));
            Probe::Prose(value + length)
        }
        Some((_, false)) if !place.finished => Probe::Wait(ahead.len()),
        _ => Probe::Nothing,
    }
}

/// Number of whitespace bytes at the beginning.
fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// True if an object or an array of objects begins here; `None` while undecided.
fn object_or_list(bytes: &[u8]) -> Option<bool> {
    match bytes.first()? {
        b'{' => Some(true),
        b'[' => bytes.get(1 + blanks(&bytes[1..])).map(|&byte| byte == b'{'),
        _ => Some(false),
    }
}
