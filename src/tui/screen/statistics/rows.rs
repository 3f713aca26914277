//! The rows of the tables: totals, names of dimensions, and for each group its numbers and a bar.

use std::ops::Range;

use crate::corpus::counts::{CountGroup, Dimension};
use crate::diagnostic::Severity;
use crate::text::wrap::fit;
use crate::wording::group::value_words;
use crate::wording::rate::{Scale, rate_text};

use crate::tui::row::{Piece, Row, count, grouped, mark, padded};
use crate::tui::screen::statistics::{ReadingPhase, StatisticsScreen};
use crate::tui::style::Role;

/// Width of a rate including the gap before it: ` 100.0%`.
const RATE: usize = 7;

/// Minimum and maximum width of a full bar.
const BAR: (usize, usize) = (7, 40);

/// Maximum width of a name, and the width it gets before more numbers are shown.
const NAME: (usize, usize) = (60, 17);

/// Minimum width of a name.
const LEAST: usize = 9;

/// Additional numbers, shown if there is room.
const MORE: [MoreNumbers; 3] = [
    MoreNumbers { heading: "rejected", columns: 9, of: |group| group.rejected },
    MoreNumbers { heading: "skipped", columns: 8, of: |group| group.skipped },
    MoreNumbers { heading: "unanswered", columns: 11, of: |group| group.unanswered },
];

/// Rates at which a bar becomes a warning or an error.
const ALARMING: [f64; 2] = [0.05, 0.2];

/// A column of numbers that is shown if there is room.
struct MoreNumbers {
    heading: &'static str,
    columns: usize,
    of: fn(&CountGroup) -> i64,
}

struct Columns {
    name: usize,
    /// Width of the number of problems; 0 without that column.
    problems: usize,
    calls: usize,
    failures: usize,
    bar: usize,
    /// Number of additional columns.
    more: usize,
}

impl Columns {
    fn new(screen: &StatisticsScreen, width: usize) -> Self {
        let totals = screen.known.as_ref().map(|known| &known.totals);
        let of_number =
            |heading: &str, number: Option<i64>| words_of(number.unwrap_or_default()).len().max(heading.len()) + 1;
        let is_of_codes = screen.dimension() == Dimension::Code;
        let problems = if is_of_codes { of_number("problems", totals.map(|group| group.problems)) } else { 0 };
        let calls = of_number("calls", totals.map(|group| group.calls)) + 1;
        let failures = of_number("failures", totals.map(CountGroup::failures));
        let rest = width.saturating_sub(2 + problems + calls + failures + RATE);
        let wanted = screen.table().widest + if is_of_codes { 2 } else { 0 };
        let wanted = wanted.clamp(LEAST, NAME.0);
        let least = wanted.min(NAME.1) + 1 + BAR.0;
        let (mut more, mut taken) = (0, 0);
        for MoreNumbers { columns, .. } in MORE.iter().filter(|_| !is_of_codes) {
            if rest < least + taken + columns {
                break;
            }
            (more, taken) = (more + 1, taken + columns);
        }
        let rest = rest.saturating_sub(taken);
        let name = wanted.min(rest.saturating_sub(1 + BAR.0)).max(LEAST);
        let bar = rest.saturating_sub(name + 1).min(BAR.1);
        Self { name, problems, calls, failures, bar: if bar < BAR.0 { 0 } else { bar }, more }
    }
}

pub(super) fn totals(screen: &StatisticsScreen) -> Row {
    let Some(known) = &screen.known else { return Row::default() };
    let (files, totals) = (&known.files, &known.totals);
    let mut pieces = vec![
        Piece::new(format!(" {}", count(files.files, "file")), Role::Text),
        Piece::new(format!(" · {}", count(files.sessions, "session")), Role::Text),
        Piece::new(format!(" · {} ", count(number(totals.calls), "call")), Role::Text),
    ];
    if totals.failures() > 0 {
        let words = format!("· {} ({}) ", count(number(totals.failures()), "failure"), rate_text(totals.rate()));
        pieces.push(Piece::new(words, Role::Error));
    }
    if totals.problems > 0 {
        pieces.push(Piece::new(format!("· {} ", count(number(totals.problems), "problem")), Role::Text));
    }
    if files.unread > 0 {
        pieces.push(Piece::new(format!("· {} unreadable", count(files.unread, "file")), Role::Warning));
    }
    Row::words(pieces)
}

/// Heading of a dimension's table.
fn heading(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Code => "problem",
        Dimension::Dialect => "call format",
        Dimension::Container => "file format",
        other => other.name(),
    }
}

/// Columns of each dimension's name in their row.
pub(super) fn dimension_columns() -> [Range<usize>; Dimension::ALL.len()] {
    let mut end = 1;
    Dimension::ALL.map(|dimension| {
        let start = end;
        end += heading(dimension).len() + 2;
        start..end
    })
}

/// The names of the dimensions, the current one in brackets.
pub(super) fn dimensions(screen: &StatisticsScreen) -> Row {
    let name = |(index, dimension): (usize, Dimension)| {
        let name = heading(dimension);
        if index == screen.dimension {
            Piece::new(format!("[{name}]"), Role::Title)
        } else {
            Piece::new(format!(" {name} "), Role::Dim)
        }
    };
    let names = Dimension::ALL.into_iter().enumerate().map(name);
    Row::words([Piece::new(" ", Role::Text)].into_iter().chain(names).collect())
}

/// The rate shown as a bar: the failure rate, or for problems their share of all problems.
fn rate(screen: &StatisticsScreen, group: &CountGroup) -> Option<f64> {
    if screen.dimension() != Dimension::Code {
        return group.rate();
    }
    let all = screen.known.as_ref().map_or(0, |known| known.totals.problems);
    (all > 0).then(|| group.problems as f64 / all as f64)
}

/// The scale of all bars.
pub(super) fn scale(screen: &StatisticsScreen) -> Scale {
    Scale::new(screen.groups().iter().filter_map(|group| rate(screen, group)))
}

pub(super) fn header(screen: &StatisticsScreen, scale: Scale, width: usize) -> Row {
    let Columns { name, problems, calls, failures, bar, more } = Columns::new(screen, width);
    let is_of_codes = screen.dimension() == Dimension::Code;
    let (of_problems, of_rate) = if is_of_codes { ("problems", "share") } else { ("", "rate") };
    let mut words = format!(" {:<name$}{of_problems:>problems$}", heading(screen.dimension()));
    let numbers = format!("{:>calls$}{:>failures$}", "calls", "failures");
    let axis = if bar > 0 { format!(" {:<bar$}", scale.axis(bar)) } else { String::new() };
    let of_rate = format!("{of_rate:>RATE$}{axis}");
    let in_order = if is_of_codes { [of_rate, numbers] } else { [numbers, of_rate] };
    let others = MORE[..more].iter().map(|MoreNumbers { heading, columns, .. }| format!("{heading:>columns$}"));
    words.extend(in_order.into_iter().chain(others));
    Row::plain(words, Role::Dim)
}

/// The row of a group.
pub(super) fn row(screen: &StatisticsScreen, group: &CountGroup, scale: Scale, width: usize) -> Row {
    let Columns { name, problems, calls, failures, bar, more } = Columns::new(screen, width);
    let dimension = screen.dimension();
    let value = value_words(dimension, group.key.first().and_then(Option::as_deref));
    let severity = Severity::ALL.into_iter().find(|severity| Some(severity.word()) == group.severity.as_deref());
    let is_of_codes = dimension == Dimension::Code;
    let (sign, role) = match severity.filter(|_| is_of_codes).map(mark) {
        Some((sign, role)) => (format!("{sign} "), role),
        None => (String::new(), Role::Name),
    };
    let label = fit(value, name.saturating_sub(sign.chars().count()));
    let mut pieces = vec![Piece::new(padded(&format!(" {sign}{label}"), name + 1), role)];
    let rate = rate(screen, group);
    let of_rate = {
        let drawn = padded(&scale.bar(rate.unwrap_or_default(), bar), bar);
        let gap = if bar > 0 { " " } else { "" };
        [
            Piece::new(format!("{:>RATE$}", rate_text(rate)), Role::Text),
            Piece::new(format!("{gap}{drawn}"), if is_of_codes { role } else { alarm(rate) }),
        ]
    };
    let failed = group.failures();
    let numbers = [
        Piece::new(format!("{:>calls$}", words_of(group.calls)), Role::Text),
        Piece::new(format!("{:>failures$}", words_of(failed)), if failed > 0 { Role::Error } else { Role::Dim }),
    ];
    if is_of_codes {
        pieces.push(Piece::new(format!("{:>problems$}", words_of(group.problems)), Role::Text));
        pieces.extend(of_rate);
        pieces.extend(numbers);
    } else {
        pieces.extend(numbers);
        pieces.extend(of_rate);
    }
    for MoreNumbers { columns, of, .. } in &MORE[..more] {
        let value = of(group);
        let words = if value > 0 { words_of(value) } else { "–".to_owned() };
        pieces.push(Piece::new(format!("{words:>columns$}"), if value > 0 { Role::Text } else { Role::Dim }));
    }
    Row::words(pieces)
}

/// The full name of the chosen group, if its row cuts it.
pub(super) fn cut_name(screen: &StatisticsScreen, width: usize) -> Option<String> {
    let value = value_words(screen.dimension(), screen.chosen()?.key.first()?.as_deref()).to_owned();
    let name = Columns::new(screen, width).name;
    (crate::text::wrap::display_width(value.as_bytes()) > name).then_some(value)
}

fn alarm(rate: Option<f64>) -> Role {
    match rate {
        Some(rate) if rate >= ALARMING[1] => Role::Error,
        Some(rate) if rate >= ALARMING[0] => Role::Warning,
        _ => Role::Good,
    }
}

/// Shown instead of rows if there are none.
pub(super) fn placeholder(screen: &StatisticsScreen) -> Piece {
    match &screen.phase {
        _ if !screen.filter.is_empty() && !screen.groups().is_empty() => {
            Piece::new(format!(" no name matches \"{}\"; Esc shows all", screen.filter), Role::Dim)
        }
        ReadingPhase::Failed(words) => Piece::new(format!(" {words}"), Role::Error),
        ReadingPhase::Unread | ReadingPhase::Reading { .. } if screen.known.is_none() => {
            Piece::new(" reading …", Role::Pending)
        }
        ReadingPhase::Reading { .. } => Piece::new(" nothing so far …", Role::Pending),
        ReadingPhase::Stopped => Piece::new(" stopped; r reads again", Role::Dim),
        _ if screen.dimension() == Dimension::Code => {
            Piece::new(" no problems; Tab groups by something else", Role::Dim)
        }
        _ => Piece::new(" no calls in these files; o lists the sessions that agents keep", Role::Dim),
    }
}

/// A count as `usize`; negative values become 0.
fn number(counted: i64) -> usize {
    usize::try_from(counted).unwrap_or_default()
}

fn words_of(counted: i64) -> String {
    grouped(number(counted))
}
