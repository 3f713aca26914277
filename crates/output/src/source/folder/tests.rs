//! Files that a walk finds below a folder, and files that it skips.

use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;

/// A temporary directory with these files.
fn directory(files: &[(&str, &[u8])]) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, bytes) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in the directory")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
    directory
}

/// The results of a walk: names of files, messages about unreadable entries, and the end.
fn walked(root: &Path, most: usize) -> (Vec<String>, Vec<String>, (usize, bool)) {
    let (mut names, mut unread, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    walk_most(root, most, &mut |walked| {
        match walked {
            WalkEvent::Found(found) => {
                assert!((1..=BATCH).contains(&found.len()));
                names.extend(found.iter().map(|found| name(&found.path)));
            }
            WalkEvent::Unread(path, words) => unread.push(super::unread_message(&path, &words)),
            WalkEvent::Leaving(path) => unread.push(super::unread_message(&path, LEAVES)),
            WalkEvent::Binary(..) => {}
            WalkEvent::End { binary, cut } => ends.push((binary, cut)),
        }
        true
    });
    names.sort();
    assert_eq!(ends.len(), 1, "there is one end");
    (names, unread, ends[0])
}

#[test]
fn files_that_may_be_text_are_found_at_any_depth_and_told_by_their_content() {
    let deep = "a/".repeat(60) + "deep";
    let directory = directory(&[
        ("session.jsonl", b"{}"),
        (".hidden/notes", b"hello"),
        ("empty", b""),
        ("picture.txt", b"\x89PNG\0\0"),
        ("wide.txt", b"\xff\xfeh\0i\0"),
        ("packed.bin", b"\x1f\x8b\x08\0\0\0"),
        (&deep, b"down here"),
    ]);
    let (names, unread, end) = walked(directory.path(), MOST);
    assert_eq!(names, [".hidden/notes", &deep, "empty", "packed.bin", "session.jsonl", "wide.txt"]);
    assert_eq!((unread, end), (vec![], (1, false)));
}

#[test]
fn what_is_known_is_left_out_with_all_that_is_in_it() {
    let directory = directory(&[("a/one", b"1"), ("a/b/two", b"2"), ("c/three", b"3"), ("four", b"4")]);
    let root = directory.path();
    let mut names = Vec::new();
    walk_except(root, &|path| path == root.join("a") || path == root.join("four"), |walked| {
        if let WalkEvent::Found(found) = walked {
            names.extend(found.into_iter().map(|found| found.path));
        }
        true
    });
    assert_eq!(names, [root.join("c/three")]);
}

#[test]
fn a_walk_from_a_file_finds_the_file() {
    let directory = directory(&[("one.md", b"1"), ("two.md", b"2"), ("picture", b"\x89PNG\0\0")]);
    let (names, unread, end) = walked(&directory.path().join("one.md"), MOST);
    assert_eq!((names, unread, end), (vec![String::new()], vec![], (0, false)));
    let (names, unread, end) = walked(&directory.path().join("picture"), MOST);
    assert_eq!((names, unread, end), (vec![], vec![], (1, false)));
    assert!(check(&directory.path().join("one.md")).is_ok());
}

#[test]
fn size_age_and_first_bytes_are_those_of_the_file() {
    let directory = directory(&[("large", &vec![b'x'; 3 * HEAD]), ("small", b"few")]);
    let mut found = Vec::new();
    walk(directory.path(), |walked| {
        if let WalkEvent::Found(files) = walked {
            found.extend(files);
        }
        true
    });
    found.sort_by_key(|found| found.size);
    let lengths: Vec<_> = found.iter().map(|found| (found.size, found.head.len())).collect();
    assert_eq!(lengths, [(3, 3), (3 * HEAD as u64, HEAD)]);
    let modified = fs::metadata(&found[0].path).and_then(|metadata| metadata.modified()).expect("it has a time");
    assert_eq!(found[0].modified, Some(modified));
}

#[test]
fn links_are_followed_and_no_folder_is_visited_twice() {
    let directory = directory(&[("runs/one", b"1"), ("two", b"2")]);
    let at = |name: &str| directory.path().join(name);
    symlink(directory.path(), at("runs/up")).expect("a link");
    symlink(at("runs"), at("again")).expect("a link");
    symlink(at("two"), at("runs/too")).expect("a link");
    symlink(at("nowhere"), at("broken")).expect("a link");
    let (names, unread, end) = walked(directory.path(), MOST);
    let names: Vec<&str> = names.iter().map(|name| name.rsplit('/').next().expect("a name")).collect();
    assert_eq!((names.len(), unread, end), (3, vec![], (0, false)), "{names:?}");
}

#[test]
fn links_that_leave_the_folder_are_named_and_skipped() {
    let elsewhere = directory(&[("secret", b"1"), ("folder/two", b"2")]);
    let directory = directory(&[("one", b"1")]);
    for (name, target) in [("file", "secret"), ("folder", "folder"), ("all", "")] {
        symlink(elsewhere.path().join(target), directory.path().join(name)).expect("a link");
    }
    // The folder itself may be a link.
    let link = elsewhere.path().join("link");
    symlink(directory.path(), &link).expect("a link");
    for root in [directory.path(), &link] {
        let (names, mut unread, _) = walked(root, MOST);
        unread.sort();
        let expected: Vec<String> =
            ["all", "file", "folder"].map(|name| format!("{}: {LEAVES}", root.join(name).display())).into();
        assert_eq!((names.len(), unread), (1, expected));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn folders_of_the_kernel_are_refused() {
    let refused = check(Path::new("/proc/self")).expect_err("it is refused").to_string();
    assert_eq!(refused, format!("could not open /proc/self: {KERNEL}"));
    let (names, unread, _) = walked(Path::new("/proc"), MOST);
    assert_eq!((names.len(), unread), (0, vec![format!("/proc: {KERNEL}")]));
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_found() {
    let directory = directory(&[("one", b"1"), ("closed/two", b"2")]);
    symlink("round", directory.path().join("round")).expect("a link");
    let closed = directory.path().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("it is ours");
    let is_closed = fs::read_dir(&closed).is_err();
    let (names, mut unread, _) = walked(directory.path(), MOST);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("it is ours");
    unread.sort();
    let mut expected = vec![format!("{}/round: too many levels of symbolic links", directory.path().display())];
    // The superuser is not refused.
    if is_closed {
        expected.insert(0, format!("{}: permission denied", closed.display()));
    }
    assert_eq!(unread, expected);
    assert!(names.contains(&"one".to_owned()));
    let gone = directory.path().join("gone\x1b[2J");
    let (names, unread, _) = walked(&gone, MOST);
    assert_eq!(
        (names.len(), unread),
        (0, vec![format!("{}/gone␛[2J: it no longer exists", directory.path().display())])
    );
}

#[test]
fn a_walk_is_bounded_and_says_so() {
    let names: Vec<String> = (0..50).map(|number| format!("{number}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"x".as_slice())).collect();
    let directory = directory(&files);
    for (most, found, cut) in [(10, 10, true), (49, 49, true), (50, 50, false)] {
        let (names, _, end) = walked(directory.path(), most);
        assert_eq!((names.len(), end), (found, (0, cut)));
    }
    let FolderFiles { paths, unread, .. } = super::files(directory.path(), &|_| false, &|_| true).expect("few enough");
    assert!(paths.len() == 50 && paths.is_sorted() && unread.is_empty());
}

#[test]
fn a_walk_ends_when_nobody_listens() {
    let directory = directory(&[("a/one", b"1"), ("b/two", b"2")]);
    let mut heard = 0;
    walk(directory.path(), |_| {
        heard += 1;
        false
    });
    assert_eq!(heard, 1);
}
