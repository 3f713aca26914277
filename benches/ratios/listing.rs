//! A list of many sessions: how soon its first rows and all of them are complete; and a session with the size of a
//! large transcript.
//!
//! The rows of the list have titles once the program has read the files, all of which were written after their last
//! message.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::generate::FIRST;
use crate::inputs::{LARGE, Setting};
use crate::loading::{HELP, presses};
use crate::process::{self, median, quantile, repeated};
use crate::reading::checks;
use crate::screen::View;
use crate::table::{Table, Unit, goal, time};

/// Sessions in the list, and their average size in bytes.
const SESSIONS: usize = 10_000;
const LENGTH: usize = 20_000;

/// The first rows of 10,000 sessions, and all of them read.
pub fn list(setting: &Setting, table: &mut Table) -> Result<()> {
    let folder = setting.agent_sessions(SESSIONS, LENGTH)?;
    let runs = setting.runs(5);
    let open = || {
        let mut view = View::ours(setting, &[folder.as_ref()]);
        let first = view.first(FIRST)?;
        let is_complete = |screen: &str| !screen.contains("scanned ") && !screen.contains("looking …");
        let complete = view.waits(view.begun, "a complete list", |terminal| is_complete(&terminal.screen()))?;
        Ok((first, complete, process::own(view.pid())?, process::read(view.pid())?))
    };
    let measured = repeated(runs, open);
    let line = |of: fn(&(f64, f64, u64, u64)) -> f64| match &measured {
        Ok(measured) => Ok(median(measured.iter().map(of).collect())),
        Err(error) => Err(anyhow::anyhow!("{error:#}")),
    };
    let what = "list of 10,000 sessions";
    table.line(&format!("{what}: first rows"), "", Unit::Milliseconds, line(|run| run.0), goal(100.0, 60.0));
    table.line(&format!("{what}: complete"), "", Unit::Milliseconds, line(|run| run.1), goal(6000.0, 3000.0));
    table.line(
        &format!("{what}: memory"),
        "a constant",
        Unit::Megabytes,
        line(|run| run.2 as f64 / 1e6),
        goal(80.0, 40.0),
    );
    // A file is read once, and its first 4 KiB a second time, to detect its kind.
    let lengths = length_of(&folder)? as f64;
    let read = line(|run| run.3 as f64).map(|read| read / lengths);
    table.line(&format!("{what}: bytes that are read"), "their lengths", Unit::Times, read, goal(1.4, 1.25));
    Ok(())
}

/// Total size of the files below a folder.
fn length_of(folder: &Path) -> Result<u64> {
    let mut length = 0;
    for entry in fs::read_dir(folder)?.flatten() {
        let metadata = entry.metadata()?;
        length += if metadata.is_dir() { length_of(&entry.path())? } else { metadata.len() };
    }
    Ok(length)
}

/// A session of 1 GB, recorded by a client.
pub fn session(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.file("session", LARGE)?;
    let opened = || View::ours(setting, &[path.as_ref()]).first(FIRST);
    let times = repeated(setting.runs(5), opened).map(median);
    table.line("first screen of a session of 1 GB", "", Unit::Milliseconds, times, goal(100.0, 60.0));
    let times = presses(setting, &path, &HELP);
    let count = times.as_ref().map_or(0, Vec::len);
    let p99 = times.map(|times| quantile(times, 0.99));
    let what = "key press to frame while such a session is read, p99";
    table.line(what, &format!("{count} keys"), Unit::Milliseconds, p99, goal(33.0, 16.0));
    let checked = process::time(checks(setting, &path))?;
    table.remark("check of a session of 1 GB", "", &time(checked));
    Ok(())
}
