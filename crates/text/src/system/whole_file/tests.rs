//! Tests of the contents of a folder after writing a file has failed at any of its steps, or succeeded.

use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::figures::{Promise, tell};
use crate::system::disk::faults::{FAILURES, Failure, fail_each, folder};

/// Unsupported operations: some disks have no unnamed files, and some of these no renaming without replacement.
const DISKS: [&[Operation]; 3] = [&[], &[Operation::OpenUnnamed], &[Operation::OpenUnnamed, Operation::RenameNew]];

const OLD: &str = "what was there before";

/// More than a buffer, in several pieces.
fn new_text() -> String {
    "what is written now\n".repeat(1500)
}

fn fill(out: &mut Filling<'_>) -> io::Result<()> {
    new_text().as_bytes().chunks(5000).try_for_each(|piece| out.write_all(piece))
}

/// The files in a folder: the contents of the one with the final name, and of the others.
fn files(folder: &Path) -> (Option<String>, Vec<String>) {
    let mut own = None;
    let mut others = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a text");
        if entry.file_name() == "report" { own = Some(text) } else { others.push(text) }
    }
    (own, others)
}

#[test]
fn a_file_is_whole_or_as_it_was_whatever_fails() {
    let mut tried = 0;
    for lacks in DISKS {
        for (existing, old) in [(IfExists::Refuse, None), (IfExists::Replace, None), (IfExists::Replace, Some(OLD))] {
            for failure in FAILURES {
                let case = format!("{existing:?} {old:?} {failure:?} without {lacks:?}");
                let work = || {
                    let folder = folder();
                    let path = folder.path().join("report");
                    if let Some(old) = old {
                        fs::write(&path, old).expect("a test may write");
                    }
                    let outcome = write(&path, existing, fill);
                    (outcome, files(folder.path()))
                };
                tried += fail_each(failure, lacks, work, |failed, (outcome, (own, others))| {
                    let case = format!("{case}, {failed:?} failed");
                    let whole = Some(new_text());
                    match &outcome {
                        Ok(size) => assert_eq!((own, *size), (whole.clone(), new_text().len() as u64), "{case}"),
                        // The file has its final name, although the temporary one could not be removed.
                        Err(_) if own == whole => assert_eq!(failure, Failure::FromThenOn, "{case}"),
                        Err(_) => assert_eq!(own.as_deref(), old, "{case}"),
                    }
                    if failure == Failure::Once(rustix::io::Errno::INTR) || failed.is_none() {
                        assert!(outcome.is_ok(), "{case}: {outcome:?}");
                    }
                    let are_whole = others.iter().all(|other| Some(other) == whole.as_ref());
                    if failure == Failure::FromThenOn {
                        // A killed process; with unnamed files, only complete files are left.
                        assert!(others.len() <= 1 && (are_whole || !lacks.is_empty()), "{case}");
                    } else {
                        // A file with two names keeps both if the disk fails to remove one.
                        let is_kept = failed == Some(Operation::Remove) && are_whole;
                        assert!(others.is_empty() || is_kept, "{case}: {} are left", others.len());
                    }
                });
            }
        }
    }
    assert!(tried > 300, "{tried}");
    tell(Promise::Files, "faults", tried);
}

#[test]
fn a_file_that_is_there_stays_or_hands_its_permissions_on() {
    for lacks in DISKS {
        let work = || {
            let folder = folder();
            let path = folder.path().join("report");
            let link = folder.path().join("link");
            fs::write(&path, OLD).expect("a test may write");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("it is the test's own");
            std::os::unix::fs::symlink(&path, &link).expect("a link can be made");
            let refused = write(&link, IfExists::Refuse, fill).expect_err("it exists");
            assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(&path).expect("a text"), OLD);
            write(&link, IfExists::Replace, fill).expect("it is replaced");
            assert!(link.is_symlink());
            assert_eq!(fs::read_to_string(&path).expect("a text"), new_text());
            assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o640);
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
        };
        // An interruption is not a failure.
        fail_each(Failure::Once(rustix::io::Errno::INTR), lacks, work, |_, ()| {});
    }
}

#[test]
fn a_signal_removes_what_has_a_name_already() {
    let folder = folder();
    let path = folder.path().join("report");
    let work = || {
        write(&path, IfExists::Refuse, |out| {
            out.write_all(b"a part")?;
            assert_eq!(files(folder.path()).1.len(), 1);
            remove_unfinished_in(folder.path());
            assert_eq!(files(folder.path()).1.len(), 0);
            Err(ErrorKind::Interrupted.into())
        })
    };
    fail_each(Failure::Once(rustix::io::Errno::INTR), DISKS[1], work, |_, _| {});
}

#[test]
fn concurrent_writers_leave_one_complete_file() {
    let folder = folder();
    let path = folder.path().join("report");
    thread::scope(|scope| {
        let writers: Vec<_> = (0..8).map(|_| scope.spawn(|| write(&path, IfExists::Refuse, fill).is_ok())).collect();
        let made = writers.into_iter().map(|writer| writer.join().expect("it ends")).filter(|made| *made);
        assert_eq!(made.count(), 1);
    });
    assert_eq!(files(folder.path()), (Some(new_text()), Vec::new()));
}
