//! Reads a text, and reads it again where the parser cannot read what a library reads, or has told of nothing.
//!
//! A NUL byte ends a text to the parser, and a comment may end a text with an indentation of its own: both are read
//! with other bytes in their places. A bracket may be the beginning of a key, so a parser holds back everything inside
//! of it until its line ends; a JSON body on one line that is cut off would have no tree at all, and is read with its
//! brackets closed.

use super::build::Builder;
use super::{Library, MAX_BYTES, MAX_DEPTH, YamlOutcome, YamlSource};
use crate::diagnostic::{Code, Diagnostic};

/// Comments at the edge of texts with an indentation of their own that are left out, each at the cost of another reading.
const MAX_COMMENTS: usize = 8;

/// Reads a text as `library` does; again where a NUL byte, a comment or an open bracket stops the parser.
pub(super) fn read(source: &YamlSource, library: Library) -> YamlOutcome {
    let length = source.text().len();
    let mut builder = Builder::new(source, library, None);
    if length > MAX_BYTES {
        let message = format!("{length} bytes of YAML; at most {MAX_BYTES} are read");
        builder.refuse(Diagnostic::new(Code::YamlTooLarge, source.span(0, 1), message));
        return builder.finish();
    }
    if let Some(at) = memchr::memchr(0, source.text().as_bytes()) {
        if library == Library::JsYaml {
            let problem = Diagnostic::new(Code::YamlSyntax, source.span(at, at + 1), "a NUL byte cannot be read");
            let help = "delete the NUL byte, or write it as \"\\0\" in quotes";
            builder.refuse(problem.contrast("text", "a NUL byte").help(help));
            return builder.finish();
        }
        if let Some((source, stand_in)) = without_nul(source) {
            return read_text(&source, library, Some(stand_in));
        }
    }
    read_text(source, library, None)
}

/// Reads a text that the parser can read; `stand_in` takes the place of NUL in it.
fn read_text(source: &YamlSource, library: Library, stand_in: Option<char>) -> YamlOutcome {
    let mut changed: Option<YamlSource> = None;
    let mut comments = 0;
    let (mut out, fine_to) = loop {
        let source = changed.as_ref().unwrap_or(source);
        let mut builder = Builder::new(source, library, stand_in);
        builder.read();
        let (fine_to, comment) = (builder.fine_to, builder.comment);
        let out = builder.finish();
        let without = comment.filter(|_| comments < MAX_COMMENTS).and_then(|at| without_comment(source, at));
        let Some(without) = without else { break (out, fine_to) };
        changed = Some(without);
        comments += 1;
    };
    if out.tree.is_empty()
        && let Some(repaired) = fine_to.and_then(|end| repaired(source, end))
    {
        let mut builder = Builder::new(&repaired, library, stand_in);
        builder.read();
        let again = builder.finish();
        if again.error.is_none() {
            out = YamlOutcome { problems: out.problems, error: out.error, ..again };
        }
    }
    out
}

/// The text with a letter that it does not have in the place of NUL, which ends a text to the parser; nothing where it has
/// all of them.
fn without_nul(source: &YamlSource) -> Option<(YamlSource, char)> {
    let stand_in = ('A'..='Z').chain('a'..='z').find(|&char| !source.text().contains(char))?;
    let mut changed = source.clone();
    changed.replace_nul(stand_in);
    Some((changed, stand_in))
}

/// The text without the comments that begin on the line of `at`, if that is a comment and what follows is not indented
/// more. They end a text whose first line is indented as its header says; the parser takes the first one for that line.
fn without_comment(source: &YamlSource, at: usize) -> Option<YamlSource> {
    let text = source.text();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let start = text.get(..at)?.rfind('\n').map_or(0, |feed| feed + 1);
    let mut lines = text[start..].split_inclusive('\n');
    let first = lines.clone().next().filter(|line| line.trim_start().starts_with('#'))?;
    let is_comment = |line: &&str| line.trim_start().starts_with('#') || line.trim().is_empty();
    let end = start + lines.by_ref().take_while(is_comment).map(str::len).sum::<usize>();
    let next = text[end..].split('\n').next().unwrap_or_default();
    let mut changed = source.clone();
    changed.blank(start, end);
    (indent(next) <= indent(first)).then_some(changed)
}

/// The text up to a fault with its quotation and its brackets closed; `None` where there is none to be closed.
fn repaired(source: &YamlSource, end: usize) -> Option<YamlSource> {
    let bytes = &source.text().as_bytes()[..end];
    let mut closing: Vec<u8> = Vec::new();
    let mut quoted = None;
    let mut escaped = false;
    for (at, &byte) in bytes.iter().enumerate() {
        if let Some(mark) = quoted {
            quoted = quoted.filter(|_| escaped || byte != mark);
            escaped = !escaped && mark == b'"' && byte == b'\\';
            continue;
        }
        match byte {
            // An apostrophe in a word opens no quotation.
            b'"' | b'\'' if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() => quoted = Some(byte),
            b'{' => closing.push(b'}'),
            b'[' => closing.push(b']'),
            b'}' | b']' => drop(closing.pop()),
            _ => {}
        }
    }
    if closing.is_empty() || closing.len() > MAX_DEPTH {
        return None;
    }
    let mut repaired = source.clone();
    let end = end - usize::from(escaped);
    repaired.truncate(end);
    closing.extend(quoted);
    closing.reverse();
    repaired.push_made_up(&String::from_utf8_lossy(&closing));
    Some(repaired)
}
