//! A table as Parquet: text as strings with a dictionary, numbers as 64-bit integers, moments as milliseconds in UTC, each
//! column compressed with Snappy.

pub(super) mod checksum;
pub(super) mod reader;
pub(super) mod writer;

use std::io;

use parquet::errors::ParquetError;

use super::damaged;

/// What went wrong: with the file, or with reading or writing it.
fn in_words(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) if error.kind() == io::ErrorKind::UnexpectedEof => damaged("it ends too early"),
            Ok(error) => *error,
            Err(error) => damaged(error),
        },
        error => damaged(error),
    }
}
