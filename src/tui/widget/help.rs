//! The help: a list of keys, symbols and pages of the guide in columns, or a page, drawn over the screen.

use std::slice::from_ref;

use ratatui::buffer::Buffer;
use ratatui::symbols::border;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Widget};

use crate::guide::markdown::{LineKind, PageLine};
use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::row::{Piece, width};
use crate::tui::style::Role;
use crate::tui::theme::{Theme, in_row};
use crate::tui::widget::{pieces, rect, selection_style};

/// Width of the keys.
const KEYS: usize = 24;

/// Width of a column of the list.
const COLUMN: u16 = 59;

/// Maximum number of columns of the list.
const MOST_COLUMNS: u16 = 3;

/// Columns of the symbols, before their meaning.
const SIGN: usize = 10;

/// Width of the names of pages.
const NAME: usize = 16;

/// Maximum columns of the text of a page: longer lines are hard to read.
const PAGE: u16 = 100;

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelpLine {
    /// The heading of a group of keys.
    Heading(String),
    /// The heading of a part: the keys for the selection, the symbols, the guide.
    Part(String),
    /// An empty line between groups.
    Space,
    /// An action with its keys and its help text.
    Action(Action, String, String),
    /// Symbols, separated by spaces, and their meaning.
    Sign(&'static str, &'static str),
    /// A page of the guide: its number, and its title or a line that has the typed text.
    Page(usize, String),
    /// A remark that cannot be selected, such as the line about the mouse.
    Remark(String),
}

impl HelpLine {
    /// True if the line can be selected.
    pub fn is_choice(&self) -> bool {
        matches!(self, HelpLine::Action(..) | HelpLine::Sign(..) | HelpLine::Page(..))
    }

    fn pieces(&self) -> Vec<Piece> {
        let label = |words: &str, room: usize| {
            let gap = room.saturating_sub(width(from_ref(&Piece::new(words, Role::Title))));
            Piece::new(format!("  {words}{}", " ".repeat(gap)), Role::Title)
        };
        match self {
            HelpLine::Heading(words) | HelpLine::Part(words) => vec![Piece::new(words, Role::Heading)],
            HelpLine::Space => Vec::new(),
            HelpLine::Action(_, keys, words) => vec![label(keys, KEYS), Piece::new(words, Role::Text)],
            HelpLine::Sign(signs, meaning) => vec![label(signs, SIGN), Piece::new(meaning, Role::Text)],
            HelpLine::Page(number, words) => {
                let name = crate::guide::PAGES.get(*number).map_or("", |page| page.name);
                vec![label(name, NAME), Piece::new(words, Role::Text)]
            }
            HelpLine::Remark(words) => vec![Piece::new(format!("  {words}"), Role::Dim)],
        }
    }
}

/// The columns of the list on a screen, above its bottom line. The lines continue in the next column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HelpColumns {
    area: Area,
    columns: usize,
    /// Rows of each column, without the border.
    pub rows: usize,
}

impl HelpColumns {
    /// The columns for a number of lines on a screen of this size.
    pub fn new(size: (u16, u16), lines: usize) -> Self {
        let most = usize::from(size.1.saturating_sub(3)).max(1);
        // A list that fits into one column has only one.
        let needed = u16::try_from(lines.div_ceil(most)).unwrap_or(MOST_COLUMNS);
        let columns = (size.0.saturating_sub(2) / COLUMN).min(needed).clamp(1, MOST_COLUMNS);
        let rows = lines.div_ceil(usize::from(columns)).clamp(1, most);
        let width = COLUMN * columns + 2 + columns % 2 * 4;
        Self { area: centred(size, (width, rows as u16 + 2)), columns: usize::from(columns), rows }
    }

    /// Number of lines that all columns show together.
    pub fn visible(&self) -> usize {
        self.rows * self.columns
    }

    /// Lines of a page, so that a step by a page keeps one line, or a whole column of several.
    pub fn page(&self) -> usize {
        self.rows * self.columns.saturating_sub(1).max(1) + usize::from(self.columns > 1)
    }

    /// The line at a cell, where `top` is the first visible one; `None` outside of the list.
    pub fn line_at(&self, top: usize, x: u16, y: u16) -> Option<usize> {
        let inside = self.area.inner();
        let column = usize::from(x.checked_sub(inside.x)? / COLUMN).min(self.columns - 1);
        inside.contains(x, y).then(|| top + column * self.rows + usize::from(y - inside.y))
    }
}

/// An area of at most this size in the middle of a screen, above its bottom line.
fn centred((width, height): (u16, u16), size: (u16, u16)) -> Area {
    let (wide, high) = (size.0.min(width), size.1.min(height.saturating_sub(1)));
    Area { x: (width - wide) / 2, y: (height - 1).saturating_sub(high) / 2, width: wide, height: high }
}

/// Draws the list with `top` as its first visible line.
pub fn draw_list(buffer: &mut Buffer, lines: &[HelpLine], (top, chosen): (usize, Option<usize>), theme: &Theme) {
    let columns = HelpColumns::new((buffer.area.width, buffer.area.height), lines.len());
    let more = if top + columns.visible() < lines.len() { " more ↓ " } else { "" };
    let titles = [" Help ── type to search ── Enter runs it ── Esc closes ", " Tab: keys, symbols, guide "];
    frame(buffer, columns.area, titles, more, theme);
    let inside = columns.area.inner();
    for (at, line) in lines.iter().enumerate().skip(top).take(columns.visible()) {
        let (column, row) = ((at - top) / columns.rows, (at - top) % columns.rows);
        let x = inside.x + 1 + column as u16 * COLUMN;
        let end = (x + COLUMN - 1).min(inside.x + inside.width);
        let over = selection_style(chosen == Some(at), true, theme);
        let y = inside.y + row as u16;
        buffer.set_style(rect(Area { x, y, width: end.saturating_sub(x), height: 1 }, buffer), over);
        pieces(buffer, (x, y), end, &line.pieces(), |role| in_row(over, theme.style(role)));
    }
}

/// Columns of the text of a page on a screen of this width.
pub fn page_width(width: u16) -> usize {
    usize::from(width.min(PAGE + 4).saturating_sub(4)).max(1)
}

/// Rows of the text of a page on a screen of this height.
pub fn page_height(height: u16) -> usize {
    usize::from(height.saturating_sub(3)).max(1)
}

/// A page of the guide to be drawn.
pub struct ShownPage<'a> {
    /// The title of the page, in the border.
    pub title: &'a str,
    /// All lines of the page, wrapped to its width.
    pub lines: &'a [PageLine],
    /// Number of the first visible line; 0 at the top.
    pub top: usize,
    /// Text to be highlighted, in lower case; nothing if empty.
    pub sought: &'a str,
}

/// Draws a page of the guide.
pub fn draw_page(buffer: &mut Buffer, page: &ShownPage<'_>, theme: &Theme) {
    let (width, height) = (buffer.area.width, buffer.area.height);
    let area = centred((width, height), (PAGE + 4, height));
    let more = if page.top + page_height(height) < page.lines.len() { " more ↓ " } else { "" };
    let title = format!(" {} ── type to find ── Enter: next ── Esc back ", page.title);
    frame(buffer, area, [&title, ""], more, theme);
    let inside = area.inner();
    for (row, line) in page.lines.iter().skip(page.top).take(usize::from(inside.height)).enumerate() {
        let at = (inside.x + 1, inside.y + row as u16);
        pieces(buffer, at, inside.x + inside.width, &styled(line, page.sought), |role| theme.style(role));
    }
}

/// The pieces of a line, with code in its style and occurrences of the sought text highlighted.
fn styled(line: &PageLine, sought: &str) -> Vec<Piece> {
    let role = match line.kind {
        LineKind::Heading => Role::Heading,
        LineKind::Rule => Role::Gutter,
        LineKind::Code => Role::CodeBlock,
        LineKind::Text => Role::Text,
    };
    let found = find(&line.text, sought);
    let Some(at) = found else {
        // Every second part is between back-ticks, which stay, so that the columns of tables do.
        let code = |index: usize| if index % 2 == 1 && role == Role::Text { Role::InlineCode } else { role };
        let parts = line.text.split('`').enumerate();
        return parts
            .flat_map(|(index, part)| {
                let tick = (index > 0).then(|| Piece::new("`", Role::Dim));
                tick.into_iter().chain([Piece::new(part, code(index))])
            })
            .collect();
    };
    let (before, rest) = line.text.split_at(at);
    let (found, after) = rest.split_at(sought.len());
    let mut pieces = vec![Piece::new(before, role), Piece::new(found, Role::Match)];
    let rest = PageLine { kind: line.kind, text: after.to_owned() };
    pieces.extend(styled(&rest, sought));
    pieces
}

/// The offset of a text in lower case in another one, whatever its case; `None` if it is empty.
pub fn find(text: &str, sought: &str) -> Option<usize> {
    if sought.is_empty() {
        return None;
    }
    let lower = text.to_lowercase();
    // Where lower case has another length, offsets would be wrong.
    if lower.len() == text.len() { lower.find(sought) } else { text.find(sought) }
}

fn frame(buffer: &mut Buffer, area: Area, [title, keys]: [&str; 2], more: &'static str, theme: &Theme) {
    let target = rect(area, buffer);
    Clear.render(target, buffer);
    Block::bordered()
        .border_set(border::THICK)
        .border_style(theme.style(Role::BorderFocused))
        .title_top(title)
        .title_bottom(concat!(" transcope ", env!("CARGO_PKG_VERSION"), " "))
        .title_bottom(keys)
        .title_bottom(Line::from(more).right_aligned())
        .render(target, buffer);
}
