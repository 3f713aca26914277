//! Differences between two transcripts, as text and as JSON.
//!
//! As text, the line of each pair of calls begins with a sign: two spaces, `~`, `-` or `+`. Recorded sessions are written
//! turn by turn, with the main argument of a call in place of its id.

pub mod folders;
pub mod turns;

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json_text::ObjectWriter;
use super::record::{self, DiagnosticRecord, SCHEMA_VERSION};
use super::session_facts;
use crate::compare::turns::call_argument;
use crate::compare::{CallRow, ComparedText, Comparison, PartChange, RowKind, facts};
use crate::container::CallOutcome;
use crate::document::Call;
use crate::session::Session;
use crate::text::Walk;
use crate::text::sanitize::visible_str;
use crate::text::wrap::fit;
use crate::value::main_argument::shortened;
use crate::wording::changes::{shown, summary};
use crate::wording::{self, filter_line};

/// Maximum width of a call's main argument, in columns.
const ARGUMENT_WIDTH: usize = 60;

/// Writes the differences as text.
pub fn write_text<W: Write>(out: &mut W, sides: &[ComparedText; 2], comparison: &Comparison) -> io::Result<()> {
    for (sign, side) in ["---", "+++"].into_iter().zip(sides) {
        let part = side.part.as_ref().map_or_else(String::new, |part| format!("  {}", filter_line(part)));
        writeln!(out, "{sign} {}{}", visible_str(&side.name), visible_str(&part))?;
    }
    let is_by_turn = !comparison.turns.is_empty();
    // Totals count whole sessions.
    if is_by_turn && sides.iter().all(|side| side.part.is_none()) {
        turns::write_totals(out, sides)?;
    }
    let mut pairs = comparison.turns.iter().peekable();
    let (mut left, mut right) = (Walk::default(), Walk::default());
    for (number, row) in comparison.rows.iter().enumerate() {
        while let Some(pair) = pairs.next_if(|pair| pair.rows.start <= number) {
            turns::write_heading(out, sides, pair)?;
        }
        let left = row.left.and_then(|call| label(&sides[0].session, call, &mut left, is_by_turn));
        let right = row.right.and_then(|call| label(&sides[1].session, call, &mut right, is_by_turn));
        let mut lines: Vec<String> = left.iter().chain(&right).map(|(_, line)| line.to_string()).collect();
        lines.dedup();
        let name = left.or(right).map(|(name, _)| name).unwrap_or_default();
        writeln!(out, "{} {name}, line {}", sign(row.kind()), lines.join(" → "))?;
        write_changes(out, row)?;
    }
    pairs.try_for_each(|pair| turns::write_heading(out, sides, pair))?;
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

/// Name of a call with its id, or else with its main argument, and its line number.
fn label(session: &Session, number: usize, walk: &mut Walk, is_by_turn: bool) -> Option<(String, usize)> {
    let (item, call) = nth(session, number)?;
    let text = session.text();
    let more = if is_by_turn {
        let argument = call_argument(session, item).unwrap_or_default();
        fit(&visible_str(&shortened(&argument, ARGUMENT_WIDTH)), ARGUMENT_WIDTH).into_owned()
    } else {
        visible_str(&call.id(text)).into_owned()
    };
    let words = format!("{} {more}", visible_str(&call.name(text))).trim_end().to_owned();
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
    let is_by_turn = !comparison.turns.is_empty();
    let rows = comparison.rows.iter().map(|row| {
        let mut record = json!({
            "kind": <&str>::from(row.kind()),
            "left": row.left.and_then(|call| brief(&sides[0].session, call, &mut left, is_by_turn)),
            "right": row.right.and_then(|call| brief(&sides[1].session, call, &mut right, is_by_turn)),
            "changes": row.changes.iter().map(change_record).collect::<Vec<_>>(),
        });
        if is_by_turn {
            let differences = row.differences().into_iter().map(<&str>::from);
            record["differences"] = differences.collect::<Vec<_>>().into();
        }
        record
    });
    let mut object = ObjectWriter::new(out);
    let object = object
        .member("schema_version", &SCHEMA_VERSION)?
        .member("equal", &comparison.is_equal())?
        .member("left", &side(&sides[0], is_by_turn))?
        .member("right", &side(&sides[1], is_by_turn))?
        .list("rows", rows)?;
    let object = if is_by_turn { object.list("turns", turns::records(sides, comparison))? } else { object };
    object
        .list("problems_gone", problem_records(&sides[0].session, &comparison.gone))?
        .list("problems_new", problem_records(&sides[1].session, &comparison.came))?
        .member("same", &comparison.count(RowKind::Same))?
        .member("changed", &comparison.count(RowKind::Changed))?
        .member("only_left", &comparison.count(RowKind::Left))?
        .member("only_right", &comparison.count(RowKind::Right))?
        .end()
}

fn side(side: &ComparedText, is_by_turn: bool) -> Value {
    let problems = wording::problems(&side.session, side.part.as_ref()).count();
    let mut record = json!({ "path": side.name, "calls": side.side().calls().len(), "problems": problems });
    if let Some(part) = &side.part {
        record["filter"] = part.filter().to_string().into();
    } else if is_by_turn {
        record["session"] = json!(session_facts::session(&side.session));
    }
    record
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

fn brief(session: &Session, number: usize, walk: &mut Walk, is_by_turn: bool) -> Option<Value> {
    let (item, call) = nth(session, number)?;
    let text = session.text();
    let mut record = json!({
        "item": item,
        "line": session.position_by(walk, call.span.start).line,
        "dialect": call.dialect,
        "name": call.name(text),
        "id": call.id(text),
        "generated_id": call.id.is_none(),
        "status": call.status,
        "parse_error": facts(session, item).and_then(|facts| facts.refusal),
    });
    if is_by_turn {
        let verdict = call.answer.map(CallOutcome::label).filter(|label| !label.is_empty());
        let more = [
            ("main_argument", call_argument(session, item).map(Value::from)),
            ("outcome", verdict.map(Value::from)),
            ("times", session_facts::times(session, item).map(|times| json!(times))),
        ];
        for (key, value) in more {
            if let Some(value) = value {
                record[key] = value;
            }
        }
    }
    Some(record)
}

fn problem_records<'a>(session: &'a Session, numbers: &'a [usize]) -> impl Iterator<Item = DiagnosticRecord> + 'a {
    let mut walk = Walk::default();
    let problems = numbers.iter().filter_map(|&number| session.document().diagnostics().get(number));
    problems.map(move |problem| record::diagnostic(session, problem, &mut walk))
}
