//! Markdown as plain lines of a width: headings, paragraphs, lists, code and tables.
//!
//! Emphasis is left out, code in a line keeps its back-ticks, and a link is followed by its target.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::text::wrap::{display_width, word_rows};

/// A line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLine {
    /// The role of the line, for a screen that has styles.
    pub kind: LineKind,
    /// Its text, of at most the requested width, except in code and tables that cannot be narrower.
    pub text: String,
}

/// The role of a line of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The text of a heading, without its signs.
    Heading,
    /// The rule below a heading or below the first row of a table.
    Rule,
    /// A line of a block of code.
    Code,
    /// Everything else, and empty lines.
    Text,
}

impl PageLine {
    fn new(kind: LineKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// Columns between two columns of a table.
const GAP: usize = 2;

/// Fewest columns of a cell that is wrapped.
const MIN_CELL: usize = 12;

/// The lines of a page. Code is not wrapped; HTML is left out.
pub fn lines(markdown: &str, width: usize) -> Vec<PageLine> {
    let mut page = Page { width, ..Page::default() };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.event(event);
    }
    page.end_block();
    while page.lines.last().is_some_and(|line| line.text.is_empty()) {
        page.lines.pop();
    }
    page.lines
}

#[derive(Default)]
struct Page {
    width: usize,
    lines: Vec<PageLine>,
    /// Text of the block that is being read.
    text: String,
    /// Number of open lists; their items are indented by it.
    depth: usize,
    /// Next number of each open list; nothing for bullets.
    numbers: Vec<Option<u64>>,
    heading: Option<HeadingLevel>,
    is_code: bool,
    /// Rows of the table that is being read.
    table: Option<Vec<Vec<String>>>,
    /// Target of the link that is being read.
    target: Option<String>,
}

impl Page {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text.push_str(&text),
            Event::Code(code) => {
                self.text.push('`');
                self.text.push_str(&code);
                self.text.push('`');
            }
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.end_block();
                self.heading = Some(level);
            }
            Tag::CodeBlock(_) => {
                self.end_block();
                self.is_code = true;
            }
            Tag::List(start) => {
                self.end_item();
                self.depth += 1;
                self.numbers.push(start);
            }
            Tag::Item => {
                self.end_item();
                let indent = "  ".repeat(self.depth.saturating_sub(1));
                let mark = match self.numbers.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}.", *number - 1)
                    }
                    _ => "-".to_owned(),
                };
                self.text = format!("{indent}{mark} ");
            }
            Tag::Table(_) => {
                self.end_block();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            Tag::TableCell => self.text.clear(),
            Tag::Link { dest_url, .. } => self.target = Some(dest_url.to_string()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph if self.depth == 0 => self.end_block(),
            TagEnd::Heading(_) | TagEnd::CodeBlock => self.end_block(),
            TagEnd::Item => self.end_item(),
            TagEnd::List(_) => {
                self.depth = self.depth.saturating_sub(1);
                self.numbers.pop();
                if self.depth == 0 {
                    self.space();
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.text);
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let rows = self.table.take().unwrap_or_default();
                self.lines.extend(table(&rows, self.width));
                self.space();
            }
            TagEnd::Link => {
                // The text of a link within the guide is its file, too.
                let target = self.target.take().unwrap_or_default();
                if !self.text.ends_with(&target) {
                    self.text.extend([" (", &target, ")"]);
                }
            }
            _ => {}
        }
    }

    /// Ends an item of a list, wrapped under its mark.
    fn end_item(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() || self.depth == 0 {
            self.text = text;
            return;
        }
        let indent = text.len() - text.trim_start().len();
        let mark = text.trim_start().split(' ').next().map_or(1, str::len) + 1;
        let (mark, body) = text.split_at((indent + mark).min(text.len()));
        let hanging = " ".repeat(mark.len());
        for (number, row) in word_rows(body.trim_end(), self.width.saturating_sub(mark.len()).max(1)).enumerate() {
            self.lines
                .push(PageLine::new(LineKind::Text, format!("{}{row}", if number == 0 { mark } else { &hanging })));
        }
    }

    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.text);
        let (heading, is_code) = (self.heading.take(), std::mem::take(&mut self.is_code));
        if is_code {
            let code = |line: &str| PageLine::new(LineKind::Code, format!("    {line}").trim_end());
            self.lines.extend(text.trim_end().split('\n').map(code));
        } else if text.trim().is_empty() {
            return;
        } else if let Some(level) = heading {
            let line = if level == HeadingLevel::H1 { '=' } else { '-' };
            self.lines.push(PageLine::new(LineKind::Heading, text.trim()));
            self.lines.push(PageLine::new(LineKind::Rule, line.to_string().repeat(columns(text.trim()))));
        } else {
            self.lines.extend(word_rows(text.trim(), self.width).map(|row| PageLine::new(LineKind::Text, row)));
        }
        self.space();
    }

    /// Ends a block with an empty line.
    fn space(&mut self) {
        self.lines.push(PageLine::new(LineKind::Text, ""));
    }
}

fn columns(text: &str) -> usize {
    display_width(text.as_bytes())
}

/// A table whose last columns are wrapped, so that it fits.
fn table(rows: &[Vec<String>], width: usize) -> Vec<PageLine> {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let natural = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| columns(cell)).max();
    let mut widths: Vec<usize> = (0..count).map(|column| natural(column).unwrap_or_default()).collect();
    let available = width.saturating_sub(GAP * count.saturating_sub(1));
    // The widest columns yield first.
    while widths.iter().sum::<usize>() > available {
        let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > MIN_CELL) else { break };
        *widest -= 1;
    }
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<Vec<&str>> =
            row.iter().zip(&widths).map(|(cell, &width)| word_rows(cell, width.max(1)).collect()).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        for line in 0..height {
            let mut text = String::new();
            for (cell, width) in cells.iter().zip(&widths) {
                let part = cell.get(line).copied().unwrap_or_default();
                text.push_str(part);
                text.push_str(&" ".repeat(width.saturating_sub(columns(part)) + GAP));
            }
            lines.push(PageLine::new(LineKind::Text, text.trim_end()));
        }
        if number == 0 {
            let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
            lines.push(PageLine::new(LineKind::Rule, rule.join(&" ".repeat(GAP))));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_block_has_its_lines() {
        let rows: &[(&str, usize, &[&str])] = &[
            ("# A page\n\nSome *words* of\na text.\n", 12, &["A page", "======", "", "Some words", "of a text."]),
            ("- one `two`\n- three four five\n", 12, &["- one `two`", "- three four", "  five"]),
            ("1. one\n2. two\n", 20, &["1. one", "2. two"]),
            ("```sh\nls -l  # list\n```\n", 8, &["    ls -l  # list"]),
            ("[text](a.md) and [b.md](b.md)\n", 40, &["text (a.md) and b.md"]),
            ("| a | b |\n|---|---|\n| `x` | y z |\n", 40, &["a    b", "---  ---", "`x`  y z"]),
            (
                "| key | meaning |\n|---|---|\n| k | a meaning of words |\n",
                18,
                &["key  meaning", "---  -------------", "k    a meaning of", "     words"],
            ),
        ];
        for (markdown, width, expected) in rows {
            let texts: Vec<String> = lines(markdown, *width).into_iter().map(|line| line.text).collect();
            assert_eq!(texts, *expected, "{markdown:?}");
        }
    }
}
