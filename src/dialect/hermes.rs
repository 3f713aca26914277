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

mod block;

use super::native::dissect::{Wanted, check, dissect};
use super::surroundings::Setting;
use super::{About, Awaiting, Dialect, Event, Inside, Numbering, Parts, Place, Probe, Surroundings, Triggers, Until};
use crate::diagnostic::{Code, Diagnostic};
use crate::params::{Assembly, Findings};
use crate::text::{Span, Text};

/// What begins a call.
const START: &str = "<tool_call>";

/// What ends it.
const END: &str = "</tool_call>";

const ABOUT: About = About {
    name: "hermes",
    title: "JSON in tool_call tags",
    recognised_by: "<tool_call> anywhere, followed by a JSON object or array",
    example: "<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"notes.md\", \"tags\": [\"draft\"]}}\n</tool_call>\n",
    id_prefix: "tool_call_",
    numbering: Numbering::Nameless,
};

/// The dialect.
#[derive(Clone, Default)]
pub struct Hermes {
    /// A call at this place whose name is not known yet.
    pending: Option<(usize, block::HermesBlock)>,
    /// A tag, and how far behind it nothing but white space is known.
    value: Option<(usize, usize)>,
}

impl Dialect for Hermes {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn triggers(&self) -> Triggers {
        Triggers { anywhere: vec![START.into()], lines: vec![b'<', b'&'], ..Triggers::default() }
    }

    fn probe(&mut self, place: Place<'_>, out: &mut Vec<Event>) -> Probe {
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
                    Some(true) => block::HermesBlock::new(place.at, place.at + value),
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
        if block.is_open() {
            out.extend(setting_problem(place).map(Event::of_call));
            return Probe::Open(Box::new(block));
        }
        Probe::Nothing
    }

    fn awaits(&self, ahead: &[u8]) -> Option<Awaiting> {
        let Some(rest) = ahead.strip_prefix(START.as_bytes()) else {
            return Awaiting::marker(&self.triggers(), ahead);
        };
        let value = rest.trim_ascii_start();
        match object_or_list(value) {
            Some(true) => Some(Awaiting::one(Inside::Header, Until::Words("its name"))),
            Some(false) => None,
            None if value.is_empty() => Some(Awaiting::texts(Inside::Header, ["{", "["])),
            None => Some(Awaiting::texts(Inside::Header, ["{"])),
        }
    }

    fn prose_line(&mut self, line: &[u8], at: usize, surroundings: &Surroundings, out: &mut Vec<Event>) {
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let rest = &line[indent..];
        if let Some(found) = near_miss(rest) {
            let span = Span::new(at + indent, at + indent + found.len());
            let found = String::from_utf8_lossy(found).into_owned();
            let message = format!("almost the start tag {START}: it is prose");
            let mut diagnostic =
                Diagnostic::new(Code::NearMissMarker, span, message).contrast(START, found).replace_with(START);
            if surroundings.in_fence() {
                diagnostic.severity = crate::diagnostic::Severity::Hint;
            }
            out.push(Event::of_prose(diagnostic));
        }
    }

    fn rest_of_line(&mut self, _rest: &[u8], _at: usize, _out: &mut Vec<Event>) {}

    fn dissect(&self, text: &Text, parts: Parts<'_>) -> Assembly {
        dissect(text, parts, Wanted::Arguments)
    }

    fn check(&mut self, text: &Text, parts: Parts<'_>) -> Findings {
        check(text, parts, Wanted::Arguments)
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

/// The start tag where it is probably talked about.
fn setting_problem(place: Place<'_>) -> Option<Diagnostic> {
    let (code, what) = match place.surroundings.setting(place.text, place.at) {
        Setting::LineStart | Setting::MidLine => return None,
        Setting::Code => (Code::MarkerInCode, "inside code"),
        Setting::Quotation => (Code::MarkerInQuotation, "inside a quotation"),
    };
    let span = Span::new(place.at, place.at + START.len());
    Some(Diagnostic::new(code, span, format!("a start tag {what} starts a call all the same")))
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
