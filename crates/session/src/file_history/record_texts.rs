//! The records that results were decoded from, and what they state about the text of a file.

use std::collections::HashMap;

use serde_json::Value;

use super::recorded_text::{self, RecordTexts, RecordedTexts};
use crate::session::Session;
use crate::text::{Span, Text};

/// Maximum bytes of a document that is read for its results.
const LARGEST: usize = 64 << 20;

/// The records of results, read on demand.
#[derive(Clone, Debug, Default)]
pub(super) struct ResultRecords {
    /// Line of the result before, and what it states.
    line: Option<(Span, RecordTexts)>,
    /// The texts by the id of their call, of a file that is a single document with such texts; read once.
    document: Option<HashMap<String, RecordedTexts>>,
}

impl ResultRecords {
    /// The texts that the record of the result of the call with an id states.
    pub(super) fn texts(&mut self, session: &Session, result: Span, id: &str) -> RecordedTexts {
        if !session.is_decoded() {
            return RecordedTexts::default();
        }
        let source = session.source_of(result);
        let (_, line) = session.file_lines().around(session.file(), source.start);
        if self.line.as_ref().is_none_or(|(known, _)| *known != line) {
            self.line = Some((line, RecordTexts::new(&session.file().read(line))));
        }
        let stated = match self.line.as_mut().map(|(_, texts)| texts) {
            Some(RecordTexts::ByCall(texts)) => return texts.get(id).cloned().unwrap_or_default(),
            // A further result of the line may be about another file.
            Some(RecordTexts::One(texts)) => std::mem::take(texts),
            None => RecordedTexts::default(),
        };
        if stated == RecordedTexts::default() && is_in_document(session.file()) {
            return self.document(session).get(id).cloned().unwrap_or_default();
        }
        stated
    }

    /// The texts of a file that is one document.
    fn document(&mut self, session: &Session) -> &HashMap<String, RecordedTexts> {
        self.document.get_or_insert_with(|| {
            let file = session.file();
            let whole = || serde_json::from_slice::<Value>(&file.read(Span::new(0, file.len()))).ok();
            let document = (file.len() <= LARGEST && session.is_finished()).then(whole).flatten().unwrap_or_default();
            recorded_text::of_document(&document)
        })
    }
}

/// True if a file is one document with a member a line: its first line is an opening brace.
fn is_in_document(file: &Text) -> bool {
    const START: usize = 16;
    let start = file.read(Span::new(0, START));
    start.trim_ascii_start().strip_prefix(b"{").is_some_and(|rest| matches!(rest.first(), Some(b'\n' | b'\r')))
}
