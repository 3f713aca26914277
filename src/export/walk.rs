//! Positions of many offsets in one pass.
//!
//! An export asks for thousands of positions in the order of the text; counting on from the last one makes that linear
//! even where the whole text is a single line. This module does not know what is at the offsets.

use memchr::{memchr_iter, memrchr};

use crate::session::Session;
use crate::text::{Position, Span};

/// Counts lines and columns from one offset to the next.
#[derive(Clone, Debug)]
pub struct Walk {
    offset: usize,
    at: Position,
}

impl Default for Walk {
    fn default() -> Self {
        Self { offset: 0, at: Position { line: 1, column: 1 } }
    }
}

impl Walk {
    /// The place of `offset`; an offset in front of the last one is looked up instead of counted to.
    pub fn position(&mut self, session: &Session, offset: usize) -> Position {
        if offset < self.offset {
            return session.position(offset);
        }
        let between = session.text().read(Span::new(self.offset, offset));
        let (line, column) = match memrchr(b'\n', &between) {
            None => (self.at.line, self.at.column + characters(&between)),
            Some(last) => (self.at.line + memchr_iter(b'\n', &between).count(), 1 + characters(&between[last + 1..])),
        };
        self.offset = offset;
        self.at = Position { line, column };
        self.at
    }

    /// The line of `offset`.
    pub fn line(&mut self, session: &Session, offset: usize) -> usize {
        self.position(session, offset).line
    }
}

fn characters(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_on_gives_what_looking_up_gives() {
        let text = "one\nzwölf €x\n\n日本\r\nend";
        let session = Session::of(text.as_bytes());
        let mut walk = Walk::default();
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            assert_eq!(walk.position(&session, offset), session.position(offset), "{offset}");
            assert_eq!(walk.position(&session, 2), Position { line: 1, column: 3 });
        }
    }
}
