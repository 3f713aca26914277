//! Reads with each operation failing in turn: of a file, of a stream, of its copy, of the spool.

use rustix::io::Errno;
use tempfile::TempDir;

use super::*;
use crate::figures::{Promise, tell};
use crate::source::tee::Existing;
use crate::system::disk::faults::{FAILURES, Failure, fail_each, folder};

/// A file of `len` bytes in a folder.
fn made(len: usize) -> (TempDir, PathBuf, Vec<u8>) {
    let folder = folder();
    let bytes: Vec<u8> = (0..len).map(|at| b'a' + (at % 251 % 26) as u8).collect();
    let path = folder.path().join("transcript");
    fs::write(&path, &bytes).expect("written");
    (folder, path, bytes)
}

/// The events that a listener received.
#[derive(Default)]
struct Told {
    text: Vec<u8>,
    notices: Vec<String>,
    backing: Option<Backing>,
    last: Option<SourceEvent>,
}

impl Told {
    fn take(&mut self, event: SourceEvent) -> bool {
        match event {
            SourceEvent::Chunk(bytes) => self.text.extend(bytes),
            SourceEvent::Notice(words) => self.notices.push(words),
            SourceEvent::Backing(backing) => self.backing = Some(backing),
            event => self.last = Some(event),
        }
        true
    }

    /// The bytes that the backing returns.
    fn again(&self) -> Vec<u8> {
        let Some(backing) = &self.backing else { return Vec::new() };
        let mut bytes = vec![0; self.text.len() + 1];
        let read = backing.read_at(0, &mut bytes).expect("it is there");
        bytes.truncate(read);
        bytes
    }
}

#[test]
fn a_file_is_read_whole_or_it_is_said_that_it_was_not() {
    let (_folder, path, bytes) = made(700_000);
    let mut tried = 0;
    for failure in FAILURES {
        let work = || {
            let mut told = Told::default();
            let outcome = read(&SourceSpec::File(path.clone()), |event| told.take(event));
            (outcome.map_err(|error| format!("{error:#}")), told)
        };
        tried += fail_each(failure, &[], work, |failed, (outcome, told)| {
            let case = format!("{failure:?}: {failed:?} failed: {outcome:?}, {:?}", told.last);
            assert!(bytes.starts_with(&told.text), "{case}");
            match (&outcome, &told.last) {
                (Ok(()), Some(SourceEvent::End)) => assert_eq!(told.text.len(), bytes.len(), "{case}"),
                (Ok(()), Some(SourceEvent::Failed(words))) | (Err(words), None) => {
                    assert!(words.starts_with("could not ") && words.contains(&*path.to_string_lossy()), "{case}");
                    assert_ne!(failure, Failure::Once(Errno::INTR), "{case}");
                }
                _ => panic!("{case}"),
            }
            assert!(told.text.is_empty() || told.again() == bytes[..told.again().len()], "{case}");
        });
    }
    assert!(tried > 50, "{tried}");
    tell(Promise::Faults, "failing reads", tried);
}

#[test]
fn a_stream_its_copy_and_its_spool_lose_nothing_that_came() {
    // More than a spool keeps in memory.
    let (folder, path, bytes) = made((4 << 20) + 600_000);
    let copy = folder.path().join("copy");
    let mut tried = 0;
    for failure in FAILURES {
        let work = || {
            drop(fs::remove_file(&copy));
            let mut told = Told::default();
            let outcome = (|| {
                let tee = Tee::create(&copy, Existing::Refuse).map_err(|error| format!("{error:#}"))?;
                let mut intake = Intake::stream(Some(tee));
                let file = fs::File::open(&path).expect("opens");
                let mut listener = |event| told.take(event);
                let mut sink = Sink(&mut listener);
                let read = stream::read(&file, WaitMode::Never, &mut intake, &mut sink);
                read.and_then(|()| intake.finish(&mut sink)).map_err(|halt| format!("{halt:?}"))
            })();
            (outcome, told)
        };
        tried += fail_each(failure, &[], work, |failed, (outcome, told)| {
            let case = format!("{failure:?}: {failed:?} failed: {outcome:?}, {:?}", told.notices);
            // All bytes that arrived can be read again, wherever they are kept.
            assert!(bytes.starts_with(&told.text) && told.again() == told.text, "{case}");
            assert!(outcome.is_err() || told.text.len() == bytes.len(), "{case}");
            let saved = fs::read(&copy).unwrap_or_default();
            let said = told.notices.iter().find_map(|words| words.split_once("; the copy ends after "));
            match said {
                Some((_, end)) => assert_eq!(end, format!("{} bytes", saved.len()), "{case}"),
                None => assert_eq!(saved.len(), told.text.len(), "{case}"),
            }
            assert!(bytes.starts_with(&saved), "{case}");
            assert!(
                told.notices.len() <= 2 && told.notices.iter().all(|words| words.starts_with("could not ")),
                "{case}"
            );
            if failure == Failure::Once(Errno::INTR) {
                assert!(outcome.is_ok() && told.notices.is_empty(), "{case}");
            }
        });
    }
    assert!(tried > 200, "{tried}");
    tell(Promise::Faults, "failing reads and writes", tried);
}
