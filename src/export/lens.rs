//! What the runtimes make of a message, as text for people and as JSON.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use crate::diagnostic::Code;
use crate::lens::fact::compare;
use crate::lens::{Fact, FactPlace, FactState, Group, Lens, MessageText};
use crate::runtime::{Outcome, ToolRequest, conformance};
use crate::session::Session;
use crate::text::Span;
use crate::text::sanitize::visible_str;
use crate::text::wrap::word_rows;
use crate::wording::count;
use crate::wording::fact::label_of;

/// Columns of the label of a fact.
const LABEL: usize = 12;

/// Most characters of a value that are shown.
const MOST: usize = 200;

/// One array for a message: what each parser delivers and why, with spans in the message.
pub fn to_json(lens: &Lens) -> Json {
    let row = |row: &crate::lens::LensRow| {
        let reasons = row.reading.reasons.iter();
        let reasons: Vec<Json> = reasons.map(|why| json!({ "code": why.code.name(), "span": why.span })).collect();
        let mut record = json!({
            "runtime": row.parser.profile.runtime,
            "parser": row.parser.parser,
            "version": row.parser.release.version,
            "date": row.parser.release.date,
            "outcome": row.reading.outcome,
            "reasons": reasons,
        });
        if let Some(streamed) = &row.streamed {
            record["streamed"] = json!(streamed);
        }
        record
    };
    Json::Array(lens.rows.iter().map(row).collect())
}

/// The same for people: equal outcomes together, what is different marked, and why.
pub fn write_text<W: Write>(
    out: &mut W,
    session: &Session,
    message: &MessageText,
    lens: &Lens,
    request: &ToolRequest,
    width: usize,
) -> io::Result<()> {
    let tools = match (request.has_tools(), &request.tools) {
        (true, _) => format!("tools: {}", request.names().collect::<Vec<_>>().join(", ")),
        (false, _) => "no tools: give the request's tools with --schema".to_owned(),
    };
    let outcomes = count(lens.groups.len(), "outcome");
    let parsers = count(lens.rows.len(), "parser");
    writeln!(out, "{}: {outcomes} of {parsers}; {}", lens.dialects.join(", "), visible_str(&tools))?;
    for (number, group) in lens.groups.iter().enumerate() {
        writeln!(out)?;
        write_outcome(out, lens, number, width)?;
        write_reasons(out, session, message, lens, group, width)?;
    }
    let legend = [
        (lens.groups.len() > 1, "≠ other than in 1, − missing here"),
        (
            lens.rows.iter().any(|row| conformance::is_approximate(&row.parser)),
            "~ approximate: see transcope dialects --conformance",
        ),
    ];
    let legend: Vec<&str> = legend.into_iter().filter_map(|(is_needed, words)| is_needed.then_some(words)).collect();
    if !legend.is_empty() {
        writeln!(out, "\n{}", legend.join("\n"))?;
    }
    Ok(())
}

/// What the parsers deliver, equal outcomes together, without a reason.
pub fn write_outcomes<W: Write>(out: &mut W, lens: &Lens, width: usize) -> io::Result<()> {
    for number in 0..lens.groups.len() {
        write_outcome(out, lens, number, width)?;
    }
    Ok(())
}

/// The parsers of a group, and what they deliver.
fn write_outcome<W: Write>(out: &mut W, lens: &Lens, number: usize, width: usize) -> io::Result<()> {
    let group = &lens.groups[number];
    let names: Vec<String> = group.rows.iter().map(|&row| name_of(lens, row)).collect();
    write_wrapped(out, &names.join(", "), &format!("{:<4}", number + 1), "    ", width)?;
    for fact in &group.facts {
        writeln!(out, "  {}", row_of(fact, width.saturating_sub(2)))?;
    }
    if group.facts.is_empty() {
        writeln!(out, "    nothing at all")?;
    }
    Ok(())
}

/// Words on as many lines as they need, with `first` in front of the first and `next` in front of the others.
fn write_wrapped<W: Write>(out: &mut W, words: &str, first: &str, next: &str, width: usize) -> io::Result<()> {
    for (line, row) in word_rows(words, width.saturating_sub(next.len())).enumerate() {
        writeln!(out, "{}{}", if line == 0 { first } else { next }, visible_str(row))?;
    }
    Ok(())
}

/// A parser, with a mark where it is not well known.
fn name_of(lens: &Lens, row: usize) -> String {
    let row = &lens.rows[row];
    let mark = if conformance::is_approximate(&row.parser) { "~" } else { "" };
    format!("{}{mark}", row.name())
}

/// A fact on one line: a mark where it is different, its label and its value.
fn row_of(fact: &Fact, width: usize) -> String {
    let mark = match fact.state {
        FactState::Same => ' ',
        FactState::Different => '≠',
        FactState::Missing => '−',
    };
    let words = match fact.state {
        FactState::Missing => "missing".to_owned(),
        _ => words_of(fact),
    };
    let line = format!("{mark} {:<LABEL$} {words}", label_of(&fact.place));
    crate::text::wrap::fit(&visible_str(&line), width).into_owned()
}

/// What a fact says: names as they are, everything else as JSON.
pub fn words_of(fact: &Fact) -> String {
    let short = |words: &str| words.chars().take(MOST).collect::<String>();
    match (&fact.place, &fact.value) {
        (FactPlace::Call(_), Json::String(name)) => short(name),
        (FactPlace::Call(_), _) => "without a name".to_owned(),
        (FactPlace::Error, Json::String(words)) => short(words),
        (_, value) => short(&value.to_string()),
    }
}

/// Why the parsers of a group deliver what they do, each reason once, and what may be otherwise when streamed.
fn write_reasons<W: Write>(
    out: &mut W,
    session: &Session,
    message: &MessageText,
    lens: &Lens,
    group: &Group,
    width: usize,
) -> io::Result<()> {
    let mut said: Vec<(Code, Vec<Span>)> = Vec::new();
    for reason in group.rows.iter().flat_map(|&row| &lens.rows[row].reading.reasons) {
        let code = reason.code;
        match said.iter_mut().find(|(known, _)| *known == code) {
            Some((_, spans)) if spans.iter().any(|span| span.start == reason.span.start) => {}
            Some((_, spans)) => spans.push(reason.span),
            None => said.push((code, vec![reason.span])),
        }
    }
    for (code, mut spans) in said {
        spans.sort_unstable_by_key(|span| span.start);
        let places = spans.iter().map(|span| {
            let position = session.position(message.span.start + span.start);
            format!("{}:{}", position.line, position.column)
        });
        let words = format!("{} {}: {}", list(places), code.name(), code.info().title);
        write_wrapped(out, &words, "    ", "      ", width)?;
    }
    write_streamed(out, lens, group, width)
}

/// What parsers of a group may deliver when the message arrives in pieces, as far as it is something else.
fn write_streamed<W: Write>(out: &mut W, lens: &Lens, group: &Group, width: usize) -> io::Result<()> {
    let mut said: Vec<(&Outcome, Vec<String>)> = Vec::new();
    for row in group.rows.iter().map(|&row| &lens.rows[row]) {
        let Some(streamed) = &row.streamed else { continue };
        match said.iter_mut().find(|(known, _)| *known == streamed) {
            Some((_, names)) => names.push(row.name()),
            None => said.push((streamed, vec![row.name()])),
        }
    }
    let whole = &lens.rows[group.rows[0]].reading.outcome;
    for (streamed, names) in said {
        let words = format!("when streamed, {} may deliver instead:", names.join(", "));
        write_wrapped(out, &words, "    ", "      ", width)?;
        for fact in compare(whole, streamed).iter().filter(|fact| fact.state != FactState::Same) {
            writeln!(out, "    {}", row_of(fact, width.saturating_sub(4)))?;
        }
    }
    Ok(())
}

/// Places one behind another; of many, the first ones and how many there are beside them.
fn list(places: impl Iterator<Item = String>) -> String {
    /// Most places of one reason that are named.
    const MOST: usize = 4;
    let all: Vec<String> = places.collect();
    match all.len().checked_sub(MOST) {
        Some(others @ 1..) => format!("{} and {others} more", all[..MOST].join(", ")),
        _ => all.join(", "),
    }
}
