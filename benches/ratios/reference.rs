//! The reference parser on Node, compared with the library, both fed in small chunks. `RATIOS_REFERENCE` is the folder
//! with the reference parser.

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use crate::inputs::{MEDIUM, Setting};
use crate::process::{command, installed, paired};
use crate::reading::takes_in;
use crate::table::{Goal, Table, goal};

const SCRIPT: &str = include_str!("reference.mjs");

/// Bytes of a chunk.
const PIECE: usize = 4096;

/// The inputs: shape, size, heading, number of runs, goal, and the speed of the reference when it was measured
/// elsewhere, in millions of characters a second.
const INPUTS: [(&str, usize, &str, usize, Goal, &str); 3] = [
    ("transcript", MEDIUM, "a transcript of 100 MB", 3, goal(1.0 / 3.0, 1.0 / 6.0), "232"),
    ("nomarks", MEDIUM / 10, "prose of 10 MB", 1, goal(0.001, 0.001), "0.31"),
    ("neverends", MEDIUM / 10, "an open block of 10 MB", 1, goal(0.001, 0.001), "0.18"),
];

/// The same texts in the same chunks.
pub fn reference(setting: &Setting, table: &mut Table) -> Result<()> {
    let folder = std::env::var_os("RATIOS_REFERENCE").map(PathBuf::from).filter(|_| installed("node"));
    for (shape, length, words, runs, goal, published) in INPUTS {
        let what = format!("{words} in pieces of 4 KB");
        let text = setting.text(shape, length).into();
        let (ours, _) = paired(setting.runs(5), || takes_in(&text, PIECE), None::<fn() -> Result<f64>>)?;
        let Some(folder) = &folder else {
            let against = format!("peer not available; Mchar/s: {published}");
            table.remark(&what, &against, &crate::table::time(ours));
            continue;
        };
        let path = setting.file(shape, length)?;
        let mut node = command("node", setting.home.path());
        node.args(["--input-type=module", "-e", SCRIPT, "--"]).arg(&path).arg(PIECE.to_string());
        node.arg(setting.runs(runs).to_string()).current_dir(folder);
        let theirs = node.output().context("could not start node").and_then(|output| {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            ensure!(output.status.success(), "the reference failed: {}", errors.lines().last().unwrap_or_default());
            Ok(String::from_utf8_lossy(&output.stdout).trim().parse::<f64>()?)
        });
        table.ratio(&what, "the reference parser on Node", theirs.map(|theirs| (ours, Some(theirs))), goal);
    }
    Ok(())
}
