//! Where in the whole text there is something to go to: ticks in a column at the right of the panes of the text.
//!
//! A row of the column represents its share of the bytes. Costs the same however long the text is and however much is
//! wrong with it. Independent of the contents of the panes.

use ratatui::buffer::Buffer;

use crate::diagnostic::Severity;
use crate::text::Span;

use crate::tui::geometry::Area;
use crate::tui::row::{Target, mark};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::View;
use crate::tui::widget::put;

/// Problems of a row whose severities are examined.
const LOOKED: usize = 32;

/// The tick of a problem or a failed call. It is no sign of its severity, which would seem to be about the line next to it.
const PROBLEM: &str = "━";

/// The tick of a place that the search found.
const MATCH: &str = "─";

/// Something to go to in a share of the text.
enum Found {
    /// A problem, by its number in the document.
    Problem(usize, Severity, Span),
    /// A match of the search, by its offset in the text that is shown.
    Match(usize),
}

/// Draws the ticks of problems, failed calls and matches.
pub fn draw(buffer: &mut Buffer, area: Area, view: &View, theme: &Theme) {
    for y in area.y..area.y + area.height {
        let (sign, role) = match share(area, view, y).and_then(|share| found(view, share)) {
            Some(Found::Problem(_, severity, _)) => (PROBLEM, mark(severity).1),
            Some(Found::Match(_)) => (MATCH, Role::Match),
            None => continue,
        };
        put(buffer, area.x, y, sign, 1, theme.style(role));
    }
}

/// Where a click on a row of the column leads: to what its tick is about, or to its share of the text.
pub fn target(area: Area, view: &View, y: u16) -> Option<Target> {
    let share = share(area, view, y)?;
    Some(match found(view, share) {
        Some(Found::Problem(number, _, span)) => view.target_of_problem(number, span.start),
        Some(Found::Match(offset)) => view.target_at(offset),
        None => view.target_at(share.start),
    })
}

/// The bytes that a row represents, which are next to the insides of the panes; nothing where their number is not known.
fn share(area: Area, view: &View, y: u16) -> Option<Span> {
    let (length, inner) = (view.session.text().len(), area.height.saturating_sub(2));
    let row = y.checked_sub(area.y + 1).filter(|row| *row < inner)?;
    let offset = |row: u16| ((length as u128 * u128::from(row)) / u128::from(inner)) as usize;
    (length > 0 && view.ahead.is_none()).then(|| Span::new(offset(row), offset(row + 1)))
}

/// The gravest of what is in a share of the text.
fn found(view: &View, share: Span) -> Option<Found> {
    let problems = view.problems();
    let (first, end) = (problems.first_from(share.start), problems.first_from(share.end));
    let looked = (first..end.min(first + LOOKED)).filter_map(|place| {
        let number = problems.at(place)?;
        Some((number, problems.brief(number)?))
    });
    let weight = |severity: Severity| match severity {
        Severity::Error => 4,
        Severity::Note => 3,
        Severity::Warning => 1,
        Severity::Hint => 0,
    };
    let weighed = looked.map(|(number, brief)| (weight(brief.severity), number, brief));
    // Of those that are as grave, the first one.
    let worst =
        weighed.filter(|(weight, ..)| *weight > 0).reduce(|one, other| if other.0 > one.0 { other } else { one });
    let base = view.base();
    let shifted = Span::new(base + share.start, base + share.end);
    let matched = view.search.as_ref().and_then(|search| search.matches_in(shifted).next());
    match (worst, matched) {
        (Some((weight, number, brief)), matched) if weight > 2 || matched.is_none() => {
            Some(Found::Problem(number, brief.severity, brief.span))
        }
        (_, matched) => matched.map(|found| Found::Match(found.start.max(shifted.start) - base)),
    }
}
