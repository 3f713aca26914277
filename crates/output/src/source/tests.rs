//! The events of files of every kind, of pipes and of the demonstration.

mod failures;

use std::fs;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

use super::*;

/// Far longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(20);

fn listen(spec: &SourceSpec, follow: Follow) -> (Source, Receiver<SourceEvent>) {
    let (sender, events) = channel();
    let source = open(spec, follow, move |event| sender.send(event).is_ok()).expect("opens");
    (source, events)
}

fn file(path: &Path) -> SourceSpec {
    SourceSpec::File(path.to_owned())
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
}

/// Events up to the first that `is_last`, with consecutive chunks joined and without backings.
#[track_caller]
fn until(events: &Receiver<SourceEvent>, is_last: impl Fn(&SourceEvent) -> bool) -> Vec<SourceEvent> {
    let deadline = Instant::now() + DEADLINE;
    let mut all: Vec<SourceEvent> = Vec::new();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let event = events.recv_timeout(left).unwrap_or_else(|_| panic!("not before the deadline, after {all:?}"));
        let done = is_last(&event);
        match (all.last_mut(), event) {
            (_, SourceEvent::Backing(_)) => continue,
            (Some(SourceEvent::Chunk(bytes)), SourceEvent::Chunk(more)) => bytes.extend(more),
            (_, event) => all.push(event),
        }
        if done {
            return all;
        }
    }
}

fn is_end(event: &SourceEvent) -> bool {
    matches!(event, SourceEvent::End | SourceEvent::Failed(_))
}

fn chunk(bytes: &[u8]) -> SourceEvent {
    SourceEvent::Chunk(bytes.to_vec())
}

#[test]
fn what_is_not_a_file_is_refused_with_a_remedy() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    fs::create_dir(path("notes")).expect("a directory");
    let _listener = UnixListener::bind(path("socket")).expect("a socket");
    symlink(path("socket"), path("link")).expect("a link");
    symlink(path("round"), path("round")).expect("a link");
    for (path, expected) in [
        (path("notes"), "it is a directory; name a file in it, or run transcope DIR to list its sessions"),
        (path("missing"), "no such file; check the name"),
        (path("socket"), "it is a socket; name a file, or pipe its output to standard input"),
        (path("link"), "it is a socket; name a file, or pipe its output to standard input"),
        (path("round"), "too many levels of symbolic links"),
        ("/dev/null".into(), "it is a device; name a file, or pipe its output to standard input"),
    ] {
        for follow in [Follow::No, Follow::File, Follow::Name] {
            if follow == Follow::Name && path.ends_with("missing") {
                continue;
            }
            let error = open(&file(&path), follow, |_| true).expect_err("refused");
            assert_eq!(format!("{error:#}"), format!("could not open {}: {expected}", path.display()));
        }
        let error = read_all(&file(&path)).expect_err("refused");
        assert_eq!(format!("{error:#}"), format!("could not open {}: {expected}", path.display()));
    }
}

#[test]
fn a_name_is_safe_to_show() {
    let error = open(&file(Path::new("no\x1b]0;such\u{202e}")), Follow::No, |_| true).expect_err("refused");
    assert!(error.to_string().starts_with("could not open no␛]0;such<U+202E>: "), "{error}");
}

#[test]
fn a_file_comes_in_chunks_and_ends() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("transcript");
    for len in [0, 1, FIRST_CHUNK, FIRST_CHUNK + 1, FIRST_CHUNK + CHUNK, FIRST_CHUNK + CHUNK + 1, 5 * CHUNK + 77] {
        let bytes: Vec<u8> = (0_u32..).flat_map(u32::to_be_bytes).take(len).collect();
        fs::write(&path, &bytes).expect("written");
        let (source, events) = listen(&file(&path), Follow::No);
        assert_eq!(source.size, (len > 0).then_some(len as u64));
        assert_eq!(source.name, path.display().to_string());
        let chunks: Vec<SourceEvent> = events.iter().collect();
        let later = len.saturating_sub(FIRST_CHUNK).div_ceil(CHUNK);
        let expected = if len == 0 { 1 } else { 1 + 1 + later + 1 };
        assert_eq!(chunks.len(), expected, "the place, the chunks and the end of {len} bytes");
        let (sender, again) = channel();
        for event in chunks {
            sender.send(event).expect("received");
        }
        let expected = if len == 0 { vec![SourceEvent::End] } else { vec![chunk(&bytes), SourceEvent::End] };
        assert!(until(&again, is_end) == expected, "{len}");
        assert!(read_all(&file(&path)).expect("read") == bytes, "{len}");
    }
}

#[test]
fn a_listener_that_wants_no_more_is_not_called_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("transcript");
    fs::write(&path, vec![b'x'; 3 * CHUNK]).expect("written");
    for follow in [Follow::No, Follow::File, Follow::Name] {
        let (sender, events) = channel();
        open(&file(&path), follow, move |event| sender.send(event).is_err()).expect("opens");
        assert_eq!(events.iter().count(), 1, "{follow:?}");
    }
}

#[test]
fn the_demonstration_is_there_and_ends_even_when_it_is_followed() {
    let (source, events) = listen(&SourceSpec::Demonstration, Follow::Name);
    let size = Some(DEMONSTRATION.len() as u64);
    assert_eq!(source, Source { name: "demonstration".into(), size, running: None });
    assert!(until(&events, is_end) == [chunk(DEMONSTRATION), SourceEvent::End]);
    assert!(read_all(&SourceSpec::Demonstration).expect("read") == DEMONSTRATION);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_does_not_know_its_length_is_read_to_its_end() {
    for follow in [Follow::File, Follow::Name] {
        let (source, events) = listen(&file(Path::new("/proc/version")), follow);
        assert_eq!(source.size, None);
        let all = until(&events, |event| *event == SourceEvent::CaughtUp);
        assert!(matches!(&all[..], [SourceEvent::Chunk(_), SourceEvent::CaughtUp]), "{all:?}");
    }
    assert!(read_all(&file(Path::new("/proc/version"))).expect("read").starts_with(b"Linux"));
}

/// Opens a pipe, writes to it twice, waiting each time until it is read, and closes it.
fn write_two_parts(pipe: &Path, events: &Receiver<SourceEvent>) {
    let mut writer = fs::OpenOptions::new().write(true).open(pipe).expect("a reader is there");
    for part in ["first", "second"] {
        writer.write_all(part.as_bytes()).expect("written");
        let all = until(events, |event| *event == SourceEvent::CaughtUp);
        assert_eq!(all, [chunk(part.as_bytes()), SourceEvent::CaughtUp]);
    }
    drop(writer);
}

#[test]
fn a_named_pipe_is_opened_before_its_writer_comes_and_ends_when_it_leaves() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pipe");
    fifo(&path);
    for follow in [Follow::No, Follow::File, Follow::Name] {
        let (source, events) = listen(&file(&path), follow);
        assert_eq!(source.size, None);
        assert_eq!(until(&events, |_| true), [SourceEvent::CaughtUp]);
        write_two_parts(&path, &events);
        assert_eq!(until(&events, is_end), [SourceEvent::End]);
    }
}

#[test]
fn a_named_pipe_waits_for_its_writer_where_polling_does_not() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pipe");
    fifo(&path);
    let opened = file::open(&path).expect("a pipe");
    let (sender, events) = channel();
    let thread = thread::spawn(move || {
        let mut listener = |event| sender.send(event).is_ok();
        let mut intake = Intake::stream(None);
        stream::read(&opened.file, WaitMode::ForWriterByTrying, &mut intake, &mut Sink(&mut listener))
            .expect("no error");
    });
    assert_eq!(until(&events, |_| true), [SourceEvent::CaughtUp]);
    write_two_parts(&path, &events);
    thread.join().expect("ended");
    assert_eq!(events.iter().count(), 0);
}

#[test]
fn a_pipe_whose_writer_has_left_ends() {
    for text in ["", "written before"] {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(text.as_bytes()).expect("written");
        drop(writer);
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        assert_eq!(read_all(&file(Path::new(&path))).expect("read"), text.as_bytes());
    }
}

#[test]
fn a_blocking_pipe_is_read_as_it_comes() {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let (sender, events) = channel();
    let thread = thread::spawn(move || {
        let mut listener = |event| sender.send(event).is_ok();
        let read = stream::read(&reader, WaitMode::Blocking, &mut Intake::stream(None), &mut Sink(&mut listener));
        read.expect("no error");
    });
    assert_eq!(until(&events, |_| true), [SourceEvent::CaughtUp]);
    for part in ["first", "second"] {
        writer.write_all(part.as_bytes()).expect("written");
        let all = until(&events, |event| *event == SourceEvent::CaughtUp);
        assert_eq!(all, [chunk(part.as_bytes()), SourceEvent::CaughtUp]);
    }
    drop(writer);
    thread.join().expect("ended");
    assert_eq!(events.iter().count(), 0);
}

/// The text of the events, and its middle as the backing returns it.
fn text_and_middle(events: &Receiver<SourceEvent>) -> (Vec<u8>, Vec<u8>) {
    let mut backing = None;
    let mut text = Vec::new();
    for event in events {
        match event {
            SourceEvent::Backing(place) => assert!(backing.replace(place).is_none(), "it is told once"),
            SourceEvent::Chunk(bytes) => {
                assert!(backing.is_some(), "it is told before the first byte");
                text.extend(bytes);
            }
            SourceEvent::CaughtUp => {}
            SourceEvent::End => break,
            event => panic!("{event:?}"),
        }
    }
    let mut middle = vec![0; text.len() / 3];
    let offset = (text.len() / 3) as u64;
    let read = backing.expect("it was told").read_at(offset, &mut middle).expect("readable");
    assert_eq!(read, middle.len());
    (text, middle)
}

#[test]
fn what_comes_once_or_compressed_can_be_read_again() {
    let text: Vec<u8> = (0_u32..).flat_map(|number| format!("line {number}\n").into_bytes()).take(9_000_000).collect();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&text).expect("into memory");
    let gzip = encoder.finish().expect("into memory");
    let directory = tempfile::tempdir().expect("a directory");
    let expected = (text.clone(), text[3_000_000..6_000_000].to_vec());
    for bytes in [&text, &gzip] {
        let path = directory.path().join("file");
        fs::write(&path, bytes).expect("written");
        let (source, events) = listen(&file(&path), Follow::No);
        assert_eq!(source.size, (bytes.len() == text.len()).then_some(text.len() as u64));
        assert!(text_and_middle(&events) == expected);
        let pipe = directory.path().join("pipe");
        fifo(&pipe);
        let (source, events) = listen(&file(&pipe), Follow::No);
        assert_eq!(source.size, None);
        let bytes = bytes.clone();
        let writer = thread::spawn(move || fs::write(pipe, bytes).expect("it is read"));
        assert!(text_and_middle(&events) == expected);
        writer.join().expect("written");
        fs::remove_file(directory.path().join("pipe")).expect("removed");
    }
}

#[test]
fn a_read_that_fails_is_an_error_in_plain_words() {
    let directory = fs::OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::DIRECTORY.bits().cast_signed())
        .open("/")
        .expect("a directory");
    let mut nobody = |_| true;
    let read = stream::read(&directory, WaitMode::Blocking, &mut Intake::stream(None), &mut Sink(&mut nobody));
    assert!(matches!(&read, Err(ReadStop::Failed(words)) if words == "is a directory"), "{read:?}");
}

#[test]
fn a_file_that_says_it_is_empty_and_never_ends_is_cut() {
    let path = Path::new("/proc/self/pagemap");
    // It exists only on Linux, and not every process may read it.
    if !fs::File::open(path)
        .is_ok_and(|mut file| std::io::Read::read(&mut file, &mut [0; 8]).is_ok_and(|read| read == 8))
    {
        return;
    }
    let (mut bytes, mut last) = (0_usize, None);
    read(&file(path), |event| {
        match event {
            SourceEvent::Chunk(chunk) => bytes += chunk.len(),
            event => last = Some(event),
        }
        true
    })
    .expect("opens");
    let words = "could not read /proc/self/pagemap: it is longer than 64 MiB, the limit for input that can be \
                 read only once; save it to a file";
    assert_eq!((bytes.div_ceil(1 << 20), last), (64, Some(SourceEvent::Failed(words.into()))));
}
