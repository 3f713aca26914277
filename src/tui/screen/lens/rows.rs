//! The rows of each outcome: its parsers, the facts they deliver, and the reasons.
//!
//! Facts that differ from the first outcome have a sign: `≠` for a different value, `+` if the first outcome lacks it,
//! `−` if this outcome lacks it. Independent of how rows are drawn.

use std::collections::{BTreeMap, HashMap};

use crate::diagnostic::Code;
use crate::lens::{FactPlace, FactState, Lens, LensRow, OutcomeFact, fact};
use crate::runtime::Outcome;
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, fit};
use crate::tui::row::{Piece, Row, count, width, wrapped};
use crate::tui::screen::lens::{LensScreen, names, values};
use crate::tui::style::Role;
use crate::wording::lens::{label_of, reason_text, settings_of, thinking_of};

/// Maximum rows of an outcome.
const MOST: usize = 2_000;

/// Values, and reasons, that are shown of a folded outcome.
const FEW: usize = 12;

/// Maximum rows of a value in an unfolded outcome.
const TALL: usize = 40;

/// Columns of the rows with names, limited so that the note at the right edge is not too far away.
const HEADED: usize = 120;

/// Columns before a fact: the edge and the sign.
const GUTTER: usize = 6;

/// The subject of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The outcome as a whole, or the question.
    Outcome,
    /// A fact of the outcome, by its number in its group.
    Fact(usize),
    /// A parser, by its row in the lens.
    Parser(usize),
    /// A reason: the row of its parser in the lens, and an offset in the text.
    Reason(usize, usize),
}

/// The beginning of a fact's row: its subject, and its sign with a role.
type Lead<'a> = (Subject, &'a str, Role);

/// A row and its subject.
pub(super) struct Line {
    pub(super) row: Row,
    pub(super) subject: Subject,
}

/// The rows of a unit.
pub(super) fn lines(screen: &LensScreen, unit: usize) -> Vec<Line> {
    let mut maker = Maker { screen, width: screen.width(), lines: Vec::new() };
    match (&screen.lens, screen.group_at(unit)) {
        (_, _) if unit == 0 => maker.question(),
        (Some(lens), Some(group)) => maker.outcome(lens, group),
        (Some(lens), None) => maker.signs(lens),
        (None, _) => {}
    }
    if maker.lines.len() > MOST {
        maker.lines.truncate(MOST);
        maker.plain("    … truncated: too long to show", Role::Dim);
    }
    maker.lines
}

/// The rows of a unit while they are made.
pub(super) struct Maker<'a> {
    pub(super) screen: &'a LensScreen,
    pub(super) width: usize,
    lines: Vec<Line>,
}

impl Maker<'_> {
    pub(super) fn add(&mut self, subject: Subject, lead: Vec<Piece>) {
        self.lines.push(Line { row: Row::words(lead), subject });
    }

    pub(super) fn plain(&mut self, words: &str, role: Role) {
        self.add(Subject::Outcome, vec![Piece::new(words, role)]);
    }

    /// Adds text in as many rows as it needs.
    pub(super) fn words(&mut self, words: &str, role: Role) {
        for line in wrapped(words, self.width.saturating_sub(2).max(10)) {
            self.plain(&format!(" {line}"), role);
        }
    }

    fn outcome(&mut self, lens: &Lens, group: usize) {
        let is_open = self.screen.unfolded.contains(&group);
        self.parsers(lens, group, is_open);
        if lens.groups[group].facts.is_empty() {
            self.nothing();
        }
        let first = (group > 0).then(|| Base::new(&lens.groups[0].facts, "1", "as in 1"));
        self.facts(Subject::Fact, &lens.groups[group].facts, first.as_ref(), is_open);
        self.reasons(lens, group, is_open);
        self.others(lens, group, is_open, |row| row.streamed.as_ref(), &STREAMED);
        self.others(lens, group, is_open, |row| row.served.as_ref(), &SERVED);
        self.plain("", Role::Text);
    }

    /// The names of the parsers: a selection, or one per row if unfolded.
    fn parsers(&mut self, lens: &Lens, group: usize, is_open: bool) {
        let rows = &lens.groups[group].rows;
        let number = format!("{:<2}", group + 1);
        let sign = Piece::new(if is_open { " ▾ " } else { " ▸ " }, Role::Gutter);
        let marked = self.screen.marked;
        let changed = rows.iter().filter(|row| self.screen.changed.contains(row)).count();
        let changed = if changed > 0 { format!("{changed} changed, ") } else { String::new() };
        let total = format!("{changed}{} of {} ", rows.len(), count(lens.rows.len(), "parser"));
        let note = Piece::new(total, if changed.is_empty() { Role::Dim } else { Role::Warning });
        let lead = vec![sign, Piece::new(number, Role::Strong)];
        if is_open && rows.len() > 1 {
            let words = Piece::new(count(rows.len(), "parser"), Role::Heading);
            let lead = lead.into_iter().chain([words]).collect();
            self.headed(Subject::Outcome, lead, note);
            for &row in rows {
                let mut lead = vec![Piece::new("     ", Role::Text)];
                lead.extend(names::name(lens, row, marked));
                if lens.rows[row].streamed.is_some() || lens.rows[row].served.is_some() {
                    lead.push(Piece::new("  ≈", Role::Warning));
                }
                if self.screen.changed.contains(&row) {
                    lead.push(Piece::new("  changed", Role::Warning));
                }
                let parser = lens.rows[row].parser;
                let words = match lens.dialects.len() {
                    1 => format!("{} ", parser.release),
                    _ => format!("{} {} ", parser.profile.dialect, parser.release),
                };
                let note = Piece::new(words, Role::Dim);
                self.headed(Subject::Parser(row), lead, note);
            }
            return;
        }
        let room = self.width.min(HEADED).saturating_sub(5 + note.width() + 2).max(10);
        for (index, pieces) in names::names(lens, rows, marked, room).into_iter().enumerate() {
            if index == 0 {
                self.headed(Subject::Outcome, lead.iter().cloned().chain(pieces).collect(), note.clone());
            } else {
                let indent = Piece::new("     ", Role::Text);
                self.add(Subject::Outcome, [indent].into_iter().chain(pieces).collect());
            }
        }
    }

    /// A row with a note at its right edge, which is kept close on a wide screen.
    fn headed(&mut self, subject: Subject, mut lead: Vec<Piece>, note: Piece) {
        let gap = self.width.min(HEADED).saturating_sub(width(&lead) + note.width());
        if gap > 0 {
            lead.extend([Piece::new(" ".repeat(gap), Role::Text), note]);
        }
        self.add(subject, lead);
    }

    /// A row with a fact: its sign, label and text.
    fn fact(&mut self, (subject, sign, role): Lead<'_>, label: &str, words: Vec<Piece>, columns: usize) {
        let label = fit(&visible_str(label), columns).into_owned();
        let gap = " ".repeat((columns + 2).saturating_sub(display_width(label.as_bytes())));
        let label_role = if role == Role::Dim { Role::Dim } else { Role::Pointer };
        let lead = [Piece::new("   │", Role::Gutter), Piece::new(sign, role), Piece::new(label, label_role)];
        let gap = (columns > 0).then(|| Piece::new(gap, Role::Text));
        self.add(subject, lead.into_iter().chain(gap).chain(words).collect());
    }

    /// A row that states that nothing is delivered.
    fn nothing(&mut self) {
        let words = Piece::new("nothing: neither text nor calls", Role::Warning);
        self.fact((Subject::Outcome, "  ", Role::Text), "", vec![words], 0);
    }

    /// The delivered facts, compared with another outcome if there is one.
    fn facts(&mut self, subject: fn(usize) -> Subject, facts: &[OutcomeFact], base: Option<&Base<'_>>, is_open: bool) {
        let labels: Vec<String> = facts.iter().map(|fact| label_of(&fact.place)).collect();
        let most = (self.width / 3).max(10);
        let widths = labels.iter().map(|label| display_width(visible_str(label).as_bytes()));
        let columns = widths.filter(|width| *width <= most).max().unwrap_or(0).max(7);
        let room = self.width.saturating_sub(GUTTER + columns + 3).max(8);
        let (mut same, mut shown) = (0, 0);
        for (index, fact) in facts.iter().enumerate() {
            if self.lines.len() > MOST {
                return;
            }
            if !is_open && (shown >= FEW || (base.is_some() && !is_telling(facts, index))) {
                same += 1;
                continue;
            }
            self.left_out(&mut same, base);
            shown += 1;
            let (sign, role) = match (fact.state, base) {
                (FactState::Same, None) => ("  ", Role::Text),
                (FactState::Same, Some(_)) => ("  ", Role::Dim),
                (FactState::Different, Some(base)) if base.lacks(fact) => ("+ ", Role::Added),
                (FactState::Different, _) => ("≠ ", Role::Warning),
                (FactState::Missing, _) => ("− ", Role::Error),
            };
            let words = values::words_of(&fact.place, &fact.value);
            let other = base.and_then(|base| base.facts.get(&fact.place));
            let other = other.map(|other| values::words_of(&other.place, &other.value));
            let pieces = match (fact.state, base) {
                (FactState::Missing, _) => vec![Piece::new("missing", Role::Removed)],
                (FactState::Different, _) => values::marked(&words, other.as_deref(), room),
                (FactState::Same, None) => vec![Piece::new(fit(&visible_str(&words), room), values::role_of(fact))],
                (FactState::Same, Some(_)) => vec![Piece::new(fit(&visible_str(&words), room), Role::Dim)],
            };
            let rows = if is_open { wrapped(&words, room) } else { Vec::new() };
            if fact.state == FactState::Missing || rows.len() < 2 {
                let mut pieces = pieces;
                if let Some((base, other)) = base.zip(other.as_deref()).filter(|_| fact.state != FactState::Same) {
                    pieces.extend(base.words(other, room, &pieces));
                }
                self.fact((subject(index), sign, role), &labels[index], pieces, columns);
                continue;
            }
            self.tall(rows, (subject(index), sign, role), &labels[index], columns, value_role(fact, base.is_some()));
        }
        self.left_out(&mut same, base);
    }

    /// A value that needs several rows.
    fn tall(&mut self, rows: Vec<String>, lead: Lead<'_>, label: &str, columns: usize, role: Role) {
        let more = rows.len().saturating_sub(TALL);
        for (index, words) in rows.into_iter().take(TALL).enumerate() {
            let (lead, label) = if index == 0 { (lead, label) } else { ((lead.0, "  ", lead.2), "") };
            self.fact(lead, label, vec![Piece::new(words, role)], columns);
        }
        if more > 0 {
            let words = vec![Piece::new(format!("… {} more", count(more, "row")), Role::Dim)];
            self.fact((lead.0, "  ", Role::Dim), "", words, columns);
        }
    }

    /// A row with the number of facts that were left out: because they equal the base, or because there are too many.
    fn left_out(&mut self, facts: &mut usize, base: Option<&Base<'_>>) {
        let words = match (std::mem::take(facts), base) {
            (0, _) => return,
            (more, Some(base)) => format!("⋯ {} {}", count(more, "fact"), base.same),
            (more, None) => format!("⋯ {} more: l shows them", count(more, "fact")),
        };
        self.fact((Subject::Outcome, "  ", Role::Dim), "", vec![Piece::new(words, Role::Dim)], 0);
    }

    /// The reasons for the outcome, each once, with its place and the parsers that it applies to.
    fn reasons(&mut self, lens: &Lens, group: usize, is_open: bool) {
        let rows = &lens.groups[group].rows;
        let mut all: BTreeMap<(usize, Code, String), Vec<usize>> = BTreeMap::new();
        for &row in rows {
            let reading = &lens.rows[row].reading;
            for reason in &reading.reasons {
                let of = all.entry((reason.span.start, reason.code, reason_text(reading, reason))).or_default();
                if of.last() != Some(&row) {
                    of.push(row);
                }
            }
        }
        let shown = if is_open { MOST } else { FEW };
        let more = all.len().saturating_sub(shown);
        for ((start, code, text), of) in all.into_iter().take(shown) {
            let offset = self.screen.offset_of(start);
            let place = self.screen.places.get(&offset).map_or("", String::as_str);
            let whose = match (of.as_slice(), rows.len()) {
                (of, all) if of.len() == all => String::new(),
                ([one], _) => format!(" ({})", lens.rows[*one].name()),
                (of, all) => format!(" ({} of {all})", of.len()),
            };
            let head = format!("{place}  {}  ", code.name());
            let room = self.width.saturating_sub(GUTTER + 1).max(10);
            let words = format!("{head}{text}{whose}");
            for (index, line) in wrapped(&words, room).into_iter().enumerate() {
                let rest = if index == 0 { line.strip_prefix(head.trim_end()) } else { None };
                let pieces = match rest {
                    Some(rest) => vec![
                        Piece::new(format!("{place}  "), Role::LineNumber),
                        Piece::new(code.name(), Role::Hint),
                        Piece::new(rest, Role::Text),
                    ],
                    None => vec![Piece::new(line, Role::Text)],
                };
                self.why(Subject::Reason(of[0], offset), pieces);
            }
        }
        if more > 0 {
            let words = format!("⋯ {} more: l shows them", count(more, "reason"));
            self.why(Subject::Outcome, vec![Piece::new(words, Role::Dim)]);
        }
        let room = self.width.saturating_sub(GUTTER + 1).max(10);
        let group = &lens.groups[group];
        for words in settings_of(lens, group).into_iter().chain(thinking_of(lens, group, |_| "r changes it".to_owned()))
        {
            for line in wrapped(&words, room) {
                self.why(Subject::Outcome, vec![Piece::new(line, Role::Dim)]);
            }
        }
    }

    fn why(&mut self, subject: Subject, pieces: Vec<Piece>) {
        let lead = [Piece::new("   │", Role::Gutter), Piece::new("  ", Role::Text)];
        self.add(subject, lead.into_iter().chain(pieces).collect());
    }

    /// The parsers that deliver something else under other circumstances, and, if unfolded, the differences.
    fn others(
        &mut self,
        lens: &Lens,
        group: usize,
        is_open: bool,
        other: impl Fn(&LensRow) -> Option<&Outcome>,
        circumstances: &Circumstances,
    ) {
        let mut outcomes: Vec<(&Outcome, Vec<usize>)> = Vec::new();
        for &row in &lens.groups[group].rows {
            let Some(other) = other(&lens.rows[row]) else { continue };
            match outcomes.iter_mut().find(|(outcome, _)| *outcome == other) {
                Some((_, rows)) => rows.push(row),
                None => outcomes.push((other, vec![row])),
            }
        }
        let named = |rows: &[usize]| match rows {
            [one, rest @ ..] if !rest.is_empty() => format!("{} and {} more", lens.rows[*one].name(), rest.len()),
            rows => rows.iter().map(|&row| lens.rows[row].name()).collect(),
        };
        let Circumstances { lead, folded, unfolded, base } = circumstances;
        if !is_open {
            let rows: Vec<usize> = outcomes.into_iter().flat_map(|(_, rows)| rows).collect();
            if !rows.is_empty() {
                self.caution(&format!("{lead}{} {folded}", named(&rows)));
            }
            return;
        }
        let own = &lens.rows[lens.groups[group].rows[0]].reading.outcome;
        let own_facts = fact::compare(own, own);
        let base = Base::new(&own_facts, base.0, base.1);
        for (outcome, rows) in outcomes {
            self.caution(&format!("{lead}{} {unfolded}", named(&rows)));
            let facts = fact::compare(own, outcome);
            if facts.is_empty() {
                self.nothing();
            }
            self.facts(|_| Subject::Outcome, &facts, Some(&base), false);
        }
    }

    fn caution(&mut self, words: &str) {
        for line in wrapped(words, self.width.saturating_sub(GUTTER).max(10)) {
            self.why(Subject::Outcome, vec![Piece::new(line, Role::Warning)]);
        }
    }
}

/// Circumstances under which a parser may give a different result. `lead` precedes the names of the parsers; `folded`
/// or `unfolded` follows them. `base` has the label of the outcome that is compared with, and the text for facts that
/// are equal in both.
struct Circumstances {
    lead: &'static str,
    folded: &'static str,
    unfolded: &'static str,
    base: (&'static str, &'static str),
}

const STREAMED: Circumstances = Circumstances {
    lead: "≈ streamed, ",
    folded: "may give a different result",
    unfolded: "may give, depending on the chunks:",
    base: ("whole", "same as whole"),
};

const SERVED: Circumstances = Circumstances {
    lead: "≈ a client of a server with ",
    folded: "gets a different result",
    unfolded: "gets:",
    base: ("alone", "same as alone"),
};

/// The outcome that facts are compared with.
struct Base<'a> {
    facts: HashMap<&'a FactPlace, &'a OutcomeFact>,
    /// Label before its values.
    name: &'static str,
    /// Text for facts that are equal in it.
    same: &'static str,
}

impl<'a> Base<'a> {
    fn new(facts: &'a [OutcomeFact], name: &'static str, same: &'static str) -> Self {
        Self { facts: facts.iter().map(|fact| (&fact.place, fact)).collect(), name, same }
    }

    /// True if it lacks a fact, except for errors.
    fn lacks(&self, fact: &OutcomeFact) -> bool {
        fact.place != FactPlace::Error && !self.facts.contains_key(&fact.place)
    }

    /// Its value in place of another one, if that fits into the row.
    fn words(&self, value: &str, room: usize, pieces: &[Piece]) -> Option<Piece> {
        let taken = width(pieces);
        let piece = Piece::new(format!("  ({}: {value})", self.name), Role::Dim);
        (taken + piece.width() <= room).then_some(piece)
    }
}

/// True if a fact of another outcome is worth showing: it differs, or names a call with a fact that does.
fn is_telling(facts: &[OutcomeFact], index: usize) -> bool {
    let differs = |fact: &OutcomeFact| fact.state != FactState::Same;
    let FactPlace::Call(number) = facts[index].place else { return differs(&facts[index]) };
    let is_of_call = |fact: &&OutcomeFact| match fact.place {
        FactPlace::Value(call, _) | FactPlace::Id(call) => call == number,
        _ => false,
    };
    differs(&facts[index]) || facts[index + 1..].iter().take_while(is_of_call).any(differs)
}

/// The role of a value that needs several rows.
fn value_role(fact: &OutcomeFact, is_compared: bool) -> Role {
    match fact.state {
        FactState::Different => Role::Added,
        _ if is_compared => Role::Dim,
        _ => values::role_of(fact),
    }
}
