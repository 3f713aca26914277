//! Many short texts in one process: `check --each`, as a reward function or a check of a data set runs it.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result};

use crate::inputs::{PROGRAM, Setting};
use crate::process::{command, processor};
use crate::table::{Table, Unit, goal};

/// Number of texts, each of some 120 bytes.
const TEXTS: usize = 200_000;

/// Milliseconds of a processor for one text: 20,000 texts a second on one.
const A_TEXT: f64 = 0.05;

/// The texts as lines of JSON strings, in turn a good call, a broken call and prose.
fn lines(texts: usize) -> String {
    let mut lines = String::new();
    for number in 0..texts {
        let text = match number % 3 {
            0 => format!(
                "Step {number}.\n<tool_call>\n{{\"name\": \"get_weather\", \"arguments\": {{\"city\": \"Oslo\", \"day\": {number}}}}}\n</tool_call>"
            ),
            1 => format!(
                "I look.\n!!!GADGET_START:Read:call_{number}\n!!!ARG:path\nsrc/{number}.rs\n!!!ARG:path\nsrc/lib.rs\n!!!GADGET_END\n"
            ),
            _ => format!(
                "Number {number} is prose: no call is needed, since the answer is already in the question that was put to me before."
            ),
        };
        writeln!(lines, "{}", serde_json::Value::String(text)).expect("memory takes every write");
    }
    lines
}

/// The time of a processor for each text, the start of the process included.
pub fn each(setting: &Setting, table: &mut Table) -> Result<()> {
    let texts = (setting.length(TEXTS * 100) / 100).max(100);
    let path = setting.home.path().join("texts.jsonl");
    fs::write(&path, lines(texts)).context("could not write the texts")?;
    let run = || {
        let mut shell = command("sh", setting.home.path());
        shell.args(["-c", r#"exec "$0" check --each < "$1""#, PROGRAM]).arg(&path);
        processor(shell)
    };
    let measured = (0..setting.runs(3)).map(|_| run()).collect::<Result<Vec<f64>>>();
    let best = measured.map(|times| times.into_iter().fold(f64::INFINITY, f64::min) / texts as f64);
    if let Ok(time) = best {
        let rate = format!("{:.0}/s", 1000.0 / time);
        table.remark("check --each: short texts a second on one processor", "", &rate);
    }
    table.line("check --each: time of a processor for a text", "", Unit::Milliseconds, best, goal(A_TEXT, A_TEXT));
    Ok(())
}
