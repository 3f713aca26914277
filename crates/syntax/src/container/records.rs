//! Records of a file, however they are delimited, and other findings between them.

use super::json::{Flaw, JsonValue};
use crate::text::Span;

/// Most bytes of a record; a larger one is shown raw.
pub(crate) const MAX_RECORD: usize = 64 * 1024 * 1024;

/// A record, or a part of one that is read in parts.
#[derive(Clone, Copy, Debug)]
pub struct JsonRecord<'a> {
    /// The value with its source positions.
    pub(crate) value: JsonValue<'a>,
    /// The member of its record that it is or is in; `None` for a record that is read as a whole.
    pub(crate) member: Option<&'a str>,
    /// Its key in that member, if that is read in parts as well; `None` for an element.
    pub(crate) part: Option<&'a str>,
}

/// A finding in a file of records.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Framed<'a> {
    /// A record, and its span in the file.
    Record(JsonRecord<'a>, Span),
    /// The end of a record that was read in parts.
    Close,
    /// The end marker of the stream.
    Done,
    /// Two records share a line, or an event of a stream; the second one begins at this offset.
    Glued(usize),
    /// The stream ends at this offset, within an event.
    Unended(usize),
    /// Bytes that are not part of a record.
    Broken {
        /// Some of these bytes, following those reported before.
        bytes: &'a [u8],
        /// Their offset in the file.
        at: usize,
        /// The flaw and its offset in the file; only in the first of several consecutive findings.
        flaw: Option<(Flaw, usize)>,
        /// True if they are the last of them.
        last: bool,
    },
}

/// Splits the bytes of a file into records as they arrive.
pub(super) trait Framer: Send + Sync {
    fn push(&mut self, bytes: &[u8]);

    fn held(&self) -> usize;

    /// The next finding; `None` if more bytes must arrive.
    fn next(&mut self, finished: bool) -> Option<Framed<'_>>;
}
