//! `--each`: reads many texts from standard input, one a line, and writes an object for each, in order.
//!
//! A line is a JSON string, or an object with `text` and perhaps `id`, which the output repeats. The output is flushed
//! after each text, so that one process can serve a program that waits for every answer.

use std::io::{self, BufRead, Read as _, Write};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;

use super::outcome::ExitStatus;
use crate::config::Setup;
use crate::export::json_text::ObjectWriter;
use crate::session::Session;

/// Maximum size of a line in bytes. A longer one is reported, and skipped to its end.
const MAX_LINE: u64 = 64 << 20;

/// A text with the caller's name for it.
pub(super) struct EachText {
    pub(super) text: String,
    pub(super) id: Option<Value>,
    /// The calls that it should give, for a matrix.
    pub(super) expect: Option<Value>,
}

/// The forms of a line.
#[derive(Deserialize)]
#[serde(untagged)]
enum InputLine {
    Text(String),
    Object {
        text: String,
        #[serde(default)]
        id: Option<Value>,
        #[serde(default)]
        expect: Option<Value>,
    },
}

/// Reads the texts of standard input and passes each to `write`, which writes a JSON object. Lines that are not texts give
/// an object with `line` and `error`; blank lines are skipped. The status is `Failure` if there was such a line.
///
/// # Errors
/// Standard input cannot be read, or the output is closed.
pub(super) fn run<W: Write>(
    out: &mut W,
    mut write: impl FnMut(&mut Vec<u8>, &str) -> anyhow::Result<()>,
) -> anyhow::Result<ExitStatus> {
    let mut input = io::stdin().lock();
    let (mut line, mut object) = (Vec::new(), Vec::new());
    let mut status = ExitStatus::Success;
    for number in 1_usize.. {
        line.clear();
        let read = input.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line);
        if read.context("could not read standard input")? == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        object.clear();
        let id = match parse(&line) {
            Ok(EachText { text, id, .. }) => {
                write(&mut object, &text)?;
                id
            }
            Err(error) => {
                status = ExitStatus::Failure;
                ObjectWriter::new(&mut object).member("line", &number)?.member("error", &error)?.end()?;
                None
            }
        };
        if line.len() as u64 > MAX_LINE && !line.ends_with(b"\n") {
            skip_line(&mut input).context("could not read standard input")?;
        }
        write_line(out, &object, id.as_ref())?;
        out.flush()?;
    }
    Ok(status)
}

/// Reads a text as a file with these bytes is read.
pub(super) fn session(setup: &Setup, text: &str) -> Session {
    let mut session = super::transcript::new_session(setup);
    session.push(text.as_bytes());
    session.finish();
    session
}

/// Parses a line: a JSON string, or an object with `text` and perhaps `id` and `expect`.
///
/// # Errors
/// The line is too long, not JSON, or neither of both; the text says which, without the number of the line.
pub(super) fn parse(line: &[u8]) -> Result<EachText, String> {
    if line.len() as u64 > MAX_LINE {
        return Err(format!("the line is longer than {} MiB", MAX_LINE >> 20));
    }
    match serde_json::from_slice(line) {
        Ok(InputLine::Text(text)) => Ok(EachText { text, id: None, expect: None }),
        Ok(InputLine::Object { text, id, expect }) => Ok(EachText { text, id, expect }),
        Err(error) if error.is_data() => Err("expected a JSON string, or an object with \"text\"".to_owned()),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    let mut part = Vec::new();
    while input.by_ref().take(1 << 16).read_until(b'\n', &mut part)? > 0 && !part.ends_with(b"\n") {
        part.clear();
    }
    Ok(())
}

/// Writes an object on one line, with the id as its first member. Strings of JSON have no raw line feed, so all of them
/// are between members.
fn write_line<W: Write>(out: &mut W, object: &[u8], id: Option<&Value>) -> io::Result<()> {
    let members = object.strip_prefix(b"{").unwrap_or(object);
    match id {
        Some(id) => write!(out, "{{\"id\": {id}, ")?,
        None => out.write_all(b"{")?,
    }
    for part in members.split(|&byte| byte == b'\n') {
        out.write_all(part)?;
    }
    out.write_all(b"\n")
}
