//! Commands that read many transcripts: which they are, and reading them on several threads.
//!
//! A command is handed them in their order, as if they were read one after another. This module does not know what it
//! makes of them.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::{Reading, Whole, read, source_of, tell};
use crate::config::Setup;
use crate::notes::sidecar::Sidecar;
use crate::source::workers::{Weight, in_order, usual_workers};
use crate::source::{self, Follow, SourceSpec, folder};

/// The paths, with the files that lie in it in the place of a directory, and how much in one could not be read, which is
/// said.
pub(super) fn in_folders(paths: &[PathBuf]) -> anyhow::Result<(Vec<PathBuf>, usize)> {
    let (mut files, mut lost) = (Vec::new(), 0);
    for path in paths {
        if !source::is_folder(path) {
            files.push(path.clone());
            continue;
        }
        folder::check(path)?;
        let (found, unread) = folder::files(path)?;
        unread.iter().try_for_each(|words| tell(&format!("skipped: {words}")))?;
        files.extend(found.into_iter().filter(|path| !Sidecar::is_one(path)));
        lost += unread.len();
    }
    Ok((files, lost))
}

/// Reads transcripts on `jobs` threads, as many as there are processors where that is not said, and hands them to `each` in
/// their order. What is to be said of a source is said before it is handed on.
///
/// # Errors
/// The first error of `each`, which ends the reading.
pub(super) fn read_each(
    setup: &Setup,
    paths: &[PathBuf],
    jobs: Option<NonZeroUsize>,
    each: &mut dyn FnMut(&SourceSpec, anyhow::Result<Whole>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let specs: Vec<SourceSpec> = paths.iter().map(|path| source_of(Some(path))).collect();
    if let [spec] = &*specs
        && jobs.is_none_or(|jobs| jobs.get() > 1)
    {
        return each(spec, read(setup, spec, Follow::No));
    }
    let weights: Vec<Weight> = specs.iter().map(weight).collect();
    let work = |number: usize, send: &mut dyn FnMut((Vec<String>, anyhow::Result<Whole>)) -> bool| {
        let mut told = Vec::new();
        let whole = read_here(setup, &specs[number], &mut |words| {
            told.push(words.to_owned());
            Ok(())
        });
        send((told, whole));
    };
    let workers = jobs.map_or_else(usual_workers, NonZeroUsize::get);
    in_order(&weights, workers, &work, &mut |number, (told, whole)| {
        told.iter().try_for_each(|words| tell(words))?;
        each(&specs[number], whole)
    })
}

/// Reads a transcript on this thread alone: where there are many, the others have the other processors.
fn read_here(setup: &Setup, spec: &SourceSpec, tell: &mut dyn FnMut(&str) -> io::Result<()>) -> anyhow::Result<Whole> {
    let mut reading = Reading::new(setup, spec, 1, tell)?;
    let mut taken = Ok(());
    source::read(spec, |event| {
        taken = reading.take(event, &mut |_| Ok(()));
        taken.is_ok()
    })?;
    taken?;
    reading.end(&mut |_| Ok(()))
}

fn weight(spec: &SourceSpec) -> Weight {
    let SourceSpec::File(path) = spec else { return Weight::UNKNOWN };
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file);
    metadata.map_or(Weight::UNKNOWN, |metadata| Weight::of(path, metadata.len()))
}
