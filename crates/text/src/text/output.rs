//! Output of commands: a terminal gets pictures of anything that it would act on, a pipe or file gets the raw bytes.
//!
//! Every byte that a command prints passes through here, however it was processed before. So nothing in a transcript
//! can move the cursor, set the title, write the clipboard, or be taken for a command by the CI service whose log it is
//! printed to. The program's own colours have a separate method.

mod workflow_command;

use std::io::{self, ErrorKind, Stderr, Write};
use std::{error, fmt};

use super::sanitize::{glyphs, io_error_text};
use super::whole_characters;
pub use workflow_command::Destination;
use workflow_command::{CommandBreaker, OwnCommands};

/// Bytes of an unfinished line that are buffered, so that a cluster is not cut where a writer paused.
const KEPT: usize = 64 * 1024;

/// An error of the output itself: nothing reads it any more, or there is no space left. The type distinguishes it from
/// an error of another file.
#[derive(Debug)]
pub struct OutputError(io::Error);

impl OutputError {
    /// True if an error says that the reader of the output has gone.
    pub fn is_closed(error: &io::Error) -> bool {
        error.kind() == ErrorKind::BrokenPipe
            && error.get_ref().is_some_and(<dyn error::Error + Send + Sync>::is::<Self>)
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "could not write the output: {}", io_error_text(&self.0))
    }
}

impl error::Error for OutputError {}

/// Marks an error as one of the output.
fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), OutputError(error))
}

/// A writer to a terminal, a log, or a plain stream of bytes.
#[derive(Debug)]
pub struct Output<W: Write> {
    inner: W,
    destination: Destination,
    /// Bytes for a terminal that are not written yet.
    pending: Vec<u8>,
    /// Progress within the current line of a log.
    breaker: CommandBreaker,
}

impl Output<Stderr> {
    /// A writer to standard error, which may be a terminal.
    pub fn stderr() -> Self {
        Self::new(io::stderr(), Destination::of(&io::stderr()))
    }
}

impl<W: Write> Output<W> {
    /// A writer that wraps `inner`.
    pub fn new(inner: W, destination: Destination) -> Self {
        Self { inner, destination, pending: Vec::new(), breaker: CommandBreaker::default() }
    }

    /// Passes the workflow commands that follow: they are the program's own, and their contents are already escaped.
    pub fn own_commands(&mut self) {
        self.breaker.own = OwnCommands::Pass;
    }

    /// Writes an escape sequence of the program. It must not contain any part of a transcript.
    pub fn own_sequence(&mut self, sequence: &'static str) -> io::Result<()> {
        self.write_pending(self.pending.len())?;
        self.inner.write_all(sequence.as_bytes()).map_err(named)
    }

    /// Writes the first `end` pending bytes. TAB and LF only move the cursor, so they are kept.
    fn write_pending(&mut self, end: usize) -> io::Result<()> {
        let mut shown = String::with_capacity(end);
        for (number, line) in self.pending[..end].split(|&byte| byte == b'\n').enumerate() {
            if number > 0 {
                shown.push('\n');
            }
            glyphs(line).for_each(|glyph| shown.push_str(&glyph.text));
        }
        self.pending.drain(..end);
        self.inner.write_all(shown.as_bytes()).map_err(named)
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.destination {
            Destination::Terminal => {}
            Destination::Log => {
                self.write_all(bytes)?;
                return Ok(bytes.len());
            }
            Destination::Bytes => return self.inner.write(bytes).map_err(named),
        }
        self.pending.extend_from_slice(bytes);
        if let Some(feed) = memchr::memrchr(b'\n', bytes) {
            self.write_pending(self.pending.len() - bytes.len() + feed + 1)?;
        }
        if self.pending.len() > KEPT {
            self.write_pending(whole_characters(&self.pending))?;
        }
        Ok(bytes.len())
    }

    /// Records are written in many small parts, for which a buffer has its own fast path.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.destination {
            Destination::Terminal => self.write(bytes).map(drop),
            Destination::Log => self.breaker.write(&mut self.inner, bytes).map_err(named),
            Destination::Bytes => self.inner.write_all(bytes).map_err(named),
        }
    }

    /// Writes everything except an incomplete character at the end, which is written with its rest or on drop.
    fn flush(&mut self) -> io::Result<()> {
        self.write_pending(whole_characters(&self.pending))?;
        self.inner.flush().map_err(named)
    }
}

impl<W: Write> Drop for Output<W> {
    fn drop(&mut self) {
        // A caller that needs to know about a failure has flushed.
        let _ = self.write_pending(self.pending.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&[u8]], expected: &str) {
        let written = |pieces: &[&[u8]], destination| {
            let mut bytes = Vec::new();
            let mut out = Output::new(&mut bytes, destination);
            for piece in pieces {
                out.write_all(piece).and_then(|()| out.flush()).expect("a vector takes everything");
            }
            drop(out);
            bytes
        };
        assert_eq!(String::from_utf8_lossy(&written(pieces, Destination::Terminal)), expected, "for {pieces:?}");
        assert_eq!(written(pieces, Destination::Bytes), pieces.concat());
    }

    #[test]
    fn a_terminal_gets_pictures_and_anything_else_the_bytes() {
        check(&[b"\x1b]0;title\x07\ttab\r\n", b"\x9b31m\n"], "␛]0;title␇\ttab␍\n<9B>31m\n");
        check(&["a\u{202e}b\u{9b}".as_bytes()], "a<U+202E>b<9B>");
    }

    #[test]
    fn a_character_may_come_in_pieces_and_its_end_may_not_come() {
        check(&[b"\xe2", b"\x82", b"\xac\n"], "€\n");
        check(&[b"\xc2", b"\x9b2J"], "<9B>2J");
        check(&[b"a\xe2\x82"], "a<E2><82>");
    }

    #[test]
    fn the_programs_own_colours_reach_the_terminal() {
        let mut bytes = Vec::new();
        let mut out = Output::new(&mut bytes, Destination::Terminal);
        out.own_sequence("\x1b[1m").and_then(|()| write!(out, "\x1b[1m")).expect("a vector takes everything");
        out.own_sequence("\x1b[0m").expect("a vector takes everything");
        drop(out);
        assert_eq!(String::from_utf8_lossy(&bytes), "\x1b[1m␛[1m\x1b[0m");
    }
}
