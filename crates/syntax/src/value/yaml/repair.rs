//! Parses a text, and parses it again if the parser rejects what a library accepts, or has returned nothing.
//!
//! The parser ends a text at a NUL byte, rejects other control characters, and lets a comment end a block scalar with
//! an indentation indicator: all are replaced for another attempt. A bracket may begin a key, so the parser holds back
//! everything in it until its line ends; a JSON body on one line that is cut off would have no tree at all, and is
//! parsed with its brackets closed.

use std::collections::BTreeSet;

use super::build::Builder;
use super::{Library, MAX_BYTES, MAX_DEPTH, YamlOutcome, YamlSource};
use crate::diagnostic::{Code, Diagnostic};

/// Most comments at the edges of block scalars that are left out, each at the cost of parsing again.
const MAX_COMMENTS: usize = 8;

/// Parses a text as `library` does; again if a NUL byte, a comment or an open bracket stops the parser.
pub(super) fn read(source: &YamlSource, library: Library) -> YamlOutcome {
    let length = source.text().len();
    let mut builder = Builder::new(source, library, &[]);
    if length > MAX_BYTES {
        let message = format!("{length} bytes of YAML; at most {MAX_BYTES} are read");
        builder.refuse(Diagnostic::new(Code::YamlTooLarge, source.span(0, 1), message));
        return builder.finish();
    }
    if library == Library::JsYaml
        && let Some(at) = memchr::memchr(0, source.text().as_bytes())
    {
        let problem = Diagnostic::new(Code::YamlSyntax, source.span(at, at + 1), "a NUL byte cannot be read");
        let help = "delete the NUL byte, or write it as \"\\0\" in quotes";
        builder.refuse(problem.contrast("text", "a NUL byte").help(help));
        return builder.finish();
    }
    if library == Library::Yaml
        && source.text().contains(is_control)
        && let Some((source, stand_ins)) = without_controls(source)
    {
        return read_text(&source, library, &stand_ins);
    }
    read_text(source, library, &[])
}

/// Parses a text that the parser accepts; `stand_ins` are placeholders in it, each with its original character.
fn read_text(source: &YamlSource, library: Library, stand_ins: &[(char, char)]) -> YamlOutcome {
    let mut changed: Option<YamlSource> = None;
    let mut comments = 0;
    let (mut out, fine_to) = loop {
        let source = changed.as_ref().unwrap_or(source);
        let mut builder = Builder::new(source, library, stand_ins);
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
        let mut builder = Builder::new(&repaired, library, stand_ins);
        builder.read();
        let again = builder.finish();
        if again.error.is_none() {
            out = YamlOutcome { problems: out.problems, error: out.error, ..again };
        }
    }
    out
}

/// True for a control character other than whitespace.
fn is_control(char: char) -> bool {
    char.is_ascii_control() && !matches!(char, '\t' | '\n' | '\r')
}

/// The text with its control characters, which the parser rejects, replaced by letters that it does not contain; `None`
/// if there are not enough letters.
fn without_controls(source: &YamlSource) -> Option<(YamlSource, Vec<(char, char)>)> {
    let mut letters = ('A'..='Z').chain('a'..='z').filter(|&char| !source.text().contains(char));
    let controls: BTreeSet<char> = source.text().chars().filter(|&char| is_control(char)).collect();
    let mut changed = source.clone();
    let mut stand_ins = Vec::new();
    for control in controls {
        let letter = letters.next()?;
        changed.replace(control, letter);
        stand_ins.push((letter, control));
    }
    Some((changed, stand_ins))
}

/// The text without the comments that begin on the line of `at`, if that is a comment and the next line is not indented
/// more. They end a block scalar with an indentation indicator; the parser takes the first one as its first line.
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

/// The text up to a fault with its quotation and brackets closed; `None` if none are open.
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
