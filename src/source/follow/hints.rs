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

use crate::text::sanitize::visible_str;

/// The longest wait without a hint.
const TICK: Duration = Duration::from_millis(250);

pub(super) struct Hints {
    /// Holds one hint; further ones say the same.
    received: Receiver<()>,
    /// Kept here as well, so that a wait without a watcher is a tick.
    sender: SyncSender<()>,
    /// Watches for as long as it lives.
    watcher: Option<RecommendedWatcher>,
    make: Make,
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
        match (self.make)(path, self.sender.clone()) {
            Ok(watcher) => {
                self.watcher = Some(watcher);
                remote(path).map(|kind| format!("it is on a network file system ({kind})"))
            }
            Err(notify::Error { kind: notify::ErrorKind::PathNotFound, .. }) => None,
            Err(error) => Some(visible_str(&error.to_string()).into_owned()),
        }
    }

    /// Waits for a hint, for a tick at the most.
    pub(super) fn wait(&self) {
        // A timeout and a hint lead to the same: another look.
        let _ = self.received.recv_timeout(TICK);
    }
}

/// The kind of file system that a path lies on, if it is one where others change files and no notification comes.
#[cfg(target_os = "linux")]
fn remote(path: &Path) -> Option<&'static str> {
    let known = |path: &Path| rustix::fs::statfs(path).ok();
    // The type of this number differs between processors, and all kinds fit into 32 bits.
    kind_of(known(path).or_else(|| known(&directory(path)))?.f_type as u32)
}

#[cfg(not(target_os = "linux"))]
fn remote(_: &Path) -> Option<&'static str> {
    None
}

/// The name of a network file system by its number (statfs(2)).
#[cfg(target_os = "linux")]
fn kind_of(number: u32) -> Option<&'static str> {
    const KINDS: [(u32, &str); 10] = [
        (0x6969, "nfs"),
        (0x517b, "smb"),
        (0xff53_4d42, "cifs"),
        (0xfe53_4d42, "smb2"),
        (0x6573_5546, "fuse"),
        (0x0102_1997, "9p"),
        (0x00c3_6400, "ceph"),
        (0x5346_414f, "afs"),
        (0x7375_7245, "coda"),
        (0x564c, "ncp"),
    ];
    KINDS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        for (number, expected) in [
            (0x6969, Some("nfs")),
            (0xff53_4d42, Some("cifs")),
            (0x6573_5546, Some("fuse")),
            (0xef53, None),
            (0x0102_1994, None),
        ] {
            assert_eq!(kind_of(number), expected, "{number:#x}");
        }
    }
}
