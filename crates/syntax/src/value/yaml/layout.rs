//! Layouts that both JavaScript libraries, or one of them, reject although the parser accepts them.

use memchr::memchr_iter;

use super::YamlSource;
use crate::diagnostic::{Code, Diagnostic};

/// Offset at which a text in brackets or quotes, which begins in the block at `column`, continues at that column or
/// left of it. The closing bracket, at `closing`, may be there.
pub(super) fn under_indented(
    text: &str,
    place: (usize, usize),
    column: usize,
    closing: Option<usize>,
) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr_iter(b'\n', &bytes[place.0..place.1]).find_map(|feed| {
        let line = &bytes[place.0 + feed + 1..place.1];
        let indent = line.iter().take_while(|&&byte| byte == b' ').count();
        let tabs = line[indent..].iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
        line.get(indent + tabs).filter(|byte| !b"\r\n#".contains(byte))?;
        let at = place.0 + feed + 1 + indent + tabs;
        (indent <= column && !(indent == column && closing == Some(at))).then_some(at)
    })
}

/// The problem at such an offset.
pub(super) fn too_far_left(source: &YamlSource, at: usize, column: usize) -> Diagnostic {
    let rest = source.text()[at..].lines().next().unwrap_or_default();
    let span = source.span(at, at + rest.trim_end().len());
    let message = "the line continues the value above and is not indented more than its key";
    Diagnostic::new(Code::YamlSyntax, span, message)
        .contrast(format!("more than {column} spaces"), "less")
        .help("indent each line of a value more than its key")
}

/// Offset of the dash of a list entry, if that is the next thing after `at` and begins a later line.
pub(super) fn next_entry(text: &str, at: usize) -> Option<usize> {
    let mut start = at + text[at..].find('\n')? + 1;
    for line in text[start..].split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t']);
        if !(content.trim_end().is_empty() || content.starts_with('#')) {
            let is_entry =
                content.strip_prefix('-').is_some_and(|rest| rest.trim_start().len() < rest.len() || rest.is_empty());
            return is_entry.then_some(start + line.len() - content.len());
        }
        start += line.len();
    }
    None
}

/// Offset of a tab in the text before a block on its line, which has only `-`, `?`, `:` and whitespace.
pub(super) fn tab_before(lead: &str) -> Option<usize> {
    lead.bytes().all(|byte| b" \t-?:".contains(&byte)).then(|| lead.find('\t')).flatten()
}

/// Offset of text after the first `...`, which ends a document even if none has begun.
pub(super) fn behind_the_end(text: &str) -> Option<usize> {
    let ends = |line: &str| line.strip_prefix("...").is_some_and(|rest| rest.trim_start().len() < rest.len());
    let mut at = 0;
    let mut ended = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        if ended && !content.is_empty() && !content.starts_with('#') {
            return Some(at + line.len() - content.len());
        }
        ended |= ends(line) || line == "...";
        at += line.len();
    }
    None
}
