//! Alternative answers of a model that arrive interleaved and are written one after the other.
//!
//! The first unfinished choice is written as it arrives; later ones are buffered until it ends.

use std::collections::HashMap;

use super::fragment::Fragment;
use super::writer::TextWriter;
use super::{ContainerEvent, Message};
use crate::text::Span;

/// Choices of a response, in order of arrival.
#[derive(Debug, Default)]
pub(super) struct Choices<T> {
    all: Vec<Choice<T>>,
    /// Index of each choice by its number.
    places: HashMap<u64, usize>,
    /// Index of the first unfinished choice.
    live: usize,
}

#[derive(Debug)]
struct Choice<T> {
    /// State of its reader.
    state: T,
    is_over: bool,
    /// Output buffered while an earlier choice was unfinished.
    held: Option<TextWriter>,
}

impl<T: Default> Choices<T> {
    /// True if at least one choice has begun and all are finished.
    pub(super) fn are_over(&self) -> bool {
        self.live > 0 && self.live == self.all.len()
    }

    /// True if the choice with this number has begun.
    pub(super) fn has(&self, number: u64) -> bool {
        self.places.contains_key(&number)
    }

    /// The choice with this number and the writer for it; a new choice begins with a message. `None` if it is finished
    /// while another choice is being written.
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

    /// The choice that is written as it arrives, or the last one if all are finished.
    pub(super) fn live(&mut self) -> Option<&mut T> {
        let index = self.live.min(self.all.len().checked_sub(1)?);
        Some(&mut self.all[index].state)
    }

    /// Finishes the choice with this number and continues with the next one.
    pub(super) fn finish(&mut self, number: u64, out: &mut TextWriter) {
        if let Some(&index) = self.places.get(&number) {
            self.all[index].is_over = true;
        }
        while self.all.get(self.live).is_some_and(|choice| choice.is_over) {
            self.live += 1;
            self.write_held(out);
        }
    }

    /// Ends all choices: `close` is called for each unfinished one.
    pub(super) fn end(&mut self, out: &mut TextWriter, mut close: impl FnMut(&mut T, &mut TextWriter)) {
        while let Some(choice) = self.all.get_mut(self.live) {
            if !choice.is_over {
                close(&mut choice.state, out);
            }
            self.live += 1;
            self.write_held(out);
        }
        *self = Self::default();
    }

    /// Writes the buffered output of the choice that has become live.
    fn write_held(&mut self, out: &mut TextWriter) {
        if let Some(held) = self.all.get_mut(self.live).and_then(|choice| choice.held.take()) {
            say_again(held, out);
        }
    }
}

/// Copies the output of one writer to another; a part that is open there stays open here.
fn say_again(mut held: TextWriter, out: &mut TextWriter) {
    let batch = held.take();
    let written = Fragment { bytes: batch.text, map: held.map().clone(), ..Fragment::default() };
    let mut said = None;
    for event in batch.events {
        match event {
            ContainerEvent::Message(message) => out.message(message),
            ContainerEvent::Begin { part: piece, start } => {
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
                out.problem_with_severity(diagnostic.code, diagnostic.severity, source, diagnostic.message);
            }
            event => out.event(event),
        }
    }
    if let Some(start) = said {
        out.write(&written.slice(Span::new(start, written.bytes.len())));
    }
}
