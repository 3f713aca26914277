//! Formats a problem as rows of text: its message, the lines concerned, and what to do.
//!
//! The rows are plain data, each piece tagged with its role; `check` and the details pane colour them. Long lines are
//! shown as a window around the place, spans of several lines by their first and last line. Everything is sanitised.

use std::borrow::Cow;
use std::ops::Range;

use crate::diagnostic::{Diagnostic, Severity};
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::text::wrap::{cells, display_width, word_rows};
use crate::text::{Lines, Span, Text, Walk};

/// The role of a piece of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnippetRole {
    /// The severity and the code of a problem with this severity.
    Severity(Severity),
    /// The problem's message.
    Message,
    /// File name, line and column.
    Place,
    /// Line numbers and the frame next to the source.
    Gutter,
    /// Source text of the transcript.
    Source,
    /// The underline of the fault and its label, for a problem with this severity.
    Primary(Severity),
    /// The underline of a related place and its label.
    Related,
    /// `help`, `expected` and `found`.
    Label,
    /// The text after such a label.
    Advice,
}

/// A row of pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnippetRow {
    /// The role and the text of each piece.
    pub pieces: Vec<(SnippetRole, String)>,
}

impl SnippetRow {
    /// The text of the row, without trailing whitespace.
    pub fn text(&self) -> String {
        let mut joined: String = self.pieces.iter().map(|(_, text)| text.as_str()).collect();
        joined.truncate(joined.trim_end().len());
        joined
    }

    fn with(mut self, role: SnippetRole, text: impl Into<String>) -> Self {
        self.pieces.push((role, text.into()));
        self
    }
}

/// The layout of the rows.
#[derive(Clone, Copy, Debug)]
pub struct SnippetLayout<'a> {
    /// The name of the file; without one only line and column are given.
    pub name: Option<&'a str>,
    /// Width of a row in columns; at least `MIN_WIDTH` is used.
    pub width: usize,
}

/// Smallest supported width, in columns.
pub(crate) const MIN_WIDTH: usize = 24;

/// The rows of a problem. `walk` caches the position of the previous problem.
pub fn rows(diagnostic: &Diagnostic, session: &Session, layout: SnippetLayout<'_>, walk: &mut Walk) -> Vec<SnippetRow> {
    masked_rows(diagnostic, session, layout, walk, None)
}

/// Masks secrets in bytes of a text, keeping its length.
pub(crate) type Mask<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

/// As [`rows`], with secrets in the source lines masked.
pub fn masked_rows(
    diagnostic: &Diagnostic,
    session: &Session,
    layout: SnippetLayout<'_>,
    walk: &mut Walk,
    mask: Option<Mask<'_>>,
) -> Vec<SnippetRow> {
    // A problem of the file itself is shown in the file, any other in the text.
    let in_file = diagnostic.source.map(|source| Diagnostic { span: source, ..diagnostic.clone() });
    let (text, lines) = match in_file {
        Some(_) => (session.file(), session.file_lines()),
        None => (session.text(), session.lines()),
    };
    let width = layout.width.max(MIN_WIDTH);
    let groups = groups(in_file.as_ref().unwrap_or(diagnostic), text, lines);
    let last = groups.last().map_or(0, |group| group.line);
    let gutter = (last + 1).to_string().len();
    let mut out = Vec::new();
    headline(diagnostic, width, &mut out);
    let position = session.place_of_problem(walk, diagnostic);
    let place = match layout.name {
        Some(name) => format!("{}:{}:{}", visible_str(name), position.line, position.column),
        None => format!("{}:{}", position.line, position.column),
    };
    let row =
        SnippetRow::default().with(SnippetRole::Gutter, format!("{:gutter$}--> ", "")).with(SnippetRole::Place, place);
    out.push(if session.is_decoded() && in_file.is_none() {
        // The lines below are lines of the decoded text, which are numbered differently.
        let line = lines.around(text, diagnostic.span.start).0 + 1;
        row.with(SnippetRole::Gutter, format!("; line {line} of the decoded text"))
    } else {
        row
    });
    let painter = Painter { text, gutter, width: width.saturating_sub(gutter + 3), mask };
    out.push(painter.bar());
    let mut before: Option<&Group<'_>> = None;
    for group in &groups {
        match before.map(|before| (before, group.line.saturating_sub(before.line))) {
            None | Some((_, 0 | 1)) => {}
            Some((before, 2)) => {
                let (line, span) = lines.around(text, before.span.end + 1);
                painter.source(line, span, &[], &mut out);
            }
            Some(_) => out.push(SnippetRow::default().with(SnippetRole::Gutter, "...")),
        }
        painter.source(group.line, group.span, &group.marks, &mut out);
        before = Some(group);
    }
    out.push(painter.bar());
    match (&diagnostic.expected, &diagnostic.found) {
        // On one line if it fits.
        (Some(expected), Some(found)) if expected.len() + found.len() + gutter + 20 <= width => {
            let row = SnippetRow::default().with(SnippetRole::Gutter, format!("{:gutter$} = ", ""));
            let row = row.with(SnippetRole::Label, "expected ").with(SnippetRole::Advice, visible_str(expected));
            out.push(row.with(SnippetRole::Label, ", found ").with(SnippetRole::Advice, visible_str(found)));
        }
        (expected, found) => {
            for (label, words) in [("expected", expected), ("found", found)] {
                if let Some(words) = words {
                    note(gutter, label, words, width, &mut out);
                }
            }
        }
    }
    note(gutter, "help", &diagnostic.help_text(), width, &mut out);
    out
}

/// The first rows: severity, code and message.
fn headline(diagnostic: &Diagnostic, width: usize, out: &mut Vec<SnippetRow>) {
    let head = format!("{}[{}]", diagnostic.severity.word(), diagnostic.code.name());
    let row = SnippetRow::default().with(SnippetRole::Severity(diagnostic.severity), head.as_str());
    wrapped(row, (head.len(), ": "), SnippetRole::Message, &diagnostic.message, width, out);
}

/// A remark below the source, wrapped to the column after its label.
fn note(gutter: usize, label: &str, words: &str, width: usize, out: &mut Vec<SnippetRow>) {
    let row = SnippetRow::default().with(SnippetRole::Gutter, format!("{:gutter$} = ", ""));
    let row = row.with(SnippetRole::Label, format!("{label}: "));
    wrapped(row, (gutter + 3 + label.len() + 2, ""), SnippetRole::Advice, words, width, out);
}

/// Sanitises and wraps a text that follows `lead` and the `taken` columns of `row`; further rows are indented to the
/// start of the text.
fn wrapped(
    row: SnippetRow,
    (taken, lead): (usize, &str),
    role: SnippetRole,
    text: &str,
    width: usize,
    out: &mut Vec<SnippetRow>,
) {
    let indent = taken + lead.len();
    let text = visible_str(text);
    let mut first = Some(row);
    for piece in word_rows(&text, width.saturating_sub(indent).max(MIN_WIDTH / 2)) {
        out.push(match first.take() {
            Some(row) => row.with(role, format!("{lead}{piece}")),
            None => SnippetRow::default().with(role, format!("{:indent$}{piece}", "")),
        });
    }
}

/// A line with its marks.
struct Group<'a> {
    /// Line number, from 0.
    line: usize,
    span: Span,
    marks: Vec<Mark<'a>>,
}

#[derive(Clone)]
struct Mark<'a> {
    /// The range in the text, clipped to the line; empty for a position between two bytes.
    span: Range<usize>,
    role: SnippetRole,
    message: &'a str,
}

/// The lines to show, in order, each with its marks.
fn groups<'a>(diagnostic: &'a Diagnostic, text: &Text, lines: &Lines) -> Vec<Group<'a>> {
    let primary = (diagnostic.span, SnippetRole::Primary(diagnostic.severity), "");
    let related =
        diagnostic.related.iter().map(|related| (related.span, SnippetRole::Related, related.message.as_str()));
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (span, role, message) in std::iter::once(primary).chain(related) {
        let first = lines.around(text, span.start);
        let last = match span.end.checked_sub(1) {
            Some(end) if !span.is_empty() && end > first.1.end => lines.around(text, end),
            _ => first,
        };
        let mut add = |(line, bytes): (usize, Span), message| {
            let mark = Mark { span: span.start.max(bytes.start)..span.end.min(bytes.end), role, message };
            match groups.binary_search_by_key(&line, |group| group.line) {
                Ok(at) => groups[at].marks.push(mark),
                Err(at) => groups.insert(at, Group { line, span: bytes, marks: vec![mark] }),
            }
        };
        if last.0 > first.0 {
            add(first, "");
        }
        add(last, message);
    }
    for group in &mut groups {
        group.marks.sort_by_key(|mark| mark.span.start);
    }
    groups
}

/// Bytes around the shown text that are searched for secrets.
const AROUND: usize = 4096;

struct Painter<'a> {
    text: &'a Text,
    gutter: usize,
    /// Columns for the source.
    width: usize,
    mask: Option<Mask<'a>>,
}

/// Columns shown before a place if its line does not fit.
const LEAD: usize = 12;

/// Most bytes assumed for a glyph when a window is computed.
const GLYPH: usize = 8;

impl Painter<'_> {
    /// The frame without a line number.
    fn bar(&self) -> SnippetRow {
        SnippetRow::default().with(SnippetRole::Gutter, format!("{:1$} |", "", self.gutter))
    }

    /// The line at `span` with its marks. If it does not fit, each mark has a separate window.
    fn source(&self, line: usize, span: Span, marks: &[Mark<'_>], out: &mut Vec<SnippetRow>) {
        let whole = self.window(span, span.start);
        if marks.is_empty() || whole.is_whole {
            self.draw(line, &whole, marks, out);
            return;
        }
        for mark in marks {
            self.draw(line, &self.window(span, mark.span.start), std::slice::from_ref(mark), out);
        }
    }

    fn draw(&self, line: usize, window: &Window, marks: &[Mark<'_>], out: &mut Vec<SnippetRow>) {
        let number = format!("{:>1$} | ", line + 1, self.gutter);
        let row = SnippetRow::default().with(SnippetRole::Gutter, number);
        out.push(row.with(SnippetRole::Source, window.shown.as_str()));
        for mark in marks {
            let columns = window.columns(&mark.span);
            let sign = if matches!(mark.role, SnippetRole::Primary(_)) { "^" } else { "-" };
            let row = self.bar().with(SnippetRole::Gutter, " ".repeat(columns.start + 1));
            let underline = sign.repeat(columns.len());
            let message = visible_str(mark.message);
            if message.is_empty() || columns.end + 1 + display_width(message.as_bytes()) <= self.width {
                out.push(row.with(mark.role, format!("{underline} {message}").trim_end()));
            } else {
                out.push(row.with(mark.role, underline));
                let start = columns.start.min(self.width / 2);
                for words in word_rows(&message, (self.width - start).max(1)) {
                    out.push(self.bar().with(SnippetRole::Gutter, " ".repeat(start + 1)).with(mark.role, words));
                }
            }
        }
    }

    /// Bytes of the text with secrets masked, including secrets that cross the ends of the span.
    fn read(&self, span: Span) -> Cow<'_, [u8]> {
        let Some(mask) = self.mask else { return self.text.read(span) };
        let wide = Span::new(span.start.saturating_sub(AROUND), (span.end + AROUND).min(self.text.len()));
        let masked = mask(&self.text.read(wide));
        Cow::Owned(masked[span.start - wide.start..span.end - wide.start].to_vec())
    }

    /// The part of a line to show so that the byte at `focus` is in it.
    fn window(&self, line: Span, focus: usize) -> Window {
        let mut window = Window { shown: String::new(), cells: Vec::new(), end: line.end, is_whole: true };
        let most = self.width * GLYPH;
        let mut start = line.start;
        if focus > line.start {
            // Backwards from the place by up to `LEAD` columns, in whole glyphs.
            let from = line.start.max(focus.saturating_sub(LEAD * GLYPH));
            let before = self.read(Span::new(from, focus));
            let from = from + before.iter().take_while(|&&byte| byte & 0xc0 == 0x80).count().min(3);
            let lead: Vec<(usize, usize)> = cells(&before[from - (focus - before.len())..], 0)
                .map(|glyph| (from + glyph.offset, glyph.width))
                .collect();
            let mut columns = 0;
            start = focus;
            for (offset, width) in lead.into_iter().rev() {
                columns += width;
                if columns > LEAD {
                    break;
                }
                start = offset;
            }
        }
        let mut column = 0;
        if start > line.start {
            window.is_whole = false;
            window.add("…", 1, start..start);
            column = 1;
        }
        let bytes = self.read(Span::new(start, line.end.min(start + most)));
        for glyph in cells(&bytes, column) {
            if column + glyph.width > self.width {
                window.cut(start + glyph.offset, self.width);
                return window;
            }
            column += glyph.width;
            let at = start + glyph.offset;
            window.add(&glyph.text, glyph.width, at..at + glyph.len);
        }
        if start + bytes.len() < line.end {
            window.cut(start + bytes.len(), self.width);
        }
        window
    }
}

struct Window {
    shown: String,
    cells: Vec<Cell>,
    /// Offset after the last shown byte.
    end: usize,
    is_whole: bool,
}

struct Cell {
    /// Byte offset in `shown`.
    at: usize,
    width: usize,
    span: Range<usize>,
}

impl Window {
    fn add(&mut self, text: &str, width: usize, span: Range<usize>) {
        self.cells.push(Cell { at: self.shown.len(), width, span });
        self.shown.push_str(text);
    }

    /// Marks in the last column that the line continues at `offset`.
    fn cut(&mut self, offset: usize, width: usize) {
        self.end = offset;
        self.is_whole = false;
        let mut columns: usize = self.cells.iter().map(|cell| cell.width).sum();
        while columns + 1 > width {
            let Some(last) = self.cells.pop() else { break };
            columns -= last.width;
            self.end = last.span.start;
            self.shown.truncate(last.at);
        }
        self.add("…", 1, self.end..self.end);
    }

    /// The columns of a range; at least one.
    fn columns(&self, span: &Range<usize>) -> Range<usize> {
        let mut column = 0;
        let mut start = None;
        let mut end = 0;
        for cell in &self.cells {
            let covered = cell.span.start < span.end && span.start < cell.span.end;
            let at = span.is_empty() && cell.span.contains(&span.start);
            if covered || at {
                start.get_or_insert(column);
                end = column + cell.width;
            }
            column += cell.width;
        }
        let start = start.unwrap_or(column);
        if span.is_empty() { start..start + 1 } else { start..end.max(start + 1) }
    }
}

#[cfg(test)]
mod tests;
