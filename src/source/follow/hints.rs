//! Hints that something may have changed at a path, from the system's notification of changes.
//!
//! A hint can be missing, late, or about nothing: notification ends at network mounts and at limits on watches, and a
//! watched file goes silent when it is renamed. So directories are watched, and a wait never lasts longer than a tick.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::super::file_system::{self, FileSystem};
use crate::system::library_panic::caught;
use crate::text::sanitize::visible_str;

/// The longest wait without a hint.
const TICK: Duration = Duration::from_millis(250);

pub(super) struct Hints {
    /// Holds one hint; further ones say the same.
    received: Receiver<()>,
    /// Kept here as well, so that a wait without a watcher is a tick.
    sender: SyncSender<()>,
    /// Watches for as long as it lives.
    watcher: Option<CaughtWatcher>,
    make: Make,
}

/// A watcher whose end is no panic: it writes to its thread, and unwraps the outcome.
struct CaughtWatcher(Option<RecommendedWatcher>);

impl Drop for CaughtWatcher {
    fn drop(&mut self) {
        let watcher = self.0.take();
        caught(|| drop(watcher));
    }
}

/// How a watcher that feeds the channel is made for a path.
type Make = fn(&Path, SyncSender<()>) -> notify::Result<RecommendedWatcher>;

impl Default for Hints {
    fn default() -> Self {
        Self::with(make)
    }
}

impl Hints {
    /// Hints from watchers that `make` makes.
    pub(super) fn with(make: Make) -> Self {
        let (sender, received) = sync_channel(1);
        Self { received, sender, watcher: None, make }
    }

    /// Watches for changes at a path from now on, instead of what was watched before.
    ///
    /// Gives the reason for which there will be no hints, unless it is that the directory does not exist either.
    pub(super) fn watch(&mut self, path: &Path) -> Option<String> {
        self.watcher = None;
        // Watchers write to their thread, and panic where that fails.
        match caught(|| (self.make)(path, self.sender.clone()).map(|watcher| CaughtWatcher(Some(watcher)))) {
            Some(Ok(watcher)) => {
                self.watcher = Some(watcher);
                remote(path).map(|kind| format!("it is on a network file system ({kind})"))
            }
            Some(Err(notify::Error { kind: notify::ErrorKind::PathNotFound, .. })) => None,
            Some(Err(error)) => Some(visible_str(&error.to_string()).into_owned()),
            None => Some("the system's notification of changes failed".to_owned()),
        }
    }

    /// Waits for a hint, for a tick at the most.
    pub(super) fn wait(&self) {
        // A timeout and a hint lead to the same: another look.
        let _ = self.received.recv_timeout(TICK);
    }
}

/// The name of the file system of a path, if it is one where other machines change files.
fn remote(path: &Path) -> Option<&'static str> {
    match file_system::of(path).or_else(|| file_system::of(&directory(path)))? {
        FileSystem::Network(name) => Some(name),
        FileSystem::Kernel => None,
    }
}

/// Watches the directory of the path and, behind a link, the directory of the file itself.
fn make(path: &Path, sender: SyncSender<()>) -> notify::Result<RecommendedWatcher> {
    let targets: Vec<(PathBuf, OsString)> = [Some(path.to_owned()), path.canonicalize().ok()]
        .into_iter()
        .flatten()
        .filter_map(|path| Some((directory(&path), path.file_name()?.to_owned())))
        .collect();
    let mut directories: Vec<PathBuf> = targets.iter().map(|(directory, _)| directory.clone()).collect();
    directories.dedup();
    // The watcher has a thread of its own, and panics if that could not be started.
    _ = thread::Builder::new().spawn(|| ()).map_err(notify::Error::io)?.join();
    let names: Vec<OsString> = targets.into_iter().map(|(_, name)| name).collect();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if event.is_ok_and(|event| !concerns(&event, &names)) {
            return;
        }
        // A full channel holds a hint already.
        let _ = sender.try_send(());
    })?;
    for directory in directories {
        watcher.watch(&directory, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

/// Whether an event may be about a file of one of these names; reading it, as this program does, is not.
fn concerns(event: &Event, names: &[OsString]) -> bool {
    let about_us = |path: &PathBuf| path.file_name().is_some_and(|name| names.iter().any(|own| own == name));
    event.need_rescan()
        || (!matches!(event.kind, EventKind::Access(_)) && (event.paths.is_empty() || event.paths.iter().any(about_us)))
}

fn directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_that_panics_leaves_the_ticks() {
        let mut hints = Hints::with(|_, _| panic!("a write failed"));
        let reason = hints.watch(Path::new("/"));
        assert_eq!(reason.as_deref(), Some("the system's notification of changes failed"));
    }
}
