//! The tables for people: names, numbers, rates and bars, as wide as they are asked to be.

use std::io::{self, Write};

use super::{Section, StatisticsReport};
use crate::corpus::counts::{CountGroup, Dimension};
use crate::diagnostic::Severity;
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, fit, word_rows};
use crate::wording::group::value_words;
use crate::wording::rate::{Scale, rate_text};
use crate::wording::{grouped, sign};

/// Most rows of a table where several are shown.
const TOP: usize = 10;

/// Columns between two columns of a table.
const GAP: usize = 2;

/// Fewest and most columns of a full bar.
const BAR: (usize, usize) = (12, 40);

/// Columns for a rate: `100.0%`.
const RATE: usize = 6;

/// Fewest columns for a name.
const NAME: usize = 8;

/// Fewest columns for a name that is cut so that there is room for bars.
const CUT: usize = 18;

/// Fewest columns to which sentences are wrapped.
const LEAST: usize = 20;

/// What the numbers of calls mean, below their table.
const LEGEND: &str = "\
    Failures are calls that failed, were denied or were rejected by the runtime; the rate is their share of the calls.";

/// The same below a table by code.
const LEGEND_OF_CODES: &str = "By code, the calls that have such a problem are counted.";

/// Columns of the screen for each part of a row.
struct Layout {
    names: Vec<usize>,
    calls: usize,
    failures: usize,
    /// Of the number of problems; 0 where calls are counted.
    problems: usize,
    bar: usize,
}

/// Writes the tables: totals, a table for each section, and what the numbers mean. Lines have at most `width` columns
/// where that is enough for the numbers and the beginning of names.
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

/// All calls and problems in a sentence, without what there is none of.
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

/// The layout of each section: numbers are below each other, but where names would be cut too much for that.
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

/// Columns for the names of each dimension of a table, at least one.
struct NameWidths {
    widths: Vec<usize>,
    /// Columns of the narrowest one that is cut.
    least_cut: usize,
}

impl NameWidths {
    /// Columns for all of them and the gaps between them.
    fn sum(&self) -> usize {
        self.widths.iter().sum::<usize>() + GAP * self.widths.len().saturating_sub(1)
    }
}

impl Section<'_> {
    fn is_by_code(&self) -> bool {
        self.by.contains(&Dimension::Code)
    }

    /// What a row calls its group, dimension by dimension; safe to show.
    fn name(&self, group: &CountGroup, column: usize) -> String {
        let dimension = self.by[column];
        let value = visible_str(value_words(dimension, group.key[column].as_deref())).into_owned();
        if dimension != Dimension::Code {
            return value;
        }
        let severity = Severity::ALL.iter().find(|severity| Some(severity.word()) == group.severity.as_deref());
        format!("{} {value}", severity.map_or(' ', |&severity| sign(severity)))
    }

    /// Columns for the names of each dimension, in `room` columns together: the widest ones give way.
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

/// Writes a table; `how` says behind the number of rows that are left out how to get them.
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

/// Writes names, numbers and a bar in their columns, without blanks at the end.
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
