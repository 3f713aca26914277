//! `replay`: prints a transcript as if it were arriving, at a chosen speed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::options::CommonArgs;
use super::outcome::ExitStatus;
use super::parse::{ParseFormat, RecordWriter};
use super::transcript::{new_session, setup, source_of};
use crate::container::replay_timeline::ReplayTimeline;
use crate::source;
use crate::text::replay_steps::{ReplayOptions, ReplaySpeed};

/// Replay a transcript as if it were arriving
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope replay session.md
  transcope replay --speed 5x session.jsonl
  transcope replay --speed 200 stream.sse
  transcope replay --speed 2000 --format events session.md")]
pub struct ReplayArgs {
    /// Transcript; - is standard input
    pub path: PathBuf,
    /// A multiple of the recorded pace such as 5x, or bytes per second [default: 1x]
    ///
    /// Without recorded times, 1x is 50 tokens of text per second.
    #[arg(long, value_name = "SPEED")]
    pub speed: Option<ReplaySpeed>,
    /// Keep pauses of more than two seconds
    #[arg(long)]
    pub keep_pauses: bool,
    /// Print records as they become final instead of opening the terminal UI
    #[arg(long, value_enum)]
    pub format: Option<ReplayFormat>,
    /// How to read and show it.
    #[command(flatten)]
    pub common: CommonArgs,
}

impl ReplayArgs {
    /// The speed of the replay and its treatment of pauses.
    pub fn options(&self) -> ReplayOptions {
        let speed = self.speed.unwrap_or(ReplayOptions::default().speed);
        ReplayOptions { speed, keeps_pauses: self.keep_pauses }
    }
}

/// Output formats of `transcope replay`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayFormat {
    /// One JSON object per line for each item and problem, as soon as it is final
    Ndjson,
    /// The events of the AI SDK UI message stream, one JSON object per line
    Events,
}

/// Minimum time between two pieces.
const BEAT: Duration = Duration::from_millis(20);

/// Returns the name and the bytes of a transcript.
pub fn read(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let spec = source_of(Some(path));
    Ok((spec.name(), source::read_all(&spec)?))
}

/// Prints records as they become final while the bytes arrive at the requested speed.
pub fn run<W: Write>(args: &ReplayArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let format = args.format.context("replay needs a terminal, or --format ndjson or events")?;
    let setup = setup(&args.common)?.for_source(&source_of(Some(&args.path)))?.into_owned();
    let (_, bytes) = read(&args.path)?;
    let mut session = new_session(&setup);
    let format = match format {
        ReplayFormat::Ndjson => ParseFormat::Ndjson,
        ReplayFormat::Events => ParseFormat::Events,
    };
    let mut writer = RecordWriter::new(format, None);
    let ReplayOptions { speed, keeps_pauses } = args.options();
    let mut timeline = ReplayTimeline::new(setup.container, keeps_pauses);
    timeline.read_up_to(&bytes, bytes.len());
    let begun = Instant::now();
    let mut at = 0;
    while at < bytes.len() {
        let end = timeline.arrived(&bytes, 0, begun.elapsed(), speed);
        if end > at {
            session.push(&bytes[at..end]);
            writer.advance(out, &session)?;
            at = end;
        }
        thread::sleep(BEAT);
    }
    session.finish();
    writer.advance(out, &session)?;
    Ok(ExitStatus::Success)
}
