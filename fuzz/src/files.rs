//! A file on disk, of the kind that the first line names: unpacked, compressed, an archive, or several files that form
//! one session.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use transcope::source::bundle::Manifest;
use transcope::source::folder::{self, WalkEvent};
use transcope::source::{SourceEvent, SourceSpec, is_folder, read};

/// Most bytes read from a source that may decompress to a lot.
const MOST: usize = 1 << 20;

/// A check on bytes, with a folder to write to.
type FileCheck = fn(&Path, &[u8]);

/// The kinds with their checks.
const KINDS: [super::Named<FileCheck>; 2] = [("file", file), ("store", store)];

/// Reads the input after its first line.
pub fn check(bytes: &[u8]) {
    thread_local! {
        static SCRATCH: TempDir = tempfile::tempdir().expect("there is a place for files");
    }
    let (number, bytes) = super::choose(bytes, KINDS.len(), |number| KINDS[number].0);
    SCRATCH.with(|scratch| KINDS[number].1(scratch.path(), bytes));
}

fn file(folder: &Path, bytes: &[u8]) {
    let path = folder.join("file");
    fs::write(&path, bytes).expect("the folder can be written");
    let is_plain = read_some(&path).is_some_and(|read| read == bytes);
    if is_folder(&path) {
        walk(&path);
    } else if let Some(manifest) = Manifest::read(&path) {
        assert!(!is_plain, "{} is a bundle", manifest.name);
    }
}

/// Reads a source up to the limit; `None` if it cannot be opened or read to its end.
fn read_some(path: &Path) -> Option<Vec<u8>> {
    let (mut bytes, mut is_whole) = (Vec::new(), false);
    let opened = read(&SourceSpec::File(path.to_owned()), |event| {
        match event {
            SourceEvent::Chunk(chunk) => bytes.extend_from_slice(&chunk),
            SourceEvent::End => is_whole = true,
            SourceEvent::Failed(words) => assert!(!words.is_empty() && !words.contains('\n'), "{words:?}"),
            _ => {}
        }
        bytes.len() < MOST
    });
    if let Err(refusal) = opened {
        assert!(!refusal.to_string().contains('\n'), "{refusal:?}");
    }
    is_whole.then_some(bytes)
}

/// Reads all files that are found in a folder or an archive.
fn walk(path: &Path) {
    let mut found = Vec::new();
    _ = folder::walk_most(path, 20, &mut |walked| {
        if let WalkEvent::Found(files) = walked {
            found.extend(files.into_iter().map(|file| file.path));
        }
        true
    });
    for inner in found {
        assert!(inner.starts_with(path), "{} is not in {}", inner.display(), path.display());
        _ = read_some(&inner);
    }
}

/// The files of a session that is stored in several: paths and contents on alternating lines.
fn store(folder: &Path, bytes: &[u8]) {
    let root = folder.join("storage");
    _ = fs::remove_dir_all(&root);
    let mut lines = bytes.split(|&byte| byte == b'\n');
    for (name, content) in std::iter::from_fn(|| Some((lines.next()?, lines.next()?))).take(12) {
        let name = String::from_utf8_lossy(name);
        // Paths out of the folder are not tested here.
        let parts = name.split('/').filter(|part| !part.is_empty() && !part.starts_with('.') && !part.contains('\0'));
        let path = parts.take(4).fold(root.clone(), |path, part| path.join(part));
        if let Some(parent) = path.parent().filter(|_| path != root) {
            _ = fs::create_dir_all(parent).and_then(|()| fs::write(&path, content));
        }
    }
    _ = read_some(&root);
    walk(&root);
}
