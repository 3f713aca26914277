//! `replay`: prints a transcript as if it were arriving, at some speed.
//!
//! This module does not know what the screen makes of it.

use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::parse::RecordWriter;
use super::{new_session, setup, source_of};
use crate::cli::{ParseFormat, ReplayArgs, ReplayFormat};
use crate::source;
use crate::text::replay_steps::arrived;

/// The least time between two pieces.
const BEAT: Duration = Duration::from_millis(20);

/// The bytes of a transcript, and what it is called.
pub fn read(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let spec = source_of(Some(path));
    Ok((spec.name(), source::read_all(&spec)?))
}

/// Prints what becomes final while the bytes arrive at the speed that is asked for.
pub fn run<W: Write>(args: &ReplayArgs, format: ReplayFormat, out: &mut W) -> anyhow::Result<()> {
    let setup = setup(&args.common)?.for_source(&source_of(Some(&args.path)))?.into_owned();
    let (_, bytes) = read(&args.path)?;
    let mut session = new_session(&setup);
    let format = match format {
        ReplayFormat::Ndjson => ParseFormat::Ndjson,
        ReplayFormat::Events => ParseFormat::Events,
    };
    let mut writer = RecordWriter::new(format, None);
    let begun = Instant::now();
    let mut at = 0;
    while at < bytes.len() {
        let end = arrived(&bytes, 0, begun.elapsed(), args.speed as usize);
        if end > at {
            session.push(&bytes[at..end]);
            writer.advance(out, &session)?;
            at = end;
        }
        let one = Duration::from_secs_f64(1.0 / f64::from(args.speed));
        thread::sleep(BEAT.max(one));
    }
    session.finish();
    writer.advance(out, &session)?;
    Ok(())
}
