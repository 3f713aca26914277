//! Tables as Parquet: text as dictionary-encoded strings, numbers as 64-bit integers, timestamps as UTC milliseconds,
//! each column compressed with Snappy.

pub(super) mod checksum;
pub(super) mod reader;
pub(super) mod writer;

use std::io;

use parquet::errors::ParquetError;

use super::damaged;

/// Converts errors: I/O errors are unchanged, others mean a damaged file.
fn in_words(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) if error.kind() == io::ErrorKind::UnexpectedEof => damaged("unexpected end of file"),
            Ok(error) => *error,
            Err(error) => damaged(error),
        },
        error => damaged(error),
    }
}
