//! Reads a file again into another session, for instance with other options.
//!
//! The bytes come from the backing of the file.

use super::Session;
use crate::text::Span;

impl Session {
    /// Reads the part of the file that has arrived into `session`, which must be empty.
    pub fn read_into(&self, mut session: Self) -> Self {
        self.begin_in(&mut session);
        while self.read_next_into(&mut session) {}
        session
    }

    /// Prepares an empty session for reading the same file.
    pub fn begin_in(&self, session: &mut Self) {
        session.set_notes(self.notes.notes().clone());
        session.set_paging(self.text.paging());
        if let Some(backing) = self.file().backing() {
            session.back(backing.clone());
        }
    }

    /// Reads the next bytes of the same file into a session that has read the ones before. True if there are more;
    /// otherwise that session is finished if this one is.
    pub fn read_next_into(&self, session: &mut Self) -> bool {
        const SLICE: usize = 256 * 1024;
        let (file, start) = (self.file(), session.file().len());
        if start < file.len() {
            session.push(&file.read(Span::new(start, start + SLICE)));
            return true;
        }
        if self.finished {
            session.finish();
        }
        false
    }
}
