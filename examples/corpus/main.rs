//! Writes a folder of realistic sessions, made from the samples: many agents and syntaxes, dated folders, compressed
//! files, sub-agents in separate files, rotated logs, and some that are damaged.
//!
//! ```sh
//! cargo run --release --example corpus -- OUT --sessions 10000 --bytes 2G --seed 1
//! ```
//!
//! The same arguments give the same bytes. The size is the one before compression, and within a few percent of the
//! requested one.

#![allow(clippy::print_stdout)]

mod families;
mod files;
#[expect(dead_code, reason = "its transcripts are for benches")]
#[path = "../../benches/generate.rs"]
mod generate;
mod sample;
mod session;
mod times;
mod variation;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Parser;

use families::{FAMILIES, Family};
use files::{Damage, Files};
use generate::Chance;
use sample::Sample;
use session::Plan;
use variation::{Variation, hash};

/// The first day on which sessions begin, in milliseconds since 1970: 2026-09-14.
const FIRST_DAY: i64 = 1_789_344_000_000;

/// Days on which sessions begin.
const DAYS: u64 = 60;

/// Milliseconds of a day.
const DAY: i64 = 24 * 3600 * 1000;

/// Spread of the sizes of sessions: the standard deviation of their logarithms.
const SPREAD: f64 = 1.4;

/// One in this many sessions is damaged.
const BROKEN: u64 = 80;

#[derive(Parser)]
struct Args {
    /// The folder, which is made; it must be empty if it is there
    out: PathBuf,
    /// How many sessions
    #[arg(long, default_value_t = 100)]
    sessions: u64,
    /// How many bytes they have together, before compression
    #[arg(long, default_value = "20M", value_parser = bytes)]
    bytes: u64,
    /// What everything that is drawn by lot follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let began = Instant::now();
    std::fs::create_dir_all(&args.out).with_context(|| format!("could not create {}", args.out.display()))?;
    ensure!(std::fs::read_dir(&args.out)?.next().is_none(), "{} is not empty", args.out.display());
    let corpus = Corpus::new(&args)?;
    let workers = thread::available_parallelism().map_or(1, usize::from) as u64;
    let counts = thread::scope(|scope| {
        let work = |worker: u64| {
            let corpus = &corpus;
            move || {
                (worker..corpus.lengths.len() as u64)
                    .step_by(workers as usize)
                    .map(|number| corpus.write(number))
                    .collect()
            }
        };
        let running: Vec<_> = (0..workers).map(|worker| scope.spawn(work(worker))).collect();
        running
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow!("a worker panicked"))?)
            .collect::<Result<Vec<Vec<Written>>>>()
    })?;
    let mut of_family: BTreeMap<&str, Written> = BTreeMap::new();
    for written in counts.into_iter().flatten() {
        let sum = of_family.entry(written.family).or_default();
        sum.sessions += 1;
        sum.files += written.files;
        sum.bytes += written.bytes;
    }
    let row = |name: &str, sessions: u64, files: u64, bytes: u64| {
        println!("{name:18} {sessions:>7} sessions {files:>7} files {:>9.1} MB", bytes as f64 / 1e6);
    };
    for (name, sum) in &of_family {
        row(name, sum.sessions, sum.files, sum.bytes);
    }
    let all = of_family.values();
    row(
        "all",
        all.clone().map(|sum| sum.sessions).sum(),
        all.clone().map(|sum| sum.files).sum(),
        all.map(|sum| sum.bytes).sum(),
    );
    println!("in {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

/// Parses a number of bytes: `200K`, `20M`, `2G`, in powers of 1,000.
fn bytes(words: &str) -> Result<u64, String> {
    let (number, unit) = words.split_at(words.len() - usize::from(words.ends_with(['K', 'M', 'G'])));
    let unit = match unit {
        "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => 1,
    };
    let number: u64 = number.parse().map_err(|_| "expected a number, perhaps with K, M or G".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "too many".to_owned())
}

/// The result of writing a session.
#[derive(Default)]
struct Written {
    family: &'static str,
    sessions: u64,
    files: u64,
    /// Bytes on the disk.
    bytes: u64,
}

struct Corpus {
    out: PathBuf,
    seed: u64,
    /// Bytes of each session.
    lengths: Vec<u64>,
    /// The samples of each family.
    samples: Vec<Vec<Sample>>,
}

impl Corpus {
    fn new(args: &Args) -> Result<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
        let of_family = |family: &Family| {
            family.samples.iter().map(|part| Sample::read(&folder, part, family.shape)).collect::<Result<Vec<_>>>()
        };
        let samples = FAMILIES.iter().map(of_family).collect::<Result<_>>()?;
        let mut chance = Chance(hash((args.seed, "lengths")));
        let drawn: Vec<f64> = (0..args.sessions).map(|_| (normal(&mut chance) * SPREAD).exp()).collect();
        let unit = args.bytes as f64 / drawn.iter().sum::<f64>();
        #[expect(clippy::cast_sign_loss, reason = "no length is negative")]
        let lengths = drawn.into_iter().map(|length| (length * unit) as u64).collect();
        Ok(Self { out: args.out.clone(), seed: args.seed, lengths, samples })
    }

    fn write(&self, number: u64) -> Result<Written> {
        let seed = hash((self.seed, number));
        let chance = &mut Chance(hash((seed, "session")));
        let (family, samples) = self.family(chance);
        let began = FIRST_DAY + chance.below(DAYS).cast_signed() * DAY + chance.below(7 * 3600 * 1000).cast_signed();
        let model = [0, 0, 0, 1, 1, 2][chance.below(6) as usize];
        let variation = Variation { salt: seed, model, aside: None, last_id: None };
        let plan = Plan { began, length: self.lengths[number as usize], seed };
        let damage = (chance.below(BROKEN) == 0).then(|| Damage::drawn(chance));
        let files = Files { out: &self.out, family, samples, plan, variation, damage };
        let (files, bytes) = files.write(chance)?;
        Ok(Written { family: family.name, sessions: 1, files, bytes })
    }

    /// A random family, by weight.
    fn family(&self, chance: &mut Chance) -> (&'static Family, &[Sample]) {
        let mut drawn = chance.below(FAMILIES.iter().map(|family| family.weight).sum());
        let found = FAMILIES.iter().zip(&self.samples).find(|(family, _)| {
            let is_it = drawn < family.weight;
            drawn = drawn.saturating_sub(family.weight);
            is_it
        });
        found.map_or((&FAMILIES[0], &self.samples[0]), |(family, samples)| (family, samples))
    }
}

/// A normally distributed number around 0, as the sum of twelve uniform ones.
fn normal(chance: &mut Chance) -> f64 {
    (0..12).map(|_| chance.below(1 << 24) as f64 / f64::from(1 << 24)).sum::<f64>() - 6.0
}
