//! Evaluation logs of Inspect (`.eval`): archives whose samples are read as one file of records.
//!
//! ```text
//! _journal/start.json          the evaluation, written when it begins
//! samples/ID_epoch_N.json      one sample
//! header.json                  the evaluation with its results, written when it ends
//! ```
//!
//! The evaluation comes first, then each sample, sorted by its id in the order of the evaluation's data set, or by
//! the numbers and words in it, and by its epoch. Each file is decompressed, unchanged, on separate lines. Offsets are
//! in this text. A file that cannot be decompressed is replaced by an object that names it: none of its bytes are
//! passed on. Other files repeat the samples.
//!
//! A running evaluation rewrites the end of its log, so a log that has changed is read again from the start.

use std::collections::HashMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::archive::{self, Archive, FileState, SharedFile, state_of};
use super::decoder::Decoder;
use super::file::{self, OpenedFile};
use super::follow::Hints;
use super::intake::Intake;
use super::{CHUNK, Follow, ReadStop, Sink, SourceEvent, SourceSpec};
use crate::text::steps;

/// The file that only such a log has.
const START: &str = "_journal/start.json";

/// The file that replaces it when the evaluation has ended.
const HEADER: &str = "header.json";

/// Most bytes of the evaluation's description that are searched for the order of the samples.
const MOST_OF_HEADER: usize = 16 << 20;

/// Most decompressed bytes of a sample: far more than one has, but a few compressed bytes may expand to any number.
const MOST_OF_SAMPLE: u64 = 4 << 30;

/// Bytes of a sample that are kept until it is known to be undamaged; a longer one is decompressed twice.
const KEPT: usize = 4 << 20;

/// A log, before its first byte is read.
pub(super) struct EvalLog {
    path: PathBuf,
    follow: Follow,
    archive: Archive,
    state: FileState,
}

/// Sorts samples: position of the id in the data set, the id, and the epoch.
type SampleOrder = (usize, Vec<IdPart>, u64);

/// A part of a sample's id; numbers are sorted by value.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum IdPart {
    Number(u128),
    Word(String),
}

impl EvalLog {
    /// The log in an opened file, if it is one.
    pub(super) fn at(path: &Path, opened: &OpenedFile, follow: Follow) -> Option<Self> {
        if !archive::is_opened(opened) {
            return None;
        }
        let state = state_of(&opened.metadata);
        let file = SharedFile::new(opened.file.try_clone().ok()?, opened.metadata.len());
        let archive = ZipArchive::new(file).ok()?;
        archive.index_for_name(START)?;
        Some(Self { path: path.to_owned(), follow, archive, state })
    }

    /// The log at a path, if it is one.
    fn open(path: &Path) -> Option<Self> {
        Self::at(path, &file::open(path).ok()?, Follow::No)
    }

    /// Reads the log; one that is followed is read again whenever it has changed.
    pub(super) fn read(mut self, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        if self.follow == Follow::No {
            intake.expect_end();
            return self.push(intake, sink);
        }
        let name = SourceSpec::File(self.path.clone()).name();
        let mut hints = Hints::default();
        if let Some(reason) = hints.watch(&self.path) {
            sink.send(SourceEvent::Notice(format!("{name} is polled every 250 ms: {reason}")))?;
        }
        loop {
            let mut intake = Intake::stream(None);
            self.push(&mut intake, sink)?;
            intake.finish(sink)?;
            sink.send(SourceEvent::CaughtUp)?;
            self = self.next_state(&mut hints);
            sink.send(SourceEvent::Restarted(format!("{name} was rewritten; reading it from the start")))?;
        }
    }

    /// Waits until the file is a complete log with another state.
    fn next_state(&self, hints: &mut Hints) -> Self {
        loop {
            hints.wait();
            let has_changed = fs::metadata(&self.path).is_ok_and(|metadata| state_of(&metadata) != self.state);
            // While it is written, its list of files is missing.
            if has_changed && let Some(log) = Self::open(&self.path) {
                return Self { follow: self.follow, ..log };
            }
        }
    }

    /// Passes on the evaluation and its samples.
    fn push(&mut self, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        let evaluation = self.archive.index_for_name(HEADER).or_else(|| self.archive.index_for_name(START));
        let mut ids = HashMap::new();
        if let Some(index) = evaluation {
            let mut head = Vec::new();
            self.file(index, intake, sink, &mut |bytes| {
                head.extend_from_slice(&bytes[..bytes.len().min(MOST_OF_HEADER - head.len())]);
            })?;
            ids = order_of_ids(&head);
        }
        for index in self.samples(&ids) {
            self.file(index, intake, sink, &mut |_| {})?;
        }
        Ok(())
    }

    /// Indices of the samples in order.
    fn samples(&self, ids: &HashMap<String, usize>) -> Vec<usize> {
        let mut samples: Vec<(SampleOrder, usize)> = Vec::new();
        for index in 0..self.archive.len() {
            steps::add(1);
            let Some(Ok(name)) = self.archive.name_for_index(index) else { continue };
            let Some((id, epoch)) = id_and_epoch(&name) else { continue };
            let position = ids.get(id).copied().unwrap_or(usize::MAX);
            samples.push(((position, parts_of_id(id), epoch), index));
        }
        samples.sort();
        samples.into_iter().map(|(_, index)| index).collect()
    }

    /// Passes on one file, and a line feed.
    fn file(
        &mut self,
        index: usize,
        intake: &mut Intake,
        sink: &mut Sink<'_>,
        also: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ReadStop> {
        // Nothing of a damaged file is passed on: an unclosed record would contain the next ones.
        let (mut kept, mut is_long) = (Vec::new(), false);
        let outcome = self.decompress(index, &mut |bytes| {
            is_long |= kept.len() + bytes.len() > KEPT;
            if !is_long {
                kept.extend_from_slice(bytes);
            }
            Ok(())
        });
        match outcome {
            Ok(()) if is_long => self.decompress(index, &mut |bytes| {
                also(bytes);
                intake.push(bytes, sink)
            })?,
            Ok(()) => {
                also(&kept);
                intake.push(&kept, sink)?;
            }
            Err(ReadStop::Failed(reason)) => {
                let name = self.archive.name_for_index(index).and_then(Result::ok).unwrap_or_default();
                let record = serde_json::json!({ "unreadable_sample": name, "reason": reason });
                intake.push(record.to_string().as_bytes(), sink)?;
            }
            Err(stopped) => return Err(stopped),
        }
        intake.push(b"\n", sink)
    }

    /// Decompresses a file of the archive to its end.
    fn decompress(&mut self, index: usize, out: &mut dyn FnMut(&[u8]) -> Result<(), ReadStop>) -> Result<(), ReadStop> {
        let mut file = archive::entry(&mut self.archive, index).map_err(ReadStop::Failed)?;
        let mut length = 0;
        let mut bounded = |bytes: &[u8]| {
            length += bytes.len() as u64;
            if length > MOST_OF_SAMPLE {
                let words = format!("it is larger than {} GiB", MOST_OF_SAMPLE >> 30);
                return Err(ReadStop::Failed(words));
            }
            out(bytes)
        };
        let mut buffer = vec![0; CHUNK];
        let mut decoder: Option<Decoder> = None;
        let mut is_first = true;
        loop {
            let read = file.read(&mut buffer)?;
            let bytes = &buffer[..read];
            if std::mem::take(&mut is_first) {
                decoder = Decoder::new(bytes);
            }
            match &mut decoder {
                Some(decoder) if read == 0 => return decoder.finish(&mut bounded),
                Some(decoder) => decoder.push(bytes, &mut bounded)?,
                None if read == 0 => return Ok(()),
                None => bounded(bytes)?,
            }
        }
    }
}

/// True if the file at a path is a log.
pub(super) fn is_log(path: &Path) -> bool {
    EvalLog::open(path).is_some()
}

/// Id and epoch in the path of a sample.
fn id_and_epoch(path: &str) -> Option<(&str, u64)> {
    let (id, epoch) = path.strip_prefix("samples/")?.strip_suffix(".json")?.rsplit_once("_epoch_")?;
    Some((id, epoch.parse().ok()?))
}

/// Positions of the ids in the data set of an evaluation.
fn order_of_ids(evaluation: &[u8]) -> HashMap<String, usize> {
    let evaluation: serde_json::Value = serde_json::from_slice(evaluation).unwrap_or_default();
    let ids = evaluation["eval"]["dataset"]["sample_ids"].as_array().into_iter().flatten();
    let text = |id: &serde_json::Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    ids.enumerate().map(|(position, id)| (text(id), position)).collect()
}

/// The numbers of an id, and the text between them.
fn parts_of_id(id: &str) -> Vec<IdPart> {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let chunks = id.as_bytes().chunk_by(|&one, &other| is_digit(one) == is_digit(other));
    let parts = chunks.map(|chunk| {
        let chunk = String::from_utf8_lossy(chunk).into_owned();
        chunk.parse().map_or_else(|_| IdPart::Word(chunk), IdPart::Number)
    });
    parts.collect()
}

#[cfg(test)]
mod tests;
