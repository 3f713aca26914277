//! Reads the files of a corpus on several threads and hands on their rows in the order of the files.

use std::path::Path;

use anyhow::Result;

use super::reader::{FileOutcome, FileReader};
use super::rows::{FileFacts, RowBatch, Summary};
use crate::source::workers::{Weight, in_order};

/// What is in a file, piece by piece.
#[derive(Debug)]
pub enum FilePiece {
    /// Some of its rows, in the order of the file.
    Rows(RowBatch),
    /// The last piece of a file: what is left.
    End(Box<Summary>),
    /// The last piece of a file that is not meant.
    Passed,
}

/// Reads files on `workers` threads. Pieces are handed to `each` with the number of their file: those of the first file,
/// then those of the second.
///
/// # Errors
/// The first error of `each`, which ends the reading.
pub fn read_files(
    files: &[FileFacts],
    workers: usize,
    reader: &FileReader<'_>,
    each: &mut dyn FnMut(usize, FilePiece) -> Result<()>,
) -> Result<()> {
    let weights: Vec<Weight> = files.iter().map(|file| Weight::of(Path::new(&*file.file), file.bytes)).collect();
    let read = |number: usize, send: &mut dyn FnMut(FilePiece) -> bool| {
        let outcome = reader.read(&files[number], &mut |batch| send(FilePiece::Rows(batch)));
        // Whoever does not listen any more wants nothing.
        _ = match outcome {
            FileOutcome::Read(summary) => send(FilePiece::End(summary)),
            FileOutcome::Passed => send(FilePiece::Passed),
            FileOutcome::Stopped => true,
        };
    };
    in_order(&weights, workers, &read, each)
}
