//! One message as all parsers of its dialect read it, in a process that reads nothing else: `lens`.

use std::fs;

use anyhow::{Context as _, Result};

use crate::inputs::{PROGRAM, Setting};
use crate::process::{command, processor};
use crate::table::{Table, Unit, goal};

/// Milliseconds of a processor for a message, the start of the process and its profiles included.
const A_MESSAGE: f64 = 30.0;

/// Processes that are measured together, since processor time has a resolution of 10 ms.
const TOGETHER: usize = 20;

/// Messages with prose and calls. Of the second kind, no marker tells the dialect, so that all profiles are tried.
const MESSAGES: [(&str, &str); 3] = [
    (
        "hermes",
        "I look at the forecast for both cities.\n\
         <tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\", \"days\": 3, \"metric\": true}}\n</tool_call>\n\
         <tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\", \"days\": 3, \"metric\": true}}\n</tool_call>",
    ),
    ("bare JSON", "I look.\n{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Paris\", \"days\": 3}}"),
    (
        "qwen3-coder",
        "I look.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n\
         </parameter>\n</function>\n</tool_call>",
    ),
];

/// The time of a processor for each message.
pub fn lens(setting: &Setting, table: &mut Table) -> Result<()> {
    for (kind, text) in MESSAGES {
        let path = setting.home.path().join("message.txt");
        fs::write(&path, text).context("could not write the message")?;
        let processes = setting.runs(TOGETHER);
        let run = || {
            let mut shell = command("sh", setting.home.path());
            let script = r#"for i in $(seq "$2"); do "$0" lens "$1" > lens.txt || exit; done"#;
            shell.args(["-c", script, PROGRAM]).arg(&path).arg(processes.to_string());
            processor(shell).map(|time| time / processes as f64)
        };
        let measured = (0..setting.runs(3)).map(|_| run()).collect::<Result<Vec<f64>>>();
        let best = measured.map(|times| times.into_iter().fold(f64::INFINITY, f64::min));
        let what = format!("lens: time of a processor for a message, {kind}");
        table.line(&what, "", Unit::Milliseconds, best, goal(A_MESSAGE, A_MESSAGE));
    }
    Ok(())
}
