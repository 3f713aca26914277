//! Generates a short, readable text that a pattern matches, with placeholders for its named groups.
//!
//! It represents the pattern in messages, and is the marker in written calls.

use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// A part of a text that a pattern matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Words(String),
    /// The text of the group with this name.
    Group(String),
}

/// Preferred characters for a class, best first.
const PLAIN: [char; 7] = [' ', '\n', 'x', '0', '_', '-', '.'];

/// Maximum length in bytes of a repetition.
const MOST: usize = 256;

/// The parts of a matching text; the recursion is limited by the nesting depth of patterns.
pub(super) fn pieces(hir: &Hir) -> Vec<Piece> {
    let mut out = Vec::new();
    write(hir, &mut out);
    out
}

fn write(hir: &Hir, out: &mut Vec<Piece>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => push(&String::from_utf8_lossy(&literal.0), out),
        HirKind::Class(class) => {
            let holds = |c: char| match class {
                Class::Unicode(class) => class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&c)),
                Class::Bytes(class) => class
                    .ranges()
                    .iter()
                    .any(|range| u8::try_from(c).is_ok_and(|byte| (range.start()..=range.end()).contains(&byte))),
            };
            let first = match class {
                Class::Unicode(class) => class.ranges().first().map(ClassUnicodeRange::start),
                Class::Bytes(class) => class.ranges().first().map(|range| char::from(range.start())),
            };
            let chosen = PLAIN.into_iter().find(|c| holds(*c)).or(first);
            push(&chosen.map(String::from).unwrap_or_default(), out);
        }
        HirKind::Repetition(repetition) => {
            for _ in 0..(repetition.min as usize).min(MOST) {
                if out.len() < MOST {
                    write(&repetition.sub, out);
                }
            }
        }
        HirKind::Capture(capture) => match &capture.name {
            Some(name) if !name.starts_with(super::python::AHEAD) => out.push(Piece::Group(name.to_string())),
            _ => write(&capture.sub, out),
        },
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, out)),
        HirKind::Alternation(parts) => {
            let written = parts.iter().map(pieces).find(|pieces| !pieces.is_empty());
            for piece in written.unwrap_or_default() {
                match piece {
                    Piece::Words(words) => push(&words, out),
                    group @ Piece::Group(_) => out.push(group),
                }
            }
        }
    }
}

fn push(words: &str, out: &mut Vec<Piece>) {
    match out.last_mut() {
        Some(Piece::Words(last)) => last.push_str(words),
        _ => out.push(Piece::Words(words.to_owned())),
    }
}
