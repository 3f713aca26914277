//! Finds the records of a JSON file: concatenated values, each on a line or not, or one large document whose parts are
//! records.
//!
//! Bytes that are not JSON are skipped up to the next line that begins with a bracket, so that the valid parts before
//! and after them stay readable.

use super::json::{Flaw, Index, RecordPositions, flaw, strict};
use super::records::{Framed, Framer, JsonRecord, MAX_RECORD};
use crate::text::Span;
use crate::value::ContainerKind;
use crate::value::json::lexer::Strings;
use crate::value::json::machine::{JsonEvent, JsonParser};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// Most open containers whose beginning is remembered. One that is nested deeper and does not end is given up as a
/// whole.
const MOST_BEGUN: usize = 1 << 16;

/// Bytes that have been read are dropped when this many have accumulated.
const SLACK: usize = 256 * 1024;

/// Finds records that are JSON values.
#[derive(Debug)]
pub(super) struct Values {
    buffer: Vec<u8>,
    /// Offset in the file of the first byte of the buffer.
    base: usize,
    /// Number of bytes of the buffer that have been read.
    at: usize,
    drill: &'static [&'static str],
    /// Keys that make an object a single record, if one of them precedes the keys of `drill`.
    whole: &'static [&'static str],
    /// State of an object that may be read in parts.
    taking: Taking,
    most: usize,
    machine: Option<JsonParser>,
    /// The open containers that are read in parts, and the last key read in each.
    frames: Vec<(ContainerKind, Option<String>)>,
    index: Index,
    /// Offset of the open record, and the number of containers open in it.
    record: Option<(usize, usize)>,
    /// Offset of the value that the lexer reads.
    value: usize,
    skipped: Option<Skipped>,
    /// True if a record has ended on this line.
    used: bool,
    /// True if a record that was read in parts was given up.
    given_up: bool,
    /// Depth and offset in the file of each open container that begins a line.
    begun: Vec<(usize, usize)>,
    /// Offsets in the file of lines on which given-up input began containers that were still open at its end, the
    /// last one first: reading again from there would end at the same place.
    known_dead_ends: Vec<usize>,
    /// Range with too many of them to remember; nothing in it is read again.
    passed_over: Span,
}

/// Decision whether the open object is read in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taking {
    /// Decided, or the object has not begun.
    Decided,
    /// Held until a key decides.
    Undecided,
    /// Undecided, and the last key is one whose elements are records, if it has any.
    AtKey,
    /// Read again, in parts.
    InParts,
}

/// Bytes that are skipped, starting at the current position.
#[derive(Clone, Copy, Debug)]
struct Skipped {
    flaw: Option<(Flaw, usize)>,
    mid_line: bool,
}

/// Result of an event of the lexer; offsets are in the buffer.
enum LexerResult {
    Record(usize, usize),
    Close,
    Glued(usize),
    Broken { start: usize, end: usize, flaw: Option<(Flaw, usize)>, last: bool },
}

impl Values {
    /// Finds the records of a file, starting at its byte `base`.
    pub(super) fn new(drill: &'static [&'static str], base: usize) -> Self {
        Self {
            buffer: Vec::new(),
            base,
            at: 0,
            drill,
            whole: &[],
            taking: Taking::Decided,
            most: MAX_RECORD,
            machine: None,
            frames: Vec::new(),
            index: Index::default(),
            record: None,
            value: 0,
            skipped: None,
            used: false,
            given_up: false,
            begun: Vec::new(),
            known_dead_ends: Vec::new(),
            passed_over: Span::default(),
        }
    }

    /// Makes an object a single record if one of the keys in `whole` precedes the drilled ones, or if it
    /// has neither.
    pub(super) fn with_whole(self, whole: &'static [&'static str]) -> Self {
        Self { whole, ..self }
    }

    fn forget(&mut self) {
        if self.at < SLACK && self.at < self.buffer.len() {
            return;
        }
        self.buffer.drain(..self.at);
        self.base += self.at;
        if let Some(machine) = &mut self.machine {
            machine.forget(self.at);
        }
        if let Some((start, _)) = &mut self.record {
            *start -= self.at;
        }
        self.value = self.value.saturating_sub(self.at);
        self.at = 0;
    }

    fn find(&mut self, finished: bool) -> Option<LexerResult> {
        loop {
            if std::mem::take(&mut self.given_up) {
                return Some(LexerResult::Close);
            }
            if self.skipped.is_some() {
                return self.skip(finished);
            }
            if self.machine.is_none() {
                let is_mark_begun = MARK.starts_with(&self.buffer) && self.buffer.len() < MARK.len();
                if self.base == 0 && is_mark_begun && !finished {
                    return None;
                }
                self.blank();
                if self.at == self.buffer.len() {
                    return None;
                }
                if std::mem::take(&mut self.used) {
                    return Some(LexerResult::Glued(self.at));
                }
                self.machine = Some(machine_at(self.at));
                self.value = self.at;
            }
            let start = self.record.map_or(self.at, |(start, _)| start);
            let whole = self.buffer.len() <= start + self.most;
            let bytes = &self.buffer[..self.buffer.len().min(start + self.most)];
            let machine = self.machine.as_mut().expect("it was made above");
            match machine.next(bytes, finished && whole) {
                Some(step) => match strict(step, bytes) {
                    Ok(()) => {
                        if let Some(found) = self.take(step) {
                            return Some(found);
                        }
                    }
                    Err(fault) => self.give_up(flaw(fault), fault.start),
                },
                None if machine.is_complete() => {
                    self.at = machine.offset();
                    self.machine = None;
                    self.used = true;
                }
                None if !whole && self.may_be_divided(start) => self.read_in_parts(start),
                None if !whole => self.give_up(Flaw::TooLarge, start),
                None => return None,
            }
        }
    }

    fn blank(&mut self) {
        while let Some(byte) = self.buffer.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.used &= *byte != b'\n';
            self.at += 1;
        }
        // A byte order mark is not part of the first record.
        if self.base + self.at == 0 && self.buffer.starts_with(MARK) {
            self.at = MARK.len();
            self.blank();
        }
    }

    fn take(&mut self, step: JsonEvent) -> Option<LexerResult> {
        if self.taking != Taking::Decided && self.turns_to_parts(step) {
            self.begun.clear();
            return None;
        }
        self.note_open(step);
        if let Some((start, depth)) = &mut self.record {
            let start = *start;
            match step {
                JsonEvent::Begin(..) => *depth += 1,
                JsonEvent::End(_) => *depth -= 1,
                _ => {}
            }
            let over = *depth == 0;
            self.index.take(step, start).expect("faults have been taken out");
            if over && !self.index.is_whole() && self.may_be_divided(start) {
                self.read_in_parts(start);
                return None;
            }
            return match step {
                JsonEvent::End(end) if over => Some(self.deliver(start, end)),
                _ => None,
            };
        }
        match step {
            JsonEvent::Begin(bracket, at) => {
                if self.is_drilled(bracket) && !self.may_be_whole(bracket) {
                    self.frames.push((bracket, None));
                    self.at = at + 1;
                } else {
                    self.index.clear();
                    self.index.take(step, at).expect("it is not a fault");
                    self.record = Some((at, 1));
                }
                None
            }
            JsonEvent::Key(token) => {
                let key = String::from_utf8_lossy(token.content(&self.buffer)).into_owned();
                if let Some((_, last)) = self.frames.last_mut() {
                    *last = Some(key);
                }
                None
            }
            JsonEvent::Scalar(token) => {
                self.index.clear();
                self.index.take(step, token.start).expect("it is not a fault");
                Some(self.deliver(token.start, token.end))
            }
            JsonEvent::End(end) => {
                self.frames.pop();
                self.at = end;
                self.frames.is_empty().then_some(LexerResult::Close)
            }
            JsonEvent::Fault(_) => None,
        }
    }

    /// Tracks the open containers that begin a line.
    fn note_open(&mut self, step: JsonEvent) {
        let depth = self.frames.len() + self.record.map_or(0, |(_, depth)| depth);
        match step {
            JsonEvent::Begin(_, at) if self.buffer[..at].ends_with(b"\n") && self.begun.len() < MOST_BEGUN => {
                self.begun.push((depth + 1, self.base + at));
            }
            JsonEvent::End(_) => _ = self.begun.pop_if(|begun| begun.0 == depth),
            _ => {}
        }
    }

    /// True if reading again from `offset` would end at a place that is already known.
    fn is_hopeless(&mut self, offset: usize) -> bool {
        while self.known_dead_ends.pop_if(|known| *known < offset).is_some() {}
        self.known_dead_ends.last() == Some(&offset) || self.passed_over.contains(offset)
    }

    /// True if the container that begins here is read in parts.
    fn is_drilled(&self, bracket: ContainerKind) -> bool {
        match self.frames.as_slice() {
            [] => bracket == ContainerKind::Array || !self.drill.is_empty(),
            [(ContainerKind::Object, Some(key))] => self.drill.contains(&key.as_str()),
            // A path of two keys.
            [(ContainerKind::Object, Some(outer)), (ContainerKind::Object, Some(key))] => {
                let is_path = |path: &&str| path.split_once('.') == Some((outer, key));
                self.drill.iter().any(is_path)
            }
            _ => false,
        }
    }

    /// True if the keys of the object that begins here decide whether it is read in parts.
    fn may_be_whole(&mut self, bracket: ContainerKind) -> bool {
        let is_open = self.taking != Taking::InParts && bracket == ContainerKind::Object && !self.whole.is_empty();
        let may_be = is_open && self.frames.is_empty();
        self.taking = if may_be { Taking::Undecided } else { Taking::Decided };
        may_be
    }

    /// True if this event decides that the open object is read in parts: it is read again from its beginning.
    fn turns_to_parts(&mut self, step: JsonEvent) -> bool {
        let Some((start, 1)) = self.record else { return false };
        match step {
            JsonEvent::Key(token) => {
                let key = String::from_utf8_lossy(token.content(&self.buffer));
                let is_among = |keys: &[&str]| keys.iter().any(|known| *known == key);
                self.taking = if is_among(self.whole) {
                    Taking::Decided
                } else if is_among(self.drill) {
                    Taking::AtKey
                } else {
                    Taking::Undecided
                };
                false
            }
            JsonEvent::Begin(..) if self.taking == Taking::AtKey => {
                self.read_in_parts(start);
                true
            }
            _ => false,
        }
    }

    /// True if the record at `start` is an object of the file that can be read in parts if it is too large.
    fn may_be_divided(&self, start: usize) -> bool {
        self.record.is_some()
            && self.frames.is_empty()
            && !self.whole.is_empty()
            && self.buffer.get(start) == Some(&b'{')
    }

    /// Reads the object at `start` again, in parts.
    fn read_in_parts(&mut self, start: usize) {
        self.record = None;
        self.taking = Taking::InParts;
        self.machine = Some(machine_at(start));
        self.begun.clear();
    }

    fn deliver(&mut self, start: usize, end: usize) -> LexerResult {
        self.record = None;
        self.taking = Taking::Decided;
        self.at = end;
        if self.index.is_whole() {
            LexerResult::Record(start, end)
        } else {
            LexerResult::Broken { start, end, flaw: Some((Flaw::TooLarge, self.base + start)), last: true }
        }
    }

    /// Gives up the open value because of a flaw at `at`, and begins to skip.
    fn give_up(&mut self, flaw: Flaw, at: usize) {
        // Records already taken from a document are kept; only its open part is not a record.
        let begun = match self.record.take() {
            Some((start, _)) => start,
            None if self.frames.is_empty() => self.value,
            None => self.at,
        };
        self.at = begun;
        self.given_up = !self.frames.is_empty();
        self.frames.clear();
        self.machine = None;
        self.used = false;
        if let Some((_, last)) = self.begun.last().filter(|_| self.begun.len() == MOST_BEGUN) {
            self.passed_over = Span::new(*last, self.base + at);
        }
        self.known_dead_ends.extend(self.begun.drain(..).rev().map(|(_, offset)| offset));
        self.skipped = Some(Skipped { flaw: Some((flaw, self.base + at)), mid_line: true });
    }

    /// Skips to the next line that begins with a bracket.
    fn skip(&mut self, finished: bool) -> Option<LexerResult> {
        let mut skipped = self.skipped?;
        let start = self.at;
        let mut last = false;
        loop {
            let rest = &self.buffer[self.at..];
            if skipped.mid_line {
                match memchr::memchr(b'\n', rest) {
                    Some(feed) => {
                        self.at += feed + 1;
                        skipped.mid_line = false;
                        continue;
                    }
                    None => self.at = self.buffer.len(),
                }
            } else if let Some(byte) = rest.first() {
                if !matches!(byte, b'{' | b'[') || self.is_hopeless(self.base + self.at) {
                    skipped.mid_line = true;
                    continue;
                }
                last = true;
            }
            last |= finished;
            break;
        }
        let flaw = skipped.flaw.take();
        self.skipped = (!last).then_some(skipped);
        let end = self.at;
        if start == end && !last {
            self.skipped = Some(Skipped { flaw, ..skipped });
            return None;
        }
        Some(LexerResult::Broken { start, end, flaw, last })
    }
}

fn machine_at(at: usize) -> JsonParser {
    let mut machine = JsonParser::at(at);
    machine.allow(Strings::OneLine);
    machine
}

impl Framer for Values {
    fn push(&mut self, bytes: &[u8]) {
        self.forget();
        self.buffer.extend_from_slice(bytes);
    }

    fn held(&self) -> usize {
        self.buffer.len() - self.at
    }

    fn next(&mut self, finished: bool) -> Option<Framed<'_>> {
        Some(match self.find(finished)? {
            LexerResult::Record(start, end) => {
                let place = Span::new(self.base + start, self.base + end);
                let value = self.index.root(&self.buffer[start..end], RecordPositions::At(place.start));
                let value = value.expect("a record that ended has begun");
                let key = |level: usize| {
                    let (bracket, key) = self.frames.get(level)?;
                    if *bracket == ContainerKind::Object { key.as_deref() } else { None }
                };
                Framed::Record(JsonRecord { value, member: key(0), part: key(1) }, place)
            }
            LexerResult::Close => Framed::Close,
            LexerResult::Glued(at) => Framed::Glued(self.base + at),
            LexerResult::Broken { start, end, flaw, last } => {
                Framed::Broken { bytes: &self.buffer[start..end], at: self.base + start, flaw, last }
            }
        })
    }
}

#[cfg(test)]
mod tests;
