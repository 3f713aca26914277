//! How runtimes repair calls in Python that does not parse: they accept habitual errors of models, find the end of a
//! string that contains its own quotes, and parse each call separately.
//!
//! The text is not rewritten: the repair directs the parser, so that spans stay valid in the original text.

use super::PythonRepair;
use super::cursor::{PythonCursor, Strictness};
use super::expression::{NodeKind, PythonNode};
use crate::text::Span;

/// Most bytes read in total by the search for the ends of strings.
const MAX_WORK: usize = 1 << 23;

/// The expression in a text, parsed tolerantly; salvaged calls are returned as a list.
pub(crate) fn whole(text: &str, span: Span, repair: PythonRepair) -> Option<PythonNode> {
    let saves = repair == PythonRepair::Salvage;
    let calls = if saves { segments(text, span, Strings::Passed).len() } else { 0 };
    let mut work = 0;
    tolerant(text, span, calls, &mut work).or_else(|| if saves { salvage(text, span, &mut work) } else { None })
}

fn tolerant(text: &str, span: Span, calls: usize, work: &mut usize) -> Option<PythonNode> {
    let plain = PythonCursor::new(text, span, Strictness::Tolerant).module();
    plain.ok().or_else(|| requoted(text, span, calls, work))
}

/// The expression if the first string with wrong quotes ends elsewhere, and only one end is possible.
fn requoted(text: &str, span: Span, calls: usize, work: &mut usize) -> Option<PythonNode> {
    let bytes = &text.as_bytes()[..span.end];
    let open = broken(text, span)?;
    let mut found = None;
    for close in quotes(bytes, open).filter(|quote| closes(text, *quote, span.end)) {
        *work += span.len();
        if *work > MAX_WORK {
            return None;
        }
        let node = PythonCursor::with_closing(text, span, Strictness::Tolerant, open, close).module();
        let Ok(node) = node else { continue };
        // An end that is too late makes a call part of a string.
        if calls > 1 && count(&node) < calls {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some(node);
    }
    found
}

/// Offset of the first string whose closing quote is followed by text that cannot follow a string.
fn broken(text: &str, span: Span) -> Option<usize> {
    let bytes = &text.as_bytes()[..span.end];
    let mut at = span.start;
    loop {
        let open = at + bytes[at..].iter().position(|byte| matches!(byte, b'\'' | b'"'))?;
        let first = quotes(bytes, open).next()?;
        if !closes(text, first, span.end) {
            return Some(open);
        }
        at = first + 1;
    }
}

fn count(node: &PythonNode) -> usize {
    let is_call = |node: &&PythonNode| matches!(node.kind, NodeKind::Call(_));
    match &node.kind {
        NodeKind::List(nodes) => nodes.iter().filter(is_call).count(),
        _ => usize::from(is_call(&node)),
    }
}

/// Offsets of the quotes that may end the string that begins at `open`.
fn quotes(bytes: &[u8], open: usize) -> impl Iterator<Item = usize> {
    let mut at = open + 1;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let here = at;
            at += if bytes[here] == b'\\' { 2 } else { 1 };
            if bytes[here] == bytes[open] {
                return Some(here);
            }
        }
        None
    })
}

/// True if a quote is followed by something that can follow a string.
fn closes(text: &str, quote: usize, end: usize) -> bool {
    text[quote + 1..end].trim_start().starts_with([',', ')', ']', '}', ':'])
}

/// Treatment of brackets and commas in strings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strings {
    /// Ignored: strings are skipped as a whole.
    Respected,
    /// Counted, as if there were no strings.
    Passed,
}

/// The calls of a list that can be parsed separately.
fn salvage(text: &str, span: Span, work: &mut usize) -> Option<PythonNode> {
    let mut best = Vec::new();
    for strings in [Strings::Respected, Strings::Passed] {
        let segments = segments(text, span, strings);
        if segments.len() < 2 {
            continue;
        }
        let read = |segment: Span| {
            let strict = PythonCursor::new(text, segment, Strictness::Strict).module().ok();
            strict.or_else(|| tolerant(text, segment, 0, work))
        };
        let calls = segments.into_iter().filter_map(read).filter(|node| matches!(node.kind, NodeKind::Call(_)));
        let calls: Vec<PythonNode> = calls.collect();
        if calls.len() > best.len() {
            best = calls;
        }
    }
    if best.is_empty() { None } else { Some(PythonNode::new(NodeKind::List(best), span)) }
}

/// The trimmed spans between the commas of a list, outside all brackets.
fn segments(text: &str, span: Span, strings: Strings) -> Vec<Span> {
    let span = trimmed(text, span);
    let all = &text[span.start..span.end];
    let inner = all.strip_prefix('[').and_then(|all| all.strip_suffix(']'));
    let span = if inner.is_some() { Span::new(span.start + 1, span.end - 1) } else { span };
    let bytes = &text.as_bytes()[..span.end];
    let (mut out, mut start, mut at) = (Vec::new(), span.start, span.start);
    let (mut depth, mut quote) = (0_i64, None);
    while at < bytes.len() {
        match (bytes[at], quote) {
            (b'\\', Some(_)) => at += 1,
            (byte, Some(open)) if byte == open => quote = None,
            (byte @ (b'\'' | b'"'), None) if strings == Strings::Respected => quote = Some(byte),
            (b'(' | b'[' | b'{', None) => depth += 1,
            (b')' | b']' | b'}', None) => depth -= 1,
            (b',', None) if depth == 0 => {
                out.push(trimmed(text, Span::new(start, at)));
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    out.push(trimmed(text, Span::new(start, span.end)));
    out.retain(|segment| !segment.is_empty());
    out
}

fn trimmed(text: &str, span: Span) -> Span {
    let slice = &text[span.start..span.end];
    let end = span.start + slice.trim_end().len();
    Span::new(span.start + (slice.len() - slice.trim_start().len()), end)
}
