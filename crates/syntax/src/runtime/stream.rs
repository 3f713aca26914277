//! The deltas that a client receives when a message arrives in pieces.

mod argument_steps;
mod chunk;
mod completion;

use argument_steps::{AT_END, CallFinder, CallSteps, of_call};
pub use chunk::Cut;

use super::outcome::{DeliveredCall, PartKind, RuntimeReading};
use super::profile::{Profile, Sends, WithoutTools};
use super::reading::{read, read_streamed};
use super::request::ToolRequest;
use crate::text::Span;

/// Least length in bytes of a marker whose beginning is held back.
const SHORTEST_HELD: usize = 2;

/// The reading of a message that arrives in pieces.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamReading {
    /// The deltas that the client receives, in order.
    pub deltas: Vec<StreamDelta>,
    /// The sum of the deltas, with its places in the message.
    pub reading: RuntimeReading,
    /// True if the profile states when its parser sends the parts of a call; otherwise each call is given at its end.
    pub is_timed: bool,
}

/// A part of the message that the client receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamDelta {
    /// Number of the piece after which it is sent, from 0; the number of pieces for what is sent at the end.
    pub piece: usize,
    /// The text that is sent, and the part of the answer that it continues.
    pub part: DeltaPart,
}

/// The part of the message in a delta.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeltaPart {
    /// Text that continues the answer.
    Content(String),
    /// Text that continues the reasoning.
    Reasoning(String),
    /// The name of a call, by the number of the call from 0; it begins the call.
    Name(usize, String),
    /// Text that continues the arguments of a call.
    Arguments(usize, String),
    /// The message of an error, which ends the answer.
    Error(String),
}

impl DeltaPart {
    /// Appends a part of the same kind and call; false if it is another.
    fn join(&mut self, other: &DeltaPart) -> bool {
        match (self, other) {
            (Self::Content(text), Self::Content(more)) | (Self::Reasoning(text), Self::Reasoning(more)) => {
                text.push_str(more);
                true
            }
            (Self::Arguments(call, text), Self::Arguments(same, more)) if call == same => {
                text.push_str(more);
                true
            }
            _ => false,
        }
    }
}

/// Reads a message that arrives in pieces, which end at these offsets. The last one must be the length of the text.
pub fn read_in_pieces(profile: &Profile, text: &str, request: &ToolRequest, ends: &[usize]) -> StreamReading {
    let reading = read_streamed(profile, text, request).unwrap_or_else(|| read(profile, text, request));
    let sends = profile.sends.clone().unwrap_or_default();
    let mut stream = Assembly { text, request, ends, sends: &sends, found: Vec::new() };
    match &reading.outcome.error {
        Some(error) => stream.add(AT_END, 0, DeltaPart::Error(error.clone())),
        None => stream.fill(profile, &reading),
    }
    let deltas = stream.deltas();
    StreamReading { deltas, reading, is_timed: profile.sends.is_some() }
}

/// A part to send: the length of the message that must have arrived, its place among parts of the same moment, and it.
type Found = (usize, usize, DeltaPart);

struct Assembly<'a> {
    text: &'a str,
    request: &'a ToolRequest,
    ends: &'a [usize],
    sends: &'a Sends,
    found: Vec<Found>,
}

impl Assembly<'_> {
    fn add(&mut self, at: usize, place: usize, part: DeltaPart) {
        self.found.push((at, place, part));
    }

    fn fill(&mut self, profile: &Profile, reading: &RuntimeReading) {
        let behaviour = profile.streamed.as_ref().unwrap_or(&profile.whole);
        let marks: Vec<&str> = behaviour.grammar.literals();
        let is_plain = behaviour.rules.without_tools == WithoutTools::Text && self.request.tools().is_empty();
        let held = if is_plain { vec![0; self.ends.len()] } else { self.held(&marks) };
        let outcome = &reading.outcome;
        let texts = [
            (outcome.content.as_deref(), PartKind::Content, DeltaPart::Content as fn(String) -> DeltaPart),
            (outcome.reasoning.as_deref(), PartKind::Reasoning, DeltaPart::Reasoning),
        ];
        for (delivered, kind, part) in texts {
            let spans = reading.parts.iter().filter(|found| found.kind == kind).map(|found| found.span);
            self.prose(delivered.unwrap_or_default(), spans, &held, part);
        }
        self.calls(&outcome.calls);
    }

    /// Number of bytes at the end of each piece that may begin a marker.
    fn held(&self, marks: &[&str]) -> Vec<usize> {
        let can_be_held = |mark: &&&str| mark.len() >= SHORTEST_HELD && mark.starts_with(['<', '[']);
        let openers: Vec<&str> = marks.iter().filter(can_be_held).copied().collect();
        let longest = openers.iter().map(|mark| mark.len()).max().unwrap_or(0);
        let of_piece = |end: usize| {
            let start = end.saturating_sub(longest.saturating_sub(1));
            let tails = (start..end).filter(|at| self.text.is_char_boundary(*at)).map(|at| &self.text[at..end]);
            let begins = |tail: &&str| openers.iter().any(|mark| mark.len() > tail.len() && mark.starts_with(*tail));
            tails.filter(begins).map(str::len).next()
        };
        self.ends.iter().map(|end| of_piece(*end).unwrap_or(0)).collect()
    }

    /// Adds the text of the answer or its reasoning: each character when it has arrived and cannot begin a marker.
    fn prose(
        &mut self,
        delivered: &str,
        spans: impl Iterator<Item = Span>,
        held: &[usize],
        part: fn(String) -> DeltaPart,
    ) {
        let mut rest = delivered.char_indices().peekable();
        let mut last = 0;
        for span in spans {
            for (at, c) in self.text[span.start..span.end].char_indices() {
                if rest.next_if(|(_, next)| *next == c).is_none() {
                    continue;
                }
                let arrived = span.start + at + c.len_utf8();
                let piece = self.ends.partition_point(|end| *end < arrived);
                let free = |number: &usize| arrived + held[*number] <= self.ends[*number];
                let at = (piece..self.ends.len()).find(free).map_or(AT_END, |number| self.ends[number]);
                last = at;
                self.add(at, arrived, part(c.to_string()));
            }
        }
        let made_up: String = rest.map(|(_, c)| c).collect();
        if !made_up.is_empty() {
            self.add(last, self.text.len(), part(made_up));
        }
    }

    fn calls(&mut self, calls: &[DeliveredCall]) {
        let starts: Vec<usize> = calls
            .iter()
            .map(|call| call.name_place.span().map_or(call.span.start, |name| name.start.max(call.span.start)))
            .collect();
        for (number, call) in calls.iter().enumerate() {
            let limit = starts.get(number + 1).map_or(self.text.len(), |next| (*next).max(starts[number]));
            let Self { text: message, sends, request, ends, .. } = *self;
            let finder = CallFinder { message, sends, request, limit, ends };
            let CallSteps { name, text, steps } = of_call(call, &finder);
            let place = starts[number];
            self.add(name, place, DeltaPart::Name(number, call.name.clone().unwrap_or_default()));
            let mut sent = 0;
            for step in steps {
                let fragment = text[sent..step.length].to_owned();
                sent = step.length;
                if !fragment.is_empty() {
                    self.add(step.at, place, DeltaPart::Arguments(number, fragment));
                }
            }
        }
    }

    /// The deltas in order; parts of the same kind after the same piece are joined.
    fn deltas(mut self) -> Vec<StreamDelta> {
        let piece = |at: usize| self.ends.partition_point(|end| *end < at);
        self.found.sort_by_key(|(at, place, _)| (piece(*at), *place));
        let mut deltas: Vec<StreamDelta> = Vec::new();
        for (at, _, part) in &self.found {
            let piece = piece(*at);
            let is_joined = deltas.last_mut().is_some_and(|last| last.piece == piece && last.part.join(part));
            if !is_joined {
                deltas.push(StreamDelta { piece, part: part.clone() });
            }
        }
        deltas
    }
}
