//! Properties of every piece that a container reads from a file. Independent of the source of the bytes.

use transcope::container::{Batch, ContainerEvent, Message};

/// Checks that messages and pieces are contiguous, with nothing but line feeds left out between them.
pub fn tiles(place: &str, batch: &Batch) {
    let mut at = 0;
    let mut open = false;
    let between = |from: usize, to: usize| {
        assert!(from <= to && to <= batch.text.len(), "{place}: {from} to {to}");
        let gap = &batch.text[from..to];
        assert!(gap.is_empty() || gap == b"\n", "{place}: {:?} is in no piece", String::from_utf8_lossy(gap));
    };
    let mut said = false;
    for event in &batch.events {
        match event {
            ContainerEvent::Message(Message { start, .. }) => {
                assert!(!open, "{place}: a message begins in a piece");
                between(at, *start);
                said = true;
            }
            ContainerEvent::Begin { start, .. } => {
                assert!(said && !std::mem::replace(&mut open, true), "{place}: a piece in a piece, or in no message");
                between(at, *start);
                at = *start;
            }
            ContainerEvent::End { end } => {
                assert!(std::mem::replace(&mut open, false) && at <= *end, "{place}: an end without a beginning");
                at = *end;
            }
            _ => {}
        }
    }
    assert!(!open, "{place}: a piece has no end");
    between(at, batch.text.len());
}
