//! The use of the context by the parts of a conversation: prompts, answers, calls and results of each tool, largest first.
//!
//! The API counts the tokens of a whole prompt; the size of each part is estimated from its text in the file ([`tokens`]). The
//! difference is text that the file does not record, such as the system prompt of most agents.

mod cache_loss;
mod parts;

use std::collections::BTreeMap;

pub use cache_loss::{CacheLoss, CacheLossReason, cache_losses};
pub use parts::{ContextExtent, RequestParts};

use crate::container::facts::{CompactionKind, Origin};
use crate::cost::tokens;
use crate::document::facts::requests::ModelRequest;
use crate::document::{Document, Item, MessageRole};
use crate::session::Session;
use crate::template::recorded::tool_schemas;
use crate::text::Span;

/// Bytes that are estimated in a step.
const STEP: usize = 1 << 20;

/// Bytes of an item that are read at a time.
const CHUNK: usize = 64 * 1024;

/// Maximum size of a file, in bytes, that is searched for the schemas of tools.
const MAX_TOOLS: usize = 16 << 20;

/// Estimated tokens of each item of a session, found in steps.
#[derive(Clone, Debug, Default)]
pub struct ItemTokens {
    tokens: Vec<u32>,
    /// Tokens of the next item up to `next`, where the following step continues.
    partial: usize,
    next: Option<usize>,
    /// Estimated tokens of the recorded schemas of tools; 0 if there are none. Known once the file is complete.
    tools: Option<u64>,
}

/// A kind of content in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ContextKind {
    /// Messages of the role `system`.
    System,
    /// Schemas of the tools, if the file records them.
    Tools,
    /// Text that the user typed, commands included.
    Prompt,
    /// Text that the client adds: reminders, attached files, reports of background tasks.
    Client,
    /// The summary that replaces a compacted conversation.
    Summary,
    /// Text of the model outside of calls and reasoning.
    Answer,
    /// Reasoning of the model that the file shows.
    Reasoning,
    /// Calls as the file writes them, with names and arguments.
    Call,
    /// Results of calls; a compaction may clear them.
    Result,
}

impl ContextKind {
    /// The words for it in lists.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::System => "system prompt",
            Self::Tools => "tool schemas",
            Self::Prompt => "prompts",
            Self::Client => "added by the client",
            Self::Summary => "summary after the compaction",
            Self::Answer => "answers",
            Self::Reasoning => "reasoning",
            Self::Call => "calls",
            Self::Result => "results",
        }
    }
}

/// A part of a context, with its own parts, largest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextNode {
    /// A kind, a tool, or a single item.
    pub content: ContextContent,
    /// Tokens as [`tokens`] estimates them; the sum of its parts if it has any.
    pub tokens: u64,
    /// Parts of a kind or tool, largest first; empty for an item.
    pub parts: Vec<ContextNode>,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextContent {
    /// All items of a kind; for schemas of tools there are none.
    Kind(ContextKind),
    /// Calls or results of the tool with this name; empty for results without a call.
    Tool(String),
    /// The item with this number.
    Item(usize),
}

/// The estimated contents of the context at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextContents {
    /// Its kinds of content, largest first.
    pub kinds: Vec<ContextNode>,
    /// Estimated tokens of messages before the last compaction, which are not in the context any more.
    pub compacted: u64,
}

impl ContextContents {
    /// Estimated tokens of all kinds.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.tokens).sum()
    }
}

impl ItemTokens {
    /// True if there are items to estimate. The last item of a session that is still read may grow, and waits.
    #[must_use]
    pub fn is_behind(&self, session: &Session) -> bool {
        self.tokens.len() < complete_items(session) || (session.is_finished() && self.tools.is_none())
    }

    /// Estimates some of the next items.
    pub fn advance(&mut self, session: &Session) {
        let (items, text) = (session.document().items(), session.text());
        let mut read = 0;
        while read < STEP && self.tokens.len() < complete_items(session) {
            let Some(span) = items.span(self.tokens.len()) else { return };
            let start = self.next.unwrap_or(span.start);
            let chunk = Span::new(start, span.end.min(start + CHUNK));
            let bytes = text.read(chunk);
            // Blank lines between the parts of a message are ours, not the model's.
            self.partial += if bytes.trim_ascii().is_empty() { 0 } else { tokens(&bytes) };
            read += chunk.len().max(1);
            self.next = Some(chunk.end);
            if chunk.end == span.end {
                self.tokens.push(u32::try_from(self.partial).unwrap_or(u32::MAX));
                (self.partial, self.next) = (0, None);
            }
        }
        if self.tools.is_none() && session.is_finished() && self.tokens.len() == complete_items(session) {
            let is_small = session.is_decoded() && session.file().len() <= MAX_TOOLS;
            let schemas = is_small.then(|| tool_schemas(session)).flatten().unwrap_or_default();
            self.tools = Some(schemas.iter().map(|schema| tokens(schema.to_string()) as u64).sum());
        }
    }

    /// Forgets the items from this one on, since they have changed.
    pub fn forget_from(&mut self, item: usize) {
        self.tokens.truncate(item);
        (self.partial, self.next, self.tools) = (0, None, None);
    }
}

/// Number of the first items that do not change any more.
fn complete_items(session: &Session) -> usize {
    session.document().items().len().saturating_sub(usize::from(!session.is_finished()))
}

/// The contents of the context of a request: of the items that are estimated, those before its answer. Without a request, all
/// items of the last conversation.
#[must_use]
pub fn contents(session: &Session, sizes: &ItemTokens, request: Option<&ModelRequest<'_>>) -> ContextContents {
    let document = session.document();
    let messages = document.messages();
    let last = request.map_or(messages.len().saturating_sub(1), |request| request.message);
    let end = request.and_then(|request| messages.start(messages.whole_of(request.message))).unwrap_or(usize::MAX);
    let conversation = document.conversation_of(last);
    let begin = begin_of(document, conversation, last);
    let kept_from = last_compaction(document, begin, end, |kind| {
        matches!(kind, CompactionKind::Summary | CompactionKind::ClearAll)
    });
    let cleared_until = last_compaction(document, begin, end, |kind| kind == CompactionKind::ClearResults);
    let mut sums = Sums::default();
    for (item, &size) in sizes.tokens.iter().enumerate().skip(document.items_before(begin)) {
        let Some(item_read) = document.items().get(item) else { break };
        let start = item_read.span().start;
        if start >= end {
            break;
        }
        let message = document.message_at(start);
        if messages.is_aside(message) || document.is_abandoned(message) || document.is_withdrawn(item) {
            continue;
        }
        let Some(kind) = kind_of(&item_read, messages.role(message), messages.origin(message)) else { continue };
        if kind == ContextKind::System && document.compaction_of(message).is_some() {
            // The client's report of a compaction is not sent.
            continue;
        }
        let is_gone = kind != ContextKind::System && kind != ContextKind::Summary && start < kept_from
            || kind == ContextKind::Result && start < cleared_until;
        if is_gone {
            sums.compacted += u64::from(size);
        } else if size > 0 {
            sums.add(session, kind, &item_read, (item, u64::from(size)));
        }
    }
    sums.contents(sizes.tools.unwrap_or_default())
}

/// Start of the conversation with this number, which contains `message`.
fn begin_of(document: &Document, conversation: usize, message: usize) -> usize {
    if conversation == 0 {
        return 0;
    }
    let first = (0..=message).rev().find(|&message| document.conversation_begun_by(message).is_some());
    first.and_then(|first| document.messages().start(first)).unwrap_or_default()
}

/// The last place in `begin..end` with such a compaction; `begin` if there is none.
fn last_compaction(document: &Document, begin: usize, end: usize, is: impl Fn(CompactionKind) -> bool) -> usize {
    let mut within = document.compactions().rev().filter(|compaction| (begin..end).contains(&compaction.place));
    within.find(|compaction| is(compaction.facts.kind)).map_or(begin, |compaction| compaction.place)
}

/// The kind of an item; `None` for one that is not in the context, and for a repetition of one that is.
fn kind_of(item: &Item<'_>, role: Option<MessageRole>, origin: Origin) -> Option<ContextKind> {
    if origin == Origin::Repeated {
        return None;
    }
    Some(match item {
        Item::Call(_) => ContextKind::Call,
        Item::Result(_) => ContextKind::Result,
        Item::Aside(record) if record.name.is_some() => return None,
        Item::Aside(_) => ContextKind::Reasoning,
        Item::Text(_) => match (role, origin) {
            (_, Origin::Summary) => ContextKind::Summary,
            (_, Origin::Client | Origin::Notification) => ContextKind::Client,
            (_, Origin::Shell) => return None,
            (Some(MessageRole::System), _) => ContextKind::System,
            (Some(MessageRole::User), _) => ContextKind::Prompt,
            (Some(MessageRole::Tool), _) => ContextKind::Result,
            (Some(MessageRole::Assistant) | None, _) => ContextKind::Answer,
        },
    })
}

/// Numbers of items with their tokens, by tool; `None` for kinds without tools.
type ItemsByTool = BTreeMap<Option<String>, Vec<(usize, u64)>>;

/// Items of each kind and tool, while they are collected.
#[derive(Default)]
struct Sums {
    kinds: BTreeMap<ContextKind, ItemsByTool>,
    compacted: u64,
}

impl Sums {
    fn add(&mut self, session: &Session, kind: ContextKind, item: &Item<'_>, part: (usize, u64)) {
        let (document, text) = (session.document(), session.text());
        let tool = match item {
            Item::Call(call) => Some(call.name(text)),
            Item::Result(result) => {
                let call = result.call.and_then(|(call, _)| document.call(call));
                Some(call.map(|call| call.name(text)).unwrap_or_default())
            }
            _ => None,
        };
        self.kinds.entry(kind).or_default().entry(tool).or_default().push(part);
    }

    /// The sums as nodes; `tools` are the tokens of the schemas of tools.
    fn contents(self, tools: u64) -> ContextContents {
        let item = |(item, tokens)| ContextNode { content: ContextContent::Item(item), tokens, parts: Vec::new() };
        let mut kinds = Vec::new();
        for (kind, tools) in self.kinds {
            let mut parts = Vec::new();
            for (tool, items) in tools {
                let items: Vec<ContextNode> = items.into_iter().map(item).collect();
                match tool {
                    Some(tool) => parts.push(node(ContextContent::Tool(tool), items)),
                    None => parts.extend(items),
                }
            }
            kinds.push(node(ContextContent::Kind(kind), parts));
        }
        if tools > 0 {
            let content = ContextContent::Kind(ContextKind::Tools);
            kinds.push(ContextNode { content, tokens: tools, parts: Vec::new() });
        }
        sort(&mut kinds);
        ContextContents { kinds, compacted: self.compacted }
    }
}

/// A node with the sum of its parts, which it sorts.
fn node(content: ContextContent, mut parts: Vec<ContextNode>) -> ContextNode {
    sort(&mut parts);
    ContextNode { content, tokens: parts.iter().map(|part| part.tokens).sum(), parts }
}

/// Sorts by size, largest first; parts of one size stay in file order.
fn sort(parts: &mut [ContextNode]) {
    parts.sort_by_key(|part| std::cmp::Reverse(part.tokens));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of a session of Claude Code: `p` is a prompt, `r` a result of the call before, `s` a compaction with its summary,
    /// and `a` an answer with a call.
    fn log(records: &str) -> Session {
        let mut lines = String::new();
        for (number, record) in records.chars().enumerate() {
            let before = number.saturating_sub(1);
            let head = format!(r#""sessionId":"s","uuid":"u{number}","timestamp":"2026-01-02T03:04:{number:02}Z""#);
            let line = match record {
                'p' => {
                    format!(r#"{{"type":"user",{head},"message":{{"role":"user","content":"one two three four"}}}}"#)
                }
                'a' => format!(
                    r#"{{"type":"assistant",{head},"message":{{"id":"m{number}","role":"assistant","model":"m","content":[{{"type":"text","text":"an answer"}},{{"type":"tool_use","id":"t{number}","name":"Read","input":{{"file_path":"/a"}}}}],"usage":{{"input_tokens":10,"cache_read_input_tokens":0,"output_tokens":5}}}}}}"#
                ),
                'r' => format!(
                    r#"{{"type":"user",{head},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{before}","content":"a long result of the call"}}]}}}}"#
                ),
                _ => format!(
                    "{}\n{}",
                    format_args!(
                        r#"{{"type":"system","subtype":"compact_boundary",{head},"content":"Conversation compacted","compactMetadata":{{"trigger":"auto","preTokens":100}}}}"#
                    ),
                    format_args!(
                        r#"{{"type":"user","sessionId":"s","uuid":"s{number}","isCompactSummary":true,"message":{{"role":"user","content":"all of it in short"}}}}"#
                    )
                ),
            };
            lines.extend([&*line, "\n"]);
        }
        Session::from_bytes(lines.as_bytes())
    }

    /// Kinds, tools and the number of their items: `results(Read 2)`.
    fn listed(contents: &ContextContents) -> String {
        let part = |part: &ContextNode| match &part.content {
            ContextContent::Tool(tool) => format!("{tool} {}", part.parts.len()),
            _ => "item".to_owned(),
        };
        let kind = |kind: &ContextNode| {
            let parts: Vec<String> = kind.parts.iter().map(part).collect();
            let ContextContent::Kind(name) = kind.content else { return String::new() };
            format!("{}({})", name.words(), parts.join(" "))
        };
        let kinds: Vec<String> = contents.kinds.iter().map(kind).collect();
        let gone = if contents.compacted > 0 { "; some compacted" } else { "" };
        format!("{}{gone}", kinds.join(" "))
    }

    #[test]
    fn a_context_consists_of_what_was_sent_before_the_answer() {
        for (records, request, expected) in [
            ("parar", Some(0), "prompts(item)"),
            ("parar", Some(1), "calls(Read 1) results(Read 1) prompts(item) answers(item)"),
            ("parar", None, "calls(Read 2) results(Read 2) answers(item item) prompts(item)"),
            ("parspa", Some(1), "summary after the compaction(item) prompts(item); some compacted"),
        ] {
            let session = log(records);
            let mut sizes = ItemTokens::default();
            while sizes.is_behind(&session) {
                sizes.advance(&session);
            }
            let request = request.and_then(|number| session.document().requests().get(number));
            assert_eq!(listed(&contents(&session, &sizes, request.as_ref())), expected, "{records}");
        }
    }

    /// True if parts are sorted by size, and each has the sum of its own.
    fn holds(nodes: &[ContextNode]) -> bool {
        nodes.is_sorted_by(|one, other| one.tokens >= other.tokens)
            && nodes.iter().all(|node| {
                let sum: u64 = node.parts.iter().map(|part| part.tokens).sum();
                (node.parts.is_empty() || sum == node.tokens) && holds(&node.parts)
            })
    }

    #[test]
    fn parts_are_sorted_by_size_and_sum_up() {
        let session = log("paraparp");
        let mut sizes = ItemTokens::default();
        while sizes.is_behind(&session) {
            sizes.advance(&session);
        }
        let contents = contents(&session, &sizes, None);
        assert!(contents.tokens() > 0 && holds(&contents.kinds), "{contents:?}");
    }
}
