//! The table of results, printed line by line as they come in. Independent of what is measured and how.

use std::io::Write as _;

use anyhow::Result;

/// The unit of a number.
#[derive(Clone, Copy)]
pub enum Unit {
    Times,
    Milliseconds,
    Megabytes,
    Percent,
}

/// The limit for a number, and its goal.
#[derive(Clone, Copy)]
pub struct Goal {
    pub at_most: f64,
    pub aim: f64,
}

/// A limit and a goal.
pub const fn goal(at_most: f64, aim: f64) -> Goal {
    Goal { at_most, aim }
}

/// The table, and whether anything could not be measured.
pub struct Table {
    trial: bool,
    failed: bool,
}

impl Table {
    /// An empty table; in a trial run, numbers are not compared with their limits.
    pub fn new(trial: bool) -> Self {
        Self { trial, failed: false }
    }

    /// Prints the names of the columns.
    pub fn head(&self) {
        self.cells(["what", "against", "measured", "at most", "aim", "verdict"]);
        self.cells([const { "---" }; 6]);
    }

    /// Prints a result, or why it could not be measured.
    pub fn line(&mut self, what: &str, against: &str, unit: Unit, measured: Result<f64>, goal: Goal) {
        let (limit, aim) = (unit.words(goal.at_most), unit.words(goal.aim));
        match measured {
            Ok(number) => {
                let verdict = match number {
                    _ if self.trial => "only tried",
                    _ if number <= goal.aim => "met",
                    _ if number <= goal.at_most => "within the limit",
                    _ => "MISSED",
                };
                self.cells([what, against, &unit.words(number), &limit, &aim, verdict]);
            }
            Err(error) => {
                self.failed = true;
                self.cells([what, against, &format!("{error:#}"), &limit, &aim, "MISSED: not measured"]);
            }
        }
    }

    /// Prints our milliseconds divided by the peer's; without a peer, only ours.
    pub fn ratio(&mut self, what: &str, peer: &str, measured: Result<(f64, Option<f64>)>, goal: Goal) {
        match measured {
            Ok((ours, Some(theirs))) => {
                let (what, against) = (format!("{what}: {}", time(ours)), format!("{peer}: {}", time(theirs)));
                self.line(&what, &against, Unit::Times, Ok(ours / theirs), goal);
            }
            Ok((ours, None)) => self.remark(what, &format!("{peer} is not installed"), &time(ours)),
            Err(error) => self.line(what, peer, Unit::Times, Err(error), goal),
        }
    }

    /// Prints a result that has no goal.
    pub fn remark(&self, what: &str, against: &str, measured: &str) {
        self.cells([what, against, measured, "", "", "no goal"]);
    }

    /// Prints that a whole row could not be measured.
    pub fn failed(&mut self, row: &str, error: &anyhow::Error) {
        self.failed = true;
        self.cells([row, "", &format!("{error:#}"), "", "", "MISSED: not measured"]);
    }

    /// True if anything could not be measured.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Prints a line outside the columns.
    #[expect(clippy::unused_self, reason = "what is printed goes through the table")]
    pub fn say(&self, words: &str) {
        // If standard output is closed, there is nothing left to do.
        drop(writeln!(std::io::stdout().lock(), "{words}"));
    }

    fn cells(&self, cells: [&str; 6]) {
        let [what, against, measured, at_most, aim, verdict] = cells;
        self.say(&format!("| {what:<62} | {against:<34} | {measured:>9} | {at_most:>8} | {aim:>8} | {verdict} |"));
    }
}

impl Unit {
    fn words(self, number: f64) -> String {
        match self {
            Self::Times if number < 0.45 => format!("1/{:.*} x", usize::from(number > 0.1), 1.0 / number),
            Self::Times => format!("{number:.2} x"),
            Self::Milliseconds => time(number),
            Self::Megabytes => format!("{number:.1} MB"),
            Self::Percent => format!("{number:.2} %"),
        }
    }
}

/// A duration for the table.
pub fn time(milliseconds: f64) -> String {
    match milliseconds {
        _ if milliseconds >= 10_000.0 => format!("{:.1} s", milliseconds / 1000.0),
        _ if milliseconds >= 100.0 => format!("{milliseconds:.0} ms"),
        _ if milliseconds >= 1.0 => format!("{milliseconds:.1} ms"),
        _ => format!("{milliseconds:.3} ms"),
    }
}
