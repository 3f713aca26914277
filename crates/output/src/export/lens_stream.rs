//! The deltas of a message that arrives in pieces, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use super::lens::{outcome_to_json, write_facts, write_wrapped};
use super::record::SCHEMA_VERSION;
use crate::lens::FactState;
use crate::lens::stream::{LensStream, StreamRow};
use crate::runtime::DeltaPart;
use crate::text::wrap::fit;
use crate::wording::count;
use crate::wording::lens::{dialects_of, label_of, tools_of};

/// Columns of the number of a piece, and of its text.
const NUMBER: usize = 5;
const PIECES: usize = 26;

/// An object for a message: where it was cut, and what each parser sends after which piece.
pub fn to_json(stream: &LensStream) -> Json {
    let row = |row: &StreamRow| {
        let deltas = row.deltas.iter().map(|delta| {
            let (kind, call, text) = parts_of(&delta.part);
            let mut record = json!({ "piece": delta.piece, "kind": kind, "text": text });
            if let Some(call) = call {
                record["call"] = json!(call);
            }
            record
        });
        let differences =
            row.differences.iter().map(|fact| json!({ "at": label_of(&fact.place).trim(), "state": if fact.state == FactState::Missing { "missing" } else { "different" }, "value": fact.value }));
        json!({
            "runtime": row.parser.profile.runtime,
            "parser": row.parser.parser,
            "version": row.parser.release.version,
            "date": row.parser.release.date,
            "approximate": row.is_approximate,
            "timing_approximate": row.is_timing_approximate,
            "deltas": deltas.collect::<Vec<_>>(),
            "sum": outcome_to_json(&row.sum),
            "differences": differences.collect::<Vec<_>>(),
        })
    };
    json!({ "schema_version": SCHEMA_VERSION, "ends": stream.ends, "parsers": stream.rows.iter().map(row).collect::<Vec<_>>() })
}

/// Kind of a delta, the call that it belongs to, and its text.
fn parts_of(part: &DeltaPart) -> (&'static str, Option<usize>, &str) {
    match part {
        DeltaPart::Content(text) => ("content", None, text),
        DeltaPart::Reasoning(text) => ("reasoning", None, text),
        DeltaPart::Name(call, text) => ("name", Some(*call), text),
        DeltaPart::Arguments(call, text) => ("arguments", Some(*call), text),
        DeltaPart::Error(text) => ("error", None, text),
    }
}

/// Writes the deltas of each parser next to the pieces that were needed for them. Parsers that send the same deltas are
/// listed together.
pub fn write_text<W: Write>(out: &mut W, text: &str, stream: &LensStream, width: usize) -> io::Result<()> {
    let (parsers, pieces) = (count(stream.rows.len(), "parser"), count(stream.ends.len(), "piece"));
    let words = format!("{}: {parsers}, {pieces}; {}", dialects_of(&stream.lens), tools_of(&stream.lens.request));
    write_wrapped(out, &words, "", "  ", width)?;
    let mut groups: Vec<Vec<&StreamRow>> = Vec::new();
    for row in &stream.rows {
        let is_same =
            |group: &&mut Vec<&StreamRow>| group[0].deltas == row.deltas && group[0].differences == row.differences;
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    for group in &groups {
        writeln!(out)?;
        let name = |row: &&StreamRow| format!("{}{}", row.parser.name(), if row.is_approximate { "~" } else { "" });
        write_wrapped(out, &group.iter().map(name).collect::<Vec<_>>().join(", "), "", "  ", width)?;
        write_deltas(out, text, stream, group[0], width)?;
        if group[0].differences.is_empty() {
            writeln!(out, "  the sum is the outcome of the whole message")?;
        } else {
            writeln!(out, "  the sum differs from the outcome of the whole message:")?;
            write_facts(out, &group[0].differences, "  ", width)?;
        }
        let late: Vec<String> =
            group.iter().filter(|row| row.is_timing_approximate).map(|row| row.parser.name().to_string()).collect();
        if !late.is_empty() {
            let words = format!("deltas of {} may come after other pieces", late.join(", "));
            write_wrapped(out, &words, "  ", "    ", width)?;
        }
    }
    if stream.rows.iter().any(|row| row.is_approximate) {
        writeln!(out, "\n~ approximate: fewer than four of five recorded streams have this sum")?;
    }
    Ok(())
}

/// Writes a line for each delta: the last piece that it needed, the text that arrived since the line before, and the delta.
fn write_deltas<W: Write>(
    out: &mut W,
    text: &str,
    stream: &LensStream,
    row: &StreamRow,
    width: usize,
) -> io::Result<()> {
    let mut arrived = 0;
    for delta in &row.deltas {
        let end = stream.ends.get(delta.piece).copied().unwrap_or(text.len());
        let new = text.get(arrived..end.max(arrived)).unwrap_or_default();
        let number = if delta.piece < stream.ends.len() { (delta.piece + 1).to_string() } else { "end".to_owned() };
        let new = if new.is_empty() { String::new() } else { fit(&json!(new).to_string(), PIECES).into_owned() };
        arrived = end.max(arrived);
        let (kind, call, sent) = parts_of(&delta.part);
        let kind = call.map_or(kind.to_owned(), |call| format!("call {} {kind}", call + 1));
        let lead = format!("{number:>NUMBER$}  {new:<PIECES$}  ");
        let next = " ".repeat(NUMBER + PIECES + 4);
        write_wrapped(out, &format!("{kind} {}", json!(sent)), &lead, &next, width)?;
    }
    Ok(())
}
