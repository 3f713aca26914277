//! Counts instructions where `tests/growth` counts steps: how they grow when a text gets four times as long.
//!
//! ```text
//! cargo run --release --example growth -- [--every] [NAME…]
//! ```
//!
//! Runs itself under valgrind, which has to be installed, for each family of `tests/growth/families` whose name
//! contains one of the names, with `n` and with four times `n` repetitions. Prints one line for each: both numbers of
//! instructions, less the ones for an empty text, and their ratio. With `--every`, all operations are run on each family.
//! Exits with 1 if a ratio is above 5. Independent of where the instructions are spent.

#![allow(clippy::print_stdout)]

#[path = "../../tests/growth/family.rs"]
mod family;
#[path = "../../tests/growth/work.rs"]
mod work;

use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use family::Family;
use work::{Input, WORKS};

/// Bytes of the smaller text.
const SIZE: usize = 60_000;

/// Highest ratio of the instructions for four times as many repetitions.
const MOST: f64 = 5.0;

/// The first argument of a run under valgrind; the family, the operation and the number of repetitions follow it.
const ONE: &str = "--one";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, family, work, n] = arguments.as_slice()
        && mode == ONE
    {
        run_one(family, work, n.parse()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let does_all = arguments.iter().any(|argument| argument == "--every");
    let names: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let mut worst = 0.0_f64;
    println!("{:>6} {:>15} {:>15} {:>9}  what", "ratio", "n", "4n", "n is");
    for family in Family::all() {
        if !names.is_empty() && !names.iter().any(|name| family.name.contains(name.as_str())) {
            continue;
        }
        let n = family.count(SIZE);
        for (name, _) in WORKS {
            if name != "read" && !does_all && !family.works.iter().any(|work| work == name) {
                continue;
            }
            let start = instructions(&family.name, name, 0)?;
            let small = instructions(&family.name, name, n)?.saturating_sub(start);
            let large = instructions(&family.name, name, 4 * n)?.saturating_sub(start);
            let ratio = large as f64 / small.max(1) as f64;
            worst = worst.max(ratio);
            println!("{ratio:>6.2} {small:>15} {large:>15} {n:>9}  {name} {}", family.name);
        }
    }
    Ok(if worst > MOST { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs one operation on one text.
fn run_one(family: &str, work: &str, n: usize) -> Result<()> {
    let families = Family::all();
    let family = families.iter().find(|known| known.name == family).context("an unknown family")?;
    let (_, work) = WORKS.into_iter().find(|(name, _)| *name == work).context("unknown work")?;
    work(&Input::new(family, n));
    Ok(())
}

/// Number of instructions in one run.
fn instructions(family: &str, work: &str, n: usize) -> Result<u64> {
    let own = std::env::current_exe().context("this program has a path")?;
    let run = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(own)
        .args([ONE, family, work, &n.to_string()])
        .stdout(Stdio::null())
        .output()
        .context("could not run valgrind; install it")?;
    let said = String::from_utf8_lossy(&run.stderr);
    ensure!(run.status.success(), "{work} {family} with {n}: {said}");
    let counted = said.lines().find_map(|line| line.split_once("refs:")).context("valgrind counts instructions")?;
    counted.1.trim().replace(',', "").parse().context("valgrind prints a number")
}
