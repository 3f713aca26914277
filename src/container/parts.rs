//! The parts of a message that arrive in pieces, perhaps side by side.
//!
//! The transcript text has one part behind the other. The first one that is open is handed on as it comes; those that
//! began later are held until it ends. This module does not know any stream's events.

use std::collections::VecDeque;

use super::Piece;
use super::fragment::Fragment;
use super::writer::Writer;

#[derive(Debug)]
struct Part {
    key: String,
    piece: Piece,
    /// What has arrived and was not handed on.
    held: Fragment,
    over: bool,
}

/// The parts that are open or held, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Parts {
    parts: VecDeque<Part>,
    /// Whether the first one has been begun in the transcript.
    begun: bool,
}

impl Parts {
    /// Whether a part with this key is open.
    pub(super) fn has(&self, key: &str) -> bool {
        self.parts.iter().any(|part| part.key == key && !part.over)
    }

    /// Whether any part is open.
    pub(super) fn any_open(&self) -> bool {
        self.parts.iter().any(|part| !part.over)
    }

    /// A part begins; one with the same key that is open ends.
    pub(super) fn open(&mut self, key: &str, piece: Piece, out: &mut Writer) {
        self.close(key, out);
        self.parts.push_back(Part { key: key.into(), piece, held: Fragment::default(), over: false });
        self.flush(out);
    }

    /// More of an open part; whether there is such a part.
    pub(super) fn write(&mut self, key: &str, fragment: &Fragment, out: &mut Writer) -> bool {
        let Some(index) = self.parts.iter().position(|part| part.key == key && !part.over) else {
            return false;
        };
        if index == 0 {
            out.write(fragment);
        } else {
            self.parts[index].held.append(fragment);
        }
        true
    }

    /// An open part ends.
    pub(super) fn close(&mut self, key: &str, out: &mut Writer) {
        for part in self.parts.iter_mut().filter(|part| part.key == key) {
            part.over = true;
        }
        self.flush(out);
    }

    /// All parts end.
    pub(super) fn close_all(&mut self, out: &mut Writer) {
        for part in &mut self.parts {
            part.over = true;
        }
        self.flush(out);
    }

    /// A part that is complete.
    pub(super) fn whole(&mut self, piece: Piece, fragment: Fragment, out: &mut Writer) {
        self.parts.push_back(Part { key: String::new(), piece, held: fragment, over: true });
        self.flush(out);
    }

    /// Hands on what can be.
    fn flush(&mut self, out: &mut Writer) {
        while let Some(part) = self.parts.front_mut() {
            if !std::mem::replace(&mut self.begun, true) {
                out.begin(part.piece.clone());
            }
            let held = std::mem::take(&mut part.held);
            out.write(&held);
            if !part.over {
                break;
            }
            out.end();
            self.begun = false;
            self.parts.pop_front();
        }
    }
}
