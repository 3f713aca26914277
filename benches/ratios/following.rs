//! A file that grows, or does not, while it is followed. Independent of how a program notices.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::generate::END;
use crate::inputs::{MEDIUM, Setting};
use crate::process::{self, installed, median};
use crate::screen::{Answers, View};
use crate::table::{Table, Unit, goal, time};

/// Bytes of the file before it grows.
const BEFORE: usize = MEDIUM / 10;

/// A program that follows a file: how it is started, and its keys.
struct Follower {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Keys that take it to the end.
    keys: &'static str,
}

const TAIL: Follower = Follower { name: "tail", arguments: &["-f"], keys: "" };
const LESS: Follower = Follower { name: "less", arguments: &["+F"], keys: "" };
const LNAV: Follower = Follower { name: "lnav", arguments: &[], keys: "G" };

impl Follower {
    /// The program at the end of the file, idle.
    fn at_end(&self, setting: &Setting, path: &Path) -> Result<View> {
        let arguments: Vec<&OsStr> = self.arguments.iter().map(OsStr::new).chain([path.as_ref()]).collect();
        let mut view = View::of(setting, self.name, &arguments, Answers::Nothing);
        if !self.keys.is_empty() {
            view.rests(Duration::from_secs(1));
            view.types(self.keys);
        }
        view.first(END)?;
        // Some programs are never quite idle.
        view.rests(Duration::from_millis(500));
        Ok(view)
    }
}

fn ours_at_end(setting: &Setting, path: &Path) -> Result<View> {
    let mut view = View::ours(setting, &["-f".as_ref(), path.as_ref()]);
    view.first(END)?;
    view.settles()?;
    Ok(view)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = OpenOptions::new().append(true).open(path).context("could not open the copy")?;
    file.write_all(bytes).context("could not append")
}

/// A word that has not been on the screen yet, with letters that the previous one does not have.
fn token(number: usize) -> String {
    let first = if number.is_multiple_of(2) { b'A' } else { b'N' };
    let letters = format!("{number:08}").into_bytes().into_iter().map(|digit| char::from(first + digit - b'0'));
    letters.collect()
}

/// A line that is appended, alternating with `tail -f`.
pub fn append(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.copy("transcript", BEFORE, "appended.txt")?;
    let mut views = vec![("transcope -f", ours_at_end(setting, &path)?)];
    for follower in [TAIL, LESS, LNAV] {
        if installed(follower.name) {
            views.push((follower.name, follower.at_end(setting, &path)?));
        } else {
            table.remark("an appended line", &format!("{} is not installed", follower.name), "");
        }
    }
    let mut times = vec![Vec::new(); views.len()];
    for number in 0..setting.runs(25) {
        for (index, (_, view)) in views.iter_mut().enumerate() {
            let token = token(number * 4 + index);
            // Avoids lockstep with a program that polls the file.
            view.rests(Duration::from_millis(100 + (number as u64 * 37) % 60));
            let begun = Instant::now();
            write(&path, format!("{token}\n").as_bytes())?;
            times[index].push(view.shows(begun, &token)?);
        }
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    let mut peers = Vec::new();
    for ((name, _), &median) in views.iter().zip(&medians).skip(1) {
        peers.push(format!("{name} {}", time(median)));
    }
    let tail = views.iter().position(|(name, _)| *name == "tail").map(|index| medians[index]);
    let aim = tail.map_or(10.0, |tail| 3.0 * tail);
    table.line("an appended line", &peers.join(", "), Unit::Milliseconds, Ok(medians[0]), goal(10.0, aim));
    Ok(())
}

/// 50 MB that are appended in one go, timed from the write.
pub fn burst(setting: &Setting, table: &mut Table) -> Result<()> {
    let mut burst = setting.text("transcript", MEDIUM / 2);
    burst.extend_from_slice(format!("{}\n", token(1)).as_bytes());
    let measured = |open: &dyn Fn(&Path) -> Result<View>, runs: usize| {
        let one = || {
            let path = setting.copy("transcript", BEFORE, "burst.txt")?;
            let mut view = open(&path)?;
            write(&path, &burst)?;
            view.shows(Instant::now(), &token(1))
        };
        let times: Result<Vec<f64>> = (0..runs).map(|_| one()).collect();
        times.map(median)
    };
    let mut peers = Vec::new();
    for follower in [LESS, LNAV] {
        let words = if installed(follower.name) {
            measured(&|path| follower.at_end(setting, path), 1).map_or_else(|error| format!("{error:#}"), time)
        } else {
            "is not installed".into()
        };
        peers.push(format!("{} {words}", follower.name));
    }
    let ours = measured(&|path| ours_at_end(setting, path), setting.runs(5));
    table.line("a burst of 50 MB", &peers.join(", "), Unit::Milliseconds, ours, goal(200.0, 50.0));
    Ok(())
}

/// A file that does not grow.
pub fn idle(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.copy("transcript", BEFORE, "idle.txt")?;
    let mut view = ours_at_end(setting, &path)?;
    let time = setting.while_watching(Duration::from_secs(10));
    let before = process::busy(view.pid())?;
    view.rests(time);
    let busy = process::busy(view.pid())?.saturating_sub(before);
    let share = busy.as_secs_f64() / time.as_secs_f64() * 100.0;
    table.line("processor while an idle file is followed", "", Unit::Percent, Ok(share), goal(1.0, 0.2));
    Ok(())
}
