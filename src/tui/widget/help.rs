//! The help screen: the table of keys, drawn over everything else.

use ratatui::buffer::Buffer;
use ratatui::symbols::border;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Widget};

use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::keymap::{Keymap, ScreenId, shown};
use crate::tui::row::Piece;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{pieces, rect};

/// Width of the keys.
const KEYS: usize = 24;

/// Width of a column of the table.
const COLUMN: u16 = 59;

/// Width of the signs.
const SIGN: usize = 7;

/// Signs in the panes of a transcript and their meanings.
const SIGNS: &[(&str, &str)] = &[
    ("✗", "failed call, error"),
    ("!", "warning"),
    ("·", "hint"),
    ("?", "unanswered call: no result follows"),
    ("⊘", "skipped by the runtime; interrupted"),
    ("▸ ▾", "folded, open"),
    ("⇒", "result"),
    ("∴", "reasoning"),
    ("⑂", "sub-agent"),
    ("‹ ›", "text that a program added to the prompt"),
    ("┆", "a text or output that is cut short or set apart"),
    ("▏", "rows of a call"),
    ("━ ─", "at the right edge: problem or failed call; match"),
    ("↑ ↓", "tokens of input that is not cached, and of output"),
    ("R W", "tokens read from the cache, and written to it"),
    ("≤ ≥ ~", "at most, at least, estimated"),
];

/// The lines of the table: each group's heading and keys, then the signs.
fn lines(keymap: &Keymap, keys: ScreenId) -> Vec<Vec<Piece>> {
    let mut lines = Vec::new();
    for group in keymap.groups(keys) {
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        lines.push(vec![Piece::new(group.title, Role::Heading)]);
        for binding in group.bindings.iter().filter(|binding| !binding.keys.is_empty()) {
            let names: Vec<&str> = binding.keys.iter().map(|key| shown(key)).collect();
            lines.push(vec![
                Piece::new(format!("  {:<KEYS$}", names.join("  ")), Role::Title),
                Piece::new(binding.help, Role::Text),
            ]);
        }
    }
    lines.push(Vec::new());
    lines.push(vec![Piece::new(format!("  {}", keys.mouse()), Role::Dim)]);
    if keys == ScreenId::Transcript {
        lines.extend([Vec::new(), vec![Piece::new("Signs", Role::Heading)]]);
        lines.extend(SIGNS.iter().map(|(sign, meaning)| {
            vec![Piece::new(format!("  {sign:<SIGN$}"), Role::Title), Piece::new(meaning, Role::Text)]
        }));
    }
    lines
}

/// True if the table has two columns on a screen of this width.
fn is_wide(width: u16) -> bool {
    width >= 2 * COLUMN + 2
}

/// Number of rows of the table on a screen of this width.
pub fn height(keymap: &Keymap, keys: ScreenId, width: u16) -> usize {
    let lines = lines(keymap, keys).len();
    if is_wide(width) { lines.div_ceil(2) } else { lines }
}

/// Draws the table starting at `row`.
pub fn draw(buffer: &mut Buffer, keymap: &Keymap, keys: ScreenId, row: usize, theme: &Theme) {
    let screen = buffer.area;
    let rows = height(keymap, keys, screen.width);
    let columns = if is_wide(screen.width) { 2 } else { 1 };
    let width = (COLUMN * columns + 2 + columns % 2 * 4).min(screen.width);
    let height = (rows as u16 + 2).min(screen.height);
    let area = Area { x: (screen.width - width) / 2, y: (screen.height - height) / 2, width, height };
    let target = rect(area, buffer);
    Clear.render(target, buffer);
    let search = [Action::Search, Action::Palette].map(|action| keymap.key_of(keys, action));
    let search = search.into_iter().find(|key| !key.is_empty()).unwrap_or_default();
    let title = format!(" Keys ── j/k scroll ── {search} search ── any other key closes ");
    let more = if row + usize::from(area.inner().height) < rows { " more ↓ " } else { "" };
    Block::bordered()
        .border_set(border::THICK)
        .border_style(theme.style(Role::BorderFocused))
        .title_top(title)
        .title_bottom(concat!(" transcope ", env!("CARGO_PKG_VERSION"), " "))
        .title_bottom(Line::from(more).right_aligned())
        .render(target, buffer);
    let inside = area.inner();
    let lines = lines(keymap, keys);
    for (index, line) in lines.iter().enumerate() {
        let (column, at) = if columns == 2 { (index / rows, index % rows) } else { (0, index) };
        let Some(y) = at.checked_sub(row).filter(|&y| y < usize::from(inside.height)) else { continue };
        let x = inside.x + 1 + column as u16 * COLUMN;
        let style = |role| theme.style(role);
        pieces(buffer, (x, inside.y + y as u16), inside.x + inside.width, line, style);
    }
}
