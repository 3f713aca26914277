//! Finds the transcripts for commands that read many, and reads them on several threads.
//!
//! A command receives them in order, as if they were read one after another.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::outcome::{describe, is_closed_pipe, print_to_stderr};
use super::transcript::{ReadTranscript, Reading, name_of, read, source_of};
use crate::config::Setup;
use crate::config::places::AgentPlaces;
use crate::corpus::choice::is_transcript;
use crate::session::Session;
use crate::source::folder::{self, FoundFile};
use crate::source::workers::{Weight, in_order, usual_workers};
use crate::source::{self, Follow, SourceSpec};
use crate::text::output::Output;

/// Replaces each directory with the transcripts below it. Also returns the entries that could not be read, after
/// reporting them.
pub(super) fn in_folders(paths: &[PathBuf]) -> anyhow::Result<(Vec<PathBuf>, Vec<Unread>)> {
    let (mut files, mut lost) = (Vec::new(), Vec::new());
    let places = AgentPlaces::new();
    for path in paths {
        if !source::is_folder(path) {
            files.push(path.clone());
            continue;
        }
        files.extend(in_folder(path, &|path| places.skips(path), &|file| is_transcript(file, &places), &mut lost)?);
    }
    Ok((files, lost))
}

/// The files below a directory that may be text and that `takes` accepts, in the order of their paths; paths that
/// `skips` accepts are not opened. Entries that could not be read are reported, and added to `lost`.
pub(super) fn in_folder(
    path: &Path,
    skips: &dyn Fn(&Path) -> bool,
    takes: &dyn Fn(&FoundFile) -> bool,
    lost: &mut Vec<Unread>,
) -> anyhow::Result<Vec<PathBuf>> {
    folder::check(path)?;
    let found = folder::files(path, skips, takes)?;
    for path in &found.leaving {
        print_to_stderr(&format!("skipped: {}", folder::unread_message(path, folder::LEAVES)))?;
    }
    for (path, error) in found.unread {
        print_to_stderr(&format!("skipped: {}", folder::unread_message(&path, &error)))?;
        lost.push(Unread { path: path.to_string_lossy().into_owned(), error });
    }
    Ok(found.paths)
}

/// An input that could not be read.
#[derive(Debug, Serialize)]
pub(super) struct Unread {
    pub(super) path: String,
    /// Why it could not be read.
    pub(super) error: String,
}

/// Reads transcripts, including those in directories, and passes them with their names to `each`, in order. A
/// transcript that cannot be read to its end is passed with the part that was read. Failures are reported on standard
/// error and returned.
///
/// # Errors
/// The output is closed, or a directory cannot be read at all; both stop the reading.
pub(super) fn read_each<W: Write>(
    setup: &Setup,
    paths: &[PathBuf],
    jobs: Option<NonZeroUsize>,
    out: &mut Output<W>,
    mut each: impl FnMut(&mut Output<W>, String, Session) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<Unread>> {
    let (paths, mut unread) = in_folders(paths)?;
    read_files(setup, &paths, jobs, &mut |spec, whole| {
        let outcome = whole.and_then(|whole| {
            let outcome = whole.outcome();
            if outcome.is_ok() || !whole.session.text().is_empty() {
                each(out, name_of(spec), whole.session)?;
            }
            outcome
        });
        match outcome {
            Err(error) if is_closed_pipe(&error) => return Err(error),
            Err(error) => {
                let error = describe(&error);
                out.flush()?;
                writeln!(Output::stderr(), "error: {error}")?;
                unread.push(Unread { path: name_of(spec), error });
            }
            Ok(_) => {}
        }
        Ok(())
    })?;
    Ok(unread)
}

/// Reads transcripts on `jobs` threads, by default on one for each processor, and passes them to `each`, in order.
/// Messages about a source precede it.
fn read_files(
    setup: &Setup,
    paths: &[PathBuf],
    jobs: Option<NonZeroUsize>,
    each: &mut dyn FnMut(&SourceSpec, anyhow::Result<ReadTranscript>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let specs: Vec<SourceSpec> = paths.iter().map(|path| source_of(Some(path))).collect();
    if let [spec] = &*specs
        && jobs.is_none_or(|jobs| jobs.get() > 1)
    {
        return each(spec, read(setup, spec, Follow::No));
    }
    let weights: Vec<Weight> = specs.iter().map(weight).collect();
    let work = |number: usize, send: &mut dyn FnMut((Vec<String>, anyhow::Result<ReadTranscript>)) -> bool| {
        let mut told = Vec::new();
        let whole = read_here(setup, &specs[number], &mut |words| {
            told.push(words.to_owned());
            Ok(())
        });
        send((told, whole));
    };
    let workers = jobs.map_or_else(usual_workers, NonZeroUsize::get);
    in_order(&weights, workers, &work, &mut |number, (told, whole)| {
        told.iter().try_for_each(|words| print_to_stderr(words))?;
        each(&specs[number], whole)
    })
}

/// Reads a transcript on the current thread alone; other transcripts occupy the other processors.
pub(super) fn read_here(
    setup: &Setup,
    spec: &SourceSpec,
    tell: &mut dyn FnMut(&str) -> io::Result<()>,
) -> anyhow::Result<ReadTranscript> {
    let mut reading = Reading::new(setup, spec, 1, tell)?;
    let mut taken = Ok(());
    source::read(spec, |event| {
        taken = reading.take(event, &mut |_| Ok(()));
        taken.is_ok()
    })?;
    taken?;
    reading.end(&mut |_| Ok(()))
}

pub(super) fn weight(spec: &SourceSpec) -> Weight {
    let SourceSpec::File(path) = spec else { return Weight::UNKNOWN };
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file);
    metadata.map_or(Weight::UNKNOWN, |metadata| Weight::of(path, metadata.len()))
}
