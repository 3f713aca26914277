//! The full-text search over all sessions: starting it, and the matching lines.

use crate::location::Location;
use crate::text::search::Search;
use crate::tui::discovery::line_matches::{MatchedLine, MatchedLines};
use crate::tui::message::Navigation;
use crate::tui::row::{Piece, count, grouped};
use crate::tui::screen::sessions::{ListLine, SessionsScreen};
use crate::tui::style::Role;

/// Maximum number of lines that are kept and listed; further matches are only counted.
const MOST: usize = 1000;

/// A full-text search over all sessions.
#[derive(Debug, Default)]
pub(super) struct TextSearch {
    /// The regular expression.
    pub(super) pattern: String,
    /// Number of lines that are kept.
    kept: usize,
    /// Number of lines received, of which each file sends a few.
    lines: usize,
    matches: usize,
    /// Number of files with matches.
    files: usize,
}

/// Searches all sessions for a new pattern; an empty one ends the search. An invalid pattern is ignored: it is still
/// being typed.
pub(super) fn search_for(screen: &mut SessionsScreen, pattern: &str) {
    let is_same = screen.search.as_ref().map_or("", |search| &search.pattern) == pattern;
    if is_same || !pattern.is_empty() && Search::new(pattern).is_err() {
        return;
    }
    screen.search = (!pattern.is_empty()).then(|| TextSearch { pattern: pattern.to_owned(), ..TextSearch::default() });
    screen.entries.iter_mut().for_each(|entry| entry.found = None);
    screen.round += 1;
    screen.is_stale = true;
    screen.rows.choose_first();
}

/// Adds the matching lines of a file.
pub(super) fn take(screen: &mut SessionsScreen, number: usize, mut found: MatchedLines) {
    let Some(search) = screen.search.as_mut().filter(|search| search.pattern == found.pattern) else { return };
    let Some(entry) = screen.entries.get_mut(number).filter(|entry| entry.found.is_none()) else { return };
    search.lines += found.lines.len();
    found.lines.truncate(MOST - search.kept);
    search.kept += found.lines.len();
    search.matches += found.matches;
    search.files += usize::from(found.matches > 0);
    screen.is_stale |= found.matches > 0;
    entry.found = Some(found);
}

/// The lines of the list below a file.
pub(super) fn lines_of(screen: &SessionsScreen, number: usize) -> impl Iterator<Item = ListLine> + use<> {
    let found = screen.entries[number].found.as_ref().map_or(0, |found| found.lines.len());
    (0..found).map(move |line| ListLine::Match(number, line))
}

/// Opens a file at one of its matches; `None` if there is no search.
pub(super) fn open(screen: &SessionsScreen, number: usize, line: usize) -> Option<Navigation> {
    let pattern = screen.search.as_ref()?.pattern.clone();
    let entry = &screen.entries[number];
    let byte = entry.found.as_ref()?.lines.get(line)?.byte;
    Some(Navigation::OpenAt(entry.file.path.clone(), Location::Match(pattern, byte)))
}

/// Totals of the search, for the title.
pub(super) fn totals(search: &TextSearch) -> String {
    let matches = match search.matches {
        1 => "1 match".to_owned(),
        number => format!("{} matches", grouped(number)),
    };
    let cut = if search.lines > search.kept { format!(" · first {} lines", grouped(MOST)) } else { String::new() };
    format!("{matches} in {}{cut}", count(search.files, "session"))
}

/// A matching line with its number, matches highlighted.
pub(super) fn row(line: &MatchedLine) -> Vec<Piece> {
    let number = Piece::new(format!("{:>8}: ", line.line), Role::Dim);
    let piece =
        |(words, is_match): &(String, bool)| Piece::new(words, if *is_match { Role::Match } else { Role::Text });
    [number].into_iter().chain(line.pieces.iter().map(piece)).collect()
}
