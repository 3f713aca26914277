//! `parse`: prints everything the parser saw.
//!
//! The streaming formats are written while the transcript arrives. This module does not know how they look.

use std::io::{self, Write};
use std::sync::mpsc;

use anyhow::{bail, ensure};

use super::{Setup, name_of, source_of};
use crate::cli::{FollowArgs, ParseArgs, ParseFormat};
use crate::export::events::Events;
use crate::export::ndjson::Ndjson;
use crate::export::{json, text};
use crate::session::Session;
use crate::source::{self, Follow, SourceEvent, SourceSpec};

/// Pieces of a source that may wait to be read.
const QUEUE: usize = 16;

/// Runs the command.
pub fn run<W: Write>(args: &ParseArgs, out: &mut W) -> anyhow::Result<()> {
    let setup = Setup::new(&args.common)?;
    let spec = source_of(args.path.as_deref());
    let follow = follow_of(args.following);
    let streaming = matches!(args.format, ParseFormat::Ndjson | ParseFormat::Events);
    ensure!(streaming || follow == Follow::No, "following needs --format ndjson or --format events");
    match args.format {
        ParseFormat::Json => json::write_transcript(out, &setup.read(&spec)?, &name_of(&spec))?,
        ParseFormat::Text => text::write(out, &setup.read(&spec)?, args.width)?,
        ParseFormat::Ndjson | ParseFormat::Events => stream(&setup, &spec, follow, args.format, out)?,
    }
    Ok(())
}

/// Whether to go on at the end of the file.
pub fn follow_of(args: FollowArgs) -> Follow {
    match args {
        FollowArgs { follow_name: true, .. } => Follow::Name,
        FollowArgs { follow: true, .. } => Follow::File,
        FollowArgs { .. } => Follow::No,
    }
}

/// What writes records while a session reads.
enum Writer {
    Ndjson(Ndjson),
    Events(Events),
}

impl Writer {
    fn new(format: ParseFormat) -> Self {
        match format {
            ParseFormat::Events => Writer::Events(Events::default()),
            _ => Writer::Ndjson(Ndjson::default()),
        }
    }

    fn advance<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
        match self {
            Writer::Ndjson(writer) => writer.advance(out, session)?,
            Writer::Events(writer) => writer.advance(out, session)?,
        }
        out.flush()
    }
}

fn stream<W: Write>(
    setup: &Setup,
    spec: &SourceSpec,
    follow: Follow,
    format: ParseFormat,
    out: &mut W,
) -> anyhow::Result<()> {
    let (sender, receiver) = mpsc::sync_channel(QUEUE);
    source::open(spec, follow, move |event| sender.send(event).is_ok())?;
    let mut session = setup.session()?;
    let mut writer = Writer::new(format);
    for event in receiver {
        match event {
            SourceEvent::Chunk(bytes) => {
                session.push(&bytes);
                writer.advance(out, &session)?;
            }
            SourceEvent::Backing(backing) => session.back(backing),
            SourceEvent::CaughtUp => {}
            SourceEvent::Notice(words) => tell(&words)?,
            SourceEvent::Restarted(words) => {
                // The transcript that was is complete, and another one begins.
                session.finish();
                writer.advance(out, &session)?;
                tell(&words)?;
                session = setup.session()?;
                writer = Writer::new(format);
            }
            SourceEvent::End => break,
            SourceEvent::Failed(words) => bail!(words),
        }
    }
    session.finish();
    writer.advance(out, &session)?;
    Ok(())
}

/// Says something about the source where it does not disturb the records.
fn tell(words: &str) -> io::Result<()> {
    writeln!(io::stderr().lock(), "{}", crate::text::sanitize::visible_str(words))
}
