//! One pass over the text for all active dialects, across the edges of what arrives.
//!
//! The scanner walks over prose from one byte that may matter to the next, asks the dialects there, and hands over to
//! a block while a call is open. It alone owns the tail that cannot be decided yet. It does not know any syntax.

use memchr::{memchr, memchr2, memchr3};

use super::surroundings::{LINE_HEAD, Setting};
use super::{Block, Dialect, Event, Examples, Place, Probe, Step, Surroundings, Triggers};
use crate::text::{Span, Text};

/// Finds calls in a text that grows.
pub struct Scanner {
    dialects: Vec<Box<dyn Dialect>>,
    examples: Examples,
    stops: Stops,
    /// Bytes that matter as the first of a line.
    line_starts: Box<[bool; 256]>,
    surroundings: Surroundings,
    /// Everything before this offset has been looked at.
    at: usize,
    /// Bytes behind `at` that a dialect has looked at in vain; it is waiting for more unless this is 0.
    looked: usize,
    /// Prose before this offset has been given.
    given: usize,
    /// The call that is open, and the number of its dialect.
    block: Option<(usize, Box<dyn Block>)>,
    /// Where the last call ended, and the number of its dialect.
    last_call: Option<(usize, usize)>,
}

impl Scanner {
    /// A scanner at the beginning of a text. Dialects that come first are asked first.
    /// `examples` says what to make of markers that are probably talked about.
    pub fn new(dialects: Vec<Box<dyn Dialect>>, examples: Examples) -> Self {
        let triggers: Vec<Triggers> = dialects.iter().map(|dialect| dialect.triggers()).collect();
        let stops = Stops::new(triggers.iter().flat_map(|triggers| triggers.anywhere.iter().copied()));
        let mut line_starts = Box::new([false; 256]);
        for &byte in triggers.iter().flat_map(|triggers| &triggers.line_start) {
            line_starts[usize::from(byte)] = true;
        }
        let surroundings = Surroundings::default();
        Self {
            dialects,
            examples,
            stops,
            line_starts,
            surroundings,
            at: 0,
            looked: 0,
            given: 0,
            block: None,
            last_call: None,
        }
    }

    /// The active dialects.
    pub fn dialects(&self) -> &[Box<dyn Dialect>] {
        &self.dialects
    }

    /// The dialect with this name, if it is active.
    pub fn dialect(&self, name: &str) -> Option<&dyn Dialect> {
        self.dialects.iter().find(|dialect| dialect.about().name == name).map(AsRef::as_ref)
    }

    /// Offset up to which everything is decided; what follows may still become a marker.
    pub fn decided(&self) -> usize {
        self.block.as_ref().map_or(self.at, |(_, block)| block.decided())
    }

    /// The lowest offset for which [`Text::since`] will still be asked.
    pub fn needed(&self) -> usize {
        self.block.as_ref().map_or(self.at, |(_, block)| block.needed())
    }

    /// Reads on as far as it can be decided, to the end if `finished`.
    pub fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<Event>) {
        loop {
            if let Some((number, block)) = &mut self.block {
                match block.advance(text, finished, &mut self.surroundings, out) {
                    Step::Wait => return,
                    Step::Closed(end) => {
                        self.last_call = Some((end, *number));
                        self.block = None;
                        self.at = end;
                        self.given = end;
                    }
                }
            } else if !self.walk_prose(text, finished, out) {
                break;
            }
        }
        if finished {
            self.prose_line(text, text.len(), out);
        }
        self.give_prose(self.at, out);
    }

    /// Walks on to the next call; false when there is none in what has arrived.
    fn walk_prose(&mut self, text: &Text, finished: bool, out: &mut Vec<Event>) -> bool {
        loop {
            let ahead = text.since(self.at);
            let at_line_start = self.at == self.surroundings.line_start()
                && ahead.first().is_some_and(|&byte| self.line_starts[usize::from(byte)]);
            if self.looked == 0 && !at_line_start {
                let Some(stop) = self.stops.find(ahead) else {
                    self.at = text.len();
                    return false;
                };
                self.at += stop;
                if ahead[stop] == b'\n' {
                    self.prose_line(text, self.at, out);
                    if self.last_call.is_some_and(|(end, _)| end > self.surroundings.line_start()) {
                        // What stands in front of the rest of this line is a call, which opens no fence.
                        self.surroundings.end_call_line(text, self.at);
                    } else {
                        self.surroundings.end_prose_line(text, self.at);
                    }
                    self.at += 1;
                    continue;
                }
            }
            match self.ask(text, finished, out) {
                Asked::Wait(looked) => {
                    self.looked = looked;
                    return false;
                }
                Asked::Passed(length) => {
                    self.at += length;
                    self.looked = 0;
                }
                Asked::Opened => {
                    self.looked = 0;
                    return true;
                }
            }
        }
    }

    /// Asks each dialect about the place it stands at.
    fn ask(&mut self, text: &Text, finished: bool, out: &mut Vec<Event>) -> Asked {
        if self.examples == Examples::Prose
            && matches!(self.surroundings.setting(text, self.at), Setting::Code | Setting::Quotation)
        {
            return Asked::Passed(1);
        }
        for number in 0..self.dialects.len() {
            let surroundings = &self.surroundings;
            let place = Place { text, at: self.at, looked: self.looked, finished, surroundings };
            let mut events = Vec::new();
            match self.dialects[number].probe(place, &mut events) {
                Probe::Nothing => {}
                Probe::Wait(looked) if !finished => return Asked::Wait(looked.max(1)),
                Probe::Wait(_) => return Asked::Passed(1),
                Probe::Prose(length) => {
                    out.append(&mut events);
                    return Asked::Passed(length.max(1));
                }
                Probe::Open(block) => {
                    self.prose_line(text, self.at, out);
                    self.give_prose(self.at, out);
                    out.append(&mut events);
                    self.block = Some((number, block));
                    return Asked::Opened;
                }
            }
        }
        Asked::Passed(1)
    }

    /// Shows the current line, as far as `end`, to the dialects; if a call ended in it, to that call's dialect.
    fn prose_line(&mut self, text: &Text, end: usize, out: &mut Vec<Event>) {
        let line_start = self.surroundings.line_start();
        match self.last_call {
            Some((call_end, number)) if call_end > line_start => {
                let rest = text.read(Span::new(call_end, end.min(call_end + LINE_HEAD)));
                self.dialects[number].rest_of_line(&rest, call_end, out);
            }
            _ if line_start < end => {
                let line = self.surroundings.head(text, end);
                for dialect in &mut self.dialects {
                    dialect.prose_line(&line, line_start, &self.surroundings, out);
                }
            }
            _ => {}
        }
    }

    fn give_prose(&mut self, end: usize, out: &mut Vec<Event>) {
        if self.given < end {
            out.push(Event::Text(Span::new(self.given, end)));
            self.given = end;
        }
    }
}

/// What the dialects said about a place.
enum Asked {
    /// One of them cannot say yet.
    Wait(usize),
    /// It is prose, this many bytes long.
    Passed(usize),
    /// A call begins there.
    Opened,
}

/// A set of bytes to stop at, always with the line feed in it.
#[derive(Clone, Debug)]
pub enum Stops {
    /// The line feed alone.
    One,
    /// One byte beside it.
    Two(u8),
    /// Two bytes beside it.
    Three(u8, u8),
    /// Any number of them.
    Many(Box<[bool; 256]>),
}

impl Stops {
    /// The line feed and these bytes.
    pub fn new(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut bytes: Vec<u8> = bytes.into_iter().filter(|&byte| byte != b'\n').collect();
        bytes.sort_unstable();
        bytes.dedup();
        match bytes[..] {
            [] => Stops::One,
            [a] => Stops::Two(a),
            [a, b] => Stops::Three(a, b),
            _ => {
                let mut table = Box::new([false; 256]);
                for byte in bytes.into_iter().chain([b'\n']) {
                    table[usize::from(byte)] = true;
                }
                Stops::Many(table)
            }
        }
    }

    /// Offset of the first of them in `bytes`.
    pub fn find(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Stops::One => memchr(b'\n', bytes),
            Stops::Two(a) => memchr2(b'\n', *a, bytes),
            Stops::Three(a, b) => memchr3(b'\n', *a, *b, bytes),
            Stops::Many(table) => bytes.iter().position(|&byte| table[usize::from(byte)]),
        }
    }
}
