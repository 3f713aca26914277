//! Records as they are found in a file, whatever tells one from the next, and what may be found between them.

use super::json::{Flaw, JsonValue};
use crate::text::Span;

/// Most bytes of a record; a larger one is shown as it stands.
pub const MAX_RECORD: usize = 64 * 1024 * 1024;

/// A record, or a part of one that is taken in parts.
#[derive(Clone, Copy, Debug)]
pub struct JsonRecord<'a> {
    /// The value, with its places in the file.
    pub value: JsonValue<'a>,
    /// The member of its record that it is or is in; `None` for a record that is taken as a whole.
    pub member: Option<&'a str>,
    /// What it is in that member, if that is taken in parts as well: its key, or nothing for an element.
    pub part: Option<&'a str>,
}

/// What was found in a file of records.
#[derive(Clone, Copy, Debug)]
pub enum Framed<'a> {
    /// A record, and its bytes in the file.
    Record(JsonRecord<'a>, Span),
    /// A record that was taken in parts is over.
    Close,
    /// The stream says that it is over.
    Done,
    /// Two records share a line, or an event of a stream; the second one begins here.
    Glued(usize),
    /// The stream ends here, and the event that follows has no end.
    Unended(usize),
    /// Bytes that are no record.
    Broken {
        /// The next of these bytes.
        bytes: &'a [u8],
        /// Where they stand in the file.
        at: usize,
        /// What is wrong with them and at which byte of the file, at the first of several such findings in a row.
        flaw: Option<(Flaw, usize)>,
        /// Whether they are the last of them.
        last: bool,
    },
}

/// Finds the records in the bytes of a file as they come.
pub(super) trait Framer: Send + Sync {
    fn push(&mut self, bytes: &[u8]);

    fn held(&self) -> usize;

    /// The next finding; `None` when more must arrive.
    fn next(&mut self, finished: bool) -> Option<Framed<'_>>;
}
