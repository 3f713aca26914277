//! A session that is read again on another thread, from the same bytes.
//!
//! A session itself cannot leave its thread, and what is made from a copy does not change with the text.

use crate::container::Container;
use crate::dialect::Options;
use crate::session::Session;
use crate::text::{Span, Text};

/// Bytes of a text read between checks for cancellation.
const SLICE: usize = 256 * 1024;

/// The bytes of a session with the settings that they are read with.
pub struct SessionCopy {
    container: Container,
    options: Options,
    file: Text,
    is_finished: bool,
    /// True if the bytes are from a session's file, and may be read again from there.
    is_of_file: bool,
}

impl SessionCopy {
    /// Captures the current bytes of a session, to be read with these options.
    pub fn new(session: &Session, options: &Options) -> Self {
        Self {
            container: session.container(),
            options: options.clone(),
            file: session.file().fork(),
            is_finished: session.is_finished(),
            is_of_file: true,
        }
    }

    /// The same settings for another text, which is complete.
    #[must_use]
    pub fn with_text(self, text: &str) -> Self {
        let mut file = Text::default();
        file.push(text.as_bytes());
        Self { file, is_finished: true, is_of_file: false, ..self }
    }

    /// Reads the bytes; `None` once it `is_cancelled`.
    pub fn read(self, is_cancelled: &impl Fn() -> bool) -> Option<Session> {
        let Self { container, options, file, is_finished, is_of_file } = self;
        let mut session = Session::new(container, &options);
        if is_of_file {
            session.set_paging(file.paging());
            if let Some(backing) = file.backing() {
                session.back(backing.clone());
            }
        }
        for start in (0..file.len()).step_by(SLICE) {
            if is_cancelled() {
                return None;
            }
            session.push(&file.read(Span::new(start, start + SLICE)));
        }
        if is_finished {
            session.finish();
        }
        Some(session)
    }
}
