//! Where in the whole text there is something to go to: marks on the right border of a pane.
//!
//! A row of the border stands for its share of the bytes. Costs the same however long the text is and however much is
//! wrong with it. This module does not know what the pane shows.

use ratatui::buffer::Buffer;

use crate::diagnostic::Severity;
use crate::text::Span;

use crate::tui::geometry::Area;
use crate::tui::row::mark;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::View;
use crate::tui::widget::put;

/// Problems of a row whose severities are looked at.
const LOOKED: usize = 32;

/// The mark of a place that the search found.
const MATCH: &str = "─";

/// Draws the marks of problems, failed calls and matches on the right border of a pane with this outside.
pub fn draw(buffer: &mut Buffer, area: Area, view: &View, theme: &Theme) {
    let length = view.session.text().len();
    if length == 0 || area.width < 2 || view.ahead.is_some() {
        return;
    }
    let (rows, x) = (usize::from(area.inner().height), area.x + area.width - 1);
    let offset = |row: usize| ((length as u128 * row as u128) / rows.max(1) as u128) as usize;
    for row in 0..rows {
        let share = Span::new(offset(row), offset(row + 1));
        if let Some((sign, role)) = sign(view, share) {
            put(buffer, x, area.inner().y + row as u16, sign, 1, theme.style(role));
        }
    }
}

/// The mark for a share of the text: what is gravest in it.
fn sign(view: &View, share: Span) -> Option<(&'static str, Role)> {
    let problems = view.problems();
    let (first, behind) = (problems.first_from(share.start), problems.first_from(share.end));
    let looked = (first..behind.min(first + LOOKED)).filter_map(|place| problems.brief(problems.at(place)?));
    let weight = |severity: Severity| match severity {
        Severity::Error => 4,
        Severity::Note => 3,
        Severity::Warning => 1,
        Severity::Hint => 0,
    };
    let worst =
        looked.map(|brief| brief.severity).filter(|&severity| weight(severity) > 0).max_by_key(|&found| weight(found));
    let base = view.base();
    let found = view
        .search
        .as_ref()
        .filter(|search| search.matches_in(Span::new(base + share.start, base + share.end)).next().is_some());
    match (worst, found) {
        (Some(severity), None) => Some(mark(severity)),
        (Some(severity), Some(_)) if weight(severity) > 2 => Some(mark(severity)),
        (_, Some(_)) => Some((MATCH, Role::Match)),
        (None, None) => None,
    }
}
