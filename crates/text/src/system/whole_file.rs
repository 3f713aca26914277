//! A file that is there as a whole or not at all: the one way in which files are written at once.
//!
//! It has no name until it is whole, so that nothing is left of it however the process ends. Where a file system knows
//! no files without a name, it has another name beside its own, which is removed when writing fails and when a signal
//! ends the process.

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

/// What becomes of a file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// It stays, and writing fails with [`ErrorKind::AlreadyExists`].
    Refuse,
    /// It is replaced, and hands its permissions on; that which a link leads to, and not the link.
    Replace,
    /// The same, unless it is a link: then writing fails, and what the link leads to stays.
    ReplaceUnlessLink,
}

/// Names that are tried for a file beside its own one.
const NAMES: u64 = 1000;

/// Files of this process that have another name than their own, and are not whole.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What is written to while a file has not its name yet.
pub type Filling<'a> = BufWriter<DiskFile<'a>>;

/// Writes a file of this name. Gives its size in bytes.
///
/// # Errors
/// Those of `fill` and those of the system. There is then no file of this name, or the one that was there before.
pub fn write(
    path: &Path,
    existing: IfExists,
    fill: impl FnOnce(&mut Filling<'_>) -> io::Result<()>,
) -> io::Result<u64> {
    let target = match existing {
        IfExists::ReplaceUnlessLink if path.is_symlink() => return Err(io::Error::other("it is a symbolic link")),
        // Renaming replaces a link that comes there meanwhile.
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
    // Some file systems say only now that there is no room.
    attempt(Operation::Sync, || file.sync_all())?;
    let size = attempt(Operation::Inspect, || file.metadata())?.len();
    unfinished.put(folder, &target, existing)?;
    Ok(size)
}

/// Removes what this process has not finished writing, before a signal ends it.
pub fn remove_unfinished() {
    remove_unfinished_in(Path::new(""));
}

fn remove_unfinished_in(folder: &Path) {
    for path in unfinished().extract_if(.., |path| path.starts_with(folder)) {
        // Nobody is left who could be told of a failure.
        let _ = fs::remove_file(path);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    // Each change is one.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file before it has its name.
struct Unfinished {
    file: File,
    /// The name that it has meanwhile, if any.
    name: Option<TemporaryName>,
}

impl Unfinished {
    fn new(folder: &Path) -> io::Result<Self> {
        // A folder that refuses one refuses the other as well, with the error that counts.
        if let Ok(file) = without_name(folder) {
            return Ok(Self { file, name: None });
        }
        remove_by_signals();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o666);
        let (name, file) = TemporaryName::find(folder, |path| attempt(Operation::Open, || options.open(path)))?;
        Ok(Self { file, name: Some(name) })
    }

    /// Gives it its name.
    fn put(self, folder: &Path, target: &Path, existing: IfExists) -> io::Result<()> {
        match (self.name, existing) {
            (Some(name), IfExists::Refuse) => name.become_new(target),
            (Some(name), _) => name.replace(target),
            (None, IfExists::Refuse) => link(&self.file, target),
            // A name can be taken over by a name only. The file that has it is whole.
            (None, _) => TemporaryName::find(folder, |path| link(&self.file, path))?.0.replace(target),
        }
    }
}

/// A file without a name, as open to others as any new one.
#[cfg(target_os = "linux")]
fn without_name(folder: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = attempt(Operation::OpenUnnamed, || Ok(open(folder, flags, Mode::from_raw_mode(0o666))?))?;
    let file = File::from(file);
    // Without /proc it can be given no name.
    fs::symlink_metadata(descriptor(&file))?;
    Ok(file)
}

#[cfg(not(target_os = "linux"))]
fn without_name(_: &Path) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
}

/// Where the system has an open file.
#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives a file without a name one that nothing has.
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

/// A name beside that which a file is to have. It is removed with whatever has it, unless that takes another name.
struct TemporaryName(PathBuf);

impl TemporaryName {
    /// A name in a folder under which something could be made.
    fn find<T>(folder: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(Self, T)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        for _ in 0..NAMES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".{}-{number}.unfinished", std::process::id()));
            // Nobody looks at the list between the making and its entry.
            let mut names = unfinished();
            match make(&path) {
                // It was left by a process of this number that was killed, or is not ours at all.
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

    /// Takes a name that nothing has.
    fn become_new(self, target: &Path) -> io::Result<()> {
        match attempt(Operation::RenameNew, || rename_new(&self.0, target)) {
            // Where there is no such renaming, it gets a second name and loses the first one.
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                attempt(Operation::Link, || fs::hard_link(&self.0, target))
            }
            outcome => outcome.map(|()| self.is_taken_over()),
        }
    }

    /// The name is gone, and what had it has its own.
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
            // Whoever wrote has an error to tell already, or none.
            let _ = attempt(Operation::Remove, || fs::remove_file(&self.0));
        }
    }
}

/// From now on a signal that ends the process removes what is unfinished, unless somebody else sees to that.
fn remove_by_signals() {
    if !signal::take() {
        return;
    }
    let act = || {
        let Ok(mut signals) = Signals::new(signal::ENDING) else { return };
        for signal in signals.forever() {
            remove_unfinished();
            signal::end_by(signal);
        }
    };
    // Without a thread signals do what they do by default.
    drop(thread::Builder::new().name("signals".to_owned()).spawn(act));
}

#[cfg(test)]
mod tests;
