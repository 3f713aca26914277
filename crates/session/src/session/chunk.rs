//! A chunk of plain text that is read independently of the text before it, and then joined with that.
//!
//! A chunk starts at the beginning of a line at which most likely nothing is open. Once all the text before it has been
//! read, the guess is verified; if it was wrong, the chunk is read again.

use std::sync::Arc;

use memchr::{memmem, memrchr};

use super::{CallsSeen, Session, TextRegion};
use crate::container::{Choice, Container};
use crate::dialect::scanner::{Scanner, ScannerMemory};
use crate::dialect::{LOOK_BACK, Status, TextCalls};
use crate::document::{Delta, Document};
use crate::text::encoding::EncodingWatch;
use crate::text::store::Paging;
use crate::text::{Lines, Span, Text};
use crate::value::schema::Schemas;

/// Bytes at the end of a call that are searched for its last line.
const LAST_LINE: usize = 256;

/// Bytes at the end of a chunk that are searched for a better end.
const TAIL: usize = 64 * 1024;

/// Minimum number of bytes before a chunk that are scanned to obtain the state at its beginning.
const RUN_UP: usize = 8 * 1024;

/// The initial state of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkStart {
    /// The state of the session when the seed was taken.
    AsSeeded,
    /// The state after scanning the lines before the chunk, for dialects that remember near misses of markers, for
    /// instance.
    WithRunUp,
}

/// The state of a session with which chunks begin.
pub(super) struct Seed {
    scanner: Scanner,
    memory: ScannerMemory,
    document: Document,
    paging: Paging,
    container: Container,
    choice: Option<Choice>,
    text_calls: TextCalls,
    schemas: Option<Arc<Schemas>>,
    /// The last line of a call, with the line feeds around it: after the next such line, nothing is open.
    pub(super) last_line: Option<Vec<u8>>,
}

/// A chunk that has been read.
pub(super) struct ParsedChunk {
    session: Session,
    start: usize,
    memory: ScannerMemory,
}

impl Session {
    /// The state with which chunks of the following text begin; `None` if the text is not plain, or if something is
    /// open at its end.
    pub(super) fn seed(&self) -> Option<Seed> {
        if !self.may_be_read_apart() || self.text.is_empty() {
            return None;
        }
        let memory = self.scanner.memory_at(&self.text, self.text.len())?;
        Some(Seed {
            scanner: self.scanner.moved_to(0),
            memory,
            document: self.document.part_at(0),
            paging: self.text.paging(),
            container: self.container,
            choice: self.choice,
            text_calls: self.text_calls,
            schemas: self.schemas.clone(),
            last_line: self.last_line_of_call(),
        })
    }

    /// True if the contents of a chunk depend only on the state that scanners remember.
    pub(super) fn may_be_read_apart(&self) -> bool {
        self.original.is_none() && self.portable.is_none() && self.now == TextRegion::Text && !self.finished
    }

    /// The last line of the last call with the line feeds around it, if that call was complete.
    pub(super) fn last_line_of_call(&self) -> Option<Vec<u8>> {
        let call = self.document.call(self.document.calls().next_back()?)?;
        let end = call.span.end;
        let last = self.text.read(Span::new(call.span.start.max(end.saturating_sub(LAST_LINE)), end));
        let line = last.trim_ascii_end();
        let start = memrchr(b'\n', line)?;
        (call.status == Status::Complete).then(|| [&line[start..], b"\n"].concat())
    }

    /// Appends a chunk that was read independently.
    ///
    /// # Errors
    /// The chunk was begun in another state than the true one: returns its bytes, which must be read again.
    pub(super) fn append(&mut self, stretch: ParsedChunk) -> Result<Delta, Vec<u8>> {
        let ParsedChunk { session: next, start, memory } = stretch;
        let is_as_begun = self.scanner.memory_at(&self.text, start) == Some(memory);
        if !(is_as_begun
            && self.may_be_read_apart()
            && self.scanner.may_hand_over_to(&next.scanner)
            && self.encoding.may_append(&next.encoding)
            && self.document.may_append(&next.document, start))
        {
            return Err(next.text.since(start).to_vec());
        }
        let delta = self.delta();
        if next.calls_seen == CallsSeen::InText {
            self.note_call_kind(CallsSeen::InText);
        }
        self.text.append(next.text);
        self.lines.append(&next.lines);
        self.encoding.append(&next.encoding);
        self.scanner.hand_over_to(next.scanner);
        self.document.append(next.document);
        self.document.extend_open_call(self.scanner.decided());
        self.text.release(self.scanner.needed());
        Ok(self.changed(delta))
    }
}

impl Seed {
    /// Reads a chunk; the tuple has the offset and the bytes of the text before it.
    pub(super) fn read(
        &self,
        beginning: ChunkStart,
        (begin, before): &(usize, Vec<u8>),
        pieces: &[Vec<u8>],
    ) -> ParsedChunk {
        let start = begin + before.len();
        let text = Text::stretch(self.paging, *begin, before, pieces.iter().map(Vec::len).sum());
        let run_up = if beginning == ChunkStart::WithRunUp { self.run_up(&text, before) } else { None };
        let (scanner, memory) = run_up.unwrap_or_else(|| (self.scanner.moved_to(start), self.memory));
        let mut session = Session {
            text,
            lines: Lines::of_stretch(start),
            encoding: EncodingWatch::of_stretch(start),
            document: self.document.part_at(start),
            choice: self.choice,
            schemas: self.schemas.clone(),
            text_calls: self.text_calls,
            ..Session::of_text(self.container, scanner)
        };
        for piece in pieces {
            session.push(piece);
        }
        ParsedChunk { session, start, memory }
    }

    /// A scanner at the end of `text`, which ends with `before`, that has scanned its last lines starting where most
    /// likely nothing is open, and its state; `None` if something is open at the end.
    fn run_up(&self, text: &Text, before: &[u8]) -> Option<(Scanner, ScannerMemory)> {
        let far = before.len().saturating_sub(RUN_UP);
        let from = end_in(&before[..far], self.last_line.as_deref())?;
        let mut scanner = self.scanner.moved_to(text.len() - before.len() + from);
        let mut events = Vec::new();
        while scanner.advance(text, false, &mut events) {
            events.clear();
        }
        let memory = scanner.memory_at(text, text.len())?;
        Some((scanner.moved_to(text.len()), memory))
    }

    /// First offset of the text that a chunk at `start` needs: as far back as dialects look, rounded down to a page.
    pub(super) fn look_back(&self, start: usize) -> usize {
        let needed = start.saturating_sub(LOOK_BACK);
        needed - needed % self.paging.page
    }
}

/// The best end for a chunk in `bytes`: after the last line of a call, else after a paragraph, else after a line.
/// `None` if there is no line feed near the end.
pub(super) fn end_in(bytes: &[u8], last_line: Option<&[u8]>) -> Option<usize> {
    let tail = &bytes[bytes.len().saturating_sub(TAIL)..];
    let behind = |line: &[u8]| memmem::rfind(tail, line).map(|at| at + line.len());
    let end = last_line.and_then(behind).or_else(|| behind(b"\n\n")).or_else(|| behind(b"\n"))?;
    Some(bytes.len() - tail.len() + end)
}
