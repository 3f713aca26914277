//! The playground in a terminal: a broken block is pasted, repaired, copied and saved.

use std::fs;

use super::{home, is_restored, open, words};

#[test]
fn a_broken_block_is_pasted_repaired_copied_and_saved() {
    let home = home();
    let mut terminal = open(&["--edit".as_ref()], &home);
    terminal.shows("ctrl-r repair");
    let broken = "!!!GADGET_START:Do:a\r!!!ARG:x/0\r1\r!!!ARG:x/2\r2\r!!!GADGET_END\r";
    terminal.types(&format!("\x1b[200~{broken}\x1b[201~"));
    terminal.shows("array-gap");
    terminal.types("\x12");
    terminal.shows("+ !!!ARG:x/1");
    terminal.types("\x12");
    terminal.shows("no problems");
    terminal.types("\x01\x03");
    terminal.shows("copied");
    terminal.types("\x13out.txt\r");
    terminal.shows("saved");
    // Everything is saved, so nobody is asked.
    terminal.types("\x11");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
    let repaired = broken.replace('\r', "\n").replace("x/2", "x/1");
    assert_eq!(fs::read_to_string(home.path().join("out.txt")).expect("it was saved"), repaired);
    assert!(
        words(&terminal.written).contains("\x1b]52;c;ISEhR0FER0VUX1NUQVJUOkRvOmEKISEhQVJHOngvMAoxCiEhIUFSRzp4LzEK")
    );
}

#[test]
fn what_another_editor_saves_is_read() {
    let home = home();
    let path = home.path().join("a.txt");
    fs::write(&path, "one\n").expect("a file can be written");
    let mut terminal = open(&["--edit".as_ref(), "a.txt".as_ref()], &home);
    terminal.shows("one");
    fs::write(&path, "another text\n").expect("a file can be written");
    terminal.shows("another text");
    terminal.types("\x11");
    assert_eq!(terminal.ends().exit_code(), 0);
}
