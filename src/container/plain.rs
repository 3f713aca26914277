//! Plain text: the file is the transcript, one message of nobody in particular.

use super::writer::Writer;
use super::{About, Flow, Message, Opened, Piece, Reading};

pub(super) static ABOUT: About = About {
    name: "plain",
    title: "text as a model wrote it",
    claims: |_| None,
    open: || Opened::Flow(Box::<Plain>::default()),
};

#[derive(Default)]
struct Plain {
    begun: bool,
}

impl Plain {
    fn begin(&mut self, out: &mut Writer) {
        if !std::mem::replace(&mut self.begun, true) {
            out.message(Message::default());
            out.begin(Piece::Text(Reading::Parsed));
        }
    }
}

impl Flow for Plain {
    fn push(&mut self, bytes: &[u8], at: usize, out: &mut Writer) {
        self.begin(out);
        out.copy(bytes, at);
    }

    fn finish(&mut self, out: &mut Writer) {
        self.begin(out);
        out.end();
    }
}
