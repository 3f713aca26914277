//! Requests that read less of their prompt from the provider's cache than the request before has left there: the beginning of
//! the prompt has changed, or the cache has expired.

use std::time::Duration;

use crate::container::facts::Timestamp;
use crate::document::Document;
use crate::document::facts::requests::ModelRequest;

/// The least loss, in tokens, that is reported: providers cache in blocks, and up to the last marked one only.
const LEAST: u64 = 2_048;

/// Time without a request after which a cache expires: the default of Anthropic's API (5 minutes, renewed by each use) and the
/// usual one of OpenAI's (5 to 10 minutes without use), and the hour that a request to Anthropic's can ask for.
const KEPT: [Duration; 2] = [Duration::from_mins(5), Duration::from_hours(1)];

/// A request that could not use the cache of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheLoss {
    /// Tokens that were in the cache and were not read from it.
    pub tokens: u64,
    /// Everything in the file that explains it; nothing if the file has no reason.
    pub reasons: Vec<CacheLossReason>,
}

/// A reason for which a cache does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheLossReason {
    /// Another model answered; caches are separate for each.
    Model,
    /// Another reasoning effort was requested, which changes the beginning of the prompt.
    Effort,
    /// So much time passed between the requests.
    Idle(Duration),
}

/// The requests that fill the context of the main conversation, in file order, each with its number and the loss of its cache.
#[must_use]
pub fn cache_losses(document: &Document) -> Vec<(usize, Option<CacheLoss>)> {
    let mut found: Vec<(usize, Option<CacheLoss>)> = Vec::new();
    let mut before: Option<ModelRequest<'_>> = None;
    let mut compactions = document.compactions().map(|compaction| compaction.place).peekable();
    let requests = document.requests().iter().enumerate().filter(|(_, request)| request.fills_context());
    for (number, request) in requests {
        let mut is_compacted = false;
        while compactions.next_if(|&place| place <= request.place).is_some() {
            is_compacted = true;
        }
        // After a compaction, the prompt is another one.
        let loss = before.as_ref().filter(|_| !is_compacted).and_then(|before| loss(document, before, &request));
        found.push((number, loss));
        before = Some(request);
    }
    found
}

fn loss(document: &Document, before: &ModelRequest<'_>, request: &ModelRequest<'_>) -> Option<CacheLoss> {
    if document.conversation_of(before.message) != document.conversation_of(request.message) {
        return None;
    }
    let [known, usage] = [before.usage?, request.usage?];
    let cached = known.cache_read.unwrap_or_default() + known.cache_write.unwrap_or_default();
    let tokens = cached.saturating_sub(usage.cache_read?);
    if tokens < LEAST.max(cached / 10) {
        return None;
    }
    let mut reasons = Vec::new();
    let differ = |one: Option<&str>, other: Option<&str>| one.is_some() && other.is_some() && one != other;
    reasons.extend(differ(before.model, request.model).then_some(CacheLossReason::Model));
    reasons.extend(differ(before.effort, request.effort).then_some(CacheLossReason::Effort));
    let kept = KEPT[usize::from(known.cache_write_1h.is_some_and(|tokens| tokens > 0))];
    let idle = idle(document, before, request).filter(|idle| *idle >= kept);
    reasons.extend(idle.map(CacheLossReason::Idle));
    Some(CacheLoss { tokens, reasons })
}

/// Time between the answer to one request and the start of the next one; an upper bound if the file states times of messages
/// only.
fn idle(document: &Document, before: &ModelRequest<'_>, request: &ModelRequest<'_>) -> Option<Duration> {
    let messages = document.messages();
    let time = |message: usize| -> Option<Timestamp> { messages.get(message)?.moment() };
    let end = before.end.or_else(|| messages.last_moment(before.message))?;
    let start = request.start.or_else(|| time(request.message))?;
    Duration::try_from(start.duration_since(end)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    /// An answer of Claude Code: its minute, model, tokens read from the cache, and tokens written to it.
    fn answer((minute, model, read, written): (u32, &str, u64, u64)) -> String {
        let (hour, minute) = (3 + minute / 60, minute % 60);
        format!(
            r#"{{"type":"assistant","sessionId":"s","uuid":"u{hour}{minute}","timestamp":"2026-01-02T0{hour}:{minute:02}:00Z","message":{{"id":"m{hour}{minute}","role":"assistant","model":"{model}","content":[{{"type":"text","text":"x"}}],"usage":{{"input_tokens":5,"cache_read_input_tokens":{read},"cache_creation_input_tokens":{written},"output_tokens":5}}}}}}"#
        )
    }

    #[test]
    fn a_loss_has_the_reasons_in_the_file() {
        for (second, expected) in [
            ((1, "a", 10_000, 50), ""),
            // Blocks of the cache are rounded.
            ((1, "a", 9_000, 50), ""),
            ((1, "a", 4_000, 6_000), "6000 []"),
            ((6, "a", 0, 10_000), "10000 [Idle(360s)]"),
            ((1, "b", 0, 10_000), "10000 [Model]"),
            ((70, "b", 0, 10_000), "10000 [Model, Idle(4200s)]"),
        ] {
            let lines = [answer((0, "a", 8_000, 2_000)), answer(second)].join("\n");
            let session = Session::from_bytes(lines.as_bytes());
            let losses = cache_losses(session.document());
            assert_eq!(losses.len(), 2, "{second:?}");
            let shown = |loss: &CacheLoss| format!("{} {:?}", loss.tokens, loss.reasons);
            assert_eq!(losses[1].1.as_ref().map(shown).unwrap_or_default(), expected, "{second:?}");
        }
    }
}
