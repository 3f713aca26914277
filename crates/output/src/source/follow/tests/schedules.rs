//! Everything that can happen to a followed file, in every order and at every moment, compared with a model.
//!
//! Real files are written, renamed and removed between the rounds of a follower and during them, and rounds fail. The
//! events of the follower are then compared with all that was ever in the files. Longer schedules are random; their
//! number is `PROPTEST_CASES`, and failing ones are shrunk.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use rustix::io::Errno;

use super::*;
use crate::figures::{Promise, tell};
use crate::system::disk::faults::{fail_once, folder};

/// All schedules of this many steps are tried, and of one more if many cases are requested.
const STEPS: u32 = 3;
/// Number of random cases that counts as many.
const MANY: u32 = 10_000;

/// A change of a file or its name; the numbers are bytes.
#[derive(Clone, Copy, Debug)]
enum Act {
    Append(usize),
    Truncate(usize),
    /// Truncated and rewritten between two rounds.
    Rewrite(usize),
    Replace(usize),
    Delete,
    /// Created again, if it does not exist.
    Create(usize),
    MoveAway,
    MoveBack,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Act(Act),
    Look,
    /// A change occurs after the first bytes of this round were read.
    LookDuring(Act),
    /// The operation with this index fails.
    FailingLook(usize, Errno),
}

/// All steps of short schedules.
const ALPHABET: [Step; 17] = [
    Step::Act(Act::Append(5)),
    Step::Act(Act::Append(40_000)),
    Step::Act(Act::Truncate(3)),
    Step::Act(Act::Rewrite(12)),
    Step::Act(Act::Replace(6)),
    Step::Act(Act::Delete),
    Step::Act(Act::Create(4)),
    Step::Act(Act::MoveAway),
    Step::Act(Act::MoveBack),
    Step::Look,
    Step::LookDuring(Act::Append(5)),
    Step::LookDuring(Act::Truncate(3)),
    Step::LookDuring(Act::Rewrite(12)),
    Step::LookDuring(Act::Replace(6)),
    Step::FailingLook(0, Errno::IO),
    Step::FailingLook(1, Errno::MFILE),
    Step::FailingLook(2, Errno::IO),
];

/// Everything that a file ever held: a list of texts, each of which only grew.
type History = Vec<Vec<u8>>;

/// The files of a folder, on disk and as a model.
struct Files {
    folder: TempDir,
    histories: Vec<History>,
    /// The file that has the name, and the one that was moved away from it.
    named: Option<usize>,
    away: Option<usize>,
    /// The next number to write; every number is written once.
    next: usize,
}

impl Files {
    fn new() -> Self {
        let mut files = Self { folder: folder(), histories: Vec::new(), named: None, away: None, next: 0 };
        files.apply(Act::Create(12));
        files
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("transcript")
    }

    fn fresh(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len + 8);
        while bytes.len() < len {
            bytes.extend(format!("{} ", self.next).bytes());
            self.next += 1;
        }
        bytes.truncate(len);
        bytes
    }

    /// The current text of a file.
    fn text(&self, file: usize) -> &[u8] {
        self.histories[file].last().expect("a file has held something")
    }

    fn apply(&mut self, act: Act) {
        let (path, away) = (self.path(), self.folder.path().join("away"));
        match (act, self.named) {
            (Act::Append(len), Some(file)) => {
                let bytes = self.fresh(len);
                OpenOptions::new()
                    .append(true)
                    .open(path)
                    .and_then(|mut open| open.write_all(&bytes))
                    .expect("written");
                self.histories[file].last_mut().expect("a file has held something").extend(bytes);
            }
            (Act::Truncate(len), Some(file)) if len < self.text(file).len() => {
                OpenOptions::new().write(true).open(path).and_then(|open| open.set_len(len as u64)).expect("truncated");
                let left = self.text(file)[..len].to_vec();
                self.histories[file].push(left);
            }
            (Act::Rewrite(len), Some(file)) => {
                let bytes = self.fresh(len);
                fs::write(path, &bytes).expect("written");
                self.histories[file].push(bytes);
            }
            (Act::Replace(len), _) | (Act::Create(len), None) => {
                let bytes = self.fresh(len);
                let new = self.folder.path().join("new");
                fs::write(&new, &bytes).expect("written");
                fs::rename(new, path).expect("renamed");
                self.named = Some(self.histories.len());
                self.histories.push(vec![bytes]);
            }
            (Act::Delete, Some(_)) => {
                fs::remove_file(path).expect("removed");
                self.named = None;
            }
            (Act::MoveAway, Some(_)) => {
                fs::rename(path, away).expect("renamed");
                self.away = self.named.take();
            }
            (Act::MoveBack, _) if self.away.is_some() => {
                fs::rename(away, path).expect("renamed");
                self.named = self.away.take();
            }
            _ => {}
        }
    }
}

/// Follows a file through a schedule and checks the events.
fn check(follow: Follow, steps: &[Step]) -> Result<(), String> {
    let files = RefCell::new(Files::new());
    let path = files.borrow().path();
    let opened = (follow == Follow::File).then(|| file::open(&path).expect("opens"));
    let mut follower = Follower::new(&path, opened, follow);
    follower.hints = Hints::with(|_, _| Err(notify::Error::path_not_found()));
    // The texts since each restart.
    let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
    // The file that is being read, if it is known.
    let mut read = Some(0);
    for &step in [Step::Look].iter().chain(steps).chain(&[Step::Look; 2]) {
        let during = RefCell::new(if let Step::LookDuring(act) = step { Some(act) } else { None });
        let mut listener = |event| {
            match event {
                SourceEvent::Chunk(bytes) => {
                    texts.last_mut().expect("one at least").extend(bytes);
                    if let Some(act) = during.take() {
                        files.borrow_mut().apply(act);
                    }
                }
                SourceEvent::Restarted(_) => texts.push(Vec::new()),
                _ => {}
            }
            true
        };
        let mut look = || follower.round(&mut Sink(&mut listener)).is_ok();
        let goes_on = match step {
            Step::Act(act) => {
                files.borrow_mut().apply(act);
                continue;
            }
            Step::Look | Step::LookDuring(_) => look(),
            Step::FailingLook(left, error) => fail_once(left, error, look),
        };
        let files = files.borrow();
        if !goes_on {
            return Err(format!("{step:?} ended it"));
        }
        // Nothing is sent twice, out of order, or merged from two texts.
        for text in &texts {
            if !files.histories.iter().flatten().any(|held| held.starts_with(text)) {
                return Err(format!("after {step:?} nothing has ever held {:?}", String::from_utf8_lossy(text)));
            }
        }
        let now = if follow == Follow::File { Some(0) } else { files.named };
        match (step, now) {
            (Step::Look, Some(now)) => {
                let [before @ .., last] = &texts[..] else { continue };
                if last != files.text(now) {
                    return Err(format!("{} bytes were told of {}", last.len(), files.text(now).len()));
                }
                // The replaced file was read to its end.
                if let (Some(read), Some(before)) = (read.filter(|read| *read != now), before.last())
                    && !files.text(read).is_empty()
                    && before != files.text(read)
                {
                    return Err("a file was not read to its end before the next one".into());
                }
                read = Some(now);
            }
            (Step::Look, None) => {}
            _ => read = None,
        }
    }
    Ok(())
}

#[test]
fn every_short_schedule_is_followed() {
    let config = ProptestConfig::default();
    let steps = if config.cases >= MANY { STEPS + 1 } else { STEPS };
    let schedules = ALPHABET.len().pow(steps);
    for number in 0..schedules {
        let letter = |place| ALPHABET[number / ALPHABET.len().pow(place) % ALPHABET.len()];
        let schedule: Vec<Step> = (0..steps).map(letter).collect();
        for follow in [Follow::File, Follow::Name] {
            check(follow, &schedule).unwrap_or_else(|words| panic!("{follow:?} {schedule:?}: {words}"));
        }
    }
    tell(Promise::Following, "short schedules", 2 * schedules);
}

fn act() -> impl Strategy<Value = Act> {
    let len = prop_oneof![4 => 0..3000_usize, 1 => 0..100_000_usize];
    prop_oneof![
        3 => len.clone().prop_map(Act::Append),
        1 => len.clone().prop_map(Act::Truncate),
        1 => len.clone().prop_map(Act::Rewrite),
        1 => len.clone().prop_map(Act::Replace),
        1 => Just(Act::Delete),
        1 => len.prop_map(Act::Create),
        1 => Just(Act::MoveAway),
        1 => Just(Act::MoveBack),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let error = prop::sample::select(vec![Errno::IO, Errno::MFILE, Errno::ACCESS, Errno::NOENT, Errno::INTR]);
    prop_oneof![
        4 => act().prop_map(Step::Act),
        2 => Just(Step::Look),
        1 => act().prop_map(Step::LookDuring),
        1 => (0..12_usize, error).prop_map(|(left, error)| Step::FailingLook(left, error)),
    ]
}

#[test]
fn long_schedules_are_followed() {
    let config = ProptestConfig::default();
    let cases = config.cases as usize;
    let schedules = prop::collection::vec(step(), 1..30);
    let outcome = TestRunner::new(config).run(&schedules, |schedule| {
        [Follow::File, Follow::Name]
            .into_iter()
            .try_for_each(|follow| check(follow, &schedule))
            .map_err(TestCaseError::fail)
    });
    if let Err(TestError::Fail(words, schedule)) = outcome {
        panic!("{schedule:?}: {words}");
    }
    outcome.expect("schedules can be made up");
    tell(Promise::Following, "long schedules", 2 * cases);
}
