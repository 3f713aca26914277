//! Interactive use: typing in a playground, and stepping through a text as if it were arriving.
//!
//! A frame is complete when the line at the bottom is, which is written last. Independent of how a text is read.

use std::ffi::OsStr;
use std::time::Duration;

use anyhow::Result;

use crate::generate::{END, FIRST};
use crate::inputs::{MEDIUM, PROGRAM, Setting};
use crate::process::{median, quantile};
use crate::screen::{Answers, View};
use crate::table::{Table, Unit, goal, time};

/// Bytes of the playground and of the replay.
const WRITTEN: usize = MEDIUM / 500;
const PLAYED: usize = MEDIUM / 10;

/// Keys that are enough for a good quantile.
const ENOUGH: usize = 200;

/// Letters typed into a line.
const LINE: usize = 30;

/// The line at the bottom of the screen.
fn status(view: &View) -> String {
    view.terminal.screen().lines().last().unwrap_or_default().to_owned()
}

/// Types keys. Returns the milliseconds until each has changed the line at the bottom.
fn each(view: &mut View, keys: impl Iterator<Item = &'static str>) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for key in keys {
        let before = status(view);
        let begun = view.types(key);
        times.push(view.waits(begun, "another line at the bottom", |terminal| {
            terminal.screen().lines().last().is_some_and(|line| line != before)
        })?);
        // The rate of fast typing, so that no queue is measured.
        view.rests(Duration::from_millis(7));
    }
    Ok(times)
}

/// Prints the median and the 99th percentile.
fn print(table: &mut Table, what: &str, times: Result<Vec<f64>>) {
    let (count, middle) = match &times {
        Ok(times) => (format!("{} keys", times.len()), time(median(times.clone()))),
        Err(_) => Default::default(),
    };
    table.remark(&format!("{what}, median"), &count, &middle);
    let slow = times.map(|times| quantile(times, 0.99));
    table.line(&format!("{what}, p99"), &count, Unit::Milliseconds, slow, goal(33.0, 16.0));
}

/// Letters and line feeds, at the beginning of a playground and at its end.
pub fn typing(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.copy("transcript", WRITTEN, "written.txt")?;
    let mut view = View::ours(setting, &["--edit".as_ref(), path.as_ref()]);
    view.first(FIRST)?;
    let keys = |count: usize| (0..count).map(|number| if number % LINE == LINE - 1 { "\r" } else { "x" });
    let places = [("\x1b<", "at the beginning"), ("\x1b>", "at the end")];
    for (key, place) in places {
        view.types(key);
        view.settles()?;
        let times = each(&mut view, keys(setting.runs(ENOUGH)));
        print(table, &format!("typing {place} of a playground of 200 KB"), times);
    }
    Ok(())
}

/// Steps back from the end, and forward again.
pub fn steps(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.file("transcript", PLAYED)?;
    // So fast that the replay is at its end immediately.
    let options = ["replay", "--theme", "dark", "--speed", "4000000000"].map(OsStr::new);
    let arguments: Vec<&OsStr> = options.into_iter().chain([path.as_ref()]).collect();
    let mut view = View::of(setting, PROGRAM, &arguments, Answers::Nothing);
    view.first(END)?;
    view.settles()?;
    for (key, words) in [(",", "back from the end of"), (".", "on in")] {
        let times = each(&mut view, std::iter::repeat_n(key, setting.runs(ENOUGH)));
        print(table, &format!("a step {words} 10 MB"), times);
    }
    Ok(())
}
