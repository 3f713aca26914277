//! Notes in a terminal: they are written to their file, and loaded when the program starts again.

use std::fs;

use super::{file, home, is_restored, open};

const CALL: &str = "!!!GADGET_START:Lookup:first\n!!!ARG:city\nOslo\n!!!GADGET_END\n";

#[test]
fn a_note_is_there_again_at_the_next_start_though_the_file_was_changed() {
    let home = home();
    let path = file(&home, "log.md", format!("Let me look.\n{CALL}").as_bytes());
    let sidecar = home.path().join("log.md.transcope.yaml");
    let mut terminal = open(&["log.md".as_ref()], &home);
    terminal.shows("Lookup");
    terminal.types("cAwhy Oslo?\r");
    terminal.shows("note saved in log.md.transcope.yaml");
    terminal.types("ma");
    terminal.shows("mark a set in log.md.transcope.yaml");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
    let text = fs::read_to_string(&sidecar).expect("it is there");
    assert!(text.contains("text: \"why Oslo?\"") && text.contains("letter: \"a\""), "{text}");
    fs::write(&path, format!("Much has come in front.\n{CALL}And behind.\n")).expect("a test may write");
    let mut terminal = open(&["log.md".as_ref()], &home);
    terminal.shows("1 note on this file");
    terminal.shows("✎ mark a: why Oslo?");
    terminal.types("G'a");
    terminal.shows("Raw  2/6");
    terminal.types("X");
    terminal.shows("note removed; A restores it");
    assert!(!sidecar.exists(), "an empty sidecar is removed");
    terminal.types("A\r");
    terminal.shows("mark a: why Oslo?");
    // An invalid sidecar is reported and left unchanged.
    fs::write(&sidecar, "notes: none\n").expect("a test may write");
    terminal.types("Amore\r");
    terminal.shows("could not use the notes in log.md.transcope.yaml");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    let mut terminal = open(&["log.md".as_ref()], &home);
    terminal.shows("could not use the notes in log.md.transcope.yaml");
    terminal.types("Amav");
    terminal.shows("[Events 1]");
    terminal.shows("expected a list, found");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    assert_eq!(fs::read_to_string(&sidecar).expect("it is there"), "notes: none\n");
}

#[test]
fn notes_of_a_file_beside_which_none_can_be_written_lie_in_the_person_s_folder() {
    let home = home();
    let name = format!("{}.md", "n".repeat(245));
    file(&home, &name, CALL.as_bytes());
    let mut terminal = open(&[name.as_ref()], &home);
    terminal.shows("Lookup");
    terminal.types("Afar away\r");
    terminal.shows("note saved in ");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    let folder = home.path().join(".local/state/transcope/notes");
    assert_eq!(fs::read_dir(folder).expect("it is there").count(), 1);
    let mut terminal = open(&[name.as_ref()], &home);
    terminal.shows("✎ far away");
}
