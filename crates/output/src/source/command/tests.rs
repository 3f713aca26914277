//! The output of commands, and how they end or are ended.

use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use super::super::{Follow, Source, SourceSpec, open};
use super::*;

/// Far longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(20);

fn run(line: &str) -> (Source, Receiver<SourceEvent>) {
    let (sender, events) = channel();
    let words = ["sh", "-c", line].map(OsString::from).to_vec();
    let sink = move |event| sender.send(event).is_ok();
    (open(&SourceSpec::Command(words), Follow::No, sink).expect("starts"), events)
}

/// Output, standard error, and the other events.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    out: String,
    err: String,
    events: Vec<SourceEvent>,
}

/// The events up to the first time that `is_last` is true.
#[track_caller]
fn until(events: &Receiver<SourceEvent>, is_last: impl Fn(&Told) -> bool) -> Told {
    let deadline = Instant::now() + DEADLINE;
    let mut told = Told::default();
    let words = |bytes: Vec<u8>| String::from_utf8(bytes).expect("words");
    while !is_last(&told) {
        let left = deadline.saturating_duration_since(Instant::now());
        match events.recv_timeout(left).unwrap_or_else(|_| panic!("not before the deadline, after {told:?}")) {
            SourceEvent::Chunk(bytes) => told.out.push_str(&words(bytes)),
            SourceEvent::Stderr(event) => match *event {
                SourceEvent::Chunk(bytes) => told.err.push_str(&words(bytes)),
                SourceEvent::Backing(_) => {}
                event => panic!("{event:?}"),
            },
            SourceEvent::Backing(_) | SourceEvent::CaughtUp => {}
            event => told.events.push(event),
        }
    }
    told
}

fn has_ended(told: &Told) -> bool {
    told.events.contains(&SourceEvent::End)
}

#[test]
fn both_streams_and_the_exit_are_told() {
    for (line, out, err, exit, code, words) in [
        ("echo out; echo err >&2; exit 3", "out\n", "err\n", Exit::Status(3), 3, "exited with status 3"),
        ("exit 0", "", "", Exit::Status(0), 0, "exited with status 0"),
        ("printf half; kill -9 $$", "half", "", Exit::Signal(9), 137, "was killed by signal 9 (kill)"),
        ("printf x; kill -USR1 $$", "x", "", Exit::Signal(10), 138, "was killed by signal 10 (another signal)"),
        ("exec >&-; exec 2>&-; exit 7", "", "", Exit::Status(7), 7, "exited with status 7"),
    ] {
        let (source, events) = run(line);
        let told = until(&events, has_ended);
        let expected = vec![SourceEvent::Exited(exit), SourceEvent::End];
        assert_eq!(told, Told { out: out.into(), err: err.into(), events: expected }, "{line}");
        assert_eq!((exit.code(), exit.words().as_str()), (code, words));
        let running = source.running.expect("it is a command");
        assert_eq!((running.exit(), running.interrupt()), (Some(exit), false));
    }
}

#[test]
fn much_on_both_streams_is_told_whole() {
    let (_, events) = run("seq 100000 & seq 200000 300000 >&2; wait");
    let told = until(&events, has_ended);
    let lines = |range: std::ops::RangeInclusive<u32>| range.map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
    assert!(told.out == lines(1..=100_000) && told.err == lines(200_000..=300_000));
}

#[test]
fn its_end_is_told_while_what_it_started_still_writes() {
    let directory = tempfile::tempdir().expect("a directory");
    let pipe = directory.path().join("pipe");
    let (source, events) = run(&format!("mkfifo {0}; (cat {0}) & echo first; exit 4", pipe.display()));
    let told = until(&events, |told| !told.events.is_empty());
    assert_eq!((told.out.as_str(), &told.events[..]), ("first\n", &[SourceEvent::Exited(Exit::Status(4))][..]));
    assert_eq!(source.running.expect("it is a command").exit(), Some(Exit::Status(4)));
    std::fs::write(&pipe, "second\n").expect("it is read");
    assert_eq!(until(&events, has_ended).out, "second\n");
}

#[test]
fn an_interrupt_reaches_the_command_and_what_it_started() {
    let (source, events) = run("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 1; done");
    let running = source.running.expect("it is a command");
    until(&events, |told| told.out == "ready\n");
    assert!(running.interrupt());
    let told = until(&events, has_ended);
    assert_eq!((told.out.as_str(), &told.events[..1]), ("caught\n", &[SourceEvent::Exited(Exit::Status(5))][..]));
}

#[test]
fn a_command_that_does_not_want_to_end_is_ended() {
    for (line, patience, exit) in [
        ("echo ready; exec sleep 600", DEADLINE, Exit::Signal(15)),
        ("trap '' TERM; echo ready; while :; do sleep 1; done", Duration::from_millis(50), Exit::Signal(9)),
    ] {
        let (source, events) = run(line);
        until(&events, |told| told.out == "ready\n");
        assert_eq!(source.running.expect("it is a command").end(patience), exit, "{line}");
        until(&events, has_ended);
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    for (words, expected) in [
        (&["no-such-program", "x"][..], "could not run no-such-program: no such file or directory"),
        (&["/"], "could not run /: permission denied"),
        (&[], "no command after --"),
    ] {
        let words = words.iter().map(OsString::from).collect();
        let error = open(&SourceSpec::Command(words), Follow::No, |_| true).expect_err("refused");
        assert_eq!(format!("{error:#}"), expected);
    }
}
