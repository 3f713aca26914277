//! What is kept of a call: a few bytes for every one, and the last one at its full length while it may still change.
//!
//! This module does not know where records are.

use crate::container::CallOutcome as Answered;
use crate::diagnostic::Severity;
use crate::dialect::{Header, Status};
use crate::text::Span;

/// What is kept of every call; what is in few bytes beside it is in [`Packed`](super::packed::Packed).
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Number of its item.
    pub(super) item: u32,
    /// Where it is packed, in 40 bits.
    pub(super) at: [u8; 5],
    /// Number of its dialect among those seen.
    pub(super) dialect: u8,
    pub(super) status: Status,
    pub(super) verdict: Verdict,
}

/// Whether the runtime rejects a call (the lowest bit); the number of the most severe problem's severity, from 1 (two
/// bits); and that of what its result says, from 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verdict(u8);

impl Verdict {
    const SEVERITIES: [Severity; 3] = [Severity::Hint, Severity::Warning, Severity::Error];

    pub(super) fn failed(self) -> bool {
        self.0 & 1 == 1
    }

    const ANSWERS: [Answered; 4] = [Answered::Unsaid, Answered::Fine, Answered::Failed, Answered::Denied];

    /// What its result says, if it has one.
    pub(super) fn answered(self) -> Option<Answered> {
        usize::from(self.0 >> 3).checked_sub(1).map(|index| Self::ANSWERS[index])
    }

    /// Whether nothing can build on the call: the runtime rejects it, or its result says that it failed.
    pub(super) fn has_failed(self) -> bool {
        self.failed() || matches!(self.answered(), Some(Answered::Failed | Answered::Denied))
    }

    pub(super) fn answer(&mut self, answer: Answered) {
        self.0 = self.0 & 7 | (answer as u8 + 1) << 3;
    }

    pub(super) fn worst(self) -> Option<Severity> {
        usize::from(self.0 >> 1 & 3).checked_sub(1).map(|index| Self::SEVERITIES[index])
    }

    pub(super) fn fail(&mut self) {
        self.0 |= 1;
    }

    pub(super) fn add(&mut self, severity: Severity) {
        if Some(severity) > self.worst() {
            self.0 = self.0 & !6 | (severity as u8 + 1) << 1;
        }
    }
}

/// The last call, which may still change; it is packed when the next one begins.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    pub(super) marker: Span,
    pub(super) header: Header,
    /// The number of the id that the runtime makes; it does not count where there is an id.
    pub(super) made: u32,
    pub(super) body: Span,
    /// Offsets of its argument markers, relative to its first byte. One that begins more than 4 GiB behind it is not
    /// kept, and so belongs to the value of the argument before it.
    pub(super) arguments: Vec<u32>,
}
