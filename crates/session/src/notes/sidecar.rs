//! The file with the notes on a transcript: next to it, as `session.md.transcope.yaml`, or in the user's notes folder
//! if nothing can be written there.
//!
//! Each change reads the file again first and writes it whole, so that two programs do not lose each other's notes. A
//! file that cannot be read as notes is never overwritten.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};

use super::hash::ByteHash;
use super::{MAX_NOTES, NoteEdit, NoteList, yaml};
use crate::system::clock;
use crate::system::made_folder::MadeFolders;
use crate::system::whole_file::{self, IfExists};
use crate::text::sanitize::visible_str;

/// The suffix of a sidecar's name, after the transcript's name.
pub(crate) const ENDING: &str = ".transcope.yaml";

/// Most characters of the transcript's name in the name of a file in the user's notes folder.
const NAMED: usize = 80;

/// How often the lock is tried, and the pause between two tries.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);

/// The file with the notes on a transcript, which need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    /// The name of the transcript, for the comment in the file.
    name: String,
    beside: PathBuf,
    /// The path in the user's notes folder; if that file exists, it is the only one used.
    own: Option<PathBuf>,
    /// Notes that come with the transcript, as in a bundle. They count until there is a file.
    bundled_notes: NoteList,
}

/// The result of saving notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedNotes {
    /// All notes that the file has now, including other users' notes.
    pub notes: NoteList,
    /// The file; `None` if it was removed with its last note.
    pub path: Option<PathBuf>,
}

impl Sidecar {
    /// The sidecar of the transcript at a path; `own` is the folder for notes that cannot be stored next to it.
    pub fn new(transcript: &Path, own: Option<&Path>) -> Self {
        let name = transcript.file_name().unwrap_or_default();
        let mut beside = OsString::from(name);
        beside.push(ENDING);
        let whole = fs::canonicalize(transcript).unwrap_or_else(|_| transcript.to_path_buf());
        let hash = ByteHash::new(whole.as_os_str().as_encoded_bytes()).0;
        let name = name.to_string_lossy().into_owned();
        let short: String = name.chars().take(NAMED).collect();
        let own = own.map(|folder| folder.join(format!("{short}-{hash:016x}.yaml")));
        Self { name, beside: transcript.with_file_name(beside), own, bundled_notes: NoteList::default() }
    }

    /// Adds the notes that come with a transcript: the first change writes them to a file, and after that only the file
    /// counts.
    #[must_use]
    pub fn of_bundle(self, brought: NoteList) -> Self {
        Self { bundled_notes: brought, ..self }
    }

    /// True if a file is a sidecar, by its name.
    pub fn is_sidecar(path: &Path) -> bool {
        path.as_os_str().as_encoded_bytes().ends_with(ENDING.as_bytes())
    }

    /// The file to read: the one in the user's notes folder if it exists, else the one next to the transcript.
    fn path(&self) -> &Path {
        self.own.as_deref().filter(|own| own.exists()).unwrap_or(&self.beside)
    }

    /// Reads the notes; empty if there is no such file.
    ///
    /// # Errors
    /// The file cannot be read or parsed; the message has its path and what is wrong.
    pub fn read(&self) -> Result<NoteList> {
        // A symbolic link may point to a file that must not be read as notes.
        let path = self.path();
        ensure!(!path.is_symlink(), "could not read the notes in {}: it is a symbolic link", shown(path));
        if self.is_new() { Ok(self.bundled_notes.clone()) } else { read(path) }
    }

    /// True if there is no file yet although notes come with the transcript.
    fn is_new(&self) -> bool {
        !self.bundled_notes.is_empty() && !self.path().exists()
    }

    /// Applies changes to the notes in the file. A file without notes is removed.
    ///
    /// # Errors
    /// The file cannot be used or written, and is unchanged.
    pub fn save(&self, edits: &[NoteEdit], now: &str) -> Result<SavedNotes> {
        let brought = if self.is_new() { self.bundled_notes.clone() } else { NoteList::default() };
        let brought = brought.iter().cloned().map(Box::new).map(NoteEdit::Put);
        let edits: &[NoteEdit] = &brought.chain(edits.iter().cloned()).collect::<Vec<_>>();
        if self.own.as_ref().is_some_and(|own| own.exists()) {
            return self.save_own(edits, now);
        }
        let is_refused = |error: &anyhow::Error| {
            error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() != io::ErrorKind::WouldBlock)
        };
        // An empty file keeps notes that came with the transcript from reappearing after their removal.
        let on_empty = if self.bundled_notes.is_empty() { OnEmpty::Remove } else { OnEmpty::Keep };
        match save(&self.beside, &self.name, edits, now, on_empty) {
            // If nothing can be written next to the transcript, the notes go to the user's notes folder.
            Err(error) if self.own.is_some() && is_refused(&error) => self.save_own(edits, now),
            outcome => outcome,
        }
    }

    fn save_own(&self, edits: &[NoteEdit], now: &str) -> Result<SavedNotes> {
        let own = self.own.as_deref().context("no user folder for notes is available")?;
        let folder = own.parent().unwrap_or(Path::new("."));
        let _made =
            MadeFolders::new(folder).with_context(|| format!("could not create the folder {}", folder.display()))?;
        // Notes next to the transcript are copied; an empty file keeps them from reappearing after their removal.
        let before = if own.exists() { NoteList::default() } else { read(&self.beside)? };
        let before = before.iter().cloned().map(Box::new).map(NoteEdit::Put);
        let edits: Vec<NoteEdit> = before.chain(edits.iter().cloned()).collect();
        let on_empty =
            if self.beside.exists() || !self.bundled_notes.is_empty() { OnEmpty::Keep } else { OnEmpty::Remove };
        save(own, &self.name, &edits, now, on_empty)
    }
}

/// The treatment of a file whose last note was removed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnEmpty {
    Remove,
    Keep,
}

/// The current time in UTC, with seconds, in the format of notes.
pub fn now() -> String {
    clock::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn shown(path: &Path) -> String {
    visible_str(&path.to_string_lossy()).into_owned()
}

/// Reads the notes in a file; empty if there is none.
fn read(path: &Path) -> Result<NoteList> {
    let known = match fs::metadata(path) {
        Err(error) if is_nowhere(&error) => {
            return Ok(NoteList::default());
        }
        known => known,
    };
    let cannot = || format!("could not read the notes in {}", shown(path));
    // Reading another kind of file, such as a pipe, could block.
    ensure!(known.with_context(cannot)?.is_file(), "{}: it is not a regular file", cannot());
    let mut bytes = Vec::new();
    let mut file = File::open(path).with_context(cannot)?.take(yaml::MAX_BYTES as u64 + 1);
    file.read_to_end(&mut bytes).with_context(cannot)?;
    NoteList::from_yaml(&bytes).map_err(|error| {
        anyhow!("could not use the notes in {}: {}; correct or rename the file", shown(path), visible_str(&error))
    })
}

/// True if the error means that no such file can exist.
fn is_nowhere(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename)
}

/// Applies changes to the notes in a file, which need not exist.
fn save(path: &Path, name: &str, edits: &[NoteEdit], now: &str, on_empty: OnEmpty) -> Result<SavedNotes> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = || format!("could not save notes in {}", shown(path));
    let lock = lock(folder).with_context(cannot)?;
    let mut notes = read(path)?;
    for edit in edits.iter().cloned() {
        notes.apply(match edit {
            NoteEdit::Put(mut note) => {
                note.made.get_or_insert_with(|| now.to_owned());
                NoteEdit::Put(note)
            }
            edit @ NoteEdit::Remove(_) => edit,
        });
    }
    ensure!(notes.len() <= MAX_NOTES, "could not save the note: {} has {MAX_NOTES} notes already", shown(path));
    if notes.is_empty() && on_empty == OnEmpty::Remove {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error).with_context(cannot),
            _ => return Ok(SavedNotes { notes, path: None }),
        }
    }
    let text = notes.to_yaml(name);
    whole_file::write(path, IfExists::ReplaceUnlessLink, |out| out.write_all(text.as_bytes())).with_context(cannot)?;
    drop(lock);
    Ok(SavedNotes { notes, path: Some(path.to_path_buf()) })
}

/// Locks a folder against other programs that write notes in it, for as long as the file is held. `None` where locking
/// is not supported: then notes are written without a lock.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let Ok(file) = File::open(folder) else { return Ok(None) };
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "another program is writing there; try again"))
}
