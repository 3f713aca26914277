//! Finds the events of a stream of server-sent events that was saved as the server sent it.
//!
//! ```text
//! stream  = BOM? line*
//! line    = ":" comment | field ":" " "? value | end of an event
//! event   = the values of its "data" lines, joined by line feeds
//! ```
//!
//! A line ends with LF, CR or CRLF. An event that no empty line follows is dropped, as the specification demands, or is
//! taken if its data are complete.

use super::json::{Flaw, Index, RecordPositions};
use super::records::{Framed, Framer, JsonRecord, MAX_RECORD};
use crate::text::{OffsetMap, Span, steps};

/// Data of the event that marks the end of a stream.
const DONE: &[u8] = b"[DONE]";

#[derive(Debug, Default)]
pub(super) struct Sse {
    buffer: Vec<u8>,
    /// Offset in the file of the first byte of the buffer.
    base: usize,
    /// Offset in the file after the last complete line.
    at: usize,
    /// Number of bytes after `at` that are known to contain no line ending.
    looked: usize,
    data: Vec<u8>,
    places: OffsetMap,
    /// The lines of the event so far.
    event: Option<Span>,
    /// For a complete event, the number of bytes of its data that have been read.
    read: Option<usize>,
    index: Index,
    /// True while the rest of a line that is too long is skipped.
    long: bool,
    begun: bool,
    /// True if an event without an empty line after it is dropped at the end, as the specification demands. Most
    /// programs that save streams omit the last empty line.
    drops_unended: bool,
}

enum SseLine {
    Record(usize),
    Glued(usize),
    Done,
    Unended(usize),
    Broken { start: usize, end: usize, flaw: Option<(Flaw, usize)>, last: bool },
}

impl Sse {
    /// Finds the events of a file, starting at its byte `at`.
    pub(super) fn new(drops_unended: bool, at: usize) -> Self {
        Self { drops_unended, base: at, at, ..Self::default() }
    }

    fn find(&mut self, finished: bool) -> Option<SseLine> {
        loop {
            if let Some(found) = self.payload() {
                return Some(found);
            }
            let Some((end, next)) = self.line(finished) else {
                return if finished { self.end() } else { self.too_long() };
            };
            let start = std::mem::replace(&mut self.at, next);
            self.looked = 0;
            if std::mem::take(&mut self.long) {
                return Some(SseLine::Broken { start, end: next, flaw: None, last: true });
            }
            if let Some(found) = self.take(start, end, next) {
                return Some(found);
            }
        }
    }

    /// Offsets in the file of the next line's end, and of the line after it.
    fn line(&mut self, finished: bool) -> Option<(usize, usize)> {
        let rest = &self.buffer[self.at - self.base..];
        let Some(found) = memchr::memchr2(b'\n', b'\r', &rest[self.looked.min(rest.len())..]) else {
            self.looked = rest.len();
            return (finished && !rest.is_empty()).then_some((self.at + rest.len(), self.at + rest.len()));
        };
        let end = self.looked.min(rest.len()) + found;
        let length = match rest[end..] {
            [b'\r', b'\n', ..] => 2,
            // A line feed may follow.
            [b'\r'] if !finished => {
                self.looked = end;
                return None;
            }
            _ => 1,
        };
        Some((self.at + end, self.at + end + length))
    }

    /// Takes the line from `start` to `end`; the next one begins at `next`.
    fn take(&mut self, mut start: usize, end: usize, next: usize) -> Option<SseLine> {
        let mut line = &self.buffer[start - self.base..end - self.base];
        steps::add_bytes(line.len());
        if !std::mem::replace(&mut self.begun, true)
            && let Some(rest) = line.strip_prefix(b"\xef\xbb\xbf")
        {
            line = rest;
            start += 3;
        }
        if line.is_empty() {
            self.read = self.event.is_some().then_some(0);
            return None;
        }
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        match &line[..colon] {
            b"data" => {
                let mut from = (colon + 1).min(line.len());
                from += usize::from(line.get(from) == Some(&b' '));
                if let Some(event) = self.event {
                    self.data.push(b'\n');
                    self.places.written(Span::new(event.end, start + from), 1);
                }
                self.data.extend_from_slice(&line[from..]);
                self.places.copied(start + from, line.len() - from);
                let first = self.event.map_or(start, |event| event.start);
                self.event = Some(Span::new(first, end));
                None
            }
            b"" | b"event" | b"id" | b"retry" => None,
            // A field without a name.
            blank if blank.trim_ascii().is_empty() => None,
            _ => {
                let flaw = Some((Flaw::Broken, start));
                Some(SseLine::Broken { start, end: next, flaw, last: true })
            }
        }
    }

    /// The next record in the data of a complete event.
    fn payload(&mut self) -> Option<SseLine> {
        let end = self.read?;
        let event = self.event?;
        if self.data[end..].trim_ascii().is_empty() {
            self.clear();
            return None;
        }
        if end > 0 {
            let mut places = OffsetMap::default();
            for part in self.places.segments(Span::new(end, self.data.len())) {
                places.push(part);
            }
            self.data.drain(..end);
            self.places = places;
            self.read = Some(0);
            let first = self.data.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
            if matches!(self.data[first], b'{' | b'[') {
                return Some(SseLine::Glued(self.places.source_of(Span::at(first)).start));
            }
        }
        if self.data.trim_ascii() == DONE {
            self.clear();
            return Some(SseLine::Done);
        }
        let (index, end) = Index::prefix(&self.data, true);
        Some(match end {
            Ok(end) => {
                self.index = index;
                self.read = Some(end);
                SseLine::Record(end)
            }
            Err((flaw, at)) => {
                let at = self.places.source_of(Span::at(at)).start;
                let flaw = if flaw == Flaw::CutOff { Flaw::Broken } else { flaw };
                self.clear();
                SseLine::Broken { start: event.start, end: event.end, flaw: Some((flaw, at)), last: true }
            }
        })
    }

    fn clear(&mut self) {
        self.data.clear();
        self.places = OffsetMap::default();
        self.event = None;
        self.read = None;
    }

    /// Ends the stream: an event without an empty line after it is dropped or taken.
    fn end(&mut self) -> Option<SseLine> {
        if std::mem::take(&mut self.long) {
            return Some(SseLine::Broken { start: self.at, end: self.at, flaw: None, last: true });
        }
        let event = self.event?;
        if self.data.trim_ascii() == DONE {
            self.clear();
            return Some(SseLine::Done);
        }
        if !self.drops_unended && Index::read(&self.data).is_ok() {
            self.read = Some(0);
            return Some(SseLine::Unended(event.end));
        }
        self.clear();
        let flaw = Some((Flaw::CutOff, event.end));
        Some(SseLine::Broken { start: event.start, end: event.end, flaw, last: true })
    }

    /// Skips the beginning of a line that is longer than any record may be.
    fn too_long(&mut self) -> Option<SseLine> {
        let end = self.base + self.buffer.len();
        if !self.long && end - self.at <= MAX_RECORD {
            return None;
        }
        let flaw = (!std::mem::replace(&mut self.long, true)).then_some((Flaw::TooLarge, self.at));
        let start = std::mem::replace(&mut self.at, end);
        self.looked = 0;
        (start < end).then_some(SseLine::Broken { start, end, flaw, last: false })
    }
}

impl Framer for Sse {
    fn push(&mut self, bytes: &[u8]) {
        // The lines of the open event are shown raw if it turns out not to be one.
        let keep = self.event.map_or(self.at, |event| event.start);
        self.buffer.drain(..keep - self.base);
        self.base = keep;
        self.buffer.extend_from_slice(bytes);
    }

    fn held(&self) -> usize {
        self.base + self.buffer.len() - self.event.map_or(self.at, |event| event.start)
    }

    fn next(&mut self, finished: bool) -> Option<Framed<'_>> {
        Some(match self.find(finished)? {
            SseLine::Record(end) => {
                let source = self.places.source_of(Span::new(0, end));
                // Data of a single line are in the file verbatim.
                let plain = source.len() == end;
                let places =
                    if plain { RecordPositions::At(source.start) } else { RecordPositions::Through(&self.places) };
                let value = self.index.root(&self.data[..end], places).expect("it was read");
                let source = value.source();
                Framed::Record(JsonRecord { value, member: None, part: None }, source)
            }
            SseLine::Glued(at) => Framed::Glued(at),
            SseLine::Done => Framed::Done,
            SseLine::Unended(at) => Framed::Unended(at),
            SseLine::Broken { start, end, flaw, last } => {
                let bytes = &self.buffer[start - self.base..end - self.base];
                Framed::Broken { bytes, at: start, flaw, last }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, size: usize, drops_unended: bool) -> String {
        let mut sse = Sse::new(drops_unended, 0);
        let mut out = String::new();
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        for (number, piece) in pieces.iter().enumerate() {
            sse.push(piece);
            while let Some(found) = sse.next(number + 1 == pieces.len()) {
                let words = match found {
                    Framed::Record(record, source) => {
                        let index = record.value.items().map(|item| item.source().start.to_string());
                        let values: Vec<String> = index.collect();
                        format!("{}..{} [{}]|", source.start, source.end, values.join(" "))
                    }
                    Framed::Close => "close|".into(),
                    Framed::Done => "done|".into(),
                    Framed::Glued(at) => format!("+{at}|"),
                    Framed::Unended(at) => format!("?{at}|"),
                    Framed::Broken { bytes, at, flaw, last } => {
                        assert_eq!(&text.as_bytes()[at..at + bytes.len()], bytes);
                        format!("{flaw:?} {:?} {last}|", String::from_utf8_lossy(bytes))
                    }
                };
                out.push_str(&words);
            }
        }
        out
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        for size in 1..=text.len() {
            assert_eq!(find(text, size, true), expected, "{text:?} in pieces of {size}");
        }
    }

    #[test]
    fn events_are_found_whatever_their_lines_end_with() {
        for end in ["\n", "\r\n", "\r"] {
            let lines = ["event: x", "data: {\"a\": 1}", "", ": note", "id", "data:[2]", "", "data: [DONE]", "", ""];
            let text = lines.join(end);
            let at = |words: &str| text.find(words).expect("it is there");
            let (first, second) = (at("{"), at("[2"));
            let expected =
                format!("{first}..{} [{}]|{second}..{} [{}]|done|", first + 8, first + 6, second + 3, second + 1);
            check(&text, &expected);
        }
    }

    #[test]
    fn data_on_several_lines_is_one_value_that_leads_to_its_bytes() {
        check("\u{feff}data: {\"a\":\ndata: 1,\nid: x\ndata:\"b\": 2}\n\n", "9..42 [21 40]|");
    }

    #[test]
    fn two_values_in_an_event_are_two_records() {
        check("data: {}\ndata: {\"a\": 1}\n\n", "6..8 []|+15|15..23 [21]|");
    }

    #[test]
    fn what_is_no_event_is_shown() {
        check(
            "<html>\ndata: {\"a\n\ndata: {} x\n\ndata: {}",
            "Some((Broken, 0)) \"<html>\\n\" true|Some((Broken, 16)) \"data: {\\\"a\" true|24..26 []|\
             Some((Broken, 27)) \"data: {} x\" true|Some((CutOff, 38)) \"data: {}\" true|",
        );
        check("data: {}\n\ndata: [DONE]", "6..8 []|done|");
        for (text, expected) in [("data: {}", "?8|6..8 []|"), ("data: {", "Some((CutOff, 7)) \"data: {\" true|")] {
            assert_eq!(find(text, 1, false), expected);
        }
    }
}
