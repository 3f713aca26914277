//! Splits a message in a session of Gemini CLI into parts.
//!
//! Results follow all calls, so that a call whose result arrives later changes nothing before it. The content of a
//! checkpoint repeats calls and responses, which are skipped.

use std::collections::HashSet;

use super::super::call::CallText;
use super::super::exit_code;
use super::super::fragment::Fragment;
use super::super::gemini::parts::{GeminiPart, member, response};
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::standing;
use super::super::{CallOutcome, Interpretation, MessagePart, MessageRole, ToolResult};
use crate::text::Span;

/// Identifies a part within its message, to compare it with later states of the message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::container) enum Slot {
    Thought(usize),
    Content(usize),
    Call(Box<str>),
    Result(Box<str>),
}

/// A part of a message as its record states it.
pub(in crate::container) struct StatedPiece {
    pub(in crate::container) slot: Slot,
    pub(in crate::container) piece: MessagePart,
    pub(in crate::container) text: Fragment,
    /// Its span in the file, if its type is unknown.
    pub(in crate::container) unknown: Option<Span>,
}

impl StatedPiece {
    fn new(slot: Slot, piece: MessagePart, text: Fragment) -> Self {
        Self { slot, piece, text, unknown: None }
    }
}

/// All parts of a message: thoughts, text, calls, and then results. Responses in it to calls that are `answered` are
/// skipped.
pub(in crate::container) fn pieces(
    record: JsonValue<'_>,
    kind: &str,
    role: Option<MessageRole>,
    answered: &HashSet<Box<str>>,
) -> Vec<StatedPiece> {
    let mut pieces = Vec::new();
    let thoughts = record.get("thoughts").into_iter().flat_map(|thoughts| thoughts.items());
    for (number, thought) in thoughts.enumerate() {
        pieces.push(StatedPiece::new(Slot::Thought(number), MessagePart::Reasoning, thought_text(thought)));
    }
    let calls: Vec<JsonValue<'_>> = record.get("toolCalls").into_iter().flat_map(|calls| calls.items()).collect();
    let reading = Interpretation::from_role(Some(role.unwrap_or(MessageRole::System)));
    let said = if role.is_some() { MessagePart::Text(reading) } else { MessagePart::Envelope(kind.into()) };
    let ids: HashSet<Box<str>> = calls.iter().filter_map(|call| call.words_of("id")).collect();
    let is_known = |part: GeminiPart<'_>| match part {
        GeminiPart::Call(call) => call.words_of("id").is_some_and(|id| ids.contains(&id)),
        GeminiPart::Response(value) => value.words_of("id").is_some_and(|id| answered.contains(&id)),
        _ => false,
    };
    if let Some(content) = record.get("content").filter(|content| !content.is_void()) {
        let list: Vec<JsonValue<'_>> =
            if content.kind() == JsonKind::Array { content.items().collect() } else { vec![content] };
        for (number, part) in list.into_iter().enumerate() {
            let slot = Slot::Content(number);
            pieces.extend(content_piece(slot, part, &said, &is_known));
        }
    }
    for &call in &calls {
        let id = call.words_of("id").unwrap_or_default();
        let text = CallText::bare(call.source().start, call.get("id"), call.get("name"), "");
        let text = text.with_arguments(call.get("args"), call.source().end);
        pieces.push(StatedPiece::new(Slot::Call(id), text.part(None), text.text));
    }
    pieces.extend(calls.into_iter().filter_map(result_piece));
    pieces
}

/// A part of the content; `None` if the record has it in another member, too.
fn content_piece(
    slot: Slot,
    part: JsonValue<'_>,
    said: &MessagePart,
    is_known: &dyn Fn(GeminiPart<'_>) -> bool,
) -> Option<StatedPiece> {
    let parsed = GeminiPart::new(part);
    match parsed {
        _ if part.kind() == JsonKind::Text => Some(StatedPiece::new(slot, said.clone(), Fragment::from_value(part))),
        _ if is_known(parsed) => None,
        GeminiPart::Text(text) => Some(StatedPiece::new(slot, said.clone(), Fragment::from_value(text))),
        GeminiPart::Response(value) => {
            let (verdict, text) = response(value);
            let verdict = of_shell(value, verdict, &text);
            Some(StatedPiece::new(
                slot,
                MessagePart::Result(ToolResult { call: value.words_of("id"), outcome: verdict }),
                text,
            ))
        }
        GeminiPart::Unknown | GeminiPart::CodeResult(_) => Some(StatedPiece {
            unknown: Some(part.source()),
            ..StatedPiece::new(slot, MessagePart::Envelope("part".into()), standing(part))
        }),
        _ => parsed.piece(Interpretation::Shown).map(|(piece, text)| StatedPiece::new(slot, piece, text)),
    }
}

fn thought_text(thought: JsonValue<'_>) -> Fragment {
    let mut text = Fragment::default();
    for key in ["subject", "description"] {
        if let Some(words) = thought.string_of(key).filter(|words| !words.is_void()) {
            if !text.is_empty() {
                text.push_synthetic("\n", words.source().start);
            }
            text.push_content(words);
        }
    }
    if text.is_empty() { Fragment::from_value(thought) } else { text }
}

/// The outcome of a call with this `verdict` of the program: a shell command that failed is recorded as a success.
fn of_shell(call: JsonValue<'_>, verdict: CallOutcome, text: &Fragment) -> CallOutcome {
    match exit_code::of_last_line(&text.bytes, b"Exit Code: ") {
        CallOutcome::Failed if !verdict.is_failure() && call.is_string("name", "run_shell_command") => {
            CallOutcome::Failed
        }
        _ => verdict,
    }
}

/// The result of a call by its own record; `None` while it is running.
fn result_piece(call: JsonValue<'_>) -> Option<StatedPiece> {
    let id = call.words_of("id");
    let result = member(call, "result").filter(|result| !result.is_void());
    let verdict = match call.text_of("status").as_deref() {
        Some("success") => CallOutcome::Succeeded,
        Some("error") => CallOutcome::Failed,
        Some("cancelled") => CallOutcome::Denied,
        _ if result.is_some() => CallOutcome::Unknown,
        _ => return None,
    };
    let mut text = Fragment::default();
    let list: Vec<JsonValue<'_>> = match result {
        Some(result) if result.kind() == JsonKind::Array => result.items().collect(),
        result => result.into_iter().collect(),
    };
    // The record may hold the responses to all calls of the turn.
    let is_own = |part: &JsonValue<'_>| match GeminiPart::new(*part) {
        GeminiPart::Response(value) => id.is_some() && value.words_of("id") == id,
        _ => false,
    };
    let has_own = list.iter().any(is_own);
    for part in list {
        let parsed = GeminiPart::new(part);
        let more = match parsed {
            GeminiPart::Response(_) if has_own && !is_own(&part) => continue,
            GeminiPart::Response(value) => response(value).1,
            GeminiPart::Blank => continue,
            _ => parsed.piece(Interpretation::Shown).map_or_else(|| Fragment::from_value(part), |(_, text)| text),
        };
        if text.bytes.last().is_some_and(|last| *last != b'\n') {
            text.push_synthetic("\n", part.source().start);
        }
        text.append(&more);
    }
    if let Some(shown) = call.string_of("resultDisplay").filter(|_| text.is_empty()) {
        text.push_content(shown);
    }
    let verdict = of_shell(call, verdict, &text);
    let slot = Slot::Result(id.clone().unwrap_or_default());
    Some(StatedPiece::new(slot, MessagePart::Result(ToolResult { call: id, outcome: verdict }), text))
}
