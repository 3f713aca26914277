//! Answers of a model that are alternatives and arrive side by side: one is said behind the other.
//!
//! The first one that is not over is handed on as it comes; what those behind it say is held until then.

use std::collections::HashMap;

use super::fragment::Fragment;
use super::writer::TextWriter;
use super::{ContainerEvent, Message};
use crate::text::Span;

/// The choices of a response, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Choices<T> {
    all: Vec<Choice<T>>,
    /// The index of each by its number.
    places: HashMap<u64, usize>,
    /// Index of the first one that is not over.
    live: usize,
}

#[derive(Debug)]
struct Choice<T> {
    /// What its reader keeps of it.
    state: T,
    is_over: bool,
    /// What it has said while an earlier one was not over.
    held: Option<TextWriter>,
}

impl<T: Default> Choices<T> {
    /// Whether one has begun, and all that have are over.
    pub(super) fn are_over(&self) -> bool {
        self.live > 0 && self.live == self.all.len()
    }

    /// Whether the choice with this number has begun.
    pub(super) fn has(&self, number: u64) -> bool {
        self.places.contains_key(&number)
    }

    /// The choice with this number and where it is to be written; a new one begins with a message. Nothing of one that is
    /// over while another one is being said.
    pub(super) fn writing<'a>(
        &'a mut self,
        number: u64,
        about: &Message,
        out: &'a mut TextWriter,
    ) -> Option<(&'a mut T, &'a mut TextWriter)> {
        let known = self.places.get(&number).copied();
        let index = known.unwrap_or(self.all.len());
        let is_past = index < self.live && self.live < self.all.len();
        if known.is_none() {
            let held = (index > self.live).then(TextWriter::default);
            self.all.push(Choice { state: T::default(), is_over: false, held });
            self.places.insert(number, index);
        }
        let Choice { state, held, .. } = self.all.get_mut(index).filter(|_| !is_past)?;
        let out = held.as_mut().unwrap_or(out);
        if known.is_none() {
            let label = (number > 0).then(|| format!("choice {number}").into());
            out.message(Message { label, ..about.clone() });
        }
        Some((state, out))
    }

    /// The one that is handed on as it comes, or the last one if all are over.
    pub(super) fn live(&mut self) -> Option<&mut T> {
        let index = self.live.min(self.all.len().checked_sub(1)?);
        Some(&mut self.all[index].state)
    }

    /// The choice with this number is over: the next one is handed on.
    pub(super) fn finish(&mut self, number: u64, out: &mut TextWriter) {
        if let Some(&index) = self.places.get(&number) {
            self.all[index].is_over = true;
        }
        while self.all.get(self.live).is_some_and(|choice| choice.is_over) {
            self.live += 1;
            self.hand_on(out);
        }
    }

    /// Nothing more comes of any of them: `close` ends each that is not over.
    pub(super) fn end(&mut self, out: &mut TextWriter, mut close: impl FnMut(&mut T, &mut TextWriter)) {
        while let Some(choice) = self.all.get_mut(self.live) {
            if !choice.is_over {
                close(&mut choice.state, out);
            }
            self.live += 1;
            self.hand_on(out);
        }
        *self = Self::default();
    }

    /// Says what was held of the choice that is handed on from now on.
    fn hand_on(&mut self, out: &mut TextWriter) {
        if let Some(held) = self.all.get_mut(self.live).and_then(|choice| choice.held.take()) {
            say_again(held, out);
        }
    }
}

/// Says in one text what was said in another; a piece that is open there is open here.
fn say_again(mut held: TextWriter, out: &mut TextWriter) {
    let batch = held.take();
    let written = Fragment { bytes: batch.text, map: held.map().clone(), ..Fragment::default() };
    let mut said = None;
    for event in batch.events {
        match event {
            ContainerEvent::Message(message) => out.message(message),
            ContainerEvent::Begin { piece, start } => {
                out.begin(piece);
                said = Some(start);
            }
            ContainerEvent::End { end } => {
                if let Some(start) = said.take() {
                    out.write(&written.slice(Span::new(start, end)));
                }
                out.end();
            }
            ContainerEvent::Problem { diagnostic, source } => {
                if let Some(start) = said.replace(diagnostic.span.start) {
                    out.write(&written.slice(Span::new(start, diagnostic.span.start)));
                } else {
                    said = None;
                }
                out.weighty(diagnostic.code, diagnostic.severity, source, diagnostic.message);
            }
            event => out.event(event),
        }
    }
    if let Some(start) = said {
        out.write(&written.slice(Span::new(start, written.bytes.len())));
    }
}
