//! The folder of an index: a manifest, and for each table a folder with numbered files, one for each part.
//!
//! ```text
//! index.json
//! sessions/00000.parquet  calls/00000.parquet  problems/00000.parquet  counts/00000.parquet
//! sessions/00001.parquet  …
//! ```
//!
//! A part covers up to `PART` files of a corpus and is written completely before one renaming marks it as ready.
//! Opening the index moves ready parts to their final places, so that a crash at any point loses at most the part being
//! written.

mod manifest;
mod part;

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead as _, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::cell::{Table, TableRow};
use super::format::{TableFormat, read_table};
use super::tables::{CallRow, CountRow, ProblemRow, SessionRow};
pub use manifest::{IndexManifest, IndexTotals};
pub use part::PartWriter;

use crate::system::made_folder::MadeFolders;

/// Maximum number of corpus files in a part.
pub(crate) const PART: usize = 1000;

/// The tables, in the order of moving their files.
const TABLES: [Table; 4] = [CallRow::TABLE, ProblemRow::TABLE, CountRow::TABLE, SessionRow::TABLE];

/// File name of the manifest.
const MANIFEST: &str = "index.json";

/// Advice for repairing damage.
const RUN_AGAIN: &str = "run transcope index again";

/// Name of the lock file for writers.
const LOCK: &str = ".lock";

/// Name of the folder in which a part is written, and prefix of its name, before the part number, once it is complete.
const UNFINISHED: &str = ".unfinished";
const READY: &str = ".ready-";

/// An index in a folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    /// Settings and totals of the index.
    pub manifest: IndexManifest,
    /// Part numbers, ascending.
    parts: Vec<usize>,
}

/// An index locked for writing during the lifetime of this value.
#[derive(Debug)]
pub(crate) struct LockedStore {
    /// The index, whose tables can be read while it is written.
    pub(crate) store: Store,
    _lock: File,
    /// The folders created by this run, removed if they stay empty.
    made: MadeFolders,
}

/// True if a file belongs to an index, given its path relative to the index folder.
pub(crate) fn is_of_index(path: &Path) -> bool {
    let names: Vec<_> = path.iter().take(3).map(|name| name.to_string_lossy()).collect();
    match &*names {
        [name] => name == MANIFEST || name == LOCK,
        [folder, name] if part_of(name).is_some() => TABLES.iter().any(|table| table.name == folder),
        [folder, ..] => folder == UNFINISHED || folder.starts_with(READY),
        [] => false,
    }
}

/// Folder of the index, if this file is an index manifest according to its name and first bytes.
pub(crate) fn index_with(path: &Path, head: &[u8]) -> Option<PathBuf> {
    let is_manifest = path.file_name().is_some_and(|name| name == MANIFEST) && IndexManifest::is_begun_by(head);
    is_manifest.then(|| path.parent().map(Path::to_path_buf))?
}

impl Store {
    /// Opens the index in a folder; `None` if the folder is not an index.
    ///
    /// # Errors
    /// If the index was written by a later version, or cannot be read.
    pub fn open(folder: &Path) -> Result<Option<Self>> {
        let Some(manifest) = IndexManifest::read(&folder.join(MANIFEST))? else { return Ok(None) };
        let mut store = Self { folder: folder.to_path_buf(), manifest, parts: Vec::new() };
        store.parts = store.find_parts()?;
        Ok(Some(store))
    }

    /// Folder of the manifest and the tables.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Part numbers, ascending.
    pub(crate) fn parts(&self) -> &[usize] {
        &self.parts
    }

    /// Passes the rows of a part in order to `each`, until that breaks; reads only `columns`, if given.
    ///
    /// # Errors
    /// If a file of the table cannot be read; the first error of `each`.
    pub(crate) fn read<R: TableRow>(
        &self,
        part: usize,
        columns: Option<&[&str]>,
        mut each: impl FnMut(R) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let path = self.path(&R::TABLE, part);
        let could_not = || format!("could not read {}", path.display());
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                bail!("{} is missing; {RUN_AGAIN}", path.display())
            }
            Err(error) => return Err(error).with_context(could_not),
        };
        let mut failure = None;
        read_table(self.format(), &R::TABLE, file, columns, &mut |cells| {
            let row = R::from_cells(cells)
                .with_context(|| format!("{}: a row lacks a value; delete this file, and {RUN_AGAIN}", could_not()));
            row.and_then(&mut each).unwrap_or_else(|error| {
                failure = Some(error);
                ControlFlow::Break(())
            })
        })
        .map_err(|error| match error.kind() {
            // A part that lacks a table is rebuilt.
            io::ErrorKind::InvalidData => anyhow!("{error}; delete this file, and {RUN_AGAIN}"),
            _ => error.into(),
        })
        .with_context(could_not)?;
        failure.map_or(Ok(()), Err)
    }

    /// True if a run with this manifest would update the index instead of rebuilding it.
    pub(crate) fn is_continued_by(&self, manifest: &IndexManifest) -> bool {
        self.manifest.is_continued_by(manifest)
    }

    /// File format of its tables.
    pub fn format(&self) -> TableFormat {
        self.manifest.format()
    }

    fn path(&self, table: &Table, part: usize) -> PathBuf {
        self.folder.join(table.name).join(self.file_name(part))
    }

    fn file_name(&self, part: usize) -> String {
        format!("{part:05}.{}", self.format().extension())
    }

    fn find_parts(&self) -> Result<Vec<usize>> {
        let folder = self.folder.join(SessionRow::TABLE.name);
        let ending = format!(".{}", self.format().extension());
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| format!("could not open {}", folder.display())),
        };
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut parts: Vec<usize> = names.filter_map(|name| name.strip_suffix(&ending)?.parse().ok()).collect();
        parts.sort_unstable();
        Ok(parts)
    }
}

impl LockedStore {
    /// Opens or creates the index in a folder for writing. Ready parts of an earlier run are moved to their places,
    /// unfinished ones are deleted. An index of another format, other settings or an older version is rebuilt.
    ///
    /// # Errors
    /// If the folder contains something else, is being written by another process, or cannot be written.
    pub fn open(folder: &Path, manifest: IndexManifest) -> Result<Self> {
        let name = folder.display();
        ensure!(folder.is_dir() || !folder.exists(), "{name} is a file; choose a new or empty folder");
        let made = MadeFolders::new(folder).with_context(|| format!("could not create {name}"))?;
        let known = Store::open(folder)?;
        if known.is_none() {
            let mut others = fs::read_dir(folder).with_context(|| format!("could not open {name}"))?.flatten();
            let is_ours = |file: &fs::DirEntry| file.file_name().as_encoded_bytes().starts_with(b".");
            ensure!(
                others.all(|file| is_ours(&file)),
                "{name} is not an index and contains other files; choose a new or empty folder"
            );
        }
        let lock = File::options().create(true).append(true).open(folder.join(LOCK));
        let lock = lock.with_context(|| format!("could not write to {name}"))?;
        // Without file locks in the file system, other writers are not detected.
        let is_locked = matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
        ensure!(!is_locked, "another transcope is writing to {name}; wait until it has finished");
        // Another run may have written the index in the meantime.
        let known = Store::open(folder)?;
        let store = Store { folder: folder.to_path_buf(), manifest, parts: Vec::new() };
        let mut locked = Self { store, _lock: lock, made };
        match locked.store.take_over(known) {
            Ok(()) => Ok(locked),
            Err(error) => {
                locked.discard_unfinished();
                Err(error)
            }
        }
    }

    /// Begins a part, which replaces the one with this number or is new.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn begin_part(&self, part: usize) -> Result<PartWriter> {
        let folder = self.store.folder.join(UNFINISHED);
        remove_folder(&folder)?;
        PartWriter::new(&folder, part, self.store.format())
    }

    /// Moves a finished part to its place. Drops it if its tables equal the existing part's, so that programs that
    /// watch or copy the files see no change.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn commit(&mut self, part: PartWriter) -> Result<()> {
        let number = part.finish()?;
        let store = &mut self.store;
        let unfinished = store.folder.join(UNFINISHED);
        if TABLES.iter().all(|table| is_same_file(&unfinished.join(table.name), &store.path(table, number))) {
            return remove_folder(&unfinished);
        }
        let ready = store.folder.join(format!("{READY}{number:05}"));
        fs::rename(store.folder.join(UNFINISHED), &ready).with_context(|| cannot_write(&ready))?;
        store.finish_moving()?;
        if let Err(place) = store.parts.binary_search(&number) {
            store.parts.insert(place, number);
        }
        Ok(())
    }

    /// Removes an unfinished part, for example when the disk is full; otherwise the next run would. Removes an index
    /// created by this run altogether if it has no complete part.
    pub(crate) fn discard_unfinished(&self) {
        _ = remove_folder(&self.store.folder.join(UNFINISHED));
        if self.made.is_new() && self.store.is_empty() {
            for name in [MANIFEST, LOCK] {
                _ = fs::remove_file(self.store.folder.join(name));
            }
        }
    }

    /// Marks the index as complete as of now.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn complete(&mut self, totals: IndexTotals) -> Result<()> {
        self.store.manifest.complete(totals);
        self.store.manifest.write(&self.store.folder.join(MANIFEST))
    }
}

impl Store {
    /// Cleans up after an earlier run, and writes the new manifest.
    fn take_over(&mut self, known: Option<Self>) -> Result<()> {
        remove_folder(&self.folder.join(UNFINISHED))?;
        match known {
            Some(known) if known.manifest.is_continued_by(&self.manifest) => {
                self.finish_moving()?;
                self.remove_incomplete()?;
            }
            _ => self.clear()?,
        }
        self.parts = self.find_parts()?;
        self.sweep()?;
        self.manifest.write(&self.folder.join(MANIFEST))
    }

    /// True if the folder contains at most the manifest and the lock file.
    fn is_empty(&self) -> bool {
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.into_iter().all(|name| name == MANIFEST || name == LOCK)
    }

    /// Moves the tables of ready parts to their places.
    fn finish_moving(&self) -> Result<()> {
        let entries = fs::read_dir(&self.folder).with_context(|| cannot_write(&self.folder))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(part) = name.strip_prefix(READY).and_then(|number| number.parse().ok()) else { continue };
            for table in TABLES {
                let place = self.path(&table, part);
                let _made = MadeFolders::new(&self.folder.join(table.name)).with_context(|| cannot_write(&place))?;
                match fs::rename(entry.path().join(table.name), &place) {
                    Ok(()) => {}
                    // It was moved in an earlier run.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error).with_context(|| cannot_write(&place)),
                }
            }
            remove_folder(&entry.path())?;
        }
        Ok(())
    }

    /// Removes parts that lack a table, so that their files are read again.
    fn remove_incomplete(&self) -> Result<()> {
        for part in self.find_parts()? {
            if TABLES.iter().any(|table| !self.path(table, part).exists()) {
                let path = self.path(&SessionRow::TABLE, part);
                fs::remove_file(&path).with_context(|| cannot_write(&path))?;
            }
        }
        Ok(())
    }

    /// Removes all tables and ready parts. The table of sessions goes first, since the next run sweeps away files of
    /// parts that it lacks. Other files stay.
    fn clear(&self) -> Result<()> {
        for table in TABLES.iter().rev() {
            remove_tables(&self.folder.join(table.name), |_| true)?;
            // Stays if it contains other files.
            _ = fs::remove_dir(self.folder.join(table.name));
        }
        let entries = fs::read_dir(&self.folder).with_context(|| cannot_write(&self.folder))?;
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut ready = names.filter(|name| name.starts_with(READY));
        ready.try_for_each(|name| remove_folder(&self.folder.join(name)))
    }

    /// Removes table files that belong to no part, which remain if clearing an index was interrupted.
    fn sweep(&self) -> Result<()> {
        let is_of_none = |name: &str| {
            let part = part_of(name);
            part.is_none_or(|part| self.parts.binary_search(&part).is_err() || self.file_name(part) != name)
        };
        TABLES.iter().try_for_each(|table| remove_tables(&self.folder.join(table.name), is_of_none))
    }
}

/// Removes the table files in a folder whose names satisfy `is_meant`.
fn remove_tables(folder: &Path, is_meant: impl Fn(&str) -> bool) -> Result<()> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if part_of(&name).is_some() && is_meant(&name) {
            fs::remove_file(entry.path()).with_context(|| cannot_write(&entry.path()))?;
        }
    }
    Ok(())
}

/// Number of the part that contains a table file, by its name; `None` for other names.
fn part_of(name: &str) -> Option<usize> {
    let (number, ending) = name.split_once('.')?;
    let is_table = TableFormat::ALL.iter().any(|format| format.extension() == ending);
    number.parse().ok().filter(|_| is_table && number.len() >= 5)
}

/// True if two files have the same bytes; false if one cannot be read.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let open = |path: &Path| Some((fs::metadata(path).ok()?.len(), BufReader::new(File::open(path).ok()?)));
    let (Some((length, mut one)), Some((same, mut other))) = (open(one), open(other)) else { return false };
    if length != same {
        return false;
    }
    loop {
        let (Ok(a), Ok(b)) = (one.fill_buf(), other.fill_buf()) else { return false };
        let both = a.len().min(b.len());
        if both == 0 {
            return a.len() == b.len();
        }
        if a[..both] != b[..both] {
            return false;
        }
        one.consume(both);
        other.consume(both);
    }
}

fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("could not remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn cannot_write(path: &Path) -> String {
    format!("could not write {}", path.display())
}

#[cfg(test)]
mod tests;
