//! Edits of a text: applying and combining them, and showing them as a diff.

/// The status of a line in a diff: unchanged, deleted or inserted.
pub use similar::ChangeTag as LineChange;
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use crate::diagnostic::Edit;
use crate::text::{Span, sanitize};

/// Most edits that are described one by one.
const WORDED: usize = 3;

/// Most characters of a quotation of text.
const QUOTED: usize = 32;

/// Edits of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// In text order, without overlaps; adjacent edits are allowed.
    pub edits: Vec<Edit>,
}

/// Changed lines with context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Number of its first line in the original text, from 0.
    pub old_start: usize,
    /// Number of its first line in the repaired text, from 0.
    pub new_start: usize,
    /// Its lines with their line feeds; the last one of the text may have none.
    pub lines: Vec<(LineChange, Vec<u8>)>,
}

/// A part of an edited text.
#[derive(Clone, Debug)]
enum Piece {
    /// A range of the original text.
    Old(Span),
    /// Text inserted by an edit.
    New(String),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Piece::Old(span) => span.len(),
            Piece::New(text) => text.len(),
        }
    }

    /// Its bytes from `start` to `end`, relative to its start.
    fn slice(&self, start: usize, end: usize) -> Piece {
        match self {
            Piece::Old(span) => Piece::Old(Span::new(span.start + start, span.start + end)),
            // Edits of the repaired text need not respect character boundaries here.
            Piece::New(text) => Piece::New(String::from_utf8_lossy(&text.as_bytes()[start..end]).into_owned()),
        }
    }
}

impl Repair {
    /// A repair with a single edit.
    pub(crate) fn new(span: Span, with: impl Into<String>) -> Self {
        Self { edits: vec![Edit { span, with: with.into() }] }
    }

    /// The text with the edits applied.
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

    /// The span that covers all edits.
    pub fn span(&self) -> Span {
        let spans = self.edits.iter().map(|edit| edit.span);
        spans.reduce(Span::cover).unwrap_or_default()
    }

    /// Maps offsets between the original and the repaired text.
    pub fn map(&self) -> EditMap<'_> {
        EditMap::new(&self.edits)
    }

    /// The same edits for a text that has `offset` more bytes at its start.
    #[must_use]
    pub(crate) fn shifted(mut self, offset: usize) -> Self {
        for edit in &mut self.edits {
            edit.span = Span::new(edit.span.start + offset, edit.span.end + offset);
        }
        self
    }

    /// Composes this repair with edits of its result into a single repair.
    #[must_use]
    pub(crate) fn then(&self, next: &Repair) -> Repair {
        let mut out = Vec::with_capacity(2 * (self.edits.len() + next.edits.len()) + 2);
        let mut cursor = PieceCursor { pieces: self.pieces(), number: 0, used: 0, at: 0 };
        for edit in &next.edits {
            cursor.advance(edit.span.start, &mut |piece| out.push(piece));
            out.push(Piece::New(edit.with.clone()));
            cursor.advance(edit.span.end, &mut drop);
        }
        cursor.advance(usize::MAX, &mut |piece| out.push(piece));
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

    /// The parts of the repaired text. The last one is open-ended.
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

    /// Describes the edits: ``delete `,`; replace `True` with `true` ``.
    pub fn description(&self, text: &[u8]) -> String {
        let mut words: Vec<String> = self.edits.iter().take(WORDED).map(|edit| in_words(edit, text)).collect();
        words.dedup();
        let more = self.edits.len().saturating_sub(WORDED);
        if more > 0 {
            words.push(format!("{more} more"));
        }
        words.join("; ")
    }

    /// The lines that change, with `context` lines before and after them.
    pub fn hunks(&self, text: &[u8], context: usize) -> Vec<Hunk> {
        let repaired = self.applied(text);
        let (old, new) = (lines_of(text), lines_of(&repaired));
        let hunk = |ops: &Vec<DiffOp>| {
            let first = ops.first()?;
            let changes = ops.iter().flat_map(|op| op.iter_changes(&old, &new));
            let lines = changes.map(|change| (change.tag(), change.value().to_vec())).collect();
            Some(Hunk { old_start: first.old_range().start, new_start: first.new_range().start, lines })
        };
        group_diff_ops(self.line_ops(text, &old, &new), context).iter().filter_map(hunk).collect()
    }

    /// The line diff of both texts. Only lines that an edit touches are compared, so the cost does not grow with the
    /// text.
    fn line_ops(&self, text: &[u8], old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
        let mut ops: Vec<DiffOp> = Vec::new();
        let (mut at, mut line, mut new_line) = (0, 0, 0);
        let mut edits = self.edits.iter().peekable();
        while let Some(edit) = edits.next() {
            let before = breaks(&text[at..edit.span.start.clamp(at, text.len())]);
            equal(&mut ops, line, new_line, before);
            (line, new_line) = (line + before, new_line + before);
            // The lines from this edit to the first line that no edit touches.
            let start = edit.span.start.min(text.len());
            let mut end = end_of_lines(text, edit);
            let mut added = breaks(edit.with.as_bytes());
            let mut removed = breaks(&text[start..edit.span.end.clamp(start, text.len())]);
            while let Some(next) = edits.next_if(|next| next.span.start < end) {
                end = end.max(end_of_lines(text, next));
                added += breaks(next.with.as_bytes());
                removed += breaks(&text[next.span.start.min(text.len())..next.span.end.min(text.len())]);
            }
            let (count, last) = (old.len(), end >= text.len());
            let old_end = if last { count } else { line + breaks(&text[start..end]) };
            let kept = old_end - line;
            let new_end = if last { new.len() } else { new_line + kept + added - removed };
            for op in capture_diff_slices(Algorithm::Myers, &old[line..old_end], &new[new_line..new_end]) {
                push_op(&mut ops, moved(op, line, new_line));
            }
            (at, line, new_line) = (end, old_end, new_end);
        }
        equal(&mut ops, line, new_line, old.len() - line);
        ops
    }
}

/// Number of line feeds.
fn breaks(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

/// The offset after the lines that an edit touches. An edit that replaces whole lines touches no others.
fn end_of_lines(text: &[u8], edit: &Edit) -> usize {
    let begins_line = |offset: usize| offset == 0 || text.get(offset - 1) == Some(&b'\n');
    let is_whole = edit.with.is_empty() || edit.with.ends_with('\n');
    let end = edit.span.end.min(text.len());
    if is_whole && begins_line(edit.span.start) && begins_line(end) {
        return end;
    }
    memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |feed| end + feed + 1)
}

fn equal(ops: &mut Vec<DiffOp>, old_index: usize, new_index: usize, len: usize) {
    if len > 0 {
        push_op(ops, DiffOp::Equal { old_index, new_index, len });
    }
}

/// Appends a diff operation, merging consecutive ranges of unchanged lines.
fn push_op(ops: &mut Vec<DiffOp>, op: DiffOp) {
    match (ops.last_mut(), op) {
        (Some(DiffOp::Equal { len, .. }), DiffOp::Equal { len: more, .. }) => *len += more,
        _ => ops.push(op),
    }
}

/// Adds offsets to the line numbers of a diff operation.
fn moved(op: DiffOp, old: usize, new: usize) -> DiffOp {
    match op {
        DiffOp::Equal { old_index, new_index, len } => {
            DiffOp::Equal { old_index: old_index + old, new_index: new_index + new, len }
        }
        DiffOp::Delete { old_index, old_len, new_index } => {
            DiffOp::Delete { old_index: old_index + old, old_len, new_index: new_index + new }
        }
        DiffOp::Insert { old_index, new_index, new_len } => {
            DiffOp::Insert { old_index: old_index + old, new_index: new_index + new, new_len }
        }
        DiffOp::Replace { old_index, old_len, new_index, new_len } => {
            DiffOp::Replace { old_index: old_index + old, old_len, new_index: new_index + new, new_len }
        }
    }
}

/// The lines of a text with their line feeds.
fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// A position in the concatenation of some pieces.
struct PieceCursor {
    pieces: Vec<Piece>,
    /// Index of the current piece, and the number of its bytes before the cursor.
    number: usize,
    used: usize,
    /// Offset in the concatenation.
    at: usize,
}

impl PieceCursor {
    /// Moves forward to an offset, passing each piece or part of a piece on the way to `sink`.
    fn advance(&mut self, to: usize, sink: &mut dyn FnMut(Piece)) {
        while let Some(piece) = self.pieces.get(self.number) {
            let taken = (piece.len() - self.used).min(to.saturating_sub(self.at));
            if taken > 0 {
                sink(piece.slice(self.used, self.used + taken));
            }
            (self.used, self.at) = (self.used + taken, self.at.saturating_add(taken));
            if self.used < piece.len() {
                return;
            }
            (self.number, self.used) = (self.number + 1, 0);
        }
    }
}

/// Maps offsets between a text and the repaired one.
#[derive(Debug)]
pub struct EditMap<'a> {
    edits: &'a [Edit],
    /// The start of each edit in the repaired text.
    starts: Vec<usize>,
}

impl<'a> EditMap<'a> {
    fn new(edits: &'a [Edit]) -> Self {
        let mut starts = Vec::with_capacity(edits.len());
        let (mut old, mut new) = (0, 0);
        for edit in edits {
            new += edit.span.start - old;
            starts.push(new);
            new += edit.with.len();
            old = edit.span.end;
        }
        Self { edits, starts }
    }

    /// Maps an offset of the repaired text to the original; inside an insertion, to the start of its edit.
    pub fn before(&self, offset: usize) -> usize {
        let Some(last) = self.starts.partition_point(|start| *start <= offset).checked_sub(1) else { return offset };
        let (edit, end) = (&self.edits[last], self.end(last));
        if offset < end { edit.span.start } else { edit.span.end + (offset - end) }
    }

    /// Maps an offset of the original text to the repaired one; inside deleted text, to the start of its edit.
    pub(crate) fn after(&self, offset: usize) -> usize {
        let next = self.edits.partition_point(|edit| edit.span.end <= offset);
        if self.edits.get(next).is_some_and(|edit| edit.span.start <= offset) {
            return self.starts[next];
        }
        match next.checked_sub(1) {
            Some(last) => self.end(last) + (offset - self.edits[last].span.end),
            None => offset,
        }
    }

    /// Maps a span of the repaired text to the original.
    pub fn span_before(&self, span: Span) -> Span {
        Span::new(self.before(span.start), self.before(span.end))
    }

    /// Maps a span of the original text to the repaired one.
    pub(crate) fn span_after(&self, span: Span) -> Span {
        Span::new(self.after(span.start), self.after(span.end))
    }

    /// The edits that touch a span or are adjacent to it.
    pub(crate) fn edits_at(&self, span: Span) -> &'a [Edit] {
        let from = self.edits.partition_point(|edit| edit.span.end < span.start);
        let to = self.edits.partition_point(|edit| edit.span.start <= span.end);
        &self.edits[from..to.max(from)]
    }

    /// The end of an edit in the repaired text.
    fn end(&self, number: usize) -> usize {
        self.starts[number] + self.edits[number].with.len()
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

/// Quotes a range of text in a message.
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
    fn composed_edits_and_offset_maps_agree() {
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
                let map = both.map();
                for offset in 0..text.len() {
                    let there = map.after(offset);
                    let gone = both.edits.iter().any(|edit| edit.span.contains(offset));
                    assert!(gone || after.get(there) == text.as_bytes().get(offset), "{offset} in {both:?}");
                    assert!(gone || map.before(there) == offset, "{offset} in {both:?}");
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
            assert_eq!(repair(edits).description(text), words);
        }
    }

    #[test]
    fn lines_of_edits_alone_are_compared_and_those_around_them_stay() {
        let text = b"1\n2\n3\n4\n5\n6\n7\n8\n9";
        let lists = [
            repair(&[(0, 0, "a\nb")]),
            repair(&[(2, 4, ""), (4, 6, "")]),
            repair(&[(1, 2, ""), (3, 3, "x\ny"), (9, 13, "\n\n")]),
            repair(&[(16, 17, "9\n10\n")]),
            repair(&[(17, 17, "\n")]),
            repair(&[(0, 17, "")]),
            repair(&[(2, 2, "q"), (2, 3, "r"), (14, 17, "")]),
        ];
        for repair in lists {
            let mut lines: [Vec<u8>; 2] = [Vec::new(), Vec::new()];
            for (change, line) in repair.hunks(text, 99).into_iter().flat_map(|hunk| hunk.lines) {
                lines[0].extend(line.iter().filter(|_| change != LineChange::Insert));
                lines[1].extend(line.iter().filter(|_| change != LineChange::Delete));
            }
            assert_eq!(lines, [text.to_vec(), repair.applied(text)], "{repair:?}");
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
