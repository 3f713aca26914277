//! The file of a text that is written here: saved so that nothing is lost, and looked at in case another editor saves it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::config::places::path_of;
use crate::system::made_folder::MadeFolders;
use crate::system::whole_file::{self, IfExists};
use crate::text::sanitize::{io_error_text, visible_str};

/// How often the file is looked at.
const EVERY: Duration = Duration::from_millis(500);

/// Writes a text to a file. Unless it is the text's `own`, a file that exists is refused.
///
/// # Errors
/// Says in one line what could not be done and why.
pub fn save(text: &str, path: &Path, own: bool) -> Result<(), String> {
    let existing = if own { IfExists::Replace } else { IfExists::Refuse };
    let name = visible_str(&path.to_string_lossy()).into_owned();
    let written = whole_file::write(path, existing, |out| out.write_all(text.as_bytes()));
    written.map(drop).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!("could not save {name}: it exists; give another name"),
        _ => format!("could not save {name}: {}", io_error_text(&error)),
    })
}

/// A path that is typed and its completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathCompletion {
    /// The path as it was typed.
    pub typed: String,
    /// As much of it as all files have in common whose names begin so.
    pub line: String,
    /// The names of those, where there are several; not more than a line has room for.
    pub names: Vec<String>,
}

/// Completes a path by the names in its folder. A name that begins with a dot is left out unless that is typed.
pub fn complete_path(typed: &str) -> PathCompletion {
    /// Entries of a folder that are examined.
    const MOST: usize = 10_000;
    /// Names that a line has room for.
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

/// What becomes of a file that exists when another one is saved under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingFile {
    /// It stays, and the person is asked.
    Keep,
    /// It is replaced, which the person has agreed to.
    Replace,
}

/// What has come of saving a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// It holds the text.
    Saved,
    /// There is a file of that name, which was left as it is.
    Exists,
}

/// Writes a declaration of a dialect to a file whose folder need not exist.
///
/// # Errors
/// Says in one line what could not be done and why.
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

/// Looks at a file now and then.
#[derive(Debug)]
pub struct Watch {
    /// The file that is looked at.
    pub path: PathBuf,
    /// When it was written last, and its length: what tells one state of it from another.
    stamp: Option<(SystemTime, u64)>,
    /// When it is to be looked at again.
    pub next: Instant,
}

impl Watch {
    /// Looks at a file from now on. The first look gives what is in it.
    pub fn new(path: PathBuf) -> Self {
        Self { path, stamp: None, next: Instant::now() + EVERY }
    }

    /// The text that is in it, if it is time to look and something has changed.
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
