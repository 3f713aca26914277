//! The playground in a terminal: a broken block is pasted, repaired, copied and saved.

use std::ffi::OsStr;
use std::fs;

use rustix::process::Signal;

use super::terminal::Terminal;
use super::{PROGRAM, home, is_restored, open, words};

#[test]
fn a_broken_block_is_pasted_repaired_copied_and_saved() {
    let home = home();
    let mut terminal = open(&["--edit".as_ref()], &home);
    terminal.shows("F1 help");
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
    // Everything is saved, so there is no confirmation.
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

/// A playground in a home in which `ed.sh` is the editor.
fn with_editor(script: &str, arguments: &[&str], home: &tempfile::TempDir) -> Terminal {
    fs::write(home.path().join("ed.sh"), script).expect("a file can be written");
    let folder = home.path().to_str().expect("a plain name");
    let arguments: Vec<&OsStr> = ["--theme", "dark", "--edit"].iter().chain(arguments).map(OsStr::new).collect();
    Terminal::start(PROGRAM, &arguments, &[("EDITOR", "/bin/sh ./ed.sh"), ("TMPDIR", folder)], home.path())
}

#[test]
fn the_person_s_editor_has_the_terminal_and_gives_it_back() {
    let home = home();
    // It reads from the terminal like an editor, and leaves it in a bad state.
    let script = "printf 'NAME %s' \"$1\" | sed 's,/.*/,,'; cat \"$1\"; stty -a | grep -q ' icanon' && echo COOK''ED
        read -r line; read -r more; printf 'edited %s %s\\n' \"$line\" \"$more\" > \"$1\"; stty raw -echo";
    let mut terminal = with_editor(script, &[], &home);
    terminal.shows("F1 help");
    for round in ["first", "second", "third"] {
        terminal.types("x");
        terminal.waits_for("a change", |terminal| terminal.screen().contains('x'));
        terminal.types("\x07");
        terminal.shows("NAME transcope-");
        terminal.shows("COOKED");
        // None of this is a key, and an interrupt belongs to the editor.
        terminal.signals(Signal::INT);
        terminal.types(&format!("{round}\n\x01qi\n"));
        terminal.shows(&format!("edited {round} \u{2401}qi"));
        terminal.shows("loaded from the editor");
        assert!(terminal.model().alternate_screen() && !terminal.is_cooked());
        terminal.types("\x1a");
        terminal.waits_for("what was before", |terminal| !terminal.screen().contains(&format!("edited {round}")));
    }
    assert_eq!(fs::read_dir(home.path()).expect("readable").count(), 1, "no temporary file is left");
    // Unsaved text needs confirmation.
    terminal.types("\x11");
    terminal.shows("not saved");
    terminal.types("\x11");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}

#[test]
fn a_saved_text_is_edited_in_its_file_and_an_editor_that_fails_costs_nothing() {
    let home = home();
    let path = home.path().join("a.txt");
    fs::write(&path, "one\n").expect("a file can be written");
    let mut terminal = with_editor("echo \"at $1\"; echo two >> \"$1\"", &["a.txt"], &home);
    terminal.shows("one");
    terminal.types("\x1b");
    terminal.shows("? help");
    terminal.types("\x07");
    terminal.shows("loaded from the editor");
    terminal.shows("two");
    assert_eq!(fs::read_to_string(&path).expect("readable"), "one\ntwo\n");
    fs::write(home.path().join("ed.sh"), "exit 3").expect("a file can be written");
    terminal.types("\x07");
    terminal.shows("failed (exit status: 3); the text is unchanged");
    fs::write(home.path().join("ed.sh"), "exit 127").expect("a file can be written");
    terminal.types("\x07");
    terminal.shows("; set VISUAL or EDITOR");
    // The file has the current text, so there is no confirmation.
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}

#[test]
fn what_is_pasted_into_a_viewer_is_asked_about_and_becomes_a_playground() {
    let home = home();
    let mut terminal = open(&[], &home);
    terminal.shows("18 calls");
    let pasted = "\x1b[200~!!!GADGET_START:Paste:p\r!!!GADGET_END\rq\r\x1b[201~";
    terminal.types(pasted);
    terminal.shows("open a playground with the 3 lines pasted? y/n");
    terminal.types("n");
    terminal.waits_for("no question", |terminal| !terminal.screen().contains("y/n"));
    assert!(!terminal.screen().contains("playground"));
    terminal.types(pasted);
    terminal.shows("y/n");
    terminal.types("y");
    terminal.shows("Paste  p");
    terminal.shows("[playground]");
    terminal.types("\x11");
    terminal.shows("playground is not saved: q again quits");
    terminal.types("\x11");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}
