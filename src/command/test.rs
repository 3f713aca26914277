//! `test`: reads the cases of a folder and compares each with what is expected of it.
//!
//! With `--update` this is the only command that writes to files that it was not given by name: what is expected of
//! cases, beside them. This module does not know what is compared.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use serde::Serialize;

use super::Verdict;
use crate::cases::{self, Difference, Expected, Outcome};
use crate::cli::{TestArgs, TestFormat};
use crate::config::schemas;
use crate::export::difference::{sign, write_changes};
use crate::export::json_text::{write, write_lines, write_pretty};
use crate::export::record::SCHEMA_VERSION;
use crate::source::{self, SourceSpec};
use crate::text::sanitize::visible_str;

/// What the name of a case ends with.
const TEXT: &str = ".txt";
/// What the name of what is expected of it ends with.
const EXPECTED: &str = ".expected.json";

/// Runs the command.
pub fn run<W: Write>(args: &TestArgs, out: &mut W) -> anyhow::Result<Verdict> {
    let names = cases_in(&args.folder)?;
    let folder = args.folder.display();
    ensure!(!names.is_empty(), "there is no case in {folder}: a case is a file that ends with {TEXT}");
    let mut results = Vec::new();
    for name in names {
        let result = case(&args.folder, name, args.update)?;
        if args.format == TestFormat::Human {
            result.write(out)?;
        }
        results.push(result);
    }
    let passed = results.iter().filter(|result| result.passes()).count();
    let failed = results.len() - passed;
    match args.format {
        TestFormat::Human => {
            let updated = results.iter().filter(|result| result.updated).count();
            let written = if updated == 0 { String::new() } else { format!(", {updated} written") };
            writeln!(out, "{passed} of {} pass{written}", results.len())?;
        }
        TestFormat::Json => {
            write!(out, "{{\n\"schema_version\": {SCHEMA_VERSION},\n\"cases\": ")?;
            write_lines(out, results.iter().map(CaseRecord::of))?;
            write!(out, ",\n\"passed\": ")?;
            write(out, &passed)?;
            writeln!(out, ",\n\"failed\": {failed}\n}}")?;
        }
    }
    Ok(if failed == 0 { Verdict::Same } else { Verdict::Differs })
}

/// Names of the cases in a folder, without their ending, in order. Folders in it are not searched.
fn cases_in(folder: &Path) -> anyhow::Result<Vec<String>> {
    let shown = folder.display();
    let cannot = || format!("could not read the folder {shown}");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        let Some(file) = path.file_name().filter(|_| path.is_file()) else { continue };
        let Some(file) = file.to_str() else {
            ensure!(!file.to_string_lossy().ends_with(TEXT), "the name of {} is no UTF-8", path.display());
            continue;
        };
        names.extend(file.strip_suffix(TEXT).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// A case that was run.
struct CaseResult {
    name: String,
    /// Whether something was expected of it before.
    is_new: bool,
    /// Whether what is expected was written.
    updated: bool,
    outcome: Outcome,
}

/// Runs one case.
fn case(folder: &Path, name: String, update: bool) -> anyhow::Result<CaseResult> {
    let text = source::read_all(&SourceSpec::File(folder.join(format!("{name}{TEXT}"))))?;
    let path = folder.join(format!("{name}{EXPECTED}"));
    let expected = if path.exists() { Some(expected(&path)?) } else { None };
    let reading = expected.as_ref().map(|expected| expected.options.clone()).unwrap_or_default();
    let cannot = || format!("could not run the case {}", path.display());
    let mut options = reading.options().map_err(anyhow::Error::msg).with_context(cannot)?;
    if let Some(schema) = &reading.schema {
        options.schemas = Some(schemas::read(&folder.join(schema)).with_context(cannot)?);
    }
    let outcome =
        cases::run(&text, &options, &reading, expected.as_ref()).map_err(anyhow::Error::msg).with_context(cannot)?;
    let updated = update && (expected.is_none() || outcome.difference.is_some());
    if updated {
        let mut bytes = Vec::new();
        write_pretty(&mut bytes, &outcome.found)?;
        fs::write(&path, bytes).with_context(|| format!("could not write {}", path.display()))?;
    }
    Ok(CaseResult { name, is_new: expected.is_none(), updated, outcome })
}

/// Reads what is expected of a case.
fn expected(path: &Path) -> anyhow::Result<Expected> {
    let bytes = source::read_all(&SourceSpec::File(path.to_path_buf()))?;
    Expected::parse(&bytes).map_err(|error| anyhow!("could not use {}: {error}", path.display()))
}

impl CaseResult {
    /// Whether all is as it should be: as expected, or as was just written, and the same however it is cut.
    fn passes(&self) -> bool {
        let known = !self.is_new && self.outcome.difference.is_none();
        (known || self.updated) && self.outcome.cuts.is_empty()
    }

    /// What became of it, in a word.
    fn word(&self) -> &'static str {
        match self {
            _ if !self.outcome.cuts.is_empty() => "cuts",
            Self { updated: true, .. } => "written",
            Self { is_new: true, .. } => "new",
            Self { outcome: Outcome { difference: Some(_), .. }, .. } => "FAILED",
            _ => "ok",
        }
    }

    fn write<W: Write>(&self, out: &mut W) -> anyhow::Result<()> {
        let name = visible_str(&self.name);
        match self.word() {
            "new" => writeln!(out, "FAILED  {name}: nothing is expected of it; --update writes what was found")?,
            "cuts" => writeln!(out, "FAILED  {name}: other results for {}", self.outcome.cuts.join(", "))?,
            word => writeln!(out, "{word:<7} {name}")?,
        }
        if let (Some(difference), false) = (&self.outcome.difference, self.updated) {
            for row in &difference.rows {
                let name = |side: usize, call: Option<usize>| call.and_then(|call| difference.names[side].get(call));
                let name = name(0, row.left).or_else(|| name(1, row.right)).map_or("", String::as_str);
                writeln!(out, "{} {}", sign(row.kind()), visible_str(name))?;
                write_changes(out, row)?;
            }
            difference.missing.iter().try_for_each(|line| writeln!(out, "- {}", visible_str(line)))?;
            difference.unexpected.iter().try_for_each(|line| writeln!(out, "+ {}", visible_str(line)))?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct CaseRecord<'a> {
    name: &'a str,
    passed: bool,
    new: bool,
    updated: bool,
    /// The ways to cut the text that gave something else.
    cuts: &'a [String],
    missing: &'a [String],
    unexpected: &'a [String],
    found: &'a Expected,
}

impl<'a> CaseRecord<'a> {
    fn of(result: &'a CaseResult) -> Self {
        let difference = result.outcome.difference.as_ref();
        let lines = |lines: fn(&Difference) -> &[String]| difference.map(lines).unwrap_or_default();
        Self {
            name: &result.name,
            passed: result.passes(),
            new: result.is_new,
            updated: result.updated,
            cuts: &result.outcome.cuts,
            missing: lines(|difference| &difference.missing),
            unexpected: lines(|difference| &difference.unexpected),
            found: &result.outcome.found,
        }
    }
}
