//! The readings of a template's calls by the parsers of runtimes, as text and JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json_text::ObjectWriter;
use super::prompt::failure_record;
use super::record::SCHEMA_VERSION;
use crate::template::failure::TemplateFailure;
use crate::template::roundtrip::{ParserKind, ParserVerdict, ProbeRoundTrip, TurnReading};
use crate::text::sanitize::visible_str;

/// A template with the readings of its turns.
#[derive(Debug)]
pub struct TemplateRoundTrip {
    /// The path that was given.
    pub path: String,
    /// The file in it that has the template.
    pub file: String,
    /// The readings, or the reason that the template cannot be used.
    pub outcome: Result<Vec<ProbeRoundTrip>, TemplateFailure>,
}

impl TemplateRoundTrip {
    /// True if no parser reads the calls of a turn, or if the template cannot be used.
    #[must_use]
    pub fn has_findings(&self) -> bool {
        self.outcome.as_ref().map_or(true, |trips| trips.iter().any(ProbeRoundTrip::is_unreadable))
    }
}

/// Writes a line for each conversation and for what differs, below a heading for each template.
pub fn write_text<W: Write>(out: &mut W, templates: &[TemplateRoundTrip]) -> io::Result<()> {
    for template in templates {
        writeln!(out, "{}", visible_str(&template.path))?;
        match &template.outcome {
            Err(failure) => writeln!(out, "  {}", visible_str(&format!("error: {}", failure.with_help())))?,
            Ok(trips) => {
                let width = trips.iter().map(|trip| trip.probe.chars().count()).max().unwrap_or_default();
                for trip in trips {
                    writeln!(out, "  {:width$}  {}", visible_str(&trip.probe), visible_str(&summary(trip)))?;
                    for line in trip.outcome.iter().flat_map(details) {
                        writeln!(out, "  {:width$}    {}", "", visible_str(&line))?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// The outcome of a conversation on one line.
fn summary(trip: &ProbeRoundTrip) -> String {
    let reading = match &trip.outcome {
        Ok(reading) => reading,
        Err(failure) => return format!("error: {}", failure.with_help()),
    };
    let losses = match reading.losses.as_slice() {
        [] => String::new(),
        losses => format!("; the template leaves out {}", losses.join(" and ")),
    };
    if !reading.shows_calls() {
        return format!("the turn shows no call{losses}");
    }
    if let Some(reason) = reading.unreadable_reason() {
        return format!("unreadable: {reason}{losses}");
    }
    let Counts { exact, calls, all } = Counts::of(reading);
    let counts = match all {
        0 => "no parser of a runtime is known for it; transcope reads the calls".to_owned(),
        1 if exact == 1 => "the only parser is exact".to_owned(),
        _ if exact == calls => format!("{exact} of {all} parsers exact"),
        _ => format!("{exact} of {all} parsers exact, {calls} in the calls"),
    };
    let dialects = match reading.dialects.as_slice() {
        [] => String::new(),
        dialects => format!(" ({})", dialects.join(", ")),
    };
    let opening = match reading.opening.as_str() {
        "" => String::new(),
        opening => format!(", after {opening:?}"),
    };
    format!("{counts}{dialects}{opening}{losses}")
}

/// Lines for the parsers that differ; equal differences share one.
fn details(reading: &TurnReading) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    if !reading.shows_calls() {
        return Vec::new();
    }
    for verdict in reading.parsers.iter().filter(|verdict| !verdict.is_exact()) {
        let difference = differences(verdict);
        match groups.iter_mut().find(|(known, _)| *known == difference) {
            // A parser of several releases that read the same.
            Some((_, parsers)) if parsers.contains(&name(verdict)) => {}
            Some((_, parsers)) => parsers.push(name(verdict)),
            None => groups.push((difference, vec![name(verdict)])),
        }
    }
    groups.into_iter().map(|(difference, parsers)| format!("{}: {difference}", parsers.join(", "))).collect()
}

/// The name of a parser. What this program reads without a runtime's rules is marked, since it is the name of the program alone.
fn name(verdict: &ParserVerdict) -> &str {
    if verdict.kind == ParserKind::BuiltIn { "transcope without a runtime" } else { &verdict.parser }
}

fn differences(verdict: &ParserVerdict) -> String {
    let differences: Vec<String> = verdict.differences.iter().map(ToString::to_string).collect();
    let codes: Vec<&str> = verdict.reasons.iter().map(|code| code.name()).collect();
    let codes = if codes.is_empty() { String::new() } else { format!(" ({})", codes.join(", ")) };
    format!("{}{codes}", differences.join("; "))
}

/// Numbers of the parsers of runtimes and of the directory.
struct Counts {
    /// Parsers that read calls, text and reasoning exactly.
    exact: usize,
    /// Parsers that read the calls.
    calls: usize,
    all: usize,
}

impl Counts {
    fn of(reading: &TurnReading) -> Self {
        Self {
            exact: reading.of_runtimes().filter(|verdict| verdict.is_exact()).count(),
            calls: reading.of_runtimes().filter(|verdict| verdict.reads_calls()).count(),
            all: reading.of_runtimes().count(),
        }
    }
}

/// Writes a table: for each template and conversation, how many of the parsers read the calls. Reasons follow it.
pub fn write_table<W: Write>(out: &mut W, templates: &[TemplateRoundTrip]) -> io::Result<()> {
    let names: Vec<String> = templates.iter().map(|template| visible_str(&template.path).into_owned()).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().max("template".len());
    let probes: Vec<&str> = templates
        .iter()
        .find_map(|template| template.outcome.as_ref().ok())
        .map(|trips| trips.iter().map(|trip| trip.probe.as_str()).collect())
        .unwrap_or_default();
    write!(out, "{:width$}", "template")?;
    for probe in &probes {
        write!(out, "  {}", visible_str(probe))?;
    }
    writeln!(out)?;
    for (name, template) in names.iter().zip(templates) {
        write!(out, "{name:width$}")?;
        match &template.outcome {
            Err(_) => write!(out, "  error")?,
            Ok(trips) => {
                for (probe, trip) in probes.iter().zip(trips) {
                    write!(out, "  {:>1$}", cell(trip), visible_str(probe).chars().count())?;
                }
            }
        }
        writeln!(out)?;
    }
    for (name, template) in names.iter().zip(templates) {
        if let Some(reason) = reason(template) {
            writeln!(out, "{name}: {}", visible_str(&reason))?;
        }
    }
    Ok(())
}

fn cell(trip: &ProbeRoundTrip) -> String {
    let Ok(reading) = &trip.outcome else { return "error".to_owned() };
    let Counts { calls, all, .. } = Counts::of(reading);
    match (reading.shows_calls(), reading.is_readable()) {
        (false, _) => "-".to_owned(),
        (true, false) => "none".to_owned(),
        (true, true) => format!("{calls}/{all}"),
    }
}

/// The reason that a template's calls cannot be read, by the first conversation that shows it.
fn reason(template: &TemplateRoundTrip) -> Option<String> {
    match &template.outcome {
        Err(failure) => Some(format!("error: {}", failure.with_help())),
        Ok(trips) => {
            let trip = trips.iter().find(|trip| trip.is_unreadable())?;
            Some(format!("{}: {}", trip.probe, summary(trip)))
        }
    }
}

/// Writes one JSON object with all templates.
pub fn write_json<W: Write>(out: &mut W, templates: &[TemplateRoundTrip]) -> io::Result<()> {
    let records = templates.iter().map(|template| {
        json!({
            "path": template.path,
            "file": template.file,
            "error": template.outcome.as_ref().err().map(failure_record),
            "conversations": template.outcome.iter().flatten().map(record).collect::<Vec<_>>(),
        })
    });
    ObjectWriter::new(out).member("schema_version", &SCHEMA_VERSION)?.list("templates", records)?.end()
}

fn record(trip: &ProbeRoundTrip) -> Value {
    let reading = match &trip.outcome {
        Ok(reading) => reading,
        Err(failure) => return json!({ "name": trip.probe, "error": failure_record(failure) }),
    };
    json!({
        "name": trip.probe,
        "error": null,
        "turn": reading.turn.text(),
        "span": [reading.turn.range.start, reading.turn.range.end],
        "opening": reading.opening,
        "calls": reading.shown.calls.iter().map(|call| json!({ "name": call.name, "arguments": call.arguments })).collect::<Vec<_>>(),
        "left_out": reading.losses,
        "dialects": reading.dialects,
        "readable": reading.shows_calls().then(|| reading.is_readable()),
        "reason": reading.unreadable_reason(),
        "parsers": reading.parsers.iter().map(verdict_record).collect::<Vec<_>>(),
    })
}

fn verdict_record(verdict: &ParserVerdict) -> Value {
    json!({
        "parser": verdict.parser,
        "kind": match verdict.kind {
            ParserKind::Declared => "declared",
            ParserKind::Runtime => "runtime",
            ParserKind::BuiltIn => "transcope",
        },
        "dialect": verdict.dialect,
        "exact": verdict.is_exact(),
        "calls_exact": verdict.reads_calls(),
        "differences": verdict.differences.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "reasons": verdict.reasons.iter().map(|code| code.name()).collect::<Vec<_>>(),
    })
}
