//! The members of a document that is taken in parts, as long as none of them has said anything.
//!
//! Settings, tools and counts say nothing beside messages. Where there are no messages, nobody knows what the document
//! is, and they are all that there is to show. This module does not know which members say something.

use super::json::JsonValue;
use super::messages::standing;
use super::writer::TextWriter;
use super::{MessagePart, fragment::Fragment};
use crate::diagnostic::Code;
use crate::text::Span;

/// Most bytes of a member that is held; a few words stand for a larger one.
const MOST_HELD: usize = 64 * 1024;

/// Most members that are held; the next one shows that nothing is to come.
const MOST_MEMBERS: usize = 256;

/// The members so far that have said nothing.
#[derive(Debug, Default)]
pub(super) struct QuietMembers {
    /// Whether another member has said something.
    has_spoken: bool,
    held: Vec<(Box<str>, Fragment)>,
    source: Option<Span>,
}

impl QuietMembers {
    /// A member has said something: the others are what belongs to it.
    pub(super) fn speak(&mut self) {
        self.has_spoken = true;
        self.held = Vec::new();
    }

    /// A member says nothing; it is shown if all others say nothing either.
    pub(super) fn hold(&mut self, key: &str, value: JsonValue<'_>, out: &mut TextWriter) {
        if self.has_spoken {
            return;
        }
        let source = value.source();
        let fragment = if value.raw().len() > MOST_HELD {
            let mut fragment = Fragment::default();
            fragment.stand_in(&format!("[{} bytes]", value.raw().len()), source);
            fragment
        } else {
            standing(value)
        };
        self.source = Some(self.source.map_or(source, |first| Span::new(first.start, source.end)));
        self.held.push((key.into(), fragment));
        if self.held.len() > MOST_MEMBERS {
            self.close(out);
        }
    }

    /// The document is over: shows its members if none of them has said anything.
    pub(super) fn close(&mut self, out: &mut TextWriter) {
        if let Some(source) = self.source.take().filter(|_| !self.has_spoken) {
            let message = "nothing in this record is known here; its members are shown as they stand";
            out.problem(Code::UnknownRecord, source, message);
            for (key, fragment) in std::mem::take(&mut self.held) {
                out.piece(MessagePart::Envelope(key), &fragment);
            }
        }
    }
}
