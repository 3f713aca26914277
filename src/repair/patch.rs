//! Edits of a text: made, put together, and shown as lines.
//!
//! This module does not know what the edits are for.

/// What becomes of a line: it stays, is deleted or is inserted.
pub use similar::ChangeTag as LineChange;
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use crate::diagnostic::Edit;
use crate::text::{Span, sanitize};

/// Edits that are put into words one by one.
const WORDED: usize = 3;

/// Longest stretch of text that is quoted, in characters.
const QUOTED: usize = 32;

/// Edits of a text, in its order; none touches another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// In the order of the text; two may meet but not overlap.
    pub edits: Vec<Edit>,
}

/// Lines that change, between lines that do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Number of its first line in the text as it was, from 0.
    pub old_start: usize,
    /// Number of its first line in the text as it will be, from 0.
    pub new_start: usize,
    /// Its lines with their line feeds; the last one of the text may have none.
    pub lines: Vec<(LineChange, Vec<u8>)>,
}

/// A stretch of a text that was edited.
#[derive(Clone, Debug)]
enum Piece {
    /// A stretch of the text as it was.
    Old(Span),
    /// Text that an edit has put there.
    New(String),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Piece::Old(span) => span.len(),
            Piece::New(text) => text.len(),
        }
    }

    /// Its bytes from `start` to `end`, counted from its own beginning.
    fn slice(&self, start: usize, end: usize) -> Piece {
        match self {
            Piece::Old(span) => Piece::Old(Span::new(span.start + start, span.start + end)),
            // The edits of a text with this in it need not end between its characters.
            Piece::New(text) => Piece::New(String::from_utf8_lossy(&text.as_bytes()[start..end]).into_owned()),
        }
    }
}

impl Repair {
    /// A repair that is a single edit.
    pub fn new(span: Span, with: impl Into<String>) -> Self {
        Self { edits: vec![Edit { span, with: with.into() }] }
    }

    /// The text with the edits made.
    pub fn applied(&self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len() + 64);
        let mut at = 0;
        for edit in &self.edits {
            out.extend_from_slice(&text[at..edit.span.start.clamp(at, text.len())]);
            out.extend_from_slice(edit.with.as_bytes());
            at = edit.span.end.clamp(at, text.len());
        }
        out.extend_from_slice(&text[at..]);
        out
    }

    /// All that the edits reach over.
    pub fn span(&self) -> Span {
        let spans = self.edits.iter().map(|edit| edit.span);
        spans.reduce(Span::cover).unwrap_or_default()
    }

    /// Where an offset of the repaired text was before; in what was put in, where that was put.
    pub fn before(&self, offset: usize) -> usize {
        let (mut old, mut new) = (0, 0);
        for edit in &self.edits {
            let kept = edit.span.start - old;
            if offset < new + kept {
                break;
            }
            new += kept + edit.with.len();
            old = edit.span.end;
            if offset < new {
                return edit.span.start;
            }
        }
        old + (offset - new)
    }

    /// Where an offset of the text is in the repaired one; of what was taken out, where it would be.
    pub fn after(&self, offset: usize) -> usize {
        let (mut old, mut new) = (0, 0);
        for edit in &self.edits {
            if offset < edit.span.end {
                return new + offset.min(edit.span.start) - old;
            }
            new += edit.span.start - old + edit.with.len();
            old = edit.span.end;
        }
        new + offset - old
    }

    /// This, and then edits of what it makes, as one.
    #[must_use]
    pub fn then(&self, next: &Repair) -> Repair {
        let pieces = self.pieces();
        let mut out = Vec::with_capacity(pieces.len() + 2 * next.edits.len());
        let mut at = 0;
        for edit in &next.edits {
            slice(&pieces, at, edit.span.start, &mut out);
            out.push(Piece::New(edit.with.clone()));
            at = edit.span.end;
        }
        slice(&pieces, at, usize::MAX, &mut out);
        let mut edits = Vec::new();
        let (mut old, mut with) = (0, String::new());
        for piece in out {
            match piece {
                Piece::New(text) => with.push_str(&text),
                Piece::Old(span) => {
                    if span.start > old || !with.is_empty() {
                        edits.push(Edit { span: Span::new(old, span.start), with: std::mem::take(&mut with) });
                    }
                    old = span.end;
                }
            }
        }
        Repair { edits }
    }

    /// What the repaired text consists of. The last piece reaches beyond every end.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(2 * self.edits.len() + 1);
        let mut at = 0;
        for edit in &self.edits {
            pieces.push(Piece::Old(Span::new(at, edit.span.start)));
            pieces.push(Piece::New(edit.with.clone()));
            at = edit.span.end;
        }
        pieces.push(Piece::Old(Span::new(at, usize::MAX)));
        pieces
    }

    /// What is done, in words: ``delete `,`; replace `True` with `true` ``.
    pub fn words(&self, text: &[u8]) -> String {
        let mut words: Vec<String> = self.edits.iter().take(WORDED).map(|edit| in_words(edit, text)).collect();
        words.dedup();
        let more = self.edits.len().saturating_sub(WORDED);
        if more > 0 {
            words.push(format!("{more} more"));
        }
        words.join("; ")
    }

    /// The lines that change, with `context` lines in front of them and behind.
    pub fn hunks(&self, text: &[u8], context: usize) -> Vec<Hunk> {
        let repaired = self.applied(text);
        let (old, new) = (lines_of(text), lines_of(&repaired));
        let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
        let hunk = |ops: &Vec<DiffOp>| {
            let first = ops.first()?;
            let changes = ops.iter().flat_map(|op| op.iter_changes(&old, &new));
            let lines = changes.map(|change| (change.tag(), change.value().to_vec())).collect();
            Some(Hunk { old_start: first.old_range().start, new_start: first.new_range().start, lines })
        };
        group_diff_ops(ops, context).iter().filter_map(hunk).collect()
    }
}

/// The lines of a text with their line feeds.
fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// The pieces between two offsets of what they make.
fn slice(pieces: &[Piece], from: usize, to: usize, out: &mut Vec<Piece>) {
    let mut at = 0_usize;
    for piece in pieces {
        let end = at.saturating_add(piece.len());
        let (start, stop) = (from.max(at), to.min(end));
        if start < stop {
            out.push(piece.slice(start - at, stop - at));
        }
        at = end;
    }
}

fn in_words(edit: &Edit, text: &[u8]) -> String {
    let old = quote(&text[edit.span.start.min(text.len())..edit.span.end.min(text.len())]);
    let new = quote(edit.with.as_bytes());
    match (edit.span.is_empty(), edit.with.is_empty()) {
        (true, _) => format!("insert {new}"),
        (false, true) => format!("delete {old}"),
        (false, false) => format!("replace {old} with {new}"),
    }
}

/// A stretch of text in a message.
fn quote(bytes: &[u8]) -> String {
    let blank = bytes.iter().all(u8::is_ascii_whitespace);
    let text = if blank { bytes } else { bytes.trim_ascii() };
    let mut shown: String = sanitize::label_glyphs(text).take(QUOTED).map(|glyph| glyph.text).collect();
    if sanitize::label_glyphs(text).nth(QUOTED).is_some() {
        shown.push('…');
    }
    if shown.contains('`') { format!("\"{shown}\"") } else { format!("`{shown}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repair(edits: &[(usize, usize, &str)]) -> Repair {
        let edit = |&(start, end, with): &(usize, usize, &str)| Edit { span: Span::new(start, end), with: with.into() };
        Repair { edits: edits.iter().map(edit).collect() }
    }

    #[test]
    fn edits_one_after_another_are_as_edits_at_once_and_places_lead_there_and_back() {
        let text = "0123456789";
        let lists = [
            repair(&[]),
            repair(&[(0, 0, "ab")]),
            repair(&[(2, 4, "")]),
            repair(&[(1, 2, "xyz"), (2, 2, "-"), (9, 10, "")]),
            repair(&[(0, 8, "q"), (8, 8, "rst")]),
            repair(&[(5, 5, "pqr")]),
        ];
        for first in &lists {
            let halfway = first.applied(text.as_bytes());
            for second in &lists {
                if second.span().end > halfway.len() {
                    continue;
                }
                let both = first.then(second);
                let after = second.applied(&halfway);
                assert_eq!(both.applied(text.as_bytes()), after, "{first:?} then {second:?}");
                for offset in 0..text.len() {
                    let there = both.after(offset);
                    let gone = both.edits.iter().any(|edit| edit.span.contains(offset));
                    assert!(gone || after.get(there) == text.as_bytes().get(offset), "{offset} in {both:?}");
                    assert!(gone || both.before(there) == offset, "{offset} in {both:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_done_is_said_by_what_is_edited() {
        let text = b"a, True\n\x1bb";
        for (edits, words) in [
            (&[(1, 2, "")][..], "delete `,`"),
            (&[(1, 2, ""), (3, 7, "true")], "delete `,`; replace `True` with `true`"),
            (&[(0, 0, "!!!GADGET_END\n")], "insert `!!!GADGET_END`"),
            (&[(7, 8, "")], "delete `␊`"),
            (&[(8, 9, "")], "delete `␛`"),
            (
                &[(0, 1, "1"), (1, 2, "2"), (2, 3, "3"), (3, 4, "4"), (4, 5, "5")],
                "replace `a` with `1`; replace `,` with `2`; replace ` ` with `3`; 2 more",
            ),
        ] {
            assert_eq!(repair(edits).words(text), words);
        }
    }

    #[test]
    fn lines_that_change_are_shown_between_those_that_do_not() {
        let text = b"1\n2\n3\n4\n5\n6\n7\n8\n9";
        let sign = |change| match change {
            LineChange::Equal => ' ',
            LineChange::Delete => '-',
            LineChange::Insert => '+',
        };
        let line = |(change, line): (LineChange, Vec<u8>)| {
            format!("{}{}", sign(change), String::from_utf8_lossy(&line).replace('\n', ";"))
        };
        let hunk = |hunk: Hunk| {
            let lines: String = hunk.lines.into_iter().map(line).collect();
            format!("@{},{} {lines}", hunk.old_start, hunk.new_start)
        };
        let shown = |edits: &[(usize, usize, &str)], context| {
            repair(edits).hunks(text, context).into_iter().map(hunk).collect::<String>()
        };
        assert_eq!(shown(&[(2, 3, "two")], 1), "@0,0  1;-2;+two; 3;");
        assert_eq!(shown(&[(2, 2, "new\n"), (16, 17, "9\n")], 1), "@0,0  1;+new; 2;@7,8  8;-9+9;");
        assert_eq!(shown(&[(2, 4, ""), (6, 8, "")], 1), "@0,0  1;-2; 3;-4; 5;");
        assert_eq!(shown(&[], 1), "");
    }
}
