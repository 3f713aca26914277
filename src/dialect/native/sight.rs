//! JSON calls about which there is nothing to say, seen without taking them apart.
//!
//! A call of this kind is strict JSON in one of the shapes that its reader knows, with words in it that show what they
//! are. Whatever is unusual is left to whoever takes it apart. This module does not know what may be said of that.

use super::dissect::{ARGUMENTS, LINKS, NAMES, Wanted, text_form};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::{CallParts, Status};
use crate::params::json_text::MAX_NODES;
use crate::params::json_text::lexer::{Bracket, Kind};
use crate::params::json_text::machine::{Machine, Step};
use crate::params::json_text::string::{decode, is_faultless, is_number};
use crate::params::pointer::MAX_DEPTH;
use crate::text::Text;

/// Most members of an object whose keys are compared one by one.
const MOST_MEMBERS: usize = 32;

/// Longest number that surely keeps its text, in bytes: as many digits as a 64-bit floating point number always has.
const SURE_DIGITS: usize = 15;

/// What a member holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held<'a> {
    Object,
    Array,
    /// A string, escapes and all.
    Text(&'a [u8]),
    Null,
    /// Another word.
    Word,
}

/// A member of the outermost object, or of one that is a member of that.
#[derive(Clone, Copy, Debug)]
struct Member<'a> {
    key: &'a [u8],
    held: Held<'a>,
    /// Whether it is in the outermost object; else it is in the last one that is.
    is_outer: bool,
}

/// The problems in a call of which it is sure that there are none; `None` where it is not.
pub(in crate::dialect) fn judge(text: &Text, parts: CallParts<'_>, wanted: Wanted) -> Option<Vec<Diagnostic>> {
    let bytes = text.read(parts.body);
    (parts.status == Status::Complete && is_flawless(&bytes, wanted)?).then(Vec::new)
}

/// Whether nothing is to be said about a call; `None` stands for no as well.
fn is_flawless(bytes: &[u8], wanted: Wanted) -> Option<bool> {
    let members = members(bytes)?;
    let outer = || members.iter().enumerate().filter(|(_, member)| member.is_outer);
    let of_call = |key: &str| outer().find(|(_, member)| member.key == key.as_bytes()).map(|(at, _)| at);
    for key in ["name", "id", "toolName", "toolCallId", "call_id", "type"] {
        if let Some(Held::Text(words)) = of_call(key).map(|at| members[at].held)
            && !is_clear(words)
        {
            return None;
        }
    }
    let kind = match of_call("type").map(|at| members[at].held) {
        Some(Held::Text(kind)) => kind,
        _ => b"",
    };
    let link = LINKS.iter().find_map(|key| of_call(key)).filter(|&link| members[link].held == Held::Object);
    let holder = |member: &Member<'_>| member.is_outer == link.is_none();
    let held: &[Member<'_>] = match link {
        Some(link) => &members[link + 1..],
        None => &members,
    };
    // The members of the link end where the next one of the call begins.
    let end = held.iter().position(|member| link.is_some() && member.is_outer).unwrap_or(held.len());
    let find = |keys: &[&str]| {
        keys.iter().find_map(|key| held[..end].iter().find(|member| holder(member) && member.key == key.as_bytes()))
    };
    let is_named = match find(&NAMES).map(|name| name.held) {
        Some(Held::Text(name)) => is_clear(name) && !name.trim_ascii().is_empty(),
        Some(_) => false,
        None => kind.starts_with(b"tool-"),
    };
    let Some(arguments) = find(wanted.names()) else { return Some(is_named) };
    let form = text_form(wanted, link.map(|link| members[link].key), of_call("id").is_some(), kind);
    let is_good = match arguments.held {
        Held::Null => true,
        Held::Object => form != Some(Severity::Hint),
        Held::Text(_) if kind == b"custom_tool_call" => true,
        Held::Text(words) => form.is_some() && self::members(&decode(words).bytes).is_some(),
        Held::Array | Held::Word => false,
    };
    Some(is_named && is_good && (wanted == Wanted::ByShape || arguments.key == ARGUMENTS.as_bytes()))
}

/// The members that may matter of an object that is strict JSON and holds nothing unusual.
fn members(bytes: &[u8]) -> Option<Vec<Member<'_>>> {
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    let mut machine = Machine::at(0);
    let mut members = Vec::new();
    // The keys of the objects that are open, and where those of each begin.
    let (mut keys, mut frames): (Vec<&[u8]>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut key = None;
    let mut values = 0;
    while let Some(step) = machine.next(bytes, true) {
        let held = match step {
            Step::Fault(_) => return None,
            Step::End(_) => {
                keys.truncate(frames.pop()?);
                continue;
            }
            Step::Key(token) => {
                let name = token.content(bytes);
                let known = &keys[*frames.last()?..];
                if !is_clear(name) || known.len() >= MOST_MEMBERS || known.contains(&name) {
                    return None;
                }
                keys.push(name);
                key = Some(name);
                continue;
            }
            Step::Begin(Bracket::Object, _) => Held::Object,
            Step::Begin(Bracket::Array, _) => Held::Array,
            Step::Scalar(token) if token.kind == Kind::Text => {
                let words = token.content(bytes);
                is_faultless(words).then_some(Held::Text(words))?
            }
            Step::Scalar(token) => word(token.content(bytes))?,
        };
        values += 1;
        if let Some(key) = key.take().filter(|_| frames.len() <= 2) {
            members.push(Member { key, held, is_outer: frames.len() == 1 });
        }
        if matches!(step, Step::Begin(..)) {
            frames.push(keys.len());
        }
        if frames.len() > MAX_DEPTH || values >= MAX_NODES {
            return None;
        }
    }
    (machine.is_complete() && bytes[machine.offset()..].trim_ascii().is_empty()).then_some(members)
}

/// What a word holds that is sure to be what it says.
fn word(word: &[u8]) -> Option<Held<'static>> {
    match word {
        b"null" => Some(Held::Null),
        b"true" | b"false" => Some(Held::Word),
        _ => {
            let is_sure =
                word.len() <= SURE_DIGITS && is_number(word) && !word.contains(&b'e') && !word.contains(&b'E');
            is_sure.then_some(Held::Word)
        }
    }
}

/// Whether words are written as they read, in characters that can all be seen.
fn is_clear(words: &[u8]) -> bool {
    words.iter().all(|&byte| matches!(byte, b' '..=b'~') && byte != b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Span;

    #[track_caller]
    fn check(call: &str, is_sure: bool) {
        let mut text = Text::default();
        text.push(call.as_bytes());
        let parts = CallParts { start: 0, body: Span::new(0, call.len()), arguments: &[], status: Status::Complete };
        assert_eq!(judge(&text, parts, Wanted::ByShape).is_some(), is_sure, "{call}");
        let open = CallParts { status: Status::Unterminated, ..parts };
        assert!(judge(&text, open, Wanted::ByShape).is_none(), "{call}");
    }

    #[test]
    fn usual_calls_are_sound_at_sight() {
        check(
            r#"{"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "a\nb\u00e9", "lines": [1, -2.5]}}"#,
            true,
        );
        check(r#"{"id": "t", "type": "function", "function": {"name": "f", "arguments": "{\"a\": {}}"}}"#, true);
        check(r#"{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}"#, true);
        check(r#"{"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "no JSON"}"#, true);
        check(r#"{"functionCall": {"name": "f", "args": {"a": null}}}"#, true);
        check(
            r#"{"type": "tool-look", "toolCallId": "t", "state": "output-available", "input": {}, "output": [1]}"#,
            true,
        );
        check(r#"{"name": "f"}"#, true);
    }

    #[test]
    fn what_is_unusual_is_left_to_a_closer_look() {
        for call in [
            r#"{"name": "f", "arguments": {"a": 1, "a": 2}}"#,
            r#"{"name": "f", "arguments": {"a": 9007199254740993}}"#,
            r#"{"name": "f", "arguments": {"a": "\d"}}"#,
            r#"{"name": "f", "arguments": {"a": "\ud800"}}"#,
            r#"{"name": "f", "arguments": {"a": 1,}}"#,
            r#"{"name": "f", "arguments": "{}"}"#,
            r#"{"name": "f", "arguments": [1]}"#,
            r#"{"id": "t", "function": {"name": "f", "arguments": {}}}"#,
            r#"{"id": "t", "function": {"name": "f", "arguments": "{"}}"#,
            r#"{"name": " ", "arguments": {}}"#,
            r#"{"arguments": {}}"#,
            r#"{"name": "f", "arguments": {}} {}"#,
            "{\"name\": \"f\", \"arguments\": {\"a\u{200b}\": 1}}",
            "{\"name\": \"f\u{202e}\", \"arguments\": {}}",
        ] {
            check(call, false);
        }
    }
}
