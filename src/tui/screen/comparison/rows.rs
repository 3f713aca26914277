//! The rows of a pair of calls in two columns: their headers, then their values by path.
//!
//! Each row begins with a sign: `~` if it differs from the other side, `-` or `+` if only the left or right side has
//! it.

use crate::compare::{self, Answered, CallFacts, CallList as _, Part, RowKind, ValuePair};
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, fit, wrap};
use crate::wording::changes::summary;

use crate::tui::row::{Piece, Row, count, mark, wrapped};
use crate::tui::screen::comparison::mark::{RowPair, role, sign};
use crate::tui::screen::comparison::turns;
use crate::tui::screen::comparison::values::{self, LinePair, MarkedWords};
use crate::tui::screen::comparison::{ComparisonScreen, Fold};
use crate::tui::style::Role;

/// Maximum rows of a pair.
const MOST: usize = 4_000;

/// Columns before a value and its path.
const GUTTER: usize = 4;

/// Equal lines of a value shown around a difference.
const CONTEXT: usize = 2;

/// Totals of a comparison for the title, as text or, if there is little room, with signs.
pub fn totals(screen: &ComparisonScreen, in_words: bool) -> String {
    if in_words {
        return summary(&screen.comparison);
    }
    let count = |kind| screen.comparison.count(kind);
    let (changed, left, right) = (count(RowKind::Changed), count(RowKind::Left), count(RowKind::Right));
    let (gone, came) = (screen.comparison.gone.len(), screen.comparison.came.len());
    format!("calls ~{changed} -{left} +{right} · problems -{gone} +{came}")
}

/// The rows of a unit.
pub(super) fn rows(screen: &ComparisonScreen, unit: usize) -> Vec<RowPair> {
    if let Some(calls) = screen.left_out(unit) {
        let words = Row::words(vec![Piece::new(format!("  ⋯ {}", count(calls, "unchanged call")), Role::Dim)]);
        return if calls > 0 { vec![[words.clone(), words]] } else { Vec::new() };
    }
    let mut maker = Maker { screen, unit, width: screen.width(), lines: turns::headings(screen, unit) };
    match screen.comparison.rows.get(unit) {
        Some(_) if screen.is_in_folded_turn(unit) => {}
        Some(row) => maker.pair(row),
        None => maker.outside(),
    }
    if maker.lines.len() > MOST {
        maker.lines.truncate(MOST);
        let words = Row::words(vec![Piece::new("    … truncated: too long to show", Role::Dim)]);
        maker.lines.push([words.clone(), words]);
    }
    maker.lines
}

struct Maker<'a> {
    screen: &'a ComparisonScreen,
    unit: usize,
    width: usize,
    lines: Vec<RowPair>,
}

impl Maker<'_> {
    /// A pair of calls, or a single call.
    fn pair(&mut self, row: &compare::CallRow) {
        let fold = self.screen.fold(self.unit);
        let numbers = [row.left, row.right];
        let on = row.kind();
        self.lines.push([0, 1].map(|side| self.header(side, numbers[side], on, fold)));
        if fold == Fold::Closed {
            self.problem_signs();
            return;
        }
        let facts = [0, 1].map(|side| numbers[side].map(|call| Answered(&self.screen.sides[side].session).call(call)));
        let parts = row.changes.iter().filter(|change| {
            matches!(
                change.part,
                Part::Name | Part::Id | Part::Dialect | Part::Dependencies | Part::Status | Part::Refusal
            )
        });
        for change in parts {
            let both =
                ValuePair { path: change.part.word().to_owned(), old: change.old.clone(), new: change.new.clone() };
            self.value(&both, Role::Dim, change.part.word().len(), fold);
        }
        let empty = CallFacts { parameters: serde_json::Value::Object(serde_json::Map::new()), ..CallFacts::default() };
        let [left, right] = facts.each_ref().map(|facts| facts.as_ref().unwrap_or(&empty));
        self.values(&compare::value_pairs(&left.parameters, &right.parameters), Role::Pointer, fold);
        self.values(&compare::value_pairs(&left.outcome(), &right.outcome()), Role::Dim, fold);
        self.problems();
        self.lines.push(RowPair::default());
    }

    fn header(&self, side: usize, number: Option<usize>, on: RowKind, fold: Fold) -> Row {
        let session = &self.screen.sides[side].session;
        let call = number
            .and_then(|number| session.document().calls().nth(number))
            .and_then(|item| session.document().call(item));
        let Some(call) = call else { return Row::default() };
        if let Some(item) =
            number.filter(|_| self.screen.is_by_turn()).and_then(|at| session.document().calls().nth(at))
        {
            return turns::call(self.screen, (self.unit, side), (item, &call), (on, fold));
        }
        let text = session.text();
        let sign = if on == RowKind::Same && self.screen.differs(self.unit) { "~" } else { sign(on, side) };
        let name = call.name(text);
        let (name_role, id_role) = if sign == " " { (Role::Text, Role::Dim) } else { (Role::Name, Role::Id) };
        let lead = vec![
            Piece::new(format!("{sign} "), role(if sign == "~" { RowKind::Changed } else { on }, side)),
            Piece::new(if fold == Fold::Closed { "▸ " } else { "▾ " }, Role::Gutter),
            Piece::new(if name.is_empty() { "(no name)" } else { &name }, name_role),
            Piece::new("  ", Role::Text),
            Piece::new(call.id(text), id_role),
        ];
        let line = session.position(call.span.start).line;
        Row { lead, note: vec![Piece::new(format!("line {line} "), Role::Dim)], ..Row::default() }
    }

    /// Marks in the header that the problems differ, if they are not shown.
    fn problem_signs(&mut self) {
        let Some(sides) = self.screen.problems.get(self.unit) else { return };
        let Some(header) = self.lines.last_mut() else { return };
        for (side, numbers) in sides.iter().enumerate() {
            let document = self.screen.sides[side].session.document();
            let severity = numbers
                .iter()
                .filter_map(|&number| document.diagnostics().get(number))
                .map(|problem| problem.severity)
                .min();
            if let Some(severity) = severity {
                let (sign, role) = mark(severity);
                header[side].lead.push(Piece::new(format!("  {sign}"), role));
            }
        }
    }

    /// The values of both sides, by path.
    fn values(&mut self, all: &[ValuePair], label: Role, fold: Fold) {
        let most = self.width / 3;
        let widths = all.iter().map(|both| display_width(visible_str(&both.path).as_bytes()));
        let columns = widths.filter(|width| *width <= most).max().unwrap_or(0);
        let mut same: Vec<&ValuePair> = Vec::new();
        for both in all {
            if self.lines.len() > MOST {
                return;
            }
            if fold == Fold::Differences && both.is_same() {
                same.push(both);
                continue;
            }
            self.left_out(&same, label, columns, fold);
            same.clear();
            self.value(both, label, columns, fold);
        }
        self.left_out(&same, label, columns, fold);
    }

    /// Values that are equal on both sides: their number, or the value if there is only one.
    fn left_out(&mut self, same: &[&ValuePair], label: Role, columns: usize, fold: Fold) {
        match same {
            [] => {}
            [one] => self.value(one, label, columns, fold),
            several => self.both(vec![Piece::new(format!("⋯ {}", count(several.len(), "unchanged value")), Role::Dim)]),
        }
    }

    /// A row that is the same in both columns.
    fn both(&mut self, words: Vec<Piece>) {
        let row = below(RowKind::Same, 0, words);
        self.lines.push([row.clone(), row]);
    }

    /// A value of both sides, after its path, or below it if the path is long or the value has several lines.
    fn value(&mut self, both: &ValuePair, label: Role, columns: usize, fold: Fold) {
        let (old, new) = (both.old.as_ref(), both.new.as_ref());
        let mut pairs = values::lines(old, new);
        let on = match (old, new) {
            _ if both.is_same() => RowKind::Same,
            (Some(_), None) => RowKind::Left,
            (None, _) => RowKind::Right,
            _ => RowKind::Changed,
        };
        let path = visible_str(&both.path).into_owned();
        let room = self.width.saturating_sub(GUTTER);
        let beside = pairs.len() <= 1 && display_width(path.as_bytes()) <= columns && !path.is_empty();
        let label = if on == RowKind::Same { Role::Dim } else { label };
        if beside {
            let padding = columns + 2 - display_width(path.as_bytes());
            let first = [Piece::new(path, label), Piece::new(" ".repeat(padding), Role::Text)];
            // Kept on the row of the path even if the value is empty.
            let pair = pairs.pop().unwrap_or(LinePair::whole(RowKind::Same, ""));
            self.line(&pair, room.saturating_sub(columns + 2), &first);
            return;
        }
        if !path.is_empty() {
            let words = vec![Piece::new(fit(&path, room), label)];
            self.lines.push([0, 1].map(|side| below(on, side, words.clone())));
        }
        let indent = [Piece::new("  ", Role::Text)];
        let room = room.saturating_sub(2);
        let mut same: Vec<&LinePair> = Vec::new();
        let mut is_first = true;
        for pair in &pairs {
            if pair.kind == RowKind::Same && fold == Fold::Differences {
                same.push(pair);
                continue;
            }
            self.around(&same, !is_first, true, room, &indent);
            same.clear();
            self.line(pair, room, &indent);
            is_first = false;
            if self.lines.len() > MOST {
                return;
            }
        }
        self.around(&same, !is_first, false, room, &indent);
    }

    /// Equal lines: the context next to differences before and after them, and the number of lines in between.
    fn around(&mut self, same: &[&LinePair], before: bool, behind: bool, room: usize, indent: &[Piece]) {
        let (head, tail) = (if before { CONTEXT } else { 0 }, if behind { CONTEXT } else { 0 });
        let between = same.len().saturating_sub(head + tail);
        for (index, pair) in same.iter().enumerate() {
            if between <= 1 || !(head..head + between).contains(&index) {
                self.line(pair, room, indent);
            } else if index == head {
                self.both(vec![Piece::new(format!("  ⋯ {}", count(between, "unchanged line")), Role::Dim)]);
            }
        }
    }

    /// A line of a value in both columns, with `first` before its first row.
    fn line(&mut self, pair: &LinePair, room: usize, first: &[Piece]) {
        let LinePair { kind: on, sides } = pair;
        let on = *on;
        let roles = |side: usize| match on {
            RowKind::Changed => (Role::Text, role(on, side)),
            _ => (role(on, side), role(on, side)),
        };
        let columns = [0, 1].map(|side| folded(&sides[side], room, roles(side)));
        let height = columns.iter().map(Vec::len).max().unwrap_or(0);
        let indent: usize = first.iter().map(|piece| display_width(piece.text.as_bytes())).sum();
        for index in 0..height {
            self.lines.push([0, 1].map(|side| {
                let mut words =
                    if index == 0 { first.to_vec() } else { vec![Piece::new(" ".repeat(indent), Role::Text)] };
                words.extend(columns[side].get(index).cloned().unwrap_or_default());
                below(on, side, words)
            }));
        }
    }

    /// The problems that only one side has.
    fn problems(&mut self) {
        let Some(sides) = self.screen.problems.get(self.unit).cloned() else { return };
        for (side, numbers) in sides.iter().enumerate() {
            let session = &self.screen.sides[side].session;
            let on = if side == 0 { RowKind::Left } else { RowKind::Right };
            for problem in numbers.iter().filter_map(|&number| session.document().diagnostics().get(number)) {
                let (sign, role) = mark(problem.severity);
                let line = session.position(problem.span.start).line;
                let words = format!("{} (line {line})", problem.message);
                for (index, words) in
                    wrapped(&words, self.width.saturating_sub(GUTTER + 2).max(8)).into_iter().enumerate()
                {
                    let sign = if index == 0 { format!("{sign} ") } else { "  ".to_owned() };
                    let pieces = vec![Piece::new(sign, role), Piece::new(words, role)];
                    self.lines.push([0, 1].map(|column| below(on, column, pieces.clone())));
                }
            }
        }
    }

    /// Differences outside of calls.
    fn outside(&mut self) {
        if self.screen.problems[self.unit].iter().any(|side| !side.is_empty()) {
            let words = Row::words(vec![Piece::new("~ ▾ ", Role::Gutter), Piece::new("outside calls", Role::Heading)]);
            self.lines.push([words.clone(), words]);
            self.problems();
        }
    }
}

/// A row below a header; empty if the side has nothing there.
fn below(on: RowKind, side: usize, words: Vec<Piece>) -> Row {
    if matches!((on, side), (RowKind::Left, 1) | (RowKind::Right, 0)) {
        return Row::words(vec![Piece::new("  │", Role::Gutter)]);
    }
    let mut lead = vec![Piece::new(sign(on, side), role(on, side)), Piece::new(" │ ", Role::Gutter)];
    lead.extend(words);
    Row::words(lead)
}

/// Words wrapped into rows of at most `room` columns; the second role is for the ones that differ.
fn folded(words: &MarkedWords, room: usize, (same, differs): (Role, Role)) -> Vec<Vec<Piece>> {
    if words.is_empty() {
        return Vec::new();
    }
    let mut text = String::new();
    let mut ends = Vec::with_capacity(words.len());
    for (word, is_other) in words {
        text.push_str(&visible_str(word));
        ends.push((text.len(), if *is_other { differs } else { same }));
    }
    let rows = wrap(text.as_bytes(), room.max(4));
    let row = |row: crate::text::wrap::WrappedRow| {
        let mut pieces = Vec::new();
        let mut from = row.start;
        for &(end, role) in &ends {
            let to = end.min(row.end);
            if to > from {
                pieces.push(Piece::new(&text[from..to], role));
                from = to;
            }
        }
        pieces
    };
    rows.into_iter().map(row).collect()
}
