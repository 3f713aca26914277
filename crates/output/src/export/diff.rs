//! Differences between two transcripts, as text and as JSON.
//!
//! As text, the line of each pair of calls begins with a sign: two spaces, `~`, `-` or `+`.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json_text::ObjectWriter;
use super::record::{self, DiagnosticRecord, SCHEMA_VERSION};
use crate::compare::{CallRow, ComparedText, Comparison, PartChange, RowKind, facts};
use crate::document::Call;
use crate::session::Session;
use crate::text::Walk;
use crate::text::sanitize::visible_str;
use crate::wording::changes::{shown, summary};

/// Writes the differences as text.
pub fn write_text<W: Write>(out: &mut W, sides: &[ComparedText; 2], comparison: &Comparison) -> io::Result<()> {
    writeln!(out, "--- {}", visible_str(&sides[0].name))?;
    writeln!(out, "+++ {}", visible_str(&sides[1].name))?;
    let (mut left, mut right) = (Walk::default(), Walk::default());
    for row in &comparison.rows {
        let left = row.left.and_then(|call| label(&sides[0].session, call, &mut left));
        let right = row.right.and_then(|call| label(&sides[1].session, call, &mut right));
        let mut lines: Vec<String> = left.iter().chain(&right).map(|(_, line)| line.to_string()).collect();
        lines.dedup();
        let name = left.or(right).map(|(name, _)| name).unwrap_or_default();
        writeln!(out, "{} {name}, line {}", sign(row.kind()), lines.join(" → "))?;
        write_changes(out, row)?;
    }
    write_problems(out, "-", &sides[0].session, &comparison.gone)?;
    write_problems(out, "+", &sides[1].session, &comparison.came)?;
    writeln!(out, "{}", summary(comparison))
}

/// Writes the changes of a pair of calls, one per line.
pub fn write_changes<W: Write>(out: &mut W, row: &CallRow) -> io::Result<()> {
    for change in &row.changes {
        let PartChange { part, old, new } = change;
        writeln!(out, "    {}: {} → {}", visible_str(&part.words()), shown(old.as_ref()), shown(new.as_ref()))?;
    }
    Ok(())
}

/// The sign at the start of a row's line.
pub fn sign(kind: RowKind) -> char {
    match kind {
        RowKind::Same => ' ',
        RowKind::Changed => '~',
        RowKind::Left => '-',
        RowKind::Right => '+',
    }
}

/// Name and id of a call, and its line number.
fn label(session: &Session, number: usize, walk: &mut Walk) -> Option<(String, usize)> {
    let call = nth(session, number)?.1;
    let text = session.text();
    let words = format!("{} {}", visible_str(&call.name(text)), visible_str(&call.id(text)));
    Some((words, session.position_by(walk, call.span.start).line))
}

fn nth(session: &Session, number: usize) -> Option<(usize, Call<'_>)> {
    let item = session.document().calls().nth(number)?;
    session.document().call(item).map(|call| (item, call))
}

fn write_problems<W: Write>(out: &mut W, sign: &str, session: &Session, numbers: &[usize]) -> io::Result<()> {
    let mut walk = Walk::default();
    for problem in numbers.iter().filter_map(|&number| session.document().diagnostics().get(number)) {
        let line = session.place_of_problem(&mut walk, &problem).line;
        let (severity, code) = (problem.severity.word(), problem.code.name());
        writeln!(out, "{sign} {severity}[{code}] {}, line {line}", visible_str(&problem.message))?;
    }
    Ok(())
}

/// Writes one JSON object. A change lacks `old` or `new` if that side does not have the part.
pub fn write_json<W: Write>(out: &mut W, sides: &[ComparedText; 2], comparison: &Comparison) -> io::Result<()> {
    let (mut left, mut right) = (Walk::default(), Walk::default());
    let rows = comparison.rows.iter().map(|row| {
        json!({
            "kind": <&str>::from(row.kind()),
            "left": row.left.and_then(|call| brief(&sides[0].session, call, &mut left)),
            "right": row.right.and_then(|call| brief(&sides[1].session, call, &mut right)),
            "changes": row.changes.iter().map(change_record).collect::<Vec<_>>(),
        })
    });
    ObjectWriter::new(out)
        .member("schema_version", &SCHEMA_VERSION)?
        .member("equal", &comparison.is_equal())?
        .member("left", &side(&sides[0]))?
        .member("right", &side(&sides[1]))?
        .list("rows", rows)?
        .list("problems_gone", problem_records(&sides[0].session, &comparison.gone))?
        .list("problems_new", problem_records(&sides[1].session, &comparison.came))?
        .member("same", &comparison.count(RowKind::Same))?
        .member("changed", &comparison.count(RowKind::Changed))?
        .member("only_left", &comparison.count(RowKind::Left))?
        .member("only_right", &comparison.count(RowKind::Right))?
        .end()
}

fn side(side: &ComparedText) -> Value {
    let document = side.session.document();
    json!({ "path": side.name, "calls": document.calls().len(), "problems": document.diagnostics().len() })
}

fn change_record(PartChange { part, old, new }: &PartChange) -> Value {
    let mut record = json!({ "part": part.word() });
    for (key, value) in [("path", part.path().map(Value::from)), ("old", old.clone()), ("new", new.clone())] {
        if let Some(value) = value {
            record[key] = value;
        }
    }
    record
}

fn brief(session: &Session, number: usize, walk: &mut Walk) -> Option<Value> {
    let (item, call) = nth(session, number)?;
    let text = session.text();
    Some(json!({
        "item": item,
        "line": session.position_by(walk, call.span.start).line,
        "dialect": call.dialect,
        "name": call.name(text),
        "id": call.id(text),
        "generated_id": call.id.is_none(),
        "status": call.status,
        "parse_error": facts(session, item).and_then(|facts| facts.refusal),
    }))
}

fn problem_records<'a>(session: &'a Session, numbers: &'a [usize]) -> impl Iterator<Item = DiagnosticRecord> + 'a {
    let mut walk = Walk::default();
    let problems = numbers.iter().filter_map(|&number| session.document().diagnostics().get(number));
    problems.map(move |problem| record::diagnostic(session, problem, &mut walk))
}
