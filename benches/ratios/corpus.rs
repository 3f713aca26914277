//! Tables of a folder of sessions, compared with `check` of that folder, on one thread and on two, and again when
//! nothing has changed. Independent of what is in the tables.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::inputs::{PROGRAM, Setting};
use crate::process::{self, command, installed, paired};
use crate::reading::checks;
use crate::table::{Table, Unit, goal};

/// Sessions in the folder, and their average size in bytes.
const SESSIONS: usize = 2000;
const LENGTH: usize = 200_000;

/// `index` of a folder into a new index, or into an existing one.
fn indexes(setting: &Setting, folder: &Path, threads: &str, out: &Path) -> Command {
    let mut command = command(PROGRAM, setting.home.path());
    command.arg("index").arg(folder).arg("-o").arg(out).args(["-j", threads]);
    command
}

/// The same on one processor: writing the tables has a separate thread.
fn on_one(whole: &Command) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(whole.get_program()).args(whole.get_args());
    whole.get_envs().for_each(|(name, value)| _ = value.map(|value| command.env(name, value)));
    command.current_dir(whole.get_current_dir().unwrap_or(Path::new(".")));
    command
}

/// Half of the sessions are plain text, half are records.
pub fn corpus(setting: &Setting, table: &mut Table) -> Result<()> {
    let folder = setting.sessions(SESSIONS, LENGTH)?;
    let out = setting.home.path().join("index");
    let anew = |threads: &str| {
        _ = fs::remove_dir_all(&out);
        indexes(setting, &folder, threads, &out)
    };
    // Both use a second processor, each in its own way.
    let ours = || process::processor(anew("1"));
    let times = paired(setting.runs(3), ours, Some(|| process::processor(checks(setting, &folder))));
    table.ratio("index of 2,000 sessions, time of processors", "check of them", times, goal(1.67, 1.2));
    let what = "index of 2,000 sessions, two threads";
    if installed("taskset") {
        let times = paired(setting.runs(3), || process::time(anew("2")), Some(|| process::time(on_one(&anew("1")))));
        table.ratio(what, "one, on one processor", times, goal(1.0 / 1.7, 0.53));
    } else {
        table.remark(what, "taskset is not installed", "");
    }
    let again = || process::time(indexes(setting, &folder, "2", &out));
    let times = paired(setting.runs(3), again, Some(|| process::time(anew("2"))));
    table.ratio("index of them again, nothing changed", "the first time", times, goal(0.1, 0.03));
    let statistics = || {
        let mut command = command(PROGRAM, setting.home.path());
        command.arg("stats").arg(&out);
        process::time(command)
    };
    process::time(indexes(setting, &folder, "2", &out))?;
    table.line("stats of their index", "a constant", Unit::Milliseconds, statistics(), goal(300.0, 50.0));
    let peak = process::peak(anew("2")).map(|bytes| bytes as f64 / 1e6);
    table.line("memory of index, 2,000 sessions", "a constant", Unit::Megabytes, peak, goal(200.0, 100.0));
    Ok(())
}
