//! The values that a redaction replaced and the ones it kept, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::json_text::ObjectWriter;
use super::record::SCHEMA_VERSION;
use crate::redact::{KeepReason, RedactionReport, ValueSites};
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::text::wrap::display_width;
use crate::wording::count;

/// Writes two lists with places as `LINE:COLUMN`, and what the reasons mean.
pub fn write_text<W: Write>(out: &mut W, report: &RedactionReport, session: &Session) -> io::Result<()> {
    let replaced = report.replaced.iter().map(|value| {
        let about = [value.replacement.clone(), format!("by {}", value.rule.word())];
        line(about, &value.begins, value.characters, &value.sites, session)
    });
    let (replaced, kept) = (replaced.collect::<Vec<_>>(), report.kept.iter());
    match replaced.len() {
        0 => writeln!(out, "replaced nothing")?,
        number => writeln!(out, "replaced {}:", count(number, "value"))?,
    }
    write_columns(out, &replaced, report.more_replaced)?;
    let kept: Vec<_> = kept
        .map(|value| {
            let about = [value.reason.word().to_owned(), explanation(value.reason).to_owned()];
            line(about, &value.begins, value.characters, &value.sites, session)
        })
        .collect();
    if !kept.is_empty() {
        writeln!(out, "\nkept {} that may be secrets:", count(kept.len(), "value"))?;
        write_columns(out, &kept, report.more_kept)?;
    }
    let counted: Vec<String> = report.counted.iter().map(|(reason, number)| counted(*reason, *number)).collect();
    if !counted.is_empty() {
        writeln!(out, "\nkept and not listed: {}", counted.join(", "))?;
    }
    Ok(())
}

/// The reason why a value of the list is kept, and what to do if it is a secret.
fn explanation(reason: KeepReason) -> &'static str {
    match reason {
        KeepReason::Allowed => "redact.keep has it",
        KeepReason::Unnamed => "random, but nothing tells what it is",
        KeepReason::Word => "the value of a secret's name, but a word",
        KeepReason::Placeholder => "stands for a secret",
        KeepReason::Id => "an id",
        KeepReason::Hash => "as long as a hash",
        KeepReason::Uuid => "a UUID",
        KeepReason::Data => "longer than a secret",
    }
}

fn counted(reason: KeepReason, number: usize) -> String {
    match reason {
        KeepReason::Hash => format!("{number} {}", if number == 1 { "hash" } else { "hashes" }),
        KeepReason::Uuid => count(number, "UUID"),
        KeepReason::Data => format!("{} of data", count(number, "run")),
        reason => count(number, reason.word()),
    }
}

/// The cells of a value: two words about it, its beginning and length, its places.
fn line(about: [String; 2], begins: &str, characters: usize, sites: &ValueSites, session: &Session) -> [String; 4] {
    let [name, rule] = about;
    let begins = if begins.is_empty() { String::new() } else { format!("{}… ", visible_str(begins)) };
    let places = sites.offsets.iter().map(|&offset| {
        let position = session.position(offset);
        format!("{}:{}", position.line, position.column)
    });
    let places = places.collect::<Vec<_>>().join(", ");
    let more = sites.count - sites.offsets.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    [visible_str(&name).into_owned(), rule, format!("{begins}{}", count(characters, "character")), places + &more]
}

fn write_columns<W: Write>(out: &mut W, lines: &[[String; 4]], unlisted: usize) -> io::Result<()> {
    let width =
        |column: usize| lines.iter().map(|line| display_width(line[column].as_bytes())).max().unwrap_or_default();
    let widths = [width(0), width(1), width(2)];
    for line in lines {
        write!(out, " ")?;
        for (cell, width) in line.iter().zip(widths) {
            write!(out, " {cell}{} ", " ".repeat(width - display_width(cell.as_bytes())))?;
        }
        writeln!(out, " {}", line[3])?;
    }
    if unlisted > 0 {
        writeln!(out, "  and {} of other values", count(unlisted, "place"))?;
    }
    Ok(())
}

/// Writes one JSON object.
pub fn write_json<W: Write>(out: &mut W, report: &RedactionReport, session: &Session) -> io::Result<()> {
    let replaced = report.replaced.iter().map(|value| {
        json!({
            "replacement": value.replacement,
            "kind": value.kind,
            "rule": value.rule.word(),
            "begins": value.begins,
            "characters": value.characters,
            "count": value.sites.count,
            "places": places(&value.sites, session),
        })
    });
    let kept = report.kept.iter().map(|value| {
        json!({
            "reason": value.reason.word(),
            "begins": value.begins,
            "characters": value.characters,
            "count": value.sites.count,
            "places": places(&value.sites, session),
        })
    });
    let counted: Map<String, Value> =
        report.counted.iter().map(|(reason, number)| (reason.word().to_owned(), json!(number))).collect();
    ObjectWriter::new(out)
        .member("schema_version", &SCHEMA_VERSION)?
        .list("replaced", replaced)?
        .member("more_replaced", &report.more_replaced)?
        .list("kept", kept)?
        .member("more_kept", &report.more_kept)?
        .member("counted", &counted)?
        .end()
}

fn places(sites: &ValueSites, session: &Session) -> Vec<Value> {
    let document = session.document();
    let place = |&offset: &usize| {
        let position = session.position(offset);
        json!({
            "line": position.line,
            "column": position.column,
            "offset": offset,
            "message": document.message_at(offset),
            "item": document.item_at(offset).unwrap_or_default(),
        })
    };
    sites.offsets.iter().map(place).collect()
}
