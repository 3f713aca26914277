//! The file of an edited text: saving it atomically, and noticing when another editor saves it.

use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::config::places::path_of;
use crate::system::made_folder::MadeFolders;
use crate::system::whole_file::{self, IfExists};
use crate::text::sanitize::{io_error_text, visible_str};

/// Interval between checks of the file.
const EVERY: Duration = Duration::from_millis(500);

/// Writes a text to a file. An existing file is refused unless it is the text's `own`.
///
/// # Errors
/// The file cannot be written; one line says why.
pub fn save(text: &str, path: &Path, own: bool) -> Result<(), String> {
    let existing = if own { IfExists::Replace } else { IfExists::Refuse };
    let name = visible_str(&path.to_string_lossy()).into_owned();
    let written = whole_file::write(path, existing, |out| out.write_all(text.as_bytes()));
    written.map(drop).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!("could not save {name}: it exists; give another name"),
        _ => format!("could not save {name}: {}", io_error_text(&error)),
    })
}

/// The other files of a folder of the same kind, by their extension, from the latest to the oldest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherFiles {
    /// The files; no more than `MOST`.
    pub files: Vec<OtherFile>,
    /// Index of the last one that was changed before the file; without an earlier one, of the latest.
    pub before: usize,
}

/// A file next to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherFile {
    /// Its path, with the folder as it was named.
    pub path: PathBuf,
    /// When it was last written.
    pub modified: SystemTime,
    /// Its size, in bytes.
    pub size: u64,
}

impl OtherFiles {
    /// Maximum number of files listed.
    const MOST: usize = 200;

    /// The files next to a file. Agents keep the sessions of a project, or of a day, in one folder.
    pub fn of(path: &Path) -> Self {
        /// Maximum number of entries examined.
        const EXAMINED: usize = 10_000;
        let file = |path: PathBuf| {
            let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            Some(OtherFile { path, modified: found.modified().ok()?, size: found.len() })
        };
        let Some(own) = file(path.to_path_buf()) else { return Self::default() };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let entries = fs::read_dir(folder).into_iter().flatten().take(EXAMINED).flatten().map(|entry| entry.path());
        let is_other = |other: &PathBuf| other.extension() == path.extension() && other.file_name() != path.file_name();
        let mut files: Vec<OtherFile> = entries.filter(is_other).filter_map(file).collect();
        let age = |file: &OtherFile| Reverse((file.modified, file.path.clone()));
        files.sort_by_key(age);
        let before = files.partition_point(|other| age(other) < age(&own)) % files.len().max(1);
        if before >= Self::MOST {
            files.swap(before, Self::MOST - 1);
        }
        files.truncate(Self::MOST);
        Self { files, before: before.min(Self::MOST - 1) }
    }
}

/// A typed path and its completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathCompletion {
    /// The path as it was typed.
    pub typed: String,
    /// The path extended by the common prefix of all matching names.
    pub line: String,
    /// The matching names if there are several, as many as fit on a line.
    pub names: Vec<String>,
}

/// Completes a path by the names in its folder. Names that begin with a dot are left out unless the dot was typed.
pub fn complete_path(typed: &str) -> PathCompletion {
    /// Maximum number of entries examined.
    const MOST: usize = 10_000;
    /// Maximum number of names listed.
    const NAMED: usize = 8;
    let (folder, begun) =
        typed.rsplit_once('/').map_or(("", typed), |(_, begun)| typed.split_at(typed.len() - begun.len()));
    let place = if folder.is_empty() { PathBuf::from(".") } else { path_of(folder) };
    let entries = fs::read_dir(place).into_iter().flatten().take(MOST).flatten();
    let fits = |name: &String| name.starts_with(begun) && (begun.starts_with('.') || !name.starts_with('.'));
    let named = |entry: fs::DirEntry| {
        let is_folder = fs::metadata(entry.path()).is_ok_and(|found| found.is_dir());
        Some(format!("{}{}", entry.file_name().to_str()?, if is_folder { "/" } else { "" }))
    };
    let mut names: Vec<String> = entries.filter_map(named).filter(fits).collect();
    names.sort_unstable();
    let Some(first) = names.first() else {
        return PathCompletion { typed: typed.to_owned(), line: typed.to_owned(), names };
    };
    let shared = |name: &String| first.chars().zip(name.chars()).take_while(|(one, other)| one == other).count();
    let common = names.iter().map(shared).min().unwrap_or(0);
    let line = format!("{folder}{}", first.chars().take(common).collect::<String>());
    let names = if names.len() == 1 { Vec::new() } else { names.into_iter().take(NAMED).collect() };
    PathCompletion { typed: typed.to_owned(), line, names }
}

/// The treatment of an existing file of the same name when saving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingFile {
    /// It is kept, and the user must confirm.
    Keep,
    /// It is replaced, as the user has confirmed.
    Replace,
}

/// Outcome of saving a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// The file holds the text.
    Saved,
    /// A file of that name exists and was not changed.
    Exists,
}

/// Writes a declaration of a dialect to a file, creating its folder if necessary.
///
/// # Errors
/// The file cannot be written; one line says why.
pub fn save_declaration(text: &str, path: &Path, existing: ExistingFile) -> Result<SaveOutcome, String> {
    if existing == ExistingFile::Replace && path.exists() {
        return save(text, path, true).map(|()| SaveOutcome::Saved);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        let _made = MadeFolders::new(folder)?;
        match whole_file::write(path, IfExists::Refuse, |out| out.write_all(text.as_bytes())) {
            Ok(_) => Ok(SaveOutcome::Saved),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(SaveOutcome::Exists),
            Err(error) => Err(error),
        }
    };
    let name = || visible_str(&path.to_string_lossy()).into_owned();
    write().map_err(|error: io::Error| format!("could not save {}: {}", name(), io_error_text(&error)))
}

/// Polls a file for changes.
#[derive(Debug)]
pub struct Watch {
    /// The watched file.
    pub path: PathBuf,
    /// Modification time and size, which identify a version of the file.
    stamp: Option<(SystemTime, u64)>,
    /// When to check it next.
    pub next: Instant,
}

impl Watch {
    /// Starts watching a file. The first check returns its content.
    pub fn new(path: PathBuf) -> Self {
        Self { path, stamp: None, next: Instant::now() + EVERY }
    }

    /// The content of the file, if a check is due and the file has changed.
    pub fn look(&mut self) -> Option<String> {
        if Instant::now() < self.next {
            return None;
        }
        self.next = Instant::now() + EVERY;
        let now = stamp(&self.path);
        if now.is_none() || now == self.stamp {
            return None;
        }
        self.stamp = now;
        File::open(&self.path).and_then(io::read_to_string).ok()
    }
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let known = fs::metadata(path).ok()?;
    Some((known.modified().ok()?, known.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_saved_in_a_new_folder_and_replaces_nothing_unless_that_is_agreed() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("a/b/x.yaml");
        for (text, existing, outcome, kept) in [
            ("one", ExistingFile::Keep, SaveOutcome::Saved, "one"),
            ("two", ExistingFile::Keep, SaveOutcome::Exists, "one"),
            ("three", ExistingFile::Replace, SaveOutcome::Saved, "three"),
        ] {
            assert_eq!(save_declaration(text, &path, existing), Ok(outcome));
            assert_eq!(fs::read_to_string(&path).expect("readable"), kept);
        }
        let left = fs::read_dir(path.parent().expect("it is in a folder")).expect("readable").count();
        assert_eq!(left, 1, "nothing is left beside it");
        let refused = save_declaration("x", &path.join("y.yaml"), ExistingFile::Keep).expect_err("a file is no folder");
        assert!(refused.contains("could not save"), "{refused}");
    }

    #[test]
    fn the_run_before_a_session_is_the_one_changed_last_before_it() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = |name: &str| folder.path().join(name);
        for (name, seconds) in
            [("old.jsonl", 10), ("this.jsonl", 30), ("before.jsonl", 20), ("later.jsonl", 40), ("a.md", 29)]
        {
            let file = File::create(path(name)).expect("it can be made");
            let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            file.set_modified(changed).expect("its time can be set");
        }
        fs::create_dir(path("folder.jsonl")).expect("it can be made");
        for (name, expected) in [
            ("this.jsonl", Some("before.jsonl")),
            ("old.jsonl", Some("later.jsonl")),
            ("a.md", None),
            ("none.jsonl", None),
        ] {
            let OtherFiles { files, before } = OtherFiles::of(&path(name));
            assert_eq!(files.get(before).map(|file| file.path.clone()), expected.map(path), "{name}");
            assert!(files.is_sorted_by_key(|file| Reverse(file.modified)), "the latest is the first: {files:?}");
        }
    }

    #[test]
    fn a_path_is_completed_by_what_is_in_its_folder() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let at = folder.path().to_str().expect("UTF-8").to_owned();
        for name in ["report-a.md", "report-b.md", ".hidden", "é1", "é2"] {
            fs::write(folder.path().join(name), "").expect("it can be written");
        }
        fs::create_dir(folder.path().join("cases")).expect("it can be made");
        for (typed, line, names) in [
            ("rep", "report-", &["report-a.md", "report-b.md"][..]),
            ("report-a", "report-a.md", &[]),
            ("c", "cases/", &[]),
            (".h", ".hidden", &[]),
            ("é", "é", &["é1", "é2"]),
            ("none", "none", &[]),
            ("none/x", "none/x", &[]),
        ] {
            let found = complete_path(&format!("{at}/{typed}"));
            assert_eq!(
                (found.line, found.names),
                (format!("{at}/{line}"), names.iter().map(|&name| name.to_owned()).collect())
            );
        }
        assert_eq!(complete_path(&format!("{at}/")).names.len(), 5, "what is hidden is not named");
    }

    #[test]
    fn a_file_that_is_there_is_written_only_if_it_is_the_text_s_own() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("a.txt");
        assert_eq!(save("one", &path, false), Ok(()));
        let refused = save("two", &path, false).expect_err("it exists");
        assert!(refused.ends_with("a.txt: it exists; give another name"), "{refused}");
        assert_eq!(save("three", &path, true), Ok(()));
        assert_eq!(fs::read_to_string(&path).expect("readable"), "three");
        let nowhere = save("x", &folder.path().join("no/a.txt"), true).expect_err("there is no folder");
        assert!(nowhere.ends_with("no such file or directory"), "{nowhere}");
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1, "nothing is left beside it");
    }
}
