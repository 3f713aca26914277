//! Which container a file is, by what it says.
//!
//! Only the first record counts, so that the answer is the same however much has arrived: its members if it is JSON or
//! an event of a stream, else its first line. A name or an ending is never looked at. This module does not know what
//! any container claims.

use super::json::{Flaw, Index, JsonValue, RecordPlaces};
use super::sse::{Sse, StreamEnding};
use super::values::Framed;
use super::{Choice, Container, REGISTRY, plain};

/// Most bytes that are looked at; of a first record that is larger, only so much counts.
pub const MOST: usize = 256 * 1024;

/// Most bytes of a first line that is looked at.
const LINE: usize = 4096;

/// What first lines that are looked at begin with; a zero is any digit.
const LINES: [&[u8]; 2] = [b"=== ", b"0000-00-00 00:00:00"];

/// The beginning of a file, as containers look at it.
#[derive(Clone, Copy, Debug)]
pub enum FileHead<'a> {
    /// A JSON value, as much of it as counts.
    Value(JsonValue<'a>),
    /// The first event of a stream.
    Event(JsonValue<'a>),
    /// A line of text, without its line feed.
    Line(&'a [u8]),
}

impl<'a> FileHead<'a> {
    /// The value or the event that the file begins with.
    pub fn record(&self) -> Option<JsonValue<'a>> {
        match self {
            FileHead::Value(value) | FileHead::Event(value) => Some(*value),
            FileHead::Line(_) => None,
        }
    }

    /// The value, where the file begins with one.
    pub fn value(&self) -> Option<JsonValue<'a>> {
        if let FileHead::Value(value) = self { Some(*value) } else { None }
    }
}

/// How records are found in the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Values,
    Events,
}

/// The container of a file that begins with `bytes`; `None` when more must arrive.
pub(super) fn detect(asked: Container, bytes: &[u8], finished: bool) -> Option<(Choice, Framing)> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = text.trim_ascii_start();
    let finished = finished || bytes.len() >= MOST;
    let Some(&first) = text.first() else {
        let nothing = "it is empty";
        return finished.then(|| choose(asked, None, nothing, Framing::Values));
    };
    let framing = if matches!(first, b'{' | b'[') { Framing::Values } else { Framing::Events };
    if let Some(about) = asked.0 {
        return Some((Choice { about, reason: "it was asked for" }, framing));
    }
    let text = &text[..text.len().min(MOST)];
    match first {
        b'{' | b'[' => {
            let (index, end) = Index::prefix(text, false);
            let place = RecordPlaces::At(0);
            match end {
                Err((Flaw::CutOff, _)) if !finished => None,
                Err((Flaw::Broken, _)) => Some(choose(asked, None, "it is not JSON", framing)),
                _ => Some(choose(asked, index.root(text, place).map(FileHead::Value), "no known record", framing)),
            }
        }
        // A line of a stream, or prose that begins with the same letter.
        b'd' | b'e' | b'i' | b'r' | b':' if may_be_stream(text, finished) => {
            let mut sse = Sse::new(StreamEnding::Taken);
            sse.push(text);
            // The event at the end may have none; whether that is so is said before it.
            if let Some(Framed::Unended(_)) = sse.next(finished) {
                return Some(event(asked, sse.next(finished), framing));
            }
            let mut sse = Sse::new(StreamEnding::Taken);
            sse.push(text);
            match sse.next(finished) {
                None if !finished => None,
                found => Some(event(asked, found, framing)),
            }
        }
        b'=' | b'0'..=b'9' if LINES.iter().any(|line| may_be(text, line)) => {
            let end = memchr::memchr(b'\n', &text[..text.len().min(LINE)]);
            match end {
                None if !finished && text.len() < LINE => None,
                _ => {
                    let line = &text[..end.unwrap_or(text.len().min(LINE))];
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
                    Some(choose(asked, Some(FileHead::Line(line)), "no known record", framing))
                }
            }
        }
        _ => Some(choose(asked, None, "it begins with prose", framing)),
    }
}

fn event(asked: Container, found: Option<Framed<'_>>, framing: Framing) -> (Choice, Framing) {
    match found {
        Some(Framed::Record(record, _)) => {
            choose(asked, Some(FileHead::Event(record.value)), "no known event", framing)
        }
        _ => choose(asked, None, "it is no known stream", framing),
    }
}

/// Whether the first line may be one of a stream of events.
fn may_be_stream(text: &[u8], finished: bool) -> bool {
    let names: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];
    names.iter().any(|name| text.starts_with(name) || (!finished && name.starts_with(text)))
}

/// Whether what has arrived of the first line may be one that begins like `line`.
fn may_be(text: &[u8], line: &[u8]) -> bool {
    text.iter().zip(line).all(|(byte, like)| byte == like || (*like == b'0' && byte.is_ascii_digit()))
}

fn choose(
    asked: Container,
    head: Option<FileHead<'_>>,
    otherwise: &'static str,
    framing: Framing,
) -> (Choice, Framing) {
    if let Some(about) = asked.0 {
        return (Choice { about, reason: "it was asked for" }, framing);
    }
    let claim = head.and_then(|head| REGISTRY.iter().find_map(|about| Some((*about, (about.claims)(&head)?))));
    let (about, reason) = claim.unwrap_or((&plain::ABOUT, otherwise));
    (Choice { about, reason }, framing)
}
