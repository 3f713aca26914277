//! Lines of a report, as pieces of sanitized text with attributes.
//!
//! Attributes are kept as layers over the bytes (secrets, problems, highlighting, tree nodes); a piece is a range in
//! which none of them changes.

use std::borrow::Borrow;
use std::ops::Range;

use crate::diagnostic::Severity;
use crate::highlight::CodeRole;
use crate::text::diff_lines::{DiffLine, diff_lines, is_diff};
use crate::text::wrap::visible_lines;
use crate::value::NodeId;

pub(in crate::export) struct ReportLine {
    /// Line number in the file; `None` for a text that was decoded from records.
    pub(in crate::export) number: Option<usize>,
    /// Kind of line in a diff: `added`, `removed`, or empty.
    pub(in crate::export) change: &'static str,
    pub(in crate::export) pieces: Vec<LinePiece>,
}

/// A range of a line with uniform attributes.
pub(in crate::export) struct LinePiece {
    pub(in crate::export) text: String,
    /// Severity of the problem here; empty if there is none.
    pub(in crate::export) mark: &'static str,
    pub(in crate::export) role: Option<PieceRole>,
    /// The node of the call's tree whose key or value this is.
    pub(in crate::export) node: Option<NodeId>,
}

/// The role of a piece in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::export) enum PieceRole {
    /// Name of the called tool.
    Name,
    /// Id of the call.
    Id,
    /// Key of a value, or the pointer to it.
    Key,
    /// Line number that a tool added before a line.
    LineNumber,
    /// Highlighted code.
    Code(CodeRole),
}

impl ReportLine {
    /// The text of the line without attributes.
    pub(in crate::export) fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }
}

/// Joins the text of lines with line feeds.
pub(in crate::export) fn joined(lines: impl IntoIterator<Item = impl Borrow<ReportLine>>) -> String {
    let mut out = String::new();
    for (index, line) in lines.into_iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.extend(line.borrow().pieces.iter().map(|piece| piece.text.as_str()));
    }
    out
}

/// A text whose lines are created lazily, since all lines would take several times its size.
pub(in crate::export) struct ReportText {
    pub(super) text: String,
    pub(super) layers: Layers,
    /// Number of its first line in the file, if the text is not decoded.
    pub(super) first: Option<usize>,
}

impl ReportText {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(in crate::export) fn iter(&self) -> LineMaker<'_> {
        LineMaker::new(&self.text, &self.layers, self.first)
    }
}

/// Attributes of the bytes of a text, by ranges relative to its start. Only `marks` may overlap; the others are sorted.
#[derive(Default)]
pub(super) struct Layers {
    /// Ranges to replace, with their replacements.
    pub(super) secrets: Vec<(Range<usize>, String)>,
    pub(super) marks: Vec<(Range<usize>, Severity)>,
    pub(super) roles: Vec<(Range<usize>, PieceRole)>,
    pub(super) nodes: Vec<(Range<usize>, NodeId)>,
}

/// The lines of a text; `first` is the number of the first one in the file.
pub(super) fn lines_of(text: &str, layers: &Layers, first: Option<usize>) -> Vec<ReportLine> {
    LineMaker::new(text, layers, first).collect()
}

/// Iterator over the lines of a text.
pub(in crate::export) struct LineMaker<'a> {
    text: &'a str,
    layers: &'a Layers,
    first: Option<usize>,
    /// Number of lines begun.
    begun: usize,
    line: Option<ReportLine>,
    borders: Vec<usize>,
    /// Index of the next range between two borders.
    next: usize,
    stretch: Option<RangeLines<'a>>,
    severities: Severities,
    roles: Cursor<'a, PieceRole>,
    nodes: Cursor<'a, NodeId>,
}

/// The rest of a range of text, split at line ends.
struct RangeLines<'a> {
    parts: std::str::Split<'a, char>,
    is_begun: bool,
    mark: &'static str,
    role: Option<PieceRole>,
    node: Option<NodeId>,
}

impl<'a> LineMaker<'a> {
    fn new(text: &'a str, layers: &'a Layers, first: Option<usize>) -> Self {
        let mut maker = Self {
            text,
            layers,
            first,
            begun: 0,
            line: None,
            borders: borders(text, layers),
            next: 0,
            stretch: None,
            severities: Severities::new(&layers.marks),
            roles: Cursor(&layers.roles),
            nodes: Cursor(&layers.nodes),
        };
        if !text.is_empty() {
            maker.begin_line();
        }
        maker
    }

    /// Begins a line and returns the previous one.
    fn begin_line(&mut self) -> Option<ReportLine> {
        let number = self.first.map(|first| first + self.begun);
        self.begun += 1;
        self.line.replace(ReportLine { number, change: "", pieces: Vec::new() })
    }

    fn stretch(&mut self, range: &Range<usize>) -> RangeLines<'a> {
        let (text, layers) = (self.text, self.layers);
        let secret = layers.secrets.binary_search_by_key(&range.start, |(secret, _)| secret.start);
        let words = secret.map_or(&text[range.clone()], |at| layers.secrets[at].1.as_str());
        RangeLines {
            parts: words.split('\n'),
            is_begun: false,
            mark: self.severities.over(range).map_or("", Severity::word),
            role: self.roles.over(range),
            node: self.nodes.over(range),
        }
    }
}

impl Iterator for LineMaker<'_> {
    type Item = ReportLine;

    fn next(&mut self) -> Option<ReportLine> {
        loop {
            let Some(mut stretch) = self.stretch.take() else {
                let &[start, end] = self.borders.get(self.next..self.next + 2)? else { return None };
                self.next += 1;
                self.stretch = Some(self.stretch(&(start..end)));
                continue;
            };
            let Some(part) = stretch.parts.next() else {
                if self.next + 1 >= self.borders.len() {
                    return self.line.take();
                }
                continue;
            };
            let done = if std::mem::replace(&mut stretch.is_begun, true) { self.begin_line() } else { None };
            let part = part.strip_suffix('\r').unwrap_or(part);
            if let (Some(line), false) = (&mut self.line, part.is_empty()) {
                // Most lines are one piece, but a vector would reserve space for four.
                let room = usize::from(line.pieces.is_empty());
                line.pieces.reserve_exact(room);
                let RangeLines { mark, role, node, .. } = stretch;
                line.pieces.push(LinePiece { text: visible_lines(part), mark, role, node });
            }
            self.stretch = Some(stretch);
            if done.is_some() {
                return done;
            }
        }
    }
}

/// The offsets at which an attribute changes, including both ends; none within a secret.
fn borders(text: &str, layers: &Layers) -> Vec<usize> {
    let secrets = layers.secrets.iter().map(|(range, _)| range);
    let marks = layers.marks.iter().map(|(range, _)| range);
    let roles = layers.roles.iter().map(|(range, _)| range);
    let nodes = layers.nodes.iter().map(|(range, _)| range);
    let ends = secrets.chain(marks).chain(roles).chain(nodes).flat_map(|range| [range.start, range.end]);
    let mut borders: Vec<usize> = ends.filter(|&at| text.is_char_boundary(at)).chain([0, text.len()]).collect();
    borders.sort_unstable();
    borders.dedup();
    borders.retain(|&at| {
        let behind = layers.secrets.partition_point(|(secret, _)| secret.end <= at);
        layers.secrets.get(behind).is_none_or(|(secret, _)| at <= secret.start)
    });
    borders
}

/// Iterates over sorted ranges that do not overlap.
struct Cursor<'a, T>(&'a [(Range<usize>, T)]);

impl<T: Copy> Cursor<'_, T> {
    /// The attribute within `range`, which must follow the ranges of earlier calls.
    fn over(&mut self, range: &Range<usize>) -> Option<T> {
        while self.0.first().is_some_and(|(stretch, _)| stretch.end <= range.start) {
            self.0 = &self.0[1..];
        }
        self.0.first().filter(|(stretch, _)| stretch.start < range.end).map(|(_, known)| *known)
    }
}

/// Iterates over problems, which may overlap.
struct Severities {
    /// Starts and ends of problems, in reverse order.
    starts: Vec<(usize, Severity)>,
    ends: Vec<(usize, Severity)>,
    /// Number of problems of each severity at the current position.
    open: [usize; SEVERITIES.len()],
}

/// Most severe first.
const SEVERITIES: [Severity; 4] = [Severity::Error, Severity::Warning, Severity::Hint, Severity::Note];

impl Severities {
    fn new(marks: &[(Range<usize>, Severity)]) -> Self {
        let mut starts: Vec<(usize, Severity)> = marks.iter().map(|(mark, severity)| (mark.start, *severity)).collect();
        let mut ends: Vec<(usize, Severity)> = marks.iter().map(|(mark, severity)| (mark.end, *severity)).collect();
        starts.sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
        ends.sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
        Self { starts, ends, open: [0; SEVERITIES.len()] }
    }

    /// The most severe problem within `range`, which must follow the ranges of earlier calls.
    fn over(&mut self, range: &Range<usize>) -> Option<Severity> {
        let place = |severity: Severity| SEVERITIES.iter().position(|&known| known == severity).unwrap_or_default();
        while let Some((_, severity)) = self.starts.pop_if(|(at, _)| *at < range.end) {
            self.open[place(severity)] += 1;
        }
        while let Some((_, severity)) = self.ends.pop_if(|(at, _)| *at <= range.start) {
            self.open[place(severity)] -= 1;
        }
        SEVERITIES.into_iter().zip(self.open).find(|(_, open)| *open > 0).map(|(severity, _)| severity)
    }
}

/// Sets the kinds of lines if the text is a diff; otherwise returns them unchanged.
pub(super) fn changes_marked(mut lines: Vec<ReportLine>) -> Vec<ReportLine> {
    let text = joined(&lines);
    if is_diff(text.as_bytes()) {
        for (line, (_, kind)) in lines.iter_mut().zip(diff_lines(text.as_bytes())) {
            line.change = match kind {
                DiffLine::Added => "added",
                DiffLine::Removed => "removed",
                DiffLine::Heading | DiffLine::Place | DiffLine::Context => "",
            };
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a text, each prefixed with its mark, its node and a bar.
    fn shown(text: &str, layers: &Layers) -> Vec<String> {
        let piece = |piece: &LinePiece| {
            let node = piece.node.map_or_else(String::new, |node| node.to_string());
            format!("{}{node}|{}", piece.mark, piece.text)
        };
        lines_of(text, layers, None).iter().flat_map(|line| line.pieces.iter().map(piece)).collect()
    }

    #[test]
    fn pieces_change_where_a_layer_does_and_secrets_are_whole() {
        for (layers, expected) in [
            (Layers::default(), vec!["|ab", "|cé", "|f"]),
            (
                Layers { marks: vec![(1..6, Severity::Hint), (3..4, Severity::Error)], ..Layers::default() },
                vec!["|a", "hint|b", "error|c", "hint|é", "|f"],
            ),
            (
                Layers {
                    secrets: vec![(1..4, "[secret]".into())],
                    marks: vec![(2..6, Severity::Warning)],
                    nodes: vec![(0..2, 7), (3..6, 8)],
                    ..Layers::default()
                },
                vec!["7|a", "warning7|[secret]", "warning8|é", "|f"],
            ),
            // Borders within a character are ignored.
            (Layers { nodes: vec![(0..5, 1)], ..Layers::default() }, vec!["1|ab", "1|cé", "1|f"]),
        ] {
            assert_eq!(shown("ab\ncé\nf", &layers), expected);
        }
    }

    #[test]
    fn many_overlapping_problems_take_no_more_than_their_number() {
        let text = "x".repeat(20_000);
        let marks = (0..10_000).map(|at| (at..20_000 - at, Severity::Warning)).collect();
        let lines = lines_of(&text, &Layers { marks, ..Layers::default() }, Some(1));
        assert_eq!(lines[0].pieces.len(), 20_000 - 1);
        assert!(lines[0].pieces.iter().all(|piece| piece.mark == "warning"));
    }
}
