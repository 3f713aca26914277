//! Evaluation logs as one stream: order, damaged members, limits, and logs that are still written.

use std::fs::File;
use std::io::Write as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;
use crate::source::folder::{WalkEvent, walk};
use crate::source::{is_folder, open, read_all};

/// Writes an archive with these files to a path.
fn write(path: &Path, files: &[(&str, &[u8])]) {
    let mut writer = ZipWriter::new(File::create(path).expect("a file"));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).expect("a name");
        writer.write_all(bytes).expect("it is written");
    }
    writer.finish().expect("it is written");
}

fn log(files: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("tides.eval");
    write(&path, files);
    (directory, path)
}

fn text(path: &Path) -> String {
    let read = read_all(&SourceSpec::File(path.to_owned())).expect("it can be read");
    String::from_utf8(read).expect("it is UTF-8")
}

const BEGUN: (&str, &[u8]) = (START, b"{\"version\":2,\"eval\":{},\"plan\":{}}");

#[test]
fn a_log_is_its_evaluation_and_its_samples_in_their_order() {
    let header = br#"{"eval":{"dataset":{"sample_ids":["z",7]}}}"#;
    let (_directory, path) = log(&[
        BEGUN,
        ("samples/a10_epoch_1.json", b"a10"),
        ("samples/a9_epoch_10.json", b"a9 10"),
        ("samples/a9_epoch_9.json", b"a9 9"),
        ("_journal/summaries/1.json", b"[]"),
        ("samples/7_epoch_1.json", b"7"),
        ("samples/z_epoch_1.json", b"z"),
        ("samples/notes.txt", b"no"),
        (HEADER, header),
        ("summaries.json", b"[]"),
    ]);
    let header = String::from_utf8_lossy(header);
    assert_eq!(text(&path), format!("{header}\nz\n7\na9 9\na9 10\na10\n"));
    assert!(!is_folder(&path));
    assert_eq!(text(&path.join("samples/7_epoch_1.json")), "7");
}

#[test]
fn a_log_without_a_header_begins_with_its_journal() {
    let (_directory, path) = log(&[BEGUN, ("samples/1_epoch_1.json", b"1")]);
    assert_eq!(text(&path), "{\"version\":2,\"eval\":{},\"plan\":{}}\n1\n");
    let (_directory, other) = log(&[("header.json", b"{}"), ("samples/1_epoch_1.json", b"1")]);
    assert!(is_folder(&other), "an archive without a journal is not a log");
}

#[test]
fn a_damaged_sample_is_named_and_the_others_are_read() {
    let long = b"tide ".repeat(2 * KEPT / 5);
    let (_directory, path) = log(&[
        BEGUN,
        ("samples/1_epoch_1.json", &long),
        ("samples/2_epoch_1.json", &long),
        ("samples/3_epoch_1.json", b"3"),
    ]);
    let mut bytes = fs::read(&path).expect("it was written");
    let name = memchr::memmem::find(&bytes, b"samples/2_epoch_1.json").expect("it is in the archive");
    // Data follows the name.
    bytes[name + 400..name + 800].fill(0xaa);
    fs::write(&path, bytes).expect("it can be written");
    let text = text(&path);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[1].len(), long.len());
    assert!(lines[2].starts_with(r#"{"unreadable_sample":"samples/2_epoch_1.json","reason":""#), "{}", lines[2]);
    assert_eq!(lines[3], "3");
}

#[test]
fn a_sample_in_zstd_is_decompressed() {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    let packed = compress_to_vec(&b"tide ".repeat(CHUNK)[..], CompressionLevel::Fastest);
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("tides.eval");
    let mut writer = ZipWriter::new(File::create(&path).expect("a file"));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in [BEGUN, ("samples/1_epoch_1.json", &packed)] {
        writer.start_file(name, stored).expect("a name");
        writer.write_all(bytes).expect("it is written");
    }
    writer.finish().expect("it is written");
    let mut bytes = fs::read(&path).expect("it was written");
    // The method is in the header of each file and in its entry in the directory; the second one is changed.
    for (mark, method) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
        let header = memchr::memmem::find_iter(&bytes, mark).nth(1).expect("there is a header");
        bytes[header + method] = 93;
    }
    fs::write(&path, bytes).expect("it can be written");
    assert_eq!(text(&path).lines().nth(1).map(str::len), Some(5 * CHUNK));
}

#[test]
fn a_log_in_a_folder_is_one_file() {
    let (directory, path) = log(&[BEGUN, ("samples/1_epoch_1.json", b"1")]);
    let mut found = Vec::new();
    walk(directory.path(), |event| {
        if let WalkEvent::Found(files) = event {
            found.extend(files.into_iter().map(|file| (file.path, file.is_encoded)));
        }
        true
    });
    assert_eq!(found, [(path, true)]);
}

#[test]
fn a_log_that_grows_is_read_again() {
    let (_directory, path) = log(&[BEGUN, ("samples/1_epoch_1.json", b"1")]);
    let (sender, events) = channel();
    open(&SourceSpec::File(path.clone()), Follow::File, move |event| sender.send(event).is_ok()).expect("it opens");
    let next = || events.recv_timeout(Duration::from_secs(20)).expect("an event");
    let read = || {
        let mut text = Vec::new();
        loop {
            match next() {
                SourceEvent::Chunk(bytes) => text.extend(bytes),
                SourceEvent::CaughtUp => return String::from_utf8(text).expect("it is UTF-8"),
                SourceEvent::Backing(_) | SourceEvent::Notice(_) => {}
                event => panic!("{event:?}"),
            }
        }
    };
    assert!(read().ends_with("}\n1\n"));
    write(&path, &[BEGUN, ("samples/1_epoch_1.json", b"1"), ("samples/2_epoch_1.json", b"22")]);
    assert!(matches!(next(), SourceEvent::Restarted(words) if words.contains("tides.eval was rewritten")));
    assert!(read().ends_with("}\n1\n22\n"));
}

#[test]
fn ids_are_sorted_by_their_numbers() {
    let mut ids = ["b2", "10", "a-10", "9", "a-9", "b"];
    ids.sort_by_key(|id| parts_of_id(id));
    assert_eq!(ids, ["9", "10", "a-9", "a-10", "b", "b2"]);
}
