//! Converts parts of a transcript to lines of a report, with attributes for secrets, problems, parts of calls and code.

use std::borrow::{Borrow, Cow};
use std::ops::Range;

use super::ReportPage;
use super::lines::{Layers, PieceRole, ReportLine, ReportText, changes_marked, lines_of};
use crate::diagnostic::Severity;
use crate::document::Call;
use crate::highlight::{Language, ResultCode, fences};
use crate::text::colour_codes::{ColourCodes, sequences, without};
use crate::text::sanitize::visible_str;
use crate::text::wrap::visible_lines;
use crate::text::{Span, Walk};
use crate::value::{Assembly, ROOT, Value};

impl ReportPage<'_> {
    /// The lines of a span without leading and trailing blank lines, with problems marked. `know` adds further layers;
    /// it receives the text, and its span if the text is the same as in the transcript byte for byte.
    pub(super) fn raw(
        &self,
        span: Span,
        marks: &[(Span, Severity)],
        walk: &mut Walk,
        colour_codes: ColourCodes,
        know: impl FnOnce(&mut Layers, &str, Option<Span>),
    ) -> ReportText {
        let read = self.session.text().read_str(span);
        let length = read.len();
        // Invalid UTF-8 is replaced, which shifts offsets.
        let is_exact = length == span.len();
        let marks = if is_exact { marks } else { &[] };
        let (whole, marks) = match colour_codes {
            ColourCodes::Pictured => (read, marks.to_vec()),
            ColourCodes::Dropped => {
                let marks = marks_without_colours(marks, span.start, &read);
                (without(&read).into_owned().into(), marks)
            }
        };
        let is_as_written = is_exact && whole.len() == length;
        let mut text = whole.into_owned();
        text.truncate(text.trim_end().len());
        let start = text.len() - text.trim_start_matches(['\n', '\r']).len();
        text.drain(..start);
        let place = Span::new(span.start + start, span.start + start + text.len());
        let mut layers = Layers { secrets: self.secrets(&text), marks: within(&marks, place), ..Layers::default() };
        know(&mut layers, &text, is_as_written.then_some(place));
        let first = (!self.session.is_decoded()).then(|| self.session.position_by(walk, place.start).line);
        ReportText { text, layers, first }
    }

    /// The lines of a value, highlighted if there are several.
    pub(super) fn value_lines(&self, words: &str, language: impl FnOnce(&[u8]) -> Option<Language>) -> Vec<ReportLine> {
        let words = without(words);
        let mut layers = Layers { secrets: self.secrets(&words), ..Layers::default() };
        if words.contains('\n') {
            let language = language(words.as_bytes());
            layers.roles = language.map_or_else(Vec::new, |found| self.colours.roles(found, words.as_bytes(), 0));
        }
        changes_marked(lines_of(&words, &layers, None))
    }

    /// Highlighting of the code blocks in prose.
    pub(super) fn roles_of_prose(&self, text: &str) -> Vec<(Range<usize>, PieceRole)> {
        let roles = |(range, language): (Range<usize>, Language)| {
            self.colours.roles(language, &text.as_bytes()[range.clone()], range.start)
        };
        fences(text).into_iter().flat_map(roles).collect()
    }

    /// Highlighting of a tool's output, and the line numbers that the tool added.
    pub(super) fn roles_of_result<A: Borrow<Assembly>>(
        &self,
        shown: &str,
        assembly: impl FnOnce() -> Option<A>,
    ) -> Vec<(Range<usize>, PieceRole)> {
        let ResultCode { numbers, code, language } = ResultCode::new(shown.as_bytes(), assembly, self.session.text());
        let code_roles = language.map_or_else(Vec::new, |language| self.colours.roles(language, &code, 0));
        let mut code_roles = code_roles.into_iter().peekable();
        let mut roles = Vec::new();
        // Start of the line in `shown` and in the code.
        let (mut at, mut code_at) = (0, 0);
        let is_numbered = numbers.iter().any(|&width| width > 0);
        for (line, &width) in shown.split('\n').zip(&numbers) {
            if width > 0 && self.colours.has_more() {
                self.colours.spend(1);
                roles.push((at..at + width, PieceRole::LineNumber));
            }
            let code_len = if is_numbered && width == 0 { 0 } else { line.len() - width };
            while let Some((range, role)) = code_roles.next_if(|(range, _)| range.start <= code_at + code_len) {
                let place = |offset: usize| at + width + (offset - code_at).min(code_len);
                roles.push((place(range.start)..place(range.end), role));
            }
            at += line.len() + 1;
            code_at += code_len + 1;
        }
        roles
    }

    pub(super) fn secrets(&self, text: &str) -> Vec<(Range<usize>, String)> {
        self.redactor.map(|redactor| redactor.spans(text)).unwrap_or_default()
    }

    /// Redacts and sanitizes text for one line.
    pub(in crate::export) fn clean_line(&self, words: &str) -> String {
        visible_str(&self.clean(&without(words))).into_owned()
    }

    /// Redacts and sanitizes text of several lines.
    pub(super) fn lines_said(&self, words: &str) -> String {
        visible_lines(&self.clean(&without(words)))
    }

    pub(super) fn clean<'t>(&self, words: &'t str) -> Cow<'t, str> {
        self.redactor.map_or(words.into(), |redactor| redactor.clean(words))
    }
}

/// Adds name, id, keys and values of a call to the layers of the text at `place`, clipped to that.
pub(super) fn add_parts(layers: &mut Layers, call: &Call<'_>, assembly: &Assembly, place: Span) {
    let tree = &assembly.tree;
    let within = |span: Span| {
        let range = span.start.max(place.start)..span.end.min(place.end);
        (range.start < range.end).then(|| range.start - place.start..range.end - place.start)
    };
    let id = call.id.map(|id| (id.span, PieceRole::Id));
    let words = [Some((call.name.span, PieceRole::Name)), id].into_iter().flatten();
    layers.roles.extend(words.filter_map(|(span, role)| Some((within(span)?, role))));
    for (argument, node) in assembly.arguments.iter().zip(assembly.nodes_of_arguments()) {
        if let Some(range) = within(argument.pointer) {
            layers.roles.push((range.clone(), PieceRole::Key));
            layers.nodes.extend(node.map(|node| (range, node)));
        }
    }
    for node in tree.walk().map(|(node, _)| node).chain([ROOT]) {
        let found = tree.node(node);
        if let Some(range) = within(found.key_place).filter(|_| node != ROOT) {
            layers.roles.push((range.clone(), PieceRole::Key));
            layers.nodes.push((range, node));
        }
        if let Value::Scalar(_, span) = found.value {
            layers.nodes.extend(within(span).map(|range| (range, node)));
        }
    }
    apart(&mut layers.roles);
    apart(&mut layers.nodes);
}

/// Sorts ranges, and removes any that begins within another one.
fn apart<T>(stretches: &mut Vec<(Range<usize>, T)>) {
    stretches.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    stretches.retain(|(range, _)| {
        let is_apart = range.start >= end;
        end = end.max(range.end);
        is_apart
    });
}

/// Adjusts marks in a text at offset `start` for the removal of its colour codes.
fn marks_without_colours(marks: &[(Span, Severity)], start: usize, text: &str) -> Vec<(Span, Severity)> {
    let mut removed = 0;
    let sequence = |sequence: Range<usize>| {
        let before = removed;
        removed += sequence.len();
        (sequence, before)
    };
    let sequences: Vec<(Range<usize>, usize)> = sequences(text.as_bytes()).map(sequence).collect();
    let moved = |offset: usize| {
        let at = offset.saturating_sub(start);
        let passed = sequences.partition_point(|(sequence, _)| sequence.start < at);
        let removed = sequences[..passed].last();
        offset - removed.map_or(0, |(sequence, before)| before + sequence.len().min(at - sequence.start))
    };
    marks.iter().map(|&(span, severity)| (Span::new(moved(span.start), moved(span.end)), severity)).collect()
}

/// Clips marks to `place`, and makes them relative to its start.
fn within(marks: &[(Span, Severity)], place: Span) -> Vec<(Range<usize>, Severity)> {
    let of = |&(mark, severity): &(Span, Severity)| {
        let (start, end) = (mark.start.max(place.start), mark.end.min(place.end));
        (start < end).then(|| (start - place.start..end - place.start, severity))
    };
    marks.iter().filter_map(of).collect()
}
