//! The text tables: names, numbers, rates and bars, fitted to a width.

use std::io::{self, Write};

use super::{Section, StatisticsReport};
use crate::corpus::counts::{CountGroup, Dimension};
use crate::diagnostic::Severity;
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, fit, word_rows};
use crate::wording::group::value_words;
use crate::wording::rate::{Scale, rate_text};
use crate::wording::{grouped, sign};

/// Maximum number of rows of a table if there are several.
const TOP: usize = 10;

/// Spaces between two columns.
const GAP: usize = 2;

/// Minimum and maximum width of a full bar.
const BAR: (usize, usize) = (12, 40);

/// Width of a rate: `100.0%`.
const RATE: usize = 6;

/// Minimum width of a name.
const NAME: usize = 8;

/// Minimum width of a name that is truncated to leave space for bars.
const CUT: usize = 18;

/// Minimum width for wrapping sentences.
const LEAST: usize = 20;

/// Explanation of the columns, below their table.
const LEGEND: &str = "\
    Failures are calls that failed, were denied or were rejected by the runtime; the rate is their share of the calls.";

/// Additional explanation below a table by code.
const LEGEND_OF_CODES: &str = "In tables by code, calls are the ones with such a problem.";

/// Widths in screen columns of the parts of a row.
struct Layout {
    names: Vec<usize>,
    calls: usize,
    failures: usize,
    /// Width of the number of problems; 0 if the table has none.
    problems: usize,
    bar: usize,
}

/// Writes the tables: totals, a table for each section, and an explanation. Lines have at most `width` columns, unless
/// numbers and truncated names need more.
pub fn write_text<W: Write>(out: &mut W, statistics: &StatisticsReport<'_>, width: usize) -> io::Result<()> {
    write_words(out, &totals(statistics), width)?;
    if let Some(filter) = statistics.filter {
        write_words(out, &format!("filter: {}", visible_str(filter)), width)?;
    }
    let mut sections = statistics.sections(statistics.by.is_empty().then_some(TOP));
    sections.retain(|section| !section.groups.is_empty());
    let layouts = layouts(&sections, width);
    for (section, layout) in sections.iter().zip(&layouts) {
        writeln!(out)?;
        let how =
            if statistics.by.is_empty() { format!(" (--by {} lists all)", section.names()) } else { String::new() };
        write_section(out, section, layout, &how)?;
    }
    if !sections.is_empty() {
        let has_codes = sections.iter().any(Section::is_by_code);
        let words = if has_codes { format!("{LEGEND} {LEGEND_OF_CODES}") } else { LEGEND.to_owned() };
        writeln!(out)?;
        write_words(out, &words, width)?;
    }
    Ok(())
}

fn write_words<W: Write>(out: &mut W, words: &str, width: usize) -> io::Result<()> {
    word_rows(words, width.max(LEAST)).try_for_each(|row| writeln!(out, "{row}"))
}

/// Totals in a sentence, without zero counts.
fn totals(statistics: &StatisticsReport<'_>) -> String {
    let totals = statistics.counts.totals();
    let files = format!("{} file{}", grouped(statistics.files), if statistics.files == 1 { "" } else { "s" });
    let unread = match statistics.unread {
        0 => String::new(),
        unread => format!(" ({} unreadable)", grouped(unread)),
    };
    let mut parts = vec![counted(totals.calls, "call")];
    if totals.failures() > 0 {
        parts.push(format!("{} ({})", counted(totals.failures(), "failure"), rate_text(totals.rate())));
    }
    for (number, word) in [(totals.skipped, "skipped"), (totals.unanswered, "unanswered")] {
        parts.extend((number > 0).then(|| format!("{} {word}", number_words(number))));
    }
    parts.extend((totals.problems > 0).then(|| counted(totals.problems, "problem")));
    format!("{files}{unread}: {}", parts.join(", "))
}

fn number_words(number: i64) -> String {
    grouped(usize::try_from(number).unwrap_or_default())
}

fn counted(number: i64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number_words(number))
}

/// The layout of each section. Numbers are aligned across sections, unless that would truncate names too much.
fn layouts(sections: &[Section<'_>], width: usize) -> Vec<Layout> {
    let widest = |heading: &str, value: fn(&CountGroup) -> i64| {
        let groups = sections.iter().flat_map(|section| &section.groups);
        groups.map(|group| number_words(value(group)).len()).chain([heading.len()]).max().unwrap_or_default()
    };
    let calls = widest("calls", |group| group.calls);
    let failures = widest("failures", CountGroup::failures);
    let problems = widest("problems", |group| group.problems);
    let without_bar = width.saturating_sub(3 * GAP + calls + failures + RATE).max(NAME);
    let room = without_bar.saturating_sub(GAP + BAR.0).min(if sections.len() > 1 { width / 5 * 2 } else { usize::MAX });
    let of_problems = |section: &Section<'_>| if section.is_by_code() { GAP + problems } else { 0 };
    let names = |section: &Section<'_>| section.name_widths(room.saturating_sub(of_problems(section)));
    let taken = |section: &Section<'_>, names: &NameWidths| names.sum() + of_problems(section);
    let with_bar: Vec<NameWidths> = sections.iter().map(names).collect();
    let is_common = |names: &NameWidths| names.least_cut >= CUT;
    let common = sections.iter().zip(&with_bar).filter(|(_, names)| is_common(names));
    let widest = common.map(|(section, names)| taken(section, names)).max().unwrap_or_default();
    let bar = without_bar.saturating_sub(widest + GAP).min(BAR.1);
    let layout = |(section, mut names): (&Section<'_>, NameWidths)| {
        let has_bar = is_common(&names);
        if has_bar {
            names.widths[0] += widest.saturating_sub(taken(section, &names));
        } else {
            names = section.name_widths(without_bar.saturating_sub(of_problems(section)));
        }
        Layout {
            names: names.widths,
            calls,
            failures,
            problems: if section.is_by_code() { problems } else { 0 },
            bar: if has_bar { bar } else { 0 },
        }
    };
    sections.iter().zip(with_bar).map(layout).collect()
}

/// Widths of the names of each dimension of a table, which has at least one.
struct NameWidths {
    widths: Vec<usize>,
    /// Width of the narrowest truncated column.
    least_cut: usize,
}

impl NameWidths {
    /// Total width, including gaps.
    fn sum(&self) -> usize {
        self.widths.iter().sum::<usize>() + GAP * self.widths.len().saturating_sub(1)
    }
}

impl Section<'_> {
    fn is_by_code(&self) -> bool {
        self.by.contains(&Dimension::Code)
    }

    /// The sanitized name of a group in a dimension.
    fn name(&self, group: &CountGroup, column: usize) -> String {
        let dimension = self.by[column];
        let value = visible_str(value_words(dimension, group.key[column].as_deref())).into_owned();
        if dimension != Dimension::Code {
            return value;
        }
        let severity = Severity::ALL.iter().find(|severity| Some(severity.word()) == group.severity.as_deref());
        format!("{} {value}", severity.map_or(' ', |&severity| sign(severity)))
    }

    /// Widths of the names of each dimension, in a total of `room` columns; the widest ones are truncated first.
    fn name_widths(&self, room: usize) -> NameWidths {
        let wanted = (0..self.by.len()).map(|column| {
            let names = self.groups.iter().map(|group| display_width(self.name(group, column).as_bytes()));
            names.chain([self.by[column].name().len()]).max().unwrap_or_default()
        });
        let wanted: Vec<usize> = wanted.collect();
        let widths = wanted.iter().map(|&width| width.min(room.max(NAME))).collect();
        let mut names = NameWidths { widths, least_cut: usize::MAX };
        while names.sum() > room {
            match names.widths.iter_mut().max() {
                Some(widest) if *widest > NAME => *widest -= 1,
                _ => break,
            }
        }
        let cut = names.widths.iter().zip(&wanted).filter(|(width, wanted)| width < wanted);
        names.least_cut = cut.map(|(width, _)| *width).min().unwrap_or(usize::MAX);
        names
    }
}

/// Writes a table; `how` follows the number of omitted rows and tells how to show them.
fn write_section<W: Write>(out: &mut W, section: &Section<'_>, layout: &Layout, how: &str) -> io::Result<()> {
    let scale = Scale::new(section.groups.iter().filter_map(CountGroup::rate));
    let headings: Vec<String> = section.by.iter().map(|dimension| dimension.name().to_owned()).collect();
    let axis = if layout.bar > 0 { scale.axis(layout.bar) } else { String::new() };
    let numbers = ["problems", "calls", "failures", "rate"].map(str::to_owned);
    write_row(out, layout, &headings, &numbers, &axis)?;
    let is_by_day = section.by.first() == Some(&Dimension::Day);
    let more = grouped(section.more);
    if section.more > 0 && is_by_day {
        writeln!(out, "… {more} earlier{how}")?;
    }
    for group in &section.groups {
        let names: Vec<String> = (0..section.by.len()).map(|column| section.name(group, column)).collect();
        let [problems, calls, failures] = [group.problems, group.calls, group.failures()].map(number_words);
        let bar = scale.bar(group.rate().unwrap_or_default(), layout.bar);
        write_row(out, layout, &names, &[problems, calls, failures, rate_text(group.rate())], &bar)?;
    }
    if section.more > 0 && !is_by_day {
        writeln!(out, "… and {more} more{how}")?;
    }
    Ok(())
}

/// Writes names, numbers and a bar in their columns, without trailing spaces.
fn write_row<W: Write>(
    out: &mut W,
    layout: &Layout,
    names: &[String],
    numbers: &[String; 4],
    bar: &str,
) -> io::Result<()> {
    let mut row = String::new();
    let pad = |row: &mut String, columns: usize| row.extend(std::iter::repeat_n(' ', columns));
    for (name, &width) in names.iter().zip(&layout.names) {
        let name = fit(name, width);
        row.push_str(&name);
        pad(&mut row, width.saturating_sub(display_width(name.as_bytes())) + GAP);
    }
    for (number, width) in numbers.iter().zip([layout.problems, layout.calls, layout.failures, RATE]) {
        if width > 0 {
            pad(&mut row, width.saturating_sub(display_width(number.as_bytes())));
            row.push_str(number);
            pad(&mut row, GAP);
        }
    }
    row.push_str(bar);
    writeln!(out, "{}", row.trim_end())
}
