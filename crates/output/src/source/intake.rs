//! The steps between reading bytes and sending them: the saved copy, decoding, and the spool.
//!
//! Independent of the source and of the content.

use super::decoder::{self, Decoder};
use super::tee::Tee;
use super::{CHUNK, ReadStop, Sink, SourceEvent};
use crate::text::spool::{MOST_KEPT, Spool, SpoolTrouble};
use crate::text::store::Backing;

/// Maximum number of bytes that are read from a file with a reported size of 0, as in /proc: useful ones are small, and
/// some never end.
const MOST_OF_EMPTY: u64 = 64 << 20;

/// Takes in raw bytes and sends them decoded.
pub(super) struct Intake {
    tee: Option<Tee>,
    form: Form,
    again: RereadSource,
    /// True if the source is a file that is read to its current end.
    is_complete: bool,
}

enum Form {
    /// The first bytes, which do not yet show the format.
    Unclear(Vec<u8>),
    Plain,
    Encoded(Decoder),
    /// Encoded and damaged, with a message; bytes after the damage are skipped.
    Damaged(String),
}

/// Where the sent bytes can be read again.
enum RereadSource {
    /// Nowhere, or the backing was sent.
    Settled,
    /// In the source itself, unless it needs decoding.
    Place(Backing),
    /// In a spool that will be created for the first bytes, with this limit in bytes.
    Unspooled(u64),
    Spool(Spool),
}

impl Intake {
    /// An intake for a source that can be read only once.
    pub(super) fn stream(tee: Option<Tee>) -> Self {
        Self { tee, form: Form::Unclear(Vec::new()), again: RereadSource::Unspooled(MOST_KEPT), is_complete: false }
    }

    /// Marks the source as a file that is read to its current end; called before its first byte.
    pub(super) fn expect_end(&mut self) {
        self.is_complete = true;
    }

    /// An intake for a file. [`Intake::begin`] must be called before its first byte.
    pub(super) fn file() -> Self {
        Self { again: RereadSource::Settled, ..Self::stream(None) }
    }

    /// Begins a new text, whose bytes can be read again in `place` if they need no decoding. A file without a place is
    /// one with a reported size of 0.
    pub(super) fn begin(&mut self, place: Option<Backing>) {
        self.form = Form::Unclear(Vec::new());
        self.again = place.map_or(RereadSource::Unspooled(MOST_OF_EMPTY), RereadSource::Place);
    }

    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        if let Some(tee) = &mut self.tee
            && let Some(words) = tee.push(bytes)
        {
            sink.send(SourceEvent::Notice(words))?;
        }
        let Form::Unclear(first) = &mut self.form else { return self.take(bytes, sink) };
        first.extend_from_slice(bytes);
        if decoder::is_unclear(first) {
            return Ok(());
        }
        let first = std::mem::take(first);
        self.form = match Decoder::new(&first) {
            None => Form::Plain,
            Some(decoder) => {
                if let Some(words) = decoder.notice() {
                    sink.send(SourceEvent::Notice(words.into()))?;
                }
                self.again = RereadSource::Unspooled(MOST_KEPT);
                Form::Encoded(decoder)
            }
        };
        self.take(&first, sink)
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.form, Form::Unclear(first) if first.is_empty())
    }

    /// Takes in bytes once the format is known.
    fn take(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        match &mut self.form {
            Form::Plain => forward(sink, &mut self.again, self.is_complete, bytes),
            Form::Encoded(decoder) => {
                let outcome = decoder.push(bytes, &mut |bytes| forward(sink, &mut self.again, self.is_complete, bytes));
                self.note_damage(outcome)
            }
            Form::Unclear(_) | Form::Damaged(_) => Ok(()),
        }
    }

    /// Ends the text and sends the bytes that were held back.
    pub(super) fn finish(&mut self, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        match std::mem::replace(&mut self.form, Form::Plain) {
            Form::Unclear(first) if !first.is_empty() => forward(sink, &mut self.again, self.is_complete, &first),
            Form::Encoded(mut decoder) => {
                let outcome = decoder.finish(&mut |bytes| forward(sink, &mut self.again, self.is_complete, bytes));
                self.note_damage(outcome)
            }
            form => {
                self.form = form;
                Ok(())
            }
        }
    }

    fn note_damage(&mut self, outcome: Result<(), ReadStop>) -> Result<(), ReadStop> {
        let Err(ReadStop::Failed(words)) = outcome else { return outcome };
        self.form = Form::Damaged(words);
        Ok(())
    }

    /// The message about damage, if there is any: no bytes after it are sent.
    pub(super) fn damage(&self) -> Option<&str> {
        if let Form::Damaged(words) = &self.form { Some(words) } else { None }
    }
}

fn forward(sink: &mut Sink<'_>, again: &mut RereadSource, is_complete: bool, bytes: &[u8]) -> Result<(), ReadStop> {
    let backing = |place: Backing| SourceEvent::Backing(place.with_end(is_complete));
    match again {
        RereadSource::Settled | RereadSource::Spool(_) => {}
        RereadSource::Place(place) => {
            let place = place.clone();
            *again = RereadSource::Settled;
            sink.send(backing(place))?;
        }
        RereadSource::Unspooled(most) => {
            let spool = Spool::of_at_most(*most);
            sink.send(backing(spool.backing()))?;
            *again = RereadSource::Spool(spool);
        }
    }
    for chunk in bytes.chunks(CHUNK) {
        if let RereadSource::Spool(spool) = again
            && let Err(trouble) = spool.push(chunk)
        {
            match trouble {
                SpoolTrouble::NoDisk(words) => sink.send(SourceEvent::Notice(words))?,
                SpoolTrouble::Over(words) => return Err(ReadStop::Failed(words)),
            }
        }
        sink.send(SourceEvent::Chunk(chunk.to_vec()))?;
    }
    Ok(())
}
