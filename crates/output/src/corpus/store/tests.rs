//! Recovery after a crash at any point, and exclusion of concurrent writers.

use super::*;
use crate::corpus::choice::FileChoice;
use crate::corpus::rows::{FileFacts, unread};

fn manifest(format: TableFormat) -> IndexManifest {
    IndexManifest::new(format, vec!["/logs".into()], &FileChoice::default(), serde_json::Value::Null)
}

/// An index with `parts` parts, each of one file.
fn index(folder: &Path, parts: usize) -> LockedStore {
    let mut store = LockedStore::open(folder, manifest(TableFormat::Csv)).expect("a new index");
    for number in 0..parts {
        let mut part = store.begin_part(number).expect("a new part");
        let file: std::sync::Arc<str> = format!("/logs/{number}").into();
        let facts = FileFacts { name: file.clone(), file, bytes: 1, ..FileFacts::default() };
        part.session(&unread(&facts, "no")).expect("a row");
        store.commit(part).expect("a part");
    }
    store
}

/// The files below a folder, except for the lock file.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() != LOCK {
                let path = entry.path();
                found.push(path.strip_prefix(folder).expect("it lies below").to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

/// Each case has a description, the state that a crash leaves, made by moving or creating files, and the number of
/// parts found by the next run.
#[test]
fn an_end_at_any_moment_leaves_whole_parts() {
    type Left = (&'static str, fn(&Path), usize);
    let cases: [Left; 8] = [
        ("nothing was left", |_| {}, 2),
        ("a part was being written", |folder| make(folder, ".unfinished/calls"), 2),
        ("a part was ready", |folder| unmove(folder, &TABLES), 2),
        ("one table of it was moved", |folder| unmove(folder, &TABLES[1..]), 2),
        ("three tables of it were moved", |folder| unmove(folder, &TABLES[3..]), 2),
        ("all of them were", |folder| fs::create_dir(folder.join(".ready-00001")).expect("a folder"), 2),
        ("sessions of an older index were cleared", |folder| remove(folder, "sessions/00001.csv.gz"), 1),
        ("all sessions of an older index were", |folder| remove_folder(&folder.join("sessions")).expect("a folder"), 0),
    ];
    for (what, leave, parts) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        drop(index(folder.path(), 2));
        let whole = files(folder.path());
        leave(folder.path());
        let store = LockedStore::open(folder.path(), manifest(TableFormat::Csv)).expect("an index").store;
        assert_eq!(store.parts(), (0..parts).collect::<Vec<_>>(), "{what}");
        let is_of_part =
            |name: &&String| !name.contains("0000") || (0..parts).any(|part| name.contains(&format!("{part:05}")));
        let expected: Vec<&String> = whole.iter().filter(is_of_part).collect();
        assert_eq!(files(folder.path()).iter().collect::<Vec<_>>(), expected, "{what}");
        for part in 0..parts {
            let mut rows = 0;
            store
                .read::<SessionRow>(part, None, |_| {
                    rows += 1;
                    Ok(ControlFlow::Continue(()))
                })
                .expect("a table");
            assert_eq!(rows, 1, "{what}");
        }
    }
}

fn make(folder: &Path, name: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("it lies below")).expect("a folder");
    fs::write(path, "half a").expect("a file");
}

fn remove(folder: &Path, name: &str) {
    fs::remove_file(folder.join(name)).expect("a file");
}

/// Moves tables of part 1 back to where they were ready.
fn unmove(folder: &Path, tables: &[Table]) {
    let ready = folder.join(".ready-00001");
    fs::create_dir(&ready).expect("a folder");
    for table in tables {
        fs::rename(folder.join(table.name).join("00001.csv.gz"), ready.join(table.name)).expect("a file");
    }
}

#[test]
fn what_cannot_be_ended_leaves_no_room_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = index(folder.path(), 1);
    let whole = files(folder.path());
    let part = store.begin_part(1).expect("a new part");
    assert_eq!(files(folder.path()).len(), whole.len() + 4);
    drop(part);
    store.discard_unfinished();
    assert_eq!(files(folder.path()), whole);
}

#[test]
fn one_run_writes_at_a_time_and_another_format_begins_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = index(folder.path(), 2);
    let second = LockedStore::open(folder.path(), manifest(TableFormat::Csv)).map(drop);
    let words = second.expect_err("it is locked").to_string();
    assert!(words.starts_with("another transcope is writing to "), "{words}");
    drop(first);
    let store = LockedStore::open(folder.path(), manifest(TableFormat::Ndjson)).expect("an index").store;
    assert_eq!(store.parts(), [0; 0]);
    assert_eq!(files(folder.path()), [MANIFEST]);
}
