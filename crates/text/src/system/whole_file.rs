//! Atomic writing of files: a file is complete or does not exist.
//!
//! It has no name until it is complete, so that nothing is left of it however the process ends. On file systems without
//! unnamed files it has a temporary name in the same folder, which is removed if writing fails or a signal ends the
//! process.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use signal_hook::iterator::Signals;

use super::disk::{DiskFile, Operation, attempt};
use super::signal;

/// The treatment of an existing file with the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// It stays, and writing fails with [`ErrorKind::AlreadyExists`].
    Refuse,
    /// It is replaced and its permissions are kept. For a link, its target is replaced.
    Replace,
    /// As `Replace`, except that writing fails for a link, whose target stays.
    ReplaceUnlessLink,
}

/// Most temporary names that are tried.
const NAMES: u64 = 1000;

/// Incomplete files of this process that have temporary names.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The writer for the contents of a file that does not have its name yet.
pub type Filling<'a> = BufWriter<DiskFile<'a>>;

/// Writes a file with this name. Returns its size in bytes.
///
/// # Errors
/// Errors of `fill` and of the system. Then there is no file with this name, or the previous one.
pub fn write(
    path: &Path,
    existing: IfExists,
    fill: impl FnOnce(&mut Filling<'_>) -> io::Result<()>,
) -> io::Result<u64> {
    let target = match existing {
        IfExists::ReplaceUnlessLink if path.is_symlink() => return Err(io::Error::other("it is a symbolic link")),
        // Renaming replaces a link that is created there in the meantime.
        IfExists::Refuse | IfExists::ReplaceUnlessLink => path.to_path_buf(),
        IfExists::Replace => fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()),
    };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let unfinished = Unfinished::new(folder)?;
    let file = &unfinished.file;
    let mut out = BufWriter::new(DiskFile(file));
    fill(&mut out).and_then(|()| out.flush())?;
    drop(out);
    if existing != IfExists::Refuse
        && let Ok(known) = fs::metadata(&target)
    {
        attempt(Operation::Permit, || file.set_permissions(known.permissions()))?;
    }
    // Some file systems report only here that the disk is full.
    attempt(Operation::Sync, || file.sync_all())?;
    let size = attempt(Operation::Inspect, || file.metadata())?.len();
    unfinished.put(folder, &target, existing)?;
    Ok(size)
}

/// Removes incomplete files of this process, before a signal ends it.
pub fn remove_unfinished() {
    remove_unfinished_in(Path::new(""));
}

fn remove_unfinished_in(folder: &Path) {
    for path in unfinished().extract_if(.., |path| path.starts_with(folder)) {
        // A failure can no longer be reported.
        let _ = fs::remove_file(path);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    // No change leaves the list inconsistent.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that does not have its name yet.
struct Unfinished {
    file: File,
    /// Its temporary name, if any.
    name: Option<TemporaryName>,
}

impl Unfinished {
    fn new(folder: &Path) -> io::Result<Self> {
        // A folder that refuses an unnamed file refuses a named one too, with the error to report.
        if let Ok(file) = without_name(folder) {
            return Ok(Self { file, name: None });
        }
        remove_by_signals();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o666);
        let (name, file) = TemporaryName::find(folder, |path| attempt(Operation::Open, || options.open(path)))?;
        Ok(Self { file, name: Some(name) })
    }

    /// Gives the file its name.
    fn put(self, folder: &Path, target: &Path, existing: IfExists) -> io::Result<()> {
        match (self.name, existing) {
            (Some(name), IfExists::Refuse) => name.become_new(target),
            (Some(name), _) => name.replace(target),
            (None, IfExists::Refuse) => link(&self.file, target),
            // Only a named file can replace another one. The file is complete by now.
            (None, _) => TemporaryName::find(folder, |path| link(&self.file, path))?.0.replace(target),
        }
    }
}

/// An unnamed file with the default permissions of a new one.
#[cfg(target_os = "linux")]
fn without_name(folder: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = attempt(Operation::OpenUnnamed, || Ok(open(folder, flags, Mode::from_raw_mode(0o666))?))?;
    let file = File::from(file);
    // Without /proc it cannot be given a name.
    fs::symlink_metadata(descriptor(&file))?;
    Ok(file)
}

#[cfg(not(target_os = "linux"))]
fn without_name(_: &Path) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
}

/// The path of an open file.
#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives an unnamed file a new name.
#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let source = descriptor(file);
    attempt(Operation::Link, || Ok(linkat(CWD, &source, CWD, name, AtFlags::SYMLINK_FOLLOW)?))
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// A temporary name. The file is removed on drop, unless it has been renamed.
struct TemporaryName(PathBuf);

impl TemporaryName {
    /// Tries names in a folder until `make` succeeds with one.
    fn find<T>(folder: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(Self, T)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        for _ in 0..NAMES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".{}-{number}.unfinished", std::process::id()));
            // The list stays locked until the file is in it.
            let mut names = unfinished();
            match make(&path) {
                // Left by a killed process with the same id, or not ours.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(made) => {
                    names.push(path.clone());
                    return Ok((Self(path), made));
                }
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    fn replace(self, target: &Path) -> io::Result<()> {
        attempt(Operation::Rename, || fs::rename(&self.0, target))?;
        self.is_taken_over();
        Ok(())
    }

    /// Renames the file to a name that must not exist.
    fn become_new(self, target: &Path) -> io::Result<()> {
        match attempt(Operation::RenameNew, || rename_new(&self.0, target)) {
            // Without such an operation, it gets a second name and loses the first one.
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                attempt(Operation::Link, || fs::hard_link(&self.0, target))
            }
            outcome => outcome.map(|()| self.is_taken_over()),
        }
    }

    /// Forgets the temporary name, which no longer exists.
    fn is_taken_over(&self) {
        unfinished().retain(|path| *path != self.0);
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn rename_new(name: &Path, target: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, name, CWD, target, RenameFlags::NOREPLACE)?)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn rename_new(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        let mut names = unfinished();
        if let Some(place) = names.iter().position(|path| *path == self.0) {
            names.swap_remove(place);
            // The writer has already failed with an error, or has succeeded.
            let _ = attempt(Operation::Remove, || fs::remove_file(&self.0));
        }
    }
}

/// Makes a signal that ends the process remove incomplete files first, unless signals are handled elsewhere.
fn remove_by_signals() {
    if !signal::claim_handling() {
        return;
    }
    let act = || {
        let Ok(mut signals) = Signals::new(signal::ENDING) else { return };
        for signal in signals.forever() {
            remove_unfinished();
            signal::end_by(signal);
        }
    };
    // Without a thread, signals have their default action.
    drop(thread::Builder::new().name("signals".to_owned()).spawn(act));
}

#[cfg(test)]
mod tests;
