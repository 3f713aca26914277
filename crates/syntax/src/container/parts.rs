//! The parts of a message that arrive in chunks, perhaps interleaved.
//!
//! The transcript text has one part after the other. The first open part is written as it arrives; later ones are
//! buffered until it ends.

use std::collections::{HashMap, VecDeque};

use super::call::CallText;
use super::fragment::{Fragment, HalfCharacter};
use super::json::JsonValue;
use super::messages::standing;
use super::writer::TextWriter;
use super::{ContainerEvent, MessagePart};
use crate::diagnostic::Code;
use crate::text::Span;
use crate::text::steps;

#[derive(Debug)]
struct Part {
    /// Its id; `None` if it is complete and cannot be replaced.
    key: Option<Box<str>>,
    piece: MessagePart,
    /// Content that has arrived but is not written.
    held: Fragment,
    /// Half a surrogate pair at the end of the content.
    half: HalfCharacter,
    over: bool,
    /// True if it was replaced before its beginning was written.
    replaced: bool,
}

impl Part {
    /// Ends its content.
    fn end(&mut self) {
        self.held.append(&self.half.end());
        self.over = true;
    }
}

/// Open and buffered parts, in order of arrival.
#[derive(Debug, Default)]
pub(super) struct OpenParts {
    queue: VecDeque<Part>,
    /// Number of parts that have left the queue.
    gone: usize,
    /// Number of the open part with each key; the numbers include parts that have left the queue.
    open: HashMap<Box<str>, usize>,
    /// Number of the last part with each key in the queue, open or not.
    latest: HashMap<Box<str>, usize>,
    /// True if the beginning of the first part has been written.
    begun: bool,
    /// Offset of the last call or result with each key, and true for a result; needed if another one replaces it.
    starts: HashMap<Box<str>, (usize, bool)>,
    /// Number of parts at the front that belong to an earlier step.
    earlier: usize,
    /// True if the stream has steps.
    has_steps: bool,
    /// Offset of the first part of the step.
    step: Option<usize>,
}

impl OpenParts {
    pub(super) fn has(&self, key: &str) -> bool {
        self.open.contains_key(key)
    }

    pub(super) fn any_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Begins a step, which may be withdrawn.
    pub(super) fn begin_step(&mut self) {
        self.has_steps = true;
        self.earlier = self.queue.len();
        self.step = None;
    }

    /// Offset of the step in the transcript, if any of it is written.
    pub(super) fn step(&self) -> Option<usize> {
        self.step
    }

    /// Begins a part; ends an open one with the same key.
    pub(super) fn open(&mut self, key: &str, piece: MessagePart, out: &mut TextWriter) {
        self.close(key, out);
        let number = self.push(Some(key), piece, Fragment::default(), false);
        self.open.insert(key.into(), number);
        self.flush(out);
    }

    /// Begins a call with the text that has arrived; ends an open one with the same key.
    pub(super) fn open_call(&mut self, key: &str, call: &CallText, out: &mut TextWriter) {
        self.open(key, call.part(None), out);
        self.write(key, &call.text, out);
    }

    /// Adds content to an open part; returns false if there is none with this key.
    pub(super) fn write(&mut self, key: &str, fragment: &Fragment, out: &mut TextWriter) -> bool {
        steps::add_bytes(fragment.bytes.len());
        let Some(number) = self.open.get(key) else { return false };
        let index = number - self.gone;
        let part = &mut self.queue[index];
        let joined = part.half.join(fragment);
        if index == 0 {
            out.write(&joined);
        } else {
            part.held.append(&joined);
        }
        true
    }

    pub(super) fn close(&mut self, key: &str, out: &mut TextWriter) {
        if let Some(number) = self.open.remove(key) {
            self.queue[number - self.gone].end();
            self.flush(out);
        }
    }

    pub(super) fn close_all(&mut self, out: &mut TextWriter) {
        self.open.clear();
        for part in &mut self.queue {
            steps::add(1);
            part.end();
        }
        self.flush(out);
    }

    /// Adds a complete part.
    pub(super) fn whole(&mut self, piece: MessagePart, fragment: Fragment, out: &mut TextWriter) {
        self.push(None, piece, fragment, true);
        self.flush(out);
    }

    /// Adds a complete part that another one with this key may replace.
    pub(super) fn whole_as(&mut self, key: &str, piece: MessagePart, fragment: Fragment, out: &mut TextWriter) {
        self.push(Some(key), piece, fragment, true);
        self.flush(out);
    }

    /// Adds the parts written to `apart` as complete parts; messages that begin there are ignored.
    pub(super) fn append(&mut self, mut apart: TextWriter, out: &mut TextWriter) {
        let batch = apart.take();
        let written = Fragment { bytes: batch.text, map: apart.map().clone(), ..Fragment::default() };
        let mut begun = None;
        for event in batch.events {
            match event {
                ContainerEvent::Begin { part: piece, start } => begun = Some((piece, start)),
                ContainerEvent::End { end } => {
                    if let Some((piece, start)) = begun.take() {
                        self.whole(piece, written.slice(Span::new(start, end)), out);
                    }
                }
                ContainerEvent::Problem { diagnostic, source } => {
                    out.problem_with_severity(diagnostic.code, diagnostic.severity, source, diagnostic.message);
                }
                _ => {}
            }
        }
    }

    /// Shows an event raw, as a separate part with this name.
    pub(super) fn show_raw(&mut self, name: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        self.whole(MessagePart::Envelope(name.into()), standing(event), out);
    }

    /// Reports an event of unknown type, or one whose `part` has an unknown type.
    pub(super) fn unknown(
        &mut self,
        what: &str,
        kind: &str,
        part: JsonValue<'_>,
        event: JsonValue<'_>,
        out: &mut TextWriter,
    ) {
        let message = format!("unknown {what} {kind:?}; shown raw");
        out.problem(Code::UnknownRecord, part.source(), message);
        self.show_raw(kind, event, out);
    }

    /// Adds content to the part of a message; if it is not open, the event is shown raw.
    pub(super) fn delta(&mut self, key: &str, more: &Fragment, event: JsonValue<'_>, out: &mut TextWriter) {
        if !self.write(key, more, out) {
            let message = "delta for a part that is not open; shown raw";
            out.problem(Code::StrayDelta, event.source(), message);
            self.show_raw("delta", event, out);
        }
    }

    /// Marks the last part with this key as superseded by another one. This takes effect even before the part ends,
    /// so that none of its faults are reported.
    pub(super) fn replace(&mut self, key: &str, out: &mut TextWriter) {
        let queued = self.latest.get(key).map(|number| number - self.gone);
        if let Some(index) = queued {
            self.queue[index].replaced = true;
        }
        if queued.is_none_or(|index| index == 0 && self.begun) {
            self.tell_replaced(key, out);
        }
        self.close(key, out);
    }

    fn tell_replaced(&mut self, key: &str, out: &mut TextWriter) {
        if let Some((start, is_result)) = self.starts.remove(key) {
            let end = out.len();
            out.event(ContainerEvent::Replaced { start, end, is_result });
        }
    }

    /// Adds a part to the queue; returns its number.
    fn push(&mut self, key: Option<&str>, piece: MessagePart, held: Fragment, over: bool) -> usize {
        let number = self.gone + self.queue.len();
        if let Some(key) = key {
            self.latest.insert(key.into(), number);
        }
        steps::add(1);
        self.queue.push_back(Part {
            key: key.map(Box::from),
            piece,
            held,
            over,
            half: HalfCharacter::default(),
            replaced: false,
        });
        number
    }

    /// Writes everything that can be written.
    fn flush(&mut self, out: &mut TextWriter) {
        while let Some(part) = self.queue.front_mut() {
            if !std::mem::replace(&mut self.begun, true) {
                let begins_step = self.earlier == 0 && self.step.is_none();
                let piece = part.piece.clone();
                let start = if begins_step && self.has_steps { out.begin_step(piece) } else { out.begin(piece) };
                if begins_step {
                    self.step = Some(start);
                }
                if let (MessagePart::Call(_) | MessagePart::Result(_), Some(key)) = (&part.piece, &part.key) {
                    let is_result = matches!(part.piece, MessagePart::Result(_));
                    self.starts.insert(key.clone(), (start, is_result));
                }
            }
            let held = std::mem::take(&mut part.held);
            out.write(&held);
            if !part.over {
                break;
            }
            if let (true, Some(key)) = (part.replaced, &part.key)
                && let Some((start, is_result)) = self.starts.remove(key)
            {
                out.event(ContainerEvent::Replaced { start, end: out.len(), is_result });
            }
            out.end();
            self.begun = false;
            self.earlier = self.earlier.saturating_sub(1);
            if let Some(Part { key: Some(key), .. }) = self.queue.pop_front()
                && self.latest.get(&key) == Some(&self.gone)
            {
                self.latest.remove(&key);
            }
            self.gone += 1;
        }
    }
}
