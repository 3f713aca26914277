//! Plain text: the file is the transcript, a single message without a role.

use super::writer::TextWriter;
use super::{CallSource, ContainerInfo, Definition, FormatReader, Interpretation, Message, MessagePart, TextReader};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "plain",
    title: "text as a model wrote it",
    calls: CallSource::Either,
    definition: Definition::Code { claims: |_| None, open },
};

/// Creates the reader of a text.
pub(super) fn open() -> FormatReader {
    FormatReader::Text(Box::<Plain>::default())
}

#[derive(Default)]
struct Plain {
    begun: bool,
}

impl Plain {
    fn begin(&mut self, out: &mut TextWriter) {
        if !std::mem::replace(&mut self.begun, true) {
            out.message(Message::default());
            out.begin(MessagePart::Text(Interpretation::Parsed));
        }
    }
}

impl TextReader for Plain {
    fn push(&mut self, bytes: &[u8], at: usize, out: &mut TextWriter) {
        self.begin(out);
        out.copy(bytes, at);
    }

    fn finish(&mut self, out: &mut TextWriter) {
        self.begin(out);
        out.end();
    }
}
