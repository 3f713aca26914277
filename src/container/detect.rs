//! Which container a file is, by what it says.
//!
//! Only the first record counts, so that the answer is the same however much has arrived: its members if it is JSON or
//! an event of a stream, else its first line. A name or an ending is never looked at. This module does not know what
//! any container claims.

use super::json::{Flaw, Index, JsonValue, RecordPlaces};
use super::sse::Sse;
use super::values::{Framed, Framer as _};
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Values,
    Events,
}

/// The container of a file that begins with `bytes`; `None` when more must arrive.
pub(super) fn detect(asked: Container, bytes: &[u8], finished: bool) -> Option<(Choice, Framing)> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let finished = finished || bytes.len() >= MOST;
    if text.is_empty() && !finished {
        return None;
    }
    let framing = if matches!(text.first(), None | Some(b'{' | b'[')) { Framing::Values } else { Framing::Events };
    let choice = match asked.0 {
        Some(about) => Choice { about, reason: "it was asked for" },
        None => find(&text[..text.len().min(MOST)], finished)?,
    };
    Some((choice, framing))
}

fn find(text: &[u8], finished: bool) -> Option<Choice> {
    let (index, mut sse);
    let (head, otherwise) = match text.first() {
        None => (None, "it is empty"),
        Some(b'{' | b'[') => {
            let end;
            (index, end) = Index::prefix(text, false);
            match end {
                Err((Flaw::CutOff, _)) if !finished => return None,
                Err((Flaw::Broken, _)) => (None, "it is not JSON"),
                _ => (index.root(text, RecordPlaces::At(0)).map(FileHead::Value), "no known record"),
            }
        }
        // A line of a stream, or prose that begins with the same letter.
        Some(b'd' | b'e' | b'i' | b'r' | b':') if may_be_stream(text, finished) => {
            sse = Sse::new(false);
            sse.push(text);
            let mut found = sse.next(finished);
            // The event at the end may have none; whether that is so is said before it.
            if let Some(Framed::Unended(_)) = found {
                found = sse.next(finished);
            }
            match found {
                Some(Framed::Record(record, _)) => (Some(FileHead::Event(record.value)), "no known event"),
                None if !finished => return None,
                _ => (None, "it is no known stream"),
            }
        }
        Some(b'=' | b'0'..=b'9') if LINES.iter().any(|line| may_be(text, line)) => {
            let end = memchr::memchr(b'\n', &text[..text.len().min(LINE)]);
            if end.is_none() && !finished && text.len() < LINE {
                return None;
            }
            let line = &text[..end.unwrap_or(text.len().min(LINE))];
            (Some(FileHead::Line(line.strip_suffix(b"\r").unwrap_or(line))), "no known record")
        }
        Some(_) => (None, "it begins with prose"),
    };
    Some(choose(head, otherwise))
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

fn choose(head: Option<FileHead<'_>>, otherwise: &'static str) -> Choice {
    let claim = head.and_then(|head| REGISTRY.iter().find_map(|about| Some((*about, (about.claims)(&head)?))));
    let (about, reason) = claim.map_or((&plain::ABOUT, otherwise), |(about, claim)| (about, claim.reason()));
    Choice { about, reason }
}
