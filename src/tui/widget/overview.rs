//! The overview column at the right of the text panes: ticks for problems and matches in the whole text.
//!
//! Each row of the column represents an equal share of the bytes. The cost depends neither on the length of the text
//! nor on the number of problems. Independent of the contents of the panes.

use ratatui::buffer::Buffer;

use crate::diagnostic::Severity;
use crate::text::Span;

use crate::tui::geometry::Area;
use crate::tui::row::{Target, mark};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::View;
use crate::tui::widget::put;

/// Problems examined per row.
const LOOKED: usize = 32;

/// The tick of a problem or a failed call. A severity sign would seem to refer to the line next to it.
const PROBLEM: &str = "━";

/// The tick of a search match.
const MATCH: &str = "─";

/// The most important thing in a share of the text.
enum OverviewMark {
    /// A problem: its number in the document, severity and span.
    Problem(usize, Severity, Span),
    /// A search match, by its offset in the session that is shown.
    Match(usize),
}

/// Draws the ticks of problems, failed calls and matches.
pub fn draw(buffer: &mut Buffer, area: Area, view: &View, theme: &Theme) {
    for y in area.y..area.y + area.height {
        let (sign, role) = match share(area, view, y).and_then(|share| found(view, share)) {
            Some(OverviewMark::Problem(_, severity, _)) => (PROBLEM, mark(severity).1),
            Some(OverviewMark::Match(_)) => (MATCH, Role::Match),
            None => continue,
        };
        put(buffer, area.x, y, sign, 1, theme.style(role));
    }
}

/// The target of a click on a row of the column: what its tick refers to, or else its share of the text.
pub fn target(area: Area, view: &View, y: u16) -> Option<Target> {
    let share = share(area, view, y)?;
    Some(match found(view, share) {
        Some(OverviewMark::Problem(number, _, span)) => view.target_of_problem(number, span.start),
        Some(OverviewMark::Match(offset)) => view.target_at(offset),
        None => view.target_at(share.start),
    })
}

/// The bytes that a row represents. Rows cover the inside of the panes; `None` outside of that, and while the length of
/// the text is unknown.
fn share(area: Area, view: &View, y: u16) -> Option<Span> {
    let (length, inner) = (view.session.text().len(), area.height.saturating_sub(2));
    let row = y.checked_sub(area.y + 1).filter(|row| *row < inner)?;
    let offset = |row: u16| ((length as u128 * u128::from(row)) / u128::from(inner)) as usize;
    (length > 0 && view.ahead.is_none()).then(|| Span::new(offset(row), offset(row + 1)))
}

/// The most severe problem, or a match, in a share of the text.
fn found(view: &View, share: Span) -> Option<OverviewMark> {
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
    // The first one of the highest severity.
    let worst =
        weighed.filter(|(weight, ..)| *weight > 0).reduce(|one, other| if other.0 > one.0 { other } else { one });
    let base = view.base();
    let shifted = Span::new(base + share.start, base + share.end);
    let matched = view.search.as_ref().and_then(|search| search.matches_in(shifted).next());
    match (worst, matched) {
        (Some((weight, number, brief)), matched) if weight > 2 || matched.is_none() => {
            Some(OverviewMark::Problem(number, brief.severity, brief.span))
        }
        (_, matched) => matched.map(|found| OverviewMark::Match(found.start.max(shifted.start) - base)),
    }
}
