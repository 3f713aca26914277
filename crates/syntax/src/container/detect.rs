//! Detects the container of a file from its content.
//!
//! A first record that only one container has decides immediately, so that a live file need not wait. Otherwise the
//! first [`LOOK`] records are examined, and the container that claims most of them wins: half of them if one claim is
//! sure, more than half if not. The records may follow a prelude: the headers of an HTTP answer, lines of a log, the
//! end of a record that was cut off. In a complete file, a few lines of any text may precede several records of one
//! session; in a stream, such text is shown as it arrives. The result is independent of how the bytes are split. File
//! names and extensions are ignored.

mod candidates;

use std::collections::BTreeMap;

use super::cassette_header;
use super::json::{Flaw, JsonValue, PrefixIndex, RecordPositions};
use super::records::Framer;
use super::sse::Sse;
use super::values::Values;
use super::{Claim, Container, ContainerInfo, REGISTRY, plain};
use candidates::{Votes, owner};

/// Most bytes examined; of a larger first record, only this many count.
pub(crate) const MOST: usize = 256 * 1024;

/// Number of records examined if the first one does not decide.
pub(crate) const LOOK: usize = 8;

/// Most bytes examined of a first line.
const LINE: usize = 4096;

/// Bytes of a first line that tell the end of a cut-off record from prose.
const TRACES: usize = 64;

/// Start of a mode line, which tells an editor how to display a file.
const MODE_LINE: &[u8] = b"-*- ";

/// Most damaged records before the others.
const DAMAGED: usize = 4;

/// Most lines of any text before the records of a session.
const FOREIGN: usize = 4;

/// Most log lines before the records.
const LOG_LINES: usize = 16;

/// Beginnings of first lines that containers may claim; a zero matches any digit.
const LINES: [&[u8]; 4] =
    [b"=== ", b"0000-00-00 00:00:00", b"# aider chat started at 0000-00-00", b"TO LLM 0000-00-00T"];

/// Date at the beginning of a log line; a zero matches any digit. A bracket may precede it.
const DATE: &[u8] = b"0000-00-00";

/// The beginning of a file or one of its first records, as containers examine it.
#[derive(Clone, Copy, Debug)]
pub enum FileHead<'a> {
    /// A JSON value, up to the size limit.
    Value(JsonValue<'a>),
    /// An event of a stream.
    Event(JsonValue<'a>),
    /// A line of text without its line feed, or the first lines of a document in YAML.
    Line(&'a [u8]),
}

impl<'a> FileHead<'a> {
    /// The value or the event.
    pub(crate) fn record(&self) -> Option<JsonValue<'a>> {
        match self {
            FileHead::Value(value) | FileHead::Event(value) => Some(*value),
            FileHead::Line(_) => None,
        }
    }

    /// The value, unless it is an event or a line.
    pub(crate) fn value(&self) -> Option<JsonValue<'a>> {
        if let FileHead::Value(value) = self { Some(*value) } else { None }
    }
}

/// How the records of a file are delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Values,
    Events,
}

/// Text before the records of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prelude {
    /// Status line and headers of an HTTP answer, as `curl -i` prints them.
    Headers,
    /// Lines of a program's log.
    Log,
    /// The end of a record whose beginning is not in the file, and damaged records.
    CutOff,
    /// Lines of any text.
    Foreign,
}

/// The result of a detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) about: &'static ContainerInfo,
    pub(super) reason: &'static str,
    pub(super) framing: Framing,
    /// Kind and length in bytes of the text before the records.
    pub(super) prelude: Option<(Prelude, usize)>,
}

impl Finding {
    fn new(about: &'static ContainerInfo, reason: &'static str, framing: Framing) -> Self {
        Self { about, reason, framing, prelude: None }
    }

    fn plain(reason: &'static str) -> Self {
        Self::new(&plain::ABOUT, reason, Framing::Events)
    }

    fn is_plain(&self) -> bool {
        self.about.name == Container::PLAIN
    }
}

/// Detects the container of one file. It resumes where it stopped for lack of bytes, so that each byte is examined once
/// however small the pieces are.
#[derive(Default)]
pub(super) struct Detector {
    /// Results for the records that begin at an offset of the text: at its first byte, or after a prelude.
    records: BTreeMap<usize, FirstRecords>,
    /// Number of bytes of lines after a mode line that no container claims.
    unclaimed: usize,
    /// True if the file is complete: text at its beginning may wait for the records that follow it.
    is_complete: bool,
    /// The result if a complete file begins as plain text.
    plain: Option<Finding>,
    /// The records after lines of any text.
    after_foreign: Option<FirstRecords>,
}

/// The first records that have arrived.
struct FirstRecords {
    value: PrefixIndex,
    framer: Box<dyn Framer>,
    /// Number of bytes that the framer has received.
    framed: usize,
    votes: Option<Votes>,
}

impl FirstRecords {
    fn new(framing: Framing) -> Self {
        let framer: Box<dyn Framer> = match framing {
            Framing::Values => Box::new(Values::new(&[], 0)),
            Framing::Events => Box::new(Sse::new(false, 0)),
        };
        Self { value: PrefixIndex::default(), framer, framed: 0, votes: None }
    }

    /// Counts records that have arrived since the last call. `None` while there are not enough of them.
    fn count(&mut self, text: &[u8], framing: Framing, finished: bool) -> Option<&Votes> {
        self.framer.push(&text[self.framed..]);
        self.framed = text.len();
        let votes = self.votes.get_or_insert_with(|| Votes::new(false));
        votes.take(&mut *self.framer, framing, finished).then_some(votes)
    }
}

impl Detector {
    /// Creates a detector; `is_complete` says that no more bytes will be appended to the file.
    pub(super) fn new(is_complete: bool) -> Self {
        Self { is_complete, ..Self::default() }
    }

    /// The container of a file that begins with `bytes`, which extend the bytes of the last call;
    /// `None` while more must arrive.
    pub(super) fn detect(&mut self, asked: Container, bytes: &[u8], finished: bool) -> Option<Finding> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        let finished = finished || bytes.len() >= MOST;
        if text.is_empty() && !finished {
            return None;
        }
        let Some(about) = asked.0 else {
            let front = bytes.len() - text.len();
            let text = &text[..text.len().min(MOST)];
            let mut found = match self.plain {
                Some(plain) => plain,
                None => self.find(text, finished)?,
            };
            if found.is_plain() && self.is_complete {
                self.plain = Some(found);
                found = self.after_foreign(text, finished)?.unwrap_or(found);
            }
            // The bytes before the prelude are part of it.
            return Some(Finding { prelude: found.prelude.map(|(kind, length)| (kind, front + length)), ..found });
        };
        if matches!(text.first(), None | Some(b'{' | b'[')) {
            return Some(Finding::new(about, "it was requested", Framing::Values));
        }
        // In a complete file, text before the records is detected as if no container had been requested.
        if self.is_complete {
            let found = self.detect(Container::default(), bytes, finished)?;
            if found.about == about {
                return Some(found);
            }
        }
        Some(Finding::new(about, "it was requested", Framing::Events))
    }

    fn find(&mut self, text: &[u8], finished: bool) -> Option<Finding> {
        match text.first() {
            None => Some(Finding::plain("it is empty")),
            Some(b'{' | b'[') => self.values(text, 0, finished),
            // A line of a stream, or prose that begins with the same letter.
            Some(b'd' | b'e' | b'i' | b'r' | b':') if may_be_stream(text, finished) => self.events(text, 0, finished),
            Some(b'=' | b'0'..=b'9' | b'#' | b'T') if LINES.iter().any(|line| may_be(text, line)) => {
                let line = first_line(text, LINE, finished)?;
                let head = FileHead::Line(line.strip_suffix(b"\r").unwrap_or(line));
                match claimed(&head) {
                    Some((about, claim)) => Some(Finding::new(about, claim.reason(), Framing::Values)),
                    None => self.behind_prelude(text, finished, "no known record"),
                }
            }
            Some(b'-' | b'h' | b'i' | b'v') if cassette_header::may_begin(text) => {
                if cassette_header::is_cassette(text, finished)?
                    && let Some((about, claim)) = claimed(&FileHead::Line(text))
                {
                    return Some(Finding::new(about, claim.reason(), Framing::Values));
                }
                self.behind_prelude(text, finished, "it begins with prose")
            }
            Some(b'-') if may_be(text, MODE_LINE) => self.behind_mode_line(text, finished),
            Some(_) => self.behind_prelude(text, finished, "it begins with prose"),
        }
    }

    /// A text with an editor's mode line, which says nothing about the rest: the first line claimed by a container
    /// decides.
    fn behind_mode_line(&mut self, text: &[u8], finished: bool) -> Option<Finding> {
        let whole = memchr::memrchr(b'\n', text).map_or(0, |feed| feed + 1);
        let mut lines = text[self.unclaimed..whole].split(|&byte| byte == b'\n').map(FileHead::Line);
        match lines.find_map(|line| claimed(&line)) {
            Some((about, claim)) => return Some(Finding::new(about, claim.reason(), Framing::Values)),
            None if finished => return Some(Finding::plain("it begins with prose")),
            None => {}
        }
        self.unclaimed = whole;
        None
    }

    /// The state of the records that begin at an offset of the text.
    fn records_at(&mut self, start: usize, framing: Framing) -> &mut FirstRecords {
        self.records.entry(start).or_insert_with(|| FirstRecords::new(framing))
    }

    /// Detects the text starting at offset `start`, which begins with a JSON value.
    fn values(&mut self, text: &[u8], start: usize, finished: bool) -> Option<Finding> {
        let all = text;
        let text = &all[start..];
        let records = self.records_at(start, Framing::Values);
        let end = records.value.read_on(text, false);
        match end {
            Err((Flaw::CutOff, _)) if !finished => return None,
            Err((Flaw::Broken, _)) if start == 0 => return self.behind_prelude(all, finished, "it is not JSON"),
            Err((Flaw::Broken, _)) => return Some(Finding::plain("it is not JSON")),
            _ => {}
        }
        if records.votes.is_none()
            && let Some(value) = records.value.index.root(text, RecordPositions::At(0))
        {
            let head = FileHead::Value(value);
            if let Some((about, reason)) = owner(&head) {
                return Some(Finding::new(about, reason, Framing::Values));
            }
            if end.is_err() {
                // The value exceeds the bytes examined.
                records.votes.get_or_insert_with(|| Votes::new(false)).count(&head);
            }
        }
        let votes = records.count(text, Framing::Values, finished)?;
        Some(votes.winner(Framing::Values, "no known record"))
    }

    /// Detects the text starting at offset `start`, which begins like a stream of events.
    fn events(&mut self, text: &[u8], start: usize, finished: bool) -> Option<Finding> {
        let votes = self.records_at(start, Framing::Events).count(&text[start..], Framing::Events, finished)?;
        let otherwise = if votes.records == 0 { "it is not a known stream" } else { "no known event" };
        Some(votes.winner(Framing::Events, otherwise))
    }

    /// The container after a possible prelude, or plain text with the reason `otherwise`.
    fn behind_prelude(&mut self, text: &[u8], finished: bool, otherwise: &'static str) -> Option<Finding> {
        let plain = Some(Finding::plain(otherwise));
        let Some((kind, mut length)) = prelude(text, finished)? else { return plain };
        for _ in 0..DAMAGED {
            let behind = text[length..].trim_ascii_start();
            let start = text.len() - behind.len();
            match behind.first() {
                None if !finished => return None,
                Some(b'{' | b'[' | b'd' | b'e' | b'i' | b'r' | b':') => {
                    let found = self.find_records(text, start, finished)?;
                    if !found.is_plain() {
                        return Some(Finding { prelude: Some((kind, start)), ..found });
                    }
                }
                _ => {}
            }
            let more = if kind == Prelude::CutOff { damaged(behind, finished)? } else { None };
            let Some(more) = more else { return plain };
            length = start + more;
        }
        plain
    }

    /// The session whose records follow a few lines of any text; `None` while more must arrive.
    #[expect(clippy::option_option, reason = "it is not known yet, or it is none")]
    fn after_foreign(&mut self, text: &[u8], finished: bool) -> Option<Option<Finding>> {
        let mut start = 0;
        for _ in 0..FOREIGN {
            let rest = &text[start..];
            if rest.first().is_none_or(|&byte| begins_markup(byte)) {
                return Some(None);
            }
            let line = first_line(rest, LINE, finished)?;
            if rest.get(line.len()) != Some(&b'\n') {
                return Some(None);
            }
            let after = rest[line.len()..].trim_ascii_start();
            start = text.len() - after.len();
            match after.first() {
                None if !finished => return None,
                Some(b'{') => {
                    let records = self.after_foreign.get_or_insert_with(|| FirstRecords {
                        votes: Some(Votes::new(true)),
                        ..FirstRecords::new(Framing::Values)
                    });
                    let session = records.count(after, Framing::Values, finished)?.session();
                    if session.is_some() && !finished {
                        return None;
                    }
                    // A text that quotes records has other lines after them.
                    let session = session.filter(|_| are_records(after));
                    return Some(session.map(|found| Finding { prelude: Some((Prelude::Foreign, start)), ..found }));
                }
                _ => {}
            }
        }
        Some(None)
    }

    /// The container of records that begin at an offset of the text, without a prelude.
    fn find_records(&mut self, text: &[u8], start: usize, finished: bool) -> Option<Finding> {
        match text.get(start) {
            Some(b'{' | b'[') => self.values(text, start, finished),
            _ if may_be_stream(&text[start..], finished) => self.events(text, start, finished),
            _ => Some(Finding::plain("no known record")),
        }
    }
}

/// The first line up to `most` bytes, or `None` while more of it may arrive.
fn first_line(text: &[u8], most: usize, finished: bool) -> Option<&[u8]> {
    let most = text.len().min(most);
    match memchr::memchr(b'\n', &text[..most]) {
        Some(end) => Some(&text[..end]),
        None if finished || text.len() > most => Some(&text[..most]),
        None => None,
    }
}

/// The first container that claims a record.
fn claimed(head: &FileHead<'_>) -> Option<(&'static ContainerInfo, Claim)> {
    REGISTRY.iter().find_map(|about| Some((*about, (about.claims)(head)?)))
}

/// Kind and length of a prelude, if there can be one; `None` while more must arrive.
#[expect(clippy::option_option, reason = "it is not known yet, or there is none")]
fn prelude(text: &[u8], finished: bool) -> Option<Option<(Prelude, usize)>> {
    if may_be(text, b"HTTP/") {
        let ends = [&b"\r\n\r\n"[..], b"\n\n"];
        let end = ends.iter().filter_map(|end| Some(memchr::memmem::find(text, end)? + end.len())).min();
        return if end.is_none() && !finished { None } else { Some(end.map(|end| (Prelude::Headers, end))) };
    }
    let mut length = 0;
    for _ in 0..LOG_LINES {
        let rest = &text[length..];
        if rest.len() <= DATE.len() && !rest.contains(&b'\n') && !finished {
            return None;
        }
        if !is_of_log(rest) {
            break;
        }
        let line = first_line(rest, LINE, finished)?;
        if line.len() == rest.len() || rest[line.len()] != b'\n' {
            break;
        }
        length += line.len() + 1;
    }
    if length > 0 {
        return Some(Some((Prelude::Log, length)));
    }
    if begins_markup(text[0]) {
        return Some(None);
    }
    if text[0] == 0 {
        // Lost blocks that were restored as zeros.
        let zeros = text.iter().take_while(|&&byte| byte == 0).count();
        return if zeros == text.len() && !finished { None } else { Some(Some((Prelude::CutOff, zeros))) };
    }
    let damaged = damaged(text, finished)?;
    Some(damaged.map(|length| (Prelude::CutOff, length)))
}

/// True if each line of a text is empty or begins a record.
fn are_records(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').all(|line| line.trim_ascii_start().first().is_none_or(|&byte| byte == b'{'))
}

/// True if a line that begins with this byte may be a marker of a call or Markdown.
fn begins_markup(byte: u8) -> bool {
    matches!(byte, b'!' | b'<' | b'>' | b'^' | b'#' | b'*' | b'-' | b'`' | b'~')
}

/// Length of a first line that is a damaged record, including its line feed; `None` while more must arrive.
#[expect(clippy::option_option, reason = "it is not known yet, or it is none")]
fn damaged(text: &[u8], finished: bool) -> Option<Option<usize>> {
    let shown = first_line(text, TRACES, finished)?;
    let traces: [&[u8]; 5] = [b"\":", b"\",", b"\\\"", b"\\n", b"\"}"];
    if !traces.iter().any(|trace| memchr::memmem::find(shown, trace).is_some()) {
        return Some(None);
    }
    let line = first_line(text, MOST, finished)?;
    // A damaged first record may end anywhere.
    let is_record = text[0] == b'{' || line.trim_ascii_end().last().is_some_and(|last| matches!(last, b'}' | b']'));
    let has_more = line.len() < text.len();
    Some((is_record && has_more).then_some(line.len() + 1))
}

/// True if a line is from a program's log: it begins with a time or a level.
fn is_of_log(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"[").unwrap_or(line);
    let levels: [&[u8]; 7] = [b"TRACE", b"DEBUG", b"INFO", b"NOTICE", b"WARN", b"ERROR", b"FATAL"];
    let is_time = |pattern: &[u8]| line.len() >= pattern.len() && may_be(line, pattern);
    is_time(DATE) || is_time(b"00:00:00") || levels.iter().any(|level| line.starts_with(level))
}

/// True if the first line may belong to a stream of events.
fn may_be_stream(text: &[u8], finished: bool) -> bool {
    let names: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];
    names.iter().any(|name| text.starts_with(name) || (!finished && name.starts_with(text)))
}

/// True if the part of the first line that has arrived may begin like `line`.
fn may_be(text: &[u8], line: &[u8]) -> bool {
    text.iter().zip(line).all(|(byte, like)| byte == like || (*like == b'0' && byte.is_ascii_digit()))
}
