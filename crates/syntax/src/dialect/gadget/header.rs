//! The header line: name, id and dependencies, and problems with them.
//!
//! The line is trimmed and split at colons; the name keeps its trailing whitespace, and everything after the id is
//! dependencies (reference runtime, since release 16.2.1).

use std::collections::HashSet;

use super::{Marker, Markers};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Header, Word, hidden_characters};
use crate::text::{Span, trim, trim_end};

/// Number of dependencies up to which duplicates are found by linear search.
const FEW: usize = 16;

/// Parses a header from the bytes between the start marker and the line feed, which begin at offset `start`.
pub(super) fn parse(line: &[u8], start: usize) -> Header {
    let trimmed = trim(line, start);
    let mut fields = split(&line[trimmed.start - start..trimmed.end - start], trimmed.start, b':');
    let name = Word::plain(fields.next().unwrap_or(trimmed));
    let field = |span: Span| trim(&line[span.start - start..span.end - start], span.start);
    let id = fields.next().map(field).map(Word::plain);
    let mut dependencies: Vec<Word> = Vec::new();
    let mut known: HashSet<&[u8]> = HashSet::new();
    for list in fields {
        let bytes = &line[list.start - start..list.end - start];
        for dependency in split(bytes, list.start, b',').map(field).filter(|span| !span.is_empty()) {
            let text = |span: Span| &line[span.start - start..span.end - start];
            let is_new = if dependencies.len() < FEW {
                !dependencies.iter().any(|known| text(known.span) == text(dependency))
            } else {
                if known.is_empty() {
                    known.extend(dependencies.iter().map(|known| text(known.span)));
                }
                known.insert(text(dependency))
            };
            if is_new {
                dependencies.push(Word::plain(dependency));
            }
        }
    }
    Header { name, id, dependencies }
}

/// The parts of `bytes`, which begin at offset `start`, between the separators.
fn split(bytes: &[u8], start: usize, separator: u8) -> impl Iterator<Item = Span> + '_ {
    let mut at = start;
    bytes.split(move |&byte| byte == separator).map(move |piece| {
        let span = Span::new(at, at + piece.len());
        at = span.end + 1;
        span
    })
}

/// Problems with a header; `bytes` is the content of `line`.
pub(super) fn judge(bytes: &[u8], line: Span, marker: Span, header: &Header, markers: &Markers) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    if is_plain(bytes, line.start, header, markers) {
        return problems;
    }
    let text = |span: Span| String::from_utf8_lossy(&bytes[span.start - line.start..span.end - line.start]);
    let swallowed = [Marker::End, Marker::Argument, Marker::Start].into_iter().find_map(|other| {
        let at = memchr::memmem::find(bytes, markers.text(other).as_bytes())?;
        Some((other, Span::new(line.start + at, line.start + at + markers.text(other).len())))
    });
    if let Some((other, span)) = swallowed {
        let message = format!("the {other} is part of the header and has no effect");
        problems.push(
            Diagnostic::new(Code::MarkerOnHeaderLine, span, message).contrast("a line feed", markers.text(other)),
        );
    }
    let name = header.name.span;
    let written = &bytes[name.start - line.start..name.end - line.start];
    let kept = Span::new(name.start, name.start + trim_end(written));
    if kept.is_empty() {
        problems.push(Diagnostic::new(Code::EmptyName, marker, "the call has no name"));
    } else if kept != name {
        let message = "the white space before the colon belongs to the name";
        let problem = Diagnostic::new(Code::PaddedName, Span::new(kept.end, name.end), message);
        problems.push(problem.contrast(text(kept), format!("\"{}\"", text(name))));
    }
    if header.id.as_ref().is_some_and(|id| id.span.is_empty()) {
        let colon = Span::new(header.name.span.end, header.name.span.end + 1);
        problems.push(Diagnostic::new(Code::EmptyId, colon, "the id is empty").contrast("an id, or no colon", ":"));
    }
    problems.extend(colon_dependency(bytes, line, header));
    for span in
        [Some(&header.name), header.id.as_ref()].into_iter().flatten().chain(&header.dependencies).map(|word| word.span)
    {
        problems.extend(hidden_characters(&text(span), span, "the header"));
    }
    problems
}

/// True if a header surely has no problems, as most do.
fn is_plain(bytes: &[u8], start: usize, header: &Header, markers: &Markers) -> bool {
    let [first, second, third] = markers.all().map(|marker| marker.as_bytes()[0]);
    let ends = |span: Span| !span.is_empty() && bytes[span.end - 1 - start] != b' ';
    let is_odd = |byte: u8| !matches!(byte, b' '..=b'~') || byte == first || byte == second || byte == third;
    // The loop has no early exit, so that it is vectorised to sixteen bytes at a time.
    let has_odd = bytes.iter().fold(false, |found, &byte| found | is_odd(byte));
    let colons = memchr::memchr_iter(b':', bytes).count();
    !has_odd && colons <= 2 && ends(header.name.span) && header.id.as_ref().is_none_or(|id| ends(id.span))
}

/// Reports a colon between two dependencies, where a comma belongs.
fn colon_dependency(bytes: &[u8], line: Span, header: &Header) -> Option<Diagnostic> {
    header.dependencies.windows(2).find_map(|pair| {
        let between = &bytes[pair[0].span.end - line.start..pair[1].span.start - line.start];
        let at = pair[0].span.end + memchr::memchr(b':', between)?;
        let message = "a colon between dependencies is read as a comma";
        Some(
            Diagnostic::new(Code::ColonDependency, Span::new(at, at + 1), message).contrast(",", ":").replace_with(","),
        )
    })
}
