//! `diff` of two folders: pairs their runs and compares each pair.
//!
//! Runs are paired by their paths below the folders, then by their first prompts. One pair at a time is kept. Files that are
//! paired by their prompts are read twice, first to learn the prompts.

use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::slice;

use anyhow::ensure;

use super::{DiffArgs, DiffFormat, WithArgs};
use crate::command::folders::{Unread, in_folders, read_each};
use crate::command::options::window_columns;
use crate::command::outcome::ExitStatus;
use crate::command::sessions::listed;
use crate::command::transcript::setup;
use crate::compare::Comparison;
use crate::config::Setup;
use crate::export::diff::folders::{self, FolderComparison, PairedBy, RunDifferences, RunPair};
use crate::export::session_list::ListedSession;
use crate::session::Session;
use crate::source;
use crate::text::output::Output;

/// True if the arguments name two folders.
pub(super) fn are_folders(args: &DiffArgs) -> bool {
    args.right.as_deref().is_some_and(|right| source::is_folder(&args.left) && source::is_folder(right))
}

/// Prints the pairs of runs. The status is `Findings` if anything differs.
pub(super) fn run<W: Write>(args: &DiffArgs, right: &Path, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    ensure!(
        args.with == WithArgs::default(),
        "the --with options compare two files; compare folders without them, or name a file of each"
    );
    ensure!(
        !args.part.cuts(),
        "--turns and --range compare parts of two files; compare folders without them, or name a file of each"
    );
    let setup = setup(&args.common)?;
    let folders = [args.left.as_path(), right];
    let (left, mut unread) = in_folders(slice::from_ref(&args.left))?;
    let (right, more) = in_folders(&[right.to_path_buf()])?;
    unread.extend(more);
    let paths = [left, right];
    let mut pairs = by_name(folders, &paths);
    unread.extend(read(&setup, &mut pairs, FilePair::is_alone, out)?);
    by_prompt(&mut pairs);
    for lost in read(&setup, &mut pairs, |pair| !pair.is_alone(), out)? {
        // A damaged file that was paired by its prompt is reported already.
        if unread.iter().all(|known| known.path != lost.path) {
            unread.push(lost);
        }
    }
    let comparison = FolderComparison {
        folders: folders.map(|folder| folder.to_string_lossy().into_owned()),
        pairs: pairs.into_iter().filter_map(|pair| pair.into_runs(folders)).collect(),
    };
    match args.format {
        DiffFormat::Text => folders::write_text(out, &comparison, window_columns())?,
        DiffFormat::Json => folders::write_json(out, &comparison, &unread)?,
        DiffFormat::Csv => folders::write_csv(out, &comparison)?,
    }
    Ok(match comparison.is_equal() {
        _ if !unread.is_empty() => ExitStatus::Failure,
        true => ExitStatus::Success,
        false => ExitStatus::Findings,
    })
}

/// A pair of files, or one without a counterpart.
#[derive(Default)]
struct FilePair {
    paths: [Option<PathBuf>; 2],
    paired_by: Option<PairedBy>,
    runs: [Option<ListedSession>; 2],
    differences: Option<RunDifferences>,
}

impl FilePair {
    fn of(side: usize, path: &Path) -> Self {
        let mut pair = Self::default();
        pair.paths[side] = Some(path.to_path_buf());
        pair
    }

    /// True if it has no counterpart.
    fn is_alone(&self) -> bool {
        self.paths.iter().any(Option::is_none)
    }

    /// The pair for output; `None` if neither file could be read.
    fn into_runs(self, folders: [&Path; 2]) -> Option<RunPair> {
        let Self { runs, differences, .. } = self;
        let side = usize::from(runs[0].is_none());
        runs[side].as_ref()?;
        let path = self.paths[side].as_deref()?;
        let name = path.strip_prefix(folders[side]).unwrap_or(path).to_string_lossy().into_owned();
        let paired_by = self.paired_by.filter(|_| differences.is_some());
        Some(RunPair { name, paired_by, runs, differences })
    }
}

/// Pairs the files whose paths below their folders are equal, then the files whose paths are equal except for the extension. The
/// pairs are in the order of the left folder; files that only the right one has follow.
fn by_name(folders: [&Path; 2], paths: &[Vec<PathBuf>; 2]) -> Vec<FilePair> {
    let mut pairs: Vec<FilePair> = paths[0].iter().map(|path| FilePair::of(0, path)).collect();
    let mut rest: Vec<Option<&PathBuf>> = paths[1].iter().map(Some).collect();
    let whole = |path: &Path| path.to_path_buf();
    let stem = |path: &Path| path.with_extension("");
    for key in [&whole as &dyn Fn(&Path) -> PathBuf, &stem] {
        let below = |side: usize, path: &Path| key(path.strip_prefix(folders[side]).unwrap_or(path));
        let mut others: HashMap<PathBuf, VecDeque<usize>> = HashMap::new();
        for (number, path) in rest.iter().enumerate().filter_map(|(number, path)| Some((number, (*path)?))) {
            others.entry(below(1, path)).or_default().push_back(number);
        }
        for pair in pairs.iter_mut().filter(|pair| pair.paired_by.is_none()) {
            let path = pair.paths[0].as_deref().map(|path| below(0, path));
            let other = path.and_then(|path| others.get_mut(&path)?.pop_front());
            if let Some(path) = other.and_then(|number| rest[number].take()) {
                (pair.paths[1], pair.paired_by) = (Some(path.clone()), Some(PairedBy::Name));
            }
        }
    }
    pairs.extend(rest.into_iter().flatten().map(|path| FilePair::of(1, path)));
    pairs
}

/// Pairs the files without a counterpart whose first prompts are equal, in order.
fn by_prompt(pairs: &mut Vec<FilePair>) {
    let prompt = |pair: &FilePair, side: usize| {
        let run = pair.runs[side].as_ref().filter(|_| pair.is_alone())?;
        Some(run.summary.first_prompt.clone()).filter(|prompt| !prompt.is_empty())
    };
    let mut others: HashMap<Box<str>, VecDeque<usize>> = HashMap::new();
    for (number, pair) in pairs.iter().enumerate() {
        if let Some(prompt) = prompt(pair, 1) {
            others.entry(prompt).or_default().push_back(number);
        }
    }
    for number in 0..pairs.len() {
        let other = prompt(&pairs[number], 0).and_then(|prompt| others.get_mut(&prompt)?.pop_front());
        if let Some(other) = other {
            pairs[number].paths[1] = pairs[other].paths[1].take();
            pairs[number].paired_by = Some(PairedBy::Prompt);
        }
    }
    pairs.retain(|pair| pair.paths.iter().any(Option::is_some));
}

/// Reads the files of some pairs, pair by pair, and compares the files of each. Returns the files that could not be read.
fn read<W: Write>(
    setup: &Setup,
    pairs: &mut [FilePair],
    takes: impl Fn(&FilePair) -> bool,
    out: &mut Output<W>,
) -> anyhow::Result<Vec<Unread>> {
    let mut places = HashMap::new();
    let mut paths = Vec::new();
    for (number, pair) in pairs.iter().enumerate().filter(|(_, pair)| takes(pair)) {
        for (side, path) in pair.paths.iter().enumerate().filter_map(|(side, path)| Some((side, path.as_ref()?))) {
            places.entry(path.to_string_lossy().into_owned()).or_insert_with(VecDeque::new).push_back((number, side));
            paths.push(path.clone());
        }
    }
    let mut left: Option<(usize, Session)> = None;
    read_each(setup, &paths, None, out, |_, name, session| {
        let Some((number, side)) = places.get_mut(&name).and_then(VecDeque::pop_front) else { return Ok(()) };
        pairs[number].runs[side] = Some(listed(name, &session));
        match left.take().filter(|(of, _)| side == 1 && *of == number) {
            Some((_, other)) => {
                let comparison = Comparison::of_transcripts(&other, &session);
                pairs[number].differences = Some(RunDifferences::new(&comparison));
            }
            None => left = Some((number, session)),
        }
        Ok(())
    })
}
