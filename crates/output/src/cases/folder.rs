//! Cases as files of a folder: `NAME.txt`, its expected result, and optionally the schemas of its tools.
//!
//! Writes expected results on request, and new cases, which never overwrite files.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::{Case, CaseOutcome, ExpectedOutcome, run};
use crate::config::{Known, ReadOptions};
use crate::container::Container;
use crate::dialect::Options;
use crate::export::json_text::write_pretty;
use crate::lens::matrix::MatrixCall;
use crate::session::Session;
use crate::source::{self, SourceSpec};
use crate::system::whole_file::{self, IfExists};

/// Suffix of a case's text file.
pub const TEXT: &str = ".txt";
/// Suffix of a case's expected result.
const EXPECTED: &str = ".expected.json";
/// Suffix of a case's schemas, if they were saved with it.
const SCHEMA: &str = ".schema.json";

/// Maximum size in bytes of a case to save, since it is read byte by byte.
pub const LARGEST: usize = 1 << 20;

/// Sorted names of the cases in a folder, without suffix. Subfolders are not searched.
///
/// # Errors
/// If the folder cannot be read, or a case's name is not UTF-8.
pub fn names(folder: &Path) -> Result<Vec<String>> {
    let shown = folder.display();
    let cannot = || format!("could not read the folder {shown}");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        let Some(file) = path.file_name().filter(|_| path.is_file()) else { continue };
        let Some(file) = file.to_str() else {
            ensure!(!file.to_string_lossy().ends_with(TEXT), "the name of {} is not valid UTF-8", path.display());
            continue;
        };
        names.extend(file.strip_suffix(TEXT).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// The calls that a text file should give.
pub struct ExpectedFile {
    /// The calls, in the order of the text.
    pub calls: Vec<MatrixCall>,
    /// Container and options of a case; `None` if the file is only a list of calls.
    pub read: Option<(Container, Options)>,
}

impl ExpectedFile {
    /// Reads `NAME.expected.json` next to a text file `NAME.txt`: the expected result of a case, or a JSON array of
    /// calls, each with name and arguments. `None` if there is no such file.
    ///
    /// # Errors
    /// Names the file that cannot be read or parsed.
    pub fn beside(text: &Path) -> Result<Option<Self>> {
        let path = text.with_extension(&EXPECTED[1..]);
        if !path.exists() {
            return Ok(None);
        }
        let bytes = source::read_all(&SourceSpec::File(path.clone()))?;
        let cannot = || format!("could not use {}", path.display());
        if bytes.trim_ascii_start().starts_with(b"[") {
            let calls = serde_json::from_slice(&bytes).with_context(cannot)?;
            return Ok(Some(Self { calls, read: None }));
        }
        let expected = ExpectedOutcome::parse(&bytes).with_context(cannot)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let read = expected.options.resolve(folder, Known::default()).with_context(cannot)?;
        let calls = expected.calls().into_iter();
        let calls = calls.map(|call| MatrixCall { name: call.name, arguments: call.parameters }).collect();
        Ok(Some(Self { calls, read: Some(read) }))
    }
}

/// True for a file that belongs to a case and is not its text.
pub fn is_part_of_case(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [EXPECTED, SCHEMA].iter().any(|suffix| name.ends_with(suffix))
}

/// Result of running a case of a folder.
pub struct CaseRun {
    /// True if it had no expected result.
    pub is_new: bool,
    /// True if the expected result was written.
    pub updated: bool,
    /// The result, and its difference from the expected one.
    pub outcome: CaseOutcome,
}

/// Runs a case. With `update`, writes the actual result as the expected one if they differ.
///
/// # Errors
/// Names the file that cannot be read, parsed or written.
pub fn run_named(folder: &Path, name: &str, update: bool) -> Result<CaseRun> {
    let text = source::read_all(&SourceSpec::File(folder.join(format!("{name}{TEXT}"))))?;
    let path = folder.join(format!("{name}{EXPECTED}"));
    let expected = if path.exists() { Some(expected(&path)?) } else { None };
    let read = expected.as_ref().map(|expected| expected.options.clone()).unwrap_or_default();
    let cannot = || format!("could not run the case {}", path.display());
    let (container, options) = read.resolve(folder, Known::default()).with_context(cannot)?;
    let outcome = run(&Case { text, container, options }, read, expected.as_ref());
    let updated = update && (expected.is_none() || outcome.difference.is_some());
    if updated {
        let bytes = written(&outcome.found)?;
        whole_file::write(&path, IfExists::Replace, |out| out.write_all(&bytes))
            .with_context(|| format!("could not write {}", path.display()))?;
    }
    Ok(CaseRun { is_new: expected.is_none(), updated, outcome })
}

fn expected(path: &Path) -> Result<ExpectedOutcome> {
    let bytes = source::read_all(&SourceSpec::File(path.to_path_buf()))?;
    ExpectedOutcome::parse(&bytes).map_err(|error| anyhow!("could not use {}: {error}", path.display()))
}

fn written(expected: &ExpectedOutcome) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write_pretty(&mut bytes, expected)?;
    Ok(bytes)
}

/// Result of saving a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedCase {
    /// Path of the new text file.
    pub path: PathBuf,
    /// The ways to cut the text whose results differ from the whole text's; if there are any, the case fails.
    pub cuts: Vec<String>,
}

/// Saves a text and its result as a new case `FOLDER/NAME`; the folder is created if only its parent exists.
///
/// # Errors
/// If the path is not a valid case name, or the case exists. If a file cannot be written; none is kept then.
pub fn save(path: &Path, case: &Case) -> Result<SavedCase> {
    let shown = path.display();
    let name = path.file_name().and_then(|name| name.to_str()).map(|name| name.strip_suffix(TEXT).unwrap_or(name));
    let name = name.filter(|name| !name.is_empty() && !path.is_dir());
    let Some(name) = name else { bail!("could not save a case as {shown}: give it a name, such as FOLDER/NAME") };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut options = ReadOptions::from_dialect(&case.options);
    options.container = needed(case).map(str::to_owned);
    let schema = schema_beside(folder, case);
    let mut files = vec![(folder.join(format!("{name}{TEXT}")), case.text.clone())];
    if let Some(schemas) = &case.options.schemas {
        let file = format!("{name}{SCHEMA}");
        options.schema = Some(schema.clone().unwrap_or_else(|| file.clone()).into());
        if schema.is_none() {
            files.push((folder.join(file), schemas.file().to_vec()));
        }
    }
    let outcome = run(case, options, None);
    files.push((folder.join(format!("{name}{EXPECTED}")), written(&outcome.found)?));
    let is_new = !folder.exists();
    if is_new {
        fs::create_dir(folder).with_context(|| format!("could not create the folder {}", folder.display()))?;
    }
    write_all_or_none(&files).inspect_err(|_| {
        if is_new {
            // Fails if another program has put files there.
            let _ = fs::remove_dir(folder);
        }
    })?;
    Ok(SavedCase { path: files.swap_remove(0).0, cuts: outcome.cuts })
}

/// Name of the container that a case must specify; `None` if detection finds the same one.
fn needed(case: &Case) -> Option<&'static str> {
    let asked = case.container;
    if asked.is_detected() {
        return None;
    }
    let found = Session::read(&case.text, &case.options).choice();
    Some(asked.name()).filter(|name| found.is_none_or(|found| found.about.name != *name))
}

/// Name of the schema file, if the folder already contains it unchanged.
fn schema_beside(folder: &Path, case: &Case) -> Option<String> {
    let schemas = case.options.schemas.as_ref()?;
    let path = fs::canonicalize(schemas.name()).ok()?;
    let is_beside = path.parent() == Some(fs::canonicalize(folder).ok()?.as_path());
    let is_same = is_beside && fs::read(&path).is_ok_and(|bytes| bytes == schemas.file());
    path.file_name().filter(|_| is_same)?.to_str().map(str::to_owned)
}

/// Writes new files. If one cannot be written, the others are removed.
fn write_all_or_none(files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    for (index, (path, bytes)) in files.iter().enumerate() {
        let written = whole_file::write(path, IfExists::Refuse, |out| out.write_all(bytes));
        let Err(error) = written else { continue };
        for (path, _) in &files[..index] {
            // An incomplete case is useless.
            let _ = fs::remove_file(path);
        }
        ensure!(
            error.kind() != ErrorKind::AlreadyExists,
            "could not save the case: {} exists; choose another name",
            path.display()
        );
        return Err(error).with_context(|| format!("could not write {}", path.display()));
    }
    Ok(())
}
