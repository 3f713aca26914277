//! Readings of a server that does more than its parser.

use super::outcome::{PartKind, Reason, RuntimeReading};
use super::profile::{Profile, Prose, WithoutTools};
use super::reading::read_as;
use super::request::ToolRequest;
use crate::diagnostic::Code;
use crate::text::Span;

/// Reads a message like a server of the newest release with this parser and no reasoning parser. `None` if that is
/// unknown, or if a server does not offer the parser (`engine-NAME`).
pub fn read_served(profile: &Profile, parser: &str, text: &str, request: &ToolRequest) -> Option<RuntimeReading> {
    let behaviour = profile.served.as_ref().filter(|_| !parser.starts_with("engine-"))?;
    let mut reading = read_as(behaviour, text, request);
    let RuntimeReading { outcome, parts, reasons, .. } = &mut reading;
    let is_blank = outcome.content.as_ref().is_some_and(|content| content.trim().is_empty());
    if is_blank && !outcome.calls.is_empty() && behaviour.rules.content.blank == Prose::Lose {
        outcome.content = None;
    }
    if behaviour.rules.without_tools == WithoutTools::LoseCalls
        && request.tools().is_empty()
        && !outcome.calls.is_empty()
    {
        outcome.calls.clear();
        reasons.push(Reason { code: Code::NoToolsInRequest, span: Span::new(0, 0) });
        let calls = parts.iter_mut().filter(|part| matches!(part.kind, PartKind::Calls(_)));
        calls.for_each(|part| part.kind = PartKind::Lost);
    }
    Some(reading)
}
