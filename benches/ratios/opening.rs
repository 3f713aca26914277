//! The first screen of a small file and of a large one, and the cost of a frame. Independent of further reading.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::drawn::{Plain, Screen};
use crate::generate::{END, FIRST};
use crate::inputs::{LARGE, MEDIUM, PROGRAM, Setting};
use crate::process::{installed, median, milliseconds, paired};
use crate::screen::{Answers, View};
use crate::table::{Goal, Table, goal, time};

/// Milliseconds from the start of a program to its first screen.
fn opens(setting: &Setting, program: &str, path: &Path) -> Result<f64> {
    View::of(setting, program, &[path.as_ref()], Answers::Nothing).first(FIRST)
}

fn ours(setting: &Setting, path: &Path) -> Result<f64> {
    View::ours(setting, &[path.as_ref()]).first(FIRST)
}

/// The same where the terminal is queried for its background.
fn asking(setting: &Setting, path: &Path, answers: Answers) -> Result<f64> {
    let theme: [&OsStr; 1] = [path.as_ref()];
    View::of(setting, PROGRAM, &theme, answers).first(FIRST)
}

/// Our first screen compared with another program's.
fn beside(setting: &Setting, table: &mut Table, what: &str, peer: &str, path: &Path, goal: Goal) {
    let theirs = installed(peer).then_some(|| opens(setting, peer, path));
    table.ratio(what, peer, paired(setting.runs(9), || ours(setting, path), theirs), goal);
}

/// A small file.
pub fn start(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.home.path().join("small.txt");
    let text = String::from_utf8(setting.text("transcript", 2000)).context("a transcript is UTF-8")?;
    let lines = text.split_inclusive('\n').take(40);
    fs::write(&path, lines.collect::<String>())?;
    beside(setting, table, "first screen of 2 KB", "less", &path, goal(2.0, 1.2));
    let bat = if installed("bat") { "bat" } else { "batcat" };
    beside(setting, table, "first screen of 2 KB", bat, &path, goal(1.0, 1.0));
    let themes = [(Answers::AtOnce, "that answers at once"), (Answers::Nothing, "that does not answer")];
    for (answers, words) in themes {
        let what = format!("first screen of 2 KB, asking a terminal {words}");
        let theirs = installed("less").then_some(|| opens(setting, "less", &path));
        table.ratio(&what, "less", paired(setting.runs(9), || asking(setting, &path, answers), theirs), goal(2.0, 1.2));
    }
    Ok(())
}

/// A large file.
pub fn first(setting: &Setting, table: &mut Table) -> Result<()> {
    let (large, small) = (setting.file("transcript", LARGE)?, setting.file("transcript", LARGE / 1000)?);
    beside(setting, table, "first screen of 1 GB", "less", &large, goal(2.5, 1.3));
    let times = paired(setting.runs(9), || ours(setting, &large), Some(|| ours(setting, &small)));
    // The time should not depend on the size; what remains is noise.
    table.ratio("first screen of 1 GB", "that of 1 MB", times, goal(1.5, 1.2));
    if installed("lnav") {
        // It may begin at either end.
        let mut view = View::of(setting, "lnav", &[large.as_ref()], Answers::Nothing);
        let shown = view
            .waits(view.begun, FIRST, |terminal| [FIRST, END].iter().any(|&token| terminal.screen().contains(token)));
        table.remark("first screen of 1 GB", "lnav", &shown.map_or_else(|error| format!("{error:#}"), time));
    }
    Ok(())
}

/// Draws the frame with a number.
type Draw = fn(&mut Screen, u32);

/// Frames drawn into memory, compared with a plain paragraph of the same number of cells.
pub fn frame(setting: &Setting, table: &mut Table) -> Result<()> {
    for (length, size) in [(MEDIUM / 100, "1 MB"), (MEDIUM, "100 MB")] {
        let mut screen = Screen::of(&setting.text("transcript", length));
        let mut plain = Plain::new();
        let frames: [(&str, Draw); 4] = [
            ("in which nothing has changed", |screen, _| screen.draw()),
            ("a line further", Screen::step),
            ("laid out anew", |screen, _| screen.anew()),
            ("at the other end", Screen::jump),
        ];
        for (words, draw) in frames {
            let times = paired(setting.runs(3), || typical(setting, |number| draw(&mut screen, number)), {
                Some(|| typical(setting, |_| plain.draw()))
            });
            table.ratio(&format!("a frame of {size}, {words}"), "a plain Paragraph", times, goal(5.0, 2.0));
        }
    }
    Ok(())
}

/// Median milliseconds of many frames.
fn typical(setting: &Setting, mut draw: impl FnMut(u32)) -> Result<f64> {
    let frames = u32::try_from(setting.runs(128))?;
    let timed = |number| {
        let begun = Instant::now();
        draw(number);
        milliseconds(begun.elapsed())
    };
    Ok(median((0..frames).map(timed).collect()))
}
