//! A byte-for-byte copy of the input, in a file that the user named.
//!
//! A failure to copy is reported once and never delays the display.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use anyhow::{Result, anyhow};

use crate::system::disk::{Operation, attempt};
use crate::text::sanitize::{io_error_text, visible_str};

/// Handling of an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It is an error: nothing is overwritten.
    Refuse,
    /// The copy is appended.
    Append,
}

/// A copy, until a write fails.
#[derive(Debug)]
pub struct Tee {
    /// `None` once a write has failed.
    file: Option<File>,
    name: String,
    written: u64,
}

impl Tee {
    /// Opens the file for the copy.
    pub fn create(path: &Path, existing: Existing) -> Result<Self> {
        let name = visible_str(&path.to_string_lossy()).into_owned();
        let mut options = OpenOptions::new();
        match existing {
            Existing::Refuse => options.write(true).create_new(true),
            Existing::Append => options.append(true).create(true),
        };
        match attempt(Operation::Open, || options.open(path)) {
            Ok(file) => Ok(Self { file: Some(file), name, written: 0 }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(anyhow!(
                "could not save to {name}: it exists; choose another name, or append to it with --tee-append"
            )),
            Err(error) => Err(anyhow!("could not save to {name}: {}", io_error_text(&error))),
        }
    }

    /// Copies the next bytes. Returns a notice if a write fails; it gives the length of the copy, and nothing is copied
    /// afterwards.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Option<String> {
        let file = self.file.as_mut()?;
        let error: io::Error = loop {
            if bytes.is_empty() {
                return None;
            }
            match attempt(Operation::Write, || file.write(bytes)) {
                Ok(0) => break ErrorKind::WriteZero.into(),
                Ok(count) => {
                    self.written += count as u64;
                    bytes = &bytes[count..];
                }
                Err(error) => break error,
            }
        };
        self.file = None;
        let Self { name, written, .. } = self;
        Some(format!("could not save to {name}: {}; the copy ends after {written} bytes", io_error_text(&error)))
    }
}
