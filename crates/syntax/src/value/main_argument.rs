//! The argument that characterizes a call of a tool: the file that is read, the command that is run.
//!
//! Chosen by its key, else the first short value.

use super::{NodeId, ParamTree, ROOT, Scalar, Value};
use crate::text::{Text, trim};

/// Keys of characteristic arguments, the most characteristic first.
const KEYS: &[&str] = &[
    // Files.
    "file_path",
    "filePath",
    "notebook_path",
    "target_file",
    "filename",
    "file_name",
    "fileName",
    // Commands.
    "command",
    "cmd",
    "script",
    "code",
    // Queries and questions.
    "query",
    "pattern",
    "regex",
    "q",
    "search",
    "url",
    "uri",
    "question",
    "prompt",
    // Locations, which often only limit a query.
    "path",
    "file",
    "directory",
    "dir",
    "name",
    "title",
];

/// Most bytes of a value that may characterize a call although its key does not.
const SHORT: usize = 120;

/// Most bytes of a value that are read; a value with this many may be cut off.
pub const READ: usize = 400;

/// Most words that are read of a command in an array.
const WORDS: usize = 32;

/// The characteristic argument of a call in one line; `None` if there is none. Keys that are `preferred` precede known
/// ones.
pub fn main_argument(tree: &ParamTree, text: &Text, preferred: &[String]) -> Option<String> {
    let children = tree.node(ROOT).value.children();
    if let Value::Scalar(_, _) = tree.node(ROOT).value {
        return line(tree, ROOT, text);
    }
    let children = &children[..children.len().min(KEYS.len() * 2)];
    if let Some(words) = named_argument(tree, preferred).and_then(|id| words(tree, id, text)) {
        return Some(words);
    }
    let is_short = |&&id: &&NodeId| matches!(&tree.node(id).value, Value::Scalar(_, span) if span.len() <= SHORT);
    let of_kind = |is_text: bool| {
        let is_of_kind =
            move |&&id: &&NodeId| matches!(tree.node(id).value, Value::Scalar(Scalar::String, _)) == is_text;
        children.iter().filter(is_short).filter(is_of_kind).find_map(|&id| line(tree, id, text))
    };
    of_kind(true).or_else(|| of_kind(false)).or_else(|| children.iter().find_map(|&id| words(tree, id, text)))
}

/// The argument that characterizes a call by its key. Keys that are `preferred` precede known ones.
pub fn named_argument(tree: &ParamTree, preferred: &[String]) -> Option<NodeId> {
    let children = tree.node(ROOT).value.children();
    let children = &children[..children.len().min(KEYS.len() * 2)];
    // The text to be replaced is a part of a file, not the subject of the call.
    let is_edit = children.iter().any(|&id| tree.node(id).key == "replace");
    let known = KEYS.iter().copied().filter(|key| !is_edit || *key != "search");
    let mut keys = preferred.iter().map(String::as_str).chain(known);
    keys.find_map(|key| children.iter().find(|&&id| tree.node(id).key == key).copied())
}

/// A value in one line: a plain one, the words of a command in an array, or the questions in an array.
fn words(tree: &ParamTree, id: NodeId, text: &Text) -> Option<String> {
    let Value::Array(elements) = &tree.node(id).value else { return line(tree, id, text) };
    let question = |id: NodeId| {
        let members = tree.node(id).value.children();
        members.iter().find(|&&member| tree.node(member).key == "question").and_then(|&member| line(tree, member, text))
    };
    let word = |&id: &NodeId| line(tree, id, text).or_else(|| question(id));
    let words: Vec<String> = elements.iter().take(WORDS).filter_map(word).collect();
    // The script is more characteristic than the shell that runs it.
    match words.as_slice() {
        [shell, flag, script, ..] if flag.starts_with('-') && flag.ends_with('c') && shell.ends_with("sh") => {
            Some(script.clone())
        }
        [] => None,
        words => Some(words.join(" ")),
    }
}

/// The first nonempty line of a plain value; `None` for a container or an empty value.
fn line(tree: &ParamTree, id: NodeId, text: &Text) -> Option<String> {
    let node = tree.node(id);
    let Value::Scalar(_, span) = node.value else { return None };
    let bytes = match &node.decoded {
        Some(decoded) => decoded.as_bytes().into(),
        None => text.read(crate::text::Span::new(span.start, span.end.min(span.start + READ))),
    };
    let bytes = &bytes[..bytes.len().min(READ)];
    let inner = trim(bytes, 0);
    let mut lines = bytes[inner.start..inner.end].split(|&byte| byte == b'\n');
    let first = lines.next()?.trim_ascii_end();
    let first = if first == b"*** Begin Patch" { patched_file(lines.next()?)? } else { first };
    (!first.is_empty()).then(|| String::from_utf8_lossy(first).into_owned())
}

/// The file in the first heading of a patch: `*** Update File: src/a.rs`.
fn patched_file(heading: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(heading, b" File: ")?;
    Some(heading[at + " File: ".len()..].trim_ascii())
}

/// A path shortened to `width` columns from the left; anything else unchanged.
pub fn shortened(words: &str, width: usize) -> String {
    let is_path = words.contains('/') && !words.contains(char::is_whitespace) && !words.contains("://");
    if !is_path || words.chars().count() <= width {
        return words.to_owned();
    }
    let words = words.trim_end_matches('/');
    let name = words.rsplit('/').next().unwrap_or(words);
    let mut kept = name.len();
    for (at, _) in words.rmatch_indices('/') {
        if words[at..].chars().count() + 1 > width {
            break;
        }
        kept = kept.max(words.len() - at);
    }
    let end = &words[words.len() - kept..];
    if end.starts_with('/') { format!("…{end}") } else { end.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_path_the_end_is_kept() {
        for (words, width, expected) in [
            ("/home/ana/app/src/NavUser.tsx", 40, "/home/ana/app/src/NavUser.tsx"),
            ("/home/ana/app/src/NavUser.tsx", 18, "…/src/NavUser.tsx"),
            ("/home/ana/app/src/NavUser.tsx", 13, "…/NavUser.tsx"),
            ("/home/ana/app/src/NavUser.tsx", 12, "NavUser.tsx"),
            ("/home/ana/app/src/NavUser.tsx", 4, "NavUser.tsx"),
            ("cat /home/ana/app/src/NavUser.tsx", 10, "cat /home/ana/app/src/NavUser.tsx"),
            ("https://example.com/a/b", 10, "https://example.com/a/b"),
            ("a/src/", 4, "src"),
        ] {
            assert_eq!(shortened(words, width), expected, "{words} in {width}");
        }
    }
}
