//! Hints that something may have changed at a path, from the file notifications of the system.
//!
//! Hints may be missing, late, or wrong: there are none on network mounts and beyond the limits on watches, and a
//! watched file goes silent when it is renamed. So directories are watched, and a wait never lasts longer than a tick.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::super::file_system::{self, FileSystem};
use crate::system::library_panic::catch_panic;
use crate::text::sanitize::visible_str;

/// Interval at which the file is checked if no notification arrives.
const TICK: Duration = Duration::from_millis(250);

pub(in crate::source) struct Hints {
    /// Holds at most one hint; further ones would add nothing.
    received: Receiver<()>,
    /// Kept open, so that a wait without a watcher lasts a tick.
    sender: SyncSender<()>,
    /// Watches for as long as it lives.
    watcher: Option<CaughtWatcher>,
    make: Make,
}

/// A watcher that can be dropped without a panic: its own drop writes to its thread, and unwraps the result.
struct CaughtWatcher(Option<RecommendedWatcher>);

impl Drop for CaughtWatcher {
    fn drop(&mut self) {
        let watcher = self.0.take();
        catch_panic(|| drop(watcher));
    }
}

/// Makes a watcher for a path that sends to the channel.
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

    /// Starts watching a path, instead of the previous one.
    ///
    /// Returns the reason if there will be no hints, except if the directory does not exist.
    pub(in crate::source) fn watch(&mut self, path: &Path) -> Option<String> {
        self.watcher = None;
        // A watcher writes to its thread, and panics if that fails.
        match catch_panic(|| (self.make)(path, self.sender.clone()).map(|watcher| CaughtWatcher(Some(watcher)))) {
            Some(Ok(watcher)) => {
                self.watcher = Some(watcher);
                remote(path).map(|kind| format!("it is on a network file system ({kind})"))
            }
            Some(Err(notify::Error { kind: notify::ErrorKind::PathNotFound, .. })) => None,
            Some(Err(error)) => Some(visible_str(&error.to_string()).into_owned()),
            None => Some("file change notifications are not available".to_owned()),
        }
    }

    /// Waits for a hint, at most for a tick.
    pub(in crate::source) fn wait(&self) {
        // A timeout and a hint have the same effect: another round.
        let _ = self.received.recv_timeout(TICK);
    }
}

/// The name of a path's file system, if other machines may change files on it.
fn remote(path: &Path) -> Option<&'static str> {
    match file_system::of(path).or_else(|| file_system::of(&directory(path)))? {
        FileSystem::Network(name) => Some(name),
        FileSystem::Kernel => None,
    }
}

/// Watches the directory of the path and, if the path is a link, the directory of its target.
fn make(path: &Path, sender: SyncSender<()>) -> notify::Result<RecommendedWatcher> {
    let targets: Vec<(PathBuf, OsString)> = [Some(path.to_owned()), path.canonicalize().ok()]
        .into_iter()
        .flatten()
        .filter_map(|path| Some((directory(&path), path.file_name()?.to_owned())))
        .collect();
    let mut directories: Vec<PathBuf> = targets.iter().map(|(directory, _)| directory.clone()).collect();
    directories.dedup();
    // The watcher has its own thread, and panics if that cannot be started.
    _ = thread::Builder::new().spawn(|| ()).map_err(notify::Error::io)?.join();
    let names: Vec<OsString> = targets.into_iter().map(|(_, name)| name).collect();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if event.is_ok_and(|event| !concerns(&event, &names)) {
            return;
        }
        // A full channel already holds a hint.
        let _ = sender.try_send(());
    })?;
    for directory in directories {
        watcher.watch(&directory, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

/// True if an event may be about a file with one of these names. Reads, including our own, do not count.
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
        assert_eq!(reason.as_deref(), Some("file change notifications are not available"));
    }
}
