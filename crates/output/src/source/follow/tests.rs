//! The events that a follower sends when things happen to a file.

mod schedules;

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::super::open;
use super::*;

/// Far longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(20);

/// A file that is followed on a thread, as seen by a listener.
struct Followed {
    directory: TempDir,
    path: PathBuf,
    events: Receiver<SourceEvent>,
    /// The text since the last restart.
    text: Vec<u8>,
    /// Notices and restarts.
    messages: Vec<String>,
}

impl Followed {
    fn new(text: Option<&str>, follow: Follow) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("transcript");
        if let Some(text) = text {
            fs::write(&path, text).expect("written");
        }
        Self::of(directory, path, follow)
    }

    fn of(directory: TempDir, path: PathBuf, follow: Follow) -> Self {
        let (sender, events) = channel();
        open(&SourceSpec::File(path.clone()), follow, move |event| sender.send(event).is_ok()).expect("opens");
        Self { directory, path, events, text: Vec::new(), messages: Vec::new() }
    }

    fn append(&self, text: &str) {
        let mut file = OpenOptions::new().append(true).open(&self.path).expect("opens");
        file.write_all(text.as_bytes()).expect("written");
    }

    /// Receives events until everything is sent and the state is as wanted.
    #[track_caller]
    fn until(&mut self, wanted: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let event = self.events.recv_timeout(deadline.saturating_duration_since(Instant::now()));
            match event.unwrap_or_else(|_| panic!("deadline, after {:?}", self.messages)) {
                SourceEvent::Chunk(bytes) => self.text.extend(bytes),
                SourceEvent::CaughtUp | SourceEvent::Backing(_) => {}
                SourceEvent::Notice(message) => self.messages.push(self.short(&message)),
                SourceEvent::Restarted(message) => {
                    self.text.clear();
                    self.messages.push(format!("restarted: {}", self.short(&message)));
                }
                event => panic!("{event:?}"),
            }
            if wanted(self) {
                return;
            }
        }
    }

    #[track_caller]
    fn until_text(&mut self, text: &str, messages: &[&str]) {
        self.until(|followed| followed.text == text.as_bytes() && followed.messages == messages);
    }

    fn short(&self, message: &str) -> String {
        message.replace(&self.path.display().to_string(), "it")
    }
}

const GONE: &str = "it was deleted or moved; waiting for it to reappear";
const REPLACED: &str = "restarted: it was replaced; reading the new file";
const TRUNCATED: &str = "restarted: it was truncated; reading it from the start";
const REWRITTEN: &str = "restarted: it was rewritten; reading it from the start";
const MOVED: &str = "it was moved or replaced; still following the old file; -F follows the name";
const POLLED: &str = "it is polled every 250 ms: too many open files";
const ABSENT: &str = "it does not exist yet; waiting for it";

#[test]
fn what_is_appended_arrives() {
    for follow in [Follow::File, Follow::Name] {
        let mut followed = Followed::new(Some("one "), follow);
        followed.until_text("one ", &[]);
        followed.append("two ");
        followed.until_text("one two ", &[]);
        followed.append("three");
        followed.until_text("one two three", &[]);
    }
}

#[test]
fn a_truncated_file_starts_again() {
    for follow in [Follow::File, Follow::Name] {
        let mut followed = Followed::new(Some("a long text"), follow);
        followed.until_text("a long text", &[]);
        OpenOptions::new().write(true).open(&followed.path).expect("opens").set_len(6).expect("truncated");
        followed.until_text("a long", &[TRUNCATED]);
        followed.append("er text");
        followed.until_text("a longer text", &[TRUNCATED]);
    }
}

#[test]
fn the_opened_file_is_followed_wherever_it_is_moved() {
    let mut followed = Followed::new(Some("one "), Follow::File);
    followed.until_text("one ", &[]);
    let mut writer = OpenOptions::new().append(true).open(&followed.path).expect("opens");
    fs::rename(&followed.path, followed.directory.path().join("elsewhere")).expect("renamed");
    followed.until_text("one ", &[MOVED]);
    fs::write(&followed.path, "another").expect("written");
    writer.write_all(b"two").expect("written");
    followed.until_text("one two", &[MOVED]);
}

#[test]
fn a_replaced_file_is_read_to_its_end_and_then_the_new_one() {
    let mut followed = Followed::new(Some("old "), Follow::Name);
    followed.until_text("old ", &[]);
    let new = followed.directory.path().join("new");
    fs::write(&new, "new ").expect("written");
    followed.append("end");
    fs::rename(&new, &followed.path).expect("renamed");
    followed.until(|followed| followed.text == b"old end");
    followed.until_text("new ", &[REPLACED]);
    followed.append("text");
    followed.until_text("new text", &[REPLACED]);
}

#[test]
fn a_deleted_file_is_waited_for() {
    let mut followed = Followed::new(Some("old"), Follow::Name);
    followed.until_text("old", &[]);
    fs::remove_file(&followed.path).expect("removed");
    followed.until_text("old", &[GONE]);
    fs::write(&followed.path, "new").expect("written");
    followed.until_text("new", &[GONE, REPLACED]);
}

#[test]
fn a_file_that_comes_back_goes_on() {
    let mut followed = Followed::new(Some("one "), Follow::Name);
    followed.until_text("one ", &[]);
    let elsewhere = followed.directory.path().join("elsewhere");
    fs::rename(&followed.path, &elsewhere).expect("renamed");
    followed.until_text("one ", &[GONE]);
    fs::rename(&elsewhere, &followed.path).expect("renamed");
    followed.until_text("one ", &[GONE, "it is back"]);
    followed.append("two");
    followed.until_text("one two", &[GONE, "it is back"]);
}

#[test]
fn a_file_that_does_not_exist_yet_is_waited_for() {
    let mut followed = Followed::new(None, Follow::Name);
    followed.until_text("", &[ABSENT]);
    fs::write(&followed.path, "here").expect("written");
    followed.until_text("here", &[ABSENT]);
}

#[test]
fn a_directory_that_does_not_exist_yet_is_waited_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run/1/transcript");
    let mut followed = Followed::of(directory, path.clone(), Follow::Name);
    followed.until_text("", &[ABSENT]);
    fs::create_dir_all(path.parent().expect("in a directory")).expect("created");
    fs::write(&path, "here").expect("written");
    followed.until_text("here", &[ABSENT]);
    followed.append(" and on");
    followed.until_text("here and on", &[ABSENT]);
}

#[test]
fn a_link_is_followed_to_its_file_and_to_another() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    fs::create_dir(path("runs")).expect("created");
    fs::write(path("runs/1"), "first").expect("written");
    fs::write(path("runs/2"), "second").expect("written");
    symlink(path("runs/1"), path("latest")).expect("linked");
    symlink(path("runs/2"), path("next")).expect("linked");
    let (latest, next) = (path("latest"), path("next"));
    let mut followed = Followed::of(directory, latest, Follow::Name);
    followed.until_text("first", &[]);
    followed.append(" run");
    followed.until_text("first run", &[]);
    fs::rename(next, &followed.path).expect("renamed");
    followed.until_text("second", &[REPLACED]);
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).expect("into memory");
    encoder.finish().expect("into memory")
}

#[test]
fn a_compressed_file_that_grows_is_followed_as_text() {
    let mut followed = Followed::new(None, Follow::Name);
    let append = |followed: &Followed, bytes: &[u8]| {
        let mut file = OpenOptions::new().append(true).create(true).open(&followed.path).expect("opens");
        file.write_all(bytes).expect("written");
    };
    followed.until_text("", &[ABSENT]);
    append(&followed, &gzip("one "));
    followed.until_text("one ", &[ABSENT]);
    // A writer that flushes, like that of a log, and has not reached the end of its member.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(b"two ").and_then(|()| encoder.flush()).expect("into memory");
    let flushed = encoder.get_ref().len();
    append(&followed, &encoder.get_ref()[..5]);
    append(&followed, &encoder.get_ref()[5..]);
    followed.until_text("one two ", &[ABSENT]);
    append(&followed, &encoder.finish().expect("into memory")[flushed..]);
    append(&followed, b"no gzip");
    let damage = "could not read the rest of it: there is trailing data after the gzip data";
    followed.until_text("one two ", &[ABSENT, damage]);
    fs::write(&followed.path, "plain now").expect("written");
    followed.until_text("plain now", &[ABSENT, damage, TRUNCATED]);
    followed.append(", and on");
    followed.until_text("plain now, and on", &[ABSENT, damage, TRUNCATED]);
}

#[test]
fn what_is_written_while_reading_begins_is_neither_lost_nor_read_twice() {
    let mut followed = Followed::new(Some(""), Follow::Name);
    let path = followed.path.clone();
    let lines: Vec<String> = (0..20_000).map(|number| format!("line {number}\n")).collect();
    let expected = lines.concat();
    let writer = thread::spawn(move || {
        let mut file = OpenOptions::new().append(true).open(path).expect("opens");
        for line in lines {
            file.write_all(line.as_bytes()).expect("written");
        }
    });
    followed.until(|followed| followed.text.len() >= expected.len());
    writer.join().expect("written");
    assert!(followed.text == expected.as_bytes());
    assert!(followed.messages.is_empty(), "{:?}", followed.messages);
}

#[test]
fn a_file_that_cannot_be_watched_is_polled() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("transcript");
    fs::write(&path, "one ").expect("written");
    let opened = file::open(&path).expect("opens");
    let (sender, events) = channel();
    let polled = path.clone();
    thread::spawn(move || {
        let mut follower = Follower::new(&polled, Some(opened), Follow::Name);
        follower.hints = Hints::with(|_, _| Err(notify::Error::generic("too many open files")));
        drop(follower.run(&mut Sink(&mut |event| sender.send(event).is_ok())));
    });
    let mut followed = Followed { directory, path, events, text: Vec::new(), messages: Vec::new() };
    followed.until_text("one ", &[POLLED]);
    followed.append("two");
    followed.until_text("one two", &[POLLED]);
}

#[test]
fn a_rewrite_of_the_same_length_is_noticed() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("transcript");
    fs::write(&path, "one two").expect("written");
    let mut follower = Follower::new(&path, Some(file::open(&path).expect("opens")), Follow::File);
    let mut events = Vec::new();
    let mut listener = |event| {
        if !matches!(event, SourceEvent::Backing(_)) {
            events.push(event);
        }
        true
    };
    follower.round(&mut Sink(&mut listener)).expect("not stopped");
    fs::write(&path, "two one").expect("written");
    follower.round(&mut Sink(&mut listener)).expect("not stopped");
    follower.round(&mut Sink(&mut listener)).expect("not stopped");
    let restart = REWRITTEN.replace("restarted: it", &path.display().to_string());
    assert_eq!(
        events,
        [
            SourceEvent::Chunk(b"one two".to_vec()),
            SourceEvent::CaughtUp,
            SourceEvent::Restarted(restart),
            SourceEvent::Chunk(b"two one".to_vec()),
            SourceEvent::CaughtUp,
        ]
    );
}
