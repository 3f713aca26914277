//! How a session reads on: the scanner goes over what has arrived, and the document takes in what it sees.
//!
//! A scanner may go back to what a call had swallowed; what has left memory by then is read again, in slices. This
//! module does not know what a call is.

use super::Session;
use super::pieces::Now;
use crate::dialect::Event;
use crate::text::{Span, Text};

/// Bytes that are read again at a time.
const AGAIN: usize = 256 * 1024;

impl Session {
    /// Reads on as far as it can be decided, to the end of what there is if it `ends` here.
    pub(super) fn advance(&mut self, ends: bool) {
        match &self.now {
            Now::Text => {}
            Now::Call(call) => return self.go_on(call.start),
            Now::Said | Now::Between => return self.go_on(self.text.len()),
        }
        let mut events = std::mem::take(&mut self.events);
        // The whole text, where the scanner has gone back further than memory does and what is behind is read again.
        let mut whole: Option<Text> = None;
        loop {
            let ends = ends && whole.as_ref().is_none_or(|whole| whole.len() == self.text.len());
            let behind_call = self.scanner.advance(&self.text, ends, &mut events);
            let (decided, needed) = (self.scanner.decided(), self.scanner.needed());
            for event in events.drain(..) {
                let ended = matches!(event, Event::Close(_));
                self.document.apply(event, &self.text);
                if ended {
                    self.judge_last_call(None);
                }
            }
            if needed < self.text.released() {
                let rewound = whole.as_ref().unwrap_or(&self.text).rewound(needed);
                let before = std::mem::replace(&mut self.text, rewound);
                whole.get_or_insert(before);
            } else if !behind_call {
                self.document.stretch(decided);
                self.go_on(needed);
                let Some(whole) = whole.as_ref().filter(|whole| self.text.len() < whole.len()) else { break };
                let start = self.text.len();
                self.text.push(&whole.read(Span::new(start, start + AGAIN)));
            }
        }
        self.events = events;
    }

    /// Everything before `needed` has been taken in.
    pub(super) fn go_on(&mut self, needed: usize) {
        self.document.arrange();
        self.text.release(needed);
    }
}
