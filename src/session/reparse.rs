//! A file that has been read, read again into another session: with other options, for instance.
//!
//! The bytes come from where they can be read again.

use super::Session;
use crate::text::Span;

impl Session {
    /// The same file, as far as it has come, read into a session into which nothing has been read.
    pub fn read_into(&self, mut session: Self) -> Self {
        self.begin_in(&mut session);
        while self.go_on_in(&mut session) {}
        session
    }

    /// Prepares a session into which nothing has been read for reading the same file.
    pub fn begin_in(&self, session: &mut Self) {
        session.set_notes(self.notes.notes().clone());
        session.set_paging(self.text.paging());
        if let Some(backing) = self.file().backing() {
            session.back(backing.clone());
        }
    }

    /// Reads the next bytes of the same file into a session that has read those before. Whether there is more; without
    /// more, that session has ended if this one has.
    pub fn go_on_in(&self, session: &mut Self) -> bool {
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
