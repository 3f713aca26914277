//! Reads the files of a corpus on several threads, and passes their rows on in the order of the files.

use std::path::Path;

use anyhow::Result;

use super::reader::{FileOutcome, FileReader};
use super::rows::{FileFacts, RowBatch, Summary};
use crate::source::workers::{Weight, in_order};

/// A piece of the output of a file.
#[derive(Debug)]
pub enum FilePiece {
    /// A batch of rows, in file order.
    Rows(RowBatch),
    /// The end of a file: its summary.
    End(Box<Summary>),
    /// The end of a file that is not selected.
    Passed,
}

/// Reads files on `workers` threads. `each` gets the pieces with the number of their file, file by file in order.
///
/// # Errors
/// The first error of `each`, which stops the reading.
pub(crate) fn read_files(
    files: &[FileFacts],
    workers: usize,
    reader: &FileReader<'_>,
    each: &mut dyn FnMut(usize, FilePiece) -> Result<()>,
) -> Result<()> {
    let weights: Vec<Weight> = files.iter().map(|file| Weight::of(Path::new(&*file.file), file.bytes)).collect();
    let read = |number: usize, send: &mut dyn FnMut(FilePiece) -> bool| {
        let outcome = reader.read(&files[number], &mut |batch| send(FilePiece::Rows(batch)));
        // Fails only if the receiver has stopped.
        _ = match outcome {
            FileOutcome::Read(summary) => send(FilePiece::End(summary)),
            FileOutcome::Excluded => send(FilePiece::Passed),
            FileOutcome::Stopped => true,
        };
    };
    in_order(&weights, workers, &read, each)
}
