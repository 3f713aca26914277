//! `lens --matrix`: all texts of a folder, each read by all parsers of its dialect in all recorded releases.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::super::folders::{Unread, in_folder, read_here, weight};
use super::super::outcome::{ExitStatus, describe, print_to_stderr};
use super::super::text_stream::{self, EachText};
use super::super::transcript::{name_of, source_of};
use super::{LARGEST, LensFormat};
use crate::cases::folder::{ExpectedFile, is_part_of_case};
use crate::config::Setup;
use crate::export::matrix::{
    ExpectedSource, Matrix, MatrixText, SkippedText, write_csv, write_json, write_ndjson, write_text,
};
use crate::lens::matrix::{MatrixCall, MatrixCell, in_every_release};
use crate::lens::{Lens, MessageText, ParserChoice, request_of};
use crate::runtime::ToolRequest;
use crate::session::Session;
use crate::source;
use crate::source::workers::{Weight, in_order, usual_workers};

/// The parsers and the request of a matrix.
pub(super) struct MatrixRequest<'a> {
    pub(super) setup: &'a Setup,
    pub(super) request: &'a ToolRequest,
    /// The file with the tools, which is not one of the texts.
    pub(super) schema: Option<&'a Path>,
    pub(super) wanted: ParserChoice,
}

/// The texts of a file with their readings, and messages for standard error.
struct ReadFile {
    matrix: anyhow::Result<Matrix>,
    messages: Vec<String>,
}

/// Runs `transcope lens --matrix`. The status is `Findings` if a reading does not pass.
pub(super) fn run<W: Write>(
    folder: &Path,
    asked: &MatrixRequest<'_>,
    format: LensFormat,
    width: usize,
    out: &mut W,
) -> anyhow::Result<ExitStatus> {
    let wanted = ParserChoice { runtimes: in_every_release(&asked.wanted.runtimes), ..asked.wanted.clone() };
    let asked = &MatrixRequest { wanted, ..*asked };
    let mut unread: Vec<Unread> = Vec::new();
    let schema = asked.schema.and_then(|path| path.canonicalize().ok());
    let is_schema = |path: &Path| schema.is_some() && path.canonicalize().ok() == schema;
    let is_text = |path: &Path| !is_part_of_case(path) && !is_schema(path);
    let paths = in_folder(folder, &|_| false, &|file| is_text(&file.path), &mut unread)?;
    let weights: Vec<Weight> = paths.iter().map(|path| weight(&source_of(Some(path)))).collect();
    let mut matrix = Matrix::default();
    let work = |number: usize, send: &mut dyn FnMut(ReadFile) -> bool| {
        let mut messages = Vec::new();
        let matrix = file(asked, &paths[number], &mut messages);
        send(ReadFile { matrix, messages });
    };
    in_order(&weights, usual_workers(), &work, &mut |number, read| {
        read.messages.iter().try_for_each(|words| print_to_stderr(words))?;
        match read.matrix {
            Ok(of_file) => {
                matrix.texts.extend(of_file.texts);
                matrix.skipped.extend(of_file.skipped);
            }
            Err(error) => {
                let error = describe(&error);
                print_to_stderr(&format!("error: {error}"))?;
                unread.push(Unread { path: paths[number].to_string_lossy().into_owned(), error });
            }
        }
        Ok(())
    })?;
    let name = folder.display();
    ensure!(
        !matrix.texts.is_empty() || !unread.is_empty(),
        "{name} has no text that a parser reads; --dialect names the dialect to read the texts in"
    );
    match format {
        LensFormat::Text => write_text(out, &matrix, width)?,
        LensFormat::Json => write_json(out, &matrix, &unread)?,
        LensFormat::Ndjson => write_ndjson(out, &matrix)?,
        LensFormat::Csv => write_csv(out, &matrix)?,
    }
    Ok(match unread.is_empty() {
        false => ExitStatus::Failure,
        true if matrix.counts().all_pass() => ExitStatus::Success,
        true => ExitStatus::Findings,
    })
}

/// Reads all texts of a file: the file itself, each line of JSON lines with texts, or each message of a recorded session
/// whose text has calls.
fn file(asked: &MatrixRequest<'_>, path: &PathBuf, messages: &mut Vec<String>) -> anyhow::Result<Matrix> {
    let mut matrix = Matrix::default();
    let expected = ExpectedFile::beside(path)?;
    let read = expected.as_ref().and_then(|expected| expected.read.clone());
    let of_case = read.map(|(container, dialect)| Setup { container, dialect, ..asked.setup.clone() });
    let setup = of_case.as_ref().unwrap_or(asked.setup);
    let spec = source_of(Some(path));
    let whole = read_here(setup, &spec, &mut |words| {
        messages.push(words.to_owned());
        Ok(())
    })?;
    let session = &whole.session;
    if let Some(lines) = expected.is_none().then(|| lines_of(path, session)).transpose()?.flatten() {
        for (number, line) in lines {
            let session = text_stream::session(setup, &line.text);
            let expect: Option<Vec<MatrixCall>> =
                line.expect.map(serde_json::from_value).transpose().with_context(|| {
                    format!("{}:{number}: expect is not a list of calls with name and arguments", name_of(&spec))
                })?;
            let expected = expect.map(|calls| (calls, ExpectedSource::Line));
            for message in session.model_texts() {
                let place = TextPlace { path, line: Some(number), id: line.id.clone() };
                read_text(&mut matrix, asked, setup, place, &message, expected.clone());
            }
        }
        whole.outcome()?;
        return Ok(matrix);
    }
    let is_one_message = !session.is_decoded() && session.text().len() > LARGEST;
    ensure!(
        !is_one_message,
        "{} is larger than {} MiB, the limit for parsers of runtimes",
        name_of(&spec),
        LARGEST >> 20
    );
    let expected = expected.map(|expected| (expected.calls, ExpectedSource::File));
    for message in session.model_texts() {
        let line = session.is_decoded().then(|| session.position(message.span.start).line);
        read_text(&mut matrix, asked, setup, TextPlace { path, line, id: None }, &message, expected.clone());
    }
    whole.outcome()?;
    Ok(matrix)
}

/// The place of a text in the folder.
struct TextPlace<'a> {
    path: &'a Path,
    line: Option<usize>,
    id: Option<Value>,
}

/// Reads a text with the parsers of its dialects, and compares the calls.
fn read_text(
    matrix: &mut Matrix,
    asked: &MatrixRequest<'_>,
    setup: &Setup,
    place: TextPlace<'_>,
    message: &MessageText,
    expected: Option<(Vec<MatrixCall>, ExpectedSource)>,
) {
    let of_case = request_of(setup.dialect.schemas.as_deref());
    let request = if asked.request.tools.is_some() || of_case.tools.is_none() {
        asked.request.clone()
    } else {
        ToolRequest { settings: asked.request.settings.clone(), ..of_case }
    };
    let mut wanted = asked.wanted.clone();
    if wanted.dialects.is_empty() {
        wanted.dialects = setup.dialect.only.iter().map(|dialect| dialect.name.to_owned()).collect();
    }
    let lens = Lens::new(message, &request, &wanted);
    let (path, line) = (place.path.to_string_lossy().into_owned(), place.line);
    let (expected, source) = expected.unwrap_or_else(|| (MatrixCall::of_message(message), ExpectedSource::Text));
    let cells = MatrixCell::of_lens(&lens, &expected);
    if cells.is_empty() {
        let found = if lens.dialects.is_empty() { &message.found } else { &lens.dialects };
        let reason = match found.as_slice() {
            [] => "no parser finds a call".to_owned(),
            dialects => format!("no parser that was chosen reads {}", dialects.join(", ")),
        };
        matrix.skipped.push(SkippedText { path, line, reason });
        return;
    }
    matrix.texts.push(MatrixText { path, line, id: place.id, dialects: lens.dialects, expected, source, cells });
}

/// The texts of a file with JSON lines, each with its line; `None` for another file.
fn lines_of(path: &Path, session: &Session) -> anyhow::Result<Option<Vec<(usize, EachText)>>> {
    let is_named = path.extension().and_then(OsStr::to_str).is_some_and(|ending| ["jsonl", "ndjson"].contains(&ending));
    let is_known = session.is_decoded() && session.choice().is_some_and(|choice| !choice.is_unknown());
    if !is_named || is_known {
        return Ok(None);
    }
    let bytes = source::read_all(&source_of(Some(path)))?;
    let lines = bytes.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    let mut lines = lines.map(|(number, line)| (number + 1, text_stream::parse(line))).peekable();
    if lines.peek().is_none_or(|(_, first)| first.is_err()) {
        return Ok(None);
    }
    let name = path.display();
    let texts =
        lines.map(|(number, line)| Ok((number, line.map_err(|words| anyhow::anyhow!("{name}:{number}: {words}"))?)));
    texts.collect::<anyhow::Result<_>>().map(Some)
}
