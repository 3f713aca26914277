//! The tab bar: a line with the titles of the tabs.

use ratatui::buffer::Buffer;

use crate::tui::geometry::Area;
use crate::tui::message::TabTitle;
use crate::tui::row::{Piece, width};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::pieces;

/// Columns beyond which a title is cut.
const LONGEST: usize = 32;

/// Draws the tab bar.
pub fn draw(buffer: &mut Buffer, area: Area, bar: &[TabTitle], theme: &Theme) {
    for (start, index) in places(bar, area) {
        let name = name(&bar[index]);
        pieces(buffer, (start, area.y), area.x + area.width, &name, |role| theme.style(role));
    }
}

/// The tab at a column.
pub fn tab_at(bar: &[TabTitle], area: Area, x: u16) -> Option<usize> {
    places(bar, area).find(|&(start, index)| (start..start + columns(&bar[index])).contains(&x)).map(|(_, index)| index)
}

/// Start columns and indices of the titles, beginning with the first one that leaves room for the current tab.
fn places(bar: &[TabTitle], area: Area) -> impl Iterator<Item = (u16, usize)> {
    let shown = bar.iter().position(|heading| heading.shown).unwrap_or(0);
    let fits = |first: usize| bar[first..=shown].iter().map(|heading| usize::from(columns(heading))).sum::<usize>();
    let first = (0..shown).find(|&first| fits(first) <= usize::from(area.width)).unwrap_or(shown);
    let starts = (first..bar.len()).scan(area.x, move |x, index| {
        let start = *x;
        *x = x.saturating_add(columns(&bar[index]));
        Some((start, index))
    });
    starts.take_while(move |&(start, _)| start < area.x + area.width)
}

fn columns(heading: &TabTitle) -> u16 {
    width(&name(heading)) as u16
}

/// A title and its marks. Brackets mark the current tab where there are no colours.
fn name(heading: &TabTitle) -> Vec<Piece> {
    let (open, close) = if heading.shown { ("[", "]") } else { (" ", " ") };
    let role = if heading.shown { Role::Strong } else { Role::Dim };
    let mut name: String = heading.name.chars().take(LONGEST).collect();
    if name.len() < heading.name.len() {
        name.push('…');
    }
    let mut pieces = vec![Piece::new(format!("{open}{name}"), role)];
    let errors = if heading.unseen > 0 { format!(" ✗{}", heading.unseen) } else { " ✗".to_owned() };
    let marks =
        [(heading.live, " ●", Role::Good), (heading.more, " +", Role::Pending), (heading.errors, &errors, Role::Error)];
    pieces.extend(marks.into_iter().filter(|(is, ..)| *is).map(|(_, mark, role)| Piece::new(mark, role)));
    pieces.push(Piece::new(close, role));
    pieces
}
