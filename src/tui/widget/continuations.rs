//! The possible continuations of a key sequence, over the lower right corner of the screen.

use ratatui::buffer::Buffer;
use ratatui::symbols::border;
use ratatui::widgets::{Block, Clear, Widget};

use crate::tui::geometry::Area;
use crate::tui::keymap::{Keymap, ScreenId, shown};
use crate::tui::row::{Piece, width};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{pieces, rect};

/// Draws a line for each key that may follow `prefix`, above the bottom line.
pub fn draw(buffer: &mut Buffer, keymap: &Keymap, keys: ScreenId, prefix: &str, theme: &Theme) {
    let line = |(rest, help): (&str, &'static str)| {
        vec![Piece::new(format!(" {:<4}", shown(rest)), Role::Title), Piece::new(format!("{help} "), Role::Text)]
    };
    let lines: Vec<Vec<Piece>> =
        keymap.continuations(keys, prefix).map(|(rest, binding)| line((rest, binding.help))).collect();
    let screen = buffer.area;
    let wanted = lines.iter().map(|line| width(line)).max().unwrap_or(0) as u16 + 2;
    let size = (wanted.min(screen.width), (lines.len() as u16 + 2).min(screen.height.saturating_sub(2)));
    let area = Area { x: screen.width - size.0, y: screen.height - 1 - size.1, width: size.0, height: size.1 };
    let target = rect(area, buffer);
    Clear.render(target, buffer);
    Block::bordered()
        .border_set(border::THICK)
        .border_style(theme.style(Role::BorderFocused))
        .title_top(format!(" {prefix} "))
        .render(target, buffer);
    let inside = area.inner();
    for (row, line) in lines.iter().take(usize::from(inside.height)).enumerate() {
        let end = inside.x + inside.width;
        pieces(buffer, (inside.x, inside.y + row as u16), end, line, |role| theme.style(role));
    }
}
