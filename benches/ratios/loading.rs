//! The response to keys while a large file is still being read, and a search through all of it.
//!
//! A file counts as being read until the process has read as many bytes as it has. Independent of how it is read.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::generate::{BEHIND_NEEDLE, END, FIRST, NEEDLE};
use crate::inputs::{LARGE, Setting};
use crate::process::{self, command, installed, median, paired, quantile, repeated};
use crate::screen::{SIZE, View};
use crate::table::{Table, Unit, goal};

/// Measurements that are enough, and most starts of the program to get them.
const ENOUGH: usize = 200;
const STARTS: usize = 6;

/// Shift and Tab.
const BACK_TAB: &str = "\x1b[Z";

/// Keys, a text, and whether the key shows or hides it. The first key finds the focus in the reading pane, and the last
/// one leaves it there.
const KEYS: [(&str, &str, bool); 6] = [
    ("\t", "┏ Raw", true),
    (BACK_TAB, "┏ Reading", true),
    (BACK_TAB, "┏ Outline", true),
    ("\t", "┏ Reading", true),
    HELP[0],
    HELP[1],
];

/// Keys that open and close the help.
pub const HELP: [(&str, &str, bool); 2] = [("?", "half a page down", true), ("\x1b", "half a page down", false)];

/// Goes to the current end of the file, as soon as anything is shown.
pub fn end(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.file("transcript", LARGE)?;
    let jump = || {
        let mut view = View::ours(setting, &[path.as_ref()]);
        view.first(FIRST)?;
        let begun = view.types("G");
        view.shows(begun, END)
    };
    let times = repeated(setting.runs(5), jump);
    table.line("G on 1 GB, before it is read", "", Unit::Milliseconds, times.map(median), goal(30.0, 5.0));
    Ok(())
}

/// Repeats an action while a file is read. Returns the milliseconds that each took.
fn while_loading(
    setting: &Setting,
    path: &Path,
    mut act: impl FnMut(&mut View, usize) -> Result<f64>,
) -> Result<Vec<f64>> {
    let size = fs::metadata(path)?.len();
    let enough = setting.runs(ENOUGH).max(KEYS.len());
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let mut view = View::ours(setting, &[path.as_ref()]);
        view.first(FIRST)?;
        let mut number = 0;
        while times.len() < enough && (process::read(view.pid())? < size || setting.trying) {
            times.push(act(&mut view, number)?);
            number += 1;
            // The rate of fast typing, so that no queue is measured.
            view.rests(Duration::from_millis(7));
        }
    }
    ensure!(!times.is_empty(), "the file is read before anything can be done");
    Ok(times)
}

/// Enlarges the window by a column and a row. Returns the milliseconds until both are filled.
fn grow(view: &mut View, number: usize) -> Result<f64> {
    let more = u16::try_from(number % 50 + 1)?;
    if more == 1 {
        view.terminal.resizes(SIZE.0, SIZE.1);
    }
    let (columns, rows) = (SIZE.0 + more, SIZE.1 + more);
    let begun = Instant::now();
    view.terminal.resizes(columns, rows);
    view.waits(begun, "a frame of the new size", |terminal| {
        let filled = |row, column| terminal.model().cell(row, column).is_some_and(vt100::Cell::has_contents);
        (0..rows).any(|row| filled(row, columns - 1)) && (0..columns).any(|column| filled(rows - 1, column))
    })
}

/// A window that is enlarged, when all is read and before.
pub fn resize(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.file("transcript", LARGE)?;
    let times = while_loading(setting, &path, grow).map(|times| quantile(times, 0.99));
    table.line("resize while 1 GB is read, p99", "", Unit::Milliseconds, times, goal(33.0, 16.0));
    let mut view = View::ours(setting, &[path.as_ref()]);
    view.first(FIRST)?;
    view.settles()?;
    let mut number = 0;
    let times = repeated(setting.runs(50), || {
        number += 1;
        grow(&mut view, number)
    });
    table.line("resize when 1 GB is read, median", "", Unit::Milliseconds, times.map(median), goal(30.0, 5.0));
    Ok(())
}

/// Presses the keys in turn, many times. Returns the milliseconds from each press to its effect on the screen.
pub fn presses(setting: &Setting, path: &Path, keys: &[(&str, &str, bool)]) -> Result<Vec<f64>> {
    let press = |view: &mut View, number: usize| {
        let (key, words, shown) = keys[number % keys.len()];
        let begun = view.types(key);
        view.waits(begun, words, |terminal| terminal.screen().contains(words) == shown)
    };
    while_loading(setting, path, press)
}

/// Keys with an unmistakable effect on the screen.
pub fn keys(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.file("transcript", LARGE)?;
    let times = presses(setting, &path, &KEYS);
    let count = times.as_ref().map_or(0, Vec::len);
    let against = format!("{count} keys");
    let middle = times.as_ref().map_or_else(|_| String::new(), |times| crate::table::time(median(times.clone())));
    table.remark("key press to frame while 1 GB is read, median", &against, &middle);
    let p99 = times.map(|times| quantile(times, 0.99));
    table.line("key press to frame while 1 GB is read, p99", &against, Unit::Milliseconds, p99, goal(33.0, 16.0));
    Ok(())
}

/// A word at the end of what has been read.
pub fn search(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.file("transcript", LARGE)?;
    let mut view = View::ours(setting, &[path.as_ref()]);
    view.first(FIRST)?;
    view.settles()?;
    let mut is_open = false;
    let ours = || {
        // Closes the previous search. Without one, Esc and a key that follows too soon would be read as Alt and that
        // key.
        if std::mem::replace(&mut is_open, true) {
            view.types("\x1b");
            view.rests(Duration::from_millis(50));
        }
        let begun = view.types("g");
        view.shows(begun, FIRST)?;
        view.settles()?;
        let begun = view.types(&format!("/{NEEDLE}\r"));
        view.shows(begun, BEHIND_NEEDLE)
    };
    let theirs = installed("rg").then_some(|| {
        let mut count = command("rg", setting.home.path());
        count.args(["--no-mmap", "-c", NEEDLE]).arg(&path);
        process::time(count)
    });
    table.ratio("search to the end of 1 GB", "rg --no-mmap -c", paired(setting.runs(5), ours, theirs), goal(3.0, 1.5));
    Ok(())
}
