//! What bytes pass between being read and being sent on: the copy that is saved, decoding, and the spool.
//!
//! Does not know where the bytes come from, nor what is in them.

use super::decoder::{self, Decoder};
use super::tee::Tee;
use super::{CHUNK, Halt, Sink, SourceEvent};
use crate::text::spool::{MOST_KEPT, Spool, SpoolTrouble};
use crate::text::store::Backing;

/// The most bytes that are read of a file that says it is empty, as those of /proc do: they are small where they are of
/// any use here, and some never end.
const MOST_OF_EMPTY: u64 = 64 << 20;

/// Takes raw bytes in and tells the listener what they are.
pub(super) struct Intake {
    tee: Option<Tee>,
    form: Form,
    again: Again,
    /// True if the source is a file that is read to the end that it has.
    is_complete: bool,
}

enum Form {
    /// The first bytes, which do not tell yet.
    Unclear(Vec<u8>),
    Plain,
    Encoded(Decoder),
    /// Encoded and damaged, in these words; what comes behind the damage is passed over.
    Damaged(String),
}

/// Where what was told can be read again.
enum Again {
    /// Nowhere, or it has been said where.
    Settled,
    /// At the place where it was read, unless it is to be decoded.
    Place(Backing),
    /// In a spool that the first bytes begin, and that keeps so many bytes.
    Unspooled(u64),
    Spool(Spool),
}

impl Intake {
    /// For what can be read once only.
    pub(super) fn stream(tee: Option<Tee>) -> Self {
        Self { tee, form: Form::Unclear(Vec::new()), again: Again::Unspooled(MOST_KEPT), is_complete: false }
    }

    /// The source is a file that is read to the end that it has; before its first byte.
    pub(super) fn expect_end(&mut self) {
        self.is_complete = true;
    }

    /// For a file. [`Intake::begin`] comes before its first byte.
    pub(super) fn file() -> Self {
        Self { again: Again::Settled, ..Self::stream(None) }
    }

    /// What comes next is a text from its start, whose bytes can be read again in `place` if they stand there plainly. A
    /// file without such a place is one that says it is empty.
    pub(super) fn begin(&mut self, place: Option<Backing>) {
        self.form = Form::Unclear(Vec::new());
        self.again = place.map_or(Again::Unspooled(MOST_OF_EMPTY), Again::Place);
    }

    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), Halt> {
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
                self.again = Again::Unspooled(MOST_KEPT);
                Form::Encoded(decoder)
            }
        };
        self.take(&first, sink)
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.form, Form::Unclear(first) if first.is_empty())
    }

    /// Takes in bytes when it is known what they are.
    fn take(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), Halt> {
        match &mut self.form {
            Form::Plain => tell(sink, &mut self.again, self.is_complete, bytes),
            Form::Encoded(decoder) => {
                let outcome = decoder.push(bytes, &mut |bytes| tell(sink, &mut self.again, self.is_complete, bytes));
                self.note_damage(outcome)
            }
            Form::Unclear(_) | Form::Damaged(_) => Ok(()),
        }
    }

    /// Nothing more comes: what was held back is told.
    pub(super) fn finish(&mut self, sink: &mut Sink<'_>) -> Result<(), Halt> {
        match std::mem::replace(&mut self.form, Form::Plain) {
            Form::Unclear(first) if !first.is_empty() => tell(sink, &mut self.again, self.is_complete, &first),
            Form::Encoded(mut decoder) => {
                let outcome = decoder.finish(&mut |bytes| tell(sink, &mut self.again, self.is_complete, bytes));
                self.note_damage(outcome)
            }
            form => {
                self.form = form;
                Ok(())
            }
        }
    }

    fn note_damage(&mut self, outcome: Result<(), Halt>) -> Result<(), Halt> {
        let Err(Halt::Failed(words)) = outcome else { return outcome };
        self.form = Form::Damaged(words);
        Ok(())
    }

    /// The words for damage, if there is any: nothing that comes behind it is told.
    pub(super) fn damage(&self) -> Option<&str> {
        if let Form::Damaged(words) = &self.form { Some(words) } else { None }
    }
}

fn tell(sink: &mut Sink<'_>, again: &mut Again, is_complete: bool, bytes: &[u8]) -> Result<(), Halt> {
    let backing = |place: Backing| SourceEvent::Backing(place.with_end(is_complete));
    match again {
        Again::Settled | Again::Spool(_) => {}
        Again::Place(place) => {
            let place = place.clone();
            *again = Again::Settled;
            sink.send(backing(place))?;
        }
        Again::Unspooled(most) => {
            let spool = Spool::of_at_most(*most);
            sink.send(backing(spool.backing()))?;
            *again = Again::Spool(spool);
        }
    }
    for chunk in bytes.chunks(CHUNK) {
        if let Again::Spool(spool) = again
            && let Err(trouble) = spool.push(chunk)
        {
            match trouble {
                SpoolTrouble::NoDisk(words) => sink.send(SourceEvent::Notice(words))?,
                SpoolTrouble::Over(words) => return Err(Halt::Failed(words)),
            }
        }
        sink.send(SourceEvent::Chunk(chunk.to_vec()))?;
    }
    Ok(())
}
