//! The rows of a part of an item other than a call: prose styled as Markdown, or quoted text.
//!
//! A line belongs to the part in which it begins.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::colour_codes::{ColourCodes, sequences};
use crate::text::sanitize::glyphs;
use crate::text::wrap::wrap_glyphs;
use crate::text::{Span, trim_end, trim_start};

use crate::tui::action::PaneId;
use crate::tui::pane::reading::language::{HighlightedLines, PAINTED};
use crate::tui::pane::reading::{problem_rows, prose, without_colours};
use crate::tui::row::{Excerpt, ExcerptOf, LINE, Piece, Row, Target, count, size};
use crate::tui::style::Role;
use crate::tui::view::View;

/// Bytes of an item per part.
pub(super) const PART: usize = 16 * 1024;

/// Maximum bytes in which the lines of a folded item are counted and colour codes are searched for.
const COUNTED: usize = 1 << 20;

/// Maximum columns of a line of prose; output, code, tables and paths use the full width.
pub(super) const READABLE: usize = 100;

/// A part of an item other than a call.
pub(super) struct ItemPart<'a> {
    view: &'a View,
    item: usize,
    part: Span,
    whole: Span,
}

impl<'a> ItemPart<'a> {
    pub(super) fn new(view: &'a View, item: usize, whole: Span, part: usize) -> Self {
        let start = whole.start + part * PART;
        Self { view, item, part: Span::new(start, whole.end.min(start + PART)), whole }
    }

    /// Span of the item.
    pub(super) fn whole(&self) -> Span {
        self.whole
    }

    /// True for the first part of the item.
    pub(super) fn is_first(&self) -> bool {
        self.part.start == self.whole.start
    }

    /// The lines that begin in the part; the last one may be cut. Returns the offset of the first line, the bytes, and
    /// their range without blank lines at the start and end of the item.
    fn lines(&self) -> Option<(usize, Cow<'a, [u8]>, Range<usize>)> {
        let text = self.view.session.text();
        let Span { mut start, mut end } = self.part;
        if start > self.whole.start {
            let before = text.read(Span::new(start - 1, end));
            start += memchr::memchr(b'\n', &before)?;
        }
        if end < self.whole.end {
            let after = text.read(Span::new(end - 1, (end + LINE).min(self.whole.end)));
            end = memchr::memchr(b'\n', &after).map_or(end + LINE, |feed| end + feed).min(self.whole.end);
        }
        let bytes = text.read(Span::new(start, end));
        let blank = if start == self.whole.start { trim_start(&bytes) } else { 0 };
        let first = memchr::memrchr(b'\n', &bytes[..blank]).map_or(0, |feed| feed + 1);
        let kept = if end == self.whole.end { trim_end(&bytes) } else { bytes.len() };
        Some((start, bytes, first.min(kept)..kept))
    }

    /// The rows of prose, with its problems.
    pub(super) fn prose(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let Some((start, bytes, Range { start: mut at, end: kept })) = self.lines() else { return rows };
        let words = String::from_utf8_lossy(&bytes);
        let looks =
            if words.len() == bytes.len() { prose::markdown_styles(&words) } else { prose::MarkdownStyles::default() };
        let moved = |(range, role): (Range<usize>, Role)| (Span::new(start + range.start, start + range.end), role);
        let styles: Vec<(Span, Role)> = looks.styles.into_iter().map(moved).collect();
        let feed_from = |at: usize| memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |feed| at + feed);
        while at < kept {
            let feed = match looks.paragraphs.iter().find(|paragraph| paragraph.start == at) {
                Some(paragraph) => at + bytes[at..paragraph.end].trim_ascii_end().len(),
                None => feed_from(at),
            };
            let line = Span::new(start + at, start + feed);
            let is_wide = looks.wide.iter().any(|range| range.contains(&at));
            let widest = if is_wide { usize::MAX } else { READABLE };
            self.line(line, ("", widest), (Role::Text, ColourCodes::Pictured), &styles, &mut rows);
            for number in self.view.problems().beginning_in(Span::new(start + at, start + feed + 1)) {
                rows.extend(problem_rows(self.view, self.item, number, "  "));
            }
            at = feed_from(feed) + 1;
        }
        if !rows.is_empty() && start + bytes.len() == self.whole.end {
            rows.push(Row::default());
        }
        rows
    }

    /// The first `shown` lines after a bar, or all of them if unfolded. `painted` is called with the item's offset and
    /// the bytes from there to compute the styles.
    pub(super) fn quoted(
        &self,
        (role, widest): (Role, usize),
        shown: usize,
        unfolded: bool,
        painted: impl FnOnce(usize, &[u8]) -> HighlightedLines,
        rows: &mut Vec<Row>,
    ) {
        let Some((start, bytes, Range { start: first, end: kept })) = self.lines() else { return };
        let most = if unfolded { usize::MAX } else { shown };
        let mut lines = Vec::new();
        let mut at = first;
        while at < kept && lines.len() < most {
            let feed = memchr::memchr(b'\n', &bytes[at..kept]).map_or(kept, |feed| at + feed);
            lines.push(Span::new(start + at, start + feed));
            at = feed + 1;
        }
        // Highlighting starts at the beginning of the item. Later parts need everything before them, so they are styled
        // only while that is within `PAINTED` bytes.
        let origin = self.whole.start;
        let end = if unfolded { self.whole.end } else { start + at.min(kept) };
        let most = match start - origin {
            _ if self.is_first() => COUNTED,
            ..PAINTED => PAINTED,
            _ => 0,
        };
        let looked_at = self.view.session.text().read(Span::new(origin, end.min(origin + most)));
        if self.is_first() && !lines.is_empty() && sequences(&looked_at).next().is_some() {
            rows.push(without_colours("│ "));
        }
        let painted = painted(origin, &looked_at[..looked_at.len().min(PAINTED)]);
        let before =
            looked_at.get(..start + first - origin).map_or(0, |before| memchr::memchr_iter(b'\n', before).count());
        for (number, line) in lines.into_iter().enumerate() {
            let is_reached = line.start - origin < looked_at.len();
            let styles = if is_reached { painted.styles(before + number, line) } else { Vec::new() };
            self.line(line, ("│ ", widest), (role, ColourCodes::Dropped), &styles, rows);
        }
        if at < kept && !unfolded && shown > 0 {
            rows.push(self.more(start + at));
        }
        if !unfolded || start + bytes.len() == self.whole.end {
            rows.push(Row::default());
        }
    }

    /// The rows of a line, or of the joined lines of a paragraph, after `lead`: at most `widest` columns, unless it is
    /// a single ASCII word such as a path.
    fn line(
        &self,
        line: Span,
        (lead, widest): (&str, usize),
        (role, colour_codes): (Role, ColourCodes),
        styles: &[(Span, Role)],
        rows: &mut Vec<Row>,
    ) {
        let shown = Span::new(line.start, line.end.min(line.start + LINE));
        let mut bytes = self.view.session.text().read(shown).into_owned();
        // A line break within a paragraph is shown as a space.
        bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        let styles: Vec<(Span, Role)> = styles.iter().copied().filter(|(span, _)| span.touches(line)).collect();
        let is_word = bytes.trim_ascii().iter().all(u8::is_ascii_graphic);
        let widest = if is_word { usize::MAX } else { widest };
        let width = self.view.width(PaneId::Reading).saturating_sub(lead.chars().count()).clamp(10, widest);
        let lead: Vec<Piece> = (!lead.is_empty()).then(|| Piece::new(lead, Role::Gutter)).into_iter().collect();
        for row in wrap_glyphs(glyphs(&bytes).with(colour_codes), width) {
            let span = Span::new(line.start + row.start, line.start + row.end);
            let source = Some(Excerpt { span, role, styles: styles.clone(), of: ExcerptOf::Text, colour_codes });
            rows.push(Row { lead: lead.clone(), source, ..Row::default() }.to(Target::new(self.item, span.start)));
        }
        if shown.end < line.end {
            let words = format!("… this line continues for {}; the raw pane shows it", size(line.end - shown.end));
            rows.push(Row::plain(words, Role::Dim));
        }
    }

    /// A row with the amount of text that is not shown.
    fn more(&self, shown: usize) -> Row {
        let rest = Span::new(shown, self.whole.end);
        let counted = self.view.session.text().read(Span::new(rest.start, rest.end.min(rest.start + COUNTED)));
        let lines = memchr::memchr_iter(b'\n', &counted[..trim_end(&counted)]).count() + 1;
        let many = if rest.len() > COUNTED { size(rest.len()) } else { count(lines, "more line") };
        Row::words(vec![Piece::new("┆ ", Role::Gutter), Piece::new(format!("… {many}: Enter shows all"), Role::Dim)])
    }
}
