//! JSON calls in `<tool_call>` tags, as Hermes, Qwen and their relatives write them.
//!
//! ```text
//! text   = prose { block prose }
//! block  = "<tool_call>" blanks value blanks "</tool_call>"
//! value  = call | "[" call { "," call } "]"
//! call   = {"name": …, "arguments": {…}}
//! ```
//!
//! A block is one only if a brace or a bracket follows the tag; other things in such tags belong to other dialects. An
//! end tag inside of a JSON string is part of the string here, though many runtimes end the call at it. This module
//! does not know how JSON is read.

mod parser;

use serde_json::Value;

use super::native::dissect::{Wanted, check, dissect};
use super::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, MarkdownContext, Numbering, OpenPart, ParseEvent,
    Probe, ProbePoint, Start, Terminator, Triggers,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::params::schema::Coercion;
use crate::params::{Assembly, Findings};
use crate::text::{Span, Text};

const START: &str = "<tool_call>";

const END: &str = "</tool_call>";

/// What is known of it beside its grammar.
pub static ABOUT: DialectInfo = DialectInfo {
    name: "hermes",
    title: "JSON in tool_call tags",
    recognised_by: "<tool_call> anywhere, followed by a JSON object or array",
    example: "<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"notes.md\", \"tags\": [\"draft\"]}}\n</tool_call>\n",
    id_prefix: "tool_call_",
    escapes: true,
    numbering: Numbering::Nameless,
    key_term: "key",
    next_ends: false,
    start: Start::Anywhere,
    signs: &["<tool_call>"],
    family: &["function"],
    body_like: Some("native"),
    typing: Coercion::Typed,
    coercion: None,
    new: |_| Box::<Hermes>::default(),
};

/// Finds JSON in tags, with what it remembers of a tag whose JSON is still arriving.
#[derive(Clone, Default)]
pub struct Hermes {
    /// A call at this place whose name is not known yet.
    pending: Option<(usize, parser::HermesParser)>,
    /// A tag, and how far behind it nothing but white space is known.
    value: Option<(usize, usize)>,
}

impl Dialect for Hermes {
    fn about(&self) -> &'static DialectInfo {
        &ABOUT
    }

    fn triggers(&self) -> Triggers {
        Triggers { anywhere: vec![START.into()], lines: vec![b'<', b'&'], ..Triggers::default() }
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let ahead = place.text.since(place.at);
        let mut block = match self.pending.take() {
            Some((at, block)) if at == place.at => block,
            _ => {
                if !ahead.starts_with(START.as_bytes()) {
                    let partial = !place.finished && START.as_bytes().starts_with(ahead);
                    return if partial { Probe::Wait(ahead.len()) } else { Probe::Nothing };
                }
                let known = self.value.filter(|(at, _)| *at == place.at).map_or(START.len(), |(_, value)| value);
                let value = known + blanks(&ahead[known..]);
                self.value = Some((place.at, value));
                match object_or_list(&ahead[value..]) {
                    Some(true) => parser::HermesParser::new(place.at, place.at + value),
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
            let marker = Span::new(place.at, place.at + START.len());
            let placement = place.placement_problem(marker, "a start tag");
            out.extend(placement.filter(|problem| problem.code != Code::MarkerMidLine).map(ParseEvent::of_call));
            return Probe::Open(Box::new(block));
        }
        Probe::Nothing
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        let Some(rest) = ahead.strip_prefix(START.as_bytes()) else {
            return Expected::marker(&self.triggers(), ahead);
        };
        let value = rest.trim_ascii_start();
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
        if let Some(found) = near_miss(rest) {
            let span = Span::new(at + indent, at + indent + found.len());
            let found = String::from_utf8_lossy(found).into_owned();
            let message = format!("almost the start tag {START}: it is prose");
            let diagnostic =
                Diagnostic::new(Code::NearMissMarker, span, message).contrast(START, found).replace_with(START);
            out.push(ParseEvent::of_prose(diagnostic.hint_if(markdown.in_fence())));
        }
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        dissect(text, parts, Wanted::Arguments)
    }

    fn check(&mut self, text: &Text, parts: CallParts<'_>) -> Findings {
        check(text, parts, Wanted::Arguments)
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        let (name, arguments) = (Value::from(call.name), call.parameters);
        format!("{START}\n{{\"name\": {name}, \"arguments\": {arguments}}}\n{END}\n")
    }

    fn closer(&self, _marker: &str) -> Closer {
        Closer::Json(Some(END))
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

/// A start tag in front of JSON that is not quite one: another case, escaped for HTML, with a space in it.
fn near_miss(line: &[u8]) -> Option<&[u8]> {
    let name = [&b"<"[..], b"&lt;", b"< "].iter().filter(|opening| line.starts_with(opening)).map(|o| o.len()).max()?;
    let rest = &line[name..];
    let word = b"tool_call";
    if rest.len() < word.len() || !rest[..word.len()].eq_ignore_ascii_case(word) {
        return None;
    }
    let tail = &rest[word.len()..];
    let closing = [&b">"[..], b"&gt;", b" >"].iter().find(|closing| tail.starts_with(closing)).map(|c| c.len())?;
    let length = name + word.len() + closing;
    let exact = line.starts_with(START.as_bytes());
    let json = matches!(line[length..].trim_ascii_start().first(), None | Some(b'{' | b'['));
    (!exact && json).then(|| &line[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_are_almost_right_are_told_from_others() {
        for line in ["<TOOL_CALL>", "&lt;tool_call&gt;", "< tool_call>{", "<Tool_Call>{\"name\""] {
            assert!(near_miss(line.as_bytes()).is_some(), "{line}");
        }
        for line in ["<tool_call>", "<tool_calls>", "<tool_call_id>", "tool_call>", "<TOOL_CALL>weather", ""] {
            assert!(near_miss(line.as_bytes()).is_none(), "{line}");
        }
    }
}
