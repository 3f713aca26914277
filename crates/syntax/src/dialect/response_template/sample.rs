//! A text that a pattern matches, as short and plain as it can be, with places for its named groups.
//!
//! It is what stands for a pattern where a person reads it, and what is written where a call is. This module does not
//! know what a pattern is for.

use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// A part of a text that a pattern matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Words(String),
    /// What a group of this name matches.
    Group(String),
}

/// Characters that stand for a class that has them, the best first.
const PLAIN: [char; 7] = [' ', '\n', 'x', '0', '_', '-', '.'];

/// Bytes of a repetition that are written at most.
const MOST: usize = 256;

/// The parts of a text that matches; expressions are at most as deep as patterns may be.
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
