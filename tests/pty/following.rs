//! Files in a terminal: changes while they are followed, and several of them in tabs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{file, home, open};

fn append(path: &Path, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().append(true).open(path).expect("a test may append");
    file.write_all(bytes).expect("a test may append");
}

#[test]
fn whatever_happens_to_a_followed_file_is_a_row_and_what_stood_in_it_stays() {
    let home = home();
    let path = file(&home, "log.txt", b"the first text\n");
    let mut terminal = open(&["-F".as_ref(), "log.txt".as_ref()], &home);
    terminal.shows("following ●");
    fs::OpenOptions::new().write(true).truncate(true).open(&path).expect("a test may truncate");
    terminal.shows("log.txt was truncated; reading it from the start (earlier contents: 15 B,");
    append(&path, b"the second text\n");
    terminal.shows("the second text");
    fs::rename(&path, home.path().join("log.1")).expect("a test may rename");
    terminal.shows("log.txt was deleted or moved; waiting for it to reappear");
    file(&home, "log.txt", b"the third text\n");
    terminal.shows("log.txt was replaced; reading the new file (earlier contents: 16 B,");
    terminal.shows("the third text");
    terminal.types("(");
    terminal.shows("earlier contents; ) returns");
    terminal.shows("the second text");
    terminal.shows("log.txt until ");
    terminal.types("(");
    terminal.shows("the first text");
    terminal.types("v");
    terminal.shows("[Events 3]");
    append(&path, b"and more\n");
    terminal.types("))");
    terminal.shows("and more");
    terminal.shows("following ●");
    terminal.types("vg\r");
    terminal.shows("the first text");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn a_log_that_is_copied_and_truncated_is_followed_on() {
    let home = home();
    let path = file(&home, "log.txt", b"before\n");
    let mut terminal = open(&["-f".as_ref(), path.as_ref()], &home);
    terminal.shows("before");
    // The writer keeps the file open, as for a log.
    let mut writer = fs::OpenOptions::new().append(true).open(&path).expect("a test may append");
    for round in ["first", "second", "third"] {
        fs::copy(&path, home.path().join("log.1")).expect("a test may copy");
        fs::OpenOptions::new().write(true).truncate(true).open(&path).expect("a test may truncate");
        writeln!(writer, "the {round} line after it").expect("a test may append");
        terminal.shows(&format!("the {round} line after it"));
    }
    terminal.shows("Events 3");
}

#[test]
fn a_character_and_a_marker_that_are_cut_in_two_are_whole_when_the_rest_comes() {
    let home = home();
    let path = file(&home, "live.txt", b"A caf\xc3");
    let mut terminal = open(&["-f".as_ref(), path.as_ref()], &home);
    terminal.shows("A caf");
    append(&path, b"\xa9 opens\nno end of line yet");
    terminal.shows("café opens");
    terminal.shows("no end of line yet");
    append(&path, b"\n!!!GADGET_STA");
    terminal.shows("!!!GADGET_STA");
    terminal.shows("no calls");
    append(&path, b"RT:Look");
    append(&path, b"up\n!!!ARG:city\nOs");
    append(&path, b"lo\n!!!GADGET_END\n");
    terminal.shows("1 call");
    terminal.shows("\"Oslo\"");
}

#[test]
fn several_files_are_tabs_and_say_when_something_arrives() {
    let home = home();
    let names = ["one.txt", "two.txt", "three.txt"];
    let paths: Vec<PathBuf> =
        names.iter().map(|name| file(&home, name, format!("{name} begins\n").as_bytes())).collect();
    let mut terminal = open(&["-f".as_ref(), "one.txt".as_ref(), "two.txt".as_ref(), "three.txt".as_ref()], &home);
    terminal.shows("[one.txt ●] two.txt ●");
    terminal.shows("one.txt begins");
    terminal.types("]");
    terminal.shows("two.txt begins");
    terminal.types("[");
    terminal.shows("one.txt begins");
    append(&paths[1], b"!!!GADGET_START:A\n!!!ARG:b\n1\n!!!ARG:b\n2\n!!!GADGET_END\n");
    terminal.shows("two.txt ● + ✗");
    // A click on the name of the second file, in the second row.
    terminal.types("\x1b[<0;16;2M");
    terminal.shows("[two.txt ●]");
    terminal.shows("Duplicate pointer: b");
    terminal.types("]");
    terminal.shows("three.txt begins");
    terminal.types("]");
    terminal.shows("one.txt begins");
    terminal.resizes(60, 20);
    terminal.shows("[one.txt ●]");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}
