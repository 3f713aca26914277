//! Lines of a report: pieces of text that is safe to show, each with what is known of it.
//!
//! What is known lies in layers over the bytes (secrets, problems, the words of code, the nodes of a tree), and a
//! piece is a stretch in which none of them changes.

use std::borrow::Borrow;
use std::ops::Range;

use crate::diagnostic::Severity;
use crate::highlight::CodeRole;
use crate::text::diff_lines::{DiffLine, diff_lines, is_diff};
use crate::text::wrap::visible_lines;
use crate::value::NodeId;

/// A line of a text.
pub(in crate::export) struct ReportLine {
    /// Its number in the file, where the text is the file.
    pub(in crate::export) number: Option<usize>,
    /// What it is in a difference: `added`, `removed`, or nothing.
    pub(in crate::export) change: &'static str,
    pub(in crate::export) pieces: Vec<LinePiece>,
}

/// A stretch of a line that is all alike.
pub(in crate::export) struct LinePiece {
    pub(in crate::export) text: String,
    /// The severity of the problem that is there; empty where none is.
    pub(in crate::export) mark: &'static str,
    pub(in crate::export) role: Option<PieceRole>,
    /// The node of the call's tree that it is the key or the value of.
    pub(in crate::export) node: Option<NodeId>,
}

/// What a piece is in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::export) enum PieceRole {
    /// The name of the tool that is called.
    Name,
    /// The id of the call.
    Id,
    /// The key of a value, or the pointer to it.
    Key,
    /// The number that a tool has put in front of a line.
    LineNumber,
    /// A word of code.
    Code(CodeRole),
}

impl ReportLine {
    /// The words of the line, without anything that is known of them.
    pub(in crate::export) fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }
}

/// The words of some lines.
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

/// A text whose lines are made one after another, since all of them would take several times its room.
pub(in crate::export) struct ReportText {
    pub(super) text: String,
    pub(super) layers: Layers,
    /// The number of its first line in the file.
    pub(super) first: Option<usize>,
}

impl ReportText {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Its lines.
    pub(in crate::export) fn iter(&self) -> LineMaker<'_> {
        LineMaker::new(&self.text, &self.layers, self.first)
    }
}

/// What is known of the bytes of a text, counted from its beginning. Only problems may overlap, and all but they are in
/// the order of the text.
#[derive(Default)]
pub(super) struct Layers {
    /// What is replaced, and by which words.
    pub(super) secrets: Vec<(Range<usize>, String)>,
    pub(super) marks: Vec<(Range<usize>, Severity)>,
    pub(super) roles: Vec<(Range<usize>, PieceRole)>,
    pub(super) nodes: Vec<(Range<usize>, NodeId)>,
}

/// The lines of a text; `first` is the number of the first of them in the file.
pub(super) fn lines_of(text: &str, layers: &Layers, first: Option<usize>) -> Vec<ReportLine> {
    LineMaker::new(text, layers, first).collect()
}

/// Makes the lines of a text.
pub(in crate::export) struct LineMaker<'a> {
    text: &'a str,
    layers: &'a Layers,
    first: Option<usize>,
    /// Lines that have begun.
    begun: usize,
    line: Option<ReportLine>,
    borders: Vec<usize>,
    /// The next range between two borders.
    next: usize,
    stretch: Option<StretchParts<'a>>,
    severities: Severities,
    roles: Cursor<'a, PieceRole>,
    nodes: Cursor<'a, NodeId>,
}

/// The parts of a range of text that are on different lines.
struct StretchParts<'a> {
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

    /// Begins a line, and gives the one before.
    fn begin_line(&mut self) -> Option<ReportLine> {
        let number = self.first.map(|first| first + self.begun);
        self.begun += 1;
        self.line.replace(ReportLine { number, change: "", pieces: Vec::new() })
    }

    fn stretch(&mut self, range: &Range<usize>) -> StretchParts<'a> {
        let (text, layers) = (self.text, self.layers);
        let secret = layers.secrets.binary_search_by_key(&range.start, |(secret, _)| secret.start);
        let words = secret.map_or(&text[range.clone()], |at| layers.secrets[at].1.as_str());
        StretchParts {
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
                // Most lines are one piece, and the usual room is for four.
                let room = usize::from(line.pieces.is_empty());
                line.pieces.reserve_exact(room);
                let StretchParts { mark, role, node, .. } = stretch;
                line.pieces.push(LinePiece { text: visible_lines(part), mark, role, node });
            }
            self.stretch = Some(stretch);
            if done.is_some() {
                return done;
            }
        }
    }
}

/// The offsets at which something changes, both ends included; secrets are not divided.
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

/// Goes through stretches that are apart and in order.
struct Cursor<'a, T>(&'a [(Range<usize>, T)]);

impl<T: Copy> Cursor<'_, T> {
    /// What holds in a range, which is behind those that were asked about before.
    fn over(&mut self, range: &Range<usize>) -> Option<T> {
        while self.0.first().is_some_and(|(stretch, _)| stretch.end <= range.start) {
            self.0 = &self.0[1..];
        }
        self.0.first().filter(|(stretch, _)| stretch.start < range.end).map(|(_, known)| *known)
    }
}

/// Goes through problems that may overlap.
struct Severities {
    /// Where problems begin and end, from the last to the first.
    starts: Vec<(usize, Severity)>,
    ends: Vec<(usize, Severity)>,
    /// How many of each severity there are at this place.
    open: [usize; SEVERITIES.len()],
}

/// The gravest first.
const SEVERITIES: [Severity; 4] = [Severity::Error, Severity::Warning, Severity::Hint, Severity::Note];

impl Severities {
    fn new(marks: &[(Range<usize>, Severity)]) -> Self {
        let mut starts: Vec<(usize, Severity)> = marks.iter().map(|(mark, severity)| (mark.start, *severity)).collect();
        let mut ends: Vec<(usize, Severity)> = marks.iter().map(|(mark, severity)| (mark.end, *severity)).collect();
        starts.sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
        ends.sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
        Self { starts, ends, open: [0; SEVERITIES.len()] }
    }

    /// The gravest problem in a range, which is behind those that were asked about before.
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

/// The lines of a difference with what each is; other lines as they are.
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

    /// The pieces of a text, each behind its mark, its node and a bar.
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
            // No border divides a character.
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
