//! Converts the bytes of a file to transcript text and events.

use super::detect::{Detector, Finding, Framing, Prelude};
use super::fragment::Fragment;
use super::json::Flaw;
use super::records::{Framed, Framer};
use super::sse::Sse;
use super::unread_text::UnreadWords;
use super::values::Values;
use super::writer::TextWriter;
use super::{Batch, Choice, Container, ContainerInfo, FormatReader, MessagePart, RecordReader, TextReader};
use crate::diagnostic::{Code, Severity};
use crate::text::steps;
use crate::text::{OffsetMap, Span};

/// Most bytes of malformed input that are shown at a time.
const BROKEN_PIECE: usize = 64 * 1024;

/// Reads a file of any container, in chunks of any size.
pub struct ContainerReader {
    asked: Container,
    found: Option<Finding>,
    way: ReadMode,
    writer: TextWriter,
    /// Bytes held until the container is known.
    held: Vec<u8>,
    /// Number of bytes received.
    length: usize,
    /// Malformed bytes that are not shown yet.
    broken: Fragment,
    unread_words: UnreadWords,
    finished: bool,
}

enum ReadMode {
    Undecided(Box<Detector>),
    Flow(Box<dyn TextReader>),
    Records(Box<dyn Framer>, Box<dyn RecordReader>),
}

impl ContainerReader {
    /// Creates a reader for a file of the requested container.
    pub fn new(asked: Container) -> Self {
        Self {
            asked,
            found: None,
            way: ReadMode::Undecided(Box::default()),
            writer: TextWriter::default(),
            held: Vec::new(),
            length: 0,
            broken: Fragment::default(),
            unread_words: UnreadWords::default(),
            finished: false,
        }
    }

    /// States, before the first byte, that the file is complete, so that text at its beginning may wait for later
    /// records.
    pub fn expect_end(&mut self) {
        self.way = ReadMode::Undecided(Box::new(Detector::new(true)));
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) -> Batch {
        if self.finished || bytes.is_empty() {
            return self.writer.take();
        }
        let at = self.length;
        self.length += bytes.len();
        if matches!(self.way, ReadMode::Undecided(_)) {
            self.held.extend_from_slice(bytes);
            self.decide(false);
        } else {
            self.feed(bytes, at);
        }
        self.writer.take()
    }

    /// Ends the file: reads what was held, even if it is incomplete.
    pub fn finish(&mut self) -> Batch {
        if std::mem::replace(&mut self.finished, true) {
            return Batch::default();
        }
        if matches!(self.way, ReadMode::Undecided(_)) {
            self.decide(true);
        }
        self.read(true);
        let Self { way, writer, length, unread_words: lost, found, .. } = self;
        match way {
            ReadMode::Undecided(_) => {}
            ReadMode::Flow(flow) => flow.finish(writer),
            ReadMode::Records(_, records) => {
                records.finish(*length, writer);
                if let Some(found) = found {
                    lost.report(found, *length, writer);
                }
            }
        }
        writer.end();
        writer.take()
    }

    /// The container and the reason; `None` while undecided.
    pub fn choice(&self) -> Option<Choice> {
        let found = self.found?;
        let (records, understood) = self.writer.records();
        Some(Choice { about: found.about, reason: found.reason, records, understood })
    }

    /// Maps the transcript text to the file.
    pub fn map(&self) -> &OffsetMap {
        self.writer.map()
    }

    /// The bytes at the end of the file that are held until more arrive.
    pub fn pending(&self) -> Span {
        let held = match &self.way {
            ReadMode::Undecided(_) => self.held.len(),
            ReadMode::Flow(flow) => flow.held(),
            ReadMode::Records(framer, _) => framer.held(),
        };
        Span::new(self.length - held, self.length)
    }

    fn decide(&mut self, finished: bool) {
        let ReadMode::Undecided(detector) = &mut self.way else { return };
        let Some(found) = detector.detect(self.asked, &self.held, finished) else { return };
        self.found = Some(found);
        let held = std::mem::take(&mut self.held);
        let front = found.prelude.map_or(0, |(kind, length)| {
            self.prelude(kind, &held[..length]);
            length
        });
        self.way = match (found.about.open(), found.framing) {
            (FormatReader::Text(flow), _) => ReadMode::Flow(flow),
            (FormatReader::Records(records), Framing::Events) => {
                ReadMode::Records(Box::new(Sse::new(records.drops_unterminated_event(), front)), records)
            }
            (FormatReader::Records(records), Framing::Values) => {
                let framer = Values::new(records.streamed_keys(), front).with_whole(records.single_record_keys());
                ReadMode::Records(Box::new(framer), records)
            }
        };
        self.feed(&held[front..], front);
    }

    /// Shows the text before the records.
    fn prelude(&mut self, kind: Prelude, bytes: &[u8]) {
        let out = &mut self.writer;
        let name = match kind {
            Prelude::Headers => "HTTP headers",
            Prelude::Log => "log",
            Prelude::CutOff => {
                let message = "the first record is damaged or begins before the file does; shown raw";
                out.problem(Code::CutOffRecord, Span::new(0, bytes.len()), message);
                "not a record"
            }
            Prelude::Foreign => {
                out.record(Span::at(0));
                flawed(Flaw::Broken, 0, 0, out);
                "not a record"
            }
        };
        out.begin(MessagePart::Envelope(name.into()));
        out.copy(bytes, 0);
        out.end();
        if kind == Prelude::Foreign {
            out.end_record();
        }
    }

    fn feed(&mut self, bytes: &[u8], at: usize) {
        match &mut self.way {
            ReadMode::Undecided(_) => {}
            ReadMode::Flow(flow) => flow.push(bytes, at, &mut self.writer),
            ReadMode::Records(framer, _) => framer.push(bytes),
        }
        self.read(false);
    }

    fn read(&mut self, finished: bool) {
        let Self { way, writer, broken, unread_words: lost, .. } = self;
        let ReadMode::Records(framer, records) = way else { return };
        while let Some(framed) = framer.next(finished) {
            steps::add(1);
            take(framed, records.as_mut(), broken, lost, writer);
        }
    }
}

fn take(
    framed: Framed<'_>,
    records: &mut dyn RecordReader,
    broken: &mut Fragment,
    lost: &mut UnreadWords,
    out: &mut TextWriter,
) {
    match framed {
        Framed::Record(record, source) => {
            out.record(source);
            let before = out.yielded();
            records.record(&record, out);
            lost.take(record.value, before, out);
            match record.member {
                Some(_) => out.end_part(),
                None => out.end_record(),
            }
        }
        Framed::Close => {
            records.close(out);
            out.end_parts();
        }
        Framed::Done => records.done(out),
        Framed::Glued(at) => {
            let message = "a record begins on the line on which another one ended";
            out.problem(Code::GluedRecords, Span::new(at, at + 1), message);
        }
        Framed::Unended(at) => {
            let message = "no empty line follows the last event: strict readers drop it";
            out.problem_with_severity(Code::CutOffRecord, Severity::Hint, Span::at(at), message);
        }
        Framed::Broken { mut bytes, mut at, flaw, last } => {
            if let Some((flaw, place)) = flaw {
                out.record(Span::at(at));
                flawed(flaw, at, place, out);
            }
            let show = |broken: &mut Fragment, records: &mut dyn RecordReader, out: &mut TextWriter| {
                if !broken.is_empty() {
                    records.between_records(MessagePart::Envelope("not a record".into()), &std::mem::take(broken), out);
                }
            };
            while broken.bytes.len() + bytes.len() > BROKEN_PIECE {
                let (head, rest) = bytes.split_at(BROKEN_PIECE - broken.bytes.len());
                broken.bytes(head, at);
                (bytes, at) = (rest, at + head.len());
                show(broken, records, out);
            }
            broken.bytes(bytes, at);
            if last {
                show(broken, records, out);
                out.end_record();
            }
        }
    }
}

fn flawed(flaw: Flaw, start: usize, at: usize, out: &mut TextWriter) {
    let source = Span::new(start, at.max(start + 1));
    match flaw {
        Flaw::CutOff => out.problem(Code::CutOffRecord, source, "the file ends in the middle of a record"),
        Flaw::Broken => {
            let place = Span::new(at, at + 1);
            out.problem(Code::BrokenRecord, place, "not a JSON record; shown raw");
        }
        Flaw::TooLarge => {
            let message = "record too large to parse; shown raw";
            out.problem(Code::BrokenRecord, source, message);
        }
    }
}

/// Reads a complete file.
pub fn read(asked: Container, bytes: &[u8]) -> (Batch, ContainerReader) {
    let mut reader = ContainerReader::new(asked);
    let mut batch = reader.push(bytes);
    let rest = reader.finish();
    batch.text.extend(rest.text);
    batch.events.extend(rest.events);
    (batch, reader)
}

/// The container of a complete file that begins with `bytes`, if these decide.
pub fn detect_container(bytes: &[u8], finished: bool) -> Option<(&'static ContainerInfo, &'static str)> {
    Detector::new(true).detect(Container::default(), bytes, finished).map(|found| (found.about, found.reason))
}
