//! The rows of a comparison of recorded sessions: headings of turns with their figures, and calls with their main arguments.

use crate::compare::turns::call_argument;
use crate::compare::{CallRow, RowKind};
use crate::container::CallOutcome;
use crate::document::{Call, Turn};
use crate::export::diff::turns::{kind, totals};
use crate::session::prompt::prompt_line;
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, fit};
use crate::value::main_argument::shortened;
use crate::wording::figures::{duration_figure, turn_figures};
use crate::wording::session_summary::SessionSummary;

use crate::tui::row::{Piece, Row, width, wrapped};
use crate::tui::screen::comparison::mark::{RowPair, role, sign};
use crate::tui::screen::comparison::{ComparisonScreen, Fold};
use crate::tui::style::Role;

/// Rows of the heading of a turn: prompts, then figures.
pub(super) const HEADING: usize = 2;

/// The headings of the turns that begin at a unit, after the totals before the first one.
pub(super) fn headings(screen: &ComparisonScreen, unit: usize) -> Vec<RowPair> {
    let totals = if unit == 0 && screen.is_by_turn() { totals_of(screen) } else { Vec::new() };
    totals.into_iter().chain(screen.turns_at(unit).flat_map(|turn| heading(screen, turn))).collect()
}

/// The totals of both sessions, or the parts that are compared, which precede the first turn.
fn totals_of(screen: &ComparisonScreen) -> Vec<RowPair> {
    let words = screen.sides.each_ref().map(|side| match &side.part {
        Some(part) => visible_str(part).into_owned(),
        None => totals(&SessionSummary::new(&side.session)),
    });
    let [left, right] = words.map(|words| figures_wrapped(&words, screen.width().saturating_sub(2)));
    let row = |words: Option<&String>| {
        words.map_or_else(Row::default, |words| Row::words(vec![Piece::new(format!("  {words}"), Role::Text)]))
    };
    (0..left.len().max(right.len())).map(|at| [row(left.get(at)), row(right.get(at))]).collect()
}

/// Figures in rows of at most `room` columns, each with its name, unless one alone is wider.
fn figures_wrapped(words: &str, room: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for figure in words.split_inclusive(", ") {
        match rows
            .last_mut()
            .filter(|row| display_width(row.as_bytes()) + display_width(figure.trim_end().as_bytes()) <= room)
        {
            Some(row) => row.push_str(figure),
            None => rows.push(figure.to_owned()),
        }
    }
    rows.iter().flat_map(|row| wrapped(row.trim_end(), room)).collect()
}

fn heading(screen: &ComparisonScreen, index: usize) -> [RowPair; HEADING] {
    let pair = &screen.comparison.turns[index];
    let turns = [pair.left, pair.right];
    let rows = [0, 1].map(|side| match turns[side] {
        Some(turn) => of_turn(screen, side, turn, index),
        None if turns == [None, None] => {
            [Row::words(vec![Piece::new("  before the first prompt", Role::Dim)]), Row::default()]
        }
        None => [Row::words(vec![Piece::new("  (no such turn)", Role::Dim)]), Row::default()],
    });
    let [[left, left_figures], [right, right_figures]] = rows;
    [[left, right], [left_figures, right_figures]]
}

/// A turn of a side, of the pair at an index: number and prompt, then its figures.
fn of_turn(screen: &ComparisonScreen, side: usize, turn: Turn, index: usize) -> [Row; HEADING] {
    let (on, is_folded) = (kind(&screen.comparison.turns[index]), screen.is_turn_folded(index));
    let session = &screen.sides[side].session;
    let number = session.document().turn_number(turn).map_or("abandoned".to_owned(), |number| format!("turn {number}"));
    let mut lead = vec![
        Piece::new(format!("{} ", sign(on, side)), role(on, side)),
        Piece::new(
            match is_folded {
                Some(true) => "▸ ",
                Some(false) => "▾ ",
                None => "  ",
            },
            Role::Gutter,
        ),
        Piece::new(format!("{number}  "), Role::Heading),
    ];
    let room = screen.width().saturating_sub(width(&lead));
    let prompt = visible_str(&prompt_line(session, turn)).into_owned();
    lead.push(Piece::new(fit(&prompt, room), Role::User));
    let figures = turn_figures(&session.document().turn_summary(turn, session.text()));
    let hidden = (side == 1 && is_folded == Some(true)).then(|| match screen.differing_calls(index) {
        0 => "⋯ equal ".to_owned(),
        1 => "⋯ 1 call differs ".to_owned(),
        calls => format!("⋯ {calls} calls differ "),
    });
    let note: Vec<Piece> = hidden.into_iter().map(|words| Piece::new(words, Role::Dim)).collect();
    let room = screen.width().saturating_sub(4 + width(&note));
    let figures = Row { note, ..Row::words(vec![Piece::new(format!("    {}", fit(&figures, room)), Role::Dim)]) };
    [Row { is_heading: true, ..Row::words(lead) }, figures]
}

/// The header of a call: tool and main argument; as a note, the respects in which a pair differs, a failure, and the duration.
pub(super) fn call(
    screen: &ComparisonScreen,
    (unit, side): (usize, usize),
    (item, call): (usize, &Call<'_>),
    (on, fold): (RowKind, Fold),
) -> Row {
    let session = &screen.sides[side].session;
    let text = session.text();
    let name = call.name(text);
    let mut lead = vec![
        Piece::new(format!("{} ", sign(on, side)), role(on, side)),
        Piece::new(if fold == Fold::Closed { "▸ " } else { "▾ " }, Role::Gutter),
        Piece::new(if name.is_empty() { "(no name)" } else { &name }, Role::Name),
        Piece::new("  ", Role::Text),
    ];
    let differences = screen.comparison.rows.get(unit).map(CallRow::differences).unwrap_or_default();
    let respects = differences.into_iter().map(<&str>::from).collect::<Vec<_>>().join(", ");
    let mut notes: Vec<Piece> = (side == 1 && !respects.is_empty())
        .then(|| Piece::new(format!("≠ {respects}  "), Role::Dim))
        .into_iter()
        .collect();
    let verdict = call.answer.filter(|answer| answer.is_failure()).map(CallOutcome::label);
    notes.extend(verdict.map(|label| Piece::new(format!("✗ {label}  "), Role::Error)));
    let took = session.document().call_duration(item, text);
    notes.extend(took.map(|took| Piece::new(format!("{} ", duration_figure(took)), Role::Dim)));
    // Without room the duration is left out first, then the respects, since the sign shows that the pair differs.
    for dropped in [notes.len().saturating_sub(1), 0] {
        if width(&notes) > screen.width() / 2 && notes.len() > 1 {
            notes.remove(dropped);
        }
    }
    let room = screen.width().saturating_sub(width(&lead) + width(&notes) + 1);
    let argument = call_argument(session, item).unwrap_or_default();
    lead.push(Piece::new(fit(&visible_str(&shortened(&argument, room)), room), Role::Text));
    Row { note: notes, ..Row::words(lead) }
}
