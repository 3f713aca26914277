//! The names of an outcome's parsers in a few rows: the first ones of each runtime, and the number of the others.

use crate::lens::Lens;
use crate::text::wrap::fit;
use crate::tui::row::{Piece, width};
use crate::tui::style::Role;

/// Number of named parsers of a runtime, if not all are named.
const NAMED: usize = 2;

/// Precedes the name of the marked parser.
const MARK: &str = "● ";

/// The name of a row's parser: with `~` if it is approximate, and a mark if it is marked.
pub(super) fn name(lens: &Lens, row: usize, marked: Option<usize>) -> Vec<Piece> {
    let mark = (marked == Some(row)).then(|| Piece::new(MARK, Role::Match));
    let row = &lens.rows[row];
    let is_approximate = row.is_approximate();
    let approximate = is_approximate.then(|| Piece::new("~", Role::Warning));
    mark.into_iter().chain([Piece::new(row.name(), Role::Name)]).chain(approximate).collect()
}

/// The names of parsers in rows of at most `columns`: the first ones of each runtime, and the number of the others. The
/// marked one is always named.
pub(super) fn names(lens: &Lens, rows: &[usize], marked: Option<usize>, columns: usize) -> Vec<Vec<Piece>> {
    let mut words: Vec<Vec<Piece>> = Vec::new();
    for of_runtime in
        rows.chunk_by(|&one, &other| lens.rows[one].parser.profile.runtime == lens.rows[other].parser.profile.runtime)
    {
        // Leaving out a single one would take as much room as its name.
        let named = if of_runtime.len() > NAMED + 1 { NAMED } else { of_runtime.len() };
        let is_named = |&(place, &row): &(usize, &usize)| place < named || marked == Some(row);
        let shown = of_runtime.iter().enumerate().filter(is_named).map(|(_, &row)| name(lens, row, marked));
        let before = words.len();
        words.extend(shown);
        let more = of_runtime.len() - (words.len() - before);
        if let Some(last) = words.last_mut().filter(|_| more > 0) {
            last.push(Piece::new(format!(" and {more} more"), Role::Dim));
        }
    }
    flow(words, columns)
}

/// Joins words with commas into rows of at most `columns`.
fn flow(words: Vec<Vec<Piece>>, columns: usize) -> Vec<Vec<Piece>> {
    let mut out: Vec<Vec<Piece>> = vec![Vec::new()];
    let (mut taken, last) = (0, words.len().saturating_sub(1));
    for (number, mut pieces) in words.into_iter().enumerate() {
        if number < last {
            pieces.push(Piece::new(", ", Role::Dim));
        }
        let needed = width(&pieces);
        if taken > 0 && taken + needed > columns + usize::from(number < last) {
            out.push(Vec::new());
            taken = 0;
        }
        if needed > columns {
            shorten(&mut pieces, needed - columns);
        }
        taken += width(&pieces);
        if let Some(row) = out.last_mut() {
            row.extend(pieces);
        }
    }
    out
}

/// Shortens a name that is too long for a row.
fn shorten(pieces: &mut [Piece], by: usize) {
    if let Some(name) = pieces.iter_mut().find(|piece| piece.role == Role::Name) {
        let room = name.width().saturating_sub(by).max(8);
        name.text = fit(&name.text, room).into_owned();
    }
}
