//! Parses calls of Cline and Roo in the text of the model: an element named after a tool, with an element per
//! parameter.
//!
//! ```text
//! <write_to_file>
//! <path>notes.md</path>
//! <content>
//! …
//! </content>
//! </write_to_file>
//! ```
//!
//! Both programs parsed calls in this form until the end of 2025, anywhere in a text, and executed an unterminated
//! one with the parameters that it had. A parameter ends at its first end tag, `content` at the last one in its call.

use super::super::fragment::Fragment;
use crate::text::word_set::WordSet;
use crate::text::{Span, trim};

/// The tools of both programs that have an element.
static TOOLS: WordSet = WordSet::new(include_str!("tools.txt"));

/// Parameters that lose only their first and last line feed; others are trimmed.
const VERBATIM: [&[u8]; 2] = [b"content", b"diff"];

/// A part of the model's text.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::container) enum TextPart {
    Words(Span),
    Call(TaggedCall),
}

/// Spans of the parts of a call in the text.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::container) struct TaggedCall {
    pub(in crate::container) name: Span,
    /// Names and values of the parameters.
    pub(in crate::container) parameters: Vec<(Span, Span)>,
    /// Offset after the end tag.
    pub(in crate::container) end: usize,
}

impl TaggedCall {
    /// The arguments with their names.
    pub(in crate::container) fn arguments(&self, text: &Fragment) -> Vec<(Fragment, Fragment)> {
        self.parameters.iter().map(|(name, value)| (text.slice(*name), text.slice(*value))).collect()
    }
}

/// Splits a text into parts; together they cover it, except for whitespace around calls.
pub(in crate::container) fn stretches(text: &[u8]) -> Vec<TextPart> {
    let mut found = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(open) = memchr::memchr(b'<', &text[at..]).map(|open| at + open) {
        match tag_at(text, open).filter(|name| is_tool(&text[name.start..name.end])) {
            Some(name) => {
                let call = call(text, name);
                words(text, Span::new(from, open), &mut found);
                (from, at) = (call.end, call.end);
                found.push(TextPart::Call(call));
            }
            None => at = open + 1,
        }
    }
    words(text, Span::new(from, text.len()), &mut found);
    found
}

fn words(text: &[u8], span: Span, found: &mut Vec<TextPart>) {
    if !trim(&text[span.start..span.end], 0).is_empty() {
        found.push(TextPart::Words(span));
    }
}

fn is_tool(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(|name| TOOLS.contains(name))
}

/// The name in a start tag at `at`.
fn tag_at(text: &[u8], at: usize) -> Option<Span> {
    let rest = text[at..].strip_prefix(b"<")?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'0'..=b'9')).count();
    (length > 0 && rest.get(length) == Some(&b'>')).then(|| Span::new(at + 1, at + 1 + length))
}

fn end_tag(name: &[u8]) -> Vec<u8> {
    [b"</", name, b">"].concat()
}

/// The call whose start tag has this name.
fn call(text: &[u8], name: Span) -> TaggedCall {
    let close = end_tag(&text[name.start..name.end]);
    let mut parameters = Vec::new();
    let mut at = name.end + 1;
    loop {
        let Some(open) = memchr::memchr(b'<', &text[at..]).map(|open| at + open) else {
            return TaggedCall { name, parameters, end: text.len() };
        };
        if text[open..].starts_with(&close) {
            return TaggedCall { name, parameters, end: open + close.len() };
        }
        match tag_at(text, open) {
            Some(key) => {
                let is_content = |key: Span| &text[key.start..key.end] == b"content";
                let is_first = is_content(key) && !parameters.iter().any(|(key, _)| is_content(*key));
                let value = value(text, key, is_first.then_some(close.as_slice()));
                at = (value.end + key.len() + 3).min(text.len());
                parameters.push((key, inner(text, key, value)));
            }
            None => at = open + 1,
        }
    }
}

/// The span between the tags of a parameter; the end tag may be missing. Before `end_of_call` the value itself may
/// contain the end tag.
fn value(text: &[u8], key: Span, end_of_call: Option<&[u8]>) -> Span {
    let close = end_tag(&text[key.start..key.end]);
    let start = key.end + 1;
    let Some(mut end) = memchr::memmem::find(&text[start..], &close).map(|end| start + end) else {
        return Span::new(start, text.len());
    };
    if let Some(over) = end_of_call.and_then(|over| memchr::memmem::find(&text[end..], over)).map(|over| end + over)
        && let Some(last) = memchr::memmem::rfind(&text[end..over], &close)
    {
        end += last;
    }
    Span::new(start, end)
}

fn inner(text: &[u8], key: Span, value: Span) -> Span {
    let bytes = &text[value.start..value.end];
    if !VERBATIM.contains(&&text[key.start..key.end]) {
        return trim(bytes, value.start);
    }
    let start = value.start + usize::from(bytes.first() == Some(&b'\n'));
    let end = value.end - usize::from(bytes.last() == Some(&b'\n'));
    Span::new(start, end.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_by_the_names_of_their_tools() {
        let check = |text: &str, expected: &str| {
            let said = |span: &Span| text[span.start..span.end].escape_debug().to_string();
            let told = |stretch: &TextPart| match stretch {
                TextPart::Words(span) => format!("'{}'", said(span)),
                TextPart::Call(call) => {
                    let parameters =
                        call.parameters.iter().map(|(name, value)| format!(" {}={}", said(name), said(value)));
                    format!("{}{}", said(&call.name), parameters.collect::<String>())
                }
            };
            let found: Vec<String> = stretches(text.as_bytes()).iter().map(told).collect();
            assert_eq!(found.join(" | "), expected, "{text:?}");
        };
        check("only words <b>here</b>", "'only words <b>here</b>'");
        check("I look.\n<read_file>\n<path> a.rs </path>\n</read_file>", r"'I look.\n' | read_file path=a.rs");
        check(
            "<list_files><path>.</path><recursive>true</recursive></list_files> done",
            "list_files path=. recursive=true | ' done'",
        );
        check(
            "<write_to_file><path>a</path><content>\n<p>\n</content>\n</content></write_to_file>",
            r"write_to_file path=a content=<p>\n</content>",
        );
        check("<apply_diff><diff>\n a < b\n</diff></apply_diff>", "apply_diff diff= a < b");
        check("<read_file><path>a", "read_file path=a");
        check("<read_file>", "read_file");
        check("<read_file></read_file><read_file>", "read_file | read_file");
        check("a <read_file", "'a <read_file'");
        check("<condense><content></content>", "condense content=");
    }
}
